"""The rules of Sudokus, as `solver.families` has them."""

import numpy as np
import pyarrow as pa

from solver.families import Rules
from solver.sudoku.api import classify
from solver.sudoku.batch import with_hashes
from solver.sudoku.check import faults_of
from solver.sudoku.grids import grids
from solver.sudoku.proof import solve_their_puzzles
from solver.tables import check_readable_sudokus
from solver.verdict import unclassified


def classified(
    batch: pa.RecordBatch, *, cpu_limit: float, rung: str, depth: int, check_goal: bool, wait: bool
) -> pa.RecordBatch:
    """As `classify`; of a Sudoku no goal is known, depth-2 has two levels, and its kernels are always waited for."""
    del depth, check_goal, wait
    return classify(batch, cpu_limit=cpu_limit, rung=rung)


def cells_of(batch: pa.RecordBatch) -> np.ndarray:
    """Cells of each puzzle, int64[rows]; 0 where its size is not known."""
    size: np.ndarray = batch["size"].fill_null(0).to_numpy().astype(np.int64)
    cells: np.ndarray = size * size
    return cells


def itself(batch: pa.RecordBatch, there: np.ndarray) -> np.ndarray:
    """Each row's own number: equal Sudokus are solved one by one, which takes less than to look for them."""
    del there
    return np.arange(len(batch))


def fitting(puzzles: pa.RecordBatch, grids_of: pa.Array, which: np.ndarray) -> np.ndarray:
    """Of each puzzle whether it is one of `which` (bool, sound ones only) and has a grid that solves it: bool[puzzles].

    grids_of   binary, a byte a cell, null where there is none
    """
    asked = np.flatnonzero(which & grids_of.is_valid().to_numpy(zero_copy_only=False))
    good = np.zeros(len(puzzles), np.bool_)
    if len(asked):
        offsets = np.frombuffer(grids_of.buffers()[1], np.int32)[grids_of.offset : grids_of.offset + len(puzzles) + 1]
        cells = np.frombuffer(grids_of.buffers()[2] or b"", np.uint8)
        good[asked] = solve_their_puzzles(grids(puzzles), asked, cells, offsets.astype(np.int64))
    return good


RULES = Rules(
    check_readable=check_readable_sudokus,
    classify=classified,
    unclassified=unclassified,
    cells=cells_of,
    faults=faults_of,
    first_of_equals=itself,
    fits=fitting,
    with_hashes=with_hashes,
)
