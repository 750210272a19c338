"""The one place where commands print: text, tables, JSON, problems, and signs that they are at work.

What comes from strangers, a title say, is cleaned of control characters here, whatever the way it came. A terminal gets
lines as wide as it is; what goes into a file or a pipe is never wrapped or cut.
"""

import json
import logging
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

from pipeline.errors import Interrupted
from reports.clean import clean, escaped

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.table import Table

    from pipeline.callbacks import ProgressCallbacks

UNLIMITED = 1 << 20
"""Columns of what is no terminal."""

LISTED = 20
"""Lines of a list that a terminal gets."""

LINE_EVERY = 60.0
"""Seconds between two lines of progress where there is no terminal for a bar."""

MIN_BAR, MAX_BAR, MIN_WORDS = 10, 40, 12
"""Columns of a progress line's bar, and what its words need at least."""

DONE, SOME_FAILED, WRONG_USE, BUG = 0, 1, 2, 70


class Terminal(Console):
    """Rich's console, with the rules above."""

    @property
    def options(self) -> ConsoleOptions:
        """As wide as the terminal, or as wide as need be."""
        return super().options if self.is_terminal else super().options.update_width(UNLIMITED)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """What is printed, cleaned."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=clean(segment.text))


out = Terminal(highlight=False, emoji=False, soft_wrap=True)
err = Terminal(highlight=False, emoji=False, soft_wrap=True, stderr=True)


@dataclass
class Wishes:
    """What the user has said for all commands: no progress and no word of what went well; tracebacks of errors."""

    quiet: bool = False
    debug: bool = False


wishes = Wishes()


class LogLevel(StrEnum):
    """Values of --log-level."""

    debug = "debug"
    info = "info"
    warning = "warning"
    error = "error"


class LogHandler(logging.Handler):
    """Print log records on standard error, above a progress bar. Only levels below warning have time and logger."""

    detailed = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        formatter = self.detailed if record.levelno < logging.WARNING else None
        self.setFormatter(formatter)
        err.print(escape(self.format(record)))


def print_json(value: Any) -> None:
    """A value as JSON on standard output."""
    print(json_line(value))


def print_tabbed(values: Iterable[str]) -> None:
    """A line of values with tabs between them, which Rich would turn into spaces."""
    print(clean("\t".join(values)))


def json_line(value: Any) -> str:
    """A value as JSON on one line. Control characters are escaped, so that nothing of the value is lost."""
    return escaped(json.dumps(value, ensure_ascii=not _shows_all_letters()))


def _shows_all_letters() -> bool:
    """Whether standard output is in Unicode."""
    return sys.stdout is None or (sys.stdout.encoding or "").lower().startswith("utf")


def tell(as_json: bool, value: Any, shown: str | Iterable[RenderableType]) -> None:
    """What a command has found or done: a value as JSON if that was asked for, else text and tables."""
    if as_json:
        print_json(value)
        return
    for part in [shown] if isinstance(shown, str) else shown:
        out.print(part)


def table(*columns: str, right: Collection[str] = ()) -> "Table":
    """An empty table without lines, its columns to the left but for those `right`."""
    from rich.table import Table

    made = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in columns:
        made.add_column(escape(name), justify="right" if name in right else "left", overflow="fold")
    return made


def counted(counts: Mapping[str, int], colors: Mapping[str, str], other: str = "cyan") -> str:
    """Names with their counts on one line, coloured, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return "  ".join(f"[{colors.get(name, other)}]{name} {count:,}[/]" for name, count in ordered)


def some(lines: Sequence[str]) -> Iterator[str]:
    """The first lines of a list, and how many more there are."""
    yield from lines[:LISTED]
    yield from more(len(lines) - LISTED, "(--json lists all)")


def more(count: int, how: str) -> Iterator[str]:
    """A line that says how many more there are, if any, and how to see them."""
    if count > 0:
        yield f"... and {count:,} more {how}"


def report_problem(name: str, reason: str) -> None:
    """One line on standard error for a file that can't be read."""
    err.print(f"[red]not read:[/red] {escape(name)}: {escape(reason)}")


