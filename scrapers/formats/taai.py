"""The puzzle files of the nonogram tournaments (TAAI, TCGA, ICGA).

A file holds many square black-and-white puzzles: a line `$1`, then a line for each column, then one for each row, each
with its numbers between tabs or spaces. An empty line, or `0`, is an empty clue. Nothing says the size: it is half the
number of lines.
"""

import re
from collections.abc import Iterator

from scrapers.formats.shared import FormatError, clipped, decoded, each, lines_of
from solver.limits import MAX_CELLS
from solver.puzzle import BLOT, Block, Clue, Puzzle

NAME = "taai"
SUFFIXES: tuple[str, ...] = (".taai",)

HEADING = re.compile(r"\$\s*(\w+)\s*")
BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\$[ \t]*\w+[ \t]*\r?\n")

MOST_LINES = 2 * MAX_CELLS + 2
"""Of one puzzle: a heading, its columns and rows, and an empty one before the next."""

Line = tuple[int, str]
"""A line of the file: its number and its text."""


def recognizes(data: bytes) -> bool:
    """Whether its first line is a heading like $1."""
    return BEGINNING.match(data) is not None


def read(data: bytes) -> Iterator[Puzzle]:
    """The puzzles of a tournament file; the heading is the title."""
    return each(_parts(decoded(data)), _puzzle)


def _parts(text: str) -> Iterator[list[Line]]:
    """The lines of each puzzle, its heading first, no more than one too many."""
    part: list[Line] = []
    for number, line in lines_of(text.removesuffix("\n").removesuffix("\r")):
        if HEADING.fullmatch(line):
            yield from [part] if part else []
            part = [(number, line)]
        elif part and len(part) <= MOST_LINES:
            part.append((number, line))
        elif not part and line.strip():
            raise FormatError(f"line {number}: {clipped(line)} stands before the first heading like $1")
    yield from [part] if part else []


def _puzzle(lines: list[Line]) -> Puzzle:
    (number, heading), *clues = lines
    if len(lines) > MOST_LINES:
        raise FormatError(f"line {number}: {clipped(heading)} has more than {MOST_LINES:,} lines")
    if len(clues) % 2 and clues[-1][1].strip() == "":
        clues = clues[:-1]  # a blank line between puzzles, or at the end of the file
    if not clues or len(clues) % 2:
        raise FormatError(f"line {number}: {clipped(heading)} has {len(clues)} lines, not as many rows as columns")
    side = len(clues) // 2
    columns, rows = (tuple([_clue(line) for line in part]) for part in (clues[:side], clues[side:]))
    return Puzzle(rows, columns, title=heading.strip())


def _clue(line: Line) -> Clue:
    number, text = line
    words = text.split(maxsplit=MAX_CELLS)
    if len(words) > MAX_CELLS:
        raise FormatError(f"line {number}: it has more than {MAX_CELLS} numbers")
    if words == ["0"]:
        return ()
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word) or not BLOT < int(word) <= MAX_CELLS:
            raise FormatError(f"line {number}: {clipped(word)} is not a number from 1 to {MAX_CELLS}")
    return tuple([Block(int(word)) for word in words])


def write(puzzle: Puzzle) -> bytes:
    """A tournament file with one puzzle. Refuses what the format can't hold: colours, blots, sides that differ."""
    if puzzle.kind != "mono" or puzzle.blotted:
        raise FormatError("the format taai has neither colours nor blots; webpbn-xml does")
    if puzzle.width != puzzle.height:
        raise FormatError(f"the format taai has square puzzles only, this one is {puzzle.width}x{puzzle.height}")
    lines = ["$1", *("\t".join(str(block.length) for block in clue) for clue in puzzle.columns + puzzle.rows)]
    return "".join(f"{line}\n" for line in lines).encode()
