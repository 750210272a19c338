"""What a run has done, on the terminal."""

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from pipeline.commands.output import err, out

if TYPE_CHECKING:
    from pipeline.run.folder import Run
    from pipeline.run.progress import Progress


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
    from pipeline.run.progress import progress_of
    from pipeline.run.summary import summarize

    pieces, damaged = run.survey()
    summary = summarize(run, pieces)
    now = progress_of(run)
    left = summary["puzzles"] - summary["rows"]
    if as_json:
        print(
            json.dumps(
                summary
                | {"left": left, "progress": now, "damaged": [*map(str, damaged.values())]}
                | {key: run.about[key] for key in ("config", "store")}
            )
        )
        return
    config = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in run.about["config"].items())
    out.print(f"Run {summary['run_id']} of {escape(run.about['store'])}: {config}", highlight=False, soft_wrap=True)
    print_summary(summary)
    if now is not None:
        show_progress(now, left)
    for error in damaged.values():
        err.print(f"[red]{escape(str(error))}[/red]", soft_wrap=True, highlight=False)
    if left and not (now and at_work(now)):
        out.print(f"[yellow]{left:,} left[/yellow]: run nonocensus classify again to go on.")


def at_work(now: "Progress") -> bool:
    """Whether a progress.json is of a command that is still at work: it has told so less than a minute ago."""
    from datetime import UTC, datetime

    age = datetime.now(UTC) - datetime.fromisoformat(now["updated"])
    return bool(now["at_work"]) and age.total_seconds() < 60


def show_progress(now: "Progress", left: int) -> None:
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
