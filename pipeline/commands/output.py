"""What all commands have in common: where they print, how they end, how they show that they are at work."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape

from pipeline.errors import INTERRUPTED

if TYPE_CHECKING:
    from rich.progress import Progress

    from pipeline.watch import Watch

out = Console()
err = Console(stderr=True)

LISTED = 20
"""Lines of a list that a terminal gets."""

DONE, SOME_FAILED, WRONG_USE = 0, 1, 2


@contextmanager
def resumable() -> Iterator[None]:
    """A block that Ctrl-C or a terminate signal may end: its command can be given again and goes on from there."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, interrupt) if main else None
    try:
        yield
    except KeyboardInterrupt:
        err.print("\nInterrupted. What was finished is kept; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def progress(title: str, total: int | None) -> Iterator[tuple["Progress", Any]]:
    """A progress bar on standard error with rate, time left and counts; nothing where there is no terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as bar:
        yield bar, bar.add_task(title, total=total, counts="", rate="")


@contextmanager
def watching(title: str) -> "Iterator[Watch]":
    """A progress bar that shows what a Watch is told (pipeline.watch)."""
    from pipeline.watch import Watch

    with progress(title, None) as (bar, task):

        def begun(title: str, total: int | None) -> None:
            bar.reset(task, description=title, total=total)

        def step(steps: int, words: str) -> None:
            bar.update(task, advance=steps, counts=escape(words), rate=rate_of(bar, task))

        def line(text: str) -> None:
            err.print(f"[yellow]{escape(text)}[/yellow]", soft_wrap=True, highlight=False)

        try:
            yield Watch(begun, step, line)
        except KeyboardInterrupt:
            total, done = bar.tasks[task].total, bar.tasks[task].completed
            bar.stop()
            if total is not None:
                err.print(f"\n{total - done:,.0f} of {total:,.0f} are left.", highlight=False)
            raise


def rate_of(bar: "Progress", task: Any) -> str:
    """Steps a second so far; nothing where nobody sees it, for it takes a while to reckon."""
    if bar.disable:
        return ""
    speed = bar.tasks[task].speed
    return f"{speed:,.0f}/s" if speed else ""


def report_problem(name: str, reason: str) -> None:
    """One line on standard error for a file that can't be read."""
    err.print(f"[red]not read:[/red] {escape(name)}: {escape(reason)}", soft_wrap=True, highlight=False)
