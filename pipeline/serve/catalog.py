"""The archive (run or store) that the server has opened: its list, which DuckDB searches and sorts, and its puzzles.

The list's columns are read once; a puzzle and its result are read from disk on each request.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import duckdb
import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.run.job_tables import current_grades
from nonocensus.pipeline.run.results import row_masks
from nonocensus.pipeline.run.run_folder import Run, require_unchanged
from nonocensus.pipeline.serve.api_schemas import ListQuery, PuzzleRow
from nonocensus.pipeline.serve.records import puzzle_reply, result_reply
from nonocensus.pipeline.serve.serve_limits import PAGE_ROWS, QUERY_SECONDS
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.numbers.aggregate import KINDS, LABELS, TECHNIQUES
from nonocensus.reports.numbers.joined_columns import NO_GRADES, with_grade
from nonocensus.reports.numbers.row_classes import (
    COLOR_CLASS,
    COLOR_NAMES,
    FAILED,
    MINUTES_CLASS,
    MINUTES_NAMES,
    SIZE_NAMES,
    SIZES,
    UNKNOWN,
    sql_classes,
)
from nonocensus.reports.words.formatting import natural
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.measures import RATING_SCALES, difficulty
from nonocensus.solver.model.puzzle import InvalidPuzzle
from nonocensus.solver.model.tables import RESULTS, puzzles_of
from nonocensus.solver.model.techniques import TECHNIQUES as LADDER

FACTS = [
    "puzzle_id", "clue_hash", "url", "title", "author", "width", "height", "kind", "blotted", "palette", "source",
    "site_quality",
]  # fmt: skip
OUTCOME = ["puzzle_id", "clue_hash", "label", "status", "technique", "line_solves", "conflicts"]
GRADING = ["grade", "hardest", "minutes", "minutes_low", "minutes_high", "stars"]
GRADE = ["puzzle_id", "clue_hash", *GRADING]

OUTCOMES = pa.schema([*(RESULTS.field(name) for name in OUTCOME), ("piece", pa.int64()), ("piece_row", pa.int64())])

SCALED = " ".join(
    f"when '{source}' then {100 / (high - low)} * (site_quality - {low})"
    for (source, name), (low, high) in RATING_SCALES.items()
    if name == "site_quality"
)
"""SQL of the cases of a rating in % of its site's scale, by source."""

JOINED = f"""
select facts.* exclude (blotted, palette, source, site_quality)
replace (case when blotted then 'blotted ' || kind else kind end as kind), greatest(len(palette) - 1, 1) as colors,
case source {SCALED} end as quality, coalesce(label, status) as label, technique, line_solves, conflicts, piece,
piece_row, {", ".join(GRADING)}, strip_accents(lower(concat_ws(' ', facts.puzzle_id, title, author))) as sought,
row_number() over (
    order by least(width, height) < 5 or coalesce(minutes, 1) < 1, minutes nulls last, width::int * height, stored
) - 1 as place
from facts left join found using (puzzle_id)
left join graded on graded.puzzle_id = found.puzzle_id and graded.clue_hash = found.clue_hash order by place
"""
"""The puzzles with their results and grades, and the text to search; those under 5x5 or a minute are last."""

LISTED = tuple(PuzzleRow.model_fields)
"""Columns of the list."""

SIDE = "greatest(width, height)"

QUALITY_NAMES = ("under 20 %", "20–40 %", "40–60 %", "60–80 %", "80 % and over")

FACETS: dict[str, tuple[str, Sequence[str]]] = {
    "size": (sql_classes(SIDE, SIZES, SIZE_NAMES, "<="), SIZE_NAMES),
    "duration": (MINUTES_CLASS, MINUTES_NAMES),
    "star_count": ("round(stars)::integer", ()),
    "quality": (sql_classes("quality", (20, 40, 60, 80), QUALITY_NAMES, "<"), QUALITY_NAMES),
    "hardest": ("hardest", tuple(technique.name for technique in LADDER)),
    "technique": ("technique", TECHNIQUES),
    "colors": (COLOR_CLASS, COLOR_NAMES),
    "kind": ("kind", KINDS),
    "label": ("label", (*LABELS, *FAILED)),
    "grade": ("grade", ()),
}
"""Facets, as of the report's puzzle browser: the SQL of a puzzle's word, and the words in order if it is not theirs."""

RANGES = {"side": SIDE, "minutes": "minutes", "stars": "stars", "quality_percent": "quality", "color_count": "colors"}
"""SQL of the numbers that rows can be filtered by."""

ORDERS = {"": "place", "cells": "width::int * height"}
"""SQL of the sort keys that are not column names."""

SIZED = re.compile(r"(\d+)[x×*](\d+)")

LINK = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?(/\S*)")

NAMED = "coalesce(list_contains(?, lower(puzzle_id)) or ends_with(lower(puzzle_id), ?) or url = ?, false)"
"""Whether a query is the id of a puzzle, with or without its source, or the address of its page."""

Condition: TypeAlias = tuple[str, list[Any]]
"""SQL and the values of its parameters."""


