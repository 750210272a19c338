"""Tasks in processes of this machine, without Ray: they are there in a second, and end when the block does."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from pipeline.executors.crew import TROUBLE, WORKER, Fault
from pipeline.settings import PLACE

WORKER_CODE = "from pipeline.executors.processes import work; work()"
"""What a worker runs. Workers of `multiprocessing` would import the caller's main module, and so run a script again."""

Process = subprocess.Popen[bytes]

TICKS = os.sysconf("SC_CLK_TCK")
"""In a second, as /proc counts."""


class Processes:
    """A crew of processes, a task at a time each. A process that dies over a task is replaced."""

    dashboard: str | None = None
    apart = True

    def __init__(self, cpus: int) -> None:
        self._number = 0
        self._queue: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._idle = [_start() for _ in range(cpus)]
        self._busy: dict[Connection, tuple[int, Process, float]] = {}  # with the CPU seconds that it has had before
        self._cpus = cpus

    def cpus(self) -> int:
        """So many processes."""
        return self._cpus

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Put a task into the queue, for the first process that is idle."""
        self._number += 1
        self._queue.append((self._number, function, arguments))
        self._hand_out()
        return self._number

    def submit_beside(self, function: Callable[..., Any], *arguments: Any) -> int:
        """As `submit`: each process is for itself."""
        return self.submit(function, *arguments)

    def cancel(self, ticket: int) -> None:
        """Kill the process that has a task; one that waits goes to a process that ends over it."""
        self._queue = [(task[0], os._exit, (1,)) if task[0] == ticket else task for task in self._queue]
        for number, process, _ in self._busy.values():
            if number == ticket:
                process.kill()

    def on_every_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call the function in one of the processes; no other task may be under way."""
        self.submit(function, *arguments)
        while not (done := self.wait(1.0)):
            pass
        return {"this machine": done[0][1]}

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        """Tasks that have ended, at least one if one ends in time."""
        ended = []
        for pipe in wait(list(self._busy), seconds):
            assert isinstance(pipe, Connection)
            ticket, process, _ = self._busy.pop(pipe)
            try:
                ended.append((ticket, pipe.recv()))
                self._idle.append((pipe, process))
            except (EOFError, OSError):
                _end((pipe, process))
                ended.append((ticket, Fault(WORKER, f"its process ended with status {process.returncode}")))
                self._idle.append(_start())
        self._hand_out()
        return ended

    def under_way(self) -> float:
        """CPU seconds of tasks that have not ended, with those of processes that these have started."""
        return sum(_cpu_seconds(process.pid) - had for (_, process, had) in self._busy.values())

    def _hand_out(self) -> None:
        while self._queue and self._idle:
            pipe, process = self._idle.pop()
            ticket, function, arguments = self._queue.pop(0)
            with suppress(BrokenPipeError):  # it has died meanwhile; `wait` finds out
                pipe.send((function, arguments))
            self._busy[pipe] = ticket, process, _cpu_seconds(process.pid)

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        everyone = [*self._idle, *((pipe, process) for pipe, (_, process, _) in self._busy.items())]
        for _, process in everyone:
            process.kill()
        for worker in everyone:
            _end(worker)


@contextmanager
def processes(cpus: int) -> Iterator[Processes]:
    """So many processes for as long as the block lasts."""
    crew = Processes(cpus)
    try:
        yield crew
    finally:
        crew.end()


def _start() -> tuple[Connection, Process]:
    """Start a worker; returns the pipe to it, through which it has been sent where this process finds modules."""
    here, there = Pipe()
    with there:
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER_CODE, str(there.fileno())],
            cwd=PLACE,  # where Python looks for modules first: the user's folder may have others of these names
            stdin=subprocess.PIPE,
            pass_fds=[there.fileno()],
        )
    with suppress(BrokenPipeError):  # it has died meanwhile; `wait` finds out
        here.send(sys.path)
    return here, process


def _end(worker: tuple[Connection, Process]) -> None:
    """Wait for a worker that has died or been killed."""
    pipe, process = worker
    pipe.close()
    with process:
        pass


def _cpu_seconds(pid: int | None) -> float:
    """CPU seconds of a process and of those that it has started, as Linux tells them; 0 if it is no more."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / TICKS + sum(map(_cpu_seconds, map(int, children)))


def work() -> None:
    """Do tasks until the process at the other end of the pipe ends, and this one with it. Ctrl-C is for that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with Connection(int(sys.argv[1])) as pipe, suppress(EOFError, OSError):
        sys.path += pipe.recv()  # behind our own folder, whatever lies in the caller's
        while True:
            function, arguments = pipe.recv()
            try:
                outcome = function(*arguments)
            except Exception as error:
                outcome = Fault(TROUBLE, f"{type(error).__name__}: {error}")
            pipe.send(outcome)


def _exit_with_parent() -> None:
    """Exit in the middle of a task when the parent process has ended: its end of standard input is closed then."""
    sys.stdin.buffer.read()
    os._exit(1)
