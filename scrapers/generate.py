"""Pictures made by rule, and their puzzles, whole batches at a time: no Python object for any of them."""

import numpy as np
import pyarrow as pa

from solver.puzzle import BLACK_ON_WHITE
from solver.tables import PALETTE, PUZZLES, clue_column, with_hashes
from solver.views import Clues, Views


def random_pictures(count: int, width: int, height: int, density: float, seed: int) -> np.ndarray:
    """Pictures uint8[count, height, width] whose cells are black with probability `density`, each for itself."""
    rng = np.random.default_rng(seed)
    return (rng.random((count, height, width), np.float32) < density).astype(np.uint8)


def every_picture(width: int, height: int, first: int, last: int) -> np.ndarray:
    """Black and white pictures number `first` to `last` - 1 of the 2^(width x height), cell k being bit k."""
    numbers = np.arange(first, last, dtype=np.uint64)[:, None]
    cells = np.arange(width * height, dtype=np.uint64)
    return (numbers >> cells & np.uint64(1)).astype(np.uint8).reshape(-1, height, width)


def views_of(pictures: np.ndarray) -> Views:
    """The clues of pictures, uint8[count, height, width] of palette entries."""
    count, height, width = pictures.shape
    return Views(
        np.full(count, width, np.uint16),
        np.full(count, height, np.uint16),
        _clues(pictures),
        _clues(np.ascontiguousarray(pictures.transpose(0, 2, 1))),
    )


def _clues(pictures: np.ndarray) -> Clues:
    """The clues of the pictures' rows."""
    count, lines, cells = pictures.shape
    rows = pictures.reshape(-1, cells)
    changes = rows[:, 1:] != rows[:, :-1]
    starts, ends = rows != 0, rows != 0
    starts[:, 1:] &= changes
    ends[:, :-1] &= changes
    first, last = np.flatnonzero(starts), np.flatnonzero(ends)
    blocks = np.zeros(count * lines + 1, np.int32)
    np.cumsum(np.count_nonzero(starts, axis=1), out=blocks[1:])
    return Clues(
        np.arange(0, count * lines + 1, lines, dtype=np.int32),
        blocks,
        (last - first + 1).astype(np.uint16),
        rows.ravel()[first],
    )


def picture_batch(pictures: np.ndarray, ids: list[str]) -> pa.RecordBatch:
    """A batch of the puzzles table: the puzzles of black and white pictures, uint8[count, height, width], as goals.

    An id is "source/id there".
    """
    count, height, width = pictures.shape
    seen = views_of(pictures)
    sources = [name.split("/", 1) for name in ids]
    offsets = np.arange(0, (count + 1) * height * width, height * width, dtype=np.int32)
    goals = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(pictures))]
    columns = {
        "puzzle_id": pa.array(ids),
        "source": pa.array([source for source, _ in sources]),
        "source_id": pa.array([name for _, name in sources]),
        "width": pa.array(seen.width),
        "height": pa.array(seen.height),
        "kind": pa.array(["mono"] * count),
        "blotted": pa.array(np.zeros(count, bool)),
        "palette": pa.array([[color._asdict() for color in BLACK_ON_WHITE]] * count, PALETTE),
        "rows": clue_column(seen.rows),
        "columns": clue_column(seen.columns),
        "goal": pa.Array.from_buffers(pa.binary(), count, goals),
    }
    arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in PUZZLES]
    return with_hashes(pa.RecordBatch.from_arrays(arrays, schema=PUZZLES))
