"""Puzzles of an archive as Parquet: a folder that grows part by part.

STORE/store.json                     kind, schema version and id of the store
STORE/puzzles/part-00000.parquet     puzzles, in row groups, the unit of reading
STORE/puzzles/part-00000.json        names that file and its hash; written last, it makes the part count
STORE/crawl.sqlite                   the ledger of a crawl (pipeline.crawl.ledger)
STORE/writer.lock                    who is writing, while a command does (pipeline.store.lock)

A part is replaced (with ratings, after a reparse, by `import --update` and `remove`) by a Parquet file of another name,
part-00000-1a2b3c.parquet, then a new JSON, each by an atomic rename: readers see the old part or the new one. On object
storage every Parquet file has such a name, and the JSON is a conditional write (pipeline.store.lock).
"""

import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nonocensus.pipeline.errors import InputError, StorageError, UserError, VersionError, reason_of
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import LOCK, check_lease, commit_under_lease, writer_lock
from nonocensus.pipeline.store.objects import ConflictError
from nonocensus.pipeline.store.paths import Folder, folder, is_folder
from nonocensus.scrapers.archives.source_file import RUN_MARK
from nonocensus.scrapers.archives.source_file import STORE_MARK as MARK
from nonocensus.solver.model.tables import PUZZLE_REQUIRED, PUZZLES, SCHEMA_VERSION, conform, open_parquet

T = TypeVar("T")

KIND, LEDGER, RECIPE = "nonocensus store", "crawl.sqlite", "generate.json"

HASHED_COLUMNS = ("puzzle_id", "clue_hash", "goal")
"""Columns that a part's hash covers: ids, identities, and what else results depend on."""

DISTINCT_COLUMNS = (
    *("puzzle_id", "source_id", "url", "goal", "clue_hash", "canonical_hash", "raw_sha256"),
    *("solution", "second_solution"),
)
"""Columns of puzzles and of rows about them with few repeated values."""


class PartShape(NamedTuple):
    """The shape of a part.

    rows_per_group    puzzles in a row group, which is what is read at a time
    groups_per_part   row groups in a Parquet file
    """

    rows_per_group: int = 1024
    groups_per_part: int = 16


DEFAULT_SHAPE = PartShape()

MAX_NAMED = 5
"""Maximum of unknown ids that an error names."""

COMMITTED = 60.0
"""Seconds after which a Parquet file without JSON is not one that a command is about to write."""


def leaf_columns(path: str, kind: pa.DataType) -> list[str]:
    """Return the Parquet leaf columns of a table column: one per field of its structs."""
    if pa.types.is_list(kind):
        return leaf_columns(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in leaf_columns(f"{path}.{field.name}", field.type)]
    return [path]


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """Return the options of Parquet files: checksums, and dictionaries for columns whose values repeat."""
    repeated = (field for field in schema if field.name not in DISTINCT_COLUMNS)
    leaves = [leaf for field in repeated for leaf in leaf_columns(field.name, field.type)]
    return {"compression": "zstd", "use_dictionary": leaves, "write_page_checksum": True}


class StoreManifest(TypedDict):
    """The content of store.json; `id` stays when the store is moved."""

    kind: str
    schema: str
    id: str


PART = re.compile(r"(part-(\d{5,}))(?:-[0-9a-f]+)?\.(?:json|parquet)")
"""Names of a part's files; other files in the folder are ignored."""


@dataclass(frozen=True)
class Part:
    """A complete part of a store, as its JSON holds it.

    name     part-00000
    rows     number of puzzles
    groups   number of puzzles in each row group
    sha256   hash of the columns a classification depends on (`hash_rows`)
    file     name of its Parquet file
    size     bytes of that file
    """

    name: str
    rows: int
    groups: list[int]
    sha256: str
    file: str
    size: int

    def __post_init__(self) -> None:
        if min(self.groups, default=0) < 1 or self.rows != sum(self.groups):
            raise ValueError("the row groups don't add up to its rows")
        named = PART.fullmatch(self.file)
        if named is None or named[1] != self.name or not self.file.endswith(".parquet"):
            raise ValueError(f"its file is called {self.file!r}")


