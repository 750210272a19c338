"""The HTTP API: puzzles of the archive, files read and written, and jobs that solve. OpenAPI describes it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from pipeline.errors import UserError
from pipeline.serve import models, requests
from pipeline.serve.catalog import Catalog, TooSlow, Wanted
from pipeline.serve.guard import RETRY_SECONDS
from pipeline.serve.jobs import Job
from pipeline.serve.pool import Pool
from pipeline.serve.serve_limits import (
    ANIMATED_SECONDS,
    LONGEST,
    LONGEST_WAIT,
    MOST_BODY,
    MOST_CELLS,
    MOST_SOLUTIONS,
    SHORT_SECONDS,
    SMALL,
    SPRINT,
)
from pipeline.serve.waiting import ended, submitted, waited
from reports.clean import clean
from scrapers.formats import FORMATS
from scrapers.formats.writing import is_picture
from solver import __version__
from solver.model.puzzle import MAX_CELLS, MAX_COLORS, InvalidPuzzle

REASONS = {
    404: "there is no such thing",
    413: "the request is too large",
    415: "the content type is another one",
    422: "what was sent can't be read",
    500: "the server has failed",
    503: "the server is busy; Retry-After says when to come again",
}


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the API's description says of replies that are a refusal."""
    return {status: {"model": models.Refusal, "description": REASONS[status]} for status in statuses}


FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

WORK = responses(413, 415, 422, 500, 503)

Wait = Annotated[
    float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="seconds to wait for the job to end")
]
Side = Annotated[int | None, Query(ge=1, le=MAX_CELLS)]
Name = Annotated[str, Query(max_length=300)]


Route = TypeVar("Route", bound=Callable[..., Awaitable[Response]])

Limited = requests.Solve | requests.Explain | requests.Animate
"""What asks for a job with a limit of its own."""


