"""A picture as a matrix of 0 and 1, one row per line."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, decode_text, lines_of, read_each
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, from_picture

NAME = "matrix"
SUFFIXES: tuple[str, ...] = (".matrix",)
HOLDS: frozenset[str] = frozenset({"goal"})
PICTURE = True
"""A puzzle without a picture can't be written."""

BLANKS_AND_DIGITS = b"01 \t\r\n"


def recognizes(data: bytes) -> bool:
    """Check for lines of 0 and 1 of equal length, without blanks, which might be clues."""
    rows = data.split()
    return not data.translate(None, BLANKS_AND_DIGITS) and len(set(map(len, rows))) == 1 and len(rows[0]) > 1


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of the picture."""
    return read_each([decode_text(data)], _puzzle)


def _puzzle(text: str) -> Puzzle:
    filled = (line for _, line in lines_of(text) if line.strip())
    lines = ["".join(line.split(maxsplit=MAX_CELLS)) for line in islice(filled, MAX_CELLS + 1)]
    if not 0 < len(lines) <= MAX_CELLS or len(lines[0]) > MAX_CELLS:
        raise FormatError(f"a picture must have 1 to {MAX_CELLS} rows and columns")
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise FormatError(f"row {number} has {len(line)} cells, the first one {len(lines[0])}")
        if line.strip("01"):
            raise FormatError(f"row {number} has other characters than 0 and 1")
    cells = np.frombuffer("".join(lines).encode(), np.uint8) - ord("0")
    return from_picture(cells.reshape(len(lines), -1))


def write(puzzle: Puzzle) -> bytes:
    """Return a file with the puzzle's picture."""
    assert puzzle.goal is not None
    return b"".join(row.tobytes() + b"\n" for row in puzzle.goal.astype(np.uint8) + ord("0"))
