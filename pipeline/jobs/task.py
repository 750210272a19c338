"""Classify rows of a store: what one task does.

It reads its rows from the store and writes their results into the run; the driver sees statistics only.
"""

import platform
import resource
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import InputError, StorageError, UserError
from pipeline.executors.crew import TROUBLE, Fault
from pipeline.jobs.schedule import TRIES, Work
from pipeline.run.configuration import Configuration, config_hash, settings_of
from pipeline.run.folder import Run, open_run, versions
from pipeline.run.results import LEFT_COLUMNS, Effort, Left, Piece, left_of, results_file, write_statistics
from pipeline.run.summary import counts
from pipeline.store import spans
from pipeline.store.folder import folder
from pipeline.store.lock import Lease, borrowed, lease_of
from pipeline.store.parts import Part, Store, one_batch, open_store
from pipeline.store.spans import Spans
from solver.families import FAMILIES
from solver.tables import RESULTS
from solver.waits import Waits, while_waiting

GRACE, PATIENCE = 60.0, 600.0
"""CPU seconds that a task may take beyond its puzzles' limits, and the most that a task of many should take at all."""


CHUNK, CHUNK_CELLS = 4096, 1 << 26
"""Puzzles that are classified in one call, or a row group of more; and how many cells all of them may have."""


class Job(NamedTuple):
    """What all tasks of a session have in common.

    store, run    their URIs
    store_id      the store's own id
    family        of the puzzles, by its name
    settings      of `solver.api.classify`, the CPU limit that of the run
    stamp         what stands in every row: run_id, config_hash
    versions      of Python and of the libraries, as the driver has them
    apart         tasks run in processes of their own, which may be killed
    lease         of the run's folder, if it is on far storage
    """

    store: str
    store_id: str
    family: str
    run: str
    settings: dict[str, Any]
    stamp: dict[str, str]
    versions: dict[str, str]
    apart: bool
    lease: Lease | None = None


def job_of(run: Run, config: Configuration, apart: bool) -> Job:
    """The job of a session that works on a run with a configuration: the run's own, or one with more time."""
    store = run.store
    stamp = {"run_id": run.about["run_id"], "config_hash": config_hash(config)}
    about = store.folder.uri, store.id, store.family.name, run.folder.uri
    return Job(*about, settings_of(config), stamp, versions(), apart, lease_of(run.folder))


class Unreadable(NamedTuple):
    """What a task returns when a part of the store could not be read."""

    part: str
    reason: str


class Unwritable(NamedTuple):
    """What a task returns when its results could not be written: the disk is full, the storage does not answer."""

    reason: str


class Unfit(NamedTuple):
    """What a task returns on a machine that does not see the run or the store, or has other versions."""

    reason: str


class CannotReadError(Exception):
    """A part of the store is damaged, or does not answer."""


_proved: set[str] = set()
"""The sessions' runs for which this process has proved fit."""


def prove_fit(job: Job) -> Unfit | None:
    """Whether this machine sees the very run and store of a job and has the driver's versions; None if so."""
    here = versions()
    others = [f"{name} {here.get(name)}, not {wanted}" for name, wanted in job.versions.items() if here[name] != wanted]
    if others:
        return Unfit(f"it has {', '.join(others)}: install the same versions everywhere")
    advice = "the folder must be shared by all machines, under one path"
    try:
        seen = open_run(job.run).about["run_id"]
        store_id = open_store(job.store, FAMILIES[job.family]).id
    except (UserError, OSError) as error:
        return Unfit(f"{error}: {advice}")
    if seen != job.stamp["run_id"]:
        return Unfit(f"{job.run} is another run there: {advice}")
    if store_id != job.store_id:
        return Unfit(f"{job.store} is another store there: {advice}")
    _proved.add(job.stamp["run_id"])
    return None


def unfit_for(job: Job) -> Unfit | None:
    """Why this process can't work for a job; None if it can. It proves itself once: that takes S3 a dozen requests."""
    return None if job.stamp["run_id"] in _proved else prove_fit(job)


