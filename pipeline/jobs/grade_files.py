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
from nonocensus.solver.model.families import FAMILIES, NONOGRAM, Family, family_of
from nonocensus.solver.model.tables import PUZZLES, RESULTS

SHOWN = ("puzzle_id", "title", "width", "height")
"""Columns of a puzzle that are shown."""

SHOWN_FIELDS = pa.schema([*map(PUZZLES.field, SHOWN), RESULTS.field("solutions"), RESULTS.field("label")])
"""Columns of a puzzle and of its verdict that are shown."""

BATCH = 50
"""Puzzles of a batch where they come one by one."""


class PuzzleBatch(NamedTuple):
    """Puzzles of a family: rows of its table, with the columns `read_columns`."""

    family: Family
    rows: pa.RecordBatch


class GradedBatch(NamedTuple):
    """Puzzles that have been classified and graded: rows of `graded_schema`."""

    family: Family
    rows: pa.Table


class GradeTask(NamedTuple):
    """Puzzles to classify and grade.

    family      by name
    puzzles     rows of the family's table, with the columns `read_columns`
    cpu_limit   CPU seconds per puzzle
    """

    family: str
    puzzles: pa.RecordBatch
    cpu_limit: float


def read_columns(family: Family) -> list[str]:
    """Return the columns of a family's table that classifying, grading and showing a puzzle need."""
    return list(dict.fromkeys([*family.decisive, *family.rules.needed_columns([*SHOWN])]))


def graded_schema(family: Family) -> pa.Schema:
    """Return the columns of a puzzle with verdict and grade; the grade is null unless it has exactly one solution."""
    return pa.schema([*SHOWN_FIELDS, *(field for field in family.grades if field.name not in SHOWN_FIELDS.names)])


def puzzles_in(place: str, known: Format | None, callbacks: ProgressCallbacks) -> Iterator[PuzzleBatch | Problem]:
    """Read the puzzles of a file, folder, archive, https address or store; a UserError if there are none.

    known   the files' format, if given
    """
    if not is_url(place) and is_store(place):
        store = open_store(place)
        total: int | None = store.rows()
        columns = read_columns(store.family)
        found: Iterator[PuzzleBatch | Problem] = (PuzzleBatch(store.family, rows) for rows in store.batches(columns))
    else:
        check_sources([place])
        total = None
        read = in_batches(read_in_bulk(files_in([place]), known), BATCH)
        found = (item if isinstance(item, Problem) else PuzzleBatch(family_of(item), item) for item in read)
    first = next(found, None)
    if first is None:
        raise no_puzzle_error([place])
    if isinstance(first, PuzzleBatch) and first.family is NONOGRAM:
        compile_missing(needed(first.rows), SOLVING, callbacks)
    callbacks.on_start("grading", total)
    yield from chain([first], found)


def grade_puzzles(
    found: Iterable[PuzzleBatch | Problem],
    first: Family | None,
    cpu_limit: float,
    resources: Resources,
    callbacks: ProgressCallbacks,
) -> Iterator[GradedBatch | Problem]:
    """Classify and grade puzzles of one family; problems of their files are passed on.

    first   the family; None for that of the first puzzles. Puzzles of others are problems
    """
    check_resources(resources)
    check_limit(cpu_limit)
    check_parameters()
    problems: list[Problem] = []

    def tasks() -> Iterator[GradeTask]:
        family = first
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                callbacks.on_progress(1, "")
            elif family in (None, item.family):
                family = item.family
                size = family.rules.grading_batch_size
                for start in range(0, len(item.rows), size):
                    rows = np.arange(start, min(start + size, len(item.rows)))
                    yield GradeTask(family.name, item.rows.take(rows), cpu_limit)  # a slice is pickled with its whole
            else:
                names = item.rows["puzzle_id"].to_pylist()
                problems.extend(other_family_problem(name, item.family, family) for name in names)

    counted, seconds = estimate_cost(tasks(), lambda task: GRADE.seconds * len(task.puzzles))
    with open_executor(resources, seconds) as executor:
        for values, outcome in run_divisible_tasks(executor, grade_batch, counted, divide):
            task = GradeTask(*values)
            family = FAMILIES[task.family]
            if isinstance(outcome, TaskFailure):
                callbacks.on_warning(f"{task.puzzles['puzzle_id'][0].as_py()}: {outcome.reason}")
                yield GradedBatch(family, killed_rows(family, pa.table(task.puzzles)))
            else:
                yield GradedBatch(family, pa.Table.from_batches([outcome]))
            callbacks.on_progress(len(task.puzzles), "")
            yield from problems
            problems.clear()
    yield from problems


def other_family_problem(name: str, family: Family, first: Family) -> Problem:
    """Return the problem of a puzzle of another family than the first ones."""
    return Problem(name, f"a {family.name} among {first.name}s; grade it by a separate command")


def grade_batch(family: str, puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those with exactly one solution; returns rows of `graded_schema`."""
    rules, schema = FAMILIES[family].rules, graded_schema(FAMILIES[family])
    results = rules.classify(puzzles, **solver_settings(configuration(cpu_limit)))
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    grades = rules.grades(puzzles.filter(pa.array(unique)), np.ones(int(unique.sum()), np.bool_), cpu_limit)
    rows = pa.Table.from_batches([grades]).take(pa.array(np.cumsum(unique) - 1, mask=~unique))
    shown = rules.as_nonograms(pa.Table.from_batches([puzzles]), [*SHOWN])
    columns = {name: table[name] for table in (rows, shown) for name in table.column_names}
    labels = [row["label"] or row["status"] for row in results.select(["label", "status"]).to_pylist()]
    columns |= {"solutions": results["solutions"], "label": labels}
    return pa.table(columns).select(schema.names).cast(schema).combine_chunks().to_batches()[0]


def divide(task: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Divide a task into one per puzzle."""
    family, puzzles, cpu_limit = task
    return [GradeTask(family, puzzles.take([k]), cpu_limit) for k in range(len(puzzles))]


def killed_rows(family: Family, puzzles: pa.Table) -> pa.Table:
    """Return the rows, of `graded_schema`, of puzzles whose worker died, or whose task raised an exception."""
    shown = family.rules.as_nonograms(puzzles, [*SHOWN]).to_pylist()
    fixed = {"status": KILLED, "label": KILLED, "solver_version": __version__}
    hashes = puzzles["clue_hash"].to_pylist()
    rows = [{**row, "clue_hash": clue_hash, **fixed} for row, clue_hash in zip(shown, hashes, strict=True)]
    return pa.Table.from_pylist(rows, graded_schema(family))
