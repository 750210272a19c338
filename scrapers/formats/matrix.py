r"""A picture as text, one row per line: # and ., X and blanks, blocks, 0 and 1 with or without commas.

    ..#..       0,0,1,0,0       ··█··
    .###.       0,1,1,1,0       ·███·

What the commands `solve` and `picture` print is read too, several puzzles and their colours: a line with the size
ends before each picture. Blanks may separate cells, or be empty ones.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, clipped, decode_text, lines_of, read_each
from nonocensus.scrapers.formats.plain import PLAIN_FORMATS
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, from_picture

NAME = "matrix"
SUFFIXES: tuple[str, ...] = (".matrix",)
HOLDS: frozenset[str] = frozenset({"goal"})
PICTURE = True
"""A puzzle without a picture can't be written."""

PAINTED, EMPTY, EITHER, OPEN = "#█■⬛◼▓●▪1*@", " .-_·0□░⬜◻○▫", "xXoO×", "?"
"""Signs of cells. The signs EITHER are painted, unless another one is: X is painted beside O, and empty beside #."""

SIGNS = frozenset(PAINTED + EMPTY + EITHER)
INVISIBLE = {0xFE0F: None, 0x200B: None, 0xFEFF: None, 0xA0: " ", 0x3000: " "}
"""Variation selector of emoji, zero-width and wide blanks."""

SEPARATORS = ",;|\t"
FRAME = re.compile(r"[`~]{3}\w*+|[+┌└├╔╚╠┏┗┣][-=+─━═┬┴┼┐┘┤╦╩╬╗╝╣┳┻╋┓┛┫]++")
QUOTED, BARRED = re.compile(r"\s*+[\"']([^\"'\n]*+)[\"'][,;]?\s*+"), re.compile(r"\s*+[|│║┃]([^|│║┃\n]*+)[|│║┃]\s*+")
"""Lines around a picture, and a row of it between quotation marks or the sides of a frame."""

PRINTED = re.compile(r"(?<!\S)([0-9]{1,4})x([0-9]{1,4})(?: in [0-9]+ colours)?: [a-z]")
"""The size and the verdict of a puzzle, before its picture."""

LONGEST_LINE, MAX_LINES = 4 * MAX_CELLS, 4 * MAX_CELLS

Rows = Sequence[Sequence[str]]


def recognizes(data: bytes) -> bool:
    """Check for a picture of two signs, or for what `solve` prints; not for clues, which may be 0 and 1 apart."""
    try:
        text = decode_text(data[: LONGEST_LINE * MAX_CELLS]).translate(INVISIBLE)
        if any(True for _ in printed(text)):
            return True
        rows = rows_of(text)
        signs = {sign for row in rows for sign in row}
        is_painted = 1 in _entries(signs).values()
    except FormatError:
        return False
    if len({len(row) for row in rows}) > 1 or not SIGNS.issuperset(signs):
        return False
    if signs <= {"0", "1"} and len(text.split()) == len(rows) and "," not in text:
        return len(rows[0]) > 1
    if signs <= {"0", "1"}:
        return any("01" in "".join(row) for row in rows) or (len(signs) == 2 and not _is_plain(data))
    return is_painted and not (signs <= set("01#*") and _is_plain(data))


