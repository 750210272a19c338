"""Sudoku as an example of exact cover: reading puzzles, their problems, checking and drawing solutions.

A text holds any number of puzzles, with other text between them:

lines   81 characters (or 16, 36, 144, 256, 625, ...) as the first word of a line or, after a number, as the second; the
        rest of the line is ignored
grids   one line per row: adjacent cells, cells separated by blanks (numbers too), or, in 9x9, blanks as open cells; a
        frame of | - + = defines the boxes, without one they are as square as possible, and wider than high

0 . * _ ? are open cells. Letters follow the digits (A is 10); above 9x9 they begin with A = 1 if no digit occurs, and
16x16 may be written by 0 to F if another character marks open cells. Lines that begin with # are comments.
"""

import re
from collections.abc import Callable, Iterator, Sequence
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

MIN_LONG = 64
"""Characters from which a word is taken for a puzzle whatever they are."""

FRAME = re.compile(r"[\s|!]*[+=:-][\s|+=:!-]*\Z")
BARS = re.compile(r"[|!]")
WORDS = re.compile(r"[\s,;]+")


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


def box_of(size: int) -> tuple[int, int]:
    """Return width and height of the most square boxes, wider than high; the height is 1 for primes."""
    height = next(each for each in range(isqrt(size), 0, -1) if size % each == 0)
    return size // height, height


SIZES = tuple(size for size in range(4, MAX_SIZE + 1) if box_of(size)[1] > 1)
SIDE = {size * size: size for size in SIZES}
"""Size of a grid by its number of cells."""


def read_sudokus(text: str) -> Iterator[SudokuPuzzle | UnreadableSudoku]:
    """Yield the puzzles of a text in order."""
    numbered = enumerate(re.split(r"\r\n?|\n", text), 1)
    lines = [(number, line) for number, line in numbered if not line.startswith("#")]
    at = 0
    while at < len(lines):
        number = lines[at][0]
        found, count = _puzzle_at(number, [line for _, line in lines[at : at + 2 * MAX_SIZE]])
        if found:
            yield found
        at += count


def _puzzle_at(number: int, lines: Sequence[str]) -> tuple[SudokuPuzzle | UnreadableSudoku | None, int]:
    """Read the puzzle that begins at the first line, if any; returns it and the number of lines read or skipped."""
    rows, count, box = _rows(lines, _row)
    size = len(rows[0]) if rows else 0
    cells = [cell for row in rows for cell in row]
    is_line = size in SIDE and not BARS.search(lines[0]) and {*OPEN, *DIGITS[: SIDE[size]]}.issuperset(cells)
    if rows and len(rows) == size and not is_line:
        return _puzzle(number, cells, box), count
    words = WORDS.split("" if FRAME.match(lines[0]) else lines[0].strip(), 2)
    for word in words[: 1 + words[0].isdecimal()]:
        found = _puzzle(number, list(word), box_of(SIDE[len(word)])) if len(word) in SIDE else None
        if isinstance(found, SudokuPuzzle) or (found and len(word) >= MIN_LONG):
            return found, 1
    if len(words[0]) >= MIN_LONG:
        return UnreadableSudoku(number, f"{len(words[0]):,} characters are not a grid; one of 9x9 has 81"), 1
    with_blanks, lines_read, box = _rows(lines, _blank_row)
    drawn = lines[:lines_read]
    if len(with_blanks) == 9 <= max(map(len, drawn)) and drawn[0] and "   " in "\n".join(drawn):
        return _puzzle(number, [cell for row in with_blanks for cell in row], box), lines_read
    if rows and 2 * len(rows) >= size:
        return UnreadableSudoku(number, f"a grid of {size}x{size} has only {len(rows)} of {size} rows"), count
    return None, max(1, count)


def _rows(
    lines: Sequence[str], row_of: Callable[[str], list[str] | None]
) -> tuple[list[list[str]], int, tuple[int, int]]:
    """Return the rows of a grid that begins at the first line, the number of its lines, and its boxes."""
    rows: list[list[str]] = []
    count = frame = 0
    for line in lines:
        row = row_of(line)
        if row and len(row) == len((rows or [row])[0]):
            rows.append(row)
        elif rows and FRAME.match(line):
            frame = frame or len(rows)
        else:
            break
        count += 1
        if len(rows) == len(rows[0]):
            break
    return rows, count, _box(len(rows[0]), lines[0], frame) if rows else (0, 0)


