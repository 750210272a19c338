"""The named techniques on one line, each a small exact rule. None finds more than complete line logic (`reach.line`).

`look` in solver.people.person calls them; solver.model.techniques has their order, grades and sources.
"""

from solver.jit.kernel import kernel
from solver.people.desk import (
    BACKGROUND,
    BLOCK,
    BLOCKS,
    CELLS,
    Desk,
    can_be,
    count_ranges,
    cover_common,
    end_of_run,
    first_open,
    first_place,
    fit_ranges,
    gap_before,
    latest_end,
    longest_of,
    may,
    next_run,
    painted,
    past_open,
    restrict,
    rule_out,
    rule_out_far,
    strip,
)


@kernel
def clue(desk: Desk) -> None:
    """Restrict cells to the clue's colours; if blocks and gaps fill the line exactly, decide all of it."""
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    colors = BACKGROUND
    need, exact = 0, True
    for t in range(blocks):
        colors |= 1 << desk.color[0, t]
        need += desk.least[0, t] + gap_before(desk, 0, t)
        exact = exact and desk.least[0, t] == desk.most[0, t]
    for x in range(cells):
        restrict(desk, 0, x, colors)
    if not exact or need != cells or blocks == 0:
        return
    x = 0
    for t in range(blocks):
        if gap_before(desk, 0, t):
            restrict(desk, 0, x, BACKGROUND)
            x += 1
        for _ in range(desk.least[0, t]):
            restrict(desk, 0, x, 1 << desk.color[0, t])
            x += 1


@kernel
def counting(desk: Desk) -> None:
    """Decide a colour (or the background) if all of its cells are found, or if all possible cells are needed.

    Colours with blocks of hidden length are skipped.
    """
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    total, exact = 0, True
    colors = 0
    for t in range(blocks):
        total += desk.least[0, t]
        exact = exact and desk.least[0, t] == desk.most[0, t]
        colors |= 1 << desk.color[0, t]
    if exact:
        _compare(desk, 0, cells - total)
    color = 1
    while colors >> color:
        if colors >> color & 1:
            total, exact = 0, True
            for t in range(blocks):
                if desk.color[0, t] == color:
                    total += desk.least[0, t]
                    exact = exact and desk.least[0, t] == desk.most[0, t]
            if exact:
                _compare(desk, color, total)
        color += 1


@kernel
def _compare(desk: Desk, color: int, total: int) -> None:
    """Decide the cells of a colour if `total`, its number of cells, equals those found or those possible."""
    here = BACKGROUND << color
    found = possible = 0
    for x in range(desk.size[CELLS]):
        found += desk.now[0, x] == here
        possible += desk.now[0, x] & here != 0
    for x in range(desk.size[CELLS]):
        if possible == total and desk.now[0, x] & here:
            restrict(desk, 0, x, here)
        elif found == total and desk.now[0, x] != here:
            rule_out(desk, 0, x, color)


@kernel
def overlap(desk: Desk) -> None:
    """Paint the cells that a block covers in both its first and its last position, by counting alone."""
    strip(desk)
    count_ranges(desk)
    cover_common(desk)


@kernel
def glue(desk: Desk) -> None:
    """From both ends: extend a painted cell that must belong to the first open block to that block's minimum reach."""
    strip(desk)
    for way in range(2):
        x, t = first_place(desk, way), int(desk.open[way, BLOCK])
        if t == desk.size[BLOCKS] - desk.open[1 - way, BLOCK]:
            continue
        color, far = int(desk.color[way, t]), min(x + desk.least[way, t], desk.size[CELLS])
        while x < far and not painted(desk, way, x, color):
            x += 1
        for cell in range(x, far):
            restrict(desk, way, cell, 1 << color)


@kernel
def punctuating(desk: Desk) -> None:
    """Rule out a run's colour at both its ends if no block that it can belong to, by counting, is longer."""
    strip(desk)
    count_ranges(desk)
    cells = int(desk.size[CELLS])
    x, end, color = next_run(desk, 0, cells)
    while color > 0:
        number, _, longest = longest_of(desk, color, x, end)
        if number > 0 and longest == end - x:
            if x > 0:
                rule_out(desk, 0, x - 1, color)
            if end < cells:
                rule_out(desk, 0, end, color)
        x, end, color = next_run(desk, end, cells)


@kernel
def mercury(desk: Desk) -> None:
    """From both ends: rule out the first open block at the first open cell if a run begins right after its length.

    Begun at the edge, the block would join that run and be too long.
    """
    strip(desk)
    for way in range(2):
        x, t = first_place(desk, way), int(desk.open[way, BLOCK])
        if t == desk.size[BLOCKS] - desk.open[1 - way, BLOCK] or desk.least[way, t] != desk.most[way, t]:
            continue
        color, run = int(desk.color[way, t]), x + int(desk.least[way, t])
        if run < desk.size[CELLS] and painted(desk, way, run, color):
            rule_out(desk, way, x, color)


@kernel
def spaces(desk: Desk) -> None:
    """Rule out colours outside the ranges of all blocks: ranges by counting, narrowed by runs of a single candidate."""
    strip(desk)
    count_ranges(desk)
    narrow(desk)
    rule_out_far(desk)


