"""What mend has found in a run, as columns beside results.

A mending belongs to a puzzle's id and clues, not to a row's place. So one of a puzzle whose clues have changed since is
nobody's.
"""

import pyarrow as pa
import pyarrow.compute as pc

from solver.tables import MENDINGS

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
