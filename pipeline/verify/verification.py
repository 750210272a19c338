"""Verify stores and runs: every page, hash and id, every row against its puzzle, every solution against its clues."""

import hashlib
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.crawl.ledger import open_ledger
from nonocensus.pipeline.errors import InputError, UserError, VersionError, reason_of
from nonocensus.pipeline.run.job_tables import JOB_FILES, read_job_rows
from nonocensus.pipeline.run.progress import read_progress, value_counts, write_summary
from nonocensus.pipeline.run.result_pairs import matching_rows, solvable_rows
from nonocensus.pipeline.run.results import ResultFile
from nonocensus.pipeline.run.run_folder import Run, changed_parts, quarantine, reload, session_number, update_advice
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.lock import is_locked_elsewhere, writer_lock
from nonocensus.pipeline.store.parts import LEDGER, PART, Part, Store, chunk_tables, hash_rows, one_batch, without_json
from nonocensus.pipeline.store.paths import Folder
from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.tables import DECISIVE, PUZZLES, check_readable, open_parquet, with_hashes


class Damage(NamedTuple):
    """A fault that verify found.

    file      path shown to the user
    what      the fault, in one line
    repair    what --repair does about it, "moves ..."; None if nothing
    """

    file: str
    what: str
    repair: str | None = None


def verify_store(store: Store, progress: ProgressCallbacks = SILENT) -> list[Damage]:
    """Return the faults of a store, read-only."""
    lost = filter(PART.fullmatch, _without_json(store.folder, store.puzzles))
    found = [Damage(f"{store.puzzles.name}/{name}", LOST, _part_repair(store)) for name in lost]
    for name in store.puzzles.names():
        if not (name.endswith(".json") and PART.fullmatch(name)):
            continue
        where, part = f"{store.puzzles.name}/{name}", None
        try:
            part = store.puzzles.read_record(name, Part)
            where = f"{store.puzzles.name}/{part.file}"
            faults = [*_part_damage(store, part, progress)]
        except (UserError, OSError) as error:
            faults = [(error.what if isinstance(error, InputError) else reason_of(error)).removeprefix(f"{where} ")]
        found += [Damage(where, what, _part_repair(store, part)) for what in faults]
    if not found:
        found += _repeated_ids(store)
    return [*found, *_ledger_damage(store)]


LOST = "has no JSON: lost, or never written by a killed command"


def _without_json(whole: Folder, place: Folder) -> list[str]:
    """Return the Parquet files without JSON; none while a command may yet write it."""
    before = without_json(place.names())
    return [] if is_locked_elsewhere(whole) else [name for name in without_json(place.names()) if name in before]


def repair_store(store: Store, found: list[Damage]) -> None:
    """Quarantine damaged parts, so that the commands that made them make them again. Requires the lock."""
    store.sweep()
    for damage in found:
        damaged, place = PART.fullmatch(damage.file.rpartition("/")[2]), store.folder.new_quarantine()
        for file in store.puzzles.names() if damage.repair else ():
            there = PART.fullmatch(file)
            if damaged and there and there[1] == damaged[1]:
                store.puzzles.move(file, place)
    if store.has_ledger and any(damage.repair for damage in found):
        with open_ledger(Path(store.folder.path)) as ledger:
            ledger.reset_tabled()


def _part_repair(store: Store, part: Part | None = None) -> str:
    """Say what --repair does about a part, or one with a damaged JSON, and what restores its puzzles."""
    count = "" if part is None else f", {part.rows:,} puzzles,"
    is_readable = part is None
    with suppress(OSError, ValueError, pa.ArrowException):
        if part:
            with store.puzzles.open(part.file) as file:
                is_readable = bool(open_parquet(file))
    return f"moves the part's files{count} to damaged/; {store.restores(is_readable)}"


