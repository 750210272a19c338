"""Check derivations: files that prove how many solutions a nonogram has. docs/CERTIFICATES.md describes them.

    python checker.py FILE.jsonl[.gz] ...

This program shares nothing with what wrote the file, needs Python's standard library only, and is short so that it can
be read. It takes nothing on trust but the clues, which must have the hash that the file names. A derivation is a list
of steps, each of which rules out colours of cells. What is left of a cell is an integer: its bit c is set if the cell
may have colour c. A line step rules out what no arrangement of one line has. An assumption step rules out one colour
of one cell, because line steps that begin with it lead to a line without any arrangement.

Lines and cells are numbered from 1 in files and from 0 here.
"""

import gzip
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

FORMAT, VERSION = "nonocensus derivation", 1
MOST_CELLS, MOST_COLORS = 1023, 31
DIGITS = "0123456789abcdefghijklmnopqrstuv"  # colours in pictures
FAR = 1 << 30  # a level beyond any
Blocks = list[tuple[int, int]]  # a clue: length, 0 if it is hidden, and colour of each block
Line = tuple[str, int]  # "row" and y, or "column" and x


class CertificateError(Exception):
    """A file that proves nothing; one line that says why."""


class Proved(NamedTuple):
    """What a file proves.

    rung       how: line, depth-N, probe or search; None for multiple
    formula    whether it holds only if the formula of solver.proofs.formula has no solution
    pictures   the solution, or two of them: a colour for each cell, row by row
    left       what the steps leave of each cell, row by row
    """

    puzzle_id: str
    clue_hash: str
    claim: str
    rung: str | None
    formula: bool
    rows: list[Blocks]
    columns: list[Blocks]
    pictures: list[list[int]]
    left: list[int]
    steps: int
    assumptions: int


