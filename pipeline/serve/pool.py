"""The workers, and the two queues that they take jobs from.

Every job is tried first for a short time; a puzzle that needs more joins the queue of long jobs. One worker takes short
ones only, the others prefer them. So a short job waits for short ones at most, whatever else the server has to do.
Where there is but one core, the two workers share it, and the one with the long jobs gives way (its niceness).

A worker that dies, is killed with a cancelled job, or takes too long on the clock is replaced.
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
from pipeline.serve.frames import COMPILING, FAILED, HEAD, JOB, LATER, READY, REFUSED, RESULT, frame
from pipeline.serve.jobs import Job, Shelf
from pipeline.serve.limits import COMPILING_SECONDS, MOST_HELD, MOST_UNFINISHED, WALL, WALL_SECONDS
from pipeline.settings import PLACE

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
        processes = await asyncio.gather(*(self._started(k) for k in range(self.workers)))
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

    async def wait(self, job: Job, seconds: float) -> None:
        """Wait until a job is finished, but not longer."""
        job.waiting += 1
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(job.over.wait(), seconds)
        finally:
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
        if job in self.running:
            _kill(self.running[job])

    def _queue(self, job: Job) -> None:
        self.queues[job.long].append(job)
        self.there.set()

    async def _next(self, short_only: bool) -> Job:
        """The next job for a worker."""
        while True:
            for queue in [self.queues[False], *([] if short_only else [self.queues[True]])]:
                if queue:
                    return queue.popleft()
            self.there.clear()
            await self.there.wait()

    async def _started(self, number: int) -> Process | None:
        """A worker that is ready, or None if it has ended instead. The first one takes short jobs only."""
        kind = "short" if number == 0 else "long"
        command = [sys.executable, "-m", "pipeline.serve.worker", kind]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=PLACE, stdin=PIPE, stdout=PIPE, start_new_session=True
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
                    process = await self._started(number)
                    if process is None:
                        await asyncio.sleep(RESTS)
                job = await self._next(number == 0)
                if not await self._done(job, process):
                    await _end(process)
                    process = None
                    self.replaced += 1
        finally:
            if process is not None:
                await _end(process)

    async def _done(self, job: Job, process: Process) -> bool:
        """Have a worker do a job; returns whether the worker can go on."""
        job.state = "running"
        self.running[job] = process
        content = msgspec.msgpack.encode([job.task, msgspec.Raw(job.asked), job.seconds, not job.long])
        again = alive = False
        try:
            kind, reply = await _reply(process, frame(JOB, content), job)
            alive = True
            if kind == LATER:
                job.long = again = not job.finished
            elif kind == RESULT:
                job.finish("done", reply)
            else:
                job.finish("refused" if kind == REFUSED else "failed", error=reply.decode("utf-8", "replace"))
            return kind != FAILED  # one that has had no memory left may not have given it all back
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            job.finish("failed", error=DIED)
            return False
        finally:
            del self.running[job]
            if again:
                job.state = "queued"
                self._queue(job)
            else:
                self.unfinished.remove(job)
                job.finish("cancelled", error=ENDED)
            if not alive:
                await _end(process)

    async def _tidy(self) -> None:
        """Drop old jobs and cancel forsaken ones, every second."""
        while True:
            await asyncio.sleep(1.0)
            for job in self.shelf.sweep():
                self.cancel(job)


async def _reply(process: Process, sent: bytes, job: Job) -> tuple[bytes, bytes]:
    """What a worker says of a job at the end. Raises TimeoutError if that takes too long on the clock."""
    assert process.stdin is not None
    process.stdin.write(sent)
    seconds = WALL * job.seconds + WALL_SECONDS
    async with asyncio.timeout(seconds) as clock:
        await process.stdin.drain()
        while True:
            kind, reply = await _frame(process)
            if kind != COMPILING:
                return kind, reply
            job.state = "compiling"
            clock.reschedule(asyncio.get_running_loop().time() + seconds + WALL * COMPILING_SECONDS)


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
