"""A run as one flat table: for each puzzle its title, author and facts, its result, grade and measures of difficulty.

No clues, pictures or other texts. Titles and authors are in it whatever the licence: what is to be shared is a dataset.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyarrow as pa

from pipeline.findings.csv_file import write_csv
from pipeline.run.job_tables import current_grades
from pipeline.run.result_pairs import pairs
from pipeline.run.run_folder import Run
from pipeline.sql import database, where_mask
from pipeline.store.parts import one_batch
from reports import derived_measures as derived
from reports.family_words import WORDS, fields_of
from reports.joined_columns import KEY, KeyedRows, finished, indexed, join_grades
from reports.rights import CONTENT
from solver.model.tables import PUZZLES, RESULTS

NAMED = ("puzzle_id", "title", "author", "grade")
"""The first columns."""

FACTS = [name for name in PUZZLES.names if name in NAMED or name not in CONTENT]
OUTCOME = [name for name in RESULTS.names if name not in (*FACTS, *CONTENT)]
EXPORTED = pa.schema(
    [*map(PUZZLES.field, FACTS), *map(RESULTS.field, OUTCOME), *derived.DERIVED]  # each with its description
)
"""The columns of an export after NAMED, less those that mean nothing for the family; with grades theirs follow, and
those that only it has."""


class Exported(NamedTuple):
    """What was written: lines, and columns."""

    rows: int
    columns: int


def export(run: Run, path: str, where: str | None = None, seen: Callable[[int], None] = lambda _: None) -> Exported:
    """Write what a run has so far as CSV, or those rows that meet a condition in SQL.

    The rows are in the run's order; `seen` is told of each stretch of them. A UserError says what is wrong with the
    condition before anything is written.
    """
    grades = indexed(finished(current_grades(run)))
    family = WORDS[run.family.name]
    graded = family.graded if len(grades.rows) else ()
    fields = fields_of(dict.fromkeys([*EXPORTED, family.graded.field("grade"), *graded]), family)
    known = {field.name: field for field in (*fields, *family.facts)}
    columns = pa.schema([known[name] for name in dict.fromkeys([*NAMED, *known])])
    with database() as connection:
        if where is not None:
            where_mask(connection, columns.empty_table(), where)

        def batches() -> Iterator[pa.RecordBatch]:
            for rows in _rows(run, grades, columns):
                chosen = rows if where is None else rows.filter(pa.array(where_mask(connection, rows, where)))
                yield one_batch(chosen)
                seen(len(rows))

        return Exported(write_csv(path, columns, batches()), len(columns))


def _rows(run: Run, grades: KeyedRows, columns: pa.Schema) -> Iterator[pa.Table]:
    """The rows of the export, a file of results at a time."""
    outcome = list(dict.fromkeys([*OUTCOME, *KEY, *derived.RESULT_COLUMNS]))
    own = [field.name for field in WORDS[run.family.name].facts]
    facts = list(dict.fromkeys([*FACTS, *own, *derived.PUZZLE_COLUMNS]))
    for results, puzzles in pairs(run, outcome, facts):
        computed = derived.derived_measures(one_batch(results), one_batch(puzzles))
        graded = join_grades(one_batch(results), grades, WORDS[run.family.name].graded)
        tables = puzzles.select([*FACTS, *own]), results.select(OUTCOME), computed, graded
        arrays = [next(table[name] for table in tables if name in table.schema.names) for name in columns.names]
        yield pa.Table.from_arrays(arrays, schema=columns)
