"""Work that Ctrl-C does not end at once: the user is told how far it is, and says whether it goes on.

The work has a thread of its own, because a kernel holds its thread until it ends; the thread that gets the signals
waits for it here. What the user stops ends with the process.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeVar

from rich.console import RenderableType

from pipeline.commands.output import err
from pipeline.errors import Interrupted

R = TypeVar("R")

LOOK_EVERY = 0.2
"""Seconds between two looks for signals: one that has come to another thread wakes nobody."""


class Spent(NamedTuple):
    """What the work has taken so far: seconds since it began, and CPU seconds of its thread."""

    elapsed: float
    cpu: float


class _Clock:
    """The CPU clock of the work's thread; zero before it runs, and its last value when it has ended."""

    number: int | None = None
    last = 0.0

    def start(self) -> None:
        """To be called in that thread."""
        self.number = time.pthread_getcpuclockid(threading.get_ident())

    def seconds(self) -> float:
        """CPU seconds so far."""
        if self.number is not None:
            with suppress(OSError):  # the thread is no more
                self.last = time.clock_gettime(self.number)
        return self.last


def pausable(work: Callable[[], R], told: Callable[[Spent], Iterable[RenderableType]]) -> R:
    """What the work returns; raises what it raises. For the main thread.

    told   what to print when Ctrl-C comes; then the user is asked whether to go on, and the work meanwhile does

    Raises Interrupted if the user says no, or can't be asked, and KeyboardInterrupt on Ctrl-C while being asked.
    """
    events: SimpleQueue[Future[R] | None] = SimpleQueue()
    clock = _Clock()

    def run() -> None:
        clock.start()
        done: Future[R] = Future()
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        events.put(done)

    former = signal.getsignal(signal.SIGINT)

    def pause(*_: object) -> None:
        signal.signal(signal.SIGINT, former)  # the next Ctrl-C ends the command, before it is asked or then
        events.put(None)

    began = time.monotonic()
    signal.signal(signal.SIGINT, pause)
    try:
        threading.Thread(target=run, name="solver", daemon=True).start()
        while True:
            try:
                done = events.get(timeout=LOOK_EVERY)
            except Empty:
                continue
            if done is not None:
                return done.result()
            err.print()
            for part in told(Spent(time.monotonic() - began, clock.seconds())):
                err.print(part)
            if not _goes_on():
                raise Interrupted("stopped")
            signal.signal(signal.SIGINT, pause)
    finally:
        signal.signal(signal.SIGINT, former)


def _goes_on() -> bool:
    """Whether the user wants to go on: not if nobody answers."""
    err.print("It goes on meanwhile. Go on? \\[Y/n] ", end="")
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    return bool(answer) and not answer.strip().lower().startswith("n")
