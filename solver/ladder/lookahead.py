"""Failed literals, the rungs depth-2 and probe: assume a colour of a cell; a contradiction refutes it.

The reach of an assumption is counted in levels, as in pbnsolve's contradiction check. The cell's lines are level 0.
Where a line of level k has a cell of which more is known than when the rung began (by line logic alone), the crossing
line is of level k + 1. Lines below the depth limit are solved to their joint fixpoint; lines at the limit are only
checked for an arrangement. Without a limit an assumption is followed by line logic to its fixpoint.

More knowledge never gives a line a later level, so it never refutes less. Hence the fixpoint is independent of the
order of the probes, and a transposed or mirrored puzzle stays on its rung. (pbnsolve counts levels from the changes of
the assumption alone, where a cell that an earlier probe decided no longer leads to its crossing line.)
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.bits import bit, empty, has_any, load, low_bits, lowest, store
from nonocensus.solver.lines.board import Board, allows, assume, copy, forbid, is_open
from nonocensus.solver.lines.checked import CHECKED, has_known, is_at_fixpoint, is_known_color
from nonocensus.solver.lines.line_cache import rebase
from nonocensus.solver.lines.line_solver import has_arrangement
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, check_clock, propagate
from nonocensus.solver.lines.workspace import (
    CHANGED_COLUMNS,
    CHANGED_ROWS,
    CONTRADICTIONS,
    LINE_SOLVES,
    PROBES,
    SOLVED_COLUMNS,
    SOLVED_ROWS,
    Workspace,
)

NO_LIMIT: Any = np.int64(-1)
"""Depth without a limit. (A Python integer would be a type of its own to the compiler.)"""


@kernel
def begin(board: Board, began: Board, seen: np.ndarray, bit_width: Any) -> None:
    """Initialise `began` and `seen` for `refute` on this board."""
    copy(board, began)
    probes = board.size[0] * board.size[1] * board.size[2]
    if seen.shape[0] >= 2 * probes:
        for k in range(2 * probes):
            store(seen, k, empty(bit_width))


@standalone
def refute(
    board: Board,
    trial: Board,
    began: Board,
    color: np.ndarray | None,
    depth: int,
    most: int,
    seen: np.ndarray,
    log: np.ndarray,
    workspace: Workspace,
) -> int:
    """Remove every colour of every cell that its assumption refutes, to the fixpoint.

    Precondition and postcondition: the board is at the fixpoint of line logic. Returns as `propagate`.

    trial   scratch board with the same clues
    began   board as it was when the rung began (`begin`); unused with NO_LIMIT
    most    contradictions after which to stop, or NO_LIMIT
    seen    uint64[2 x cells x palette, words]: rows and columns that the last probe of each colour of each cell solved
            at this depth; a probe is skipped while they don't change. With fewer rows nothing is skipped
    log     int32[n, 3]: row k becomes (y, x, colour) of contradiction k of the counters; later ones are not logged
    """
    bit_width = workspace.bit_width
    if CHECKED:
        assert is_at_fixpoint(board, color, workspace), "probing began short of the fixpoint of line logic"
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    probes = width * height * palette
    left = most
    rebase(workspace.line_cache, board, bit_width)
    found = True
    while found:
        found = False
        for y in range(height):
            for x in range(width):
                for c in range(palette):
                    status = try_color(board, trial, began, color, y, x, c, depth, seen, workspace)
                    if status == CONTRADICTION:
                        found = True
                        _count_contradiction(workspace.counters, log, y, x, c)
                        status = take_away(board, color, y, x, c, workspace)
                        rebase(workspace.line_cache, board, bit_width)
                        if seen.shape[0] >= 2 * probes:
                            forget(seen, probes, workspace)
                        left -= 1
                    if status != FIXPOINT or left == 0:
                        return status
    return FIXPOINT


@inlined
def try_color(
    board: Board,
    trial: Board,
    began: Board,
    color: np.ndarray | None,
    y: int,
    x: int,
    c: int,
    depth: int,
    seen: np.ndarray,
    workspace: Workspace,
) -> int:
    """Assume colour c of a cell on the trial board; returns as `probe`.

    FIXPOINT too, without a trial, if the cell is decided or can't have the colour, or if no line of the last trial has
    changed. The other arguments are those of `refute`.
    """
    bit_width = workspace.bit_width
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    number, remember = (y * width + x) * palette + c, seen.shape[0] >= 2 * width * height * palette
    if not is_open(board, y, x, bit_width) or not allows(board, y, x, c, bit_width):
        return FIXPOINT
    if remember and has_any(load(seen, 2 * number, bit_width)):
        return FIXPOINT
    copy(board, trial)
    if depth == NO_LIMIT:
        status = probe(trial, color, y, x, c, workspace)
    else:
        status = look_ahead(trial, began, color, y, x, c, depth, workspace)
    if status == FIXPOINT and remember:
        store(seen, 2 * number, load(workspace.report, SOLVED_ROWS, bit_width))
        store(seen, 2 * number + 1, load(workspace.report, SOLVED_COLUMNS, bit_width))
    return status


@kernel
def _count_contradiction(counters: np.ndarray, log: np.ndarray, y: int, x: int, c: int) -> None:
    """Count a contradiction, and log its assumption if the log has room."""
    number = counters[CONTRADICTIONS]
    if number < log.shape[0]:
        log[number, 0], log[number, 1], log[number, 2] = y, x, c
    counters[CONTRADICTIONS] = number + 1


@standalone
def take_away(board: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Remove colour c from a cell and propagate; the report includes this cell's lines. Returns as `propagate`."""
    bit_width = workspace.bit_width
    row, column = bit(y, bit_width), bit(x, bit_width)
    forbid(board, y, x, c, bit_width)
    rows, columns = low_bits(int(board.size[1]), bit_width), low_bits(int(board.size[0]), bit_width)
    status = propagate(board, color, row, column, rows, columns, workspace)
    store(workspace.report, CHANGED_ROWS, load(workspace.report, CHANGED_ROWS, bit_width) | row)
    store(workspace.report, CHANGED_COLUMNS, load(workspace.report, CHANGED_COLUMNS, bit_width) | column)
    return status


