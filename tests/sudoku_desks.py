"""Sudokus on a desk at every stage, for tests of techniques and of explanations."""

import math
import random
from copy import deepcopy
from functools import cache

import numpy as np
import sudoku_oracle as oracle

from nonocensus.solver.model import sudoku_techniques
from nonocensus.solver.sudoku.techniques.chains import FOUND
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, desk_for, lay_down, strike
from nonocensus.solver.sudoku.techniques.sudoku_person import take_step


@cache
def hard(seed: int, wide: int = 3, high: int = 3) -> np.ndarray:
    return oracle.minimal(wide, high, random.Random(seed))


def known(desk: SudokuDesk, size: int) -> oracle.Board:
    return {
        (cell // size, cell % size): frozenset(digit + 1 for digit in range(size) if int(can) >> digit & 1)
        for cell, can in enumerate(desk.can)
    }


def drawn(seed: int, wide: int, high: int) -> SudokuDesk:
    """Return a desk to work on, of those that `_drawn` makes: every technique is tried on the same ones."""
    return deepcopy(_drawn(seed, wide, high))


@cache
def _drawn(seed: int, wide: int, high: int) -> SudokuDesk:
    """Return a desk with a solved grid of which some cells are written down, and others have more digits, by chance."""
    rng = random.Random(seed)
    solution = oracle.full_grid(wide, high, rng).ravel()
    desk = desk_for(wide, high)
    share, most = rng.uniform(0.1, 0.45), rng.randint(2, 5)
    lay_down(desk, np.where([rng.random() < share for _ in solution], solution, 0).astype(np.uint8))
    for cell, digit in enumerate(solution.tolist()):
        others = [k for k in range(wide * high) if k != digit - 1 and int(desk.can[cell]) >> k & 1]
        kept = {digit - 1, *rng.sample(others, min(len(others), rng.randint(most // 2, most)))}
        strike(desk, cell, ~sum(1 << k for k in kept))
    while any(take_step(desk, technique, math.inf) == FOUND for technique in range(sudoku_techniques.LOCKED)):
        pass
    return desk
