"""Progress bars for notebooks and terminals."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from rich.markup import escape
from rich.progress import Progress

from nonocensus.pipeline.callbacks import ProgressCallbacks


@contextmanager
def bar() -> Iterator[ProgressCallbacks]:
    """Show a progress bar within the block, in a notebook or a terminal.

    For example:

        with nc.bar() as bar:
            nc.classify_store("store", "run", progress=bar)
            nc.make_report("run", "page", progress=bar)
    """
    with Progress() as shown:
        task = shown.add_task("", total=None)

        def on_start(title: str, total: int | None, done: int) -> None:
            shown.reset(task, description=escape(title), total=total, completed=done)
            shown.tasks[task].total = total  # reset() ignores a total of None

        def on_progress(steps: int, status: str) -> None:
            shown.update(task, advance=steps, description=escape(status) or shown.tasks[task].description)

        line = partial(shown.console.print, markup=False)
        yield ProgressCallbacks(on_start, on_progress, line, line)
