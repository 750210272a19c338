"""Sudoku as an example of exact cover: reading puzzles, their problems, checking and drawing solutions.

A text holds any number of puzzles, with other text between them:

lines   81 characters (or 16, 36, 144, 256, 625, ...) as the first word of a line or, after a number, as the second; the
        rest of the line is ignored
grids   a line per row: adjacent cells, cells separated by blanks (numbers too), or blanks as open cells; a frame of
        | - + = defines the boxes, without one they are as square as possible, and wider than high

0 . * _ ? are open cells. Letters follow the digits (A is 10); above 9x9 they begin with A = 1 if no digit occurs, and
16x16 may be written by 0 to F if another character marks open cells. Lines that begin with # are comments.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import isqrt
from typing import NamedTuple

import numpy as np

from nonocensus.solver.exact_cover.problem import Cover
from nonocensus.solver.exact_cover.solve import Covers, Layout, solve

OPEN = "0.*_?"
"""Characters of an open cell."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "123456789" + LETTERS

MAX_SIZE = 64
"""Cells of a row; 8x8 boxes."""

FRAME = re.compile(r"[\s:!]*[|+=-][\s|+=:!-]*")
BARS = re.compile(r"[|!]")
CELLS = re.compile(r"[0-9A-Za-z.*_?]+")
WORDS = re.compile(r"[\s,;]+")

ROW = re.compile(r"[\s0-9A-Za-z.*_?|!]+")

Line = tuple[int, str]
"""Number and text of a line."""


class SudokuPuzzle(NamedTuple):
    """A puzzle of a text.

    line                    number of its first line, from 1
    cells                   int64[size, size]: digits from 1, 0 for open cells
    box_width, box_height   cells of a box; their product is the size
    """

    line: int
    cells: np.ndarray
    box_width: int
    box_height: int


class UnreadableSudoku(NamedTuple):
    """A puzzle of a text that can't be read: its line and the reason."""

    line: int
    reason: str


Found = tuple[SudokuPuzzle | UnreadableSudoku | None, int]
"""What was read, and its number of lines."""


def box_of(size: int) -> tuple[int, int]:
    """Return width and height of the most square boxes, wider than high; the height is 1 for primes."""
    height = next(each for each in range(isqrt(size), 0, -1) if size % each == 0)
    return size // height, height


SIZES = tuple(size for size in range(4, MAX_SIZE + 1) if box_of(size)[1] > 1)
SIDE = {size * size: size for size in SIZES}
"""Size of a grid by its number of cells."""

MIN_LONG = 64
"""Characters from which a word is taken for a puzzle whatever they are."""


def read_sudokus(text: str) -> Iterator[SudokuPuzzle | UnreadableSudoku]:
    """Yield the puzzles of a text in order."""
    numbered = enumerate(re.split(r"\r\n?|\n", text), 1)
    lines = [(number, line) for number, line in numbered if not line.startswith("#")]
    at = 0
    while at < len(lines):
        ahead = lines[at : at + 2 * MAX_SIZE]
        found, count = _full_grid(ahead) or _one_line(ahead) or _blank_grid(ahead) or _failed(ahead)
        if found:
            yield found
        at += count


def _one_line(lines: Sequence[Line]) -> Found | None:
    """Read a puzzle on the first line."""
    number, line = lines[0]
    words = WORDS.split(line.strip(), 2)
    for word in words[: 1 + words[0].isdecimal()]:
        if len(word) in SIDE and not FRAME.fullmatch(line):
            puzzle = _puzzle(number, list(word), *box_of(SIDE[len(word)]))
            if len(word) >= MIN_LONG or isinstance(puzzle, SudokuPuzzle):
                return puzzle, 1
    return None


def _full_grid(lines: Sequence[Line]) -> Found | None:
    """Read a grid without blank cells; None if rows are missing, or its lines are puzzles of their own."""
    rows, count, box = _rows(lines, _full_row)
    size = len(rows[0]) if rows else 0
    if not rows or len(rows) < size:
        return None
    cells = [cell for row in rows for cell in row]
    small = {*OPEN, *DIGITS[: SIDE.get(size, 0)]}
    if size in SIDE and small.issuperset(cells) and not BARS.search(lines[0][1]):
        return None
    return _puzzle(lines[0][0], cells, *box), count


def _blank_grid(lines: Sequence[Line]) -> Found | None:
    """Read a grid whose open cells are blanks: as wide as its rows, with cells in front or two in a row."""
    if not ROW.fullmatch(lines[0][1]):
        return None
    for size in SIZES:
        rows, count, box = _rows(lines, partial(_blank_row, size=size))
        if len(rows) == size:
            texts = [line for _, line in lines[:count]]
            is_wide = bool(BARS.search(texts[0])) or max(map(len, texts)) == size
            has_blanks = any(line.startswith(" ") or "  " in line for line in texts)
            if is_wide and has_blanks and any(map(str.strip, texts)):
                return _puzzle(lines[0][0], [cell for row in rows for cell in row], *box), count
    return None


