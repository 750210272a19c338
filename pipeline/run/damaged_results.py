"""Files of results that can't be read are set aside, so that their puzzles are classified again."""

from pipeline.errors import InputError
from pipeline.run.run_folder import Run


def set_damaged_aside(run: Run) -> dict[str, InputError]:
    """Move files of results that can't be read into RUN/damaged; returns by name what is wrong with each.

    To be called by who holds the run's lock.
    """
    _, damaged = run.survey()
    for name in damaged:
        set_aside(run, name)
    return damaged


def set_aside(run: Run, name: str) -> None:
    """Move a file of results, Parquet and statistics, into RUN/damaged."""
    place = run.folder.aside()
    for file in (f"{name}.json", f"{name}.parquet"):
        if run.results.has(file):
            run.results.move(file, place)
