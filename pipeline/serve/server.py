"""The server: its application (guard, page, API and validator over one pool of workers), socket and shutdown."""

import asyncio
import errno
import os
import socket
from functools import partial
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from nonocensus.pipeline.errors import NetworkError, UserError
from nonocensus.pipeline.serve import http_api, monitoring, validator
from nonocensus.pipeline.serve.catalog import Catalog
from nonocensus.pipeline.serve.guard import Guard, RequestMetrics
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.serve_limits import IDLE_SECONDS, MAX_CONNECTIONS, MAX_DETAIL, REPLY_PIECE, REPLY_SECONDS
from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.picture_svg import mark
from nonocensus.reports.page.browser_columns import page_constants
from nonocensus.reports.page.page_scripts import join_modules
from nonocensus.reports.page.templating import environment, source
from nonocensus.solver import __version__

BACKLOG = 256
"""Length of the queue of connections to accept."""

DRAIN_SECONDS, SHUTDOWN_SECONDS = 5, 8
"""At shutdown: time for jobs that clients wait for, and for all replies; Docker kills after 10 seconds."""

STYLES = ("report.css", "browser.css", "shared/board.css", "serve/serve.css")
"""The parts of the page's style sheet; all but the last are the report's too."""


class DrainingServer(uvicorn.Server):
    """A server that lets jobs end before it stops, within DRAIN_SECONDS."""

    def __init__(self, config: uvicorn.Config, pool: WorkerPool) -> None:
        super().__init__(config)
        self.pool = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and reply to the requests that are open."""
        draining = asyncio.create_task(self.pool.drain(DRAIN_SECONDS))
        try:
            await super().shutdown(sockets)
        finally:
            draining.cancel()


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any free one. Raises UserError or NetworkError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise UserError(f"--host {host}: not an address of this machine: {error.strerror or error}") from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REPLY_PIECE)  # of each connection
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux: each connection is aborted if nothing is read for so long
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * REPLY_SECONDS))
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        option = "--host" if error.errno == errno.EADDRNOTAVAIL else "--port"
        raise NetworkError(
            f"can't listen at {host}:{port}: {os.strerror(error.errno or 0).lower()}; choose another {option}"
        ) from None
    return opened


def run(opened: socket.socket, host: str, catalog: Catalog | None, pool: WorkerPool, cpu_limit: float) -> None:
    """Serve on a socket bound to a host, with a started pool, until Ctrl-C or a termination signal.

    At the end, requests get their replies, and jobs that take longer than DRAIN_SECONDS are cancelled. Raises
    KeyboardInterrupt then: uvicorn raises the signal again after its shutdown.
    """
    names = frozenset(name.lower() for name in ("localhost", host, socket.gethostname(), socket.getfqdn()))
    asyncio.run(_serve(opened, pool, application(pool, catalog, cpu_limit, names)))


async def _serve(opened: socket.socket, pool: WorkerPool, guard: Guard) -> None:
    config = uvicorn.Config(
        guard,
        http="h11",
        lifespan="off",
        log_level="critical",  # the guard prints errors
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        loop="asyncio",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    sweeping = asyncio.create_task(pool.sweep())
    await DrainingServer(config, pool).serve([opened])
    sweeping.cancel()


# The application


def application(pool: WorkerPool, catalog: Catalog | None, cpu_limit: float, names: frozenset[str]) -> Guard:
    """Return the application over a started pool; `cpu_limit` is per puzzle, `names` as of `Guard`."""
    app = FastAPI(
        title="nonocensus",
        summary="Nonograms: read, solved, drawn, written",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=http_api.EVERY,
    )
    metrics = RequestMetrics()
    app.state.service = http_api.Service(pool, catalog, cpu_limit, metrics)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _refused)
    for router in (http_api.api, validator.routes, monitoring.routes, _page_routes()):
        app.include_router(router)
    return Guard(app, names, metrics)


async def _unreadable(_: Request, error: Any) -> JSONResponse:
    """Reply to a request that does not match its description with the first mismatch."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    text = " ".join(f"{where}: {first['msg']}".split())
    return JSONResponse({"detail": clean(text[:MAX_DETAIL])}, 422)


async def _refused(_: Request, error: Any) -> JSONResponse:
    """Reply to a refused request; FastAPI refuses a body that is no JSON with 400."""
    status = 422 if error.status_code == 400 else error.status_code
    return JSONResponse({"detail": clean(str(error.detail))}, status, error.headers)


def _page_routes() -> APIRouter:
    """Return the routes of the page, its script, its style sheet and its icon, all rendered once."""
    icon = "data:image/svg+xml," + quote(mark())
    template = environment(autoescape=True).get_template("serve/page.html.j2")
    html = template.render(icon=icon, constants=page_constants())
    files = {
        "/": (html, "text/html; charset=utf-8"),
        "/page.js": (join_modules("serve/page.js"), "text/javascript; charset=utf-8"),
        "/page.css": ("\n".join(map(source, STYLES)), "text/css; charset=utf-8"),
        "/favicon.ico": (mark(), "image/svg+xml"),
    }
    router = APIRouter(include_in_schema=False)
    for path, (text, kind) in files.items():
        router.add_api_route(path, partial(_send, text.encode(), kind), methods=["GET", "HEAD"], response_model=None)
    return router


async def _send(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})
