"""A line of a puzzle for explanations: where its blocks can be, by counting, by room and in all arrangements."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from nonocensus.solver.model.puzzle import BLOT, Block, Clue
from nonocensus.solver.proofs.record import colors_of, exclude

COUNTED, NARROWED, FITTED, FULL = range(4)
"""How ranges of blocks are found: by counting blocks and gaps; narrowed by painted cells; by room; by trying all."""

Pairs = frozenset[tuple[int, int]]


class Line(NamedTuple):
    """A clue, and the possible colours of each cell, a bit each."""

    clue: Clue
    cells: tuple[int, ...]

    def can(self, color: int) -> list[int]:
        """Return the cells that may have a colour."""
        return [x for x, colors in enumerate(self.cells) if colors >> color & 1]

    def painted(self, color: int) -> list[int]:
        """Return the cells known to have a colour."""
        return [x for x, colors in enumerate(self.cells) if colors == 1 << color]

    def runs(self) -> list[tuple[int, int, int]]:
        """Return the runs of painted cells: first cell, end and colour."""
        runs, x = [], 0
        for colors, run in groupby(self.cells):
            end = x + len(list(run))
            if colors & (colors - 1) == 0 and colors > 1:
                runs.append((x, end, colors.bit_length() - 1))
            x = end
        return runs

    def stretch(self, color: int, x: int, first: int, past: int) -> range:
        """Return the cells around x, in first .. past - 1, that may all have a colour."""
        start = end = x
        while start > first and self.cells[start - 1] >> color & 1:
            start -= 1
        while end < min(past, len(self.cells)) and self.cells[end] >> color & 1:
            end += 1
        return range(start, end)

    def without(self, ruled: Iterable[tuple[int, int]]) -> "Line":
        """Return the line with colours excluded."""
        cells = list(self.cells)
        exclude(cells, ruled)
        return self._replace(cells=tuple(cells))

    def painting(self, color: int, cells: Iterable[int]) -> Pairs:
        """Return what painting cells excludes."""
        return frozenset((x, c) for x in cells for c in colors_of(self.cells[x]) if c != color)

    def excluding(self, color: int, cells: Iterable[int]) -> Pairs:
        """Return what is excluded if cells don't have a colour."""
        return frozenset((x, color) for x in cells if 0 <= x < len(self.cells) and self.cells[x] >> color & 1)

    def opened(self) -> "Line":
        """Return the line with no cell known."""
        every = 1
        for block in self.clue:
            every |= 1 << block.color
        return self._replace(cells=(every,) * len(self.cells))

    def forgetting(self, unknown: Collection[int]) -> "Line":
        """Return the line with nothing known of some cells."""
        cells = zip(self.cells, self.opened().cells, strict=True)
        return self._replace(cells=tuple(every if x in unknown else now for x, (now, every) in enumerate(cells)))

    def mirrored(self) -> "Line":
        """Return the line from its other end."""
        return Line(self.clue[::-1], self.cells[::-1])


class Ranges(NamedTuple):
    """Where blocks can be.

    begin, end   earliest start and latest end (exclusive) of each block
    open         the blocks that are not finished
    inside       the cells between the finished blocks
    runs         for NARROWED the runs that narrow the start and the end of each block, as run and block
    """

    begin: list[int]
    end: list[int]
    open: range
    inside: range
    runs: tuple[dict[int, tuple[Any, int]], dict[int, tuple[Any, int]]] = ({}, {})

    @property
    def room(self) -> range:
        """The cells that the open blocks have together."""
        return range(self.begin[self.open.start], self.end[self.open.stop - 1])

    def of_run(self, line: Line, start: int, end: int, color: int) -> list[int]:
        """Return the blocks that cells start .. end - 1 of a colour can belong to."""
        return [
            t
            for t in self.open
            if line.clue[t].color == color
            and self.begin[t] <= start
            and end <= self.end[t]
            and end - start <= (line.clue[t].length or len(line.cells))
        ]

    def others(self, line: Line, start: int, end: int, blocks: list[int]) -> list[tuple[int, int, bool]]:
        """Return the nearest blocks that are long enough for a run, but not there: each ends too early or begins late.

        That is the block, the cell, and whether it is its last one.
        """
        color = line.clue[blocks[0]].color
        alike = [t for t in self.open if line.clue[t].color == color]
        alike = [t for t in alike if (line.clue[t].length or len(line.cells)) >= end - start]
        before, after = [t for t in alike if t < blocks[0]], [t for t in alike if t > blocks[-1]]
        return [(t, self.end[t] - 1, True) for t in before[-1:]] + [(t, self.begin[t], False) for t in after[:1]]


