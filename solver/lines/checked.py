"""The checked mode: assertions in kernels that no step loses a known solution and that results keep their invariants.

With NONOCENSUS_CHECKED=1 kernels are compiled with assertions; otherwise these cost nothing, not even a branch. A
puzzle's goal, if it fits the clues, is planted as the known solution, `Board.known`, as in CaDiCaL's tests. Invariants:

board       rows and columns agree on every cell, and without a contradiction each cell has a possible colour
step        a board that contains the known solution still does after line logic, a refuted colour, or a union
assumption  a trial board that contains it, with its colour of a cell assumed, meets no contradiction
rung        it ends in a contradiction, in a decided board, or at the fixpoint of line logic on all lines
search      the board that it passes on contains every solution but the recorded one; exhausted, it has recorded all
tail        formula, learned and added clauses admit the known solution until it is excluded itself

A failed check is an AssertionError, so the checked mode must not run with `python -O`.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.jit.kernel_cache import CHECKED
from nonocensus.solver.lines.bits import has_any, load
from nonocensus.solver.lines.board import NO_COLOR, Board, allows, choices, column_allows
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.workspace import Workspace

__all__ = ["CHECKED", "has_known", "is_at_fixpoint", "is_consistent", "is_known_color", "is_known_picture", "set_known"]


@kernel
def set_known(board: Board, pictures: np.ndarray, place: int, known: bool) -> None:
    """Set a board's known solution, row by row from pictures[place] on, if one is known."""
    board.known[0] = NO_COLOR
    if known:
        for i in range(int(board.size[0] * board.size[1])):
            board.known[i] = pictures[place + i]


@kernel
def is_known_color(board: Board, y: int, x: int, c: int) -> bool:
    """Return whether the known solution has colour c at a cell."""
    return bool(board.known[0] != NO_COLOR and board.known[y * int(board.size[0]) + x] == c)


@kernel
def is_known_picture(board: Board, picture: np.ndarray) -> bool:
    """Return whether a picture, uint8[height x width], is the known solution."""
    same = True
    for i in range(int(board.size[0] * board.size[1])):
        same = same and bool(board.known[i] == picture[i])
    return same


@kernel
def has_known(board: Board, bit_width: Any) -> bool:
    """Return whether rows and columns of a board contain the known solution; False if none is known."""
    if board.known[0] == NO_COLOR:
        return False
    width = int(board.size[0])
    for y in range(int(board.size[1])):
        for x in range(width):
            c: Any = np.int64(board.known[y * width + x])
            if not allows(board, y, x, c, bit_width) or not column_allows(board, y, x, c, bit_width):
                return False
    return True


@kernel
def is_consistent(board: Board, bit_width: Any) -> bool:
    """Return whether rows and columns agree, and each cell has a possible colour."""
    for y in range(int(board.size[1])):
        for x in range(int(board.size[0])):
            if choices(board, y, x, bit_width) == 0:
                return False
            for c in range(int(board.size[2])):
                if allows(board, y, x, c, bit_width) != column_allows(board, y, x, c, bit_width):
                    return False
    return True


@kernel
def is_at_fixpoint(board: Board, color: np.ndarray | None, workspace: Workspace) -> bool:
    """Return whether line logic removes no colour on any line. Overwrites `workspace.new` and `workspace.reach`."""
    bit_width = workspace.bit_width
    width, height = int(board.size[0]), int(board.size[1])
    palette = 2 if color is None else int(board.size[2])
    for line in range(width + height):
        if not solve_line(width if line < height else height, line, board, color, workspace):
            return False
        for c in range(palette):
            can = load(board.can, line * palette + c, bit_width)
            if has_any(can & ~load(workspace.new, c, bit_width)):
                return False
    return True
