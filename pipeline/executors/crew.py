"""Two ways to run tasks: in this process, or over the cores of a machine or cluster by Ray.

Both are a `Crew`: `submit` gives a task and returns at once, `wait` returns what has become of tasks.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, NamedTuple, Protocol

from pipeline.errors import UserError

TROUBLE, WORKER, NODE = "trouble", "worker", "node"
"""Why a task has no result: it raised an exception; its process died; its machine is gone."""

CPUS_EVERY = 5.0
"""Seconds between two questions to a cluster how many CPUs it has: it may grow and shrink."""


class Fault(NamedTuple):
    """A task that has no result: TROUBLE, WORKER or NODE, and a line about it."""

    kind: str
    reason: str


class Crew(Protocol):
    """What runs tasks.

    dashboard    where Ray's dashboard is, if it has one
    apart        whether tasks run in processes of their own, which may be killed
    """

    dashboard: str | None
    apart: bool

    def cpus(self) -> int:
        """CPUs that it has now."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Give a task; returns a ticket by which `wait` tells of it."""

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Tickets of finished tasks, each with its result or a Fault; none if there are none after so long."""


class Serial:
    """A crew of one, this process: a task is done when it is waited for."""

    dashboard: str | None = None
    apart = False

    def __init__(self) -> None:
        self._queue: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._number = 0

    def cpus(self) -> int:
        """One: a task at a time."""
        return 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Put a task into the queue."""
        self._number += 1
        self._queue.append((self._number, function, arguments))
        return self._number

    def wait(self, seconds: float) -> list[tuple[int, Any]]:  # noqa: ARG002
        """Do the oldest task."""
        if not self._queue:
            return []
        number, function, arguments = self._queue.pop(0)
        try:
            return [(number, function(*arguments))]
        except Exception as error:
            return [(number, Fault(TROUBLE, f"{type(error).__name__}: {error}"))]


class Ray:
    """A crew of Ray's workers, a task a CPU.

    Ray itself tries nothing again (`max_retries=0`): who gave a task knows best what to do when it is lost.
    """

    apart = True

    def __init__(self, dashboard: str | None) -> None:
        self.dashboard = dashboard
        self._remote: dict[Callable[..., Any], Any] = {}
        self._flying: dict[Any, None] = {}
        self._cpus, self._asked = 1, -CPUS_EVERY

    def cpus(self) -> int:
        """CPUs of all machines that are in the cluster now."""
        import time

        import ray

        if time.monotonic() - self._asked >= CPUS_EVERY:
            self._asked = time.monotonic()
            self._cpus = max(1, int(ray.cluster_resources().get("CPU", 0)))
        return self._cpus

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Give a task to Ray."""
        import ray

        if function not in self._remote:
            self._remote[function] = ray.remote(max_retries=0)(function)
        ticket = self._remote[function].remote(*arguments)
        self._flying[ticket] = None
        return ticket

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """All tasks that have ended, at least one if one ends in time."""
        import ray

        flying = list(self._flying)
        done, others = ray.wait(flying, num_returns=1, timeout=seconds)
        if done and others:
            done += ray.wait(others, num_returns=len(others), timeout=0)[0]
        for ticket in done:
            del self._flying[ticket]
        return [(ticket, _outcome(ticket)) for ticket in done]


def _outcome(ticket: Any) -> Any:
    """A task's result, or the fault that it ended in. A UserError says that Ray itself has gone."""
    import ray
    from ray import exceptions

    try:
        return ray.get(ticket)
    except exceptions.RayTaskError as error:
        return Fault(TROUBLE, f"{type(error.cause).__name__}: {error.cause}")
    except exceptions.NodeDiedError as error:
        return Fault(NODE, _line(error))
    except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError) as error:
        return Fault(WORKER, _line(error))
    except exceptions.RayError as error:
        raise UserError(f"Ray has failed: {_line(error)}; the same command goes on") from error


def _line(error: Exception) -> str:
    """The first line of what an exception says."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextmanager
def ray_crew(cpus: int | None = None, address: str | None = None) -> Iterator[Ray]:
    """Ray for as long as the block lasts. What is printed meanwhile goes to standard error.

    cpus       CPUs to use of this machine, all if None; not with an address
    address    a running cluster ("auto", "ray://host:port"), None to start one for this command alone

    Raises UserError if there is no Ray to be had.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the user's machines unasked
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # a core is a worker already
    import ray

    local: dict[str, Any] = {} if address else {"num_cpus": cpus, "include_dashboard": False}
    try:
        context = ray.init(address or "local", log_to_driver=False, logging_level="ERROR", **local)
    except Exception as error:  # Ray raises all kinds, bare Exceptions among them
        where = f"Ray at {address} can't be reached" if address else "Ray can't be started"
        raise UserError(f"{where}: {_line(error)}") from error
    with redirect_stdout(sys.stderr):  # a thread of Ray's prints of dead workers, where results belong
        try:
            yield Ray(getattr(context, "dashboard_url", None) or None)
        finally:
            ray.shutdown()


def each(
    crew: Crew, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], ahead: int = 2
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Each task with what it returns, or its Fault, as they finish, with so many for each CPU in flight."""
    waiting = iter(tasks)
    flying: dict[Any, tuple[Any, ...]] = {}
    more = True
    while more or flying:
        while more and len(flying) < ahead * crew.cpus():
            task = next(waiting, None)
            more = task is not None
            if task is not None:
                flying[crew.submit(function, *task)] = task
        for ticket, outcome in crew.wait(1.0) if flying else []:
            yield flying.pop(ticket), outcome
