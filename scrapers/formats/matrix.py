r"""A picture as text, one row per line: # and ., X and blanks, blocks, 0 and 1 with or without commas.

    ..#..       0,0,1,0,0       ··█··
    .###.       0,1,1,1,0       ·███·

Lines without frames and quotation marks are split at a separator that all have, or else into signs; blanks separate
cells, or are empty ones. One sign is painted and one empty. What the commands `solve` and `picture` print is read too,
several puzzles and their colours: a line with the size ends before each picture.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, clip, decode_text, lines_of, read_each
from nonocensus.scrapers.formats.plain import PLAIN_FORMATS
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, from_picture

NAME = "matrix"
SUFFIXES: tuple[str, ...] = (".matrix",)
HOLDS: frozenset[str] = frozenset({"goal"})
PICTURE = True
"""A puzzle without a picture can't be written."""

PAINTED, EMPTY, EITHER = "#*@█■⬛◼◾▪▮▓●⚫🟥🟧🟨🟩🟦🟪🟫1", " .-_·0□░⬜◻◽▫▯○⚪×", "xXoO"
"""Signs of cells. X and O are painted unless another sign is: of X and O that is X, of X and # it is #."""

SIGNS = frozenset(PAINTED + EMPTY + EITHER)
INVISIBLE = dict.fromkeys(map(ord, "\ufe0f\u200b\u200d\ufeff\u20e3")) | dict.fromkeys(map(ord, "\xa0\u3000"), " ")
"""What selectors and joiners of emoji and blanks of other widths become."""

SEPARATORS = ",;|\t"
FRAME = re.compile(r"[`~]{3}\w*+|[+┌└├╔╚╠┏┗┣][-=+─━═┬┴┼┐┘┤╦╩╬╗╝╣┳┻╋┓┛┫]++")
FRAMED = re.compile(r"""\s*+(["'|│║┃])((?:(?!\1).)*+)\1[,;]?\s*+""")
"""A line of a frame, or one around the picture; a row between quotation marks or the sides of a frame."""

PRINTED = re.compile(r"(?<!\S)([0-9]{1,4})x([0-9]{1,4})(?: in [0-9]+ colours)?: [a-z]")
"""The size and the verdict of a puzzle, before its picture."""

LONGEST_LINE, MAX_LINES = 4 * MAX_CELLS, 4 * MAX_CELLS

Rows = Sequence[Sequence[str]]


