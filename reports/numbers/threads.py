"""Work that threads do ahead: an ordered parallel map, and the next item of an iterator."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar, cast

from nonocensus.solver.operating_system import cores

Item = TypeVar("Item")
Made = TypeVar("Made")

MOST_THREADS = 4
"""More threads do not help, as the sequential part dominates, and each holds a batch in memory."""


def in_threads(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """Yield `work` of each item in order; threads run a few items ahead.

    Pays off for work in Arrow, NumPy and kernels, which release the GIL.
    """
    threads = min(cores(), MOST_THREADS)
    begun: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            begun.append(pool.submit(work, item))
            if len(begun) > threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


def prefetch(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the same items; a thread computes the next one meanwhile."""
    end = object()
    with ThreadPoolExecutor(1) as maker:
        following: Future[Item | object] = maker.submit(next, items, end)
        while (item := following.result()) is not end:
            following = maker.submit(next, items, end)
            yield cast("Item", item)
