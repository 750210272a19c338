"""The HTTP API: puzzles of the archive, files read and written, and jobs that solve. OpenAPI describes it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.serve import api_schemas as schemas
from nonocensus.pipeline.serve.catalog import Catalog, QueryTimeout
from nonocensus.pipeline.serve.guard import BUSY, RETRY, RequestMetrics
from nonocensus.pipeline.serve.pool import PuzzleJob, ServerBusy, WorkerPool
from nonocensus.pipeline.serve.serve_limits import MAX_AREA, MAX_BODY, MAX_SOLUTIONS, MAX_WAIT, SHORT_SECONDS
from nonocensus.scrapers.formats import FORMATS
from nonocensus.scrapers.formats.writing import is_picture, refused_features
from nonocensus.solver import __version__
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_COLORS, InvalidPuzzle

UNBOUNDED_WAIT = 3600.0
"""Seconds to wait for a job that its own limits end long before."""

Route = TypeVar("Route", bound=Callable[..., Awaitable[Response]])


@dataclass(frozen=True)
class Service:
    """What the routes work with: the pool, the opened archive, the most CPU seconds for a puzzle, and metrics."""

    pool: WorkerPool
    catalog: Catalog | None
    cpu_limit: float
    requests: RequestMetrics

    def find_job(self, job_id: str) -> PuzzleJob:
        """Return the job of an id, or refuse with 404."""
        job = self.pool.poll(job_id)
        if job is None:
            raise HTTPException(404, "no such job; finished jobs are kept for a few minutes")
        return job

    def submit(self, job: PuzzleJob) -> None:
        """Queue a job, or refuse with 503 if the queue is full."""
        try:
            self.pool.submit(job)
        except ServerBusy:
            raise HTTPException(503, BUSY, RETRY) from None

    async def wait(self, job: PuzzleJob, request: Request, seconds: float) -> None:
        """Wait until the job is finished, the seconds are over or the client has disconnected."""
        if job.is_finished or not seconds:
            return
        job.waiters += 1
        ends = [asyncio.create_task(each) for each in (job.finished_event.wait(), _wait_for_disconnect(request))]
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
            job.waiters -= 1
            job.polled_at = time.monotonic()

    async def start_job(self, task: str, sent: schemas.LimitedRequest, request: Request, wait: float) -> Response:
        """Submit a job that solves, wait for it, and return its state: 200 once it is finished, else 202."""
        arguments = sent.model_dump(exclude={"puzzle", "cpu_limit", "attached"}) | {"puzzle": puzzle_json(sent)}
        seconds = min(sent.cpu_limit or self.cpu_limit, self.cpu_limit)
        job = PuzzleJob(task, arguments, len(await request.body()), seconds, sent.attached)
        self.submit(job)
        await self.wait(job, request, wait)
        return self.reply(job, 200 if job.is_finished else 202)

    async def run_job(self, task: str, arguments: dict[str, Any], request: Request, seconds: float) -> PuzzleJob:
        """Run a job to its end, without an id for clients; it is cancelled if the client disconnects."""
        job = PuzzleJob(task, arguments, len(await request.body()), seconds)
        self.submit(job)
        try:
            await self.wait(job, request, UNBOUNDED_WAIT)
        finally:
            self.pool.cancel(job)
            self.pool.jobs.pop(job.id, None)
        return job

    async def run_short(self, task: str, arguments: dict[str, Any], request: Request) -> Response:
        """Run a short job and return its result."""
        job = await self.run_job(task, arguments, request, SHORT_SECONDS)
        if job.state == "done":
            return Response(job.result, media_type="application/json")
        if job.state == "cancelled":
            raise HTTPException(503, job.error, RETRY)
        raise HTTPException(422 if job.state == "refused" else 500, job.error)

    async def query(self, ask: Callable[[Catalog], Any]) -> Any:
        """Query the archive in a thread; its errors become refusals."""
        if self.catalog is None:
            raise HTTPException(404, "no archive is open: `nonocensus serve RUN` opens one")
        try:
            return await run_in_threadpool(ask, self.catalog)
        except QueryTimeout:
            raise HTTPException(503, "the search takes too long", RETRY) from None
        except (UserError, InvalidPuzzle) as error:
            raise HTTPException(422, " ".join(str(error).split())) from None

    def reply(self, job: PuzzleJob, status: int) -> Response:
        """Return a job as JSON; its result is embedded as the worker sent it, without a copy for each reply."""
        head = {
            "id": job.id,
            "state": job.state,
            "long": job.is_long,
            "ahead": self.pool.ahead(job),
            "seconds": job.age,
            "error": job.error or None,
        }
        parts = [json.dumps(head, separators=(",", ":")).encode()]
        if job.state == "done":
            parts = [parts[0][:-1] + b',"result":', job.result, b"}"]
        headers = {"content-length": str(sum(map(len, parts)))}
        return StreamingResponse(_in_order(parts), status, headers, "application/json")


async def _in_order(parts: list[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def service_of(request: Request) -> Service:
    """Return the service of a request's application."""
    service: Service = request.app.state.service
    return service


