"""A run's results and their puzzles, read once and kept small: what every figure of a report is counted from.

Of each row stay 30 bytes: its code, its seconds, its class of difficulty and its hashes (8 more where line logic leaves
cells open). Of the rows that a report shows one by one everything stays, of a million, drawn at random if there are
more, the measures. So tens of millions of rows fit in memory.

Batches are looked at by threads (reports.row_counts), and put together here in their order: the figures are the same
however many threads there are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike

from reports.joined_columns import NO_GRADES, NO_MENDINGS, indexed
from reports.row_classes import RowClass, Rows
from reports.row_counts import (
    CORRELATED,
    LISTED,
    PUZZLE_COLUMNS,
    RATED_FIELDS,
    RESULT_COLUMNS,
    RUNGS,
    SHOWN_FIELDS,
    AuthorCounts,
    Batch,
    CensusOptions,
    add_authors,
    batch_of,
    no_rows,
    no_rung_times,
)
from reports.threads import in_threads

SHOWN = 100_000
"""Puzzles that a report shows one by one: all of them, or the hardest."""

COMPARED = 1_000_000
"""Puzzles whose measures are held against each other: all of them, or so many drawn at random."""

KINDS_OF_FAILURES = 1_000
"""Reasons that are told apart; failures for yet others are counted as OTHER_REASONS."""

OTHER_REASONS = "other reasons"

Row: TypeAlias = dict[str, Any]
"""A row of both tables: a value for each of RESULT_COLUMNS and PUZZLE_COLUMNS."""


class Census(NamedTuple):
    """All rows of a run, in their order."""

    words: tuple[RowClass, ...]  # those that occur, in the order in which they first do
    codes: np.ndarray  # int32[rows]: index into words
    seconds: np.ndarray  # float64[rows]: CPU seconds, NaN where not known
    difficulties: np.ndarray  # int16[rows]: how many DIFFICULTY_BIN its difficulty has, rounded down, or NO_BIN
    clue_hashes: np.ndarray  # uint64[rows]: the first 64 bits of the clue hash, 0 where not known
    canonical_hashes: np.ndarray  # uint64[rows]: likewise of the canonical hash
    decided: np.ndarray  # float64[stalled]: share of the cells that line logic decides where it leaves the puzzle open
    authors: AuthorCounts
    rung_seconds: np.ndarray  # float64[rungs]: CPU seconds in all
    rung_times: np.ndarray  # int64[rungs, bins]: puzzles by the time that the rung took
    conflicts: tuple[float, float]  # of clause learning: how many, in how many CPU seconds
    line_solves: tuple[float, float]  # how many, in how many CPU seconds of all other rungs
    rated: pa.Table  # RATED_FIELDS of the puzzles that people have rated
    hardest: Counter[str]  # puzzles with a grade, by the hardest technique
    compared: pa.Table  # CORRELATED, float32, of all puzzles, or of COMPARED of them drawn at random
    shown: pa.Table  # SHOWN_FIELDS of up to SHOWN puzzles, the hardest first
    reasons: Counter[tuple[str, str]]  # puzzles without a verdict by status and reason, whose numbers stand as N
    failures: tuple[Row, ...]  # the first LISTED without a verdict
    contradictions: tuple[Row, ...]  # the first LISTED whose verdict is not the site's; the key "claim" has that


def take_census(
    pairs: Iterable[tuple[Rows, Rows]],
    public: bool = False,
    mendings: pa.Table = NO_MENDINGS,
    grades: pa.Table = NO_GRADES,
    rows: int = 0,
) -> Census:
    """Take in results and their puzzles, pair by pair.

    pairs      (results, puzzles) of equal length: row k of the one belongs to row k of the other. They have the
               columns RESULT_COLUMNS and PUZZLE_COLUMNS of the schemas RESULTS and PUZZLES; a puzzle that is not known
               is a row of nulls. A ValueError says so if the lengths differ.
    public     whether to keep titles, clues and pictures only of puzzles whose licence lets them be passed on;
               everything is counted all the same
    mendings   what mend has found, of the schema MENDINGS
    grades     what grade has found, with the columns SHARED, those with a grade
    rows       how many there will be, if that is known
    """
    places: dict[RowClass, int] = {}
    codes, difficulties = _Growing(np.int32, rows), _Growing(np.int16, rows)
    seconds, decided = _Growing(np.float64, rows), _Growing(np.float64)
    clue_hashes, canonical_hashes = _Growing(np.uint64, rows), _Growing(np.uint64, rows)
    authors: AuthorCounts = {}
    rung_seconds, rung_times, work = np.zeros(len(RUNGS)), no_rung_times(), np.zeros(4)
    techniques = Counter[str]()
    compared, shown = Sample(COMPARED, _floats), _Hardest()
    compared.add(no_rows(CORRELATED))
    rated = [no_rows(RATED_FIELDS)]
    reasons = Counter[tuple[str, str]]()
    failures: list[Row] = []
    contradictions: list[Row] = []
    asked = CensusOptions(public, indexed(mendings), indexed(grades))
    for batch in in_threads(partial(_batch_of, asked), _paired(pairs)):
        words = np.array([places.setdefault(word, len(places)) for word in batch.words], np.int32)
        codes.add(words[batch.codes])
        seconds.add(batch.seconds)
        difficulties.add(batch.difficulties)
        clue_hashes.add(batch.clue_hashes)
        canonical_hashes.add(batch.canonical_hashes)
        decided.add(batch.decided)
        add_authors(batch.authors, authors)
        rung_seconds += batch.rung_seconds
        rung_times += batch.rung_times
        work += batch.work
        techniques.update(batch.hardest)
        compared.add(batch.compared)
        rated += batch.rated
        shown.add(batch.shown)
        _add_reasons(batch.reasons, reasons)
        _add_rows(batch.failures, failures)
        _add_rows(batch.contradictions, contradictions)
    return Census(
        tuple(places),
        codes.values(),
        seconds.values(),
        difficulties.values(),
        clue_hashes.values(),
        canonical_hashes.values(),
        decided.values(),
        authors,
        rung_seconds,
        rung_times,
        (work[0], work[1]),
        (work[2], work[3]),
        pa.concat_tables(rated),
        techniques,
        compared.table(),
        shown.table(),
        reasons,
        tuple(failures),
        tuple(contradictions),
    )


def _paired(pairs: Iterable[tuple[Rows, Rows]]) -> Iterator[tuple[Rows, Rows]]:
    """The pairs that have rows, with the columns looked at."""
    for results, puzzles in pairs:
        if len(results) != len(puzzles):
            raise ValueError(f"{len(results)} results do not pair with {len(puzzles)} puzzles")
        if len(results):
            yield results.select(RESULT_COLUMNS), puzzles.select(PUZZLE_COLUMNS)


def _batch_of(asked: CensusOptions, pair: tuple[Rows, Rows]) -> Batch:
    return batch_of(_as_batch(pair[0]), _as_batch(pair[1]), asked)


def _as_batch(rows: Rows) -> pa.RecordBatch:
    if isinstance(rows, pa.RecordBatch):
        return rows
    batches = rows.to_batches()
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def _add_reasons(counts: Counter[tuple[str, str]], reasons: Counter[tuple[str, str]]) -> None:
    for kind, count in counts.items():
        there = kind in reasons or len(reasons) < KINDS_OF_FAILURES
        reasons[kind if there else (kind[0], OTHER_REASONS)] += count


def _add_rows(tables: Sequence[pa.Table], rows: list[Row]) -> None:
    """Add the tables' first rows while there are fewer than LISTED."""
    for table in tables:
        rows += table.slice(0, LISTED - len(rows)).to_pylist()