class Clue:
    """A clue as an automaton that reads its line cell by cell. A set of its states is an integer.

    State 0 is the gap before the first block; then each block has a state for each of its cells, and one for the gap
    after it. A cell read leads to the next state; or to the same one, in a gap and in a blot, whose length is hidden;
    or past the gap between two blocks of different colours.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.of = {0: 1}  # the states that each colour of the cell read last can lead to
        self.stays, self.skips, self.ends = 1, 0, 1
        self.read: dict[int, int] = {}
        state = before = 0
        for length, color in blocks:
            if before not in (0, color):
                self.skips |= 1 << (state - 1)
            for _ in range(max(length, 1)):
                state += 1
                self.of[color] = self.of.get(color, 0) | 1 << state
            if length == 0:
                self.stays |= 1 << state
            self.ends = 3 << state  # the last block's last cell, or the gap after it
            state, before = state + 1, color
            self.of[0] |= 1 << state
            self.stays |= 1 << state

    def reading(self, colors: int) -> int:
        """The states that a cell can lead to which has one of these colours."""
        if colors not in self.read:
            self.read[colors] = sum(states for color, states in self.of.items() if colors >> color & 1)
        return self.read[colors]

    def forward(self, cells: list[int]) -> list[int]:
        """The states that 0, 1, 2, ... cells can lead to."""
        stays, skips, states = self.stays, self.skips, 1
        reached = [states]
        for read in [self.reading(colors) for colors in cells]:
            states = (states << 1 | states & stays | (states & skips) << 2) & read
            reached.append(states)
        return reached

    def before(self, states: int) -> int:
        """The states from which a cell can lead to these."""
        return states >> 1 | states & self.stays | states >> 2 & self.skips

    def possible(self, cells: list[int]) -> list[int] | None:
        """The colours of each cell in the arrangements that agree with `cells`; None if there is no arrangement."""
        reached = self.forward(cells)
        good = reached.pop() & self.ends  # of the states that the last cell can lead to, those of an arrangement
        if not good:
            return None
        found = []
        for colors in reversed(cells):
            if colors & (colors - 1):  # there are several
                left = 0
                for color, states in self.of.items():
                    if states & good:
                        left |= 1 << color
                colors &= left
            found.append(colors)
            good = self.before(good) & reached.pop()
        return found[::-1]


class Checker:
    """A puzzle and what has been ruled out so far."""

    def __init__(self, header: Any) -> None:
        keys(header, "format", "version", "puzzle_id", "clue_hash", "palette", "rows", "columns", "claim", "rung")
        demand([header["format"], header["version"]] == [FORMAT, VERSION], f"it is no {FORMAT} of version {VERSION}")
        rows, columns = ([blocks_of(clue) for clue in items(header[side])] for side in ("rows", "columns"))
        self.sides, self.height, self.width = (rows, columns), len(rows), len(columns)
        demand(0 < self.height <= MOST_CELLS and 0 < self.width <= MOST_CELLS, "it has too many lines, or none")
        demand(header["clue_hash"] == clue_hash(*self.sides), "its clues have another hash than it says")
        for side, cells in zip(self.sides, (self.width, self.height), strict=True):
            demand(all(sum(max(length, 1) for length, _ in clue) <= cells for clue in side), "a clue has no room")
        self.clues = {name: list(map(Clue, side)) for name, side in zip(("row", "column"), self.sides, strict=True)}
        self.colors = 1 + max((color for side in self.sides for clue in side for _, color in clue), default=0)
        self.cells = [(1 << self.colors) - 1] * (self.width * self.height)
        self.puzzle_id, self.clue_hash = str(header["puzzle_id"]), header["clue_hash"]
        self.claim, self.rung = header["claim"], header["rung"]
        demand(self.claim in ("none", "unique", "multiple"), "it claims something else than none, unique or multiple")
        demand((self.rung is None) == (self.claim == "multiple"), "unique and none have a rung, multiple has none")
        self.depth = depth_of(self.rung)
        self.steps = self.assumptions = 0

    def step(self, step: Any) -> None:
        """Check a step and rule out what it does."""
        self.steps += 1
        if isinstance(step, dict) and "assume" in step:
            self.assume(step)
        else:
            self.rule_out(self.cells, step)

    def line(self, step: Any, *others: str) -> tuple[Line, slice]:
        """The line that an object names beside its other keys, and where its cells are."""
        side = "row" if isinstance(step, dict) and "row" in step else "column"
        keys(step, side, *others)
        (line,) = integers([step[side]], (1, len(self.clues[side])))
        return (side, line - 1), self.every((side, line - 1))

    def every(self, line: Line) -> slice:
        """Where a line's cells are."""
        side, number = line
        return (
            slice(number * self.width, (number + 1) * self.width) if side == "row" else slice(number, None, self.width)
        )

    def possible(self, line: Line, here: list[int]) -> list[int] | None:
        """The colours that a line's arrangements leave of its cells; None if there is no arrangement."""
        return self.clues[line[0]][line[1]].possible(here)

    def rule_out(self, cells: list[int], step: Any) -> Line:
        """Check a line step and do it to these cells; returns the line."""
        line, every = self.line(step, "not")
        here = cells[every]
        possible = self.possible(line, here)
        if possible is None:
            raise CertificateError(f"{told(line)} has no arrangement: that is a contradiction and no step")
        for claim in items(step["not"]):
            x, color = integers(claim, (1, len(here)), (0, self.colors - 1))
            if not (here[x - 1] & ~possible[x - 1]) >> color & 1:
                raise CertificateError(f"{told(line)} does not rule out colour {color} of its cell {x}, or not anew")
            here[x - 1] &= ~(1 << color)
        cells[every] = here
        return line

    def assume(self, step: Any) -> None:
        """Check an assumption. Its steps are done to a copy of the cells, of which nothing is kept.

        Of the rung depth-N it may go N levels far: lines of levels below N can be steps, those of level N can only be
        the contradiction.
        """
        keys(step, "assume", "then", "contradiction")
        demand(self.depth != 0, f"the rung {self.rung} has no assumptions")
        self.assumptions += 1
        y, x, color = integers(step["assume"], (1, self.height), (1, self.width), (0, self.colors - 1))
        place = (y - 1) * self.width + x - 1
        demand(self.cells[place] >> color & 1, "the assumption was ruled out before")
        cells = list(self.cells)
        cells[place] = 1 << color
        level: dict[Line, int] = {}
        self.reach(level, cells, [("row", y - 1), ("column", x - 1)], 0)
        reached = 0
        for inner in items(step["then"]):
            line = self.rule_out(cells, inner)
            reached = max(reached, level.get(line, FAR))
            demand(self.depth is None or reached < self.depth, f"{told(line)} is too far off for {self.rung}")
            self.reach(level, cells, self.crossing(line, cells), reached + 1)
        line, every = self.line(step["contradiction"])
        far = level.get(line, FAR)
        demand(self.depth is None or far <= self.depth, f"{told(line)} is too far off for {self.rung}")
        demand(self.possible(line, cells[every]) is None, f"{told(line)} has an arrangement: no contradiction")
        self.cells[place] &= ~(1 << color)

    def reach(self, level: dict[Line, int], cells: list[int], lines: list[Line], at: int) -> None:
        """Note that lines are of a level, unless of an earlier one, and what follows for the lines that cross them."""
        while self.depth is not None and at <= self.depth:
            lines = [line for line in lines if level.get(line, FAR) > at]
            level.update(dict.fromkeys(lines, at))
            at += 1
            if at <= self.depth:
                lines = list(dict.fromkeys(other for line in lines for other in self.crossing(line, cells)))

    def crossing(self, line: Line, cells: list[int]) -> list[Line]:
        """The lines of the next level: those that cross a line where more is known than line logic alone knows."""
        if self.depth is None:
            return []
        alone, now = self.began[self.every(line)], cells[self.every(line)]
        return [(other(line), x) for x, (left, here) in enumerate(zip(alone, now, strict=True)) if left & ~here]

    @cached_property
    def began(self) -> list[int]:
        """What line logic alone leaves of the cells."""
        cells = [(1 << self.colors) - 1] * (self.width * self.height)
        todo = dict.fromkeys((side, line) for side in self.clues for line in range(len(self.clues[side])))
        while todo:
            line = next(iter(todo))
            del todo[line]
            before, after = cells[self.every(line)], self.possible(line, cells[self.every(line)])
            if after is None:
                raise CertificateError("line logic alone leads to a contradiction, so that no assumption is needed")
            cells[self.every(line)] = after
            todo.update(((other(line), x), None) for x in range(len(after)) if before[x] != after[x])
        return cells

    def conclude(self, end: dict[str, Any]) -> Proved:
        """Check the last line."""
        kind = end["conclusion"]
        if kind == "contradiction":
            line, every = self.line(end, "conclusion")
            demand(self.claim == "none", f"a contradiction proves none, and the claim is {self.claim}")
            demand(self.possible(line, self.cells[every]) is None, f"{told(line)} has an arrangement: no contradiction")
            pictures = []
        else:
            keys(end, "conclusion", "pictures")
            pictures = [self.picture(rows) for rows in items(end["pictures"])]
            if kind == "decided":
                left = [1 << color for picture in pictures for color in picture]
                demand(self.claim == "unique" and left == self.cells, "its picture is not all that the steps leave")
            elif kind == "formula":
                demand(self.rung == "search", "a formula belongs to the rung search")
            else:
                demand(kind == "two solutions" and self.claim == "multiple", "that is no conclusion for this claim")
                demand(len(pictures) == 2 and pictures[0] != pictures[1], "it has not two different pictures")
        demand(len(pictures) == ("none", "unique", "multiple").index(self.claim), "it has too many pictures or too few")
        return Proved(self.puzzle_id, self.clue_hash, self.claim, self.rung, kind == "formula", *self.sides, pictures,
                      self.cells, self.steps, self.assumptions)  # fmt: skip

    def picture(self, rows: Any) -> list[int]:
        """A picture's colours, row by row, if it fits the clues. In the file a row is a text with a digit a cell."""
        good = len(items(rows)) == self.height and all(isinstance(row, str) and len(row) == self.width for row in rows)
        demand(good and set("".join(rows)) <= set(DIGITS), "a picture has not one digit for each cell")
        cells = [DIGITS.index(digit) for row in rows for digit in row]
        lines = [cells[y * self.width : (y + 1) * self.width] for y in range(self.height)]
        lines += [cells[x :: self.width] for x in range(self.width)]
        good = all(reads(line, clue) for line, clue in zip(lines, self.sides[0] + self.sides[1], strict=True))
        demand(good, "a picture does not fit the clues")
        return cells


