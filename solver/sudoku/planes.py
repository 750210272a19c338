"""Singles, patterns and assumptions on 9x9 with boxes of 3x3, all units of a kind at once.

`follow_givens`, `use_patterns` and `refute` equal their scalar counterparts in `singles` and `sudoku_lookahead`,
counters included, in a fraction of the time. On a contradiction they change nothing and the caller runs the scalar
counterpart, because its counters depend on the order in which it visits units.

Propagating a row changes cells of that row only, so all rows are processed together, likewise columns and boxes. Units
that are not due yield nothing, so including them is harmless.

A board has a plane for each digit: where it may be, as solver.sudoku.rows.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.lines.bits import count, lowest
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import CONTRADICTIONS, COUNTERS, LINE_SOLVES, PROBES, SWEEPS
from nonocensus.solver.sudoku.locked_pairs import rule_out_pairs
from nonocensus.solver.sudoku.rows import BAND, LANES, lanes_of, load, next_band, next_row, store, united, where_any
from nonocensus.solver.sudoku.sudoku_lookahead import CLOCK_EVERY, ROUNDS
from nonocensus.solver.sudoku.units import KINDS, Units

DIGITS, BANDS, CELLS = 9, 3, 81

ROW = (1 << DIGITS) - 1
"""Mask of a row's cells, or of all units of a kind."""

EVERY = (1 << KINDS * DIGITS) - 1
"""Mask of all units, numbered as in solver.sudoku.units."""

ROWS, COLUMNS, BOXES = (cast(int, np.int64(kind)) for kind in range(KINDS))
"""NumPy scalars, here and below: a literal would be a separate type to Numba."""

