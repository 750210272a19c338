"""The ladder: a whole batch of puzzles in one nopython call, each as far up the rungs as it takes.

So far the ladder has one rung, line logic.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.bits import low, marker, words_for
from solver.board import Board, Scratch, set_up, undecided, write_picture
from solver.clock import cpu_seconds, wall_seconds
from solver.jit import kernel
from solver.propagate import CONTRADICTION, COUNTERS, OUT_OF_TIME, propagate
from solver.views import Views

# What is known of a puzzle when its turn is over.
STALLED, SOLVED, REFUTED, TIMED_OUT = 0, 1, 2, 3

CPU, WALL = 0, 1
TIMES = 2


class Outcome(NamedTuple):
    """What the ladder found, a row a puzzle of the batch. Rows of puzzles it was not given stay as they were.

    verdict     int8: STALLED, SOLVED, REFUTED or TIMED_OUT
    counters    int64[puzzles, COUNTERS], numbered in solver.propagate
    decided     int32: cells that line logic decided
    seconds     float64[puzzles, TIMES]: CPU and WALL seconds of the puzzle
    offsets     int64[puzzles + 1]: puzzle p's picture is picture[offsets[p] : offsets[p + 1]]
    picture     uint8: solutions, row by row, a palette entry each
    """

    verdict: np.ndarray
    counters: np.ndarray
    decided: np.ndarray
    seconds: np.ndarray
    offsets: np.ndarray
    picture: np.ndarray


def climb(batch: Views, which: np.ndarray, cpu_limit: float) -> Outcome:
    """Run the puzzles `which` (indices) of a batch up the ladder, each with at most `cpu_limit` CPU seconds.

    They must be free of faults (solver.check). Puzzles are grouped by what the kernels are compiled for: the words of
    a bit set, and one colour or several.
    """
    puzzles = len(batch.width)
    offsets = np.zeros(puzzles + 1, np.int64)
    np.cumsum(batch.width.astype(np.int64) * batch.height, out=offsets[1:])
    outcome = Outcome(
        verdict=np.full(puzzles, STALLED, np.int8),
        counters=np.zeros((puzzles, COUNTERS), np.int64),
        decided=np.zeros(puzzles, np.int32),
        seconds=np.zeros((puzzles, TIMES)),
        offsets=offsets,
        picture=np.zeros(offsets[-1], np.uint8),
    )
    sides = np.maximum(batch.width, batch.height)[which]
    words = np.array([words_for(side) for side in range(int(sides.max(initial=0)) + 1)])[sides]
    colors = _highest_colors(batch)[which]
    for width in np.unique(words):
        for colored in (False, True):
            group = which[(words == width) & ((colors > 1) == colored)]
            if len(group):
                board, color, scratch = _memory(batch, group, int(width), int(colors.max()) if colored else None)
                _climb(batch, group, cpu_limit, board, color, scratch, outcome, marker(int(width)))
    return outcome


def _highest_colors(batch: Views) -> np.ndarray:
    """The highest colour that each puzzle's row clues use, 0 for none."""
    first = batch.rows.blocks[batch.rows.lines]
    highest = np.zeros(len(batch.width), np.uint8)
    some = np.flatnonzero(np.diff(first))
    if len(some):
        highest[some] = np.maximum.reduceat(batch.rows.color[: first[-1]], first[some])
    return highest


def _memory(
    batch: Views, group: np.ndarray, words: int, colors: int | None
) -> tuple[Board, np.ndarray | None, Scratch]:
    """A board and scratch memory that hold any puzzle of the group; `colors` is None for mono puzzles."""
    lines = int((batch.width[group].astype(np.int64) + batch.height[group]).max())
    side = int(max(batch.width[group].max(), batch.height[group].max()))
    blocks = max(
        int(
            (np.diff(batch.rows.blocks[batch.rows.lines]) + np.diff(batch.columns.blocks[batch.columns.lines]))[
                group
            ].max()
        ),
        1,
    )
    palette = 2 if colors is None else colors + 1
    board = Board(
        size=np.zeros(3, np.int64),
        first=np.zeros(lines + 1, np.int32),
        length=np.zeros(blocks, np.uint16),
        can=np.zeros((lines * palette, words), np.uint64),
    )
    color = None if colors is None else np.zeros(blocks, np.uint8)
    reach, gaps = (np.zeros((side + 1, words), np.uint64) for _ in range(2))
    return board, color, Scratch(reach, gaps, np.zeros((palette, words), np.uint64))


@kernel
def _climb(
    batch: Views,
    group: np.ndarray,
    cpu_limit: float,
    board: Board,
    color: np.ndarray | None,
    scratch: Scratch,
    outcome: Outcome,
    like: Any,
) -> None:
    """Puzzle by puzzle. One puzzle's last look at the clock is the next one's first."""
    cpu, wall = cpu_seconds(), wall_seconds()
    for p in group:
        set_up(board, color, batch, p, like)
        width, height = int(board.size[0]), int(board.size[1])
        rows, columns = low(height, like), low(width, like)
        found = propagate(board, color, rows, columns, scratch, outcome.counters[p], cpu + cpu_limit, like)
        left = undecided(board, like)
        outcome.decided[p] = width * height - left
        if found == CONTRADICTION:
            outcome.verdict[p] = REFUTED
        elif found == OUT_OF_TIME:
            outcome.verdict[p] = TIMED_OUT
        elif left == 0:
            outcome.verdict[p] = SOLVED
            write_picture(board, outcome.picture[outcome.offsets[p] : outcome.offsets[p + 1]], like)
        else:
            outcome.verdict[p] = STALLED
        last_cpu, last_wall = cpu, wall
        cpu, wall = cpu_seconds(), wall_seconds()
        outcome.seconds[p, CPU], outcome.seconds[p, WALL] = cpu - last_cpu, wall - last_wall
