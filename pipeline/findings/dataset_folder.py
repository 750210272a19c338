"""Write a run as a dataset folder for Hugging Face datasets, DuckDB and others.

DIR/dataset.json                  marks the folder as a dataset that may be replaced
DIR/data/train-00000.parquet      and so on; validation, test: sorted rows
DIR/croissant.json                metadata as JSON-LD
DIR/.zenodo.json                  metadata for a DOI, if the dataset has measures only
DIR/README.md                     the card; written last, so that its presence marks a complete dataset

Rows pass through a database on disk. Only their ids are sorted, which determines positions; then rows are fetched by
position. So memory use is that of some ten thousand rows.
"""

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from tempfile import gettempdir
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.job_tables import finished_grades, minutes_model
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.result_pairs import pairs
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.scratch import scratch_folder
from nonocensus.pipeline.sql import interruptible, sql_errors
from nonocensus.pipeline.store.lock import staging
from nonocensus.pipeline.store.parts import chunk_tables, leaf_columns, one_batch
from nonocensus.pipeline.store.paths import Folder, folder
from nonocensus.reports.dataset.card import DatasetOrigin, RowCount, card, license_of
from nonocensus.reports.dataset.croissant import croissant
from nonocensus.reports.dataset.dataset_columns import (
    CHECKSUM,
    DUPLICATE,
    SPLITS,
    Content,
    DataFile,
    needed_columns,
    rows_of,
    schema,
    splits_of,
)
from nonocensus.reports.words.citation import deposit
from nonocensus.solver.model.keyed_rows import KeyedRows
from nonocensus.solver.model.tables import PUZZLES, RESULTS, SCHEMA_VERSION

MARK, CARD, CROISSANT, DEPOSIT = "dataset.json", "README.md", "croissant.json", ".zenodo.json"
KIND = "nonocensus dataset"
DATA_FILE = re.compile(rf"({'|'.join(SPLITS)})-\d{{5}}\.parquet")

MEMORY, THREADS = "512MB", 4
"""Memory limit of DuckDB, beyond which it spills to disk, and its number of threads."""

FILE_BYTES = 256 << 20
"""Size in bytes at which a new file is started; on S3 a file is in memory until it is complete."""

GROUP_ROWS = 1 << 16
GROUP_BYTES = 64 << 20
"""Uncompressed bytes at which a row group is closed, as readers load whole row groups."""

KEPT_ROWS = 1 << 11
"""Rows per row group of the database, its minimum."""

FETCHED_ROWS, FETCHED_BYTES = 1 << 14, 1 << 25
"""Most rows, and most bytes, of a fetch from the database."""

DISTINCT = ("puzzle_id", "source_id", "url", "clue_hash", "canonical_hash", "duplicate_of", "goal", "solution")
"""Columns with mostly distinct values, such as seconds, for which dictionary encoding does not pay off."""

NATURAL = r"""array_to_string(list_transform(regexp_extract_all(source_id, '[0-9]+|[^0-9]+'),
    lambda part: case when part ~ '^[0-9]' then lpad(part, greatest(length(part), 20)::int, '0') else part end), '')"""
"""SQL for an id with zero-padded numbers, so that 9 sorts before 10."""


