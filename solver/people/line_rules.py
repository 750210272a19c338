"""The named techniques on one line, each a small exact rule. None finds more than `complete_line`.

`apply_technique` in solver.people.person calls them, with the ranges that they need; solver.model.techniques has their
order, grades and sources.
"""

from nonocensus.solver.jit.kernel import inlined
from nonocensus.solver.lines.bits import count, empty, has_any, highest, load, lowest
from nonocensus.solver.lines.board import BACKGROUND
from nonocensus.solver.lines.line_solver import runs, spread
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.people.line_state import (
    BLOCK,
    BLOCKS,
    CELLS,
    NARROWED,
    PALETTE,
    PLACE,
    RANGES,
    TOTALS,
    UNKNOWN,
    LineState,
    add_near,
    between,
    blocks_of_run,
    can_be,
    candidates,
    clear_near,
    color_of,
    contains,
    end_of_run,
    exclude,
    exclude_all_but_near,
    exclude_far,
    first_open,
    first_place,
    gap_before,
    latest_end,
    max_length,
    min_length,
    next_run,
    paint,
    painted,
    past_cells,
    past_open,
    rule_out,
    start_of_run,
)

ABSENT, HIDDEN = -1, -2
"""In `LineState.totals`: the clue lacks the colour; a block of it has a hidden length."""


@inlined
def clue(line: LineState) -> None:
    """Restrict cells to the clue's colours; if blocks and gaps fill the line exactly, decide all of it."""
    cells, blocks = int(line.scalars[CELLS]), int(line.scalars[BLOCKS])
    colors, need, exact = 0, 0, True
    for t in range(blocks):
        colors |= 1 << color_of(line, 0, t)
        need += min_length(line, 0, t) + gap_before(line, 0, t)
        exact = exact and min_length(line, 0, t) == max_length(line, 0, t)
    for c in range(1, line.scalars[PALETTE]):
        if not colors >> c & 1:
            exclude(line, c, candidates(line, 0, c))
    if not exact or need != cells:
        return
    x = 0
    for t in range(blocks):
        gap, least = gap_before(line, 0, t), min_length(line, 0, t)
        paint(line, 0, BACKGROUND, between(line, x, x + gap))
        paint(line, 0, color_of(line, 0, t), between(line, x + gap, x + gap + least))
        x += gap + least


@inlined
def count_colors(line: LineState, row: int, cells: int, first: int, past: int) -> None:
    """Write the number of cells of each colour in a line's clue to `totals`, from `row` on.

    first, past   its blocks in the puzzle
    """
    totals, background = line.totals, cells
    for c in range(line.scalars[PALETTE]):
        totals[row + c] = ABSENT
    for block in range(first, past):
        length, color = int(line.length[block]), row + int(line.color[block])
        if (length == 0 and cells > 1) or totals[color] == HIDDEN:
            totals[color] = background = HIDDEN
        else:
            totals[color] = max(totals[color], 0) + max(length, 1)
            background -= max(length, 1) if background != HIDDEN else 0
    totals[row] = background


@inlined
def counting(line: LineState) -> None:
    """Decide a colour (or the background) if all of its cells are found, or if all possible cells are needed.

    Colours with blocks of hidden length are skipped.
    """
    for c in range(line.scalars[PALETTE]):
        total, possible, found = line.totals[line.scalars[TOTALS] + c], candidates(line, 0, c), painted(line, 0, c)
        if total < 0:
            continue
        if count(possible) == total:
            paint(line, 0, c, possible)
        elif count(found) == total:
            exclude(line, c, possible & ~found)


@inlined
def overlap(line: LineState) -> None:
    """Paint the cells that an open block covers in both its first and its last position."""
    for t in range(first_open(line), past_open(line)):
        least = min_length(line, 0, t)
        start, end = latest_end(line, t) - least, int(line.begin[0, t]) + least
        if start < end:
            paint(line, 0, color_of(line, 0, t), between(line, start, end))


