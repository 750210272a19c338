"""Tasks over the cores of a machine or cluster, by Ray."""

import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import chdir, contextmanager, redirect_stdout, suppress
from queue import Empty, SimpleQueue
from typing import Any, TextIO, TypeVar, cast

from pipeline.errors import ClusterError, UserError
from pipeline.executors.crew import NODE, TROUBLE, WORKER, Fault
from pipeline.settings import PLACE

T = TypeVar("T")

CPUS_EVERY = 5.0
"""Seconds after which the number of CPUs of a cluster is asked again: it may grow and shrink."""

TRIES, TOO_BUSY = 4, "timed out during startup"
"""How often Ray is started where it has said this, which it does after half a minute."""

ANSWERS_WITHIN = 5.0
"""Seconds in which somebody must answer at a cluster's address."""

HANDSHAKE_SECONDS = 600.0
"""Time limit of a call on every node. A node may have to start its first worker for it, on slow storage."""


class Ray:
    """A crew of Ray's workers, a task a CPU.

    Ray itself tries nothing again (`max_retries=0`): who gave a task knows best what to do when it is lost. Each task
    puts itself into a queue when it ends, so that what one costs does not grow with the number in flight, as it does
    with `ray.wait`.
    """

    apart = True

    def __init__(self, dashboard: str | None) -> None:
        self.dashboard = dashboard
        self._remote: dict[Callable[..., Any], Any] = {}
        self._ended: SimpleQueue[tuple[Any, Future[Any]]] = SimpleQueue()
        self._cpus, self._asked = 1, -CPUS_EVERY

    def cpus(self) -> int:
        """CPUs of all machines that are in the cluster now."""
        import ray

        if time.monotonic() - self._asked >= CPUS_EVERY:
            self._asked = time.monotonic()
            self._cpus = max(1, int(ray.cluster_resources().get("CPU", 0)))
        return self._cpus

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Give a task to Ray."""
        import ray

        if function not in self._remote:
            self._remote[function] = ray.remote(max_retries=0)(_of_one_argument(function))
        ticket = self._remote[function].remote(pickle.dumps(arguments))
        ticket.future().add_done_callback(lambda future: self._ended.put((ticket, future)))
        return ticket

    def cancel(self, ticket: Any) -> None:
        """Kill the worker that has a task, or take it out of Ray's queue."""
        import ray

        ray.cancel(ticket, force=True)

    def on_every_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call the function on each machine of the cluster that has CPUs; one that does not answer has a Fault."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        remote = ray.remote(max_retries=0, num_cpus=0)(function)
        tickets = {}
        for node in nodes:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ticket = remote.options(scheduling_strategy=here).remote(*arguments)
            tickets[ticket] = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
        deadline = time.monotonic() + HANDSHAKE_SECONDS
        return {name: _outcome(ticket.future(), deadline - time.monotonic()) for ticket, name in tickets.items()}

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """All tasks that have ended, at least one if one ends in time."""
        ended: list[tuple[Any, Future[Any]]] = []
        with suppress(Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        return [(ticket, _outcome(future)) for ticket, future in ended]


def _of_one_argument(function: Callable[..., T]) -> Callable[[bytes], T]:
    """A function that takes another one's arguments pickled: Ray would serialize each for itself, and take longer."""

    def call(arguments: bytes) -> T:
        return function(*pickle.loads(arguments))

    call.__name__ = call.__qualname__ = function.__name__  # what Ray calls the task
    return call


def _outcome(future: "Future[Any]", seconds: float | None = None) -> Any:
    """Return a task's result, or the Fault that it ended in; a Fault too if there is neither within `seconds`.

    Raises ClusterError if Ray itself has failed.
    """
    from ray import exceptions

    try:
        return future.result(None if seconds is None else max(seconds, 0.0))
    except exceptions.RayTaskError as error:
        return Fault(TROUBLE, f"{type(error.cause).__name__}: {error.cause}")
    except (exceptions.NodeDiedError, exceptions.ObjectLostError) as error:  # which includes OwnerDiedError
        return Fault(NODE, first_line(error))
    except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.TaskCancelledError) as error:
        return Fault(WORKER, first_line(error))
    except exceptions.RayError as error:
        raise ClusterError(f"Ray has failed: {first_line(error)}; the same command continues") from error
    except TimeoutError:
        return Fault(TROUBLE, f"no answer within {HANDSHAKE_SECONDS:.0f} s")


def first_line(error: Exception) -> str:
    """The first line of what an exception says."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _refuse_unreachable(address: str) -> None:
    """Try the port of an address: Ray itself tries for minutes. A ClusterError says that nobody answers there."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal() and int(port) < 1 << 16):
        raise UserError(f"--address {address}: no address of a Ray cluster, like auto or ray://host:10001")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWERS_WITHIN).close()
    except OSError as error:
        raise ClusterError(f"Ray at {address} can't be reached: {error}") from error


def patiently(start: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Start a part of Ray, several times on a machine too busy for it to come up in the time that Ray gives itself."""
    for _ in range(TRIES - 1):
        try:
            return start(*arguments, **options)
        except Exception as error:  # bare ones are what Ray raises
            if TOO_BUSY not in str(error):
                raise
    return start(*arguments, **options)


class _Stdout:
    """Standard output, except for Ray's threads: their messages about dead workers go to standard error."""

    def __init__(self, stdout: TextIO) -> None:
        self.stdout = stdout

    def write(self, text: str) -> int:
        """Write a text where this thread's output belongs."""
        of_ray = threading.current_thread().name.startswith("ray_")
        return (sys.stderr if of_ray else self.stdout).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stdout, name)


@contextmanager
def ray_crew(cpus: int | None = None, address: str | None = None) -> Iterator[Ray]:
    """Start Ray, or connect to a cluster, for as long as the block lasts.

    cpus       CPUs to use of this machine, all if None; not with an address
    address    a running cluster ("auto", "ray://host:port"), None to start one for this command alone

    Raises ClusterError if there is no Ray to be had, UserError for an address that is none. Signals are handled as
    they were before: Ray would end the process on a terminate signal, with a stack trace.
    """
    if address:
        _refuse_unreachable(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the user's machines unasked
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # a core is a worker already
    os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's 15 leaves a hundredth of a core beside any other job
    import ray

    local: dict[str, Any] = {} if address else {"num_cpus": cpus, "include_dashboard": False}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with chdir(PLACE):  # Ray has workers look for modules in the driver's folder first, and that is the user's
            context = patiently(ray.init, address or "local", log_to_driver=False, logging_level="ERROR", **local)
    except Exception as error:  # Ray raises all kinds, bare Exceptions among them
        where = f"Ray at {address} can't be reached" if address else "Ray can't be started"
        raise ClusterError(f"{where}: {first_line(error)}") from error
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)
    with redirect_stdout(cast(TextIO, _Stdout(sys.stdout))):
        try:
            yield Ray(getattr(context, "dashboard_url", None) or None)
        finally:
            with redirect_stdout(sys.stderr):  # it prints messages held back as repeated
                ray.shutdown()
