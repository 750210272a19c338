"""Duplicates in an archive: equal clues, rotated, mirrored or recoloured clues, and near pictures.

Clue hashes are recomputed from the clues, as those of untrusted files may be wrong. Puzzles with equal canonical hashes
form a class, whose first member is the original of those in its colours, and of the first in each other
(`reports.numbers.duplicates`). Classes are compared by pictures
(`pipeline.findings.near`): the first goal in the class that fits, or in a run the unique solution. If the picture of a
class is near those of earlier classes, its first member becomes a duplicate of the first member of the earliest. So
each puzzle has at most one original, and chains of small changes do not merge. Plain pictures are near none.

Members are ordered by `site_date` (missing dates last), by the first occurrence of their source in the store, by the
number in `source_id`, and by position in the store, or in a run's results (RANKED_SQL).

DuckDB sorts and joins, out of core if needed. Only pictures of one size are in memory at a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.findings.near import PictureColumn, allowed_cells, concatenate, find_near, pack, passes
from nonocensus.pipeline.run.result_pairs import PAIRED_BYTES, PAIRED_ROWS, matching_rows, pairs, solvable_rows
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import database, sql_errors
from nonocensus.pipeline.store.parts import Store, chunk_tables, one_batch
from nonocensus.reports.numbers.duplicates import (
    COPIES_SQL,
    LEAST_CELLS,
    NEEDING_LOOKS,
    RANKED_SQL,
    are_plain,
    colors_of,
    looks,
)
from nonocensus.reports.numbers.threads import prefetch
from nonocensus.solver.model.tables import DECISIVE, PUZZLES, check_readable, with_hashes

if TYPE_CHECKING:
    import duckdb

SHARE = 0.15
"""Default share of the rarer cells in which near pictures may differ."""

MOST_SHARE = 0.2
"""Largest share; beyond it unrelated pictures are near."""

LIKENESSES = ("equal", "turned", "recoloured", "near")

FACTS = ["puzzle_id", "source", "source_id", "site_date", "width", "height"]
ANSWERS = ["solutions", "solution"]
PUZZLE_COLUMNS = list(dict.fromkeys([*FACTS, *DECISIVE, "palette"]))
"""Columns that are read of a run's results, and of puzzles."""

FETCHED_ROWS = 1 << 13
"""Pictures per fetch from the database."""


class Duplicates(NamedTuple):
    """Result of `find_duplicates`.

    puzzles      number of puzzles compared
    missing      puzzles of the run without a result, which are not compared
    faulty       puzzles with impossible clues, which equal no other
    pictureless  sound puzzles in classes without a picture, which have no near ones
    plain        sound puzzles that `reports.numbers.duplicates.are_plain` finds, which have none either
    crowded      pictures that share a band with too many others (`pipeline.findings.near`), so that the earliest near
                 one may be missed
    counts       numbers of duplicates by LIKENESSES
    found        one row per duplicate, grouped by original, in the order of originals:
                 original and puzzle_id (text), original_date and site_date (date32), likeness (text),
                 cells (int64) and share (float64, 0 to 1), the number of cells in which
                 near pictures differ and its share of the rarer cells, null for others, and plain (bool)
    """

    puzzles: int
    missing: int
    faulty: int
    pictureless: int
    plain: int
    crowded: int
    counts: dict[str, int]
    found: pa.Table


