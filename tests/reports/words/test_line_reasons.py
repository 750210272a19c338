"""The arguments of explanations hold: each claim against all arrangements of its line, and each sentence by example."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PALETTE, known_lines

from nonocensus.reports.page.technique_examples import COLORS, clue_of
from nonocensus.reports.words.line_ranges import Line, Ranges, arrangements, finished_ends, limiting, pushing
from nonocensus.reports.words.line_reasons import RULES, Reason, find_reasons, limits_of, refutation, shown_line
from nonocensus.reports.words.reason_words import SENTENCES, LineWords
from nonocensus.reports.words.step_words import sentences
from nonocensus.solver.model import techniques
from nonocensus.solver.model.puzzle import BLOT, Clue, Puzzle, from_picture
from nonocensus.solver.model.techniques import TECHNIQUES

Spans = tuple[tuple[int, int], ...]
RED = PALETTE[:3]


def line_with(clue: Clue, known: Iterable[Iterable[int]]) -> Line:
    return Line(clue, tuple(sum(1 << color for color in colors) for colors in known))


def places(clue: Clue, cells: tuple[int, ...]) -> Spans:
    """Return the start and end of each block of an arrangement."""
    runs = [(start, end) for start, end, _ in Line(clue, tuple(1 << color for color in cells)).runs()]
    return tuple(runs)


def all_places(line: Line) -> list[Spans]:
    """Return the arrangements of a line, by brute force."""
    return [
        places(line.clue, cells)
        for cells in oracle.all_arrangements(line.clue, len(line.cells))
        if all(line.cells[x] >> color & 1 for x, color in enumerate(cells))
    ]


def covered(spans: Spans, x: int, clue: Clue, color: int) -> int | None:
    """Return the block of a colour that covers a cell."""
    return next((t for t, (start, end) in enumerate(spans) if start <= x < end and clue[t].color == color), None)


def holds(line: Line, reason: Reason, spans: Spans) -> bool:
    """Return whether what a reason claims of blocks and cells is so in an arrangement."""
    clue, parts = line.clue, reason.parts
    match reason.kind:
        case "range" | "fixed":
            start, end = spans[parts["block"]]
            return parts["within"].start <= start and end <= parts["within"].stop
        case "near":
            start, end = spans[parts["block"]]
            edge = end - 1 <= parts["cell"] if "is_mirrored" in parts else start >= parts["cell"]
            return edge and covered(spans, parts["cells"][0], clue, clue[parts["block"]].color) == parts["block"]
        case "covers" | "join" | "stretched":
            return all(covered(spans, x, clue, clue[parts["block"]].color) == parts["block"] for x in parts["cells"])
        case "whole" | "grow":
            t = covered(spans, parts["cells"][0], clue, parts["color"])
            within = dict(zip(parts["blocks"], parts.get("within", ()), strict=False))
            return t in parts["blocks"] and all(x in within[t] for x in range(*spans[t]) if t in within)
        case "cover" | "owned":
            owners = all(covered(spans, run[0], clue, clue[t].color) == t for run, t in parts["runs"].values())
            before = "before" not in parts or spans[parts["before"]][1] - 1 <= parts["latest"]
            after = "after" not in parts or spans[parts["after"]][0] >= parts["earliest"]
            short = all(not set(range(*spans[t])) & set(room) for t, room, _ in parts["short"])
            return owners and before and after and short
        case "arrangements":
            return [start for start, _ in spans] in parts["starts"]
    return True


def assert_argued(line: Line, reason: Reason, every: list[Spans]) -> None:
    """All claims hold in all arrangements, and what they name decides what is ruled out."""
    for spans in every:
        assert holds(line, reason, spans), (line, reason, spans)
        for x, color in reason.ruled:
            here = next((line.clue[t].color for t, (start, end) in enumerate(spans) if start <= x < end), 0)
            assert here != color, (line, reason)
    parts = reason.parts
    if reason.kind == "complete":
        assert parts["cells"] == [x for x, colors in enumerate(line.cells) if colors > 1 and colors & (colors - 1) == 0]
    if reason.kind in ("found", "needed"):
        cells = line.painted(parts["color"]) if reason.kind == "found" else line.can(parts["color"])
        assert cells == parts["cells"]
        assert len(cells) == parts["count"]
    length = line.clue[parts["block"]].length if "block" in parts else 0
    ruled = {x for x, _ in reason.ruled}
    if reason.kind in ("range", "fixed"):
        within = parts["within"]
        assert ruled <= set(range(within.stop - length, within.start + length)), "what it covers wherever it is"
        assert (reason.kind == "fixed") == (len(within) == length)
        if "limited" not in parts and "first" not in parts:
            counted, t = parts["counted"], parts["block"]
            assert_counted(line, counted, counted.end[t] - counted.begin[t] - length, every)
            assert parts["kept_by"] or within == range(counted.begin[t], counted.end[t])
    if reason.kind == "cover" and "counted" in parts:
        found, open_ = parts["counted"], parts["counted"].open
        if "after" in parts:
            assert found.room.start + needed(line, range(open_.start, parts["after"] + 1)) == parts["earliest"]
        if "before" in parts:
            assert found.room.stop - needed(line, range(open_.stop - 1, parts["before"] - 1, -1)) == parts["latest"] + 1
    if reason.kind == "filled":
        assert_counted(line, parts["filled"], 0, every)
    if reason.kind == "near":
        cell, (seen,) = parts["cell"], parts["cells"]
        reached = range(cell - max(length, 1) + 1, seen + 1) if "is_mirrored" in parts else range(seen, cell + length)
        assert ruled <= set(reached), "what it covers from the edge at most"
    if reason.kind == "stretched":
        assert abs(parts["cell"] - parts["cells"][0]) >= length or abs(parts["cell"] - parts["cells"][-1]) >= length
        far = max((parts["cells"][0], parts["cells"][-1]), key=lambda end: abs(end - parts["cell"]))
        assert all(abs(x - far) >= abs(parts["cell"] - far) for x in ruled)
    if reason.kind == "cut":
        (cut,) = parts["cells"]
        room = range(len(parts["passed"]), cut) if "is_mirrored" not in parts else range(cut + 1, parts["passed"].start)
        assert parts["cell"] in room
        assert len(room) < length
        assert not line.cells[cut] >> line.clue[parts["block"]].color & 1
    if {"limited", "passed", "counted"} & parts.keys():
        assert_premised(line, reason)
    if reason.kind == "assume":
        assert_refuted(line.without(line.painting(parts["color"], [parts["cell"]])), parts["then"], parts["end"])


def needed(line: Line, blocks: range) -> int:
    """Return the cells that blocks and gaps take before the last one begins."""
    gaps = sum(line.clue[t].color == line.clue[other].color for t, other in pairwise(blocks))
    return gaps + sum(max(line.clue[t].length, 1) for t in blocks[:-1])


def assert_counted(line: Line, counted: Ranges, spare: int, every: list[Spans]) -> None:
    """The open blocks are in the cells left for them, of which lengths and gaps take all but some."""
    last = max(line.clue[counted.open[-1]].length, 1)
    assert needed(line, counted.open) + last + spare == len(counted.room)
    assert all(set(range(*spans[t])) <= set(counted.room) for spans in every for t in counted.open)


def named_line(line: Line, parts: dict[str, Any]) -> Line:
    """Return a line with the cells known that a sentence names or counts as complete."""
    if "limited" in parts:
        return limiting(*parts["limited"])
    known = {*parts.get("passed", ()), *parts.get("cells", ())}
    if "counted" in parts:
        inside = parts["counted"].inside
        if "within" in parts or not {"before", "after"} & parts.keys():
            known = {x for x in range(len(line.cells)) if x not in inside} | {*parts.get("kept_by", ())}
        if any(block.length == BLOT for block in line.clue):
            known |= {inside.start, inside.stop - 1}  # what ends a complete block of hidden length
    every = line.opened().cells
    return line._replace(cells=tuple(line.cells[x] if x in known else every[x] for x in range(len(every))))


def assert_premised(line: Line, reason: Reason) -> None:
    """The cells that a sentence names are enough for its claims, and each is needed; so are the blocks it names."""
    parts, every, named = reason.parts, line.opened().cells, named_line(line, reason.parts)
    for spans in all_places(named):
        assert holds(named, reason, spans), (named, reason, spans)
        for x, color in reason.ruled:
            assert color != next((line.clue[t].color for t, span in enumerate(spans) if x in range(*span)), 0)
    if "limited" not in parts:
        return
    done = {x for end in finished_ends(line) for x in end}
    for x, colors in enumerate(named.cells):
        if every[x] & ~colors and x not in done:
            opened = named._replace(cells=(*named.cells[:x], every[x], *named.cells[x + 1 :]))
            assert not parts["limited"][1](opened), "the cell is needed"
    runs, count, n = parts.get("runs", {}), len(line.clue), len(every)
    begins, ends = (
        [(t, x, None) for t, x, is_last in limits_of(parts) if is_last == is_end] for is_end in (False, True)
    )
    begins += [(parts["after"], parts["earliest"], runs["after"])] if "after" in runs else []
    ends += [(parts["before"], parts["latest"], runs["before"])] if "before" in runs else []
    if reason.kind in ("range", "fixed"):
        begins, ends = [(parts["block"], parts["within"][0], None)], [(parts["block"], parts["within"][-1], None)]
    named, _ = shown_line(parts)
    for t, x, run in begins:
        assert_limited(named, t, x, run and (run[0][1], run[1]))
    for t, x, run in ends:
        assert_limited(named.mirrored(), count - 1 - t, n - 1 - x, run and (n - run[0][0], count - 1 - run[1]))


def assert_limited(line: Line, t: int, begin: int, run: tuple[int, int] | None) -> None:
    """A block has no room before a cell: by the blocks named before it, or those from one whose run ends at a cell."""
    if run:
        past, first = run
        between = needed(line, range(first, t + 1)) - max(line.clue[first].length, 1)
        assert begin <= past + (between if t > first else -(line.clue[t].length or len(line.cells)))
        return
    others = pushing(line, t, begin)
    done = {x for end in finished_ends(line) for x in end}
    cells = tuple(1 if x in done else colors for x, colors in enumerate(line.cells))
    cut = Line(line.clue[t - others : t + 1], cells)
    assert not any(has_room(cut, others, start) for start in range(begin)), (line, t)


def assert_refuted(line: Line, then: list[tuple[Line, Reason]], end: Reason) -> None:
    """Each consequence holds, and the last line has no arrangement, for the reason given."""
    for before, reason in then:
        assert before == line
        assert reason.ruled
        assert_argued(line, reason, all_places(line))
        line = line.without(reason.ruled)
    assert not all_places(line)
    parts = end.parts
    if "limited" in parts:
        named = limiting(*parts["limited"])
        assert not all_places(named), "what the sentence names is enough"
        if end.kind == "crossed":
            t, last = parts["block"], len(line.cells) - max(line.clue[parts["block"]].length, 1)
            assert_limited(named, t, parts["earliest"], None)
            assert_limited(named.mirrored(), len(line.clue) - 1 - t, last - parts["latest"], None)
    match end.kind:
        case "many" | "few":
            cells = line.painted(parts["color"]) if end.kind == "many" else line.can(parts["color"])
            assert cells == parts["cells"]
            assert (len(cells) > parts["count"]) == (end.kind == "many")
        case "crossed":
            before, after = zip(*(fits(line, parts["block"], start) for start in range(len(line.cells))), strict=True)
            assert not any(before[: parts["earliest"]])
            assert not any(after[parts["latest"] + 1 :])
            assert parts["latest"] < parts["earliest"]
        case "nowhere":
            assert not any(all(fits(line, parts["block"], start)) for start in range(len(line.cells)))
        case "uncovered":
            (x,), color = parts["cells"], parts["color"]
            assert line.cells[x] == 1 << color
            for t in (t for t, block in enumerate(line.clue) if block.color == color and block.length):
                assert not any(all(fits(line, t, start)) for start in range(x - line.clue[t].length + 1, x + 1))
        case "apart":
            assert max(parts["cells"]) - min(parts["cells"]) >= line.clue[parts["block"]].length
        case "overlong" | "cramped":
            assert {line.cells[x] for x in parts["cells"]} == {1 << parts["color"]}
        case "cases":
            for t, cells, is_before in parts["cases"]:
                side = range(len(line.clue))[:t] if is_before else range(len(line.clue))[t + 1 :]
                left = line.cells[: cells.start] if is_before else line.cells[cells.stop :]
                assert side or not all(colors & 1 for colors in left), "there are blocks or painted cells"
                assert not places_of_others(line, t, cells, is_before)


def places_of_others(line: Line, t: int, cells: range, is_before: bool) -> list[Spans]:
    """Return the arrangements of the blocks before or after a block at some cells."""
    gap = line.clue[t - 1 if is_before else (t + 1) % len(line.clue)].color == line.clue[t].color
    if is_before:
        part = Line(line.clue[:t], line.cells[: cells.start])
        part = part._replace(
            cells=tuple(c & 1 if gap and k == len(part.cells) - 1 else c for k, c in enumerate(part.cells))
        )
    else:
        part = Line(line.clue[t + 1 :], line.cells[cells.stop :])
        part = part._replace(cells=tuple(c & 1 if gap and k == 0 else c for k, c in enumerate(part.cells)))
    return all_places(part) if part.cells else []


def has_room(line: Line, t: int, start: int) -> bool:
    """Return whether a block and those before it have room one after the other if it begins at a cell."""
    block = line.clue[t]
    end = start + max(block.length, 1)
    if start < 0 or end > len(line.cells) or not all(line.cells[x] >> block.color & 1 for x in range(start, end)):
        return False
    gap = int(t > 0 and line.clue[t - 1].color == block.color)
    return t == 0 or any(has_room(line, t - 1, s) for s in range(start - gap - max(line.clue[t - 1].length, 1) + 1))


def fits(line: Line, t: int, start: int) -> tuple[bool, bool]:
    """Return whether a block that begins at a cell has room with those before it, and with those after it."""
    mirrored = len(line.cells) - start - max(line.clue[t].length, 1)
    return has_room(line, t, start), has_room(line.mirrored(), len(line.clue) - 1 - t, mirrored)


@given(known_lines(most=10))
@settings(max_examples=300, deadline=None)
def test_every_claim_of_every_rule_holds_in_every_arrangement(line: tuple[Clue, Any]) -> None:
    here = line_with(*line)
    every = all_places(here)
    assert sorted(every) == sorted(arrangements(here)) or not here.clue
    if not every:
        assert refutation(here)[1].kind in SENTENCES
        return
    for rules in RULES.values():
        for rule in rules:
            for reason in (each for each in rule(here) if each.ruled):
                assert_argued(here, reason, every)


@given(known_lines(most=10), st.integers(-1, 11))
@settings(max_examples=300, deadline=None)
def test_reasons_cover_what_a_line_excludes(line: tuple[Clue, Any], technique: int) -> None:
    clue, known = line
    here, left = line_with(clue, known), oracle.solve_line(clue, known)
    if left is None:
        assert_refuted(here, *refutation(here))
        return
    ruled = frozenset((x, color) for x, colors in enumerate(known) for color in colors - left[x])
    found = find_reasons(here, ruled, technique)
    every = all_places(here)
    assert frozenset(pair for reason in found for pair in reason.ruled) == ruled
    assert sum(len(reason.ruled) for reason in found) == len(ruled), "nothing is argued twice"
    for reason in found:
        assert_argued(here, reason, every)
    words = LineWords(from_picture([[1]]), 0, here)
    assert all(words.arguments(found))


SAID = """
clue: 0 | ???
there is no block, so columns 1 to 3 are white

