"""The routes that a study's page asks; docs/STUDIES.md says what people see, OpenAPI describes the rest."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from pipeline.errors import InputError, StorageError
from pipeline.serve.api import REASONS, responses, unreadable
from pipeline.serve.asked import Invalid, decoded, described
from pipeline.serve.guard import RETRY_SECONDS
from pipeline.serve.study import models
from pipeline.serve.study.asked import Agree, Moves, Next, Withdraw
from pipeline.serve.study.keeper import Full, Keeper, Otherwise, Unknown
from pipeline.study.attempt import Impossible

RETRY = {"Retry-After": str(RETRY_SECONDS)}

OTHERWISE: dict[int | str, dict[str, Any]] = {
    409: {"model": models.Otherwise, "description": "the attempt stands otherwise; next tells how"}
}

Kind = TypeVar("Kind")


def router(keeper: Keeper) -> APIRouter:
    """The routes over a study."""
    api = APIRouter(prefix="/api/study")
    refused = responses(404, 413, 415, 422, 500, 503)

    @api.get("", response_model=models.About)
    def about() -> dict[str, Any]:
        """What is kept of people, and how many puzzles there are."""
        return keeper.about()

    @api.post(
        "/consent",
        response_model=models.Agreed,
        status_code=201,
        responses=responses(413, 415, 422, 500, 503),
        openapi_extra=described(Agree),
    )
    async def consent(request: Request) -> Any:
        """Agree to what is kept: a secret, by which this person is known from now on."""
        wanted = await read(Agree, request)
        if not wanted.agreed:
            raise HTTPException(422, "nobody takes part who does not agree")
        return await done(keeper.agree)

    @api.post("/next", response_model=models.Going | models.Done, responses=refused, openapi_extra=described(Next))
    async def following(request: Request) -> Any:
        """The puzzle that somebody has begun, or the next one; its first sight is now."""
        wanted = await read(Next, request)
        return await done(keeper.next, wanted.secret)

    @api.post("/moves", response_model=models.Kept, responses=refused | OTHERWISE, openapi_extra=described(Moves))
    async def moves(request: Request) -> Any:
        """Keep what somebody has done. The reply says that it is on the disk; the same may be sent again."""
        wanted = await read(Moves, request)
        return await done(keeper.moves, wanted.secret, wanted.number, wanted.first, wanted.acts)

    @api.post("/withdraw", response_model=models.Withdrawn, responses=refused, openapi_extra=described(Withdraw))
    async def withdraw(request: Request) -> Any:
        """Delete everything of somebody, for good."""
        wanted = await read(Withdraw, request)
        return await done(keeper.withdraw, wanted.secret)

    return api


async def read(kind: type[Kind], request: Request) -> Kind:
    """What a request's body asks for; refused unless it is as described."""
    try:
        return decoded(kind, await request.body())
    except Invalid as error:
        raise unreadable(error) from None


async def done(work: Callable[..., dict[str, Any]], *wanted: Any) -> dict[str, Any] | Response:
    """What the keeper replies, from a thread; refusals as HTTP has them."""
    try:
        return await run_in_threadpool(work, *wanted)
    except Unknown:
        raise HTTPException(404, "there is no such participant: agree first") from None
    except Otherwise as error:
        return JSONResponse({"detail": str(error), "kept": error.kept}, 409)
    except Impossible as error:
        raise unreadable(error) from None
    except Full:
        raise HTTPException(503, "as many people take part as can", RETRY) from None
    except InputError as error:
        print(f"nonocensus serve: {error}", file=sys.stderr)
        raise HTTPException(500, REASONS[500]) from None
    except (OSError, StorageError) as error:
        print(f"nonocensus serve: {error}", file=sys.stderr)
        raise HTTPException(503, "the server's disk can't be written; nothing is lost, send it again", RETRY) from None
