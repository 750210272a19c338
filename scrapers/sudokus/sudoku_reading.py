"""Parser of Sudokus in text files.

Two forms, also mixed in a file and with any text between the puzzles:

lines   81 characters (or 16, 36, 256, 625, ...) in the first or second column of a line, as in most archives; what
        follows (a solution, a rating, a comment) is ignored
grids   as many lines as a unit has cells, with or without frames of | - + and blanks, adjacent digits or numbers
        separated by blanks: .sdk, .ss, and pasted text

0 . * _ ? are open cells. Lines that begin with # are comments; #A names the author, as in .sdk. Large files with lines
of one length are parsed vectorized.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.parsing import MAX_REPORTED, FormatError, decode_text, lines_of
from nonocensus.solver.sudoku.sudoku_limits import MAX_SIZE
from nonocensus.solver.sudoku.sudoku_puzzle import boxes_of

OPEN = "0.*_?"
"""Characters of an open cell."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "123456789" + LETTERS

NO_DIGIT = 255

SIZES = tuple(size for size in range(4, MAX_SIZE + 1) if boxes_of(size)[1] > 1)
"""Sizes that have boxes: 4, 6, 8, 9, 10, 12, ..., but no primes."""

SIDE = {size * size: size for size in SIZES}
"""Size of a grid by its number of cells."""

SUFFIXES = (".sdk", ".sdm", ".ss", ".sudoku")
"""Suffixes of files that hold only Sudokus."""

BULK_BYTES = 1 << 16
"""Size in bytes from which a file with lines of one length is parsed vectorized."""

PUZZLES_PER_YIELD = 4096
"""Maximum number of puzzles per batch, for files that are not parsed vectorized."""

MIN_PUZZLE_LENGTH = 64
"""Minimum number of characters of a word that is parsed as a puzzle whatever its characters."""

MAX_ROW_LENGTH = 1_000
"""Maximum characters of a grid row (36x36: about 110), since lists of words take several times the text's memory."""

AUTHOR = re.compile(r"^#A[ \t]*(\S[^\r\n]*)", re.MULTILINE)
SEPARATORS = np.frombuffer(b" \t,;\r\n", np.uint8)
PLAIN = frozenset("0123456789.*_?")
COLUMNS = re.compile(r"[\s,;]+")
FRAME = re.compile(r"[\s:!]*[|+=-][\s|+=:!-]*")
BARS = re.compile(r"[|!]")
SIGNS = re.compile(r"[0-9A-Za-z.*_?]+")


class SudokuGrids(NamedTuple):
    """Consecutive Sudokus of one size in a file.

    givens                  uint8[puzzles, size x size], 0 for an open cell
    box_width, box_height   cells of a box
    author                  as given in the file
    """

    givens: np.ndarray
    box_width: int
    box_height: int
    author: str | None = None


class SudokuLine(NamedTuple):
    """A line with a puzzle or with a row of one.

    number   line number in the file, from 1
    cells    text of each cell
    bar      number of cells before the first bar; 0 without one
    """

    number: int
    cells: tuple[str, ...]
    bar: int = 0


class SudokuText(NamedTuple):
    """A puzzle of a file: its first line, the text of its cells row by row, the size of its boxes."""

    number: int
    cells: tuple[str, ...]
    box: tuple[int, int]


def recognizes(name: str, data: bytes) -> bool:
    """Check whether a file may hold Sudokus: by its suffix, a puzzle on the first line, or a grid with bars or dots.

    Nonogram files may match too, so callers check their formats first.
    """
    if PurePath(name).suffix.lower() in SUFFIXES:
        return True
    try:
        text = decode_text(data[:20_000])
    except FormatError:
        return False
    first = _first_line(text)
    if _puzzle_length(first) and PLAIN.issuperset(COLUMNS.split(first.strip(), 1)[0]):
        return True  # `read` reports an invalid length
    for lines, _ in _runs(text, 0):
        cells = lines[0].cells
        if len(cells) not in SIZES:
            return NO_DIGIT not in map(table_of(SIDE[len(cells)], _signs(cells)).__getitem__, _signs(cells))
        drawn = any(line.bar or "." in line.cells for line in lines)
        return drawn and len(lines) >= min(len(cells), 4)
    return False


