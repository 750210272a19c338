"""The workers, and the two queues that they take jobs from.

Every job is tried first for a short time; a puzzle that needs more joins the queue of long jobs. One worker takes short
ones only, the others prefer them. So a short job waits for short ones at most, whatever else the server has to do.
Where there is but one core, the two workers share it, and the one with a long job gives way (its niceness).

Small puzzles that wait are given to a worker some at a time, which it solves in one call. If it dies over them, each is
tried alone.

A worker that dies, is killed with a cancelled job, or takes too long on the clock is replaced. A job that it was given,
but had not taken, is given to another one.
"""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress

import msgspec

from pipeline.errors import StorageError
from pipeline.serve.frames import COMPILING, FAILED, HEAD, JOB, LATER, READY, REFUSED, RESULT, TAKEN, frame
from pipeline.serve.jobs import Job, Shelf
from pipeline.serve.serve_limits import COMPILING_SECONDS, MOST_HELD, MOST_TOGETHER, MOST_UNFINISHED, WALL, WALL_SECONDS
from pipeline.settings import ROOT

START_SECONDS = 120.0
"""How long a worker may take until it is ready."""

RESTS = 1.0
"""Seconds before a worker is started again that has died before it was ready."""

DIED = "its worker process ended: it took too much time or memory"

ENDED = "the server ends"


class Busy(Exception):
    """There are as many jobs as the server takes."""


class Pool:
    """Worker processes and their jobs; to be made, started, asked and closed in one event loop."""

    def __init__(self, cpus: int) -> None:
        self.workers = max(2, cpus)
        self.shelf = Shelf()
        self.queues: dict[bool, deque[Job]] = {False: deque(), True: deque()}
        self.there = asyncio.Event()
        self.unfinished: set[Job] = set()
        self.replaced = 0
        self.running: dict[Job, Process] = {}
        self.crew: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the workers, and wait until they are ready. A StorageError says that one can't be had."""
        processes = await asyncio.gather(*(self._started() for _ in range(self.workers)))
        if not all(processes):
            for process in filter(None, processes):
                await _end(process)
            raise StorageError("a worker process does not start; nonocensus warm says why")
        self.crew = [asyncio.create_task(self._attend(k, process)) for k, process in enumerate(processes) if process]
        self.crew.append(asyncio.create_task(self._tidy()))

    async def close(self) -> None:
        """End the workers; what they did is cancelled."""
        for task in self.crew:
            task.cancel()
        await asyncio.gather(*self.crew, return_exceptions=True)
        for job in list(self.shelf.jobs.values()):
            job.finish("cancelled", error=ENDED)

    @property
    def waiting(self) -> int:
        """Jobs that no worker has taken yet."""
        return sum(map(len, self.queues.values()))

    def ahead(self, job: Job) -> int:
        """Jobs that are before a waiting one in its queue."""
        queue = self.queues[job.long]
        return queue.index(job) if job in queue else 0

    def submit(self, job: Job) -> Job:
        """Queue a job. Raises Busy if there are too many, or if what they have been sent is too much."""
        held = sum(len(other.asked) for other in self.unfinished)
        if len(self.unfinished) >= MOST_UNFINISHED or (held and held + len(job.asked) > MOST_HELD):
            raise Busy
        self.unfinished.add(job)
        self.shelf.add(job)
        self._queue(job)
        return job

    async def wait(self, job: Job, seconds: float, leaving: "asyncio.Task[None]") -> None:
        """Wait until a job is finished or who waits for it is leaving, but not longer."""
        job.waiting += 1
        over = asyncio.create_task(job.over.wait())
        try:
            await asyncio.wait((over, leaving), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            job.waiting -= 1
            job.asked_at = time.monotonic()

    def cancel(self, job: Job) -> None:
        """Cancel a job, whether it waits or runs; nothing happens to a finished one."""
        if job.finished:
            return
        for queue in self.queues.values():
            if job in queue:
                queue.remove(job)
                self.unfinished.remove(job)
        job.finish("cancelled")
        if job in self.running and not job.together:
            _kill(self.running[job])

    def _queue(self, job: Job) -> None:
        self.queues[job.long].append(job)
        self.there.set()

    async def _next(self, short_only: bool) -> list[Job]:
        """The next job for a worker, or the next ones that go together."""
        while True:
            for queue in [self.queues[False], *([] if short_only else [self.queues[True]])]:
                if queue:
                    jobs = [queue.popleft()]
                    while jobs[0].together and queue and queue[0].together and len(jobs) < MOST_TOGETHER:
                        jobs.append(queue.popleft())
                    return jobs
            self.there.clear()
            await self.there.wait()

    async def _started(self) -> Process | None:
        """A worker that is ready, or None if it has ended instead."""
        command = [sys.executable, "-m", "pipeline.serve.worker"]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        try:
            said, _ = await asyncio.wait_for(_frame(process), START_SECONDS)
            return process if said == READY else None
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError) as error:
            await _end(process)
            if isinstance(error, asyncio.CancelledError):
                raise
            return None

    async def _attend(self, number: int, process: Process | None) -> None:
        """Have one worker do jobs, and replace it when it ends."""
        try:
            while True:
                while process is None:
                    process = await self._started()
                    if process is None:
                        await asyncio.sleep(RESTS)
                jobs = await self._next(number == 0)
                if not await self._done(jobs, process):
                    await _end(process)
                    process = None
                    self.replaced += 1
        finally:
            if process is not None:
                await _end(process)

    async def _done(self, jobs: list[Job], process: Process) -> bool:
        """Have a worker do a job, or some together; returns whether the worker can go on."""
        for job in jobs:
            job.state = "running"
            self.running[job] = process
        left = deque(jobs)
        sound = alive = True
        taken = False
        try:
            async with asyncio.timeout(None) as clock:
                await _send(process, jobs, clock)
                taken = (await _frame(process))[0] == TAKEN
                while left:
                    kind, reply = await _reply(process, left[0], clock)
                    self._settle(left.popleft(), kind, reply)
                    sound &= kind != FAILED  # one that has had no memory left may not have given it all back
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            alive = False
            if taken:
                self._blame(left)
            else:
                self._give_back(left)
        finally:
            for job in left:  # the server ends
                job.finish("cancelled", error=ENDED)
                self._settle(job, FAILED, b"")
            if left or not alive:
                await _end(process)
        return sound and alive

    def _settle(self, job: Job, kind: bytes, reply: bytes) -> None:
        """Note what a worker says of a job."""
        del self.running[job]
        if kind == LATER and not job.finished:
            job.long, job.together = True, False
            self._again(job)
            return
        self.unfinished.remove(job)
        if kind == RESULT:
            job.finish("done", reply)
        else:
            job.finish("refused" if kind == REFUSED else "failed", error=reply.decode("utf-8", "replace"))

    def _give_back(self, left: deque[Job]) -> None:
        """The worker had died before it took these jobs, which are not to blame: they are the next ones again."""
        while left:
            job = left.pop()
            if job.finished:
                self._settle(job, FAILED, b"")
            else:
                del self.running[job]
                job.state = "queued"
                self.queues[job.long].appendleft(job)
                self.there.set()

    def _blame(self, left: deque[Job]) -> None:
        """The worker has died over these jobs: a single one has failed, of several each is tried alone."""
        alone = len(left) == 1 and not left[0].together
        while left:
            job = left.popleft()
            if alone or job.finished:
                self._settle(job, FAILED, DIED.encode())
            else:
                del self.running[job]
                job.together = False
                self._again(job)

    def _again(self, job: Job) -> None:
        job.state = "queued"
        self._queue(job)

    async def _tidy(self) -> None:
        """Drop old jobs and cancel forsaken ones, every second."""
        while True:
            await asyncio.sleep(1.0)
            for job in self.shelf.sweep():
                self.cancel(job)


