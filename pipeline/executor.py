"""Two ways to run tasks: in this process, or over the cores of a machine or cluster by Ray.

Both take a function and an iterable of argument tuples and yield each task's result as it finishes.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

R = TypeVar("R")

Executor = Callable[[Callable[..., R], Iterable[tuple[Any, ...]]], Iterator[R]]


def serial(function: Callable[..., R], tasks: Iterable[tuple[Any, ...]]) -> Iterator[R]:
    """One task after the other, in this process."""
    for task in tasks:
        yield function(*task)


@contextmanager
def ray_executor(tasks_per_cpu: int, cpus: int | None = None, address: str | None = None) -> Iterator[Executor[Any]]:
    """An executor over Ray, for as long as the block lasts.

    tasks_per_cpu   tasks in flight for each CPU: a bound on what the driver and the scheduler hold
    cpus            CPUs to use of this machine, all if None; not with an address
    address         a running cluster ("auto", "ray://host:port"), None to start one for this command alone
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the user's machines unasked
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # a core is a worker already
    import ray

    local: dict[str, Any] = {} if address else {"num_cpus": cpus, "include_dashboard": False}
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
    limit = max(1, int(tasks_per_cpu * ray.cluster_resources().get("CPU", 1)))

    def run(function: Callable[..., R], tasks: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        remote = ray.remote(function)
        waiting = iter(tasks)
        flying: list[ray.ObjectRef] = []
        more = True
        while more or flying:
            while more and len(flying) < limit:
                task = next(waiting, None)
                more = task is not None
                if task is not None:
                    flying.append(remote.remote(*task))
            if flying:
                done, flying = ray.wait(flying, num_returns=1)
                yield ray.get(done[0])

    try:
        yield run
    finally:
        ray.shutdown()
