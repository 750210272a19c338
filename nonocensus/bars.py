"""Progress bars for notebooks and terminals."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rich.progress import Progress

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.jobs.schedule import TaskRows
from nonocensus.pipeline.jobs.session import Listener
from nonocensus.pipeline.run.results import ResultFile


class Bar(NamedTuple):
    """A progress bar, as listener for jobs (`classify_store`) and as callbacks (`watch`)."""

    listener: Listener
    watch: ProgressCallbacks


@contextmanager
def bar() -> Iterator[Bar]:
    """Show a progress bar within the block, in a notebook or a terminal.

    For example:

        with nc.bar() as bar:
            nc.classify_store("store", "run", listener=bar.listener)
            nc.make_report("run", "page", watch=bar.watch)
    """
    labels: Counter[str] = Counter()
    with Progress() as progress:
        task = progress.add_task("", total=None)

        def begun(title: str, total: int | None) -> None:
            progress.reset(task, description=title, total=total)

        def step(steps: int, words: str) -> None:
            progress.update(task, advance=steps, description=words or progress.tasks[0].description)

        def planned(done: int, total: int) -> None:
            progress.reset(task, description="classifying", total=total, completed=done)

        def finished(file: ResultFile, _: TaskRows) -> None:
            labels.update(file.labels)
            words = "  ".join(f"{label} {count:,}" for label, count in labels.most_common(3))
            progress.update(task, advance=file.rows, description=words)

        line = progress.console.print
        yield Bar(
            Listener(on_plan=planned, on_file=finished, on_warning=line, on_message=line),
            ProgressCallbacks(begun, step, line),
        )
