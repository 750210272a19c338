"""One command at work on a run's certificates."""

from typing import Any, NamedTuple

from pipeline.certify.prove import Order, drive, plan_proofs
from pipeline.certify.table import counted
from pipeline.executors.resources import Resources, check, open_crew
from pipeline.run.configuration import check_limit
from pipeline.run.folder import Run, refuse_changed, reopened
from pipeline.run.plan import Selection
from pipeline.store.folder import folder
from pipeline.store.lock import sole_writer
from pipeline.store.parts import refuse_others
from pipeline.watch import Watch
from reports.figures import Certified

KEPT = ("puzzle_id", "status", "proved", "error", "cpu_seconds")
"""What of a certificate is kept in memory until the end."""

EACH = 0.05
"""CPU seconds of a certificate, roughly."""


class Outcome(NamedTuple):
    """What came of it.

    certified   all certificates of the verdicts asked for, counted
    before      how many of them were proved before
    done        how many verdicts were looked at now, and in how many CPU seconds
    nothing     selected puzzles without a verdict
    """

    certified: Certified
    before: int
    done: int
    seconds: float
    nothing: int


def certify_run(
    run: Run,
    selection: Selection,
    sample: int | None,
    cpu_limit: float,
    again: bool,
    proofs: str | None,
    resources: Resources,
    watch: Watch,
) -> Outcome:
    """Prove the selected verdicts that are not proved yet, or all of them if they are to be proved `again`.

    sample   only so many of them, of whatever kinds, always the same ones
    proofs   a folder to keep the proofs in
    """
    check(resources)
    check_limit(cpu_limit)
    refuse_others(run.family, run.folder.name)
    if sample is not None and sample < 1:
        raise ValueError(f"sample is a number of verdicts from 1 on, not {sample!r}")
    refuse_changed(run)
    with sole_writer(run.folder):  # so that no other command joins the files that are read here
        run = reopened(run)
        planned = plan_proofs(run, selection, sample, cpu_limit, again)
        out = None if proofs is None else folder(proofs).uri
        order = Order(run.folder.uri, run.store_at, out, cpu_limit, run.about["config"]["depth"])
        rows: list[dict[str, Any]] = []
        watch.begun("certifying", planned.rows)

        def seen(found: list[dict[str, Any]]) -> None:
            rows.extend({name: row[name] for name in KEPT} for row in found)
            watch.step(len(found), "")

        if planned.tasks:
            with open_crew(resources, EACH * planned.rows) as crew:
                drive(run, crew, planned.tasks, order, seen)
    found = counted([*planned.before, *rows], planned.rows + len(planned.before))
    before = sum(row["status"] == "proved" for row in planned.before)
    seconds = round(sum(row["cpu_seconds"] for row in rows), 3)
    return Outcome(found, before, len(rows), seconds, planned.nothing)
