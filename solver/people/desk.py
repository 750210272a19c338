"""One line as the techniques see it: for each colour the set of cells that may have it, as bit sets.

Most rules apply from both ends of a line, so a desk holds the line twice: as it is (way 0) and mirrored (way 1).
Kernels that take a `way` count cells and blocks from that end.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined
from nonocensus.solver.lines.bits import bit, empty, has_any, highest, load, low_bits, lowest, marker, mirror, store
from nonocensus.solver.lines.line_solver import runs

CELLS, BLOCKS, FIRST, PALETTE, RANGES, TOTALS, FOUND = range(7)
PLACE, BLOCK = range(2)

UNKNOWN, COUNTED, NARROWED, FITTED = (cast(int, np.int64(k)) for k in range(4))
"""What `Desk.begin` holds: nothing yet; ranges by counting; the same, narrowed by runs; those with room."""


class Desk(NamedTuple):
    """A line and scratch memory for the techniques, sized for the longest line and its maximum number of blocks.

    line       int64[7]: CELLS and BLOCKS of the line, its FIRST block, PALETTE (colours and background), RANGES,
               the first of its TOTALS, FOUND (1 once a technique has excluded a colour from a cell)
    length     uint16[blocks of the puzzle]: 0 for a blot
    color      uint8[blocks of the puzzle]
    now        uint64[2 x palette, words]: cells that may have a colour; row way x palette + colour
    open       uint64[2, words]: cells that may have several colours, by way
    new        uint64[palette, words]: cells that may have a colour after a technique (way 0)
    near       uint64[palette, words], scratch: cells that some block of a colour can cover
    done       int64[2, 2]: first PLACE and first BLOCK that are not finished (`strip`), by way
    begin      int64[2, blocks]: earliest start of each block according to the current technique, by way
    totals     int64[lines x palette]: number of cells of each colour, negative if unknown
    later      int64[2, blocks], scratch: the same after runs have been assigned to blocks (solver.people.line_rules)
    bit_width  the marker of bit sets' width (solver.lines.bits)
    """

    line: np.ndarray
    length: np.ndarray
    color: np.ndarray
    now: np.ndarray
    open: np.ndarray
    new: np.ndarray
    near: np.ndarray
    done: np.ndarray
    begin: np.ndarray
    totals: np.ndarray
    later: np.ndarray
    bit_width: Any


def desk_for(side: int, lines: int, palette: int, words: int, length: np.ndarray, color: np.ndarray) -> Desk:
    """Return a desk for lines of at most `side` cells; lengths and colours are those of the puzzle's blocks."""
    now, open_, new, near = (np.zeros((rows, words), np.uint64) for rows in (2 * palette, 2, palette, palette))
    begin, later = (np.zeros((2, side + 1), np.int64) for _ in range(2))
    line, done, totals = np.zeros(7, np.int64), np.zeros((2, 2), np.int64), np.zeros(lines * palette, np.int64)
    return Desk(line, length, color, now, open_, new, near, done, begin, totals, later, marker(words))


@inlined
def load_line(desk: Desk, can: np.ndarray, row: int, cells: int, first: int, blocks: int, both: bool) -> bool:
    """Load a line; return whether a cell of it is open.

    can     uint64[:, words]: from `row` on, the cells that may have each colour; `totals` likewise
    first   its first block in the puzzle
    both    mirror it too, as all techniques need it that find ranges
    """
    line, bit_width, palette = desk.line, desk.bit_width, int(desk.line[PALETTE])
    line[CELLS], line[BLOCKS], line[FIRST], line[RANGES] = cells, blocks, first, UNKNOWN
    line[TOTALS], line[FOUND] = row, 0
    once, several = empty(bit_width), empty(bit_width)
    for c in range(palette):
        here = load(can, row + c, bit_width)
        several = several | (once & here)
        once = once | here
        store(desk.now, c, here)
        store(desk.new, c, here)
    store(desk.open, 0, several)
    if not has_any(several):
        return False
    if both:
        for c in range(palette):
            store(desk.now, palette + c, mirror(load(can, row + c, bit_width), cells))
        store(desk.open, 1, mirror(several, cells))
    return True


@inlined
def clear(desk: Desk) -> None:
    """Exclude all colours: the line has no arrangement."""
    for c in range(desk.line[PALETTE]):
        exclude(desk, c, may(desk, 0, c))


@inlined
def index(desk: Desk, way: int, t: int) -> int:
    """Return the index of a block in the puzzle."""
    return int(desk.line[FIRST] + (t if way == 0 else desk.line[BLOCKS] - 1 - t))


@inlined
def color_of(desk: Desk, way: int, t: int) -> int:
    """Return the colour of a block."""
    return int(desk.color[index(desk, way, t)])


