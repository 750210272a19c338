"""The complete line solver: every cell keeps exactly the colours that some arrangement of its line gives it.

Dynamic programming over the blocks, bit-parallel over the cells: O(blocks x log length) operations on bit sets. A first
pass finds, from the low end, where each block can start and which cells the gap before it can hold; a second pass does
the same on the mirrored line and meets the first. Blots (hidden lengths) cost no more than numbers, colours one mask
each.

The carry of an addition does the sweeps, an idea of hyouv/FastNonogramSolver; colours and blots follow the same scheme.
"""

from typing import Any

import numpy as np

from solver.bits import bit, empty, load, mirror, some, store
from solver.board import Board
from solver.jit import inlined, kernel
from solver.tools import Tools


@kernel
def fill(seeds: Any, mask: Any) -> Any:
    """Spread seeds that lie inside mask upwards to the ends of their runs of mask: the adder's carry sweeps them."""
    return (((mask + seeds) ^ mask) & mask) | seeds


@kernel
def runs(mask: Any, length: int) -> Any:
    """Places where a run of `length` cells of mask can start, by doubling.

    The steps for lengths up to 4, which are most, go without a branch that the processor would mispredict.
    """
    mask = mask & (mask >> min(max(length - 1, 0), 1))
    mask = mask & (mask >> min(max(length - 2, 0), 2))
    if length > 4:
        have = 4
        while 2 * have <= length:
            mask = mask & (mask >> have)
            have *= 2
        mask = mask & (mask >> (length - have))
    return mask


@kernel
def spread(starts: Any, length: int) -> Any:
    """The cells of all blocks of this length with these starts, by doubling as in `runs`."""
    starts = starts | (starts << min(max(length - 1, 0), 1))
    starts = starts | (starts << min(max(length - 2, 0), 2))
    if length > 4:
        have = 4
        while 2 * have <= length:
            starts = starts | (starts << have)
            have *= 2
        starts = starts | (starts << (length - have))
    return starts


@kernel
def place(gap: Any, touch: Any, black: Any, white: Any, cells: int) -> tuple[Any, Any, Any]:
    """Place the next block of a line, going upwards.

    gap     cells that the gap before it can hold
    touch   where it can stand right after the previous block, without a gap
    black   cells that may have its colour; `white`: cells that may be background
    cells   its length, 0 for a blot
    Returns its starts (for a blot: all cells that it can reach), the places right after it, and the cells that the gap
    after it can hold.
    """
    starts = ((gap << 1) | touch) & runs(black, cells)
    if cells > 0:
        after = starts << cells
    else:
        starts = fill(starts, black)
        after = starts << 1
    return starts, after, fill(after & white, white)


@inlined
def solve_line(n: int, line: int, board: Board, color: np.ndarray | None, tools: Tools) -> bool:
    """Solve one line of n cells; the result is False if it has no arrangement.

    What the line's cells can be according to its clue and `board.can` goes to `tools.new`, and where each block can
    start (for a blot: the cells that it can cover) to `tools.reach`; both are undefined if there is no arrangement.
    """
    like = tools.like
    length, can = board.length, board.can
    reach, gaps, new = tools.reach, tools.gaps, tools.new  # of the first pass: a block's starts or a blot's cells, gaps
    first, last = board.first[line], board.first[line + 1]
    palette = 2 if color is None else board.size[2]
    base = line * palette
    nowhere, edge = empty(like), bit(0, like)
    white, black = load(can, base, like), load(can, base + 1, like)

    touch, after, gap = edge, edge, fill(edge & white, white)
    for j in range(first, last):
        if color is not None:
            black = load(can, base + color[j], like)
        if j > first and (color is None or color[j] == color[j - 1]):
            touch = nowhere  # blocks of one colour can't touch
        store(gaps, j - first, gap)
        starts, after, gap = place(gap, touch, black, white, int(length[j]))
        store(reach, j - first, starts)
        touch = after
    if not some((((gap << 1) | after) >> n) & edge):
        return False

    whites, blacks = gap, nowhere
    if color is not None:
        for c in range(1, palette):
            store(new, c, nowhere)
    white, black = mirror(white, n), mirror(black, n)
    touch, gap = edge, fill(edge & white, white)
    whites = whites & mirror(gap, n)
    for j in range(last - 1, first - 1, -1):
        if color is not None:
            black = mirror(load(can, base + color[j], like), n)
        if j < last - 1 and (color is None or color[j] == color[j + 1]):
            touch = nowhere
        cells = int(length[j])
        starts, after, gap = place(gap, touch, black, white, cells)
        cover = load(reach, j - first, like)
        if cells > 0:
            cover = cover & (mirror(starts, n) >> (cells - 1))
            store(reach, j - first, cover)
            cover = spread(cover, cells)
        else:
            cover = cover & mirror(starts, n)
            store(reach, j - first, cover)
        if color is None:
            blacks = blacks | cover
        else:
            store(new, color[j], load(new, color[j], like) | cover)
        touch = after
        whites = whites | (load(gaps, j - first, like) & mirror(gap, n))
    store(new, 0, whites)
    if color is None:
        store(new, 1, blacks)
    return True
