"""A limit of the system on what a task may take, in case the solver can't look at its own clock."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from solver.jit.waits import while_waiting


@contextmanager
def backstop(cpu: float) -> Iterator[None]:
    """Have the system kill this process if the block takes more than `cpu` CPU seconds, or ten times that by the wall.

    Time in which kernels are compiled does not count.
    """
    end = _arm(cpu)

    @contextmanager
    def disarmed() -> Iterator[None]:
        nonlocal end
        left = max(end - _used(), 0.01)
        _disarm()
        try:
            yield
        finally:
            end = _arm(left)

    try:
        with while_waiting(disarmed):
            yield
    finally:
        _disarm()


def _used() -> float:
    """CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _arm(cpu: float) -> float:
    """Allow this process so many more CPU seconds; returns how many that makes in all."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    end = _used() + cpu
    last = int(end) + 1
    if hard != resource.RLIM_INFINITY:
        last = min(last, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (last, hard))
    signal.setitimer(signal.ITIMER_REAL, 10 * cpu)
    return end


def _disarm() -> None:
    """Allow it as many as it may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    signal.setitimer(signal.ITIMER_REAL, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
