"""Worker processes and the two queues that they take jobs from.

Every job is first tried for a short time; a puzzle that needs more joins the queue of long jobs. One worker takes short
jobs only, the others prefer them, so a short job never waits for a long one. On a single core the two workers share it,
and the one with a long job has a higher niceness.

A worker solves small queued puzzles in batches, in one call. If it dies over a batch, each is tried alone.

A worker that dies, is killed with a cancelled job, or exceeds its wall time is replaced. A job that was sent to it but
not taken is queued again.
"""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter, deque
from contextlib import suppress

import msgspec

from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.serve.jobs import (
    COMPILING,
    DEFERRED,
    FAILED,
    FRAME_HEAD,
    JOB,
    READY,
    REFUSED,
    RESULT,
    TAKEN,
    JobStatus,
    JobStore,
    PuzzleJob,
    encode_frame,
)
from nonocensus.pipeline.serve.serve_limits import (
    COMPILE_SECONDS,
    MAX_BATCH,
    MAX_HELD,
    MAX_UNFINISHED,
    WALL_FACTOR,
    WALL_SECONDS,
)
from nonocensus.pipeline.settings import ROOT

START_SECONDS = 120.0
"""Timeout of a worker's start."""

RESTART_SECONDS = 1.0
"""Pause before a worker that died while starting is started again."""

DIED = "its worker process ended: it took too much time or memory"

STOPPED = "the server stops"


class ServerBusy(Exception):
    """The queue is full, or the server stops."""


class WorkerPool:
    """Worker processes and their jobs; create, start, use and close it in one event loop."""

    def __init__(self, cpus: int) -> None:
        self.workers = max(2, cpus)
        self.store = JobStore()
        self.queues: dict[bool, deque[PuzzleJob]] = {False: deque(), True: deque()}
        self.has_work = asyncio.Event()
        self.unfinished: set[PuzzleJob] = set()
        self.finished = Counter[tuple[str, str]]()  # by task and state
        self.replaced = 0
        self.is_draining = False
        self.processes: list[Process | None] = []
        self.running: dict[PuzzleJob, Process] = {}
        self.attendants: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the workers and wait until they are ready. Raises StorageError if one does not start."""
        self.processes = [*await asyncio.gather(*(self._start_worker() for _ in range(self.workers)))]
        if not all(self.processes):
            for process in filter(None, self.processes):
                await _end(process)
            raise StorageError("a worker process does not start; `nonocensus warm` shows why")
        self.attendants = [asyncio.create_task(self._attend(k)) for k in range(self.workers)]
        self.attendants.append(asyncio.create_task(self._sweep()))

    async def close(self) -> None:
        """Stop the workers and cancel all jobs."""
        for task in self.attendants:
            task.cancel()
        await asyncio.gather(*self.attendants, return_exceptions=True)
        for job in list(self.store.jobs.values()):
            self._finish(job, "cancelled", error=STOPPED)

    async def drain(self, seconds: float) -> None:
        """Refuse new jobs, wait for those that a request waits for, at most for these seconds, and cancel the rest."""
        self.is_draining = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while any(job.waiters for job in self.unfinished):
                    await asyncio.sleep(0.05)
        for job in list(self.unfinished):
            self.cancel(job, STOPPED)

    @property
    def ready(self) -> int:
        """Number of started workers; one that died idle is replaced when it is needed."""
        return sum(process is not None for process in self.processes)

    @property
    def queued(self) -> int:
        """Number of queued jobs."""
        return sum(map(len, self.queues.values()))

    def ahead(self, job: PuzzleJob) -> int:
        """Return how many jobs are before a job in its queue."""
        queue = self.queues[job.is_long]
        return queue.index(job) if job in queue else 0

    def submit(self, job: PuzzleJob) -> PuzzleJob:
        """Queue a job. Raises ServerBusy if there are too many jobs or bytes of payloads, or the server stops."""
        held = sum(len(other.payload) for other in self.unfinished)
        if self.is_draining or len(self.unfinished) >= MAX_UNFINISHED or (held and held + len(job.payload) > MAX_HELD):
            raise ServerBusy
        self.unfinished.add(job)
        self.store.add(job)
        self._queue(job)
        return job

    async def wait(self, job: PuzzleJob, seconds: float, disconnected: "asyncio.Task[None]") -> None:
        """Wait until a job is finished, its client has disconnected, or the seconds are over."""
        job.waiters += 1
        finished = asyncio.create_task(job.finished_event.wait())
        try:
            await asyncio.wait((finished, disconnected), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            finished.cancel()
            job.waiters -= 1
            job.polled_at = time.monotonic()

    def cancel(self, job: PuzzleJob, error: str = "") -> None:
        """Cancel a queued or running job, with a line for its client."""
        if job.is_finished:
            return
        for queue in self.queues.values():
            if job in queue:
                queue.remove(job)
                self.unfinished.remove(job)
        self._finish(job, "cancelled", error=error)
        if job in self.running and not job.is_batchable:
            _kill(self.running[job])

    def _finish(self, job: PuzzleJob, state: JobStatus, result: bytes = b"", error: str = "") -> None:
        """Set a job's final state, and count it, unless it is set already."""
        if not job.is_finished:
            job.finish(state, result, error)
            self.finished[job.task, state] += 1

    def _queue(self, job: PuzzleJob) -> None:
        self.queues[job.is_long].append(job)
        self.has_work.set()

    async def _next_batch(self, short_only: bool) -> list[PuzzleJob]:
        """Wait for the next job, or batch of jobs, of a worker."""
        while True:
            for queue in [self.queues[False], *([] if short_only else [self.queues[True]])]:
                if queue:
                    jobs = [queue.popleft()]
                    while jobs[0].is_batchable and queue and queue[0].is_batchable and len(jobs) < MAX_BATCH:
                        jobs.append(queue.popleft())
                    return jobs
            self.has_work.clear()
            await self.has_work.wait()

    async def _start_worker(self) -> Process | None:
        """Start a worker and return it once it is ready, or None if it has ended instead."""
        command = [sys.executable, "-m", "nonocensus.pipeline.serve.worker"]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        try:
            kind, _ = await asyncio.wait_for(_read_frame(process), START_SECONDS)
            return process if kind == READY else None
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError) as error:
            await _end(process)
            if isinstance(error, asyncio.CancelledError):
                raise
            return None

    async def _attend(self, number: int) -> None:
        """Feed one worker with jobs, and replace it when it ends."""
        try:
            while True:
                while (process := self.processes[number]) is None:
                    self.processes[number] = await self._start_worker()
                    if self.processes[number] is None:
                        await asyncio.sleep(RESTART_SECONDS)
                jobs = await self._next_batch(number == 0)
                if not await self._run_batch(jobs, process):
                    await _end(process)
                    self.processes[number] = None
                    self.replaced += 1
        finally:
            if (process := self.processes[number]) is not None:
                await _end(process)

    async def _run_batch(self, jobs: list[PuzzleJob], process: Process) -> bool:
        """Run jobs on a worker; return whether the worker can be used again."""
        for job in jobs:
            job.state = "running"
            self.running[job] = process
        left = deque(jobs)
        is_sound = is_alive = True
        taken = False
        try:
            async with asyncio.timeout(None) as clock:
                await _send(process, jobs, clock)
                taken = (await _read_frame(process))[0] == TAKEN
                while left:
                    kind, reply = await _reply(process, left[0], clock)
                    self._record(left.popleft(), kind, reply)
                    is_sound &= kind != FAILED  # after a MemoryError it may not have freed everything
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            is_alive = False
            if taken:
                self._fail_or_retry(left)
            else:
                self._requeue(left)
        finally:
            for job in left:  # the server stops
                self._finish(job, "cancelled", error=STOPPED)
                self._record(job, FAILED, b"")
            if left or not is_alive:
                await _end(process)
        return is_sound and is_alive

    def _record(self, job: PuzzleJob, kind: bytes, reply: bytes) -> None:
        """Record a worker's reply to a job."""
        del self.running[job]
        if kind == DEFERRED and not job.is_finished:
            job.is_long, job.is_batchable = True, False
            self._retry(job)
            return
        self.unfinished.remove(job)
        if kind == RESULT:
            self._finish(job, "done", reply)
        else:
            self._finish(job, "refused" if kind == REFUSED else "failed", error=reply.decode("utf-8", "replace"))

    def _requeue(self, left: deque[PuzzleJob]) -> None:
        """Put jobs back at the head of their queue: the worker had died before it took them."""
        while left:
            job = left.pop()
            if job.is_finished:
                self._record(job, FAILED, b"")
            else:
                del self.running[job]
                job.state = "queued"
                self.queues[job.is_long].appendleft(job)
                self.has_work.set()

    def _fail_or_retry(self, left: deque[PuzzleJob]) -> None:
        """Fail a single job that the worker has died over; queue each job of a batch to be tried alone."""
        is_single = len(left) == 1 and not left[0].is_batchable
        while left:
            job = left.popleft()
            if is_single or job.is_finished:
                self._record(job, FAILED, DIED.encode())
            else:
                del self.running[job]
                job.is_batchable = False
                self._retry(job)

    def _retry(self, job: PuzzleJob) -> None:
        job.state = "queued"
        self._queue(job)

    async def _sweep(self) -> None:
        """Remove old jobs and cancel abandoned ones, every second."""
        while True:
            await asyncio.sleep(1.0)
            for job in self.store.sweep():
                self.cancel(job)


