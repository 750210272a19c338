"""Compile the kernels of Sudokus, or load them from the disk cache, before they are needed."""

import numpy as np

from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.sudoku_check import compile_checks
from nonocensus.solver.sudoku.sudoku_identity import compile_hashes
from nonocensus.solver.sudoku.sudoku_ladder import compile_rungs
from nonocensus.solver.sudoku.sudoku_proof import compile_proof
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades


def warm_up() -> None:
    """Compile or load all of them; they are the same for all sizes."""
    batch = grid_batch(np.zeros((1, 16), np.uint8), 2, 2)
    seen = grids(batch)
    compile_checks(seen)
    compile_hashes(seen)
    compile_rungs(seen)
    compile_proof(seen)
    grades(batch, np.zeros(1, np.bool_))
