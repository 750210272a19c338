"""The named techniques on one line, each a small exact rule. None finds more than complete line logic (`line`).

`apply_technique` in solver.people.person calls them, with the ranges that they need; solver.model.techniques has their
order, grades and sources.
"""

from typing import cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined
from nonocensus.solver.lines.bits import count, empty, has_any, highest, load, lowest
from nonocensus.solver.lines.line_solver import runs, spread
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.people.desk import (
    BLOCK,
    BLOCKS,
    CELLS,
    NARROWED,
    PALETTE,
    PLACE,
    RANGES,
    TOTALS,
    UNKNOWN,
    Desk,
    add_near,
    between,
    can_be,
    clear_near,
    color_of,
    contains,
    cover_common,
    end_of_run,
    exclude,
    first_open,
    first_place,
    gap_before,
    latest_end,
    least_of,
    longest_of,
    may,
    most_of,
    next_run,
    paint,
    painted,
    past_cells,
    past_open,
    rule_out,
    rule_out_far,
    rule_out_others,
    start_of_run,
)

BACKGROUND = cast(int, np.int64(0))  # a literal would be a type of its own to the compiler
ABSENT, HIDDEN = -1, -2
"""In `Desk.totals`: the clue lacks the colour; a block of it has a hidden length."""


@inlined
def clue(desk: Desk) -> None:
    """Restrict cells to the clue's colours; if blocks and gaps fill the line exactly, decide all of it."""
    cells, blocks = int(desk.line[CELLS]), int(desk.line[BLOCKS])
    colors, need, exact = 0, 0, True
    for t in range(blocks):
        colors |= 1 << color_of(desk, 0, t)
        need += least_of(desk, 0, t) + gap_before(desk, 0, t)
        exact = exact and least_of(desk, 0, t) == most_of(desk, 0, t)
    for c in range(1, desk.line[PALETTE]):
        if not colors >> c & 1:
            exclude(desk, c, may(desk, 0, c))
    if not exact or need != cells:
        return
    x = 0
    for t in range(blocks):
        gap, least = gap_before(desk, 0, t), least_of(desk, 0, t)
        paint(desk, 0, BACKGROUND, between(desk, x, x + gap))
        paint(desk, 0, color_of(desk, 0, t), between(desk, x + gap, x + gap + least))
        x += gap + least


@inlined
def count_colors(desk: Desk, row: int, cells: int, first: int, past: int) -> None:
    """Write the number of cells of each colour in a line's clue to `totals`, from `row` on.

    first, past   its blocks in the puzzle
    """
    totals, background = desk.totals, cells
    for c in range(desk.line[PALETTE]):
        totals[row + c] = ABSENT
    for block in range(first, past):
        length, color = int(desk.length[block]), row + int(desk.color[block])
        if (length == 0 and cells > 1) or totals[color] == HIDDEN:
            totals[color] = background = HIDDEN
        else:
            totals[color] = max(totals[color], 0) + max(length, 1)
            background -= max(length, 1) if background != HIDDEN else 0
    totals[row] = background


@inlined
def counting(desk: Desk) -> None:
    """Decide a colour (or the background) if all of its cells are found, or if all possible cells are needed.

    Colours with blocks of hidden length are skipped.
    """
    for c in range(desk.line[PALETTE]):
        total, possible, found = desk.totals[desk.line[TOTALS] + c], may(desk, 0, c), painted(desk, 0, c)
        if total < 0:
            continue
        if count(possible) == total:
            paint(desk, 0, c, possible)
        elif count(found) == total:
            exclude(desk, c, possible & ~found)


@inlined
def overlap(desk: Desk) -> None:
    """Paint the cells that a block covers in both its first and its last position, by counting alone."""
    cover_common(desk)