async def _send(process: Process, jobs: list[PuzzleJob], clock: asyncio.Timeout) -> None:
    """Send a batch to a worker and set its wall time limit."""
    assert process.stdin is not None
    first = jobs[0]
    payloads = [msgspec.Raw(job.payload) for job in jobs]
    process.stdin.write(
        encode_frame(JOB, msgspec.msgpack.encode([first.task, payloads, first.allowed_seconds, not first.is_long]))
    )
    clock.reschedule(asyncio.get_running_loop().time() + sum(map(_wall_seconds, jobs)))
    await process.stdin.drain()


async def _reply(process: Process, job: PuzzleJob, clock: asyncio.Timeout) -> tuple[bytes, bytes]:
    """Return a worker's reply to a job, and extend the wall time limit while it compiles."""
    while True:
        kind, reply = await _read_frame(process)
        if kind != COMPILING:
            return kind, reply
        job.state = "compiling"
        clock.reschedule(asyncio.get_running_loop().time() + _wall_seconds(job) + WALL_FACTOR * COMPILE_SECONDS)


def _wall_seconds(job: PuzzleJob) -> float:
    """Return the wall time limit of a job."""
    return WALL_FACTOR * job.allowed_seconds + WALL_SECONDS


async def _read_frame(process: Process) -> tuple[bytes, bytes]:
    """Return kind and content of a worker's next frame. Raises IncompleteReadError if it has ended."""
    assert process.stdout is not None
    size = int.from_bytes(await process.stdout.readexactly(FRAME_HEAD), "big")
    content = await process.stdout.readexactly(size)
    return content[:1], content[1:]


def _kill(process: Process) -> None:
    """Kill a process. Its own method would also reap it, while another task waits for it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def _end(process: Process) -> None:
    """Kill a worker and wait until it has ended."""
    _kill(process)
    await process.wait()
