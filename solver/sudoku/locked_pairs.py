"""Locked candidates and pairs, a fast path for what lookahead (sudoku_lookahead) also finds.

locked candidates   a digit's places in a box are all in one row or column, or the other way round
naked pair          two cells of a unit have the same two digits and no others
hidden pair         two digits of a unit have the same two places and no others
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count
from nonocensus.solver.sudoku.singles import keep
from nonocensus.solver.sudoku.units import Units


@kernel
def rule_out_locked(can: np.ndarray, units: Units, due: np.ndarray) -> bool:
    """Apply every locked candidate once, marking units of changed cells due; return whether no cell is empty."""
    size, wide, high = units.sides[0], units.sides[1], units.sides[2]
    start: Any = np.int64(0)  # a literal would be a separate type to Numba
    for line in range(2 * size):
        lines, cells = (high, wide) if line < size else (wide, high)
        for part in range(0, size, cells):
            box = units.of[units.cells[line, part], 2]
            in_both = _union(can, units, line, part, part + cells)
            rest_of_line = _union(can, units, line, start, part) | _union(can, units, line, part + cells, size)
            rest_of_box: Any = np.int64(0)
            first = line // lines * lines if line < size else size + (line - size) // lines * lines
            for other in range(first, first + lines):
                if other != line:
                    rest_of_box |= _union(can, units, other, part, part + cells)
            locked = in_both & ~rest_of_line & rest_of_box
            if locked != 0:
                for k in range(size):
                    cell = units.cells[box, k]
                    elsewhere = units.of[cell, 0] != line and units.of[cell, 1] != line
                    if elsewhere and not keep(can, cell, ~locked, units, due):
                        return False
            locked = in_both & ~rest_of_box & rest_of_line
            if locked != 0:
                for k in range(size):
                    elsewhere = k < part or k >= part + cells
                    if elsewhere and not keep(can, units.cells[line, k], ~locked, units, due):
                        return False
    return True


@inlined
def _union(can: np.ndarray, units: Units, unit: int, first: int, end: int) -> int:
    """Return the digits that some cells of a unit may have."""
    digits: Any = np.int64(0)
    for k in range(first, end):
        digits |= can[units.cells[unit, k]]
    return int(digits)


@kernel
def rule_out_pairs(can: np.ndarray, units: Units, due: np.ndarray) -> bool:
    """Apply every naked and hidden pair once, marking units of changed cells due; return whether no cell is empty."""
    size = units.sides[0]
    for unit in range(len(units.cells)):
        once: Any = np.int64(0)
        twice: Any = np.int64(0)
        more: Any = np.int64(0)
        for k in range(size):
            digits = can[units.cells[unit, k]]
            more |= twice & digits
            twice |= once & digits
            once |= digits
        two = twice & ~more
        for k in range(size):
            one = units.cells[unit, k]
            if can[one] & (can[one] - 1) == 0:
                continue
            for j in range(k + 1, size):
                other = units.cells[unit, j]
                common = can[one] & can[other]
                if common == can[one] and common == can[other] and count(np.uint64(common)) == 2:
                    for i in range(size):
                        if i != k and i != j and not keep(can, units.cells[unit, i], ~common, units, due):
                            return False
                elif count(np.uint64(common & two)) == 2 and not (
                    keep(can, one, common & two, units, due) and keep(can, other, common & two, units, due)
                ):
                    return False
    return True