def _failed(lines: Sequence[Line]) -> Found:
    """Return the reason for which the first line begins no puzzle if it looks like one, and the lines to skip."""
    number, line = lines[0]
    word = WORDS.split(line.strip(), 1)[0]
    if len(word) >= MIN_LONG and not FRAME.fullmatch(line):
        return UnreadableSudoku(number, f"{len(word):,} characters are not a grid; one of 9x9 has 81"), 1
    rows, count, _ = _rows(lines, _full_row)
    if rows and 2 * len(rows) >= len(rows[0]):
        size = len(rows[0])
        return UnreadableSudoku(number, f"a grid of {size}x{size} has only {len(rows)} of {size} rows"), count
    return None, max(1, count)


def _rows(
    lines: Sequence[Line], cells_of: Callable[[str], list[str] | None]
) -> tuple[list[list[str]], int, tuple[int, int]]:
    """Return the rows of a grid that begins at the first line, the number of its lines, and its boxes."""
    rows: list[list[str]] = []
    count = frame = 0
    for _, line in lines:
        row = cells_of(line)
        if row and len(row) == len((rows or [row])[0]):
            rows.append(row)
        elif rows and FRAME.fullmatch(line):
            frame = frame or len(rows)
        else:
            break
        count += 1
        if len(rows) == len(rows[0]):
            break
    return rows, count, _box(len(rows[0]), lines[0][1], frame) if rows else (0, 0)


def _box(size: int, line: str, frame: int) -> tuple[int, int]:
    """Return width and height of the boxes by a row's bars and the rows before a line of the frame."""
    parts = BARS.split(line.strip().strip("|!"))
    width = size // len(parts) if len(parts) > 1 else size // (frame or 1)
    height = frame or size // width
    return (width, height) if width * height == size and 1 < width < size else box_of(size)


def _full_row(line: str) -> list[str] | None:
    """Return the cells of a row: numbers separated by blanks, or adjacent characters; None for other text."""
    words = BARS.sub(" ", line[: 4 * MAX_SIZE]).split()
    if not words or not all(map(CELLS.fullmatch, words)):
        return None
    are_cells = len(words) in SIZES and all(len(word) <= 1 + (len(words) > 9) for word in words)
    cells = words if are_cells else list("".join(words))
    if len(cells) not in SIZES or (not are_cells and len(set(map(len, words))) > 1):
        return None
    valid = sum(cell in OPEN or cell in DIGITS[: len(cells)] for cell in cells)
    return cells if len(cells) > 9 or 2 * valid >= len(cells) else None


def _blank_row(line: str, size: int) -> list[str] | None:
    """Return the cells of a row with blanks as open cells: adjacent, or between bars also separated by blanks."""
    inner = line.strip()[1:-1] if line.strip()[:1] in ("|", "!") else line.rstrip()
    parts = BARS.split(inner) if BARS.search(line) else [inner.ljust(size)]
    width, cells = len(parts[0]), size // len(parts)
    parts[-1] = parts[-1].ljust(width)
    step, first = (1, 0) if width == cells else (2, int(width == 2 * cells + 1))
    text = "".join(part[first::step] for part in parts).replace(" ", ".")
    between = "".join(part[:first] + part[first + 1 :: step] for part in parts) if step == 2 else ""
    valid = len(text) == size and {len(part) for part in parts} == {width} and not between.strip()
    return list(text) if valid and set(text.upper()) <= {*OPEN, *DIGITS[:size]} else None


def _puzzle(line: int, cells: list[str], width: int, height: int) -> SudokuPuzzle | UnreadableSudoku:
    """Return the puzzle with these cells, or the first cell that is invalid."""
    size = width * height
    signs = [cell.upper().lstrip("0") or "0" for cell in cells]
    digits = DIGITS
    if size > 9 and not {*signs} & {*"123456789"}:
        digits = LETTERS
    elif size == 16 and "0" in signs and {*signs} & {*OPEN[1:]} and "G" not in signs:
        digits = "0" + DIGITS
    values = {str(value): value for value in range(size + 1)} | dict.fromkeys(OPEN, 0)
    values |= {sign: value for value, sign in enumerate(digits[:size], 1)}
    for place, sign in enumerate(signs):
        if sign not in values:
            where = f"row {place // size + 1}, column {place % size + 1}"
            return UnreadableSudoku(line, f"{cells[place]!r} in {where} is not a digit of {size}x{size}")
    return SudokuPuzzle(line, np.array([values[sign] for sign in signs]).reshape(size, size), width, height)


