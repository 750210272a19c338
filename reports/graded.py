"""How hard puzzles are for people: what grade has found in a run, counted, and as columns beside results."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from reports.beside import Found, beside, indexed
from solver.tables import GRADES
from solver.techniques.ladder import SEARCH, TECHNIQUES

NO_GRADES = GRADES.empty_table()
NONE_FOUND = indexed(NO_GRADES)

KILLED = "killed"
"""The status of a puzzle that a worker died of, or failed on."""

LADDER = "nonocensus: the ladder of techniques of docs/TECHNIQUES.md"

SOURCES = {
    "grade": LADDER,
    "hardest": LADDER,
    "looks": f"{LADDER}; on the way from assumptions pbnsolve's lines processed",
    "work": "looks, divided as Foote and Krizanc (arXiv 2507.07283) divide propagations by cells",
    "open": f"{LADDER}; Wu et al. print it for tournament puzzles after full probing",
    **{f"steps_{technique.name.replace('-', '_')}": technique.source for technique in TECHNIQUES[:SEARCH]},
}
"""Where each measure of the table of grades comes from."""

GRADED = pa.schema(
    [field.with_metadata(field.metadata | {"source": SOURCES[field.name]}) for field in GRADES if field.name in SOURCES]
)
"""What of a grade stands beside a result, with its source in each field's metadata."""


class Grade(NamedTuple):
    """The puzzles of a grade."""

    grade: int  # 1 to 9
    techniques: dict[str, int]  # by the hardest technique that they need, in the ladder's order

    @property
    def puzzles(self) -> int:
        """All of them."""
        return sum(self.techniques.values())


def grades_beside(results: pa.RecordBatch, grades: Found) -> pa.RecordBatch:
    """The columns GRADED of each row's grade (reports.beside); nulls for what has none, timeouts among them.

    grades   of the schema GRADES, those that `finished` leaves
    """
    return beside(results, grades, GRADED)


def finished(grades: pa.Table) -> pa.Table:
    """The rows that have a grade."""
    return grades.filter(pc.is_valid(grades["grade"]))


def by_grade(hardest: Iterable[tuple[str, int]]) -> tuple[Grade, ...]:
    """Puzzles by their grade, and in it by their hardest technique; those that no puzzle has are left out.

    hardest   names of techniques, each with its number of puzzles
    """
    found = dict(hardest)
    needed = [technique for technique in TECHNIQUES if found.get(technique.name)]
    return tuple(
        Grade(grade, {technique.name: found[technique.name] for technique in those})
        for grade, those in groupby(needed, key=lambda technique: technique.grade)
    )
