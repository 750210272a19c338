"""One line as the techniques see it: for each colour the set of cells that may have it, as bit sets.

Most rules apply from both ends of a line, so each set is held twice: as it is (way 0) and mirrored (way 1). Kernels
that take a `way` count cells and blocks from that end.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from nonocensus.solver.jit.kernel import inlined
from nonocensus.solver.lines.bits import bit, empty, has_any, highest, load, low_bits, lowest, marker, mirror, store
from nonocensus.solver.lines.line_solver import runs

CELLS, BLOCKS, FIRST, PALETTE, RANGES, TOTALS, FOUND = range(7)
PLACE, BLOCK = range(2)

UNKNOWN, COUNTED, NARROWED, FITTED = (cast(int, np.int64(k)) for k in range(4))
"""What `LineState.begin` holds: nothing yet; ranges by counting; the same, narrowed by runs; those with room."""


class LineState(NamedTuple):
    """A line and scratch memory for the techniques, sized for the longest line and its maximum number of blocks.

    scalars    int64[7]: CELLS and BLOCKS of the line, its FIRST block, PALETTE (colours and background), RANGES,
               the first of its TOTALS, FOUND (1 once a technique has excluded a colour from a cell)
    length     uint16[blocks of the puzzle]: 0 for a blot
    color      uint8[blocks of the puzzle]
    now        uint64[2 x palette, words]: cells that may have a colour; row way x palette + colour
    open       uint64[2, words]: cells that may have several colours, by way
    new        uint64[palette, words]: cells that may have a colour after a technique (way 0)
    near       uint64[palette, words], scratch: cells that some block of a colour can cover
    done       int64[2, 2]: first PLACE and first BLOCK that are not finished (`_strip`), by way
    begin      int64[2, blocks]: earliest start of each block according to the current technique, by way
    totals     int64[lines x palette]: number of cells of each colour, negative if unknown
    narrowed   int64[2, blocks], scratch: the same after runs have been assigned to blocks (solver.people.line_rules)
    bit_width  the marker of bit sets' width (solver.lines.bits)
    """

    scalars: np.ndarray
    length: np.ndarray
    color: np.ndarray
    now: np.ndarray
    open: np.ndarray
    new: np.ndarray
    near: np.ndarray
    done: np.ndarray
    begin: np.ndarray
    totals: np.ndarray
    narrowed: np.ndarray
    bit_width: Any


def line_state_for(side: int, lines: int, palette: int, words: int, length: np.ndarray, color: np.ndarray) -> LineState:
    """Return memory for lines of at most `side` cells; lengths and colours are those of the puzzle's blocks."""
    now, open_, new, near = (np.zeros((rows, words), np.uint64) for rows in (2 * palette, 2, palette, palette))
    begin, narrowed = (np.zeros((2, side + 1), np.int64) for _ in range(2))
    scalars, done, totals = np.zeros(7, np.int64), np.zeros((2, 2), np.int64), np.zeros(lines * palette, np.int64)
    return LineState(scalars, length, color, now, open_, new, near, done, begin, totals, narrowed, marker(words))


@inlined
def load_line(line: LineState, can: np.ndarray, row: int, cells: int, first: int, blocks: int, mirrored: bool) -> bool:
    """Load a line; return whether a cell of it is open.

    can        uint64[:, words]: from `row` on, the cells that may have each colour; `totals` likewise
    first      its first block in the puzzle
    mirrored   load it mirrored too, which all techniques need that find ranges
    """
    scalars, bit_width, palette = line.scalars, line.bit_width, int(line.scalars[PALETTE])
    scalars[CELLS], scalars[BLOCKS], scalars[FIRST], scalars[RANGES] = cells, blocks, first, UNKNOWN
    scalars[TOTALS], scalars[FOUND] = row, 0
    once, several = empty(bit_width), empty(bit_width)
    for c in range(palette):
        here = load(can, row + c, bit_width)
        several = several | (once & here)
        once = once | here
        store(line.now, c, here)
        store(line.new, c, here)
    store(line.open, 0, several)
    if not has_any(several):
        return False
    if mirrored:
        for c in range(palette):
            store(line.now, palette + c, mirror(load(can, row + c, bit_width), cells))
        store(line.open, 1, mirror(several, cells))
    return True


@inlined
def clear(line: LineState) -> None:
    """Exclude all colours: the line has no arrangement."""
    for c in range(line.scalars[PALETTE]):
        exclude(line, c, candidates(line, 0, c))


