"""What a command has found in a run, as columns beside the run's results.

It belongs to a puzzle's id and clues, not to a row's place. So what was found of a puzzle whose clues have changed
since is nobody's.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KEY = ("puzzle_id", "clue_hash")
"""The columns that results and what was found of them have in common."""

VALUES = np.arange(256, dtype=np.uint8) - np.repeat([ord("0"), ord("a") - 10], [58, 198]).astype(np.uint8)
"""The value of each hex digit, by its character."""


class KeyedRows(NamedTuple):
    """What was found, ready to be looked up; `indexed` makes it.

    rows    with the columns KEY, sorted by `bits`
    bits    uint64[rows]: the first 64 bits of the clue hashes
    """

    rows: pa.Table
    bits: np.ndarray


def indexed(found: pa.Table) -> KeyedRows:
    """What was found, with the columns KEY, ready to be looked up: once for all results, however many there are."""
    bits = first_bits(found["clue_hash"].combine_chunks())
    order = np.argsort(bits, kind="stable")
    return KeyedRows(found.take(pa.array(order)), bits[order])


def beside(results: pa.RecordBatch, found: KeyedRows, columns: pa.Schema) -> pa.RecordBatch:
    """Columns of what was found, for each row of results: nulls where there is nothing, the first where there is more.

    results    with the columns KEY
    columns    of what was found, in the order that is wanted
    """
    if not len(found.rows):
        return pa.RecordBatch.from_arrays([pa.nulls(len(results), field.type) for field in columns], schema=columns)
    wanted = np.unique(first_bits(results["clue_hash"]))
    first, last = (np.searchsorted(found.bits, wanted, side) for side in ("left", "right"))
    sizes = last - first
    near = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())  # all places of all ranges
    rows = found.rows.take(pa.array(near))
    places = pc.index_in(keys(results), value_set=keys(rows), skip_nulls=True)
    taken = rows.select(columns.names).take(places)
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in taken.columns], schema=columns)


def keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    """What rows and what was found of them have in common, text[rows]: clue hash and id; null if one is not known."""
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")


def first_bits(hashes: pa.Array) -> np.ndarray:
    """The first 64 bits of hashes in hex as uint64[rows], 0 for null and for what is shorter: it is none."""
    known = pc.greater_equal(pc.binary_length(hashes), 16)
    digits = pc.binary_slice(pc.cast(pc.fill_null(pc.if_else(known, hashes, None), "0" * 16), pa.binary()), 0, 16)
    text = np.frombuffer(digits.buffers()[2], np.uint8)[: 16 * len(hashes)].reshape(-1, 16)
    pairs = VALUES.take(text).view("<u2")  # the first digit of two in the lower byte
    return (pairs << 4 | pairs >> 8).astype(np.uint8).view(">u8").ravel().astype(np.uint64)