def _part_damage(store: Store, part: Part, progress: ProgressCallbacks) -> Iterator[str]:
    """Yield the faults of a part."""
    size = store.puzzles.size(part.file)
    if size is not None and size != part.size:
        yield f"{size:,} bytes, not {part.size:,}"
        return
    digest = hashlib.sha256()
    wrong = 0
    for _, batch in store.read(part, [(0, part.rows)]):
        for row, why in islice(sorted(malformed(batch).items()), 1):
            yield f"{batch['puzzle_id'][row].as_py() or 'a row'} is not a valid puzzle: {why}"
            return
        hash_rows(batch, digest)
        known = batch.filter(pa.array(solvable_rows(batch)))  # a hash is only of clues that may have a solution
        wrong += pc.sum(pc.not_equal(with_hashes(known)["clue_hash"], known["clue_hash"])).as_py() or 0
        progress.on_progress(len(batch), "")
    if digest.hexdigest() != part.sha256:
        yield "hash mismatch of its ids, clue hashes and goals"
    elif wrong:
        yield f"{count_text(wrong, 'puzzle')} with clues that do not match their clue hash"


def _repeated_ids(store: Store) -> Iterator[Damage]:
    """Yield ids that occur more than once: a run's rows would be ambiguous."""
    ids = pa.schema([PUZZLES.field("puzzle_id")])
    reader = pa.RecordBatchReader.from_batches(ids, store.batches(["puzzle_id"]))
    with database() as connection:
        connection.register("puzzles", reader)
        query = "select puzzle_id, count(*) from puzzles group by all having count(*) > 1 order by all limit 5"
        for puzzle_id, count in connection.execute(query).fetchall():
            yield Damage(f"{store.puzzles.name}", f"{count} puzzles have the id {puzzle_id}")


def _ledger_damage(store: Store) -> Iterator[Damage]:
    """Yield the faults of a crawl's ledger."""
    if not store.has_ledger:
        return
    where = f"{store.folder.name}/{LEDGER}"
    try:
        with open_ledger(Path(store.folder.path), read_only=True) as ledger:
            for line in ledger.damage():
                yield Damage(where, line)
    except InputError as error:
        yield Damage(where, str(error))


RESULTS_REPAIR = "moves its files to damaged/; classify repeats its puzzles"

ROWS, BYTES = 1 << 14, 1 << 26
"""Limits on the rows of both tables in memory at a time."""

COLUMNS = ["puzzle_id", "clue_hash", "status", "solutions", "label", "solution", "second_solution", "part"]


def verify_run(run: Run, progress: ProgressCallbacks = SILENT) -> list[Damage]:
    """Return the faults of a run and its store's changes, read-only."""
    found, parts = _store_damage(run)
    files, damaged = run.survey()
    found += [_damage(f"{run.results.name}/{name}", error, RESULTS_REPAIR) for name, error in damaged.items()]
    lost = _without_json(run.folder, run.results)
    lost = [name for name in lost if session_number(name) >= run.manifest["first_session"]]
    found += [Damage(f"{run.results.name}/{name}", LOST, RESULTS_REPAIR) for name in lost]
    for file in files:
        where = f"{run.results.name}/{file.name}"
        try:
            found += [Damage(where, what, RESULTS_REPAIR) for what in islice(_file_damage(run, file, parts), 1)]
        except InputError as error:
            found.append(_damage(where, error, RESULTS_REPAIR))
        except _StoreUnreadable as error:
            found.append(Damage(where, str(error)))
        progress.on_progress(file.rows, "")
    return [*found, *_other_damage(run)]


def _damage(where: str, error: InputError, repair: str) -> Damage:
    """Return the report of a file; a newer version's is not repaired."""
    return Damage(where, error.what.removeprefix(f"{where} "), None if isinstance(error, VersionError) else repair)


class _StoreUnreadable(Exception):
    """The puzzles of a result file can't be read; the file itself may be intact."""


def _store_damage(run: Run) -> tuple[list[Damage], dict[str, Part]]:
    """Return the changes of the store since the run, and the parts that results can be compared with."""
    try:
        store = run.store
        parts = {part.name: part for part in store.parts()}
        changed = changed_parts(run)
    except UserError as error:
        return [Damage(run.folder.name, f"results can't be compared with their puzzles: {error}")], {}
    what = f"other puzzles than when the run was made; {update_advice(run)}" if changed else ""
    found = [Damage(f"{store.puzzles.name}/{name}", what) for name in changed]
    return found, {name: part for name, part in parts.items() if name not in changed}


def repair_run(run: Run, found: list[Damage]) -> None:
    """Quarantine damaged files, so that the commands that made them make them again. Requires the lock."""
    for damage in found:
        folder, name = damage.file.split("/")[-2:]
        if damage.repair == RESULTS_REPAIR:
            quarantine(run, name.removesuffix(".parquet"))
        elif damage.repair:
            place = run.folder if run.folder.has(name) else run.folder / folder
            place.move(name, run.folder.new_quarantine())
    write_summary(run)