clue: 2 1 | ????
2 + 1 and 1 gap fill the 4 cells of the row, so columns 1, 2 and 4 are black and column 3 is white

clue: 1 1 1 1 1 1 1 1 2 | ??????????????????
9 blocks (10 cells) and 8 gaps fill the 18 cells of the row, so columns 1, 3, 5, 7, 9, 11, 13, 15, 17 and 18 are black
and columns 2, 4, 6, 8, 10, 12, 14 and 16 are white

clue: 1r | +-*
the clue has no black, so column 1 is red and column 3 is not black

counting: 1 1r | #**
the only black cell is found, in column 1, so columns 2 and 3 are not black

counting: 1 2r | #??rr*
all blocks are found, in columns 1, 4 and 5, so columns 2, 3 and 6 are white

counting: 3 | ??.?
only columns 1, 2 and 4 can be black, and 3 black cells are needed, so columns 1, 2 and 4 are black

counting: 2 1r | ..***
both white cells are found (5 less 3 in blocks), in columns 1 and 2, so columns 3 to 5 are not white but black or red

overlap: 3 | ????
the 3 can only be in columns 1 to 4, so columns 2 and 3 are black

overlap: 1 3 | #.????
with the 1 complete, the 3 can only be in columns 3 to 6, all that is left, so columns 4 and 5 are black

