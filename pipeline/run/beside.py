"""RUN/beside/part-*.parquet: the puzzles that a task leaves to the next level, beside its file of results.

Without them the next level would read whole row groups of the store for single puzzles. They are a copy that need not
be there: what is missing, damaged or of another store is read in the store. They go when the run is done.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.store import spans
from pipeline.store.folder import READERS, Folder
from pipeline.store.parts import Part, one_batch
from pipeline.store.spans import Spans
from solver.families import Family
from solver.tables import conform

PLACE = pa.schema([("part", pa.string()), ("sha256", pa.string()), ("row", pa.int64())])
"""Columns before those of the puzzles: where each is in the store, and the hash that this part has."""

Rows = dict[str, tuple[np.ndarray, pa.RecordBatch]]
"""Puzzles by the part of the store that they are of: their numbers there, int64, ascending, and themselves."""


def beside(run: Folder) -> Folder:
    """The folder of a run folder that has these files."""
    return run / "beside"


def write_beside(
    run: Folder, name: str, puzzles: Sequence[tuple[Part, np.ndarray, pa.RecordBatch]], family: Family
) -> None:
    """Write puzzles under the name of a file of results, each batch with its part and the rows that it is there."""
    schema = _schema(family)
    with (
        beside(run).create(f"{name}.parquet") as stream,
        pq.ParquetWriter(stream, schema, compression="zstd", write_page_checksum=True) as writer,
    ):
        tables = [
            pa.table({"part": [part.name] * len(rows), "sha256": [part.sha256] * len(rows), "row": rows}
                     | {column: batch[column] for column in family.decisive}).cast(schema)
            for part, rows, batch in puzzles
        ]  # fmt: skip
        writer.write_table(pa.concat_tables(tables))


def read_beside(
    run: Folder, names: Sequence[str], wanted: dict[str, Spans], parts: dict[str, Part], family: Family
) -> Rows:
    """Rows of the store that stand in files of these names: all that are wanted of a part, or none of it.

    parts   those that are wanted, as they must have been when the files were written
    """
    with ThreadPoolExecutor(READERS) as readers:
        read = readers.map(lambda name: _read(beside(run), name, family), names)
        tables = [table for table in read if table is not None]
    if not tables:
        return {}
    together = pa.concat_tables(tables)
    rows: Rows = {}
    for part, there in wanted.items():
        of_part = pc.and_(pc.equal(together["part"], part), pc.equal(together["sha256"], parts[part].sha256))
        table = together.filter(of_part)
        numbers, places = np.unique(table["row"].to_numpy(), return_index=True)
        those = spans.rows_of(there)
        if np.isin(those, numbers).all():
            puzzles = table.drop_columns(PLACE.names).take(places[np.searchsorted(numbers, those)])
            rows[part] = those, one_batch(puzzles)
    return rows


def _schema(family: Family) -> pa.Schema:
    return pa.schema([*PLACE, *(family.table.field(column) for column in family.decisive)])


def _read(place: Folder, name: str, family: Family) -> pa.Table | None:
    """The puzzles of a file, read at once; None if it can't be read, or has others than the family's."""
    schema = _schema(family)
    try:
        with place.open(f"{name}.parquet") as file:
            data = file.read()
        reader = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        table = conform(reader.read(columns=schema.names), schema, schema.names)
        family.rules.check_readable(one_batch(table.drop_columns(PLACE.names)))
    except (OSError, ValueError, pa.ArrowException):
        return None
    return table
