"""The arguments of a step in plain English: a sentence names its line, its blocks and its cells."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from string import Formatter
from typing import Any

from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.reports.words.formatting import by_number, count_text, join_words
from nonocensus.reports.words.line_ranges import (
    FITTED,
    Line,
    Pairs,
    Ranges,
    finished_ends,
    gap_before,
    least,
    limiting,
    pushing,
    ranges,
)
from nonocensus.reports.words.line_reasons import Reason, shown_line
from nonocensus.solver.model.puzzle import BLOT, Block, Clue, Puzzle
from nonocensus.solver.proofs.record import colors_of

SENTENCES = {
    "empty": "there is no block",
    "full": "{sum}{gaps} fill the {side}",
    "long": "{block} fills the {side}",
    "lacks": "the clue has no {colors}",
    "complete": "{all_blocks} found, in {cells}",
    "found": "{all} {name} {cells_is} found{of}, in {cells}",
    "needed": "only {cells} can be {name}, and {count} {name} {cells_is} needed{of}",
    "range": "{kept}{block} can only be in {within}{left}",
    "fixed": "{kept}{block} must be in {within}{left}",
    "filled": "{counted}",
    "covers": "{block} must cover {cells}",
    "near": "{cells_are} {name} and can only belong to {block}, which {edge}",
    "whole": "{cells_are} {name} and can only be {blocks}, now complete",
    "stretched": "if {any} were {name}, {block} would be {long}",
    "cut": "if {any} were {name}, {block} would need {cells}, which is {other}",
    "cover": "{cover}",
    "owned": "{cover}",
    "split": "if {cell} were {name}, {cells} would be one block, but {too_long}",
    "grow": "{cells_are} {name} and can only belong to {places}",
    "join": "{cells} can only belong to {block}",
    "arrangements": "the blocks can only begin {starts}",
    "assume": "assume {cell} is {name}: {then}{end}",
    "many": "{cells} would be {name}, but only {count} can be{of}",
    "few": "{only} could be {name}, but {count} must be{of}",
    "nowhere": "{block} would have no room",
    "crossed": "{kept}{block} could not begin before {earliest} nor after {latest}",
    "uncovered": "{cells} would be {name}, but {cover}",
    "overlong": "{cells} would be one block, but {too_long}",
    "apart": "{cells} would belong to {block}, which is too short",
    "cramped": "{cells} would be {name} with room only in {room}, too little for {blocks}",
    "cases": "{cells} would belong to {cases}",
}
"""What is said for each kind of argument (line_reasons); `LineWords` has the parts."""

HINTS = {
    "empty": "Its clue is 0.",
    "full": "Its blocks and gaps fill it.",
    "long": "Its block fills it.",
    "lacks": "Its clue has no {colors}.",
    "complete": "All its blocks are found.",
    "found": "All its {name} cells are found.",
    "needed": "No more of its cells can be {name} than are needed.",
    "owned": "Painted cells can only belong to one block, which does not reach cells farther away than its length.",
    "assume": "Assume a colour in the cell: the blocks do not fit any more.",
    "grow": "Painted cells can only belong to blocks that reach farther.",
    "join": "Painted cells can only belong to the same block.",
}
"""How to look at a line for an argument, where its technique has several (`Technique.says`)."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

LONGEST_CLUE, LONGEST_PIECES = 40, 80
"""Letters of a clue that a sentence repeats, and of the pieces of a longer one."""

MOST_ADDED = 5
"""Blocks whose lengths a sentence adds; of more it says how many they are."""


def ordinal(index: int) -> str:
    """Return the ordinal of an index from 0: `first`, `21st`."""
    number = index + 1
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return ORDINALS[index] if index < len(ORDINALS) else f"{number}{suffix}"


def name_lines(side: str, indices: Iterable[int]) -> str:
    """Name rows or columns by their indices: `columns 1, 3 and 7 to 9`."""
    return by_number(side, sorted(k + 1 for k in indices))


def color_name(puzzle: Puzzle, color: int) -> str:
    """Return a colour's name, or its number if the palette lacks it."""
    return color_names(puzzle.palette)[color] if color < len(puzzle.palette) else f"colour {color}"


