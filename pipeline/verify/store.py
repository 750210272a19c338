"""Verify a store: every page, every hash, every id."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.crawl.ledger import NAME as LEDGER
from nonocensus.pipeline.crawl.ledger import open_ledger
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.run.result_pairs import solvable_rows
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.lock import is_locked_here, writer_lock
from nonocensus.pipeline.store.parts import PART, Part, Store, hash_rows
from nonocensus.pipeline.store.paths import UNFINISHED
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.tables import PUZZLES, with_hashes


class Damage(NamedTuple):
    """A fault that verify found.

    file      path shown to the user
    what      the fault, in one line
    repair    what --repair does (or did) about it; None if nothing
    """

    file: str
    what: str
    repair: str | None = None


ORPHAN_REPAIR = "moves it to damaged/"

ORPHAN_AGE = 3600.0
"""Seconds within which a file without a part may be a running command's."""

PART_REPAIR = "moves the part to damaged/; import, crawl or generate restore its puzzles"


def verify_store(store: Store, on_rows: Callable[[int], object]) -> list[Damage]:
    """Return the faults of a store, read-only; `on_rows` is called with the number of rows read."""
    found: list[Damage] = []
    files: set[str] = set()
    for name in store.puzzles.names():
        if not (name.endswith(".json") and PART.fullmatch(name)):
            continue
        try:
            part = store.puzzles.read_record(name, Part)
            files.add(part.file)
            found += _part_damage(store, part, on_rows)
        except (UserError, OSError) as error:
            what = error.what if isinstance(error, InputError) else str(error)
            found.append(Damage(f"{store.puzzles.name}/{name}", what, PART_REPAIR))
    for name in store.puzzles.sizes():
        if name.endswith(".parquet") and PART.fullmatch(name) and name not in files:
            if (store.puzzles.age(name) or 0.0) < ORPHAN_AGE and not is_locked_here(store.folder):
                continue
            found.append(Damage(f"{store.puzzles.name}/{name}", "it belongs to no part", ORPHAN_REPAIR))
    if not found:
        found += _repeated_ids(store)
    return [*found, *_ledger_damage(store)]


def repair_store(store: Store, found: list[Damage]) -> None:
    """Quarantine damaged parts, so that the commands that made them make them again."""
    with writer_lock(store.folder):
        for damage in found:
            name = damage.file.rpartition("/")[2]
            if damage.repair == PART_REPAIR:
                _quarantine(store, name)
            elif damage.repair == ORPHAN_REPAIR and store.puzzles.has(name):
                store.puzzles.move(name, store.folder.new_quarantine())
        if any(damage.repair == PART_REPAIR for damage in found) and _has_ledger(store):
            with open_ledger(Path(store.folder.path)) as ledger:
                ledger.reset_tabled()


def _quarantine(store: Store, name: str) -> None:
    """Move a part's JSON and Parquet file, if present, into STORE/damaged."""
    match = PART.fullmatch(name)
    place = store.folder.new_quarantine()
    for file in store.puzzles.names():
        there = PART.fullmatch(file.removesuffix(UNFINISHED))
        if match and there and there[1] == match[1]:
            store.puzzles.move(file, place)


def _part_damage(store: Store, part: Part, on_rows: Callable[[int], object]) -> Iterator[Damage]:
    """Yield the faults of a part."""
    where = f"{store.puzzles.name}/{part.file}"
    size = store.puzzles.size(part.file)
    if size is not None and size != part.size:
        yield Damage(where, f"{size:,} bytes, not {part.size:,}", PART_REPAIR)
        return
    digest = hashlib.sha256()
    wrong = 0
    for _, batch in store.read(part, [(0, part.rows)]):
        for row, why in islice(sorted(malformed(batch).items()), 1):
            yield Damage(
                where, f"{batch['puzzle_id'][row].as_py() or 'a row'} is not a valid puzzle: {why}", PART_REPAIR
            )
            return
        hash_rows(batch, digest)
        wrong += _wrong_hashes(batch)
        on_rows(len(batch))
    if digest.hexdigest() != part.sha256:
        yield Damage(where, "hash mismatch of its ids, clue hashes and goals", PART_REPAIR)
    elif wrong:
        yield Damage(where, f"{wrong:,} puzzles have clues that do not match their clue hash", PART_REPAIR)


def _wrong_hashes(batch: pa.RecordBatch) -> int:
    """Count the puzzles whose clues don't match their clue hash, among those that may have a solution."""
    batch = batch.filter(pa.array(solvable_rows(batch)))
    if not len(batch):
        return 0
    return int(pc.sum(pc.not_equal(with_hashes(batch)["clue_hash"], batch["clue_hash"])).as_py() or 0)


def _repeated_ids(store: Store) -> Iterator[Damage]:
    """Yield ids that occur more than once: a run's rows would be ambiguous."""
    ids = pa.schema([PUZZLES.field("puzzle_id")])
    reader = pa.RecordBatchReader.from_batches(ids, store.batches(["puzzle_id"]))
    with database() as connection:
        connection.register("puzzles", reader)
        query = "select puzzle_id, count(*) from puzzles group by all having count(*) > 1 order by all limit 5"
        for puzzle_id, count in connection.execute(query).fetchall():
            yield Damage(f"{store.puzzles.name}", f"{count} puzzles have the id {puzzle_id}")


def _has_ledger(store: Store) -> bool:
    ledger = Path(store.folder.path) / LEDGER
    return store.folder.local and ledger.exists() and ledger.stat().st_size > 0  # an empty file has no tables yet


def _ledger_damage(store: Store) -> Iterator[Damage]:
    """Yield the faults of a crawl's ledger."""
    if not _has_ledger(store):
        return
    where = f"{store.folder.name}/{LEDGER}"
    try:
        with open_ledger(Path(store.folder.path), read_only=True) as ledger:
            for line in ledger.damage():
                yield Damage(where, line)
    except InputError as error:
        yield Damage(where, str(error))