@inlined
def least_of(desk: Desk, way: int, t: int) -> int:
    """Return the minimum length of a block: its length, 1 for a blot."""
    return max(int(desk.length[index(desk, way, t)]), 1)


@inlined
def most_of(desk: Desk, way: int, t: int) -> int:
    """Return the maximum length of a block: its length, the line's cells for a blot."""
    length = int(desk.length[index(desk, way, t)])
    return length if length > 0 else int(desk.line[CELLS])


@inlined
def gap_before(desk: Desk, way: int, t: int) -> int:
    """Return the minimum number of cells between a block and the previous one."""
    return int(t > 0 and color_of(desk, way, t) == color_of(desk, way, t - 1))


@inlined
def may(desk: Desk, way: int, color: int) -> Any:
    """Return the cells that may have a colour."""
    return load(desk.now, way * desk.line[PALETTE] + color, desk.bit_width)


@inlined
def painted(desk: Desk, way: int, color: int) -> Any:
    """Return the cells that are known to have a colour."""
    return may(desk, way, color) & ~load(desk.open, way, desk.bit_width)


@inlined
def contains(cells: Any, x: int, bit_width: Any) -> bool:
    """Return whether a cell is in a set."""
    return has_any((cells >> x) & bit(0, bit_width))


@inlined
def between(desk: Desk, start: int, end: int) -> Any:
    """Return the cells start .. end - 1 of the line, none if there are none."""
    start, end = max(start, 0), min(end, int(desk.line[CELLS]))
    if start >= end:
        return empty(desk.bit_width)
    return low_bits(end, desk.bit_width) & ~low_bits(start, desk.bit_width)


@inlined
def end_of_run(cells: Any, x: int) -> int:
    """Return the index after the run of a set that begins at cell x; x if that isn't in it."""
    return int(x + lowest(~(cells >> x)))


@inlined
def start_of_run(cells: Any, x: int, bit_width: Any) -> int:
    """Return the first cell of the run of a set that ends before cell x; x if there is none."""
    outside = ~cells & low_bits(x, bit_width)
    return int(highest(outside) + 1) if has_any(outside) else 0


@inlined
def paint(desk: Desk, way: int, color: int, cells: Any) -> None:
    """Restrict cells to a colour."""
    if not has_any(cells & ~painted(desk, way, color)):
        return
    if way == 1:
        cells = mirror(cells, desk.line[CELLS])
    for other in range(desk.line[PALETTE]):
        if other != color:
            exclude(desk, other, cells)


@inlined
def rule_out(desk: Desk, way: int, color: int, x: int) -> None:
    """Exclude a colour from a cell."""
    if way == 1:
        x = desk.line[CELLS] - 1 - x
    exclude(desk, color, bit(x, desk.bit_width))


@inlined
def exclude(desk: Desk, color: int, cells: Any) -> None:
    """Exclude a colour from cells (way 0)."""
    here = load(desk.new, color, desk.bit_width)
    if has_any(here & cells):
        store(desk.new, color, here & ~cells)
        desk.line[FOUND] = 1


@inlined
def next_run(desk: Desk, x: int, past: int) -> tuple[int, int, int]:
    """Return the next run of painted cells that begins in x .. past - 1: its first cell, end and colour (0: none)."""
    bit_width = desk.bit_width
    cells = low_bits(past, bit_width) & ~low_bits(x, bit_width)
    cells = cells & ~(load(desk.open, 0, bit_width) | may(desk, 0, 0))
    if not has_any(cells):
        return past, past, 0
    start, color = lowest(cells), 1
    while not contains(may(desk, 0, color), start, bit_width):
        color += 1
    return start, end_of_run(painted(desk, 0, color), start), color


@inlined
def latest_end(desk: Desk, t: int) -> int:
    """Return the latest end (exclusive, way 0) of block t according to `begin`."""
    return int(desk.line[CELLS] - desk.begin[1, desk.line[BLOCKS] - 1 - t])


@inlined
def first_open(desk: Desk) -> int:
    """Return the first unfinished block."""
    return int(desk.done[0, BLOCK])


@inlined
def past_open(desk: Desk) -> int:
    """Return the block after the last unfinished one."""
    return int(desk.line[BLOCKS] - desk.done[1, BLOCK])


@inlined
def past_cells(desk: Desk) -> int:
    """Return the cell after the last unfinished one."""
    return int(desk.line[CELLS] - desk.done[1, PLACE])


