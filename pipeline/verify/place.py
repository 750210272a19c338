"""A store or a run, whichever a folder is, verified and mended."""

from contextlib import nullcontext

from pipeline.callbacks import SILENT, ProgressCallbacks
from pipeline.run.run_folder import Run, reopened
from pipeline.store.lock import sole_writer
from pipeline.store.parts import Store
from pipeline.verify.damage import Damage
from pipeline.verify.run import repair_run, verify_run
from pipeline.verify.store import repair_store, verify_store


def verify_place(place: Run | Store, repair: bool = False, callbacks: ProgressCallbacks = SILENT) -> list[Damage]:
    """What is damaged; with `repair` it is set aside, so that the commands that made it make it again."""
    callbacks.on_start("verifying", place.rows if isinstance(place, Run) else None)

    def seen(rows: int) -> None:
        callbacks.on_progress(rows, "")

    # a repair is of what is found while nobody else writes
    with sole_writer(place.folder) if repair else nullcontext():
        if isinstance(place, Run):
            place = reopened(place)
            found = verify_run(place, seen)
            if repair:
                repair_run(place, found)
        else:
            found = verify_store(place, seen)
            if repair:
                repair_store(place, found)
    return found
