"""Columns of mendings and grades, joined to a run's results by puzzle id and clue hash.

Rows of puzzles whose clues have changed since do not match, and are ignored.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.derived_measures import derived_measures
from nonocensus.solver.model.measures import BY_NAME, LADDER, Computed, computed_by
from nonocensus.solver.model.tables import GRADES, MENDINGS
from nonocensus.solver.model.techniques import TECHNIQUES

KEY = ("puzzle_id", "clue_hash")
"""The columns by which results and findings are joined."""

VALUES = np.arange(256, dtype=np.uint8) - np.repeat([ord("0"), ord("a") - 10], [58, 198]).astype(np.uint8)
"""The value of each hex digit, by its character."""


class KeyedRows(NamedTuple):
    """Rows of a finding, indexed by clue hash; `indexed` makes them.

    rows    with the columns KEY, sorted by `bits`
    bits    uint64[rows]: the first 64 bits of the clue hashes
    """

    rows: pa.Table
    bits: np.ndarray


def indexed(found: pa.Table) -> KeyedRows:
    """Index rows with the columns KEY by clue hash."""
    bits = first_bits(found["clue_hash"].combine_chunks())
    order = np.argsort(bits, kind="stable")
    return KeyedRows(found.take(pa.array(order)), bits[order])


def join_columns(results: pa.RecordBatch, found: KeyedRows, columns: pa.Schema) -> pa.RecordBatch:
    """Join columns to results: null without a match, the first of several matches.

    results    with the columns KEY
    columns    to return, in order; those that `found` lacks are null
    """
    if not len(found.rows):
        return pa.RecordBatch.from_arrays([pa.nulls(len(results), field.type) for field in columns], schema=columns)
    wanted = np.unique(first_bits(results["clue_hash"]))
    first, last = (np.searchsorted(found.bits, wanted, side) for side in ("left", "right"))
    sizes = last - first
    near = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())  # the indices of all ranges
    rows = found.rows.take(pa.array(near))
    places = pc.index_in(keys(results), value_set=keys(rows), skip_nulls=True)
    taken = rows.select([name for name in columns.names if name in rows.column_names]).take(places)
    arrays = [
        taken[field.name].combine_chunks() if field.name in taken.column_names else pa.nulls(len(taken), field.type)
        for field in columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    """Return the join key of each row, text[rows]: clue hash and id; null if either is."""
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")


def first_bits(hashes: pa.Array) -> np.ndarray:
    """Return the first 64 bits of hex hashes as uint64[rows], 0 for null and invalid ones."""
    known = pc.greater_equal(pc.binary_length(hashes), 16)
    digits = pc.binary_slice(pc.cast(pc.fill_null(pc.if_else(known, hashes, None), "0" * 16), pa.binary()), 0, 16)
    text = np.frombuffer(digits.buffers()[2], np.uint8)[: 16 * len(hashes)].reshape(-1, 16)
    pairs = VALUES.take(text).view("<u2")  # the first of two digits is in the lower byte
    return (pairs << 4 | pairs >> 8).astype(np.uint8).view(">u8").ravel().astype(np.uint64)


NO_MENDINGS = MENDINGS.empty_table()

MENDED = pa.schema([MENDINGS.field(name) for name in ("change", "mended")])
"""Columns of a mending that a report shows."""


def join_mendings(results: pa.RecordBatch, mendings: KeyedRows) -> pa.RecordBatch:
    """Join the columns MENDED to results.

    mendings   of the schema MENDINGS
    """
    return join_columns(results, mendings, MENDED)


SHARED = pa.schema([GRADES.field(name) for name in ("grade", "hardest", "minutes", "stars", "looks", "work")])
"""Grade columns that reports join to results."""

NO_GRADES = GRADES.empty_table()
NONE_FOUND = indexed(NO_GRADES)

KILLED = "killed"
"""Status of a puzzle whose worker died or failed."""


def _graded_columns() -> pa.Schema:
    sources = {technique.column: technique.source for technique in TECHNIQUES} | {"hardest": LADDER}
    sources |= {measure.name: measure.source for measure in computed_by(Computed.graded)}
    fields = (field for field in GRADES if field.name in sources)
    return pa.schema([field.with_metadata(field.metadata | {"source": sources[field.name]}) for field in fields])


GRADED = _graded_columns()
"""The columns of grades that are joined to results, with sources in the fields' metadata."""


def with_sources(fields: Iterable[pa.Field]) -> Iterator[pa.Field]:
    """Yield fields of tables, those of measures with their sources."""
    for field in fields:
        yield BY_NAME[field.name].field() if field.name in BY_NAME else field


class Grade(NamedTuple):
    """Numbers of puzzles of a grade."""

    grade: int  # 1 to 9
    techniques: dict[str, int]  # by the hardest technique needed, in the order of the ladder

    @property
    def puzzles(self) -> int:
        """Return their total."""
        return sum(self.techniques.values())


def join_grades(results: pa.RecordBatch, grades: KeyedRows, columns: pa.Schema = SHARED) -> pa.RecordBatch:
    """Join columns of grades to results; null for puzzles without a grade, such as timeouts.

    grades   rows of `finished`
    """
    return join_columns(results, grades, columns)


def joined_rows(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, grades: KeyedRows, columns: pa.Schema
) -> pa.RecordBatch:
    """Return columns of puzzles, of their results, of derived measures, or of grades, whichever has them first.

    results, puzzles   matched by row, with the columns KEY and those of derived measures
    """
    tables = puzzles, results, derived_measures(results, puzzles), join_grades(results, grades, GRADED)
    arrays = [next(table[name] for table in tables if name in table.schema.names) for name in columns.names]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def finished(grades: pa.Table) -> pa.Table:
    """Return the rows with a grade."""
    return grades.filter(pc.is_valid(grades["grade"]))


def by_grade(hardest: Iterable[tuple[str, int]]) -> tuple[Grade, ...]:
    """Group puzzles by grade and hardest technique; empty groups are left out.

    hardest   names of techniques and numbers of puzzles
    """
    found = dict(hardest)
    needed = [technique for technique in TECHNIQUES if found.get(technique.name)]
    return tuple(
        Grade(grade, {technique.name: found[technique.name] for technique in those})
        for grade, those in groupby(needed, key=lambda technique: technique.grade)
    )
