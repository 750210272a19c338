"""The commands about runs: classify, status of a run, failed, retry, warm."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.output import DONE, SOME_FAILED, Json, err, goes_on, out, progress, rate_of
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.classify.schedule import Work
    from pipeline.classify.session import Tell
    from pipeline.executors.crew import Crew
    from pipeline.run.folder import Piece, Run
    from pipeline.run.plan import Plan, Selection


class Rung(StrEnum):
    """The rungs of the solver's ladder."""

    line = "line"
    depth_2 = "depth-2"
    probe = "probe"
    search = "search"


CheckGoal = Annotated[
    bool,
    typer.Option("--check-goal", "-c", help="Take the author's picture, if it fits, and look only for another."),
]
RunFolder = Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")]
Cpus = Annotated[int | None, typer.Option(min=1, help="Cores of this machine to use.  [default: all]")]
Address = Annotated[str | None, typer.Option(help="Ray cluster: auto or ray://host:port.  [default: this machine]")]
Serial = Annotated[bool, typer.Option("--serial", help="Without Ray, in this process.")]
Ids = Annotated[str | None, typer.Option(help="Only these puzzles: webpbn/1,webpbn/23, or @FILE with an id a line.")]
Where = Annotated[
    str | None, typer.Option(help="Only puzzles that meet a condition in SQL over `nonocensus schema`'s columns.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many puzzles.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]

LISTED = 20


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
    cpu_limit: Annotated[float | None, typer.Option(min=0.001, help="CPU seconds for a puzzle.  [default: 60]")] = None,
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
    from pipeline.run.folder import configuration, covered_rows, start_run
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
    cpu_limit: Annotated[float, typer.Option(min=0.001, help="CPU seconds for a puzzle, more than before.")],
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


def selected(ids: str | None, where: str | None, limit: int | None) -> "Selection":
    """The selection that options mean."""
    from pathlib import Path

    from pipeline.run.plan import Selection, check

    names: list[str] = []
    if ids is not None:
        text = ids if not ids.startswith("@") else Path(ids[1:]).read_text(encoding="utf-8")
        names = [name for part in text.splitlines() for name in part.split(",")]
        names = [name.strip() for name in names if name.strip()]
        if not names:
            raise UserError(f"--ids {ids} names no puzzle")
    selection = Selection(tuple(names), where, limit)
    check(selection)
    return selection


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
    from pipeline.classify.metrics import Metrics
    from pipeline.classify.schedule import Schedule, levels
    from pipeline.classify.session import Session
    from pipeline.classify.task import Job, drive
    from pipeline.classify.tidy import tidy
    from pipeline.run.folder import SETTINGS, config_hash, summarize
    from pipeline.settings import default_settings

    settings = default_settings()
    limits = levels(config["cpu_limit"], settings.sweep_limit, settings.limit_growth)
    schedule = Schedule(plan.stretches, plan.rows, plan.left, limits)
    errors: list[str] = []
    if schedule.left():
        total = done + schedule.left()
        with goes_on(), hands(cpus, address, serial) as crew, progress("classifying", total) as (bar, task):
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
def hands(cpus: int | None, address: str | None, serial: bool) -> Iterator["Crew"]:
    """What runs the tasks."""
    from pipeline.executors.crew import Serial, ray_crew

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


COLORS = {
    "unique line": "green",
    "trivial unique line": "green",
    "unique depth-2": "green",
    "unique": "green",
    "multiple": "blue",
    "stalled": "yellow",
    "contradiction": "magenta",
    "timeout": "red",
}


def label_counts(labels: Counter[str]) -> str:
    """The labels with their counts on one line, coloured, the most frequent first."""
    return "  ".join(f"[{COLORS.get(label, 'cyan')}]{label} {count:,}[/]" for label, count in labels.most_common())


def failures(summary: dict[str, Any]) -> int:
    """Puzzles without an answer for a reason other than difficulty."""
    return sum(count for status, count in summary["status"].items() if status not in ("ok", "timeout"))


def print_summary(summary: dict[str, Any]) -> None:
    """A table of labels with counts and shares, and what went wrong."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("label")
    table.add_column("puzzles", justify="right")
    table.add_column("share", justify="right")
    rows = summary["rows"]
    for label, count in summary["labels"].items():
        table.add_row(f"[{COLORS.get(label, 'cyan')}]{label}[/]", f"{count:,}", f"{count / rows:.1%}")
    for status, count in summary["status"].items():
        if status not in ("ok", "timeout"):
            table.add_row(f"[red]{status}[/]", f"{count:,}", f"{count / rows:.1%}")
    out.print(table)
    out.print(
        f"[bold]{rows:,}[/bold] of {summary['puzzles']:,} puzzles classified; "
        f"{summary['cpu_solver']:,.2f} CPU seconds in kernels of {summary['cpu_tasks']:,.2f} in tasks."
    )


def show_run(run: "Run", as_json: bool) -> None:
    """What a run has done so far, and what the command at work on it is doing."""
    from pipeline.run.folder import PROGRESS, summarize

    summary = summarize(run)
    now = run.folder.read_json(PROGRESS) if run.folder.has(PROGRESS) else None
    left = summary["puzzles"] - summary["rows"]
    if as_json:
        print(
            json.dumps(summary | {"left": left, "progress": now} | {key: run.about[key] for key in ("config", "store")})
        )
        return
    config = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in run.about["config"].items())
    out.print(f"Run {summary['run_id']} of {escape(run.about['store'])}: {config}", highlight=False, soft_wrap=True)
    print_summary(summary)
    if now is not None:
        show_progress(now, left)
    if left and not (now and at_work(now)):
        out.print(f"[yellow]{left:,} left[/yellow]: run nonocensus classify again to go on.")


def at_work(now: dict[str, Any]) -> bool:
    """Whether a progress.json is of a command that is still at work: it has told so less than a minute ago."""
    from datetime import UTC, datetime

    age = datetime.now(UTC) - datetime.fromisoformat(now["updated"])
    return bool(now["at_work"]) and age.total_seconds() < 60


def show_progress(now: dict[str, Any], left: int) -> None:
    """What the last session was doing when it last told."""
    from datetime import timedelta

    eta = now["eta_seconds"]
    if at_work(now):
        out.print(
            f"[green]At work[/green] on {escape(now['host'])}, process {now['pid']}, {now['cpus']} CPUs: "
            f"{left:,} left, {now['rows_in_flight']:,} of them in tasks; "
            f"{now['waiting_for_more_time']:,} wait for more time; {now['rate']:,.0f} puzzles a second"
            + ("" if eta is None else f", about {timedelta(seconds=round(eta))} to go"),
            highlight=False,
        )
    else:
        spent = timedelta(seconds=round(now["seconds"]))
        out.print(
            f"The last session, {now['session']}, classified {now['rows']:,} puzzles in {spent}.", highlight=False
        )
    for host, counted in sorted(now["hosts"].items()):
        rate = counted["rows"] / now["seconds"] if now["seconds"] else 0.0
        out.print(
            f"  {escape(host)}: {counted['rows']:,} puzzles, {rate:,.0f} a second, "
            f"{counted['cpu_seconds']:,.1f} CPU seconds in {counted['tasks']:,} tasks",
            highlight=False,
        )
    for running in now["longest_running"] if at_work(now) else []:
        out.print(
            f"  {escape(running['puzzle'])} for {running['seconds']:,.0f} s of {running['cpu_limit']:g}",
            highlight=False,
        )


def failed(
    run_folder: RunFolder,
    everything: Annotated[bool, typer.Option("--all", help="List all of them.")] = False,
    as_json: Json = False,
) -> None:
    """List the puzzles of a run without an answer: invalid, error, killed, timeout, and why."""
    import pyarrow.compute as pc
    from rich.table import Table

    from pipeline.run.folder import open_run

    run = open_run(run_folder)
    columns = ["puzzle_id", "status", "error", "cpu_seconds"]
    found: list[dict[str, Any]] = []
    counted: Counter[str] = Counter()
    for rows in run.batches(columns):
        bad = rows.filter(pc.not_equal(rows["status"], "ok")).to_pylist()
        counted.update(row["status"] for row in bad)
        found.extend(bad if everything or as_json else bad[: LISTED - len(found)])
    if as_json:
        print(json.dumps({"counts": counted, "puzzles": found}))
        return
    if not found:
        out.print(f"Every puzzle that {escape(run_folder)} has tried has its answer.", highlight=False)
        return
    out.print(", ".join(f"[red]{status}[/red] {count:,}" for status, count in counted.most_common()))
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("status", "puzzle", "why"):
        table.add_column(heading, overflow="fold")
    for row in found:
        why = row["error"] or f"no answer in {row['cpu_seconds']:.3g} CPU seconds"
        table.add_row(row["status"], escape(row["puzzle_id"]), escape(why))
    out.print(table)
    more = sum(counted.values()) - len(found)
    if more:
        out.print(f"... and {more:,} more (--all lists them)")


def warm(
    store: Annotated[
        str | None, typer.Argument(help="Store whose puzzles' kernels are wanted.", metavar="STORE")
    ] = None,
) -> None:
    """Compile the solver's kernels into this machine's cache, so that no run has to: once a machine, half a minute.

    Those for puzzles up to 63 cells a side, mono and coloured, or those that the puzzles of a store need.
    """
    import time

    from pipeline.classify.warm import warm_for_most, warm_for_store

    began = time.monotonic()
    folder = warm_for_most() if store is None else warm_for_store(store)
    out.print(f"Kernels ready in {time.monotonic() - began:.1f} s: {escape(folder)}", highlight=False, soft_wrap=True)
