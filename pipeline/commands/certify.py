"""The command that proves a run's verdicts again."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import (
    MOST,
    Address,
    CpuLimit,
    Cpus,
    Ids,
    Json,
    RunFolder,
    Serial,
    StoreAt,
    Where,
    resources_of,
    selected,
)
from pipeline.commands.output import DONE, SOME_FAILED, err, resumable, some, table, tell, watching

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pipeline.jobs.certify_job import CertifyOutcome
    from reports.figures import Unproved


def certify(
    run_folder: RunFolder,
    ids: Ids = None,
    where: Where = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Certify a deterministic sample of N verdicts."),
    ] = None,
    out_folder: Annotated[
        str | None, typer.Option("--out", help="Folder to keep the proofs in: FILE.jsonl.gz, .cnf.gz, .drup.gz.")
    ] = None,
    cpu_limit: CpuLimit = 60.0,
    again: Annotated[bool, typer.Option("--again", help="Also what has been proved before.")] = False,
    store: StoreAt = None,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Prove the verdicts of a run again, without trusting the solver (docs/CERTIFICATES.md).

    The same command again proves what is not proved yet. Exit status 1 if a proof does not hold.
    """
    from pipeline.jobs.certify_job import certify_run
    from pipeline.jobs.engine import JobRequest
    from pipeline.run.run_folder import open_run

    selection, resources = selected(ids, where, None), resources_of(cpus, address, serial)
    run = open_run(run_folder, store)
    with resumable(), watching("certifying") as callbacks:
        request = JobRequest(selection, cpu_limit, resources, callbacks)
        outcome = certify_run(run, request, sample, again, out_folder)
    found = outcome.certified
    more = {"proved_before": outcome.before, "nothing_to_prove": outcome.nothing, "cpu_seconds": outcome.seconds}
    listed = {name: [item._asdict() for item in getattr(found, name)] for name in ("failed", "late", "killed")}
    tell(as_json, found._asdict() | listed | more, shown(outcome))
    if not as_json:
        list_unproved(found.failed + found.killed, "red")
        list_unproved(found.late, "yellow")
    raise typer.Exit(SOME_FAILED if found.failed or found.killed else DONE)


def shown(outcome: "CertifyOutcome") -> "Iterator[RenderableType]":
    """What was proved by kind, what not, and what it took."""
    found = outcome.certified
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
    if outcome.nothing:
        proved.add_row("nothing to prove", f"{outcome.nothing:,}")
    yield proved
    yield (
        f"[bold]{found.proved:,}[/bold] of {found.provable:,} verdicts proved; "
        f"{outcome.done:,} of them checked now, in {outcome.seconds:,.1f} CPU seconds."
    )


def list_unproved(unproved: "tuple[Unproved, ...]", color: str) -> None:
    """Each verdict that is not proved, with the reason, on standard error, the first few of many."""
    lines = [f"[{color}]{escape(str(item.puzzle_id))}:[/] {escape(str(item.reason))}" for item in unproved]
    for line in some(lines):
        err.print(line)
