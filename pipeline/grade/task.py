"""What one task does: grade some puzzles, which have been classified before or are now."""

import numpy as np
import pyarrow as pa

from reports.graded import KILLED
from solver import __version__
from solver.api import classify
from solver.tables import GRADES, PUZZLES, RESULTS
from solver.techniques.grade import grades

TOGETHER = 50
"""Puzzles of a task: mostly a fraction of a second."""

Task = tuple[pa.RecordBatch, float]
"""Rows of the puzzles table, and CPU seconds for each."""

TOLD = ("puzzle_id", "title", "width", "height")

FOUND = pa.schema([*map(PUZZLES.field, TOLD), RESULTS.field("solutions"), RESULTS.field("label")])
"""What is told of a puzzle, and of its verdict."""

GRADED_PUZZLES = pa.schema([*FOUND, *(field for field in GRADES if field.name not in FOUND.names)])
"""A puzzle with its verdict and its grade; nulls where it has none, since it has not exactly one solution."""


def grade_classified(puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Grade puzzles that have exactly one solution each; rows of the schema GRADES."""
    return grades(puzzles, np.ones(len(puzzles), np.bool_), cpu_limit)


def grade_unknown(puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those that have exactly one solution; rows of the schema GRADED_PUZZLES."""
    results = classify(puzzles, cpu_limit=cpu_limit)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    graded = grade_classified(puzzles.filter(pa.array(unique)), cpu_limit)
    place = np.cumsum(unique) - 1
    rows = pa.Table.from_batches([graded]).take(pa.array(place, mask=~unique))
    columns = dict(zip(rows.column_names, rows.columns, strict=True))
    columns |= {name: puzzles[name] for name in TOLD}
    columns |= {"solutions": results["solutions"], "label": _label(results)}
    return pa.table(columns).select(GRADED_PUZZLES.names).cast(GRADED_PUZZLES).combine_chunks().to_batches()[0]


def _label(results: pa.RecordBatch) -> list[str]:
    """The verdict in words, the status where there is none."""
    return [row["label"] or row["status"] for row in results.select(["label", "status"]).to_pylist()]


def divided(task: Task) -> list[Task]:
    """A task for each puzzle of a task."""
    puzzles, cpu_limit = task
    return [(puzzles.take([k]), cpu_limit) for k in range(len(puzzles))]


def killed(puzzles: pa.RecordBatch) -> pa.Table:
    """The rows, of the schema GRADED_PUZZLES, of puzzles that a worker died of, or failed on."""
    known = [name for name in (*TOLD, "clue_hash") if name in puzzles.schema.names]
    rows = [
        row | {"status": KILLED, "label": KILLED, "solver_version": __version__}
        for row in puzzles.select(known).to_pylist()
    ]
    return pa.Table.from_pylist(rows, GRADED_PUZZLES)
