"""A glance at a puzzle that line logic leaves open: straight to some solution, which may show a second one by a switch.

Most puzzles with several solutions have a few small places where cells may change colours, and any way through ends in
a solution. Finding it costs as much as a few probes; what it saves is all rungs up to search, since a puzzle with two
solutions has no technique. What a glance finds is a solution or nothing: it proves no more than that.
"""

from typing import Any

import numpy as np

from solver.bits import lowest, some
from solver.board import Board, Scratch, allows, copy, open_cells
from solver.jit import kernel
from solver.lookahead import NO_LIMIT, look_ahead, take_away
from solver.propagate import CONTRADICTION, FIXPOINT

MISSES = 2
"""Contradictions after which a glance is over: where cells hang together, chance finds nothing."""


@kernel
def glance(
    board: Board,
    diver: Board,
    trial: Board,
    color: np.ndarray | None,
    last: bool,
    scratch: Scratch,
    counters: np.ndarray,
    deadline: float,
    like: Any,
) -> int:
    """Decide cell after cell, each followed by line logic, from a board at its fixpoint.

    diver, trial   boards with the same clues and memory of their own
    last           each cell takes the last colour that it may have, else the first
    Returns FIXPOINT if the diver has come to a solution, CONTRADICTION if not, OUT_OF_TIME.
    """
    misses = 0
    copy(board, diver)
    for y in range(int(board.size[1])):
        cells = open_cells(diver, y, like)
        while some(cells):
            x = int(lowest(cells))
            c: Any = np.int64(int(board.size[2]) - 1 if last else 0)
            while not allows(diver, y, x, c, like):
                c += -1 if last else 1
            copy(diver, trial)
            status = look_ahead(trial, color, y, x, c, NO_LIMIT, scratch, counters, deadline, like)
            if status == FIXPOINT:
                copy(trial, diver)
            elif status == CONTRADICTION:
                misses += 1
                status = take_away(diver, color, y, x, c, scratch, counters, deadline, like)
                if misses > MISSES:
                    return CONTRADICTION
            if status != FIXPOINT:
                return status
            cells = open_cells(diver, y, like)
    return FIXPOINT