def is_on_lines(data: bytes) -> bool:
    """Check by its start whether a text has a puzzle of 8x8 or more per line."""
    try:
        text = decode_text(data[:20_000])
    except FormatError:
        return False
    cells = _puzzle_on(_first_line(text)) or ""
    return len(cells) >= MIN_PUZZLE_LENGTH and b"\n" in data and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def read(data: bytes, before: int = 0) -> Iterator[SudokuGrids]:
    """Yield the readable Sudokus of a file, or a chunk after `before` lines, then raise FormatError for the others."""
    if len(data) >= BULK_BYTES and (whole := _read_vectorized(data)) is not None:
        yield whole
        return
    text = decode_text(data)
    author = (named := AUTHOR.search(text)) and named[1].rstrip()
    errors: list[str] = []
    gathered: list[SudokuText] = []
    is_empty = True
    for found in _puzzles(text, before, errors):
        if gathered and (found.box != gathered[0].box or len(gathered) == PUZZLES_PER_YIELD):
            yield from _grids(gathered, author, errors)
            gathered = []
        gathered.append(found)
        is_empty = False
    if gathered:
        yield from _grids(gathered, author, errors)
    if errors:
        more = f" (and {len(errors) - MAX_REPORTED:,} more)" if len(errors) > MAX_REPORTED else ""
        raise FormatError("; ".join(errors[:MAX_REPORTED]) + more)
    if is_empty:
        raise FormatError("no Sudokus found: neither lines of 81 characters nor grids")


