"""Outcome of the ladder: flat arrays, one row per puzzle."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_after, wall_seconds
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.ladder.ladder_options import LINE, NO_SOLUTIONS, SEARCH, KnownSolutions, PriorKnowledge
from nonocensus.solver.ladder.search import SolutionPair
from nonocensus.solver.lines.board import Board, undecided, write_picture
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import COUNTERS
from nonocensus.solver.model.identity import pair_items
from nonocensus.solver.model.views import Views

# Number of solutions.
UNKNOWN, UNIQUE, MULTIPLE, NONE = range(4)
SOLUTIONS = ("unknown", "unique", "multiple", "none")

LEARNED = SEARCH + 1
"""Engine of puzzles that clause learning decided."""

# Columns of `Outcome.seconds` after those of the rungs: CPU seconds of clause learning, wall seconds of the puzzle.
CPU_SAT, WALL = 4, 5
TIMES = 6


class Outcome(NamedTuple):
    """Outcome of a batch, one row per puzzle; rows of puzzles that were not selected keep their initial values.

    solutions       int8: UNKNOWN, UNIQUE, MULTIPLE or NONE
    rung            int8: rung that decided, or the last one begun
    engine          int8: what decided: that rung, or LEARNED
    late            bool: CPU limit reached
    counters        int64[puzzles, COUNTERS], numbered in solver.lines.workspace
    decided         int32[puzzles, SEARCH]: cells decided after line, depth-2 and probe; -1 for a rung not begun
    seconds         float64[puzzles, TIMES]: CPU seconds of each rung, CPU_SAT and WALL
    offsets         int64[puzzles + 1]: puzzle p's pictures are at offsets[p] .. offsets[p + 1]
    first, second   uint8: solutions, row by row, a palette entry per cell
    found           int8: number of solutions found, 0, 1 or 2
    """

    solutions: np.ndarray
    rung: np.ndarray
    engine: np.ndarray
    late: np.ndarray
    counters: np.ndarray
    decided: np.ndarray
    seconds: np.ndarray
    offsets: np.ndarray
    first: np.ndarray
    second: np.ndarray
    found: np.ndarray


@kernel
def record_rung(board: Board, status: int, rung: int, p: int, outcome: Outcome, bit_width: Any) -> bool:
    """Record the result of a rung for the puzzle on the board; returns whether it is left open."""
    left = undecided(board, bit_width)
    outcome.decided[p, rung] = board.size[0] * board.size[1] - left
    outcome.rung[p] = outcome.engine[p] = rung
    if status == CONTRADICTION:
        outcome.solutions[p] = NONE
    elif status == OUT_OF_TIME:
        outcome.late[p] = True
    elif left == 0:
        outcome.solutions[p] = UNIQUE
        outcome.found[p] = 1
        write_picture(board, outcome.first[outcome.offsets[p] : outcome.offsets[p + 1]], bit_width)
    return bool(status == FIXPOINT and left > 0)


@inlined
def record_time(outcome: Outcome, p: int, rung: int, cpu: float, wall: float) -> tuple[float, float]:
    """Add the time since (cpu, wall) to a rung's CPU seconds and to the wall seconds; returns both clocks' readings."""
    now = wall_seconds()
    cpu_now = cpu_after(cpu, now - wall)
    outcome.seconds[p, rung] += cpu_now - cpu
    outcome.seconds[p, WALL] += now - wall
    return cpu_now, now


@kernel
def solution_pair(outcome: Outcome, prior: PriorKnowledge, p: int) -> SolutionPair:
    """Return a view of the solutions of puzzle p."""
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    return SolutionPair(outcome.first[place], outcome.second[place], outcome.found[p : p + 1], prior.start)


def initial_outcome(batch: Views, goals: KnownSolutions = NO_SOLUTIONS) -> Outcome:
    """Return the outcome of a batch before the first rung: only the goals are found, as first solutions."""
    puzzles = len(batch.width)
    offsets = np.zeros(puzzles + 1, np.int64)
    np.cumsum(batch.width.astype(np.int64) * batch.height, out=offsets[1:])
    outcome = Outcome(
        solutions=np.full(puzzles, UNKNOWN, np.int8),
        rung=np.full(puzzles, LINE, np.int8),
        engine=np.full(puzzles, LINE, np.int8),
        late=np.zeros(puzzles, np.bool_),
        counters=np.zeros((puzzles, COUNTERS), np.int64),
        decided=np.full((puzzles, SEARCH), -1, np.int32),
        seconds=np.zeros((puzzles, TIMES)),
        offsets=offsets,
        first=np.zeros(offsets[-1], np.uint8),
        second=np.zeros(offsets[-1], np.uint8),
        found=np.zeros(puzzles, np.int8),
    )
    if len(goals.known):
        outcome.first[:] = goals.pictures
        outcome.found[:] = goals.known
    return outcome


def copy_outcomes(outcome: Outcome, first: np.ndarray) -> None:
    """Copy to each puzzle p the outcome of puzzle first[p], which has the same clues."""
    others = np.flatnonzero(first != np.arange(len(first)))
    if not len(others):
        return
    for name, values in outcome._asdict().items():
        if name not in ("offsets", "first", "second"):
            values[others] = values[first[others]]
    here, there, _ = pair_items(outcome.offsets, others, first[others])
    outcome.first[here], outcome.second[here] = outcome.first[there], outcome.second[there]
