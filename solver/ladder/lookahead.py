"""The rungs depth-2 and probe: assume a colour of a cell, look for a contradiction, take the colour away.

How far an assumption is followed is counted in levels, after pbnsolve's contradiction check. The lines through the cell
are level 0. Where a line of level k has a cell of which more is known than when the rung began, by line logic alone,
the line that crosses there is of level k + 1. Lines of levels below the depth are solved, among each other to their
fixpoint; lines of the level of the depth are only checked for having an arrangement. Without a depth limit an
assumption is followed by line logic to its fixpoint.

Either way more knowledge refutes no less, since it gives no line a later level. So the fixpoint does not depend on the
order of the probes, and a puzzle that is turned or mirrored stays on its rung. (Counted from what the assumption alone
changes, as pbnsolve does, it would: a cell that an earlier probe has decided would no longer lead on to its line.)
"""

from typing import Any

import numpy as np

from solver.jit.kernel import inlined, kernel, standalone
from solver.lines.bits import bit, empty, has_any, load, low_bits, lowest, store
from solver.lines.board import Board, allows, assume, copy, forbid, is_open
from solver.lines.checked import CHECKED, has_known, is_at_fixpoint, is_known_color
from solver.lines.line_solver import has_arrangement
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, check_clock, propagate
from solver.lines.workspace import (
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
"""As a depth: follow an assumption to the fixpoint. (A Python integer would be a type of its own to the compiler.)"""


@kernel
def begin(board: Board, began: Board, seen: np.ndarray, bit_width: Any) -> None:
    """Set up what `refute` keeps: what is known when a rung begins, and that nothing has been probed."""
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
    """Take away every colour of every cell whose assumption leads to a contradiction, until there is none.

    trial   a board with the same clues and memory of its own
    began   another one: what was known when the rung began (`begin`); unused with NO_LIMIT
    most    contradictions after which to stop, or NO_LIMIT
    seen    uint64[2 x cells x palette, words]: which rows and columns the last probe of each colour of each cell has
            solved, to this depth. As long as those don't change it need not be repeated. `begin` forgets all; with
            fewer rows nothing is skipped
    log     int32[most, 3]: row k becomes y, x, colour of what is taken away as contradiction number k of the counters;
            what it has no row for is not noted
    The board must be at the fixpoint of line logic, and is so afterwards. Returns as `propagate`.
    """
    bit_width = workspace.bit_width
    if CHECKED:
        assert is_at_fixpoint(board, color, workspace), "probing begins before line logic has ended"
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    probes = width * height * palette
    remember = seen.shape[0] >= 2 * probes
    left = most
    found = True
    while found:
        found = False
        for y in range(height):
            for x in range(width):
                for c in range(palette):
                    number = (y * width + x) * palette + c
                    if not is_open(board, y, x, bit_width) or not allows(board, y, x, c, bit_width):
                        continue
                    if remember and has_any(load(seen, 2 * number, bit_width)):
                        continue
                    copy(board, trial)
                    if depth == NO_LIMIT:
                        status = probe(trial, color, y, x, c, workspace)
                    else:
                        status = look_ahead(trial, began, color, y, x, c, depth, workspace)
                    if status == FIXPOINT and remember:
                        store(seen, 2 * number, load(workspace.report, SOLVED_ROWS, bit_width))
                        store(seen, 2 * number + 1, load(workspace.report, SOLVED_COLUMNS, bit_width))
                    if status == CONTRADICTION:
                        found = True
                        if workspace.counters[CONTRADICTIONS] < log.shape[0]:
                            note = log[workspace.counters[CONTRADICTIONS]]
                            note[0], note[1], note[2] = y, x, c
                        workspace.counters[CONTRADICTIONS] += 1
                        status = take_away(board, color, y, x, c, workspace)
                        if remember:
                            forget(seen, probes, workspace)
                        left -= 1
                    if status != FIXPOINT or left == 0:
                        return status
    return FIXPOINT


@standalone
def take_away(board: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Take colour c away from a cell; line logic follows. Returns as `propagate`; the news count this cell too."""
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
    """Give a cell colour c for good, with all that follows by line logic, unless that is a contradiction.

    Returns as `probe`. The board stays as it was if it is a contradiction or time is out.
    """
    copy(board, trial)
    status = probe(trial, color, y, x, c, workspace)
    if status == FIXPOINT:
        copy(trial, board)
    return status


@kernel
def forget(seen: np.ndarray, probes: int, workspace: Workspace) -> None:
    """Drop what is remembered of probes that have solved a line that changed since."""
    bit_width = workspace.bit_width
    rows, columns = load(workspace.report, CHANGED_ROWS, bit_width), load(workspace.report, CHANGED_COLUMNS, bit_width)
    for k in range(0, 2 * probes, 2):
        if has_any((load(seen, k, bit_width) & rows) | (load(seen, k + 1, bit_width) & columns)):
            store(seen, k, empty(bit_width))
            store(seen, k + 1, empty(bit_width))


@kernel
def probe(trial: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Assume colour c of a cell and follow it by line logic to the fixpoint.

    Returns as `propagate`; `workspace.report` says on which lines the outcome depends (SOLVED_ROWS, SOLVED_COLUMNS).
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
    """Assume colour c of a cell and follow it to a depth; `began` is what was known when the rung began.

    Returns as `probe`.
    """
    bit_width = workspace.bit_width
    held = _assume(trial, y, x, c, workspace)
    status = _follow_levels(trial, began, color, bit(y, bit_width), bit(x, bit_width), depth, workspace)
    if CHECKED:
        assert not held or (status != CONTRADICTION and has_known(trial, bit_width)), "a lookahead refuted a solution"
    return status


@inlined
def _assume(trial: Board, y: int, x: int, c: int, workspace: Workspace) -> bool:
    """Assume a colour of a cell. Returns whether a known solution must stay on the board (in the checked mode only)."""
    bit_width = workspace.bit_width
    held = CHECKED and has_known(trial, bit_width) and is_known_color(trial, y, x, c)
    workspace.counters[PROBES] += 1
    assume(trial, y, x, c, bit_width)
    return held


@inlined
def _follow_levels(
    trial: Board, began: Board, color: np.ndarray | None, rows: Any, columns: Any, depth: int, workspace: Workspace
) -> int:
    """Solve the lines of levels below the depth, from those of level 0 on; check those of the depth."""
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
            # Lines without news need no solving, but may be solved when they get some.
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
    """The places at which lines, numbered from line `first` on, have a cell of which more is known than on `began`."""
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
    """Whether lines of so many cells, numbered from line `first` on, have arrangements. Returns as `propagate`."""
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
