"""Which puzzles of a batch may be solved at all, and pictures beside them, checked against their clues."""

import numpy as np
import pyarrow as pa

from solver.model.families import Rules


def sound(rules: Rules, puzzles: pa.RecordBatch) -> np.ndarray:
    """Which puzzles some solution may have, bool[puzzles]; the others must not come near a kernel."""
    good = np.ones(len(puzzles), np.bool_)
    good[list(rules.faults(puzzles))] = False
    return good


def fitting(rules: Rules, puzzles: pa.RecordBatch, pictures: pa.Array, which: np.ndarray) -> np.ndarray:
    """Of each puzzle whether it is one of `which` (bool, sound ones only), has a picture, and that fits: bool[puzzles].

    puzzles    a batch that the rules' `check_readable` has passed
    pictures   binary, a byte a cell, null where there is none
    """
    asked = np.flatnonzero(which & pictures.is_valid().to_numpy(zero_copy_only=False))
    good = np.zeros(len(puzzles), np.bool_)
    if len(asked):
        offsets = np.frombuffer(pictures.buffers()[1], np.int32)[pictures.offset : pictures.offset + len(puzzles) + 1]
        cells = np.frombuffer(pictures.buffers()[2] or b"", np.uint8)
        good[asked] = rules.fits(puzzles, asked, cells, offsets.astype(np.int64))
    return good
