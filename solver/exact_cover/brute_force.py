"""Brute-force baseline: branch on the first uncovered item and try its rows.

No lookahead: a conflict is detected only when a row is tried. No branching heuristic.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.problem import NO_COLOR, Cover
from nonocensus.solver.jit.kernel import kernel

FREE = -1
"""Value of `holder` for an uncovered item."""


class Tries(NamedTuple):
    """A problem in its input layout, with the search stack.

    offsets   int64[rows + 1], items int32[entries], colors int32[entries]: the problem's, with a colour per entry
    starts    int64[items + 1], options int32[entries]: the rows of each item
    holder    int32[items]: level of the row that holds an item, or FREE
    color     int32[items]: colour of an item that is held
    item      int64[levels]: by level, the item branched on
    at        int64[levels]: by level, the index in `options` of the selected row; -2 - row for a given row
    counts    int64[1]: entries tried
    """

    offsets: np.ndarray
    items: np.ndarray
    colors: np.ndarray
    starts: np.ndarray
    options: np.ndarray
    holder: np.ndarray
    color: np.ndarray
    item: np.ndarray
    at: np.ndarray
    counts: np.ndarray
    primary: int


def try_all(cover: Cover, levels: int) -> Tries:
    """Return the problem in arrays of its own."""
    items = cover.primary + cover.secondary
    row = np.repeat(np.arange(cover.rows), np.diff(cover.offsets))
    colors = cover.colors if len(cover.colors) else np.full(len(cover.items), NO_COLOR, np.int32)
    order = np.argsort(cover.items, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(cover.items, minlength=items)))).astype(np.int64)
    return Tries(
        cover.offsets.copy(),
        cover.items.copy(),
        colors.copy(),
        starts,
        row[order].astype(np.int32),
        np.full(items, FREE, np.int32),
        np.zeros(items, np.int32),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(1, np.int64),
        cover.primary,
    )


@kernel
def branch(x: Tries, level: int) -> bool:
    """Choose the first uncovered item; False if all primary items are covered."""
    for item in range(x.primary):
        if x.holder[item] == FREE:
            x.item[level], x.at[level] = item, x.starts[item] - 1
            return True
    return False


@kernel
def advance(x: Tries, level: int) -> bool:
    """Deselect the level's row, if any, and select the next that fits; False if none is left."""
    item = x.item[level]
    if x.at[level] >= x.starts[item]:
        _undo(x, level, row_at(x, level))
    for k in range(x.at[level] + 1, x.starts[item + 1]):
        row: Any = np.int64(x.options[k])
        if _take(x, level, row):
            x.at[level] = k
            return True
    return False


@kernel
def leave(x: Tries, level: int) -> None:
    """Deselect the row of a level."""
    _undo(x, level, row_at(x, level))


@kernel
def row_at(x: Tries, level: int) -> int:
    """Return the row selected at a level."""
    return int(x.options[x.at[level]]) if x.at[level] >= 0 else int(-2 - x.at[level])


@kernel
def give(x: Tries, level: int, row: int) -> bool:
    """Select a given row at a level, without alternatives; False if it conflicts."""
    x.at[level] = -2 - row
    return _take(x, level, row)


@kernel
def sound(x: Tries) -> bool:
    """Check that no item is held."""
    held = 0
    for item in range(len(x.holder)):
        held += x.holder[item] != FREE
    return held == 0


@kernel
def _take(x: Tries, level: int, row: int) -> bool:
    """Select a row; False, without a change, if it conflicts."""
    for k in range(x.offsets[row], x.offsets[row + 1]):
        item = x.items[k]
        x.counts[0] += 1
        if x.holder[item] == FREE:
            x.holder[item], x.color[item] = level, x.colors[k]
        elif x.colors[k] == NO_COLOR or x.color[item] != x.colors[k]:
            _undo(x, level, row)
            return False
    return True


@kernel
def _undo(x: Tries, level: int, row: int) -> None:
    """Free the items of a row that it holds at a level."""
    for k in range(x.offsets[row], x.offsets[row + 1]):
        if x.holder[x.items[k]] == level:
            x.holder[x.items[k]] = FREE