def _file_damage(run: Run, file: ResultFile, parts: dict[str, Part]) -> Iterator[str]:
    """Yield the faults of a result file. Raises InputError if it can't be read."""
    run.read(file)  # all columns, for their checksums
    rows = run.read(file, columns=COLUMNS)
    if (value_counts(rows["status"]), value_counts(rows["label"])) != (file.status, file.labels):
        yield "its statistics count other rows"
    if rows["part"].to_pylist() != file.places()[0].tolist():
        yield "its rows name other parts of the store than its statistics"
    if not file.covers.keys() <= parts.keys():
        return
    first = 0
    for puzzles in _puzzles_of(run.store, file, parts):
        results = one_batch(rows.slice(first, len(puzzles)))
        first += len(puzzles)
        for name in ("puzzle_id", "clue_hash"):
            if not results[name].equals(puzzles[name]):
                yield f"its {name} is not that of the store's puzzles"
                return
        wrong = _wrong_answers(results, puzzles)
        if wrong:
            yield f"{len(wrong):,} answers are wrong, the first is that of {wrong[0]}"


def _puzzles_of(store: Store, file: ResultFile, parts: dict[str, Part]) -> Iterator[pa.RecordBatch]:
    """Yield the puzzles of a result file, in its order."""
    there = (batch for part, wanted in file.covers.items() for _, batch in store.read(parts[part], wanted, [*DECISIVE]))
    try:
        for table in chunk_tables(there, ROWS, BYTES):
            batch = one_batch(table)
            check_readable(batch)
            yield batch
    except (InputError, ValueError) as error:
        raise _StoreUnreadable(str(error)) from error


def _wrong_answers(results: pa.RecordBatch, puzzles: pa.RecordBatch) -> list[str]:
    """Return ids of puzzles whose answer lacks a solution, has one that breaks the clues, or one twice."""
    which = solvable_rows(puzzles)
    solutions = np.array(results["solutions"].to_pylist(), object)
    first, second = (matching_rows(puzzles, results[name], which) for name in ("solution", "second_solution"))
    unique, multiple = solutions == "unique", solutions == "multiple"
    there = [results[name].is_valid().to_numpy(zero_copy_only=False) for name in ("solution", "second_solution")]
    same = np.array([a is not None and a == b for a, b in zip(
        results["solution"].to_pylist(), results["second_solution"].to_pylist(), strict=True)], np.bool_)  # fmt: skip
    wrong = (there[0] & ~first) | (there[1] & ~second) | ((unique | multiple) & ~first) | (multiple & ~second) | same
    wrong |= (unique & there[1]) | ((solutions == "none") & (there[0] | there[1]))
    ids = results["puzzle_id"].to_pylist()
    return [str(ids[k]) for k in np.flatnonzero(wrong)]


def _other_damage(run: Run) -> Iterator[Damage]:
    """Yield the faults of certificates, grades, mendings and progress.json."""
    for folder, schema, job in JOB_FILES:
        place = run.folder / folder
        for name in place.names():
            try:
                if name.endswith(".parquet"):
                    read_job_rows(place, name, schema, job)
            except InputError as error:
                yield _damage(f"{place.name}/{name}", error, f"moves it to damaged/; {job} makes its rows again")
    try:
        read_progress(run)
    except InputError as error:
        yield _damage(f"{run.folder.name}/progress.json", error, "moves it to damaged/; the next session writes it")


def verify_place(place: Run | Store, repair: bool = False, progress: ProgressCallbacks = SILENT) -> list[Damage]:
    """Return the faults of a store or run; with `repair`, quarantine the damaged files.

    The commands that made them make them again.
    """
    progress.on_start("verifying", place.rows if isinstance(place, Run) else None, 0)
    # repairs need findings made under the lock
    with writer_lock(place.folder) if repair else nullcontext():
        if isinstance(place, Run):
            place = reload(place)
            found = verify_run(place, progress)
            if repair:
                repair_run(place, found)
        else:
            found = verify_store(place, progress)
            if repair:
                repair_store(place, found)
    return found
