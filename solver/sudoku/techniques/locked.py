"""Locked candidates: a digit's places in one unit all lie in another; so it is nowhere else in that one."""

from typing import Any

import numpy as np

from solver.jit import kernel
from solver.sudoku.techniques.desk import Desk, strike
from solver.sudoku.units import KINDS


@kernel
def locked_candidates(desk: Desk) -> bool:
    """The first that take a digit away: pointing from a box to a line, or claiming from a line to a box.

    Noted: the unit, that which has all its places, and the digit less one.
    """
    units = desk.units
    size = units.sides[0]
    for unit in range(len(units.cells)):
        for k in range(size):
            digit = 1 << k
            for kind in range(KINDS):
                other: Any = np.int64(-1)  # the one unit of this kind that has all places; -2 if there are several
                for j in range(size):
                    cell = units.cells[unit, j]
                    if desk.can[cell] & digit != 0:
                        other = units.of[cell, kind] if other in (-1, units.of[cell, kind]) else -2
                found = False
                for j in range(size if other >= 0 and other != unit else 0):
                    cell = units.cells[other, j]
                    within = unit in (units.of[cell, 0], units.of[cell, 1], units.of[cell, 2])
                    if not within and strike(desk, cell, digit):
                        found = True
                if found:
                    desk.chosen[0], desk.chosen[1], desk.chosen[2] = unit, other, k
                    return True
    return False
