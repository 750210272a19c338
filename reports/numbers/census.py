"""A compact copy of a run's results and puzzles, from which every figure of a report is counted.

Each row takes 30 bytes: class, seconds, difficulty bin and hashes (8 more where line logic leaves cells open). The rows
that a report shows one by one are kept whole, and the measures of a random sample of a million rows. So tens of
millions of rows fit in memory.

Threads process batches (`row_counts`), which are added up here in their order: the figures do not depend on the number
of threads.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike

from nonocensus.reports.numbers.joined_columns import NO_GRADES, NO_MENDINGS, indexed
from nonocensus.reports.numbers.row_classes import RowClass, Rows
from nonocensus.reports.numbers.row_counts import (
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
from nonocensus.reports.threads import in_threads

SHOWN = 100_000
"""Puzzles that a report shows one by one: all, or the hardest."""

COMPARED = 1_000_000
"""Puzzles whose measures are correlated: all, or a random sample of this size."""

KINDS_OF_FAILURES = 1_000
"""Distinct reasons that are counted; further ones are counted as OTHER_REASONS."""

OTHER_REASONS = "other reasons"

Row: TypeAlias = dict[str, Any]
"""A row of both tables: a value for each of RESULT_COLUMNS and PUZZLE_COLUMNS."""


class Census(NamedTuple):
    """All rows of a run, in their order; arrays have one value for each row unless stated."""

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
    minutes: Counter[str]  # puzzles with an estimate, by class of minutes
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
    """Read results and their puzzles, pair by pair.

    pairs      (results, puzzles) of equal length, matched by row, with the columns RESULT_COLUMNS and PUZZLE_COLUMNS of
               the schemas RESULTS and PUZZLES; an unknown puzzle is a row of nulls
    public     keep titles, clues and pictures only of puzzles whose licence permits redistribution; all are counted
    mendings   of the schema MENDINGS
    grades     rows with a grade, with the columns SHARED
    rows       expected number of rows, 0 if unknown

    Raises ValueError if the lengths of a pair differ.
    """
    builder = _CensusBuilder(rows)
    options = CensusOptions(public, indexed(mendings), indexed(grades))
    for batch in in_threads(partial(_batch_of, options), _paired(pairs)):
        builder.add(batch)
    return builder.build()


class _CensusBuilder:
    """Adds up batches; `rows` is the expected number of rows, 0 if unknown."""

    def __init__(self, rows: int) -> None:
        self.places: dict[RowClass, int] = {}
        self.codes, self.difficulties = _GrowingArray(np.int32, rows), _GrowingArray(np.int16, rows)
        self.seconds, self.decided = _GrowingArray(np.float64, rows), _GrowingArray(np.float64)
        self.clue_hashes, self.canonical_hashes = _GrowingArray(np.uint64, rows), _GrowingArray(np.uint64, rows)
        self.authors: AuthorCounts = {}
        self.rung_seconds, self.rung_times, self.work = np.zeros(len(RUNGS)), no_rung_times(), np.zeros(4)
        self.techniques, self.minutes = Counter[str](), Counter[str]()
        self.compared, self.shown = Sample(COMPARED, _floats), _HardestRows()
        self.compared.add(no_rows(CORRELATED))
        self.rated = [no_rows(RATED_FIELDS)]
        self.reasons = Counter[tuple[str, str]]()
        self.failures: list[Row] = []
        self.contradictions: list[Row] = []

    def add(self, batch: Batch) -> None:
        """Add the counts and rows of a batch."""
        words = np.array([self.places.setdefault(word, len(self.places)) for word in batch.words], np.int32)
        self.codes.add(words[batch.codes])
        self.seconds.add(batch.seconds)
        self.difficulties.add(batch.difficulties)
        self.clue_hashes.add(batch.clue_hashes)
        self.canonical_hashes.add(batch.canonical_hashes)
        self.decided.add(batch.decided)
        add_authors(batch.authors, self.authors)
        self.rung_seconds += batch.rung_seconds
        self.rung_times += batch.rung_times
        self.work += batch.work
        self.techniques.update(batch.hardest)
        self.minutes.update(batch.minutes)
        self.compared.add(batch.compared)
        self.rated += batch.rated
        self.shown.add(batch.shown)
        _add_reasons(batch.reasons, self.reasons)
        _add_rows(batch.failures, self.failures)
        _add_rows(batch.contradictions, self.contradictions)

    def build(self) -> Census:
        """Return the census of the batches added."""
        return Census(
            words=tuple(self.places),
            codes=self.codes.values(),
            seconds=self.seconds.values(),
            difficulties=self.difficulties.values(),
            clue_hashes=self.clue_hashes.values(),
            canonical_hashes=self.canonical_hashes.values(),
            decided=self.decided.values(),
            authors=self.authors,
            rung_seconds=self.rung_seconds,
            rung_times=self.rung_times,
            conflicts=(self.work[0], self.work[1]),
            line_solves=(self.work[2], self.work[3]),
            rated=pa.concat_tables(self.rated),
            hardest=self.techniques,
            minutes=self.minutes,
            compared=self.compared.table(),
            shown=self.shown.table(),
            reasons=self.reasons,
            failures=tuple(self.failures),
            contradictions=tuple(self.contradictions),
        )


def _paired(pairs: Iterable[tuple[Rows, Rows]]) -> Iterator[tuple[Rows, Rows]]:
    """Yield the pairs with rows, reduced to the columns that are read."""
    for results, puzzles in pairs:
        if len(results) != len(puzzles):
            raise ValueError(f"{len(results)} results do not pair with {len(puzzles)} puzzles")
        if len(results):
            yield results.select(RESULT_COLUMNS), puzzles.select(PUZZLE_COLUMNS)


def _batch_of(options: CensusOptions, pair: tuple[Rows, Rows]) -> Batch:
    return batch_of(_as_batch(pair[0]), _as_batch(pair[1]), options)


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
    """Return numbers as float32, which is precise enough for ranks."""
    return pa.table({name: rows[name].cast(pa.float32(), safe=False) for name in rows.column_names})


class _GrowingArray:
    """An array that grows at its end, as a list of small arrays would fragment the memory.

    expected   number of values to reserve room for
    """

    def __init__(self, dtype: DTypeLike, expected: int = 0) -> None:
        self.room, self.size = np.empty(max(expected, 1 << 16), dtype), 0

    def add(self, values: np.ndarray) -> None:
        """Append values."""
        end = self.size + len(values)
        if end > len(self.room):
            before, self.room = self.room, np.empty(max(end, 2 * len(self.room)), self.room.dtype)
            self.room[: self.size] = before[: self.size]
        self.room[self.size : end] = values
        self.size = end

    def values(self) -> np.ndarray:
        """Return all values so far."""
        return self.room[: self.size]


class _HardestRows:
    """The SHOWN hardest puzzles so far, by difficulty, then by id; unknown difficulties last."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self.full, self.bar = False, None  # once full, the difficulty that further rows must exceed

    def add(self, rows: pa.Table) -> None:
        """Add rows with SHOWN_FIELDS."""
        if self.full:
            difficulty = rows["difficulty"]
            above = difficulty.is_valid() if self.bar is None else pc.greater(difficulty, self.bar)
            rows = rows.take(pc.indices_nonzero(above))  # for few rows much faster than `filter`
        if len(rows):
            self.tables.append(rows)
        if sum(map(len, self.tables)) >= 2 * SHOWN:
            self.tables = [self.table()]
            self.full, self.bar = True, self.tables[0]["difficulty"][-1].as_py()

    def table(self) -> pa.Table:
        """Return the rows, the hardest first."""
        if not self.tables:
            return no_rows(SHOWN_FIELDS)
        order = [("difficulty", "descending"), ("puzzle_id", "ascending")]
        # Copying the rows that stay releases the batches that they came in.
        rows = pa.concat_tables(self.tables)
        return rows.take(pc.sort_indices(rows.select(["difficulty", "puzzle_id"]), order)[:SHOWN]).combine_chunks()


class Sample:
    """A deterministic uniform sample of the rows added: each row draws a number, and the `size` lowest stay.

    kept   returns the part of rows that is kept, as a table
    """

    def __init__(self, size: int, kept: Callable[[pa.Table], pa.Table]) -> None:
        self.size, self.kept = size, kept
        self.draw = np.random.default_rng(0)
        self.tables: list[pa.Table] = []
        self.drawn: list[np.ndarray] = []  # the numbers of the rows
        self.bar = 1.0  # upper bound of further numbers

    def add(self, rows: pa.Table) -> None:
        """Add rows."""
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
        """Return the sample in the order in which rows were added, at least once."""
        if sum(map(len, self.drawn)) > self.size:
            self._thin()
        return pa.concat_tables(self.tables)
