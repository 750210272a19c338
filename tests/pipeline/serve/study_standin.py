"""A study's server in a page of code: the routes of its API over lists in memory, slow and obviously right.

Pages are tested with it, and what the real server does can be held against it.
"""

import hashlib
import secrets
import time
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from pipeline.serve.guard import Guard
from pipeline.serve.records import puzzle_record
from pipeline.serve.study import pages
from solver.puzzle import Puzzle

CONSENT = ["Every move is kept with its time.", "Nothing else is: no name, no address.", "You may stop at any time."]


def application(puzzles: list[Puzzle]) -> Guard:
    """The page and the API, giving everybody the puzzles in their order."""
    people: dict[str, list[dict[str, Any]]] = {}
    app = FastAPI()
    app.include_router(pages.router())

    def attempts(asked: dict[str, Any]) -> list[dict[str, Any]]:
        if asked["secret"] not in people:
            raise HTTPException(404, "there is no such participant: agree first")
        return people[asked["secret"]]

    @app.get("/api/study")
    async def about() -> dict[str, Any]:
        return {"consent": CONSENT, "puzzles": len(puzzles)}

    @app.post("/api/study/consent", status_code=201)
    async def consent(request: Request) -> dict[str, Any]:
        assert await request.json() == {"agreed": True}
        secret = secrets.token_hex(16)
        people[secret] = []
        return {"secret": secret}

    @app.post("/api/study/next")
    async def next_one(request: Request) -> dict[str, Any]:
        theirs = attempts(await request.json())
        if not theirs or theirs[-1]["ended"]:
            if len(theirs) == len(puzzles):
                return {"number": None, "of": len(puzzles), "done": len(theirs)}
            theirs.append({"shown": time.monotonic(), "acts": [], "ended": None})
        last = theirs[-1]
        puzzle = puzzles[len(theirs) - 1]
        record = {name: puzzle_record(puzzle)[name] for name in ("rows", "columns", "palette")}
        return {
            "number": len(theirs),
            "of": len(puzzles),
            "kept": len(last["acts"]),
            "elapsed": int(1000 * (time.monotonic() - last["shown"])),
            "grid": grid_after(last["acts"], puzzle.width * puzzle.height),
            "puzzle": {"width": puzzle.width, "height": puzzle.height, **record},
        }

    @app.post("/api/study/moves")
    async def moves(request: Request) -> Any:
        asked = await request.json()
        theirs = attempts(asked)
        attempt, puzzle = theirs[asked["number"] - 1], puzzles[asked["number"] - 1]
        acts, first = attempt["acts"], asked["first"]
        fresh = asked["acts"][max(0, len(acts) - first) :]
        if first > len(acts) or (attempt["ended"] and fresh):
            return JSONResponse({"detail": "the attempt has gone on", "kept": len(acts)}, 409)
        after = [*acts, *fresh]
        passed = 1000 * (time.monotonic() - attempt["shown"])
        times = [act["at"] for act in after]
        if times != sorted(times) or max(times, default=0) > passed + 2000:
            raise HTTPException(422, "the times can not be")
        if any(act["kind"] == "solved" for act in fresh) and not is_solved(after, puzzle):
            raise HTTPException(422, "it is not solved")
        attempt["acts"] = after
        if after and after[-1]["kind"] in ("solved", "gave up"):
            attempt["ended"] = after[-1]["kind"]
        return {"kept": len(after), "ended": attempt["ended"], "told": told_of(puzzle) if attempt["ended"] else None}

    @app.post("/api/study/withdraw")
    async def withdraw(request: Request) -> dict[str, Any]:
        asked = await request.json()
        attempts(asked)
        return {"withdrawn": len(people.pop(asked["secret"]))}

    return Guard(app, frozenset({"localhost"}))


def grid_after(acts: list[dict[str, Any]], cells: int) -> str:
    """A grid of so many cells after some acts, ? for open ones. Each act has to change what it says it changes."""
    grid = ["?"] * cells
    for act in acts:
        assert bool(act["cells"]) == (act["kind"] in ("set", "undo", "redo")), act
        for cell, value in zip(act["cells"], act["values"], strict=True):
            assert grid[cell] != value, act
            grid[cell] = value
    return "".join(grid)


def is_solved(acts: list[dict[str, Any]], puzzle: Puzzle) -> bool:
    """Whether acts lead to the picture that a puzzle was made of; it has no other solution."""
    return grid_after(acts, puzzle.width * puzzle.height).replace("?", "0") == picture_of(puzzle)


def picture_of(puzzle: Puzzle) -> str:
    """A puzzle's picture as text."""
    assert puzzle.goal is not None
    return "".join(map(str, puzzle.goal.flat))


def told_of(puzzle: Puzzle) -> dict[str, Any]:
    """What is told of a puzzle once its attempt has ended."""
    about = {name: getattr(puzzle, name) for name in ("puzzle_id", "title", "author", "url")}
    return {**about, "picture": picture_of(puzzle)}


def participant_of(secret: str) -> str:
    """The id under which the acts of a secret's owner are kept."""
    return hashlib.sha256(secret.encode()).hexdigest()[:16]
