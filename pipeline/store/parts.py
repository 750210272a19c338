"""The puzzles of an archive as Parquet: a folder that grows part by part.

STORE/store.json                     says that this is a store, of which version, and which one
STORE/puzzles/part-00000.parquet     nonograms, in row groups: what is read at a time
STORE/puzzles/part-00000.json        names that file and its hash; written last, it makes the part count
STORE/writer.lock                    who writes here (pipeline.store.lock)

Other families of puzzles (solver.model.families) have folders of their own beside `puzzles`.

A part is replaced (ratings come, replies are read anew) by a file of another name, part-00000-1a2b3c.parquet, and then
a new JSON, each by one rename. So a reader sees the old part or the new one, whenever it looks. On far storage every
Parquet file has such a name, and the JSON is a conditional write (pipeline.store.lock).
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, StorageError, UserError
from pipeline.settings import Settings, default_settings
from pipeline.store import spans
from pipeline.store.lock import LOCK, check_lease, commit_under_lease, writer_lock
from pipeline.store.objects import ConflictError
from pipeline.store.paths import Folder, folder
from solver.model.families import FAMILIES, NONOGRAM, Family
from solver.model.tables import SCHEMA_VERSION, conform

T = TypeVar("T")

MARK, RUN_MARK = "store.json", "run.json"
KIND = "nonocensus store"


def leaf_columns(path: str, kind: pa.DataType) -> list[str]:
    """The columns that Parquet makes of a column of a table: one for each field of its structs."""
    if pa.types.is_list(kind):
        return leaf_columns(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in leaf_columns(f"{path}.{field.name}", field.type)]
    return [path]


def dictionary_columns(family: Family) -> list[str]:
    """Parquet's columns that get a dictionary of their values: not those for which it only takes time."""
    return [
        leaf
        for field in family.table
        if field.name not in family.distinct
        for leaf in leaf_columns(field.name, field.type)
    ]


class StoreManifest(TypedDict, total=False):
    """What store.json says; `id` is the store's own, wherever it is moved to (stores of before have none)."""

    kind: str
    schema: str
    id: str


PART = re.compile(r"(part-(\d{5,}))(?:-[0-9a-f]+)?\.(?:json|parquet)")
"""The names of a part's files; others in the folder are not ours."""


@dataclass(frozen=True)
class Part:
    """A complete part of a store.

    name     part-00000
    rows     its puzzles
    groups   the puzzles of each row group
    sha256   hash of what a classification depends on (`hash_rows`)
    file     name of its Parquet file
    size     bytes of that file; -1 where it is not known (parts of before)
    """

    name: str
    rows: int
    groups: list[int]
    sha256: str
    file: str = ""
    size: int = -1

    def __post_init__(self) -> None:
        if min(self.groups, default=0) < 1 or self.rows != sum(self.groups):
            raise ValueError("its row groups don't have its rows")
        if not self.file:
            object.__setattr__(self, "file", f"{self.name}.parquet")  # absent in parts written by the first versions
        named = PART.fullmatch(self.file)
        if named is None or named[1] != self.name or not self.file.endswith(".parquet"):
            raise ValueError(f"its file is called {self.file!r}")


HASH_KEY = b"nonocensus.sha256"
"""Where the part's hash stands in its Parquet file."""


