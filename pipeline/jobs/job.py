"""What a job does to the puzzles of a run. classify, grade, certify and mend are records of it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from solver.model.families import Family


class Chunk(NamedTuple):
    """Puzzles that a task works on in one call.

    places    (source, row numbers there): the part of the store or the file of results that each puzzle is from
    puzzles   the columns Job.puzzles of the family's table
    results   their rows of the results table, the columns Job.results; None where the source is the store
    """

    places: list[tuple[str, np.ndarray]]
    puzzles: pa.RecordBatch
    results: pa.RecordBatch | None = None


class Output(NamedTuple):
    """What a job makes of a chunk.

    rows          of the job's schema; for `classify` one a puzzle, in the chunk's order
    late          bool[puzzles], `classify` only: puzzles to be given more time, whose rows do not count
    untried       bool[puzzles], `classify` only: those of them that have waited for a kernel
    cpu_seconds   spent on the puzzles' own work
    """

    rows: pa.RecordBatch
    late: np.ndarray | None = None
    untried: np.ndarray | None = None
    cpu_seconds: float = 0.0


class Job(NamedTuple):
    """A job.

    name        of its command
    progress    what the progress line calls it
    folder      of its files in a run folder
    schema      of its rows, by family
    puzzles     columns of the puzzles table that it reads, by family
    results     columns of the results table that it reads; empty if it works on the store, not on results
    work        (chunk, family, settings, CPU limit, whether to wait for kernels being compiled): its output
    lost        (chunk, family, settings, reason, whether an exception was raised): rows of puzzles on which a worker
                died TRIES times
    counts      puzzles of some rows by what came out, for the progress line
    seconds     estimated CPU seconds a puzzle
    checks_ids  it compares the ids of results and puzzles itself; else a difference is an error of the file
    """

    name: str
    progress: str
    folder: str
    schema: Callable[[Family], pa.Schema]
    puzzles: Callable[[Family], list[str]]
    results: tuple[str, ...]
    work: Callable[[Chunk, Family, Mapping[str, Any], float, bool], Output]
    lost: Callable[[Chunk, Family, Mapping[str, Any], str, bool], pa.RecordBatch]
    counts: Callable[[pa.RecordBatch], dict[str, int]]
    seconds: float
    checks_ids: bool = False

    @property
    def of_results(self) -> bool:
        """Whether it works on results and keeps rows by puzzle; else on the store, and by place."""
        return bool(self.results)


def decisive(family: Family) -> list[str]:
    """Return the columns that a classification reads."""
    return [*family.decisive]
