"""Two ways to run tasks: in this process, or over the cores of a machine or cluster by Ray.

Each is a `Crew`: `submit` gives a task and returns at once, `wait` returns what has become of tasks.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

TROUBLE, WORKER, NODE = "trouble", "worker", "node"
"""Why a task has no result: it raised an exception; its process died; its machine is gone."""


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
        """Give out a task; returns a ticket, with which `wait` returns the result."""

    def cancel(self, ticket: Any) -> None:
        """End a task, whatever it is doing; `wait` returns its ticket all the same, mostly with a Fault."""

    def on_every_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """What a function returns, or its Fault, on each machine that tasks may run on, by the machine's name."""

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Tickets of finished tasks, each with its result or a Fault; empty if none ends in time."""


def each(
    crew: Crew, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], ahead: int = 2
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Run tasks, `ahead` in flight for each CPU; yields each with its result or Fault as it finishes."""
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


def each_divided(
    crew: Crew,
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    divide: Callable[[tuple[Any, ...]], list[tuple[Any, ...]]],
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """As `each`, but a task without a result is divided into smaller ones, which are run when the others are done.

    divide    the tasks that a task is made of; one that is not made of several keeps its Fault
    """
    while tasks:
        lost: list[tuple[Any, ...]] = []
        for task, outcome in each(crew, function, tasks):
            smaller = divide(task) if isinstance(outcome, Fault) else []
            if len(smaller) > 1:
                lost += smaller
            else:
                yield task, outcome
        tasks = lost
