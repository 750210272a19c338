"""Zero-copy views of a record batch of the table SUDOKUS, as the flat arrays that kernels read."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver.model.views import numbers


class Grids(NamedTuple):
    """A record batch of Sudokus as kernels read it.

    size, box_width, box_height   uint8[puzzles]
    ends                          int32[puzzles + 1]: puzzle p's givens are givens[ends[p] : ends[p + 1]]. They never
                                  decrease and lie inside it; sudoku_check verifies that there are size x size
    givens                        uint8: row by row, 0 for an open cell
    """

    size: np.ndarray
    box_width: np.ndarray
    box_height: np.ndarray
    ends: np.ndarray
    givens: np.ndarray


def grids(batch: pa.RecordBatch) -> Grids:
    """Return views of a batch. Nulls are ignored: their slots may hold any value. `sudoku_check` reports nulls."""
    size, wide, high = (numbers(batch[name]) for name in ("size", "box_width", "box_height"))
    column = batch["givens"]
    _, offsets, data = column.buffers()
    if not len(column) or offsets is None:  # Arrow allows the buffer of an empty array to be missing
        ends = numbers(pa.array([0] * (len(column) + 1), pa.int32()))
    else:
        ends = numbers(pa.Array.from_buffers(pa.int32(), len(column) + 1, [None, offsets], offset=column.offset))
    return Grids(size, wide, high, ends, np.frombuffer(data or b"", np.uint8))
