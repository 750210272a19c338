"""Which crew a command's options mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pipeline.errors import UserError
from pipeline.executors.crew import Crew
from pipeline.executors.processes import processes
from pipeline.executors.serial import Serial
from reports.threads import cores


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
def open_crew(resources: Resources) -> Iterator[Crew]:
    """What runs the tasks of a block. A ClusterError says so if there is no Ray to be had."""
    check(resources)
    if resources.serial:
        yield Serial()
        return
    from pipeline.executors.ray_crew import ray_crew  # it takes a second, and not everybody has it

    cpus = None if resources.address else resources.cpus or cores()
    with ray_crew(cpus, resources.address) as crew:
        yield crew


@contextmanager
def open_quick_crew(resources: Resources) -> Iterator[Crew]:
    """As `open_crew`, but on this machine processes of our own, which are there seconds before Ray's workers.

    For tasks that ask for no more than `pipeline.executors.crew.each` does.
    """
    check(resources)
    if resources.serial or resources.address:
        with open_crew(resources) as crew:
            yield crew
    else:
        with processes(resources.cpus or cores()) as crew:
            yield crew