@inlined
def glue(line: LineState) -> None:
    """From both ends: extend a painted cell that must belong to the first open block to that block's minimum reach."""
    for way in range(2):
        x, t = first_place(line, way), int(line.done[way, BLOCK])
        if t == line.scalars[BLOCKS] - line.done[1 - way, BLOCK]:
            continue
        color, far = color_of(line, way, t), x + min_length(line, way, t)
        found = painted(line, way, color) & between(line, x, far)
        if has_any(found):
            paint(line, way, color, between(line, lowest(found), far))


@inlined
def punctuating(line: LineState) -> None:
    """Rule out a run's colour at both its ends if no block that it can belong to, by counting, is longer."""
    cells, bit_width = int(line.scalars[CELLS]), line.bit_width
    x, end, color = next_run(line, 0, cells)
    while color > 0:
        possible = candidates(line, 0, color)
        before, after = (
            x > 0 and contains(possible, x - 1, bit_width),
            end < cells and contains(possible, end, bit_width),
        )
        if before or after:
            number, _, longest = blocks_of_run(line, color, x, end)
            if number > 0 and longest == end - x:
                if before:
                    rule_out(line, 0, color, x - 1)
                if after:
                    rule_out(line, 0, color, end)
        x, end, color = next_run(line, end, cells)


@inlined
def mercury(line: LineState) -> None:
    """From both ends: rule out the first open block at the first open cell if a run begins right after its length.

    Begun at the edge, the block would join that run and be too long.
    """
    for way in range(2):
        x, t = first_place(line, way), int(line.done[way, BLOCK])
        if t == line.scalars[BLOCKS] - line.done[1 - way, BLOCK] or min_length(line, way, t) != max_length(
            line, way, t
        ):
            continue
        color, run = color_of(line, way, t), x + min_length(line, way, t)
        if run < line.scalars[CELLS] and contains(painted(line, way, color), run, line.bit_width):
            rule_out(line, way, color, x)


@inlined
def spaces(line: LineState) -> None:
    """Rule out colours outside the ranges of all blocks: ranges by counting, narrowed by runs of a single candidate."""
    narrow(line)
    exclude_far(line)


@inlined
def narrow(line: LineState) -> None:
    """Narrow the range of each block that a run must belong to, and of the blocks beyond.

    All runs are assigned by the ranges as they were before, so that the direction has no influence.
    """
    blocks, past = int(line.scalars[BLOCKS]), past_cells(line)
    x, end, color = next_run(line, int(line.done[0, PLACE]), past)
    if color == 0:
        return
    while color > 0:
        number, t, _ = blocks_of_run(line, color, x, end)
        if number == 1:
            if line.scalars[RANGES] != NARROWED:
                line.scalars[RANGES] = NARROWED
                for way in range(2):
                    for other in range(blocks):
                        line.narrowed[way, other] = line.begin[way, other]
            _shift_ranges(line, 0, t, end)
            _shift_ranges(line, 1, blocks - 1 - t, int(line.scalars[CELLS]) - x)
        x, end, color = next_run(line, end, past)
    if line.scalars[RANGES] == NARROWED:
        for way in range(2):
            for t in range(blocks):
                line.begin[way, t] = line.narrowed[way, t]


@inlined
def _shift_ranges(line: LineState, way: int, t: int, end: int) -> None:
    """Make block t reach at least to `end`, and the blocks after it begin behind it, in `later`."""
    narrowed = line.narrowed
    narrowed[way, t] = max(narrowed[way, t], end - max_length(line, way, t))
    for other in range(t + 1, line.scalars[BLOCKS] - line.done[1 - way, BLOCK]):
        end = max(end, narrowed[way, other - 1] + min_length(line, way, other - 1)) + gap_before(line, way, other)
        if narrowed[way, other] >= end:
            break  # so have the others
        narrowed[way, other], end = end, 0


