"""Propagation of line logic to its fixpoint, on all lines or on some.

Sweeps alternate between all changed rows and all changed columns (Batenburg's sweeps). Rows share no cells, so the
result of a sweep, and the number of lines it solves, do not depend on the order inside it.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import bit, empty, has_any, load, lowest, store
from nonocensus.solver.lines.board import Board
from nonocensus.solver.lines.checked import CHECKED, has_known, is_consistent
from nonocensus.solver.lines.line_cache import NO_ENTRY, entry_of, holds, recall, remember
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.workspace import (
    CHANGED_COLUMNS,
    CHANGED_ROWS,
    LINE_SOLVES,
    NEXT_CHECK,
    SOLVED_COLUMNS,
    SOLVED_ROWS,
    SWEEPS,
    WORK,
    Workspace,
)
from nonocensus.solver.tuning import LOOK_EVERY

FIXPOINT, CONTRADICTION, OUT_OF_TIME = 0, 1, 2


@kernel
def propagate(
    board: Board,
    color: np.ndarray | None,
    rows: Any,
    columns: Any,
    open_rows: Any,
    open_columns: Any,
    workspace: Workspace,
) -> int:
    """Solve the lines in the bit sets `rows` and `columns`, then those that changed, until nothing changes.

    open_rows, open_columns   the lines that may be solved; others are only updated
    Returns FIXPOINT, CONTRADICTION (a line has no arrangement) or OUT_OF_TIME. The board is updated in each case;
    `workspace.report` lists the lines that were solved and those with a changed cell.
    """
    bit_width = workspace.bit_width
    width, height = int(board.size[0]), int(board.size[1])
    rows, columns = rows & open_rows, columns & open_columns
    solved_rows, solved_columns = rows, columns
    changed_rows, changed_columns = empty(bit_width), empty(bit_width)
    status = FIXPOINT
    held = CHECKED and has_known(board, bit_width)
    while status == FIXPOINT and (has_any(rows) or has_any(columns)):
        for side in range(2):
            if side == 0:
                todo, cells, line, crossing = rows, width, 0, height
            else:
                todo, cells, line, crossing = columns, height, height, 0
            changed, crossed = empty(bit_width), empty(bit_width)
            if has_any(todo):
                workspace.counters[SWEEPS] += 1
            while has_any(todo) and status == FIXPOINT:
                i = lowest(todo)
                todo = todo & (todo - bit(0, bit_width))
                status = check_clock(board, line + i, workspace)
                workspace.counters[LINE_SOLVES] += 1
                if status == FIXPOINT and not _solve_cached(cells, line + i, board, color, workspace):
                    status = CONTRADICTION
                if status == FIXPOINT:
                    lost = _update_crossing_lines(board, color, line + i, i, crossing, workspace.new, bit_width)
                    crossed = crossed | lost
                    if has_any(lost):
                        changed = changed | bit(i, bit_width)
            if CHECKED:
                assert not held or (status != CONTRADICTION and has_known(board, bit_width)), (
                    "line logic lost a solution"
                )
            if side == 0:
                changed_rows, changed_columns = changed_rows | changed, changed_columns | crossed
                rows, columns = empty(bit_width), columns | (crossed & open_columns)
                solved_columns = solved_columns | columns
            else:
                changed_rows, changed_columns = changed_rows | crossed, changed_columns | changed
                rows, columns = crossed & open_rows, empty(bit_width)
                solved_rows = solved_rows | rows
    if CHECKED:
        assert status == CONTRADICTION or is_consistent(board, bit_width), (
            "rows and columns differ, or a cell has no colour left"
        )
    store(workspace.report, SOLVED_ROWS, solved_rows)
    store(workspace.report, SOLVED_COLUMNS, solved_columns)
    store(workspace.report, CHANGED_ROWS, changed_rows)
    store(workspace.report, CHANGED_COLUMNS, changed_columns)
    return status


@inlined
def check_clock(board: Board, line: int, workspace: Workspace) -> int:
    """Count the work of solving a line; returns OUT_OF_TIME if a clock check is due and the deadline has passed."""
    work = (board.first[line + 1] - board.first[line] + 1) * board.can.shape[1]
    return OUT_OF_TIME if is_late_after(work, workspace.counters, workspace.deadline) else FIXPOINT


@inlined
def is_late_after(work: int, counters: np.ndarray, deadline: float) -> bool:
    """Count work; if a check of the clock is due, return whether the deadline has passed, else False.

    After the deadline every later check is late too, so callers need not propagate the status. Code that checks the
    clock itself must make the next check due (counters[NEXT_CHECK] = 0), or answers may depend on the machine's speed.
    """
    counters[WORK] += work
    if counters[WORK] < counters[NEXT_CHECK]:
        return False
    late = cpu_seconds() > deadline
    if not late:
        counters[NEXT_CHECK] = counters[WORK] + LOOK_EVERY
    return late


@inlined
def _solve_cached(cells: int, line: int, board: Board, color: np.ndarray | None, workspace: Workspace) -> bool:
    """Solve a line of `cells` cells, by the cache if it has the result; returns False if it has no arrangement."""
    cache, new, bit_width = workspace.line_cache, workspace.new, workspace.bit_width
    entry = entry_of(cache, board, line, bit_width)
    if entry != NO_ENTRY and recall(cache, entry, board, new, bit_width):
        if CHECKED:
            assert solve_line(cells, line, board, color, workspace), "a cached line has no arrangement"
            assert holds(cache, entry, board, new, bit_width), "a cached line is not its solution"
        return True
    solved = solve_line(cells, line, board, color, workspace)
    if solved and entry != NO_ENTRY:
        remember(cache, entry, board, new, bit_width)
    return solved


@inlined
def _update_crossing_lines(
    board: Board, color: np.ndarray | None, line: int, place: int, crossing: int, new: np.ndarray, bit_width: Any
) -> Any:
    """Update a line with its new possible colours, and the crossing lines at their cell `place`.

    crossing    number of the line that crosses at cell 0
    Returns the set of cells that lost a colour.
    """
    here = bit(place, bit_width)
    if color is None:  # a cell loses one of two colours: one loop over both
        white, black = load(board.can, 2 * line, bit_width), load(board.can, 2 * line + 1, bit_width)
        store(board.can, 2 * line, load(new, 0, bit_width))
        store(board.can, 2 * line + 1, load(new, 1, bit_width))
        lost_black = black & ~load(new, 1, bit_width)
        changed = left = lost_black | (white & ~load(new, 0, bit_width))
        while has_any(left):
            x = lowest(left)
            left = left & (left - bit(0, bit_width))
            k = 2 * (crossing + x) + has_any((lost_black >> x) & bit(0, bit_width))
            store(board.can, k, load(board.can, k, bit_width) & ~here)
        return changed
    palette = board.size[2]
    changed = empty(bit_width)
    for c in range(palette):
        now = load(new, c, bit_width)
        lost = load(board.can, line * palette + c, bit_width) & ~now
        if has_any(lost):
            store(board.can, line * palette + c, now)
            changed = changed | lost
            while has_any(lost):
                x = lowest(lost)
                lost = lost & (lost - bit(0, bit_width))
                k = (crossing + x) * palette + c
                store(board.can, k, load(board.can, k, bit_width) & ~here)
    return changed
