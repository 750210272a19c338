"""The command that proves a run's verdicts again."""

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.classify import hands
from pipeline.commands.options import Address, Cpus, Ids, Json, RunFolder, Serial, Where, selected
from pipeline.commands.output import DONE, LISTED, SOME_FAILED, err, goes_on, out, progress, rate_of

if TYPE_CHECKING:
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
    cpu_limit: Annotated[float, typer.Option(min=0.001, help="CPU seconds for a puzzle.")] = 60.0,
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
    from pipeline.certify.table import counted
    from pipeline.run.folder import open_run
    from pipeline.store.folder import folder

    run = open_run(run_folder)
    planned = plan(run, selected(ids, where, None), sample, cpu_limit, again)
    place = folder(out_folder).uri if out_folder is not None else None
    job = Job(run.folder.uri, place, cpu_limit, run.about["config"]["depth"])
    rows: list[dict[str, Any]] = []
    if planned.tasks:
        with goes_on(), hands(cpus, address, serial) as crew, progress("certifying", planned.rows) as (bar, task):

            def seen(found: list[dict[str, Any]]) -> None:
                rows.extend(
                    {name: row[name] for name in ("puzzle_id", "status", "proved", "error", "cpu_seconds")}
                    for row in found
                )
                counts = Counter(row["status"] for row in rows)
                told = "  ".join(f"[{COLORS[status]}]{status} {count:,}[/]" for status, count in counts.most_common())
                bar.update(task, advance=len(found), rate=rate_of(bar, task), counts=told)

            drive(run, crew, planned.tasks, job, seen)
    found = counted([*planned.before, *rows], planned.rows + len(planned.before))
    seconds = sum(row["cpu_seconds"] for row in rows)
    if as_json:
        more = {"proved_before": sum(row["status"] == "proved" for row in planned.before)}
        more |= {"nothing_to_prove": planned.nothing, "cpu_seconds": round(seconds, 3)}
        listed = {name: [item._asdict() for item in getattr(found, name)] for name in ("failed", "late", "killed")}
        print(json.dumps(found._asdict() | listed | more))
    else:
        show(found, planned.nothing, len(rows), seconds)
    raise typer.Exit(SOME_FAILED if found.failed or found.killed else DONE)


COLORS = {"proved": "green", "failed": "red", "timeout": "yellow", "killed": "red"}


def show(found: "Certified", nothing: int, done: int, seconds: float) -> None:
    """What was proved by kind, what not and why."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("proved")
    table.add_column("verdicts", justify="right")
    for kind, count in found.kinds.items():
        table.add_row(f"[green]{escape(kind)}[/]", f"{count:,}")
    for name, unproved, color in (
        ("failed", found.failed, "red"),
        ("lost with a worker", found.killed, "red"),
        ("not in time", found.late, "yellow"),
    ):
        if unproved:
            table.add_row(f"[{color}]{name}[/]", f"{len(unproved):,}")
    if nothing:
        table.add_row("nothing to prove", f"{nothing:,}")
    out.print(table)
    out.print(
        f"[bold]{found.proved:,}[/bold] of {found.provable:,} verdicts proved; "
        f"{done:,} of them looked at now, in {seconds:,.1f} CPU seconds.",
        highlight=False,
    )
    for color, unproved in (("red", found.failed + found.killed), ("yellow", found.late)):
        show_unproved(unproved, color)


def show_unproved(unproved: "tuple[Unproved, ...]", color: str) -> None:
    """Each verdict that is not proved, with the reason, the first few of many."""
    for item in unproved[:LISTED]:
        err.print(
            f"[{color}]{escape(str(item.puzzle_id))}:[/] {escape(str(item.reason))}", soft_wrap=True, highlight=False
        )
    if len(unproved) > LISTED:
        err.print(f"... and {len(unproved) - LISTED:,} more (--json lists all)")
