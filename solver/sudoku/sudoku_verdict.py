"""Rows of the results table from the ladder's outcome, with each solution verified."""

import numpy as np
import pyarrow as pa

from nonocensus.solver.ladder.outcome import Outcome
from nonocensus.solver.ladder.verdict import WRONG_SOLUTION, check_verdicts, result_rows
from nonocensus.solver.sudoku.grids import Grids
from nonocensus.solver.sudoku.sudoku_proof import solve_their_puzzles
from nonocensus.solver.sudoku.units import KINDS

LEVELS = 2
"""Depth of the rung depth-2."""


def results(batch: pa.RecordBatch, seen: Grids, outcome: Outcome) -> pa.RecordBatch:
    """Return the results table's rows for a batch of valid Sudokus. Lines are units: 27 for 9x9."""
    errors: dict[int, str] = {}
    check_verdicts(outcome, errors)
    _check_solutions(seen, outcome, errors)
    size = seen.size.astype(np.int64)
    unknown = pa.nulls(len(batch), pa.bool_())
    return result_rows(batch, outcome, errors, LEVELS, KINDS * size, (size * size).astype(np.int32), unknown)


def _check_solutions(seen: Grids, outcome: Outcome, errors: dict[int, str]) -> None:
    """Record in `errors` every puzzle with a wrong solution, or twice the same one."""
    for number, solutions in ((1, outcome.first), (2, outcome.second)):
        found = np.flatnonzero(outcome.found >= number)
        good = solve_their_puzzles(seen, found, solutions, outcome.offsets)
        errors.update(dict.fromkeys(found[~good].tolist(), WRONG_SOLUTION))
    differ = np.add.reduceat(np.append(outcome.first != outcome.second, False), outcome.offsets[:-1], dtype=np.int64)
    errors.update(dict.fromkeys(np.flatnonzero((outcome.found == 2) & (differ == 0)).tolist(), WRONG_SOLUTION))
