"""Writers of Sudokus as text; as for nonograms, what a format can't hold is an error or dropped and reported."""

from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.scrapers.formats.writing import FEATURES
from nonocensus.scrapers.sudokus import fpuzzles, sudoku_jsonl, sudoku_links, sudoku_reading
from nonocensus.scrapers.sudokus.sudoku_reading import DIGITS
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

LARGEST = np.iinfo(np.uint8).max
"""Largest number that a grid can hold, valid or not."""

METADATA = ("title", "author", "description", "copyright", "license", "source", "note", "ratings")
"""Features (scrapers.formats.writing.FEATURES) that a Sudoku may have."""


class SudokuFormat(NamedTuple):
    """A Sudoku format, like scrapers.formats.Format for nonograms.

    NAME       name on the command line
    SUFFIXES   of file names; new files get the first
    HOLDS      features of METADATA that a file can hold
    write      returns a file with one puzzle
    read       returns the puzzles of a file
    bundle     concatenates files; None if a file holds one puzzle
    """

    NAME: str
    SUFFIXES: tuple[str, ...]
    HOLDS: frozenset[str]
    write: Callable[[Sudoku], bytes]
    read: Callable[[bytes], Iterable[Sudoku]]
    bundle: Callable[[Iterable[bytes]], Iterable[bytes]] | None = None


def file_of(puzzle: Sudoku, known: SudokuFormat, lossy: bool = False) -> tuple[bytes, list[str]]:
    """Return a Sudoku as a file of a format, and the names of the features dropped, which only `lossy` allows.

    The file is verified by reading it back. Raises FormatError if the format can't hold the puzzle.
    """
    lost = [FEATURES[name].text for name in METADATA if name not in known.HOLDS and FEATURES[name].is_in(puzzle)]
    if lost and not lossy:
        raise FormatError(f"the format {known.NAME} can't hold {', '.join(lost)}; --lossy leaves that out")
    data = known.write(puzzle)
    try:
        back = list(known.read(data))
    except FormatError:
        back = []
    if len(back) != 1 or _puzzle_of(back[0]) != _puzzle_of(puzzle):
        raise FormatError(f"the format {known.NAME} can't hold it: read back, it would be another puzzle")
    return data, lost


def _puzzle_of(puzzle: Sudoku) -> tuple[int, int, bytes]:
    """Return box size and givens, for comparison."""
    return puzzle.box_width, puzzle.box_height, puzzle.givens.tobytes()


def _read(data: bytes) -> Iterable[Sudoku]:
    """Yield the Sudokus of a text file."""
    for grids in sudoku_reading.read(data):
        size = grids.box_width * grids.box_height
        for givens in grids.givens:
            yield Sudoku(givens.reshape(size, size), grids.box_width, grids.box_height)


def _line(puzzle: Sudoku, blank: str) -> bytes:
    """Format a puzzle as one line with all cells."""
    if puzzle.size > len(DIGITS):
        raise FormatError(f"a line has no characters for digits beyond {len(DIGITS)}")
    return ("".join(_signs(puzzle, blank).ravel()) + "\n").encode()


def _grid(puzzle: Sudoku) -> bytes:
    """Format a puzzle as one line per row, after a line with the author's name if known."""
    printable = "".join(sign if sign.isprintable() else " " for sign in puzzle.author or "")
    author = " ".join(printable.split())
    gap = "" if puzzle.size <= len(DIGITS) else " "
    lines = ([f"#A{author}"] if author else []) + [gap.join(row) for row in _signs(puzzle, ".")]
    return "".join(f"{line}\n" for line in lines).encode()


def _framed(puzzle: Sudoku) -> bytes:
    """Format a puzzle as one line per row with frames between boxes; digits are adjacent in 9x9, else separated."""
    wide, high = puzzle.box_width, puzzle.box_height
    if wide * high != puzzle.size:
        raise FormatError(f"boxes of {wide}x{high} do not fill a grid of {puzzle.size}x{puzzle.size}")
    gap = "" if puzzle.size == 9 else " "
    lines = []
    for y, row in enumerate(_signs(puzzle, ".")):
        boxes = [gap.join(row[x : x + wide]) for x in range(0, puzzle.size, wide)]
        if y and y % high == 0:
            lines.append("+".join("-" * len(box) for box in boxes))
        lines.append("|".join(boxes))
    return "".join(f"{line}\n" for line in lines).encode()


def _signs(puzzle: Sudoku, blank: str) -> np.ndarray:
    """Return the text of each cell, str[size, size]: digits and letters, or numbers beyond 35x35."""
    numbers = [str(number) for number in range(1, LARGEST + 1)]
    digits = [*DIGITS, *numbers[len(DIGITS) :]] if puzzle.size <= len(DIGITS) else numbers
    signs: np.ndarray = np.array([blank, *digits])[puzzle.givens]
    return signs


def _concatenated(files: Iterable[bytes]) -> Iterable[bytes]:
    return files


NO_FEATURES: frozenset[str] = frozenset()
TITLED = frozenset({"title", "author"})

FORMATS = (
    SudokuFormat("sdm", (".sdm",), NO_FEATURES, lambda puzzle: _line(puzzle, "0"), _read, _concatenated),
    SudokuFormat("lines", (".sdm",), NO_FEATURES, lambda puzzle: _line(puzzle, "."), _read, _concatenated),
    SudokuFormat("sdk", (".sdk", ".sudoku"), frozenset({"author"}), _grid, _read),
    SudokuFormat("ss", (".ss",), NO_FEATURES, _framed, _read),
    SudokuFormat("puzzlink", (".puzzlink",), NO_FEATURES, sudoku_links.puzzlink, sudoku_links.read, _concatenated),
    SudokuFormat("tatham", (".tatham",), NO_FEATURES, sudoku_links.tatham, sudoku_links.read, _concatenated),
    SudokuFormat("fpuzzles", (".fpuzzles",), TITLED, fpuzzles.fpuzzles, sudoku_links.read, _concatenated),
    SudokuFormat("sudokupad", (".sudokupad",), TITLED, fpuzzles.sudokupad, sudoku_links.read, _concatenated),
    SudokuFormat(
        "jsonl", (".jsonl", ".ndjson"), frozenset(METADATA), sudoku_jsonl.write, sudoku_jsonl.read, _concatenated
    ),
)
"""Lines with 0 or . for open cells, grids, grids with frames, links, ids, and JSON lines."""


def named(name: str) -> SudokuFormat | None:
    """Return the format with a name, or None."""
    return next((known for known in FORMATS if name == known.NAME), None)


def of_suffix(name: str) -> SudokuFormat | None:
    """Return the format for a file name's suffix, or None."""
    suffix = PurePath(name).suffix.lower()
    return next((known for known in FORMATS if suffix in known.SUFFIXES), None)
