"""One line as the techniques see it: the possible colours of each cell, the possible lengths of each block.

Most rules apply from both ends of a line, so a desk holds the line twice: as it is (way 0) and mirrored (way 1).
"""

from typing import Any, NamedTuple

import numpy as np

from solver.jit.kernel import inlined, kernel

BACKGROUND = 1
"""The set of the background colour alone."""

CELLS, BLOCKS = range(2)
PLACE, BLOCK = range(2)


class Desk(NamedTuple):
    """A line and scratch memory for the techniques, sized for the longest line and its maximum number of blocks.

    size      int64[2]: CELLS and BLOCKS of the line
    now       int64[2, cells]: possible colours of each cell, one bit per colour, bit 0 the background; by way
    new       int64[cells]: the same after a technique (way 0)
    least     int64[2, blocks]: minimum length of each block: its length, 1 for a blot; by way
    most      int64[2, blocks]: maximum length: its length, the line's cells for a blot; by way
    color     int64[2, blocks]: by way
    open      int64[2, 2]: first PLACE and first BLOCK that are not finished (`strip`), by way
    begin     int64[2, blocks]: earliest start of each block according to the current technique, by way
    later     int64[2, blocks], scratch: the same after runs have been assigned to blocks (solver.people.line_rules)
    before    bool[blocks + 1, cells + 1]: whether the first t blocks fit into the first x cells (solver.people.reach)
    after     bool[blocks + 1, cells + 1]: the same for the mirrored line
    """

    size: np.ndarray
    now: np.ndarray
    new: np.ndarray
    least: np.ndarray
    most: np.ndarray
    color: np.ndarray
    open: np.ndarray
    begin: np.ndarray
    later: np.ndarray
    before: np.ndarray
    after: np.ndarray


def desk_for(cells: int, blocks: int) -> Desk:
    """Return a desk for lines of at most `cells` cells and `blocks` blocks."""
    least, most, color, begin, later = (np.zeros((2, blocks), np.int64) for _ in range(5))
    before, after = (np.zeros((blocks + 1, cells + 1), np.bool_) for _ in range(2))
    size, now, new, open_ = (np.zeros(shape, np.int64) for shape in (2, (2, cells), cells, (2, 2)))
    return Desk(size, now, new, least, most, color, open_, begin, later, before, after)


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
    """Load a line: `cells` cells of a grid from index `first`, and `blocks` blocks of a puzzle from index `block`.

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
    """Restrict a cell to these colours."""
    if way == 1:
        x = desk.size[CELLS] - 1 - x
    desk.new[x] &= colors


@inlined
def rule_out(desk: Desk, way: int, x: int, color: int) -> None:
    """Exclude a colour from a cell."""
    restrict(desk, way, x, ~(1 << color))


@inlined
def may(desk: Desk, way: int, x: int, color: int) -> bool:
    """Return whether a cell may have a colour."""
    return bool(desk.now[way, x] >> color & 1)


@inlined
def painted(desk: Desk, way: int, x: int, color: int) -> bool:
    """Return whether a cell is known to have a colour."""
    return bool(desk.now[way, x] == 1 << color)


@inlined
def color_of(colors: int) -> int:
    """Return the only colour of a set, or -1 if there are several or none."""
    if colors == 0 or colors & (colors - 1):
        return -1
    color = 0
    while colors >> color > 1:
        color += 1
    return color


@inlined
def end_of_run(desk: Desk, way: int, x: int, color: int) -> int:
    """Return the index after the run of a colour that contains cell x."""
    while x < desk.size[CELLS] and painted(desk, way, x, color):
        x += 1
    return x


@kernel
def next_run(desk: Desk, x: int, past: int) -> tuple[int, int, int]:
    """Return the next run of painted cells in x .. past - 1: its first cell, end and colour (0: none)."""
    while x < past:
        color = color_of(desk.now[0, x])
        if color > 0:
            return x, end_of_run(desk, 0, x, color), color
        x += 1
    return past, past, 0


@inlined
def latest_end(desk: Desk, t: int) -> int:
    """Return the latest end (exclusive, way 0) of block t according to `begin`."""
    return int(desk.size[CELLS] - desk.begin[1, desk.size[BLOCKS] - 1 - t])


@inlined
def first_open(desk: Desk) -> int:
    """Return the first unfinished block."""
    return int(desk.open[0, BLOCK])


@inlined
def past_open(desk: Desk) -> int:
    """Return the block after the last unfinished one."""
    return int(desk.size[BLOCKS] - desk.open[1, BLOCK])


@inlined
def gap_before(desk: Desk, way: int, t: int) -> int:
    """Return the minimum number of cells between a block and the previous one."""
    return int(t > 0 and desk.color[way, t] == desk.color[way, t - 1])


@kernel
def strip(desk: Desk) -> None:
    """Find the finished blocks and spaces at both ends, leaving a shorter line with fewer blocks."""
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
    """Return the earliest start of the first open block: not adjacent to a finished one of its colour."""
    x, t = int(desk.open[way, PLACE]), int(desk.open[way, BLOCK])
    if x > 0 and 0 < t < desk.size[BLOCKS] and painted(desk, way, x - 1, int(desk.color[way, t])):
        x += 1
    return x


@kernel
def count_ranges(desk: Desk) -> None:
    """Compute each open block's earliest start from both sides, counting only preceding blocks and gaps."""
    _find_ranges(desk, False)


@kernel
def fit_ranges(desk: Desk) -> None:
    """Compute the same, requiring that each block's cells may have its colour."""
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
    """Return the first index from x with room for block t, or the end of the line."""
    need, color = int(desk.least[way, t]), int(desk.color[way, t])
    end = x
    while end < desk.size[CELLS] and end - x < need:
        if not may(desk, way, end, color):
            x = end + 1
        end += 1
    return x if end - x == need else int(desk.size[CELLS])


@kernel
def can_be(desk: Desk, t: int, start: int, end: int) -> bool:
    """Return whether cells start .. end - 1 can belong to block t, by its range and maximum length."""
    return bool(desk.begin[0, t] <= start and end <= latest_end(desk, t) and end - start <= desk.most[0, t])


@kernel
def cover_common(desk: Desk) -> None:
    """Paint the cells that an open block covers in both its first and its last position."""
    for t in range(first_open(desk), past_open(desk)):
        start = max(latest_end(desk, t) - desk.least[0, t], 0)
        for x in range(start, min(desk.begin[0, t] + desk.least[0, t], desk.size[CELLS])):
            restrict(desk, 0, x, 1 << desk.color[0, t])


@kernel
def rule_out_far(desk: Desk) -> None:
    """Exclude from each cell the colours of blocks whose range does not contain it."""
    for x in range(desk.open[0, PLACE], desk.size[CELLS] - desk.open[1, PLACE]):
        near = BACKGROUND
        for t in range(first_open(desk), past_open(desk)):
            if desk.begin[0, t] <= x < latest_end(desk, t):
                near |= 1 << desk.color[0, t]
        restrict(desk, 0, x, near)


@kernel
def longest_of(desk: Desk, color: int, start: int, end: int) -> Any:
    """Return the number, the last, and the maximum length of the open blocks that a run can belong to."""
    number, which, longest = 0, -1, 0
    for t in range(first_open(desk), past_open(desk)):
        if desk.color[0, t] == color and can_be(desk, t, start, end):
            number, which, longest = number + 1, t, max(longest, int(desk.most[0, t]))
    return number, which, longest
