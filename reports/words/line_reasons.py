"""Why cells of a line can't have some colours: arguments by blocks and cells of that line, to check with a pencil.

A step of an explanation says what follows on a line by some technique (solver.people.line_rules). Here its argument is
found again as data, by the same rules, for `reason_words` to say in a sentence. What no single rule shows is refuted:
with the colour in the cell, the rules lead to a line without arrangement.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, NamedTuple

from nonocensus.solver.model import techniques
from nonocensus.solver.model.puzzle import BLOT, Block, Clue

COUNTED, NARROWED, FITTED, FULL = range(4)
"""How ranges of blocks are found: by counting blocks and gaps; narrowed by painted cells; by room; by trying all."""

MOST_ARRANGEMENTS = 3
"""Arrangements of a line that a sentence lists."""

MOST_THEN = 2
"""Consequences of a supposed colour that a sentence lists."""

Pairs = frozenset[tuple[int, int]]


class Reason(NamedTuple):
    """An argument.

    kind    key of reason_words.SENTENCES
    ruled   what it excludes: pairs of cell and colour
    parts   the blocks, cells and colours that it names
    """

    kind: str
    ruled: Pairs
    parts: dict[str, Any]


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
        for x, color in ruled:
            cells[x] &= ~(1 << color)
        return self._replace(cells=tuple(cells))

    def painting(self, color: int, cells: Iterable[int]) -> Pairs:
        """Return what painting cells excludes."""
        return frozenset((x, c) for x in cells for c in _colors(self.cells[x]) if c != color)

    def excluding(self, color: int, cells: Iterable[int]) -> Pairs:
        """Return what is excluded if cells don't have a colour."""
        return frozenset((x, color) for x in cells if 0 <= x < len(self.cells) and self.cells[x] >> color & 1)

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


def _colors(colors: int) -> list[int]:
    return [color for color in range(colors.bit_length()) if colors >> color & 1]


def least(block: Block) -> int:
    """Return the minimum length of a block."""
    return max(block.length, 1)


def _gap(clue: Clue, t: int) -> int:
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
        x += _gap(clue, t) if t > open_.start else 0
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
            x = max(x, begin[other - 1] + least(clue[other - 1])) + _gap(clue, other)
            if begin[other] < x:
                begin[other], starts[other] = x, why
            x = 0
        x = start
        for other in range(t - 1, found.open.start - 1, -1):
            x = min(x, end[other + 1] - least(clue[other + 1])) - _gap(clue, other + 1)
            if end[other] > x:
                end[other], ends[other] = x, why
            x = n
    return Ranges(begin, end, found.open, found.inside, (starts, ends))


@lru_cache(4096)
def _fits_before(line: Line) -> list[list[bool]]:
    """Return by blocks and cells whether the first blocks fit into the first cells."""
    clue, cells = line.clue, line.cells
    fits = [[False] * (len(cells) + 1) for _ in range(len(clue) + 1)]
    fits[0][0] = True
    for t in range(len(clue) + 1):
        for x in range(len(cells) + 1):
            if x > 0 and fits[t][x - 1] and cells[x - 1] & 1:
                fits[t][x] = True
            elif t > 0:
                fits[t][x] = any(_begins_after(line, fits, t - 1, start) for start in _starts(line, t - 1, x))
    return fits


def _starts(line: Line, t: int, end: int) -> Iterator[int]:
    """Yield where block t can start if it ends at a cell, by its colour."""
    block = line.clue[t]
    start = line.stretch(block.color, end - 1, 0, end).start if end and line.cells[end - 1] >> block.color & 1 else end
    if block.length == BLOT:
        yield from range(start, end)
    elif end - block.length >= start:
        yield end - block.length


def _begins_after(line: Line, fits: list[list[bool]], t: int, start: int) -> bool:
    """Return whether the blocks before block t fit before its start."""
    if _gap(line.clue, t):
        return start > 0 and bool(line.cells[start - 1] & 1) and fits[t][start - 1]
    return fits[t][start]


