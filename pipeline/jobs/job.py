"""A job: what to compute for the puzzles of a run. classify, grade, certify and mend are records of this type."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.executors.executor import Executor
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.run.progress import value_counts
from nonocensus.solver.model.tables import DECISIVE


class Chunk(NamedTuple):
    """Puzzles that a task processes in one call.

    places    (source, row numbers in it): the part of the store or the file of results of consecutive puzzles
    puzzles   the job's columns of the puzzles table
    results   the job's columns of their results; None if the source is the store
    """

    places: list[tuple[str, np.ndarray]]
    puzzles: pa.RecordBatch
    results: pa.RecordBatch | None = None


class JobCall(NamedTuple):
    """Arguments of a job's function besides the puzzles.

    options     of the job
    cpu_limit   CPU seconds per puzzle
    """

    options: Mapping[str, Any]
    cpu_limit: float


class Output(NamedTuple):
    """The output of a job for a chunk.

    rows          of the job's schema; of `classify` one per puzzle, in the chunk's order
    late          bool[puzzles], `classify` only: puzzles that need more time, whose rows do not count
    cpu_seconds   spent on the puzzles themselves
    """

    rows: pa.RecordBatch
    late: np.ndarray | None = None
    cpu_seconds: float = 0.0


class Job(NamedTuple):
    """A job. Its functions are module-level ones: records are pickled for Ray's workers.

    name        of its command
    title       of its progress bar
    folder      of its files in a run folder
    schema      of its rows
    function    computes the rows of a chunk
    lost        rows of puzzles whose worker died MAX_TRIES times, or whose task raised an exception
    counts      puzzles of some rows by outcome, for the progress bar
    seconds     estimated CPU seconds per puzzle
    puzzles     columns of the puzzles table that it reads
    results     columns of the results table that it reads; empty for a job on the store
    checks_ids  compares the ids of results and puzzles itself; else a difference is an error of the file
    stages      of kernels that it calls (pipeline.jobs.kernel_compilation)
    """

    name: str
    title: str
    folder: str
    schema: pa.Schema
    function: Callable[[Chunk, JobCall], Output]
    lost: Callable[[Chunk, JobCall, TaskFailure], pa.RecordBatch]
    counts: Callable[[pa.RecordBatch], dict[str, int]]
    seconds: float
    puzzles: tuple[str, ...] = DECISIVE
    results: tuple[str, ...] = ()
    checks_ids: bool = False
    stages: tuple[str, ...] = ()

    @property
    def reads_results(self) -> bool:
        """Whether it works on results and keeps rows by puzzle; else on the store, and by place."""
        return bool(self.results)


def count_by(column: str, rows: pa.RecordBatch) -> dict[str, int]:
    """Count rows by the values of a column."""
    return value_counts(rows[column])


class JobSettings(NamedTuple):
    """Tunables of the engine; the defaults suit every machine, tests pass others.

    first_rows      puzzles of the first tasks
    max_rows        puzzles of a task
    max_waiting     puzzles waiting for more time at which the sweep pauses, to bound the driver's memory
    overrun         how many times its target a task above the sweep may take if all of its puzzles time out: the
                    hardest come first, and the cost of earlier ones predicts little
    chunk_cells     cells of all puzzles of a chunk
    joined_rows     rows of a file joined of several
    first_pause     seconds before the first retry when nothing can be written; doubled up to a minute
    give_up_after   seconds of failed writes after which the command ends
    visible_within  seconds for files of other machines to become visible: mounted folders may lag
    executor        replaces the executor that the resources name
    """

    first_rows: int = 64
    max_rows: int = 1 << 18
    max_waiting: int = 100_000
    overrun: float = 2.0
    chunk_cells: int = 1 << 26
    joined_rows: int = 1 << 18
    first_pause: float = 1.0
    give_up_after: float = 600.0
    visible_within: float = 30.0
    executor: "Executor | None" = None


DEFAULTS = JobSettings()
