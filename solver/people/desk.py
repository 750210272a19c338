"""One line as the techniques see it: each cell with the colours that it may have, each block with its lengths.

Most rules work alike from both ends of a line. So a desk holds the line twice: as it is (way 0) and mirrored (way 1).
"""

from typing import Any, NamedTuple

import numpy as np

from solver.jit.kernel import inlined, kernel

BACKGROUND = 1
"""The set with no other colour."""

CELLS, BLOCKS = range(2)
PLACE, BLOCK = range(2)


class Desk(NamedTuple):
    """A line and memory for the techniques; arrays have room for the longest line and its most blocks.

    size      int64[2]: CELLS and BLOCKS of the line
    now       int64[2, cells]: the colours that each cell may have, a bit each, bit 0 the background; by way
    new       int64[cells]: the same after a technique (way 0)
    least     int64[2, blocks]: the shortest that each block can be: its length, 1 for a blot; by way
    most      int64[2, blocks]: the longest: its length, the line's cells for a blot; by way
    color     int64[2, blocks]: by way
    open      int64[2, 2]: by way the first PLACE and the first BLOCK that are not finished (`strip`)
    begin     int64[2, blocks]: by way the first place that each block can begin at, as far as a technique sees it
    before    bool[blocks + 1, cells + 1]: whether so many blocks fit into so many cells (solver.people.reach)
    after     bool[blocks + 1, cells + 1]: the same of the mirrored line
    """

    size: np.ndarray
    now: np.ndarray
    new: np.ndarray
    least: np.ndarray
    most: np.ndarray
    color: np.ndarray
    open: np.ndarray
    begin: np.ndarray
    before: np.ndarray
    after: np.ndarray


def desk_for(cells: int, blocks: int) -> Desk:
    """A desk for lines of at most so many cells and blocks."""
    least, most, color, begin = (np.zeros((2, blocks), np.int64) for _ in range(4))
    before, after = (np.zeros((blocks + 1, cells + 1), np.bool_) for _ in range(2))
    size, now, new, open_ = (np.zeros(shape, np.int64) for shape in (2, (2, cells), cells, (2, 2)))
    return Desk(size, now, new, least, most, color, open_, begin, before, after)


@kernel
def load_line(
    desk: Desk,
    grid: np.ndarray,
    first: int,
    step: int,
    cells: int,
    length: np.ndarray,
    color: np.ndarray,
    block: int,
    blocks: int,
) -> bool:
    """Lay a line on the desk: `cells` of a grid from place `first` on, `blocks` of a puzzle from number `block` on.

    Returns whether a cell of it is open.
    """
    desk.size[CELLS], desk.size[BLOCKS] = cells, blocks
    several = 0
    for x in range(cells):
        here = grid[first + x * step]
        several |= here & (here - 1)
        desk.now[0, x] = desk.now[1, cells - 1 - x] = desk.new[x] = here
    for j in range(blocks):
        long = int(length[block + j])
        for way in range(2):
            t = j if way == 0 else blocks - 1 - j
            desk.least[way, t] = max(long, 1)
            desk.most[way, t] = long if long > 0 else cells
            desk.color[way, t] = color[block + j]
    return bool(several != 0)


@inlined
def restrict(desk: Desk, way: int, x: int, colors: int) -> None:
    """Leave a cell only these colours."""
    if way == 1:
        x = desk.size[CELLS] - 1 - x
    desk.new[x] &= colors


@inlined
def rule_out(desk: Desk, way: int, x: int, color: int) -> None:
    """Rule a colour out for a cell."""
    restrict(desk, way, x, ~(1 << color))


@inlined
def may(desk: Desk, way: int, x: int, color: int) -> bool:
    """Whether a cell may have a colour."""
    return bool(desk.now[way, x] >> color & 1)


@inlined
def painted(desk: Desk, way: int, x: int, color: int) -> bool:
    """Whether a cell has a colour for certain."""
    return bool(desk.now[way, x] == 1 << color)


@inlined
def color_of(colors: int) -> int:
    """The only colour of a set, -1 if there are several or none."""
    if colors == 0 or colors & (colors - 1):
        return -1
    color = 0
    while colors >> color > 1:
        color += 1
    return color


@inlined
def end_of_run(desk: Desk, way: int, x: int, color: int) -> int:
    """The place after the run of cells of a colour that cell x is in."""
    while x < desk.size[CELLS] and painted(desk, way, x, color):
        x += 1
    return x


@kernel
def next_run(desk: Desk, x: int, past: int) -> tuple[int, int, int]:
    """The next run of painted cells from x on, before cell `past`: its first cell, the place after it, its colour.

    The colour is 0 if there is none.
    """
    while x < past:
        color = color_of(desk.now[0, x])
        if color > 0:
            return x, end_of_run(desk, 0, x, color), color
        x += 1
    return past, past, 0


