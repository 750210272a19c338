"""The server's metrics: requests by route, jobs by queue and state, workers."""

import time
from collections import Counter
from collections.abc import Iterator

from nonocensus.pipeline.prometheus import Histogram, Metric, MetricSample
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.solver import __version__

REQUESTS = Metric(
    "nonocensus_http_requests_total", "counter", "Requests by route and status; no route: unknown or refused.",
    ("route", "status"),
)  # fmt: skip
LATENCY = Metric(
    "nonocensus_http_request_seconds", "histogram", "Seconds until the reply is sent, waiting for jobs included.",
    ("route",),
)  # fmt: skip
JOBS = Metric("nonocensus_jobs_total", "counter", "Finished jobs by task and state.", ("task", "state"))
QUEUED = Metric("nonocensus_jobs_queued", "gauge", "Queued jobs, by queue: first tries or long jobs.", ("queue",))
RUNNING = Metric("nonocensus_jobs_running", "gauge", "Jobs that workers have.")
WORKERS = Metric("nonocensus_workers", "gauge", "Worker processes: ready, or missing until they start.", ("state",))
REPLACED = Metric("nonocensus_workers_replaced_total", "counter", "Workers replaced after a crash, limit or cancel.")
INFO = Metric("nonocensus_info", "gauge", "1, with the program's version.", ("version",))

SERVER_METRICS = (REQUESTS, LATENCY, JOBS, QUEUED, RUNNING, WORKERS, REPLACED, INFO)

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 60.0)
"""Bucket bounds of request durations, in seconds."""


class RequestMetrics:
    """Counts and durations of the requests that a server has replied to."""

    def __init__(self) -> None:
        self.requests = Counter[tuple[str, str]]()
        self.durations: dict[str, Histogram] = {}

    def observe(self, route: str, status: int, started: float) -> float:
        """Count a request that began at a time of the monotonic clock; returns its seconds."""
        seconds = time.monotonic() - started
        self.requests[route, str(status)] += 1
        self.durations.setdefault(route, Histogram(BOUNDS)).observe(seconds)
        return seconds


def server_samples(requests: RequestMetrics, pool: WorkerPool) -> Iterator[MetricSample]:
    """Yield the values of SERVER_METRICS."""
    for labels, count in requests.requests.items():
        yield MetricSample(REQUESTS, count, labels)
    for route, histogram in requests.durations.items():
        yield from histogram.samples(LATENCY, (route,))
    for labels, count in pool.finished.items():
        yield MetricSample(JOBS, count, labels)
    for is_long, name in ((False, "first"), (True, "long")):
        yield MetricSample(QUEUED, pool.queued(is_long), (name,))
    yield MetricSample(RUNNING, pool.running)
    yield MetricSample(WORKERS, pool.ready, ("ready",))
    yield MetricSample(WORKERS, pool.workers - pool.ready, ("missing",))
    yield MetricSample(REPLACED, pool.replaced)
    yield MetricSample(INFO, 1, (__version__,))
