"""Import files into a store."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks, track
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.id_index import NEW, OTHER, SAME, IdIndex
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import (
    DEFAULT_SHAPE,
    Store,
    append,
    create_store,
    drop_rows,
    next_part,
    one_batch,
    open_store,
    rewrite,
)
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.file_batches import Problem, in_batches, read_in_bulk
from nonocensus.scrapers.files import count_files, files_in
from nonocensus.scrapers.formats import Format
from nonocensus.scrapers.formats.site_properties import OF_CLUES
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import Puzzle, clues_of
from nonocensus.solver.model.tables import PUZZLES, puzzles_of

ImportItem: TypeAlias = "Puzzle | pa.RecordBatch | Problem"
"""An item read from files: a puzzle, a batch of them, or a problem."""

INDEXED_COLUMNS = ["puzzle_id", "clue_hash"]


class Terms(NamedTuple):
    """Licence and owner that the importer declares for puzzles whose files name none (docs/RIGHTS.md)."""

    license: str | None = None
    owner: str | None = None


NO_TERMS = Terms()


@dataclass
class ImportReport:
    """What an import did: `invalid` puzzles are in the store, `problems` are files or puzzles that are not."""

    added: int = 0
    licensed: int = 0  # added puzzles that got the licence of `Terms`
    known: int = 0
    unknown: list[str] = field(default_factory=list)  # ids that the store lacks, which an update leaves out
    updated: list[str] = field(default_factory=list)  # ids of known puzzles that have changed
    resized: list[str] = field(default_factory=list)  # those of another size, with both sizes
    contradicted: list[str] = field(default_factory=list)  # those whose picture does not solve their clues now
    changes_results: bool = False  # whether runs of the store have to follow
    unsaved: int = 0  # puzzles with partly solved grids, which a store does not hold
    invalid: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def import_paths(
    paths: Sequence[str | Path],
    store: str,
    progress: ProgressCallbacks = SILENT,
    known: Format | None = None,
    contact: str | None = None,
    terms: Terms = NO_TERMS,
    update: bool = False,
) -> ImportReport:
    """Import files, folders, archives and https URLs into a store, created if missing.

    Raises UserError if a path does not exist, no puzzle is found, or as `import_puzzles`.

    known     the files' format (default: detect)
    contact   e-mail or web address to send to the sites of URLs
    terms     licence and owner of new puzzles whose files name none
    update    whether what the files say replaces what the store has of known ids
    """
    check_sources(paths, contact)
    for name, text in terms._asdict().items():
        if text is not None and not text.strip():
            raise UserError(f"--{name} must not be empty")
        if text is not None and update:
            raise UserError(f"--{name} is for new puzzles, and --update adds none; leave one of them out")
    place = open_store(store) if update else create_store(store)
    progress.on_start("importing files", count_files(paths, store), 0)
    found = read_in_bulk(track(files_in(paths, contact, store), progress), known)
    report = import_puzzles(place, _report(found, progress), terms, update)
    imported = report.added or report.known or report.updated or report.unknown
    if not imported and not report.problems:
        raise no_puzzle_error(paths)
    if not imported:
        more = f" (and {len(report.problems) - 1:,} more)" if len(report.problems) > 1 else ""
        reasons = "".join(f": {problem.name}: {problem.reason}{more}" for problem in report.problems[:1])
        raise UserError(f"nothing imported{reasons}")
    return report


def _report(found: Iterable[ImportItem], progress: ProgressCallbacks) -> Iterator[ImportItem]:
    """Yield the same items, reporting how many puzzles and problems were read."""
    good = bad = 0
    for item in found:
        if isinstance(item, Problem):
            bad += 1
        else:
            good += len(item) if isinstance(item, pa.RecordBatch) else 1
        progress.on_progress(0, count_text(good, "puzzle") + f", {count_text(bad, 'problem')}" * (bad > 0))
        yield item


def import_puzzles(
    store: Store, found: Iterable[ImportItem], terms: Terms = NO_TERMS, update: bool = False
) -> ImportReport:
    """Add puzzles to a store, except known ones, or with `update` replace those that differ, and add none.

    A puzzle whose id the store has with other clues is a problem without `update`, and with it if these can have no
    solution as they stand; the stored one stays. Runs over the parts that get other clues or pictures then need
    `retry --changed`. Raises UserError if another command writes to
    the store, or for an update of a crawled one, whose rows follow from the site's replies alone.
    """
    report = ImportReport()
    with writer_lock(store.folder):
        if update:
            store.refuse_crawled("--update")
        number = next_part(store)  # read before the ids: a part added later makes the append fail
        index = IdIndex()
        for batch in store.batches(INDEXED_COLUMNS):
            index.add(*(batch[name].to_pylist() for name in INDEXED_COLUMNS))
        batches = _batches(found, report)
        if update:
            seen = IdIndex()
            given = [batch for each in batches if len(batch := _replacements(each, index, seen, report))]
            if given:
                _replace(store, pa.Table.from_batches(given).combine_chunks(), report)
        else:
            new = (_without_known(batch, index, report) for batch in batches)
            owned = (_with_terms(batch, terms, report) for batch in new)
            report.added = append(store, owned, number=number)
    return report


def _batches(found: Iterable[ImportItem], report: ImportReport) -> Iterator[pa.RecordBatch]:
    """Yield puzzles in batches of any size, moving problems to the report."""

    def with_unsaved_counted(item: ImportItem) -> ImportItem:
        report.unsaved += isinstance(item, Puzzle) and any(not grid.all() for grid in item.saved)
        return item

    for item in in_batches(map(with_unsaved_counted, found), DEFAULT_SHAPE.rows_per_group):
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            yield item


def _with_terms(batch: pa.RecordBatch, terms: Terms, report: ImportReport) -> pa.RecordBatch:
    """Fill in missing licences, copyright notices and authors; count the licences.

    A puzzle whose copyright notice names another owner gets no licence; the owner becomes author only where both author
    and notice are missing.
    """
    if terms == NO_TERMS:
        return batch
    columns = {name: batch[name] for name in ("license", "copyright", "author")}
    missing = {name: pc.equal(pc.utf8_trim_whitespace(pc.fill_null(text, "")), "") for name, text in columns.items()}
    own = missing["copyright"]
    if terms.owner is not None:
        name = rf"(?i)(^|[^\pL\pN]){re.escape(terms.owner.strip())}($|[^\pL\pN])"
        named = pc.match_substring_regex(columns["copyright"], name)
        own = pc.or_(own, named.fill_null(False))
    wanted = (
        ("license", terms.license, pc.and_(missing["license"], own)),
        ("copyright", terms.owner, missing["copyright"]),
        ("author", terms.owner, pc.and_(missing["author"], missing["copyright"])),
    )
    for name, text, which in wanted:
        if text is not None:
            place = batch.schema.get_field_index(name)
            filled = pc.if_else(which, text.strip(), columns[name])
            batch = batch.set_column(place, batch.schema.field(name), filled)
            if name == "license":
                report.licensed += pc.sum(which).as_py() or 0
    return batch


def _without_known(batch: pa.RecordBatch, index: IdIndex, report: ImportReport) -> pa.RecordBatch:
    """Return the rows of a batch whose ids the store lacks, updating its index and the report."""
    reason = "the store has this id with other clues, and keeps those; --update replaces them"
    batch = _first_ones(batch, index, reason, report)
    report.invalid += [Problem(batch["puzzle_id"][p].as_py(), why) for p, why in sorted(faults_of(batch).items())]
    return batch


def _replacements(batch: pa.RecordBatch, index: IdIndex, seen: IdIndex, report: ImportReport) -> pa.RecordBatch:
    """Return the rows of a batch that replace some of the store's, updating the report.

    index, seen   of the puzzles of the store, and of the batches before
    """
    batch = _first_ones(
        batch, seen, "the files have this id before, with other clues, and the first ones count", report
    )
    ids, clue_hashes = (batch[name].to_pylist() for name in INDEXED_COLUMNS)
    found = index.add(ids, clue_hashes)
    unknown = np.flatnonzero(found == NEW).tolist()
    report.unknown += [ids[place] for place in unknown]
    refused = {place: why for place, why in sorted(faults_of(batch).items()) if found[place] == OTHER}
    report.problems += [Problem(ids[place], f"{why}; the store keeps its clues") for place, why in refused.items()]
    return drop_rows(batch, [*unknown, *refused])


def _first_ones(batch: pa.RecordBatch, index: IdIndex, reason: str, report: ImportReport) -> pa.RecordBatch:
    """Return the rows of a batch with ids that an index lacks, and add them to it.

    Others are known to the report, or with other clues a problem, for this reason.
    """
    ids, clue_hashes = (batch[name].to_pylist() for name in INDEXED_COLUMNS)
    found = index.add(ids, clue_hashes)
    report.known += int(np.count_nonzero(found == SAME))
    report.problems += [Problem(ids[place], reason) for place in np.flatnonzero(found == OTHER).tolist()]
    return drop_rows(batch, np.flatnonzero(found != NEW).tolist())


OF_PICTURE = ("goal", *OF_CLUES)
"""Columns that a puzzle with other clues loses where the file has none; the others, titles say, it keeps."""


def _replace(store: Store, given: pa.Table, report: ImportReport) -> None:
    """Replace what the files say of known puzzles, a part at a time; count those that have changed.

    given   of the puzzles table, each id once
    """
    ids = given["puzzle_id"].combine_chunks()

    def replaced(batch: pa.RecordBatch) -> pa.RecordBatch:
        where = pc.index_in(batch["puzzle_id"], ids).fill_null(-1).to_numpy()
        rows = np.flatnonzero(where >= 0)
        if not len(rows):
            return batch
        there = given.take(where[rows])
        both = pa.concat_tables([pa.Table.from_batches([batch]), there])
        is_other = pc.not_equal(there["clue_hash"], batch["clue_hash"].take(rows)).to_numpy()

        def merged(names: list[str], which: np.ndarray) -> pa.RecordBatch:
            """Return columns in which rows, `which` of those that the files have, say what the files do."""
            columns = []
            for name in names:
                said = which & (there[name].is_valid().to_numpy() | (is_other & (name in OF_PICTURE)))
                places = np.arange(len(batch))
                places[rows[said]] = np.flatnonzero(said) + len(batch)
                columns.append(both[name].take(places))
            return one_batch(pa.Table.from_arrays(columns, names))

        others = [name for name in PUZZLES.names if name != "raw_sha256"]  # each edit of a file of puzzles changes that
        before, after = batch.select(others), merged(others, np.ones(len(rows), np.bool_))
        changed = np.array([not after.slice(k, 1).equals(before.slice(k, 1)) for k in rows.tolist()], np.bool_)
        for k in np.flatnonzero(changed).tolist():
            old, new = (f"{one['width'][i]}×{one['height'][i]}" for one, i in ((batch, rows[k]), (there, k)))
            report.updated.append(batch["puzzle_id"][rows[k]].as_py())
            if old != new:
                report.resized.append(f"{report.updated[-1]} ({old} → {new})")
        result = merged(PUZZLES.names, changed).cast(batch.schema)
        report.contradicted += (
            puzzle.puzzle_id
            for puzzle in puzzles_of([result.take(pa.array(rows[changed]))])
            if puzzle.goal is not None and not puzzle.blotted and clues_of(puzzle.goal) != (puzzle.rows, puzzle.columns)
        )
        return result

    hashes = [part.sha256 for part in store.parts()]
    rewrite(store, replaced)
    report.changes_results = hashes != [part.sha256 for part in store.parts()]
    report.known += max(len(given) - len(report.updated), 0)
