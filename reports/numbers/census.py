"""A run's results and puzzles as counts in DuckDB, from which every figure of a report is computed.

Rows come in batches. Each is registered as the table `batch`, and added to the tables of TABLES:
counts by class and by bin, a few numbers of each row for quantiles, and the measures of a random sample. The rows that
a report shows are kept whole, as Arrow tables. So tens of millions of rows fit in memory.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.derived_measures import derived_measures
from nonocensus.reports.numbers.joined_columns import MENDED, NO_GRADES, NO_MENDINGS, SHARED
from nonocensus.reports.numbers.row_classes import FAILED, Rows, sql_words
from nonocensus.reports.numbers.row_view import (
    CLASSES,
    CORRELATED,
    DRAWN,
    FACTS,
    JUDGED,
    PUZZLE_COLUMNS,
    RATED_FIELDS,
    RATINGS,
    RESULT_COLUMNS,
    RUNGS,
    SHOWN_FIELDS,
    rows_with,
    sql_bin,
    sql_sum,
)
from nonocensus.reports.numbers.threads import in_threads, prefetch
from nonocensus.reports.rights import shareable, withhold
from nonocensus.solver.model.keyed_rows import KeyedRows, index_rows, join_columns
from nonocensus.solver.model.tables import PUZZLES, RESULTS

SHOWN = 100_000
"""Puzzles that a report shows one by one: all, or the hardest."""

COMPARED = 1_000_000
"""Puzzles whose measures are correlated: all, or a random sample of this size."""

LISTED = 50
"""Most failures, and most contradictions with the site's verdict, that a report names."""

JOINED_ROWS, JOINED_BYTES = 1 << 18, 1 << 28
"""Limits up to which batches are joined: planning the queries for one takes 44 ms, however few rows it has."""

RUNG_BINS, FIRST_RUNG_DECADE, LAST_RUNG_DECADE = 5, -7, 5
"""Histogram of a rung's times: bins per decade, first and last decade (log10 of seconds)."""

KEYS = {
    "compared": "draw",
    "shown": "{'easiness': -coalesce(difficulty, '-inf'::double), 'puzzle_id': puzzle_id, 'place': place}",
}
"""SQL of the order of tables of which only the first rows are kept: at random, and the hardest puzzles first."""


class Census(NamedTuple):
    """All rows of a run.

    connection  to the database with TABLES, and as `shown_rows` the puzzles shown, with their places
    shown       SHOWN_FIELDS of up to SHOWN puzzles, the hardest first, and their place among all
    compared    CORRELATED, float32, of all puzzles, or of COMPARED of them drawn at random
    rated       RATED_FIELDS of the puzzles that people have rated
    """

    connection: duckdb.DuckDBPyConnection
    shown: pa.Table
    compared: pa.Table
    rated: pa.Table

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.connection.execute(query).fetchall()

    def number(self, query: str) -> int:
        """Return the one number that a query yields."""
        ((number,),) = self.rows(query)
        return int(number)

    def count(self, condition: str = "true") -> int:
        """Count the puzzles whose class meets a condition."""
        return self.number(f"select coalesce(sum(puzzles), 0) from classes where {condition}")


def _is_kept(name: str) -> str:
    """Return the SQL of whether a row may be among the first of a table of KEYS."""
    return f"coalesce({KEYS[name]} <= (from last_{name}), true)"