def _read_vectorized(data: bytes) -> SudokuGrids | None:
    """Return all puzzles of a file if its lines have one length and one puzzle of up to 9x9 each, else None."""
    length = data.find(b"\n") + 1
    if not length or len(data) % length not in (0, length - 1):
        return None
    count = -(-len(data) // length)
    lines = np.frombuffer(data.ljust(count * length, b"\n"), np.uint8).reshape(count, length)
    first = bytes(lines[0]).decode("latin-1")
    cells = _puzzle_on(first)
    if cells is None or not (lines[:, -1] == ord("\n")).all():
        return None
    start, size = first.find(cells), SIDE[len(cells)]
    around = [place for place in (start - 1, start + len(cells)) if place >= 0]
    if size > 9 or not np.isin(lines[:, around], SEPARATORS).all():
        return None
    givens = table_of(size, set())[lines[:, start : start + len(cells)]]
    return None if (givens == NO_DIGIT).any() else SudokuGrids(givens, *boxes_of(size))


def _first_line(text: str) -> str:
    """Return the first line that is neither blank nor a comment, or an empty string."""
    return next((line for _, line in lines_of(text) if line.strip() and not line.startswith("#")), "")


def _puzzles(text: str, before: int, errors: list[str]) -> Iterator[SudokuText]:
    """Yield the puzzles of a text; append the errors of incomplete ones to `errors`."""
    for lines, frame in _runs(text, before, errors):
        size = len(lines[0].cells)
        if size in SIDE and not (size in SIZES and _are_rows(lines)):
            box = boxes_of(SIDE[size])
            yield from (SudokuText(line.number, line.cells, box) for line in lines)
            continue
        box = _box(size, lines[0].bar, frame)
        for first in range(0, len(lines), size):
            rows = lines[first : first + size]
            if len(rows) < size:
                errors.append(f"line {rows[0].number}: a grid of {size}x{size} has only {len(rows)} of {size} rows")
            else:
                yield SudokuText(rows[0].number, tuple(cell for row in rows for cell in row.cells), box)


def _are_rows(lines: list[SudokuLine]) -> bool:
    """Check whether lines of 16 (or 36) cells are rows of grids, not puzzles of 4x4 (or 6x6)."""
    small = {*"0.*_?", *map(str, range(1, SIDE[len(lines[0].cells)] + 1))}
    return any(line.bar for line in lines) or not all(small.issuperset(line.cells) for line in lines)


def _box(size: int, bar: int, frame: int) -> tuple[int, int]:
    """Return the box size of a grid: by its bars and frames if these are consistent, else the usual one."""
    if bar and size % bar == 0 and frame in (0, size // bar):
        return bar, size // bar
    return boxes_of(size)


def _runs(text: str, before: int, errors: list[str] | None = None) -> Iterator[tuple[list[SudokuLine], int]]:
    """Yield runs of lines with equally many cells, each with the number of lines before its first frame line.

    Words as long as a puzzle but of no valid length are appended to `errors`.
    """
    lines: list[SudokuLine] = []
    frame = 0
    for place, line in lines_of(text):
        number = before + place
        if line.startswith("#"):
            continue
        if FRAME.fullmatch(line):
            frame = frame or len(lines)
            continue
        cells = _puzzle_on(line)
        found = SudokuLine(number, tuple(cells)) if cells else _row(number, line)
        if lines and (found is None or len(found.cells) != len(lines[0].cells)):
            yield lines, frame % len(lines)
            lines, frame = [], 0
        if found:
            lines.append(found)
        elif errors is not None and (long := _puzzle_length(line)):
            errors.append(f"line {number}: {long:,} characters are not a grid; one of 9x9 has 81")
    if lines:
        yield lines, frame % len(lines)


def _puzzle_on(line: str) -> str | None:
    """Return the cells of the puzzle on a line: the first column or, after a number, the second; None without one."""
    first, *rest = COLUMNS.split(line.strip(), 2)
    texts = [first, *rest[:1]] if first.isdecimal() else [first]
    for text in texts:
        if len(text) in SIDE and (len(text) >= MIN_PUZZLE_LENGTH or (SIGNS.fullmatch(text) and not text.isalpha())):
            return text
    return None


def _puzzle_length(line: str) -> int:
    """Return the length of a line's first column if it is at least MIN_PUZZLE_LENGTH, else 0."""
    length = len(COLUMNS.split(line.strip(), 1)[0])
    return length if length >= MIN_PUZZLE_LENGTH else 0


def _row(number: int, line: str) -> SudokuLine | None:
    """Parse a line as a row of a grid; return None for other text."""
    line = line.strip().strip("|!")
    if len(line) > MAX_ROW_LENGTH:
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
    return SudokuLine(number, tuple(cells), first if len(parts) > 1 else 0)


def _are_words(texts: list[str], size: int) -> bool:
    """Check whether a candidate row is prose: letters in up to 9x9, letters only, or words of unequal length."""
    if all(PLAIN.issuperset(text) for text in texts):
        return False
    return size <= 9 or "".join(texts).isalpha() or len(set(map(len, texts))) > 1


def _grids(found: list[SudokuText], author: str | None, errors: list[str]) -> Iterator[SudokuGrids]:
    """Yield the valid puzzles as one batch; append the errors of those with invalid characters to `errors`."""
    width, height = found[0].box
    size = width * height
    table = table_of(size, _signs(cell for one in found for cell in one.cells))
    rows = []
    for one in found:
        values = [_value(cell, table, size) for cell in one.cells]
        if NO_DIGIT in values:
            place = values.index(NO_DIGIT)
            where = f"row {place // size + 1}, column {place % size + 1}"
            errors.append(f"line {one.number}: {one.cells[place]!r} in {where} is not a digit of {size}x{size}")
        else:
            rows.append(values)
    if rows:
        yield SudokuGrids(np.array(rows, np.uint8), width, height, author)


def _signs(cells: Iterable[str]) -> set[int]:
    """Return the distinct bytes of the cells."""
    return {sign for cell in cells for sign in cell.encode("latin-1", "replace")}


def _value(cell: str, table: np.ndarray, size: int) -> int:
    """Return the digit of a cell, 0 for an open one, NO_DIGIT for invalid text."""
    if len(cell) == 2:
        return int(cell) if cell.isdecimal() and int(cell) <= size else NO_DIGIT
    return int(table[ord(cell)]) if ord(cell) < len(table) else NO_DIGIT


def table_of(size: int, signs: set[int]) -> np.ndarray:
    """Return the value of each byte in grids of a size, uint8[256]: 0 for an open cell, 1 to size, or NO_DIGIT.

    `signs` are the bytes that occur. Letters follow the digits (A is 10), or start at A = 1 in grids above 9x9 without
    digits. In 16x16 with 0, another character of open cells, and no G, digits are 0 to F.
    """
    there = {chr(sign).upper() for sign in signs}
    digits = DIGITS
    if size > 9 and not there & set("123456789"):
        digits = LETTERS
    elif size == 16 and "0" in there and there & set(".*_?") and "G" not in there:
        digits = "0" + DIGITS
    table = np.full(256, NO_DIGIT, np.uint8)
    for sign in OPEN:
        table[ord(sign)] = 0
    for value, sign in enumerate(digits[:size], 1):
        table[ord(sign)] = table[ord(sign.lower())] = value
    return table
