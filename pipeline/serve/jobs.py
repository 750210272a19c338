"""A job that a client has submitted."""

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Literal

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
        """Set the final state."""
        self.state, self.result, self.error = state, result, error
        self.ended_at = time.monotonic()
        self.arguments = {}
        self.finished_event.set()