def _tables() -> dict[str, str]:
    sums = f"count(*) as puzzles, {sql_sum('seconds')} as seconds, min(place) as first"
    *others, learning = RUNGS.values()
    rungs = " union all ".join(f"select '{name}' as rung, {name} as seconds from batch" for name in RUNGS.values())
    rung_bin = sql_bin(f"(log10(seconds) - {FIRST_RUNG_DECADE})", RUNG_BINS)
    last_bin = (LAST_RUNG_DECADE - FIRST_RUNG_DECADE) * RUNG_BINS - 1
    failed = f"status in {sql_words(FAILED)}"
    return {
        "classes": f"""
            select *, {", ".join(f"{FACTS[name]} as {name}" for name in ("rung", "disputed", "unmarked", "marked"))}
            from (
                select {", ".join(CLASSES)}, {sums} from {rows_with("seconds", "area", *CLASSES)} group by all
            )
        """,
        "authors": f"""
            select author, label, {sums} from {rows_with("label", "seconds")} where author is not null group by all
        """,
        "times": f"""
            select label, area_bin, time_bin, survey_class, coalesce(status = 'timeout', false) as late,
                count(*) as puzzles
            from {rows_with("label", "seconds", "area", "area_bin", "time_bin", "survey_class")}
            where seconds is not null group by all
        """,
        "difficulties": f"""
            select label, difficulty_bin, count(*) as puzzles from {rows_with("label", "difficulty_bin")}
            where difficulty is not null group by all
        """,
        "rungs": f"""
            select rung, greatest(0, least({last_bin}, {rung_bin})) as bin, count(*) as puzzles,
                {sql_sum("seconds")} as seconds
            from ({rungs}) where seconds > 0 and seconds < 'inf' group by all
        """,
        "work": f"""
            select sum(conflicts) as conflicts, sum(line_solves) as line_solves, {sql_sum(learning)} as learning,
                {" + ".join(f"coalesce({sql_sum(name)}, 0)" for name in others)} as others
            from batch
        """,
        "graded": f"""
            select hardest, minutes_class, count(*) as puzzles
            from {rows_with("minutes_class")} where hardest is not null or minutes is not null group by all
        """,
        "reasons": rf"""
            select status, regexp_replace(coalesce(error, 'no reason given'), '\d+', 'N', 'g') as reason,
                count(*) as puzzles, min(place) as first
            from batch where {failed} group by all
        """,
        "numbers": f"""
            select area_bin::smallint as area_bin, seconds,
                case when clue_hash is not null then hash(clue_hash) end as clue_hash,
                case when canonical_hash is not null then hash(canonical_hash) end as canonical_hash
            from {rows_with("seconds", "area", "area_bin")}
        """,
        # Line logic that finds a contradiction leaves cells undecided, but no question open.
        "stalled": """
            select cells_after_line / cells as decided
            from batch where cells_after_line < cells and technique is distinct from 'line'
        """,
        "failures": f"""
            select place, puzzle_id, title, status, error from batch where {failed} order by place limit {LISTED}
        """,
        "differing": f"""
            select place, puzzle_id, title, claim, label, technique
            from {rows_with("label", "claim", "disputed")}
            where (site_note is not null or site_steps is not null) and disputed order by place limit {LISTED}
        """,
        "rated": f"""
            select {", ".join(RATED_FIELDS)} from {rows_with("source")}
            where {" or ".join(f"{name} is not null" for name in RATINGS)} order by place
        """,
        "compared": f"""
            select draw, {", ".join(f"try_cast({name} as float) as {name}" for name in CORRELATED)}
            from batch where {_is_kept("compared")}
        """,
        "shown": f"select difficulty, puzzle_id, place from batch where {_is_kept('shown')}",
    }


TABLES = _tables()
"""The tables of a census, each as the SQL of the rows that a batch adds to it."""


Pair: TypeAlias = tuple[pa.RecordBatch, pa.RecordBatch]
"""Results and their puzzles, matched by row."""


class Batch(NamedTuple):
    """Columns of results, puzzles, measures, mendings and grades, matched by row.

    counted  the columns of the table `batch` but `place` and `draw`
    whole    SHOWN_FIELDS but those that SQL computes (`_kept_rows`)
    """

    counted: pa.Table
    whole: pa.Table


