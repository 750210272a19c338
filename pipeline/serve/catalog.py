"""The archive (run or store) that the server has opened: its list, which DuckDB searches and sorts, and its puzzles.

The list's columns are read once; a puzzle and its result are read from disk on each request.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.run.job_tables import current_grades
from nonocensus.pipeline.run.results import row_masks
from nonocensus.pipeline.run.run_folder import Run, require_unchanged
from nonocensus.pipeline.serve.records import puzzle_reply, result_reply
from nonocensus.pipeline.serve.serve_limits import PAGE_ROWS, QUERY_SECONDS
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.numbers.joined_columns import NO_GRADES, finished
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.measures import difficulty
from nonocensus.solver.model.puzzle import InvalidPuzzle
from nonocensus.solver.model.tables import RESULTS, puzzles_of

FACTS = ["puzzle_id", "title", "author", "width", "height", "kind"]
OUTCOME = ["puzzle_id", "clue_hash", "label", "status", "technique", "line_solves", "conflicts"]
GRADING = ["grade", "hardest", "minutes", "minutes_low", "minutes_high", "stars"]
GRADE = ["puzzle_id", "clue_hash", *GRADING]

OUTCOMES = pa.schema([*(RESULTS.field(name) for name in OUTCOME), ("piece", pa.int64()), ("piece_row", pa.int64())])

JOINED = f"""
select facts.*, coalesce(label, status) as label, technique, line_solves, conflicts, piece, piece_row,
{", ".join(GRADING)}, lower(concat_ws(' ', facts.puzzle_id, title, author)) as sought
from facts left join found using (puzzle_id) left join graded using (puzzle_id, clue_hash) order by place
"""
"""The puzzles with their results and grades, and the text to search."""

LISTED = ("place", *FACTS, "label", "technique", "minutes", "difficulty", "grade")
"""Columns of the list."""

FILTERS = ("label", "kind", "grade")
"""Columns that rows can be filtered by."""

ORDERS = {"": "place", "cells": "width::int * height"}
"""SQL of the sort keys that are not column names."""


class ListQuery(NamedTuple):
    """A query of the list: words in id, title or author; filters; sort key; the index of the page's first row."""

    query: str = ""
    label: str = ""
    kind: str = ""
    grade: int | None = None
    sort: str = ""
    descending: bool = False
    first: int = 0


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
        self.labels, self.kinds, self.grades = (self._values(name) for name in FILTERS)

    @property
    def store(self) -> Store:
        """The store of the puzzles."""
        return self.place.store if isinstance(self.place, Run) else self.place

    def about(self) -> dict[str, Any]:
        """Return the archive's name and size, and the values to filter its list by."""
        values = {"labels": self.labels, "kinds": self.kinds, "grades": sorted(self.grades)}
        return {"name": self.name, "puzzles": self.size, "results": isinstance(self.place, Run), **values}

    def page(self, wanted: ListQuery) -> dict[str, Any]:
        """Return a page of PAGE_ROWS rows, and the number of all rows. Raises QueryTimeout."""
        words = wanted.query.lower().split()[:10]
        tests = ["contains(sought, ?)"] * len(words)
        values: list[Any] = list(words)
        for name in FILTERS:
            if getattr(wanted, name):
                tests.append(f"{name} = ?")
                values.append(getattr(wanted, name))
        where = " where " + " and ".join(tests) if tests else ""
        direction = "desc" if wanted.descending else "asc"
        order = f"{ORDERS.get(wanted.sort, wanted.sort)} {direction} nulls last, place"
        rows = f"select {', '.join(LISTED)} from listed{where} order by {order} limit {PAGE_ROWS} offset ?"
        with self._cursor() as cursor:
            counted = cursor.execute(f"select count(*) from listed{where}", values).fetchone()
            found = cursor.execute(rows, [*values, wanted.first]).fetchall()
        puzzles = [dict(zip(LISTED, row, strict=True)) for row in found]
        return {"total": counted[0] if counted else 0, "first": wanted.first, "puzzles": puzzles}

    def puzzle(self, puzzle_id: str) -> dict[str, Any] | None:
        """Return a puzzle and its result, or None if it is unknown. Raises InvalidPuzzle if it can't be shown."""
        with self._cursor() as cursor:
            columns = ", ".join(("place", "piece", "piece_row", *GRADING))
            select = f"select {columns} from listed where puzzle_id = ? order by place limit 1"
            found = cursor.execute(select, [puzzle_id]).fetchone()
        if not found:
            return None
        place, piece, row, *grading = found
        number = int(np.searchsorted(self.offsets, place, side="right")) - 1
        within = int(place - self.offsets[number])
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

    def _create_list(self) -> None:
        """Create the table `listed`: a row for each puzzle, `place` its index, with its result and grade."""
        batches = [batch for part in self.parts for _, batch in self.store.read(part, [(0, part.rows)], FACTS)]
        if not batches:
            advice = f"import some: nonocensus import FILES --out {self.store.folder.uri}"
            raise InputError(f"{self.place.folder.name} holds no puzzles", advice)
        facts = pa.Table.from_batches(batches)
        self.connection.register("facts", facts.append_column("place", pa.array(np.arange(len(facts)))))
        self.connection.register("found", self._results())
        self.connection.register("graded", self._grades())
        joined = self.connection.sql(JOINED).to_arrow_table()
        work, conflicts, width, height = (
            joined[name].to_numpy().astype(np.float64) for name in ("line_solves", "conflicts", "width", "height")
        )
        measured = difficulty(work, np.nan_to_num(conflicts), width + height)
        known = np.isfinite(measured)
        self.connection.register(
            "joined", joined.append_column("difficulty", pa.array(np.where(known, measured, 0.0), mask=~known))
        )
        self.connection.execute("create table listed as select * exclude (line_solves, conflicts) from joined")
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

    def _grades(self) -> pa.Table:
        """Return the columns GRADE of graded puzzles."""
        graded = finished(current_grades(self.place)) if isinstance(self.place, Run) else NO_GRADES
        return graded.select(GRADE)

    def _values(self, name: str) -> list[Any]:
        """Return the values of a column of the list, the most frequent first."""
        with self._cursor() as cursor:
            found = cursor.execute(
                f"select {name} from listed where {name} is not null group by 1 order by count(*) desc"
            )
            return [value for (value,) in found.fetchall()]

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


@contextmanager
def open_catalog(place: Run | Store) -> Iterator[Catalog]:
    """Open a run or store for the duration of a block. Raises InputError if it can't be read."""
    if isinstance(place, Run):
        require_unchanged(place)
    with database() as connection:
        yield Catalog(place, connection)
