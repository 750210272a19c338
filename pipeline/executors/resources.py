"""Which crew a command's options mean."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple, TypeVar

from pipeline.errors import UserError
from pipeline.executors.crew import Crew
from pipeline.executors.serial import Serial
from reports.threads import cores

T = TypeVar("T")


class Resources(NamedTuple):
    """What to run tasks on.

    cpus      cores of this machine, all of them if None
    address   a running Ray cluster: auto, or ray://host:port
    serial    this process alone, without Ray
    """

    cpus: int | None = None
    address: str | None = None
    serial: bool = False


ALL_CORES = Resources()

SMALL = 10.0
"""CPU seconds of work that this process does alone unless it is told where to run: starting Ray takes half of that."""


def check(resources: Resources) -> None:
    """Raise a UserError for what does not go together."""
    if resources.cpus is not None and resources.cpus < 1:
        raise UserError(f"--cpus {resources.cpus}: work needs a core at least")
    if resources.address == "":
        raise UserError("--address is empty; leave it out for this machine, or name a cluster: auto, ray://host:port")
    if resources.serial and (resources.cpus or resources.address):
        raise UserError("--serial goes with neither --cpus nor --address")
    if resources.address and resources.cpus:
        raise UserError("--cpus is for this machine; a cluster's tasks use all that it has")


@contextmanager
def open_crew(resources: Resources, cpu_seconds: float = math.inf) -> Iterator[Crew]:
    """Start what runs the tasks of a block: Ray, or this process for work of `cpu_seconds` at most SMALL.

    Raises ClusterError if Ray can't be started or reached.
    """
    check(resources)
    if resources.serial or (resources == ALL_CORES and cpu_seconds <= SMALL):
        yield Serial()
        return
    from pipeline.executors.ray_crew import ray_crew  # it takes a second, and not everybody has it

    cpus = None if resources.address else resources.cpus or cores()
    with ray_crew(cpus, resources.address) as crew:
        yield crew


def with_cost(tasks: Iterator[T], cost: Callable[[T], float]) -> tuple[Iterator[T], float]:
    """Return tasks with the CPU seconds that they cost; counting stops at the task that exceeds SMALL."""
    counted: list[T] = []
    seconds = 0.0
    for task in tasks:
        counted.append(task)
        seconds += cost(task)
        if seconds > SMALL:
            break
    return chain(counted, tasks), seconds
