"""Difficulty of nonograms for people: grades by the techniques that they need, minutes and stars by models."""

import time
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from solver import __version__
from solver.jit.clock import cpu_seconds
from solver.jit.kernel import compiles, is_ready, kernel
from solver.ladder.fixpoint import example_puzzle
from solver.ladder.memory import kernel_groups
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.model.check import faults_of
from solver.model.tables import GRADES, check_readable
from solver.model.techniques import LINE_TECHNIQUES, SEARCH, TECHNIQUES
from solver.model.views import Views, views
from solver.people.assume import (
    Assumptions,
    NoSolution,
    assumptions_on,
    compile_for,
    example_assumptions,
    exclude,
    find_refuted,
)
from solver.people.features import FEATURES, Runs, compile_features, features, has_blots, runs_for, write_features
from solver.people.minutes import estimate, parameters
from solver.people.person import (
    LOOKS,
    PuzzleSheet,
    example_sheet,
    grid_of,
    open_cells_of,
    place_on_sheet,
    placed_example,
    puzzle_sheet_for,
    rule_out,
    sheet_for,
    solve_lines,
)
from solver.people.rounds import Rounds, clear_rounds, find_in_rounds, rounds_for

ESTIMATES = ("minutes", "minutes_low", "minutes_high", "stars")
"""Columns of estimates, in the order of `solver.people.minutes.Estimate`."""

INVALID = 3
STATUSES = np.array(["ok", "none", "timeout", "invalid"])
"""Statuses of grading for what `propagate` returns (FIXPOINT, CONTRADICTION, OUT_OF_TIME), and for INVALID."""


class Graded(NamedTuple):
    """Grading of the puzzles of a batch, an element or row per puzzle.

    colored      bool: of several colours
    status       int64: index in STATUSES
    steps        int64[, techniques]: successful steps; search counts once if the others don't suffice
    looks        int64: technique applications to lines, and line solves while following assumptions
    open         int64: open cells at the end
    features     float64[, features]: NaN if unknown
    cpu_seconds  float64
    """

    colored: np.ndarray
    status: np.ndarray
    steps: np.ndarray
    looks: np.ndarray
    open: np.ndarray
    features: np.ndarray
    cpu_seconds: np.ndarray


def empty_graded(puzzles: int) -> Graded:
    """Return rows for a number of puzzles, INVALID."""
    status, looks, open_ = (np.full(puzzles, value, np.int64) for value in (INVALID, 0, 0))
    steps, values = np.zeros((puzzles, len(TECHNIQUES)), np.int64), np.full((puzzles, len(FEATURES)), np.nan)
    return Graded(np.zeros(puzzles, np.bool_), status, steps, looks, open_, values, np.zeros(puzzles))


def grades(puzzles: pa.RecordBatch, unique: np.ndarray, cpu_limit: float = 60.0) -> pa.RecordBatch:
    """Grade a batch of the puzzles table; returns a batch of the schema GRADES, row for row.

    Puzzles that need search, have blots, or more cells than all puzzles with known times have no minutes and stars.

    unique      bool[puzzles]: known to have exactly one solution; others get no grade
    cpu_limit   CPU seconds for each puzzle

    Raises ValueError for a batch that is damaged or not of the puzzles table. Contradictory clues have the status
    `invalid`.
    """
    graded = grade(puzzles, unique, cpu_limit)
    return pa.RecordBatch.from_arrays(_columns(puzzles, graded, unique), schema=GRADES)


def grade(puzzles: pa.RecordBatch, unique: np.ndarray, cpu_limit: float) -> Graded:
    """Do the same, but return what is measured."""
    check_readable(puzzles)
    sound = np.ones(len(puzzles), np.bool_)
    sound[list(faults_of(puzzles))] = False
    batch, graded, unique = views(puzzles), empty_graded(len(puzzles)), np.array(unique)
    compile_for(views(puzzles.filter(pa.array(sound))))
    for group in kernel_groups(batch, np.flatnonzero(sound)):
        compile_grading(group.words, group.colors is not None)
        graded.colored[group.puzzles] = group.colors is not None
        sheet = sheet_for(batch, group)
        grade_by_lines(sheet, rounds_for(sheet), runs_for(sheet), batch, group.puzzles, unique, cpu_limit, graded)
    stuck = (graded.status == FIXPOINT) & (graded.open > 0)
    for p in np.flatnonzero(stuck).tolist():
        _grade_by_assumptions(views(puzzles.slice(p, 1)), bool(unique[p]), cpu_limit, graded, p)
    return graded


def _columns(puzzles: pa.RecordBatch, graded: Graded, unique: np.ndarray) -> list[pa.Array]:
    """Return the columns of GRADES."""
    invalid, has_grade = graded.status == INVALID, unique & (graded.status == FIXPOINT)
    reversed_steps = graded.steps[:, ::-1] > 0
    hardest = np.where(reversed_steps.any(axis=1), len(TECHNIQUES) - 1 - reversed_steps.argmax(axis=1), 0)
    is_known = has_grade & ~np.isnan(graded.features[:, 0])
    estimates = np.full((len(ESTIMATES), len(puzzles)), np.nan)
    for kind, model in parameters().models.items():
        here = np.flatnonzero(is_known & (graded.colored == (kind == "color")))
        if len(here):
            estimates[:, here] = estimate(graded.features[here], model)
    sizes = views(puzzles)
    cells = sizes.width.astype(np.int64) * sizes.height
    names, levels = np.array([one.name for one in TECHNIQUES]), np.array([one.grade for one in TECHNIQUES])
    columns = {
        "puzzle_id": puzzles["puzzle_id"],
        "clue_hash": puzzles["clue_hash"],
        "status": pa.array(STATUSES[graded.status]),
        "grade": pa.array(levels[hardest], mask=~has_grade),
        "hardest": pa.array(names[hardest], mask=~has_grade),
        "looks": pa.array(graded.looks, mask=invalid),
        "work": pa.array(graded.looks / np.maximum(cells, 1), mask=invalid),
        "open": pa.array(graded.open, mask=invalid),
        "cpu_seconds": pa.array(graded.cpu_seconds, mask=invalid),
        "solver_version": pa.repeat(__version__, len(puzzles)),
        **{each.column: pa.array(graded.steps[:, k], mask=invalid) for k, each in enumerate(TECHNIQUES[:SEARCH])},
        **{name: pa.array(values, mask=np.isnan(values)) for name, values in zip(ESTIMATES, estimates, strict=True)},
    }
    return [columns[field.name].cast(field.type) for field in GRADES]


