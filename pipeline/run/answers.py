"""Which puzzles of a batch may be solved at all."""

import numpy as np
import pyarrow as pa

from solver.families import Rules


def sound(rules: Rules, puzzles: pa.RecordBatch) -> np.ndarray:
    """Which puzzles some solution may have, bool[puzzles]; the others must not come near a kernel."""
    good = np.ones(len(puzzles), np.bool_)
    good[list(rules.faults(puzzles))] = False
    return good