@inlined
def latest_end(desk: Desk, t: int) -> int:
    """The last place that block t can end before (way 0), as far as `begin` says."""
    return int(desk.size[CELLS] - desk.begin[1, desk.size[BLOCKS] - 1 - t])


@inlined
def first_open(desk: Desk) -> int:
    """The first block that is not finished."""
    return int(desk.open[0, BLOCK])


@inlined
def past_open(desk: Desk) -> int:
    """The block after the last one that is not finished."""
    return int(desk.size[BLOCKS] - desk.open[1, BLOCK])


@inlined
def gap_before(desk: Desk, way: int, t: int) -> int:
    """Cells that must be between a block and the one before it."""
    return int(t > 0 and desk.color[way, t] == desk.color[way, t - 1])


@kernel
def strip(desk: Desk) -> None:
    """Find the finished blocks and spaces at both ends: what lies between them is a shorter line with fewer blocks."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    for way in range(2):
        x = t = 0
        while x < cells:
            color = color_of(desk.now[way, x])
            if color == -1:
                break
            if color == 0:
                x += 1
                continue
            end = end_of_run(desk, way, x, color)
            if t == blocks or desk.color[way, t] != color or not desk.least[way, t] <= end - x <= desk.most[way, t]:
                break
            if end < cells and may(desk, way, end, color):
                break
            x, t = end, t + 1
        desk.open[way, PLACE], desk.open[way, BLOCK] = x, t
    if first_open(desk) > past_open(desk) or desk.open[0, PLACE] + desk.open[1, PLACE] > cells:
        for way in range(2):
            desk.open[way, PLACE] = desk.open[way, BLOCK] = 0


@inlined
def first_place(desk: Desk, way: int) -> int:
    """The first place that the first open block can begin at: not right behind a finished one of its colour."""
    x, t = int(desk.open[way, PLACE]), int(desk.open[way, BLOCK])
    if x > 0 and 0 < t < desk.size[BLOCKS] and painted(desk, way, x - 1, int(desk.color[way, t])):
        x += 1
    return x


@kernel
def count_ranges(desk: Desk) -> None:
    """Where each open block can begin, from both sides, if only the blocks before it and the gaps between count."""
    _find_ranges(desk, False)


@kernel
def fit_ranges(desk: Desk) -> None:
    """The same, if each block also needs cells that may have its colour."""
    _find_ranges(desk, True)


@kernel
def _find_ranges(desk: Desk, fitted: bool) -> None:
    for way in range(2):
        x = first_place(desk, way)
        for t in range(desk.open[way, BLOCK], desk.size[BLOCKS] - desk.open[1 - way, BLOCK]):
            if t > desk.open[way, BLOCK]:
                x += gap_before(desk, way, t)
            if fitted:
                x = _next_room(desk, way, x, t)
            desk.begin[way, t] = x
            x += desk.least[way, t]


@kernel
def _next_room(desk: Desk, way: int, x: int, t: int) -> int:
    """The first place from x on with room for block t; behind the line if there is none."""
    need, color = int(desk.least[way, t]), int(desk.color[way, t])
    end = x
    while end < desk.size[CELLS] and end - x < need:
        if not may(desk, way, end, color):
            x = end + 1
        end += 1
    return x if end - x == need else int(desk.size[CELLS])


@kernel
def can_be(desk: Desk, t: int, start: int, end: int) -> bool:
    """Whether cells start .. end - 1 can be of block t, by its range and its greatest length."""
    return bool(desk.begin[0, t] <= start and end <= latest_end(desk, t) and end - start <= desk.most[0, t])


@kernel
def cover_common(desk: Desk) -> None:
    """Paint what each open block covers both where it begins first and where it ends last."""
    for t in range(first_open(desk), past_open(desk)):
        start = max(latest_end(desk, t) - desk.least[0, t], 0)
        for x in range(start, min(desk.begin[0, t] + desk.least[0, t], desk.size[CELLS])):
            restrict(desk, 0, x, 1 << desk.color[0, t])


@kernel
def rule_out_far(desk: Desk) -> None:
    """Rule out the colours of which no open block comes to a cell."""
    for x in range(desk.open[0, PLACE], desk.size[CELLS] - desk.open[1, PLACE]):
        near = BACKGROUND
        for t in range(first_open(desk), past_open(desk)):
            if desk.begin[0, t] <= x < latest_end(desk, t):
                near |= 1 << desk.color[0, t]
        restrict(desk, 0, x, near)


@kernel
def longest_of(desk: Desk, color: int, start: int, end: int) -> Any:
    """Of the open blocks that a run start .. end - 1 of a colour can be of: how many, the last one, the longest."""
    number, which, longest = 0, -1, 0
    for t in range(first_open(desk), past_open(desk)):
        if desk.color[0, t] == color and can_be(desk, t, start, end):
            number, which, longest = number + 1, t, max(longest, int(desk.most[0, t]))
    return number, which, longest
