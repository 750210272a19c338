"""Exact-cover problems and their validation."""

from collections.abc import Iterable
from operator import index
from typing import NamedTuple

import numpy as np

MOST = 2**31 - 2
"""Maximum sum of rows, items and entries of a problem."""

NO_COLOR = 0


class Cover(NamedTuple):
    """An exact-cover problem: select rows so that each primary item is in exactly one of them.

    Selected rows may share a secondary item only if all have it in the same colour, not without one.

    offsets     int64[rows + 1]: start of each row's entries
    items       int32[entries]: primary items 0..primary - 1, then secondary items
    colors      int32[entries]: from 1; NO_COLOR for none, as for all primary items; empty if no item has a colour
    primary     number of primary items
    secondary   number of secondary items
    """

    offsets: np.ndarray
    items: np.ndarray
    colors: np.ndarray
    primary: int
    secondary: int = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1


def cover_of(rows: Iterable[Iterable[int | tuple[int, int]]], primary: int, secondary: int = 0) -> Cover:
    """Return the problem with these rows: lists of items, or of pairs of a secondary item and its colour.

    Raises ValueError as `checked`.
    """
    try:
        pairs = [[_pair(entry) for entry in row] for row in rows]
        entries = np.array([pair for row in pairs for pair in row], np.int32).reshape(-1, 2)
    except (OverflowError, TypeError, ValueError):
        raise ValueError("an entry of a row is an item, or an item and its colour: integers of 31 bits") from None
    lengths = [len(row) for row in pairs]
    colors = entries[:, 1] if entries[:, 1].any() else entries[:0, 1]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return checked(Cover(offsets.astype(np.int64), entries[:, 0].copy(), colors.copy(), primary, secondary))


def _pair(entry: int | tuple[int, int]) -> tuple[int, int]:
    """Return an entry as a pair of item and colour."""
    item, color = entry if isinstance(entry, tuple) else (entry, NO_COLOR)
    return index(item), index(color)


def checked(cover: Cover) -> Cover:
    """Validate a problem, and return it with contiguous arrays of the dtypes that kernels require.

    Raises ValueError for no primary item, inconsistent arrays, an unknown item, a row without a primary item or with an
    item twice, and a colour below 0 or of a primary item.
    """
    for name in ("primary", "secondary"):
        number = getattr(cover, name)
        if not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"the number of {name} items is {number!r}; it must be an integer, 0 or more")
    known = int(cover.primary) + int(cover.secondary)
    if cover.primary == 0:
        raise ValueError("there is nothing to cover: no item is primary")
    offsets = _integers("offsets", cover.offsets, np.int64)
    items = _integers("items", cover.items, np.int32)
    colors = _integers("colors", cover.colors, np.int32)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(items) or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must begin with 0, never fall, and end with the number of entries, {len(items):,}")
    if (size := known + len(offsets) - 1 + len(items)) > MOST:
        raise ValueError(f"{size:,} items, rows and entries in all: at most {MOST:,} are possible")
    if len(colors) not in (0, len(items)):
        raise ValueError(f"{len(colors):,} colours of {len(items):,} entries: give one for each, or none")
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    _refuse(row, (items < 0) | (items >= known), f"has an item that is not in 0..{known - 1}")
    without = np.bincount(row[items < cover.primary], minlength=len(offsets) - 1) == 0
    _refuse(np.arange(len(offsets) - 1), without, "has no primary item, so nothing says whether to take it")
    order = np.lexsort((items, row))
    twice = (np.diff(row[order]) == 0) & (np.diff(items[order]) == 0)
    _refuse(row[order][1:], twice, "has an item twice, or in two colours")
    if len(colors):
        _refuse(row, colors < 0, "has a colour below 0")
        _refuse(row, (colors != NO_COLOR) & (items < cover.primary), "has a primary item with a colour")
    return Cover(offsets, items, colors, int(cover.primary), int(cover.secondary))


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