async def _send(process: Process, jobs: list[Job], clock: asyncio.Timeout) -> None:
    """Send a worker jobs that go together, and begin to measure the time that they take on the clock."""
    assert process.stdin is not None
    first = jobs[0]
    asked = [msgspec.Raw(job.asked) for job in jobs]
    process.stdin.write(frame(JOB, msgspec.msgpack.encode([first.task, asked, first.given, not first.long])))
    clock.reschedule(asyncio.get_running_loop().time() + sum(map(_wall, jobs)))
    await process.stdin.drain()


async def _reply(process: Process, job: Job, clock: asyncio.Timeout) -> tuple[bytes, bytes]:
    """What a worker says of a job at the end."""
    while True:
        kind, reply = await _frame(process)
        if kind != COMPILING:
            return kind, reply
        job.state = "compiling"
        clock.reschedule(asyncio.get_running_loop().time() + _wall(job) + WALL * COMPILING_SECONDS)


def _wall(job: Job) -> float:
    """Seconds that a job may take on the clock."""
    return WALL * job.given + WALL_SECONDS


async def _frame(process: Process) -> tuple[bytes, bytes]:
    """The next frame of a worker. Raises IncompleteReadError if it has ended."""
    assert process.stdout is not None
    size = int.from_bytes(await process.stdout.readexactly(HEAD), "big")
    content = await process.stdout.readexactly(size)
    return content[:1], content[1:]


def _kill(process: Process) -> None:
    """Have a process end. Its own method would reap it, behind the back of who waits for it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def _end(process: Process) -> None:
    """End a worker, if it has not ended by itself."""
    _kill(process)
    await process.wait()
