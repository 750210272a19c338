"""Positions of a drawing's parts: the grid, the clue numbers, the caption."""

from collections.abc import Iterator
from typing import NamedTuple

from nonocensus.solver.model.puzzle import BLOT, Clue, Puzzle

CELL = 20
"""Units of a cell's side, and of a clue number's."""

MARGIN = 8
"""Units around the drawing."""

CAPTION_HEIGHT = 26
"""Height of the caption below the grid, in units."""

CAPTION_WIDTH = 320
"""Minimum width of a drawing with a caption, in units."""

MOST_NUMBERS = 25_000
"""Clue numbers that are drawn, which takes three seconds; with more only the grid is."""


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
    """A clue number with its palette entry and the centre of its position."""

    text: str
    color: int
    x: float
    y: float


def clues_fit(puzzle: Puzzle) -> bool:
    """Return whether the clues have few enough numbers to be drawn."""
    return sum(len(clue) or 1 for clue in puzzle.rows + puzzle.columns) <= MOST_NUMBERS


def geometry(puzzle: Puzzle, captioned: bool = False) -> Geometry:
    """Return the positions of a drawing's parts; `captioned` reserves room for a caption."""
    deep, high = (
        CELL * max(len(clue_numbers(clue)) for clue in side) if clues_fit(puzzle) else 0
        for side in (puzzle.rows, puzzle.columns)
    )
    across, down = puzzle.width * CELL, puzzle.height * CELL
    width = max(2 * MARGIN + deep + across, CAPTION_WIDTH * captioned)
    left = (width - deep - across) // 2 + deep
    bottom = MARGIN + high + down
    height = bottom + MARGIN + CAPTION_HEIGHT * captioned
    return Geometry(width, height, left, MARGIN + high, left + across, bottom, left - deep, MARGIN)


def place_clues(puzzle: Puzzle, place: Geometry) -> Iterator[Placed]:
    """Yield the clue numbers, aligned to the grid; none if they are too many, those of columns if they have room."""
    if not clues_fit(puzzle):
        return
    half = CELL / 2
    for line, clue in enumerate(puzzle.rows):
        for back, (text, color) in enumerate(reversed(clue_numbers(clue))):
            yield Placed(text, color, place.left - back * CELL - half, place.top + line * CELL + half)
    for line, clue in enumerate(puzzle.columns if place.top > place.clue_top else ()):
        for back, (text, color) in enumerate(reversed(clue_numbers(clue))):
            yield Placed(text, color, place.left + line * CELL + half, place.top - back * CELL - half)


NO_COLOR = 0
"""Colour of an empty line's 0."""


class ClueNumber(NamedTuple):
    """A clue number: its text, ? if hidden, and its palette entry or NO_COLOR."""

    text: str
    color: int


def clue_numbers(clue: Clue) -> list[ClueNumber]:
    """Return a clue's numbers, 0 for an empty line."""
    return [ClueNumber("?" if block.length == BLOT else str(block.length), block.color) for block in clue] or [
        ClueNumber("0", NO_COLOR)
    ]