overlap: 3 | .????
the 3 can only be in columns 2 to 5, all that is left, so columns 3 and 4 are black

overlap: 5 | .?.??????
the 5 can only be in columns 2 to 9, so columns 5 and 6 are black

overlap: 3 2 | .?.??????
3 + 2 and 1 gap take 6 of the 8 cells in columns 2 to 9: the 3 can only be in columns 2 to 6, so column 4 is black

overlap: 1 3 2 | #.???????
with the 1 complete, 3 + 2 and 1 gap take 6 of the 7 cells left (columns 3 to 9): the 3 can only be in columns 3 to 6,
so columns 4 and 5 are black. The 2 can only be in columns 7 to 9, so column 8 is black

overlap: 2 2r | ***-*
2 + 2 take 4 of the 5 cells of the row: the black 2 can only be in columns 1 to 3, so column 2 is black. The red 2 can
only be in columns 3 to 5, so column 4 is red

overlap: 1 3r 1 | ***#*****
1 + 3 + 1 take 5 of the 9 cells of the row. As column 4 is black, the red 3 can only be in columns 5 to 8, so columns 6
and 7 are red

overlap: 1 1 1r 4 1r | .-***********
1 + 1 + 1 + 4 + 1 and 1 gap take 9 of the 12 cells left (columns 2 to 13): the black 4 can only be in columns 6 to 12,
so column 9 is black

