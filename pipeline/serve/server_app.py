"""The server as an application: guard, page and API over one pool of workers."""

from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from pipeline.serve import http_api, page_files, requests, validator
from pipeline.serve.catalog import Catalog
from pipeline.serve.guard import Guard
from pipeline.serve.pool import Pool
from pipeline.serve.serve_limits import LONGEST
from reports.clean import clean
from solver import __version__


def application(pool: Pool, catalog: Catalog | None, cpu_limit: float, names: frozenset[str]) -> Guard:
    """The application over a pool that has been started.

    catalog     the opened archive, if any
    cpu_limit   the most CPU seconds for a puzzle
    names       the hosts that it is known by besides addresses, in small letters
    """
    app = FastAPI(
        title="nonocensus",
        summary="Nonograms: read, solved, drawn, written",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _refused)
    for router in (http_api.router(pool, catalog, cpu_limit), validator.router(pool, cpu_limit), page_files.router()):
        app.include_router(router)
    app.openapi()["components"]["schemas"].update(requests.schemas())  # FastAPI keeps what it has made
    return Guard(app, names)


async def _unreadable(_: Request, error: Any) -> JSONResponse:
    """A request that is not as the API's description says: the first thing wrong with it, in a line."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    text = " ".join(f"{where}: {first['msg']}".split())
    return JSONResponse({"detail": clean(text[:LONGEST])}, 422)


async def _refused(_: Request, error: Any) -> JSONResponse:
    return JSONResponse({"detail": clean(str(error.detail))}, error.status_code, error.headers)