def classify_rows(
    rows: dict[str, Spans],
    parts: dict[str, Part],
    limit: float,
    name: str,
    job: Job,
    wait: bool = True,
) -> Piece | Unreadable | Unwritable | Unfit:
    """One task: read rows of the store, classify them with `limit` CPU seconds each, write a file of results.

    Puzzles that take longer have no row in it, unless the limit is the run's own: then they are `timeout`. Nor have
    those that need kernels that are still being compiled, if they are not to `wait`; at the run's own limit all do.
    """
    if (unfit := unfit_for(job)) is not None:
        return unfit
    run = folder(job.run)
    place = run / "results"
    try:
        made = TaskStatistics(name)
        with results_file(place, name) as writer:
            for chunk in _chunks(Store(folder(job.store), FAMILIES[job.family]), rows, parts):
                with backstop(min(len(chunk.batch) * limit, PATIENCE) + limit + GRACE, job):
                    classified = made.classified(chunk, limit, job, wait)
                writer.write_batch(classified)
        with borrowed(job.lease):
            return write_statistics(place, made.piece(limit, parts))
    except CannotReadError as error:
        return Unreadable(*error.args)
    except OSError as error:
        return Unwritable(f"{place.name} can't be written: {error.strerror or error}")
    except StorageError as error:
        return Unwritable(str(error))


class Chunk(NamedTuple):
    """Some puzzles of a task: where they are in the store, part by part, and the puzzles in that order."""

    places: list[tuple[str, np.ndarray]]
    batch: pa.RecordBatch


def _chunks(store: Store, rows: dict[str, Spans], parts: dict[str, Part]) -> Iterator[Chunk]:
    """The puzzles of a task, in chunks of whole row groups: large ones one by one, small ones together."""
    places: list[tuple[str, np.ndarray]] = []
    batches: list[pa.RecordBatch] = []
    cells = 0
    for part, wanted in rows.items():
        for numbers, batch in _read(store, parts[part], wanted):
            for these, count in _portions(store.family.rules.cells(batch)):
                if batches and cells + count > CHUNK_CELLS:
                    yield Chunk(places, one_batch(pa.Table.from_batches(batches)))
                    places, batches, cells = [], [], 0
                places.append((part, numbers[these]))
                batches.append(batch[these])
                cells += count
            if sum(map(len, batches)) >= CHUNK:
                yield Chunk(places, one_batch(pa.Table.from_batches(batches)))
                places, batches, cells = [], [], 0
    if batches:
        yield Chunk(places, one_batch(pa.Table.from_batches(batches)))


def _read(store: Store, part: Part, wanted: Spans) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
    """What a task needs of some rows of a part, a row group at a time; raises CannotReadError if it isn't there."""
    try:
        for numbers, batch in store.read(part, wanted, [*store.family.decisive]):
            try:
                store.family.rules.check_readable(batch)
            except ValueError as error:
                raise store.damage(part.file, error) from error
            yield numbers, batch
    except (UserError, OSError) as error:
        raise CannotReadError(part.name, str(error)) from error


def _portions(cells: np.ndarray) -> Iterator[tuple[slice, int]]:
    """A batch in slices of at most CHUNK_CELLS cells, or of one puzzle of more: the slices and their cells.

    cells   of each puzzle, int64[rows]
    """
    ends = np.concatenate([[0], np.cumsum(cells)])
    first = 0
    while first < len(cells):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + CHUNK_CELLS, "right")) - 1)
        yield slice(first, last), int(ends[last] - ends[first])
        first = last


