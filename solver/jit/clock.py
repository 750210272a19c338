"""Clocks that nopython code can read: CPU seconds of the calling thread, and wall seconds.

Numba has no `time`; these call C's `clock_gettime` by name, so that kernels stay cacheable.
"""

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from nonocensus.solver.jit.intrinsics import call_llvm, intrinsic, overload
from nonocensus.solver.jit.kernel import inlined


def cpu_seconds() -> float:
    """Return the CPU time of this thread, in seconds (a system call, 200 to 500 ns)."""
    return time.thread_time()


def wall_seconds() -> float:
    """Return the wall time since a fixed moment, in seconds."""
    return time.monotonic()


def _reader(clock_id: int) -> Any:
    """Make the intrinsic that reads a clock of the operating system."""

    def emit(builder: Any, returned: Any) -> Any:
        timespec = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), 2))
        call_llvm(builder, "clock_gettime", ir.IntType(32), ir.IntType(32)(clock_id), timespec)
        whole, nano = (builder.extract_value(builder.load(timespec), k) for k in range(2))
        return builder.fadd(
            builder.sitofp(whole, returned), builder.fmul(builder.sitofp(nano, returned), returned(1e-9))
        )

    return intrinsic(types.float64, emit)


_thread_clock = _reader(time.CLOCK_THREAD_CPUTIME_ID)
_steady_clock = _reader(time.CLOCK_MONOTONIC)


@overload(cpu_seconds)
def _overload_cpu_seconds() -> Any:
    return lambda: _thread_clock()


@overload(wall_seconds)
def _overload_wall_seconds() -> Any:
    return lambda: _steady_clock()


NO_PREEMPTION_SECONDS = 50e-6
"""Below this many wall seconds a thread is assumed not to be preempted, so wall time equals CPU time."""


@inlined
def cpu_after(cpu: float, elapsed: float) -> float:
    """Return this thread's CPU time `elapsed` wall seconds after it was `cpu`, by a system call only if it is long.

    The result equals `cpu` if the estimates before were ahead of the clock.
    """
    return cpu + elapsed if elapsed < NO_PREEMPTION_SECONDS else max(cpu, cpu_seconds())
