"""A cache of line solves for assumptions: results for lines of one board with one cell decided.

They are most of the work of depth-2 and of probing. What a decided cell makes of its line depends on that line alone,
and the same assumption is tried again whenever another line has changed. Entries are looked up by the content of a
line, so a line of any board of the same puzzle may use them.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import bit, empty, has_any, load, lowest, store
from nonocensus.solver.lines.board import Board
from nonocensus.solver.tuning import SEEN_BYTES

NO_ENTRY = cast(int, np.int64(-1))


class LineCache(NamedTuple):
    """Line solves of one puzzle; empty arrays for no cache.

    Entry (line x palette + colour) x side + cell is about a cell of a line that has been given a colour.

    base     uint64[lines x palette, words]: the lines before a cell is decided, as `Board.can`; zero for no entries
    filled   uint64[lines x palette, words]: cells with an entry for the colour
    result   uint64[entries x palette, words]: the line after that, palette rows an entry
    """

    base: np.ndarray
    filled: np.ndarray
    result: np.ndarray


def empty_line_cache(lines: int, side: int, palette: int, words: int) -> LineCache:
    """Return a cache for lines of at most `side` cells; without entries if it would take more than SEEN_BYTES."""
    rows = lines * palette if lines * side * palette * palette * words * 8 <= SEEN_BYTES else 0
    return LineCache(*(np.zeros((size, words), np.uint64) for size in (rows, rows, rows * side * palette)))


@kernel
def clear(cache: LineCache, bit_width: Any) -> None:
    """Drop all entries, before another puzzle."""
    for k in range(cache.base.shape[0]):
        store(cache.base, k, empty(bit_width))


@kernel
def rebase(cache: LineCache, board: Board, bit_width: Any) -> None:
    """Make a board the base, and drop the entries of lines that differ."""
    palette = int(board.size[2])
    for line in range(int(board.size[0] + board.size[1]) if len(cache.base) else 0):
        differs = empty(bit_width)
        for k in range(line * palette, (line + 1) * palette):
            differs = differs | (load(board.can, k, bit_width) ^ load(cache.base, k, bit_width))
        if has_any(differs):
            for k in range(line * palette, (line + 1) * palette):
                store(cache.base, k, load(board.can, k, bit_width))
                store(cache.filled, k, empty(bit_width))


@inlined
def entry_of(cache: LineCache, board: Board, line: int, bit_width: Any) -> int:
    """Return the number of a line's entry; NO_ENTRY unless it differs from the base in one cell, which is decided."""
    if len(cache.base) == 0:
        return NO_ENTRY
    palette = int(board.size[2])
    differs, once, twice, was = empty(bit_width), empty(bit_width), empty(bit_width), empty(bit_width)
    for k in range(line * palette, (line + 1) * palette):
        now, before = load(board.can, k, bit_width), load(cache.base, k, bit_width)
        differs = differs | (now ^ before)
        twice = twice | (once & now)
        once = once | now
        was = was | (now & before)
    if not has_any(differs & was & ~twice) or has_any(differs & (differs - bit(0, bit_width))):
        return NO_ENTRY
    c: Any = np.int64(0)
    while not has_any(load(board.can, line * palette + c, bit_width) & differs):
        c += 1
    return int((line * palette + c) * _side(board) + lowest(differs))


@inlined
def _side(board: Board) -> int:
    return max(int(board.size[0]), int(board.size[1]))


@inlined
def recall(cache: LineCache, entry: int, board: Board, new: np.ndarray, bit_width: Any) -> bool:
    """Copy an entry to `new` (`Workspace.new`); returns whether it is filled."""
    row, cell = entry // _side(board), entry % _side(board)
    if not has_any((load(cache.filled, row, bit_width) >> cell) & bit(0, bit_width)):
        return False
    palette = int(board.size[2])
    for k in range(palette):
        store(new, k, load(cache.result, entry * palette + k, bit_width))
    return True


@inlined
def remember(cache: LineCache, entry: int, board: Board, new: np.ndarray, bit_width: Any) -> None:
    """Fill an entry from `new`."""
    row, cell = entry // _side(board), entry % _side(board)
    store(cache.filled, row, load(cache.filled, row, bit_width) | bit(cell, bit_width))
    palette = int(board.size[2])
    for k in range(palette):
        store(cache.result, entry * palette + k, load(new, k, bit_width))


@kernel
def holds(cache: LineCache, entry: int, board: Board, new: np.ndarray, bit_width: Any) -> bool:
    """Return whether a filled entry equals `new` (checked mode)."""
    palette = int(board.size[2])
    for k in range(palette):
        if has_any(load(cache.result, entry * palette + k, bit_width) ^ load(new, k, bit_width)):
            return False
    return True
