"""The solver's public face: `classify` a record batch of puzzles, `solve` one."""

import numpy as np
import pyarrow as pa

from solver.check import faults
from solver.ladder import climb
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch
from solver.verdict import results
from solver.views import views


def classify(batch: pa.RecordBatch, *, cpu_limit: float = 60.0) -> pa.RecordBatch:
    """Classify every puzzle of a batch of the puzzles table; returns a batch of the results table, row for row.

    cpu_limit   CPU seconds for each puzzle; one that needs more has the status `timeout` and keeps what was found

    Nothing is raised for a puzzle: one whose clues can't be has the status `invalid` and says why in `error`.
    """
    seen = views(batch)
    wrong = faults(seen)
    sound = np.ones(len(batch), bool)
    sound[list(wrong)] = False
    return results(batch, seen, wrong, climb(seen, np.flatnonzero(sound), cpu_limit))


def solve(puzzle: Puzzle, *, cpu_limit: float = 60.0) -> dict[str, object]:
    """Classify one puzzle; returns its row of the results table as a dictionary."""
    row: dict[str, object] = classify(puzzle_batch([puzzle]), cpu_limit=cpu_limit).to_pylist()[0]
    return row
