"""Units of a grid (rows, columns and boxes) as tables of cells."""

from typing import NamedTuple

import numpy as np

KINDS = 3
"""Kinds of units: rows, columns, boxes, numbered in this order; each cell is in one of each."""


class Units(NamedTuple):
    """The units of grids of one kind. Cells are numbered row by row.

    sides   int64[3]: the size, and the width and height of a box
    cells   int64[3 x size, size]: the cells of each unit, in ascending order
    of      int64[cells, KINDS]: the units of each cell
    """

    sides: np.ndarray
    cells: np.ndarray
    of: np.ndarray


def units_of(wide: int, high: int) -> Units:
    """Return the units of grids with boxes of wide x high cells."""
    size = wide * high
    row, column = (axis.ravel() for axis in np.indices((size, size)))
    of = np.stack([row, size + column, 2 * size + row // high * high + column // wide], axis=1)
    cells = np.array([np.flatnonzero((of == unit).any(axis=1)) for unit in range(KINDS * size)])
    return Units(np.array([size, wide, high]), cells, of)
