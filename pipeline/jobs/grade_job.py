"""The job grade: how hard puzzles are for people. A run keeps the grades; those of stores and files are shown only."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.callbacks import ProgressCallbacks
from pipeline.executors.executor import (
    Resources,
    TaskFailure,
    check_resources,
    estimate_cost,
    open_executor,
    run_divisible_tasks,
)
from pipeline.jobs.engine import Needs, plan_on_results, run_job
from pipeline.jobs.job import Chunk, Job, Output, decisive
from pipeline.jobs.session import listener_of
from pipeline.jobs.tally import Tally
from pipeline.jobs.ungraded import TOLD, Puzzles
from pipeline.run.configuration import check_limit, configuration, settings_of
from pipeline.run.job_tables import read_grades
from pipeline.run.plan import EVERYTHING, Selection
from pipeline.run.progress import counts
from pipeline.run.run_folder import Run, refuse_changed, reopened
from pipeline.store.lock import sole_writer
from pipeline.store.parts import one_batch
from reports.graded import KILLED
from reports.kept_columns import Found, beside, indexed
from scrapers.file_batches import Problem
from solver import __version__
from solver.model.families import FAMILIES, Family
from solver.model.tables import GRADES, PUZZLES, RESULTS

VERDICT = ("puzzle_id", "clue_hash", "solutions")
"""Columns of the results that say what is to be graded."""

KNOWN = pa.schema([GRADES.field(name) for name in ("status", "hardest", "cpu_seconds")])
"""Columns of a grade that say whether it stands, whatever the family."""

FOUND = pa.schema([*map(PUZZLES.field, TOLD), RESULTS.field("solutions"), RESULTS.field("label")])
"""Columns of a puzzle of a store or file, and of its verdict, that are shown."""


def graded(chunk: Chunk, family: Family, _: Mapping[str, Any], limit: float, __: bool) -> Output:
    """Grade puzzles that have exactly one solution each."""
    rows = family.rules.grades(chunk.puzzles, np.ones(len(chunk.puzzles), np.bool_), limit)
    return Output(rows, cpu_seconds=pc.sum(rows["cpu_seconds"]).as_py() or 0.0)


def not_graded(chunk: Chunk, family: Family, _: Mapping[str, Any], __: str, ___: bool) -> pa.RecordBatch:
    """Rows of puzzles on which a worker died, or failed."""
    return one_batch(killed_rows(family, pa.table(chunk.puzzles)).select(family.grades.names))


def _schema(family: Family) -> pa.Schema:
    return family.grades


def _hardest(rows: pa.RecordBatch) -> dict[str, int]:
    return counts(rows["hardest"])


GRADE = Job(
    name="grade",
    progress="grading",
    folder="grades",
    schema=_schema,
    puzzles=decisive,
    results=VERDICT,
    work=graded,
    lost=not_graded,
    counts=_hardest,
    seconds=0.004,
)


def grade_run(
    run: Run, cpu_limit: float, resources: Resources, callbacks: ProgressCallbacks, selection: Selection = EVERYTHING
) -> Tally:
    """Grade the puzzles of a run that have exactly one solution and no grade yet; the run keeps the grades.

    Timeouts are tried again if there is more time now, and puzzles on which a worker died. Returns the tally of the
    whole run. An InputError refuses a run whose store has changed, a UserError one that another command works on.
    """
    check_resources(resources)
    check_limit(cpu_limit)
    refuse_changed(run)
    tally = Tally(run.family)
    with sole_writer(run.folder):
        run = reopened(run)
        before = indexed(read_grades(run))
        plan = plan_on_results(run, Needs(VERDICT, lambda rows: _left(rows, before, cpu_limit)), selection)
        worked = run_job(run, GRADE, {}, plan, [cpu_limit], resources, listener_of(callbacks, GRADE.progress))
        for line in [*worked.unread, *(f"{problem.name}: {problem.reason}" for problem in worked.lost)]:
            callbacks.on_warning(line)
        tally.done, tally.seconds = worked.rows, worked.cpu_seconds
        found = indexed(read_grades(run))
        for results in run.batches([*VERDICT]):
            tally.count(_known(results, found))
    return tally


def _known(results: pa.Table, grades: Found) -> pa.Table:
    """Results with the columns KNOWN of their grades: nulls for what has none, or has not exactly one solution."""
    unique = pc.equal(results["solutions"], "unique")
    known = pa.Table.from_batches([beside(one_batch(results), grades, KNOWN)])
    for name in KNOWN.names:
        column = pc.if_else(unique, known[name].combine_chunks(), pa.scalar(None, KNOWN.field(name).type))
        results = results.append_column(name, column)
    return results


def _left(results: pa.Table, grades: Found, cpu_limit: float) -> np.ndarray:
    """Which rows of results are to be graded: bool[rows]."""
    known = _known(results, grades)
    again = pc.equal(known["status"], KILLED)
    late = pc.and_(pc.equal(known["status"], "timeout"), pc.less(known["cpu_seconds"], cpu_limit))
    wanted = pc.or_(pc.is_null(known["status"]), pc.fill_null(pc.or_kleene(again, late), False))
    left: np.ndarray = pc.and_(pc.fill_null(pc.equal(results["solutions"], "unique"), False), wanted).to_numpy()
    return left


class Graded(NamedTuple):
    """Puzzles of stores and files that have been classified and graded: rows of the schema of `graded_puzzles`."""

    family: Family
    rows: pa.Table


class Task(NamedTuple):
    """Some puzzles of a store or of files to classify and grade.

    family      by its name
    puzzles     rows of the family's table, the columns `told_columns`
    cpu_limit   CPU seconds for each
    """

    family: str
    puzzles: pa.RecordBatch
    cpu_limit: float


def graded_puzzles(family: Family) -> pa.Schema:
    """A puzzle with its verdict and its grade; nulls where it has none, since it has not exactly one solution."""
    return pa.schema([*FOUND, *(field for field in family.grades if field.name not in FOUND.names)])


def grade_puzzles(
    found: Iterable[Puzzles | Problem],
    first: Family | None,
    cpu_limit: float,
    resources: Resources,
    callbacks: ProgressCallbacks,
) -> Iterator[Graded | Problem]:
    """Classify and grade puzzles of one family, and tell what could not be read of their files.

    first   the family; if none is known yet, that of the first puzzles. Others are problems
    """
    check_resources(resources)
    check_limit(cpu_limit)
    problems: list[Problem] = []

    def tasks() -> Iterator[Task]:
        family = first
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                callbacks.on_progress(1, "")
            elif family in (None, item.family):
                family = item.family
                together = family.rules.grading_batch_size
                for start in range(0, len(item.rows), together):
                    rows = np.arange(start, min(start + together, len(item.rows)))
                    yield Task(family.name, item.rows.take(rows), cpu_limit)  # a slice would be sent with its whole
            else:
                problems.extend(of_another(name, item.family, family) for name in item.rows["puzzle_id"].to_pylist())

    counted, seconds = estimate_cost(tasks(), lambda task: GRADE.seconds * len(task.puzzles))
    with open_executor(resources, seconds) as executor:
        for values, outcome in run_divisible_tasks(executor, grade_unknown, counted, divided):
            task = Task(*values)
            family = FAMILIES[task.family]
            if isinstance(outcome, TaskFailure):
                callbacks.on_warning(f"{task.puzzles['puzzle_id'][0].as_py()}: {outcome.reason}")
                yield Graded(family, killed_rows(family, pa.table(task.puzzles)))
            else:
                yield Graded(family, pa.Table.from_batches([outcome]))
            callbacks.on_progress(len(task.puzzles), "")
            yield from problems
            problems.clear()
    yield from problems


def of_another(name: str, family: Family, first: Family) -> Problem:
    """What is said of puzzles of another family than those that came first."""
    return Problem(name, f"it is a {family.name}, what came first a {first.name}: grade it by a command of its own")


def grade_unknown(family: str, puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those that have exactly one solution; rows of the schema `graded_puzzles`."""
    rules, schema = FAMILIES[family].rules, graded_puzzles(FAMILIES[family])
    results = rules.classify(puzzles, **settings_of(configuration(cpu_limit)), wait=True)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    grades = rules.grades(puzzles.filter(pa.array(unique)), np.ones(int(unique.sum()), np.bool_), cpu_limit)
    rows = pa.Table.from_batches([grades]).take(pa.array(np.cumsum(unique) - 1, mask=~unique))
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


def killed_rows(family: Family, puzzles: pa.Table) -> pa.Table:
    """The rows, of the schema `graded_puzzles`, of puzzles on which a worker died, or failed."""
    told = [name for name in TOLD if {*family.rules.needed_columns([name])} <= {*puzzles.column_names}]
    rows = [
        row | {"clue_hash": clue_hash, "status": KILLED, "label": KILLED, "solver_version": __version__}
        for row, clue_hash in zip(
            family.rules.as_nonograms(puzzles, told).to_pylist(), puzzles["clue_hash"].to_pylist(), strict=True
        )
    ]
    return pa.Table.from_pylist(rows, graded_puzzles(family))
