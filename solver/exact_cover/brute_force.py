"""Brute force, to compare with: the first item that is not covered, and of its rows each that fits.

Nothing is known of what a row shuts out until it is met, and no item is preferred.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.exact_cover.problem import NO_COLOR, Cover
from solver.jit.kernel import kernel

FREE = -1
"""As who holds an item."""


class Tries(NamedTuple):
    """A problem as it came, and how far the search is in it.

    offsets   int64[rows + 1], items int32[entries], colors int32[entries]: as of the problem, a colour for each entry
    starts    int64[items + 1], options int32[entries]: of each item the rows that have it
    holder    int32[items]: the level whose row has taken an item, or FREE
    color     int32[items]: the colour in which it has
    item      int64[levels], at int64[levels]: by level, the item branched on, and which of its rows was taken; a row
              from outside is noted in `at` alone, as -2 - row
    counts    int64[1]: entries that were looked at
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
    """Return a problem for brute force, in memory of its own."""
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
    """Choose the first item that is not covered; False if all primary ones are."""
    for item in range(x.primary):
        if x.holder[item] == FREE:
            x.item[level], x.at[level] = item, x.starts[item] - 1
            return True
    return False


@kernel
def advance(x: Tries, level: int) -> bool:
    """Undo the row that was taken of a level's item, if any, and take the next that fits; False if none is left."""
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
    """Undo the row that was taken at a level."""
    _undo(x, level, row_at(x, level))


@kernel
def row_at(x: Tries, level: int) -> int:
    """Return the row taken at a level."""
    return int(x.options[x.at[level]]) if x.at[level] >= 0 else int(-2 - x.at[level])


@kernel
def give(x: Tries, level: int, row: int) -> bool:
    """Take a row at a level, as if it were the only one; False if it does not fit."""
    x.at[level] = -2 - row
    return _take(x, level, row)


@kernel
def sound(x: Tries) -> bool:
    """Return whether no item is held."""
    held = 0
    for item in range(len(x.holder)):
        held += x.holder[item] != FREE
    return held == 0


@kernel
def _take(x: Tries, level: int, row: int) -> bool:
    """Take a row; False, and nothing done, if it does not fit."""
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
    """Free what a row has taken at a level."""
    for k in range(x.offsets[row], x.offsets[row + 1]):
        if x.holder[x.items[k]] == level:
            x.holder[x.items[k]] = FREE