@compiles
def compile_grading(words: int, colored: bool) -> None:
    """Compile the kernels of this module and of the features, so that no puzzle is charged for it."""
    compile_features(words, colored)
    grade_by_lines(*_grading_example(words))
    solve_by_assumptions(placed_example(words), *assumptions_example(words, colored)[1:])


def has_grading_kernels(words: int) -> bool:
    """Return whether the kernels for puzzles that line techniques solve are compiled."""
    return is_ready(grade_by_lines, *_grading_example(words))


def _grading_example(words: int) -> tuple[Any, ...]:
    """Return arguments of `grade_by_lines` by type."""
    sheet, one = example_sheet(words), np.zeros(1, np.int64)
    return sheet, rounds_for(sheet), runs_for(sheet), example_puzzle(), one, one > 0, 1.0, empty_graded(1)


def assumptions_example(words: int, colored: bool) -> tuple[PuzzleSheet, Assumptions, np.ndarray, float]:
    """Return arguments of `solve_by_assumptions` by type; the puzzle is not on the sheet."""
    return example_sheet(words), example_assumptions(words, colored), np.zeros(len(TECHNIQUES), np.int64), 1.0


@kernel
def grade_by_lines(
    sheet: PuzzleSheet,
    rounds: Rounds,
    runs: Runs,
    batch: Views,
    puzzles: np.ndarray,
    unique: np.ndarray,
    cpu_limit: float,
    graded: Graded,
) -> None:
    """Grade puzzles of a batch as far as line techniques solve them; write the features of those they solve.

    puzzles   int64: indices in the batch
    """
    for p in puzzles:
        begin = cpu_seconds()
        place_on_sheet(sheet, batch, p)
        ended = solve_lines(sheet, LINE_TECHNIQUES, begin + cpu_limit)
        graded.open[p], graded.looks[p] = open_cells_of(sheet), sheet.notes[LOOKS]
        for technique in range(LINE_TECHNIQUES):
            graded.steps[p, technique] = sheet.steps[technique]
        if ended == FIXPOINT and graded.open[p] == 0 and unique[p] and not has_blots(sheet.board):
            place_on_sheet(sheet, batch, p)
            clear_rounds(rounds)
            ended = find_in_rounds(sheet, rounds, begin + cpu_limit)
            if ended == FIXPOINT:
                write_features(sheet, rounds, runs, graded.features[p])
        graded.status[p] = ended
        graded.cpu_seconds[p] = cpu_seconds() - begin


def _grade_by_assumptions(puzzle: Views, unique: bool, cpu_limit: float, graded: Graded, p: int) -> None:
    """Grade the one puzzle of a batch, which line techniques don't solve; write row p.

    Assumptions are used in reading order, shallowest first.
    """
    begin = time.thread_time()
    deadline = begin + cpu_limit - graded.cpu_seconds[p]
    sheet, line_solves, ended = puzzle_sheet_for(puzzle), 0, OUT_OF_TIME
    try:
        if solve_lines(sheet, LINE_TECHNIQUES, deadline) == FIXPOINT:
            assumptions = assumptions_on(puzzle, grid_of(sheet), deadline)
            ended = solve_by_assumptions(sheet, assumptions, graded.steps[p], deadline)
            line_solves = assumptions.line_solves
        if ended == FIXPOINT and unique and not graded.steps[p, SEARCH]:
            values = features(puzzle, deadline)
            graded.features[p] = np.nan if values is None else values
    except TimeoutError:
        ended = OUT_OF_TIME
    except NoSolution:
        ended = CONTRADICTION
    graded.status[p] = ended
    graded.steps[p, :LINE_TECHNIQUES] = sheet.steps
    graded.looks[p] = sheet.notes[LOOKS] + line_solves
    graded.open[p] = open_cells_of(sheet)
    graded.cpu_seconds[p] += time.thread_time() - begin


@kernel
def solve_by_assumptions(sheet: PuzzleSheet, assumptions: Assumptions, steps: np.ndarray, deadline: float) -> int:
    """Go on where line techniques make no progress, with one assumption at a time. Returns as `propagate`.

    steps   int64[techniques], output: successful assumptions by technique; search counts once if there are none left
    """
    while True:
        found = find_refuted(assumptions, 1)
        if found < 0:
            return OUT_OF_TIME
        if found == 0:
            steps[SEARCH] = 1
            return FIXPOINT
        place, color, technique = assumptions.log[0, 0], assumptions.log[0, 1], assumptions.log[0, 2]
        ended = exclude(assumptions, place, color)
        if ended != FIXPOINT:
            return ended
        steps[technique] += 1
        rule_out(sheet, place, color)
        ended = solve_lines(sheet, LINE_TECHNIQUES, deadline)
        if ended != FIXPOINT or open_cells_of(sheet) == 0:
            return ended
