"""The flat arrays that kernels read: a record batch of the puzzles table as it lies in memory, nothing copied."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Clues(NamedTuple):
    """The row or column clues of a batch, as kernels read them: Arrow's own buffers, nothing copied.

    Lines of puzzle p are lines[p] .. lines[p + 1]; blocks of line i are blocks[i] .. blocks[i + 1]. Neither ever
    decreases, and all lie inside the next array: `solver.model.tables.check_readable` checks untrusted batches.
    """

    lines: np.ndarray  # int32[puzzles + 1]
    blocks: np.ndarray  # int32[all lines + 1]
    length: np.ndarray  # uint16[all blocks], 0 for a blot
    color: np.ndarray  # uint8[all blocks], 1 and up


class Views(NamedTuple):
    """A record batch of puzzles as kernels read it."""

    width: np.ndarray  # uint16[puzzles]
    height: np.ndarray  # uint16[puzzles]
    rows: Clues
    columns: Clues


def views(batch: pa.RecordBatch) -> Views:
    """The arrays under the columns width, height, rows and columns of a batch of the puzzles table.

    What stands under a null, any number, is there like everything else; `solver.model.check` knows of nulls.
    """
    return Views(
        numbers(batch["width"]), numbers(batch["height"]), clue_arrays(batch["rows"]), clue_arrays(batch["columns"])
    )


def clue_arrays(column: pa.ListArray) -> Clues:
    """The arrays under a column of clues."""
    blocks = column.values
    length, color = (numbers(blocks.values.field(name)) for name in ("length", "color"))
    return Clues(_offsets(column), _offsets(blocks), length, color)


def _offsets(column: pa.ListArray) -> np.ndarray:
    """Where each list of a column begins, and where the last one ends."""
    if not len(column):  # then Arrow lets the buffer be missing
        return numbers(pa.array([0], pa.int32()))
    return numbers(column.offsets)


def numbers(column: pa.Array) -> np.ndarray:
    """A column of numbers as it lies in memory, copied only if it lies at an address that no number should have.

    Always read-only, so that the kernels are compiled for one type of array.
    """
    if column.null_count:
        column = pa.Array.from_buffers(column.type, len(column), [None, column.buffers()[1]], offset=column.offset)
    found: np.ndarray = column.to_numpy()
    if not found.flags.aligned:
        found = found.copy()
        found.flags.writeable = False
    return found
