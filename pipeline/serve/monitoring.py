"""Routes for operators: /healthz and /metrics."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from pipeline.prometheus import CONTENT_TYPE, exposition
from pipeline.serve.http_api import service_of
from pipeline.serve.server_metrics import server_samples

routes = APIRouter(include_in_schema=False)


@routes.get("/healthz")
async def health(request: Request) -> Response:
    """Report whether there is a worker: 200, else 503."""
    has_worker = bool(service_of(request).pool.ready)
    return PlainTextResponse("ok\n" if has_worker else "no worker is ready\n", 200 if has_worker else 503)


@routes.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the server's metrics in Prometheus's text format."""
    service = service_of(request)
    return Response(exposition(server_samples(service.requests, service.pool)), media_type=CONTENT_TYPE)