@contextmanager
def resumable() -> Iterator[None]:
    """A block that may be interrupted: its command can be given again and goes on from there."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("interrupted; what was finished is kept, the same command goes on from there") from None


def compiling() -> AbstractContextManager[object]:
    """A sign on a terminal that kernels are being compiled."""
    return working("compiling kernels, once on this machine")


def working(title: str) -> AbstractContextManager[object]:
    """A sign on a terminal that something takes its time."""
    return err.status(escape(title)) if err.is_terminal and not wishes.quiet else nullcontext()


@contextmanager
def progress(title: str, total: int | None) -> Iterator[tuple["Progress", Any]]:
    """Show a progress line on standard error as wide as the terminal; where there is none, print a line a minute.

    The task's field `counts` (markup) gets the width that the rest leaves.
    """
    from rich.progress import Progress, ProgressColumn

    class Line(ProgressColumn):
        def render(self, task: "Task") -> ProgressLine:
            return ProgressLine(task)

    drawn = err.is_terminal and not wishes.quiet
    with Progress(Line(), console=err, disable=not drawn, transient=True) as bar:
        task = bar.add_task(title, total=total, counts="")
        if drawn or wishes.quiet:
            yield bar, task
            return
        ended = threading.Event()
        threading.Thread(target=_lines, args=(bar, ended), daemon=True).start()
        try:
            yield bar, task
        finally:
            ended.set()


@dataclass
class ProgressLine:
    """A task's progress on one line, which drops what there is no room for.

    In order of precedence: count, time left, rate, title, bar, words, time spent.
    """

    task: "Task"

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield the line for the width at hand."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        task, room = self.task, options.max_width - 1  # some terminals wrap a line that fills them
        parts: dict[str, RenderableType] = {}

        def add(name: str, text: Text) -> None:
            nonlocal room
            if text.cell_len and text.cell_len <= room:
                parts[name] = text
                room -= text.cell_len + 1

        add("count", Text(_count(task), "green"))
        add("left", Text(_left(task), "cyan"))
        add("rate", Text(_rate(task.speed)))
        add("title", Text.from_markup(task.description, style="bold"))
        if task.total is not None and room > MIN_BAR:
            width = min(MAX_BAR, max(MIN_BAR, room // 4))
            parts["bar"] = ProgressBar(task.total, task.completed, width)
            room -= width + 1
        words = Text.from_markup(task.fields["counts"])
        if room >= MIN_WORDS:
            words.truncate(room, overflow="ellipsis")
            add("words", words)
        add("spent", Text(f"{timedelta(seconds=int(task.elapsed or 0))} spent", "yellow"))
        shown = [parts[name] for name in ("title", "bar", "count", "rate", "left", "spent", "words") if name in parts]
        line = Table.grid(*("" for _ in shown), padding=(0, 1, 0, 0))
        for column in line.columns:
            column.no_wrap = True
        line.add_row(*shown)
        yield line


def _count(task: "Task") -> str:
    """Steps done, of how many: "12,345/23,840"."""
    return f"{task.completed:,.0f}" + ("" if task.total is None else f"/{task.total:,.0f}")


def _left(task: "Task") -> str:
    """Estimated time to the end: "0:01:30 left"; empty where the number of steps is not known."""
    if task.total is None:
        return ""
    seconds = task.time_remaining
    return f"{'-:--:--' if seconds is None else timedelta(seconds=round(seconds))} left"


def _rate(speed: float | None) -> str:
    """Steps a second: "993/s", "0.25/s"."""
    return f"{speed:,.0f}/s" if speed and speed >= 10 else f"{speed:.2g}/s" if speed else ""


def _lines(bar: "Progress", ended: threading.Event) -> None:
    """Print how far the work is, every now and then until it has ended."""
    while not ended.wait(LINE_EVERY):
        err.print(progress_line(bar.tasks[0]))


def progress_line(task: "Task") -> str:
    """How far the work is, in a line of a log."""
    line = f"{task.description}: {task.completed:,.0f}" + ("" if task.total is None else f" of {task.total:,.0f}")
    if task.speed:
        line += f", {_rate(task.speed)}"
    if task.time_remaining:
        line += f", about {timedelta(seconds=round(task.time_remaining))} to go"
    counts = task.fields["counts"]
    return f"{line}; {counts}" if counts else line


@contextmanager
def watching(title: str) -> "Iterator[ProgressCallbacks]":
    """A progress bar that shows what a ProgressCallbacks is told (pipeline.callbacks)."""
    from pipeline.callbacks import ProgressCallbacks

    with progress(title, None) as (bar, task):

        def begun(title: str, total: int | None) -> None:
            bar.reset(task, description=title, total=total, counts="")
            bar.tasks[task].total = total  # reset() keeps the former total where None is passed

        def step(steps: int, words: str) -> None:
            if words:
                bar.update(task, counts=escape(words))
            bar.update(task, advance=steps)

        def line(text: str) -> None:
            err.print(f"[yellow]{escape(text)}[/yellow]", soft_wrap=True)

        try:
            yield ProgressCallbacks(begun, step, line)
        except KeyboardInterrupt:
            total, done = bar.tasks[task].total, bar.tasks[task].completed
            bar.stop()
            if total is not None:
                err.print(f"\n{total - done:,.0f} of {total:,.0f} are left.")
            raise