def _is_plain(data: bytes) -> bool:
    """Check whether it may be clues, with # before comments or between the sides."""
    return any(known.recognizes(data) for known in PLAIN_FORMATS)


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of a picture, or those of all pictures that `solve` printed."""
    text = decode_text(data).translate(INVISIBLE)
    if any(True for _ in printed(text)):
        return read_each(printed(text), lambda rows: puzzle_of_rows(rows, is_printed=True))
    return read_each([text], lambda text: puzzle_of_rows(rows_of(text)))


def printed(text: str) -> Iterator[list[str]]:
    """Yield the first picture without open cells after each size."""
    width = height = 0
    rows: list[str] = []
    for _, line in lines_of(text):
        if found := PRINTED.search(line[:LONGEST_LINE]):
            width, height, rows = int(found[1]), int(found[2]), []
        elif height and len(line) == width:
            rows.append(line)
            if len(rows) == height:
                if not any(OPEN in row for row in rows):
                    yield rows
                    height = 0
                rows = []
        else:
            rows = []


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of a picture's lines: separated, or side by side, where a blank may be an empty cell."""
    lines = list(islice((line for _, line in lines_of(text)), MAX_LINES + 1))
    lines = [line for line in lines if not FRAME.fullmatch(line.strip()[:LONGEST_LINE])]
    filled = [k for k, line in enumerate(lines) if line]
    lines = lines[filled[0] : filled[-1] + 1] if filled else []
    shown = [line for line in lines if line.strip()]
    if not 0 < len(shown) <= MAX_CELLS or len(lines) > MAX_LINES or max(map(len, shown)) > LONGEST_LINE:
        raise FormatError(f"a picture must have 1 to {MAX_CELLS} rows and columns")
    for inside in (QUOTED, BARRED):
        if framed := [found[1] for found in map(inside.fullmatch, shown) if found]:
            lines = shown = framed if len(framed) == len(shown) else shown
    for separator in SEPARATORS:
        if all(separator in line for line in shown):
            return _separated([line.strip("|") if separator == "|" else line for line in shown], separator)
    words = [line.split() for line in shown]
    signs = {sign for row in words for word in row for sign in word}
    if signs & set(EMPTY) or len(signs) > 1 or signs == {"1"}:
        if len(shown) < len(lines) and not signs <= {"0", "1"}:
            raise FormatError("a blank line in it: two pictures, or an empty row?")
        return [list("".join(row)) for row in words]
    if len(shown) == len(lines) and len(set(shown)) == 1 and " " not in shown[0]:
        return [list(line) for line in shown]
    if any(len(row) > 1 for row in words) and not any(line[1::2].strip() for line in lines):
        raise FormatError("its blanks could be empty cells, or separate the cells: write . for empty ones")
    if len({len(line) - len(line.lstrip()) for line in shown}) == 1 and len({line.strip() for line in shown}) == 1:
        raise FormatError("its blanks could be empty cells, or indentation: write . for empty ones")
    width = max(map(len, lines))
    return [list(line.ljust(width)) for line in lines]


def _separated(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the cells of lines with separators. One at the end of a line is dropped, unless cells may be empty."""
    rows = [[cell.strip() for cell in line.split(separator)] for line in lines]
    if all(cell for row in rows for cell in row[:-1]):
        rows = [row if row[-1] else row[:-1] for row in rows]
    return [[cell or " " for cell in row] for row in rows]


def cells_of(rows: Rows) -> np.ndarray:
    """X"""
    goal = puzzle_of_rows(rows).goal
    assert goal is not None
    return goal


def puzzle_of_rows(rows: Rows, is_printed: bool = False) -> Puzzle:
    """Return the puzzle of rows of signs. Raises FormatError."""
    if not 0 < len(rows) <= MAX_CELLS or not 0 < len(rows[0]) <= MAX_CELLS:
        raise FormatError(f"a picture must have 1 to {MAX_CELLS} rows and columns")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise FormatError(f"row {number} has {len(row)} cells, the first one {len(rows[0])}")
        if not is_printed and not SIGNS.issuperset(row):
            other = next(sign for sign in row if sign not in SIGNS)
            raise FormatError(f"row {number}: {clipped(other)} is no sign of a cell, as # and . are")
    entries = _entries({sign for row in rows for sign in row}, is_printed)
    cells = np.array([[entries[sign] for sign in row] for row in rows], np.uint8)
    if max(entries.values()) < 2:
        return from_picture(cells)
    return from_picture(cells, palette_of([ColorSpec(symbol=sign) for sign, entry in entries.items() if entry]))


def _entries(signs: set[str], is_printed: bool = False) -> dict[str, int]:
    """Return the palette entry of each sign; only printed pictures have several colours. Raises FormatError."""
    empty = sorted(signs & set(EMPTY))
    marks = sorted(signs - set(empty))
    if not empty and len(marks) == 2 and not is_printed:
        empty = ([sign for sign in marks if sign in "oO"] or [sign for sign in marks if sign in EITHER])[:1]
        marks = [sign for sign in marks if sign not in empty]
    for several, meaning in ((empty, "empty"), (marks if not is_printed else [], "painted")):
        if len(several) > 1:
            first, second = map(clipped, several[:2])
            raise FormatError(f"{first} and {second} could both be {meaning} cells: write # and .")
    return dict.fromkeys(empty, 0) | {sign: entry for entry, sign in enumerate(marks, 1)}


def write(puzzle: Puzzle) -> bytes:
    """Return a file with the puzzle's picture."""
    assert puzzle.goal is not None
    return b"".join(row.tobytes() + b"\n" for row in puzzle.goal.astype(np.uint8) + ord("0"))
