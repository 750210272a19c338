"""The rules of nonograms, as `solver.families` has them."""

import numpy as np
import pyarrow as pa

from solver.api import classify
from solver.check import faults_of
from solver.families import Rules
from solver.identity import first_of_equals
from solver.proof import fits
from solver.tables import check_readable, with_hashes
from solver.verdict import unclassified
from solver.views import views


def cells_of(batch: pa.RecordBatch) -> np.ndarray:
    """Cells of each puzzle, int64[rows]; 0 where its size is not known."""
    width, height = (batch[name].fill_null(0).to_numpy().astype(np.int64) for name in ("width", "height"))
    cells: np.ndarray = width * height
    return cells


def fitting(puzzles: pa.RecordBatch, pictures: pa.Array, which: np.ndarray) -> np.ndarray:
    """Of each puzzle whether it is one of `which` (bool, sound ones only), has a picture, and that fits: bool[puzzles].

    puzzles    a batch that `check_readable` has passed
    pictures   binary, a byte a cell, null where there is none
    """
    asked = np.flatnonzero(which & pictures.is_valid().to_numpy(zero_copy_only=False))
    good = np.zeros(len(puzzles), np.bool_)
    if len(asked):
        offsets = np.frombuffer(pictures.buffers()[1], np.int32)[pictures.offset : pictures.offset + len(puzzles) + 1]
        cells = np.frombuffer(pictures.buffers()[2] or b"", np.uint8)
        good[asked] = fits(views(puzzles), asked, cells, offsets.astype(np.int64))
    return good


RULES = Rules(
    check_readable=check_readable,
    classify=classify,
    unclassified=unclassified,
    cells=cells_of,
    faults=faults_of,
    first_of_equals=lambda batch, there: first_of_equals(batch["clue_hash"], views(batch), there),
    fits=fitting,
    with_hashes=with_hashes,
    as_nonograms=pa.Table.select,
    needed=list,
)