def _box(size: int, line: str, frame: int) -> tuple[int, int]:
    """Return width and height of the boxes by a row's bars and the rows before a line of the frame."""
    parts = BARS.split(line.strip().strip("|!"))
    width = size // len(parts) if len(parts) > 1 else size // (frame or 1)
    height = frame or size // width
    return (width, height) if width * height == size and 1 < width < size else box_of(size)


def _row(line: str) -> list[str] | None:
    """Return the cells of a row: words, numbers among them, or adjacent characters; None for other text."""
    words = BARS.sub(" ", line[: 4 * MAX_SIZE]).split()
    cells = list("".join(words))
    if len(words) in SIZES and all(len(word) <= 1 + (len(words) > 9) for word in words):
        cells = words
    elif len(set(map(len, words))) != 1 or len(cells) not in SIZES:
        return None
    signs = {*OPEN, *DIGITS[: len(cells)]}
    few_fit = 2 * sum(cell in signs for cell in cells) < len(cells) <= 9
    return None if few_fit or not all(sign.upper() in OPEN + DIGITS for sign in "".join(words)) else cells


def _blank_row(line: str) -> list[str] | None:
    """Return the cells of a row of 9x9 with blanks as open cells: adjacent, or in a frame also one in two places."""
    text = line.strip() if BARS.search(line) else line.ljust(9)
    if len(text) > 9 + 4 and not text[1::2].strip():
        text = text[::2]
    cells = BARS.sub("", text).replace(" ", ".")
    return list(cells) if len(cells) == 9 and set(cells) <= {*OPEN, *DIGITS[:9]} else None


def _puzzle(line: int, cells: list[str], box: tuple[int, int]) -> SudokuPuzzle | UnreadableSudoku:
    """Return the puzzle with these cells, or the first cell that is invalid."""
    size = box[0] * box[1]
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
    return SudokuPuzzle(line, np.array([values[sign] for sign in signs]).reshape(size, size), *box)


def problem_of_sudoku(puzzle: SudokuPuzzle) -> tuple[Cover, np.ndarray]:
    """Return a puzzle as exact cover without the options that a given excludes, and the option of each row.

    Option (y * size + x) * size + d puts digit d + 1 into cell (x, y). Items are the cells, then the pairs of a row, a
    column, a box and a digit, size**2 each.
    """
    size = len(puzzle.cells)
    y, x, d = np.indices((size, size, size)).reshape(3, -1)
    box = y // puzzle.box_height * puzzle.box_height + x // puzzle.box_width
    units = np.stack((y * size + x, y * size + d, x * size + d, box * size + d), axis=1)
    options = (units + size * size * np.arange(4)).astype(np.int32)
    is_given = puzzle.cells[y, x] == d + 1
    taken = np.zeros(4 * size * size, np.bool_)
    taken[options[is_given]] = True
    fits = is_given | ~taken[options].any(axis=1)
    items = options[fits].ravel()
    return Cover(np.arange(0, len(items) + 1, 4), items, len(taken)), np.flatnonzero(fits)


class SudokuAnswer(NamedTuple):
    """A puzzle's verdict, none, unique, multiple or unknown, up to two solutions, and the figures of the search."""

    verdict: str
    solutions: list[np.ndarray]
    covers: Covers


def solve_sudoku(puzzle: SudokuPuzzle, *, cpu_limit: float = 60.0, layout: Layout | None = None) -> SudokuAnswer:
    """Search for two solutions of a puzzle.

    Raises TooLargeError for a layout that is too narrow, and RuntimeError if a solution is wrong.
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
    units: dict[tuple[str, int], set[int]] = {}
    for y, row in enumerate(solution):
        for x, digit in enumerate(row):
            if puzzle.cells[y, x] not in (0, digit):
                return False
            for unit in (("row", y), ("column", x), ("box", y // height * height + x // width)):
                units.setdefault(unit, set()).add(digit)
    return len(units) == 3 * size and all(unit == set(range(1, size + 1)) for unit in units.values())


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
