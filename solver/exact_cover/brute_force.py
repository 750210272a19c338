"""Brute-force baseline: branch on the first uncovered item and try its rows.

No lookahead: a conflict is detected only when a row is tried. No branching heuristic.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.jit.kernel import kernel


class Tries(NamedTuple):
    """A problem in its input layout, with the search stack.

    offsets      int64[rows + 1], items int32[entries]: the problem's
    starts       int64[items + 1], options int32[entries]: the rows of each item
    is_covered   bool[items]
    item         int64[levels]: by level, the item branched on
    at           int64[levels]: by level, the index in `options` of the selected row
    counts       int64[1]: entries tried
    """

    offsets: np.ndarray
    items: np.ndarray
    starts: np.ndarray
    options: np.ndarray
    is_covered: np.ndarray
    item: np.ndarray
    at: np.ndarray
    counts: np.ndarray
    primary: int


def try_all(cover: Cover, levels: int) -> Tries:
    """Return the problem in arrays of its own."""
    items = cover.primary + cover.secondary
    row = np.repeat(np.arange(cover.rows), np.diff(cover.offsets))
    order = np.argsort(cover.items, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(cover.items, minlength=items)))).astype(np.int64)
    return Tries(
        cover.offsets.copy(),
        cover.items.copy(),
        starts,
        row[order].astype(np.int32),
        np.zeros(items, np.bool_),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(1, np.int64),
        cover.primary,
    )


@kernel
def branch(x: Tries, level: int) -> bool:
    """Choose the first uncovered item; False if all primary items are covered."""
    for item in range(x.primary):
        if not x.is_covered[item]:
            x.item[level], x.at[level] = item, x.starts[item] - 1
            return True
    return False


@kernel
def advance(x: Tries, level: int) -> bool:
    """Deselect the level's row, if any, and select the next that fits; False if none is left."""
    item = x.item[level]
    if x.at[level] >= x.starts[item]:
        _mark(x, row_at(x, level), False)
    for k in range(x.at[level] + 1, x.starts[item + 1]):
        row: Any = np.int64(x.options[k])
        if _fits(x, row):
            _mark(x, row, True)
            x.at[level] = k
            return True
    return False


@kernel
def row_at(x: Tries, level: int) -> int:
    """Return the row selected at a level."""
    return int(x.options[x.at[level]])


@kernel
def _fits(x: Tries, row: int) -> bool:
    """Return whether no item of a row is covered."""
    for k in range(x.offsets[row], x.offsets[row + 1]):
        x.counts[0] += 1
        if x.is_covered[x.items[k]]:
            return False
    return True


@kernel
def _mark(x: Tries, row: int, covered: bool) -> None:
    """Mark the items of a row as covered or not."""
    for k in range(x.offsets[row], x.offsets[row + 1]):
        x.is_covered[x.items[k]] = covered