@inlined
def find_ranges(desk: Desk, fitted: bool) -> None:
    """Compute each open block's earliest start from both sides, counting only preceding blocks and gaps.

    fitted   require that each block's cells may have its colour
    """
    if desk.line[RANGES] == UNKNOWN:
        _strip(desk)
    wanted = FITTED if fitted else COUNTED
    if desk.line[RANGES] == wanted:
        return
    desk.line[RANGES] = wanted
    for way in range(2):
        x = first_place(desk, way)
        first = int(desk.done[way, BLOCK])
        for t in range(first, desk.line[BLOCKS] - desk.done[1 - way, BLOCK]):
            if t > first:
                x += gap_before(desk, way, t)
            if fitted:
                x = _next_room(desk, way, x, t)
            desk.begin[way, t] = x
            x += least_of(desk, way, t)


@inlined
def _strip(desk: Desk) -> None:
    """Find the finished blocks and spaces at both ends, leaving a shorter line with fewer blocks."""
    cells, blocks = int(desk.line[CELLS]), int(desk.line[BLOCKS])
    for way in range(2):
        blank = painted(desk, way, 0)
        x, t = end_of_run(blank, 0), 0
        while x < cells and t < blocks:
            color = color_of(desk, way, t)
            end = end_of_run(painted(desk, way, color), x)
            if not least_of(desk, way, t) <= end - x <= most_of(desk, way, t):
                break
            if end < cells and contains(may(desk, way, color), end, desk.bit_width):
                break
            x, t = end_of_run(blank, end), t + 1
        desk.done[way, PLACE], desk.done[way, BLOCK] = x, t
    if first_open(desk) > past_open(desk) or desk.done[0, PLACE] + desk.done[1, PLACE] > cells:
        for way in range(2):
            desk.done[way, PLACE] = desk.done[way, BLOCK] = 0


@inlined
def first_place(desk: Desk, way: int) -> int:
    """Return the earliest start of the first open block: not adjacent to a finished one of its colour."""
    x, t = int(desk.done[way, PLACE]), int(desk.done[way, BLOCK])
    if x > 0 and 0 < t < desk.line[BLOCKS]:
        x += contains(painted(desk, way, color_of(desk, way, t)), x - 1, desk.bit_width)
    return x


@inlined
def _next_room(desk: Desk, way: int, x: int, t: int) -> int:
    """Return the first index from x with room for block t, or the end of the line."""
    cells = int(desk.line[CELLS])
    if x >= cells:
        return cells
    starts = runs(may(desk, way, color_of(desk, way, t)), least_of(desk, way, t)) >> x
    return int(x + lowest(starts)) if has_any(starts) else cells


@inlined
def can_be(desk: Desk, t: int, start: int, end: int) -> bool:
    """Return whether cells start .. end - 1 can belong to block t, by its range and maximum length."""
    return bool(desk.begin[0, t] <= start and end <= latest_end(desk, t) and end - start <= most_of(desk, 0, t))


@inlined
def cover_common(desk: Desk) -> None:
    """Paint the cells that an open block covers in both its first and its last position."""
    for t in range(first_open(desk), past_open(desk)):
        least = least_of(desk, 0, t)
        start, end = latest_end(desk, t) - least, int(desk.begin[0, t]) + least
        if start < end:
            paint(desk, 0, color_of(desk, 0, t), between(desk, start, end))


@inlined
def rule_out_far(desk: Desk) -> None:
    """Exclude from each cell the colours of blocks whose range does not contain it."""
    clear_near(desk)
    for t in range(first_open(desk), past_open(desk)):
        add_near(desk, color_of(desk, 0, t), between(desk, int(desk.begin[0, t]), latest_end(desk, t)))
    rule_out_others(desk)


@inlined
def clear_near(desk: Desk) -> None:
    """Empty `near`."""
    for c in range(1, desk.line[PALETTE]):
        store(desk.near, c, empty(desk.bit_width))


@inlined
def add_near(desk: Desk, color: int, cells: Any) -> None:
    """Add cells that a block of a colour can cover to `near`."""
    store(desk.near, color, load(desk.near, color, desk.bit_width) | cells)


@inlined
def rule_out_others(desk: Desk) -> None:
    """Exclude from each unfinished cell the colours for which it isn't in `near`."""
    bit_width = desk.bit_width
    inside = between(desk, int(desk.done[0, PLACE]), past_cells(desk))
    for c in range(1, desk.line[PALETTE]):
        exclude(desk, c, inside & ~load(desk.near, c, bit_width))


@inlined
def longest_of(desk: Desk, color: int, start: int, end: int) -> Any:
    """Return the number, the last, and the maximum length of the open blocks that a run can belong to."""
    number, which, longest = 0, -1, 0
    for t in range(first_open(desk), past_open(desk)):
        if desk.begin[0, t] > start:
            break  # as later blocks do
        if color_of(desk, 0, t) == color and can_be(desk, t, start, end):
            number, which, longest = number + 1, t, max(longest, most_of(desk, 0, t))
    return number, which, longest
