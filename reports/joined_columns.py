"""Columns of mendings and grades, joined to a run's results by puzzle id and clue hash.

Rows of puzzles whose clues have changed since do not match, and are ignored.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver.model.families import NONOGRAM, Family
from solver.model.measures import Computed, computed_by
from solver.model.tables import GRADES, MENDINGS

KEY = ("puzzle_id", "clue_hash")
"""The columns that results and what was found of them have in common."""

VALUES = np.arange(256, dtype=np.uint8) - np.repeat([ord("0"), ord("a") - 10], [58, 198]).astype(np.uint8)
"""The value of each hex digit, by its character."""


class KeyedRows(NamedTuple):
    """What was found, ready to be looked up; `indexed` makes it.

    rows    with the columns KEY, sorted by `bits`
    bits    uint64[rows]: the first 64 bits of the clue hashes
    """

    rows: pa.Table
    bits: np.ndarray


def indexed(found: pa.Table) -> KeyedRows:
    """What was found, with the columns KEY, ready to be looked up: once for all results, however many there are."""
    bits = first_bits(found["clue_hash"].combine_chunks())
    order = np.argsort(bits, kind="stable")
    return KeyedRows(found.take(pa.array(order)), bits[order])


def join_columns(results: pa.RecordBatch, found: KeyedRows, columns: pa.Schema) -> pa.RecordBatch:
    """Columns of what was found, for each row of results: nulls where there is nothing, the first where there is more.

    results    with the columns KEY
    columns    of what was found, in the order that is wanted
    """
    if not len(found.rows):
        return pa.RecordBatch.from_arrays([pa.nulls(len(results), field.type) for field in columns], schema=columns)
    wanted = np.unique(first_bits(results["clue_hash"]))
    first, last = (np.searchsorted(found.bits, wanted, side) for side in ("left", "right"))
    sizes = last - first
    near = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())  # all places of all ranges
    rows = found.rows.take(pa.array(near))
    places = pc.index_in(keys(results), value_set=keys(rows), skip_nulls=True)
    taken = rows.select(columns.names).take(places)
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in taken.columns], schema=columns)


def keys(rows: pa.RecordBatch | pa.Table) -> pa.Array | pa.ChunkedArray:
    """What rows and what was found of them have in common, text[rows]: clue hash and id; null if one is not known."""
    return pc.binary_join_element_wise(rows["clue_hash"], rows["puzzle_id"], " ")


def first_bits(hashes: pa.Array) -> np.ndarray:
    """The first 64 bits of hashes in hex as uint64[rows], 0 for null and for what is shorter: it is none."""
    known = pc.greater_equal(pc.binary_length(hashes), 16)
    digits = pc.binary_slice(pc.cast(pc.fill_null(pc.if_else(known, hashes, None), "0" * 16), pa.binary()), 0, 16)
    text = np.frombuffer(digits.buffers()[2], np.uint8)[: 16 * len(hashes)].reshape(-1, 16)
    pairs = VALUES.take(text).view("<u2")  # the first digit of two in the lower byte
    return (pairs << 4 | pairs >> 8).astype(np.uint8).view(">u8").ravel().astype(np.uint64)


NO_MENDINGS = MENDINGS.empty_table()

MENDED = pa.schema([MENDINGS.field(name) for name in ("change", "mended")])
"""What a report shows of a mending."""


def join_mendings(results: pa.RecordBatch, mendings: KeyedRows) -> pa.RecordBatch:
    """The columns MENDED of each row's mending (reports.kept_columns).

    mendings   of the schema MENDINGS
    """
    return join_columns(results, mendings, MENDED)


SHARED = pa.schema([GRADES.field(name) for name in ("grade", "hardest", "work")])
"""What the grades of all families have beside results."""

NO_GRADES = GRADES.empty_table()
NONE_FOUND = indexed(NO_GRADES)

KILLED = "killed"
"""The status of a puzzle that a worker died of, or failed on."""


def graded_columns(family: Family, ladder: str) -> pa.Schema:
    """Return the columns of a family's grades that are joined to results, with sources in the fields' metadata.

    ladder   the source of the column `hardest`
    """
    sources = {technique.column: technique.source for technique in family.techniques} | {"hardest": ladder}
    for measure in computed_by(Computed.graded):
        meaning = measure.meaning_for(family.name)
        if meaning is not None:
            sources[measure.name] = meaning.source
    fields = (field for field in family.grades if field.name in sources)
    return pa.schema([field.with_metadata(field.metadata | {"source": sources[field.name]}) for field in fields])


class Grade(NamedTuple):
    """The puzzles of a grade."""

    grade: int  # 1 to 9
    techniques: dict[str, int]  # by the hardest technique that they need, in the ladder's order
    level: str = ""  # the grade's word, if there are published ones

    @property
    def puzzles(self) -> int:
        """All of them."""
        return sum(self.techniques.values())


def join_grades(results: pa.RecordBatch, grades: KeyedRows, columns: pa.Schema = SHARED) -> pa.RecordBatch:
    """Columns of each row's grade (reports.kept_columns); nulls for what has none, timeouts among them.

    grades   of the schema of the family's grades, those that `finished` leaves
    """
    return join_columns(results, grades, columns)


def finished(grades: pa.Table) -> pa.Table:
    """The rows that have a grade."""
    return grades.filter(pc.is_valid(grades["grade"]))


def by_grade(hardest: Iterable[tuple[str, int]], family: Family = NONOGRAM) -> tuple[Grade, ...]:
    """Puzzles by their grade, and in it by their hardest technique; those that no puzzle has are left out.

    hardest   names of techniques, each with its number of puzzles
    """
    found = dict(hardest)
    needed = [technique for technique in family.techniques if found.get(technique.name)]
    level = dict(enumerate(family.levels, 1))
    return tuple(
        Grade(grade, {technique.name: found[technique.name] for technique in those}, level.get(grade, ""))
        for grade, those in groupby(needed, key=lambda technique: technique.grade)
    )
