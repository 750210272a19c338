"""The command that proves a run's verdicts again."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.classify import open_crew
from pipeline.commands.options import Address, CpuLimit, Cpus, Ids, Json, RunFolder, Serial, Where, selected
from pipeline.commands.output import DONE, SOME_FAILED, counted, err, progress, rate_of, resumable, some, table, tell

if TYPE_CHECKING:
    from rich.console import RenderableType

    from reports.figures import Certified, Unproved


def certify(
    run_folder: RunFolder,
    ids: Ids = None,
    where: Where = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only so many verdicts, of whatever kinds, always the same ones.")
    ] = None,
    out_folder: Annotated[
        str | None, typer.Option("--out", help="Folder to keep the proofs in: FILE.jsonl.gz, .cnf.gz, .drup.gz.")
    ] = None,
    cpu_limit: CpuLimit = 60.0,
    again: Annotated[bool, typer.Option("--again", help="Also what has been proved before.")] = False,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Prove the verdicts of a run again, without trusting the solver (docs/CERTIFICATES.md).

    The same command again proves what is not proved yet. Exit status 1 if a proof does not hold.
    """
    from pipeline.certify.prove import Job, drive, plan
    from pipeline.certify.table import counted as totals
    from pipeline.run.folder import open_run
    from pipeline.store.folder import folder

    run = open_run(run_folder)
    planned = plan(run, selected(ids, where, None), sample, cpu_limit, again)
    place = folder(out_folder).uri if out_folder is not None else None
    job = Job(run.folder.uri, place, cpu_limit, run.about["config"]["depth"])
    rows: list[dict[str, Any]] = []
    if planned.tasks:
        with resumable(), open_crew(cpus, address, serial) as crew, progress("certifying", planned.rows) as (bar, task):

            def seen(found: list[dict[str, Any]]) -> None:
                rows.extend(
                    {name: row[name] for name in ("puzzle_id", "status", "proved", "error", "cpu_seconds")}
                    for row in found
                )
                counts = counted(Counter(row["status"] for row in rows), COLORS)
                bar.update(task, advance=len(found), rate=rate_of(bar, task), counts=counts)

            drive(run, crew, planned.tasks, job, seen)
    found = totals([*planned.before, *rows], planned.rows + len(planned.before))
    seconds = sum(row["cpu_seconds"] for row in rows)
    extra = {"proved_before": sum(row["status"] == "proved" for row in planned.before)}
    extra |= {"nothing_to_prove": planned.nothing, "cpu_seconds": round(seconds, 3)}
    listed = {name: [item._asdict() for item in getattr(found, name)] for name in ("failed", "late", "killed")}
    tell(as_json, found._asdict() | listed | extra, shown(found, planned.nothing, len(rows), seconds))
    if not as_json:
        list_unproved(found.failed + found.killed, "red")
        list_unproved(found.late, "yellow")
    raise typer.Exit(SOME_FAILED if found.failed or found.killed else DONE)


COLORS = {"proved": "green", "failed": "red", "timeout": "yellow", "killed": "red"}


def shown(found: "Certified", nothing: int, done: int, seconds: float) -> "Iterator[RenderableType]":
    """What was proved by kind, what not, and what it took."""
    proved = table("proved", "verdicts", right=("verdicts",))
    for kind, count in found.kinds.items():
        proved.add_row(f"[green]{escape(kind)}[/]", f"{count:,}")
    for name, unproved, color in (
        ("failed", found.failed, "red"),
        ("lost with a worker", found.killed, "red"),
        ("not in time", found.late, "yellow"),
    ):
        if unproved:
            proved.add_row(f"[{color}]{name}[/]", f"{len(unproved):,}")
    if nothing:
        proved.add_row("nothing to prove", f"{nothing:,}")
    yield proved
    yield (
        f"[bold]{found.proved:,}[/bold] of {found.provable:,} verdicts proved; "
        f"{done:,} of them looked at now, in {seconds:,.1f} CPU seconds."
    )


def list_unproved(unproved: "tuple[Unproved, ...]", color: str) -> None:
    """Each verdict that is not proved, with the reason, on standard error, the first few of many."""
    lines = [f"[{color}]{escape(str(item.puzzle_id))}:[/] {escape(str(item.reason))}" for item in unproved]
    for line in some(lines):
        err.print(line)
