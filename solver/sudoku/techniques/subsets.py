"""Naked and hidden subsets and fish: N needs that share N places exclude these for others.

Cells of a unit and their digits: naked pair, triple, quad. Digits of a unit and their cells: hidden ones. Rows and the
columns in which they may have a digit, or the other way round: x-wing, swordfish, jellyfish.
"""

from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import count
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, strike

UNIT, DIGIT = 4, 5
"""Indices in `chosen` of a find's unit and digit."""

NO_DIGIT: Any = np.int64(0)
"""For a find of several digits."""


@kernel
def naked_subset(desk: SudokuDesk, number: int) -> bool:
    """Find the first N cells of a unit with N digits in total that exclude any from the unit's other cells.

    Recorded: indices of the unit's cells, and the unit at UNIT.
    """
    size = desk.units.sides[0]
    for unit in range(len(desk.where)):
        sets: Any = np.int64(0)
        for k in range(size):
            cell = desk.units.cells[unit, k]
            if not desk.placed[cell]:
                sets = _offer(desk, sets, number, k, desk.can[cell])
        _begin(desk)
        while _next(desk, sets, number):
            digits, cells = _union(desk, number), _names(desk, number)
            found = False
            for k in range(size):
                cell = desk.units.cells[unit, k]
                if cells >> k & 1 == 0 and not desk.placed[cell] and strike(desk, cell, digits):
                    found = True
            if found:
                _note(desk, number, unit, NO_DIGIT)
                return True
    return False


@kernel
def hidden_subset(desk: SudokuDesk, number: int) -> bool:
    """Find the first N digits of a unit with N places in total that exclude any other digit from these.

    Recorded: the digits minus one, and the unit at UNIT.
    """
    size = desk.units.sides[0]
    for unit in range(len(desk.where)):
        sets: Any = np.int64(0)
        for k in range(size):
            where = desk.where[unit, k]
            if where & (where - 1) != 0:
                sets = _offer(desk, sets, number, k, where)
        _begin(desk)
        while _next(desk, sets, number):
            where, digits = _union(desk, number), _names(desk, number)
            found = False
            for k in range(size):
                if where >> k & 1 != 0 and strike(desk, desk.units.cells[unit, k], ~digits):
                    found = True
            if found:
                _note(desk, number, unit, NO_DIGIT)
                return True
    return False


@kernel
def fish(desk: SudokuDesk, number: int) -> bool:
    """Find the first N rows with N columns for a digit, or the other way round, that exclude it elsewhere.

    Recorded: indices of the rows or columns, the first line of that kind at UNIT, the digit minus one at DIGIT.
    """
    size = desk.units.sides[0]
    for digit in range(size):
        for first in range(0, 2 * size, size):
            sets: Any = np.int64(0)
            for k in range(size):
                where = desk.where[first + k, digit]
                if where & (where - 1) != 0:
                    sets = _offer(desk, sets, number, k, where)
            _begin(desk)
            while _next(desk, sets, number):
                where, lines = _union(desk, number), _names(desk, number)
                found = False
                for k in range(size):
                    for j in range(size if lines >> k & 1 == 0 else 0):
                        if where >> j & 1 != 0 and strike(desk, desk.units.cells[first + k, j], 1 << digit):
                            found = True
                if found:
                    _note(desk, number, first, digit)
                    return True
    return False


@inlined
def _offer(desk: SudokuDesk, sets: int, number: int, name: int, members: int) -> int:
    """Add a set to the choices unless it alone has too many members; return their number."""
    if members == 0 or count(np.uint64(members)) > number:
        return sets
    desk.sets[sets], desk.named[sets] = members, name
    return sets + 1


@inlined
def _begin(desk: SudokuDesk) -> None:
    """Reset the enumeration of choices."""
    desk.chosen[0] = -1
    desk.chosen[1] = -1  # marks the start for `_next`


@inlined
def _next(desk: SudokuDesk, sets: int, number: int) -> bool:
    """Choose the next N sets with at most N members in total; return whether there are any."""
    chosen = desk.chosen
    i = 0 if chosen[1] == -1 else number - 1
    while i >= 0:
        chosen[i] += 1
        if chosen[i] > sets - number + i:
            i -= 1
        elif count(np.uint64(_union(desk, i + 1))) <= number:
            if i == number - 1:
                return True
            i += 1
            chosen[i] = chosen[i - 1]
    return False


@inlined
def _union(desk: SudokuDesk, number: int) -> int:
    """Return the members of the first sets chosen."""
    members: Any = np.int64(0)
    for i in range(number):
        members |= desk.sets[desk.chosen[i]]
    return int(members)


@inlined
def _names(desk: SudokuDesk, number: int) -> int:
    """Return the numbers of the sets chosen, as a set."""
    names: Any = np.int64(0)
    for i in range(number):
        names |= 1 << desk.named[desk.chosen[i]]
    return int(names)


@inlined
def _note(desk: SudokuDesk, number: int, unit: int, digit: int) -> None:
    """Record a find."""
    for i in range(number):
        desk.chosen[i] = desk.named[desk.chosen[i]]
    desk.chosen[UNIT], desk.chosen[DIGIT] = unit, digit
