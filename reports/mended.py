"""What mend has found in a run: its table, and its columns beside results.

A mending belongs to a puzzle's id and clues, not to a row's place. So one of a puzzle whose clues have changed since is
nobody's.
"""

import pyarrow as pa
import pyarrow.compute as pc

MENDINGS = pa.schema(
    [
        pa.field(name, kind, metadata={"description": description})
        for name, kind, description in (
            ("puzzle_id", pa.string(), "the puzzle's key"),
            ("clue_hash", pa.string(), "the puzzle's identity"),
            ("change", pa.string(), "the smallest change found that leaves one solution, in words"),
            ("cells", pa.int32(), "cells in which the mended picture differs from the solution it was made of"),
            ("mended", pa.binary(), "the mended picture: height x width bytes, row by row, a palette entry each"),
            ("solver_version", pa.string(), "version of nonocensus"),
        )
    ]
)

NO_MENDINGS = MENDINGS.empty_table()

MENDED = pa.schema([MENDINGS.field(name) for name in ("change", "mended")])
"""What a report shows of a mending."""


def mended_beside(results: pa.RecordBatch, mendings: pa.Table) -> pa.RecordBatch:
    """The columns MENDED of each row's mending, nulls where it has none; of several of one puzzle the first counts.

    results    with the columns puzzle_id and clue_hash
    mendings   of the schema MENDINGS
    """
    places = pc.index_in(_keys(results), value_set=_keys(mendings), skip_nulls=True)
    found = mendings.select(MENDED.names).take(places)
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in found.columns], schema=MENDED)


def _keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")