def puzzle_json(sent: schemas.PuzzleRequest) -> bytes:
    """Return the JSON of a request's puzzle as it was sent, or refuse with 422: further fields are unchecked."""
    try:
        return sent.puzzle.model_dump_json(exclude_unset=True).encode()
    except ValueError as error:
        raise HTTPException(422, " ".join(str(error).split())) from None


# Descriptions for OpenAPI

REASONS = {
    403: "a page of another site",
    404: "not found",
    408: "the request was not received in time",
    413: "the request is too large",
    415: "unsupported content type",
    421: "unknown host",
    422: "the request can't be read",
    500: "internal error",
    503: "the server is busy; retry after Retry-After seconds",
}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return OpenAPI's descriptions of refusals."""
    return {status: {"model": schemas.ErrorReply, "description": REASONS[status]} for status in statuses}


FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

EVERY = error_responses(403, 408, 421, 500, 503)
"""Refusals of any route."""

WORK = error_responses(413, 415, 422)

Wait = Annotated[float, Query(ge=0, le=MAX_WAIT, allow_inf_nan=False, description="seconds to wait for the job to end")]
Side = Annotated[int | None, Query(ge=1, le=MAX_CELLS)]
Name = Annotated[str, Query(max_length=300)]
First = Annotated[int, Query(ge=0, description="index of the first puzzle")]

api = APIRouter(prefix="/api")
"""The routes, the most frequent first: they are matched in order."""


def _job_route(path: str) -> Callable[[Route], Route]:
    """Decorate a route that starts a job."""
    begun: dict[str, Any] = {"model": schemas.JobReply, "description": "the job is not finished"}
    return api.post(path, response_model=schemas.JobReply, responses={**WORK, 202: begun})


# Jobs


@_job_route("/solve")
async def solve(request: Request, sent: schemas.SolveRequest, wait: Wait = 0) -> Response:
    """Solve a puzzle: a job, which is done at once if it ends within the seconds to wait."""
    return await service_of(request).start_job("solve", sent, request, wait)


@_job_route("/hint")
async def hint(request: Request, sent: schemas.LimitedRequest, wait: Wait = 0) -> Response:
    """Find the next step on a begun grid, or its wrong cells: a job."""
    return await service_of(request).start_job("hint", sent, request, wait)


@_job_route("/explain")
async def explain(request: Request, sent: schemas.ExplainRequest, wait: Wait = 0) -> Response:
    """Explain how to solve a puzzle, step by step: a job."""
    return await service_of(request).start_job("explain", sent, request, wait)


@api.get("/jobs/{job_id}", response_model=schemas.JobReply, responses=error_responses(404, 422))
async def poll_job(request: Request, job_id: str, wait: Wait = 0) -> Response:
    """Get the state of a job."""
    service = service_of(request)
    job = service.find_job(job_id)
    await service.wait(job, request, wait)
    return service.reply(job, 200)


