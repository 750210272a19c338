"""Exact-cover problems and their validation."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import NamedTuple

import numpy as np

MOST = 2**31 - 2
"""Maximum sum of rows, items and entries of a problem."""


class Cover(NamedTuple):
    """An exact-cover problem: select rows so that each primary item is in exactly one of them.

    A secondary item may be in at most one of them.

    offsets     int64[rows + 1]: start of each row's entries
    items       int32[entries]: primary items 0..primary - 1, then secondary items
    primary     number of primary items
    secondary   number of secondary items
    """

    offsets: np.ndarray
    items: np.ndarray
    primary: int
    secondary: int = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1


Matrix = Sequence[Sequence[int]] | np.ndarray
"""A problem as a 0/1 matrix: its rows are the rows of the problem, its columns the primary items."""


def cover_of(rows: Iterable[Iterable[int]], primary: int, secondary: int = 0) -> Cover:
    """Return the problem with these rows, each a list of items.

    Raises ValueError as `validate`.
    """
    try:
        lists = [[index(item) for item in row] for row in rows]
        items = np.array([item for row in lists for item in row], np.int32)
    except (OverflowError, TypeError):
        raise ValueError("each row must list its items: integers of 31 bits") from None
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in lists], dtype=np.int64)))
    return validate(Cover(offsets.astype(np.int64), items, primary, secondary))


def validate(problem: Cover | Matrix) -> Cover:
    """Validate a problem, and return it with contiguous arrays of the dtypes that kernels require.

    Raises TypeError for what is neither a problem nor a matrix, and ValueError for no primary item, inconsistent
    arrays, an unknown item, a row without a primary item or with an item twice, and a matrix that is ragged or has
    other numbers than 0 and 1.
    """
    cover = problem if isinstance(problem, Cover) else _of_matrix(problem)
    for name in ("primary", "secondary"):
        number = getattr(cover, name)
        if not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"the number of {name} items is {number!r}; it must be an integer, 0 or more")
    known = int(cover.primary) + int(cover.secondary)
    if cover.primary == 0:
        raise ValueError("there is nothing to cover: no item is primary")
    offsets = _integers("offsets", cover.offsets, np.int64)
    items = _integers("items", cover.items, np.int32)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(items) or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must begin with 0, never fall, and end with the number of entries, {len(items):,}")
    if (size := known + len(offsets) - 1 + len(items)) > MOST:
        raise ValueError(f"{size:,} items, rows and entries in all: at most {MOST:,} are possible")
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    _refuse(row, (items < 0) | (items >= known), f"has an item that is not in 0..{known - 1}")
    without = np.bincount(row[items < cover.primary], minlength=len(offsets) - 1) == 0
    _refuse(np.arange(len(offsets) - 1), without, "has no primary item, so nothing says whether to take it")
    order = np.lexsort((items, row))
    twice = (np.diff(row[order]) == 0) & (np.diff(items[order]) == 0)
    _refuse(row[order][1:], twice, "has an item twice")
    return Cover(offsets, items, int(cover.primary), int(cover.secondary))


def _of_matrix(matrix: Matrix) -> Cover:
    """Return the problem of a 0/1 matrix; raises TypeError and ValueError as `validate`."""
    advice = "give a 0/1 matrix, or the problem that cover_of makes of lists of items"
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise ValueError(f"the rows of the matrix have different lengths; {advice}") from None
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(0, 0)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise TypeError(f"{type(matrix).__name__} is no problem of exact cover; {advice}")
    other = np.argwhere((array != 0) & (array != 1))
    if len(other):
        row, column = other[0]
        raise ValueError(f"row {row} of the matrix has {array[row, column]} in column {column}; {advice}")
    row, column = np.nonzero(array)
    offsets = np.searchsorted(row, np.arange(len(array) + 1))
    return Cover(offsets, column, array.shape[1])


def _integers(name: str, values: np.ndarray, kind: type[np.signedinteger]) -> np.ndarray:
    """Return a contiguous array of this dtype. Raises ValueError if `values` don't fit."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be integers in one dimension, not {array.dtype} in {array.ndim}")
    limits = np.iinfo(kind)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ValueError(f"{name} has numbers that are no {np.dtype(kind).name}")
    return np.ascontiguousarray(array, kind)


def _refuse(row: np.ndarray, wrong: np.ndarray, what: str) -> None:
    """Raise ValueError with the first row where `wrong` is set, if any."""
    if wrong.any():
        raise ValueError(f"row {row[wrong][0]} {what}")