@inlined
def block_index(line: LineState, way: int, t: int) -> int:
    """Return the index of a block in the puzzle."""
    return int(line.scalars[FIRST] + (t if way == 0 else line.scalars[BLOCKS] - 1 - t))


@inlined
def color_of(line: LineState, way: int, t: int) -> int:
    """Return the colour of a block."""
    return int(line.color[block_index(line, way, t)])


@inlined
def min_length(line: LineState, way: int, t: int) -> int:
    """Return the minimum length of a block: its length, 1 for a blot."""
    return max(int(line.length[block_index(line, way, t)]), 1)


@inlined
def max_length(line: LineState, way: int, t: int) -> int:
    """Return the maximum length of a block: its length, the line's cells for a blot."""
    length = int(line.length[block_index(line, way, t)])
    return length if length > 0 else int(line.scalars[CELLS])


@inlined
def gap_before(line: LineState, way: int, t: int) -> int:
    """Return the minimum number of cells between a block and the previous one."""
    return int(t > 0 and color_of(line, way, t) == color_of(line, way, t - 1))


@inlined
def candidates(line: LineState, way: int, color: int) -> Any:
    """Return the cells that may have a colour."""
    return load(line.now, way * line.scalars[PALETTE] + color, line.bit_width)


@inlined
def painted(line: LineState, way: int, color: int) -> Any:
    """Return the cells that are known to have a colour."""
    return candidates(line, way, color) & ~load(line.open, way, line.bit_width)


@inlined
def contains(cells: Any, x: int, bit_width: Any) -> bool:
    """Return whether a cell is in a set."""
    return has_any((cells >> x) & bit(0, bit_width))


@inlined
def between(line: LineState, start: int, end: int) -> Any:
    """Return the cells start .. end - 1 of the line, none if there are none."""
    start, end = max(start, 0), min(end, int(line.scalars[CELLS]))
    if start >= end:
        return empty(line.bit_width)
    return low_bits(end, line.bit_width) & ~low_bits(start, line.bit_width)


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
def paint(line: LineState, way: int, color: int, cells: Any) -> None:
    """Restrict cells to a colour."""
    if not has_any(cells & ~painted(line, way, color)):
        return
    if way == 1:
        cells = mirror(cells, line.scalars[CELLS])
    for other in range(line.scalars[PALETTE]):
        if other != color:
            exclude(line, other, cells)


@inlined
def rule_out(line: LineState, way: int, color: int, x: int) -> None:
    """Exclude a colour from a cell."""
    if way == 1:
        x = line.scalars[CELLS] - 1 - x
    exclude(line, color, bit(x, line.bit_width))


@inlined
def exclude(line: LineState, color: int, cells: Any) -> None:
    """Exclude a colour from cells (way 0)."""
    here = load(line.new, color, line.bit_width)
    if has_any(here & cells):
        store(line.new, color, here & ~cells)
        line.scalars[FOUND] = 1


@inlined
def next_run(line: LineState, x: int, past: int) -> tuple[int, int, int]:
    """Return the next run of painted cells that begins in x .. past - 1: its first cell, end and colour (0: none)."""
    bit_width = line.bit_width
    cells = low_bits(past, bit_width) & ~low_bits(x, bit_width)
    cells = cells & ~(load(line.open, 0, bit_width) | candidates(line, 0, 0))
    if not has_any(cells):
        return past, past, 0
    start, color = lowest(cells), 1
    while not contains(candidates(line, 0, color), start, bit_width):
        color += 1
    return start, end_of_run(painted(line, 0, color), start), color


@inlined
def latest_end(line: LineState, t: int) -> int:
    """Return the latest end (exclusive, way 0) of block t according to `begin`."""
    return int(line.scalars[CELLS] - line.begin[1, line.scalars[BLOCKS] - 1 - t])


@inlined
def first_open(line: LineState) -> int:
    """Return the first unfinished block."""
    return int(line.done[0, BLOCK])


@inlined
def past_open(line: LineState) -> int:
    """Return the block after the last unfinished one."""
    return int(line.scalars[BLOCKS] - line.done[1, BLOCK])


@inlined
def past_cells(line: LineState) -> int:
    """Return the cell after the last unfinished one."""
    return int(line.scalars[CELLS] - line.done[1, PLACE])


