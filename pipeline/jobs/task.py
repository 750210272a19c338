"""One task of a job: read puzzles, call the job's function on them, write a file of rows.

Only statistics go back to the driver.
"""

import platform
import resource
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError, StorageError, UserError
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.job import DEFAULTS, Chunk, Job, JobCall, Output
from nonocensus.pipeline.jobs.kernel_compilation import batch_kinds, compile_here
from nonocensus.pipeline.jobs.schedule import MAX_TRIES, TaskRows
from nonocensus.pipeline.run.progress import value_counts
from nonocensus.pipeline.run.result_pairs import pairs_of
from nonocensus.pipeline.run.results import (
    PENDING_COLUMNS,
    PendingPuzzle,
    ResultFile,
    TaskTimings,
    open_row_writer,
    pending_puzzle,
    write_statistics,
)
from nonocensus.pipeline.run.run_folder import Run, open_run, versions
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import Lease, borrow_lease, check_lease, current_lease
from nonocensus.pipeline.store.parts import Part, Store, one_batch, open_store
from nonocensus.pipeline.store.paths import folder
from nonocensus.pipeline.store.spans import Spans
from nonocensus.scrapers.file_batches import Problem

GRACE, MAX_SECONDS = 60.0, 600.0
"""CPU seconds that a chunk may exceed its puzzles' limits by, and the most that the limits of many may add up to."""

CHUNK = 4096
"""Puzzles of a chunk; more if a single row group has more."""


class TaskContext(NamedTuple):
    """What all tasks of a session have in common.

    job           to do
    run, store    URIs
    run_id        the run's own id
    store_id      the store's own id
    options       of the job
    versions      of Python and of the libraries in the driver
    isolated      tasks run in processes of their own, which may be killed
    chunk_cells   cells of all puzzles of a chunk
    lease         of the run's folder, if it is on remote storage
    """

    job: Job
    run: str
    store: str
    run_id: str
    store_id: str
    options: dict[str, Any]
    versions: dict[str, str]
    isolated: bool
    chunk_cells: int = DEFAULTS.chunk_cells
    lease: Lease | None = None


def context_of(
    run: Run, job: Job, options: dict[str, Any], isolated: bool, chunk_cells: int = DEFAULTS.chunk_cells
) -> TaskContext:
    """Return the context of a session's tasks."""
    store = run.store
    about = run.folder.uri, store.folder.uri, run.manifest["run_id"], store.id
    return TaskContext(job, *about, options, versions(), isolated, chunk_cells, current_lease(run.folder))


class Unreadable(NamedTuple):
    """Outcome of a task that can't read a part of the store, or a file of results."""

    part: str
    reason: str


class Unwritable(NamedTuple):
    """Outcome of a task that can't write its rows: the disk is full, the storage does not answer."""

    reason: str


class Unfit(NamedTuple):
    """Outcome of a task on a machine that does not see the run or the store, or has other versions."""

    reason: str


class CannotReadError(Exception):
    """A part of the store, or a file of results, is damaged or does not answer: its name, and the reason."""


_fit_for: set[str] = set()
"""Ids of runs that this process is fit for."""


def check_fitness(context: TaskContext) -> Unfit | None:
    """Check that this machine sees a context's run and store and has the driver's versions; None if so."""
    here = versions()
    others = [
        f"{name} {here.get(name)}, not {there}" for name, there in context.versions.items() if here.get(name) != there
    ]
    if others:
        return Unfit(f"it has {', '.join(others)}: install the same versions everywhere")
    advice = "the folder must be shared by all machines, under one path"
    try:
        run_id = open_run(context.run).manifest["run_id"]
        store_id = open_store(context.store).id
    except (UserError, OSError) as error:
        return Unfit(f"{error}: {advice}")
    if run_id != context.run_id:
        return Unfit(f"{context.run} is another run there: {advice}")
    if store_id != context.store_id:
        return Unfit(f"{context.store} is another store there: {advice}")
    _fit_for.add(context.run_id)
    return None


