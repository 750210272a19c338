"""The puzzles of an archive as Parquet: a folder that grows part by part.

STORE/store.json                     says that this is a store, and of which version
STORE/puzzles/part-00000.parquet     puzzles, in row groups: what is read at a time
STORE/puzzles/part-00000.json        that part's statistics; written last, it marks the part complete
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UserError
from pipeline.settings import Settings, default_settings
from pipeline.store import spans
from pipeline.store.folder import Folder, folder
from solver.tables import PUZZLES, SCHEMA_VERSION

T = TypeVar("T")

MARK = "store.json"
KIND = "nonocensus store"
DISTINCT = ("puzzle_id", "source_id", "url", "goal", "clue_hash", "canonical_hash", "raw_sha256")
"""Columns that hardly hold a value twice."""


def leaves(path: str, kind: pa.DataType) -> list[str]:
    """The columns that Parquet makes of a column of a table: one for each field of its structs."""
    if pa.types.is_list(kind):
        return leaves(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in leaves(f"{path}.{field.name}", field.type)]
    return [path]


REPEATED = [leaf for field in PUZZLES if field.name not in DISTINCT for leaf in leaves(field.name, field.type)]
"""Parquet's columns that get a dictionary of their values: all others, for which it only takes time."""


class Part(NamedTuple):
    """A complete part of a store.

    name     its file's name without suffix
    rows     its puzzles
    groups   the puzzles of each row group
    sha256   hash of what a classification depends on: ids, clue hashes and goals of all rows, in their order
    """

    name: str
    rows: int
    groups: list[int]
    sha256: str


DECISIVE = ("puzzle_id", "clue_hash", "goal")
"""Columns that a part's hash is made of; ratings and the like may change without undoing what was classified."""