class Store(NamedTuple):
    """The puzzles of a family in a store; see `open_store` and `create_store`."""

    folder: Folder
    family: Family = NONOGRAM

    @property
    def puzzles(self) -> Folder:
        """The folder of the parts."""
        return self.folder / self.family.folder

    @property
    def id(self) -> str:
        """The store's own id, wherever it is; empty for one that has not been written yet, or before there were ids."""
        return self.folder.read_record(MARK, StoreManifest).get("id", "") if self.folder.has(MARK) else ""

    def parts(self) -> list[Part]:
        """The complete parts, in the order in which they were written. An InputError names a damaged JSON."""
        names = [name for name in self.puzzles.names() if _names_part(name)]
        parts = self.puzzles.read_records(names, Part)
        for name, part in zip(names, parts, strict=True):
            if name != f"{part.name}.json":
                raise self.damage(name, f"it says that it is {part.name}")
        return parts

    def part(self, name: str) -> Part:
        """The part of a name."""
        try:
            return self.puzzles.read_record(f"{name}.json", Part)
        except FileNotFoundError:
            raise self.damage(f"{name}.json", "it is not there") from None

    def damage(self, file: str, what: object) -> InputError:
        """What to say of a file of the store that can't be read."""
        return InputError(
            f"{self.puzzles.name}/{file} can't be read: {what}",
            f"nonocensus verify {self.folder.name} tells what to do",
        )

    def rows(self) -> int:
        """Number of puzzles."""
        return sum(part.rows for part in self.parts())

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """All puzzles, a row group at a time."""
        for part in self.parts():
            for _, batch in self.read(part, [(0, part.rows)], columns):
                yield batch

    def read(
        self, part: Part, wanted: spans.Spans, columns: list[str] | None = None
    ) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
        """Some rows of a part, a row group at a time: their numbers (int64) and the rows themselves.

        Raises InputError if the file is damaged (each page carries a checksum), has other rows than the part's, or
        has been replaced by a part with another hash.
        """
        with self._opened(part) as reader:
            table = self.family.table
            schema = table if columns is None else pa.schema([table.field(name) for name in columns], table.metadata)
            there = [name for name in schema.names if name in reader.schema_arrow.names]
            first = 0
            for group, rows in enumerate(part.groups):
                last = first + rows
                here = spans.rows_of(spans.within(wanted, first, last))
                if len(here):
                    try:
                        found = reader.read_row_group(group, columns=there)
                        found.validate(full=True)  # offsets within the buffers, text that is UTF-8
                        rows_there = conform(found, schema, self.family.required)
                    except (OSError, ValueError, pa.ArrowException) as error:
                        raise self.damage(part.file, error) from error
                    yield here, one_batch(rows_there if len(here) == rows else rows_there.take(here - first))
                first = last

    @contextmanager
    def _opened(self, part: Part) -> Iterator[pq.ParquetFile]:
        """The file of a part, if it is what the part's JSON says of it."""
        try:
            file = self.puzzles.open(part.file)
        except FileNotFoundError:
            file = self._replaced(part)
        except OSError as error:
            raise self.damage(part.file, error) from error
        with file:
            try:
                reader = pq.ParquetFile(file, page_checksum_verification=True)
                about = reader.metadata
                groups = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
                there = (about.metadata or {}).get(HASH_KEY, part.sha256.encode()).decode()
            except (OSError, ValueError, pa.ArrowException) as error:
                raise self.damage(part.file, error) from error
            if (groups, there) != (part.groups, part.sha256):
                raise self.damage(part.file, f"it holds other puzzles than {part.name}.json says")
            yield reader

    def _replaced(self, part: Part) -> pa.NativeFile:
        """The file of a part that has been replaced by one with the same puzzles (and other ratings, say)."""
        now = self.part(part.name)
        if now.sha256 != part.sha256:
            raise self.damage(part.file, "the part has been replaced since, with other puzzles")
        try:
            return self.puzzles.open(now.file)
        except OSError as error:
            raise self.damage(now.file, error) from error


