"""Classification of Sudokus: `classify` for a record batch, `solve` for one."""

import numpy as np
import pyarrow as pa

from nonocensus.solver.ladder.ladder_options import rung_number, seconds_of
from nonocensus.solver.ladder.verdict import classify_valid
from nonocensus.solver.model.tables import check_readable_sudokus
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_check import faults_of
from nonocensus.solver.sudoku.sudoku_ladder import climb
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.sudoku_verdict import results


def classify(batch: pa.RecordBatch, *, cpu_limit: float = 60.0, rung: str = "search") -> pa.RecordBatch:
    """Classify every Sudoku of a batch of the table SUDOKUS; returns a batch of the results table, row for row.

    cpu_limit   CPU seconds for each puzzle; one that needs more has the status `timeout` and keeps what was found
    rung        the last rung to try: line, depth-2, probe or search; puzzles it leaves open are `stalled`

    Invalid puzzles raise nothing: they have the status `invalid` and the reason in `error`. Raises ValueError for an
    invalid limit or rung and for a batch that is damaged or not of the table; TypeError for other types.
    """
    seconds, top = seconds_of(cpu_limit), rung_number(rung)
    if not isinstance(batch, pa.RecordBatch):
        raise TypeError(f"classify takes a pyarrow RecordBatch of Sudokus, not {type(batch).__name__}")
    check_readable_sudokus(batch)

    def solved(sound: pa.RecordBatch) -> pa.RecordBatch:
        seen = grids(sound)
        return results(sound, seen, climb(seen, np.arange(len(sound)), seconds, top))

    return classify_valid(batch, faults_of(batch), solved)


def solve(puzzle: Sudoku, *, cpu_limit: float = 60.0, rung: str = "search") -> dict[str, object]:
    """Classify one Sudoku; returns its row of the results table as a dictionary. Arguments and errors of `classify`."""
    row: dict[str, object] = classify(sudoku_batch([puzzle]), cpu_limit=cpu_limit, rung=rung).to_pylist()[0]
    return row
