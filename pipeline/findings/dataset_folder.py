"""Turn a run folder into a dataset: a folder that Hugging Face's datasets, DuckDB and others read as it is.

DIR/dataset.json                  says that this is a dataset of ours, so that the next one may replace it
DIR/data/train-00000.parquet      and so on; validation, test: the rows, sorted
DIR/croissant.json                what is in the files, as JSON-LD
DIR/README.md                     the card; written last, it makes the folder a dataset

All rows go through a database on disk. Only their ids are sorted, which says where each row stands; then the rows are
fetched from place to place. So memory is that of some ten thousand rows, whatever their number.
"""

import hashlib
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from tempfile import gettempdir
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, UserError
from pipeline.run.job_tables import current_grades
from pipeline.run.progress import summarize
from pipeline.run.result_pairs import pairs
from pipeline.run.run_folder import Run
from pipeline.scratch import scratch_folder
from pipeline.sql import interruptible, sql_errors
from pipeline.store.lock import staging
from pipeline.store.parts import chunk_tables, leaf_columns, one_batch
from pipeline.store.paths import Folder, folder
from reports.card import DatasetOrigin, RowCount, card, license_of
from reports.croissant import croissant
from reports.dataset_columns import (
    DUPLICATE,
    SPLITS,
    Content,
    DataFile,
    puzzle_columns,
    result_columns,
    rows_of,
    schema,
    splits_of,
)
from reports.family_words import WORDS
from reports.joined_columns import KeyedRows, finished, indexed
from solver.model.tables import SCHEMA_VERSION

MARK, CARD, CROISSANT = "dataset.json", "README.md", "croissant.json"
KIND = "nonocensus dataset"
DATA_FILE = re.compile(rf"({'|'.join(SPLITS)})-\d{{5}}\.parquet")

MEMORY, THREADS = "512MB", 4
"""Memory that DuckDB may take before it writes to the disk, and its number of threads."""

FILE_BYTES = 256 << 20
"""Bytes after which a new file is begun; on S3 a file is kept in memory until it is whole."""

GROUP_ROWS = 1 << 16
GROUP_BYTES = 64 << 20
"""Most bytes of a row group, uncompressed, not counting the rows fetched last: readers load whole row groups."""

KEPT_ROWS = 1 << 11
"""Rows of a row group of the database: the fewest that it allows."""

FETCHED_ROWS, FETCHED_BYTES = 1 << 14, 1 << 25
"""Most rows, and most bytes, that are fetched from the database at a time."""

DISTINCT = ("puzzle_id", "source_id", "url", "clue_hash", "canonical_hash", "duplicate_of", "goal", "solution")
"""Columns whose values are nearly all different, like seconds: Parquet's dictionary encoding gains nothing there."""

NATURAL = r"""array_to_string(list_transform(regexp_extract_all(source_id, '[0-9]+|[^0-9]+'),
    lambda part: case when part ~ '^[0-9]' then lpad(part, greatest(length(part), 20)::int, '0') else part end), '')"""
"""An id with its numbers filled up with zeros, so that 9 comes before 10."""

Seen = Callable[[str, int], object]
"""Called with what is being done, and how many more rows of it are done."""


def write_dataset(run: Run, uri: str, content: Content, seen: Seen = lambda *_: None) -> dict[str, Any]:
    """Write what a run has so far as a dataset; returns its rows, the rows of each split, its files and its folder.

    A former dataset of ours is replaced, once the new one is written. A UserError refuses a folder that holds anything
    else, a run without results, and what another process is writing.
    """
    place = folder(uri)
    _refuse_another(place)
    summary = summarize(run)
    if not summary["rows"]:
        raise UserError(f"{run.folder.name} has no results yet; go on with it: nonocensus classify")
    about, family = _about(run, content), WORDS[run.family.name]
    with _database() as database:
        grades = indexed(finished(current_grades(run)))
        size = _gather(database, run, content, grades, seen)
        _place(database)
        counts, duplicates = _counts(database), _find_duplicates(database)
        columns = schema(content, about, graded=len(grades.rows) > 0, family=family)
        with staging(place) as new:
            new.write_json(MARK, about)
            files = [
                file
                for split, places in _places(counts, _step(summary["rows"], size))
                for file in _write_split(new / "data", database, split, places, columns, seen)
            ]
            origin = _origin(run, summary, content)
            new.write_json(CROISSANT, croissant(origin, license_of(content, counts), columns, files))
            new.write(CARD, card(origin, columns, counts, duplicates))
            _clear(place)
            new.move(MARK, place)
            for name in (new / "data").names():
                (new / "data").move(name, place / "data")
            for name in (CROISSANT, CARD):
                new.move(name, place)
    return {
        "rows": sum(file.rows for file in files),
        "splits": {name: sum(file.rows for file in files if file.split == name) for name in SPLITS},
        "files": [file.path for file in files],
        "folder": place.name,
    }


def _about(run: Run, content: Content) -> dict[str, str]:
    """What the folder's mark and the metadata of its files say."""
    return {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "content": content.value,
        "run_id": run.manifest["run_id"],
        "config_hash": run.manifest["config_hash"],
        "solver_version": run.manifest["versions"]["nonocensus"],
    }


def _origin(run: Run, summary: dict[str, Any], content: Content) -> DatasetOrigin:
    return DatasetOrigin(
        content=content,
        family=WORDS[run.family.name],
        run_id=summary["run_id"],
        configuration=run.manifest["config"],
        config_hash=run.manifest["config_hash"],
        solver_version=run.manifest["versions"]["nonocensus"],
        puzzles=summary["puzzles"],
        started=summary["first_started"],
        finished=summary["last_finished"],
        hosts=len(summary["hosts"]),
    )


