"""The job grade: how hard the puzzles of a run are for people. The run keeps the grades.

Puzzles of stores and files are classified first, then graded, and nothing is kept.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial, reduce
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.executors.executor import Resources, estimate_cost, open_executor, run_divisible_tasks
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.cost import CostEstimate, estimate_on_results
from nonocensus.pipeline.jobs.engine import JobRequest, RowFilter, lock_run, run_on_results
from nonocensus.pipeline.jobs.job import Chunk, Job, JobCall, Output, count_by
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, TECHNIQUES, batch_kinds, compile_missing
from nonocensus.pipeline.jobs.single_grade import check_parameters
from nonocensus.pipeline.run.configuration import check_limit
from nonocensus.pipeline.run.job_tables import KILLED, read_grades
from nonocensus.pipeline.run.progress import value_counts
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import is_store, one_batch, open_store
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.reports.numbers.joined_columns import Grade, by_grade
from nonocensus.scrapers.file_batches import Problem, in_batches, read_in_bulk
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import Format
from nonocensus.solver import __version__
from nonocensus.solver.api import classify
from nonocensus.solver.model.keyed_rows import KeyedRows, index_rows, join_columns
from nonocensus.solver.model.tables import DECISIVE, GRADES, PUZZLES, RESULTS
from nonocensus.solver.people.minutes import parameters
from nonocensus.solver.people.puzzle_grade import grades

VERDICT = ("puzzle_id", "clue_hash", "solutions")
"""Columns of the results that decide what is graded."""

STATE = pa.schema(map(GRADES.field, ("status", "hardest", "cpu_seconds", "minutes_model", "solver_version")))
"""Columns of a grade that decide whether it is final."""


def grade_chunk(chunk: Chunk, call: JobCall) -> Output:
    """Grade puzzles that have exactly one solution each."""
    rows = grades(chunk.puzzles, np.ones(len(chunk.puzzles), np.bool_), call.cpu_limit)
    return Output(rows, cpu_seconds=pc.sum(rows["cpu_seconds"]).as_py() or 0.0)


def lost_rows(chunk: Chunk, _: JobCall, __: TaskFailure) -> pa.RecordBatch:
    """Return rows of status KILLED."""
    return one_batch(killed_rows(chunk.puzzles, GRADES))


GRADE = Job(
    name="grade",
    title="grading",
    folder="grades",
    schema=GRADES,
    results=VERDICT,
    function=grade_chunk,
    lost=lost_rows,
    counts=partial(count_by, "hardest"),
    seconds=0.004,
    stages=("checks", TECHNIQUES),
)


@dataclass
class Tally:
    """Puzzles counted by the outcome of grading.

    hardest    graded puzzles by the hardest technique that they need
    late       ids of puzzles that ran out of time
    killed     ids of puzzles whose worker died, or whose task raised an exception
    wrong      ids of puzzles for which the techniques and the solver disagree about a solution: a bug in one of them
    unique     puzzles with exactly one solution, with a grade or not yet
    others     puzzles that are not known to have exactly one solution
    done       puzzles graded by this command
    seconds    CPU seconds that this took
    """

    hardest: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unique: int = 0
    others: int = 0
    done: int = 0
    seconds: float = 0.0

    @property
    def grades(self) -> tuple[Grade, ...]:
        """The puzzles of each grade, from the easiest."""
        return by_grade(self.hardest.items())

    @property
    def graded(self) -> int:
        """Puzzles with a grade."""
        return self.hardest.total()

    def __add__(self, other: "Tally") -> "Tally":
        """Add the counts of another tally."""
        names = [each.name for each in fields(self)]
        sums: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Tally(**sums)

    def add_effort(self, rows: pa.Table) -> None:
        """Count rows of grades that were made now; rows of nulls took no time."""
        self.done += len(rows) - rows["status"].null_count
        self.seconds += pc.sum(rows["cpu_seconds"]).as_py() or 0.0

    def add(self, rows: pa.Table) -> None:
        """Count puzzles: columns puzzle_id, solutions, status and hardest; `status` is null without a grade."""
        self.hardest.update(value_counts(rows["hardest"]))
        lists = {"timeout": self.late, KILLED: self.killed, "none": self.wrong, "invalid": self.wrong}
        for status, ids in lists.items():
            ids += rows["puzzle_id"].filter(pc.equal(rows["status"], status)).to_pylist()
        unique = value_counts(rows["solutions"]).get("unique", 0)
        self.unique += unique
        self.others += len(rows) - unique


def grade_run(run: Run, request: JobRequest) -> Tally:
    """Grade the puzzles of a run that have exactly one solution and no grade yet; returns the tally of the whole run.

    Timeouts are retried with more time, puzzles whose worker died and grades of other versions in any case. Raises
    InputError if the run's store has changed, UserError if another command works on the run.
    """
    check_parameters()
    tally = Tally()
    with lock_run(run) as run:
        result = run_on_results(run, GRADE, _ungraded_rows(run, request), request)
        for problem in result.lost:
            request.progress.on_warning(f"{problem.name}: {problem.reason}")
        tally.done, tally.seconds = result.rows, result.cpu_seconds
        after = index_rows(read_grades(run))
        for results in run.batches([*VERDICT]):
            tally.add(_with_state(results, after))
    return tally


def estimate_grading(run: Run, request: JobRequest) -> CostEstimate:
    """Estimate what `grade_run` would cost."""
    check_parameters()
    return estimate_on_results(run, GRADE, _ungraded_rows(run, request), request, {})


def count_ungraded(run: Run) -> int:
    """Count the puzzles of a graded run that `grade_run` would grade, timeouts apart; 0 of a run without grades."""
    before = index_rows(read_grades(run))
    batches = run.batches([*VERDICT]) if len(before.rows) else ()
    return sum(int(_need_grade(results, before, 0.0).sum()) for results in batches)


def _ungraded_rows(run: Run, request: JobRequest) -> RowFilter:
    """Return which results of a run are to be graded."""
    before = index_rows(read_grades(run))
    return RowFilter(VERDICT, lambda results: _need_grade(results, before, request.cpu_limit))


def _with_state(results: pa.Table, grades: KeyedRows) -> pa.Table:
    """Append the columns STATE of their grades: null without a grade, or without exactly one solution."""
    is_unique = pc.equal(results["solutions"], "unique")
    state = pa.Table.from_batches([join_columns(one_batch(results), grades, STATE)])
    for name in STATE.names:
        column = pc.if_else(is_unique, state[name].combine_chunks(), pa.scalar(None, STATE.field(name).type))
        results = results.append_column(name, column)
    return results


def _need_grade(results: pa.Table, grades: KeyedRows, cpu_limit: float) -> np.ndarray:
    """Return which results are to be graded: bool[rows]."""
    state = _with_state(results, grades)
    is_killed = pc.equal(state["status"], KILLED)
    is_late = pc.and_(pc.equal(state["status"], "timeout"), pc.less(state["cpu_seconds"], cpu_limit))
    current = {"solver_version": __version__, "minutes_model": parameters().name}
    is_older = (pc.not_equal(state[name], value) for name, value in current.items())
    is_open = pc.fill_null(reduce(pc.or_kleene, (is_killed, is_late, *is_older)), False)
    is_open = pc.or_(pc.is_null(state["status"]), is_open)
    mask: np.ndarray = pc.and_(pc.fill_null(pc.equal(results["solutions"], "unique"), False), is_open).to_numpy()
    return mask


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


def puzzles_in(place: str, known: Format | None, progress: ProgressCallbacks) -> Iterator[pa.RecordBatch | Problem]:
    """Read the puzzles of a file, folder, archive, https address or store; a UserError if there are none.

    known   the files' format, if given
    """
    if is_store(place):
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
        compile_missing(batch_kinds(first), SOLVING, progress)
    progress.on_start("grading", total, 0)
    yield from chain([first], found)


def grade_puzzles(
    found: Iterable[pa.RecordBatch | Problem],
    cpu_limit: float,
    resources: Resources,
    progress: ProgressCallbacks,
) -> Iterator[pa.Table | Problem]:
    """Classify and grade puzzles; yields rows of GRADED, and passes problems of their files on."""
    check_limit(cpu_limit)
    check_parameters()
    problems: list[Problem] = []

    def tasks() -> Iterator[tuple[pa.RecordBatch, float]]:
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                progress.on_progress(1, "")
            else:
                for start in range(0, len(item), BATCH):
                    rows = np.arange(start, min(start + BATCH, len(item)))
                    yield item.take(rows), cpu_limit  # a slice is pickled with its whole

    def one_by_one(task: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return [(task[0].take([k]), cpu_limit) for k in range(len(task[0]))]

    counted, seconds = estimate_cost(tasks(), lambda task: GRADE.seconds * len(task[0]))
    with open_executor(resources, seconds) as executor:
        for (puzzles, _), outcome in run_divisible_tasks(executor, grade_batch, counted, one_by_one):
            if isinstance(outcome, TaskFailure):
                progress.on_warning(f"{puzzles['puzzle_id'][0].as_py()}: {outcome.reason}")
                yield killed_rows(puzzles, GRADED)
            else:
                yield pa.Table.from_batches([outcome])
            progress.on_progress(len(puzzles), "")
            yield from problems
            problems.clear()
    yield from problems


def grade_batch(puzzles: pa.RecordBatch, cpu_limit: float) -> pa.RecordBatch:
    """Classify puzzles, and grade those with exactly one solution; returns rows of GRADED."""
    results = classify(puzzles, cpu_limit=cpu_limit)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    graded = grades(puzzles.filter(pa.array(unique)), np.ones(int(unique.sum()), np.bool_), cpu_limit)
    rows = pa.Table.from_batches([graded]).take(pa.array(np.cumsum(unique) - 1, mask=~unique))
    columns = {name: rows[name] for name in rows.column_names} | {name: puzzles[name] for name in SHOWN}
    labels = [row["label"] or row["status"] for row in results.select(["label", "status"]).to_pylist()]
    columns |= {"solutions": results["solutions"], "label": labels}
    return pa.table(columns).select(GRADED.names).cast(GRADED).combine_chunks().to_batches()[0]


def killed_rows(puzzles: pa.RecordBatch, schema: pa.Schema) -> pa.Table:
    """Return the rows of puzzles whose worker died, or whose task raised an exception."""
    known = {name: puzzles[name] for name in puzzles.schema.names if name in schema.names}
    fixed = {"status": KILLED, "label": KILLED, "solver_version": __version__}
    return pa.Table.from_pylist([row | fixed for row in pa.table(known).to_pylist()], schema)
