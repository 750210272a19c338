"""The flat arrays that kernels read: a record batch of the puzzles table as it lies in memory, nothing copied."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Clues(NamedTuple):
    """The row or column clues of a batch, as kernels read them: Arrow's own buffers, nothing copied.

    Lines of puzzle p are lines[p] .. lines[p + 1]; blocks of line i are blocks[i] .. blocks[i + 1].
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
    """The arrays under the columns width, height, rows and columns of a batch of the puzzles table."""
    return Views(
        batch["width"].to_numpy(), batch["height"].to_numpy(), clue_arrays(batch["rows"]), clue_arrays(batch["columns"])
    )


def clue_arrays(column: pa.ListArray) -> Clues:
    """The arrays under a column of clues."""
    blocks = column.values
    return Clues(
        column.offsets.to_numpy(),
        blocks.offsets.to_numpy(),
        blocks.values.field("length").to_numpy(),
        blocks.values.field("color").to_numpy(),
    )
