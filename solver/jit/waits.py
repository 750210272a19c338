"""Time that this process has spent waiting for kernels, which is charged to no puzzle and no task."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext


class Waits:
    """Process-wide totals of waiting for kernels, compiled here or by another process.

    cpu_seconds, wall_seconds   totals
    is_waiting                  whether the process waits now
    make_context                makes the context to wait in (`while_waiting`)
    """

    cpu_seconds = 0.0
    wall_seconds = 0.0
    is_waiting = False
    make_context: Callable[[], AbstractContextManager[object]] = nullcontext


@contextmanager
def while_waiting(make_context: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Enter a context of `make_context` whenever this block waits for kernels."""
    former = Waits.make_context
    Waits.make_context = make_context
    try:
        yield
    finally:
        Waits.make_context = former


@contextmanager
def measured_wait() -> Iterator[None]:
    """Add the time spent in this block to the totals, unless an outer block does so."""
    if Waits.is_waiting:
        yield
        return
    Waits.is_waiting = True
    cpu, wall = time.process_time(), time.monotonic()
    try:
        with Waits.make_context():
            yield
    finally:
        Waits.is_waiting = False
        Waits.cpu_seconds += time.process_time() - cpu
        Waits.wall_seconds += time.monotonic() - wall