LANE = np.array([row // BANDS * BAND + row % BANDS for row in range(DIGITS)])
"""int64[9]: the lane of each row."""

PART = 0b001001001
"""Mask of the first cell of each row part."""


def _masks() -> np.ndarray:
    """Return uint16[NOTHING + 1, LANES]: rows for `load`."""
    masks = np.zeros((NOTHING + 1, LANES), np.uint16)
    for cell in range(CELLS):
        masks[cell, LANE[cell // DIGITS]] = 1 << cell % DIGITS
    for band in range(BANDS):
        masks[IN_BAND + band, BAND * band : BAND * (band + 1)] = ROW
    masks[ALL, LANE] = ROW
    masks[ONES], masks[PARTS] = 1, PART
    return masks


IN_BAND, ALL, ONES, PARTS, NOTHING = (cast(int, np.int64(CELLS + k)) for k in (0, 3, 4, 5, 6))
"""Indices of the masks: each cell, the three bands, all cells; a one in every lane, the first cell of each part,
nothing."""

FIRST, SECOND, THIRD = (cast(int, np.int64(BAND * k)) for k in range(3))
"""First lane of each band."""

MASKS = _masks()


def _locked(by_column: bool) -> np.ndarray:
    """Return int64[512]: the parts of a 3x3 mask of candidates that remain after locked candidates.

    A part is the intersection of a line and a box, bit 3 * line + box, or for columns 3 * box + line. Lines are
    processed in order, as in solver.sudoku.locked_pairs.
    """
    left = np.zeros(512, np.int64)
    for mask in range(512):
        there = np.array([mask >> k & 1 for k in range(9)], bool).reshape(3, 3)
        there = there.T.copy() if by_column else there
        for line in range(3):
            for box in range(3):
                in_line, in_box = there[line].sum() - there[line, box], there[:, box].sum() - there[line, box]
                if there[line, box] and not in_line and in_box:
                    there[:, box] = False
                    there[line, box] = True
                elif there[line, box] and not in_box and in_line:
                    there[line] = False
                    there[line, box] = True
        there = there.T if by_column else there
        left[mask] = sum(1 << k for k in np.flatnonzero(there).tolist())
    return left


LOCKED_IN_ROWS, LOCKED_IN_COLUMNS = _locked(False), _locked(True)

PARTS_OF = np.array([sum(1 << k for k in range(3) if cells >> 3 * k & 7) for cells in range(512)])
"""int64[512]: the row parts that a row's cells touch, three bits."""

CELLS_OF = np.array([sum(7 << 3 * k for k in range(3) if parts >> k & 1) for parts in range(8)])
"""int64[8]: the cells of row parts."""


class PlaneBoard(NamedTuple):
    """Workspace for boards of planes.

    board    uint16[DIGITS, LANES]
    trial    uint16[2 * DIGITS, LANES]: two boards, for assumptions
    alone    uint16[DIGITS, LANES], scratch of `_look`
    cells    int64[CELLS]: a board in the layout of solver.sudoku.singles, for patterns
    due      bool[units], for patterns
    effort   int64[COUNTERS]: work on a board that may still prove contradictory
    """

    board: np.ndarray
    trial: np.ndarray
    alone: np.ndarray
    cells: np.ndarray
    due: np.ndarray
    effort: np.ndarray


def desk_for() -> PlaneBoard:
    """Allocate a workspace, reusable for successive boards."""
    board, trial, alone = (np.zeros((planes, LANES), np.uint16) for planes in (DIGITS, 2 * DIGITS, DIGITS))
    due, effort = np.zeros(KINDS * DIGITS, np.bool_), np.zeros(COUNTERS, np.int64)
    return PlaneBoard(board, trial, alone, np.zeros(CELLS, np.int64), due, effort)


@standalone
def follow_givens(givens: np.ndarray, can: np.ndarray, desk: PlaneBoard, counters: np.ndarray) -> int:
    """Propagate valid givens on `can`: `put_on` and `follow` of solver.sudoku.singles.

    Returns FIXPOINT, or CONTRADICTION without changes.
    """
    board = desk.board
    desk.effort[:] = 0
    board[:] = 0
    for row in range(DIGITS):
        given: Any = np.int64(0)
        for column in range(DIGITS):
            digit: Any = np.int64(givens[DIGITS * row + column])
            if digit != 0:
                given |= 1 << column
                board[digit - 1, LANE[row]] |= 1 << column
        for place in range(DIGITS):
            board[place, LANE[row]] |= ROW & ~given
    due: Any = np.int64(EVERY)
    if _follow(board, desk.alone, due, desk.effort) == CONTRADICTION:
        return CONTRADICTION
    _unpack(board, can)
    _count(desk.effort, counters)
    return FIXPOINT


@standalone
def use_patterns(can: np.ndarray, units: Units, desk: PlaneBoard, counters: np.ndarray) -> int:
    """Propagate singles, locked candidates and pairs: `use_patterns` of solver.sudoku.sudoku_lookahead.

    can   at the fixpoint of singles, no unit due, and so afterwards
    Returns FIXPOINT, or CONTRADICTION without changes.
    """
    board = desk.board
    desk.effort[:] = 0
    _pack(can, board)
    while True:
        due: Any = _rule_out_locked(board)
        if due == 0:
            _unpack(board, desk.cells)
            if not rule_out_pairs(desk.cells, units, desk.due):
                desk.due[:] = False
                return CONTRADICTION
            for unit in range(len(desk.due)):
                due |= np.int64(desk.due[unit]) << unit
                desk.due[unit] = False
            _pack(desk.cells, board)
        if due == 0:
            break
        if _follow(board, desk.alone, due, desk.effort) == CONTRADICTION:
            return CONTRADICTION
    _unpack(board, can)
    _count(desk.effort, counters)
    return FIXPOINT


@standalone
def refute(
    can: np.ndarray, deep: bool, known: np.ndarray, desk: PlaneBoard, counters: np.ndarray, deadline: float
) -> int:
    """Remove every candidate whose assumption fails: `refute` of solver.sudoku.sudoku_lookahead.

    Returns FIXPOINT or OUT_OF_TIME, or CONTRADICTION without changes.
    """
    board, trial, effort = desk.board, desk.trial, desk.effort
    effort[:] = 0
    _pack(can, board)
    status: Any = np.int64(FIXPOINT)
    quiet: Any = np.int64(0)
    cell: Any = np.int64(0)
    while quiet < CELLS and status == FIXPOINT:
        quiet += 1
        row, column = cell // DIGITS, cell % DIGITS
        box = row // BANDS * BANDS + column // BANDS
        around = 1 << row | 1 << DIGITS + column | 1 << 2 * DIGITS + box
        here = load(MASKS, cell)
        digits = _digits_at(board, cell)
        for place in range(DIGITS):
            if digits & (digits - 1) == 0:
                break
            if digits & 1 << place == 0 or (len(known) > 0 and known[cell] == place + 1):
                continue
            probes = counters[PROBES] + effort[PROBES]
            if probes & CLOCK_EVERY == CLOCK_EVERY and cpu_seconds() > deadline:
                status = np.int64(OUT_OF_TIME)
                break
            effort[PROBES] += 1
            for digit in range(DIGITS):
                store(trial, digit, load(board, digit) & ~here)
            store(trial, place, load(board, place))
            if deep:
                stands = _follow(trial, desk.alone, around, effort) == FIXPOINT
            else:
                stands = _stands_rounds(trial, desk.alone, around, effort)
            if not stands:
                effort[CONTRADICTIONS] += 1
                quiet = 0
                store(board, place, load(board, place) & ~here)
                if _follow(board, desk.alone, around, effort) == CONTRADICTION:
                    return CONTRADICTION
                digits = _digits_at(board, cell)
        cell = cell + 1 if cell + 1 < CELLS else 0
    _unpack(board, can)
    _count(effort, counters)
    return int(status)


@inlined
def _count(effort: np.ndarray, counters: np.ndarray) -> None:
    """Add the board's work to the counters."""
    for k in range(len(effort)):
        counters[k] += effort[k]


@kernel
def _follow(board: np.ndarray, alone: np.ndarray, due: int, effort: np.ndarray) -> int:
    """Propagate singles from the due units to a fixpoint; return FIXPOINT or CONTRADICTION."""
    whole: Any = np.int64(0)  # a literal would be a separate type to Numba
    while due != 0:
        for kind in range(KINDS):
            here = due >> DIGITS * kind & ROW
            if here != 0:
                due &= ~(ROW << DIGITS * kind)
                found = _look(kind, board, whole, whole, alone)
                if found < 0:
                    effort[LINE_SOLVES] += _looks_until(here, ~found)
                    return CONTRADICTION
                due |= found
                effort[LINE_SOLVES] += count(np.uint64(here))
        effort[SWEEPS] += 1
    return FIXPOINT


@kernel
def _stands_rounds(trial: np.ndarray, alone: np.ndarray, due: int, effort: np.ndarray) -> bool:
    """Return whether the first of two boards survives ROUNDS rounds from the due units."""
    here: Any = np.int64(0)
    for _ in range(ROUNDS):
        there = DIGITS - here
        following: Any = np.int64(0)
        for digit in range(DIGITS):
            store(trial, there + digit, load(trial, here + digit))
        for kind in range(KINDS):
            units = due >> DIGITS * kind & ROW
            if units != 0:
                found = _look(kind, trial, here, there, alone)
                if found < 0:
                    effort[LINE_SOLVES] += _looks_until(units, ~found)
                    return False
                following |= found
                effort[LINE_SOLVES] += count(np.uint64(units))
        due = following
        here = there
    return True


@inlined
def _looks_until(due: int, unit: int) -> int:
    """Return the number of a kind's due units up to one of them."""
    return count(np.uint64(due & ((2 << unit) - 1)))


@standalone
def _look(kind: int, boards: np.ndarray, here: int, there: int, alone: np.ndarray) -> int:
    """Propagate all units of a kind into another board, perhaps the same.

    boards        uint16[several, LANES], with the boards at `here` and `there`
    Returns the units of changed cells; or ~k (negative) if the kind's unit k is the first contradiction: a cell without
    digit, a digit without place, or a cell or digit with two.
    """
    if kind == ROWS:
        return _look_at(ROWS, boards, here, there, alone)
    if kind == COLUMNS:
        return _look_at(COLUMNS, boards, here, there, alone)
    return _look_at(BOXES, boards, here, there, alone)


@inlined
def _look_at(kind: int, boards: np.ndarray, here: int, there: int, alone: np.ndarray) -> int:
    """Return the same, compiled for each kind."""
    nothing, all_cells = load(MASKS, NOTHING), load(MASKS, ALL)
    once, twice = nothing, nothing
    for digit in range(DIGITS):
        plane = load(boards, here + digit)
        twice = twice | once & plane
        once = once | plane
    decided = once & ~twice
    hidden, wrong, left, changed = nothing, nothing, nothing, nothing
    for digit in range(DIGITS):
        plane = load(boards, here + digit)
        some, several = _places(kind, plane)
        only = plane & some & ~several & ~decided
        wrong = wrong | all_cells & ~some | hidden & only
        hidden = hidden | only
        store(alone, digit, only)
    for digit in range(DIGITS):
        plane, before = load(boards, here + digit), load(boards, there + digit)
        fixed = plane & decided
        some, several = _places(kind, fixed)
        after = before & (plane & ~some & ~hidden | fixed | load(alone, digit))
        wrong = wrong | several & all_cells
        left = left | after
        changed = changed | before ^ after
        store(boards, there + digit, after)
    units = _units(wrong | all_cells & ~left)
    if units != 0:
        return ~lowest(np.uint64(units >> DIGITS * kind & ROW))
    return _units(changed)


@inlined
def _places(kind: int, plane: Any) -> tuple[Any, Any]:
    """Return the units of a kind in which a plane has any cell, and those in which it has several, as cells.

    Lanes without cells are garbage.
    """
    if kind == ROWS:
        return where_any(plane), where_any(plane & plane - load(MASKS, ONES))
    once, twice = _in_band(plane)
    if kind == COLUMNS:
        next_once, next_twice = next_band(once), next_band(twice)
        last_once, last_twice = next_band(next_once), next_band(next_twice)
        several = twice | next_twice | last_twice | once & next_once | (once | next_once) & last_once
        return once | next_once | last_once, several
    second, third, first = once >> 1, once >> 2, load(MASKS, PARTS)
    some = (once | second | third) & first
    several = (once & second | (once | second) & third | twice | twice >> 1 | twice >> 2) & first
    return some | some << 1 | some << 2, several | several << 1 | several << 2


@inlined
def _in_band(plane: Any) -> tuple[Any, Any]:
    """Return per lane the columns in which the rows of the band have any cell, and those with several."""
    second = next_row(plane)
    third = next_row(second)
    return plane | second | third, plane & second | (plane | second) & third


@inlined
def _units(cells: Any) -> int:
    """Return the units of cells, ignoring lanes without cells."""
    lanes = lanes_of(cells)
    rows = lanes & 7 | lanes >> 1 & 56 | lanes >> 2 & 448
    columns, _ = _in_band(cells)
    parts = (columns | columns >> 1 | columns >> 2) & load(MASKS, PARTS)
    parts = parts | parts >> 2 | parts >> 4
    boxes = united(parts & load(MASKS, IN_BAND)) & 7
    boxes |= (united(parts & load(MASKS, IN_BAND + 1)) & 7) << 3
    boxes |= (united(parts & load(MASKS, IN_BAND + 2)) & 7) << 6
    return int(rows | united(columns) << DIGITS | boxes << 2 * DIGITS)


@kernel
def _rule_out_locked(board: np.ndarray) -> int:
    """Apply every locked candidate once, in rows, then in columns; return the units of changed cells.

    A cell that loses its last digit counts as changed, so its units are checked later.
    """
    changed = load(MASKS, NOTHING)
    for digit in range(DIGITS):
        before = load(board, digit)
        plane = board[digit]
        for lane in range(0, BANDS * BAND, BAND):
            parts = PARTS_OF[plane[lane]] | PARTS_OF[plane[lane + 1]] << 3 | PARTS_OF[plane[lane + 2]] << 6
            left = LOCKED_IN_ROWS[parts]
            for k in range(3):
                plane[lane + k] &= CELLS_OF[left >> 3 * k & 7]
        x, y, z = _columns(plane, FIRST), _columns(plane, SECOND), _columns(plane, THIRD)
        for stack in range(3):
            shift = 3 * stack
            left = LOCKED_IN_COLUMNS[x >> shift & 7 | (y >> shift & 7) << 3 | (z >> shift & 7) << 6]
            gone = ~left
            x &= ~((gone & 7) << shift)
            y &= ~((gone >> 3 & 7) << shift)
            z &= ~((gone >> 6 & 7) << shift)
        for k in range(3):
            plane[k] &= x
            plane[BAND + k] &= y
            plane[2 * BAND + k] &= z
        changed = changed | before ^ load(board, digit)
    return _units(changed)


@inlined
def _columns(plane: np.ndarray, lane: int) -> int:
    """Return the columns with any cell of the band whose lanes start at `lane`."""
    columns: Any = np.int64(plane[lane] | plane[lane + 1] | plane[lane + 2])
    return int(columns)


@inlined
def _digits_at(board: np.ndarray, cell: int) -> int:
    """Return the digits that a cell may have, as bits."""
    lane, column = LANE[cell // DIGITS], cell % DIGITS
    digits: Any = np.int64(0)
    for digit in range(DIGITS):
        digits |= (np.int64(board[digit, lane]) >> column & 1) << digit
    return int(digits)


@kernel
def _pack(can: np.ndarray, board: np.ndarray) -> None:
    """Convert a board of cells into planes."""
    board[:] = 0
    for cell in range(CELLS):
        lane, bit = LANE[cell // DIGITS], 1 << cell % DIGITS
        digits: Any = can[cell]
        while digits != 0:
            board[lowest(np.uint64(digits)), lane] |= bit
            digits &= digits - 1


@kernel
def _unpack(board: np.ndarray, can: np.ndarray) -> None:
    """Convert a board of planes into cells."""
    for cell in range(CELLS):
        can[cell] = _digits_at(board, cell)