def run_task(
    rows: dict[str, Spans], parts: dict[str, Part], limit: float, name: str, context: TaskContext
) -> ResultFile | Unreadable | Unwritable | Unfit:
    """Do a job on some puzzles, with `limit` CPU seconds each, and write a file of rows.

    Puzzles that `classify` needs more time for get no row, unless the limit is the run's own: then they are `timeout`.

    rows     of parts of the store, or of files of results
    parts    those parts of the store
    """
    if context.run_id not in _fit_for and (unfit := check_fitness(context)) is not None:  # once: a dozen S3 requests
        return unfit
    job = context.job
    place = folder(context.run) / job.folder
    try:
        statistics = TaskStatistics(name, job)
        with borrow_lease(context.lease), open_row_writer(place, name, job.schema) as writer:
            for chunk in chunks_of(context, rows, parts):
                statistics.waited += compile_for_chunk(chunk, context)
                most = min(len(chunk.puzzles) * limit, MAX_SECONDS) + limit + GRACE
                with backstop(most) if context.isolated else nullcontext():
                    output = job.function(chunk, JobCall(context.options, limit))
                writer.write(statistics.add(chunk, output))
            check_lease(place)
        file = statistics.result_file(limit, parts)
        if job.reads_results:
            return file
        with borrow_lease(context.lease):
            return write_statistics(place, file)
    except CannotReadError as error:
        return Unreadable(*error.args)
    except OSError as error:
        return Unwritable(f"{place.name} can't be written: {error.strerror or error}")
    except StorageError as error:
        return Unwritable(str(error))


def chunks_of(context: TaskContext, rows: dict[str, Spans], parts: dict[str, Part]) -> Iterator[Chunk]:
    """Read a task's puzzles chunk by chunk. Raises CannotReadError."""
    if context.job.reads_results:
        yield from _chunks_of_results(context, rows)
    else:
        yield from _chunks_of_store(context, rows, parts)


def _chunks_of_results(context: TaskContext, rows: dict[str, Spans]) -> Iterator[Chunk]:
    """Read rows of files of results with their puzzles."""
    job = context.job
    run = open_run(context.run, context.store)
    for name, some in rows.items():
        try:
            file = run.result_file(name)
            parts = {part: run.store.part(part) for part in file.within(some)}
            columns = [*job.results], [*job.puzzles]
            pairs = pairs_of(run, file, some, parts, *columns, check_ids=not job.checks_ids)
            for numbers, results, puzzles in pairs:
                yield Chunk([(name, numbers)], one_batch(puzzles), one_batch(results))
        except (UserError, OSError, pa.ArrowException) as error:
            raise CannotReadError(name, str(error)) from error


def _chunks_of_store(context: TaskContext, rows: dict[str, Spans], parts: dict[str, Part]) -> Iterator[Chunk]:
    """Read rows of parts of the store in chunks of whole row groups: large ones split, small ones joined."""
    store = Store(folder(context.store))
    places: list[tuple[str, np.ndarray]] = []
    batches: list[pa.RecordBatch] = []
    cells = 0
    for part, some in rows.items():
        for numbers, batch in _read(store, [*context.job.puzzles], parts[part], some):
            for these, count in _slices(_cells_of(batch), context.chunk_cells):
                if batches and (cells + count > context.chunk_cells or sum(map(len, batches)) >= CHUNK):
                    yield Chunk(places, one_batch(pa.Table.from_batches(batches)))
                    places, batches, cells = [], [], 0
                places.append((part, numbers[these]))
                batches.append(batch[these])
                cells += count
    if batches:
        yield Chunk(places, one_batch(pa.Table.from_batches(batches)))


def _read(store: Store, columns: list[str], part: Part, rows: Spans) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
    """Read rows of a part by row group: their numbers and columns. Raises CannotReadError."""
    try:
        yield from store.read(part, rows, columns)
    except (UserError, OSError) as error:
        raise CannotReadError(part.name, str(error)) from error


def _cells_of(batch: pa.RecordBatch) -> np.ndarray:
    """Return the cells of each puzzle, int64[rows]; 0 if its size is null."""
    width, height = (batch[name].fill_null(0).to_numpy().astype(np.int64) for name in ("width", "height"))
    cells: np.ndarray = width * height
    return cells


def _slices(cells: np.ndarray, most: int) -> Iterator[tuple[slice, int]]:
    """Cut a batch into slices of at most `most` cells, or of one larger puzzle; yields slices and their cells.

    cells   of each puzzle, int64[rows]
    """
    ends = np.concatenate([[0], np.cumsum(cells)])
    first = 0
    while first < len(cells):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + most, "right")) - 1)
        yield slice(first, last), int(ends[last] - ends[first])
        first = last


def elapsed() -> np.ndarray:
    """Return wall and CPU seconds since fixed moments, float64[2]."""
    return np.array([time.monotonic(), time.process_time()])


