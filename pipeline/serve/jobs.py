"""Jobs that clients have submitted, and their store."""

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Literal

from nonocensus.pipeline.serve.serve_limits import KEPT_BYTES, KEPT_SECONDS, LEASE_SECONDS, MAX_KEPT

JobStatus = Literal["queued", "running", "compiling", "done", "refused", "failed", "cancelled"]

FINISHED: frozenset[JobStatus] = frozenset({"done", "refused", "failed", "cancelled"})


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
        """Set the final state, unless it is set already."""
        if not self.is_finished:
            self.state, self.result, self.error = state, result, error
            self.ended_at = time.monotonic()
            self.arguments = {}
            self.finished_event.set()


class JobStore:
    """Jobs by id: all unfinished ones, and finished ones within limits of age, bytes and number."""

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, PuzzleJob] = OrderedDict()

    def add(self, job: PuzzleJob) -> None:
        """Add a job."""
        self.jobs[job.id] = job

    def poll(self, job_id: str) -> PuzzleJob | None:
        """Return the job of an id, if there is one, and renew its lease."""
        job = self.jobs.get(job_id)
        if job:
            job.polled_at = time.monotonic()
        return job

    def discard(self, job: PuzzleJob) -> None:
        """Remove a job."""
        self.jobs.pop(job.id, None)

    def sweep(self) -> list[PuzzleJob]:
        """Remove finished jobs beyond the limits; return attached jobs whose lease has expired."""
        now = time.monotonic()
        finished = [job for job in self.jobs.values() if job.is_finished]
        size, count = sum(len(job.result) for job in finished), len(finished)
        for job in sorted(finished, key=lambda job: job.ended_at):
            if now - job.ended_at > KEPT_SECONDS or size > KEPT_BYTES or count > MAX_KEPT:
                del self.jobs[job.id]
                size, count = size - len(job.result), count - 1
        return [
            job
            for job in self.jobs.values()
            if job.is_attached and not job.is_finished and not job.waiters and now - job.polled_at > LEASE_SECONDS
        ]
