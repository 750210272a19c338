"""Jobs and the worker processes that run them, which pebble keeps: it limits their wall time, kills and replaces them.

A puzzle is first tried for a short time; if it needs more, it is tried again with all of its time. One worker makes
first tries only, and one of the others no long ones, so a small puzzle waits for neither long puzzles nor files, and a
file not for long puzzles.

A worker gets a call only when it is free: pebble kills the worker that takes a call which was cancelled before.
"""

import asyncio
import multiprocessing
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from pebble import ProcessPool

from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.serve.serve_limits import (
    COMPILE_SECONDS,
    KEPT_BYTES,
    KEPT_SECONDS,
    LEASE_SECONDS,
    MAX_HELD,
    MAX_KEPT,
    MAX_UNFINISHED,
    WALL_FACTOR,
    WALL_SECONDS,
)
from nonocensus.pipeline.serve.task_budget import FINISHED, JobStatus, TaskBudget
from nonocensus.pipeline.serve.tasks import FILE_TASKS
from nonocensus.pipeline.serve.worker import TaskReply, initialize, run_task

SPAWN = multiprocessing.get_context("spawn")
"""The server has threads, which a forked worker would not have."""

START_SECONDS = 120.0
"""Timeout of the workers' start."""

POLL_SECONDS = 0.1
"""Interval at which replaced workers are looked for, as pebble does."""

DIED = "its worker process ended: it took too much time or memory"

STOPPED = "the server stops"


class ServerBusy(Exception):
    """The queue is full, or the server stops."""


@dataclass(eq=False)
class PuzzleJob:
    """One call of a task for a client.

    task            its name in pipeline.serve.tasks
    arguments       strings, bytes and numbers, dropped once it is finished
    size            bytes of the request that it came with
    seconds         its CPU seconds
    is_attached     whether it is cancelled if no client polls it
    is_long         whether its first try was too short
    result          JSON or XML, once it is done
    error           one line, if it was refused or has failed
    polled_at       last poll, on the monotonic clock, as created_at and ended_at
    waiters         requests that wait for it
    finished_event  set once it is finished
    """

    task: str
    arguments: dict[str, Any]
    size: int
    seconds: float
    is_attached: bool = False
    is_long: bool = False
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: JobStatus = "queued"
    result: bytes = b""
    error: str = ""
    created_at: float = field(default_factory=time.monotonic)
    polled_at: float = field(default_factory=time.monotonic)
    ended_at: float = 0.0
    waiters: int = 0
    finished_event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_finished(self) -> bool:
        """Whether its state is final."""
        return self.state in FINISHED

    @property
    def age(self) -> float:
        """Seconds since it was created, or until it ended."""
        return (self.ended_at or time.monotonic()) - self.created_at

    def finish(self, state: JobStatus, result: bytes = b"", error: str = "") -> None:
        """Set the final state."""
        self.state, self.result, self.error = state, result, error
        self.ended_at = time.monotonic()
        self.arguments = {}
        self.finished_event.set()