class Store(NamedTuple):
    """A store of puzzles; see `open_store` and `create_store`."""

    folder: Folder

    @property
    def puzzles(self) -> Folder:
        """The folder of the parts."""
        return self.folder / "puzzles"

    def parts(self) -> list[Part]:
        """The complete parts, in the order in which they were written."""
        return [
            Part(**{key: about[key] for key in Part._fields})
            for about in self.puzzles.read_jsons(name for name in self.puzzles.names() if name.endswith(".json"))
        ]

    def rows(self) -> int:
        """Number of puzzles."""
        return sum(part.rows for part in self.parts())

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """All puzzles, a row group at a time."""
        for part in self.parts():
            with self.puzzles.open(f"{part.name}.parquet") as file:
                reader = pq.ParquetFile(file)
                for group in range(len(part.groups)):
                    yield one_batch(reader.read_row_group(group, columns=columns))

    def read(
        self, part: str, wanted: spans.Spans, columns: list[str] | None = None
    ) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
        """Some rows of a part, a row group at a time: their numbers (int64) and the rows themselves.

        Raises OSError or ArrowException if the file is damaged: each page carries a checksum.
        """
        with self.puzzles.open(f"{part}.parquet") as file:
            reader = pq.ParquetFile(file, page_checksum_verification=True)
            first = 0
            for group in range(reader.num_row_groups):
                last = first + reader.metadata.row_group(group).num_rows
                here = spans.rows_of(spans.within(wanted, first, last))
                if len(here):
                    table = reader.read_row_group(group, columns=columns)
                    yield here, one_batch(table if len(here) == len(table) else table.take(here - first))
                first = last


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """A table as one record batch with no offset, so that its buffers can be read as they lie."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def create_store(uri: str) -> Store:
    """Make a store, or open the one that is there to add to it; refuse a folder that holds anything else.

    Nothing is written before `append` has puzzles to write.
    """
    place = folder(uri)
    if place.has(MARK):
        return open_store(uri)
    if place.names():
        raise UserError(f"{uri} holds something else than a store of puzzles; name an empty or a new folder")
    return Store(place)


def open_store(uri: str) -> Store:
    """Open a store; a UserError says why if it is none, or one of another version."""
    place = folder(uri)
    place.read_mark(MARK, "a store of puzzles", "import FILES")
    return Store(place)


def mark(store: Store) -> None:
    """Make the folder a store, if it is not yet one."""
    if not store.folder.has(MARK):
        store.folder.write_json(MARK, {"kind": KIND, "schema": SCHEMA_VERSION})


def append(store: Store, batches: Iterable[pa.RecordBatch], settings: Settings | None = None) -> int:
    """Add puzzles as new parts; returns their number.

    A part is complete once its statistics stand beside it. If the process dies, the complete parts stay and the rest
    leaves no trace.
    """
    settings = settings or default_settings()
    store.puzzles.sweep()
    numbers = [int(name.split("-")[1].split(".")[0]) for name in store.puzzles.names()]
    number = max(numbers, default=-1) + 1
    total = 0
    groups = regrouped(batches, settings.rows_per_group)
    for first in groups:
        mark(store)
        total += write_part(store.puzzles, f"part-{number:05d}", first, groups, settings.groups_per_part)
        number += 1
    return total


def write_part(place: Folder, name: str, first: pa.RecordBatch, more: Iterator[pa.RecordBatch], groups: int) -> int:
    """Write up to `groups` record batches as the row groups of one part, then its statistics; returns its rows."""
    written: list[int] = []
    options = {"compression": "zstd", "use_dictionary": REPEATED, "write_page_checksum": True}
    digest = hashlib.sha256()
    with place.create(f"{name}.parquet") as stream, pq.ParquetWriter(stream, PUZZLES, **options) as writer:
        batch: pa.RecordBatch | None = first
        while batch is not None:
            writer.write_batch(batch, row_group_size=len(batch))
            written.append(len(batch))
            _hash_rows(batch, digest)
            batch = next(more, None) if len(written) < groups else None
    statistics: dict[str, Any] = Part(name, sum(written), written, digest.hexdigest())._asdict()
    place.write_json(f"{name}.json", statistics)
    return sum(written)


def _hash_rows(batch: pa.RecordBatch, digest: Any) -> None:
    """Feed the decisive columns to a hash: which values there are, their lengths, their bytes."""
    for name in DECISIVE:
        column = batch[name].cast(pa.binary())
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
        digest.update(np.packbits(column.is_valid().to_numpy(zero_copy_only=False)))
        digest.update(np.diff(offsets))
        if column.buffers()[2] is not None:
            digest.update(memoryview(column.buffers()[2])[int(offsets[0]) : int(offsets[-1])])


def rewrite(store: Store, change: Callable[[pa.RecordBatch], pa.RecordBatch]) -> int:
    """Put other rows in place of those of each part, row group by row group; returns how many parts have changed.

    A part keeps its name and its row groups. Each is replaced as a whole, so a process that dies leaves every part as
    it was or as it should be, but perhaps with the old one's hash: then `rewrite` must be called again.
    """
    store.puzzles.sweep()
    changed = 0
    for part in store.parts():
        before = [batch for _, batch in store.read(part.name, [(0, part.rows)])]
        after = [change(batch) for batch in before]
        if any(not new.equals(old) for new, old in zip(after, before, strict=True)):
            write_part(store.puzzles, part.name, after[0], iter(after[1:]), len(after))
            changed += 1
    return changed


def regrouped(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of exactly `rows`, the last one excepted."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch)
        while count >= rows:
            table = pa.Table.from_batches(waiting)
            yield one_batch(table.slice(0, rows))
            waiting = table.slice(rows).to_batches()
            count -= rows
    if count:
        yield one_batch(pa.Table.from_batches(waiting))


def gathered(batches: Iterable[pa.RecordBatch], rows: int, size: int) -> Iterator[pa.Table]:
    """The same rows in tables of `rows` rows or `size` bytes or a little more, the last one excepted."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= rows or sum(some.nbytes for some in waiting) >= size:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items; while one is worked on, a thread makes the next."""
    end = object()
    with ThreadPoolExecutor(1) as maker:
        following: Future[T | object] = maker.submit(next, items, end)
        while (item := following.result()) is not end:
            following = maker.submit(next, items, end)
            yield cast("T", item)
