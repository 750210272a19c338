"""What one task of a job does: it reads puzzles, does the job's work on them and writes a file of rows.

The driver gets statistics only.
"""

import platform
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.errors import InputError, StorageError, UserError
from pipeline.executors.executor import EXCEPTION, TaskFailure
from pipeline.jobs.backstop import backstop
from pipeline.jobs.job import Chunk, Job, Output
from pipeline.jobs.schedule import TRIES, Work
from pipeline.run.progress import counts
from pipeline.run.result_pairs import pairs_of
from pipeline.run.results import LEFT_COLUMNS, Effort, Left, Piece, left_of, rows_file, write_statistics
from pipeline.run.run_folder import Run, open_run, versions
from pipeline.store import spans
from pipeline.store.lock import Lease, borrowed, confirm, lease_of
from pipeline.store.parts import Part, Store, one_batch, open_store
from pipeline.store.paths import folder
from pipeline.store.spans import Spans
from scrapers.file_batches import Problem
from solver.jit.waits import Waits
from solver.model.families import FAMILIES

GRACE, PATIENCE = 60.0, 600.0
"""CPU seconds that a task may take beyond its puzzles' limits, and the most that a task of many should take at all."""

CHUNK, CHUNK_CELLS = 4096, 1 << 26
"""Puzzles of a chunk, or a row group of more; and how many cells all of them may have."""


class Context(NamedTuple):
    """What all tasks of a session have in common.

    job           what they do
    run, store    URIs
    run_id        the run's own id
    store_id      the store's own id
    family        of the puzzles, by its name
    settings      of the job
    versions      of Python and of the libraries, as the driver has them
    isolated      tasks run in processes of their own, which may be killed
    lease         of the run's folder, if it is on far storage
    """

    job: Job
    run: str
    store: str
    run_id: str
    store_id: str
    family: str
    settings: dict[str, Any]
    versions: dict[str, str]
    isolated: bool
    lease: Lease | None = None


def context_of(run: Run, job: Job, settings: dict[str, Any], isolated: bool) -> Context:
    """Return the context of a session's tasks."""
    store = run.store
    about = run.folder.uri, store.folder.uri, run.about["run_id"], store.id, store.family.name
    return Context(job, *about, settings, versions(), isolated, lease_of(run.folder))


class Unreadable(NamedTuple):
    """What a task returns when a part of the store, or a file of results, could not be read."""

    part: str
    reason: str


class Unwritable(NamedTuple):
    """What a task returns when its rows could not be written: the disk is full, the storage does not answer."""

    reason: str


class Unfit(NamedTuple):
    """What a task returns on a machine that does not see the run or the store, or has other versions."""

    reason: str


class CannotReadError(Exception):
    """A part of the store, or a file of results, is damaged or does not answer: its name, and why."""


_proved: set[str] = set()
"""The sessions' runs for which this process has proved fit."""


def prove_fit(context: Context) -> Unfit | None:
    """Whether this machine sees the very run and store of a context and has the driver's versions; None if so."""
    here, wanted = versions(), context.versions
    others = [f"{name} {here.get(name)}, not {there}" for name, there in wanted.items() if here[name] != there]
    if others:
        return Unfit(f"it has {', '.join(others)}: install the same versions everywhere")
    advice = "the folder must be shared by all machines, under one path"
    try:
        seen = open_run(context.run).about["run_id"]
        store_id = open_store(context.store, FAMILIES[context.family]).id
    except (UserError, OSError) as error:
        return Unfit(f"{error}: {advice}")
    if seen != context.run_id:
        return Unfit(f"{context.run} is another run there: {advice}")
    if store_id != context.store_id:
        return Unfit(f"{context.store} is another store there: {advice}")
    _proved.add(context.run_id)
    return None


def run_task(
    source: dict[str, Spans], parts: dict[str, Part], limit: float, name: str, context: Context, wait: bool = True
) -> Piece | Unreadable | Unwritable | Unfit:
    """Do a job's work on some puzzles, with `limit` CPU seconds each, and write a file of rows.

    Puzzles that `classify` needs more time for have no row in it, unless the limit is the run's own: then they are
    `timeout`. Nor have those that need kernels being compiled, unless they are to `wait` or the limit is the run's own.

    source   rows of parts of the store, or of files of results
    parts    those parts of the store
    """
    if context.run_id not in _proved and (unfit := prove_fit(context)) is not None:  # once: S3 takes a dozen requests
        return unfit
    job, family = context.job, FAMILIES[context.family]
    place = folder(context.run) / job.folder
    try:
        made = Statistics(name, job)
        with borrowed(context.lease), rows_file(place, name, job.schema(family)) as writer:
            for chunk in chunks_of(context, source, parts):
                most = min(len(chunk.puzzles) * limit, PATIENCE) + limit + GRACE
                with backstop(most) if context.isolated else nullcontext():
                    output = job.work(chunk, family, context.settings, limit, wait)
                writer.write(made.noted(chunk, output))
            confirm(place)
        piece = made.piece(limit, parts)
        if job.of_results:
            return piece
        with borrowed(context.lease):
            return write_statistics(place, piece)
    except CannotReadError as error:
        return Unreadable(*error.args)
    except OSError as error:
        return Unwritable(f"{place.name} can't be written: {error.strerror or error}")
    except StorageError as error:
        return Unwritable(str(error))


def chunks_of(context: Context, source: dict[str, Spans], parts: dict[str, Part]) -> Iterator[Chunk]:
    """Read the puzzles of a task, chunk by chunk. Raises CannotReadError."""
    if context.job.of_results:
        yield from _chunks_of_results(context, source)
    else:
        store = Store(folder(context.store), FAMILIES[context.family])
        yield from _chunks_of_store(store, context.job.puzzles(store.family), source, parts)


