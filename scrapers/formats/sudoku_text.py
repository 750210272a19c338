"""Recognition of Sudokus, which are refused with a line that names the command for them."""

import re
from pathlib import PurePath

from nonocensus.scrapers.formats.parsing import FormatError, decode_text

SUFFIXES = (".sdk", ".sdm", ".ss", ".sudoku")
"""Suffixes of files that hold only Sudokus."""

CELLS = r"(?:[0-9.*_?-]{81}|[0-9A-Ga-g.*_?-]{256}|[0-9A-Ya-y.*_?-]{625})"
LINE = re.compile(rf"(?m)^\s*(?:\d+[\s,;]+)?{CELLS}(?=[\s,;]|\Z)")
"""All cells of a grid in the first column of a line, or after a number."""

SMALL_LINES = re.compile(r"(?:(?:[0-4.*_?-]{16}|[0-6.*_?-]{36})\s*(?:\n|\Z))+")
"""Lines with all cells of a 4x4 or 6x6."""

BLANK_CELLS = re.compile(r"(?:[1-9 ]{1,9}\r?\n){8}[1-9 ]{1,9}\s*")
"""Nine lines of nine, with blanks for open cells."""

START = 20_000
"""Bytes of a file that are looked at."""

FRAME = re.compile(r"[\s:!]*[|+=-][\s|+=:!-]*")
OPEN = frozenset("0.*_?-")
SIGNS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXY"


def is_sudoku(name: str, data: bytes) -> bool:
    """Check whether a file that no format of nonograms recognizes holds Sudokus: by its suffix, or by its start."""
    if PurePath(name).suffix.lower() in SUFFIXES:
        return True
    start = data if len(data) <= START else data[:START].rpartition(b"\n")[0]
    try:
        text = decode_text(start)
    except FormatError:
        return False
    if LINE.search(text) or SMALL_LINES.fullmatch(text) or (" " * 3 in text and BLANK_CELLS.fullmatch(text)):
        return True
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows = [re.sub(r"[|!]", " ", line).split() for line in lines if not FRAME.fullmatch(line)]
    return _is_grid(rows, is_drawn=len(rows) < len(lines) or "|" in text)


def _is_grid(rows: list[list[str]], is_drawn: bool) -> bool:
    """Check for rows of a grid, in words of a cell or several. A picture has two signs, a Sudoku more."""
    has_cells = all(len(word) <= 2 for row in rows for word in row)
    cells = [row if has_cells and len(row) > 3 else [*"".join(row).upper()] for row in rows]
    sizes = {len(row) for row in cells}
    if len(sizes) != 1 or not sizes <= ({4, 6, 9, 16, 25} if is_drawn else {9, 16, 25}):
        return False
    (size,) = sizes
    signs = {sign for row in cells for sign in row}
    known = OPEN | {*SIGNS[: 34 if size == 25 else size], *map(str, range(1, size + 1))}
    return len(rows) >= size and signs <= known and len(signs - OPEN) > 2


def refusal(name: str) -> str:
    """Return the error for a file of Sudokus."""
    return f"a Sudoku, not a nonogram; solve it with: nonocensus sudoku {name or 'FILE'}"
