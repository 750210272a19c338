"""Conversion of Sudokus to and from batches of the table SUDOKUS."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np
import pyarrow as pa

from nonocensus.solver.model.tables import SUDOKUS, put_hashes
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_identity import sudoku_hashes
from nonocensus.solver.sudoku.sudoku_puzzle import OPEN, Sudoku

DERIVED = ("givens", "clues", "clue_hash", "canonical_hash")
"""Columns computed for a whole batch."""


def sudoku_batch(puzzles: Sequence[Sudoku]) -> pa.RecordBatch:
    """Return Sudokus as a batch of the table SUDOKUS, hashes included."""
    columns = {
        field.name: pa.array([getattr(puzzle, field.name) for puzzle in puzzles], field.type)
        for field in SUDOKUS
        if field.name not in DERIVED
    }
    givens = pa.array([puzzle.givens.tobytes() for puzzle in puzzles], pa.binary())
    clues = pa.array([np.count_nonzero(puzzle.givens != OPEN) for puzzle in puzzles], pa.uint16())
    return _with_hashes(columns | {"givens": givens, "clues": clues}, len(puzzles))


def sudokus_of(batch: pa.RecordBatch) -> Iterator[Sudoku]:
    """Yield the rows of the table as Sudoku objects.

    Raises ValueError if a row is not a square grid, TypeError if it is null.
    """
    for row in batch.to_pylist():
        givens = np.frombuffer(row["givens"], np.uint8).reshape(row["size"], row["size"])
        yield Sudoku(givens, **{field.name: row[field.name] for field in fields(Sudoku)[1:]})


def grid_batch(
    givens: np.ndarray, box_width: int, box_height: int, columns: dict[str, pa.Array] | None = None
) -> pa.RecordBatch:
    """Return grids of one kind as a batch of the table SUDOKUS, with hashes and these other columns.

    givens   uint8[puzzles, size x size]
    """
    count, cells = givens.shape
    size = box_width * box_height
    if cells != size * size:
        raise ValueError(f"boxes of {box_width}x{box_height} make grids of {size * size} cells, not {cells}")
    ends = pa.py_buffer(np.arange(0, (count + 1) * cells, cells, dtype=np.int32)[: count + 1])
    data = pa.py_buffer(np.ascontiguousarray(givens, np.uint8))
    sides = {"size": size, "box_width": box_width, "box_height": box_height}
    derived = {name: pa.array(np.full(count, side, np.uint8)) for name, side in sides.items()} | {
        "givens": pa.Array.from_buffers(pa.binary(), count, [None, ends, data]),
        "clues": pa.array(np.count_nonzero(givens != OPEN, axis=1).astype(np.uint16)),
    }
    return _with_hashes((columns or {}) | derived, count)


def with_hashes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with clue_hash and canonical_hash computed."""
    return put_hashes(batch, sudoku_hashes(grids(batch)))


def _with_hashes(columns: dict[str, pa.Array], count: int) -> pa.RecordBatch:
    """Return a batch of these columns and hashes; the others are null."""
    arrays = [columns.get(field.name, pa.nulls(count, field.type)) for field in SUDOKUS]
    return with_hashes(pa.RecordBatch.from_arrays(arrays, schema=SUDOKUS))
