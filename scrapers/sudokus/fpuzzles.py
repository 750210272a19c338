"""Sudokus as links of f-puzzles and SudokuPad, which hold a JSON object in lz-string's base64.

    https://www.f-puzzles.com/?load=DATA      https://sudokupad.app/fpuzzlesDATA, or fpuzDATA
    {"size": 9, "title": ..., "author": ..., "ruleset": ..., "grid": [[{"value": 5, "given": true}, {}, ...], ...]}

A cell's `region` numbers its box, where it is not the usual one. Values that are not given and pencil marks are the
player's and left out. Whatever else is set (cages, lines, diagonals, rules in words) is refused by its name: without it
the puzzle would be another one.
"""

import re
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, clipped
from nonocensus.scrapers.sudokus.lz_string import compress, decompress
from nonocensus.solver.sudoku.sudoku_limits import MAX_SIZE
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of

LINK = re.compile(r"(?:https?://)?(?:[\w-]+\.)*(f-puzzles\.com|sudokupad\.app|crackingthecryptic\.com)/(\S*)")
FPUZZLES, SUDOKUPAD = "https://www.f-puzzles.com/?load=", "https://sudokupad.app/fpuzzles"

RULES = "Normal sudoku rules apply."
USUAL_RULES = re.compile(r"((normal|standard|classic|regular) )?sudoku rules( apply)?\.?", re.IGNORECASE)

KNOWN = {"size", "title", "author", "ruleset", "grid"}
IGNORED = {"solution", "successMessage", "highlightConflicts", "disabledlogic", "truecandidatesoptions"}
"""What the programs store about checking a solution, and settings of their solvers."""

KNOWN_IN_CELL = {"value", "given", "region"}
IGNORED_IN_CELL = {"centerPencilMarks", "cornerPencilMarks", "highlight"}
"""What the player has noted."""


class FPuzzlesCell(msgspec.Struct):
    """A cell of the grid."""

    value: int | None = None
    given: bool | None = None
    region: int | msgspec.UnsetType | None = msgspec.UNSET


class FPuzzlesBoard(msgspec.Struct):
    """The puzzle."""

    size: int
    grid: list[list[FPuzzlesCell]]
    title: str | None = None
    author: str | None = None
    ruleset: str | None = None


def sudoku_of(site: str, rest: str) -> Sudoku:
    """Return the Sudoku of a link, given the two groups of LINK. Raises FormatError."""
    path, _, query = rest.partition("?")
    fields = dict(field.partition("=")[::2] for field in query.split("&"))
    if site == "f-puzzles.com":
        data = fields.get("load", "")
    else:
        data = fields.get("puzzleid") or path.removeprefix("sudoku/")
        marked = re.match("fpuz(?:zles)?", data)
        data = data[marked.end() :] if marked else ""
    if not data:
        raise FormatError(f"{clipped(rest)} does not hold the puzzle: links with ?load=, fpuzzles and fpuz do")
    return _sudoku(decompress(unquote(data).replace(" ", "+")))


def _sudoku(text: str) -> Sudoku:
    try:
        found = msgspec.json.decode(text)
        board = msgspec.convert(found, FPuzzlesBoard, strict=False)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(f"it is not a puzzle: {error}") from None
    _refuse_features(found)
    size = board.size
    if not 4 <= size <= MAX_SIZE:
        raise FormatError(f"its grid is {size}x{size}; 4x4 to {MAX_SIZE}x{MAX_SIZE} are read")
    if {len(board.grid), *map(len, board.grid)} != {size}:
        raise FormatError(f"its grid is not {size}x{size}")
    values = [[cell.value or 0 if cell.given else 0 for cell in row] for row in board.grid]
    return Sudoku(np.array(values), *_boxes(board), title=board.title or None, author=board.author or None)


def _refuse_features(board: dict[str, Any]) -> None:
    """Raise a FormatError that names what is set in a board besides givens and boxes."""
    names = {name for name, value in board.items() if value} - KNOWN - IGNORED
    cells = (cell.items() for row in board["grid"] for cell in row)
    names |= {name for cell in cells for name, value in cell if value} - KNOWN_IN_CELL - IGNORED_IN_CELL
    if names:
        raise FormatError(f"it has {clipped(', '.join(sorted(names)))}; only givens and boxes are read")
    rules = (board.get("ruleset") or "").strip()
    if rules and not USUAL_RULES.fullmatch(rules):
        raise FormatError(f"its rules are not only the usual ones: {clipped(rules)}")


def _boxes(board: FPuzzlesBoard) -> tuple[int, int]:
    """Return width and height of the boxes. Raises FormatError unless they are rectangles that tile the grid."""
    usual = boxes_of(board.size)
    numbers = _box_numbers(board.size, *usual)
    for y, row in enumerate(board.grid):
        for x, cell in enumerate(row):
            if cell.region is not msgspec.UNSET:
                numbers[y][x] = cell.region
    for high in range(2, board.size // 2 + 1):
        wide = board.size // high
        if wide * high == board.size:
            tiles = _box_numbers(board.size, wide, high)
            pairs = {pair for rows in zip(tiles, numbers, strict=True) for pair in zip(*rows, strict=True)}
            if len(pairs) == len({number for _, number in pairs}) == board.size:
                return wide, high
    raise FormatError("its boxes are not rectangles of one size")


def _box_numbers(size: int, wide: int, high: int) -> list[list[Any]]:
    """Return the number of each cell's box, row by row."""
    return [[y // high * high + x // wide for x in range(size)] for y in range(size)]


def data_of(puzzle: Sudoku) -> str:
    """Return a Sudoku as the data of a link."""
    size = puzzle.size
    cells: list[list[dict[str, Any]]] = [
        [{"value": value, "given": True} if value else {} for value in row] for row in puzzle.givens.tolist()
    ]
    if (puzzle.box_width, puzzle.box_height) != boxes_of(size):
        if puzzle.box_width * puzzle.box_height != size:
            raise FormatError(f"boxes of {puzzle.box_width}x{puzzle.box_height} do not fill a grid of {size}x{size}")
        numbers = _box_numbers(size, puzzle.box_width, puzzle.box_height)
        cells = [
            [cell | {"region": number} for cell, number in zip(*rows, strict=True)]
            for rows in zip(cells, numbers, strict=True)
        ]
    about = {"title": puzzle.title, "author": puzzle.author, "ruleset": RULES}
    board = {"size": size} | {name: text for name, text in about.items() if text} | {"grid": cells}
    return compress(msgspec.json.encode(board).decode())


def fpuzzles(puzzle: Sudoku) -> bytes:
    """Return a line with a link to f-puzzles."""
    return f"{FPUZZLES}{data_of(puzzle)}\n".encode()


def sudokupad(puzzle: Sudoku) -> bytes:
    """Return a line with a link to SudokuPad."""
    return f"{SUDOKUPAD}{data_of(puzzle)}\n".encode()
