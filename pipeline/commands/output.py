"""Output of all commands: text, tables, JSON, problems and progress.

Control characters of untrusted input, such as titles, are removed here. A terminal gets lines of its own width; output
into a file or a pipe is never cut, and only explanations are wrapped there.
"""

import json
import logging
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import Interrupted
from nonocensus.reports.clean import clean, escape_json
from nonocensus.scrapers.url import redact

if TYPE_CHECKING:  # --help would wait for these imports
    from rich.progress import Progress, Task, TaskID

    from nonocensus.scrapers.file_batches import Problem

UNLIMITED, PAPER = 1 << 20, 80
"""Columns of a file or a pipe, and of explanations there."""

LIST_LIMIT, ID_LIMIT = 20, 10
"""Lines of a list and ids on a line that are printed."""

FIRST_LOG, LOG_INTERVAL = 10.0, 30.0
"""Seconds before the first line of progress where there is no terminal for a bar, and between two lines."""

MIN_BAR, MAX_BAR, MIN_STATUS = 10, 40, 12
"""Columns of a progress line's bar, and the least columns of its status text."""

DONE, SOME_FAILED, WRONG_USE, BUG = 0, 1, 2, 70

PRIVATE_WARNING = "[yellow]Private: it holds puzzles that must not be published.[/yellow]"

VERDICT_COLORS = {
    "unique line": "green",
    "trivial unique line": "green",
    "unique depth-2": "green",
    "unique": "green",
    "multiple": "blue",
    "stalled": "yellow",
    "contradiction": "magenta",
    "timeout": "red",
}


class StdoutWithoutRay:
    """Standard output; Ray's threads, which report dead workers, are redirected to standard error."""

    def __init__(self, stdout: TextIO) -> None:
        self.stdout = stdout

    def write(self, text: str) -> int:
        """Write to the stream of the current thread."""
        is_ray = threading.current_thread().name.startswith("ray_")
        return (sys.stderr if is_ray else self.stdout).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stdout, name)


class Terminal(Console):
    """Rich's console, with the rules above."""

    @property
    def options(self) -> ConsoleOptions:
        """Return the options with the terminal's width, or an unlimited width."""
        return super().options if self.is_terminal else super().options.update_width(UNLIMITED)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Yield segments without control characters."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=clean(segment.text))


out = Terminal(highlight=False, emoji=False, soft_wrap=True)
err = Terminal(highlight=False, emoji=False, soft_wrap=True, stderr=True)


@dataclass
class GlobalOptions:
    """Options of every command.

    json    results are printed as JSON
    quiet   only results and problems are printed
    debug   errors are printed with their traceback
    """

    json: bool = False
    quiet: bool = False
    debug: bool = False


global_options = GlobalOptions()


class LogHandler(logging.Handler):
    """Print log records on standard error, above a progress bar. Only levels below warning have time and logger."""

    detailed = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        formatter = self.detailed if record.levelno < logging.WARNING else None
        self.setFormatter(formatter)
        err.print(escape(redact(self.format(record))))


def print_json(value: Any) -> None:
    """Print a value as a line of JSON."""
    print(json_line(value))


def print_tabbed(values: Iterable[str]) -> None:
    """Print values separated by tabs, which Rich would turn into spaces."""
    print(clean("\t".join(values)))


def json_line(value: Any) -> str:
    """Return a value as JSON on one line, with control characters escaped."""
    is_unicode = sys.stdout is None or (sys.stdout.encoding or "").lower().startswith("utf")
    return escape_json(json.dumps(value, ensure_ascii=not is_unicode))


def print_result(value: Any, text: str | Iterable[RenderableType]) -> None:
    """Print a result: the value with --json, else the text."""
    if global_options.json:
        print_json(value)
    else:
        print_text(text)


def print_text(text: str | Iterable[RenderableType]) -> None:
    """Print a line, or several lines and tables. A terminal breaks lines between words."""
    for part in [text] if isinstance(text, str) else text:
        out.print(part, soft_wrap=not (out.is_terminal and isinstance(part, str)))


def wrap(text: str, start: str = "") -> Text:
    """Return text wrapped to the width of the terminal, or of PAPER columns; `start` is before the first line."""
    width = out.width if out.is_terminal else PAPER
    lines = Text.from_markup(text).wrap(out, width - len(start))
    for line in lines:
        line.rstrip()
    return Text(start) + Text("\n" + " " * len(start)).join(lines)


