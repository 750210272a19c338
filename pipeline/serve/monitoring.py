"""Routes for operators: /healthz, and /metrics with requests by route, jobs by queue and state, and workers."""

import logging
from collections.abc import Iterator

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.prometheus import CONTENT_TYPE, Metric, MetricSample, exposition
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.run.run_metrics import READABLE, name_of, run_samples
from nonocensus.pipeline.serve.guard import RequestMetrics
from nonocensus.pipeline.serve.http_api import service_of
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

LOG = logging.getLogger("nonocensus.serve")

routes = APIRouter(include_in_schema=False)


@routes.get("/healthz")
async def health(request: Request) -> Response:
    """Report whether there is a worker: 200, else 503."""
    has_worker = bool(service_of(request).pool.ready)
    return PlainTextResponse("ok\n" if has_worker else "no worker is ready\n", 200 if has_worker else 503)


@routes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the metrics of the server, and of the run that it has opened, in Prometheus's text format."""
    service = service_of(request)
    samples = [*server_samples(service.requests, service.pool)]
    if service.catalog and isinstance(service.catalog.place, Run):
        samples += await run_in_threadpool(_readable_samples, service.catalog.place)
    return Response(exposition(samples), media_type=CONTENT_TYPE)


def _readable_samples(run: Run) -> list[MetricSample]:
    """Return a run's metrics; if its progress can't be read only that, with a warning."""
    try:
        return [*run_samples(run)]
    except (UserError, OSError) as error:
        LOG.warning("no metrics of the run: %s", error)
        return [MetricSample(READABLE, 0, (name_of(run),))]


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