def _names_part(name: str) -> bool:
    """Whether a file is the JSON of a part."""
    return name.endswith(".json") and PART.fullmatch(name) is not None


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """A table as one record batch with no offset, so that its buffers can be read as they lie."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def drop_rows(batch: pa.RecordBatch, rows: Iterable[int]) -> pa.RecordBatch:
    """A batch without some of its rows."""
    kept = np.ones(len(batch), np.bool_)
    kept[list(rows)] = False
    return batch if kept.all() else batch.filter(pa.array(kept))


def create_store(uri: str, family: Family = NONOGRAM) -> Store:
    """Make a store, or open the one that is there to add to it; refuse a folder that holds anything else.

    Nothing is written before `append` has puzzles to write.
    """
    place = folder(uri)
    if _found(place) is not None:
        return open_store(uri, family)
    if [name for name in place.names() if name != LOCK]:
        raise UserError(f"{uri} holds something else than a store of puzzles; name an empty or a new folder")
    return Store(place, family)


def open_store(uri: str, family: Family | None = None) -> Store:
    """Open a family's puzzles in a store, or those that it has; a UserError says why if it is none.

    It also says so if the store is one of another version, or has several families and none is named: STORE/puzzles are
    its nonograms, and so on.
    """
    if Path(uri).is_file():
        raise UserError(f"{uri} is a file, not a folder of a store; import it: nonocensus import {uri} --out STORE")
    place = folder(uri)
    place, named = _found(place) or (place, None)
    if not place.has(MARK) and Path(uri).is_dir() and any(Path(uri).iterdir()):
        advice = f"import what is in it: nonocensus import {uri} --out STORE"
        if place.has(RUN_MARK):
            advice = "it is a run, and `nonocensus status` names its store"
        raise UserError(f"{uri} is not a store of puzzles; {advice}")
    family = named or family
    place.read_mark(MARK, StoreManifest, "a store of puzzles", "import FILES")
    if family is not None:
        return Store(place, family)
    there = stored_families(place)
    if len(there) > 1:
        names = " or ".join(f"{uri.rstrip('/')}/{family.folder}" for family in there)
        raise UserError(f"{uri} has puzzles of several families; name {names}")
    return Store(place, there[0] if there else NONOGRAM)


def is_store(uri: str) -> bool:
    """Whether there is a store at a path or URI, or one family's puzzles of a store."""
    return ("://" in uri or Path(uri).is_dir()) and _found(folder(uri)) is not None


def _found(place: Folder) -> tuple[Folder, Family | None] | None:
    """The store that a folder is, or is one family's in: its folder, and that family; None if it is neither."""
    if place.has(MARK):
        return place, None
    for family in FAMILIES.values():
        if place.path.endswith(f"/{family.folder}") and place.parent.has(MARK):
            return place.parent, family
    return None


def stored_families(place: Folder) -> list[Family]:
    """The families of which a store has puzzles."""
    names = place.names()
    return [
        family
        for family in FAMILIES.values()
        if family.folder in names and any(map(_names_part, (place / family.folder).names()))
    ]


def require_nonograms(family: Family, name: str) -> None:
    """Raise a UserError if a run or store of this name holds puzzles that are no nonograms."""
    if family is not NONOGRAM:
        raise UserError(f"{name} holds puzzles of the family {family.name}; this command takes nonograms")


def write_manifest(store: Store) -> None:
    """Make the folder a store, if it is not yet one."""
    if not store.folder.has(MARK):
        with commit_under_lease(store.folder):
            store.folder.commit(MARK, {"kind": KIND, "schema": SCHEMA_VERSION, "id": secrets.token_hex(16)})


def next_part(store: Store) -> int:
    """The number of the next part that is appended.

    On far storage a Parquet file without its JSON does not count. It may be a paused writer's, which must be refused:
    only if both writers want the same number does one of their commits fail.
    """
    names = store.puzzles.names()
    found = (PART.fullmatch(name) for name in names if store.puzzles.local or _names_part(name))
    return max((int(name[2]) for name in found if name), default=-1) + 1


def append(
    store: Store, batches: Iterable[pa.RecordBatch], settings: Settings | None = None, number: int | None = None
) -> int:
    """Add puzzles as new parts; returns their count. A UserError says so if another command writes to the store.

    A part is complete once its JSON stands beside it. If the process dies, the complete parts stay and the rest leaves
    no trace. A caller that has read the store's parts under the same lock passes the number that came next then: a part
    that another writer adds meanwhile, though it has lost its lease, is an error and never missed.
    """
    settings = settings or default_settings()
    total = 0
    with writer_lock(store.folder):
        store.puzzles.sweep()
        number = next_part(store) if number is None else number
        groups = rebatch(batches, settings.rows_per_group)
        for first in groups:
            write_manifest(store)
            total += write_part(store, f"part-{number:05d}", first, groups, settings.groups_per_part)
            number += 1
    return total


