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

from solver.jit.kernel import apart, inlined, kernel
from solver.lines.bits import bit, empty, load, low, lowest, some, store
from solver.lines.board import Board, allows, assume, copy, forbid, is_open
from solver.lines.checked import CHECKED, at_fixpoint, holds, knows
from solver.lines.line_solver import has_arrangement
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME, look_at_clock, propagate
from solver.lines.workspace import (
    CHANGED_COLUMNS,
    CHANGED_ROWS,
    CONTRADICTIONS,
    LINE_SOLVES,
    PROBES,
    SOLVED_COLUMNS,
    SOLVED_ROWS,
    Tools,
)

NO_LIMIT: Any = np.int64(-1)
"""As a depth: follow an assumption to the fixpoint. (A Python integer would be a type of its own to the compiler.)"""


@kernel
def begin(board: Board, began: Board, seen: np.ndarray, like: Any) -> None:
    """Set up what `refute` keeps: what is known when a rung begins, and that nothing has been probed."""
    copy(board, began)
    probes = board.size[0] * board.size[1] * board.size[2]
    if seen.shape[0] >= 2 * probes:
        for k in range(2 * probes):
            store(seen, k, empty(like))


@apart
def refute(
    board: Board,
    trial: Board,
    began: Board,
    color: np.ndarray | None,
    depth: int,
    most: int,
    seen: np.ndarray,
    log: np.ndarray,
    tools: Tools,
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
    like = tools.like
    if CHECKED:
        assert at_fixpoint(board, color, tools), "probing begins before line logic has ended"
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
                    if not is_open(board, y, x, like) or not allows(board, y, x, c, like):
                        continue
                    if remember and some(load(seen, 2 * number, like)):
                        continue
                    copy(board, trial)
                    if depth == NO_LIMIT:
                        status = probe(trial, color, y, x, c, tools)
                    else:
                        status = look_ahead(trial, began, color, y, x, c, depth, tools)
                    if status == FIXPOINT and remember:
                        store(seen, 2 * number, load(tools.news, SOLVED_ROWS, like))
                        store(seen, 2 * number + 1, load(tools.news, SOLVED_COLUMNS, like))
                    if status == CONTRADICTION:
                        found = True
                        if tools.counters[CONTRADICTIONS] < log.shape[0]:
                            note = log[tools.counters[CONTRADICTIONS]]
                            note[0], note[1], note[2] = y, x, c
                        tools.counters[CONTRADICTIONS] += 1
                        status = take_away(board, color, y, x, c, tools)
                        if remember:
                            forget(seen, probes, tools)
                        left -= 1
                    if status != FIXPOINT or left == 0:
                        return status
    return FIXPOINT


@apart
def take_away(board: Board, color: np.ndarray | None, y: int, x: int, c: int, tools: Tools) -> int:
    """Take colour c away from a cell; line logic follows. Returns as `propagate`; the news count this cell too."""
    like = tools.like
    row, column = bit(y, like), bit(x, like)
    forbid(board, y, x, c, like)
    rows, columns = low(int(board.size[1]), like), low(int(board.size[0]), like)
    status = propagate(board, color, row, column, rows, columns, tools)
    store(tools.news, CHANGED_ROWS, load(tools.news, CHANGED_ROWS, like) | row)
    store(tools.news, CHANGED_COLUMNS, load(tools.news, CHANGED_COLUMNS, like) | column)
    return status


@kernel
def adopt(board: Board, trial: Board, color: np.ndarray | None, y: int, x: int, c: int, tools: Tools) -> int:
    """Give a cell colour c for good, with all that follows by line logic, unless that is a contradiction.

    Returns as `probe`. The board stays as it was if it is a contradiction or time is out.
    """
    copy(board, trial)
    status = probe(trial, color, y, x, c, tools)
    if status == FIXPOINT:
        copy(trial, board)
    return status


@kernel
def forget(seen: np.ndarray, probes: int, tools: Tools) -> None:
    """Drop what is remembered of probes that have solved a line that changed since."""
    like = tools.like
    rows, columns = load(tools.news, CHANGED_ROWS, like), load(tools.news, CHANGED_COLUMNS, like)
    for k in range(0, 2 * probes, 2):
        if some((load(seen, k, like) & rows) | (load(seen, k + 1, like) & columns)):
            store(seen, k, empty(like))
            store(seen, k + 1, empty(like))


@kernel
def probe(trial: Board, color: np.ndarray | None, y: int, x: int, c: int, tools: Tools) -> int:
    """Assume colour c of a cell and follow it by line logic to the fixpoint.

    Returns as `propagate`; `tools.news` says on which lines the outcome depends (SOLVED_ROWS, SOLVED_COLUMNS).
    """
    like = tools.like
    held = _assume(trial, y, x, c, tools)
    rows, columns = low(int(trial.size[1]), like), low(int(trial.size[0]), like)
    status = propagate(trial, color, bit(y, like), bit(x, like), rows, columns, tools)
    if CHECKED:
        assert not held or (status != CONTRADICTION and holds(trial, like)), "a probe refuted a solution"
    return status


@kernel
def look_ahead(
    trial: Board, began: Board, color: np.ndarray | None, y: int, x: int, c: int, depth: int, tools: Tools
) -> int:
    """Assume colour c of a cell and follow it to a depth; `began` is what was known when the rung began.

    Returns as `probe`.
    """
    like = tools.like
    held = _assume(trial, y, x, c, tools)
    status = _follow_levels(trial, began, color, bit(y, like), bit(x, like), depth, tools)
    if CHECKED:
        assert not held or (status != CONTRADICTION and holds(trial, like)), "a lookahead refuted a solution"
    return status


@inlined
def _assume(trial: Board, y: int, x: int, c: int, tools: Tools) -> bool:
    """Assume a colour of a cell. Returns whether a known solution must stay on the board (in the checked mode only)."""
    like = tools.like
    held = CHECKED and holds(trial, like) and knows(trial, y, x, c)
    tools.counters[PROBES] += 1
    assume(trial, y, x, c, like)
    return held


@inlined
def _follow_levels(
    trial: Board, began: Board, color: np.ndarray | None, rows: Any, columns: Any, depth: int, tools: Tools
) -> int:
    """Solve the lines of levels below the depth, from those of level 0 on; check those of the depth."""
    like = tools.like
    width, height = int(trial.size[0]), int(trial.size[1])
    first_row: Any = np.int64(0)  # as lines are numbered: the rows, then the columns
    first_column: Any = np.int64(height)
    open_rows, open_columns = rows, columns
    for level in range(depth):
        status = propagate(trial, color, rows, columns, open_rows, open_columns, tools)
        if status != FIXPOINT:
            return status
        rows = load(tools.news, CHANGED_ROWS, like) & ~open_rows
        columns = load(tools.news, CHANGED_COLUMNS, like) & ~open_columns
        if level + 1 < depth:
            # Lines without news need no solving, but may be solved when they get some.
            crossing_rows = _where_more_is_known(trial, began, first_column, open_columns, like)
            crossing_columns = _where_more_is_known(trial, began, first_row, open_rows, like)
            open_rows, open_columns = open_rows | crossing_rows, open_columns | crossing_columns
    store(tools.news, SOLVED_ROWS, open_rows | rows)
    store(tools.news, SOLVED_COLUMNS, open_columns | columns)
    status = _check_lines(trial, color, rows, width, first_row, tools)
    if status == FIXPOINT:
        status = _check_lines(trial, color, columns, height, first_column, tools)
    return status


@kernel
def _where_more_is_known(trial: Board, began: Board, first: int, lines: Any, like: Any) -> Any:
    """The places at which lines, numbered from line `first` on, have a cell of which more is known than on `began`."""
    palette = int(trial.size[2])
    places = empty(like)
    while some(lines):
        line = first + lowest(lines)
        lines = lines & (lines - bit(0, like))
        for k in range(line * palette, (line + 1) * palette):
            places = places | (load(began.can, k, like) & ~load(trial.can, k, like))
    return places


@kernel
def _check_lines(trial: Board, color: np.ndarray | None, lines: Any, cells: int, first: int, tools: Tools) -> int:
    """Whether lines of so many cells, numbered from line `first` on, have arrangements. Returns as `propagate`."""
    like = tools.like
    while some(lines):
        line = first + lowest(lines)
        lines = lines & (lines - bit(0, like))
        if look_at_clock(trial, line, tools) == OUT_OF_TIME:
            return OUT_OF_TIME
        tools.counters[LINE_SOLVES] += 1
        if not has_arrangement(cells, line, trial, color, tools):
            return CONTRADICTION
    return FIXPOINT
