"""Tasks over the cores of a machine or cluster, by Ray."""

import logging
import os
import pickle
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from nonocensus.pipeline.errors import ClusterError, UserError
from nonocensus.pipeline.executors.task_failure import NODE, WORKER, TaskFailure, failure_of

ENVIRONMENT = {
    "NUMBA_NUM_THREADS": "1",  # each core has a worker already
    "RAY_DEDUP_LOGS": "0",  # else Ray holds messages of dead workers back, and prints them as it is shut down
    "RAY_USAGE_STATS_ENABLED": "0",  # no telemetry without consent
    "RAY_worker_niceness": "0",  # Ray's 15 leaves a hundredth of a core next to any other job
    "RAY_grpc_client_keepalive_time_ms": "70000",
    "RAY_grpc_client_keepalive_timeout_ms": "60000",
}
"""Defaults of Ray and of its workers.

By keepalive the driver notices that a machine has fallen silent (a power cut) after 130 s instead of Ray's seven
minutes. Ray's servers refuse pings more often than once a minute; a machine paused for a minute keeps its tasks.
"""

for variable in ENVIRONMENT:
    os.environ.setdefault(variable, ENVIRONMENT[variable])

import ray  # noqa: E402 - its settings are fixed as it is imported
from ray import exceptions  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

T = TypeVar("T")

LOG = logging.getLogger("nonocensus.executors")

CPUS_EVERY = 5.0
"""Seconds between two queries of the number of CPUs: clusters grow and shrink."""

STARTS, START_TIMEOUT = 4, "timed out during startup"
"""Attempts to start Ray while it fails with this message, which it does after half a minute on a busy machine."""

PRIVATE = "nonocensus_private"
"""Resource of a Ray started for one command. The address auto finds it too, but it ends with that command."""

CONNECT_TIMEOUT = 5.0
"""Seconds to connect to a cluster's address."""

NODE_TIMEOUT = 600.0
"""Seconds for a call on every node, which may include starting the node's first worker from slow storage."""


