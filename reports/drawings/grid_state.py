"""States of a grid: what is known about its cells and what is highlighted; and thinning of long sequences of states."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nonocensus.solver.model.puzzle import Puzzle

UNKNOWN = 255
"""Instead of a palette entry: a cell whose colour is not known."""


class GridState(NamedTuple):
    """An empty, partly or completely solved grid.

    cells    uint8[height, width]: palette entries, or UNKNOWN
    marked   bool[height, width]: highlighted cells, for example those that the last step has decided
    rows     indices of highlighted rows
    columns  indices of highlighted columns
    words    a caption, one line
    """

    cells: np.ndarray
    marked: np.ndarray | None = None
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    words: str = ""

    @property
    def decided(self) -> int:
        """Number of known cells."""
        return int(np.count_nonzero(self.cells != UNKNOWN))


def empty(puzzle: Puzzle) -> GridState:
    """Return the empty grid of a puzzle."""
    return GridState(np.full((puzzle.height, puzzle.width), UNKNOWN, np.uint8))


class ThinnedStates(NamedTuple):
    """The first state of a solution, then one for each group of `every` steps; the last group may be smaller.

    A group's state highlights what all of its steps do, and has the caption of its last step.
    """

    states: list[GridState]
    every: int


def thin_states(states: Iterable[GridState], most: int) -> ThinnedStates:
    """Reduce states to at most `most` (at least 3), in O(most) memory.

    Whenever there are too many, adjacent pairs are joined.
    """
    pairs = (most - 1) // 2
    first: list[GridState] = []
    steps: list[GridState] = []
    every = 1
    for number, state in enumerate(states, -1):
        if number < 0:
            first.append(state)
            continue
        if number % every == 0 and len(steps) == 2 * pairs:
            steps = [_join(*steps[k : k + 2]) for k in range(0, len(steps), 2)]
            every *= 2
        if number % every == 0:
            steps.append(state)
        else:
            steps[-1] = _join(steps[-1], state)
    return ThinnedStates(first + steps, every)


def _join(earlier: GridState, state: GridState) -> GridState:
    """Join a state with the one before it."""
    masks = [mask for mask in (earlier.marked, state.marked) if mask is not None]
    return state._replace(
        marked=masks[0] | masks[-1] if masks else None,
        rows=tuple(dict.fromkeys(earlier.rows + state.rows)),
        columns=tuple(dict.fromkeys(earlier.columns + state.columns)),
    )
