"""Recognition of Sudokus, which are refused with a line that names the command for them."""

from pathlib import PurePath

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, decode_text, lines_of

SUFFIXES = (".sdk", ".sdm", ".ss", ".sudoku")
"""Suffixes of files that hold only Sudokus."""

START = 20_000
"""Bytes of a file that are looked at."""


def is_sudoku(name: str, data: bytes) -> bool:
    """Check whether a file that no format of nonograms recognizes holds Sudokus: by its suffix or its first puzzle.

    A grid with few digits may be a picture; one of an unusual size counts only if it is on one line or has bars.
    """
    if PurePath(name).suffix.lower() in SUFFIXES:
        return True
    start = data if len(data) <= START else data[:START].rpartition(b"\n")[0]
    try:
        text = decode_text(start)
    except FormatError:
        return False
    from nonocensus.solver.exact_cover.sudoku import SudokuPuzzle, read_sudokus  # imports Numba, which takes a second

    puzzle = next(read_sudokus(text), None)
    if not isinstance(puzzle, SudokuPuzzle):
        return False
    size = len(puzzle.cells)
    line = next(line for number, line in lines_of(text) if number == puzzle.line)
    digits = len(np.unique(puzzle.cells[puzzle.cells > 0]))
    if len(line) >= size * size:
        return size >= 9 or digits > 1
    return digits > 2 and (size in (9, 16, 25) or "|" in line)


def refusal(name: str) -> str:
    """Return the error for a file of Sudokus."""
    return f"a Sudoku, not a nonogram; solve it with: nonocensus sudoku {name or 'FILE'}"
