"""How hard puzzles are for people: what grade has found in a run, counted, and as columns beside results."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from reports.kept_columns import KeyedRows, beside, indexed
from solver.model.families import NONOGRAM, Family
from solver.model.measures import Computed, computed_by
from solver.model.tables import GRADES

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


def grades_beside(results: pa.RecordBatch, grades: KeyedRows, columns: pa.Schema = SHARED) -> pa.RecordBatch:
    """Columns of each row's grade (reports.kept_columns); nulls for what has none, timeouts among them.

    grades   of the schema of the family's grades, those that `finished` leaves
    """
    return beside(results, grades, columns)


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