@api.delete("/jobs/{job_id}", response_model=schemas.JobReply, responses=error_responses(404, 422))
async def cancel_job(request: Request, job_id: str) -> Response:
    """Cancel a job."""
    service = service_of(request)
    job = service.find_job(job_id)
    service.pool.cancel(job)
    return service.reply(job, 200)


# The server and its archive


@api.get("/about", response_model=schemas.AboutReply)
def about(request: Request) -> dict[str, Any]:
    """Get the server's version, limits, archive and load."""
    service = service_of(request)
    return {
        "version": __version__,
        "cpu_limit": service.cpu_limit,
        "most_cells": MAX_AREA,
        "most_body": MAX_BODY,
        "most_solutions": MAX_SOLUTIONS,
        "archive": service.catalog and service.catalog.about(),
        "workers": service.pool.workers,
        "running": service.pool.running,
        "queued": service.pool.queued(False) + service.pool.queued(True),
    }


@api.get("/formats", response_model=list[schemas.FormatReply])
def formats() -> list[dict[str, Any]]:
    """List the file formats, each of which can be read and written."""
    return [
        {"name": each.NAME, "suffixes": each.SUFFIXES, "picture": is_picture(each), "refuses": refused_features(each)}
        for each in sorted(FORMATS, key=lambda each: each.NAME)
    ]


@api.get("/puzzles", response_model=schemas.PuzzleListReply, responses=error_responses(404, 422))
async def list_puzzles(request: Request, wanted: Annotated[schemas.ListQuery, Query()]) -> dict[str, Any]:
    """List a page of the archive's puzzles."""
    page: dict[str, Any] = await service_of(request).query(lambda catalog: catalog.page(wanted))
    return page


@api.get("/puzzles/{puzzle_id:path}", response_model=schemas.ArchivePuzzleReply, responses=error_responses(404, 422))
async def get_puzzle(request: Request, puzzle_id: str) -> dict[str, Any]:
    """Get a puzzle of the archive and its result."""
    found = await service_of(request).query(lambda catalog: catalog.puzzle(puzzle_id))
    if found is None:
        raise HTTPException(404, "no such puzzle in the archive")
    return dict(found)


# Files


@api.post("/parse", response_model=schemas.ParseReply, responses=WORK, openapi_extra=FILE)
async def parse(request: Request, name: Name = "", query: Name = "", first: First = 0) -> Response:
    """Read the puzzles of a file or an archive that a query finds; a name's suffix helps to find out the format."""
    arguments = {"name": name, "data": await request.body(), "query": query, "first": first}
    return await service_of(request).run_short("parse", arguments, request)


@api.post("/image", response_model=schemas.PuzzleReply, responses=WORK, openapi_extra=FILE)
async def image(
    request: Request,
    width: Side = None,
    height: Side = None,
    colors: Annotated[int, Query(ge=2, le=MAX_COLORS + 1)] = 2,
    dither: Literal["none", "ordered", "floyd-steinberg"] = "none",
) -> Response:
    """Make a puzzle of an image, scaled to cells and reduced to colours, the background included."""
    options = {"width": width, "height": height, "colors": colors, "dither": dither}
    return await service_of(request).run_short("image", {"data": await request.body(), **options}, request)


@api.post("/clues", response_model=schemas.PuzzleReply, responses=WORK)
async def clues(request: Request, picture: schemas.PictureRequest) -> Response:
    """Make the puzzle of a picture."""
    return await service_of(request).run_short("clues", picture.model_dump(), request)


@api.post("/write", response_model=schemas.FileReply, responses=WORK)
async def write(request: Request, sent: schemas.WriteRequest) -> Response:
    """Write a puzzle as a file of a format."""
    arguments = {"puzzle": puzzle_json(sent), "format": sent.format}
    return await service_of(request).run_short("write", arguments, request)


@api.post("/draw", response_model=schemas.FileReply, responses=WORK)
async def draw(request: Request, sent: schemas.DrawRequest) -> Response:
    """Draw a puzzle as a picture, or for printing."""
    arguments = {"puzzle": puzzle_json(sent), "kind": sent.kind, "begun": sent.begun}
    return await service_of(request).run_short("draw", arguments, request)