@lru_cache(4096)
def arrangement_spans(line: Line) -> list[list[tuple[int, int]]]:
    """Return for each block its starts and ends in the line's arrangements."""
    mirrored, count, n = line.mirrored(), len(line.clue), len(line.cells)
    before, after = _fits_before(line), _fits_before(mirrored)
    return [
        [
            (start, end)
            for end in range(n + 1)
            for start in _starts(line, t, end)
            if _begins_after(line, before, t, start) and _begins_after(mirrored, after, count - 1 - t, n - end)
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
            if start >= x + _gap(line.clue, t) and all(line.cells[k] & 1 for k in range(x, start)):
                yield from place((*placed, (start, end)))

    if line.clue and all(spans):
        yield from place(())


# The rules: what each technique shows, from one line and its ranges


def _clue(line: Line) -> Iterator[Reason]:
    """The clue is 0 or fills its line; or lacks colours."""
    clue, n = line.clue, len(line.cells)
    gaps = sum(_gap(clue, t) for t in range(len(clue)))
    if not clue:
        yield Reason("empty", line.painting(0, range(n)), {})
    elif all(block.length for block in clue) and sum(block.length for block in clue) + gaps == n:
        x, ruled = 0, frozenset[tuple[int, int]]()
        for t, block in enumerate(clue):
            ruled |= line.painting(0, range(x, x + _gap(clue, t)))
            x += _gap(clue, t)
            ruled |= line.painting(block.color, range(x, x + block.length))
            x += block.length
        yield Reason("full" if len(clue) > 1 else "long", ruled, {"sum": range(len(clue)), "gaps": gaps, "block": 0})
    lacking = {color for colors in line.cells for color in _colors(colors)} - {0, *(block.color for block in clue)}
    if lacking:
        ruled = frozenset(pair for color in lacking for pair in line.excluding(color, range(n)))
        yield Reason("lacks", ruled, {"colors": sorted(lacking)})


def _total(line: Line, color: int) -> int:
    """Return the number of cells of a colour, -1 if that is hidden."""
    blocks = [block for block in line.clue if color in (0, block.color)]
    if any(block.length == BLOT for block in blocks):
        return -1
    length = sum(block.length for block in blocks)
    return length if color else len(line.cells) - length


def _by_counting(line: Line) -> Iterator[Reason]:
    """All cells of a colour are found, or all that can have it are needed; the background comes last."""
    for color in (*sorted({block.color for block in line.clue}), 0):
        total, found, possible = _total(line, color), line.painted(color), line.can(color)
        parts = {"color": color, "count": total, "sum": [t for t, b in enumerate(line.clue) if color in (0, b.color)]}
        if total == len(found):
            ruled = line.excluding(color, (x for x in possible if x not in found))
            yield Reason("found" if total else "none", ruled, parts | {"cells": found})
        elif total == len(possible):
            yield Reason("needed", line.painting(color, possible), parts | {"cells": possible})


def _by_overlap(line: Line, how: int) -> Iterator[Reason]:
    """A block covers some cells wherever it stands."""
    found = ranges(line, how)
    for t in found.open:
        block = line.clue[t]
        first, last = found.begin[t], found.end[t] - least(block)
        if first <= last < first + least(block):
            ruled = line.painting(block.color, range(last, first + least(block)))
            kind = "covers" if block.length == BLOT else "range"
            yield Reason(
                kind, ruled, {"block": t, "begin": range(first, last + 1), "cells": [last]} | _pushed(line, how)
            )


def _pushed(line: Line, how: int) -> dict[str, Any]:
    """Return for FULL the starts of the blocks pushed to either end."""
    if how != FULL:
        return {}
    spans = arrangement_spans(line)
    return {"first": [min(each)[0] for each in spans], "last": [max(each)[0] for each in spans]}


def _by_edge(line: Line, rule: Callable[[Line, int, int], Reason | None]) -> Iterator[Reason]:
    """Apply a rule for the first open block and its earliest start at both ends."""
    n, count = len(line.cells), len(line.clue)
    for is_mirrored, here in enumerate((line, line.mirrored())):
        found = ranges(here, COUNTED)
        reason = rule(here, found.open.start, found.begin[found.open.start]) if found.open else None
        if reason is None or not is_mirrored:
            yield from [reason] if reason else []
            continue
        parts = dict(reason.parts)
        if "begin" in parts:
            length = least(here.clue[parts["block"]])
            parts["begin"] = range(n - parts["begin"][-1] - length, n - parts["begin"][0] - length + 1)
        parts |= {"block": count - 1 - parts["block"], "cells": [n - 1 - x for x in parts["cells"]]}
        parts |= {"cell": n - 1 - parts["cell"]} if "cell" in parts else {}
        yield Reason(reason.kind, frozenset((n - 1 - x, color) for x, color in reason.ruled), parts)


def _glue(line: Line, t: int, x: int) -> Reason | None:
    """A painted cell near the edge belongs to the first block, which reaches farther."""
    block = line.clue[t]
    past = x + least(block)
    seen = next((k for k in range(x, min(past, len(line.cells))) if line.cells[k] == 1 << block.color), None)
    if seen is None:
        return None
    ruled = line.painting(block.color, range(seen, min(past, len(line.cells))))
    return Reason("near", ruled, {"block": t, "begin": range(x, seen + 1), "cells": [seen]})


def _mercury(line: Line, t: int, x: int) -> Reason | None:
    """Begun at the edge, the first block would run into a painted cell of its colour."""
    block = line.clue[t]
    run = x + block.length
    if block.length == BLOT or run >= len(line.cells) or line.cells[run] != 1 << block.color:
        return None
    return Reason("joined", line.excluding(block.color, [x]), {"block": t, "cell": x, "cells": [run]})


def _punctuating(line: Line) -> Iterator[Reason]:
    """A run is as long as the longest block that it can belong to."""
    found = ranges(line, COUNTED)
    for start, end, color in line.runs():
        blocks = found.of_run(line, start, end, color)
        if blocks and max(line.clue[t].length or len(line.cells) for t in blocks) == end - start:
            ruled = line.excluding(color, (start - 1, end))
            yield Reason("whole", ruled, {"blocks": blocks, "cells": range(start, end), "color": color})


def _cover(line: Line, x: int, color: int, how: int) -> dict[str, Any] | None:
    """Return why no block of a colour covers a cell, as parts; None if one may."""
    found = ranges(line, how)
    blocks = [t for t in found.open if line.clue[t].color == color]
    before = [t for t in blocks if found.end[t] <= x]
    after = [t for t in blocks if found.begin[t] > x]
    short = []
    for t in blocks:
        if t not in before and t not in after:
            within, needed = range(found.begin[t], found.end[t]), least(line.clue[t])
            room = line.stretch(color, x, within.start, within.stop)
            if how == FULL or len(room) >= needed:
                return None
            is_free = len(line.stretch(color, x, 0, len(line.cells))) >= needed
            short.append((t, room, within if is_free else None))
    parts: dict[str, Any] = {"short": short, "runs": []}
    if before:
        parts |= {"before": before[-1], "latest": found.end[before[-1]] - 1}
        parts["runs"] += [found.runs[1][before[-1]]] if before[-1] in found.runs[1] else []
    if after:
        parts |= {"after": after[0], "earliest": found.begin[after[0]]}
        parts["runs"] += [found.runs[0][after[0]]] if after[0] in found.runs[0] else []
    return parts


def _by_covers(line: Line, how: int) -> Iterator[Reason]:
    """No block of a colour covers some cells."""
    found = ranges(line, how)
    merged: dict[str, tuple[dict[str, Any], set[tuple[int, int]]]] = {}
    for x in found.inside:
        for color in _colors(line.cells[x]):
            parts = _cover(line, x, color, how) if color else None
            if parts is not None:
                pairs = merged.setdefault(f"{color}{parts}", (parts | {"color": color} | _pushed(line, how), set()))[1]
                pairs.add((x, color))
    for parts, pairs in merged.values():
        yield Reason("cover", frozenset(pairs), parts)


def _splitting(line: Line) -> Iterator[Reason]:
    """With another cell painted, a run would be longer than any block there."""
    found = ranges(line, FITTED)
    for start, end, color in line.runs():
        if start not in found.inside:
            continue
        for x in (start - 1, end):
            if not 0 <= x < len(line.cells) or not line.cells[x] >> color & 1:
                continue
            joined = line.without(line.painting(color, [x]))
            run = next(each for each in joined.runs() if each[0] <= x < each[1])
            if not found.of_run(line, *run):
                yield _too_long("split", line, run, {"cell": x}, line.excluding(color, [x]), found)


def _too_long(
    kind: str, line: Line, run: tuple[int, int, int], parts: dict[str, Any], ruled: Pairs, found: Ranges
) -> Reason:
    """Return why a run belongs to no block: each is too short, or doesn't reach it."""
    start, end, color = run
    near = [t for t in found.open if line.clue[t].color == color and found.begin[t] < end and start < found.end[t]]
    short = [t for t in near if 0 < line.clue[t].length < end - start]
    far = [t for t in near if t not in short]
    within = [range(found.begin[t], found.end[t]) for t in far]
    return Reason(
        kind, ruled, parts | {"cells": range(start, end), "color": color, "short": short, "far": far, "within": within}
    )


def _joining(line: Line) -> Iterator[Reason]:
    """A run belongs to blocks that all reach farther; or two runs belong to one block."""
    found = ranges(line, FITTED)
    single: tuple[int, Any] = (-1, None)
    for start, end, color in line.runs():
        blocks = found.of_run(line, start, end, color) if start in found.inside else []
        if not blocks:
            continue
        room = line.stretch(color, start, 0, len(line.cells))
        within = [range(max(room.start, found.begin[t]), min(room.stop, found.end[t])) for t in blocks]
        lengths = [least(line.clue[t]) for t in blocks]
        first = max(each.stop - length for each, length in zip(within, lengths, strict=True))
        past = min(each.start + length for each, length in zip(within, lengths, strict=True))
        ruled = line.painting(color, [*range(max(first, 0), start), *range(end, past)])
        if ruled:
            parts = {"cells": range(start, end), "blocks": blocks, "within": within, "color": color}
            yield Reason("grow" if len(blocks) > 1 else "part", ruled, parts)
        if len(blocks) == 1:
            if single[0] == blocks[0]:
                parts = {"cells": [*single[1], *range(start, end)], "block": blocks[0], "color": color}
                yield Reason("join", line.painting(color, range(single[1].stop, start)), parts)
            single = blocks[0], range(start, end)


Rule = Callable[[Line], Iterator[Reason]]

RULES: dict[int, tuple[Rule, ...]] = {
    techniques.CLUE: (_clue,),
    techniques.COUNTING: (_by_counting,),
    techniques.OVERLAP: (lambda line: _by_overlap(line, COUNTED),),
    techniques.GLUE: (lambda line: _by_edge(line, _glue),),
    techniques.PUNCTUATING: (_punctuating,),
    techniques.MERCURY: (lambda line: _by_edge(line, _mercury),),
    techniques.SPACES: (lambda line: _by_covers(line, COUNTED), lambda line: _by_covers(line, NARROWED)),
    techniques.FORCING: (lambda line: _by_overlap(line, FITTED), lambda line: _by_covers(line, FITTED)),
    techniques.SPLITTING: (_splitting,),
    techniques.JOINING: (_joining,),
    techniques.REACH: (lambda line: _by_overlap(line, FULL), lambda line: _by_covers(line, FULL)),
}
"""The rules of each technique, by its number; LINE has none, but arrangements and suppositions."""

SIMPLE = tuple(rule for technique, rules in RULES.items() if technique < techniques.REACH for rule in rules)


def find_reasons(line: Line, ruled: Pairs, technique: int = -1) -> list[Reason]:
    """Return arguments that together exclude what a step does, those of its technique first."""
    found, left = [], set(ruled)
    for rule in (*RULES.get(technique, ()), *(rule for rules in RULES.values() for rule in rules)):
        if not left:
            break
        for reason in sorted(rule(line), key=lambda each: -len(each.ruled)):
            if gain := reason.ruled & left:
                found.append(reason._replace(ruled=frozenset(gain)))
                left -= gain
    if left:
        found += _by_arrangements(line, frozenset(left))
    return sorted(found, key=lambda each: min(each.ruled))


def _by_arrangements(line: Line, ruled: Pairs) -> Iterator[Reason]:
    """List the arrangements of a line if they are few; else refute each colour."""
    few = list(islice(arrangements(line), MOST_ARRANGEMENTS + 1))
    if len(few) <= MOST_ARRANGEMENTS:
        yield Reason("arrangements", ruled, {"starts": [[start for start, _ in each] for each in few]})
        return
    for x, color in sorted(ruled):
        supposed = line.without(line.painting(color, [x]))
        then, end = refutation(supposed)
        yield Reason("suppose", frozenset({(x, color)}), {"cell": x, "color": color, "then": then, "end": end})


def refutation(line: Line) -> tuple[list[tuple[Line, Reason]], Reason]:
    """Return consequences, each with the line before it, that leave a line no arrangement, and why it has none."""
    for most in range(MOST_THEN + 1):
        if found := _refuted(line, most):
            return found
    return [], _by_cases(line)


def _refuted(line: Line, most: int) -> tuple[list[tuple[Line, Reason]], Reason] | None:
    if most == 0:
        end = impossible(line)
        return ([], end) if end else None
    for rule in SIMPLE:
        for reason in rule(line):
            after = line.without(reason.ruled)
            if not reason.ruled:
                continue
            if not all(after.cells):
                continue
            if found := _refuted(after, most - 1):
                return [(line, reason), *found[0]], found[1]
    return None


def _by_cases(line: Line) -> Reason:
    """Return why a line has no arrangement by the blocks that can be in a cell that is not background.

    Each case is a block, its cells, and whether the blocks before it don't fit, or else those after it.
    """
    fits, fitted = _fits_before(line), ranges(line, FITTED)
    cases = {
        x: [
            (t, range(start, end), not _begins_after(line, fits, t, start))
            for t in fitted.open
            for end in range(x + 1, fitted.end[t] + 1)
            for start in _starts(line, t, end)
            if fitted.begin[t] <= start <= x
        ]
        for x in fitted.inside
        if not line.cells[x] & 1
    }
    x = min(cases, key=lambda x: len(cases[x]))
    return Reason("cases", frozenset(), {"cells": [x], "cases": cases[x]})


def impossible(line: Line) -> Reason | None:
    """Return why a line has no arrangement, if that can be seen at once."""
    nothing: Pairs = frozenset()
    for color in (*sorted({block.color for block in line.clue}), 0):
        total, found, possible = _total(line, color), line.painted(color), line.can(color)
        parts = {"color": color, "count": total, "sum": [t for t, b in enumerate(line.clue) if color in (0, b.color)]}
        if 0 <= total < len(found):
            return Reason("many", nothing, parts | {"cells": found})
        if len(possible) < total:
            return Reason("few", nothing, parts | {"cells": possible})
    fitted = ranges(line, FITTED)
    late = [t for t in fitted.open if fitted.end[t] - least(line.clue[t]) < fitted.begin[t]]
    for t in sorted(late, key=lambda t: fitted.begin[t] >= len(line.cells) or fitted.end[t] <= 0):
        last = fitted.end[t] - least(line.clue[t])
        is_nowhere = fitted.begin[t] + least(line.clue[t]) > len(line.cells) or last < 0
        if is_nowhere:
            return Reason("nowhere", nothing, {"block": t})
        return Reason("crossed", nothing, {"block": t, "earliest": fitted.begin[t], "latest": last})
    single: dict[int, range] = {}
    for start, end, color in line.runs():
        if start not in fitted.inside:
            continue
        blocks = fitted.of_run(line, start, end, color)
        if not blocks:
            for x in range(start, end):
                parts_of_x = _cover(line, x, color, FITTED)
                if parts_of_x is not None:
                    return Reason("uncovered", nothing, parts_of_x | {"cells": [x], "color": color})
            return _too_long("overlong", line, (start, end, color), {}, nothing, fitted)
        room = line.stretch(color, start, 0, len(line.cells))
        if all(len(room) < least(line.clue[t]) for t in blocks):
            parts = {"cells": range(start, end), "room": room, "blocks": blocks, "color": color}
            return Reason("cramped", nothing, parts)
        if len(blocks) == 1:
            (t,) = blocks
            run = single.setdefault(t, range(start, end))
            if end - run.start > (line.clue[t].length or len(line.cells)):
                return Reason("apart", nothing, {"block": t, "cells": [*run, *range(start, end)], "color": color})
    return None
