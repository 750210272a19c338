"""Difficulty of nonograms for people: grades by the techniques that they need, minutes and stars by models."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver import __version__
from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.fixpoint import example_group
from nonocensus.solver.ladder.memory import KernelGroup, kernel_groups
from nonocensus.solver.lines.propagate import FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import LINE_SOLVES
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.tables import GRADES, check_readable
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, SEARCH, TECHNIQUES
from nonocensus.solver.model.views import Views, views
from nonocensus.solver.people.assumptions import (
    Assumptions,
    assumptions_for,
    begin_assumptions,
    exclude_color,
    find_refuted,
    with_assumption_deadline,
)
from nonocensus.solver.people.features import FEATURES, Runs, has_blots, runs_for, write_features
from nonocensus.solver.people.minutes import estimate, parameters
from nonocensus.solver.people.person import (
    LOOKS,
    SolvingState,
    begin_puzzle,
    open_cells_of,
    rule_out,
    solve_lines,
    state_for,
)
from nonocensus.solver.people.rounds import Rounds, rounds_for, solve_in_rounds

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
    """Grade a batch as `grades` does, but return arrays."""
    check_readable(puzzles)
    sound = np.ones(len(puzzles), np.bool_)
    sound[list(faults_of(puzzles))] = False
    batch, graded, unique = views(puzzles), empty_graded(len(puzzles)), np.array(unique)
    for group in kernel_groups(batch, np.flatnonzero(sound)):
        compile_grading(group.words, group.colors is not None)
        graded.colored[group.puzzles] = group.colors is not None
        grade_puzzles(*memory_of(batch, group), batch, group.puzzles, unique, cpu_limit, graded)
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
        "minutes_model": pa.repeat(parameters().name, len(puzzles)),
        "solver_version": pa.repeat(__version__, len(puzzles)),
        **{each.column: pa.array(graded.steps[:, k], mask=invalid) for k, each in enumerate(TECHNIQUES[:SEARCH])},
        **{name: pa.array(values, mask=np.isnan(values)) for name, values in zip(ESTIMATES, estimates, strict=True)},
    }
    return [columns[field.name].cast(field.type) for field in GRADES]


def memory_of(batch: Views, group: KernelGroup) -> tuple[SolvingState, Rounds, Runs, Assumptions]:
    """Return memory to grade the puzzles of a group of a batch."""
    state = state_for(batch, group)
    return state, rounds_for(state), runs_for(state), assumptions_for(state)


@cache
def compile_grading(words: int, colored: bool) -> None:
    """Compile the kernels of this module and of the features, so that no puzzle is charged for it."""
    batch, group = example_group(words, colored)
    grade_puzzles(*memory_of(batch, group), batch, group.puzzles, np.ones(1, np.bool_), 1.0, empty_graded(1))


@kernel
def grade_puzzles(
    state: SolvingState,
    rounds: Rounds,
    runs: Runs,
    assumptions: Assumptions,
    batch: Views,
    puzzles: np.ndarray,
    unique: np.ndarray,
    cpu_limit: float,
    graded: Graded,
) -> None:
    """Grade puzzles of a batch; write the features of those that need no search.

    puzzles   int64: indices in the batch
    """
    for p in puzzles:
        begin = cpu_seconds()
        deadline, steps = begin + cpu_limit, graded.steps[p]
        begin_puzzle(state, batch, p)
        ended = solve_lines(state, LINE_TECHNIQUES, deadline)
        if ended == FIXPOINT and open_cells_of(state) > 0:
            ended = solve_by_assumptions(state, with_assumption_deadline(assumptions, deadline), steps, deadline)
        graded.open[p] = open_cells_of(state)
        graded.looks[p] = state.scalars[LOOKS] + state.workspace.counters[LINE_SOLVES]
        for technique in range(LINE_TECHNIQUES):
            steps[technique] = state.steps[technique]
        if ended == FIXPOINT and unique[p] and not steps[SEARCH] and not has_blots(state.board):
            begin_puzzle(state, batch, p)
            ended = solve_in_rounds(state, rounds, assumptions, deadline)
            if ended == FIXPOINT:
                write_features(state, rounds, runs, graded.features[p])
        graded.status[p] = ended
        graded.cpu_seconds[p] = cpu_seconds() - begin


@kernel
def solve_by_assumptions(state: SolvingState, assumptions: Assumptions, steps: np.ndarray, deadline: float) -> int:
    """Solve on by assumptions, one at a time, where line techniques make no progress. Returns as `propagate`.

    Assumptions are tried in reading order, shallowest first.

    steps   int64[techniques], output: successful assumptions by technique; search counts once if there are none left
    """
    begin_assumptions(assumptions, state)
    state.workspace.counters[LINE_SOLVES] = state.board.size[0] + state.board.size[1]  # a look at each, without result
    while True:
        found = find_refuted(assumptions, 1)
        if found < 0:
            return OUT_OF_TIME
        if found == 0:
            steps[SEARCH] = 1
            return FIXPOINT
        place, color, technique = assumptions.log[0, 0], assumptions.log[0, 1], assumptions.log[0, 2]
        ended = exclude_color(assumptions, place, color)
        if ended != FIXPOINT:
            return ended
        steps[technique] += 1
        rule_out(state, place, color)
        ended = solve_lines(state, LINE_TECHNIQUES, deadline)
        if ended != FIXPOINT or open_cells_of(state) == 0:
            return ended
