"""Available CPU cores, and an ordered parallel map over threads."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from nonocensus.solver.operating_system import cores_allowed

Item = TypeVar("Item")
Made = TypeVar("Made")

MOST_THREADS = 4
"""More threads do not help, as the sequential part dominates, and each holds a batch in memory."""

CGROUP = Path("/sys/fs/cgroup")
"""Where a container's CPU quota and its period are, in microseconds.

cpu.max of cgroups v2 has both, and `max` for no quota; v1 has a file for each, and -1 for no quota.
"""


def cores(cgroup: Path = CGROUP) -> int:
    """Return how many cores of this machine the process may use, within its container's quota."""
    allowed = cores_allowed()
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        with suppress(OSError, ValueError):  # no such file; no quota
            quota, period = map(int, " ".join((cgroup / name).read_text() for name in names).split())
            if quota > 0:
                allowed = min(allowed, math.ceil(quota / period))
    return max(allowed, 1)


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
