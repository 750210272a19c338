"""Difficulty of nonograms for people: grades by the techniques that they need, minutes and stars by models."""

import math
import time
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from solver import __version__
from solver.lines.propagate import OUT_OF_TIME
from solver.lines.workspace import COUNTERS
from solver.model.check import faults_of
from solver.model.tables import GRADES, check_readable
from solver.model.techniques import LINE_TECHNIQUES, SEARCH, TECHNIQUES
from solver.model.views import Views, views
from solver.people.assume import Assumptions, NoSolution, assumptions_on, compile_for
from solver.people.features import compile_features, features
from solver.people.minutes import MinutesModel, estimate, kind_of, parameters
from solver.people.person import LOOKS, is_solved, puzzle_sheet_for, rule_out, solve_lines

ESTIMATES = ("minutes", "minutes_low", "minutes_high", "stars")
"""Columns of estimates, in the order of `solver.people.minutes.Estimate`."""


class GradeWork(NamedTuple):
    """The work of solving a puzzle by human techniques.

    status    ok, timeout, or none (no solution)
    steps     int64[techniques]: successful steps; search counts once if the others don't suffice
    looks     technique applications to lines, and line solves while following assumptions
    open      open cells at the end
    """

    status: str
    steps: np.ndarray
    looks: int
    open: int


def work_on(puzzle: Views, cpu_limit: float = 60.0) -> GradeWork:
    """Solve the one puzzle of a batch by human techniques, within `cpu_limit` CPU seconds.

    Line steps as in solver.people.person. Assumptions are used in reading order, shallowest first.
    """
    deadline = time.thread_time() + cpu_limit
    sheet = puzzle_sheet_for(puzzle)
    steps, counters = np.zeros(len(TECHNIQUES), np.int64), np.zeros(COUNTERS, np.int64)
    assumptions: Assumptions | None = None
    status = "ok"
    try:
        while True:
            ended = solve_lines(sheet, LINE_TECHNIQUES, counters, deadline)
            if ended == OUT_OF_TIME:
                raise TimeoutError
            if ended:
                raise NoSolution
            if is_solved(sheet):
                break
            if assumptions is None:
                assumptions = assumptions_on(puzzle, sheet.grid, deadline)
            found = assumptions.next()
            if found is None:
                steps[SEARCH] = 1
                break
            steps[found.technique] += 1
            rule_out(sheet, found.place, found.color)
    except TimeoutError:
        status = "timeout"
    except NoSolution:
        status = "none"
    steps[:LINE_TECHNIQUES] = sheet.steps
    looks = int(sheet.notes[LOOKS]) + (assumptions.line_solves if assumptions is not None else 0)
    return GradeWork(status, steps, looks, int(np.count_nonzero(sheet.grid & (sheet.grid - 1))))


def grades(puzzles: pa.RecordBatch, unique: np.ndarray, cpu_limit: float = 60.0) -> pa.RecordBatch:
    """Grade a batch of the puzzles table; returns a batch of the schema GRADES, row for row.

    Puzzles that need search, have blots, or more cells than all puzzles with known times have no minutes and stars.

    unique      bool[puzzles]: known to have exactly one solution; others get no grade
    cpu_limit   CPU seconds for each puzzle

    Raises ValueError for a batch that is damaged or not of the puzzles table. Contradictory clues have the status
    `invalid`.
    """
    check_readable(puzzles)
    wrong = faults_of(puzzles)
    rows: list[dict[str, Any]] = []
    sound = np.ones(len(puzzles), np.bool_)
    sound[list(wrong)] = False
    compile_for(views(puzzles.filter(pa.array(sound))))
    compile_features()
    counted: dict[str, dict[int, np.ndarray]] = {kind: {} for kind in parameters().models}
    known = zip(*(puzzles[name].to_pylist() for name in ("puzzle_id", "clue_hash", "width", "height")), strict=True)
    for p, (puzzle_id, clue_hash, width, height) in enumerate(known):
        row: dict[str, Any] = {"puzzle_id": puzzle_id, "clue_hash": clue_hash, "solver_version": __version__}
        rows.append(row)
        if p in wrong:
            row["status"] = "invalid"
            continue
        begun = time.thread_time()
        puzzle = views(puzzles.slice(p, 1))
        work = work_on(puzzle, cpu_limit)
        row |= _fields(work, width * height, bool(unique[p]))
        if row["grade"] and not work.steps[SEARCH]:
            try:
                found = features(puzzle, begun + cpu_limit)
            except TimeoutError:
                row |= _fields(work._replace(status="timeout"), width * height, True)
            else:
                if found is not None:
                    counted[kind_of(puzzle)][p] = found
        row["cpu_seconds"] = time.thread_time() - begun
    for kind, model in parameters().models.items():
        _add_estimates(rows, counted[kind], model)
    return pa.RecordBatch.from_pylist(rows, GRADES)


def _add_estimates(rows: list[dict[str, Any]], counted: dict[int, np.ndarray], model: MinutesModel) -> None:
    """Add minutes and stars to rows, by number; `counted` has their features."""
    if not counted:
        return
    for p, *values in zip(counted, *estimate(np.array([*counted.values()]), model), strict=True):
        if not math.isnan(values[0]):
            rows[p] |= dict(zip(ESTIMATES, map(float, values), strict=True))


def _fields(work: GradeWork, cells: int, unique: bool) -> dict[str, Any]:
    """Return the columns of GRADES for a puzzle's work."""
    needed = np.flatnonzero(work.steps)
    graded = unique and work.status == "ok"
    hardest = TECHNIQUES[int(needed.max(initial=0))] if graded else None
    counted = zip(TECHNIQUES[:SEARCH], work.steps.tolist(), strict=False)
    return {
        "status": work.status,
        "grade": hardest and hardest.grade,
        "hardest": hardest and hardest.name,
        "looks": work.looks,
        "work": work.looks / cells,
        "open": work.open,
        **{technique.column: count for technique, count in counted},
    }
