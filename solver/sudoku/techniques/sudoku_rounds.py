"""The features of a Sudoku that explain how long people take: how scarce progress is, counted in rounds.

A round places all that is easiest on the present grid, at once: last cells of units and last places of digits in boxes;
else last places in rows and columns; else naked singles. Without any, locked candidates exclude digits until they find
no more. After these a puzzle counts as stuck: what harder techniques find depends on their order. So features are equal
for a puzzle and its mirrored, permuted and relabelled images.
"""

import math
from typing import Any

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import lowest
from nonocensus.solver.sudoku.techniques.locked import locked_candidates
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, lay_down, place

EASY, ANY = range(2)
"""Rows of scratch memory: last cells and last places in boxes; last places in all units."""

FEW = 5
"""Most hidden singles of a narrow round."""

FEATURES = {
    "search": "squared number of open cells, per hidden single and another half, summed over the rounds",
    "hard_cells": "cells that are no last cell, and in their box not the last place of their digit, and `stuck`",
    "naked_rounds": "rounds that place naked singles",
    "narrow_rounds": f"rounds with at most {FEW} hidden singles",
    "stuck": "open cells that singles and locked candidates leave",
    "spread": "standard deviation of the number of givens with each digit",
}
"""Definitions by name, in the order of the vector."""

SEARCH, HARD_CELLS, NAKED_ROUNDS, NARROW_ROUNDS, STUCK, SPREAD = range(len(FEATURES))


@kernel
def count_all(
    desk: SudokuDesk,
    givens: np.ndarray,
    ends: np.ndarray,
    which: np.ndarray,
    found: np.ndarray,
    features: np.ndarray,
    taken: np.ndarray,
) -> None:
    """Count the features of puzzles with one solution, of the desk's kind.

    givens, ends   puzzle p's givens are givens[ends[p] : ends[p + 1]] (solver.sudoku.grids)
    which          int64: the puzzles
    found          int64[2, cells], scratch
    features       float64[puzzles, FEATURES]: output
    taken          float64[puzzles]: incremented by CPU seconds
    """
    for p in which:
        begun = cpu_seconds()
        count_features(desk, givens[ends[p] : ends[p + 1]], found, features[p])
        taken[p] += cpu_seconds() - begun


@kernel
def count_features(desk: SudokuDesk, givens: np.ndarray, found: np.ndarray, features: np.ndarray) -> None:
    """Count the features of a puzzle with one solution; arguments of `count_all`."""
    lay_down(desk, givens)
    features[:] = 0
    features[SPREAD] = _spread(givens, desk.units.sides[0])
    left: Any = np.int64(0)
    for cell in range(len(givens)):
        left += np.int64(givens[cell] == 0)
    while left > 0:
        _find_hidden(desk, found)
        easy, hidden = _number(found[EASY]), _number(found[ANY])
        features[SEARCH] += left * left / (hidden + 0.5)
        features[NARROW_ROUNDS] += hidden <= FEW
        if hidden == 0:
            _find_naked(desk, found[ANY])
        taken = _place_all(desk, found[EASY if easy > 0 else ANY])
        if taken > 0:
            features[HARD_CELLS] += taken - easy
            features[NAKED_ROUNDS] += hidden == 0
            left -= taken
        elif locked_candidates(desk):
            while locked_candidates(desk):
                pass
        else:
            features[STUCK] = left
            features[HARD_CELLS] += left
            left = 0


@inlined
def _find_hidden(desk: SudokuDesk, found: np.ndarray) -> None:
    """Find open cells that are the last place of a digit (its bit) in any unit, and the easy ones among them."""
    found[:] = 0
    size = desk.units.sides[0]
    for unit in range(len(desk.where)):
        easy = unit >= 2 * size or desk.left[unit] == 1
        for k in range(size if desk.left[unit] > 0 else 0):
            where = desk.where[unit, k]
            cell = desk.units.cells[unit, lowest(np.uint64(where))]
            if where & (where - 1) == 0 and not desk.placed[cell]:
                found[ANY, cell] = 1 << k
                if easy:
                    found[EASY, cell] = 1 << k


@inlined
def _find_naked(desk: SudokuDesk, found: np.ndarray) -> None:
    """Find each open cell with one digit left (its bit)."""
    for cell in range(len(found)):
        can = desk.can[cell]
        found[cell] = can if can & (can - 1) == 0 and not desk.placed[cell] else 0


@inlined
def _place_all(desk: SudokuDesk, found: np.ndarray) -> int:
    """Place the digits found; return their number."""
    for cell in range(len(found)):
        if found[cell] != 0:
            place(desk, cell, found[cell])
    return _number(found)


@inlined
def _number(found: np.ndarray) -> int:
    """Return the number of cells found."""
    number: Any = np.int64(0)
    for cell in range(len(found)):
        number += np.int64(found[cell] != 0)
    return int(number)


@inlined
def _spread(givens: np.ndarray, size: int) -> float:
    """Return the standard deviation of the number of givens with each digit; exact until the root."""
    total: Any = np.int64(0)
    squares: Any = np.int64(0)
    for digit in range(1, size + 1):
        number: Any = np.int64(0)
        for cell in range(len(givens)):
            number += np.int64(givens[cell] == digit)
        total += number
        squares += number * number
    return math.sqrt(size * squares - total * total) / size