def _refuse_another(place: Folder) -> None:
    """Refuse a folder that holds anything but a dataset of ours, whole or half-written."""
    if place.has(MARK):
        with suppress(InputError):  # somebody's own dataset.json, of whatever shape
            if place.read_record(MARK, dict[str, Any]).get("kind") == KIND:
                return
    if place.names():
        raise UserError(
            f"{place.name} holds something else than a dataset of nonocensus; name an empty or a new folder"
        )


def _clear(place: Folder) -> None:
    """Delete a former dataset, first the card that makes it one; what others have put beside it stays."""
    for name in (CARD, CROISSANT):
        place.delete(name)
    data = place / "data"
    for name in data.names():
        if DATA_FILE.fullmatch(name):
            data.delete(name)
    for there in (place, data):
        there.sweep()


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A temporary database on disk; a UserError says what went wrong with it."""
    settings: dict[str, str | bool | int | float | list[str]] = {"memory_limit": MEMORY, "threads": THREADS}
    where = f"the rows could not be gathered in {gettempdir()} (TMPDIR names another place)"
    with sql_errors(where), scratch_folder() as folder_of_rows:
        place = folder_of_rows.replace("'", "''")
        with duckdb.connect(config=settings | {"temp_directory": folder_of_rows}) as database, interruptible():
            database.execute(f"attach '{place}/rows.duckdb' as rows (row_group_size {KEPT_ROWS})")
            database.execute("use rows")
            yield database


def _gather(database: duckdb.DuckDBPyConnection, run: Run, content: Content, grades: KeyedRows, seen: Seen) -> int:
    """Put all rows into the table `kept`, each with the number of its split; returns their size in bytes."""
    size = 0
    database.begin()
    family = WORDS[run.family.name]
    for results, puzzles in pairs(run, result_columns(content), puzzle_columns(content, family)):
        if not len(results):
            continue  # later files have all of these rows
        rows = rows_of(one_batch(results), one_batch(puzzles), content, grades, family)
        # DuckDB finds this by its name; what is registered would be kept until the transaction ends
        batch = pa.Table.from_batches([rows.append_column("split", splits_of(rows["canonical_hash"]))])
        database.execute("insert into kept from batch" if size else "create table kept as from batch")
        size += batch.nbytes
        seen("reading", len(batch))
    database.commit()
    return size


def _step(rows: int, size: int) -> int:
    """How many rows to fetch at a time."""
    return max(1, min(FETCHED_ROWS, FETCHED_BYTES * rows // size))


def _counts(database: duckdb.DuckDBPyConnection) -> list[RowCount]:
    """How many rows there are of each split, source, licence and label, or status where there is no label."""
    found = database.execute(
        "select split, source, license, coalesce(label, status), count(*) from kept group by all order by all"
    ).fetchall()
    return [RowCount(SPLITS[split], *values) for split, *values in found]


def _place(database: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `placed`: for each row of `kept` its place in the sorted dataset."""
    database.execute(f"""
        create table placed as
        select number, puzzle_id, clue_hash, row_number() over () - 1 as place
        from (
            select rowid as number, puzzle_id, clue_hash
            from kept order by split, source, {NATURAL}, puzzle_id, number
        )
    """)


def _find_duplicates(database: duckdb.DuckDBPyConnection) -> int:
    """Put the places whose clues an earlier place has into the table `duplicates`; returns their number."""
    database.execute(f"""
        create table duplicates as
        select placed.place, earliest.puzzle_id as {DUPLICATE.name}
        from (select clue_hash, min(place) as place from placed group by clue_hash having count(*) > 1) as equals
        join placed as earliest on earliest.place = equals.place
        join placed on placed.clue_hash = equals.clue_hash and placed.place > equals.place
    """)
    return int(database.execute("select count(*) from duplicates").fetchall()[0][0])


def _places(counts: list[RowCount], step: int) -> Iterator[tuple[str, range]]:
    """The splits that have rows, and the places where these stand, in steps."""
    first = 0
    for split in SPLITS:
        last = first + sum(count.rows for count in counts if count.split == split)
        if last > first:
            yield split, range(first, last, step)
        first = last


def _write_split(
    place: Folder, database: duckdb.DuckDBPyConnection, split: str, places: range, columns: pa.Schema, seen: Seen
) -> Iterator[DataFile]:
    """Write the files of a split."""
    groups = chunk_tables(_fetched(database, places, columns), GROUP_ROWS, GROUP_BYTES)
    for number, first in enumerate(groups):
        yield _write_file(place, f"{split}-{number:05d}.parquet", split, columns, chain([first], groups), seen)


def _fetched(database: duckdb.DuckDBPyConnection, places: range, columns: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of these places, in their order, a few at a time: as many as the steps of `places` are long."""
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
    place: Folder, name: str, split: str, columns: pa.Schema, groups: Iterator[pa.Table], seen: Seen
) -> DataFile:
    """Write row groups until the file is large enough or there are no more."""
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
                seen("writing", len(group))
                if hashed.size >= FILE_BYTES:
                    break
    return DataFile(f"data/{name}", split, rows, hashed.size, hashed.sha256.hexdigest())


class _Hashed(io.RawIOBase):
    """A stream to write to that counts and hashes what goes through."""

    def __init__(self, stream: pa.NativeFile) -> None:
        self.stream, self.size, self.sha256 = stream, 0, hashlib.sha256()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes."""
        self.stream.write(data)
        self.sha256.update(data)
        self.size += len(data)
        return len(data)