def router(pool: Pool, catalog: Catalog | None, cpu_limit: float) -> APIRouter:
    """The routes of the API over a pool and perhaps an opened archive; `cpu_limit` is the most for a puzzle.

    Routes are tried in their order, so those that are asked the most stand first.
    """
    api = APIRouter(prefix="/api")

    def working(path: str, kind: type) -> Callable[[Route], Route]:
        """A route that begins a job."""
        description = requests.described(kind)
        return api.post(
            path, response_model=models.JobState, status_code=202, responses=WORK, openapi_extra=description
        )

    @working("/solve", requests.Solve)
    async def solve(request: Request, wait: Wait = 0) -> Response:
        """Have a puzzle solved: a job, which is done at once if it ends within the seconds to wait."""
        wanted, puzzle = await read(requests.Solve, request)
        sent = {"puzzle": puzzle, "solutions": wanted.solutions, "grade": wanted.grade, "begun": wanted.begun}
        job = job_for("solve", sent, wanted)
        small = len(job.asked) <= SMALL and job.seconds > SPRINT
        job.together = small and wanted.begun is None and not wanted.grade and wanted.solutions <= 2
        return await begun(job, request, wait)

    @working("/hint", requests.Explain)
    async def hint(request: Request, wait: Wait = 0) -> Response:
        """Have the next step found, or the cells that are wrong: a job."""
        wanted, puzzle = await read(requests.Explain, request)
        return await begun(job_for("hint", {"puzzle": puzzle, "begun": wanted.begun}, wanted), request, wait)

    @working("/explain", requests.Explain)
    async def explain(request: Request, wait: Wait = 0) -> Response:
        """Have it explained how a puzzle is solved, step by step: a job."""
        wanted, puzzle = await read(requests.Explain, request)
        return await begun(job_for("explain", {"puzzle": puzzle, "begun": wanted.begun}, wanted), request, wait)

    @working("/animate", requests.Animate)
    async def animate(request: Request, wait: Wait = 0) -> Response:
        """Have a puzzle's explanation animated, as a GIF: a job."""
        wanted, puzzle = await read(requests.Animate, request)
        job = job_for("animate", {"puzzle": puzzle}, wanted)
        job.seconds += ANIMATED_SECONDS
        job.long = True
        return await begun(job, request, wait)

    @api.get("/about", response_model=models.About)
    def about() -> dict[str, Any]:
        """The server: version, limits, archive, how busy it is."""
        return {
            "version": __version__,
            "cpu_limit": cpu_limit,
            "most_cells": MOST_CELLS,
            "most_body": MOST_BODY,
            "most_solutions": MOST_SOLUTIONS,
            "archive": catalog and catalog.about(),
            "workers": pool.workers,
            "running": len(pool.running),
            "queued": pool.waiting,
        }

    @api.get("/formats", response_model=list[models.Format])
    def formats() -> list[dict[str, Any]]:
        """The file formats, each of which can be read and written."""
        return [
            {"name": known.NAME, "suffixes": list(known.SUFFIXES), "picture": is_picture(known)}
            for known in sorted(FORMATS, key=lambda known: known.NAME)
        ]

    @api.get("/puzzles", response_model=models.Page, responses=responses(404, 422, 503))
    async def puzzles(
        query: Annotated[str, Query(max_length=200, description="words that id, title or author hold")] = "",
        label: Name = "",
        kind: Name = "",
        grade: Annotated[int | None, Query(ge=1, le=9, description="of a run that has been graded")] = None,
        sort: models.Sort = "",
        descending: bool = False,
        first: Annotated[int, Query(ge=0, le=1 << 40)] = 0,
    ) -> dict[str, Any]:
        """Some rows of the archive's list."""
        wanted = Wanted(query, label, kind, grade, sort, descending, first)
        found: dict[str, Any] = await looked_up(catalog, lambda opened: opened.page(wanted))
        return found

    @api.get("/puzzles/{puzzle_id:path}", response_model=models.Opened, responses=responses(404, 422, 503))
    async def puzzle(puzzle_id: str) -> dict[str, Any]:
        """A puzzle of the archive, and what the run has found."""
        found: dict[str, Any] | None = await looked_up(catalog, lambda opened: opened.puzzle(puzzle_id))
        if found is None:
            raise HTTPException(404, "the archive has no such puzzle")
        return found

    @api.post("/parse", response_model=models.Parsed, responses=WORK, openapi_extra=FILE)
    async def parse(request: Request, name: Name = "") -> Response:
        """The puzzles of a file in any known format, or of an archive of such; `name` is the file's."""
        return await short("parse", request, {"name": name, "data": await request.body()})

    @api.post("/image", response_model=models.Described, responses=WORK, openapi_extra=FILE)
    async def image(
        request: Request,
        width: Side = None,
        height: Side = None,
        colors: Annotated[int, Query(ge=2, le=MAX_COLORS + 1)] = 2,
        dither: Literal["none", "ordered", "floyd-steinberg"] = "none",
    ) -> Response:
        """The puzzle of an image: scaled to so many cells, in so many colours, the background counted."""
        wish = {"width": width, "height": height, "colors": colors, "dither": dither}
        return await short("image", request, {"data": await request.body(), **wish})

    @api.post("/clues", response_model=models.Described, responses=WORK)
    async def clues(request: Request, board: models.Board) -> Response:
        """The puzzle of a picture."""
        return await short("clues", request, board.model_dump())

    @api.post("/write", response_model=models.Written, responses=WORK, openapi_extra=requests.described(requests.Write))
    async def write(request: Request) -> Response:
        """A puzzle as a file of a format."""
        wanted, puzzle = await read(requests.Write, request)
        return await short("write", request, {"puzzle": puzzle, "format": wanted.format})

    @api.post("/draw", response_model=models.Written, responses=WORK, openapi_extra=requests.described(requests.Draw))
    async def draw(request: Request) -> Response:
        """A puzzle as a picture, or to be printed."""
        wanted, puzzle = await read(requests.Draw, request)
        return await short("draw", request, {"puzzle": puzzle, "kind": wanted.kind, "begun": wanted.begun})

    @api.get("/jobs/{job_id}", response_model=models.JobState, responses=responses(404, 422))
    async def job_state(request: Request, job_id: str, wait: Wait = 0) -> Response:
        """How a job stands."""
        job = known(job_id)
        await waited(pool, job, request, wait)
        return state(job, 200)

    @api.delete("/jobs/{job_id}", response_model=models.JobState, responses=responses(404, 422))
    async def cancel(job_id: str) -> Response:
        """Cancel a job."""
        job = known(job_id)
        pool.cancel(job)
        return state(job, 200)

    def job_for(task: str, sent: dict[str, Any], wanted: Limited) -> Job:
        """A job, to be submitted, with the seconds that it may have."""
        seconds = min(wanted.cpu_limit or cpu_limit, cpu_limit)
        return Job(task, msgspec.msgpack.encode(sent), seconds, wanted.attached)

    async def begun(job: Job, request: Request, wait: float) -> Response:
        """The state of a new job, after the seconds to wait."""
        await waited(pool, submitted(pool, job), request, wait)
        return state(job, 202)

    def known(job_id: str) -> Job:
        job = pool.shelf.get(job_id)
        if job is None:
            raise HTTPException(404, "there is no such job, or none any more")
        return job

    async def short(task: str, request: Request, sent: dict[str, Any]) -> Response:
        """The result of a short job, waited for."""
        job = await ended(pool, request, task, sent, SHORT_SECONDS)
        if job.state == "done":
            return Response(job.result, media_type="application/json")
        raise HTTPException(422 if job.state == "refused" else 500, job.error or "it was cancelled")

    def state(job: Job, status: int) -> Response:
        """A job as JSON; its result is put in as it came."""
        head = {
            "id": job.id,
            "state": job.state,
            "long": job.long,
            "ahead": pool.ahead(job),
            "seconds": job.age,
            "error": job.error or None,
        }
        content = msgspec.json.encode(head)
        if job.state == "done":
            content = content[:-1] + b',"result":' + job.result + b"}"
        return Response(content, status, media_type="application/json")

    return api


async def read(kind: type[requests.Kind], request: Request) -> tuple[requests.Kind, bytes]:
    """What a request's body asks for, and its puzzle as it was sent; refused unless it is as described."""
    try:
        return requests.read(kind, await request.body())
    except requests.Invalid as error:
        raise HTTPException(422, clean(str(error)[:LONGEST])) from None


async def looked_up(catalog: Catalog | None, question: Any) -> Any:
    """The answer of the catalogue, from a thread; refusals as HTTP has them."""
    if catalog is None:
        raise HTTPException(404, "no archive is open: nonocensus serve RUN opens one")
    try:
        return await run_in_threadpool(question, catalog)
    except TooSlow:
        raise HTTPException(503, "the search takes too long", {"Retry-After": str(RETRY_SECONDS)}) from None
    except (UserError, InvalidPuzzle) as error:
        raise HTTPException(422, " ".join(str(error).split())) from None
