"""Problems of exact cover whose number of solutions is known, made by rule. Benchmarks use them too."""

from collections.abc import Iterable
from itertools import product

import numpy as np

from nonocensus.solver.exact_cover.problem import Cover, cover_of
from nonocensus.solver.exact_cover.sudoku import SudokuPuzzle, problem_of_sudoku

Cell = tuple[int, int]

PENTOMINOES = {
    "F": (" ##", "## ", " # "),
    "I": ("#####",),
    "L": ("####", "#   "),
    "N": ("### ", "  ##"),
    "P": ("###", "## "),
    "T": ("###", " # ", " # "),
    "U": ("# #", "###"),
    "V": ("#  ", "#  ", "###"),
    "W": ("#  ", "## ", " ##"),
    "X": (" # ", "###", " # "),
    "Y": ("####", " #  "),
    "Z": ("## ", " # ", " ##"),
}


def shapes_of(drawn: Iterable[str]) -> list[tuple[Cell, ...]]:
    """Return all turned and mirrored forms of a shape, sorted, the first cell of the first row at (0, x)."""
    cells = [(y, x) for y, line in enumerate(drawn) for x, mark in enumerate(line) if mark == "#"]
    forms = set()
    for _ in range(4):
        cells = [(x, -y) for y, x in cells]
        for form in (cells, [(y, -x) for y, x in cells]):
            top, left = min(y for y, _ in form), min(x for _, x in form)
            forms.add(tuple(sorted((y - top, x - left) for y, x in form)))
    return sorted(forms)


def pentominoes(width: int, height: int, holes: Iterable[Cell] = ()) -> Cover:
    """Fill a rectangle without the holes, (y, x) each, with the twelve pentominoes. Items: pieces, then cells."""
    missing = set(holes)
    cells = [(y, x) for y in range(height) for x in range(width) if (y, x) not in missing]
    item = {cell: len(PENTOMINOES) + k for k, cell in enumerate(cells)}
    rows = []
    for piece, drawn in enumerate(PENTOMINOES.values()):
        for form, (dy, dx) in product(shapes_of(drawn), product(range(height), range(width))):
            placed = [(y + dy, x + dx) for y, x in form]
            if all(cell in item for cell in placed):
                rows.append([piece, *(item[cell] for cell in placed)])
    return cover_of(rows, len(PENTOMINOES) + len(cells))


def queens(n: int) -> Cover:
    """Queens on a board, none attacking another: ranks and files are primary, diagonals secondary."""
    rows = [[y, n + x, 2 * n + y + x, 4 * n - 1 + y - x + n - 1] for y in range(n) for x in range(n)]
    return cover_of(rows, 2 * n, 4 * n - 2)


def latin_squares(n: int) -> Cover:
    """Latin squares of an order: a number in each cell, each number once in each row and in each column."""
    rows = [[y * n + x, n * n + y * n + d, 2 * n * n + x * n + d] for y, x, d in product(range(n), range(n), range(n))]
    return cover_of(rows, 3 * n * n)


def langford(n: int) -> Cover:
    """Langford pairs: two of each number 1..n in a row of 2n places, those of k with k places between them."""
    rows = [[k - 1, n + i, n + i + k + 1] for k in range(1, n + 1) for i in range(2 * n - k - 1)]
    return cover_of(rows, 3 * n)


def sudoku(box: int) -> Cover:
    """All grids of Sudoku with boxes of `box` x `box` cells."""
    cells = np.zeros((box * box, box * box), np.int64)
    return problem_of_sudoku(SudokuPuzzle(1, cells, box, box))[0]
