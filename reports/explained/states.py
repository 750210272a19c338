"""The steps of an explanation as states of the grid, to be drawn, watched or animated."""

from collections.abc import Iterator

import numpy as np

from reports.explained.words import in_words
from reports.sheet.state import UNKNOWN, State
from solver.derivation.explain import Explanation


def states(explanation: Explanation) -> Iterator[State]:
    """The grid before the first step and after each, with the cells that the step has found and its line marked."""
    puzzle = explanation.puzzle
    yield State(grid_of(explanation.start, puzzle.width))
    for told, cells in zip(in_words(explanation), explanation.grids(), strict=True):
        step = told.step
        marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
        marked.ravel()[[place for place, _ in step.ruled]] = True
        lines = [step.line] if step.line is not None else []
        rows = tuple(line for line in lines if line < puzzle.height)
        columns = tuple(line - puzzle.height for line in lines if line >= puzzle.height)
        yield State(grid_of(cells, puzzle.width), marked, rows, columns, f"{told.number}. {told.what}")


def grid_of(cells: list[int], width: int) -> np.ndarray:
    """A grid of palette entries of cells that are sets of colours, a bit each; UNKNOWN where there are several."""
    colors = [UNKNOWN if each & (each - 1) else each.bit_length() - 1 for each in cells]
    return np.array(colors, np.uint8).reshape(-1, width)
