"""A store read whole: every page, every hash, every id."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.crawl.ledger import NAME as LEDGER
from pipeline.crawl.ledger import open_ledger
from pipeline.errors import InputError, UserError
from pipeline.run.result_pairs import solvable_rows
from pipeline.sql import database
from pipeline.store.lock import is_locked_here, writer_lock
from pipeline.store.parts import PART, Part, Store, hash_rows
from pipeline.store.paths import UNFINISHED
from solver.model.families import Rules


class Damage(NamedTuple):
    """Something that is not as it should be.

    file      where, as the user can find it
    what      what is wrong, in one line
    repair    what --repair does about it, or has done; None if it can do nothing
    """

    file: str
    what: str
    repair: str | None = None


LEFT = "sets it aside"

AT_WORK = 3600.0
"""Seconds in which a file without a part may be that of a command at work."""

AGAIN = "sets the part aside; import, crawl or generate bring its puzzles again"


def verify_store(store: Store, seen: Callable[[int], object]) -> list[Damage]:
    """What is wrong with a store. Nothing is written; `seen` is told of rows read."""
    found: list[Damage] = []
    files: set[str] = set()
    for name in store.puzzles.names():
        if not (name.endswith(".json") and PART.fullmatch(name)):
            continue
        try:
            part = store.puzzles.read_record(name, Part)
            files.add(part.file)
            found += _of_part(store, part, seen)
        except (UserError, OSError) as error:
            what = error.what if isinstance(error, InputError) else str(error)
            found.append(Damage(f"{store.puzzles.name}/{name}", what, AGAIN))
    for name in store.puzzles.sizes():
        if name.endswith(".parquet") and PART.fullmatch(name) and name not in files:
            if (store.puzzles.age(name) or 0.0) < AT_WORK and not is_locked_here(store.folder):
                continue  # perhaps of a command at work
            found.append(Damage(f"{store.puzzles.name}/{name}", "it belongs to no part; nobody reads it", LEFT))
    if not found:
        found += _repeated_ids(store)
    return [*found, *_of_ledger(store)]


def repair_store(store: Store, found: list[Damage]) -> None:
    """Set damaged parts aside, so that the commands that made them make them again."""
    with writer_lock(store.folder):
        for damage in found:
            name = damage.file.rpartition("/")[2]
            if damage.repair == AGAIN:
                _set_aside(store, name)
            elif damage.repair == LEFT and store.puzzles.has(name):
                store.puzzles.move(name, store.folder.aside())
        if any(damage.repair == AGAIN for damage in found) and _has_ledger(store):
            with open_ledger(Path(store.folder.path)) as ledger:
                ledger.table_again()


def _set_aside(store: Store, name: str) -> None:
    """Move a part's JSON and its file, as far as they are there, into STORE/damaged."""
    match = PART.fullmatch(name)
    place = store.folder.aside()
    for file in store.puzzles.names():
        there = PART.fullmatch(file.removesuffix(UNFINISHED))
        if match and there and there[1] == match[1]:
            store.puzzles.move(file, place)


def _of_part(store: Store, part: Part, seen: Callable[[int], object]) -> Iterator[Damage]:
    """What is wrong with a part."""
    where = f"{store.puzzles.name}/{part.file}"
    size = store.puzzles.size(part.file)
    if size is not None and part.size not in (-1, size):
        yield Damage(where, f"{size:,} bytes, not {part.size:,}", AGAIN)
        return
    family = store.family
    digest = hashlib.sha256()
    others = 0
    for _, batch in store.read(part, [(0, part.rows)]):
        for row, why in islice(sorted(family.rules.malformed(batch).items()), 1):
            yield Damage(where, f"{batch['puzzle_id'][row].as_py() or 'a row'} is no puzzle: {why}", AGAIN)
            return
        hash_rows(family, batch, digest)
        others += _others(family.rules, batch)
        seen(len(batch))
    if digest.hexdigest() != part.sha256:
        yield Damage(where, "its ids, clue hashes and goals are not those that its hash stands for", AGAIN)
    elif others:
        yield Damage(where, f"{others:,} puzzles have other clues than their clue hash stands for", AGAIN)


def _others(rules: Rules, batch: pa.RecordBatch) -> int:
    """How many puzzles have clues that their clue hash does not stand for; those that can have no solution left out."""
    batch = batch.filter(pa.array(solvable_rows(rules, batch)))
    if not len(batch):
        return 0
    return int(pc.sum(pc.not_equal(rules.with_hashes(batch)["clue_hash"], batch["clue_hash"])).as_py() or 0)


def _repeated_ids(store: Store) -> Iterator[Damage]:
    """Ids that stand more than once; a run's rows could not be told apart."""
    ids = pa.schema([store.family.table.field("puzzle_id")])
    reader = pa.RecordBatchReader.from_batches(ids, store.batches(["puzzle_id"]))
    with database() as connection:
        connection.register("puzzles", reader)
        query = "select puzzle_id, count(*) from puzzles group by all having count(*) > 1 order by all limit 5"
        for puzzle_id, count in connection.execute(query).fetchall():
            yield Damage(f"{store.puzzles.name}", f"{count} puzzles have the id {puzzle_id}")


def _has_ledger(store: Store) -> bool:
    ledger = Path(store.folder.path) / LEDGER
    return store.folder.local and ledger.exists() and ledger.stat().st_size > 0  # an empty one was never begun


def _of_ledger(store: Store) -> Iterator[Damage]:
    """What is wrong with the ledger of a crawl."""
    if not _has_ledger(store):
        return
    where = f"{store.folder.name}/{LEDGER}"
    try:
        with open_ledger(Path(store.folder.path), look=True) as ledger:
            for line in ledger.damage():
                yield Damage(where, line)
    except InputError as error:
        yield Damage(where, str(error))