def take_census(
    pairs: Iterable[tuple[Rows, Rows]],
    public: bool = False,
    mendings: pa.Table = NO_MENDINGS,
    grades: pa.Table = NO_GRADES,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> Census:
    """Read results and their puzzles, pair by pair.

    pairs       (results, puzzles) of equal length, matched by row, with the columns RESULT_COLUMNS and PUZZLE_COLUMNS
                of the schemas RESULTS and PUZZLES; an unknown puzzle is a row of nulls
    public      keep titles, clues and pictures only of puzzles whose licence permits redistribution; all are counted
    mendings    of the schema MENDINGS
    grades      rows with a grade, with the columns SHARED
    connection  to an empty database, which is filled (default: one in memory)

    Raises ValueError if the lengths of a pair differ.
    """
    connection = duckdb.connect() if connection is None else connection
    mendings = mendings.rename_columns({"cells": "changed"})
    batch_of = partial(_batch_of, public, index_rows(mendings), index_rows(grades))
    draw, rows = np.random.default_rng(0), 0
    empty = batch_of((pa.RecordBatch.from_pylist([], RESULTS), pa.RecordBatch.from_pylist([], PUZZLES)))
    _register(connection, empty.counted, rows, draw)
    for name, key in KEYS.items():
        connection.execute(f"create table last_{name} as select {key} as last from batch")
    for name, query in TABLES.items():
        connection.execute(f"create table {name} as {query}")
    shown = [_kept_rows(connection, empty, rows)]
    for batch in prefetch(_join_batches(in_threads(batch_of, _read(pairs)))):
        _register(connection, batch.counted, rows, draw)
        for name, query in TABLES.items():
            connection.execute(f"insert into {name} {query}")
        shown.append(_kept_rows(connection, batch, rows))
        _drop_last(connection, "compared", COMPARED)
        if _drop_last(connection, "shown", SHOWN):
            shown = [_hardest_first(connection, shown)]
        rows += len(batch.counted)
    _drop_last(connection, "compared", COMPARED, room=1)
    hardest = _hardest_first(connection, shown)
    connection.register("shown_rows", hardest)
    return Census(
        connection,
        hardest.select([*SHOWN_FIELDS, "place"]),
        connection.sql(f"select {', '.join(CORRELATED)} from compared").to_arrow_table(),
        connection.sql("from rated").to_arrow_table(),
    )


def _register(connection: duckdb.DuckDBPyConnection, counted: pa.Table, first: int, draw: np.random.Generator) -> None:
    """Register rows as the table `batch`, with places from `first` on, and a random number each."""
    places, drawn = np.arange(first, first + len(counted)), draw.random(len(counted))
    connection.register("batch", counted.append_column("place", [places]).append_column("draw", [drawn]))


def _kept_rows(connection: duckdb.DuckDBPyConnection, batch: Batch, first: int) -> pa.Table:
    """Return the rows of a batch, whose places count from `first` on, that were added to the table `shown`."""
    places = connection.sql(f"select place from shown where place >= {first} order by place").to_arrow_table()["place"]
    shown = np.zeros(len(batch.counted), np.bool_)
    shown[places.to_numpy() - first] = True
    # A filter goes chunk by chunk, where `take` would first join the chunks of each column.
    counted, rows = (table if shown.all() else table.filter(pa.array(shown)) for table in batch)
    connection.register("batch", counted.append_column("place", places))
    facts = ("label", "source", *JUDGED)
    found = connection.sql(f"select place, {', '.join(facts)} from {rows_with('claim', *facts)} order by place")
    judged = found.to_arrow_table()
    return pa.table({name: table[name] for table in (rows, judged) for name in table.column_names})


def _drop_last(connection: duckdb.DuckDBPyConnection, name: str, most: int, room: int = 2) -> bool:
    """Drop the last rows of a table of KEYS if it has more than `room` times `most`; return whether it had."""
    ((count,),) = connection.execute(f"select count(*) from {name}").fetchall()
    if is_full := count > room * most:
        last = f"select {KEYS[name]} as last from {name} order by last limit 1 offset {most - 1}"
        connection.execute(f"create or replace table last_{name} as {last}")
        connection.execute(f"create or replace table {name} as from {name} where {_is_kept(name)}")
    return bool(is_full)


def _hardest_first(connection: duckdb.DuckDBPyConnection, tables: list[pa.Table]) -> pa.Table:
    """Return the rows that a report shows, with their places, the hardest first."""
    places = connection.sql(f"select place from shown order by {KEYS['shown']} limit {SHOWN}").to_arrow_table()["place"]
    rows = pa.concat_tables(tables)
    # Copying the rows that stay releases the batches that they came in.
    return rows.take(pc.index_in(places, rows["place"].combine_chunks())).combine_chunks()


def _join_batches(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Join batches until they have JOINED_ROWS or JOINED_BYTES."""
    group: list[Batch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + len(batch.counted), size + batch.counted.nbytes + batch.whole.nbytes
        if rows >= JOINED_ROWS or size >= JOINED_BYTES:
            yield Batch._make(map(pa.concat_tables, zip(*group, strict=True)))
            group, rows, size = [], 0, 0
    if group:
        yield Batch._make(map(pa.concat_tables, zip(*group, strict=True)))


def _read(pairs: Iterable[tuple[Rows, Rows]]) -> Iterator[Pair]:
    """Yield the pairs as batches, reduced to the columns that are read."""
    for results, puzzles in pairs:
        if len(results) != len(puzzles):
            raise ValueError(f"{len(results)} results do not pair with {len(puzzles)} puzzles")
        yield from _align(_as_table(results, RESULT_COLUMNS), _as_table(puzzles, PUZZLE_COLUMNS))


def _as_table(rows: Rows, columns: list[str]) -> pa.Table:
    return (pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows).select(columns)


def _align(results: pa.Table, puzzles: pa.Table) -> Iterator[Pair]:
    """Yield two tables of equal length in batches, cut wherever a batch of either ends, without copying them."""
    ends = {end for table in (results, puzzles) for end in accumulate(map(len, table.to_batches()))}
    for start, end in pairwise(sorted(ends | {0})):
        yield results.slice(start, end - start).to_batches()[0], puzzles.slice(start, end - start).to_batches()[0]


def _batch_of(public: bool, mendings: KeyedRows, grades: KeyedRows, pair: Pair) -> Batch:
    rows = _columns_of(*pair, mendings, grades)
    whole = withhold(rows, rows["free"]) if public else rows
    counted = pa.Table.from_batches([rows]).drop_columns([*DRAWN, "title"]).append_column("title", whole["title"])
    return Batch(counted, pa.Table.from_batches([_without_implied_clues(whole)]))


def _columns_of(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, mendings: KeyedRows, grades: KeyedRows
) -> pa.RecordBatch:
    """Return all columns of results and their puzzles, with measures, mendings and grades."""
    measured = derived_measures(results, puzzles)
    parts = results, puzzles, measured, join_columns(results, mendings, MENDED), join_columns(results, grades, SHARED)
    columns = {name: part[name] for part in parts for name in part.schema.names} | {"free": shareable(puzzles)}
    return pa.RecordBatch.from_arrays([*columns.values()], [*columns])


def _without_implied_clues(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows of SHOWN_FIELDS without the clues that follow from a solution, as copying them is slow."""
    width, height = (rows[name].cast(pa.int32()) for name in ("width", "height"))
    implied = pc.and_not(pc.equal(pc.binary_length(rows["solution"]), pc.multiply(width, height)), rows["blotted"])
    kept = pa.array(np.arange(len(rows)), mask=implied.fill_null(False).to_numpy(zero_copy_only=False))
    columns = {name: rows[name] for name in SHOWN_FIELDS if name in rows.schema.names}
    columns |= {name: rows[name].take(kept) for name in ("rows", "columns")}
    return pa.RecordBatch.from_arrays([*columns.values()], [*columns])
