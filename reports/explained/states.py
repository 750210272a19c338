"""The steps of an explanation as states of the grid, to be drawn, watched or animated."""

from collections.abc import Iterator

import numpy as np

from reports.explained.step_words import in_words
from reports.sheet.state import UNKNOWN, State
from solver.people.explanation import Explanation


def states(explanation: Explanation) -> Iterator[State]:
    """The grid before the first step and after each, with the cells that the step has found and its line marked."""
    puzzle = explanation.puzzle
    cells, grid = list(explanation.start), grid_of(explanation.start, puzzle.width)
    yield State(grid)
    for told in in_words(explanation):
        step, grid = told.step, grid.copy()
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)
            grid.ravel()[place] = _entry(cells[place])
        marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
        marked.ravel()[[place for place, _ in step.ruled]] = True
        lines = [step.line] if step.line is not None else []
        rows = tuple(line for line in lines if line < puzzle.height)
        columns = tuple(line - puzzle.height for line in lines if line >= puzzle.height)
        yield State(grid, marked, rows, columns, f"{told.number}. {told.what}")


def grid_of(cells: list[int], width: int) -> np.ndarray:
    """A grid of palette entries of cells that are sets of colours, a bit each; UNKNOWN where there are several."""
    return np.array([_entry(colors) for colors in cells], np.uint8).reshape(-1, width)


def _entry(colors: int) -> int:
    return UNKNOWN if colors & (colors - 1) else colors.bit_length() - 1
