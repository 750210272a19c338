"""How long work tells how far it is, to a terminal, a notebook, or nobody."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")


def _nothing(*_: Any) -> None:
    """Tell nobody."""


class Watch(NamedTuple):
    """What somebody is told.

    begun   something has begun: its name, and how many steps it has (None if that is not known)
    step    so many steps more are done, and a few words about them
    line    trouble, in one line
    """

    begun: Callable[[str, int | None], None] = _nothing
    step: Callable[[int, str], None] = _nothing
    line: Callable[[str], None] = _nothing


NOBODY = Watch()


def counted(items: Iterable[Item], watch: Watch) -> Iterator[Item]:
    """Yield the items and report a step for each, when the next one is asked for."""
    for item in items:
        yield item
        watch.step(1, "")
