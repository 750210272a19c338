"""What `warm` has compiled is all that Sudokus need, whatever their size."""

import random

import numba
import numpy as np
import pytest
import sudoku_oracle as oracle
from kernels import signatures

from nonocensus.solver.sudoku import sudoku_check, sudoku_identity, sudoku_ladder, sudoku_proof
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.sudoku_kernels import warm_up

KERNELS = (
    *(sudoku_check._look, sudoku_identity._write_texts, sudoku_proof._check),
    *(sudoku_ladder._line_rung, sudoku_ladder._bands_rung, sudoku_ladder._upper_rungs),
)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is nothing to compile")
def test_nothing_is_compiled_after_warm() -> None:
    warm_up()
    before = [signatures(kernel) for kernel in KERNELS]
    assert all(before), "each is there; tests before this one may have had some compiled for other types"
    rng = random.Random(1)
    for wide, high, share in ((3, 3, 0.25), (3, 2, 0.3), (5, 5, 0.8)):
        grids = [oracle.full_grid(wide, high, rng).ravel() for _ in range(200)]
        givens = np.array([np.where([rng.random() < share for _ in grid], grid, 0) for grid in grids], np.uint8)
        classify(grid_batch(givens, wide, high))
        classify(grid_batch(givens, wide, high), cpu_limit=1, rung="probe")
    assert [signatures(kernel) for kernel in KERNELS] == before
