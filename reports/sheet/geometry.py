"""Where everything of a drawing stands: the grid, the numbers beside it, the line of text below."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from reports.sheet.clue_numbers import numbers
from solver.model.puzzle import Puzzle

CELL = 20
"""Units of a cell's side, and of the place of a number."""

MARGIN = 8
"""Units around the drawing."""

CAPTION_HEIGHT = 26
"""Units of the line of text below the grid."""

CAPTION_WIDTH = 320
"""Units that a drawing with such a line is wide at least."""

MOST_NUMBERS = 25_000
"""Numbers of clues that are drawn: three seconds of work. The grid of a puzzle with more stands alone."""


class Geometry(NamedTuple):
    """The parts of a drawing, in units.

    width, height   of the whole
    left, top       where the grid begins
    right, bottom   where it ends
    clue_left       where the longest clue of a row begins
    clue_top        where the longest clue of a column begins
    """

    width: int
    height: int
    left: int
    top: int
    right: int
    bottom: int
    clue_left: int
    clue_top: int


class Placed(NamedTuple):
    """A number of a clue with the centre of its place: which line of which side, from 0, and its palette entry."""

    side: Literal["rows", "columns"]
    line: int
    text: str
    color: int
    x: float
    y: float


def clues_fit(puzzle: Puzzle) -> bool:
    """Whether the clues are drawn, or are too many numbers for that."""
    return sum(len(clue) or 1 for clue in puzzle.rows + puzzle.columns) <= MOST_NUMBERS


def geometry(puzzle: Puzzle, captioned: bool = False) -> Geometry:
    """Where the parts of a puzzle's drawing stand; `captioned`: with room for a line of text below."""
    deep, high = (
        CELL * max(len(numbers(clue)) for clue in side) if clues_fit(puzzle) else 0
        for side in (puzzle.rows, puzzle.columns)
    )
    across, down = puzzle.width * CELL, puzzle.height * CELL
    width = max(2 * MARGIN + deep + across, CAPTION_WIDTH * captioned)
    left = (width - deep - across) // 2 + deep
    bottom = MARGIN + high + down
    height = bottom + MARGIN + CAPTION_HEIGHT * captioned
    return Geometry(width, height, left, MARGIN + high, left + across, bottom, left - deep, MARGIN)


def placed(puzzle: Puzzle, place: Geometry) -> Iterator[Placed]:
    """The numbers of all clues: those of a line end at the grid. None if they are too many."""
    if not clues_fit(puzzle):
        return
    half = CELL / 2
    for line, clue in enumerate(puzzle.rows):
        for back, (text, color) in enumerate(reversed(numbers(clue))):
            yield Placed("rows", line, text, color, place.left - back * CELL - half, place.top + line * CELL + half)
    for line, clue in enumerate(puzzle.columns):
        for back, (text, color) in enumerate(reversed(numbers(clue))):
            yield Placed("columns", line, text, color, place.left + line * CELL + half, place.top - back * CELL - half)
