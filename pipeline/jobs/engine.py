"""Run a job: from a plan to files of rows, in this process or on Ray.

A small job starts in this process, and moves to Ray if it turns out to take longer.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.executor import (
    ALL_CORES,
    SMALL_JOB,
    Executor,
    Resources,
    SerialExecutor,
    open_executor,
)
from nonocensus.pipeline.jobs.driver import Driver
from nonocensus.pipeline.jobs.job import DEFAULTS, Job, JobSettings
from nonocensus.pipeline.jobs.kernel_compilation import KernelKind, batch_kinds, compile_missing
from nonocensus.pipeline.jobs.schedule import Schedule
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.jobs.task import context_of
from nonocensus.pipeline.jobs.tidy import join_session, tidy
from nonocensus.pipeline.run.configuration import check_limit
from nonocensus.pipeline.run.plan import EVERYTHING, Plan, SelectedRows, Selection
from nonocensus.pipeline.run.results import row_masks
from nonocensus.pipeline.run.run_folder import Run, reload, require_unchanged, write_manifest
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.scrapers.file_batches import Problem
from nonocensus.solver.model.tables import DECISIVE

FIRST_SECONDS = 5.0
"""Estimated CPU seconds of the first tasks of a job, at most."""

SETTLED = 2.0
"""Seconds before the measured cost of a puzzle is trusted: the first ones include loading kernels."""


class JobResult(NamedTuple):
    """The result of `run_job`.

    rows         that were written
    planned      rows of the plan that were attempted
    cpu_seconds  of all tasks
    unread       a line for each part of the store, or file of results, that could not be read
    lost         puzzles whose worker died repeatedly, or whose task raised an exception
    """

    rows: int
    planned: int
    cpu_seconds: float
    unread: list[str]
    lost: list[Problem]


@dataclass(frozen=True)
class JobRequest:
    """What to run a job with. Raises ValueError for a limit that is not positive and finite.

    selection    of the run's puzzles
    cpu_limit    CPU seconds per puzzle
    resources    to run it on
    progress     callbacks
    settings     of the engine
    """

    selection: Selection = EVERYTHING
    cpu_limit: float = 60.0
    resources: Resources = ALL_CORES
    progress: ProgressCallbacks = SILENT
    settings: JobSettings = DEFAULTS

    def __post_init__(self) -> None:
        check_limit(self.cpu_limit)


class RowFilter(NamedTuple):
    """Which rows of the results table need a job.

    columns   of the table that decide it
    mask      (rows of these columns): bool[rows]
    """

    columns: tuple[str, ...]
    mask: Callable[[pa.Table], np.ndarray]


def run_job(
    run: Run, job: Job, options: dict[str, Any], plan: Plan, limits: list[float], request: JobRequest, done: int = 0
) -> JobResult:
    """Carry out a plan. The caller holds the run's lock; nothing is written before an executor is ready.

    options   of the job, which each task gets
    limits    CPU seconds per puzzle, level by level
    done      rows of earlier sessions, for progress
    """
    resources, progress, settings = request.resources, request.progress, request.settings
    first_rows = max(1, min(settings.first_rows, int(FIRST_SECONDS / job.seconds)))
    schedule = Schedule(plan, limits, settings._replace(first_rows=first_rows))
    if not schedule.left():
        progress.on_start(job.title, done, done)
        write_manifest(run)
        return JobResult(0, 0, 0.0, [], [])
    kinds = kinds_of(run)
    if not resources.address:
        compile_missing(kinds, job.stages, progress)
    progress.on_start(job.title, done + schedule.left(), done)
    session = Session(run, job, schedule, progress)
    unread: list[str] = []

    def work_on(executor: Executor, should_stop: Callable[[], bool] = lambda: False) -> None:
        write_manifest(run)
        if executor.dashboard:
            progress.on_message(f"Ray's dashboard: http://{executor.dashboard}")
        if resources.address:
            executor.run_on_each_node(compile_missing, kinds, job.stages)
        session.start()
        context = context_of(run, job, options, executor.isolated, settings.chunk_cells)
        unread.extend(Driver(session, executor, context).drive(should_stop))
        if not schedule.left():
            join_session(session) if job.reads_results else tidy(session, executor)

    def has_grown() -> bool:
        is_known = time.monotonic() > session.began + SETTLED
        return is_known and schedule.left() > 1 and (schedule.seconds_left() or 0.0) > SMALL_JOB

    is_small = resources == ALL_CORES and schedule.left() * job.seconds <= SMALL_JOB
    with session:
        if settings.executor is not None:
            work_on(settings.executor)
        elif is_small:
            work_on(SerialExecutor(), has_grown)
        if schedule.left() and settings.executor is None:
            with open_executor(resources) as executor:
                work_on(executor)
    return JobResult(session.rows, schedule.taken, session.cpu_seconds, unread, session.lost_puzzles)


def kinds_of(run: Run) -> set[KernelKind]:
    """Return the kinds of the store's first puzzles, and so of most or all; tasks compile for others."""
    try:
        return batch_kinds(next(run.store.batches([*DECISIVE])))
    except (UserError, ValueError, OSError, StopIteration):
        return set()  # the task that reads the batch reports what is wrong with it


@contextmanager
def lock_run(run: Run) -> Iterator[Run]:
    """Lock a run for a job on its results; yields it as another command may have left it.

    Raises InputError if its store has changed, UserError if another command works on it.
    """
    require_unchanged(run)
    with writer_lock(run.folder):
        yield reload(run)


def run_on_results(
    run: Run, job: Job, needed: RowFilter, request: JobRequest, options: dict[str, Any] | None = None
) -> JobResult:
    """Run a job on the selected results that need it; what can't be read is a warning."""
    plan = plan_on_results(run, needed, request.selection)
    result = run_job(run, job, options or {}, plan, [request.cpu_limit], request)
    for reason in result.unread:
        request.progress.on_warning(reason)
    return result


def plan_on_results(run: Run, needed: RowFilter, selection: Selection) -> Plan:
    """Plan a job on the selected results that need it, the first of them up to the selection's limit."""
    files = run.result_files()
    room = run.rows if selection.limit is None else selection.limit
    kept, chosen = row_masks(files), SelectedRows(run, selection)
    stretches = []
    for file in files:
        mask = chosen.of_file(file)
        if file.name in kept:
            mask &= kept[file.name]
        if mask.any():
            mask[mask] = needed.mask(run.read(file, mask, [*needed.columns]))
        if rows := spans.of_rows(np.flatnonzero(mask)[:room]):
            room -= spans.size(rows)
            stretches.append((file.name, [file.rows], rows))
    return Plan(iter(stretches), sum(spans.size(rows) for _, _, rows in stretches), [])
