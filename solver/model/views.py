"""Zero-copy views of a record batch of the puzzles table, as the flat arrays that kernels read."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Clues(NamedTuple):
    """Views of the row or column clues of a batch, Arrow's own buffers.

    Lines of puzzle p are lines[p] .. lines[p + 1]; blocks of line i are blocks[i] .. blocks[i + 1]. Offsets never
    decrease and stay inside the next array: `solver.model.tables.check_readable` checks untrusted batches.
    """

    lines: np.ndarray  # int32[puzzles + 1]
    blocks: np.ndarray  # int32[all lines + 1]
    length: np.ndarray  # uint16[all blocks], 0 for a blot
    color: np.ndarray  # uint8[all blocks], 1 and up


class Views(NamedTuple):
    """Views of a record batch of puzzles."""

    width: np.ndarray  # uint16[puzzles]
    height: np.ndarray  # uint16[puzzles]
    rows: Clues
    columns: Clues


def views(batch: pa.RecordBatch) -> Views:
    """Return views of the columns width, height, rows and columns of a batch of the puzzles table.

    Nulls are ignored: their slots may hold any number. `solver.model.check` reports nulls.
    """
    return Views(
        numbers(batch["width"]), numbers(batch["height"]), clue_arrays(batch["rows"]), clue_arrays(batch["columns"])
    )


def clue_arrays(column: pa.ListArray) -> Clues:
    """Return views of a column of clues."""
    blocks = column.values
    length, color = (numbers(blocks.values.field(name)) for name in ("length", "color"))
    return Clues(_offsets(column), _offsets(blocks), length, color)


def _offsets(column: pa.ListArray) -> np.ndarray:
    """Return the offsets of a column's lists."""
    if not len(column):  # Arrow allows the buffer of an empty array to be missing
        return numbers(pa.array([0], pa.int32()))
    return numbers(column.offsets)


def numbers(column: pa.Array) -> np.ndarray:
    """Return a view of a column of numbers, copied only if misaligned.

    Always read-only, so that kernels are compiled for one array type.
    """
    if column.null_count:
        column = pa.Array.from_buffers(column.type, len(column), [None, column.buffers()[1]], offset=column.offset)
    found: np.ndarray = column.to_numpy()
    if not found.flags.aligned:
        found = found.copy()
        found.flags.writeable = False
    return found


def highest_colors(batch: Views, which: np.ndarray) -> np.ndarray:
    """Return the highest colour in the clues of each of the puzzles `which`, 0 for none: uint8[len(which)]."""
    highest = np.zeros(len(which), np.uint8)
    for clues in (batch.rows, batch.columns):
        first, last = (clues.blocks[clues.lines[which + k]] for k in (0, 1))
        some = np.flatnonzero(first < last)
        if len(some):
            bounds = np.column_stack([first[some], last[some]]).ravel()
            start, end = int(bounds.min()), int(bounds.max())
            colors = np.append(clues.color[start:end], np.uint8(0))  # reduceat needs an element after the last bound
            is_mono = colors.max() == 1
            here = 1 if is_mono else np.maximum.reduceat(colors, bounds - start)[::2]
            highest[some] = np.maximum(highest[some], here)
    return highest
