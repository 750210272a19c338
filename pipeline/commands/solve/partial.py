"""Partial solutions of unsolved puzzles: the colours that each cell may still have.

The ladder returns counts but no board, so the same kernels recompute it here. Search and clause learning decide no cell
before they end.
"""

import time
from typing import Any

import numpy as np

from nonocensus.solver.ladder.climb import warm_up
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, refute
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

SPARE_SECONDS = 1.0
"""CPU seconds allowed on top of the time that a rung took before."""


def partial(puzzle: Puzzle, row: dict[str, Any], depth: int, start: np.ndarray | None = None) -> np.ndarray | None:
    """Return the colours that each cell may have after the rungs of a row, bool[height, width, colours + 1].

    row     the puzzle's row of the results table, of status ok or timeout
    depth   levels that the rung depth-2 looked ahead
    start   the partly solved grid it was solved from (solver.api.solve)

    None if line logic times out or finds a contradiction. The progress of a rung that timed out is reproduced only
    approximately.
    """
    batch = views(puzzle_batch([puzzle]))
    warm_up(batch, ("lookahead", "tail"))  # compiling would take longer than SPARE_SECONDS
    given = FROM_NOTHING if start is None else np.ascontiguousarray(start, np.bool_).reshape(-1, start.shape[2])
    try:
        memory = line_fixpoint(batch, (row["cpu_line"] or 0.0) + SPARE_SECONDS, given)
    except TimeoutError:
        return None
    if memory is None:
        return None
    rungs: tuple[tuple[str, str, Any], ...] = (
        ("cells_after_depth2", "cpu_depth2", np.int64(depth)),
        ("cells_after_probe", "cpu_probe", NO_LIMIT),
    )
    for cells, seconds, levels in rungs:
        if row[cells] is None:
            break
        begin(memory.board, memory.tree.union, memory.seen, memory.workspace.bit_width)
        workspace = memory.workspace._replace(deadline=time.thread_time() + (row[seconds] or 0.0) + SPARE_SECONDS)
        boards = memory.board, memory.trial, memory.tree.union
        if refute(*boards, memory.color, levels, NO_LIMIT, memory.seen, memory.log, workspace) != FIXPOINT:
            break
    return possibilities(memory.board).reshape(puzzle.height, puzzle.width, -1)


def decided_grid(may_be: np.ndarray) -> np.ndarray:
    """Return the palette entry of each cell of a `partial` grid, int64[height, width]; -1 where it is open."""
    colors: np.ndarray = np.where(may_be.sum(axis=2) == 1, may_be.argmax(axis=2), -1)
    return colors