overlap: 2 1r 3 1r 1 1r 2 | ..***********
7 blocks (11 cells) fill the 11 cells left (columns 3 to 13), so columns 3, 4, 6 to 8, 10, 12 and 13 are black and
columns 5, 9 and 11 are red

glue: 3 1 | #???????
column 1 is black and can only belong to the 3, which begins there, so columns 2 and 3 are black

glue: 1 1r 3 | #r.*#????
as columns 1 to 3 are known, column 5 is black and can only belong to the black 3, which begins in column 4 at the
earliest, so column 6 is black

punctuating: 1 2 | ???##??
columns 4 and 5 are black and can only be the 2, now complete, so columns 3 and 6 are white

punctuating: 2 2 | ????##????
columns 5 and 6 are black and can only be one of the 2s, now complete, so columns 4 and 7 are white

punctuating: 1 1 3 | ??#????????
with 1 + 1 and 2 gaps before it, the 3 begins in column 5 at the earliest: column 3 is black and can only be one of the
1s, now complete, so columns 2 and 4 are white

punctuating: 2r 2 4r 2r 1 | **************#
with 4 + 2 + 1 and 1 gap after it, the black 2 ends in column 7 at the latest: column 15 is black and can only be the
black 1, now complete, so column 14 is not black

mercury: 2 1 | .??#???
as column 1 is white, if column 2 were black, the 2 would be 3 cells long (columns 2 to 4), so column 2 is white

