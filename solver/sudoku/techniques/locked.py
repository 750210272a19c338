"""Locked candidates: a digit's places in one unit all lie in another, so it is excluded from the rest of that one."""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count, lowest
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, strike
from nonocensus.solver.sudoku.units import KINDS

NONE = -1
"""No unit."""


@kernel
def locked_candidates(desk: SudokuDesk) -> bool:
    """Find the first that exclude a digit: pointing from a box to a line, or claiming from a line to a box.

    Recorded: the unit, the unit with all its places, and the digit minus one.
    """
    size = desk.units.sides[0]
    for unit in range(len(desk.where)):
        for k in range(size):
            where = desk.where[unit, k]
            for kind in range(KINDS):
                other = _around(desk, unit, where, kind)
                # nothing to exclude if the other unit has no further places
                if other not in (NONE, unit) and count(np.uint64(desk.where[other, k])) > count(np.uint64(where)):
                    _strike_others(desk, unit, other, k)
                    desk.chosen[0], desk.chosen[1], desk.chosen[2] = unit, other, k
                    return True
    return False


@inlined
def _around(desk: SudokuDesk, unit: int, where: int, kind: int) -> int:
    """Return the unit of a kind that contains all these places of a unit, or NONE."""
    other: Any = np.int64(NONE)
    while where != 0:
        here = desk.units.of[desk.units.cells[unit, lowest(np.uint64(where))], kind]
        if other not in (NONE, here):
            return NONE
        other = here
        where &= where - 1
    return int(other)


@inlined
def _strike_others(desk: SudokuDesk, unit: int, other: int, k: int) -> None:
    """Exclude a digit from the cells of one unit outside another."""
    for j in range(desk.units.sides[0]):
        cell = desk.units.cells[other, j]
        if unit not in (desk.units.of[cell, 0], desk.units.of[cell, 1], desk.units.of[cell, 2]):
            strike(desk, cell, 1 << k)