def _floats(rows: pa.Table) -> pa.Table:
    """Numbers as float32, which has all that is wanted for ranks."""
    return pa.table({name: rows[name].cast(pa.float32(), safe=False) for name in rows.column_names})


class _Growing:
    """An array that grows at its end. (A list of small arrays would leave as much memory again in pieces.)

    expected   how many values there will probably be: room for them is made at once
    """

    def __init__(self, dtype: DTypeLike, expected: int = 0) -> None:
        self.room, self.size = np.empty(max(expected, 1 << 16), dtype), 0

    def add(self, values: np.ndarray) -> None:
        """Take in more values."""
        end = self.size + len(values)
        if end > len(self.room):
            before, self.room = self.room, np.empty(max(end, 2 * len(self.room)), self.room.dtype)
            self.room[: self.size] = before[: self.size]
        self.room[self.size : end] = values
        self.size = end

    def values(self) -> np.ndarray:
        """All values so far."""
        return self.room[: self.size]


class _Hardest:
    """The hardest puzzles so far: the first SHOWN by difficulty, then by id; unknown difficulties last."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self.full, self.bar = False, None  # once there are enough, a difficulty that others must exceed

    def add(self, rows: pa.Table) -> None:
        """Take in rows with SHOWN_FIELDS."""
        if self.full:
            difficulty = rows["difficulty"]
            above = difficulty.is_valid() if self.bar is None else pc.greater(difficulty, self.bar)
            rows = rows.take(pc.indices_nonzero(above))  # of a few rows much quicker than `filter`
        if len(rows):
            self.tables.append(rows)
        if sum(map(len, self.tables)) >= 2 * SHOWN:
            self.tables = [self.table()]
            self.full, self.bar = True, self.tables[0]["difficulty"][-1].as_py()

    def table(self) -> pa.Table:
        """These puzzles, the hardest first."""
        if not self.tables:
            return no_rows(SHOWN_FIELDS)
        order = [("difficulty", "descending"), ("puzzle_id", "ascending")]
        # Sorting moves keys only, and the rows that stay are copied: the batches that they came in are let go.
        rows = pa.concat_tables(self.tables)
        return rows.take(pc.sort_indices(rows.select(["difficulty", "puzzle_id"]), order)[:SHOWN]).combine_chunks()


class Sample:
    """So many of the rows added, each as likely as any other; all while they are few. The same rows give the same ones.

    Each row draws a number, and the lowest stay.

    kept   what is kept of rows, as a table
    """

    def __init__(self, size: int, kept: Callable[[pa.Table], pa.Table]) -> None:
        self.size, self.kept = size, kept
        self.draw = np.random.default_rng(0)
        self.tables: list[pa.Table] = []
        self.drawn: list[np.ndarray] = []  # the number of each row
        self.bar = 1.0  # that a number must be below

    def add(self, rows: pa.Table) -> None:
        """Take in more rows."""
        drawn = self.draw.random(len(rows))
        low = drawn < self.bar
        self.tables.append(self.kept(rows.take(pa.array(np.flatnonzero(low)))))
        self.drawn.append(drawn[low])
        if sum(map(len, self.drawn)) > 1.5 * self.size:
            self._thin()

    def _thin(self) -> None:
        drawn = np.concatenate(self.drawn)
        low = np.zeros(len(drawn), np.bool_)
        low[np.argpartition(drawn, self.size)[: self.size]] = True
        lowest = np.flatnonzero(low)
        self.tables, self.drawn = [pa.concat_tables(self.tables).take(lowest)], [drawn[lowest]]
        self.bar = self.drawn[0].max()

    def table(self) -> pa.Table:
        """The sample, in the order in which its rows came; some must have been added."""
        if sum(map(len, self.drawn)) > self.size:
            self._thin()
        return pa.concat_tables(self.tables)
