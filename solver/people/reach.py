"""Reach and line: techniques based on all arrangements of a line; `reach` uses only the first and the last one.

Both use two tables: whether the first t blocks fit into the first x cells (`Desk.before`), and the same for the
mirrored line (`Desk.after`).
"""

import numpy as np

from solver.jit.kernel import kernel
from solver.people.desk import (
    BACKGROUND,
    BLOCK,
    BLOCKS,
    CELLS,
    PLACE,
    Desk,
    cover_common,
    gap_before,
    may,
    rule_out_far,
)


@kernel
def reach(desk: Desk) -> None:
    """Apply overlap and spaces with each block's first and last position over all arrangements."""
    if not arrange(desk):
        return
    for way in range(2):
        desk.open[way, PLACE] = desk.open[way, BLOCK] = 0
        for t in range(desk.size[BLOCKS]):
            desk.begin[way, t] = _first_place(desk, way, t)
    cover_common(desk)
    rule_out_far(desk)


@kernel
def line(desk: Desk) -> None:
    """Restrict each cell to the colours of some arrangement: complete line logic."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    if not arrange(desk):
        return
    for x in range(cells):
        desk.new[x] = 0
        for t in range(blocks + 1):
            if may(desk, 0, x, 0) and desk.before[t, x] and desk.after[blocks - t, cells - 1 - x]:
                desk.new[x] = BACKGROUND
                break
    for t in range(blocks):
        if desk.least[0, t] == desk.most[0, t]:
            _cover_block(desk, t)
        else:
            _cover_blot(desk, t)


@kernel
def arrange(desk: Desk) -> bool:
    """Fill both tables; return whether the line has an arrangement. If not, no cell keeps a colour."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    _fill(desk, 0, desk.before)
    if desk.before[blocks, cells]:
        _fill(desk, 1, desk.after)
        return True
    for x in range(cells):
        desk.new[x] = 0
    return False


@kernel
def _fill(desk: Desk, way: int, fits: np.ndarray) -> None:
    """Compute whether the first t blocks fit into the first x cells, for all t and x."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    fits[0, 0] = True
    for x in range(cells):
        fits[0, x + 1] = fits[0, x] and may(desk, way, x, 0)
    for t in range(blocks):
        color, need = int(desk.color[way, t]), int(desk.least[way, t])
        exact = need == desk.most[way, t]
        room, begun = 0, False  # cells up to x that may have the colour; whether a blot can have begun in them
        fits[t + 1, 0] = False
        for x in range(cells):
            if may(desk, way, x, color):
                room += 1
                begun = begun or _can_begin(desk, way, fits, t, x)
            else:
                room, begun = 0, False
            ends = room >= need and _can_begin(desk, way, fits, t, x + 1 - need) if exact else begun
            fits[t + 1, x + 1] = ends or (fits[t + 1, x] and may(desk, way, x, 0))


@kernel
def _can_begin(desk: Desk, way: int, fits: np.ndarray, t: int, x: int) -> bool:
    """Return whether block t can begin at cell x, considering only what precedes it."""
    if gap_before(desk, way, t) == 0:
        return bool(fits[t, x])
    return x > 0 and may(desk, way, x - 1, 0) and fits[t, x - 1]


@kernel
def _can_end(desk: Desk, t: int, x: int) -> bool:
    """Return whether block t can end before cell x, considering only what follows it."""
    return _can_begin(desk, 1, desk.after, int(desk.size[BLOCKS]) - 1 - t, int(desk.size[CELLS]) - x)


@kernel
def _cover_block(desk: Desk, t: int) -> None:
    """Add block t's colour to the cells that it can cover."""
    color, need = int(desk.color[0, t]), int(desk.least[0, t])
    room = 0
    given = 0  # cells before this one have got the colour, if they can
    for x in range(desk.size[CELLS]):
        room = room + 1 if may(desk, 0, x, color) else 0
        start = x + 1 - need
        if room >= need and _can_begin(desk, 0, desk.before, t, start) and _can_end(desk, t, x + 1):
            for cell in range(max(start, given), x + 1):
                desk.new[cell] |= 1 << color
            given = x + 1


@kernel
def _cover_blot(desk: Desk, t: int) -> None:
    """Add blot t's colour to the cells that it can cover: those between a possible start and end in one gap."""
    color, cells = int(desk.color[0, t]), int(desk.size[CELLS])
    first = -1  # the first place in this room that it can begin at
    given = 0
    for x in range(cells):
        if not may(desk, 0, x, color):
            first = -1
            continue
        if first < 0 and _can_begin(desk, 0, desk.before, t, x):
            first = x
        if first >= 0 and _can_end(desk, t, x + 1):
            for cell in range(max(first, given), x + 1):
                desk.new[cell] |= 1 << color
            given = x + 1


@kernel
def _first_place(desk: Desk, way: int, t: int) -> int:
    """Return the earliest start of block t, from one side, over all arrangements."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    color, need, most = int(desk.color[way, t]), int(desk.least[way, t]), int(desk.most[way, t])
    ahead, behind = (desk.before, desk.after) if way == 0 else (desk.after, desk.before)
    for x in range(cells):
        end = x
        if not _can_begin(desk, way, ahead, t, x):
            continue
        while end < cells and end - x < most and may(desk, way, end, color):
            end += 1
            if end - x >= need and _can_begin(desk, 1 - way, behind, blocks - 1 - t, cells - end):
                return x
    return cells
