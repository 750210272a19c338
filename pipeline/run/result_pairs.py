"""Results with their puzzles, row by row."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pipeline.errors import InputError
from pipeline.run.results import ResultFile, row_masks
from pipeline.run.run_folder import Run, require_unchanged
from pipeline.store import spans
from pipeline.store.parts import Part, chunk_tables, prefetch
from pipeline.store.spans import Spans
from solver.model.families import Rules

PAIRED_ROWS, PAIRED_BYTES = 1 << 17, 1 << 26
"""What of the puzzles table is in memory at a time, beside their results."""

KEY = "puzzle_id"


def pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """A run's results so far with their puzzles, row by row: some columns of the one table and of the other.

    Puzzles of another family come in columns of the table of nonograms (solver.model.families). As `own_pairs` else.
    """
    rules = run.family.rules
    return (
        (found, rules.as_nonograms(table, puzzles))
        for found, table in family_pairs(run, results, rules.needed_columns(puzzles))
    )


def family_pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The same with the puzzles in columns of their family's own table.

    Before anything is read the hashes of the store's parts are compared with those that the results were made from, and
    each pair has one id: an InputError says so if not. They come some PAIRED_ROWS at a time, so that it matters little
    how large a file of results is, and are read while the caller works on those before.
    """
    require_unchanged(run)
    return prefetch(_pairs(run, results, puzzles))


def _pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    files = run.result_files()
    kept = row_masks(files)
    parts = {part.name: part for part in run.store.parts()}
    for file in files:
        mask = kept.get(file.name)
        wanted = [(0, file.rows)] if mask is None else spans.of_rows(np.flatnonzero(mask))
        for _, found, table in pairs_of(run, file, wanted, parts, results, puzzles):
            yield found, table


def pairs_of(
    run: Run,
    file: ResultFile,
    wanted: Spans,
    parts: dict[str, Part],
    results: list[str],
    puzzles: list[str],
    check_ids: bool = True,
) -> Iterator[tuple[np.ndarray, pa.Table, pa.Table]]:
    """Some rows of a file of results with their puzzles, PAIRED_ROWS at a time.

    Yields the rows' numbers in the file, int64, columns of their results and columns of the family's own table. Raises
    InputError if ids differ, unless the caller checks them.
    """
    store = run.store
    with_key = [list(dict.fromkeys([*columns, KEY])) for columns in (results, puzzles)]
    numbers = spans.rows_of(wanted)
    found = run.read(file, columns=with_key[0])
    if len(numbers) < len(found):
        found = found.take(pa.array(numbers))
    there = (
        batch for part, rows in file.within(wanted).items() for _, batch in store.read(parts[part], rows, with_key[1])
    )
    first = 0
    for table in chunk_tables(there, PAIRED_ROWS, PAIRED_BYTES):
        last = first + len(table)
        pair = found.slice(first, len(table))
        if check_ids and not pair[KEY].equals(table[KEY]):
            raise InputError(
                f"{run.results.name}/{file.name}.parquet holds results of other puzzles than those that stand in "
                f"{store.folder.name} now; nonocensus verify {run.folder.name} tells what to do"
            )
        yield numbers[first:last], pair.select(results), table.select(puzzles)
        first = last


def solvable_rows(rules: Rules, puzzles: pa.RecordBatch) -> np.ndarray:
    """Which puzzles some solution may have, bool[puzzles]; the others must not come near a kernel."""
    good = np.ones(len(puzzles), np.bool_)
    good[list(rules.faults(puzzles))] = False
    return good


def matching_rows(rules: Rules, puzzles: pa.RecordBatch, pictures: pa.Array, which: np.ndarray) -> np.ndarray:
    """Of each puzzle whether it is one of `which` (bool, sound ones only), has a picture, and that fits: bool[puzzles].

    puzzles    a batch that the rules' `check_readable` has passed
    pictures   binary, a byte a cell, null where there is none
    """
    asked = np.flatnonzero(which & pictures.is_valid().to_numpy(zero_copy_only=False))
    good = np.zeros(len(puzzles), np.bool_)
    if len(asked):
        offsets = np.frombuffer(pictures.buffers()[1], np.int32)[pictures.offset : pictures.offset + len(puzzles) + 1]
        cells = np.frombuffer(pictures.buffers()[2] or b"", np.uint8)
        good[asked] = rules.fits(puzzles, asked, cells, offsets.astype(np.int64))
    return good
