"""Rows as bit sets: one bit per item, and one per colour of a secondary item.

Selecting a row drops the rows that have a bit it forbids. Each level has its own list of remaining rows, so
backtracking needs no undo. Rows per primary item are counted bit-parallel, 64 items at once, with two bits and an
overflow bit; exact counts are computed only if all items of a word overflow.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.problem import NO_COLOR, Cover
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines.bits import lowest

PLANES = 32
"""Maximum bit length of a row count."""


class BitRows(NamedTuple):
    """A problem as bit sets, with the search stack.

    has       uint64[rows, words]: a bit per primary item, then one per pair of a secondary item and a colour
    forbids   uint64[rows, words]: bits excluded in other selected rows; the same array as `has` without colours
    left      int32[levels + 1, rows]: by level, the remaining rows, ascending
    number    int64[levels + 1]: by level, the number of remaining rows
    open      uint64[levels + 1, primary words]: by level, the uncovered primary items
    item      int64[levels]: by level, the item branched on
    at        int64[levels]: by level, the index in `left` of the selected row; -1 if none yet
    planes    uint64[PLANES]: bit planes for counting
    counts    int64[1]: rows dropped
    """

    has: np.ndarray
    forbids: np.ndarray
    left: np.ndarray
    number: np.ndarray
    open: np.ndarray
    item: np.ndarray
    at: np.ndarray
    planes: np.ndarray
    counts: np.ndarray


def words_of(cover: Cover) -> int:
    """Return the number of 64-bit words per row."""
    return -(-(cover.primary + len(_pairs(cover)[0])) // 64)


def set_bits(cover: Cover, levels: int) -> BitRows:
    """Return the problem as bit sets."""
    rows = cover.rows
    row = np.repeat(np.arange(rows), np.diff(cover.offsets))
    has = np.zeros((rows, words_of(cover)), np.uint64)
    _set(has, row, _bits(cover))
    forbids = has
    if len(cover.colors):
        forbids = has.copy()
        _forbid_colors(forbids, row, cover)
    left = np.zeros((levels + 1, rows), np.int32)
    left[0] = np.arange(rows)
    number = np.zeros(levels + 1, np.int64)
    number[0] = rows
    still_open = np.zeros((levels + 1, -(-cover.primary // 64)), np.uint64)
    _set(still_open, np.zeros(cover.primary, np.int64), np.arange(cover.primary))
    item, at = np.zeros(levels, np.int64), np.full(levels, -1, np.int64)
    planes, counts = np.zeros(PLANES, np.uint64), np.zeros(1, np.int64)
    return BitRows(has, forbids, left, number, still_open, item, at, planes, counts)


def _pairs(cover: Cover) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct pairs of secondary item and colour, sorted int64[pairs, 2], and each secondary entry's index."""
    secondary = cover.items >= cover.primary
    colors = cover.colors[secondary] if len(cover.colors) else NO_COLOR
    numbers, which = np.unique(cover.items[secondary].astype(np.int64) << 31 | colors, return_inverse=True)
    return np.stack((numbers >> 31, numbers & (1 << 31) - 1), axis=1), which


def _bits(cover: Cover) -> np.ndarray:
    """Return the bit index of each entry, int64[entries]."""
    bits = cover.items.astype(np.int64)
    bits[bits >= cover.primary] = cover.primary + _pairs(cover)[1]
    return bits


def _forbid_colors(forbids: np.ndarray, row: np.ndarray, cover: Cover) -> None:
    """Set the bits of each row's items in other colours, and clear those of its own colours."""
    pairs, _ = _pairs(cover)
    of_item = np.zeros((cover.secondary, forbids.shape[1]), np.uint64)
    _set(of_item, pairs[:, 0] - cover.primary, cover.primary + np.arange(len(pairs)))
    secondary = cover.items >= cover.primary
    np.bitwise_or.at(forbids, row[secondary], of_item[cover.items[secondary] - cover.primary])
    colored = cover.colors != NO_COLOR
    own = np.zeros_like(forbids)
    _set(own, row[colored], _bits(cover)[colored])
    forbids &= ~own


