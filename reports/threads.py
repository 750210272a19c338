"""CPU cores of this process, and ordered parallel work on them in threads."""

import math
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

MOST_THREADS = 4
"""Beyond that what must be done one after the other takes all the time, and each has a batch in memory."""


QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""CPU quota of a container and its period, both in microseconds; `max` is no quota. So cgroups v2 have it."""

QUOTA_V1 = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
"""The same of cgroups v1, whose period is in a file of its own; -1 is no quota."""


def cores() -> int:
    """Return how many cores of this machine the process may use, and its container's quota allows."""
    allowed = len(os.sched_getaffinity(0))
    for files in ((QUOTA,), (QUOTA_V1, QUOTA_V1.with_name("cpu.cfs_period_us"))):
        with suppress(OSError, ValueError):  # no such file; no quota
            quota, period = map(int, " ".join(file.read_text() for file in files).split())
            if quota > 0:
                allowed = min(allowed, math.ceil(quota / period))
    return max(allowed, 1)


def in_threads(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """What `work` makes of each item, in their order; threads are a few items ahead.

    Worth it for work that mostly is in Arrow, NumPy and kernels, which let other threads go on.
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