@inlined
def find_ranges(line: LineState, fitted: bool) -> None:
    """Compute each open block's earliest start from both sides, counting only preceding blocks and gaps.

    fitted   require that each block's cells may have its colour
    """
    if line.scalars[RANGES] == UNKNOWN:
        _strip(line)
    wanted = FITTED if fitted else COUNTED
    if line.scalars[RANGES] == wanted:
        return
    line.scalars[RANGES] = wanted
    for way in range(2):
        x = first_place(line, way)
        first = int(line.done[way, BLOCK])
        for t in range(first, line.scalars[BLOCKS] - line.done[1 - way, BLOCK]):
            if t > first:
                x += gap_before(line, way, t)
            if fitted:
                x = _next_room(line, way, x, t)
            line.begin[way, t] = x
            x += min_length(line, way, t)


@inlined
def _strip(line: LineState) -> None:
    """Find the finished blocks and spaces at both ends, leaving a shorter line with fewer blocks."""
    cells, blocks = int(line.scalars[CELLS]), int(line.scalars[BLOCKS])
    for way in range(2):
        blank = painted(line, way, 0)
        x, t = end_of_run(blank, 0), 0
        while x < cells and t < blocks:
            color = color_of(line, way, t)
            end = end_of_run(painted(line, way, color), x)
            if not min_length(line, way, t) <= end - x <= max_length(line, way, t):
                break
            if end < cells and contains(candidates(line, way, color), end, line.bit_width):
                break
            x, t = end_of_run(blank, end), t + 1
        line.done[way, PLACE], line.done[way, BLOCK] = x, t
    if first_open(line) > past_open(line) or line.done[0, PLACE] + line.done[1, PLACE] > cells:
        for way in range(2):
            line.done[way, PLACE] = line.done[way, BLOCK] = 0


@inlined
def first_place(line: LineState, way: int) -> int:
    """Return the earliest start of the first open block: not adjacent to a finished one of its colour."""
    x, t = int(line.done[way, PLACE]), int(line.done[way, BLOCK])
    if x > 0 and 0 < t < line.scalars[BLOCKS]:
        x += contains(painted(line, way, color_of(line, way, t)), x - 1, line.bit_width)
    return x


@inlined
def _next_room(line: LineState, way: int, x: int, t: int) -> int:
    """Return the first index from x with room for block t, or the end of the line."""
    cells = int(line.scalars[CELLS])
    if x >= cells:
        return cells
    starts = runs(candidates(line, way, color_of(line, way, t)), min_length(line, way, t)) >> x
    return int(x + lowest(starts)) if has_any(starts) else cells


@inlined
def can_be(line: LineState, t: int, start: int, end: int) -> bool:
    """Return whether cells start .. end - 1 can belong to block t, by its range and maximum length."""
    return bool(line.begin[0, t] <= start and end <= latest_end(line, t) and end - start <= max_length(line, 0, t))


@inlined
def exclude_far(line: LineState) -> None:
    """Exclude from each cell the colours of blocks whose range does not contain it."""
    clear_near(line)
    for t in range(first_open(line), past_open(line)):
        add_near(line, color_of(line, 0, t), between(line, int(line.begin[0, t]), latest_end(line, t)))
    exclude_all_but_near(line)


@inlined
def clear_near(line: LineState) -> None:
    """Empty `near`."""
    for c in range(1, line.scalars[PALETTE]):
        store(line.near, c, empty(line.bit_width))


@inlined
def add_near(line: LineState, color: int, cells: Any) -> None:
    """Add cells that a block of a colour can cover to `near`."""
    store(line.near, color, load(line.near, color, line.bit_width) | cells)


@inlined
def exclude_all_but_near(line: LineState) -> None:
    """Exclude from each unfinished cell the colours whose `near` does not contain it."""
    bit_width = line.bit_width
    inside = between(line, int(line.done[0, PLACE]), past_cells(line))
    for c in range(1, line.scalars[PALETTE]):
        exclude(line, c, inside & ~load(line.near, c, bit_width))


@inlined
def blocks_of_run(line: LineState, color: int, start: int, end: int) -> Any:
    """Return the number, the last, and the maximum length of the open blocks that a run can belong to."""
    number, which, longest = 0, -1, 0
    for t in range(first_open(line), past_open(line)):
        if line.begin[0, t] > start:
            break  # as later blocks do
        if color_of(line, 0, t) == color and can_be(line, t, start, end):
            number, which, longest = number + 1, t, max(longest, max_length(line, 0, t))
    return number, which, longest
