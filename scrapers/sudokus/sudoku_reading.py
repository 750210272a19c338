"""Sudokus of a text file.

Two forms are read, also mixed in a file, with any text between the puzzles:

lines   81 characters (or 16, 36, 256, 625, ...) in the first or second column of a line, as programs and archives have
        them; what follows (a solution, a rating, a comment) is passed over
grids   as many lines as a unit has cells, with or without frames of | - + and blanks, digits side by side or numbers
        parted by blanks: .sdk, .ss, and what people paste

0 . * _ ? stand for open cells. Lines that begin with # are comments; #A names the author, as .sdk has it. A large file
of lines of one length is read at once.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from scrapers.formats.shared import MOST_TOLD, FormatError, decoded, lines_of
from scrapers.sudokus.symbols import NO_DIGIT, SIDE, SIZES, table_of
from solver.sudoku.sudoku_puzzle import boxes_of

SUFFIXES = (".sdk", ".sdm", ".ss", ".sudoku")
"""What names of files end with that hold nothing else."""

BULK = 1 << 16
"""Bytes from which on a file of lines is read at once, where that can be."""

TOGETHER = 4096
"""Puzzles that are handed on at a time, of other files."""

LONG = 64
"""Characters from which on a word is meant as a puzzle, whatever they are."""

LONGEST_ROW = 1_000
"""Characters of a row of a grid: of 36x36 it takes some 110, as a list of words several times a file's size."""

AUTHOR = re.compile(r"^#A[ \t]*(\S[^\r\n]*)", re.MULTILINE)
PARTING = np.frombuffer(b" \t,;\r\n", np.uint8)
PLAIN = frozenset("0123456789.*_?")
COLUMNS = re.compile(r"[\s,;]+")
FRAME = re.compile(r"[\s:!]*[|+=-][\s|+=:!-]*")
BARS = re.compile(r"[|!]")
SIGNS = re.compile(r"[0-9A-Za-z.*_?]+")


class Grids(NamedTuple):
    """Sudokus of one kind that follow each other in a file.

    givens                  uint8[puzzles, size x size], 0 for an open cell
    box_width, box_height   cells of a box, side by side and one below the other
    author                  who has made them, if the file says so
    """

    givens: np.ndarray
    box_width: int
    box_height: int
    author: str | None = None


class Line(NamedTuple):
    """A line with a puzzle on it, or with a row of one.

    number   in the file, from 1
    cells    what stands in its cells
    bar      cells before the first bar; 0 without one
    """

    number: int
    cells: tuple[str, ...]
    bar: int = 0


class Found(NamedTuple):
    """A puzzle as it stands in the file: its first line, its cells row by row, its boxes."""

    number: int
    cells: tuple[str, ...]
    box: tuple[int, int]


def recognizes(name: str, data: bytes) -> bool:
    """Whether a file may hold Sudokus: by its name, or since what may be the first is on a line, or has bars or dots.

    Files of nonograms may look so too: whoever does not know has to ask their formats first.
    """
    if PurePath(name).suffix.lower() in SUFFIXES:
        return True
    try:
        text = decoded(data[:20_000])
    except FormatError:
        return False
    first = _first_line(text)
    if _long(first) and PLAIN.issuperset(COLUMNS.split(first.strip(), 1)[0]):
        return True  # if it is none all the same, `read` says how long it is
    for lines, _ in _runs(text, 0):
        cells = lines[0].cells
        if len(cells) not in SIZES:
            return NO_DIGIT not in map(table_of(SIDE[len(cells)], _signs(cells)).__getitem__, _signs(cells))
        drawn = any(line.bar or "." in line.cells for line in lines)
        return drawn and len(lines) >= min(len(cells), 4)
    return False


