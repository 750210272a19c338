"""The record that techniques work on: one grid with its candidates."""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import lowest
from nonocensus.solver.lines.workspace import COUNTERS
from nonocensus.solver.sudoku.units import KINDS, Units, units_of

WORD = 64
"""Bits of a word."""


class SudokuDesk(NamedTuple):
    """A grid in progress, and scratch memory. `lay_down` and `strike` alone change what is known.

    units      the units of the grid
    peers      int64[cells, peers]: the other cells of each cell's units
    within     int64[cells, KINDS]: the number of each cell within each of its units
    can        int64[cells]: the digits that each cell may have, bit 0 for digit 1
    where      int64[units, size]: the same by digit: candidate places in each unit, as indices within it
    left       int64[units]: cells without a placed digit
    placed     bool[cells]: whether the digit is placed, and so excluded from the cell's peers
    broken     bool[1]: whether a cell or a digit has no candidate: no solution
    sets       int64[size], scratch: sets to choose from
    named      int64[size], scratch: the owners of `sets`
    chosen     int64[6]: indices of the chosen sets; after a find, its record, as each technique documents
    off, on    uint64[words], scratch for chains: marked nodes, as bits
    queue      int64[cells x size], scratch for chains
    trial, due, counters    for solver.sudoku.sudoku_lookahead
    """

    units: Units
    peers: np.ndarray
    within: np.ndarray
    can: np.ndarray
    where: np.ndarray
    left: np.ndarray
    placed: np.ndarray
    broken: np.ndarray
    sets: np.ndarray
    named: np.ndarray
    chosen: np.ndarray
    off: np.ndarray
    on: np.ndarray
    queue: np.ndarray
    trial: np.ndarray
    due: np.ndarray
    counters: np.ndarray


def desk_for(wide: int, high: int) -> SudokuDesk:
    """Return a reusable desk for grids with boxes of wide x high."""
    units = units_of(wide, high)
    size, cells = wide * high, len(units.of)
    peers = [sorted({*units.cells[units.of[cell]].ravel().tolist()} - {cell}) for cell in range(cells)]
    within = [[int(np.searchsorted(units.cells[unit], cell)) for unit in units.of[cell]] for cell in range(cells)]
    one, words = np.int64, -(-cells * size // WORD)
    return SudokuDesk(
        units,
        np.array(peers, one),
        np.array(within, one),
        np.zeros(cells, one),
        np.zeros(units.cells.shape, one),
        np.zeros(len(units.cells), one),
        np.zeros(cells, np.bool_),
        np.zeros(1, np.bool_),
        np.zeros(size, one),
        np.zeros(size, one),
        np.zeros(6, one),
        np.zeros(words, np.uint64),
        np.zeros(words, np.uint64),
        np.zeros(cells * size, one),
        np.zeros((2, cells), one),
        np.zeros((2, len(units.cells)), np.bool_),
        np.zeros(COUNTERS, one),
    )


@kernel
def lay_down(desk: SudokuDesk, givens: np.ndarray) -> None:
    """Load valid givens."""
    size = desk.units.sides[0]
    every = (1 << size) - 1
    desk.broken[0] = False
    for cell in range(len(givens)):
        desk.can[cell] = every
        desk.placed[cell] = False
    for unit in range(len(desk.where)):
        desk.left[unit] = size
        for k in range(size):
            desk.where[unit, k] = every
    for cell in range(len(givens)):
        if givens[cell] != 0:
            place(desk, cell, 1 << int(givens[cell] - 1))


@kernel
def place(desk: SudokuDesk, cell: int, digit: int) -> None:
    """Place a digit (its bit) in a cell and exclude it from the cell's peers."""
    strike(desk, cell, ~digit)
    desk.placed[cell] = True
    for kind in range(KINDS):
        desk.left[desk.units.of[cell, kind]] -= 1
    for k in range(desk.peers.shape[1]):
        strike(desk, desk.peers[cell, k], digit)


@kernel
def strike(desk: SudokuDesk, cell: int, digits: int) -> bool:
    """Exclude digits from a cell; return whether it had any of them."""
    struck: Any = desk.can[cell] & digits
    if struck == 0:
        return False
    desk.can[cell] ^= struck
    if desk.can[cell] == 0:
        desk.broken[0] = True
    while struck != 0:
        k = lowest(np.uint64(struck))
        struck &= struck - 1
        for kind in range(KINDS):
            desk.where[desk.units.of[cell, kind], k] &= ~(1 << desk.within[cell, kind])
    return True


@inlined
def sees(desk: SudokuDesk, cell: int, other: int) -> bool:
    """Return whether two cells share a unit; a cell does not see itself."""
    shared = False
    for kind in range(KINDS):
        shared = shared or bool(desk.units.of[cell, kind] == desk.units.of[other, kind])
    return shared and cell != other
