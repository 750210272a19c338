"""Sudokus written as text: what a format can't hold is refused, or left out and said, as for nonograms."""

from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from scrapers.formats.shared import FormatError
from scrapers.formats.writing import WORDS
from scrapers.sudokus import sudoku_jsonl, sudoku_reading
from scrapers.sudokus.symbols import DIGITS
from solver.sudoku.sudoku_puzzle import Sudoku

LARGEST = np.iinfo(np.uint8).max
"""The largest number that may stand in a grid, whether it is one of its digits or not."""

ABOUT = ("title", "author", "description", "copyright", "license", "source", "note", "ratings")
"""What of scrapers.formats.writing.WORDS a Sudoku may have."""


class SudokuFormat(NamedTuple):
    """A format that Sudokus are written in, as scrapers.formats.Format has them for nonograms.

    NAME       its name on the command line
    SUFFIXES   what names of such files end with; new files get the first
    HOLDS      what a file can hold beside givens: of ABOUT
    write      (puzzle): a file with it
    read       (data): the puzzles of a file
    bundle     (files): one file of several; None if a file holds one puzzle
    """

    NAME: str
    SUFFIXES: tuple[str, ...]
    HOLDS: frozenset[str]
    write: Callable[[Sudoku], bytes]
    read: Callable[[bytes], Iterable[Sudoku]]
    bundle: Callable[[Iterable[bytes]], Iterable[bytes]] | None = None


def file_of(puzzle: Sudoku, known: SudokuFormat, lossy: bool = False) -> tuple[bytes, list[str]]:
    """A Sudoku as a file of a format, and what the file lacks of it, in words: nothing unless that is allowed.

    Each file is read back before anybody gets it. A FormatError says what can't be held.
    """
    lost = [WORDS[name].text for name in ABOUT if name not in known.HOLDS and WORDS[name].there(puzzle)]
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
    """Boxes and givens."""
    return puzzle.box_width, puzzle.box_height, puzzle.givens.tobytes()


def _read(data: bytes) -> Iterable[Sudoku]:
    """The Sudokus of text."""
    for grids in sudoku_reading.read(data):
        size = grids.box_width * grids.box_height
        for givens in grids.givens:
            yield Sudoku(givens.reshape(size, size), grids.box_width, grids.box_height)


def _line(puzzle: Sudoku, blank: str) -> bytes:
    """All cells on a line."""
    if puzzle.size > len(DIGITS):
        raise FormatError(f"a line has no sign for digits beyond {len(DIGITS)}")
    return ("".join(_signs(puzzle, blank).ravel()) + "\n").encode()


def _grid(puzzle: Sudoku) -> bytes:
    """A row a line, and the author's name."""
    printable = "".join(sign if sign.isprintable() else " " for sign in puzzle.author or "")
    author = " ".join(printable.split())
    gap = "" if puzzle.size <= len(DIGITS) else " "
    lines = ([f"#A{author}"] if author else []) + [gap.join(row) for row in _signs(puzzle, ".")]
    return "".join(f"{line}\n" for line in lines).encode()


def _framed(puzzle: Sudoku) -> bytes:
    """A row a line, with bars and lines between the boxes; side by side in 9x9 as programs have it, else apart."""
    wide, high = puzzle.box_width, puzzle.box_height
    if wide * high != puzzle.size:
        raise FormatError(f"boxes of {wide}x{high} make no grid of {puzzle.size}x{puzzle.size}")
    gap = "" if puzzle.size == 9 else " "
    lines = []
    for y, row in enumerate(_signs(puzzle, ".")):
        boxes = [gap.join(row[x : x + wide]) for x in range(0, puzzle.size, wide)]
        if y and y % high == 0:
            lines.append("+".join("-" * len(box) for box in boxes))
        lines.append("|".join(boxes))
    return "".join(f"{line}\n" for line in lines).encode()


def _signs(puzzle: Sudoku, blank: str) -> np.ndarray:
    """What stands for each cell, str[size, size]: digits and letters; numbers where these are not enough."""
    numbers = [str(number) for number in range(1, LARGEST + 1)]
    digits = [*DIGITS, *numbers[len(DIGITS) :]] if puzzle.size <= len(DIGITS) else numbers
    signs: np.ndarray = np.array([blank, *digits])[puzzle.givens]
    return signs


def _one_after_the_other(files: Iterable[bytes]) -> Iterable[bytes]:
    return files


NOTHING: frozenset[str] = frozenset()

FORMATS = (
    SudokuFormat("sdm", (".sdm",), NOTHING, lambda puzzle: _line(puzzle, "0"), _read, _one_after_the_other),
    SudokuFormat("lines", (".sdm",), NOTHING, lambda puzzle: _line(puzzle, "."), _read, _one_after_the_other),
    SudokuFormat("sdk", (".sdk", ".sudoku"), frozenset({"author"}), _grid, _read),
    SudokuFormat("ss", (".ss",), NOTHING, _framed, _read),
    SudokuFormat(
        "jsonl", (".jsonl", ".ndjson"), frozenset(ABOUT), sudoku_jsonl.write, sudoku_jsonl.read, _one_after_the_other
    ),
)
"""Lines with 0 or dots for open cells, grids of rows, grids in frames, and JSON lines."""


def named(name: str) -> SudokuFormat | None:
    """The format of a name, if there is one."""
    return next((known for known in FORMATS if name == known.NAME), None)


def of_suffix(name: str) -> SudokuFormat | None:
    """The format that names of files end for as this one does."""
    suffix = PurePath(name).suffix.lower()
    return next((known for known in FORMATS if suffix in known.SUFFIXES), None)