@kernel
def narrow(desk: Desk) -> None:
    """Narrow the range of each block that a run must belong to, and of the blocks beyond.

    All runs are assigned by the ranges as they were before, so that the direction has no influence.
    """
    cells, blocks = int(desk.size[CELLS]), int(desk.size[BLOCKS])
    past = int(cells - desk.open[1, 0])
    for way in range(2):
        for t in range(blocks):
            desk.later[way, t] = desk.begin[way, t]
    x, end, color = next_run(desk, int(desk.open[0, 0]), past)
    while color > 0:
        number, t, _ = longest_of(desk, color, x, end)
        if number == 1:
            _move_on(desk, 0, t, end)
            _move_on(desk, 1, blocks - 1 - t, cells - x)
        x, end, color = next_run(desk, end, past)
    for way in range(2):
        for t in range(blocks):
            desk.begin[way, t] = desk.later[way, t]


@kernel
def _move_on(desk: Desk, way: int, t: int, end: int) -> None:
    """Make block t reach at least to `end`, and the blocks after it begin behind it, in `later`."""
    later = desk.later
    later[way, t] = max(later[way, t], end - desk.most[way, t])
    for other in range(t + 1, desk.size[BLOCKS] - desk.open[1 - way, 1]):
        end = max(end, later[way, other - 1] + desk.least[way, other - 1]) + gap_before(desk, way, other)
        later[way, other] = max(later[way, other], end)
        end = 0


@kernel
def forcing(desk: Desk) -> None:
    """Overlap within ranges where each block has room; rule out colours in gaps too small for any block."""
    strip(desk)
    fit_ranges(desk)
    cover_common(desk)
    cells = int(desk.size[CELLS])
    for x in range(desk.open[0, 0], cells - desk.open[1, 0]):
        near = 1
        for t in range(first_open(desk), past_open(desk)):
            color = int(desk.color[0, t])
            if not near >> color & 1 and may(desk, 0, x, color) and _has_room(desk, t, x):
                near |= 1 << color
        desk.new[x] &= near


@kernel
def _has_room(desk: Desk, t: int, x: int) -> bool:
    """Return whether block t has room over cell x within its range."""
    color, need = int(desk.color[0, t]), int(desk.least[0, t])
    least, most = int(desk.begin[0, t]), latest_end(desk, t)
    if not least <= x < most:
        return False
    start = end = x
    while end - start < need and start > least and may(desk, 0, start - 1, color):
        start -= 1
    while end - start < need and end < most and may(desk, 0, end, color):
        end += 1
    return bool(end - start >= need)


@kernel
def splitting(desk: Desk) -> None:
    """Rule out a run's colour next to it, or between two runs, if no block is as long as the run would become."""
    strip(desk)
    fit_ranges(desk)
    cells = int(desk.size[CELLS] - desk.open[1, 0])
    x, end, color = next_run(desk, int(desk.open[0, 0]), cells)
    while color > 0:
        if x > 0 and may(desk, 0, x - 1, color):
            start = x - 1
            while start > 0 and painted(desk, 0, start - 1, color):
                start -= 1
            if longest_of(desk, color, start, end)[0] == 0:
                rule_out(desk, 0, x - 1, color)
        if end < cells and may(desk, 0, end, color):
            past = end_of_run(desk, 0, end + 1, color)
            if longest_of(desk, color, x, past)[0] == 0:
                rule_out(desk, 0, end, color)
        x, end, color = next_run(desk, end, cells)


@kernel
def joining(desk: Desk) -> None:
    """Extend a run to what every candidate block covers, and join two runs that must belong to one block."""
    strip(desk)
    fit_ranges(desk)
    cells = int(desk.size[CELLS] - desk.open[1, 0])
    x, end, color = next_run(desk, int(desk.open[0, 0]), cells)
    last_block, last_end = -1, 0
    while color > 0:
        _grow(desk, color, x, end)
        number, which, _ = longest_of(desk, color, x, end)
        if number == 1:
            if which == last_block:
                for between in range(last_end, x):
                    restrict(desk, 0, between, 1 << color)
            last_block, last_end = which, end
        x, end, color = next_run(desk, end, cells)


@kernel
def _grow(desk: Desk, color: int, start: int, end: int) -> None:
    """Extend the run start .. end - 1 to the cells that every block it can belong to must cover."""
    cells = int(desk.size[CELLS])
    first, past = start, end
    while first > 0 and may(desk, 0, first - 1, color):
        first -= 1
    while past < cells and may(desk, 0, past, color):
        past += 1
    left, right, some = cells, 0, False
    for t in range(first_open(desk), past_open(desk)):
        if desk.color[0, t] == color and can_be(desk, t, start, end):
            need, some = int(desk.least[0, t]), True
            right = max(right, min(past, latest_end(desk, t)) - need)
            left = min(left, max(first, desk.begin[0, t]) + need)
    if not some:
        return
    for x in range(right, start):
        restrict(desk, 0, x, 1 << color)
    for x in range(end, left):
        restrict(desk, 0, x, 1 << color)
