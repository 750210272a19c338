"""The complete line solver: every cell keeps exactly the colours that it has in some arrangement of its line.

Dynamic programming over the blocks, bit-parallel over the cells: O(blocks x log length) operations on bit sets. A
forward pass finds where each block can start and which cells the gap before it can hold; a backward pass does the same
on the mirrored line, and both are intersected. Blots (hidden lengths) cost no more than numbers, colours one mask each.

The carry of an addition fills runs of cells, an idea of hyouv/FastNonogramSolver, extended to colours and blots.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel
from nonocensus.solver.lines.bits import bit, count, empty, has_any, load, mirror, store
from nonocensus.solver.lines.board import Board
from nonocensus.solver.lines.lanes import (
    any_longer,
    broadcast,
    doubling_step,
    first_lanes,
    lane_count,
    load_lanes,
    load_length,
    load_lengths,
    minus_one,
    store_lanes,
    union_of_lanes,
)
from nonocensus.solver.lines.workspace import Workspace

# Literals would be types of their own to the compiler.
FORWARDS = cast(bool, np.bool_(False))
BOTH_WAYS = cast(bool, np.bool_(True))


@kernel
def fill(seeds: Any, mask: Any) -> Any:
    """Extend seeds, which lie inside mask, upwards to the ends of their runs of mask, by the carry of an addition."""
    return (((mask + seeds) ^ mask) & mask) | seeds


@kernel
def runs(mask: Any, length: Any) -> Any:
    """Return the places where a run of `length` cells of mask can start, by doubling.

    The steps for lengths up to 4, the most frequent, have no branch that the processor would mispredict.
    """
    mask = mask & (mask >> doubling_step(length, 1))
    mask = mask & (mask >> doubling_step(length, 2))
    have = 4
    while any_longer(length, have):
        mask = mask & (mask >> doubling_step(length, have))
        have *= 2
    return mask


@kernel
def spread(starts: Any, length: Any) -> Any:
    """Return the cells covered by blocks of this length with these starts, by doubling as in `runs`."""
    starts = starts | (starts << doubling_step(length, 1))
    starts = starts | (starts << doubling_step(length, 2))
    have = 4
    while any_longer(length, have):
        starts = starts | (starts << doubling_step(length, have))
        have *= 2
    return starts


@kernel
def place(gap: Any, touch: Any, seats: Any, white: Any, cells: int) -> tuple[Any, Any, Any]:
    """Place the next block of a line, in the direction of increasing cells.

    gap     cells that the gap before it can hold
    touch   places right after the previous block, if no gap is needed
    seats   starts with room for it, regardless of other blocks; for a blot, cells that may have its colour
    white   cells that may be background
    cells   its length, 0 for a blot
    Returns its starts (for a blot: all cells that it can cover), the places right after it, and the cells that the gap
    after it can hold.
    """
    starts = ((gap << 1) | touch) & seats
    if cells > 0:
        after = starts << cells
    else:
        starts = fill(starts, seats)
        after = starts << 1
    return starts, after, fill(after & white, white)


@inlined
def has_arrangement(n: int, line: int, board: Board, color: np.ndarray | None, workspace: Workspace) -> bool:
    """Return whether a line of n cells has an arrangement."""
    bit_width, seats = workspace.bit_width, workspace.reach
    first = int(board.first[line])
    blocks = int(board.first[line + 1]) - first
    _seat(n, line, board, color, seats, workspace.back, FORWARDS, bit_width)
    nowhere, edge = empty(bit_width), bit(0, bit_width)
    white = load(board.can, line * (2 if color is None else board.size[2]), bit_width)
    touch, after, gap = edge, edge, fill(edge & white, white)
    for j in range(blocks):
        if j > 0 and (color is None or color[first + j] == color[first + j - 1]):
            touch = nowhere
        _, after, gap = place(gap, touch, load(seats, j, bit_width), white, load_length(board.length, first + j))
        touch = after
    return has_any((((gap << 1) | after) >> n) & edge)


@inlined
def solve_line(n: int, line: int, board: Board, color: np.ndarray | None, workspace: Workspace) -> bool:
    """Solve a line of n cells; returns False if it has no arrangement.

    Writes the possible colours of its cells to `workspace.new`, and the starts of each block (for a blot: the cells
    that it can cover) to `workspace.reach`; both are undefined if there is no arrangement.
    """
    bit_width = workspace.bit_width
    length, can = board.length, board.can
    reach, gaps, back, back_gaps, new = (
        workspace.reach,
        workspace.gaps,
        workspace.back,
        workspace.back_gaps,
        workspace.new,
    )
    first = int(board.first[line])
    blocks = int(board.first[line + 1]) - first
    palette = 2 if color is None else board.size[2]
    nowhere, edge = empty(bit_width), bit(0, bit_width)
    white = load(can, line * palette, bit_width)
    _seat(n, line, board, color, reach, back, BOTH_WAYS, bit_width)
    white_mirrored = mirror(white, n)
    touch, after, gap = edge, edge, fill(edge & white, white)
    back_touch, back_gap = edge, fill(edge & white_mirrored, white_mirrored)
    whites = mirror(back_gap, n)
    for j in range(blocks):
        k = blocks - 1 - j
        if j > 0 and (color is None or color[first + j] == color[first + j - 1]):
            touch = nowhere  # blocks of one colour can't touch
        if j > 0 and (color is None or color[first + k] == color[first + k + 1]):
            back_touch = nowhere
        store(gaps, j, gap)
        starts, after, gap = place(gap, touch, load(reach, j, bit_width), white, load_length(length, first + j))
        store(reach, j, starts)
        touch = after
        starts, back_touch, back_gap = place(
            back_gap, back_touch, load(back, k, bit_width), white_mirrored, load_length(length, first + k)
        )
        store(back, k, starts)
        store(back_gaps, k, back_gap)
    if not has_any((((gap << 1) | after) >> n) & edge):
        return False

    store_lanes(gaps, blocks, broadcast(nowhere, bit_width))  # for lanes past the last block
    whites = whites & gap
    some_whites = some_blacks = broadcast(nowhere, bit_width)
    for j in range(0, blocks, lane_count(bit_width)):
        cells = load_lengths(length, first + j, bit_width)
        cover = load_lanes(reach, j, bit_width) & (mirror(load_lanes(back, j, bit_width), n) >> minus_one(cells))
        store_lanes(reach, j, cover)
        cover = spread(cover, cells)
        if color is None:
            some_blacks = some_blacks | cover
        else:
            store_lanes(back, j, cover)
        some_whites = some_whites | (load_lanes(gaps, j, bit_width) & mirror(load_lanes(back_gaps, j, bit_width), n))
    store(new, 0, whites | union_of_lanes(some_whites))
    if color is None:
        store(new, 1, union_of_lanes(some_blacks))
    else:
        for c in range(1, palette):
            store(new, c, nowhere)
        for j in range(blocks):
            c = color[first + j]
            store(new, c, load(new, c, bit_width) | load(back, j, bit_width))
    return True


@inlined
def _seat(
    n: int,
    line: int,
    board: Board,
    color: np.ndarray | None,
    seats: np.ndarray,
    back: np.ndarray,
    both: bool,
    bit_width: Any,
) -> None:
    """Write the starts of each block of a line regardless of other blocks; for a blot, the cells of its colour.

    seats   output, on the line
    back    output on the mirrored line, if `both`
    """
    first = int(board.first[line])
    blocks = int(board.first[line + 1]) - first
    base = line * (2 if color is None else board.size[2])
    if color is not None:
        for j in range(blocks):
            store(seats, j, load(board.can, base + color[first + j], bit_width))
    for j in range(0, blocks, lane_count(bit_width)):
        if color is None:
            mask = broadcast(load(board.can, base + 1, bit_width), bit_width)
        else:
            mask = load_lanes(seats, j, bit_width)
        cells = load_lengths(board.length, first + j, bit_width)
        room = first_lanes(runs(mask, cells), blocks - j)
        store_lanes(seats, j, room)
        if both:
            store_lanes(back, j, mirror(room, n) >> minus_one(cells))


class Places(NamedTuple):
    """Possible places of all blocks, numbered as on the board.

    starts   uint64[blocks, words]: the cells that a block can start at; for a blot the same as those it can cover
    ends     uint64[blocks, words]: for a blot, the places after the cells that it can end at; empty for other blocks
    """

    starts: np.ndarray
    ends: np.ndarray


def no_places(blocks: int, words: int) -> Places:
    """Return memory for the places of a number of blocks."""
    return Places(np.zeros((blocks, words), np.uint64), np.zeros((blocks, words), np.uint64))


@kernel
def locate(board: Board, color: np.ndarray | None, places: Places, workspace: Workspace) -> None:
    """Find the places of all blocks of a board at the fixpoint of line logic."""
    bit_width = workspace.bit_width
    width, height = int(board.size[0]), int(board.size[1])
    for line in range(width + height):
        cells = width if line < height else height
        solve_line(cells, line, board, color, workspace)
        first = int(board.first[line])
        for j in range(first, int(board.first[line + 1])):
            starts = load(workspace.reach, j - first, bit_width)
            store(places.starts, j, starts)
            if board.length[j] == 0:
                store(places.ends, j, starts << 1)


@kernel
def open_places(board: Board, places: Places, bit_width: Any) -> int:
    """Return the number of places of all blocks that have several."""
    number = 0
    for j in range(int(board.first[board.size[0] + board.size[1]])):
        here = count(load(places.starts, j, bit_width))
        if here > 1:
            number += here
    return number
