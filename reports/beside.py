"""What a command has found in a run, as columns beside the run's results.

It belongs to a puzzle's id and clues, not to a row's place. So what was found of a puzzle whose clues have changed
since is nobody's.
"""

import pyarrow as pa
import pyarrow.compute as pc

KEY = ("puzzle_id", "clue_hash")
"""The columns that results and what was found of them have in common."""


def beside(results: pa.RecordBatch, found: pa.Table, columns: pa.Schema) -> pa.RecordBatch:
    """Columns of what was found, for each row of results: nulls where there is nothing, the first where there is more.

    results, found    with the columns puzzle_id and clue_hash
    columns           of `found`, in the order that is wanted
    """
    places = pc.index_in(keys(results), value_set=keys(found), skip_nulls=True)
    taken = found.select(columns.names).take(places)
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in taken.columns], schema=columns)


def keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    """What rows and what was found of them have in common, text[rows]: clue hash and id; null if one is not known."""
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")
