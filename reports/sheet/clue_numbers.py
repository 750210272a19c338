"""What stands beside the grid: the numbers of the clues as text, and their colours."""

from typing import NamedTuple

from reports.sheet.sheet_colors import rgb
from solver.model.puzzle import BLACK, BLOT, Clue, Puzzle

NO_COLOR = 0
"""Colour of the 0 that stands at an empty line."""


class Number(NamedTuple):
    """A number of a clue: its text, a question mark for a blot, and its palette entry, or NO_COLOR."""

    text: str
    color: int


def numbers(clue: Clue) -> list[Number]:
    """The numbers of a line; a 0 where the line is empty."""
    return [Number("?" if block.length == BLOT else str(block.length), block.color) for block in clue] or [
        Number("0", NO_COLOR)
    ]


def on_chips(puzzle: Puzzle) -> bool:
    """Whether the numbers stand on chips of their colours: wherever not all of them are black."""
    used = {block.color for clue in puzzle.rows + puzzle.columns for block in clue}
    return any(rgb(puzzle, color) != BLACK.rgb for color in used)
