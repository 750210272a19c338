"""The puzzle files of the nonogram tournaments (TAAI, TCGA, ICGA).

A file holds many square black-and-white puzzles: a line `$1`, then a line for each column, then one for each row, each
with its numbers between tabs or spaces. An empty line, or `0`, is an empty clue. The size is half the number of lines.
"""

import re
from collections.abc import Iterable, Iterator

from nonocensus.scrapers.formats.parsing import (
    FormatError,
    NumberedLine,
    clip,
    decode_text,
    lines_of,
    parse_clue,
    read_each,
)
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle

NAME = "taai"
SUFFIXES: tuple[str, ...] = (".taai",)
HOLDS: frozenset[str] = frozenset()

HEADING = re.compile(r"\$\s*(\w+)\s*")
BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\$[ \t]*\w+[ \t]*\r?\n")

MAX_LINES = 2 * MAX_CELLS + 2
"""Of one puzzle: a heading, columns, rows, and a blank line before the next."""


def recognizes(data: bytes) -> bool:
    """Check for a heading like $1 on the first line."""
    return BEGINNING.match(data) is not None


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a tournament file; the heading is the title."""
    return read_each(_parts(decode_text(data)), _puzzle)


def _parts(text: str) -> Iterator[list[NumberedLine]]:
    """Yield the lines of each puzzle, its heading first, at most MAX_LINES + 1."""
    part: list[NumberedLine] = []
    for number, line in lines_of(text.removesuffix("\n").removesuffix("\r")):
        if HEADING.fullmatch(line):
            yield from [part] if part else []
            part = [(number, line)]
        elif part and len(part) <= MAX_LINES:
            part.append((number, line))
        elif not part and line.strip():
            raise FormatError(f"line {number}: {clip(line)} is before the first heading like $1")
    yield from [part] if part else []


def _puzzle(lines: list[NumberedLine]) -> Puzzle:
    (number, heading), *clues = lines
    if len(lines) > MAX_LINES:
        raise FormatError(f"line {number}: {clip(heading)} has more than {MAX_LINES:,} lines")
    if len(clues) % 2 and clues[-1][1].strip() == "":
        clues = clues[:-1]  # a blank line between puzzles, or at the end of the file
    if not clues or len(clues) % 2:
        raise FormatError(f"line {number}: {clip(heading)} has {len(clues)} lines, an odd number")
    side = len(clues) // 2
    columns, rows = (tuple(map(parse_clue, part)) for part in (clues[:side], clues[side:]))
    return Puzzle(rows, columns, title=heading.strip())


def write(puzzle: Puzzle) -> bytes:
    """Return a tournament file with one puzzle; refuses one that is not square."""
    if puzzle.width != puzzle.height:
        raise FormatError(f"the format taai has only square puzzles, not {puzzle.width}x{puzzle.height}")
    lines = ["$1", *("\t".join(str(block.length) for block in clue) for clue in puzzle.columns + puzzle.rows)]
    return "".join(f"{line}\n" for line in lines).encode()


def bundle(files: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a file of several puzzles, numbered."""
    for number, file in enumerate(files, 1):
        yield file.replace(b"$1", b"$%d" % number, 1)
