"""Hints for a partly solved grid: the wrong cells, or the easiest next step."""

import time
from typing import Literal, NamedTuple

import numpy as np

from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import Puzzle, clues_of, fits_clue
from nonocensus.solver.model.tables import picture
from nonocensus.solver.people.explanation import Explanation, explain

Kind = Literal["wrong", "step", "solved", "none", "open", "multiple", "timeout"]

TRIED_STEPS = (1, 50, 500)
"""Numbers of steps that are tried until one decides a cell; in a single colour the first does."""


class Hint(NamedTuple):
    """A hint.

    kind     wrong: some cells are wrong, see `wrong`; step: see `next`; solved: nothing left to do; none: no
             solution; open: only nested assumptions would help; multiple: solutions, and no step; timeout
    wrong    indices of cells, row-major, that differ from the solution (the one with the fewest wrong cells)
    next     an explanation from the given grid, whose last step is the first one that decides a cell
    """

    kind: Kind
    wrong: tuple[int, ...] = ()
    next: Explanation | None = None


def hint(puzzle: Puzzle, start: np.ndarray, *, cpu_limit: float = 60.0) -> Hint:
    """Return a hint for a grid.

    start       bool[height, width, colours + 1]: possible colours of each cell
    cpu_limit   CPU seconds for solving the puzzle, and the same for the steps

    Raises InvalidPuzzle for contradictory clues, and ValueError for a start of another shape.
    """
    if _is_painted(puzzle, start):
        return Hint("solved")
    begun = solve(puzzle, start=start, cpu_limit=cpu_limit)
    if begun["status"] == "ok" and begun["solutions"] == "none":
        return _wrong_cells(puzzle, start, cpu_limit)
    if (start.sum(axis=2) == 1).all():
        return Hint("solved" if begun["status"] == "ok" else "timeout")
    end = time.thread_time() + cpu_limit
    for most in TRIED_STEPS:
        # in several colours a step may only rule some out, which can't be drawn: the next hint would be the same
        found = explain(puzzle, start=start, most=most, cpu_limit=max(0.0, end - time.thread_time()))
        for count, cells in enumerate(found.grids(), 1):
            if any(cells[place] & (cells[place] - 1) == 0 for place, _ in found.steps[count - 1].ruled):
                return Hint("step", next=found._replace(steps=found.steps[:count], cells=cells))
        if len(found.steps) < most:
            break
    return Hint(found.state if found.state in ("open", "multiple") else "timeout")


def _is_painted(puzzle: Puzzle, start: np.ndarray) -> bool:
    """Return whether the known cells fit the clues, though background cells may be open."""
    picture = np.where(start.sum(axis=2) == 1, start.argmax(axis=2), 0).astype(np.uint8)
    if not np.take_along_axis(start, picture[:, :, None].astype(np.int64), axis=2).all():
        return False
    rows, columns = clues_of(picture)
    return all(map(fits_clue, puzzle.rows + puzzle.columns, rows + columns))


def _wrong_cells(puzzle: Puzzle, start: np.ndarray, cpu_limit: float) -> Hint:
    """Return the wrong cells of a grid that fits no solution."""
    row = solve(puzzle, cpu_limit=cpu_limit)
    if row["solutions"] == "none":
        return Hint("none")
    found = []
    for name in ("solution", "second_solution"):
        cells = row[name]
        if isinstance(cells, bytes):
            solution = picture(cells, puzzle.width, puzzle.height)
            right = np.take_along_axis(start, solution[:, :, None].astype(np.int64), axis=2)[:, :, 0]
            found.append(tuple(np.flatnonzero(~right).tolist()))
    return Hint("wrong", min(found, key=len)) if found else Hint("timeout")


def start_of(puzzle: Puzzle, cells: np.ndarray) -> np.ndarray:
    """Convert a grid uint8[height, width] of palette entries to a start; entries outside the clues' colours are open.

    Raises ValueError for another shape.
    """
    if cells.shape != (puzzle.height, puzzle.width):
        raise ValueError(f"the grid is {cells.shape[1]}x{cells.shape[0]}, the puzzle {puzzle.width}x{puzzle.height}")
    palette = max(puzzle.colors, 1) + 1
    open_ = cells >= palette
    start: np.ndarray = open_[:, :, None] | (cells[:, :, None] == np.arange(palette))
    return start