mercury: 2 1 | .??##???
as column 1 is white, if one of columns 2 and 3 were black, the 2 would be at least 3 cells long (columns 3 to 5), so
columns 2 and 3 are white

mercury: 2 1 | ??#????
if column 1 were black, the 2 would be 3 cells long (columns 1 to 3), so column 1 is white

mercury: 3 | ?.?#??
if column 1 were black, the 3 would need column 2, which is white, so column 1 is white

spaces: 2 | ???#??
as column 4 can only belong to the 2, the 2 begins in column 3 at the earliest, so columns 1 and 2 are white. As
column 4 can only belong to the 2, the 2 ends in column 5 at the latest, so column 6 is white

spaces: 3r 2 | ****r***
as column 5 can only belong to the red 3, the black 2 begins in column 6 at the earliest, so columns 1 to 4 are not
black. As column 5 can only belong to the red 3, the red 3 begins in column 3 at the earliest, so columns 1 and 2 are
white. With the black 2 after it, the red 3 ends in column 6 at the latest, so columns 7 and 8 are not red

spaces: 3 1 2r | **.##.****
as columns 4 and 5 can only belong to the black 3, the black 3 begins in column 3 at the earliest, so columns 1 and 2
are not black. As columns 4 and 5 can only belong to the black 3, with the black 1 and 1 gap between them, the red 2
begins in column 8 at the earliest, so columns 1 and 2 are white and column 7 is not red. With the red 2 after it, the
black 1 ends in column 8 at the latest, so columns 9 and 10 are not black

forcing: 2 3 | ???.?.????
as columns 4 and 6 are white, with the 3 and 1 gap after it, the 2 can only be in columns 1 to 3, so column 2 is black.
With the 3 and 1 gap after it, the 2 ends in column 3 at the latest. With the 2 and 1 gap before it, the 3 begins in
column 7 at the earliest, so column 5 is white. As column 6 is white, with the 2 and 1 gap before it, the 3 can only be
in columns 7 to 10, so columns 8 and 9 are black

