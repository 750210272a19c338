"""What Linux has and macOS lacks, with substitutes; the rest of the program needs POSIX only. For Windows: WSL 2."""

import os
import platform
import threading
import time
from collections.abc import Callable
from pathlib import Path


def cores_allowed() -> int:
    """Return how many cores this process may run on; all of them where none can be set aside."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