def least(block: Block) -> int:
    """Return the minimum length of a block."""
    return max(block.length, 1)


def gap_before(clue: Clue, t: int) -> int:
    """Return the cells needed between a block and the previous one."""
    return int(t > 0 and clue[t].color == clue[t - 1].color)


def _finished(line: Line) -> tuple[int, int]:
    """Return the cells and the number of blocks that are finished at the beginning of a line."""
    clue, cells, x, t = line.clue, line.cells, 0, 0
    while True:
        while x < len(cells) and cells[x] == 1:
            x += 1
        if x == len(cells) or t == len(clue):
            return x, t
        color, end = clue[t].color, x
        while end < len(cells) and cells[end] == 1 << color:
            end += 1
        is_whole = least(clue[t]) <= end - x <= (clue[t].length or len(cells))
        if not is_whole or (end < len(cells) and cells[end] >> color & 1):
            return x, t
        x, t = end, t + 1


def _begins(line: Line, x: int, open_: range, is_fitted: bool) -> list[int]:
    """Return the earliest starts of the open blocks from cell x on, counted or with room; others begin at 0."""
    clue, cells = line.clue, line.cells
    begin = [0] * len(clue)
    if 0 < open_.start < len(clue) and x > 0 and cells[x - 1] == 1 << clue[open_.start].color:
        x += 1
    for t in open_:
        x += gap_before(clue, t) if t > open_.start else 0
        if is_fitted:
            while x < len(cells) and len(line.stretch(clue[t].color, x, x, x + least(clue[t]))) < least(clue[t]):
                x += 1
        begin[t] = min(x, len(cells))
        x += least(clue[t])
    return begin


@lru_cache(4096)
def ranges(line: Line, how: int) -> Ranges:
    """Return where the blocks of a line can be."""
    count, n = len(line.clue), len(line.cells)
    if how == FULL:
        spans = arrangement_spans(line)
        begin = [min((start for start, _ in each), default=n) for each in spans]
        return Ranges(begin, [max((end for _, end in each), default=0) for each in spans], range(count), range(n))
    (x, t), (right_x, right_t) = _finished(line), _finished(line.mirrored())
    if t > count - right_t or x + right_x > n:
        x = t = right_x = right_t = 0
    open_, inside = range(t, count - right_t), range(x, n - right_x)
    begin = _begins(line, x, open_, how == FITTED)
    mirrored = _begins(line.mirrored(), right_x, range(right_t, count - t), how == FITTED)
    found = Ranges(begin, [n - other for other in mirrored[::-1]], open_, inside)
    return _narrowed(line, found) if how == NARROWED else found


def finished_ends(line: Line) -> list[range]:
    """Return the cells at either end with finished blocks."""
    found, n = ranges(line, COUNTED), len(line.cells)
    ends = (
        (found.open.start, range(found.inside.start)),
        (len(line.clue) - found.open.stop, range(found.inside.stop, n)),
    )
    return [cells for blocks, cells in ends if blocks]


@lru_cache(4096)
def limiting(line: Line, shows: Callable[[Line], bool]) -> Line:
    """Return a line with no more known cells than show something: an end with finished blocks as a whole, or none."""
    ends = finished_ends(line)
    single = (range(x, x + 1) for x in range(len(line.cells)) if not any(x in end for end in ends))
    for cells in (*ends, *single):
        opened = line.forgetting(cells)
        if opened != line and shows(opened):
            line = opened
    return line


