"""Grade puzzles of stores and files: classified first, then graded; nothing is kept."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.executors.executor import (
    Resources,
    TaskFailure,
    check_resources,
    estimate_cost,
    open_executor,
    run_divisible_tasks,
)
from nonocensus.pipeline.jobs.grade_job import GRADE
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, compile_missing, needed
from nonocensus.pipeline.jobs.single_grade import check_parameters
from nonocensus.pipeline.run.configuration import check_limit, configuration, solver_settings
from nonocensus.pipeline.store.parts import is_store, open_store
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.reports.joined_columns import KILLED
from nonocensus.scrapers.archives.source_file import is_url
from nonocensus.scrapers.file_batches import Problem, in_batches, read_in_bulk
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import Format
from nonocensus.solver import __version__
from nonocensus.solver.api import classify
from nonocensus.solver.model.tables import DECISIVE, GRADES, PUZZLES, RESULTS
from nonocensus.solver.people.puzzle_grade import grades

SHOWN = ("puzzle_id", "title", "width", "height")
"""Columns of a puzzle that are shown."""

SHOWN_FIELDS = pa.schema([*map(PUZZLES.field, SHOWN), RESULTS.field("solutions"), RESULTS.field("label")])
"""Columns of a puzzle and of its verdict that are shown."""

GRADED = pa.schema([*SHOWN_FIELDS, *(field for field in GRADES if field.name not in SHOWN_FIELDS.names)])
"""Columns of a puzzle with verdict and grade; the grade is null unless it has exactly one solution."""

READ = [*dict.fromkeys([*DECISIVE, *SHOWN])]
"""Columns of the puzzles table that classifying, grading and showing a puzzle need."""

BATCH = 50
"""Puzzles of a task, mostly a fraction of a second."""


class GradeTask(NamedTuple):
    """Puzzles to classify and grade.

    puzzles     rows of the puzzles table, with the columns READ
    cpu_limit   CPU seconds per puzzle
    """

    puzzles: pa.RecordBatch
    cpu_limit: float


def puzzles_in(place: str, known: Format | None, callbacks: ProgressCallbacks) -> Iterator[pa.RecordBatch | Problem]:
    """Read the puzzles of a file, folder, archive, https address or store; a UserError if there are none.

    known   the files' format, if given
    """
    if not is_url(place) and is_store(place):
        store = open_store(place)
        total: int | None = store.rows()
        found: Iterator[pa.RecordBatch | Problem] = store.batches(READ)
    else:
        check_sources([place])
        total = None
        found = in_batches(read_in_bulk(files_in([place]), known), BATCH)
    first = next(found, None)
    if first is None:
        raise no_puzzle_error([place])
    if not isinstance(first, Problem):
        compile_missing(needed(first), SOLVING, callbacks)
    callbacks.on_start("grading", total)
    yield from chain([first], found)


def grade_puzzles(
    found: Iterable[pa.RecordBatch | Problem],
    cpu_limit: float,
    resources: Resources,
    callbacks: ProgressCallbacks,
) -> Iterator[pa.Table | Problem]:
    """Classify and grade puzzles; yields rows of GRADED, and passes problems of their files on."""
    check_resources(resources)
    check_limit(cpu_limit)
    check_parameters()
    problems: list[Problem] = []

    def tasks() -> Iterator[GradeTask]:
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                callbacks.on_progress(1, "")
            else:
                for start in range(0, len(item), BATCH):
                    rows = np.arange(start, min(start + BATCH, len(item)))
                    yield GradeTask(item.take(rows), cpu_limit)  # a slice is pickled with its whole

    counted, seconds = estimate_cost(tasks(), lambda task: GRADE.seconds * len(task.puzzles))
    with open_executor(resources, seconds) as executor:
        for values, outcome in run_divisible_tasks(executor, grade_batch, counted, divide):
            task = GradeTask(*values)
            if isinstance(outcome, TaskFailure):
                callbacks.on_warning(f"{task.puzzles['puzzle_id'][0].as_py()}: {outcome.reason}")
                yield killed_rows(task.puzzles)
            else:
                yield pa.Table.from_batches([outcome])
            callbacks.on_progress(len(task.puzzles), "")
            yield from problems
            problems.clear()
    yield from problems


def grade_batch(puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those with exactly one solution; returns rows of GRADED."""
    results = classify(puzzles, **solver_settings(configuration(cpu_limit)))
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    graded = grades(puzzles.filter(pa.array(unique)), np.ones(int(unique.sum()), np.bool_), cpu_limit)
    rows = pa.Table.from_batches([graded]).take(pa.array(np.cumsum(unique) - 1, mask=~unique))
    columns = {name: rows[name] for name in rows.column_names} | {name: puzzles[name] for name in SHOWN}
    labels = [row["label"] or row["status"] for row in results.select(["label", "status"]).to_pylist()]
    columns |= {"solutions": results["solutions"], "label": labels}
    return pa.table(columns).select(GRADED.names).cast(GRADED).combine_chunks().to_batches()[0]


def divide(task: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Divide a task into one per puzzle."""
    puzzles, cpu_limit = task
    return [GradeTask(puzzles.take([k]), cpu_limit) for k in range(len(puzzles))]


def killed_rows(puzzles: pa.RecordBatch) -> pa.Table:
    """Return the rows, of GRADED, of puzzles whose worker died, or whose task raised an exception."""
    shown = puzzles.select([*SHOWN]).to_pylist()
    fixed = {"status": KILLED, "label": KILLED, "solver_version": __version__}
    hashes = puzzles["clue_hash"].to_pylist()
    rows = [{**row, "clue_hash": clue_hash, **fixed} for row, clue_hash in zip(shown, hashes, strict=True)]
    return pa.Table.from_pylist(rows, GRADED)
