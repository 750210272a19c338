"""Line logic to its fixpoint.

Sweeps alternate: all rows with news, then all columns with news, and so on (Batenburg's sweeps). Rows share no cell
with each other, so what a sweep finds, and how many lines it solves, does not depend on the order inside it.
"""

from typing import Any

import numpy as np

from solver.bits import bit, empty, load, lowest, some, store
from solver.board import Board, Scratch
from solver.clock import cpu_seconds
from solver.jit import inlined, kernel
from solver.line import solve_line

FIXPOINT, CONTRADICTION, OUT_OF_TIME = 0, 1, 2

LINE_SOLVES, SWEEPS = 0, 1
COUNTERS = 2

CLOCK_EVERY = 50_000
"""Work between two looks at the clock, in blocks x words; at some 10 to 40 ns each, that is 2 ms at most."""


@kernel
def propagate(
    board: Board,
    color: np.ndarray | None,
    rows: Any,
    columns: Any,
    scratch: Scratch,
    counters: np.ndarray,
    deadline: float,
    like: Any,
) -> int:
    """Solve the lines in the bit sets `rows` and `columns`, then those that changed, until nothing changes.

    counters    int64[COUNTERS]: LINE_SOLVES and SWEEPS are added to
    deadline    CPU seconds of this thread at which to give up
    Returns FIXPOINT, CONTRADICTION (a line has no arrangement) or OUT_OF_TIME; the board keeps what was found.
    """
    width, height = int(board.size[0]), int(board.size[1])
    work = 0
    while some(rows) or some(columns):
        for side in range(2):
            if side == 0:
                todo, cells, line, crossing = rows, width, 0, height
                rows = empty(like)
            else:
                todo, cells, line, crossing = columns, height, height, 0
                columns = empty(like)
            changed = empty(like)
            if some(todo):
                counters[SWEEPS] += 1
            while some(todo):
                i = lowest(todo)
                todo = todo & (todo - bit(0, like))
                blocks = board.first[line + i + 1] - board.first[line + i]
                work += (blocks + 1) * board.can.shape[1]
                if work > CLOCK_EVERY:
                    work = 0
                    if cpu_seconds() > deadline:
                        return OUT_OF_TIME
                counters[LINE_SOLVES] += 1
                if not solve_line(cells, line + i, board, color, scratch, like):
                    return CONTRADICTION
                changed = changed | _tell_crossing_lines(board, color, line + i, i, crossing, scratch.new, like)
            if side == 0:
                columns = columns | changed
            else:
                rows = changed
    return FIXPOINT


@inlined
def _tell_crossing_lines(
    board: Board, color: np.ndarray | None, line: int, place: int, crossing: int, new: np.ndarray, like: Any
) -> Any:
    """Take over a line's new knowledge; the lines that cross it lose the same at their cell `place`.

    crossing    number of the line that crosses at cell 0
    Returns the set of cells that lost a colour.
    """
    palette = 2 if color is None else board.size[2]
    here = bit(place, like)
    changed = empty(like)
    for c in range(palette):
        now = load(new, c, like)
        lost = load(board.can, line * palette + c, like) & ~now
        if some(lost):
            store(board.can, line * palette + c, now)
            changed = changed | lost
            while some(lost):
                x = lowest(lost)
                lost = lost & (lost - bit(0, like))
                k = (crossing + x) * palette + c
                store(board.can, k, load(board.can, k, like) & ~here)
    return changed