def write_part(store: Store, name: str, first: pa.RecordBatch, more: Iterator[pa.RecordBatch], groups: int) -> int:
    """Write up to `groups` record batches as the row groups of one part, then its JSON; returns its rows.

    A part of this name is replaced: the file that it had is deleted at the end. A file that a killed process has left
    belongs to no part, and nobody reads it; `nonocensus verify` names it.
    """
    place, family = store.puzzles, store.family
    over = place.version(f"{name}.json")
    before = place.read_record(f"{name}.json", Part).file if place.has(f"{name}.json") else None
    written: list[int] = []
    options = {"compression": "zstd", "use_dictionary": dictionary_columns(family), "write_page_checksum": True}
    digest = hashlib.sha256()
    file = f"{name}.parquet" if before is None and place.local else f"{name}-{secrets.token_hex(6)}.parquet"
    with place.create(file) as stream, pq.ParquetWriter(stream, family.table, **options) as writer:
        batch: pa.RecordBatch | None = first
        while batch is not None:
            writer.write_batch(batch, row_group_size=len(batch))
            written.append(len(batch))
            hash_rows(family, batch, digest)
            batch = next(more, None) if len(written) < groups else None
        writer.add_key_value_metadata({HASH_KEY.decode(): digest.hexdigest()})
    part = Part(name, sum(written), written, digest.hexdigest(), file, place.size(file) or 0)
    try:
        with commit_under_lease(place):
            place.commit(f"{name}.json", asdict(part), over)
    except ConflictError as error:
        raise StorageError(f"{store.folder.name}: another command has written {name} meanwhile; try again") from error
    except OSError:
        if place.local:  # a full disk: far away the write may have succeeded all the same
            place.delete(file)
        raise
    if before is not None:
        place.delete(before)
    return part.rows


def hash_rows(family: Family, batch: pa.RecordBatch, digest: Any) -> None:
    """Feed what results depend on to a hash: of each column which values there are, their lengths, their bytes.

    Ratings and the like may change without undoing what was classified.
    """
    for name in family.hashed:
        column = batch[name].cast(pa.binary())
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
        digest.update(np.packbits(column.is_valid().to_numpy(zero_copy_only=False)))
        digest.update(np.diff(offsets))
        if column.buffers()[2] is not None:
            digest.update(memoryview(column.buffers()[2])[int(offsets[0]) : int(offsets[-1])])


def rewrite(store: Store, change: Callable[[pa.RecordBatch], pa.RecordBatch]) -> int:
    """Put other rows in place of those of each part, row group by row group; returns how many parts have changed.

    Parts and row groups keep their places; a part that has no rows left goes. Each is replaced as a whole, so a process
    that dies leaves every part as it was or as it should be.
    """
    changed = 0
    with writer_lock(store.folder):
        store.puzzles.sweep()
        for part in store.parts():
            before = [batch for _, batch in store.read(part, [(0, part.rows)])]
            after = [change(batch) for batch in before]
            if all(new.equals(old) for new, old in zip(after, before, strict=True)):
                continue
            changed += 1
            kept = [batch for batch in after if len(batch)]
            if kept:
                write_part(store, part.name, kept[0], iter(kept[1:]), len(kept))
            else:
                check_lease(store.folder)
                store.puzzles.delete(f"{part.name}.json")
                store.puzzles.delete(part.file)
    return changed


def rebatch(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
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


def chunk_tables(batches: Iterable[pa.RecordBatch], rows: int, size: int) -> Iterator[pa.Table]:
    """The same rows in tables of `rows` rows or `size` bytes or a little more, the last one excepted."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= rows or sum(some.nbytes for some in waiting) >= size:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """The same items; while one is worked on, a thread makes the next."""
    end = object()
    with ThreadPoolExecutor(1) as maker:
        following: Future[T | object] = maker.submit(next, items, end)
        while (item := following.result()) is not end:
            following = maker.submit(next, items, end)
            yield cast("T", item)
