"""Sudokus as links and ids of programs that play them, one a line.

    format     a line                                       played by
    puzzlink   https://puzz.link/p?sudoku/4/4/3i4h1j21j        puzz.link, pzprxs; Penpa+ loads it too
    tatham     2x2:3c4b1d2_1d, also after the # of a link    Simon Tatham's Solo

puzzlink: width and height of the grid, whose boxes are the usual ones, then the cells row by row. A hexadecimal digit
is a given, `-` begins one of two digits, g to z are 1 to 20 open cells.
tatham: numbers of boxes across and down, then the cells: a number is a given, a to z are 1 to 26 open cells, `_` stands
between adjacent givens.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np

from scrapers.formats.game_ids import text_lines
from scrapers.formats.parsing import FormatError, clipped, read_each_line
from solver.sudoku.sudoku_limits import MAX_SIZE
from solver.sudoku.sudoku_puzzle import Sudoku, boxes_of

PUZZLINK = re.compile(r"(?:\S*[?/])?sudoku(?:_edit)?/(?:v:/)?([0-9]{1,2})/([0-9]{1,2})/(\S*)")
TATHAM = re.compile(r"(?:https?://[^\s#]*#)?([0-9]{1,2})x([0-9]{1,2}):([0-9a-z_]+)")
PUZZLINK_CELLS = re.compile(r"[0-9a-f]|-[0-9a-f]{2}|[g-z]")
TATHAM_CELLS = re.compile(r"[0-9]{1,3}(?![0-9])|[a-z]|_(?=[0-9])")


def recognizes(data: bytes) -> bool:
    """Check that the first line with text is a link or id of a Sudoku."""
    try:
        first = next((line for _, line in text_lines(data)), "")
    except FormatError:
        return False
    return bool(PUZZLINK.fullmatch(first) or TATHAM.fullmatch(first))


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
        cells, first_gap, base = PUZZLINK_CELLS, "g", 16
    elif found := TATHAM.fullmatch(line):
        high, wide = int(found[1]), int(found[2])
        _check_size(wide * high)
        cells, first_gap, base = TATHAM_CELLS, "a", 10
    else:
        raise FormatError(f"{clipped(line)} is neither a link of puzz.link nor an id of Solo")
    givens = _givens(found[3], cells, first_gap, base, (wide * high) ** 2)
    return Sudoku(np.array(givens).reshape(wide * high, wide * high), wide, high)


def _check_size(size: int) -> None:
    if not 4 <= size <= MAX_SIZE:
        raise FormatError(f"its grid is {size}x{size}; 4x4 to {MAX_SIZE}x{MAX_SIZE} are read")


def _givens(text: str, cells: re.Pattern[str], first_gap: str, base: int, count: int) -> list[int]:
    """Parse `count` cells; letters from `first_gap` are open cells, numbers are to `base`."""
    givens: list[int] = []
    end = 0
    for found in cells.finditer(text):
        if found.start() != end or len(givens) > count:
            break
        end, token = found.end(), found[0]
        if token >= first_gap:
            givens += [0] * (ord(token) - ord(first_gap) + 1)
        elif token != "_":
            givens.append(int(token.removeprefix("-"), base))
    if len(givens) > count:
        raise FormatError(f"it has more than {count} cells")
    if end < len(text):
        raise FormatError(f"{clipped(text[end:])} among its cells is neither a digit nor a gap")
    if len(givens) < count:
        raise FormatError(f"it has {len(givens)} of {count} cells")
    return givens


def puzzlink(puzzle: Sudoku) -> bytes:
    """Return a line with a link to puzz.link."""
    cells = (
        "".join(f"{given:x}" if given < 16 else f"-{given:x}" for given in group) if is_given else _gaps(group, "g", 20)
        for is_given, group in groupby(puzzle.givens.ravel().tolist(), bool)
    )
    return f"https://puzz.link/p?sudoku/{puzzle.size}/{puzzle.size}/{''.join(cells)}\n".encode()


def tatham(puzzle: Sudoku) -> bytes:
    """Return a line with a game id of Solo."""
    cells = (
        "_".join(map(str, group)) if is_given else _gaps(group, "a", 26)
        for is_given, group in groupby(puzzle.givens.ravel().tolist(), bool)
    )
    return f"{puzzle.box_height}x{puzzle.box_width}:{''.join(cells)}\n".encode()


def _gaps(cells: Iterable[int], first: str, most: int) -> str:
    """Format open cells, up to `most` a letter."""
    many, rest = divmod(len(list(cells)), most)
    return "z" * many + (chr(ord(first) + rest - 1) if rest else "")