def _chunks_of_results(context: Context, source: dict[str, Spans]) -> Iterator[Chunk]:
    """Rows of files of results with their puzzles."""
    job = context.job
    run = open_run(context.run, context.store)
    for name, wanted in source.items():
        try:
            piece = run.piece(name)
            parts = {part: run.store.part(part) for part in piece.within(wanted)}
            columns = [*job.results], job.puzzles(run.family)
            pairs = pairs_of(run, piece, wanted, parts, *columns, check_ids=not job.checks_ids)
            for numbers, results, puzzles in pairs:
                yield Chunk([(name, numbers)], one_batch(puzzles), one_batch(results))
        except (UserError, OSError, pa.ArrowException) as error:
            raise CannotReadError(name, str(error)) from error


def _chunks_of_store(
    store: Store, columns: list[str], source: dict[str, Spans], parts: dict[str, Part]
) -> Iterator[Chunk]:
    """Rows of parts of the store, in chunks of whole row groups: large ones one by one, small ones together."""
    places: list[tuple[str, np.ndarray]] = []
    batches: list[pa.RecordBatch] = []
    cells = 0
    for part, wanted in source.items():
        for numbers, batch in _read(store, columns, parts[part], wanted):
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


def _read(store: Store, columns: list[str], part: Part, wanted: Spans) -> Iterator[tuple[np.ndarray, pa.RecordBatch]]:
    """Some rows of a part, a row group at a time; raises CannotReadError if it isn't there."""
    try:
        for numbers, batch in store.read(part, wanted, columns):
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


class Statistics:
    """What a task has done so far, for its file's statistics. Waiting for kernels does not count."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job = name, job
        self.started = datetime.now(UTC)
        self.wall = time.monotonic() - Waits.wall_seconds
        self.cpu = time.process_time() - Waits.cpu_seconds
        self.waited = Waits.wall_seconds
        self.covers: dict[str, list[tuple[int, int]]] = {}
        self.left: list[Left] = []
        self.status, self.labels = Counter[str](), Counter[str]()
        self.solver = 0.0

    def noted(self, chunk: Chunk, output: Output) -> pa.RecordBatch:
        """Note what has come of a chunk; returns the rows that count."""
        self.solver += output.cpu_seconds
        names = list(dict.fromkeys(source for source, _ in chunk.places))
        number_of = {source: k for k, source in enumerate(names)}
        sources = np.repeat([number_of[source] for source, _ in chunk.places], [len(rows) for _, rows in chunk.places])
        numbers = np.concatenate([rows for _, rows in chunk.places])
        late = np.zeros(len(numbers), np.bool_) if output.late is None else output.late
        untried = late if output.untried is None else output.untried
        for k, source in enumerate(names):
            self.covers.setdefault(source, []).extend(spans.of_rows(numbers[(sources == k) & ~late]))
        rows = output.rows
        if late.any():
            these = rows.select(LEFT_COLUMNS).filter(pa.array(late)).to_pylist()
            places = zip(sources[late].tolist(), numbers[late].tolist(), these, untried[late].tolist(), strict=True)
            self.left += [left_of(names[k], number, row, missed) for k, number, row, missed in places]
            rows = rows.filter(pa.array(~late))
        if "status" in rows.schema.names:
            self.status.update(counts(rows["status"]))
        self.labels.update(self.job.counts(rows))
        return rows

    def piece(self, limit: float, parts: dict[str, Part]) -> Piece:
        """Return the statistics of the whole file."""
        about: Effort = {
            "seconds": round(time.monotonic() - Waits.wall_seconds - self.wall, 6),
            "cpu_solver": round(self.solver, 6),
            "cpu_task": round(time.process_time() - Waits.cpu_seconds - self.cpu, 6),
            "waited": round(Waits.wall_seconds - self.waited, 6),
            "started": self.started.isoformat(),
            "finished": datetime.now(UTC).isoformat(),
            "hosts": [platform.node()],
        }
        covers = {source: spans.union(rows) for source, rows in self.covers.items() if rows}
        hashes = {source: parts[source].sha256 for source in covers if source in parts}
        return Piece(covers, limit, self.left, dict(self.status), dict(self.labels), about, self.name, hashes)


def write_off(
    context: Context, parts: dict[str, Part], limit: float, work: Work, name: str, fault: TaskFailure
) -> tuple[Piece, list[Problem]]:
    """Write the rows of a puzzle on which a worker died TRIES times, or an exception was raised.

    Raises InputError if it can't be read, OSError if the run can't be written.
    """
    job, family = context.job, FAMILIES[context.family]
    raised = fault.kind == EXCEPTION
    reason = fault.reason if raised else f"its worker died {TRIES} times: {fault.reason}"
    made = Statistics(name, job)
    try:
        chunks = list(chunks_of(context, work.rows, parts))
    except CannotReadError as error:
        raise InputError(error.args[1]) from error
    place = folder(context.run) / job.folder
    with rows_file(place, name, job.schema(family)) as writer:
        for chunk in chunks:
            writer.write(made.noted(chunk, Output(job.lost(chunk, family, context.settings, reason, raised))))
        confirm(place)
    piece = made.piece(limit, parts)
    lost = [Problem(name, reason) for chunk in chunks for name in chunk.puzzles["puzzle_id"].to_pylist()]
    return piece if job.of_results else write_statistics(place, piece), lost