def is_on_lines(data: bytes) -> bool:
    """Whether a text has, for what its beginning tells, a puzzle of 8x8 or more on each line."""
    try:
        text = decoded(data[:20_000])
    except FormatError:
        return False
    cells = _whole(_first_line(text)) or ""
    return len(cells) >= LONG and b"\n" in data and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def read(data: bytes, before: int = 0) -> Iterator[Grids]:
    """The Sudokus of a file, those that can be read first; raises FormatError (then) for what is wrong.

    before   lines of the file that the bytes, a piece of it, come after
    """
    if len(data) >= BULK and (whole := _at_once(data)) is not None:
        yield whole
        return
    text = decoded(data)
    author = (named := AUTHOR.search(text)) and named[1].rstrip()
    wrong: list[str] = []
    waiting: list[Found] = []
    some = False
    for found in _puzzles(text, before, wrong):
        if waiting and (found.box != waiting[0].box or len(waiting) == TOGETHER):
            yield from _grids(waiting, author, wrong)
            waiting = []
        waiting.append(found)
        some = True
    if waiting:
        yield from _grids(waiting, author, wrong)
    if wrong:
        more = f" (and {len(wrong) - MOST_TOLD:,} more)" if len(wrong) > MOST_TOLD else ""
        raise FormatError("; ".join(wrong[:MOST_TOLD]) + more)
    if not some:
        raise FormatError("it holds no Sudoku: neither lines of 81 characters nor grids")


