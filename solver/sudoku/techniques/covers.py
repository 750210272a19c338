"""Naked and hidden subsets and fish: so many things that have only so many places between them leave none to others.

Cells of a unit and their digits: naked pair, triple, quad. Digits of a unit and their cells: hidden ones. Rows and the
columns in which they may have a digit, or the other way round: x-wing, swordfish, jellyfish.
"""

from typing import Any

import numpy as np

from solver.bits import count
from solver.jit import inlined, kernel
from solver.sudoku.techniques.desk import Desk, places, strike

UNIT, DIGIT = 4, 5
"""Where in `chosen` a find has its unit and its digit."""


@kernel
def naked_subset(desk: Desk, number: int) -> bool:
    """The first so many cells of a unit with as many digits that take any from the unit's others.

    Noted: which of the unit's cells, and at UNIT the unit.
    """
    size = desk.units.sides[0]
    for unit in range(len(desk.units.cells)):
        for k in range(size):
            cell = desk.units.cells[unit, k]
            desk.sets[k] = 0 if desk.placed[cell] else desk.can[cell]
        _begin(desk)
        while _next(desk, size, number):
            digits = _union(desk, number)
            found = False
            for k in range(size):
                cell = desk.units.cells[unit, k]
                if not _is_chosen(desk, number, k) and not desk.placed[cell] and strike(desk, cell, digits):
                    found = True
            if found:
                desk.chosen[UNIT] = unit
                return True
    return False


@kernel
def hidden_subset(desk: Desk, number: int) -> bool:
    """The first so many digits of a unit with as many places that take any other digit from these.

    Noted: the digits less one, and at UNIT the unit.
    """
    size = desk.units.sides[0]
    for unit in range(len(desk.units.cells)):
        for k in range(size):
            where = places(desk, unit, 1 << k)
            desk.sets[k] = where if where & (where - 1) != 0 else 0
        _begin(desk)
        while _next(desk, size, number):
            where = _union(desk, number)
            digits: Any = np.int64(0)
            for i in range(number):
                digits |= 1 << desk.chosen[i]
            found = False
            for k in range(size):
                if where >> k & 1 != 0 and strike(desk, desk.units.cells[unit, k], ~digits):
                    found = True
            if found:
                desk.chosen[UNIT] = unit
                return True
    return False


@kernel
def fish(desk: Desk, number: int) -> bool:
    """The first so many rows with as many columns for a digit, or the other way round, that take it from others.

    Noted: which of the rows or columns, at UNIT the first of all these, and at DIGIT the digit less one.
    """
    size = desk.units.sides[0]
    for place in range(size):
        digit = 1 << place
        for first in range(0, 2 * size, size):
            for k in range(size):
                where = places(desk, first + k, digit)
                desk.sets[k] = where if where & (where - 1) != 0 else 0
            _begin(desk)
            while _next(desk, size, number):
                where = _union(desk, number)
                found = False
                for k in range(size):
                    for j in range(size if not _is_chosen(desk, number, k) else 0):
                        if where >> j & 1 != 0 and strike(desk, desk.units.cells[first + k, j], digit):
                            found = True
                if found:
                    desk.chosen[UNIT], desk.chosen[DIGIT] = first, place
                    return True
    return False


@inlined
def _begin(desk: Desk) -> None:
    """Before the first choice of sets."""
    desk.chosen[0] = -1
    desk.chosen[1] = -1  # so that `_next` knows that it begins


@inlined
def _next(desk: Desk, size: int, number: int) -> bool:
    """Choose the next so many sets, none of them empty, with no more members between them; whether there are any."""
    chosen = desk.chosen
    i = 0 if chosen[1] == -1 else number - 1
    while i >= 0:
        chosen[i] += 1
        if chosen[i] > size - number + i:
            i -= 1
        elif desk.sets[chosen[i]] != 0 and count(np.uint64(_union(desk, i + 1))) <= number:
            if i == number - 1:
                return True
            i += 1
            chosen[i] = chosen[i - 1]
    return False


@inlined
def _union(desk: Desk, number: int) -> int:
    """The members of the first sets chosen."""
    members: Any = np.int64(0)
    for i in range(number):
        members |= desk.sets[desk.chosen[i]]
    return int(members)


@inlined
def _is_chosen(desk: Desk, number: int, k: int) -> bool:
    """Whether set k is one of those chosen."""
    found = False
    for i in range(number):
        found = found or bool(desk.chosen[i] == k)
    return found
