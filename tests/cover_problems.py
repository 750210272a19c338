"""Problems of exact cover whose number of solutions is known, made by rule. Benchmarks use them too."""

from collections.abc import Iterable, Iterator
from itertools import product

from nonocensus.solver.exact_cover.problem import Cover, cover_of

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


def crossing_words(words: list[str], size: int) -> Cover:
    """Word squares: a word in each row and each column of a square. Cells are secondary, their colours the letters."""
    cells = 2 * size
    rows: list[list[int | tuple[int, int]]] = []
    for line, word in product(range(2 * size), words):
        across = line < size
        places = [(line * size + k) if across else (k * size + line - size) for k in range(size)]
        letters = [(cells + place, ord(letter)) for place, letter in zip(places, word, strict=True)]
        rows.append([line, *letters])
    return cover_of(rows, cells, size * size)


def sudoku(box: int) -> Cover:
    """Sudoku with boxes of `side` x `side` cells: a number in each cell; each once in each row, column and box.

    Row (y * n + x) * n + d takes number d (from 0) for the cell (y, x), where n = box * box.
    """
    n = box * box
    rows = []
    for y, x, d in product(range(n), repeat=3):
        units = (y * n + x, y * n + d, x * n + d, (y // box * box + x // box) * n + d)
        rows.append([k * n * n + unit for k, unit in enumerate(units)])
    return cover_of(rows, 4 * n * n)


def givens(puzzle: str, n: int) -> list[int]:
    """Return the rows of `sudoku` that a puzzle gives: a number of base 36 for each cell, 0 or . where it is open."""
    return [cell * n + int(mark, 36) - 1 for cell, mark in enumerate(puzzle) if mark not in "0."]


def sudoku_puzzles(text: str) -> Iterator[str]:
    """Yield puzzles of 9x9, one a line: the first 81 characters, if these are digits and points."""
    for line in text.splitlines():
        puzzle = line[:81]
        if len(puzzle) == 81 and not set(puzzle) - set("0123456789."):
            yield puzzle
