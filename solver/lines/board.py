"""The state of a puzzle while it is solved: the possible colours of each cell, by rows and by columns.

Invariant: rows and columns agree; a colour removed from a cell is removed from its row and its column.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.bits import bit, copy_rows, count, empty, has_any, load, low_bits, lowest, store
from nonocensus.solver.model.views import Clues, Views

BACKGROUND = cast(int, np.int64(0))  # a literal would be a type of its own to the compiler
NO_COLOR: Any = np.uint8(255)
"""Value of the first cell of `Board.known` if no solution is known."""


class Board(NamedTuple):
    """A puzzle's clues and the possible colours of its cells. Line i is row i for i < height, else column i - height.

    The colours of the blocks, uint8[blocks], are a separate argument of kernels: it is None for mono puzzles, for which
    the compiler then drops all code for several colours.

    size    int64[3]: width, height, palette (number of colours, including the background)
    first   int32[lines + 1]: blocks of line i are first[i] .. first[i + 1]
    length  uint16[blocks]: 0 for a blot
    can     uint64[lines x palette, words]: row i x palette + c is the set of cells of line i that may have colour c
    known   uint8[height x width]: in the checked mode a solution, row by row (solver.lines.checked); else empty
    """

    size: np.ndarray
    first: np.ndarray
    length: np.ndarray
    can: np.ndarray
    known: np.ndarray


@kernel
def init_board(board: Board, color: np.ndarray | None, batch: Views, p: int, bit_width: Any) -> None:
    """Initialize a board with puzzle p of a batch, all colours possible."""
    board.size[0], board.size[1] = batch.width[p], batch.height[p]
    width, height = int(board.size[0]), int(board.size[1])
    zero: Any = np.int64(0)  # a literal would be a type of its own to the compiler
    blocks = _copy_clues(board, color, batch.rows, p, zero, zero)
    blocks = _copy_clues(board, color, batch.columns, p, height, blocks)
    board.first[width + height] = blocks
    palette = 2
    if color is not None:
        for j in range(blocks):
            palette = max(palette, int(color[j]) + 1)
    board.size[2] = palette
    for i in range(width + height):
        cells = low_bits(width if i < height else height, bit_width)
        for c in range(palette):
            store(board.can, i * palette + c, cells)


@kernel
def apply_start(board: Board, start: np.ndarray, bit_width: Any) -> None:
    """Remove the colours that a partly solved grid excludes: `start`, bool[height x width, palette], has the others."""
    width, height = int(board.size[0]), int(board.size[1])
    for y in range(height):
        for x in range(width):
            for c in range(int(board.size[2])):
                if not start[y * width + x, c]:
                    forbid(board, y, x, c, bit_width)


@kernel
def _copy_clues(board: Board, color: np.ndarray | None, clues: Clues, p: int, line: int, block: int) -> int:
    """Copy the clues of one side of puzzle p to lines from `line` and blocks from `block` on; returns the end."""
    for i in range(clues.lines[p], clues.lines[p + 1]):
        board.first[line] = block
        line += 1
        for j in range(clues.blocks[i], clues.blocks[i + 1]):
            board.length[block] = clues.length[j]
            if color is not None:
                color[block] = clues.color[j]
            block += 1
    return block


@kernel
def copy(board: Board, other: Board) -> None:
    """Copy the possible colours to another board of the same puzzle."""
    copy_knowledge(board.size, board.can, other.can)


@kernel
def copy_knowledge(size: np.ndarray, source: np.ndarray, target: np.ndarray) -> None:
    """Copy the possible colours of a puzzle of this size; source and target are laid out as `Board.can`."""
    copy_rows(source, target, int((size[0] + size[1]) * size[2]))


@kernel
def allows(board: Board, y: int, x: int, c: int, bit_width: Any) -> bool:
    """Return whether a cell may have colour c."""
    return has_any((load(board.can, y * int(board.size[2]) + c, bit_width) >> x) & bit(0, bit_width))


@kernel
def column_allows(board: Board, y: int, x: int, c: int, bit_width: Any) -> bool:
    """Return whether a cell may have colour c, read from its column."""
    line = int(board.size[1]) + x
    return has_any((load(board.can, line * int(board.size[2]) + c, bit_width) >> y) & bit(0, bit_width))


@kernel
def choices(board: Board, y: int, x: int, bit_width: Any) -> int:
    """Return the number of colours that a cell may have."""
    number = 0
    for c in range(int(board.size[2])):
        number += allows(board, y, x, c, bit_width)
    return number


@kernel
def is_open(board: Board, y: int, x: int, bit_width: Any) -> bool:
    """Return whether a cell may still have several colours."""
    return choices(board, y, x, bit_width) > 1


@kernel
def forbid(board: Board, y: int, x: int, c: int, bit_width: Any) -> None:
    """Remove colour c from a cell, in its row and its column."""
    height, palette = int(board.size[1]), int(board.size[2])
    row, column = y * palette + c, (height + x) * palette + c
    store(board.can, row, load(board.can, row, bit_width) & ~bit(x, bit_width))
    store(board.can, column, load(board.can, column, bit_width) & ~bit(y, bit_width))


@kernel
def assume(board: Board, y: int, x: int, c: int, bit_width: Any) -> None:
    """Remove all colours but c from a cell."""
    for other in range(int(board.size[2])):
        if other != c:
            forbid(board, y, x, other, bit_width)


@kernel
def undecided(board: Board, bit_width: Any) -> int:
    """Return the number of cells that may still have several colours."""
    cells = 0
    for row in range(int(board.size[1])):
        cells += count(open_cells(board, row, bit_width))
    return cells


def possibilities(board: Board) -> np.ndarray:
    """Return the colours that each cell may have, bool[height x width, palette]."""
    width, height, palette = map(int, board.size)
    rows = board.can[: height * palette].astype("<u8", copy=False).view(np.uint8).reshape(height * palette, -1)
    cells = np.unpackbits(rows, axis=1, count=width, bitorder="little").reshape(height, palette, width)
    return cells.transpose(0, 2, 1).reshape(-1, palette).astype(np.bool_)


@kernel
def open_cells(board: Board, line: int, bit_width: Any) -> Any:
    """Return the set of cells of a line that may still have several colours."""
    palette = int(board.size[2])
    once, twice = empty(bit_width), empty(bit_width)
    for c in range(palette):
        can = load(board.can, line * palette + c, bit_width)
        twice = twice | (once & can)
        once = once | can
    return twice


@kernel
def write_picture(board: Board, cells: np.ndarray, bit_width: Any) -> None:
    """Write a decided board to uint8[width x height], row by row, as palette entries."""
    width, palette = board.size[0], board.size[2]
    cells[:] = BACKGROUND
    for row in range(board.size[1]):
        for c in range(1, palette):
            can = load(board.can, row * palette + c, bit_width)
            while has_any(can):
                x = lowest(can)
                can = can & (can - bit(0, bit_width))
                cells[row * width + x] = c
