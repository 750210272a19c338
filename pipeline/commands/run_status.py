"""What a run has done, on the terminal."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from pipeline.commands.output import counted, err, out, table, tell

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pipeline.run.progress import Progress
    from pipeline.run.run_folder import Run


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
    return counted(labels, COLORS)


def failures(summary: dict[str, Any]) -> int:
    """Puzzles without an answer for a reason other than difficulty."""
    return sum(count for status, count in summary["status"].items() if status not in ("ok", "timeout"))


def print_summary(summary: dict[str, Any]) -> None:
    """A table of labels with counts and shares, and what went wrong."""
    for part in shown_summary(summary):
        out.print(part)


def shown_summary(summary: dict[str, Any]) -> "Iterator[RenderableType]":
    """A table of labels with counts and shares, and how many puzzles have one."""
    labels = table("verdict", "puzzles", "share", right=("puzzles", "share"))
    rows = summary["rows"]
    for label, count in summary["labels"].items():
        labels.add_row(f"[{COLORS.get(label, 'cyan')}]{label}[/]", f"{count:,}", f"{count / rows:.1%}")
    for status, count in summary["status"].items():
        if status not in ("ok", "timeout"):
            labels.add_row(f"[red]{status}[/]", f"{count:,}", f"{count / rows:.1%}")
    yield labels
    yield (
        f"[bold]{rows:,}[/bold] of {summary['puzzles']:,} puzzles classified; "
        f"{summary['cpu_solver']:,.2f} CPU seconds in kernels of {summary['cpu_tasks']:,.2f} in tasks."
    )


def show_run(run: "Run", as_json: bool) -> None:
    """What a run has done so far, and what the command at work on it is doing."""
    from pipeline.run.progress import read_progress, summarize

    files, damaged = run.survey()
    summary = summarize(run, files)
    now = read_progress(run)
    left = summary["puzzles"] - summary["rows"]
    value = summary | {"left": left, "progress": now, "damaged": [str(error) for error in damaged.values()]}
    longest = max((file.limit for file in files), default=0.0)
    if now is not None:
        longest = max(longest, now.get("cpu_limit", 0.0))
    retried = longest if longest > run.manifest["config"]["cpu_limit"] else None
    value |= {"config": run.manifest["config"], "retried_cpu_limit": retried, "store": run.manifest["store"]}
    tell(as_json, value, shown_run(run, summary, now, left, retried))
    for error in damaged.values():
        err.print(f"[red]{escape(str(error))}[/red]")


def shown_run(
    run: "Run", summary: dict[str, Any], now: "Progress | None", left: int, retried: float | None
) -> "Iterator[RenderableType]":
    """Yield the run's configuration with the largest CPU limit of its retries, its labels, and what is left."""
    settings: dict[str, Any] = dict(run.manifest["config"])
    if retried is not None:
        settings["cpu_limit"] = f"{settings['cpu_limit']:g} (up to {retried:g} by retry)"
    config = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in settings.items())
    yield f"Run {escape(summary['run_id'])} of {escape(run.manifest['store'])}: {escape(config)}"
    yield from shown_summary(summary)
    if now is not None:
        yield from shown_progress(now, left)
    if left and not (now and at_work(now)):
        yield (f"[yellow]{left:,} left[/yellow]: run nonocensus classify again to go on.")


def at_work(now: "Progress") -> bool:
    """Whether a progress.json is of a command that is still at work: it has told so less than a minute ago."""
    from datetime import UTC, datetime

    age = datetime.now(UTC) - datetime.fromisoformat(now["updated"])
    return bool(now["at_work"]) and age.total_seconds() < 60


def shown_progress(now: "Progress", left: int) -> Iterator[str]:
    """What the last session was doing when it last told."""
    from datetime import timedelta

    eta = now["eta_seconds"]
    if at_work(now):
        yield (
            f"[green]At work[/green] on {escape(now['host'])}, process {now['pid']}, {now['cpus']} CPUs: "
            f"{left:,} left, {now['rows_in_flight']:,} of them in tasks; "
            f"{now['waiting_for_more_time']:,} wait for more time; {now['rate']:,.0f} puzzles a second"
            + ("" if eta is None else f", about {timedelta(seconds=round(eta))} to go")
        )
    else:
        spent = timedelta(seconds=round(now["seconds"]))
        yield (f"The last session, {now['session']}, classified {now['rows']:,} puzzles in {spent}.")
    for host, done in sorted(now["hosts"].items()):
        rate = done["rows"] / now["seconds"] if now["seconds"] else 0.0
        yield (
            f"  {escape(host)}: {done['rows']:,} puzzles, {rate:,.0f} a second, "
            f"{done['cpu_seconds']:,.1f} CPU seconds in {done['tasks']:,} tasks"
        )
    for running in now["longest_running"] if at_work(now) else []:
        yield (f"  {escape(running['puzzle'])} for {running['seconds']:,.0f} s of {running['cpu_limit']:g}")
