"""Check derivations: files that prove how many solutions a nonogram has (docs/CERTIFICATES.md).

    python checker.py FILE.jsonl[.gz] ...

This program shares no code with the recorder, needs only Python's standard library, and is short enough to read. It
trusts only the clues, which must have the hash in the file. A derivation is a list of steps that exclude colours of
cells. A cell's possible colours are a bit set: bit c is set if it may have colour c. A line step excludes colours that
no arrangement of one line has. An assumption step excludes one colour of one cell, because line steps from it lead to a
line without arrangement.

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
FAR = 1 << 30  # larger than any level
Blocks = list[tuple[int, int]]  # a clue: (length, 0 if hidden; colour) of each block
Line = tuple[str, int]  # ("row", y) or ("column", x)


class CertificateError(Exception):
    """An invalid file; the message is one line."""


class Proved(NamedTuple):
    """What a file proves.

    rung       technique: line, depth-N, probe or search; None for multiple
    formula    the proof also needs the formula of solver.proofs.formula to be unsatisfiable
    pictures   no, one or two solutions: a colour per cell, row by row
    left       possible colours of each cell after the steps, row by row
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
    """A clue as an automaton that reads its line cell by cell; a set of states is a bit set.

    State 0 is the gap before the first block. Each block has a state per cell and one for the gap after it. Reading a
    cell leads to the next state; to the same one in a gap and in a blot (a block of hidden length); or past the gap
    between two blocks of different colours.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.of = {0: 1}  # states reachable by reading each colour
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
            self.ends = 3 << state  # its last cell, or the gap after it
            state, before = state + 1, color
            self.of[0] |= 1 << state
            self.stays |= 1 << state

    def reading(self, colors: int) -> int:
        """Return the states reachable by reading a cell with one of these colours."""
        if colors not in self.read:
            self.read[colors] = sum(states for color, states in self.of.items() if colors >> color & 1)
        return self.read[colors]

    def forward(self, cells: list[int]) -> list[int]:
        """Return the states reachable after 0, 1, 2, ... cells."""
        stays, skips, states = self.stays, self.skips, 1
        reached = [states]
        for read in [self.reading(colors) for colors in cells]:
            states = (states << 1 | states & stays | (states & skips) << 2) & read
            reached.append(states)
        return reached

    def before(self, states: int) -> int:
        """Return the states from which reading a cell can lead to these."""
        return states >> 1 | states & self.stays | states >> 2 & self.skips

    def possible(self, cells: list[int]) -> list[int] | None:
        """Return the colours of each cell in all arrangements that agree with `cells`; None without arrangement."""
        reached = self.forward(cells)
        alive = reached.pop() & self.ends  # reachable final states
        if not alive:
            return None
        found = []
        for colors in reversed(cells):
            if colors & (colors - 1):  # more than one colour
                left = 0
                for color, states in self.of.items():
                    if states & alive:
                        left |= 1 << color
                colors &= left
            found.append(colors)
            alive = self.before(alive) & reached.pop()
        return found[::-1]


class Checker:
    """A puzzle and the colours excluded so far."""

    def __init__(self, header: Any) -> None:
        keys(header, "format", "version", "puzzle_id", "clue_hash", "palette", "rows", "columns", "claim", "rung")
        require([header["format"], header["version"]] == [FORMAT, VERSION], f"not a {FORMAT} of version {VERSION}")
        rows, columns = ([blocks_of(clue) for clue in items(header[side])] for side in ("rows", "columns"))
        self.sides, self.height, self.width = (rows, columns), len(rows), len(columns)
        require(
            0 < self.height <= MOST_CELLS and 0 < self.width <= MOST_CELLS,
            f"needs 1 to {MOST_CELLS} lines on each side",
        )
        require(header["clue_hash"] == clue_hash(*self.sides), "clue_hash does not match the clues")
        for side, cells in zip(self.sides, (self.width, self.height), strict=True):
            require(
                all(sum(max(length, 1) for length, _ in clue) <= cells for clue in side),
                "a clue is longer than its line",
            )
        self.clues = {name: list(map(Clue, side)) for name, side in zip(("row", "column"), self.sides, strict=True)}
        self.colors = 1 + max((color for side in self.sides for clue in side for _, color in clue), default=0)
        self.cells = [(1 << self.colors) - 1] * (self.width * self.height)
        self.puzzle_id, self.clue_hash = str(header["puzzle_id"]), header["clue_hash"]
        self.claim, self.rung = header["claim"], header["rung"]
        require(self.claim in ("none", "unique", "multiple"), "claim must be none, unique or multiple")
        require((self.rung is None) == (self.claim == "multiple"), "rung must be null for multiple only")
        self.depth = depth_of(self.rung)
        self.steps = self.assumptions = 0

    def step(self, step: Any) -> None:
        """Check and apply a step."""
        self.steps += 1
        if isinstance(step, dict) and "assume" in step:
            self.assume(step)
        else:
            self.rule_out(self.cells, step)

    def line(self, step: Any, *others: str) -> tuple[Line, slice]:
        """Return the line in an object with these other keys, and the slice of its cells."""
        side = "row" if isinstance(step, dict) and "row" in step else "column"
        keys(step, side, *others)
        (line,) = integers([step[side]], (1, len(self.clues[side])))
        return (side, line - 1), self.every((side, line - 1))

    def every(self, line: Line) -> slice:
        """Return the slice of a line's cells."""
        side, number = line
        return (
            slice(number * self.width, (number + 1) * self.width) if side == "row" else slice(number, None, self.width)
        )

    def possible(self, line: Line, here: list[int]) -> list[int] | None:
        """Return the possible colours of a line's cells; None without arrangement."""
        return self.clues[line[0]][line[1]].possible(here)

    def rule_out(self, cells: list[int], step: Any) -> Line:
        """Check a line step and apply it to these cells; returns the line."""
        line, every = self.line(step, "not")
        here = cells[every]
        possible = self.possible(line, here)
        if possible is None:
            raise CertificateError(f"{name_of(line)} has no arrangement: a contradiction, not a step")
        for claim in items(step["not"]):
            x, color = integers(claim, (1, len(here)), (0, self.colors - 1))
            if not (here[x - 1] & ~possible[x - 1]) >> color & 1:
                raise CertificateError(
                    f"{name_of(line)} does not exclude colour {color} of its cell {x}, or it was excluded before"
                )
            here[x - 1] &= ~(1 << color)
        cells[every] = here
        return line

    def assume(self, step: Any) -> None:
        """Check an assumption; its steps apply to a copy of the cells.

        In the rung depth-N, lines of levels below N may be steps; lines of level N may only be the contradiction.
        """
        keys(step, "assume", "then", "contradiction")
        require(self.depth != 0, f"the rung {self.rung} has no assumptions")
        self.assumptions += 1
        y, x, color = integers(step["assume"], (1, self.height), (1, self.width), (0, self.colors - 1))
        place = (y - 1) * self.width + x - 1
        require(self.cells[place] >> color & 1, "the assumption was excluded before")
        cells = list(self.cells)
        cells[place] = 1 << color
        level: dict[Line, int] = {}
        self.reach(level, cells, [("row", y - 1), ("column", x - 1)], 0)
        reached = 0
        for inner in items(step["then"]):
            line = self.rule_out(cells, inner)
            reached = max(reached, level.get(line, FAR))
            require(self.depth is None or reached < self.depth, f"{name_of(line)} is beyond the depth of {self.rung}")
            self.reach(level, cells, self.crossing(line, cells), reached + 1)
        line, every = self.line(step["contradiction"])
        far = level.get(line, FAR)
        require(self.depth is None or far <= self.depth, f"{name_of(line)} is beyond the depth of {self.rung}")
        require(self.possible(line, cells[every]) is None, f"{name_of(line)} has an arrangement: not a contradiction")
        self.cells[place] &= ~(1 << color)

    def reach(self, level: dict[Line, int], cells: list[int], lines: list[Line], at: int) -> None:
        """Set the level of lines without an earlier one, and of the lines that cross them."""
        while self.depth is not None and at <= self.depth:
            lines = [line for line in lines if level.get(line, FAR) > at]
            level.update(dict.fromkeys(lines, at))
            at += 1
            if at <= self.depth:
                lines = list(dict.fromkeys(other for line in lines for other in self.crossing(line, cells)))

    def crossing(self, line: Line, cells: list[int]) -> list[Line]:
        """Return the lines that cross a line where more is known than by line logic alone."""
        if self.depth is None:
            return []
        alone, now = self.began[self.every(line)], cells[self.every(line)]
        return [(other(line), x) for x, (left, here) in enumerate(zip(alone, now, strict=True)) if left & ~here]

    @cached_property
    def began(self) -> list[int]:
        """Return the possible colours of the cells by line logic alone."""
        cells = [(1 << self.colors) - 1] * (self.width * self.height)
        todo = dict.fromkeys((side, line) for side in self.clues for line in range(len(self.clues[side])))
        while todo:
            line = next(iter(todo))
            del todo[line]
            before, after = cells[self.every(line)], self.possible(line, cells[self.every(line)])
            if after is None:
                raise CertificateError("line logic alone leads to a contradiction: assumptions are not allowed")
            cells[self.every(line)] = after
            todo.update(((other(line), x), None) for x in range(len(after)) if before[x] != after[x])
        return cells

    def conclude(self, end: dict[str, Any]) -> Proved:
        """Check the conclusion, the last line of a file."""
        kind = end["conclusion"]
        if kind == "contradiction":
            line, every = self.line(end, "conclusion")
            require(self.claim == "none", f"a contradiction proves none, not the claim {self.claim}")
            require(
                self.possible(line, self.cells[every]) is None,
                f"{name_of(line)} has an arrangement: not a contradiction",
            )
            pictures = []
        else:
            keys(end, "conclusion", "pictures")
            pictures = [self.picture(rows) for rows in items(end["pictures"])]
            if kind == "decided":
                left = [1 << color for picture in pictures for color in picture]
                require(self.claim == "unique" and left == self.cells, "the steps leave more than the picture")
            elif kind == "formula":
                require(self.rung == "search", "a formula needs the rung search")
            else:
                require(kind == "two solutions" and self.claim == "multiple", "the conclusion does not fit the claim")
                require(len(pictures) == 2 and pictures[0] != pictures[1], "needs two different pictures")
        require(
            len(pictures) == ("none", "unique", "multiple").index(self.claim), "wrong number of pictures for the claim"
        )
        return Proved(self.puzzle_id, self.clue_hash, self.claim, self.rung, kind == "formula", *self.sides, pictures,
                      self.cells, self.steps, self.assumptions)  # fmt: skip

    def picture(self, rows: Any) -> list[int]:
        """Parse a picture with one digit per cell and check it against the clues; returns its colours row by row."""
        is_valid = len(items(rows)) == self.height and all(
            isinstance(row, str) and len(row) == self.width for row in rows
        )
        require(is_valid and set("".join(rows)) <= set(DIGITS), "a picture needs one digit per cell")
        cells = [DIGITS.index(digit) for row in rows for digit in row]
        lines = [cells[y * self.width : (y + 1) * self.width] for y in range(self.height)]
        lines += [cells[x :: self.width] for x in range(self.width)]
        is_valid = all(reads(line, clue) for line, clue in zip(lines, self.sides[0] + self.sides[1], strict=True))
        require(is_valid, "a picture does not fit the clues")
        return cells


