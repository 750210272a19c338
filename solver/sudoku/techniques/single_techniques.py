"""Singles: the last cell of a unit, a digit's last place in a unit, a cell's last digit."""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.bits import count, lowest
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, place


@kernel
def last_cell(desk: SudokuDesk) -> bool:
    """Fill the first unit with one open cell. Recorded: the unit."""
    for unit in range(len(desk.left)):
        if desk.left[unit] != 1:
            continue
        last: Any = np.int64(0)
        for k in range(desk.units.sides[0]):
            cell = desk.units.cells[unit, k]
            if not desk.placed[cell]:
                last = cell
        if count(np.uint64(desk.can[last])) == 1:
            place(desk, last, desk.can[last])
            desk.chosen[0] = unit
            return True
    return False


@kernel
def hidden_single(desk: SudokuDesk) -> bool:
    """Place the first digit with one place left in a unit, boxes first as people search. Recorded: the unit."""
    size, units = desk.units.sides[0], len(desk.where)
    for turn in range(units):
        unit = (turn + 2 * size) % units
        for k in range(size):
            where = desk.where[unit, k]
            if where & (where - 1) != 0:
                continue
            if where == 0:
                desk.broken[0] = True
                return True
            cell = desk.units.cells[unit, lowest(np.uint64(where))]
            if not desk.placed[cell]:
                place(desk, cell, 1 << k)
                desk.chosen[0] = unit
                return True
    return False


@kernel
def naked_single(desk: SudokuDesk) -> bool:
    """Fill the first cell with one digit left."""
    for cell in range(len(desk.can)):
        if not desk.placed[cell] and desk.can[cell] & (desk.can[cell] - 1) == 0:
            place(desk, cell, desk.can[cell])
            return True
    return False
