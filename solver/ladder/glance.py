"""A glance at a puzzle that line logic leaves open: straight to some solution, which may show a second one by a switch.

Most puzzles with several solutions have a few small places where cells may change colours, and any way through ends in
a solution. Finding it costs as much as a few probes; what it saves is all rungs up to search, since a puzzle with two
solutions has no technique. What a glance finds is solutions or nothing: it proves no more than that.
"""

from typing import Any

import numpy as np

from solver.jit.kernel import kernel
from solver.ladder.lookahead import adopt, take_away
from solver.ladder.search import Found, note_solution
from solver.lines.bits import has_any, lowest
from solver.lines.board import Board, allows, copy, open_cells
from solver.lines.propagate import CONTRADICTION, FIXPOINT
from solver.lines.workspace import Workspace
from solver.tuning import MISSES


@kernel
def glance(
    board: Board, diver: Board, trial: Board, color: np.ndarray | None, found: Found, workspace: Workspace
) -> bool:
    """Whether a board at the fixpoint of line logic is seen to have two solutions; they are noted.

    It is gone through twice, cell after cell, each decision followed by line logic: first each cell takes the last
    colour that it may have, then the first. The first open cell has another colour in each, so two that succeed are two
    solutions.

    diver, trial   boards with the same clues and memory of their own
    """
    bit_width = workspace.bit_width
    status = FIXPOINT
    for last in (True, False):
        misses = 0
        copy(board, diver)
        for y in range(int(board.size[1])):
            cells = open_cells(diver, y, bit_width)
            while status == FIXPOINT and has_any(cells):
                x = int(lowest(cells))
                c: Any = np.int64(int(board.size[2]) - 1 if last else 0)
                while not allows(diver, y, x, c, bit_width):
                    c += -1 if last else 1
                status = adopt(diver, trial, color, y, x, c, workspace)
                if status == CONTRADICTION and misses < MISSES:
                    misses += 1
                    status = take_away(diver, color, y, x, c, workspace)
                cells = open_cells(diver, y, bit_width)
        if status == FIXPOINT:
            note_solution(diver, found, workspace)
            if found.number[0] == 2:
                return True
    return False
