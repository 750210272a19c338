"""The commands classify and retry, which fill a run."""

from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.dry_run import print_estimate
from nonocensus.pipeline.commands.options import (
    EXECUTION,
    Address,
    CheckGoal,
    CpuLimit,
    Cpus,
    Depth,
    DryRun,
    Ids,
    LastRung,
    Limit,
    RunFolder,
    Serial,
    Where,
    cpu_limit_option,
    read_selection,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    err,
    global_options,
    out,
    print_json,
    print_text,
    show_progress,
)
from nonocensus.pipeline.commands.status import describe_summary, describe_ungraded, failures, grading
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.classify_job import (
    CLASSIFY,
    ClassifyOutcome,
    classify_options,
    classify_store,
    retry_changed,
    retry_run,
)
from nonocensus.pipeline.jobs.cost import estimate_job
from nonocensus.pipeline.run.configuration import CPU_LIMIT, DEPTH, Configuration, configuration
from nonocensus.pipeline.run.plan import EVERYTHING, Plan, plan_rest, plan_retry
from nonocensus.pipeline.run.run_folder import Run, open_run, plan_run
from nonocensus.pipeline.store.parts import open_store
from nonocensus.reports.words.formatting import count_text


def classify(
    store: Annotated[str, typer.Argument(help="Store of puzzles.", metavar="STORE")],
    run_folder: Annotated[str, typer.Option("--out", help="Run folder to create or resume.", metavar="RUN")],
    force: Annotated[bool, typer.Option("--force", help="Start a new run; old results move to a subfolder.")] = False,
    dry_run: DryRun = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    cpu_limit: CpuLimit = CPU_LIMIT,
    rung: LastRung = "search",
    depth: Depth = DEPTH,
    check_goal: CheckGoal = False,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Find out which puzzles of a store have exactly one solution.

    After an interruption the same command resumes. Exit status 1 if some puzzles are invalid or ended in an error.
    """
    selection, resources = read_selection(ids, where, limit), Resources(cpus, address, serial)
    config = configuration(cpu_limit, rung, depth, check_goal)
    if dry_run:
        run = plan_run(open_store(store), run_folder, config, force)
        print_cost(run, config, plan_rest(run, run.survey()[0], selection), resources)
        return
    with show_progress("classifying", resumes=True) as progress:
        outcome = classify_store(open_store(store), run_folder, config, selection, resources, progress, force)
    finish(outcome, "No selected puzzle is left to classify.")


def retry(
    run_folder: RunFolder,
    failed_too: Annotated[bool, typer.Option("--failed", help="Include puzzles killed or ended in an error.")] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Classify instead what has changed in the store since.")
    ] = False,
    dry_run: DryRun = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    cpu_limit: Annotated[
        float | None, cpu_limit_option("CPU seconds per puzzle, more than before.", rich_help_panel=EXECUTION)
    ] = None,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Retry a run's timeouts with a higher CPU limit.

    New results replace the old rows. With --failed also puzzles whose worker died or that ended in an error are
    retried. With --changed the run follows its store: results of unchanged puzzles are kept, the others are classified.
    """
    selection, resources = read_selection(ids, where, limit), Resources(cpus, address, serial)
    run = open_run(run_folder)
    if changed:
        if cpu_limit is not None or failed_too or dry_run or selection != EVERYTHING:
            raise UserError(
                "--changed covers the whole run: it excludes --cpu-limit, --failed, --dry-run and selection; "
                f"nonocensus status {run_folder} says what has changed"
            )
        with show_progress("classifying", resumes=True) as progress:
            outcome = retry_changed(run, resources, progress)
        finish(outcome, "The run is up to date: its store has no new or changed puzzle.")
    if cpu_limit is None:
        raise UserError(
            "give --cpu-limit in seconds, for the run's timeouts, or --changed, for a store that has changed since"
        )
    if dry_run:
        plan = plan_retry(run, run.result_files(), cpu_limit, selection, failed_too)
        print_cost(run, {**run.manifest["config"], "cpu_limit": cpu_limit}, plan, resources)
        return
    with show_progress("classifying", resumes=True) as progress:
        outcome = retry_run(run, cpu_limit, selection, failed_too, resources, progress)
    what = "failed, or timed out" if failed_too else "timed out"
    finish(outcome, f"Nothing to retry: no selected puzzle {what} with less than {cpu_limit:g} s.")


def print_cost(run: Run, config: Configuration, plan: Plan, resources: Resources) -> None:
    """Print what it would cost to classify the puzzles of a plan."""
    options = classify_options(run, config)
    print_estimate(lambda: estimate_job(run, CLASSIFY, options, plan, config["cpu_limit"]), resources)


def finish(outcome: ClassifyOutcome, idle_text: str) -> None:
    """Print the outcome of a command and exit; `idle_text` is printed if there was nothing to do."""
    if global_options.json:
        print_json(outcome.summary | {"new_rows": outcome.rows, "errors": outcome.unread, "missing": outcome.missing})
    else:
        if outcome.rows or outcome.unread or outcome.missing:
            print_text(describe_summary(outcome.summary))
        else:
            out.print(escape(idle_text))
        print_text(describe_ungraded(outcome.run, grading(outcome.run)["ungraded"]))
    for reason in outcome.unread:
        err.print(f"[red]nonocensus:[/red] not read: {escape(reason)}")
    if outcome.missing:
        again = "" if outcome.unread else "; the same command tries again"
        err.print(f"[red]no result for {count_text(outcome.missing, 'puzzle')}[/red]{again}")
    bad = SOME_FAILED if outcome.unread or outcome.missing or failures(outcome.summary) else DONE
    raise typer.Exit(InputError.status if outcome.unread and not outcome.summary["rows"] else bad)
