"""Clocks that nopython code can read: CPU seconds of the calling thread, and wall seconds.

Numba has no `time`; these call C's `clock_gettime` by name, so that kernels stay cacheable.
"""

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from solver.jit.compilers import IN_KERNELS
from solver.jit.kernel import inlined


def cpu_seconds() -> float:
    """CPU time of this thread, in seconds (a system call, 200 to 500 ns)."""
    return time.thread_time()


def wall_seconds() -> float:
    """Wall time since some fixed moment, in seconds."""
    return time.monotonic()


def _clock(clock_id: int) -> Any:
    """An intrinsic that reads a clock of the operating system."""

    @intrinsic
    def read(typing: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            long, int32 = ir.IntType(64), ir.IntType(32)
            timespec = cgutils.alloca_once(builder, ir.ArrayType(long, 2))
            gettime = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(int32, [int32, timespec.type]), "clock_gettime"
            )
            builder.call(gettime, [int32(clock_id), timespec])
            whole, nano = (builder.extract_value(builder.load(timespec), k) for k in range(2))
            seconds = builder.sitofp(whole, ir.DoubleType())
            return builder.fadd(seconds, builder.fmul(builder.sitofp(nano, ir.DoubleType()), ir.DoubleType()(1e-9)))

        return types.float64(), code

    return read


_thread_clock = _clock(time.CLOCK_THREAD_CPUTIME_ID)
_steady_clock = _clock(time.CLOCK_MONOTONIC)


@overload(cpu_seconds, **IN_KERNELS)
def _overload_cpu_seconds() -> Any:
    return lambda: _thread_clock()


@overload(wall_seconds, **IN_KERNELS)
def _overload_wall_seconds() -> Any:
    return lambda: _steady_clock()


BRIEF = 50e-6
"""Wall seconds within which a thread is not put aside and taken up again: schedulers' slices are longer."""


@inlined
def cpu_after(cpu: float, elapsed: float) -> float:
    """CPU time of this thread so many wall seconds after it was `cpu`, without a system call if they are few."""
    return cpu + elapsed if elapsed < BRIEF else max(cpu, cpu_seconds())