def find_duplicates(
    place: Run | Store,
    share: float = SHARE,
    progress: ProgressCallbacks = SILENT,
    rows: Sequence[tuple[pa.RecordBatch, pa.RecordBatch]] | None = None,
) -> Duplicates:
    """Find duplicates among the puzzles of a store, or among those of a run with a result.

    share   of the rarer cells, 0 to MOST_SHARE, in which near pictures of equal size may differ, up to rotation and
            mirroring; 0 finds none
    rows    what `pairs` yields for the run, if it is read already, with the columns ANSWERS and PUZZLE_COLUMNS

    Raises UserError for an invalid share, InputError if the store is damaged or has changed since the run.
    """
    if not 0 <= share <= MOST_SHARE:
        raise UserError(f"the share of rarer cells must be from 0 to {MOST_SHARE:g}, not {share:g}")
    with database() as connection, sql_errors(f"{place.folder.name} can't be searched for duplicates"):
        connection.execute(_PUZZLES)
        puzzles, faulty = _gather(connection, place, _batches(place) if rows is None else rows, progress)
        progress.on_start("sorting", None, 0)
        connection.execute(_RANKED)
        connection.execute(_CLASSES)
        connection.register("looks", _looks(connection, _batches(place) if rows is None else rows))
        crowded = _compare(connection, share, progress)
        found = connection.sql(_FOUND).to_arrow_table()
        pictureless = "select coalesce(sum(puzzles), 0) from classes where picture is null"
        return Duplicates(
            puzzles,
            place.rows - puzzles if isinstance(place, Run) else 0,
            faulty,
            connection.execute(pictureless).fetchall()[0][0],
            connection.execute("select count(*) from puzzles where plain").fetchall()[0][0],
            crowded,
            {likeness: pc.sum(pc.equal(found["likeness"], likeness)).as_py() or 0 for likeness in LIKENESSES},
            found,
        )


def near_copies(rows: pa.RecordBatch, progress: ProgressCallbacks = SILENT) -> np.ndarray:
    """Find the puzzles whose picture is near that of an earlier one that is not found itself, bool[rows].

    rows   columns width, height, rows, columns and solution; the original of others first
    """
    width, height = (rows[name].to_numpy().astype(np.int64) for name in ("width", "height"))
    order = np.lexsort((np.minimum(width, height), np.maximum(width, height)))  # stable
    order = order[((width * height >= LEAST_CELLS) & ~are_plain(rows))[order]]
    ranked = rows.select(["width", "height"]).append_column("rank", pa.array(np.arange(len(rows))))
    ranked = ranked.append_column("cells", rows["solution"])
    found = np.zeros(len(rows), np.bool_)
    for ranks, pictures in _of_a_size([ranked.take(pa.array(order))] if len(order) else []):
        allowed = allowed_cells(pictures.width * pictures.height, SHARE)
        while True:
            first = find_near(pictures, allowed, progress).first
            original = first == np.arange(len(first))
            if original.all():
                break
            stays = original | ~original[first]  # near one that is a copy
            found[ranks[~stays]] = True
            ranks, pictures = ranks[stays], pictures._replace(bits=pictures.bits[stays])
    return found


def _gather(
    connection: "duckdb.DuckDBPyConnection",
    place: Run | Store,
    rows: Iterable[tuple[pa.RecordBatch | None, pa.RecordBatch]],
    progress: ProgressCallbacks,
) -> tuple[int, int]:
    """Fill the table `puzzles` with sound puzzles; return the numbers of all and of unsound ones."""
    progress.on_start("reading", place.rows if isinstance(place, Run) else place.rows(), 0)
    puzzles = faulty = 0
    for answers, batch in rows:
        facts, good = _facts(batch, place), solvable_rows(batch)
        facts = facts.append_column("place", pa.array(np.arange(puzzles, puzzles + len(batch))))
        facts = facts.append_column("cells", _pictures(batch, good, answers)).filter(pa.array(good))
        sound = batch if good.all() else batch.filter(pa.array(good))  # which would copy the clues
        facts = facts.append_column("plain", pa.array(are_plain(sound)))
        for name, hashes in _hashes(sound).items():
            facts = facts.append_column(name, hashes)
        connection.register("facts", facts)
        connection.execute("insert into puzzles by name from facts")
        connection.unregister("facts")
        puzzles, faulty = puzzles + len(batch), faulty + int((~good).sum())
        progress.on_progress(len(batch), "")
    return puzzles, faulty


def _batches(place: Run | Store) -> Iterator[tuple[pa.RecordBatch | None, pa.RecordBatch]]:
    """Yield all puzzles in batches, after their answers in a run, None in a store."""
    if isinstance(place, Run):
        for results, puzzles in pairs(place, ANSWERS, PUZZLE_COLUMNS):
            yield one_batch(results), one_batch(puzzles)
    else:
        for puzzles in prefetch(chunk_tables(place.batches(PUZZLE_COLUMNS), PAIRED_ROWS, PAIRED_BYTES)):
            yield None, one_batch(puzzles)


