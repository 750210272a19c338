"""Encode a board in conjunctive normal form for a clause learner.

Order encoding (Tamura et al.; used for nonograms by Copris): a variable says "block j starts at cell p or earlier".
Two literals of a line then tell which block or gap contains a cell, so clauses of cells have three literals, and no
variables for "block covers cell" are needed. A blot also has variables for its end; other blocks' ends are their
starts, shifted. Only open places of blocks and open cells get variables.

Literals are int32 as in DIMACS. A cell with two possible colours has one variable (false: the lower colour); a cell
with more has one per colour, at most one of which is true.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import bit, count, has_any, load, low_bits, lowest
from nonocensus.solver.lines.board import BACKGROUND, Board, allows, choices
from nonocensus.solver.lines.line_solver import Places, locate, no_places
from nonocensus.solver.lines.workspace import Workspace

TRUE = cast(int, np.int64(1 << 30))  # a literal would be a type of its own to the compiler
FALSE = -TRUE
WIDEST = 3
"""Literals of the longest clause."""


class Variables(NamedTuple):
    """Index of the variables of an encoding.

    number       number of variables; they are numbered from 1
    cell         int32[height x width]: a cell's first variable, 0 if it is decided
    literal      int64[height x width, palette]: literal "the cell has the colour", possibly TRUE or FALSE
    start, end   int32[blocks]: a block's first start variable, a blot's first end variable
    places       places of the blocks: each but a block's last has a variable
    """

    number: int
    cell: np.ndarray
    literal: np.ndarray
    start: np.ndarray
    end: np.ndarray
    places: Places


def encode(board: Board, color: np.ndarray | None, workspace: Workspace) -> tuple[Variables, np.ndarray]:
    """Encode a board at the fixpoint of line logic; returns the variables and the clauses.

    Clauses are int32[clauses, WIDEST], padded with zeros.
    """
    width, height = int(board.size[0]), int(board.size[1])
    blocks, words = int(board.first[width + height]), board.can.shape[1]
    variables = Variables(
        0,
        np.zeros(height * width, np.int32),
        np.zeros((height * width, int(board.size[2])), np.int64),
        np.zeros(blocks, np.int32),
        np.zeros(blocks, np.int32),
        no_places(blocks, words),
    )
    variables = variables._replace(number=_number_variables(board, color, variables, workspace))
    clauses = np.zeros((0, WIDEST), np.int32)
    clauses = np.zeros((_write_clauses(board, color, variables, clauses, workspace.bit_width), WIDEST), np.int32)
    _write_clauses(board, color, variables, clauses, workspace.bit_width)
    return variables, clauses


@kernel
def _number_variables(board: Board, color: np.ndarray | None, variables: Variables, workspace: Workspace) -> int:
    """Locate all blocks and number all variables; returns their number."""
    bit_width = workspace.bit_width
    locate(board, color, variables.places, workspace)
    width, height = int(board.size[0]), int(board.size[1])
    free = 1
    for y in range(height):
        for x in range(width):
            left = choices(board, y, x, bit_width)
            if left > 1:
                variables.cell[y * width + x] = free
                free += 1 if left == 2 else left
            for c in range(int(board.size[2])):
                variables.literal[y * width + x, c] = _cell_literal(board, variables, y, x, c, bit_width)
    for j in range(int(board.first[width + height])):
        others = count(load(variables.places.starts, j, bit_width)) - 1
        variables.start[j] = free
        free += others
        if board.length[j] == 0:
            variables.end[j] = free
            free += others
    return free - 1


@inlined
def _order_literal(places: Any, first: int, p: int, bit_width: Any) -> int:
    """Return the literal "at place p or earlier" of something with these places and variables from `first`."""
    if p < 0:
        return FALSE
    before = count(
        places & (low_bits(p, bit_width) | bit(p, bit_width))
    )  # low_bits(p + 1) might shift by the full width
    if before == 0:
        return FALSE
    return TRUE if before == count(places) else first + before - 1


@kernel
def _starts_by(variables: Variables, j: int, p: int, bit_width: Any) -> int:
    """Return the literal "block j starts at cell p or earlier"."""
    return _order_literal(load(variables.places.starts, j, bit_width), int(variables.start[j]), p, bit_width)


@kernel
def _ends_by(board: Board, variables: Variables, j: int, p: int, bit_width: Any) -> int:
    """Return the literal "block j has ended before cell p"."""
    if board.length[j] > 0:
        return _starts_by(variables, j, p - int(board.length[j]), bit_width)
    return _order_literal(load(variables.places.ends, j, bit_width), int(variables.end[j]), p, bit_width)


@kernel
def _cell_literal(board: Board, variables: Variables, y: int, x: int, c: int, bit_width: Any) -> int:
    """Return the literal "the cell has colour c"."""
    if not allows(board, y, x, c, bit_width):
        return FALSE
    first = int(variables.cell[y * int(board.size[0]) + x])
    if first == 0:
        return TRUE
    lower = 0
    for other in range(c):
        lower += allows(board, y, x, other, bit_width)
    if choices(board, y, x, bit_width) == 2:
        return first if lower == 1 else -first
    return first + lower


@inlined
def _add(clauses: np.ndarray, n: int, a: int, b: int, c: int) -> int:
    """Write clause n, a or b or c without constants, if `clauses` has room; returns the next clause's number."""
    if a == TRUE or b == TRUE or c == TRUE:
        return n
    if n < clauses.shape[0]:
        k = 0
        for literal in (a, b, c):
            if literal != FALSE:
                clauses[n, k] = literal
                k += 1
    return n + 1


