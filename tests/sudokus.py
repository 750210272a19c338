"""Results of Sudokus of several sizes and verdicts with their puzzles, as reports read them."""

import numpy as np
import pyarrow as pa

from nonocensus.reports.row_counts import PUZZLE_COLUMNS
from nonocensus.solver.model.families import SUDOKU
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of

EVIL = "<b>evil</b>"

ONE, TWO, NONE, TWICE, FULL, LARGE = "made/one", "made/two", "made/none", "made/twice", "made/full", "made/large"


def full(size: int) -> np.ndarray:
    """Return a full grid: each row is another one shifted."""
    wide, high = boxes_of(size)
    rows = np.arange(size)[:, None]
    return ((wide * (rows % high) + rows // high + np.arange(size)) % size + 1).astype(np.uint8)


def opened(grid: np.ndarray, *digits: int) -> np.ndarray:
    """Return the grid without these digits."""
    return np.where(np.isin(grid, digits), 0, grid).astype(np.uint8)


def puzzles() -> dict[str, Sudoku]:
    """Return one of each kind, by id."""
    contradictory = np.zeros((9, 9), np.uint8)
    contradictory[0, 3:8], contradictory[3:7, 0] = range(1, 6), range(6, 10)
    twice = full(9)
    twice[0, 0] = twice[0, 1]
    grids = {
        ONE: opened(full(9), 1),
        TWO: opened(full(9), 1, 2),
        NONE: contradictory,
        TWICE: twice,
        FULL: full(6),
        LARGE: opened(full(25), 12),
        "made/36": opened(full(36), 36),
    }
    return {
        name: Sudoku(grid, *boxes_of(len(grid)), puzzle_id=name, source="made", title=EVIL if name == TWO else None)
        for name, grid in grids.items()
    }


def solved() -> list[tuple[pa.Table, pa.Table]]:
    """Return the pair of tables."""
    batch = sudoku_batch(list(puzzles().values()))
    seen = SUDOKU.rules.as_nonograms(pa.Table.from_batches([batch]), PUZZLE_COLUMNS)
    return [(pa.Table.from_batches([classify(batch)]), seen)]