def write_dataset(
    run: Run,
    uri: str,
    content: Content,
    progress: ProgressCallbacks = SILENT,
    title: str | None = None,
    by: str | None = None,
) -> dict[str, Any]:
    """Write what a run has so far as a dataset, of a title and an author; return rows, splits, files, licence, folder.

    A previous dataset is replaced once the new one is written. Raises UserError if the folder has other content, the
    run has no results, or another process is writing there.
    """
    place = folder(uri)
    place.read_mark(MARK, KIND)
    summary = summarize(run)
    if not summary["rows"]:
        raise UserError(f"{run.folder.name} has no results yet; run nonocensus classify")
    grades = finished_grades(run)
    graded = len(grades.rows)
    about = {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "content": content.value,
        "run_id": run.manifest["run_id"],
        "config_hash": run.manifest["config_hash"],
        "solver_version": run.manifest["versions"]["nonocensus"],
        "minutes_model": minutes_model(grades.rows),
    }
    with _database() as database:
        progress.on_start("reading", run.rows, 0)
        size = _gather(database, run, content, grades, progress)
        _place(database)
        counts, duplicates = _counts(database), _find_duplicates(database)
        numbers = f"{CHECKSUM}, count(*) filter (solutions = 'unique')"
        checksum, unique = database.execute(f"select {numbers} from kept").fetchall()[0]
        license_id = license_of(content, counts)
        columns = schema(content, about, graded=graded > 0)
        step = max(1, min(FETCHED_ROWS, FETCHED_BYTES * summary["rows"] // size))
        progress.on_start("writing", summary["rows"], 0)
        with staging(place) as new:
            new.write_json(MARK, about)
            files = []
            for split, places in _places(counts, step):
                groups = chunk_tables(_fetch(database, places, columns), GROUP_ROWS, GROUP_BYTES)
                for number, first in enumerate(groups):
                    name = f"{split}-{number:05d}.parquet"
                    files.append(_write_file(new / "data", name, split, columns, chain([first], groups), progress))
            origin = DatasetOrigin(
                content, run.manifest, summary, about["minutes_model"], checksum, unique, graded, title, by
            )
            described = croissant(origin, counts, columns, files)
            others = {CROISSANT: described}
            if content == Content.measures:
                others[DEPOSIT] = deposit(described, license_id, title)
            for name, value in others.items():
                new.write_json(name, value)
            new.write(CARD, card(origin, columns, counts, duplicates))
            _clear(place)
            new.move(MARK, place)
            for name in (new / "data").names():
                (new / "data").move(name, place / "data")
            for name in (*others, CARD):
                new.move(name, place)
    return {
        "rows": sum(file.rows for file in files),
        "splits": {name: sum(file.rows for file in files if file.split == name) for name in SPLITS},
        "files": [file.path for file in files],
        "license": license_id,
        "folder": place.name,
    }


def _clear(place: Folder) -> None:
    """Delete a previous dataset, the card first; other files stay."""
    for name in (CARD, CROISSANT, DEPOSIT):
        place.delete(name)
    data = place / "data"
    for name in data.names():
        if DATA_FILE.fullmatch(name):
            data.delete(name)
    for there in (place, data):
        there.sweep()


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a temporary database on disk; its errors become UserError."""
    settings: dict[str, str | bool | int | float | list[str]] = {"memory_limit": MEMORY, "threads": THREADS}
    where = f"the rows could not be gathered in {gettempdir()} (TMPDIR names another place)"
    with sql_errors(where), scratch_folder() as folder_of_rows:
        place = folder_of_rows.replace("'", "''")
        with duckdb.connect(config=settings | {"temp_directory": folder_of_rows}) as database, interruptible():
            database.execute(f"attach '{place}/rows.duckdb' as rows (row_group_size {KEPT_ROWS})")
            database.execute("use rows")
            yield database


def _gather(
    database: duckdb.DuckDBPyConnection, run: Run, content: Content, grades: KeyedRows, progress: ProgressCallbacks
) -> int:
    """Insert all rows with their split into the table `kept`, and return their size in bytes."""
    size = 0
    database.begin()
    for results, puzzles in pairs(run, *(needed_columns(table, content) for table in (RESULTS, PUZZLES))):
        if not len(results):
            continue  # later files have all of these rows
        rows = rows_of(one_batch(results), one_batch(puzzles), content, grades)
        # DuckDB finds this by its name; what is registered would be kept until the transaction ends
        batch = pa.Table.from_batches([rows.append_column("split", splits_of(rows["canonical_hash"]))])
        database.execute("insert into kept from batch" if size else "create table kept as from batch")
        size += batch.nbytes
        progress.on_progress(len(batch), "")
    database.commit()
    return size


def _counts(database: duckdb.DuckDBPyConnection) -> list[RowCount]:
    """Count rows by split, source, licence and label, or status without a label."""
    found = database.execute(
        "select split, source, license, coalesce(label, status), count(*) from kept group by all order by all"
    ).fetchall()
    return [RowCount(SPLITS[split], *values) for split, *values in found]


def _place(database: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `placed` with the position of each row of `kept` in the sorted dataset."""
    database.execute(f"""
        create table placed as
        select number, puzzle_id, clue_hash, row_number() over () - 1 as place
        from (
            select rowid as number, puzzle_id, clue_hash
            from kept order by split, source, {NATURAL}, puzzle_id, number
        )
    """)


def _find_duplicates(database: duckdb.DuckDBPyConnection) -> int:
    """Fill the table `duplicates` with positions whose clues occur earlier, and return their number."""
    database.execute(f"""
        create table duplicates as
        select placed.place, earliest.puzzle_id as {DUPLICATE.name}
        from (select clue_hash, min(place) as place from placed group by clue_hash having count(*) > 1) as equals
        join placed as earliest on earliest.place = equals.place
        join placed on placed.clue_hash = equals.clue_hash and placed.place > equals.place
    """)
    return int(database.execute("select count(*) from duplicates").fetchall()[0][0])


def _places(counts: list[RowCount], step: int) -> Iterator[tuple[str, range]]:
    """Yield the splits with rows, and ranges of their positions."""
    first = 0
    for split in SPLITS:
        last = first + sum(count.rows for count in counts if count.split == split)
        if last > first:
            yield split, range(first, last, step)
        first = last


def _fetch(database: duckdb.DuckDBPyConnection, places: range, columns: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows at these positions, in order, one batch per step of `places`."""
    names = ", ".join(f'"{name}"' for name in columns.names)
    for first in places:
        found = database.sql(f"""
            select {names}
            from (select number, place from placed where place >= {first}
                  and place < {min(first + places.step, places.stop)})
            join (select rowid as number, * from kept) using (number)
            left join duplicates using (place)
            order by place
        """)
        yield from found.to_arrow_table().cast(columns).to_batches()


def _write_file(
    place: Folder, name: str, split: str, columns: pa.Schema, groups: Iterator[pa.Table], progress: ProgressCallbacks
) -> DataFile:
    """Write row groups until the file is large enough or rows run out."""
    repeated = [
        leaf
        for field in columns
        if field.name not in DISTINCT and not pa.types.is_floating(field.type)
        for leaf in leaf_columns(field.name, field.type)
    ]
    options = {"compression": "zstd", "use_dictionary": repeated, "write_page_index": True, "write_page_checksum": True}
    rows = 0
    with place.create(name) as stream:
        hashed = _Hashed(stream)
        with pq.ParquetWriter(hashed, columns, **options) as writer:
            for group in groups:
                writer.write_table(group, row_group_size=len(group))
                rows += len(group)
                progress.on_progress(len(group), "")
                if hashed.size >= FILE_BYTES:
                    break
    return DataFile(f"data/{name}", split, rows, hashed.size, hashed.sha256.hexdigest())


class _Hashed(io.RawIOBase):
    """An output stream that counts and hashes its bytes."""

    def __init__(self, stream: pa.NativeFile) -> None:
        self.stream, self.size, self.sha256 = stream, 0, hashlib.sha256()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes."""
        self.stream.write(data)
        self.sha256.update(data)
        self.size += len(data)
        return len(data)