def clue_words(puzzle: Puzzle, clue: Clue) -> str:
    """Describe a clue: its numbers, with colours if there are several; a hidden length is a question mark."""
    lengths = ("?" if block.length == BLOT else str(block.length) for block in clue)
    if puzzle.colors < 2:
        return " ".join(lengths) or "0"
    named = zip(lengths, clue, strict=True)
    return ", ".join(f"{length} {color_name(puzzle, block.color)}" for length, block in named) or "0"


class LineWords:
    """Words about a line of a puzzle: methods are the parts of SENTENCES; rows are numbered before columns.

    named, summed   the blocks named so far, and those whose lengths were
    """

    def __init__(self, puzzle: Puzzle, number: int, line: Line) -> None:
        self.puzzle, self.line, self.is_row = puzzle, line, number < puzzle.height
        self.side, self.cell_side = ("row", "column") if self.is_row else ("column", "row")
        self.number = number + 1 if self.is_row else number - puzzle.height + 1
        self.named, self.summed = set[int](), set[int]()

    def heading(self) -> str:
        """Name the line and its clue, of a long one the blocks around those named: `Row 4, clue … 3 red, 1 blue …`."""
        clue, near = clue_words(self.puzzle, self.line.clue), {t + k for t in self.named for k in (-1, 0, 1)}
        if len(clue) > LONGEST_CLUE:
            pieces = map(self.pieces, (near | self.summed, near, self.named))
            clue = next((each for each in pieces if len(each) <= LONGEST_PIECES), "")
        return f"{self.side.capitalize()} {self.number}" + f", clue {clue}" * bool(clue)

    def pieces(self, around: Collection[int]) -> str:
        """Return the pieces of the clue with some blocks."""
        clue = self.line.clue
        pieces = [list(piece) for is_near, piece in groupby(range(len(clue)), around.__contains__) if is_near]
        text = " … ".join(clue_words(self.puzzle, clue[piece[0] : piece[-1] + 1]) for piece in pieces)
        return "… " * (bool(pieces) and 0 not in around) + text + " …" * (bool(pieces) and len(clue) - 1 not in around)

    def cells(self, cells: Iterable[int]) -> str:
        """Name cells: `columns 1, 3 and 7 to 9`."""
        return name_lines(self.cell_side, cells)

    def block(self, t: int) -> str:
        """Name a block: `the 3`, `the blue 3`, `the second 1`."""
        return self.blocks([t])

    def blocks(self, blocks: Iterable[int], last: str = "or") -> str:
        """Name several blocks: `the 3 or the 2`, `the first, second or third 1`."""
        clue, blocks = self.line.clue, list(blocks)
        self.named.update(blocks)
        alike: dict[Block, list[int]] = {}
        for t in blocks:
            alike.setdefault(clue[t], []).append(t)
        names = []
        for block, members in alike.items():
            same = [t for t, other in enumerate(clue) if other == block]
            places = [ordinal(same.index(t)) for t in members]
            color = f"{color_name(self.puzzle, block.color)} " if self.puzzle.colors > 1 else ""
            name = f"{color}{'?' if block.length == BLOT else block.length}"
            if 1 < len(members) == len(same):
                some = "one of the" if last == "or" else "both" if len(members) == 2 else "all"
                names.append(f"{some} {name}s")
            else:
                names.append(f"the {join_words(places, last)} {name}" if len(same) > 1 else f"the {name}")
        return join_words(names, last)

    def sum(self, blocks: Sequence[int]) -> str:
        """Add lengths: `3 + 1`; of many blocks `9 blocks (10 cells)`."""
        if len(blocks) <= MOST_ADDED:
            self.summed.update(blocks)
            return " + ".join(str(self.line.clue[t].length or "?") for t in blocks)
        at_least = "at least " * any(self.line.clue[t].length == BLOT for t in blocks)
        return f"{len(blocks)} blocks ({at_least}{sum(least(self.line.clue[t]) for t in blocks)} cells)"

    def gaps(self, blocks: Sequence[int]) -> str:
        """Say how many gaps consecutive blocks need between them."""
        gaps = sum(gap_before(self.line.clue, t) for t in blocks[1:])
        return f" and {count_text(gaps, 'gap')}" if gaps else ""

    def of(self, blocks: Sequence[int], color: int) -> str:
        """Say how a number of cells is counted, unless a single block says it."""
        if color:
            said = self.sum(blocks) if len(blocks) <= MOST_ADDED else f"{len(blocks)} blocks"
            return f" ({said})" if len(blocks) > 1 else ""
        return f" ({len(self.line.cells)} less {sum(self.line.clue[t].length for t in blocks)} in blocks)"

    def cover(self, parts: Mapping[str, Any]) -> str:
        """Say why no block of a colour is in some cells."""
        given: dict[int, set[int]] = {}
        for run, t in parts["runs"].values():
            given.setdefault(t, set()).update(range(*run))
        belongs = ("can only belong", "only")
        lead = [f"{self.cells(given[t])} {belongs[k > 0]} to {self.block(t)}" for k, t in enumerate(given)]
        clauses = []
        for side, name in (("before", "latest"), ("after", "earliest")):
            limit = (parts[side], parts[name], side == "before") if side in parts else None
            if limit and (side in parts["runs"] or limit not in parts["others"]):
                clauses.append(self.limit(parts, *limit, parts["runs"].get(side)))
        short: dict[str, list[int]] = {}
        for t, room, within in parts["short"]:
            where = f" (within {self.cells(within)})" if within else ""
            short.setdefault(f"{where} {{}} no room in {self.cells(room)}", []).append(t)
        for no_room, blocks in short.items():
            clauses.append(self.blocks(blocks, "and") + no_room.format("have" if len(blocks) > 1 else "has"))
        clauses = clauses or [f"all {color_name(self.puzzle, parts['color'])} blocks are complete"]
        if not lead:
            return _joined(clauses)
        return f"as {lead[0]}, {clauses[0]}" if len(lead + clauses) == 2 else f"{join_words(lead)}; {_joined(clauses)}"

    def kept(self, parts: Mapping[str, Any], t: int, within: range) -> str:
        """Say which blocks, or else painted cells, keep a block within cells: `with 2 + 1 and 2 gaps before it, `."""
        if "kept_by" in parts and "limited" not in parts:
            return self.known(self.line, parts["kept_by"])
        n, last = len(self.line.cells), len(self.line.clue) - 1
        before = after = range(t, t + 1)
        if "counted" in parts:
            open_ = parts["counted"].open
            before = range(open_.start if within.start else t, t + 1)
            after = range(t, open_.stop if within.stop < n else t + 1)
        elif "limited" in parts:
            limits, _ = shown_line(parts)
            before = range(t - pushing(limits, t, within.start), t + 1)
            after = range(t, t + pushing(limits.mirrored(), last - t, n - within.stop) + 1)
        sides = ((before[:-1], before, "before"), (after[1:], after, "after"))
        said = [f"{self.added(others)}{self.gaps(blocks)} {side} it" for others, blocks, side in sides if others]
        return f"with {join_words(said)}, " if said else ""

    def added(self, blocks: Sequence[int]) -> str:
        """Name a block, or add the lengths of several."""
        return self.sum(blocks) if len(blocks) > 1 else self.block(blocks[0])

    def limit(self, parts: Mapping[str, Any], t: int, x: int, is_last: bool, run: tuple[Any, int] | None = None) -> str:
        """Say where a block begins at the earliest, or ends at the latest, and which blocks, or which run, limit it."""
        pushed_by = self.kept(parts, t, range(x + 1) if is_last else range(x, len(self.line.cells)))
        if run:
            blocks = range(min(t, run[1]), max(t, run[1]) + 1)
            pushed_by = f"with {self.added(blocks[1:-1])}{self.gaps(blocks)} between them, " if blocks[1:-1] else ""
        return f"{pushed_by}{self.block(t)} {self.edge(x, is_last)}"

    def too_long(self, parts: Mapping[str, Any]) -> str:
        """Say why a run belongs to no block."""
        short = parts["short"]
        clauses = [f"{self.blocks(short, 'and')} {'are' if len(short) > 1 else 'is'} shorter"] if short else []
        clauses += [self.limit(parts, *far) for far in parts["far"]]
        return _joined(clauses or [f"no {color_name(self.puzzle, parts['color'])} block is there"])

    def lead(self, parts: Mapping[str, Any]) -> str:
        """Say what limits blocks to where they are: known cells, all blocks pushed to either end, or their count."""
        if "limited" in parts:
            limits, mentioned = limiting(*parts["limited"]), shown_line(parts)[1]
            known = self.known(limits, [x for x in range(len(limits.cells)) if x not in mentioned])
            others = [self.limit(parts, *other) for other in parts.get("others", ())]
            return known + _joined(others) + ("; " if others[bool(known) ^ 1 :] else ": " if others else "")
        if "first" in parts:
            return self.pushed(parts)
        if "passed" in parts:
            return self.known(self.line, parts["passed"])
        if "counted" not in parts:
            return ""
        is_one = len(parts["counted"].open) < 2
        return self.complete(parts["counted"]) if is_one else f"{self.counted(parts['counted'])}: "

    def left(self, parts: Mapping[str, Any]) -> str:
        """Say that a block has all the cells left, unless other blocks are open."""
        is_sole = "counted" in parts and len(parts["counted"].open) < 2 and len(parts["within"]) < len(self.line.cells)
        return ", all that is left" if is_sole and self.are_open(parts["within"]) else ""

    def are_open(self, cells: Iterable[int]) -> bool:
        """Return whether some cells can be background, or a colour."""
        return all(self.line.cells[x] & 1 and self.line.cells[x] > 1 for x in cells)

    def complete(self, found: Ranges) -> str:
        """Say which blocks are complete: `with the 3 complete, `."""
        done = [t for t in range(len(self.line.clue)) if t not in found.open]
        names = self.blocks(done, "and") if len(done) < 4 else f"{len(done)} blocks"
        return f"with {names} complete, " if done else ""

    def known(self, line: Line, cells: Iterable[int]) -> str:
        """Say what is known of some cells: `as columns 1 to 4 are known and column 7 is not red, `.

        Those at the ends are known if they have finished blocks.
        """
        every, ends = line.opened(), finished_ends(line)
        done = [x for x in cells if any(x in end for end in ends)]
        known = {(x, c) for x in cells for c in colors_of(every.cells[x] & ~line.cells[x]) if x not in done}
        said = [f"{self.are(done)} known"] * bool(done) + self.conclusions(frozenset(known), every)
        return f"as {join_words(said)}, " if said else ""

    def counted(self, found: Ranges) -> str:
        """Say what part of the cells left the open blocks take: `3 + 2 and 1 gap take 6 of the 7 cells of the row`."""
        open_, room, clue = found.open, found.room, self.line.clue
        needed = sum(least(clue[t]) for t in open_) + sum(gap_before(clue, t) for t in open_[1:])
        at_least = "at least " if any(clue[t].length == BLOT for t in open_) else ""
        take = f"take {at_least}{needed} of the" if at_least or needed < len(room) else "fill the"
        where = f"left ({self.cells(room)})" if self.are_open(room) else f"in {self.cells(room)}"
        where = f"of the {self.side}" if len(room) == len(self.line.cells) else where
        return (
            f"{self.complete(found)}{self.sum(open_)}{self.gaps(open_)} {take} {count_text(len(room), 'cell')} {where}"
        )

    def pushed(self, parts: Mapping[str, Any]) -> str:
        """Say where the blocks begin if they are pushed to either end."""
        ends = ("left", "right") if self.is_row else ("top", "bottom")
        places = [join_words([str(x + 1) for x in parts[name]]) for name in ("first", "last")]
        side = f"{self.cell_side}{'s' * (len(self.line.clue) > 1)}"
        begin = "the blocks begin" if len(self.line.clue) > 1 else f"{self.block(0)} begins"
        found = ranges(self.line, FITTED)
        pushed = [(found.begin[t], found.end[t] - least(self.line.clue[t])) for t in found.open]
        is_plain = pushed == [(parts["first"][t], parts["last"][t]) for t in found.open]
        covering = "" if is_plain else ", with all painted cells covered,"
        return (
            f"pushed to the {ends[0]}{covering} {begin} in {side} {places[0]}, pushed to the {ends[1]} in {places[1]}: "
        )

    def then(self, steps: Iterable[tuple[Line, Reason]]) -> str:
        """Say the consequences of an assumed colour, before the contradiction."""
        said = (f"{self.argument(reason)}, so {self.conclusion(reason.ruled, line)}" for line, reason in steps)
        return "".join(f"{each}, and then " for each in said)

    def cases(self, cases: Iterable[tuple[int, range, bool]]) -> str:
        """Say where a block could be, and that others don't fit in then, or cells are left over."""
        said = []
        for t, cells, is_before in cases:
            where = f" in {self.cells(cells)}" if len(cells) > 1 else ""
            others = t if is_before else len(self.line.clue) - 1 - t
            missed = f"{'the blocks' if others else 'painted cells'} {'before' if is_before else 'after'} it"
            said.append(f"{self.block(t)}{where}, where {missed} {'do not fit' if others else 'would be left over'}")
        return ", or to ".join(said)

    def edge(self, x: int, is_last: bool, painted: Sequence[int] = ()) -> str:
        """Say where the first block begins at the earliest, or the last one ends at the latest."""
        where = f"in {self.cells([x])} at the {'latest' if is_last else 'earliest'}"
        return f"{'ends' if is_last else 'begins'} {'there' if x in painted else where}"

    def places(self, blocks: Sequence[int], within: Sequence[range]) -> str:
        """Name alternative blocks, and the cells in which each can be."""
        named = zip(blocks, within, strict=True)
        return join_words([f"{self.block(t)} (within {self.cells(cells)})" for t, cells in named], "or")

    def long(self, excluded: Collection[int], run: Sequence[int]) -> str:
        """Say how long a block that covers one of the excluded cells and a run is at least."""
        nearest = min(excluded, key=lambda x: abs(x - run[0]))
        hull = range(min(nearest, *run), max(nearest, *run) + 1)
        return f"{'at least ' * (len(excluded) > 1)}{len(hull)} cells long ({self.cells(hull)})"

    def other_color(self, cell: int, name: str) -> str:
        """Say which colour a cell has instead of another: `white`, or `not red` if several are possible."""
        colors = self.line.cells[cell]
        return f"not {name}" if colors & (colors - 1) else self.colors(colors)

    def argument(self, reason: Reason) -> str:
        """Say an argument, without what it excludes; a semicolon ends a sentence of it."""
        return self._led(self.lead(reason.parts), reason)

    def _led(self, lead: str, reason: Reason) -> str:
        said = self._formatted(SENTENCES[reason.kind], reason)
        if lead.endswith(", ") and said.startswith("as "):
            return f"{lead[:-2]} and {said[3:]}"
        is_long = lead.endswith(": ") and (said.startswith("as ") or "; " in said)
        return f"{lead[:-2]}; {said}" if is_long else lead + said

    def hint(self, reason: Reason) -> str | None:
        """Say how to look at the line for an argument; None if that is as its technique says."""
        return self._formatted(HINTS[reason.kind], reason) if reason.kind in HINTS else None

    def _formatted(self, template: str, reason: Reason) -> str:
        needed = (name for _, name, _, _ in Formatter().parse(template) if name)
        parts = reason.parts | {"excluded": sorted({x for x, _ in reason.ruled})}
        return template.format(**{name: PARTS[name](self, parts) for name in needed})

    def arguments(self, reasons: Sequence[Reason]) -> list[str]:
        """Say arguments of a line; what limits blocks in consecutive ones is said once."""
        said, last = list[str](), ""
        for reason in reasons:
            lead = self.lead(reason.parts)
            said.append(self._led("" if lead == last else lead, reason))
            last = lead
        return said

    def conclusion(self, ruled: Pairs, line: Line) -> str:
        """Say what is excluded: `columns 3 and 4 are blue, column 6 is not red and column 7 is not white but red`."""
        return join_words(self.conclusions(ruled, line))

    def conclusions(self, ruled: Pairs, line: Line) -> list[str]:
        """Say what is excluded, a text for each kind of cells."""
        after = line.without(ruled)
        groups: dict[str, list[int]] = {}
        for x in sorted({x for x, _ in ruled}):
            gone, left = (self.colors(colors) for colors in (line.cells[x] & ~after.cells[x], after.cells[x]))
            is_known = after.cells[x] & (after.cells[x] - 1) == 0
            said = left if is_known else f"not {gone}" if (x, 0) not in ruled else f"not {gone} but {left}"
            groups.setdefault(said, []).append(x)
        return [f"{self.are(cells)} {said}" for said, cells in groups.items()]

    def colors(self, colors: int) -> str:
        """Name alternative colours."""
        return join_words([color_name(self.puzzle, c) for c in range(colors.bit_length()) if colors >> c & 1], "or")

    def are(self, cells: Sequence[int]) -> str:
        """Name cells as a subject, with its verb."""
        return f"{self.cells(cells)} {'are' if len(cells) > 1 else 'is'}"


