"""Results with their puzzles, row by row."""

from collections.abc import Iterator

import pyarrow as pa

from pipeline.errors import InputError
from pipeline.run.coverage import overlaps
from pipeline.run.folder import Run, refuse_changed
from pipeline.store.parts import ahead, gathered

PAIRED_ROWS, PAIRED_BYTES = 1 << 17, 1 << 26
"""What of the puzzles table is in memory at a time, beside their results."""

KEY = "puzzle_id"


def pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """A run's results so far with their puzzles, row by row: some columns of the one table and of the other.

    Puzzles of another family come in columns of the table of nonograms (solver.families). As `own_pairs` else.
    """
    rules = run.family.rules
    return (
        (found, rules.as_nonograms(table, puzzles)) for found, table in own_pairs(run, results, rules.needed(puzzles))
    )


def own_pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The same with the puzzles in columns of their family's own table.

    Before anything is read the hashes of the store's parts are compared with those that the results were made from, and
    each pair has one id: an InputError says so if not. They come some PAIRED_ROWS at a time, so that it matters little
    how large a file of results is, and are read while the caller works on those before.
    """
    refuse_changed(run)
    return ahead(_pairs(run, results, puzzles))


def _pairs(run: Run, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    pieces, store = run.pieces(), run.store
    parts = {part.name: part for part in store.parts()}
    kept = overlaps(pieces)
    with_key = [list(dict.fromkeys([*columns, KEY])) for columns in (results, puzzles)]
    for piece in pieces:
        found = run.read(piece, columns=with_key[0])
        mask = kept.get(piece.name)
        there = (
            batch for part, wanted in piece.covers.items() for _, batch in store.read(parts[part], wanted, with_key[1])
        )
        first = 0
        for table in gathered(there, PAIRED_ROWS, PAIRED_BYTES):
            last = first + len(table)
            pair = found.slice(first, len(table)), table
            if not pair[0][KEY].equals(table[KEY]):
                raise InputError(
                    f"{run.results.name}/{piece.name}.parquet holds results of other puzzles than those that stand in "
                    f"{store.folder.name} now; nonocensus verify {run.folder.name} tells what to do"
                )
            chosen = pair[0].select(results), table.select(puzzles)
            if mask is None:
                yield chosen
            else:
                here = pa.array(mask[first:last])
                yield chosen[0].filter(here), chosen[1].filter(here)
            first = last
