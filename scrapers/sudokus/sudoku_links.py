"""Sudokus as links and ids of programs that play them, one a line.

    format     a line                                       played by
    puzzlink   https://puzz.link/p?sudoku/4/4/3i4h1j21j        puzz.link, pzprxs; Penpa+ loads it too
    tatham     2x2:3c4b1d2_1d, also after the # of a link    Simon Tatham's Solo
    fpuzzles, sudokupad                                       scrapers/sudokus/fpuzzles.py

puzzlink: width and height of the grid, whose boxes are the usual ones, then the cells row by row. A hexadecimal digit
is a given, `-` begins one of two digits, g to z are 1 to 20 open cells.
tatham: numbers of boxes across and down, then the cells: a number is a given, a to z are 1 to 26 open cells, `_` stands
between adjacent givens.
"""

import re
from collections.abc import Iterator
from itertools import groupby

import numpy as np

from nonocensus.scrapers.formats.game_ids import gaps, numbers_of, puzzlink_numbers, puzzlink_text, text_lines
from nonocensus.scrapers.formats.parsing import FormatError, clipped, read_each_line
from nonocensus.scrapers.sudokus.fpuzzles import LINK, sudoku_of
from nonocensus.solver.sudoku.sudoku_limits import MAX_SIZE
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of

PUZZLINK = re.compile(r"(?:\S*[?/])?sudoku(?:_edit)?/(?:v:/)?([0-9]{1,2})/([0-9]{1,2})/(\S*)")
TATHAM = re.compile(r"(?:https?://[^\s#]*#)?([0-9]{1,2})x([0-9]{1,2}):([0-9a-z_]+)")
TATHAM_CELLS = re.compile(r"[1-9][0-9]{0,2}(?![0-9])|[a-z]|_(?=[0-9])")


def recognizes(data: bytes) -> bool:
    """Check that the first line with text is a link or id of a Sudoku."""
    try:
        first = next((line for _, line in text_lines(data)), "")
    except FormatError:
        return False
    return any(pattern.fullmatch(first) for pattern in (PUZZLINK, TATHAM, LINK))


def read(data: bytes) -> Iterator[Sudoku]:
    """Yield the readable Sudokus of a file, then raise FormatError for the others."""
    return read_each_line(text_lines(data), _sudoku)


def _sudoku(line: str) -> Sudoku:
    if found := PUZZLINK.fullmatch(line):
        width, height = int(found[1]), int(found[2])
        if width != height:
            raise FormatError(f"its grid is {width}x{height}, not a square")
        _check_size(width)
        wide, high = boxes_of(width)
        givens = puzzlink_numbers(found[3], width * width)
    elif found := TATHAM.fullmatch(line):
        high, wide = int(found[1]), int(found[2])
        _check_size(wide * high)
        givens = numbers_of(found[3], TATHAM_CELLS, "a", 10, (wide * high) ** 2)
    elif found := LINK.fullmatch(line):
        return sudoku_of(*found.groups())
    else:
        raise FormatError(f"{clipped(line)} is no link of puzz.link, f-puzzles or SudokuPad, nor an id of Solo")
    size = wide * high
    if len(givens) < size * size:
        raise FormatError(f"it has {len(givens)} of {size * size} cells")
    return Sudoku(np.array(givens).reshape(size, size), wide, high)


def _check_size(size: int) -> None:
    if not 4 <= size <= MAX_SIZE:
        raise FormatError(f"its grid is {size}x{size}; 4x4 to {MAX_SIZE}x{MAX_SIZE} are read")


def puzzlink(puzzle: Sudoku) -> bytes:
    """Return a line with a link to puzz.link."""
    cells = puzzlink_text(puzzle.givens.ravel().tolist())
    return f"https://puzz.link/p?sudoku/{puzzle.size}/{puzzle.size}/{cells}\n".encode()


def tatham(puzzle: Sudoku) -> bytes:
    """Return a line with a game id of Solo."""
    cells = (
        "_".join(map(str, group)) if is_given else gaps(len(list(group)), "a", 26)
        for is_given, group in groupby(puzzle.givens.ravel().tolist(), bool)
    )
    return f"{puzzle.box_height}x{puzzle.box_width}:{''.join(cells)}\n".encode()
