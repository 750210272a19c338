"""The record that techniques work on: one grid with what each cell may still have."""

from typing import Any, NamedTuple

import numpy as np

from solver.jit import inlined, kernel
from solver.sudoku.units import KINDS, Units, units_of
from solver.tools import COUNTERS


class Desk(NamedTuple):
    """A grid on which somebody works, and memory to work with.

    units      the units of the grid
    peers      int64[cells, peers]: the other cells of each cell's units
    can        int64[cells]: the digits that each cell may have, bit 0 for digit 1
    placed     bool[cells]: whether the digit has been written down, and so taken from the cell's peers
    broken     bool[1]: whether a cell has no digit left, or a digit no place: there is no solution
    sets       int64[size], scratch: sets of which some are looked for that cover little together
    chosen     int64[6], scratch: which of them; after a find, what it was made of (solver.sudoku.techniques.explain)
    mark       int8[cells x size], scratch for chains: OFF or ON, or neither
    queue      int64[cells x size], scratch for chains
    trial, due, counters    for solver.sudoku.lookahead
    """

    units: Units
    peers: np.ndarray
    can: np.ndarray
    placed: np.ndarray
    broken: np.ndarray
    sets: np.ndarray
    chosen: np.ndarray
    mark: np.ndarray
    queue: np.ndarray
    trial: np.ndarray
    due: np.ndarray
    counters: np.ndarray


def desk_for(wide: int, high: int) -> Desk:
    """A desk for grids with boxes of wide x high, one after the other."""
    units = units_of(wide, high)
    size, cells = wide * high, len(units.of)
    peers = [sorted({*units.cells[units.of[cell]].ravel().tolist()} - {cell}) for cell in range(cells)]
    one = np.int64
    return Desk(
        units,
        np.array(peers, one),
        np.zeros(cells, one),
        np.zeros(cells, np.bool_),
        np.zeros(1, np.bool_),
        np.zeros(size, one),
        np.zeros(6, one),
        np.zeros(cells * size, np.int8),
        np.zeros(cells * size, one),
        np.zeros((2, cells), one),
        np.zeros((2, len(units.cells)), np.bool_),
        np.zeros(COUNTERS, one),
    )


@kernel
def lay_down(desk: Desk, givens: np.ndarray) -> None:
    """Put givens without faults on the desk."""
    every = (1 << desk.units.sides[0]) - 1
    desk.broken[0] = False
    for cell in range(len(givens)):
        desk.can[cell] = every
        desk.placed[cell] = False
    for cell in range(len(givens)):
        if givens[cell] != 0:
            place(desk, cell, 1 << int(givens[cell] - 1))


@kernel
def place(desk: Desk, cell: int, digit: int) -> None:
    """Write a digit (its bit) into a cell, and take it from the cell's peers."""
    strike(desk, cell, ~digit)
    desk.placed[cell] = True
    for k in range(desk.peers.shape[1]):
        strike(desk, desk.peers[cell, k], digit)


@inlined
def strike(desk: Desk, cell: int, digits: int) -> bool:
    """Take digits from a cell; whether it had any of them."""
    struck = desk.can[cell] & digits != 0
    desk.can[cell] &= ~digits
    if desk.can[cell] == 0:
        desk.broken[0] = True
    return bool(struck)


@inlined
def sees(desk: Desk, cell: int, other: int) -> bool:
    """Whether two cells share a unit; a cell does not see itself."""
    shared = False
    for kind in range(KINDS):
        shared = shared or bool(desk.units.of[cell, kind] == desk.units.of[other, kind])
    return shared and cell != other


@inlined
def places(desk: Desk, unit: int, digit: int) -> int:
    """The cells of a unit that may have a digit (its bit), as a set of numbers within the unit."""
    found: Any = np.int64(0)
    for k in range(desk.units.sides[0]):
        found |= np.int64(desk.can[desk.units.cells[unit, k]] & digit != 0) << k
    return int(found)
