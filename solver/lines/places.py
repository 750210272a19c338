"""The possible places of a board's blocks."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.bits import count, load, store
from nonocensus.solver.lines.board import Board
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.workspace import Workspace


class Places(NamedTuple):
    """Possible places of all blocks, numbered as on the board.

    starts   uint64[blocks, words]: the cells that a block can start at; for a blot the same as those it can cover
    ends     uint64[blocks, words]: for a blot, the places after the cells that it can end at; empty for other blocks
    """

    starts: np.ndarray
    ends: np.ndarray


def no_places(blocks: int, words: int) -> Places:
    """Return memory for the places of a number of blocks."""
    return Places(np.zeros((blocks, words), np.uint64), np.zeros((blocks, words), np.uint64))


@kernel
def locate(board: Board, color: np.ndarray | None, places: Places, workspace: Workspace) -> None:
    """Find the places of all blocks of a board at the fixpoint of line logic."""
    bit_width = workspace.bit_width
    width, height = int(board.size[0]), int(board.size[1])
    for line in range(width + height):
        cells = width if line < height else height
        solve_line(cells, line, board, color, workspace)
        first = int(board.first[line])
        for j in range(first, int(board.first[line + 1])):
            starts = load(workspace.reach, j - first, bit_width)
            store(places.starts, j, starts)
            if board.length[j] == 0:
                store(places.ends, j, starts << 1)


@kernel
def open_places(board: Board, places: Places, bit_width: Any) -> int:
    """Return the number of places of all blocks that have several."""
    number = 0
    for j in range(int(board.first[board.size[0] + board.size[1]])):
        here = count(load(places.starts, j, bit_width))
        if here > 1:
            number += here
    return number
