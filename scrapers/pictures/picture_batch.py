"""Vectorized conversion of pictures to puzzles."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color
from nonocensus.solver.model.tables import PALETTE, clue_batch
from nonocensus.solver.model.views import Clues, Views


def views_of(pictures: np.ndarray) -> Views:
    """Return the clues of pictures, uint8[count, height, width] of palette entries.

    The arrays are read-only like a table's (solver.model.views), so that kernels need not be compiled again for
    writable ones.
    """
    count, height, width = pictures.shape
    rows, columns = _clues(pictures), _clues(np.ascontiguousarray(pictures.transpose(0, 2, 1)))
    sizes = np.full(count, width, np.uint16), np.full(count, height, np.uint16)
    for array in (*sizes, *rows, *columns):
        array.flags.writeable = False
    return Views(*sizes, rows, columns)


def _clues(pictures: np.ndarray) -> Clues:
    """Return the clues of the pictures' rows."""
    count, lines, cells = pictures.shape
    padded = np.zeros(count * lines * (cells + 1) + 1, np.uint8)
    padded[1:].reshape(-1, cells + 1)[:, :cells] = pictures.reshape(-1, cells)
    before, after = padded[:-1], padded[1:]
    changes = before != after
    starts, ends = np.flatnonzero(changes & (after != 0)), np.flatnonzero(changes & (before != 0))
    blocks = np.zeros(count * lines + 1, np.int32)
    np.cumsum(np.bincount(starts // (cells + 1), minlength=count * lines), out=blocks[1:])
    return Clues(
        np.arange(0, count * lines + 1, lines, dtype=np.int32),
        blocks,
        (ends - starts).astype(np.uint16),
        after[starts],
    )


def picture_batch(
    pictures: np.ndarray, source: str, source_ids: pa.StringArray, palette: tuple[Color, ...] = BLACK_ON_WHITE
) -> pa.RecordBatch:
    """Return a batch of the puzzles table from pictures, uint8[count, height, width], which become the goals.

    Colours are palette entries, numbered in order of first use in each picture, row by row.
    """
    count, height, width = pictures.shape
    offsets = np.arange(0, (count + 1) * height * width, height * width, dtype=np.int32)
    goals = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(pictures))]
    entries = pa.array([[color._asdict() for color in palette]], PALETTE)
    views = views_of(pictures)
    others = {
        "puzzle_id": pc.binary_join_element_wise(source, source_ids, "/"),
        "source": pa.repeat(source, count),
        "source_id": source_ids,
        "goal": pa.Array.from_buffers(pa.binary(), count, goals),
        "palette": entries.take(pa.array(np.zeros(count, np.int32))),
    }
    return clue_batch(views.rows, views.columns, others)
