"""Tasks that solve a puzzle: with all of its results, and as pbnsolve's validator does."""

import time
from itertools import islice
from typing import Any

import numpy as np

from nonocensus.pipeline.findings.json_value import json_value
from nonocensus.pipeline.jobs.single_grade import grade_one
from nonocensus.pipeline.serve.records import cells_text, check_area, parse_grid, parse_puzzle, result_reply
from nonocensus.pipeline.serve.serve_limits import MAX_SOLUTION_CELLS
from nonocensus.pipeline.serve.task_budget import Deferred, TaskBudget, ensure_kernels
from nonocensus.reports import pbnsolve
from nonocensus.scrapers.formats import Format, detect, named, of_suffix
from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.ladder.ladder_kernels import warm_up
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import GRADES, puzzle_batch
from nonocensus.solver.people.assume import compile_for
from nonocensus.solver.people.hints import start_of

GRADE_COLUMNS = tuple(name for name in GRADES.names if name not in ("puzzle_id", "clue_hash", "solver_version"))
"""Columns of the grades table that a reply has."""


def solve_puzzle(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Solve a puzzle. Arguments: puzzle, begun (or None), solutions (how many), grade (whether)."""
    puzzle = parse_puzzle(arguments["puzzle"])
    start = None if arguments["begun"] is None else start_of(puzzle, parse_grid(arguments["begun"], puzzle))
    ensure_kernels(puzzle, budget, warm_up, *([compile_for] if arguments["grade"] else []))
    deadline = time.thread_time() + budget.try_seconds
    if start is None:
        row = classify(puzzle_batch([puzzle]), cpu_limit=budget.try_seconds).to_pylist()[0]
    else:
        row = solve(puzzle, cpu_limit=budget.try_seconds, start=start)
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    reply = {"clue_hash": row["clue_hash"], **result_reply(row, puzzle.width, puzzle.height)}
    limit = min(arguments["solutions"], max(2, MAX_SOLUTION_CELLS // (puzzle.width * puzzle.height)))
    if reply["solutions"] == "multiple" and limit > len(reply["pictures"]):
        pictures, is_complete = _further_solutions(puzzle, start, limit, deadline)
        if not is_complete and len(pictures) < limit and budget.can_defer:
            raise Deferred
        if len(pictures) > 1:
            reply |= {"pictures": pictures, "every": is_complete}
    if arguments["grade"] and reply["solutions"] == "unique":
        reply["grading"] = _grade(puzzle, budget)
    return reply


def _further_solutions(puzzle: Puzzle, start: np.ndarray | None, limit: int, deadline: float) -> tuple[list[str], bool]:
    """Return up to `limit` solutions, and whether these are all; `deadline` is on this thread's CPU clock."""
    found: list[str] = []
    left = max(deadline - time.thread_time(), 0.01)
    try:
        for cells in islice(iter_solutions(puzzle, cpu_limit=left, start=start), limit + 1):
            if len(found) == limit or time.thread_time() > deadline:
                return found, False
            found.append(cells_text(cells.tobytes()))
    except TimeoutError:
        return found, False
    return found, True


def _grade(puzzle: Puzzle, budget: TaskBudget) -> dict[str, Any]:
    """Return how hard a puzzle with one solution is for people, as a row of the schema GRADES."""
    row = grade_one(puzzle_batch([puzzle]), budget.try_seconds)
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    return {name: json_value(row[name]) for name in GRADE_COLUMNS}


def validate(arguments: dict[str, Any], budget: TaskBudget) -> str:
    """Return the XML document of pbnsolve's validator, for errors too. Arguments: image (a file's bytes), format."""
    try:
        name = arguments["format"]
        known = _find_format(name) if name else detect("", arguments["image"])
        puzzle = next(known.read(arguments["image"]), None)
        if puzzle is None:
            return pbnsolve.failure("it holds no puzzle")
        check_area(puzzle)
    except ValueError as error:
        return pbnsolve.failure(str(error))
    ensure_kernels(puzzle, budget, warm_up)
    row = classify(puzzle_batch([puzzle]), cpu_limit=budget.try_seconds).to_pylist()[0]
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    return pbnsolve.xml(puzzle, row)


def _find_format(name: str) -> Format:
    """Return the format of a name, or of a suffix, which pbnsolve takes: xml, non, g."""
    return of_suffix(f"puzzle.{name}") or named(name)
