"""One command that grades: the puzzles of a run, which keeps what is found, or those of stores and files."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.executors.crew import Fault, each_divided
from pipeline.executors.resources import Resources, check, open_crew
from pipeline.grade.tally import Tally
from pipeline.grade.task import TOGETHER, Task, divided, grade_classified, grade_unknown, killed
from pipeline.run.configuration import check_limit
from pipeline.run.folder import Run, refuse_changed
from pipeline.run.grades import grades_of, read_grades
from pipeline.run.kept import keeping
from pipeline.run.pairs import pairs
from pipeline.store.lock import sole_writer
from pipeline.store.parts import one_batch, refuse_others
from pipeline.watch import Watch
from reports.beside import Found, beside, indexed
from reports.graded import KILLED
from scrapers.importing import Problem
from solver.puzzle import Puzzle
from solver.tables import DECISIVE, GRADES, puzzle_batch

VERDICT = ["puzzle_id", "clue_hash", "solutions"]
"""Columns of the results that say what is to be graded."""

KNOWN = pa.schema([GRADES.field(name) for name in ("status", "hardest", "cpu_seconds")])
"""What of a grade says whether it stands."""

SERIAL = Resources(serial=True)


def grade_run(run: Run, cpu_limit: float, resources: Resources, watch: Watch) -> Tally:
    """Grade the puzzles of a run that have exactly one solution and no grade yet; the run keeps the grades.

    Those that the time did not suffice for are tried again if there is more now, and those that a worker died of. An
    InputError refuses a run whose store has changed, a UserError one that another command works on.
    """
    check(resources)
    check_limit(cpu_limit)
    refuse_others(run.family, run.folder.name)
    refuse_changed(run)
    tally = Tally()
    with sole_writer(run.folder):
        before = indexed(read_grades(run))
        left = sum(int(_left(results, before, cpu_limit).sum()) for results in run.batches(VERDICT))
        watch.begun("grading", left)
        if left:
            with keeping(grades_of(run), GRADES) as keep:
                for rows in _graded(grade_classified, _tasks(run, before, cpu_limit), resources, watch):
                    keep(rows.select(GRADES.names))
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
    for results, puzzles in pairs(run, VERDICT, [*DECISIVE]):
        numbers = np.flatnonzero(_left(results, before, cpu_limit))
        for first in range(0, len(numbers), TOGETHER):
            (batch,) = puzzles.take(numbers[first : first + TOGETHER]).combine_chunks().to_batches()
            yield batch, cpu_limit


def grade_puzzles(
    found: Iterable[Puzzle | Problem], cpu_limit: float, resources: Resources, watch: Watch
) -> Iterator[pa.Table | Problem]:
    """Classify and grade puzzles: tables of the schema GRADED_PUZZLES, and what could not be read of their files."""
    check(resources)
    check_limit(cpu_limit)
    problems: list[Problem] = []

    def readable() -> Iterator[Puzzle]:
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                watch.step(1, "")
            else:
                yield item

    def tasks() -> Iterator[Task]:
        puzzles = readable()
        while some := list(islice(puzzles, TOGETHER)):
            yield puzzle_batch(some), cpu_limit

    for rows in _graded(grade_unknown, tasks(), resources, watch):
        yield rows
        yield from problems
        problems.clear()
    yield from problems


def _graded(
    function: Callable[..., Any], tasks: Iterator[Task], resources: Resources, watch: Watch
) -> Iterator[pa.Table]:
    """Tables that tasks return; a puzzle that kills a worker has a row too. A single task is done in this process."""
    first = list(islice(tasks, 2))
    if not first:
        return
    with open_crew(resources if len(first) > 1 else SERIAL) as crew:
        for (puzzles, _), outcome in each_divided(crew, function, chain(first, tasks), divided):
            if isinstance(outcome, Fault):
                name = puzzles["puzzle_id"][0].as_py()
                watch.line(f"{name}: {outcome.reason}")
                yield killed(puzzles)
            else:
                yield pa.Table.from_batches([outcome])
            watch.step(len(puzzles), "")
