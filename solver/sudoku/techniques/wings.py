"""Wings: short chains of cells with two digits, or three."""

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count, lowest
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, sees, strike


@kernel
def bent_wing(desk: SudokuDesk, digits: int) -> bool:
    """Find the first XY-wing (pivot of 2 digits) or XYZ-wing (of 3) that excludes a digit.

    Two peers of the pivot have two digits each: one of the pivot's and z; together with the pivot they have three
    digits. One of them (or the pivot of an XYZ-wing) has z, so cells that see all of these don't. Recorded: the pivot
    and the two peers.
    """
    for pivot in range(len(desk.can)):
        if count(np.uint64(desk.can[pivot])) != digits:
            continue
        for k in range(desk.peers.shape[1]):
            one = desk.peers[pivot, k]
            if not _is_wing(desk, pivot, one, digits):
                continue
            for j in range(k + 1, desk.peers.shape[1]):
                other = desk.peers[pivot, j]
                z = desk.can[one] & desk.can[other]
                if not _is_wing(desk, pivot, other, digits) or desk.can[one] == desk.can[other]:
                    continue
                if z == 0 or (digits == 2 and z & desk.can[pivot] != 0):
                    continue
                if count(np.uint64(desk.can[pivot] | desk.can[one] | desk.can[other])) != 3:
                    continue
                if _strike_common(desk, one, other, pivot if digits == 3 else one, z):
                    desk.chosen[0], desk.chosen[1], desk.chosen[2] = pivot, one, other
                    return True
    return False


@inlined
def _is_wing(desk: SudokuDesk, pivot: int, cell: int, digits: int) -> bool:
    """Return whether a peer has two digits, one of them (both for a pivot with three) the pivot's."""
    shared = count(np.uint64(desk.can[cell] & desk.can[pivot]))
    return bool(count(np.uint64(desk.can[cell])) == 2 and shared == digits - 1)


@inlined
def _strike_common(desk: SudokuDesk, one: int, other: int, third: int, digit: int) -> bool:
    """Exclude a digit from all cells that see two cells and a third, which may be the first."""
    found = False
    for k in range(desk.peers.shape[1]):
        cell = desk.peers[one, k]
        if sees(desk, cell, other) and (third == one or sees(desk, cell, third)) and strike(desk, cell, digit):
            found = True
    return found


@kernel
def w_wing(desk: SudokuDesk) -> bool:
    """Find the first two cells with the same digits a and b, one of them b, that exclude b from what sees both.

    Some unit has two places for a, each seen by one of the cells, so not both cells have a. Recorded: the cells, and
    a as a bit.
    """
    for one in range(len(desk.can)):
        if count(np.uint64(desk.can[one])) != 2:
            continue
        for other in range(one + 1, len(desk.can)):
            if desk.can[other] != desk.can[one] or sees(desk, one, other):
                continue
            for a in (desk.can[one] & -desk.can[one], desk.can[one] & (desk.can[one] - 1)):
                if _is_linked(desk, one, other, a) and _strike_common(desk, one, other, one, desk.can[one] & ~a):
                    desk.chosen[0], desk.chosen[1], desk.chosen[2] = one, other, a
                    return True
    return False


@inlined
def _is_linked(desk: SudokuDesk, one: int, other: int, digit: int) -> bool:
    """Return whether a unit has two places for a digit, each seen by one of two other cells."""
    linked, k = False, lowest(np.uint64(digit))
    for unit in range(len(desk.where)):
        where = desk.where[unit, k]
        if count(np.uint64(where)) == 2:
            s = desk.units.cells[unit, lowest(np.uint64(where))]
            t = desk.units.cells[unit, lowest(np.uint64(where & (where - 1)))]
            free = s not in (one, other) and t not in (one, other)
            ways = (sees(desk, s, one) and sees(desk, t, other)) or (sees(desk, t, one) and sees(desk, s, other))
            linked = linked or (free and ways)
    return linked
