"""The command certify, which proves a run's verdicts independently of the solver."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.dry_run import print_estimate
from nonocensus.pipeline.commands.options import (
    SELECTION,
    Address,
    CpuLimit,
    Cpus,
    DryRun,
    Ids,
    RunFolder,
    Serial,
    Where,
    number_option,
    read_selection,
)
from nonocensus.pipeline.commands.output import DONE, SOME_FAILED, list_errors, print_result, show_progress, table
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.certify_job import CertifyOutcome, certify_run, estimate_certifying
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.reports.words.formatting import count_text


def certify(
    run_folder: RunFolder,
    out_folder: Annotated[
        str | None, typer.Option("--out", help="Folder to keep the proofs in.", metavar="FOLDER")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Include verdicts proved before.")] = False,
    dry_run: DryRun = False,
    ids: Ids = None,
    where: Where = None,
    sample: Annotated[
        int | None, number_option("Certify a deterministic sample of N verdicts.", rich_help_panel=SELECTION)
    ] = None,
    cpu_limit: CpuLimit = 60.0,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Prove a run's verdicts without trusting the solver.

    The same command resumes. Exit status 1 if a proof does not hold (docs/CERTIFICATES.md).
    """
    request = JobRequest(read_selection(ids, where, None), cpu_limit, Resources(cpus, address, serial))
    run = open_run(run_folder)
    if dry_run:
        print_estimate(lambda: estimate_certifying(run, request, sample, again), request.resources)
        return
    with show_progress("certifying", resumes=True) as progress:
        outcome = certify_run(run, replace(request, progress=progress), sample, again, out_folder)
    found = outcome.certified
    more = {"proved_before": outcome.before, "nothing_to_prove": outcome.nothing, "cpu_seconds": outcome.seconds}
    listed = {name: [item._asdict() for item in getattr(found, name)] for name in ("failed", "late", "killed")}
    print_result(found._asdict() | listed | more, describe(outcome))
    for color, unproved in (("red", found.failed + found.killed), ("yellow", found.late)):
        list_errors([f"[{color}]{escape(str(item.puzzle_id))}:[/] {escape(str(item.reason))}" for item in unproved])
    raise typer.Exit(SOME_FAILED if found.failed or found.killed else DONE)


def describe(outcome: CertifyOutcome) -> Iterator[RenderableType]:
    """Yield the counts of proved verdicts by kind and of the others, and the CPU time."""
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
        f"[bold]{found.proved:,}[/bold] of {count_text(found.provable, 'verdict')} proved; "
        f"{outcome.done:,} of them checked now, in {outcome.seconds:,.1f} CPU seconds."
    )