def _joined(clauses: Sequence[str]) -> str:
    """Join limits of blocks; if one says what pushes a block, each is a sentence."""
    return "; ".join(clauses) if any(each.startswith("with ") for each in clauses[1:]) else join_words(clauses)


def _color_of(words: LineWords, parts: Mapping[str, Any]) -> str:
    """Name the colour of an argument, or of its block."""
    return color_name(words.puzzle, parts["color"] if "color" in parts else words.line.clue[parts["block"]].color)


PARTS: dict[str, Callable[[LineWords, Mapping[str, Any]], str]] = {
    "all": lambda _, parts: {1: "the only", 2: "both"}.get(parts["count"], f"all {parts['count']}"),
    "all_blocks": lambda words, _: "all blocks are" if len(words.line.clue) > 1 else f"{words.block(0)} is",
    "any": lambda words, parts: "one of " * (len(parts["excluded"]) > 1) + words.cells(parts["excluded"]),
    "block": lambda words, parts: words.block(parts["block"]),
    "blocks": lambda words, parts: words.blocks(parts["blocks"]),
    "cases": lambda words, parts: words.cases(parts["cases"]),
    "cell": lambda words, parts: words.cells([parts["cell"]]),
    "cells": lambda words, parts: words.cells(parts["cells"]),
    "cells_are": lambda words, parts: words.are(parts["cells"]),
    "cells_is": lambda _, parts: "cell is" if parts["count"] == 1 else "cells are",
    "colors": lambda words, parts: join_words([color_name(words.puzzle, color) for color in parts["colors"]], "or"),
    "counted": lambda words, parts: words.counted(parts["filled"]),
    "count": lambda _, parts: str(parts["count"]),
    "cover": lambda words, parts: words.cover(parts),
    "earliest": lambda words, parts: words.cells([parts["earliest"]]),
    "edge": lambda words, parts: words.edge(parts["cell"], "is_mirrored" in parts, parts["cells"]),
    "end": lambda words, parts: words.argument(parts["end"]),
    "gaps": lambda words, parts: words.gaps(parts["sum"]),
    "kept": lambda words, parts: words.kept(parts, parts["block"], parts["within"]),
    "latest": lambda words, parts: words.cells([parts["latest"]]),
    "left": lambda words, parts: words.left(parts),
    "long": lambda words, parts: words.long(parts["excluded"], parts["cells"]),
    "name": _color_of,
    "other": lambda words, parts: words.other_color(parts["cells"][0], _color_of(words, parts)),
    "of": lambda words, parts: words.of(parts["sum"], parts["color"]),
    "only": lambda words, parts: f"only {words.cells(parts['cells'])}" if parts["cells"] else "no cell",
    "places": lambda words, parts: words.places(parts["blocks"], parts["within"]),
    "room": lambda words, parts: words.cells(parts["room"]),
    "side": lambda words, _: f"{len(words.line.cells)} cell{'s' * (len(words.line.cells) > 1)} of the {words.side}",
    "starts": lambda words, parts: join_words([f"in {words.cells(starts)}" for starts in parts["starts"]], "or"),
    "sum": lambda words, parts: words.sum(parts["sum"]),
    "then": lambda words, parts: words.then(parts["then"]),
    "too_long": lambda words, parts: words.too_long(parts),
    "within": lambda words, parts: words.cells(parts["within"]),
}
"""The parts of SENTENCES in words."""
