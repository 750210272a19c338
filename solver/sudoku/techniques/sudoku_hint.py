"""A hint for a partly solved Sudoku: the easiest next step, or the cells in question if it can't be solved any more."""

from typing import Literal, NamedTuple

import numpy as np

from solver.sudoku.sudoku_api import classify, solve
from solver.sudoku.sudoku_batch import grid_batch
from solver.sudoku.sudoku_check import validate
from solver.sudoku.sudoku_puzzle import OPEN, Sudoku
from solver.sudoku.techniques.steps import rules_of
from solver.sudoku.techniques.sudoku_explanation import SudokuExplanation, explain

Kind = Literal["twice", "wrong", "step", "solved", "none", "several", "open", "timeout"]


class SudokuHint(NamedTuple):
    """What to tell a person who is stuck. Nothing tells a grid's givens from the digits that were filled in.

    kind     twice: `cells` have a digit that their row, column or box has twice; wrong: there is no solution, and there
             would be one without any one of `cells`; none: there is no solution, and one cell less does not help; step:
             see `next`; several: nothing follows any more, there are several solutions; open: only assumptions inside
             assumptions lead on; solved: nothing is left to do; timeout: nothing was found in time
    cells    numbered row by row from 0
    next     an explanation of one step
    """

    kind: Kind
    cells: tuple[int, ...] = ()
    next: SudokuExplanation | None = None


def hint(puzzle: Sudoku, *, cpu_limit: float = 60.0) -> SudokuHint:
    """Return what to do next in a Sudoku, whose givens may be those of the puzzle and digits that were filled in.

    cpu_limit   CPU seconds for the solution, as many for the step, and as many for looking which cell is wrong

    Raises InvalidPuzzle for boxes or digits that make no grid.
    """
    twice = _twice(puzzle)
    if twice:
        return SudokuHint("twice", twice)
    validate(puzzle)
    row = solve(puzzle, cpu_limit=cpu_limit)
    if row["solutions"] == "none":
        return _whats_wrong(puzzle, cpu_limit)
    if (puzzle.givens != OPEN).all():
        return SudokuHint("solved")
    found = explain(puzzle, most=1, cpu_limit=cpu_limit)
    if found.steps:
        return SudokuHint("step", next=found)
    if found.state == "timeout":
        return SudokuHint("timeout")
    return SudokuHint("several" if row["solutions"] == "multiple" else "open")


def _twice(puzzle: Sudoku) -> tuple[int, ...]:
    """Return the cells whose digit is in their row, column or box twice."""
    if puzzle.box_width * puzzle.box_height != puzzle.size or puzzle.givens.max() > puzzle.size:
        return ()  # it is no grid
    givens = puzzle.givens.ravel().tolist()
    peers = rules_of(puzzle.box_width, puzzle.box_height).peers
    return tuple(
        cell for cell, given in enumerate(givens) if given and any(givens[peer] == given for peer in peers[cell])
    )


def _whats_wrong(puzzle: Sudoku, cpu_limit: float) -> SudokuHint:
    """Return of a puzzle without solution the cells that are in the way of one, each alone."""
    filled = np.flatnonzero(puzzle.givens)
    without = np.tile(puzzle.givens.ravel(), (len(filled), 1))
    without[np.arange(len(filled)), filled] = OPEN
    rows = classify(grid_batch(without, puzzle.box_width, puzzle.box_height), cpu_limit=cpu_limit / len(filled))
    cells = [
        cell for cell, found in zip(filled.tolist(), rows["solution"].is_valid().to_pylist(), strict=True) if found
    ]
    undecided = "unknown" in rows["solutions"].to_pylist()
    return SudokuHint("wrong", tuple(cells)) if cells else SudokuHint("timeout" if undecided else "none")