def recognizes(data: bytes) -> bool:
    """Check for a picture of two signs, or for what `solve` prints; not for clues, which may be 0 and 1 apart."""
    try:
        text = decode_text(data[: LONGEST_LINE * MAX_CELLS]).translate(INVISIBLE)
        if any(printed_pictures(text)):
            return True
        rows = rows_of(text)
        cells_of(rows)
    except FormatError:
        return False
    signs, is_plain = {sign for row in rows for sign in row}, any(known.recognizes(data) for known in PLAIN_FORMATS)
    if signs <= {"0", "1"} and len(text.split()) == len(rows):
        return len(rows[0]) > 1
    if signs <= {"0", "1"}:
        return any("01" in "".join(row) for row in rows) or (len(signs) == 2 and not is_plain)
    return not signs <= set(EMPTY) and not (signs <= set("01#*") and is_plain)


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of a picture, or those of all pictures that `solve` printed."""
    text = decode_text(data).translate(INVISIBLE)
    if any(printed_pictures(text)):
        return read_each(printed_pictures(text), _printed_puzzle)
    return read_each([text], lambda text: from_picture(cells_of(rows_of(text))))


def printed_pictures(text: str) -> Iterator[list[str]]:
    """Yield the first picture without open cells (?) after each size."""
    width = height = 0
    rows: list[str] = []
    for _, line in lines_of(text):
        if found := PRINTED.search(line[:LONGEST_LINE]):
            width, height, rows = int(found[1]), int(found[2]), []
            continue
        rows = [*rows, line] if len(line) == width else []
        if rows and len(rows) == height:
            if not any("?" in row for row in rows):
                yield rows
                width = height = 0
            rows = []


def _printed_puzzle(rows: Rows) -> Puzzle:
    """Return the puzzle of a printed picture, which has a sign for each colour."""
    signs = sorted({sign for row in rows for sign in row}, key=lambda sign: (sign not in EMPTY, sign))
    signs = signs if signs[0] in EMPTY else ["", *signs]
    cells = np.array([[signs.index(sign) for sign in row] for row in rows], np.uint8)
    return from_picture(cells, palette_of([ColorSpec(symbol=sign) for sign in signs[1:]] if len(signs) > 2 else []))


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of a picture's lines. Raises FormatError if blanks could be cells or not."""
    lines = [line for _, line in islice(lines_of(text), MAX_LINES + 1)]
    lines = (
        "\n".join(line for line in lines if not FRAME.fullmatch(line.strip()[:LONGEST_LINE])).strip("\n").split("\n")
    )
    shown = [line for line in lines if line.strip()]
    if not 0 < len(shown) <= MAX_CELLS or len(lines) > MAX_LINES or max(map(len, shown)) > LONGEST_LINE:
        raise FormatError(f"a picture must have 1 to {MAX_CELLS} rows and columns")
    framed = [found[2] for found in map(FRAMED.fullmatch, shown) if found]
    if len(framed) == len(shown):
        lines = shown = framed
    for separator in SEPARATORS:
        if all(separator in line for line in shown):
            rows = [[cell.strip() for cell in line.strip("|").split(separator)] for line in shown]
            if all(cell for row in rows for cell in row[:-1]):
                rows = [row if row[-1] else row[:-1] for row in rows]  # without the separator at the end
            return [[cell or " " for cell in row] for row in rows]
    words = [line.split() for line in shown]
    signs = {sign for row in words for word in row for sign in word}
    if signs & set(EMPTY) or len(signs) > 1 or signs == {"1"}:
        if len(shown) < len(lines) and not signs <= {"0", "1"}:
            raise FormatError("a blank line in it: two pictures, or an empty row?")
        return [list("".join(row)) for row in words]
    if any(len(row) > 1 for row in words) and not any(line[1::2].strip() for line in lines):
        raise FormatError("its blanks could be empty cells, or separate the cells: write . for empty ones")
    if {line.strip() for line in lines} == {shown[0].strip()} and shown[0][:1] == " ":
        raise FormatError("its blanks could be empty cells, or indentation: write . for empty ones")
    return [list(line.ljust(max(map(len, lines)))) for line in lines]


def cells_of(rows: Rows) -> np.ndarray:
    """Return the cells of rows of signs, uint8[height, width]: 1 if painted, else 0. Raises FormatError."""
    if not 0 < len(rows) <= MAX_CELLS or not 0 < len(rows[0]) <= MAX_CELLS:
        raise FormatError(f"a picture must have 1 to {MAX_CELLS} rows and columns")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise FormatError(f"row {number} has {len(row)} cells, the first one {len(rows[0])}")
        if not SIGNS.issuperset(row):
            other = next(sign for sign in row if sign not in SIGNS)
            raise FormatError(f"row {number}: {clip(other)} is not a cell, as # and . are")
    signs = {sign for row in rows for sign in row}
    empty = sorted(signs & set(EMPTY))
    marks = sorted(signs - set(empty))
    if not empty and len(marks) == 2:
        empty = ([sign for sign in marks if sign in "oO"] or [sign for sign in marks if sign in EITHER])[:1]
        marks = [sign for sign in marks if sign not in empty]
    for several, meaning in ((empty, "empty"), (marks, "painted")):
        if len(several) > 1:
            first, second = map(clip, several[:2])
            raise FormatError(f"{first} and {second} could both be {meaning} cells: write # and .")
    return np.array([[sign in marks for sign in row] for row in rows], np.uint8)


def write(puzzle: Puzzle) -> bytes:
    """Return a file with the puzzle's picture."""
    assert puzzle.goal is not None
    return b"".join(row.tobytes() + b"\n" for row in puzzle.goal.astype(np.uint8) + ord("0"))
