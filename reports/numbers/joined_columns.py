"""Columns of mendings and grades, joined to a run's results."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.derived_measures import DERIVED, derived_measures
from nonocensus.solver.model.keyed_rows import KeyedRows, index_rows, join_columns
from nonocensus.solver.model.measures import BY_NAME, LADDER, Computed, computed_by
from nonocensus.solver.model.tables import GRADES, MENDINGS, PUZZLES, RESULTS
from nonocensus.solver.model.techniques import TECHNIQUES

NO_MENDINGS = MENDINGS.empty_table()

MENDED = pa.schema([MENDINGS.field("change"), MENDINGS.field("cells").with_name("changed"), MENDINGS.field("mended")])
"""Columns of a mending that a report shows; the change is empty where none was found."""

SHARED = pa.schema([GRADES.field(name) for name in ("grade", "hardest", "minutes", "stars", "looks", "work")])
"""Grade columns that reports join to results."""

NO_GRADES = GRADES.empty_table()
NONE_FOUND = index_rows(NO_GRADES)


def _graded_columns() -> pa.Schema:
    sources = {technique.column: technique.source for technique in TECHNIQUES} | {"hardest": LADDER}
    sources |= {measure.name: measure.source for measure in computed_by(Computed.graded)}
    sources["minutes_model"] = sources["minutes"]
    fields = (field for field in GRADES if field.name in sources)
    return pa.schema([field.with_metadata(field.metadata | {"source": sources[field.name]}) for field in fields])


GRADED = _graded_columns()
"""The columns of grades that are joined to results, with sources in the fields' metadata."""


OUTCOME = [name for name in RESULTS.names if name not in PUZZLES.names]
CONDITION_COLUMNS = pa.schema([*PUZZLES, *map(RESULTS.field, OUTCOME), *DERIVED, *GRADED])
"""Columns of `joined_rows` that a condition in SQL can be on; OUTCOME are those of results alone."""


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


def joined_rows(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, grades: KeyedRows, columns: pa.Schema
) -> pa.RecordBatch:
    """Return columns of puzzles, of their results, of derived measures, or of grades, whichever has them first.

    results, puzzles   matched by row, with the columns KEY and those of derived measures
    grades             rows of `with_grade`; columns are null for other puzzles, such as timeouts
    """
    tables = puzzles, results, derived_measures(results, puzzles), join_columns(results, grades, GRADED)
    arrays = [next(table[name] for table in tables if name in table.schema.names) for name in columns.names]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def with_grade(grades: pa.Table) -> pa.Table:
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
