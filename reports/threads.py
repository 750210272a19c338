"""The same work on many items, by threads, in their order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

MOST_THREADS = 4
"""Beyond that what must be done one after the other takes all the time, and each has a batch in memory."""


def in_threads(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """What `work` makes of each item, in their order; threads are a few items ahead.

    Worth it for work that mostly is in Arrow, NumPy and kernels, which let other threads go on.
    """
    threads = min(os.cpu_count() or 1, MOST_THREADS)
    begun: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            begun.append(pool.submit(work, item))
            if len(begun) > threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
