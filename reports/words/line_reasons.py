"""Why cells of a line can't have some colours: arguments by blocks and cells of that line, to check with a pencil.

A step of an explanation says what follows on a line by some technique (solver.people.line_rules). Here its argument is
found again as data, by the same rules, for `reason_words` to say in a sentence. What no single rule shows is refuted:
with the colour in the cell, the rules lead to a line without arrangement.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from nonocensus.reports.words.line_ranges import (
    COUNTED,
    FITTED,
    FULL,
    NARROWED,
    Line,
    Pairs,
    Ranges,
    arrangement_spans,
    arrangements,
    begins_after,
    fits_before,
    gap_before,
    least,
    limiting,
    possible_starts,
    ranges,
)
from nonocensus.solver.model import techniques
from nonocensus.solver.model.puzzle import BLOT, Block
from nonocensus.solver.proofs.record import colors_of

MOST_ARRANGEMENTS = 3
"""Arrangements of a line that a sentence lists."""

MOST_THEN = 2
"""Consequences of an assumed colour that a sentence lists."""


class Reason(NamedTuple):
    """An argument.

    kind    key of reason_words.SENTENCES
    ruled   what it excludes: pairs of cell and colour
    parts   the blocks, cells and colours that it names
    """

    kind: str
    ruled: Pairs
    parts: dict[str, Any]


# The rules: what each technique shows, from one line and its ranges


def _clue(line: Line) -> Iterator[Reason]:
    """The clue is 0 or fills its line; or lacks colours."""
    clue, n = line.clue, len(line.cells)
    gaps = sum(gap_before(clue, t) for t in range(len(clue)))
    if not clue:
        yield Reason("empty", line.painting(0, range(n)), {})
    elif all(block.length for block in clue) and sum(block.length for block in clue) + gaps == n:
        x, ruled = 0, frozenset[tuple[int, int]]()
        for t, block in enumerate(clue):
            ruled |= line.painting(0, range(x, x + gap_before(clue, t)))
            x += gap_before(clue, t)
            ruled |= line.painting(block.color, range(x, x + block.length))
            x += block.length
        yield Reason("full" if len(clue) > 1 else "long", ruled, {"sum": range(len(clue)), "block": 0})
    lacking = {color for colors in line.cells for color in colors_of(colors)} - {0, *(block.color for block in clue)}
    if lacking:
        ruled = frozenset(pair for color in lacking for pair in line.excluding(color, range(n)))
        yield Reason("lacks", ruled, {"colors": sorted(lacking)})


def _counts(line: Line) -> Iterator[tuple[int, list[int], list[int], dict[str, Any]]]:
    """Yield the cells that each colour needs, -1 if hidden, those found and possible, and parts; background last."""
    for color in (*sorted({block.color for block in line.clue}), 0):
        blocks = [t for t, block in enumerate(line.clue) if color in (0, block.color)]
        length = sum(line.clue[t].length for t in blocks)
        total = length if color else len(line.cells) - length
        total = -1 if any(line.clue[t].length == BLOT for t in blocks) else total
        yield total, line.painted(color), line.can(color), {"color": color, "count": total, "sum": blocks}


def _by_counting(line: Line) -> Iterator[Reason]:
    """All cells of a colour, or of all blocks, are found; or all that can have it are needed."""
    *colors, _ = counts = list(_counts(line))
    is_complete = bool(colors) and all(total == len(found) for total, found, *_ in colors)
    for total, found, possible, parts in counts:
        color = parts["color"]
        if is_complete and not color:
            cells = sorted(x for _, found, *_ in colors for x in found)
            yield Reason("complete", line.painting(0, line.can(0)), {"cells": cells})
        if total == len(found) > 0:
            ruled = line.excluding(color, (x for x in possible if x not in found))
            yield Reason("complete" if color and len(colors) == 1 else "found", ruled, parts | {"cells": found})
        elif total == len(possible):
            yield Reason("needed", line.painting(color, possible), parts | {"cells": possible})


def _by_overlap(line: Line, how: int) -> Iterator[Reason]:
    """A block covers some cells in each of its places; or blocks fill what is left for them."""
    found, ruled = ranges(line, how), frozenset[tuple[int, int]]()
    lengths = [line.clue[t].length for t in found.open]
    if how == COUNTED and len(lengths) > 1 and lengths == [found.end[t] - found.begin[t] for t in found.open]:
        for t in found.open:
            ruled |= line.painting(line.clue[t].color, range(found.begin[t], found.end[t]))
        yield Reason("filled", ruled, {"filled": found})
        return
    for t in found.open:
        block = line.clue[t]
        within, kept_by = _between_others(line, block, range(found.begin[t], found.end[t]))
        first, last = within.start, within.stop - least(block)
        if first <= last < first + least(block):
            ruled = line.painting(block.color, range(last, first + least(block)))
            kind = "covers" if block.length == BLOT else "fixed" if first == last else "range"
            parts = {"block": t, "within": within, "cells": [last], "kept_by": kept_by} | _seen(line, how)
            yield Reason(kind, ruled, parts)


def _between_others(line: Line, block: Block, within: range) -> tuple[range, list[int]]:
    """Return where a block can be if painted cells of other colours are near the ends of a range, and these cells."""
    runs, passed = [run for run in line.runs() if run[2] != block.color], list[int]()
    for start, end, _ in runs:
        if start < within.start + least(block) and end > within.start:
            within, passed = range(end, within.stop), [*passed, *range(start, end)]
    for start, end, _ in reversed(runs):
        if start < within.stop and end > within.stop - least(block):
            within, passed = range(within.start, start), [*passed, *range(start, end)]
    return within, passed


def _seen(line: Line, how: int) -> dict[str, Any]:
    """Return what shows ranges of blocks: for COUNTED all of them, for FULL the blocks pushed to either end."""
    if how == COUNTED:
        return {"counted": ranges(line, how)}
    if how != FULL:
        return {}
    spans = arrangement_spans(line)
    return {"first": [min(each)[0] for each in spans], "last": [max(each)[0] for each in spans]}


def _limited(rule: "Rule") -> "Rule":
    """Add to the arguments of a rule what limits them: the rule finds them again on a line where that is known.

    Counts of cells say so themselves.
    """

    def limited(line: Line) -> Iterator[Reason]:
        for reason in rule(line):

            def shows(other: Line, reason: Reason = reason) -> bool:
                return any(each[::2] == reason[::2] and reason.ruled <= each.ruled for each in rule(other))

            mentioned = () if reason.kind in ("range", "fixed", "covers") else reason.parts.get("cells", ())
            is_counted = reason.kind in ("many", "few")
            parts = {} if is_counted else {"limited": (line, shows), "mentioned": mentioned}
            yield reason._replace(parts=reason.parts | parts)

    return limited


def limits_of(parts: Mapping[str, Any]) -> Iterator[tuple[int, int, bool]]:
    """Yield the limits of blocks that a sentence with these parts shows by the blocks before or after them.

    That is the block, the cell in which it begins at the earliest or ends at the latest, and whether it ends there.
    """
    yield from parts.get("others", ())
    yield from parts.get("far", ())
    for side, name in (("before", "latest"), ("after", "earliest")):
        if side in parts and side not in parts["runs"]:
            yield parts[side], parts[name], side == "before"


def shown_line(parts: Mapping[str, Any]) -> tuple[Line, Collection[int]]:
    """Return the line on which a sentence shows limits, and the cells that it mentions without giving them as known.

    Cells that it mentions anyway are not known there, so that lengths and gaps add up, unless limits need them.
    """
    line, mentioned = limiting(*parts["limited"]), parts["mentioned"]
    bare = line.forgetting(mentioned)
    found = ranges(bare, FITTED)
    if all(found.end[t] <= x + 1 if is_last else found.begin[t] >= x for t, x, is_last in limits_of(parts)):
        return bare, mentioned
    return line, ()


def _by_edge(line: Line, rule: Callable[[Line, int, int], Iterator[Reason]]) -> Iterator[Reason]:
    """Apply a rule for the first open block and its earliest start at both ends."""
    n, count = len(line.cells), len(line.clue)
    for is_mirrored, here in enumerate((line, line.mirrored())):
        found = ranges(here, COUNTED)
        for reason in rule(here, found.open.start, found.begin[found.open.start]) if found.open else ():
            if not is_mirrored:
                yield reason
                continue
            parts = dict(reason.parts)
            parts |= {"block": count - 1 - parts["block"], "cells": [n - 1 - x for x in parts["cells"]]}
            parts |= {"cell": n - 1 - parts["cell"], "passed": range(n - len(parts["passed"]), n), "is_mirrored": True}
            yield Reason(reason.kind, frozenset((n - 1 - x, color) for x, color in reason.ruled), parts)


def _glue(line: Line, t: int, x: int) -> Iterator[Reason]:
    """A painted cell near the edge belongs to the first block, which reaches farther."""
    block = line.clue[t]
    past = x + least(block)
    seen = next((k for k in range(x, min(past, len(line.cells))) if line.cells[k] == 1 << block.color), None)
    if seen is None:
        return
    ruled = line.painting(block.color, range(seen, min(past, len(line.cells))))
    yield Reason("near", ruled, {"block": t, "cell": x, "cells": [seen], "passed": range(x)})


def _mercury(line: Line, t: int, x: int) -> Iterator[Reason]:
    """Painted cells of the first block's colour, right after its length from the edge, are its own: none is that far.

    With room there, the block begun at the edge would run into them. A cell before them that has another colour leaves
    it no room.
    """
    block = line.clue[t]
    run = x + block.length
    if block.length == BLOT or run >= len(line.cells) or line.cells[run] != 1 << block.color:
        return
    start, end, color = next(each for each in line.runs() if each[0] <= run < each[1])
    is_only = sum(other.color == color for other in line.clue) == 1
    for past in sorted({x + 1, end - block.length}):
        ruled, parts = line.excluding(color, range(x, past)), {"block": t, "cell": past - 1}
        cut = next((k for k in range(past, run) if not line.cells[k] >> color & 1), None)
        if cut is None:
            yield Reason("stretched", ruled, parts | {"cells": range(start, end), "passed": range(0 if is_only else x)})
        else:
            yield Reason("cut", ruled, parts | {"cells": [cut], "passed": range(x)})


def _punctuating(line: Line) -> Iterator[Reason]:
    """A run is as long as the longest block that it can belong to."""
    found = ranges(line, COUNTED)
    for start, end, color in line.runs():
        blocks = found.of_run(line, start, end, color)
        if blocks and max(line.clue[t].length or len(line.cells) for t in blocks) == end - start:
            ruled, others = line.excluding(color, (start - 1, end)), found.others(line, start, end + 1, blocks)
            blocks = [t for t, block in enumerate(line.clue) if block == Block(end - start, color)]
            parts = {"blocks": blocks, "cells": range(start, end), "color": color, "others": others}
            yield Reason("whole", ruled, parts)


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
            if how != FITTED or len(room) >= needed:
                return None
            is_free = len(line.stretch(color, x, 0, len(line.cells))) >= needed
            short.append((t, room, within if is_free else None))
    parts: dict[str, Any] = {"short": short, "runs": {}, "others": []}
    if before:
        parts |= {"before": before[-1], "latest": found.end[before[-1]] - 1}
        parts["runs"] |= {"before": found.runs[1][before[-1]]} if before[-1] in found.runs[1] else {}
    if after:
        parts |= {"after": after[0], "earliest": found.begin[after[0]]}
        parts["runs"] |= {"after": found.runs[0][after[0]]} if after[0] in found.runs[0] else {}
    for run, t in parts["runs"].values():
        others = ranges(line, COUNTED).others(line, run[0], run[1], [t])
        parts["others"] += [each for each in others if each not in parts["others"]]
    return parts


def _by_covers(line: Line, how: int) -> Iterator[Reason]:
    """No block of a colour covers some cells."""
    found = ranges(line, how)
    merged: dict[str, tuple[dict[str, Any], list[tuple[int, int]]]] = {}
    for x in found.inside:
        for color in colors_of(line.cells[x]):
            parts = _cover(line, x, color, how) if color else None
            if parts is not None:
                merged.setdefault(f"{color}{parts}", (parts, []))[1].append((x, color))
    for parts, pairs in merged.values():
        (x, color), more = pairs[0], {"color": pairs[0][1]} | _seen(line, how)
        if how == COUNTED:
            known = (
                (range(found.inside.start) if "after" in parts else ()),
                range(found.inside.stop, len(line.cells)) if "before" in parts else (),
            )
            more |= {"passed": [x for cells in known for x in cells]}
        elif how != FULL:

            def shows(other: Line, x: int = x, color: int = color, parts: dict[str, Any] = parts) -> bool:
                return x in ranges(other, how).inside and _cover(other, x, color, how) == parts

            more |= {
                "limited": (line, shows),
                "mentioned": {x for run, _ in parts["runs"].values() for x in range(*run)},
            }
        yield Reason("owned" if parts["runs"] else "cover", frozenset(pairs), parts | more)


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
                yield Reason("split", line.excluding(color, [x]), {"cell": x} | _too_long(line, run, found))


def _too_long(line: Line, run: tuple[int, int, int], found: Ranges) -> dict[str, Any]:
    """Return why a run belongs to no block, as parts: some are too short, the nearest of the others end or begin."""
    start, end, color = run
    alike = [t for t, block in enumerate(line.clue) if block.color == color]
    short = [t for t in alike if 0 < line.clue[t].length < end - start]
    long = [t for t in found.open if t in alike and t not in short]
    before, after = [t for t in long if found.end[t] < end], [t for t in long if found.end[t] >= end]
    far = [(t, found.end[t] - 1, True) for t in before[-1:]] + [(t, found.begin[t], False) for t in after[:1]]
    return {"cells": range(start, end), "color": color, "short": short, "far": far}


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
        others = found.others(line, start, end, blocks)
        if ruled:
            parts = {"cells": range(start, end), "blocks": blocks, "within": within, "color": color, "others": others}
            yield Reason("grow", ruled, parts)
        if len(blocks) == 1:
            if single[0] == blocks[0]:
                before = found.others(line, single[1].start, single[1].stop, blocks)
                parts = {"cells": [*single[1], *range(start, end)], "block": blocks[0], "color": color}
                parts["others"] = before + [each for each in others if each not in before]
                yield Reason("join", line.painting(color, range(single[1].stop, start)), parts)
            single = blocks[0], range(start, end)


Rule = Callable[[Line], Iterator[Reason]]

RULES: dict[int, tuple[Rule, ...]] = {
    techniques.CLUE: (_clue,),
    techniques.COUNTING: (_by_counting,),
    techniques.OVERLAP: (lambda line: _by_overlap(line, COUNTED),),
    techniques.GLUE: (lambda line: _by_edge(line, _glue),),
    techniques.PUNCTUATING: (_limited(_punctuating),),
    techniques.MERCURY: (lambda line: _by_edge(line, _mercury),),
    techniques.SPACES: (lambda line: _by_covers(line, COUNTED), lambda line: _by_covers(line, NARROWED)),
    techniques.FORCING: (_limited(lambda line: _by_overlap(line, FITTED)), lambda line: _by_covers(line, FITTED)),
    techniques.SPLITTING: (_limited(_splitting),),
    techniques.JOINING: (_limited(_joining),),
    techniques.REACH: (lambda line: _by_overlap(line, FULL), lambda line: _by_covers(line, FULL)),
}
"""The rules of each technique, by its number; LINE has none, but arrangements and assumptions."""

SIMPLE = tuple(rule for technique, rules in RULES.items() if technique < techniques.REACH for rule in rules)


def find_reasons(line: Line, ruled: Pairs, technique: int = -1) -> list[Reason]:
    """Return arguments that together exclude what a step does, those of its technique first."""
    found, left = list[Reason](), set(ruled)
    for rule in (*RULES.get(technique, ()), *(rule for rules in RULES.values() for rule in rules)):
        if not left:
            break
        for reason in sorted(rule(line), key=lambda each: (-len(each.ruled & left), len(each.ruled))):
            if reason.ruled & left:
                found.append(reason._replace(ruled=reason.ruled & ruled))
                left -= reason.ruled
    if left:
        found += _by_arrangements(line, frozenset(left))
    for reason in sorted(found, key=lambda each: len(each.ruled)):
        if reason.ruled <= set().union(*(each.ruled for each in found if each is not reason)):
            found.remove(reason)
    return _apart(sorted(found, key=lambda each: min(each.ruled)))


def _apart(reasons: Iterable[Reason]) -> list[Reason]:
    """Return arguments without what those before them exclude."""
    apart, excluded = list[Reason](), frozenset[tuple[int, int]]()
    for reason in reasons:
        apart.append(reason._replace(ruled=reason.ruled - excluded))
        excluded |= reason.ruled
    return apart


def _by_arrangements(line: Line, ruled: Pairs) -> Iterator[Reason]:
    """List the arrangements of a line if they are few; else refute each colour."""
    few = list(islice(arrangements(line), MOST_ARRANGEMENTS + 1))
    if len(few) <= MOST_ARRANGEMENTS:
        yield Reason("arrangements", ruled, {"starts": [[start for start, _ in each] for each in few]})
        return
    for x, color in sorted(ruled):
        assumed = line.without(line.painting(color, [x]))
        then, end = refutation(assumed)
        yield Reason("assume", frozenset({(x, color)}), {"cell": x, "color": color, "then": then, "end": end})


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
            if reason.ruled and all(after.cells) and (found := _refuted(after, most - 1)):
                return [(line, reason), *found[0]], found[1]
    return None


def _by_cases(line: Line) -> Reason:
    """Return why a line has no arrangement by the blocks that can be in a cell that is not background.

    Each case is a block, its cells, and whether the blocks before it don't fit, or else those after it.
    """
    fits, fitted = fits_before(line), ranges(line, FITTED)
    cases = {
        x: [
            (t, range(start, end), not begins_after(line, fits, t, start))
            for t in fitted.open
            for end in range(x + 1, fitted.end[t] + 1)
            for start in possible_starts(line, t, end)
            if fitted.begin[t] <= start <= x
        ]
        for x in fitted.inside
        if not line.cells[x] & 1
    }
    x = min(cases, key=lambda x: len(cases[x]))
    return Reason("cases", frozenset(), {"cells": [x], "cases": cases[x]})


def impossible(line: Line) -> Reason | None:
    """Return why a line has no arrangement, if that can be seen at once."""
    return next(_limited(_impossible)(line), None)


def _impossible(line: Line) -> Iterator[Reason]:
    """Yield why a line has no arrangement, the reason that is easiest to see first."""
    nothing: Pairs = frozenset()
    for total, found, possible, parts in _counts(line):
        if 0 <= total < len(found):
            yield Reason("many", nothing, parts | {"cells": found})
        if len(possible) < total:
            yield Reason("few", nothing, parts | {"cells": possible})
    fitted = ranges(line, FITTED)
    late = [t for t in fitted.open if fitted.end[t] - least(line.clue[t]) < fitted.begin[t]]
    for t in sorted(late, key=lambda t: fitted.begin[t] >= len(line.cells) or fitted.end[t] <= 0):
        last = fitted.end[t] - least(line.clue[t])
        is_nowhere = fitted.begin[t] + least(line.clue[t]) > len(line.cells) or last < 0
        if is_nowhere:
            yield Reason("nowhere", nothing, {"block": t})
        else:
            parts = {"block": t, "earliest": fitted.begin[t], "latest": last}
            yield Reason("crossed", nothing, parts | {"within": range(fitted.begin[t], fitted.end[t])})
    single: dict[int, range] = {}
    for start, end, color in line.runs():
        if start not in fitted.inside:
            continue
        blocks = fitted.of_run(line, start, end, color)
        if not blocks:
            for x in range(start, end):
                parts_of_x = _cover(line, x, color, FITTED)
                if parts_of_x is not None:
                    yield Reason("uncovered", nothing, parts_of_x | {"cells": [x], "color": color})
            yield Reason("overlong", nothing, _too_long(line, (start, end, color), fitted))
            continue
        room = line.stretch(color, start, 0, len(line.cells))
        if all(len(room) < least(line.clue[t]) for t in blocks):
            parts = {"cells": range(start, end), "room": room, "blocks": blocks, "color": color}
            yield Reason("cramped", nothing, parts)
        if len(blocks) == 1:
            (t,) = blocks
            run = single.setdefault(t, range(start, end))
            if end - run.start > (line.clue[t].length or len(line.cells)):
                yield Reason("apart", nothing, {"block": t, "cells": [*run, *range(start, end)], "color": color})
