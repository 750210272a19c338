"""Results joined with their puzzles, and checks of both."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.run.results import ResultFile, row_masks
from nonocensus.pipeline.run.run_folder import Run, require_unchanged
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Part, chunk_tables
from nonocensus.pipeline.store.spans import Spans
from nonocensus.reports.numbers.threads import prefetch
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.views import views

PAIRED_ROWS, PAIRED_BYTES = 1 << 17, 1 << 26
"""Limits on the puzzles in memory at a time, their results aside."""

KEY = "puzzle_id"


def pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield a run's results and their puzzles, columns of either, row-aligned, about PAIRED_ROWS at a time.

    Batches are prefetched. Raises InputError if the store's parts have changed since, or ids differ.
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
    """Yield some rows of a result file with their puzzles: row numbers (int64), results, puzzles.

    Raises InputError if ids differ, unless the caller checks them.
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
                f"{run.results.name}/{file.name}.parquet holds results of other puzzles than "
                f"{store.folder.name} has now; run nonocensus verify {run.folder.name}"
            )
        yield numbers[first:last], pair.select(results), table.select(puzzles)
        first = last


def solvable_rows(puzzles: pa.RecordBatch) -> np.ndarray:
    """Return which puzzles may have a solution, bool[puzzles]; kernels must not see the others."""
    good = np.ones(len(puzzles), np.bool_)
    good[list(faults_of(puzzles))] = False
    return good


def matching_rows(puzzles: pa.RecordBatch, pictures: pa.Array, which: np.ndarray) -> np.ndarray:
    """Return which puzzles have a picture that fits their clues, bool[puzzles].

    puzzles    a batch that passed `check_readable`, or of `Store.read`
    pictures   binary, a byte per cell, or null
    which      bool[puzzles], the puzzles to check: only those of `solvable_rows`
    """
    rows = np.flatnonzero(which & pictures.is_valid().to_numpy(zero_copy_only=False))
    good = np.zeros(len(puzzles), np.bool_)
    if len(rows):
        offsets = np.frombuffer(pictures.buffers()[1], np.int32)[pictures.offset : pictures.offset + len(puzzles) + 1]
        cells = np.frombuffer(pictures.buffers()[2] or b"", np.uint8)
        good[rows] = fits(views(puzzles), rows, cells, offsets.astype(np.int64))
    return good