@inlined
def glue(desk: Desk) -> None:
    """From both ends: extend a painted cell that must belong to the first open block to that block's minimum reach."""
    for way in range(2):
        x, t = first_place(desk, way), int(desk.done[way, BLOCK])
        if t == desk.line[BLOCKS] - desk.done[1 - way, BLOCK]:
            continue
        color, far = color_of(desk, way, t), x + least_of(desk, way, t)
        found = painted(desk, way, color) & between(desk, x, far)
        if has_any(found):
            paint(desk, way, color, between(desk, lowest(found), far))


@inlined
def punctuating(desk: Desk) -> None:
    """Rule out a run's colour at both its ends if no block that it can belong to, by counting, is longer."""
    cells, bit_width = int(desk.line[CELLS]), desk.bit_width
    x, end, color = next_run(desk, 0, cells)
    while color > 0:
        possible = may(desk, 0, color)
        before, after = (
            x > 0 and contains(possible, x - 1, bit_width),
            end < cells and contains(possible, end, bit_width),
        )
        if before or after:
            number, _, longest = longest_of(desk, color, x, end)
            if number > 0 and longest == end - x:
                if before:
                    rule_out(desk, 0, color, x - 1)
                if after:
                    rule_out(desk, 0, color, end)
        x, end, color = next_run(desk, end, cells)


@inlined
def mercury(desk: Desk) -> None:
    """From both ends: rule out the first open block at the first open cell if a run begins right after its length.

    Begun at the edge, the block would join that run and be too long.
    """
    for way in range(2):
        x, t = first_place(desk, way), int(desk.done[way, BLOCK])
        if t == desk.line[BLOCKS] - desk.done[1 - way, BLOCK] or least_of(desk, way, t) != most_of(desk, way, t):
            continue
        color, run = color_of(desk, way, t), x + least_of(desk, way, t)
        if run < desk.line[CELLS] and contains(painted(desk, way, color), run, desk.bit_width):
            rule_out(desk, way, color, x)


@inlined
def spaces(desk: Desk) -> None:
    """Rule out colours outside the ranges of all blocks: ranges by counting, narrowed by runs of a single candidate."""
    narrow(desk)
    rule_out_far(desk)


@inlined
def narrow(desk: Desk) -> None:
    """Narrow the range of each block that a run must belong to, and of the blocks beyond.

    All runs are assigned by the ranges as they were before, so that the direction has no influence.
    """
    blocks, past = int(desk.line[BLOCKS]), past_cells(desk)
    x, end, color = next_run(desk, int(desk.done[0, PLACE]), past)
    if color == 0:
        return
    while color > 0:
        number, t, _ = longest_of(desk, color, x, end)
        if number == 1:
            if desk.line[RANGES] != NARROWED:
                desk.line[RANGES] = NARROWED
                for way in range(2):
                    for other in range(blocks):
                        desk.later[way, other] = desk.begin[way, other]
            _move_on(desk, 0, t, end)
            _move_on(desk, 1, blocks - 1 - t, int(desk.line[CELLS]) - x)
        x, end, color = next_run(desk, end, past)
    if desk.line[RANGES] == NARROWED:
        for way in range(2):
            for t in range(blocks):
                desk.begin[way, t] = desk.later[way, t]


@inlined
def _move_on(desk: Desk, way: int, t: int, end: int) -> None:
    """Make block t reach at least to `end`, and the blocks after it begin behind it, in `later`."""
    later = desk.later
    later[way, t] = max(later[way, t], end - most_of(desk, way, t))
    for other in range(t + 1, desk.line[BLOCKS] - desk.done[1 - way, BLOCK]):
        end = max(end, later[way, other - 1] + least_of(desk, way, other - 1)) + gap_before(desk, way, other)
        if later[way, other] >= end:
            break  # so have the others
        later[way, other], end = end, 0