def pushing(line: Line, t: int, begin: int) -> int:
    """Return how many open blocks before block t are needed for it to have no room before a cell."""
    found = ranges(line, FITTED)
    for first in range(t, found.open.start, -1):
        if _begins(line, found.inside.start, range(first, t + 1), is_fitted=True)[t] >= begin:
            return t - first
    return t - found.open.start


def _narrowed(line: Line, found: Ranges) -> Ranges:
    """Return ranges narrowed by the runs that can only belong to one block."""
    begin, end, starts, ends = list(found.begin), list(found.end), {}, {}
    clue, n = line.clue, len(line.cells)
    for start, past, color in line.runs():
        blocks = found.of_run(line, start, past, color)
        if len(blocks) != 1 or start not in found.inside:
            continue
        (t,), why = blocks, ((start, past), blocks[0])
        longest = clue[t].length or n
        if past - longest > begin[t]:
            begin[t], starts[t] = past - longest, why
        if start + longest < end[t]:
            end[t], ends[t] = start + longest, why
        x = past
        for other in range(t + 1, found.open.stop):
            x += gap_before(clue, other)
            if begin[other] < x:
                begin[other], starts[other] = x, why
            x += least(clue[other])
        x = start
        for other in range(t - 1, found.open.start - 1, -1):
            x -= gap_before(clue, other + 1)
            if end[other] > x:
                end[other], ends[other] = x, why
            x -= least(clue[other])
    return Ranges(begin, end, found.open, found.inside, (starts, ends))


@lru_cache(4096)
def fits_before(line: Line) -> list[list[bool]]:
    """Return by blocks and cells whether the first blocks fit into the first cells."""
    clue, cells = line.clue, line.cells
    fits = [[False] * (len(cells) + 1) for _ in range(len(clue) + 1)]
    fits[0][0] = True
    for t in range(len(clue) + 1):
        for x in range(len(cells) + 1):
            if x > 0 and fits[t][x - 1] and cells[x - 1] & 1:
                fits[t][x] = True
            elif t > 0:
                fits[t][x] = any(begins_after(line, fits, t - 1, start) for start in possible_starts(line, t - 1, x))
    return fits


def possible_starts(line: Line, t: int, end: int) -> Iterator[int]:
    """Yield where block t can start if it ends at a cell, by its colour."""
    block = line.clue[t]
    start = line.stretch(block.color, end - 1, 0, end).start if end and line.cells[end - 1] >> block.color & 1 else end
    if block.length == BLOT:
        yield from range(start, end)
    elif end - block.length >= start:
        yield end - block.length


def begins_after(line: Line, fits: list[list[bool]], t: int, start: int) -> bool:
    """Return whether the blocks before block t fit before its start."""
    if gap_before(line.clue, t):
        return start > 0 and bool(line.cells[start - 1] & 1) and fits[t][start - 1]
    return fits[t][start]


@lru_cache(4096)
def arrangement_spans(line: Line) -> list[list[tuple[int, int]]]:
    """Return for each block its starts and ends in the line's arrangements."""
    mirrored, count, n = line.mirrored(), len(line.clue), len(line.cells)
    before, after = fits_before(line), fits_before(mirrored)
    return [
        [
            (start, end)
            for end in range(n + 1)
            for start in possible_starts(line, t, end)
            if begins_after(line, before, t, start) and begins_after(mirrored, after, count - 1 - t, n - end)
        ]
        for t in range(count)
    ]


def arrangements(line: Line) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the arrangements of a line: the start and end of each block."""
    spans = arrangement_spans(line)

    def place(placed: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        t, x = len(placed), placed[-1][1] if placed else 0
        if t == len(spans):
            yield placed
            return
        for start, end in spans[t]:
            if start >= x + gap_before(line.clue, t) and all(line.cells[k] & 1 for k in range(x, start)):
                yield from place((*placed, (start, end)))

    if line.clue and all(spans):
        yield from place(())