def compile_for_chunk(chunk: Chunk, context: TaskContext) -> np.ndarray:
    """Compile the kernels that a chunk needs and the cache lacks; returns the time that this took, as `elapsed`."""
    began = elapsed()
    if context.job.stages:
        compile_here(batch_kinds(chunk.puzzles), context.job.stages)
    spent: np.ndarray = elapsed() - began
    return spent


class TaskStatistics:
    """Statistics of a task's file.

    waited   time spent on compiling kernels, as `elapsed`; it counts as no work
    """

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job = name, job
        self.started = datetime.now(UTC)
        self.began = elapsed()
        self.waited = np.zeros(2)
        self.covers: dict[str, list[tuple[int, int]]] = {}
        self.left: list[PendingPuzzle] = []
        self.status, self.labels = Counter[str](), Counter[str]()
        self.solver = 0.0

    def add(self, chunk: Chunk, output: Output) -> pa.RecordBatch:
        """Add the output of a chunk; returns the rows that count."""
        self.solver += output.cpu_seconds
        rows, late = output.rows, np.zeros(len(chunk.puzzles), np.bool_) if output.late is None else output.late
        places: list[tuple[str, int]] = []  # of late puzzles
        first = 0
        for source, numbers in chunk.places:
            is_late = late[first : first + len(numbers)]
            self.covers.setdefault(source, []).extend(spans.of_rows(numbers[~is_late]))
            places += [(source, number) for number in numbers[is_late].tolist()]
            first += len(numbers)
        if places:
            these = rows.select(PENDING_COLUMNS).filter(pa.array(late)).to_pylist()
            self.left += [pending_puzzle(*place, row) for place, row in zip(places, these, strict=True)]
            rows = rows.filter(pa.array(~late))
        if "status" in rows.schema.names:
            self.status.update(value_counts(rows["status"]))
        self.labels.update(self.job.counts(rows))
        return rows

    def result_file(self, limit: float, parts: dict[str, Part]) -> ResultFile:
        """Return the statistics of the whole file."""
        wall, cpu = (elapsed() - self.began - self.waited).tolist()
        about: TaskTimings = {
            "seconds": round(wall, 6),
            "cpu_solver": round(self.solver, 6),
            "cpu_task": round(cpu, 6),
            "waited": round(float(self.waited[0]), 6),
            "started": self.started.isoformat(),
            "finished": datetime.now(UTC).isoformat(),
            "hosts": [platform.node()],
        }
        covers = {source: spans.union(rows) for source, rows in self.covers.items() if rows}
        hashes = {source: parts[source].sha256 for source in covers if source in parts}
        return ResultFile(covers, limit, self.left, dict(self.status), dict(self.labels), about, self.name, hashes)


def write_off(
    context: TaskContext, parts: dict[str, Part], limit: float, task: TaskRows, name: str, failure: TaskFailure
) -> tuple[ResultFile, list[Problem]]:
    """Write the rows of a puzzle whose worker died MAX_TRIES times, or whose task raised an exception.

    Raises InputError if it can't be read, OSError if the run can't be written.
    """
    job = context.job
    if not failure.has_raised:
        failure = failure._replace(reason=f"its worker died {MAX_TRIES} times: {failure.reason}")
    statistics = TaskStatistics(name, job)
    try:
        chunks = list(chunks_of(context, task.rows, parts))
    except CannotReadError as error:
        raise InputError(error.args[1]) from error
    place = folder(context.run) / job.folder
    with open_row_writer(place, name, job.schema) as writer:
        for chunk in chunks:
            rows = job.lost(chunk, JobCall(context.options, limit), failure)
            writer.write(statistics.add(chunk, Output(rows)))
        check_lease(place)
    file = statistics.result_file(limit, parts)
    lost = [Problem(name, failure.reason) for chunk in chunks for name in chunk.puzzles["puzzle_id"].to_pylist()]
    return file if job.reads_results else write_statistics(place, file), lost


@contextmanager
def backstop(cpu: float) -> Iterator[None]:
    """Have the system kill this process after `cpu` CPU seconds or ten times as many wall seconds.

    Guards against kernels that don't check their deadline.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    last = int(time.process_time() + cpu) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (last if hard == resource.RLIM_INFINITY else min(last, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.setitimer(signal.ITIMER_REAL, 10 * cpu)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