def table(*columns: str, right: Collection[str] = ()) -> Table:
    """Return an empty table without rules; columns named in `right` are aligned right."""
    made = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        made.add_column(escape(name), justify="right" if name in right else "left", overflow="fold")
    return made


def count_line(counts: Mapping[str, int], colors: Mapping[str, str], other: str) -> str:
    """Return names with their counts on one line, coloured."""
    return "  ".join(f"[{colors.get(name, other)}]{name} {count:,}[/]" for name, count in counts.items())


def first_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first lines of a list, and the count of the others."""
    yield from lines[:LIST_LIMIT]
    yield from remaining(len(lines) - LIST_LIMIT, "(--json lists all)")


def first_ids(ids: Sequence[str], count: int = 0) -> str:
    """Return the first ID_LIMIT of ids (the first of `count`, perhaps) on one line, and how many there are besides."""
    shown = ids[:ID_LIMIT]
    more = max(len(ids), count) - len(shown)
    return escape(", ".join(shown)) + (f" and {more:,} more" if more else "")


def remaining(count: int, advice: str) -> Iterator[str]:
    """Yield a line with the count of lines left out, if any, and how to print them."""
    if count > 0:
        yield f"... and {count:,} more {advice}"


def list_errors(lines: Sequence[str]) -> None:
    """Print lines on standard error, the first LIST_LIMIT of them; with --json the result has all."""
    if not global_options.json:
        for line in first_lines(lines):
            err.print(line)


def list_problems(title: str, problems: "list[Problem]") -> None:
    """Print problems on standard error, the first LIST_LIMIT of them; with --json the result has all."""
    if problems and not global_options.json:
        err.print(f"[yellow]{len(problems):,} {title}:[/yellow]")
        for line in first_lines([f"{escape(problem.name)}: {escape(problem.reason)}" for problem in problems]):
            err.print(f"  {line}")


def report_problem(name: str, reason: str) -> None:
    """Print an unreadable file on standard error."""
    err.print(f"[red]nonocensus:[/red] not read: {escape(name)}: {escape(reason)}")


@contextmanager
def show_progress(title: str, resumes: bool = False) -> Iterator[ProgressCallbacks]:
    """Yield progress callbacks that drive a line on standard error.

    Without a terminal a line is printed after FIRST_LOG seconds, and every LOG_INTERVAL from then on. Ctrl-C prints how
    many steps are left, and raises Interrupted if the same command resumes.
    """
    from rich.progress import Progress, ProgressColumn

    class LineColumn(ProgressColumn):
        def render(self, task: "Task") -> ProgressLine:
            return ProgressLine(task)

    is_drawn = err.is_terminal and not global_options.quiet
    with Progress(LineColumn(), console=err, disable=not is_drawn, transient=True) as bar:
        task = bar.add_task(title, total=None, status="", begun=0)
        ended = threading.Event()
        if not (is_drawn or global_options.quiet):
            threading.Thread(target=_log, args=(bar.tasks[0], ended), daemon=True).start()
        try:
            yield progress_callbacks(bar, task)
        except KeyboardInterrupt:
            total, done = bar.tasks[task].total, bar.tasks[task].completed
            bar.stop()
            if total is not None:
                err.print(f"\n{total - done:,.0f} of {total:,.0f} are left.")
            if not resumes:
                raise
            raise Interrupted("interrupted; finished work is kept, the same command resumes") from None
        finally:
            ended.set()


def progress_callbacks(bar: "Progress", task: "TaskID") -> ProgressCallbacks:
    """Return progress callbacks that drive a task of a bar, whose field `status` is the status text."""

    def on_start(title: str, total: int | None, done: int) -> None:
        bar.reset(task, description=title, total=total, completed=done, status="", begun=done)
        bar.tasks[task].total = total  # reset() ignores a total of None
        bar.tasks[task].fields.pop("estimate", None)

    def on_progress(steps: int, status: str) -> None:
        fields = bar.tasks[task].fields
        if steps:
            fields["moved"] = bar.get_time()
        bar.update(task, advance=steps, status=status or fields["status"])

    def on_warning(text: str) -> None:
        err.print(f"[yellow]{escape(text)}[/yellow]")

    def on_message(text: str) -> None:
        if not global_options.quiet:
            err.print(escape(text))

    def on_estimate(seconds: float | None) -> None:
        bar.tasks[task].fields["estimate"] = seconds, bar.get_time()

    return ProgressCallbacks(on_start, on_progress, on_warning, on_message, on_estimate)


@dataclass
class ProgressLine:
    """A task's progress on one line, which drops the parts that don't fit.

    In order of precedence: count, time left, rate, title, bar, status, time spent.
    """

    task: "Task"

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield the line for the console's width."""
        task, room = self.task, options.max_width - 1  # some terminals wrap a line that fills them
        parts: dict[str, RenderableType] = {}

        def add(name: str, text: Text) -> None:
            nonlocal room
            if text.cell_len and text.cell_len <= room:
                parts[name] = text
                room -= text.cell_len + 1

        add("count", Text(_count(task), "green"))
        if task.total is not None:
            add("left", Text(f"{_format_eta(task) or '-:--:--'} left", "cyan"))
        add("rate", Text(format_rate(_speed(task))))
        add("title", Text(task.description, "bold"))
        if task.total is not None and room > MIN_BAR:
            width = min(MAX_BAR, max(MIN_BAR, room // 4))
            parts["bar"] = ProgressBar(task.total, task.completed, width)
            room -= width + 1
        status = Text(task.fields["status"])
        for label, color in VERDICT_COLORS.items():
            status.highlight_regex(rf"\b{label} [\d,]+", color)
        if room >= MIN_STATUS:
            status.truncate(room, overflow="ellipsis")
            add("status", status)
        add("spent", Text(f"{timedelta(seconds=int(task.elapsed or 0))} spent", "yellow"))
        shown = [parts[name] for name in ("title", "bar", "count", "rate", "left", "spent", "status") if name in parts]
        line = Table.grid(*("" for _ in shown), padding=(0, 1, 0, 0))
        for column in line.columns:
            column.no_wrap = True
        line.add_row(*shown)
        yield line


def _count(task: "Task") -> str:
    """Format completed and total steps: "12,345/23,840"; empty if none are counted."""
    total = "" if task.total is None else f"/{task.total:,.0f}"
    return f"{task.completed:,.0f}{total}" if task.completed or total else ""


FEWEST_STEPS = 10
"""Steps, or a tenth of all if that is less, from which the time left is estimated."""


def seconds_left(task: "Task") -> float | None:
    """Return the task's own estimate of the seconds left; without one that of steps a second.

    None before enough steps are done: the first ones include the start of workers.
    """
    if "estimate" in task.fields:
        seconds, estimated_at = task.fields["estimate"]
        return None if seconds is None else max(0.0, seconds - (task.get_time() - estimated_at))
    begun, speed = task.fields["begun"], _speed(task)
    if task.total is None or not speed or task.completed - begun < min(FEWEST_STEPS, (task.total - begun) / 10):
        return None
    return (task.total - task.completed) / speed


def _format_eta(task: "Task") -> str:
    """Format the estimated time left: "0:01:30"; empty if it is unknown.

    An estimate ends when three times as long has passed without a step: what is left is slower than what was done.
    """
    seconds, now = seconds_left(task), task.get_time()
    if task.total is None or seconds is None or now - task.fields.get("moved", now) > 3 * max(seconds, 1):
        return ""
    return str(timedelta(seconds=ceil(seconds)))


def _speed(task: "Task") -> float:
    """Return the steps a second of the last seconds, or where nothing ended in them, since the start."""
    now = task.get_time()
    if task.speed and now - task.fields.get("moved", now) < LOG_INTERVAL:
        return task.speed
    done: float = task.completed - task.fields["begun"]
    return done / (task.elapsed or 1.0)


def format_rate(speed: float) -> str:
    """Format a number a second: "993/s", "0.25/s"; empty for 0."""
    return f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.2g}/s" if speed else ""


def _log(task: "Task", ended: threading.Event) -> None:
    """Print a line of progress after FIRST_LOG seconds, and every LOG_INTERVAL from then on, until the end."""
    wait = min(FIRST_LOG, LOG_INTERVAL)
    while not ended.wait(wait):
        err.print(escape(progress_line(task)))
        wait = LOG_INTERVAL


def progress_line(task: "Task") -> str:
    """Format the progress as a line of a log."""
    spent = f"{timedelta(seconds=int(task.elapsed or 0))} spent"
    line = f"{task.description}: {_count(task) or spent}"
    if rate := format_rate(_speed(task)):
        line += f", {rate}"
    if left := _format_eta(task):
        line += f", about {left} to go"
    status = task.fields["status"]
    return f"{line}; {status}" if status else line