def _facts(batch: pa.RecordBatch, place: Run | Store) -> pa.Table:
    """Return the columns FACTS as in the schema, and colors; InputError if one is damaged or of another type."""
    names = [*FACTS, "palette"]
    try:
        check_readable(batch)
        batch.validate(full=True)
        facts = pa.Table.from_batches([batch]).select(names).cast(pa.schema(map(PUZZLES.field, names)))
        return facts.select(FACTS).append_column("colors", colors_of(facts["palette"]))
    except (ValueError, KeyError, pa.ArrowException) as error:
        name, why = place.folder.name, " ".join(str(error).split())
        raise InputError(f"{name} can't be read: {why}; run nonocensus verify {name}") from error


def _pictures(batch: pa.RecordBatch, good: np.ndarray, answers: pa.RecordBatch | None) -> pa.Array:
    """Return the picture of each sound puzzle: a fitting goal, else a fitting unique solution, else null."""
    pictures = pc.if_else(pa.array(matching_rows(batch, batch["goal"], good)), batch["goal"], None)
    if answers is None:
        return pictures
    unique = pc.equal(answers["solutions"], "unique").fill_null(False).to_numpy(zero_copy_only=False)
    solved = pa.array(matching_rows(batch, answers["solution"], good & unique))
    return pc.coalesce(pictures, pc.if_else(solved, answers["solution"], None))