HASH_KEY = b"nonocensus.sha256"
"""Key of the part's hash in the Parquet metadata."""


class Store(NamedTuple):
    """The puzzles in a store; see `open_store` and `create_store`."""

    folder: Folder

    @property
    def puzzles(self) -> Folder:
        """The folder of the parts."""
        return self.folder / "puzzles"

    @property
    def id(self) -> str:
        """The store's id; empty if nothing is written yet."""
        return self.folder.read_record(MARK, StoreManifest)["id"] if self.folder.has(MARK) else ""

    @property
    def has_ledger(self) -> bool:
        """Whether a crawl has filled the store."""
        return self.folder.local and bool(self.folder.size(LEDGER))  # an empty file has no tables yet

    def parts(self) -> list[Part]:
        """Return the complete parts in the order of writing. Raises InputError for a damaged JSON."""
        there = self.puzzles.names()
        for lost in filter(PART.fullmatch, without_json(there)):
            if (self.puzzles.age(lost) or 0.0) > COMMITTED:
                _warn_once(f"{self.puzzles.name}/{lost} has no JSON, so its puzzles are left out; {self.advice}")
        names = [name for name in there if _names_part(name)]
        parts: list[Part] = []
        for name, part in zip(names, self.puzzles.read_each(names, Part, self.advice), strict=True):
            if isinstance(part, Exception):
                raise part
            if name != f"{part.name}.json":
                raise self.damage(name, f"it names the part {part.name}")
            parts.append(part)
        return parts

    def part(self, name: str) -> Part:
        """Read one part's JSON. Raises InputError."""
        try:
            return self.puzzles.read_record(f"{name}.json", Part)
        except FileNotFoundError:
            raise self.damage(f"{name}.json", "it is not there") from None

    def restores(self, is_readable: bool = True) -> str:
        """Say what restores a part that `verify --repair` moves away, and whether its file still has puzzles."""
        name = self.folder.name
        if self.has_ledger:
            return f"nonocensus crawl SITE --reparse --out {name} restores it"
        if self.folder.has(RECIPE):
            return "the same nonocensus generate restores it"
        sources = "FILES are those it was imported from, since nothing of its own file can be read"
        rest = f"{name}/damaged/*/*.parquet has what is intact" if is_readable else sources
        return f"nonocensus import FILES --out {name} restores it; {rest}"

    @property
    def advice(self) -> str:
        """What helps where a file is damaged."""
        return f"run nonocensus verify {self.folder.name}"

    def damage(self, file: str, what: object) -> InputError:
        """Return the error for a file of the store that can't be read."""
        return InputError(f"{self.puzzles.name}/{file} can't be read: {reason_of(what)}", self.advice)

    def rows(self) -> int:
        """Return the number of puzzles."""
        return sum(part.rows for part in self.parts())

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield all puzzles, a row group at a time; all columns or those named."""
        for part in self.parts():
            for _, batch in self.read(part, [(0, part.rows)], columns):
                yield batch

    def id_example(self) -> str:
        """Return what ids of the store look like, for messages; nothing if it is empty."""
        first = next(self.batches(["puzzle_id"]), None)
        return "" if first is None else f"; its ids look like {first['puzzle_id'][0]}"

    def read(
        self, part: Part, wanted: spans.Spans, columns: list[str] | None = None
    ) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
        """Yield rows of a part, a row group at a time: row numbers (int64) and the rows, all columns or those named.

        Columns missing in older files are null, unknown columns are ignored. Raises InputError if the file is damaged
        (pages carry checksums), has other rows than the part's JSON says, or was replaced by a part with another hash.
        """
        with self._opened(part) as reader:
            schema = PUZZLES if columns is None else pa.schema(map(PUZZLES.field, columns), PUZZLES.metadata)
            stored = [name for name in schema.names if name in reader.schema_arrow.names]
            first = 0
            for group, rows in enumerate(part.groups):
                last = first + rows
                here = spans.rows_of(spans.within(wanted, first, last))
                if len(here):
                    try:
                        found = reader.read_row_group(group, columns=stored)
                        found.validate(full=True)  # offsets within the buffers, text that is UTF-8
                        batch = conform(found, schema, PUZZLE_REQUIRED)
                    except (OSError, ValueError, pa.ArrowException) as error:
                        raise self.damage(part.file, error) from error
                    yield here, one_batch(batch if len(here) == rows else batch.take(here - first))
                first = last

    def refuse_unknown_columns(self, part: Part) -> None:
        """Raise a VersionError if a part's file has columns of a newer version, which a rewrite would lose."""
        with self._opened(part) as reader:
            unknown = [name for name in reader.schema_arrow.names if name not in PUZZLES.names]
        if unknown:
            raise VersionError(
                f"{self.puzzles.name}/{part.file} can't be rewritten: it has a column {unknown[0]!r}: a newer version "
                "of nonocensus has written it"
            )

    def refuse_unknown_ids(self, ids: Iterable[str], parts: list[Part]) -> None:
        """Raise a UserError for ids that no puzzle of some parts has."""
        unknown = pa.array(dict.fromkeys(ids), pa.string())
        for part in parts:
            for _, batch in self.read(part, [(0, part.rows)], ["puzzle_id"]):
                unknown = unknown.filter(pc.invert(pc.is_in(unknown, batch["puzzle_id"])))
        if len(unknown):
            more = f" and {len(unknown) - MAX_NAMED:,} more" if len(unknown) > MAX_NAMED else ""
            named = ", ".join(unknown[:MAX_NAMED].to_pylist())
            raise UserError(f"{self.folder.name} has no puzzle {named}{more}{self.id_example()}")

    def refuse_crawled(self, command: str) -> None:
        """Raise a UserError that names a command if the puzzles follow from a site's replies alone."""
        if self.has_ledger:
            raise UserError(
                f"{self.folder.name} is crawled and follows its site, so {command} can't change it; nonocensus convert "
                f"{self.folder.name} ALL.jsonl writes its puzzles to import into a new store"
            )

    def superseded(self) -> list[str]:
        """Return local files of parts that have another one: a killed command's, elsewhere maybe a suspended one's."""
        names = self.puzzles.names() if self.puzzles.local else []
        parts = self.puzzles.read_each(filter(_names_part, names), Part)
        used = {part.name: part.file for part in parts if isinstance(part, Part) and part.file in names}
        found = (PART.fullmatch(name) for name in names if name.endswith(".parquet"))
        return [one[0] for one in found if one and used.get(one[1], one[0]) != one[0]]

    def sweep(self) -> None:
        """Delete what killed commands left: unfinished files and superseded ones. Requires the lock."""
        self.puzzles.sweep()
        for name in self.superseded():
            self.puzzles.delete(name)

    @contextmanager
    def _opened(self, part: Part) -> Iterator[pq.ParquetFile]:
        """Open a part's file and compare its row groups and hash with the part's JSON."""
        try:
            file = self.puzzles.open(part.file)
        except FileNotFoundError:
            file = self._replaced(part)
        except OSError as error:
            raise self.damage(part.file, error) from error
        with file:
            try:
                reader = open_parquet(file)
                about = reader.metadata
                groups = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
                there = (about.metadata or {}).get(HASH_KEY, b"").decode()
            except (OSError, ValueError, pa.ArrowException) as error:
                raise self.damage(part.file, error) from error
            if (groups, there) != (part.groups, part.sha256):
                raise self.damage(part.file, f"it holds other puzzles than {part.name}.json says")
            yield reader

    def _replaced(self, part: Part) -> pa.NativeFile:
        """Open the present file of a part that was replaced by one with the same hash (new ratings, say)."""
        now = self.part(part.name)
        if now.sha256 != part.sha256:
            raise InputError(
                f"{part.name} of the store {self.folder.name} has been replaced since, with other puzzles",
                "nonocensus retry RUN --changed classifies them",
            )
        try:
            return self.puzzles.open(now.file)
        except OSError as error:
            raise self.damage(now.file, error) from error