def other(line: Line) -> str:
    """The side that a line's crossing lines are on."""
    return "column" if line[0] == "row" else "row"


def reads(line: list[int], clue: Blocks) -> bool:
    """Whether the runs of colours in a line are the blocks of a clue."""
    runs = [(len(list(run)), color) for color, run in groupby(line) if color]
    return len(runs) == len(clue) and all(
        length in (0, cells) and color == painted for (length, color), (cells, painted) in zip(clue, runs, strict=True)
    )


def clue_hash(rows: list[Blocks], columns: list[Blocks]) -> str:
    """The first half of SHA-256, in hex, over width, height and for each line its number of blocks and the blocks."""
    text = [len(columns), len(rows)]
    for clue in rows + columns:
        text += [len(clue), *(value for block in clue for value in block)]
    return hashlib.sha256(struct.pack(f"<{len(text)}H", *text)).hexdigest()[:32]


def depth_of(rung: Any) -> int | None:
    """How many levels far a rung's assumptions may go; 0 if it has none, None without a limit."""
    if rung in ("probe", "search", None):
        return None
    depth = rung[6:] if isinstance(rung, str) and rung.startswith("depth-") else "0" * (rung == "line")
    demand(depth.isascii() and depth.isdecimal() and len(depth) < 6, "its rung is none of line, depth-N, probe, search")
    return int(depth)