forcing: 2 3 | ?????..???
as columns 6 and 7 are white, with the 2 and 1 gap before it, the 3 must be in columns 8 to 10, so columns 8 to 10 are
black

splitting: 1 2 1 | ???#?#???
if column 5 were black, columns 4 to 6 would be one block, but both 1s and the 2 are shorter, so column 5 is
white

joining: 2 2 | ?????.#?????
as column 6 is white, column 7 is black and can only belong to the first 2 (within columns 7 to 9) or the second 2
(within columns 7 to 12), so column 8 is black

reach: 1 2 | ?#?????
pushed to the left, with all painted cells covered, the blocks begin in columns 2 and 4, pushed to the right in 2 and
6: the 1 begins in column 2 at the earliest, so column 1 is white. The 1 ends in column 2 at the latest and the 2 begins
in column 4 at the earliest, so column 3 is white
"""
"""Technique, clue and cells, and what is said after the line and its clue."""

CASES = [re.split(r": | \| |\n", case, maxsplit=3) for case in SAID.strip().split("\n\n")]


REFUTED = """
2 | ##?# | columns 1, 2 and 4 would be black, but only 2 can be

2 2 1 | ????.?? | as column 5 is white, with the first 2 and 1 gap before it and the 1 and 1 gap after it, the second
2 could not begin before column 6 nor after column 3

2 | ?.?.? | as columns 2 and 4 are white, the 2 would have no room

1 2 | #.#.?? | as columns 1 and 2 are known and column 4 is white, column 3 would be black, but
the 2 begins in column 5 at the earliest

2 | ??.#.?? | as columns 3 and 5 are white, column 4 would be black with room only in column 4, too little for the 2

2 | #?# | columns 1 and 3 would belong to the 2, which is too short

1 1 | ?##? | columns 2 and 3 would be one block, but both 1s are shorter

1 1r | -r. | no cell could be black, but 1 must be

2 1 | ??.#?#??? | column 4 would belong to the 2 in columns 4 and 5, where the blocks after it do not fit, or to the 1,
where painted cells after it would be left over
"""
"""Clue and cells without arrangement, and what is said."""


@pytest.mark.parametrize("case", REFUTED.strip().split("\n\n"))
def test_contradictions(case: str) -> None:
    clue, cells, said = case.split(" | ")
    line = line_with(clue_of(clue), (COLORS[sign] for sign in cells))
    assert not all_places(line)
    puzzle = Puzzle((line.clue,), ((),) * len(cells), palette=RED if "r" in clue else RED[:2])
    then, end = refutation(line)
    words = LineWords(puzzle, 0, line)
    assert words.then(then) + words.argument(end) == said.replace("\n", " ")


@pytest.mark.parametrize(("technique", "clue", "cells", "said"), CASES)
def test_sentences(technique: str, clue: str, cells: str, said: str) -> None:
    number = [each.name for each in TECHNIQUES].index(technique)
    line = line_with(clue_of(clue) if clue != "0" else (), (COLORS[sign] for sign in cells))
    ruled = frozenset(pair for rule in RULES[number] for reason in rule(line) for pair in reason.ruled)
    puzzle = Puzzle((line.clue,), ((),) * len(cells), palette=RED if "r" in clue else RED[:2])
    words = LineWords(puzzle, 0, line)
    told = sentences(words, find_reasons(line, ruled, number))
    assert told.replace("\n", " ") == f"{words.heading()}: {said}.".replace("\n", " ")


def test_long_clue_is_shown_around_the_blocks_that_are_named() -> None:
    line = line_with(clue_of("1 2r 1 2r 1 2r 3 2r 1"), (COLORS[sign] for sign in "*" * 9 + "###" + "*" * 8))
    words = LineWords(Puzzle((line.clue,), ((),) * 20, palette=RED), 0, line)
    assert words.heading() == "Row 1"
    told = sentences(words, find_reasons(line, frozenset({(8, 1), (12, 1)}), techniques.PUNCTUATING))
    assert told == (
        "Row 1, clue … 2 red, 3 black, 2 red …: columns 10 to 12 are black and can only be the black 3, now complete, "
        "so columns 9 and 13 are not black."
    )
    words.block(0)
    assert words.heading() == "Row 1, clue 1 black, 2 red … 2 red, 3 black, 2 red …"
    words.of([3], 2)
    assert words.heading() == "Row 1, clue 1 black, 2 red … 2 red … 2 red, 3 black, 2 red …", "counted ones too"
