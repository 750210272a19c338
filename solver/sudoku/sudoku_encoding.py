"""A board of any size as a formula, for clause learners: a variable for each digit that an open cell may have.

Each cell has a digit and each unit has each digit somewhere: a clause for each. None has two: a clause for each pair.
"""

from itertools import combinations

import numpy as np

from solver.learning.encoding import FALSE, TRUE
from solver.learning.tail import Encoding
from solver.sudoku.units import Units


def formula_of(can: np.ndarray, units: Units) -> Encoding:
    """Return the formula of a board at the fixpoint of singles; the colours of its cells are the digits, from 0 on.

    can   int64[cells]: the digits that each cell may have, bit 0 for digit 1
    """
    size = int(units.sides[0])
    may = (can[:, None] >> np.arange(size) & 1).astype(bool)
    free = may & (may.sum(axis=1) > 1)[:, None]
    literal = np.where(may, TRUE, FALSE)
    literal[free] = np.arange(1, np.count_nonzero(free) + 1)
    numbers = np.where(free, literal, 0)
    in_units = numbers[units.cells].transpose(0, 2, 1).reshape(-1, size)
    groups = -np.sort(-np.concatenate([numbers, in_units]), axis=1)  # what is there comes first
    groups = groups[groups[:, 0] > 0].astype(np.int32)
    pairs = np.concatenate([-groups[:, [i, j]][groups[:, j] > 0] for i, j in combinations(range(size), 2)])
    return Encoding(int(np.count_nonzero(free)), literal, (groups, pairs))