class TaskStatistics:
    """What a task has made so far: the statistics of its file of results. Waiting for kernels does not count."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = datetime.now(UTC)
        self.wall, self.cpu, self.waited = time.monotonic() - Waits.wall, time.process_time() - Waits.cpu, Waits.wall
        self.covers: dict[str, list[tuple[int, int]]] = {}
        self.left: list[Left] = []
        self.status, self.labels = Counter[str](), Counter[str]()
        self.solver = 0.0

    def classified(self, chunk: Chunk, limit: float, job: Job, wait: bool) -> pa.RecordBatch:
        """The rows of a chunk that are decided; the others are noted as left, to be given more time."""
        last = limit >= job.settings["cpu_limit"]
        rules = FAMILIES[job.family].rules
        rows = rules.classify(chunk.batch, **job.settings | {"cpu_limit": limit}, wait=wait or last)
        seconds = rows["cpu_seconds"]
        there = seconds.is_valid().to_numpy(zero_copy_only=False)
        first = rules.first_of_equals(chunk.batch, there)
        solved = there & (first == np.arange(len(rows)))
        self.solver += float(seconds.to_numpy(zero_copy_only=False)[solved].sum())
        late = pc.equal(rows["status"], "timeout").to_numpy(zero_copy_only=False)
        if last:
            late[:] = False
        untried = late & (not wait) & (seconds.to_numpy(zero_copy_only=False) < limit)
        return self.noted(chunk, rows, late, untried, job)

    def noted(
        self, chunk: Chunk, rows: pa.RecordBatch, late: np.ndarray, untried: np.ndarray, job: Job
    ) -> pa.RecordBatch:
        """Note the rows of a chunk, and those that are late, and stamp those that are not.

        late, untried   bool[rows]: whether a puzzle is left without a row, and whether for want of a kernel
        """
        names = list(dict.fromkeys(part for part, _ in chunk.places))
        number_of = {part: k for k, part in enumerate(names)}
        parts = np.repeat([number_of[part] for part, _ in chunk.places], [len(there) for _, there in chunk.places])
        numbers = np.concatenate([numbers for _, numbers in chunk.places])
        for k, part in enumerate(names):
            self.covers.setdefault(part, []).extend(spans.of_rows(numbers[(parts == k) & ~late]))
        if late.any():
            these = rows.select(LEFT_COLUMNS).filter(pa.array(late)).to_pylist()
            places = zip(parts[late].tolist(), numbers[late].tolist(), these, untried[late].tolist(), strict=True)
            self.left += [left_of(names[k], number, row, missed) for k, number, row, missed in places]
            rows, parts = rows.filter(pa.array(~late)), parts[~late]
        self.status.update(counts(rows["status"]))
        self.labels.update(counts(rows["label"]))
        return stamped(rows, {"part": pa.array(names).take(pa.array(parts)), "host": platform.node(), **job.stamp})

    def piece(self, limit: float, parts: dict[str, Part]) -> Piece:
        """The statistics of the whole file."""
        about: Effort = {
            "seconds": round(time.monotonic() - Waits.wall - self.wall, 6),
            "cpu_solver": round(self.solver, 6),
            "cpu_task": round(time.process_time() - Waits.cpu - self.cpu, 6),
            "waited": round(Waits.wall - self.waited, 6),
            "started": self.started.isoformat(),
            "finished": datetime.now(UTC).isoformat(),
            "hosts": [platform.node()],
        }
        covers = {part: spans.union(there) for part, there in self.covers.items() if there}
        hashes = {part: parts[part].sha256 for part in covers}
        return Piece(covers, limit, self.left, dict(self.status), dict(self.labels), about, self.name, hashes)


def stamped(rows: pa.RecordBatch, columns: dict[str, Any]) -> pa.RecordBatch:
    """The rows with some columns filled in, each from an array or with one value throughout."""
    for name, value in columns.items():
        if isinstance(value, str):
            value = pa.repeat(pa.scalar(value), len(rows))
        rows = rows.set_column(RESULTS.get_field_index(name), RESULTS.field(name), value)
    return rows


def write_off(run: Run, job: Job, work: Work, name: str, fault: Fault) -> Piece:
    """Write the row of a puzzle that can't be classified here: `killed` if its worker died, else `error`.

    Raises InputError if the store can't be read, OSError if the run can't be written.
    """
    status = "error" if fault.kind == TROUBLE else "killed"
    reason = fault.reason if status == "error" else f"its worker died {TRIES} times: {fault.reason}"
    made = TaskStatistics(name)
    parts = {part.name: part for part in run.parts if part.name in work.rows}
    try:
        chunks = list(_chunks(run.store, work.rows, parts))
    except CannotReadError as error:
        raise InputError(error.args[1]) from error
    with results_file(run.results, name) as writer:
        for chunk in chunks:
            nobody = np.zeros(len(chunk.batch), np.bool_)
            rows = run.store.family.rules.unclassified(chunk.batch, status, [reason] * len(chunk.batch))
            writer.write_batch(made.noted(chunk, rows, nobody, nobody, job))
    return write_statistics(run.results, made.piece(job.settings["cpu_limit"], parts))


def backstop(cpu: float, job: Job) -> AbstractContextManager[None]:
    """A block that may take so many CPU seconds, where the process may be killed that takes more (`_backstop`)."""
    return _backstop(cpu) if job.apart else nullcontext()


@contextmanager
def _backstop(cpu: float) -> Iterator[None]:
    """Have the system end this process if the block takes more than so many CPU seconds, or ten times that by the wall.

    The solver looks at its clock itself; this is for the case that it can't. Kernels that are compiled meanwhile have
    all the time that they take.
    """
    end = _arm(cpu)

    @contextmanager
    def disarmed() -> Iterator[None]:
        nonlocal end
        left = max(end - _used(), 0.01)
        _disarm()
        try:
            yield
        finally:
            end = _arm(left)

    try:
        with while_waiting(disarmed):
            yield
    finally:
        _disarm()


def _used() -> float:
    """CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _arm(cpu: float) -> float:
    """Allow this process so many more CPU seconds; returns how many that makes in all."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    end = _used() + cpu
    last = int(end) + 1
    if hard != resource.RLIM_INFINITY:
        last = min(last, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (last, hard))
    signal.setitimer(signal.ITIMER_REAL, 10 * cpu)
    return end


def _disarm() -> None:
    """Allow it as many as it may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    signal.setitimer(signal.ITIMER_REAL, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