def without_json(names: list[str]) -> list[str]:
    """Return the Parquet files without JSON, which no reader sees."""
    stems = ((name, PART.fullmatch(name)) for name in names if name.endswith(".parquet"))
    there = {*names}
    return [name for name, part in stems if f"{part[1] if part else name.removesuffix('.parquet')}.json" not in there]


@cache
def _warn_once(text: str) -> None:
    logging.getLogger("nonocensus.store").warning(text)


def _names_part(name: str) -> bool:
    """Return whether a file name is that of a part's JSON."""
    return name.endswith(".json") and PART.fullmatch(name) is not None


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """Return a table as one record batch without offset, so that its buffers can be viewed directly."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def drop_rows(batch: pa.RecordBatch, rows: Iterable[int]) -> pa.RecordBatch:
    """Return a batch without some of its rows."""
    kept = np.ones(len(batch), np.bool_)
    kept[list(rows)] = False
    return batch if kept.all() else batch.filter(pa.array(kept))


def create_store(uri: str) -> Store:
    """Open a store to add to it, or prepare a new one: nothing is written before `append` has puzzles.

    Raises UserError if the folder holds anything else.
    """
    place = folder(uri)
    if place.has(MARK):
        return open_store(uri)
    if [name for name in place.names() if name != LOCK]:
        raise UserError(f"{uri} is not empty and not a store of puzzles; name an empty or a new folder")
    return Store(place)


def open_store(uri: str) -> Store:
    """Open a store. Raises UserError if it is none, InputError if it has another schema version."""
    refuse_file(uri)
    place = folder(uri)
    if not place.has(MARK) and Path(uri).is_dir() and any(Path(uri).iterdir()):
        advice = f"import what is in it: nonocensus import {uri} --out STORE"
        if place.has(RUN_MARK):
            advice = f"it is a run; nonocensus status {uri} names its store"
        raise UserError(f"{uri} is not a store of puzzles; {advice}")
    place.read_manifest(MARK, StoreManifest, "a store of puzzles", "import FILES")
    return Store(place)


def refuse_file(uri: str) -> None:
    """Raise a UserError for a file in place of a store or a run."""
    if Path(uri).is_file():
        raise UserError(f"{uri} is a file, not a store or a run; import it: nonocensus import {uri} --out STORE")


def is_store(uri: str) -> bool:
    """Return whether a path or URI is a store."""
    return is_folder(uri) and folder(uri).has(MARK)


def write_manifest(store: Store) -> None:
    """Write store.json, unless it exists."""
    if not store.folder.has(MARK):
        with commit_under_lease(store.folder):
            store.folder.commit(MARK, {"kind": KIND, "schema": SCHEMA_VERSION, "id": secrets.token_hex(16)})


def next_part(store: Store) -> int:
    """Return the number of the next part.

    On object storage a Parquet file without JSON does not count: it may be a suspended writer's, whose commit only
    fails if both writers take the same number.
    """
    names = store.puzzles.names()
    found = (PART.fullmatch(name) for name in names if store.puzzles.local or _names_part(name))
    return max((int(name[2]) for name in found if name), default=-1) + 1


def append(
    store: Store, batches: Iterable[pa.RecordBatch], shape: PartShape = DEFAULT_SHAPE, number: int | None = None
) -> int:
    """Add puzzles as new parts; return their count. Raises UserError if another command writes to the store.

    A caller that decided on the parts it read under the same lock passes `next_part` as of then: a part that a writer
    without lease adds meanwhile makes the commit fail instead of being missed. Complete parts survive a killed process.
    """
    total = 0
    with writer_lock(store.folder):
        store.sweep()
        number = next_part(store) if number is None else number
        groups = rebatch(batches, shape.rows_per_group)
        for first in groups:
            write_manifest(store)
            total += write_part(store, f"part-{number:05d}", first, groups, shape.groups_per_part)
            number += 1
    return total


def write_part(
    store: Store,
    name: str,
    first: pa.RecordBatch,
    more: Iterator[pa.RecordBatch],
    groups: int,
    waiting: list[Callable[[], None]] | None = None,
) -> int:
    """Write up to `groups` record batches as the row groups of one part, then its JSON; return its rows.

    An existing part of this name is replaced, its file deleted at the end.

    waiting   gets the function that writes the JSON, instead of its call
    """
    place = store.puzzles
    over = place.version(f"{name}.json")
    before = place.read_record(f"{name}.json", Part).file if place.has(f"{name}.json") else None
    written: list[int] = []
    digest = hashlib.sha256()
    file = f"{name}.parquet" if before is None and place.local else f"{name}-{secrets.token_hex(6)}.parquet"
    with place.create(file) as stream, pq.ParquetWriter(stream, PUZZLES, **parquet_options(PUZZLES)) as writer:
        batch: pa.RecordBatch | None = first
        while batch is not None:
            writer.write_batch(batch, row_group_size=len(batch))
            written.append(len(batch))
            hash_rows(batch, digest)
            batch = next(more, None) if len(written) < groups else None
        writer.add_key_value_metadata({HASH_KEY.decode(): digest.hexdigest()})
    part = Part(name, sum(written), written, digest.hexdigest(), file, place.size(file) or 0)

    def commit() -> None:
        try:
            with commit_under_lease(place):
                place.commit(f"{name}.json", asdict(part), over)
        except ConflictError as error:
            raise StorageError(
                f"{store.folder.name}: another command has written {name} meanwhile; try again"
            ) from error
        except OSError:
            if place.local:  # a full disk; on object storage the write may have succeeded
                place.delete(file)
            raise
        if before is not None:
            place.delete(before)

    if waiting is None:
        commit()
    else:
        waiting.append(commit)
    return part.rows


def hash_rows(batch: pa.RecordBatch, digest: Any) -> None:
    """Update a hash with the columns that results depend on: validity, lengths and bytes of their values.

    Other columns (ratings, say) may change without invalidating results.
    """
    for name in HASHED_COLUMNS:
        column = batch[name].cast(pa.binary())
        offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
        digest.update(np.packbits(column.is_valid().to_numpy(zero_copy_only=False)))
        digest.update(np.diff(offsets))
        if column.buffers()[2] is not None:
            digest.update(memoryview(column.buffers()[2])[int(offsets[0]) : int(offsets[-1])])


def rewrite(store: Store, change: Callable[[pa.RecordBatch], pa.RecordBatch], at_once: bool = False) -> int:
    """Apply a change to each row group of each part; return how many parts changed.

    Each part is replaced atomically; one without rows is deleted. Raises VersionError for parts of a newer version.

    at_once   write all files before the first part is replaced, for a change that can't be repeated
    """
    changed = 0
    waiting = list[Callable[[], None]]()
    with writer_lock(store.folder):
        store.sweep()
        for part in store.parts():
            store.refuse_unknown_columns(part)
            before = [batch for _, batch in store.read(part, [(0, part.rows)])]
            after = [change(batch) for batch in before]
            if all(new.equals(old) for new, old in zip(after, before, strict=True)):
                continue
            changed += 1
            kept = [batch for batch in after if len(batch)]
            if kept:
                write_part(store, part.name, kept[0], iter(kept[1:]), len(kept), waiting)
            else:
                waiting.append(partial(_delete_part, store, part))
            if not at_once:
                waiting.pop()()
        for commit in waiting:
            commit()
    return changed


def _delete_part(store: Store, part: Part) -> None:
    check_lease(store.folder)
    store.puzzles.delete(f"{part.name}.json")
    store.puzzles.delete(part.file)


def remove_puzzles(store: Store, ids: Iterable[str]) -> int:
    """Remove puzzles by id; return how many are left. Runs then need `retry --changed`.

    Raises UserError, and changes nothing, for an unknown id and for a crawled store.
    """
    removed = pa.array(dict.fromkeys(ids), pa.string())
    with writer_lock(store.folder):
        store.refuse_crawled("remove")
        store.refuse_unknown_ids(removed.to_pylist(), store.parts())
        rewrite(store, lambda batch: batch.filter(pc.invert(pc.is_in(batch["puzzle_id"], removed))), at_once=True)
        return store.rows()


def rebatch(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of exactly `rows`, except for the last."""
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
    """Yield the same rows in tables of at least `rows` rows or `size` bytes, except for the last."""
    waiting: list[pa.RecordBatch] = []
    count = used = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch)
        used += batch.nbytes
        if count >= rows or used >= size:
            yield pa.Table.from_batches(waiting)
            waiting, count, used = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)