@inlined
def forcing(desk: Desk) -> None:
    """Overlap within ranges where each block has room; rule out colours in gaps too small for any block."""
    cover_common(desk)
    clear_near(desk)
    for t in range(first_open(desk), past_open(desk)):
        color, least = color_of(desk, 0, t), least_of(desk, 0, t)
        room = may(desk, 0, color) & between(desk, int(desk.begin[0, t]), latest_end(desk, t))
        add_near(desk, color, spread(runs(room, least), least))
    rule_out_others(desk)


@inlined
def splitting(desk: Desk) -> None:
    """Rule out a run's colour next to it, or between two runs, if no block is as long as the run would become."""
    cells, bit_width = past_cells(desk), desk.bit_width
    x, end, color = next_run(desk, int(desk.done[0, PLACE]), cells)
    while color > 0:
        here, possible = painted(desk, 0, color), may(desk, 0, color)
        if x > 0 and contains(possible, x - 1, bit_width):
            start = start_of_run(here, x - 1, bit_width)
            if longest_of(desk, color, start, end)[0] == 0:
                rule_out(desk, 0, color, x - 1)
        if end < cells and contains(possible, end, bit_width):
            past = end_of_run(here, end + 1)
            if longest_of(desk, color, x, past)[0] == 0:
                rule_out(desk, 0, color, end)
        x, end, color = next_run(desk, end, cells)


@inlined
def joining(desk: Desk) -> None:
    """Extend a run to what every candidate block covers, and join two runs that must belong to one block."""
    cells = past_cells(desk)
    x, end, color = next_run(desk, int(desk.done[0, PLACE]), cells)
    last_block, last_end = -1, 0
    while color > 0:
        _grow(desk, color, x, end)
        number, which, _ = longest_of(desk, color, x, end)
        if number == 1:
            if which == last_block:
                paint(desk, 0, color, between(desk, last_end, x))
            last_block, last_end = which, end
        x, end, color = next_run(desk, end, cells)


@inlined
def _grow(desk: Desk, color: int, start: int, end: int) -> None:
    """Extend the run start .. end - 1 to the cells that every block it can belong to must cover."""
    possible = may(desk, 0, color)
    first, past = start_of_run(possible, start, desk.bit_width), end_of_run(possible, end)
    left, right, some = int(desk.line[CELLS]), 0, False
    for t in range(first_open(desk), past_open(desk)):
        if color_of(desk, 0, t) == color and can_be(desk, t, start, end):
            least, some = least_of(desk, 0, t), True
            right = max(right, min(past, latest_end(desk, t)) - least)
            left = min(left, max(first, int(desk.begin[0, t])) + least)
    if some:
        paint(desk, 0, color, between(desk, right, start) | between(desk, end, left))


@inlined
def reach(desk: Desk, workspace: Workspace) -> None:
    """Apply overlap and spaces with each block's first and last place over all arrangements, from the line solver."""
    blocks = int(desk.line[BLOCKS])
    for way in range(2):
        desk.done[way, PLACE] = desk.done[way, BLOCK] = 0
    for t in range(blocks):
        places = load(workspace.reach, t, desk.bit_width)  # where it can start; for a blot, what it can cover
        past = highest(places) + least_of(desk, 0, t)
        desk.begin[0, t], desk.begin[1, blocks - 1 - t] = lowest(places), desk.line[CELLS] - past
    desk.line[RANGES] = UNKNOWN
    cover_common(desk)
    rule_out_far(desk)


@inlined
def line(desk: Desk, workspace: Workspace) -> None:
    """Restrict each cell to the colours of some arrangement: complete line logic, from the line solver."""
    for c in range(desk.line[PALETTE]):
        exclude(desk, c, ~load(workspace.new, c, desk.bit_width))


@inlined
def finds_any(desk: Desk, workspace: Workspace) -> bool:
    """Return whether `line` excludes any colour from a cell."""
    lost = empty(desk.bit_width)
    for c in range(desk.line[PALETTE]):
        lost = lost | (may(desk, 0, c) & ~load(workspace.new, c, desk.bit_width))
    return has_any(lost)