def _at_once(data: bytes) -> Grids | None:
    """All puzzles of a file of lines of one length with a usual puzzle each; None for any other file."""
    length = data.find(b"\n") + 1
    if not length or len(data) % length not in (0, length - 1):
        return None
    count = -(-len(data) // length)
    lines = np.frombuffer(data.ljust(count * length, b"\n"), np.uint8).reshape(count, length)
    first = bytes(lines[0]).decode("latin-1")
    cells = _whole(first)
    if cells is None or not (lines[:, -1] == ord("\n")).all():
        return None
    start, size = first.find(cells), SIDE[len(cells)]
    beside = [
        place for place in (start - 1, start + len(cells)) if place >= 0
    ]  # the one after is the line's end, if so
    if size > 9 or not np.isin(lines[:, beside], PARTING).all():
        return None
    givens = table_of(size, set())[lines[:, start : start + len(cells)]]
    return None if (givens == NO_DIGIT).any() else Grids(givens, *boxes_of(size))


def _first_line(text: str) -> str:
    """The first line that is neither empty nor a comment; empty if there is none."""
    return next((line for _, line in lines_of(text) if line.strip() and not line.startswith("#")), "")


def _puzzles(text: str, before: int, wrong: list[str]) -> Iterator[Found]:
    """The puzzles of a text, and what is wrong with those that can't be read."""
    for lines, frame in _runs(text, before, wrong):
        size = len(lines[0].cells)
        if size in SIDE and not (size in SIZES and _are_rows(lines)):
            box = boxes_of(SIDE[size])
            yield from (Found(line.number, line.cells, box) for line in lines)
            continue
        box = _box(size, lines[0].bar, frame)
        for first in range(0, len(lines), size):
            rows = lines[first : first + size]
            if len(rows) < size:
                wrong.append(f"line {rows[0].number}: a grid of {size}x{size} has {len(rows)} of its {size} rows")
            else:
                yield Found(rows[0].number, tuple(cell for row in rows for cell in row.cells), box)


def _are_rows(lines: list[Line]) -> bool:
    """Whether lines of 16 (or 36) cells are rows of grids rather than puzzles of 4x4 (or 6x6) each."""
    small = {*"0.*_?", *map(str, range(1, SIDE[len(lines[0].cells)] + 1))}
    return any(line.bar for line in lines) or not all(small.issuperset(line.cells) for line in lines)


def _box(size: int, bar: int, frame: int) -> tuple[int, int]:
    """The boxes of a grid: as its bars and frames say, if that can be; else the usual ones."""
    if bar and size % bar == 0 and frame in (0, size // bar):
        return bar, size // bar
    return boxes_of(size)


def _runs(text: str, before: int, wrong: list[str] | None = None) -> Iterator[tuple[list[Line], int]]:
    """Lines of equally many cells that follow each other, and how many stand before the first frame between them.

    Words so long that they must be meant as puzzles, and are none, are told as wrong.
    """
    lines: list[Line] = []
    frame = 0
    for place, line in lines_of(text):
        number = before + place
        if line.startswith("#"):
            continue
        if FRAME.fullmatch(line):
            frame = frame or len(lines)
            continue
        cells = _whole(line)
        found = Line(number, tuple(cells)) if cells else _row(number, line)
        if lines and (found is None or len(found.cells) != len(lines[0].cells)):
            yield lines, frame % len(lines)
            lines, frame = [], 0
        if found:
            lines.append(found)
        elif wrong is not None and (long := _long(line)):
            wrong.append(f"line {number}: {long:,} characters make no grid; 81 are one of 9x9")
    if lines:
        yield lines, frame % len(lines)


def _whole(line: str) -> str | None:
    """The cells of the puzzle that stands on a line: in its first column or, after a number of its own, the second."""
    first, *rest = COLUMNS.split(line.strip(), 2)
    texts = [first, *rest[:1]] if first.isdecimal() else [first]
    for text in texts:
        if len(text) in SIDE and (len(text) >= LONG or (SIGNS.fullmatch(text) and not text.isalpha())):
            return text
    return None


def _long(line: str) -> int:
    """The length of a line's first column, if that is so long that it must be meant as a puzzle; else 0."""
    length = len(COLUMNS.split(line.strip(), 1)[0])
    return length if length >= LONG else 0


def _row(number: int, line: str) -> Line | None:
    """The row of a grid that stands on a line, if one does."""
    line = line.strip().strip("|!")
    if len(line) > LONGEST_ROW:
        return None
    parts = [part.split() for part in BARS.split(line)]
    texts = [text for part in parts for text in part]
    if not texts or not all(map(SIGNS.fullmatch, texts)):
        return None
    numbers = len(texts) in SIZES and all(len(text) <= 2 for text in texts)
    cells = texts if numbers else list("".join(texts))
    if len(cells) not in SIZES or _are_words(texts, len(cells)):
        return None
    first = len(parts[0]) if numbers else sum(map(len, parts[0]))
    return Line(number, tuple(cells), first if len(parts) > 1 else 0)


def _are_words(texts: list[str], size: int) -> bool:
    """Whether what may be a row of a grid is a sentence: it has letters, and they are no digits or in unequal words."""
    if all(PLAIN.issuperset(text) for text in texts):
        return False
    return size <= 9 or "".join(texts).isalpha() or len(set(map(len, texts))) > 1


def _grids(found: list[Found], author: str | None, wrong: list[str]) -> Iterator[Grids]:
    """Puzzles of one kind, if any is left; those with a sign that is no digit are told as wrong and left out."""
    width, height = found[0].box
    size = width * height
    table = table_of(size, _signs(cell for one in found for cell in one.cells))
    rows = []
    for one in found:
        values = [_value(cell, table, size) for cell in one.cells]
        if NO_DIGIT in values:
            place = values.index(NO_DIGIT)
            where = f"row {place // size + 1}, column {place % size + 1}"
            wrong.append(f"line {one.number}: {one.cells[place]!r} in {where} is no digit of {size}x{size}")
        else:
            rows.append(values)
    if rows:
        yield Grids(np.array(rows, np.uint8), width, height, author)


def _signs(cells: Iterable[str]) -> set[int]:
    """The bytes that occur in cells."""
    return {sign for cell in cells for sign in cell.encode("latin-1", "replace")}


def _value(cell: str, table: np.ndarray, size: int) -> int:
    """The digit of a cell, 0 for an open one, NO_DIGIT for neither; numbers have up to two characters."""
    if len(cell) == 2:
        return int(cell) if cell.isdecimal() and int(cell) <= size else NO_DIGIT
    return int(table[ord(cell)]) if ord(cell) < len(table) else NO_DIGIT