@inlined
def forcing(line: LineState) -> None:
    """Overlap within ranges where each block has room; rule out colours in gaps too small for any block."""
    overlap(line)
    clear_near(line)
    for t in range(first_open(line), past_open(line)):
        color, least = color_of(line, 0, t), min_length(line, 0, t)
        room = candidates(line, 0, color) & between(line, int(line.begin[0, t]), latest_end(line, t))
        add_near(line, color, spread(runs(room, least), least))
    exclude_all_but_near(line)


@inlined
def splitting(line: LineState) -> None:
    """Rule out a run's colour next to it, or between two runs, if no block is as long as the run would become."""
    cells, bit_width = past_cells(line), line.bit_width
    x, end, color = next_run(line, int(line.done[0, PLACE]), cells)
    while color > 0:
        here, possible = painted(line, 0, color), candidates(line, 0, color)
        if x > 0 and contains(possible, x - 1, bit_width):
            start = start_of_run(here, x - 1, bit_width)
            if blocks_of_run(line, color, start, end)[0] == 0:
                rule_out(line, 0, color, x - 1)
        if end < cells and contains(possible, end, bit_width):
            past = end_of_run(here, end + 1)
            if blocks_of_run(line, color, x, past)[0] == 0:
                rule_out(line, 0, color, end)
        x, end, color = next_run(line, end, cells)


@inlined
def joining(line: LineState) -> None:
    """Extend a run to what every candidate block covers, and join two runs that must belong to one block."""
    cells = past_cells(line)
    x, end, color = next_run(line, int(line.done[0, PLACE]), cells)
    last_block, last_end = -1, 0
    while color > 0:
        _grow(line, color, x, end)
        number, which, _ = blocks_of_run(line, color, x, end)
        if number == 1:
            if which == last_block:
                paint(line, 0, color, between(line, last_end, x))
            last_block, last_end = which, end
        x, end, color = next_run(line, end, cells)


@inlined
def _grow(line: LineState, color: int, start: int, end: int) -> None:
    """Extend the run start .. end - 1 to the cells that every block it can belong to must cover."""
    possible = candidates(line, 0, color)
    first, past = start_of_run(possible, start, line.bit_width), end_of_run(possible, end)
    left, right, some = int(line.scalars[CELLS]), 0, False
    for t in range(first_open(line), past_open(line)):
        if color_of(line, 0, t) == color and can_be(line, t, start, end):
            least, some = min_length(line, 0, t), True
            right = max(right, min(past, latest_end(line, t)) - least)
            left = min(left, max(first, int(line.begin[0, t])) + least)
    if some:
        paint(line, 0, color, between(line, right, start) | between(line, end, left))


@inlined
def reach(line: LineState, workspace: Workspace) -> None:
    """Apply overlap and spaces with each block's first and last place over all arrangements, from the line solver."""
    blocks = int(line.scalars[BLOCKS])
    for way in range(2):
        line.done[way, PLACE] = line.done[way, BLOCK] = 0
    for t in range(blocks):
        places = load(workspace.reach, t, line.bit_width)  # where it can start; for a blot, what it can cover
        past = highest(places) + min_length(line, 0, t)
        line.begin[0, t], line.begin[1, blocks - 1 - t] = lowest(places), line.scalars[CELLS] - past
    line.scalars[RANGES] = UNKNOWN
    overlap(line)
    exclude_far(line)


@inlined
def complete_line(line: LineState, workspace: Workspace) -> None:
    """Restrict each cell to the colours of some arrangement: complete line logic, from the line solver."""
    for c in range(line.scalars[PALETTE]):
        exclude(line, c, ~load(workspace.new, c, line.bit_width))


@inlined
def can_progress(line: LineState, workspace: Workspace) -> bool:
    """Return whether `line` excludes any colour from a cell."""
    lost = empty(line.bit_width)
    for c in range(line.scalars[PALETTE]):
        lost = lost | (candidates(line, 0, c) & ~load(workspace.new, c, line.bit_width))
    return has_any(lost)
