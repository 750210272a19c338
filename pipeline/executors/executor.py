"""Run tasks in this process, or on Ray over the cores of a machine or cluster (pipeline.executors.ray_executor)."""

import math
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.task_failure import TaskFailure, failure_of
from nonocensus.solver.operating_system import cores

if TYPE_CHECKING:
    from nonocensus.pipeline.executors.ray_executor import RayExecutor

T = TypeVar("T")
TaskArguments = tuple[Any, ...]


Executor: TypeAlias = "SerialExecutor | RayExecutor"
"""What runs tasks; both have the same methods."""


class SerialExecutor:
    """Runs tasks in this process, one after the other, when `wait` is called.

    dashboard    address of Ray's dashboard, if there is one
    isolated     tasks run in processes of their own, which may be killed
    """

    dashboard: str | None = None
    isolated = False

    def __init__(self) -> None:
        self._queue: list[tuple[int, Callable[..., Any], TaskArguments]] = []
        self._number = 0

    def cpus(self) -> int:
        """Return the number of CPUs available now: tasks run one at a time."""
        return 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Queue a task and return its ticket, which `wait` returns with the outcome."""
        self._number += 1
        self._queue.append((self._number, function, arguments))
        return self._number

    def run_on_each_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function once on each machine, which is this one; returns its outcome by the machine's name."""
        return {platform.node(): function(*arguments)}

    def wait(self, seconds: float) -> list[tuple[int, Any]]:  # noqa: ARG002
        """Run the oldest task; returns tickets of finished tasks, each with a result or TaskFailure."""
        if not self._queue:
            return []
        number, function, arguments = self._queue.pop(0)
        try:
            return [(number, function(*arguments))]
        except Exception as error:
            return [(number, failure_of(error))]


@dataclass(frozen=True)
class Resources:
    """Where to run tasks. Raises UserError for options that exclude each other.

    cpus      cores of this machine, None for all
    address   a running Ray cluster: auto, or ray://host:port
    serial    only this process, without Ray
    """

    cpus: int | None = None
    address: str | None = None
    serial: bool = False

    def __post_init__(self) -> None:
        if self.cpus is not None and self.cpus < 1:
            raise UserError("--cpus must be at least 1")
        if self.address == "":
            raise UserError(
                "--address is empty; leave it out for this machine, or name a cluster: auto, ray://host:port"
            )
        if self.serial and (self.cpus or self.address):
            raise UserError("--serial cannot be combined with --cpus or --address")
        if self.address and self.cpus:
            raise UserError("--cpus is for this machine; a cluster's tasks use all of its CPUs")


ALL_CORES = Resources()

SMALL_JOB = 10.0
"""CPU seconds up to which a job without a choice of resources runs in this process: starting Ray takes half of that."""


@contextmanager
def open_executor(resources: Resources, cpu_seconds: float = math.inf) -> Iterator[Executor]:
    """Start an executor: Ray, or this process for jobs of at most SMALL_JOB CPU seconds.

    Raises ClusterError if Ray can't be started or reached.
    """
    if resources.serial or (resources == ALL_CORES and cpu_seconds <= SMALL_JOB):
        yield SerialExecutor()
        return
    from nonocensus.pipeline.executors.ray_executor import start_ray  # importing Ray takes a second

    cpus = None if resources.address else resources.cpus or cores()
    with start_ray(cpus, resources.address) as executor:
        yield executor


def estimate_cost(tasks: Iterator[T], cost: Callable[[T], float]) -> tuple[Iterator[T], float]:
    """Return the same tasks and their total CPU seconds, counted up to the first task beyond SMALL_JOB."""
    counted: list[T] = []
    seconds = 0.0
    for task in tasks:
        counted.append(task)
        seconds += cost(task)
        if seconds > SMALL_JOB:
            break
    return chain(counted, tasks), seconds


def run_tasks(
    executor: Executor, function: Callable[..., Any], tasks: Iterable[TaskArguments], in_order: bool = False
) -> Iterator[tuple[TaskArguments, Any]]:
    """Run tasks, two in flight per CPU; yields each one's arguments and outcome as it finishes, or in order."""
    queued = iter(tasks)
    in_flight: dict[Any, TaskArguments] = {}  # in order, with ended ones that wait for their turn
    ended: dict[Any, Any] = {}
    more = True
    while more or in_flight:
        while more and len(in_flight) - len(ended) < 2 * executor.cpus():
            task = next(queued, None)
            more = task is not None
            if task is not None:
                in_flight[executor.submit(function, *task)] = task
        ended |= executor.wait(1.0) if in_flight else []
        for ticket in [*takewhile(ended.__contains__, in_flight if in_order else ended)]:
            yield in_flight.pop(ticket), ended.pop(ticket)


def run_divisible_tasks(
    executor: Executor,
    function: Callable[..., Any],
    tasks: Iterable[TaskArguments],
    divide: Callable[[TaskArguments], list[TaskArguments]],
) -> Iterator[tuple[TaskArguments, Any]]:
    """Run tasks like `run_tasks`, but divide those that fail and retry their parts after all others.

    divide    returns the parts of a task; one that is indivisible keeps its TaskFailure
    """
    while tasks:
        retries: list[TaskArguments] = []
        for task, outcome in run_tasks(executor, function, tasks):
            parts = divide(task) if isinstance(outcome, TaskFailure) else []
            if len(parts) > 1:
                retries += parts
            else:
                yield task, outcome
        tasks = retries
