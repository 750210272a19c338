"""Rows of one table joined to those of another by puzzle id and clue hash.

Rows of puzzles whose clues have changed since do not match, and are ignored.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KEY = ("puzzle_id", "clue_hash")
"""The columns by which results and findings are joined."""

VALUES = np.arange(256, dtype=np.uint8) - np.repeat([ord("0"), ord("a") - 10], [58, 198]).astype(np.uint8)
"""The value of each hex digit, by its character."""


class KeyedRows(NamedTuple):
    """Rows of a finding, indexed by clue hash; `index_rows` makes them.

    rows    with the columns KEY, sorted by `bits`
    bits    uint64[rows]: the first 64 bits of the clue hashes
    """

    rows: pa.Table
    bits: np.ndarray


def index_rows(found: pa.Table) -> KeyedRows:
    """Index rows with the columns KEY by clue hash."""
    bits = first_bits(found["clue_hash"].combine_chunks())
    order = np.argsort(bits, kind="stable")
    return KeyedRows(found.take(pa.array(order)), bits[order])


def join_columns(results: pa.RecordBatch, found: KeyedRows, columns: pa.Schema) -> pa.RecordBatch:
    """Join columns to results: null without a match, the first of several matches.

    results    with the columns KEY
    columns    to return, in order; those that `found` lacks are null
    """
    if not len(found.rows):
        return pa.RecordBatch.from_arrays([pa.nulls(len(results), field.type) for field in columns], schema=columns)
    wanted = np.unique(first_bits(results["clue_hash"]))
    first, last = (np.searchsorted(found.bits, wanted, side) for side in ("left", "right"))
    sizes = last - first
    near = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())  # the indices of all ranges
    rows = found.rows.take(pa.array(near))
    places = pc.index_in(keys(results), value_set=keys(rows), skip_nulls=True)
    taken = rows.select([name for name in columns.names if name in rows.column_names]).take(places)
    arrays = [
        taken[field.name].combine_chunks() if field.name in taken.column_names else pa.nulls(len(taken), field.type)
        for field in columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    """Return the join key of each row, text[rows]: clue hash and id; null if either is."""
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")


def first_bits(hashes: pa.Array) -> np.ndarray:
    """Return the first 64 bits of hex hashes as uint64[rows], 0 for null and invalid ones."""
    known = pc.greater_equal(pc.binary_length(hashes), 16)
    digits = pc.binary_slice(pc.cast(pc.fill_null(pc.if_else(known, hashes, None), "0" * 16), pa.binary()), 0, 16)
    text = np.frombuffer(digits.buffers()[2], np.uint8)[: 16 * len(hashes)].reshape(-1, 16)
    pairs = VALUES.take(text).view("<u2")  # the first of two digits is in the lower byte
    return (pairs << 4 | pairs >> 8).astype(np.uint8).view(">u8").ravel().astype(np.uint64)