def _set(sets: np.ndarray, which: np.ndarray, bits: np.ndarray) -> None:
    """Set bit `bits[k]` in set `which[k]` for each k."""
    np.bitwise_or.at(sets, (which, bits // 64), np.uint64(1) << (bits % 64).astype(np.uint64))


# The interface of a layout (solver.exact_cover.layouts).


@kernel
def branch(x: BitRows, level: int) -> bool:
    """Choose the item with the fewest remaining rows, ties to the first; False if all primary items are covered."""
    best: Any = np.int64(1) << 40
    item: Any = np.int64(-1)
    for word in range(x.open.shape[1]):
        candidates = x.open[level, word]
        if candidates != 0:
            fewest = _fewest(x, level, word, best)
            if fewest < best:
                best, item = fewest, 64 * word + np.int64(lowest(x.planes[0]))
    if item < 0:
        return False
    x.item[level], x.at[level] = item, -1
    return True


@kernel
def advance(x: BitRows, level: int) -> bool:
    """Select the next remaining row with the level's item; False if there is none."""
    word, mask = x.item[level] >> 6, np.uint64(1) << np.uint64(x.item[level] & 63)
    for k in range(x.at[level] + 1, x.number[level]):
        if x.has[x.left[level, k], word] & mask != 0:
            x.at[level] = k
            row: Any = np.int64(x.left[level, k])
            _take(x, level, row)
            return True
    return False


@kernel
def leave(x: BitRows, level: int) -> None:
    """Do nothing: each level has its own list."""


@kernel
def row_at(x: BitRows, level: int) -> int:
    """Return the row selected at a level."""
    return int(x.left[level, x.at[level]])


@kernel
def give(x: BitRows, level: int, row: int) -> bool:
    """Select a given row at a level, without alternatives; False if it conflicts."""
    for k in range(x.number[level]):
        if x.left[level, k] == row:
            x.at[level] = k
            _take(x, level, row)
            return True
    return False


@kernel
def sound(x: BitRows) -> bool:
    """Check that level 0 has all rows."""
    return bool(x.number[0] == x.has.shape[0] and (x.number[0] == 0 or x.left[0, x.number[0] - 1] == x.number[0] - 1))


@kernel
def _take(x: BitRows, level: int, row: int) -> None:
    """Select a row: the next level keeps the rows that it does not forbid and the items that it does not cover."""
    kept = np.int64(0)
    for k in range(x.number[level]):
        other = np.int64(x.left[level, k])
        clash = np.uint64(0)
        for word in range(x.has.shape[1]):
            clash |= x.has[other, word] & x.forbids[row, word]
        x.left[level + 1, kept] = other
        if clash == 0:
            kept += 1
    x.counts[0] += x.number[level] - kept
    x.number[level + 1] = kept
    for word in range(x.open.shape[1]):
        x.open[level + 1, word] = x.open[level, word] & ~x.has[row, word]


@kernel
def _fewest(x: BitRows, level: int, word: int, best: int) -> int:
    """Return the minimum row count of a word's open items, and store the items that have it in planes[0].

    A minimum of `best` or more may be inexact: any number from `best` on.
    """
    candidates = x.open[level, word]
    ones, twos, more = np.uint64(0), np.uint64(0), np.uint64(0)
    for k in range(x.number[level]):
        bits = x.has[x.left[level, k], word]
        carry = ones & bits
        ones ^= bits
        more |= twos & carry
        twos ^= carry
    few = candidates & ~more
    for number in range(4):
        those = few
        those = those & ones if number & 1 else those & ~ones
        those = those & twos if number & 2 else those & ~twos
        if those != 0:
            x.planes[0] = those
            return number
    if best <= 4:
        return best
    return _fewest_of_many(x, level, word)


@kernel
def _fewest_of_many(x: BitRows, level: int, word: int) -> int:
    """Return the exact minimum if each open item of the word is in four rows or more."""
    used = 1
    x.planes[0] = np.uint64(0)
    for k in range(x.number[level]):
        carry = x.has[x.left[level, k], word]
        plane = 0
        while carry != 0:
            if plane == used:
                x.planes[used] = np.uint64(0)
                used += 1
            both = x.planes[plane] & carry
            x.planes[plane] ^= carry
            carry = both
            plane += 1
    candidates = x.open[level, word]
    number: Any = np.int64(0)
    for plane in range(used - 1, -1, -1):
        without = candidates & ~x.planes[plane]
        if without != 0:
            candidates = without
        else:
            number |= np.int64(1) << plane
    x.planes[0] = candidates
    return int(number)