class QueryTimeout(Exception):
    """A query took longer than QUERY_SECONDS."""


class Catalog:
    """An opened archive, created by `open_catalog`. Its methods are thread-safe."""

    def __init__(self, place: Run | Store, connection: duckdb.DuckDBPyConnection) -> None:
        self.place = place
        self.connection = connection
        self.lock = threading.Lock()
        self.name = place.folder.name.rstrip("/").rsplit("/", 1)[-1]
        self.parts = place.parts if isinstance(place, Run) else place.parts()
        self.offsets = np.cumsum([0, *(part.rows for part in self.parts)])
        self.pieces = place.result_files() if isinstance(place, Run) else []
        self.kept = row_masks(self.pieces)
        self._create_list()
        self.size = int(self.offsets[-1])
        facets = {name: self._words(name) for name in FACETS}
        self.graded = facets["hardest"] != [UNKNOWN]
        self.facets = {name: words for name, words in facets.items() if len(words) > 1}

    @property
    def store(self) -> Store:
        """The store of the puzzles."""
        return self.place.store if isinstance(self.place, Run) else self.place

    def about(self) -> dict[str, Any]:
        """Return the archive's name and size, and the words to filter its list by."""
        about = {"name": self.name, "puzzles": self.size, "graded": self.graded, "facets": self.facets}
        return {**about, "results": isinstance(self.place, Run)}

    def page(self, wanted: ListQuery) -> dict[str, Any]:
        """Return a page of PAGE_ROWS rows, the number of all rows, and what each word of a facet would leave.

        Raises QueryTimeout.
        """
        tests = _tests(wanted)
        where, values = _where(tests.values())
        direction = "desc" if wanted.descending else "asc"
        order = f"named desc, {ORDERS.get(wanted.sort, wanted.sort)} {direction} nulls last, place"
        with self._cursor() as cursor:
            source = self._search(cursor, wanted.query)

            def counts(name: str) -> list[tuple[str, int]]:
                where, values = _where(test for other, test in tests.items() if other != name)
                grouped = f"select {_column(name)}, count(*) from {source}{where} group by 1"
                found = dict(cursor.execute(grouped, values).fetchall())
                return [(word, found.get(word, 0)) for word in self.facets[name]]

            counted = cursor.execute(f"select count(*) from {source}{where}", values).fetchone()
            rows = f"select {', '.join(LISTED)} from {source}{where} order by {order} limit {PAGE_ROWS} offset ?"
            found = cursor.execute(rows, [*values, wanted.first]).fetchall()
            sole = cursor.execute(f"select distinct puzzle_id from {source} where named limit 2").fetchall()
            facets = {name: counts(name) for name in self.facets}
        return {
            "total": counted[0] if counted else 0,
            "first": wanted.first,
            "named": sole[0][0] if len(sole) == 1 else None,
            "facets": facets,
            "puzzles": [dict(zip(LISTED, row, strict=True)) for row in found],
        }

    def puzzle(self, puzzle_id: str) -> dict[str, Any] | None:
        """Return a puzzle and its result, or None if it is unknown. Raises InvalidPuzzle if it can't be shown."""
        with self._cursor() as cursor:
            columns = ", ".join(("stored", "piece", "piece_row", *GRADING))
            select = f"select {columns} from listed where puzzle_id = ? order by stored limit 1"
            found = cursor.execute(select, [puzzle_id]).fetchone()
        if not found:
            return None
        stored, piece, row, *grading = found
        number = int(np.searchsorted(self.offsets, stored, side="right")) - 1
        within = int(stored - self.offsets[number])
        _, batch = next(self.store.read(self.parts[number], [(within, within + 1)]))
        for why in malformed(batch).values():
            raise InvalidPuzzle(f"{puzzle_id}: invalid puzzle: {why}")
        puzzle = next(puzzles_of(batch))
        answer = None
        if piece is not None and isinstance(self.place, Run):
            piece = self.pieces[piece]
            result = self.place.read(piece, self.kept.get(piece.name)).slice(row, 1).to_pylist()[0]
            if result["puzzle_id"] == puzzle_id:
                answer = result_reply(result, puzzle.width, puzzle.height)
                answer["grading"] = dict(zip(GRADING, grading, strict=True))
        return {**puzzle_reply(puzzle), "answer": answer}

    def _search(self, cursor: duckdb.DuckDBPyConnection, query: str) -> str:
        """Return the SQL of the rows that have a query's words or are named by it, with the column `named`.

        They are kept until the next search: each facet is counted over them.
        """
        words = re.findall(r"[^\s,;]+", query.lower())[:10]
        if not words:
            return "(select *, false as named from listed)"
        sizes = [SIZED.fullmatch(word) for word in words]
        has_words = " and ".join(["(contains(sought, strip_accents(?)) or width || '×' || height = ?)"] * len(words))
        values = [(word, size and f"{size[1]}×{size[2]}") for word, size in zip(words, sizes, strict=True)]
        named = f"(select *, {NAMED} as named from listed)"
        cursor.execute(
            f"create or replace temp table searched as select * from {named} where named or ({has_words})",
            [*_names(query), *(value for pair in values for value in pair)],
        )
        return "searched"

    def _create_list(self) -> None:
        """Create the table `listed`: a row for each puzzle, `stored` its index, with its result and grade."""
        batches = [batch for part in self.parts for _, batch in self.store.read(part, [(0, part.rows)], FACTS)]
        if not batches:
            advice = f"import some: nonocensus import FILES --out {self.store.folder.uri}"
            raise InputError(f"{self.place.folder.name} holds no puzzles", advice)
        facts = pa.Table.from_batches(batches)
        self.connection.register("facts", facts.append_column("stored", pa.array(np.arange(len(facts)))))
        self.connection.register("found", self._results())
        graded = with_grade(current_grades(self.place)) if isinstance(self.place, Run) else NO_GRADES
        self.connection.register("graded", graded.select(GRADE))
        joined = self.connection.sql(JOINED).to_arrow_table()
        work, conflicts, width, height = (
            joined[name].to_numpy().astype(np.float64) for name in ("line_solves", "conflicts", "width", "height")
        )
        measured = difficulty(work, np.nan_to_num(conflicts), width + height)
        known = np.isfinite(measured)
        self.connection.register(
            "joined", joined.append_column("difficulty", pa.array(np.where(known, measured, 0.0), mask=~known))
        )
        words = ", ".join(
            f"coalesce(({sql})::varchar, '{UNKNOWN}') as {_column(name)}" for name, (sql, _) in FACETS.items()
        )
        self.connection.execute(
            f"create table listed as select * exclude (line_solves, conflicts), {words} from joined"
        )
        for name in ("facts", "found", "graded", "joined"):
            self.connection.unregister(name)

    def _results(self) -> pa.Table:
        """Return the result columns that the list shows, with each row's file index and its index in that file."""
        tables = [OUTCOMES.empty_table()]
        for number, piece in enumerate(self.pieces):
            assert isinstance(self.place, Run)
            rows = self.place.read(piece, self.kept.get(piece.name), OUTCOME)
            places = pa.array(np.full(len(rows), number)), pa.array(np.arange(len(rows)))
            tables.append(pa.table([*(rows[name] for name in OUTCOME), *places], schema=OUTCOMES))
        return pa.concat_tables(tables)

    def _words(self, name: str) -> list[str]:
        """Return the words of a facet in order, UNKNOWN last."""
        with self._cursor() as cursor:
            found = [word for (word,) in cursor.execute(f"select distinct {_column(name)} from listed").fetchall()]
        places = {word: place for place, word in enumerate(FACETS[name][1])}
        return sorted(found, key=lambda word: (word == UNKNOWN, places.get(word, len(places)), natural(word)))

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lock the connection for a query, which is interrupted after QUERY_SECONDS."""
        if not self.lock.acquire(timeout=QUERY_SECONDS):
            raise QueryTimeout
        clock = threading.Timer(QUERY_SECONDS, self.connection.interrupt)
        try:
            clock.start()
            yield self.connection
        except duckdb.InterruptException:
            raise QueryTimeout from None
        finally:
            clock.cancel()
            self.lock.release()


def _column(facet: str) -> str:
    """Return the name of the column with a facet's words."""
    return f"word_of_{facet}"