class WorkerPool:
    """Worker processes and their jobs, created by `open_pool`; use it in one event loop."""

    def __init__(self, cpus: int) -> None:
        self.workers = max(3, cpus + 1)
        self.jobs: dict[str, PuzzleJob] = {}  # by id: unfinished ones, and finished ones within limits
        self.unfinished: dict[PuzzleJob, Future[TaskReply] | None] = {}  # in order, with their calls
        self.finished = Counter[tuple[str, str]]()  # by task and state
        self.is_draining = False
        self.processes: ProcessPool | None = None
        self.ready_ids = SPAWN.SimpleQueue()  # process ids of workers, once they are ready
        self.known_ids = set[int]()  # of all that have been ready
        self.free = asyncio.Semaphore(self.workers)
        self.slow_lane = asyncio.Semaphore(self.workers - 1)  # files and long puzzles
        self.long_lane = asyncio.Semaphore(self.workers - 2)  # of these, long puzzles
        self.runs = set[asyncio.Task[None]]()

    def start(self) -> None:
        """Start the workers and wait until they are ready. Raises StorageError if one does not start."""
        deadline = time.monotonic() + START_SECONDS
        processes = self._open()
        while self.ready < self.workers:
            if not processes.active or time.monotonic() > deadline:
                raise StorageError("a worker process does not start; `nonocensus warm` shows why")
            time.sleep(POLL_SECONDS / 2)

    async def drain(self, seconds: float) -> None:
        """Refuse new jobs, wait for those that a request waits for, at most for these seconds, and cancel the rest."""
        self.is_draining = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while any(job.waiters for job in self.unfinished):
                    await asyncio.sleep(0.05)
        if self.processes:  # first, else pebble starts a worker for each one that has a cancelled call
            self.processes.stop()  # type: ignore[no-untyped-call]
        for job in list(self.unfinished):
            self.cancel(job, STOPPED)

    async def sweep(self) -> None:
        """Remove old jobs, cancel abandoned ones, and replace broken processes, every second."""
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            finished = [job for job in self.jobs.values() if job.is_finished]
            size, count = sum(len(job.result) for job in finished), len(finished)
            for job in sorted(finished, key=lambda job: job.ended_at):
                if now - job.ended_at > KEPT_SECONDS or size > KEPT_BYTES or count > MAX_KEPT:
                    del self.jobs[job.id]
                    size, count = size - len(job.result), count - 1
            for job in list(self.unfinished):
                if job.is_attached and not job.waiters and now - job.polled_at > LEASE_SECONDS:
                    self.cancel(job)
            if not self.is_draining:
                with suppress(RuntimeError):  # tried again in a second
                    self._sound()

    @property
    def ready(self) -> int:
        """Number of workers that can run jobs."""
        while not self.ready_ids.empty():
            self.known_ids.add(self.ready_ids.get())
        return len(self.known_ids & {child.pid for child in multiprocessing.active_children()})

    @property
    def replaced(self) -> int:
        """Number of workers that have ended after they were ready."""
        return len(self.known_ids) - self.ready

    @property
    def running(self) -> int:
        """Number of jobs that workers have."""
        return sum(job.state != "queued" for job in self.unfinished)

    def queued(self, is_long: bool) -> int:
        """Return the number of queued jobs: first tries, or long ones."""
        return sum(job.state == "queued" and job.is_long == is_long for job in self.unfinished)

    def ahead(self, job: PuzzleJob) -> int:
        """Return how many jobs are queued before a job."""
        if job.state != "queued":
            return 0
        before = takewhile(lambda other: other is not job, self.unfinished)
        return sum(other.state == "queued" and other.is_long == job.is_long for other in before)

    def submit(self, job: PuzzleJob) -> PuzzleJob:
        """Queue a job. Raises ServerBusy if there are too many jobs or bytes of requests, or the server stops."""
        held = sum(other.size for other in self.unfinished)
        if self.is_draining or len(self.unfinished) >= MAX_UNFINISHED or (held and held + job.size > MAX_HELD):
            raise ServerBusy
        self.unfinished[job] = None
        self.jobs[job.id] = job
        run = asyncio.create_task(self._run(job))
        self.runs.add(run)  # the event loop has weak references only
        run.add_done_callback(self.runs.discard)
        return job

    def poll(self, job_id: str) -> PuzzleJob | None:
        """Return the job of an id, if there is one, and renew its lease."""
        job = self.jobs.get(job_id)
        if job:
            job.polled_at = time.monotonic()
        return job

    def cancel(self, job: PuzzleJob, error: str = "") -> None:
        """Cancel a queued or running job, with a line for its client."""
        call = self.unfinished.get(job)
        self._finish(job, "cancelled", error=error)
        if call:
            call.cancel()

    def _finish(self, job: PuzzleJob, state: JobStatus, result: bytes = b"", error: str = "") -> None:
        """Set a job's final state, and count it, unless it is set already."""
        if not job.is_finished:
            del self.unfinished[job]
            self.finished[job.task, state] += 1
            job.finish(state, result, error)

    async def _run(self, job: PuzzleJob) -> None:
        """Run a job: a puzzle in a first try, and in a long one if that is too short."""
        if job.task in FILE_TASKS:
            async with self.slow_lane:
                reply = await self._try(job, "running", False)
        else:
            reply = await self._try(job, "running", True)
            if reply.state not in FINISHED and not job.is_finished:
                job.state, job.is_long = "queued", True
                async with self.long_lane, self.slow_lane:
                    reply = await self._try(job, reply.state, False)
        self._finish(job, *reply)

    async def _try(self, job: PuzzleJob, state: JobStatus, is_first_try: bool) -> TaskReply:
        """Run a job on a worker once one is free; it gets a state meanwhile."""
        async with self.free:
            if job.is_finished:  # cancelled
                return TaskReply(job.state)
            job.state = state
            return await self._call(job, TaskBudget(job.seconds, is_first_try))

    async def _call(self, job: PuzzleJob, budget: TaskBudget, can_repeat: bool = True) -> TaskReply:
        """Run a task in a worker; return once that one, or the one in its place, is free."""
        seconds = budget.seconds + (COMPILE_SECONDS if job.state == "compiling" else 0)
        timeout = WALL_FACTOR * seconds + WALL_SECONDS
        try:
            call = self._sound().schedule(run_task, (job.task, job.arguments, budget), timeout=timeout)
        except RuntimeError:  # no process can be started
            return TaskReply("failed", error=DIED)
        self.unfinished[job] = call
        (outcome,) = await asyncio.gather(asyncio.wrap_future(call), return_exceptions=True)
        if isinstance(outcome, TaskReply):
            return outcome
        if isinstance(outcome, BrokenExecutor) and can_repeat and not job.is_finished:
            return await self._call(job, budget, False)  # the workers had died before they took it
        while call not in wait([call], 0).done or self.ready < self.workers:
            await asyncio.sleep(POLL_SECONDS)
        return TaskReply("failed", error=DIED)

    def _sound(self) -> ProcessPool:
        """Return the processes; if they broke, new ones. Pebble gives up where a worker dies while none has a task."""
        if self.processes and self.processes.active:
            return self.processes
        if self.processes:
            threading.Thread(target=self.processes.join, daemon=True).start()
        return self._open()

    def _open(self) -> ProcessPool:
        """Start worker processes."""
        self.processes = ProcessPool(self.workers, initializer=initialize, initargs=(self.ready_ids,), context=SPAWN)
        self.processes.schedule(os.getpid)  # they start with the first call
        return self.processes


@contextmanager
def open_pool(cpus: int) -> Iterator[WorkerPool]:
    """Start workers for the duration of a block. Raises StorageError if one does not start."""
    pool = WorkerPool(cpus)
    try:
        pool.start()
        yield pool
    finally:
        if pool.processes:
            pool.processes.stop()  # type: ignore[no-untyped-call]
            pool.processes.join()
