"""The commands classify and retry: work on a run."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import DONE, SOME_FAILED, err, out, progress, rate_of, resumable
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.classify.schedule import Work
    from pipeline.classify.session import Tell
    from pipeline.executors.crew import Crew
    from pipeline.run.folder import Run
    from pipeline.run.plan import Plan
    from pipeline.run.results import Piece

from pipeline.commands.options import (
    YEAR,
    Address,
    CheckGoal,
    Cpus,
    DryRun,
    Ids,
    Limit,
    RunFolder,
    Serial,
    Where,
    finite,
    selected,
)
from pipeline.commands.run_status import failures, label_counts, print_summary


class Rung(StrEnum):
    """The rungs of the solver's ladder."""

    line = "line"
    depth_2 = "depth-2"
    probe = "probe"
    search = "search"


def possible_depth(depth: int) -> int:
    """The option --depth, if there can be so many levels; the solver is only imported when it is asked."""
    from solver.limits import MAX_DEPTH

    if depth > MAX_DEPTH:
        raise typer.BadParameter(f"{depth} is more than {MAX_DEPTH}, the most levels that there can be.")
    return depth


Depth = Annotated[int, typer.Option(min=1, callback=possible_depth, help="Levels that the rung depth-2 looks ahead.")]


def classify(
    store: Annotated[str, typer.Argument(help="Store of puzzles.")],
    run_folder: Annotated[str, typer.Option("--out", help="Run folder to make or to continue.")],
    cpu_limit: Annotated[
        float | None,
        typer.Option(min=0.001, max=YEAR, callback=finite, help="CPU seconds for a puzzle.  [default: 60]"),
    ] = None,
    rung: Annotated[Rung, typer.Option(help="The last rung to try.")] = Rung.search,
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
    from pipeline.run.coverage import covered_rows
    from pipeline.run.folder import configuration, start_run
    from pipeline.run.plan import rest_of
    from pipeline.settings import default_settings
    from pipeline.store.parts import open_store
    from pipeline.store.spans import size

    selection = selected(ids, where, limit)
    chosen = default_settings().cpu_limit if cpu_limit is None else cpu_limit
    config = configuration(chosen, rung.value, depth, check_goal)
    run = start_run(open_store(store), run_folder, config, force, dry_run)
    pieces = run.pieces()
    plan = rest_of(run, pieces, selection)
    if dry_run:
        show_plan(run, plan, as_json)
        return
    done = sum(map(size, covered_rows(pieces).values()))
    work(run, plan, done, run.about["config"], cpus, address, serial, as_json)


def retry(
    run_folder: RunFolder,
    cpu_limit: Annotated[
        float,
        typer.Option(min=0.001, max=YEAR, callback=finite, help="CPU seconds for a puzzle, more than before."),
    ],
    failed_too: Annotated[bool, typer.Option("--failed", help="Also what was killed or ended in an error.")] = False,
    ids: Ids = None,
    where: Where = None,
    limit: Limit = None,
    dry_run: DryRun = False,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Try the puzzles of a run that timed out again, with more time. What comes of it takes the place of their rows.

    With --failed also those whose worker died or that ended in an error.
    """
    from pipeline.run.folder import open_run
    from pipeline.run.plan import unanswered

    run = open_run(run_folder)
    pieces = run.pieces()
    plan = unanswered(run, pieces, cpu_limit, selected(ids, where, limit), failed_too)
    if dry_run:
        show_plan(run, plan, as_json)
        return
    if not plan.left and not as_json:
        out.print(f"Nothing of {escape(run_folder)} is to be tried again with {cpu_limit:g} s.", highlight=False)
    work(run, plan, 0, run.about["config"] | {"cpu_limit": cpu_limit}, cpus, address, serial, as_json)


def show_plan(run: "Run", plan: "Plan", as_json: bool) -> None:
    """What a command would do."""
    from pipeline.store.spans import size

    rows = sum(size(wanted) for _, _, wanted in plan.stretches)
    if as_json:
        print(json.dumps({"puzzles": rows + len(plan.left), "in_sweep": rows, "tried_before": len(plan.left)}))
        return
    out.print(
        f"[bold]{rows + len(plan.left):,}[/bold] of {run.rows:,} puzzles would be classified"
        + (f", {len(plan.left):,} of them have had some time before." if plan.left else "."),
        highlight=False,
    )


def work(
    run: "Run",
    plan: "Plan",
    done: int,
    config: dict[str, Any],
    cpus: int | None,
    address: str | None,
    serial: bool,
    as_json: bool,
) -> None:
    """Do what a plan has, with a progress bar, and end the command."""
    from pipeline.classify.driver import drive
    from pipeline.classify.metrics import Metrics
    from pipeline.classify.schedule import Schedule, levels
    from pipeline.classify.session import Session
    from pipeline.classify.task import Job
    from pipeline.classify.tidy import tidy
    from pipeline.run.folder import SETTINGS, config_hash
    from pipeline.run.summary import summarize
    from pipeline.settings import default_settings

    settings = default_settings()
    limits = levels(config["cpu_limit"], settings.sweep_limit, settings.limit_growth)
    schedule = Schedule(plan.stretches, plan.rows, plan.left, limits)
    errors: list[str] = []
    if schedule.left():
        total = done + schedule.left()
        with resumable(), open_crew(cpus, address, serial) as crew, progress("classifying", total) as (bar, task):
            if crew.dashboard and not as_json:
                out.print(f"Ray's dashboard: http://{crew.dashboard}", highlight=False)
            session = Session(run, teller(bar, task, done), Metrics(run.about["run_id"]) if crew.apart else None)
            job = Job(
                run.about["store"],
                run.folder.uri,
                {key: config[key] for key in SETTINGS},
                {"run_id": run.about["run_id"], "config_hash": config_hash(config)},
                crew.apart,
            )
            try:
                errors = drive(run, crew, schedule, job, session)
                tidy(run, crew, session)
            finally:
                session.close(schedule, crew.cpus())
        if not session.rows and not errors and not as_json:
            out.print("No puzzle that is selected is left to be classified.")
    summary = summarize(run)
    if as_json:
        print(json.dumps(summary | {"errors": errors}))
    else:
        print_summary(summary)
    for error in errors:
        err.print(f"[red]not read:[/red] {escape(error)}", soft_wrap=True, highlight=False)
    raise typer.Exit(SOME_FAILED if errors or failures(summary) else DONE)


@contextmanager
def open_crew(cpus: int | None, address: str | None, serial: bool) -> Iterator["Crew"]:
    """What runs the tasks."""
    from pipeline.executors.ray_crew import ray_crew
    from pipeline.executors.serial import Serial

    if serial and (cpus or address):
        raise UserError("--serial goes with neither --cpus nor --address")
    if address and cpus:
        raise UserError("--cpus is for this machine; a cluster's tasks use all that it has")
    if serial:
        yield Serial()
    else:
        with ray_crew(cpus, address) as crew:
            yield crew


def teller(bar: Any, task: Any, done: int) -> "Tell":
    """What moves the progress bar and prints lines above it."""
    from pipeline.classify.session import Tell

    labels: Counter[str] = Counter()
    bar.update(task, completed=done)

    def finished(piece: "Piece", _: "Work") -> None:
        labels.update(piece.labels)
        bar.update(task, advance=piece.rows, rate=rate_of(bar, task), counts=label_counts(labels))

    def line(text: str) -> None:
        err.print(f"[yellow]{escape(text)}[/yellow]", soft_wrap=True, highlight=False)

    return Tell(finished, line)
