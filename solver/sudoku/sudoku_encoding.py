"""SAT encoding of a board of any size: a variable per candidate of an open cell.

At least one digit per cell and one place per digit and unit: a clause each. At most one: a clause per pair.
"""

from itertools import combinations

import numpy as np

from nonocensus.solver.learning.encoding import FALSE, TRUE
from nonocensus.solver.learning.tail import Encoding
from nonocensus.solver.sudoku.units import Units


def formula_of(can: np.ndarray, units: Units) -> Encoding:
    """Return the formula of a board at the fixpoint of singles; cell colours are the digits, from 0.

    can   int64[cells]: the digits that each cell may have, bit 0 for digit 1
    """
    size = int(units.sides[0])
    may = (can[:, None] >> np.arange(size) & 1).astype(bool)
    free = may & (may.sum(axis=1) > 1)[:, None]
    literal = np.where(may, TRUE, FALSE)
    literal[free] = np.arange(1, np.count_nonzero(free) + 1)
    numbers = np.where(free, literal, 0)
    in_units = numbers[units.cells].transpose(0, 2, 1).reshape(-1, size)
    groups = -np.sort(-np.concatenate([numbers, in_units]), axis=1)  # existing clauses come first
    groups = groups[groups[:, 0] > 0].astype(np.int32)
    pairs = np.concatenate([-groups[:, [i, j]][groups[:, j] > 0] for i, j in combinations(range(size), 2)])
    return Encoding(
        int(np.count_nonzero(free)), literal, np.concatenate([groups, np.pad(pairs, ((0, 0), (0, size - 2)))])
    )
