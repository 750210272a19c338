"""Puzzles solved in a worker: one, several together, and as pbnsolve's validator does."""

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from pipeline.findings.json_value import json_value
from pipeline.serve.allowance import Allowed, Later, prepare
from pipeline.serve.records import answer_record, cells_text, grid_of, puzzle_of, within_limits
from pipeline.serve.serve_limits import MOST_SOLUTION_CELLS
from reports import pbnsolve
from scrapers.formats import Format, detect, named, of_suffix
from solver.api import classify, iter_solutions, solve
from solver.ladder.ladder_kernels import warm_up
from solver.model.puzzle import Puzzle
from solver.model.tables import GRADES, puzzle_batch
from solver.people.assume import compile_for
from solver.people.hints import start_of
from solver.people.puzzle_grade import grades

GRADING = tuple(name for name in GRADES.names if name not in ("puzzle_id", "clue_hash", "solver_version"))
"""What is told of a grade."""


class Wanted(NamedTuple):
    """A puzzle, how many solutions are wanted, whether a grade is, and from which cells on, if any are known."""

    puzzle: Puzzle
    solutions: int
    grade: bool
    start: np.ndarray | None


def solved(asked: dict[str, Any], allowed: Allowed) -> dict[str, Any]:
    """The answer to a puzzle: `puzzle`, `begun` or none, how many `solutions`, whether a `grade` is wanted."""
    wanted = _wanted(asked, allowed)
    began = time.thread_time()
    if wanted.start is None:
        row = classify(puzzle_batch([wanted.puzzle]), cpu_limit=allowed.now).to_pylist()[0]
    else:
        row = solve(wanted.puzzle, cpu_limit=allowed.now, start=wanted.start)
    return _answer(wanted, row, allowed, began + allowed.now)


def solved_together(several: Sequence[dict[str, Any]], allowed: Allowed) -> list[dict[str, Any] | Exception]:
    """The answers to puzzles that are not begun, in their order; in place of an answer what is raised for a puzzle.

    Small puzzles take four times as long one by one.
    """
    found = [_tried(_wanted, asked, allowed) for asked in several]
    sound = [each.puzzle for each in found if isinstance(each, Wanted)]
    rows = iter(classify(puzzle_batch(sound), cpu_limit=allowed.now).to_pylist() if sound else [])
    return [
        _tried(_answer, each, next(rows), allowed, time.thread_time() + allowed.now)
        if isinstance(each, Wanted)
        else each
        for each in found
    ]


def _tried(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, or else raises of what is said of a single puzzle."""
    try:
        return function(*arguments)
    except (ValueError, Later) as raised:  # FormatError and InvalidPuzzle are ValueErrors
        return raised


def _wanted(asked: dict[str, Any], allowed: Allowed) -> Wanted:
    """What is asked for, and the kernels for it."""
    puzzle = puzzle_of(asked["puzzle"])
    begun = asked.get("begun")
    start = None if begun is None else start_of(puzzle, grid_of(begun, puzzle))
    prepare(puzzle, allowed, warm_up, *([compile_for] if asked["grade"] else []))
    return Wanted(puzzle, asked["solutions"], asked["grade"], start)


def _answer(wanted: Wanted, row: dict[str, Any], allowed: Allowed, deadline: float) -> dict[str, Any]:
    """The answer that follows from a row of the results table; more solutions and the grade are found until then."""
    if row["status"] == "timeout" and allowed.later:
        raise Later
    puzzle = wanted.puzzle
    answer = {"clue_hash": row["clue_hash"], **answer_record(row, puzzle.width, puzzle.height)}
    most = min(wanted.solutions, max(2, MOST_SOLUTION_CELLS // (puzzle.width * puzzle.height)))
    if answer["solutions"] == "multiple" and most > len(answer["pictures"]):
        found, every = _several(puzzle, most, deadline, wanted.start)
        if not every and len(found) < most and allowed.later:
            raise Later
        if len(found) > 1:
            answer |= {"pictures": found, "every": every}
    if wanted.grade and answer["solutions"] == "unique":
        answer["grading"] = _grading(puzzle, allowed)
    return answer


def _several(puzzle: Puzzle, most: int, deadline: float, start: np.ndarray | None) -> tuple[list[str], bool]:
    """Up to so many solutions, and whether these are all, until the CPU clock of this thread says `deadline`."""
    found: list[str] = []
    left = max(deadline - time.thread_time(), 0.01)
    try:
        for cells in islice(iter_solutions(puzzle, cpu_limit=left, start=start), most + 1):
            if len(found) == most or time.thread_time() > deadline:
                return found, False
            found.append(cells_text(cells.tobytes()))
    except TimeoutError:
        return found, False
    return found, True


def _grading(puzzle: Puzzle, allowed: Allowed) -> dict[str, Any]:
    """How hard a puzzle with one solution is for a person: its row of the schema GRADES."""
    row = grades(puzzle_batch([puzzle]), np.ones(1, np.bool_), allowed.now).to_pylist()[0]
    if row["status"] == "timeout" and allowed.later:
        raise Later
    return {name: json_value(row[name]) for name in GRADING}


def validated(asked: dict[str, Any], allowed: Allowed) -> str:
    """The XML document of pbnsolve's validator: `image`, the bytes of a puzzle's file, and the `format`'s name or none.

    What can't be read is said in the document too.
    """
    try:
        known = _format(asked["format"]) if asked["format"] else detect("", asked["image"])
        puzzle = next(known.read(asked["image"]), None)
        if puzzle is None:
            return pbnsolve.failure("it holds no puzzle")
        within_limits(puzzle)
    except ValueError as error:
        return pbnsolve.failure(str(error))
    prepare(puzzle, allowed, warm_up)
    row = classify(puzzle_batch([puzzle]), cpu_limit=allowed.now).to_pylist()[0]
    if row["status"] == "timeout" and allowed.later:
        raise Later
    return pbnsolve.xml(puzzle, row)


def _format(name: str) -> Format:
    """The format of a name, or of a suffix as pbnsolve has it: xml, non, g."""
    return of_suffix(f"puzzle.{name}") or named(name)
