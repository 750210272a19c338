"""Tasks that solve: one puzzle, a batch, and as pbnsolve's validator does."""

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

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


class SolveTask(NamedTuple):
    """A puzzle, how many solutions to return, whether to grade it, and its known cells, if any."""

    puzzle: Puzzle
    solutions: int
    grade: bool
    start: np.ndarray | None


def solve_puzzle(arguments: dict[str, Any], budget: TaskBudget) -> dict[str, Any]:
    """Solve a puzzle. Arguments: puzzle, begun (or None), solutions (how many), grade (whether)."""
    task = _parse(arguments, budget)
    began = time.thread_time()
    if task.start is None:
        row = classify(puzzle_batch([task.puzzle]), cpu_limit=budget.try_seconds).to_pylist()[0]
    else:
        row = solve(task.puzzle, cpu_limit=budget.try_seconds, start=task.start)
    return _reply(task, row, budget, began + budget.try_seconds)


def solve_batch(payloads: Sequence[dict[str, Any]], budget: TaskBudget) -> list[dict[str, Any] | Exception]:
    """Solve puzzles that are not begun; an exception is returned in place of its puzzle's reply.

    One by one small puzzles would take four times as long.
    """
    parsed = [_try(_parse, arguments, budget) for arguments in payloads]
    puzzles = [task.puzzle for task in parsed if isinstance(task, SolveTask)]
    rows = iter(classify(puzzle_batch(puzzles), cpu_limit=budget.try_seconds).to_pylist() if puzzles else [])
    return [
        _try(_reply, task, next(rows), budget, time.thread_time() + budget.try_seconds)
        if isinstance(task, SolveTask)
        else task
        for task in parsed
    ]


def _try(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns, or the exception that concerns a single puzzle."""
    try:
        return function(*arguments)
    except (ValueError, Deferred) as raised:  # FormatError and InvalidPuzzle are ValueErrors
        return raised


def _parse(arguments: dict[str, Any], budget: TaskBudget) -> SolveTask:
    """Parse the arguments, and compile the kernels that they need."""
    puzzle = parse_puzzle(arguments["puzzle"])
    begun = arguments.get("begun")
    start = None if begun is None else start_of(puzzle, parse_grid(begun, puzzle))
    ensure_kernels(puzzle, budget, warm_up, *([compile_for] if arguments["grade"] else []))
    return SolveTask(puzzle, arguments["solutions"], arguments["grade"], start)


def _reply(task: SolveTask, row: dict[str, Any], budget: TaskBudget, deadline: float) -> dict[str, Any]:
    """Return the reply for a row of the results table; further solutions and the grade are computed here."""
    if row["status"] == "timeout" and budget.can_defer:
        raise Deferred
    puzzle = task.puzzle
    reply = {"clue_hash": row["clue_hash"], **result_reply(row, puzzle.width, puzzle.height)}
    limit = min(task.solutions, max(2, MAX_SOLUTION_CELLS // (puzzle.width * puzzle.height)))
    if reply["solutions"] == "multiple" and limit > len(reply["pictures"]):
        pictures, is_complete = _further_solutions(task, limit, deadline)
        if not is_complete and len(pictures) < limit and budget.can_defer:
            raise Deferred
        if len(pictures) > 1:
            reply |= {"pictures": pictures, "every": is_complete}
    if task.grade and reply["solutions"] == "unique":
        reply["grading"] = _grade(puzzle, budget)
    return reply


def _further_solutions(task: SolveTask, limit: int, deadline: float) -> tuple[list[str], bool]:
    """Return up to `limit` solutions, and whether these are all; `deadline` is on this thread's CPU clock."""
    found: list[str] = []
    left = max(deadline - time.thread_time(), 0.01)
    try:
        for cells in islice(iter_solutions(task.puzzle, cpu_limit=left, start=task.start), limit + 1):
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
