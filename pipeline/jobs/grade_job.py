"""The job grade: how hard the puzzles of a run are for people. The run keeps the grades."""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.jobs.cost import CostEstimate, estimate_on_results
from nonocensus.pipeline.jobs.engine import JobRequest, RowFilter, locked, run_on_results
from nonocensus.pipeline.jobs.job import Chunk, Job, JobCall, Loss, Output, count_by
from nonocensus.pipeline.jobs.kernel_compilation import TECHNIQUES
from nonocensus.pipeline.jobs.single_grade import check_parameters
from nonocensus.pipeline.run.job_tables import read_grades
from nonocensus.pipeline.run.progress import value_counts
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import one_batch
from nonocensus.reports.joined_columns import KILLED, Grade, KeyedRows, by_grade, indexed, join_columns
from nonocensus.solver import __version__
from nonocensus.solver.model.tables import GRADES
from nonocensus.solver.people.puzzle_grade import grades

VERDICT = ("puzzle_id", "clue_hash", "solutions")
"""Columns of the results that decide what is graded."""

STATE = pa.schema([GRADES.field(name) for name in ("status", "hardest", "cpu_seconds", "solver_version")])
"""Columns of a grade that decide whether it is final."""


def grade_chunk(chunk: Chunk, call: JobCall) -> Output:
    """Grade puzzles that have exactly one solution each."""
    rows = grades(chunk.puzzles, np.ones(len(chunk.puzzles), np.bool_), call.cpu_limit)
    return Output(rows, cpu_seconds=pc.sum(rows["cpu_seconds"]).as_py() or 0.0)


def lost_rows(chunk: Chunk, _: JobCall, __: Loss) -> pa.RecordBatch:
    """Return rows of status KILLED."""
    rows = [
        {**row, "status": KILLED, "solver_version": __version__}
        for row in chunk.puzzles.select(["puzzle_id", "clue_hash"]).to_pylist()
    ]
    return one_batch(pa.Table.from_pylist(rows, GRADES))


GRADE = Job(
    name="grade",
    title="grading",
    folder="grades",
    schema=GRADES,
    results=VERDICT,
    function=grade_chunk,
    lost=lost_rows,
    counts=count_by("hardest"),
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
    others     puzzles that are not known to have exactly one solution
    done       puzzles graded by this command
    seconds    CPU seconds that this took
    """

    hardest: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
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

    @property
    def unique(self) -> int:
        """Puzzles with exactly one solution."""
        return self.graded + len(self.late) + len(self.killed) + len(self.wrong)

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
        """Count puzzles: columns puzzle_id, status and hardest; `status` is null where there can be no grade."""
        self.hardest.update(value_counts(rows["hardest"]))
        lists = {"timeout": self.late, KILLED: self.killed, "none": self.wrong, "invalid": self.wrong}
        for status, ids in lists.items():
            ids += rows["puzzle_id"].filter(pc.equal(rows["status"], status)).to_pylist()
        self.others += rows["status"].null_count


def grade_run(run: Run, request: JobRequest) -> Tally:
    """Grade the puzzles of a run that have exactly one solution and no grade yet; returns the tally of the whole run.

    Timeouts are retried with more time, puzzles whose worker died and grades of other versions in any case. Raises
    InputError if the run's store has changed, UserError if another command works on the run.
    """
    check_parameters()
    tally = Tally()
    with locked(run, request) as run:
        result = run_on_results(run, GRADE, _needed(run, request), request)
        for problem in result.lost:
            request.callbacks.on_warning(f"{problem.name}: {problem.reason}")
        tally.done, tally.seconds = result.rows, result.cpu_seconds
        after = indexed(read_grades(run))
        for results in run.batches([*VERDICT]):
            tally.add(_with_state(results, after))
    return tally


def estimate_grading(run: Run, request: JobRequest) -> CostEstimate:
    """Estimate what `grade_run` would cost."""
    check_parameters()
    return estimate_on_results(run, GRADE, _needed(run, request), request, {})


def _needed(run: Run, request: JobRequest) -> RowFilter:
    """Return which results of a run are to be graded."""
    before = indexed(read_grades(run))
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
    is_older = pc.not_equal(state["solver_version"], __version__)
    is_open = pc.or_(
        pc.is_null(state["status"]), pc.fill_null(pc.or_kleene(pc.or_kleene(is_killed, is_late), is_older), False)
    )
    mask: np.ndarray = pc.and_(pc.fill_null(pc.equal(results["solutions"], "unique"), False), is_open).to_numpy()
    return mask
