"""Estimate what a job would cost, from a random sample of its puzzles. Nothing is written."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.jobs.engine import JobRequest, RowFilter, plan_on_results
from nonocensus.pipeline.jobs.job import Job, JobCall
from nonocensus.pipeline.jobs.task import CannotReadError, TaskContext, chunks_of, compile_for_chunk, context_of
from nonocensus.pipeline.run.plan import Plan, Stretch
from nonocensus.pipeline.run.run_folder import Run, require_unchanged
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Part, one_batch, parquet_options
from nonocensus.pipeline.store.spans import Spans
from nonocensus.solver.proofs import TIMEOUT

SEED = 1

SAMPLE_PUZZLES, SAMPLE_SECONDS, GROWTH = 8192, 10.0, 3
"""Puzzles of the sample, the CPU seconds after which it ends, and how much larger it is after each batch at most."""

PUZZLE_SECONDS = 5.0
"""CPU limit of a puzzle of the sample; one that needs more counts as if it took the job's limit."""

QUANTILE = 1.645
"""Of the normal distribution, 0.95."""

FEW_LATE = 3
"""Late puzzles of a sample from which their share of all puzzles is inferred; fewer count themselves alone."""

EFFICIENCY = 0.9
"""Assumed share of the cores' time that goes into tasks (docs/SCALING.md)."""


class CostEstimate(NamedTuple):
    """The estimated cost of a job.

    puzzles       that it would do
    tried_before  those of them that have timed out before, each counted with the whole CPU limit
    cpu_seconds   of its tasks
    most_seconds  the same, if as many puzzles reach their CPU limit as 19 of 20 such samples would show
    bytes         of the rows it would write
    sample        puzzles of the sample
    late          those of them that reached their CPU limit
    """

    puzzles: int
    tried_before: int
    cpu_seconds: float
    most_seconds: float
    bytes: int
    sample: int
    late: int


def estimate_on_results(
    run: Run, job: Job, needed: RowFilter, request: JobRequest, options: dict[str, Any]
) -> CostEstimate:
    """Estimate a job on the selected results that need it. Raises InputError if the run's store has changed."""
    require_unchanged(run)
    return estimate_job(run, job, options, plan_on_results(run, needed, request.selection), request.cpu_limit)


def estimate_job(run: Run, job: Job, options: dict[str, Any], plan: Plan, cpu_limit: float) -> CostEstimate:
    """Estimate the cost of a plan.

    Batches of random puzzles are done as in a task, until the sample is large or has taken long enough. Raises
    InputError if a puzzle of the sample can't be read.
    """
    stretches = [*plan.stretches]
    rows = sum(spans.size(some) for _, _, some in stretches)
    tried = len(plan.left)
    limit = min(cpu_limit, PUZZLE_SECONDS)
    context = context_of(run, job, options, isolated=False)
    call = JobCall(options, limit)
    order = np.random.default_rng(SEED).choice(rows, min(rows, SAMPLE_PUZZLES), replace=False)
    sample, seconds, late, written = 0, 0.0, 0, [pa.Table.from_batches([], job.schema)]
    if rows:
        _run_batch(context, call, run.parts, stretches, order[:1])  # loads or compiles kernels
    while size := min(next_batch_size(sample, seconds), len(order) - sample):
        batch = order[sample : sample + size]
        spent, made = _run_batch(context, call, run.parts, stretches, batch)
        sample, seconds = sample + len(batch), seconds + spent
        late += made["status"].to_pylist().count(TIMEOUT) if "status" in made.column_names else 0
        written.append(made)
    each = (parquet_bytes(pa.concat_tables(written)) - parquet_bytes(written[0])) / max(sample, 1)
    scale = rows / max(sample, 1)
    expected = late if late < FEW_LATE else late * scale
    most = late + (late + 1 + QUANTILE * (late + 1) ** 0.5) * max(scale - 1, 0)
    others = (seconds - late * limit) * scale + cpu_limit * tried
    cpu_seconds, most_seconds = (others + cpu_limit * count for count in (expected, most))
    return CostEstimate(rows + tried, tried, cpu_seconds, most_seconds, round(each * (rows + tried)), sample, late)


def next_batch_size(sample: int, seconds: float) -> int:
    """Return the size of the next batch of a sample, as large as is affordable and GROWTH allows; 0 at its end."""
    if sample >= SAMPLE_PUZZLES or seconds >= SAMPLE_SECONDS:
        return 0
    affordable = int((SAMPLE_SECONDS - seconds) * sample / seconds) if seconds else 1
    return max(1, min((GROWTH - 1) * sample, affordable))


def wall_seconds(cpu_seconds: float, cores: int) -> float:
    """Return the estimated wall seconds on a number of cores, without starting Ray or compiling kernels."""
    return cpu_seconds / (1 if cores == 1 else cores * EFFICIENCY)


def _run_batch(
    context: TaskContext, call: JobCall, parts: list[Part], stretches: list[Stretch], chosen: np.ndarray
) -> tuple[float, pa.Table]:
    """Do the job on some rows of a plan, given by their numbers in it; returns its CPU seconds and rows.

    Reading is not counted: it takes a tenth of a task's time, since its rows are neighbours, but most of a sample's.
    """
    by_name = {part.name: part for part in parts}
    rows = dict(_rows_of(stretches, np.sort(chosen)))
    seconds = 0.0
    outputs: list[pa.RecordBatch] = []
    try:
        for chunk in chunks_of(context, rows, by_name):
            compile_for_chunk(chunk, context)
            began = time.process_time()
            outputs.append(context.job.function(chunk, call).rows)
            seconds += time.process_time() - began
    except CannotReadError as error:
        raise InputError(error.args[1]) from error
    return seconds, pa.Table.from_batches(outputs, context.job.schema)


def _rows_of(stretches: list[Stretch], chosen: np.ndarray) -> Iterator[tuple[str, Spans]]:
    """Yield the source and rows of ascending numbers of rows in a plan."""
    first = 0
    for source, _, some in stretches:
        last = first + spans.size(some)
        here = chosen[np.searchsorted(chosen, first) : np.searchsorted(chosen, last)] - first
        if len(here):
            yield source, spans.of_rows(spans.rows_of(some)[here])
        first = last


def parquet_bytes(rows: pa.Table) -> int:
    """Return the size of a file of these rows."""
    stream = pa.BufferOutputStream()
    with pq.ParquetWriter(stream, rows.schema, **parquet_options(rows.schema)) as writer:
        writer.write(one_batch(rows))
    return len(stream.getvalue())