def _hashes(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """Recompute clue hashes and canonical hashes of sound puzzles."""
    if "canonical_hash" not in batch.schema.names:
        batch = batch.append_column("canonical_hash", pa.nulls(len(batch), pa.string()))
    made = with_hashes(batch)
    return {name: made[name] for name in ("clue_hash", "canonical_hash")}


def _looks(connection: "duckdb.DuckDBPyConnection", rows: Iterable[tuple[Any, pa.RecordBatch]]) -> pa.Table:
    """Return the looks of the puzzles that need them, reading the rows again if there are any."""
    places, numbers = (column.to_numpy() for column in connection.sql(_LOOKED_AT).to_arrow_table().columns)
    start, found = 0, [looks(pa.RecordBatch.from_pylist([], PUZZLES), numbers[:0])]
    for _, batch in rows if len(places) else ():
        first, last = np.searchsorted(places, [start, start + len(batch)])
        found.append(looks(batch.take(pa.array(places[first:last] - start)), numbers[first:last]))
        start += len(batch)
    return pa.concat_tables(found)


def _compare(connection: "duckdb.DuckDBPyConnection", share: float, progress: ProgressCallbacks) -> int:
    """Fill the table `near`, and return the number of crowded pictures."""
    connection.execute(_PLACED)
    grouped = "select wide, high, count(*) from placed group by all"
    sizes = connection.execute(grouped).fetchall() if share else []
    most = (int(allowed_cells(wide * high, share)[-1]) for wide, high, _ in sizes)
    work = sum(count * passes(wide, high, count, cells) for (wide, high, count), cells in zip(sizes, most, strict=True))
    progress.on_start("comparing pictures", work, 0)
    crowded = 0
    found = [_NEAR.empty_table()]
    for ranks, pictures in _of_a_size(_fetch(connection, sum(count for *_, count in sizes))):
        pairs_found = find_near(pictures, allowed_cells(pictures.width * pictures.height, share), progress)
        near = np.flatnonzero(pairs_found.first != np.arange(len(ranks)))
        columns = ranks[near], ranks[pairs_found.first[near]], pairs_found.cells[near], pairs_found.share[near]
        found.append(pa.table([pa.array(column) for column in columns], _NEAR))
        crowded += int(pairs_found.crowded.sum())
    connection.register("near", pa.concat_tables(found))
    return crowded


def _fetch(connection: "duckdb.DuckDBPyConnection", count: int) -> Iterator[pa.RecordBatch]:
    """Yield the pictures to compare, in order and in batches, as sorting whole rows takes much memory."""
    for first in range(0, count, FETCHED_ROWS):
        yield one_batch(connection.sql(_FETCHED.format(first, first + FETCHED_ROWS)).to_arrow_table())


def _of_a_size(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[np.ndarray, PictureColumn]]:
    """Yield the pictures of each size, portrait ones transposed, and their ranks in ascending order."""
    pieces = (piece for batch in batches for piece in _cut(batch))
    for _, several in groupby(pieces, lambda piece: piece[1][1:]):
        ranks, pictures = zip(*several, strict=True)
        yield np.concatenate(ranks), concatenate(pictures)


def _cut(batch: pa.RecordBatch) -> Iterator[tuple[np.ndarray, PictureColumn]]:
    """Yield the ranges of a batch with one size."""
    ranks, width, height = (batch[name].to_numpy() for name in ("rank", "width", "height"))
    longer, shorter = np.maximum(width, height), np.minimum(width, height)
    starts = np.flatnonzero(np.diff(longer, prepend=0) | np.diff(shorter, prepend=0))
    for start, end in pairwise([*starts.tolist(), len(batch)]):
        size = int(shorter[start]), int(longer[start])
        column = batch["cells"].slice(start, end - start)
        first, last = np.frombuffer(column.buffers()[1], np.int32)[[column.offset, column.offset + len(column)]]
        cells = np.frombuffer(column.buffers()[2], np.uint8)[first:last].reshape(-1, *size)
        upright = height[start:end] > width[start:end]
        if upright.any():
            cells = cells.copy()
            cells[upright] = cells[upright].reshape(-1, *size[::-1]).transpose(0, 2, 1)
        yield ranks[start:end], pack(cells)


_NEAR = pa.schema([*((name, pa.int64()) for name in ("rank", "original", "cells")), ("share", pa.float64())])

_PUZZLES = """
    create table puzzles (
        place bigint, puzzle_id text, source text, source_id text, site_date date, width usmallint, height usmallint,
        cells blob, colors text, plain boolean, clue_hash text, canonical_hash text
    )
"""

_RANKED = f"""
    create view dated as
    select * exclude (cells), cells is not null as pictured, width::bigint * height as area from puzzles;
    create table ranked as
    select place, puzzle_id, site_date, colors, plain, clue_hash, canonical_hash, pictured, area, rank
    from ({RANKED_SQL})
"""

_CLASSES = """
    create view numbered as select rank as number, canonical_hash, clue_hash, colors from ranked;
    create table classes as
    select canonical_hash, min(rank) as original, count(*) as puzzles, min(rank) filter (pictured) as picture
    from ranked group by canonical_hash
"""

_LOOKED_AT = f"select place, number from ({NEEDING_LOOKS}) join ranked on rank = number order by place"

_PLACED = f"""
    create table placed as
    select row_number() over (order by wide, high, rank) - 1 as number, *
    from (
        select
            original as rank, place, width, height,
            greatest(width, height) as wide, least(width, height) as high
        from classes join ranked on ranked.rank = picture join (select place, width, height from puzzles) using (place)
        where area >= {LEAST_CELLS} and not plain
        qualify count(*) over (partition by wide, high) > 1
    )
"""
"""SQL for positions of the pictures to compare, grouped by size; without small, plain and single ones."""

_FETCHED = """
    select rank, width, height, cells
    from (from placed where number >= {} and number < {}) join (select place, cells from puzzles) using (place)
    order by number
"""

_FOUND = f"""
    select
        earlier.puzzle_id as original, earlier.site_date as original_date,
        later.puzzle_id, later.site_date, likeness, cells, share, later.plain
    from (
        select number as rank, original, likeness, null::bigint as cells, null::double as share from ({COPIES_SQL})
        union all by name
        select *, 'near' as likeness from near
    ) as found
    join ranked as earlier on earlier.rank = found.original
    join ranked as later on later.rank = found.rank
    order by found.original, cells is not null, likeness, found.rank
"""
