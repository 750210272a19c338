"""What Linux has and macOS lacks, with substitutes; the rest of the program needs POSIX only. For Windows: WSL 2."""

import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

DIE_WITH_PARENT = "import ctypes; ctypes.CDLL(None).prctl(1, 9)" if sys.platform == "linux" else ""
"""Python code by which a child process is killed when its parent ends (PR_SET_PDEATHSIG, SIGKILL)."""


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


def memory_file() -> BinaryIO:
    """Open a file without a name, in memory or in the temporary folder."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("nonocensus"), "w+b")
    return tempfile.TemporaryFile()


def thread_clock() -> Callable[[], float]:
    """Return a function that reads the calling thread's CPU seconds in any thread; else the process's.

    It raises OSError once the thread has ended.
    """
    if hasattr(time, "pthread_getcpuclockid"):
        clock = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(clock)
    return time.process_time
