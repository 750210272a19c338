"""Hints for a partly solved Sudoku: the easiest next step, or the wrong cells if it has no solution."""

from typing import Literal, NamedTuple

import numpy as np

from nonocensus.solver.sudoku.sudoku_api import classify, solve
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.sudoku_check import validate
from nonocensus.solver.sudoku.sudoku_puzzle import OPEN, Sudoku
from nonocensus.solver.sudoku.techniques.steps import rules_of
from nonocensus.solver.sudoku.techniques.sudoku_explanation import SudokuExplanation, explain

Kind = Literal["twice", "wrong", "step", "solved", "none", "several", "open", "timeout"]


class SudokuHint(NamedTuple):
    """A hint. Givens and filled-in digits are not distinguished.

    kind     twice: `cells` repeat a digit in a row, column or box; wrong: no solution, but removing any one of `cells`
             restores one; none: no solution, and removing one cell does not help; step: see `next`; several: no
             technique makes progress, several solutions; open: only nested assumptions could make progress; solved;
             timeout
    cells    numbered row by row from 0
    next     an explanation of one step
    """

    kind: Kind
    cells: tuple[int, ...] = ()
    next: SudokuExplanation | None = None


def hint(puzzle: Sudoku, *, cpu_limit: float = 60.0) -> SudokuHint:
    """Return the next hint for a Sudoku whose givens may include filled-in digits.

    cpu_limit   CPU seconds, each for the solution, the step and the search for wrong cells

    Raises InvalidPuzzle for invalid boxes or digits.
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
    """Return the cells whose digit is repeated in their row, column or box."""
    if puzzle.box_width * puzzle.box_height != puzzle.size or puzzle.givens.max() > puzzle.size:
        return ()  # malformed grid
    givens = puzzle.givens.ravel().tolist()
    peers = rules_of(puzzle.box_width, puzzle.box_height).peers
    return tuple(
        cell for cell, given in enumerate(givens) if given and any(givens[peer] == given for peer in peers[cell])
    )


def _whats_wrong(puzzle: Sudoku, cpu_limit: float) -> SudokuHint:
    """Return the cells of a puzzle without solution whose removal, each alone, restores one."""
    filled = np.flatnonzero(puzzle.givens)
    without = np.tile(puzzle.givens.ravel(), (len(filled), 1))
    without[np.arange(len(filled)), filled] = OPEN
    rows = classify(grid_batch(without, puzzle.box_width, puzzle.box_height), cpu_limit=cpu_limit / len(filled))
    cells = [
        cell for cell, found in zip(filled.tolist(), rows["solution"].is_valid().to_pylist(), strict=True) if found
    ]
    undecided = "unknown" in rows["solutions"].to_pylist()
    return SudokuHint("wrong", tuple(cells)) if cells else SudokuHint("timeout" if undecided else "none")
