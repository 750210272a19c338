"""The command status: the state of a run or a store, and a run's puzzles without an answer."""

import os
import platform
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pyarrow.compute as pc
import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.crawl import crawl_status, print_crawl_status
from nonocensus.pipeline.commands.options import RunOrStore
from nonocensus.pipeline.commands.output import (
    LIST_LIMIT,
    VERDICT_COLORS,
    count_line,
    err,
    format_rate,
    global_options,
    out,
    print_result,
    remaining,
    table,
)
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.jobs.grade_job import count_ungraded
from nonocensus.pipeline.prometheus import exposition
from nonocensus.pipeline.run.carry import count_changed
from nonocensus.pipeline.run.configuration import CPU_LIMIT, configuration, diff_configurations
from nonocensus.pipeline.run.job_tables import minutes_model, read_grades
from nonocensus.pipeline.run.progress import Progress, read_progress, summarize
from nonocensus.pipeline.run.results import row_masks
from nonocensus.pipeline.run.run_folder import Run, changed_parts, move_store, open_place, open_run, update_advice
from nonocensus.pipeline.run.run_metrics import run_samples
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.paths import is_missing
from nonocensus.reports.words.formatting import count_text, share

IDLE_AFTER = 60.0
"""Seconds without an update after which a session is considered dead."""

COUNTED = 100_000
"""Most puzzles in which those that have changed, or need a grade, are counted: in 3 and 0.5 seconds."""


def status(
    place: RunOrStore,
    failed: Annotated[
        bool, typer.Option("--failed", help="List the run's puzzles without an answer, and why.")
    ] = False,
    metrics: Annotated[bool, typer.Option("--metrics", help="Print the run's progress as Prometheus metrics.")] = False,
    store: Annotated[
        str | None, typer.Option(help="Record where the run's store has moved to.", metavar="STORE")
    ] = None,
) -> None:
    """Show the progress of a run, or the contents of a store.

    With --failed list puzzles that are invalid, timed out, or ended in an error: the first 20 on a terminal, else all.
    With --metrics print what `serve RUN` has at /metrics, for node_exporter's textfile collector.
    With --store every command on the run uses the store at its new place.
    """
    opened = open_place(place)
    if isinstance(opened, Run):
        if store is not None:
            opened = move_store(opened, store)
        if metrics:
            print(exposition(run_samples(opened)), end="")
        else:
            print_failed(opened, place) if failed else print_run(opened)
    elif failed or metrics or store is not None:
        raise UserError(
            f"--failed, --metrics and --store are for runs; {place} is a store; classify it: "
            f"nonocensus classify {place} --out RUN"
        )
    else:
        print_store(opened)


def print_store(store: Store) -> None:
    """Print a store's puzzles by source and kind, and the state of its crawl."""
    kinds: Counter[tuple[str, str]] = Counter()
    columns = ["source", "kind", "blotted"]
    for batch in store.batches(columns):
        for source, kind, blotted in zip(*(batch[name].to_pylist() for name in columns), strict=True):
            kinds[source or "?", f"blotted {kind}" if blotted else kind] += 1
    parts = store.parts()
    crawled, damaged = crawl_status(store), not is_missing(f"{store.folder.uri}/damaged")
    away = f"[yellow]What verify --repair moved away is in damaged/[/yellow]: {escape(store.restores())}."
    listed: list[dict[str, Any]] = [
        {"source": source, "kind": kind, "puzzles": count} for (source, kind), count in sorted(kinds.items())
    ]
    print_result(
        {"puzzles": store.rows(), "parts": len(parts), "kinds": listed, "crawl": crawled, "damaged": damaged},
        [
            f"Store of [bold]{count_text(store.rows(), 'puzzle')}[/bold] in {count_text(len(parts), 'part')}.",
            *(f"  {escape(entry['source'])} {entry['kind']}: {entry['puzzles']:,}" for entry in listed),
            *[away] * damaged,
        ],
    )
    if crawled and not global_options.json:
        print_crawl_status(crawled)


def print_failed(run: Run, name: str) -> None:
    """Print a run's puzzles without an answer, by status, with the reason of each."""
    columns = ["puzzle_id", "status", "error", "cpu_seconds"]
    listed: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    pieces = run.result_files()
    kept = row_masks(pieces)
    lists_all = global_options.json or not out.is_terminal
    for piece in pieces:
        rows = run.read(piece, kept.get(piece.name), columns)
        failed = rows.filter(pc.not_equal(rows["status"], "ok")).to_pylist()
        counts.update(row["status"] for row in failed)
        shown = failed if lists_all else failed[: LIST_LIMIT - len(listed)]
        listed.extend(row | {"cpu_limit": piece.limit} for row in shown)
    print_result({"counts": counts, "puzzles": listed}, describe_failed(name, counts, listed))


