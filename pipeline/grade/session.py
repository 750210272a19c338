"""One command that grades: the puzzles of a run, which keeps what is found, or those of stores and files."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.executors.crew import Fault, each_divided
from pipeline.executors.resources import Resources, check, open_crew, with_cost
from pipeline.grade.puzzles import Puzzles
from pipeline.grade.tally import Tally
from pipeline.grade.task import Task, divided, grade_classified, grade_unknown, killed
from pipeline.run.configuration import check_limit
from pipeline.run.folder import Run, refuse_changed, reopened
from pipeline.run.grades import grades_of, read_grades
from pipeline.run.kept import keeping
from pipeline.run.pairs import own_pairs
from pipeline.store.lock import sole_writer
from pipeline.store.parts import one_batch
from pipeline.watch import Watch
from reports.beside import Found, beside, indexed
from reports.graded import KILLED
from scrapers.importing import Problem
from solver.families import FAMILIES, Family
from solver.tables import GRADES

VERDICT = ["puzzle_id", "clue_hash", "solutions"]
"""Columns of the results that say what is to be graded."""

KNOWN = pa.schema([GRADES.field(name) for name in ("status", "hardest", "cpu_seconds")])
"""What of a grade says whether it stands, whatever the family."""

EACH = 0.004
"""CPU seconds of a grade, roughly."""


class Graded(NamedTuple):
    """Puzzles of a family that have been classified and graded: rows of the schema of `graded_puzzles`."""

    family: Family
    rows: pa.Table


def grade_run(run: Run, cpu_limit: float, resources: Resources, watch: Watch) -> Tally:
    """Grade the puzzles of a run that have exactly one solution and no grade yet; the run keeps the grades.

    Those that the time did not suffice for are tried again if there is more now, and those that a worker died of. An
    InputError refuses a run whose store has changed, a UserError one that another command works on.
    """
    check(resources)
    check_limit(cpu_limit)
    refuse_changed(run)
    tally = Tally(run.family)
    with sole_writer(run.folder):
        run = reopened(run)
        before = indexed(read_grades(run))
        left = sum(int(_left(results, before, cpu_limit).sum()) for results in run.batches(VERDICT))
        watch.begun("grading", left)
        if left:
            with keeping(grades_of(run), run.family.grades) as keep:
                for _, rows in _graded(grade_classified, _tasks(run, before, cpu_limit), resources, watch):
                    keep(rows.select(run.family.grades.names))
                    tally.worked(rows)
        found = indexed(read_grades(run))
        for results in run.batches(VERDICT):
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


def _tasks(run: Run, before: Found, cpu_limit: float) -> Iterator[Task]:
    """Tasks for what is to be graded, made as they are taken."""
    for results, puzzles in own_pairs(run, VERDICT, [*run.family.decisive]):
        left = np.flatnonzero(_left(results, before, cpu_limit))
        if len(left):
            yield from _tasks_of(run.family, one_batch(puzzles.take(left)), cpu_limit)


def _tasks_of(family: Family, puzzles: pa.RecordBatch, cpu_limit: float) -> Iterator[Task]:
    """The tasks of a batch. Each has a copy of its rows, since a slice would be sent with all that it is one of."""
    together = family.rules.graded_together
    for first in range(0, len(puzzles), together):
        rows = np.arange(first, min(first + together, len(puzzles)))
        yield Task(family.name, puzzles.take(rows), cpu_limit)


def grade_puzzles(
    found: Iterable[Puzzles | Problem], first: Family | None, cpu_limit: float, resources: Resources, watch: Watch
) -> Iterator[Graded | Problem]:
    """Classify and grade puzzles of one family, and tell what could not be read of their files.

    first   the family; if none is known yet, that of the first puzzles. Others are problems
    """
    check(resources)
    check_limit(cpu_limit)
    problems: list[Problem] = []

    def tasks() -> Iterator[Task]:
        family = first
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                watch.step(1, "")
            elif family in (None, item.family):
                family = item.family
                yield from _tasks_of(family, item.rows, cpu_limit)
            else:
                problems.extend(of_another(name, item.family, family) for name in item.rows["puzzle_id"].to_pylist())

    for task, rows in _graded(grade_unknown, tasks(), resources, watch):
        yield Graded(FAMILIES[task.family], rows)
        yield from problems
        problems.clear()
    yield from problems


def of_another(name: str, family: Family, first: Family) -> Problem:
    """What is said of puzzles of another family than those that came first."""
    return Problem(name, f"it is a {family.name}, what came first a {first.name}: grade it by a command of its own")


def _graded(
    function: Callable[..., Any], tasks: Iterator[Task], resources: Resources, watch: Watch
) -> Iterator[tuple[Task, pa.Table]]:
    """Tasks, each with the table that it returns; a puzzle that kills a worker has a row too."""
    tasks, seconds = with_cost(tasks, lambda task: EACH * len(task.puzzles))
    with open_crew(resources, seconds) as crew:
        for values, outcome in each_divided(crew, function, tasks, divided):
            task = Task(*values)
            if isinstance(outcome, Fault):
                name = task.puzzles["puzzle_id"][0].as_py()
                watch.line(f"{name}: {outcome.reason}")
                yield task, killed(task)
            else:
                yield task, pa.Table.from_batches([outcome])
            watch.step(len(task.puzzles), "")