def _where(tests: Iterable[Condition]) -> Condition:
    """Join conditions into a clause of SQL, empty without any."""
    known = list(tests)
    clause = " and ".join(sql for sql, _ in known)
    return f" where {clause}" if known else "", [value for _, values in known for value in values]


def _names(query: str) -> list[Any]:
    """Return the values of NAMED: the ids that a query may be, the end of an id without its source, the address.

    Source and number of an id may be separated by a blank, or by a #: `webpbn #27215`.
    """
    text = query.strip(" \t,;").removeprefix("#")
    ids = [text.lower(), "/".join(re.findall(r"[^\s,;/#]+", text.lower()))]
    if found := LINK.fullmatch(text.lower()):
        number = re.search(r"\b\d+\b", found[2])
        ids += [f"{source}/{number[0]}" for source in found[1].split(".")] if number else []
    return [ids, f"/{text.lower()}", text]


def _tests(wanted: ListQuery) -> dict[str, Condition]:
    """Return the conditions of a query's facets and ranges, by what they filter."""
    tests: dict[str, Condition] = {}
    for name in FACETS:
        if chosen := [word for word in getattr(wanted, name) if word]:
            tests[name] = f"list_contains(?, {_column(name)})", [chosen]
    for name, sql in RANGES.items():
        for end, compared in zip(getattr(wanted, name).split(".."), (">=", "<="), strict=False):
            if end:
                tests[f"{name} {compared}"] = f"{sql} {compared} ?", [float(end)]
    return tests


@contextmanager
def open_catalog(place: Run | Store) -> Iterator[Catalog]:
    """Open a run or store for the duration of a block. Raises InputError if it can't be read."""
    if isinstance(place, Run):
        require_unchanged(place)
    with database() as connection:
        yield Catalog(place, connection)
