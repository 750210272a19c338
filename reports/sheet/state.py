"""A state of a grid: what is known of its cells, and what of them is pointed out."""

from typing import NamedTuple

import numpy as np

from solver.model.puzzle import Puzzle

UNKNOWN = 255
"""In place of a palette entry: a cell that is not decided, or only partly."""


class State(NamedTuple):
    """A grid, empty, partly or wholly solved.

    cells    uint8[height, width]: palette entries, or UNKNOWN
    marked   bool[height, width]: cells pointed out, those that the last step has found, say
    rows     numbers of lines pointed out, from 0
    columns  the same
    words    what has led here, a line of text
    """

    cells: np.ndarray
    marked: np.ndarray | None = None
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    words: str = ""

    @property
    def decided(self) -> int:
        """Number of cells that are known."""
        return int(np.count_nonzero(self.cells != UNKNOWN))


def empty(puzzle: Puzzle) -> State:
    """The grid of a puzzle before anything is known of it."""
    return State(np.full((puzzle.height, puzzle.width), UNKNOWN, np.uint8))