class RayExecutor:
    """Runs tasks on Ray's workers, a task a CPU.

    Ray itself retries nothing (`max_retries=0`): the caller decides what to do about a lost task. A task's completion
    callback puts it into a queue, so that the cost of a task does not grow with the number in flight, as it does with
    `ray.wait`.
    """

    isolated = True

    def __init__(self, dashboard: str | None) -> None:
        self.dashboard = dashboard
        self._remote: dict[Callable[..., Any], Any] = {}
        self._ended: SimpleQueue[tuple[Any, Future[Any]]] = SimpleQueue()
        self._cpus, self._queried = 1, -CPUS_EVERY

    def cpus(self) -> int:
        """Return the CPUs of all machines in the cluster."""
        if time.monotonic() - self._queried >= CPUS_EVERY:
            self._queried = time.monotonic()
            self._cpus = max(1, int(ray.cluster_resources().get("CPU", 0)))
        return self._cpus

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Submit a task to Ray."""
        if function not in self._remote:
            self._remote[function] = ray.remote(max_retries=0)(_with_pickled_arguments(function))
        ticket = self._remote[function].remote(pickle.dumps(arguments))
        ticket.future().add_done_callback(lambda future: self._ended.put((ticket, future)))
        return ticket

    def run_on_each_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call the function on each machine of the cluster that has CPUs; a timeout is a TaskFailure."""
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        remote = ray.remote(max_retries=0, num_cpus=0)(function)
        tickets = {}
        for node in nodes:
            strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ticket = remote.options(scheduling_strategy=strategy).remote(*arguments)
            tickets[ticket] = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
        deadline = time.monotonic() + NODE_TIMEOUT
        return {name: outcome_of(ticket.future(), deadline - time.monotonic()) for ticket, name in tickets.items()}

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        """Return all tasks that have ended, at least one if one ends in time."""
        ended: list[tuple[Any, Future[Any]]] = []
        with suppress(Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        return [(ticket, outcome_of(future)) for ticket, future in ended]


def _with_pickled_arguments(function: Callable[..., T]) -> Callable[[bytes], T]:
    """Wrap a function to take its arguments pickled together: Ray serializes each one separately, which is slower."""

    def call(arguments: bytes) -> T:
        return function(*pickle.loads(arguments))

    call.__name__ = call.__qualname__ = function.__name__  # Ray's name of the task
    return call


def outcome_of(future: "Future[Any]", seconds: float | None = None) -> Any:
    """Return a task's result or TaskFailure; also a TaskFailure if it does not end within `seconds`.

    Raises ClusterError if Ray itself fails.
    """
    # Retriable: the task was lost, not its puzzles' fault. ObjectLostError includes OwnerDiedError and fetch timeouts.
    node_lost = (exceptions.NodeDiedError, exceptions.ObjectLostError)
    worker_lost = (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.TaskCancelledError)
    try:
        return future.result(None if seconds is None else max(seconds, 0.0))
    except exceptions.RayTaskError as error:
        return failure_of(error.cause)
    except node_lost as error:
        return _retriable(NODE, error)
    except worker_lost as error:
        return _retriable(WORKER, error)
    except exceptions.RayError as error:
        raise ClusterError(f"Ray has failed: {first_line(error)}; the same command resumes") from error
    except TimeoutError:
        return TaskFailure(TimeoutError.__name__, f"no answer within {NODE_TIMEOUT:.0f} s")


def _retriable(kind: str, error: Exception) -> TaskFailure:
    LOG.debug("task lost with retriable error %s: %s", type(error).__name__, first_line(error))
    return TaskFailure(kind, first_line(error))


def first_line(error: Exception) -> str:
    """Return the first line of an exception's message."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _refuse_unreachable(address: str) -> None:
    """Raise ClusterError if a cluster's port does not accept connections: Ray itself tries for minutes."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal() and int(port) < 1 << 16):
        raise UserError(f"--address {address}: not the address of a Ray cluster; give auto or ray://host:10001")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except OSError as error:
        raise ClusterError(
            f"Ray at {address} can't be reached: {error.strerror or error}; start it with: ray start --head"
        ) from error


def retry_start(start: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Start a part of Ray, again while the machine is too busy for Ray's own start timeout."""
    for attempt in range(1, STARTS):
        try:
            return start(*arguments, **options)
        except Exception as error:  # Ray raises bare exceptions
            if START_TIMEOUT not in str(error):
                raise
            LOG.info("Ray did not start (attempt %d of %d): %s", attempt, STARTS, first_line(error))
    return start(*arguments, **options)


@contextmanager
def start_ray(cpus: int | None = None, address: str | None = None) -> Iterator[RayExecutor]:
    """Start Ray, or connect to a cluster, while the block runs.

    cpus       CPUs of this machine, None for all; not with an address
    address    a running cluster ("auto", "ray://host:port"), None to start one for this command

    Raises ClusterError if Ray can't be started or reached, UserError for a malformed address. The handler of SIGTERM is
    restored: Ray's own ends the process with a stack trace.
    """
    if address:
        _refuse_unreachable(address)
    local: dict[str, Any] = {} if address else {"num_cpus": cpus, "include_dashboard": False, "resources": {PRIVATE: 1}}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with TemporaryDirectory() as empty:
            if not address:  # Ray copies it; else its workers would look for modules in the caller's folder first
                local["runtime_env"] = {"working_dir": empty}
            context = retry_start(ray.init, address or "local", log_to_driver=False, logging_level="ERROR", **local)
    except SystemExit:  # by Ray's own handler of SIGTERM, of which a second one may follow
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt from None
    except Exception as error:  # Ray raises many types, bare Exception among them
        where = f"Ray at {address} can't be reached" if address else "Ray can't be started"
        raise ClusterError(f"{where}: {first_line(error)}") from error
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)
    try:
        if address and PRIVATE in ray.cluster_resources():
            raise ClusterError(
                f"Ray at {address} was started by another command for itself; start a cluster with: ray start --head"
            )
        yield RayExecutor(getattr(context, "dashboard_url", None) or None)
    finally:
        ray.shutdown()
