"""What Linux has and macOS lacks, with substitutes; the rest of the program needs POSIX only. For Windows: WSL 2."""

import math
import os
import platform
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
"""Where a container's CPU quota and its period are, in microseconds.

cpu.max of cgroups v2 has both, and `max` for no quota; v1 has a file for each, and -1 for no quota.
"""


def cores(cgroup: Path = CGROUP) -> int:
    """Return how many cores of this machine the process may use, within its container's quota."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        with suppress(OSError, ValueError):  # no such file; no quota
            quota, period = map(int, " ".join((cgroup / name).read_text() for name in names).split())
            if quota > 0:
                allowed = min(allowed, math.ceil(quota / period))
    return max(allowed, 1)


def address_space() -> int | None:
    """Return the size of this process's address space in bytes; None where it can't be limited."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else None


def processor() -> str:
    """Return the processor's name, or its architecture."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def thread_clock() -> Callable[[], float]:
    """Return a function that reads the calling thread's CPU seconds in any thread; else the process's.

    It raises OSError once the thread has ended.
    """
    if hasattr(time, "pthread_getcpuclockid"):
        clock = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(clock)
    return time.process_time