def describe_failed(name: str, counts: Counter[str], listed: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """Yield the counts by status, the puzzles listed, and how many more there are."""
    if not counts:
        yield f"{escape(name)}: every puzzle that was tried has its answer."
        return
    yield count_line(dict(counts.most_common()), {}, "red")
    puzzles = table("status", "puzzle", "why")
    for row in listed:
        why = row["error"] or f"no answer within the limit of {row['cpu_limit']:g} CPU seconds"
        puzzles.add_row(row["status"], escape(row["puzzle_id"]), escape(why))
    yield puzzles
    yield from remaining(counts.total() - len(listed), "(a pipe or --json gets all)")


def failures(summary: dict[str, Any]) -> int:
    """Count the puzzles without an answer for a reason other than difficulty."""
    return sum(count for name, count in summary["status"].items() if name not in ("ok", "timeout"))


def describe_summary(summary: dict[str, Any]) -> Iterator[RenderableType]:
    """Yield a table of labels with counts and shares, and the count of puzzles classified."""
    labels = table("verdict", "puzzles", "share", right=("puzzles", "share"))
    rows = summary["rows"]
    for label, count in summary["labels"].items():
        labels.add_row(f"[{VERDICT_COLORS.get(label, 'cyan')}]{label}[/]", f"{count:,}", share(count, rows))
    for name, count in summary["status"].items():
        if name not in ("ok", "timeout"):
            labels.add_row(f"[red]{name}[/]", f"{count:,}", share(count, rows))
    yield labels
    yield (
        f"[bold]{rows:,}[/bold] of {count_text(summary['puzzles'], 'puzzle')} classified; "
        f"{summary['cpu_solver']:,.2f} CPU seconds in kernels of {summary['cpu_tasks']:,.2f} in tasks."
    )


def print_run(run: Run) -> None:
    """Print a run's configuration and labels, and the progress of the command working on it."""
    pieces, damaged = run.survey()
    summary = summarize(run, pieces)
    place, changed = _store_state(run)
    longest = max((run.manifest.get("retried", 0.0), *(piece.limit for piece in pieces)))
    progress = None
    try:
        progress = read_progress(run)
    except InputError as fault:
        damaged["progress.json"] = fault
    value = summary | {
        "left": summary["puzzles"] - summary["rows"],
        "progress": progress,
        "damaged": [str(error) for error in damaged.values()],
        "changed_parts": changed,
        "config": run.manifest["config"],
        "retried_cpu_limit": longest if longest > run.manifest["config"]["cpu_limit"] else None,
        "store": place,
        **grading(run, summary["rows"] <= COUNTED),
    }
    print_result(value, describe_run(run, value))
    for error in damaged.values():
        err.print(f"[red]{escape(str(error))}[/red]")


def _store_state(run: Run) -> tuple[str, list[str]]:
    """Return where the run's store is, or else was, and the run's parts that have changed there, if it can be read."""
    place, changed = run.manifest["store"], list[str]()
    with suppress(UserError):
        place = run.store.folder.uri
        changed = changed_parts(run)
    return place, changed


def describe_run(run: Run, summary: dict[str, Any]) -> Iterator[RenderableType]:
    """Yield the run's configuration, its labels, and what is left; `summary` is what --json prints."""
    settings: dict[str, Any] = dict(run.manifest["config"])
    progress, retried = summary["progress"], summary["retried_cpu_limit"]
    settings["cpu_limit"] = f"{settings['cpu_limit']:g}" + (f" (up to {retried:g} by retry)" if retried else "")
    named = ((key.replace("_", " "), value) for key, value in settings.items() if value is not False)
    config = ", ".join(key if value is True else f"{key} {value}" for key, value in named)
    yield f"Run {escape(summary['run_id'])} of {escape(summary['store'])}: {escape(config)}"
    yield from describe_summary(summary)
    if progress is not None:
        yield from describe_progress(run, progress)
    yield from describe_changed(run)
    if not (progress and is_active(progress)):
        yield from describe_left(run, summary)
        yield from describe_ungraded(run, summary["ungraded"])


def describe_left(run: Run, summary: dict[str, Any]) -> Iterator[str]:
    """Yield the command that classifies the puzzles without a result, if there are any and their store is unchanged."""
    left, (store, changed) = summary["puzzles"] - summary["rows"], _store_state(run)
    if left and not changed:
        again = f"nonocensus classify {store} --out {run.folder.name}"
        for name, value, _ in diff_configurations(run.manifest["config"], configuration(CPU_LIMIT)):
            if name != "solver_version":  # which no option sets
                again += f" --{name.replace('_', '-')}" + ("" if value is True else f" {value}")
        without = f"{left:,} of {count_text(run.rows, 'puzzle')} without a result"
        yield f"[yellow]{without}[/yellow]: {escape(again)} classifies them."


def print_left(run: Run) -> None:
    """Say on stderr how many puzzles have no result, if others have, and what classifies them."""
    summary = summarize(run)
    for line in describe_left(run, summary) if summary["rows"] else ():
        err.print(line)


def open_results(uri: str) -> Run:
    """Open a run; say on stderr how many puzzles lack results or grades that others have, and what adds them."""
    run = open_run(uri)
    print_left(run)
    for line in describe_ungraded(run, grading(run)["ungraded"]):
        err.print(line)
    return run


def describe_changed(run: Run) -> Iterator[str]:
    """Yield what to do about puzzles, or else parts, that have changed in the run's store, if there are any."""
    if changed := _store_state(run)[1]:
        puzzles, is_quick = 0, sum(part.rows for part in run.parts if part.name in changed) <= COUNTED
        with suppress(InputError):
            puzzles = count_changed(run) if is_quick else 0
        what = count_text(puzzles, "puzzle") if puzzles else count_text(len(changed), "part")
        yield f"[yellow]{what} of its store changed since[/yellow]: {escape(update_advice(run))}."


def grading(run: Run, counts: bool = True) -> dict[str, Any]:
    """Return how many puzzles of a graded run have no grade, and the model of minutes; None if files are damaged."""
    try:
        return {"ungraded": count_ungraded(run) if counts else None, "minutes_model": minutes_model(read_grades(run))}
    except InputError:
        return {"ungraded": None, "minutes_model": None}


def describe_ungraded(run: Run, puzzles: int | None) -> Iterator[str]:
    """Yield what to do about puzzles of a graded run without a grade, or with one of another version."""
    if puzzles:
        grade = f"nonocensus grade {escape(run.folder.name)}"
        yield f"[yellow]{count_text(puzzles, 'puzzle')} without a current grade[/yellow]: {grade}"


def is_active(progress: Progress) -> bool:
    """Return whether a command is at work, has updated progress.json within IDLE_AFTER, and on this host is alive."""
    try:
        os.kill(progress["pid"] if progress["host"] == platform.node() else os.getpid(), 0)
    except PermissionError:  # of another user
        pass
    except (ProcessLookupError, OverflowError):
        return False
    return bool(progress["at_work"]) and _age(progress) < IDLE_AFTER


def _age(progress: Progress) -> float:
    """Return the seconds since progress.json was updated, which a full disk prevents."""
    return (datetime.now(UTC) - datetime.fromisoformat(progress["updated"])).total_seconds()


def describe_progress(run: Run, progress: Progress) -> Iterator[str]:
    """Yield the state of the last session, by host, and its longest-running puzzles."""
    active = is_active(progress)
    if active:
        eta, rate, age = progress["eta_seconds"], progress["rate"], timedelta(seconds=round(_age(progress)))
        rows_left = progress["rows_left"] + progress["rows_in_flight"]
        yield (
            f"[green]At work[/green] on {escape(progress['host'])}, process {progress['pid']}, "
            f"{progress['cpus']} CPUs: {rows_left:,} left at its last report, {age} ago, "
            f"{progress['rows_in_flight']:,} of them in tasks; "
            f"{progress['waiting_for_more_time']:,} are queued for a higher CPU limit"
            + (f"; about {timedelta(seconds=round(eta))} to go at {format_rate(rate)}" if eta and rate else "")
        )
    else:
        spent = timedelta(seconds=round(progress["seconds"]))
        session = f"{progress['job']} {progress['session']}"
        left = progress["rows_left"] + progress["rows_in_flight"]
        ended = "broke off after" if left else "finished"
        if progress["at_work"]:
            ended = "broke off; at its last report it had finished"
        count = "" if progress["job"] == "grade" else f"{left:,} left: "  # the puzzles without grade are said apart
        again = f"; {count}nonocensus {progress['job']} {escape(run.folder.name)} resumes"
        rest = again if left and progress["job"] != "classify" else ""
        yield f"The last session, {session}, {ended} {count_text(progress['rows'], 'puzzle')} in {spent}{rest}."
    for host, done in sorted(progress["hosts"].items()):
        rows, tasks = count_text(done["rows"], "puzzle"), count_text(done["tasks"], "task")
        yield f"  {escape(host)}: {rows}, {done['cpu_seconds']:,.1f} CPU seconds in {tasks}"
    for running in progress["longest_running"] if active else []:
        yield f"  {escape(running['puzzle'])} for {running['seconds']:,.0f} s of {running['cpu_limit']:g}"
