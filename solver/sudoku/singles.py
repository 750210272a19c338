"""Line logic of Sudoku: naked and hidden singles in all units, to their fixpoint.

Propagating a unit excludes the digit of each decided cell (naked single) from its other cells, and assigns each digit
with one place left (hidden single). The rules are monotone, so the fixpoint does not depend on the order. Sweeps
process the changed rows, then columns, then boxes, so that every counter is reproducible.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT
from nonocensus.solver.lines.workspace import LINE_SOLVES, SWEEPS
from nonocensus.solver.sudoku.units import KINDS, Units


@kernel
def put_on(givens: np.ndarray, units: Units, can: np.ndarray, due: np.ndarray) -> None:
    """Initialise a board from valid givens: open cells may have every digit, every unit is due."""
    every = (1 << units.sides[0]) - 1
    for cell in range(len(givens)):
        can[cell] = 1 << (np.int64(givens[cell]) - 1) if givens[cell] != 0 else every
    for unit in range(len(units.cells)):
        due[unit] = True


@kernel
def follow(can: np.ndarray, units: Units, due: np.ndarray, counters: np.ndarray) -> int:
    """Propagate singles to a fixpoint; return FIXPOINT or CONTRADICTION.

    can        int64[cells]: the digits that each cell may have, bit 0 for digit 1
    due        bool[units]: units to process; all False afterwards, except on a contradiction
    counters   of solver.lines.workspace: incremented by units processed and sweeps
    """
    while True:
        looks: Any = np.int64(0)
        for unit in range(len(units.cells)):
            if due[unit]:
                due[unit] = False
                looks += 1
                if not look(can, can, units, unit, due):
                    counters[LINE_SOLVES] += looks
                    for k in range(len(due)):
                        due[k] = False
                    return CONTRADICTION
        if looks == 0:
            return FIXPOINT
        counters[LINE_SOLVES] += looks
        counters[SWEEPS] += 1


@inlined
def look(can: np.ndarray, told: np.ndarray, units: Units, unit: int, due: np.ndarray) -> bool:
    """Propagate a unit into another board, perhaps the same; return whether no cell or digit is empty.

    Units of changed cells become due.
    """
    size = units.sides[0]
    once: Any = np.int64(0)
    twice: Any = np.int64(0)
    fixed: Any = np.int64(0)
    for k in range(size):
        digits = can[units.cells[unit, k]]
        twice |= once & digits
        once |= digits
        if digits & (digits - 1) == 0:
            if fixed & digits != 0:
                return False
            fixed |= digits
    if once != (1 << size) - 1:
        return False
    if once == fixed:
        return True
    hidden = once & ~twice & ~fixed
    for k in range(size):
        cell = units.cells[unit, k]
        digits = can[cell]
        if digits & (digits - 1) == 0:
            continue
        here = digits & hidden
        left = here if here != 0 else digits & ~fixed
        if here & (here - 1) != 0 or left == 0:
            return False
        if left != digits and not keep(told, cell, left, units, due):
            return False
    return True


@inlined
def keep(can: np.ndarray, cell: int, digits: int, units: Units, due: np.ndarray) -> bool:
    """Restrict a cell to these digits, marking its units due if it changes; return whether any digit is left."""
    before = can[cell]
    can[cell] = before & digits
    if can[cell] != before:
        for kind in range(KINDS):
            due[units.of[cell, kind]] = True
    return bool(can[cell] != 0)


@inlined
def decided(can: np.ndarray, cells: int) -> int:
    """Return the number of cells with one digit left."""
    number: Any = np.int64(0)
    for cell in range(cells):
        number += np.int64(can[cell] & (can[cell] - 1) == 0)
    return int(number)


@inlined
def write(can: np.ndarray, picture: np.ndarray) -> None:
    """Write the grid of a board whose cells are all decided."""
    for cell in range(len(picture)):
        picture[cell] = count(np.uint64(can[cell] - 1)) + 1
