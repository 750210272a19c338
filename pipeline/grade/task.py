"""What one task does: grade some puzzles, which have been classified before or are now."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.run.configuration import configuration, settings_of
from reports.graded import KILLED
from solver import __version__
from solver.families import FAMILIES, Family
from solver.tables import PUZZLES, RESULTS


class Task(NamedTuple):
    """Some puzzles to grade.

    family      by its name
    puzzles     rows of the family's table, those columns of it that it decides by, and `told_columns` if these are told
    cpu_limit   CPU seconds for each
    """

    family: str
    puzzles: pa.RecordBatch
    cpu_limit: float


TOLD = ("puzzle_id", "title", "width", "height")

FOUND = pa.schema([*map(PUZZLES.field, TOLD), RESULTS.field("solutions"), RESULTS.field("label")])
"""What is told of a puzzle, and of its verdict."""


def told_columns(family: Family) -> list[str]:
    """The columns of a family's table that a puzzle is classified, graded and told by."""
    return list(dict.fromkeys([*family.decisive, *family.rules.needed([*TOLD])]))


def graded_puzzles(family: Family) -> pa.Schema:
    """A puzzle with its verdict and its grade; nulls where it has none, since it has not exactly one solution."""
    return pa.schema([*FOUND, *(field for field in family.grades if field.name not in FOUND.names)])


def grade_classified(family: str, puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Grade puzzles that have exactly one solution each; rows of the schema of the family's grades."""
    return FAMILIES[family].rules.grades(puzzles, np.ones(len(puzzles), np.bool_), cpu_limit)


def grade_unknown(family: str, puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those that have exactly one solution; rows of the schema `graded_puzzles`."""
    rules, schema = FAMILIES[family].rules, graded_puzzles(FAMILIES[family])
    results = rules.classify(puzzles, **settings_of(configuration(cpu_limit)), wait=True)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    graded = grade_classified(family, puzzles.filter(pa.array(unique)), cpu_limit)
    place = np.cumsum(unique) - 1
    rows = pa.Table.from_batches([graded]).take(pa.array(place, mask=~unique))
    told = rules.as_nonograms(pa.Table.from_batches([puzzles]), [*TOLD])
    columns = {name: part[name] for part in (rows, told) for name in part.column_names}
    columns |= {"solutions": results["solutions"], "label": _label(results)}
    return pa.table(columns).select(schema.names).cast(schema).combine_chunks().to_batches()[0]


def _label(results: pa.RecordBatch) -> list[str]:
    """The verdict in words, the status where there is none."""
    return [row["label"] or row["status"] for row in results.select(["label", "status"]).to_pylist()]


def divided(task: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """A task for each puzzle of a task."""
    family, puzzles, cpu_limit = task
    return [Task(family, puzzles.take([k]), cpu_limit) for k in range(len(puzzles))]


def killed(task: Task) -> pa.Table:
    """The rows, of the schema `graded_puzzles`, of puzzles that a worker died of, or failed on."""
    family, puzzles = FAMILIES[task.family], pa.Table.from_batches([task.puzzles])
    told = [name for name in TOLD if {*family.rules.needed([name])} <= {*puzzles.column_names}]
    rows = [
        row | {"clue_hash": clue_hash, "status": KILLED, "label": KILLED, "solver_version": __version__}
        for row, clue_hash in zip(
            family.rules.as_nonograms(puzzles, told).to_pylist(), puzzles["clue_hash"].to_pylist(), strict=True
        )
    ]
    return pa.Table.from_pylist(rows, graded_puzzles(family))