@kernel
def _write_clauses(
    board: Board, color: np.ndarray | None, variables: Variables, clauses: np.ndarray, bit_width: Any
) -> int:
    """Write as many clauses as fit into `clauses`; returns the number of all."""
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    n: Any = np.int64(0)
    for y in range(height):
        for x in range(width):
            if choices(board, y, x, bit_width) > 2:
                for c in range(palette):
                    for other in range(c):
                        literal = variables.literal[y * width + x]
                        n = _add(clauses, n, -int(literal[c]), -int(literal[other]), FALSE)
    for line in range(width + height):
        n = _write_order(board, color, variables, line, clauses, n, bit_width)
        cells = width if line < height else height
        for i in range(cells):
            n = _write_cell(board, color, variables, line, i, clauses, n, bit_width)
    return int(n)


@kernel
def _write_order(
    board: Board, color: np.ndarray | None, variables: Variables, line: int, clauses: np.ndarray, n: int, bit_width: Any
) -> int:
    """Write the clauses of order and of consecutive blocks: each ends before the next one starts."""
    first: Any = np.int64(board.first[line])
    last: Any = np.int64(board.first[line + 1])
    for j in range(first, last):
        starts = load(variables.places.starts, j, bit_width)
        start, end = int(variables.start[j]), int(variables.end[j])
        for k in range(count(starts) - 2):
            n = _add(clauses, n, -(start + k), start + k + 1, FALSE)
        if board.length[j] == 0:
            ends = load(variables.places.ends, j, bit_width)
            for k in range(count(ends) - 2):
                n = _add(clauses, n, -(end + k), end + k + 1, FALSE)
            while has_any(ends):
                p = lowest(ends)
                ends = ends & (ends - bit(0, bit_width))
                started = _starts_by(variables, j, p - 1, bit_width)
                n = _add(clauses, n, -_ends_by(board, variables, j, p, bit_width), started, FALSE)
        if j > first:
            apart = 1 if color is None or color[j] == color[j - 1] else 0
            while has_any(starts):
                p = lowest(starts)
                starts = starts & (starts - bit(0, bit_width))
                ended = _ends_by(board, variables, j - 1, p - apart, bit_width)
                n = _add(clauses, n, -_starts_by(variables, j, p, bit_width), ended, FALSE)
    return n


@kernel
def _write_cell(
    board: Board,
    color: np.ndarray | None,
    variables: Variables,
    line: int,
    i: int,
    clauses: np.ndarray,
    n: int,
    bit_width: Any,
) -> int:
    """Write the clauses of cell i of a line: it has the colour of the block that covers it, else the background."""
    first: Any = np.int64(board.first[line])
    last: Any = np.int64(board.first[line + 1])
    width, height = int(board.size[0]), int(board.size[1])
    literal = variables.literal[line * width + i if line < height else i * width + line - height]
    background = int(literal[BACKGROUND])
    ended = TRUE
    for j in range(first, last):
        started = _starts_by(variables, j, i, bit_width)
        n = _add(clauses, n, -ended, started, background)
        ended = _ends_by(board, variables, j, i, bit_width)
        c: Any = np.int64(1 if color is None else color[j])
        n = _add(clauses, n, -started, ended, int(literal[c]))
    return _add(clauses, n, -ended, background, FALSE)
