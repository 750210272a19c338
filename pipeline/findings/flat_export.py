"""A run as one flat table: title, author, properties, result, grade and measures of each puzzle.

It has no clues, pictures or other texts, but titles and authors under any licence; to share a run, make a dataset.
"""

from collections.abc import Iterator

import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.findings.csv_file import write_csv
from nonocensus.pipeline.run.job_tables import finished_grades
from nonocensus.pipeline.run.result_pairs import pairs
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import condition
from nonocensus.pipeline.store.parts import one_batch
from nonocensus.reports.numbers import derived_measures as derived
from nonocensus.reports.numbers.joined_columns import GRADED, joined_rows, with_sources
from nonocensus.reports.rights import CONTENT
from nonocensus.solver.model.keyed_rows import KEY
from nonocensus.solver.model.tables import PUZZLES, RESULTS

NAMED = ("puzzle_id", "title", "author", "grade")
"""The first columns."""

FACTS = [name for name in PUZZLES.names if name in NAMED or name not in CONTENT]
OUTCOME = [name for name in RESULTS.names if name not in (*FACTS, *CONTENT)]
EXPORTED = pa.schema(
    [*map(PUZZLES.field, FACTS), *map(RESULTS.field, OUTCOME), *derived.DERIVED]  # each with its description
)
"""The columns of an export after NAMED. Grades follow."""


def export(run: Run, path: str, where: str | None = None, progress: ProgressCallbacks = SILENT) -> tuple[int, int]:
    """Write what a run has so far as CSV, or the rows that meet a condition in SQL; return the counts of rows, columns.

    Rows are in the run's order. Raises UserError for an invalid condition, before anything is written.
    """
    progress.on_start("exporting", run.rows, 0)
    grades = finished_grades(run, where)
    graded = GRADED if len(grades.rows) else ()
    fields = with_sources(dict.fromkeys([*EXPORTED, GRADED.field("grade"), *graded]))
    known = {field.name: field for field in fields}
    columns = pa.schema([known[name] for name in dict.fromkeys([*NAMED, *known])])
    outcome = list(dict.fromkeys([*OUTCOME, *KEY, *derived.RESULT_COLUMNS]))
    facts = list(dict.fromkeys([*FACTS, *derived.PUZZLE_COLUMNS]))
    with condition(where, columns) as met:

        def batches() -> Iterator[pa.RecordBatch]:
            for results, puzzles in pairs(run, outcome, facts):
                rows = joined_rows(one_batch(results), one_batch(puzzles), grades, columns)
                yield rows if met is None else rows.filter(pa.array(met(pa.Table.from_batches([rows]))))
                progress.on_progress(len(rows), "")

        return write_csv(path, columns, batches()), len(columns)
