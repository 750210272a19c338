"""The puzzle files of the nonogram tournaments (TAAI, TCGA, ICGA).

A file holds many square black-and-white puzzles: a line `$1`, then a line for each column, then one for each row, each
with its numbers between tabs or spaces. An empty line, or `0`, is an empty clue. The size is half the number of lines.
"""

import re
from collections.abc import Iterable, Iterator

import numpy as np

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
from nonocensus.solver.model.views import Clues, Views

NAME = "taai"
SUFFIXES: tuple[str, ...] = (".taai",)
HOLDS: frozenset[str] = frozenset()

HEADING = re.compile(r"\$\s*(\w+)\s*")
BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\$[ \t]*\w+[ \t]*\r?\n")

MAX_LINES = 2 * MAX_CELLS + 2
"""Of one puzzle: a heading, columns, rows, and a blank line before the next."""

PLAIN = b"$0123456789 \t\r\n"
"""Characters of a file whose headings are numbers."""

NEWLINE, DOLLAR, ZERO = b"\n$0"
MAX_DIGITS = len(str(MAX_CELLS))
"""Digits of a number at most."""


def recognizes(data: bytes) -> bool:
    """Check for a heading like $1 on the first line."""
    return BEGINNING.match(data) is not None


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a tournament file; the heading is the title."""
    return read_each(_parts(decode_text(data)), _puzzle)


def read_vectorized(data: bytes) -> tuple[Views, list[str]] | None:
    """Return the clues and titles of all puzzles, some twenty times as fast as `read`; None for irregular files."""
    if data.translate(None, PLAIN) or not data.startswith(b"$"):
        return None
    data = data.replace(b"\r\n", b"\n").removesuffix(b"\n") + b"\n"
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    headings = np.flatnonzero(text[starts] == DOLLAR)
    titles = [data[starts[k] : ends[k]].decode().strip() for k in headings.tolist()]
    regular = b"\r" not in data and data.count(b"$") == len(headings) and all(map(HEADING.fullmatch, titles))
    numbers = _numbers(text, ends, headings) if regular else None
    if numbers is None:
        return None
    value, line = numbers
    blocks = np.bincount(line, minlength=len(starts))
    lines = np.diff(np.append(headings, len(starts)))  # of each puzzle, its heading counted
    clues = lines - 1
    clues -= (clues % 2 == 1) & (blocks[headings + clues] == 0)  # a blank line between puzzles, or at the end
    side = clues // 2
    if (clues % 2).any() or side.min() < 1 or side.max() > MAX_CELLS or blocks.max() > MAX_CELLS:
        return None
    some = value > 0  # a line of a 0 is an empty clue
    value, line = value[some], line[some]
    blocks = np.bincount(line, minlength=len(starts))
    place = np.arange(len(starts)) - np.repeat(headings + 1, lines)  # of each line in its puzzle
    sides = np.repeat(side, lines)
    is_column, is_row = (place >= 0) & (place < sides), (place >= sides) & (place < 2 * sides)
    columns, rows = (_clues(side, blocks[these], value[these[line]]) for these in (is_column, is_row))
    return Views(side.astype(np.uint16), side.astype(np.uint16), rows, columns), titles


def _numbers(text: np.ndarray, ends: np.ndarray, headings: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the numbers below the headings and their lines; None if one is too large, or 0 among others."""
    bounds = np.flatnonzero(np.diff(text >= ZERO, prepend=False, append=False))
    first, last = bounds[::2], bounds[1::2] - 1
    line = np.cumsum(text == NEWLINE, dtype=np.int32)[first]
    clue = np.ones(len(ends), np.bool_)
    clue[headings] = False
    below = clue[line]
    first, last, line = first[below], last[below], line[below]
    length = last - first + 1
    if length.max(initial=0) > MAX_DIGITS:
        return None
    value = text[last].astype(np.int32) - ZERO
    for k in range(1, int(length.max(initial=0))):
        longer = np.flatnonzero(length > k)
        value[longer] += (text[last[longer] - k].astype(np.int32) - ZERO) * 10**k
    alone = np.bincount(line, minlength=len(ends)) == 1
    if value.max(initial=0) > MAX_CELLS or ((value == 0) & ~(alone[line] & (length == 1))).any():
        return None
    return value, line


def _clues(side: np.ndarray, blocks: np.ndarray, length: np.ndarray) -> Clues:
    """Return one side of all puzzles, from lines per puzzle, blocks per line, and lengths."""
    lines, starts = (np.concatenate([[0], np.cumsum(counts)]).astype(np.int32) for counts in (side, blocks))
    return Clues(lines, starts, length.astype(np.uint16), np.ones(len(length), np.uint8))


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
            raise FormatError(f"line {number}: {clip(line)} stands before the first heading like $1")
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
