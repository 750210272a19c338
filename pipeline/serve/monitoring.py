"""Routes for operators: /healthz and /metrics."""

import logging

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.prometheus import CONTENT_TYPE, MetricSample, exposition
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.run.run_metrics import READABLE, name_of, run_samples
from nonocensus.pipeline.serve.http_api import service_of
from nonocensus.pipeline.serve.server_metrics import server_samples

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
