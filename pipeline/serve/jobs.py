"""Jobs: what clients have asked for, waiting, running, or finished and kept for a while."""

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Literal

from pipeline.serve.serve_limits import KEPT_BYTES, KEPT_SECONDS, LEASE, MOST_KEPT, SPRINT

State = Literal["queued", "running", "compiling", "done", "refused", "failed", "cancelled"]

FINISHED: frozenset[State] = frozenset({"done", "refused", "failed", "cancelled"})


@dataclass(eq=False)
class Job:
    """One thing to do.

    task, asked   what workers call it, and its arguments as MessagePack
    seconds       its CPU seconds
    attached      whether it is cancelled when nobody asks for it any more
    long          whether it has outlasted its first try
    together      whether it is so small that a worker may do it with others; until that has failed
    result        JSON or XML, once it is done
    error         one line, if it was refused or has failed
    asked_at      when somebody last asked for it, on the monotonic clock
    waiting       requests that wait for it
    over          set once it is finished
    """

    task: str
    asked: bytes
    seconds: float
    attached: bool = False
    long: bool = False
    together: bool = False
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = "queued"
    result: bytes = b""
    error: str = ""
    made_at: float = field(default_factory=time.monotonic)
    asked_at: float = field(default_factory=time.monotonic)
    ended_at: float = 0.0
    waiting: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def finished(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in FINISHED

    @property
    def given(self) -> float:
        """The CPU seconds that it is given now: together with others it is tried only."""
        return 2 * SPRINT if self.together else self.seconds

    @property
    def age(self) -> float:
        """Seconds since it was asked for, or that it took."""
        return (self.ended_at or time.monotonic()) - self.made_at

    def finish(self, state: State, result: bytes = b"", error: str = "") -> None:
        """Say what has become of it, unless that is settled. What was asked is not kept."""
        if not self.finished:
            self.state, self.result, self.error = state, result, error
            self.ended_at = time.monotonic()
            self.asked = b""
            self.over.set()


class Shelf:
    """Jobs by their ids: unfinished ones, and finished ones as long and as many as there is room for."""

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, Job] = OrderedDict()

    def add(self, job: Job) -> None:
        """Keep a job."""
        self.jobs[job.id] = job

    def get(self, name: str) -> Job | None:
        """The job of an id, and note that it was asked for."""
        job = self.jobs.get(name)
        if job:
            job.asked_at = time.monotonic()
        return job

    def drop(self, job: Job) -> None:
        """Forget a job."""
        self.jobs.pop(job.id, None)

    def sweep(self) -> list[Job]:
        """Drop what has been kept long enough, or is too much; returns attached jobs that nobody asks for any more."""
        now = time.monotonic()
        finished = [job for job in self.jobs.values() if job.finished]
        size, count = sum(len(job.result) for job in finished), len(finished)
        for job in sorted(finished, key=lambda job: job.ended_at):
            if now - job.ended_at > KEPT_SECONDS or size > KEPT_BYTES or count > MOST_KEPT:
                del self.jobs[job.id]
                size, count = size - len(job.result), count - 1
        return [
            job
            for job in self.jobs.values()
            if job.attached and not job.finished and not job.waiting and now - job.asked_at > LEASE
        ]