def other(line: Line) -> str:
    """Return the side of a line's crossing lines."""
    return "column" if line[0] == "row" else "row"


def reads(line: list[int], clue: Blocks) -> bool:
    """Return whether a line's runs of colours are the blocks of a clue."""
    runs = [(len(list(run)), color) for color, run in groupby(line) if color]
    return len(runs) == len(clue) and all(
        length in (0, cells) and color == painted for (length, color), (cells, painted) in zip(clue, runs, strict=True)
    )


def clue_hash(rows: list[Blocks], columns: list[Blocks]) -> str:
    """Return the first half of the SHA-256 of width, height and each line's number of blocks and blocks, in hex."""
    text = [len(columns), len(rows)]
    for clue in rows + columns:
        text += [len(clue), *(value for block in clue for value in block)]
    return hashlib.sha256(struct.pack(f"<{len(text)}H", *text)).hexdigest()[:32]


def depth_of(rung: Any) -> int | None:
    """Return the depth limit of a rung's assumptions; 0 for no assumptions, None for no limit."""
    if rung in ("probe", "search", None):
        return None
    depth = rung[6:] if isinstance(rung, str) and rung.startswith("depth-") else "0" * (rung == "line")
    require(depth.isascii() and depth.isdecimal() and len(depth) < 6, "rung must be line, depth-N, probe or search")
    return int(depth)