@kernel
def adopt(board: Board, trial: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Set a cell to colour c and propagate; returns as `probe`. The board changes only if the result is FIXPOINT."""
    copy(board, trial)
    status = probe(trial, color, y, x, c, workspace)
    if status == FIXPOINT:
        copy(trial, board)
    return status


@kernel
def forget(seen: np.ndarray, probes: int, workspace: Workspace) -> None:
    """Invalidate entries of `seen` whose probe solved a line that has changed since."""
    bit_width = workspace.bit_width
    rows, columns = load(workspace.report, CHANGED_ROWS, bit_width), load(workspace.report, CHANGED_COLUMNS, bit_width)
    for k in range(0, 2 * probes, 2):
        if has_any((load(seen, k, bit_width) & rows) | (load(seen, k + 1, bit_width) & columns)):
            store(seen, k, empty(bit_width))
            store(seen, k + 1, empty(bit_width))


@kernel
def probe(trial: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Assume colour c of a cell and propagate to the fixpoint; returns as `propagate`.

    `workspace.report` has the lines that the result depends on (SOLVED_ROWS, SOLVED_COLUMNS).
    """
    bit_width = workspace.bit_width
    held = _assume(trial, y, x, c, workspace)
    rows, columns = low_bits(int(trial.size[1]), bit_width), low_bits(int(trial.size[0]), bit_width)
    status = propagate(trial, color, bit(y, bit_width), bit(x, bit_width), rows, columns, workspace)
    if CHECKED:
        assert not held or (status != CONTRADICTION and has_known(trial, bit_width)), "a probe refuted a solution"
    return status


@kernel
def look_ahead(
    trial: Board, began: Board, color: np.ndarray | None, y: int, x: int, c: int, depth: int, workspace: Workspace
) -> int:
    """Assume colour c of a cell and follow it to a depth; returns as `probe`.

    began   board as it was when the rung began
    """
    bit_width = workspace.bit_width
    held = _assume(trial, y, x, c, workspace)
    status = _follow_levels(trial, began, color, bit(y, bit_width), bit(x, bit_width), depth, workspace)
    if CHECKED:
        assert not held or (status != CONTRADICTION and has_known(trial, bit_width)), "a lookahead refuted a solution"
    return status


@inlined
def _assume(trial: Board, y: int, x: int, c: int, workspace: Workspace) -> bool:
    """Assume a colour of a cell; returns whether the known solution must survive (checked mode)."""
    bit_width = workspace.bit_width
    held = CHECKED and has_known(trial, bit_width) and is_known_color(trial, y, x, c)
    workspace.counters[PROBES] += 1
    assume(trial, y, x, c, bit_width)
    return held


@inlined
def _follow_levels(
    trial: Board, began: Board, color: np.ndarray | None, rows: Any, columns: Any, depth: int, workspace: Workspace
) -> int:
    """Solve the lines of levels below the depth, starting at level 0; check the lines of that depth."""
    bit_width = workspace.bit_width
    width, height = int(trial.size[0]), int(trial.size[1])
    first_row: Any = np.int64(0)  # as lines are numbered: the rows, then the columns
    first_column: Any = np.int64(height)
    open_rows, open_columns = rows, columns
    for level in range(depth):
        status = propagate(trial, color, rows, columns, open_rows, open_columns, workspace)
        if status != FIXPOINT:
            return status
        rows = load(workspace.report, CHANGED_ROWS, bit_width) & ~open_rows
        columns = load(workspace.report, CHANGED_COLUMNS, bit_width) & ~open_columns
        if level + 1 < depth:
            # Unchanged lines need no solving, but are solved once they change.
            crossing_rows = _where_more_is_known(trial, began, first_column, open_columns, bit_width)
            crossing_columns = _where_more_is_known(trial, began, first_row, open_rows, bit_width)
            open_rows, open_columns = open_rows | crossing_rows, open_columns | crossing_columns
    store(workspace.report, SOLVED_ROWS, open_rows | rows)
    store(workspace.report, SOLVED_COLUMNS, open_columns | columns)
    status = _check_lines(trial, color, rows, width, first_row, workspace)
    if status == FIXPOINT:
        status = _check_lines(trial, color, columns, height, first_column, workspace)
    return status


@kernel
def _where_more_is_known(trial: Board, began: Board, first: int, lines: Any, bit_width: Any) -> Any:
    """Return the positions where lines, numbered from `first`, have a cell of which more is known than on `began`."""
    palette = int(trial.size[2])
    places = empty(bit_width)
    while has_any(lines):
        line = first + lowest(lines)
        lines = lines & (lines - bit(0, bit_width))
        for k in range(line * palette, (line + 1) * palette):
            places = places | (load(began.can, k, bit_width) & ~load(trial.can, k, bit_width))
    return places


@kernel
def _check_lines(
    trial: Board, color: np.ndarray | None, lines: Any, cells: int, first: int, workspace: Workspace
) -> int:
    """Check that lines of `cells` cells, numbered from `first`, have arrangements; returns as `propagate`."""
    bit_width = workspace.bit_width
    while has_any(lines):
        line = first + lowest(lines)
        lines = lines & (lines - bit(0, bit_width))
        if check_clock(trial, line, workspace) == OUT_OF_TIME:
            return OUT_OF_TIME
        workspace.counters[LINE_SOLVES] += 1
        if not has_arrangement(cells, line, trial, color, workspace):
            return CONTRADICTION
    return FIXPOINT
