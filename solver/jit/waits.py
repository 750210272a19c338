"""How long this process has waited for kernels: no puzzle and no task is charged for that."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext


class Waits:
    """How this process has waited for kernels: to be compiled here, or by another process.

    cpu, wall   seconds in all
    now         whether it does so now
    around      makes a context to be in meanwhile (`while_waiting`)
    """

    cpu = 0.0
    wall = 0.0
    now = False
    around: Callable[[], AbstractContextManager[object]] = nullcontext


@contextmanager
def while_waiting(around: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """A block in which to wait for kernels is to be in a context that this makes."""
    former = Waits.around
    Waits.around = around
    try:
        yield
    finally:
        Waits.around = former


@contextmanager
def counted() -> Iterator[None]:
    """A block that counts as waiting, unless it is part of another one."""
    if Waits.now:
        yield
        return
    Waits.now = True
    cpu, wall = time.process_time(), time.monotonic()
    try:
        with Waits.around():
            yield
    finally:
        Waits.now = False
        Waits.cpu += time.process_time() - cpu
        Waits.wall += time.monotonic() - wall