def blocks_of(clue: Any) -> Blocks:
    """Parse a clue."""
    blocks = items(clue)
    require(len(blocks) <= MOST_CELLS, "a clue has too many blocks")
    return [tuple(integers(block, (0, MOST_CELLS), (1, MOST_COLORS))) for block in blocks]  # type: ignore[misc]


def integers(values: Any, *bounds: tuple[int, int]) -> list[int]:
    """Check a list of integers against their bounds."""
    is_valid = isinstance(values, list) and len(values) == len(bounds) and all(type(value) is int for value in values)
    if not is_valid or not all(low <= value <= high for value, (low, high) in zip(values, bounds, strict=True)):
        raise CertificateError(f"expected {len(bounds)} numbers within their bounds, not {values!r:.40}")
    return list(values)


def items(value: Any) -> list[Any]:
    """Check that a value is a list."""
    require(isinstance(value, list), "expected a list")
    return list(value)


def keys(value: Any, *names: str) -> None:
    """Check that a value is an object with exactly these keys."""
    require(
        isinstance(value, dict) and value.keys() == set(names), f"expected an object with the keys {', '.join(names)}"
    )


def name_of(line: Line) -> str:
    """Return a line's name, numbered from 1."""
    return f"{line[0]} {line[1] + 1}"


def require(is_valid: object, reason: str) -> None:
    """Raise CertificateError unless `is_valid`."""
    if not is_valid:
        raise CertificateError(reason)


def parse_line(text: str) -> Any:
    """Parse a line of JSON without duplicate keys."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "duplicate key in an object")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise CertificateError("not JSON") from None


def check(lines: Iterable[str]) -> Proved:
    """Return what the lines of a file prove; raises CertificateError if they are invalid."""
    checker: Checker | None = None
    proved: Proved | None = None
    at = 0
    try:
        for line in lines:
            at += 1
            value = parse_line(line)
            require(proved is None, "more lines after the conclusion")
            if checker is None:
                checker = Checker(value)
            elif isinstance(value, dict) and "conclusion" in value:
                proved = checker.conclude(value)
            else:
                checker.step(value)
    except CertificateError as error:
        raise CertificateError(f"line {at}: {error}") from None
    if proved is None:
        raise CertificateError("ends before its conclusion")
    return proved


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a file; raises CertificateError if it is unreadable."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from file
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise CertificateError(f"unreadable: {error}") from None


def main(paths: list[str]) -> int:
    """Print what each file proves; returns 1 if any is refused."""
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