def blocks_of(clue: Any) -> Blocks:
    """A clue's blocks."""
    blocks = items(clue)
    demand(len(blocks) <= MOST_CELLS, "a clue has too many blocks")
    return [tuple(integers(block, (0, MOST_CELLS), (1, MOST_COLORS))) for block in blocks]  # type: ignore[misc]


def integers(values: Any, *bounds: tuple[int, int]) -> list[int]:
    """A list of integers, one inside each of the bounds."""
    good = isinstance(values, list) and len(values) == len(bounds) and all(type(value) is int for value in values)
    if not good or not all(low <= value <= high for value, (low, high) in zip(values, bounds, strict=True)):
        raise CertificateError(f"{len(bounds)} numbers inside their bounds are wanted, not {values!r:.40}")
    return list(values)


def items(value: Any) -> list[Any]:
    """A list."""
    demand(isinstance(value, list), "a list is missing")
    return list(value)


def keys(value: Any, *names: str) -> None:
    """Refuse what is no object with exactly these keys."""
    demand(isinstance(value, dict) and value.keys() == set(names), f"it is no object of {', '.join(names)}")


def told(line: Line) -> str:
    """A line as people count."""
    return f"{line[0]} {line[1] + 1}"


def demand(good: object, reason: str) -> None:
    """Refuse the file unless all is good."""
    if not good:
        raise CertificateError(reason)


def parsed(text: str) -> Any:
    """A line of JSON, in which no object has a key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        demand(len(dict(pairs)) == len(pairs), "an object has a key twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise CertificateError("it is not JSON") from None


def check(lines: Iterable[str]) -> Proved:
    """What the lines of a file prove. Raises CertificateError if that is nothing."""
    checker: Checker | None = None
    proved: Proved | None = None
    at = 0
    try:
        for line in lines:
            at += 1
            value = parsed(line)
            demand(proved is None, "the conclusion is not the end")
            if checker is None:
                checker = Checker(value)
            elif isinstance(value, dict) and "conclusion" in value:
                proved = checker.conclude(value)
            else:
                checker.step(value)
    except CertificateError as error:
        raise CertificateError(f"line {at}: {error}") from None
    if proved is None:
        raise CertificateError("it ends before its conclusion")
    return proved


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file. Raises CertificateError if it can't be read to its end."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from file
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise CertificateError(f"it can't be read: {error}") from None


def main(paths: list[str]) -> int:
    """Say of each file what it proves; the exit status is 1 if one of them proves nothing."""
    refused = 0
    for path in paths:
        try:
            proved = check(lines_of(Path(path)))
        except CertificateError as error:
            refused = 1
            print(f"{path}: REFUSED: {error}")
        else:
            how = f" by {proved.rung}" if proved.rung else ""
            provided = ", provided that its formula has no solution" if proved.formula else ""
            print(f"{path}: {json.dumps(proved.puzzle_id)} is {proved.claim}{how}{provided}")
    return refused


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
