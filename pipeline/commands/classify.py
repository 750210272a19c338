"""The commands classify and retry: work on a run."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import (
    YEAR,
    Address,
    CheckGoal,
    Cpus,
    Depth,
    DryRun,
    Ids,
    Json,
    LastRung,
    Limit,
    RunFolder,
    Rung,
    Serial,
    StoreAt,
    Where,
    finite,
    resources_of,
    selected,
)
from pipeline.commands.output import DONE, SOME_FAILED, err, out, print_json, progress, resumable, wishes
from pipeline.commands.run_status import failures, label_counts, print_summary
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.jobs.classify_job import ClassifyOutcome
    from pipeline.jobs.schedule import TaskRows
    from pipeline.jobs.session import Listener
    from pipeline.run.plan import Plan
    from pipeline.run.results import ResultFile
    from pipeline.run.run_folder import Run


def classify(
    store: Annotated[str, typer.Argument(help="Store of puzzles.")],
    run_folder: Annotated[str, typer.Option("--out", help="Run folder to make or to continue.")],
    cpu_limit: Annotated[
        float | None,
        typer.Option(
            "--cpu-limit", "-x", min=0.001, max=YEAR, callback=finite, help="CPU seconds for a puzzle.  [default: 60]"
        ),
    ] = None,
    rung: LastRung = Rung.search,
    depth: Depth = 2,
    check_goal: CheckGoal = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    force: Annotated[bool, typer.Option("--force", help="Begin anew; what is there moves into a subfolder.")] = False,
    dry_run: DryRun = False,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Classify the puzzles of a store. The same command again continues where it was stopped."""
    from pipeline.jobs.classify_job import classify_store
    from pipeline.run.configuration import configuration
    from pipeline.run.plan import plan_rest
    from pipeline.run.run_folder import plan_run
    from pipeline.settings import default_settings
    from pipeline.store.parts import open_store

    selection, resources = selected(ids, where, limit), resources_of(cpus, address, serial)
    chosen = default_settings().cpu_limit if cpu_limit is None else cpu_limit
    config = configuration(chosen, rung.value, depth, check_goal)
    if dry_run:
        run = plan_run(open_store(store), run_folder, config, force)
        show_plan(run, plan_rest(run, run.survey()[0], selection), as_json)
        return
    with resumable(), listener(as_json) as listening:
        outcome = classify_store(open_store(store), run_folder, config, selection, resources, listening, force)
    finish(outcome, "No puzzle that is selected is left to be classified.", as_json)


def retry(
    run_folder: RunFolder,
    cpu_limit: Annotated[
        float | None,
        typer.Option(
            "--cpu-limit",
            "-x",
            min=0.001,
            max=YEAR,
            callback=finite,
            help="CPU seconds for a puzzle, more than before.",
        ),
    ] = None,
    failed_too: Annotated[bool, typer.Option("--failed", help="Also what was killed or ended in an error.")] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Instead: what has changed in the store since the run was made.")
    ] = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    dry_run: DryRun = False,
    store: StoreAt = None,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Try the puzzles of a run that timed out again, with more time. What comes of it takes the place of their rows.

    With --failed also those whose worker died or that ended in an error. With --changed the run follows its store:
    results of puzzles that are as they were stay, the others are classified.
    """
    from pipeline.jobs.classify_job import retry_changed, retry_run
    from pipeline.run.plan import plan_retry
    from pipeline.run.run_folder import open_run

    selection, resources = selected(ids, where, limit), resources_of(cpus, address, serial)
    run = open_run(run_folder, store)
    if changed:
        if cpu_limit is not None or failed_too or dry_run or selection != selected(None, None, None):
            raise UserError("--changed takes the whole run: it goes with none of the options that choose puzzles")
        with resumable(), listener(as_json) as listening:
            outcome = retry_changed(run, resources, listening)
        finish(outcome, "", as_json)
    if cpu_limit is None:
        raise UserError("say how much time: --cpu-limit, more than the run had; or --changed")
    if dry_run:
        show_plan(run, plan_retry(run, run.result_files(), cpu_limit, selection, failed_too), as_json)
        return
    with resumable(), listener(as_json) as listening:
        outcome = retry_run(run, cpu_limit, selection, failed_too, resources, listening)
    finish(outcome, f"Nothing of {run_folder} is to be tried again with {cpu_limit:g} s.", as_json)


def show_plan(run: "Run", plan: "Plan", as_json: bool) -> None:
    """What a command would do."""
    from pipeline.store.spans import size

    rows = sum(size(wanted) for _, _, wanted in plan.stretches)
    if as_json:
        print_json({"puzzles": rows + len(plan.left), "in_sweep": rows, "tried_before": len(plan.left)})
        return
    out.print(
        f"[bold]{rows + len(plan.left):,}[/bold] of {run.rows:,} puzzles would be classified"
        + (f", {len(plan.left):,} of them have had some time before." if plan.left else "."),
    )


def finish(outcome: "ClassifyOutcome", nothing: str, as_json: bool) -> None:
    """Say what has come of a command's work, and end it; `nothing` is said if there was nothing to do."""
    if as_json:
        more = {"new_rows": outcome.rows, "errors": outcome.unread, "missing": outcome.missing}
        print_json(outcome.summary | more)
    else:
        if nothing and not (outcome.rows or outcome.unread or outcome.missing):
            out.print(escape(nothing))
        print_summary(outcome.summary)
    for reason in outcome.unread:
        err.print(f"[red]not read:[/red] {escape(reason)}")
    if outcome.missing:
        err.print(
            f"[red]{outcome.missing:,} puzzles have no result though they were to be classified[/red]; "
            "the same command tries them again",
        )
    bad = outcome.unread or outcome.missing or failures(outcome.summary)
    raise typer.Exit(SOME_FAILED if bad else DONE)


@contextmanager
def listener(as_json: bool) -> Iterator["Listener"]:
    """What moves a progress bar and prints lines above it."""
    from pipeline.jobs.session import Listener

    labels: Counter[str] = Counter()
    with progress("classifying", None) as (bar, task):

        def planned(done: int, total: int) -> None:
            bar.reset(task, total=total, completed=done)  # what was done before says nothing of the rate

        def on_executor_ready(dashboard: str | None) -> None:
            if dashboard and not as_json:
                out.print(f"Ray's dashboard: http://{dashboard}")

        def finished(file: "ResultFile", _: "TaskRows") -> None:
            labels.update(file.labels)
            bar.update(task, advance=file.rows, counts=label_counts(labels))

        def line(text: str) -> None:
            err.print(f"[yellow]{escape(text)}[/yellow]")

        def news(text: str) -> None:
            if not wishes.quiet:
                line(text)

        yield Listener(planned, on_executor_ready, finished, line, news)
