"""Progress callbacks for long-running work."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")


def _ignore(*_: Any) -> None:
    """Do nothing."""


class ProgressCallbacks(NamedTuple):
    """Callbacks of a long-running task.

    on_start      (title, total steps or None if unknown, steps done before)
    on_progress   (steps done since the last call, short status text or "")
    on_warning    (one line)
    on_message    (one line)
    on_estimate   (seconds left as the task itself estimates them, None if unknown)
    """

    on_start: Callable[[str, int | None, int], None] = _ignore
    on_progress: Callable[[int, str], None] = _ignore
    on_warning: Callable[[str], None] = _ignore
    on_message: Callable[[str], None] = _ignore
    on_estimate: Callable[[float | None], None] = _ignore


SILENT = ProgressCallbacks()


def track(items: Iterable[Item], progress: ProgressCallbacks) -> Iterator[Item]:
    """Yield the items, reporting a step for each when the next one is requested."""
    for item in items:
        yield item
        progress.on_progress(1, "")
