"""The server as an application: guard, page, API and validator over one pool of workers."""

from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from nonocensus.pipeline.serve import http_api, monitoring, validator
from nonocensus.pipeline.serve.catalog import Catalog
from nonocensus.pipeline.serve.guard import Guard
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.serve_limits import MAX_DETAIL
from nonocensus.pipeline.serve.server_metrics import RequestMetrics
from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.picture_svg import mark
from nonocensus.reports.page.browser_columns import page_constants
from nonocensus.reports.page.page_scripts import joined
from nonocensus.reports.page.templating import environment, source
from nonocensus.solver import __version__

STYLES = ("report.css", "browser.css", "shared/board.css", "serve/serve.css")
"""The parts of the page's style sheet; all but the last are the report's too."""


def application(pool: WorkerPool, catalog: Catalog | None, cpu_limit: float, names: frozenset[str]) -> Guard:
    """Return the application over a started pool.

    Args:
        pool: The workers.
        catalog: The opened archive, if any.
        cpu_limit: The most CPU seconds for a puzzle.
        names: Lower-case host names of the server, addresses aside.

    """
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


# The page


def _page_routes() -> APIRouter:
    """Return the routes of the page, its script, its style sheet and its icon, all rendered once."""
    icon = "data:image/svg+xml," + quote(mark())
    html = environment(autoescape=True).get_template("serve/page.html.j2").render(icon=icon, constants=page_constants())
    files = {
        "/": (html, "text/html; charset=utf-8"),
        "/page.js": (joined("serve/page.js"), "text/javascript; charset=utf-8"),
        "/page.css": ("\n".join(map(source, STYLES)), "text/css; charset=utf-8"),
        "/favicon.ico": (mark(), "image/svg+xml"),
    }
    router = APIRouter(include_in_schema=False)
    for path, (text, kind) in files.items():
        router.add_api_route(path, partial(_send, text.encode(), kind), methods=["GET", "HEAD"], response_model=None)
    return router


async def _send(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})