@cache
def _options(width: int, height: int) -> np.ndarray:
    """Return the items of all options of an empty grid, int32[size**3, 4]: option (y * size + x) * size + d.

    Items are the cells, then the pairs of a row, a column, a box and a digit, size**2 each.
    """
    size = width * height
    y, x, d = np.indices((size, size, size)).reshape(3, -1)
    box = y // height * height + x // width
    units = np.stack((y * size + x, y * size + d, x * size + d, box * size + d), axis=1)
    return (units + size * size * np.arange(4)).astype(np.int32)


def problem_of_sudoku(puzzle: SudokuPuzzle) -> tuple[Cover, np.ndarray]:
    """Return a puzzle as exact cover without the options that a given excludes, and the option of each row."""
    options, size = _options(puzzle.box_width, puzzle.box_height), len(puzzle.cells)
    cells = puzzle.cells.ravel()
    given = np.flatnonzero(cells)
    taken = np.zeros(4 * size * size, np.bool_)
    chosen = given * size + cells[given] - 1
    taken[options[chosen]] = True
    fits = ~taken[options].any(axis=1)
    fits[chosen] = True
    left = options[fits]
    return Cover(4 * np.arange(len(left) + 1), left.ravel(), 4 * size * size), np.flatnonzero(fits)


class SudokuAnswer(NamedTuple):
    """A puzzle's verdict, none, unique, multiple or unknown, up to two solutions, and the figures of the search."""

    verdict: str
    solutions: list[np.ndarray]
    covers: Covers


def solve_sudoku(puzzle: SudokuPuzzle, *, cpu_limit: float = 60.0, layout: Layout | None = None) -> SudokuAnswer:
    """Search for two solutions of a puzzle.

    Raises ValueError for a layout that is too narrow, and RuntimeError if a solution is wrong.
    """
    cover, option = problem_of_sudoku(puzzle)
    covers = solve(cover, limit=2, keep=2, cpu_limit=cpu_limit, layout=layout)
    solutions = []
    for rows in covers.solutions:
        cell, digit = np.divmod(option[rows], len(puzzle.cells))
        solution = np.zeros_like(puzzle.cells)
        solution.ravel()[cell] = digit + 1
        if not is_solution(puzzle, solution.tolist()):
            raise RuntimeError(f"a wrong solution of the Sudoku in line {puzzle.line}")
        solutions.append(solution)
    verdict = "unknown" if covers.status == "timeout" else ("none", "unique", "multiple")[covers.count]
    return SudokuAnswer(verdict, solutions, covers)


def is_solution(puzzle: SudokuPuzzle, solution: Sequence[Sequence[int]]) -> bool:
    """Check, in plain Python, that all units have each digit once, and that the givens are kept."""
    size, width, height = len(puzzle.cells), puzzle.box_width, puzzle.box_height
    places = [(y, x) for y in range(size) for x in range(size)]
    units: dict[tuple[str, int], list[int]] = {}
    for y, x in places:
        for unit in (("row", y), ("column", x), ("box", y // height * height + x // width)):
            units.setdefault(unit, []).append(solution[y][x])
    kept = all(puzzle.cells[y, x] in (0, solution[y][x]) for y, x in places)
    return kept and all(sorted(unit) == list(range(1, size + 1)) for unit in units.values())


def line_of(cells: np.ndarray) -> str:
    """Return a grid on one line: characters, or numbers separated by blanks above 35x35."""
    return _text(cells.ravel().tolist(), len(cells), "")


def draw_sudoku(puzzle: SudokuPuzzle, cells: np.ndarray) -> str:
    """Draw a grid with a frame around its boxes, in a form that `read_sudokus` reads."""
    size, width, height = len(cells), puzzle.box_width, puzzle.box_height
    lines = []
    for row in cells.tolist():
        parts = (_text(row[x : x + width], size, " ") for x in range(0, size, width))
        lines.append("| " + " | ".join(parts) + " |")
    rule = "".join("+" if mark == "|" else "-" for mark in lines[0])
    framed = [rule]
    for y in range(0, size, height):
        framed += [*lines[y : y + height], rule]
    return "\n".join(framed)


def _text(digits: list[int], size: int, separator: str) -> str:
    """Return digits as characters, or as numbers of two places if there are too many of them."""
    if size > len(DIGITS):
        return " ".join(f"{digit or '.':>2}" for digit in digits)
    return separator.join(DIGITS[digit - 1] if digit else "." for digit in digits)
