"""Tasks without a result."""

from typing import NamedTuple

from nonocensus.scrapers.url import redact

WORKER, NODE = "worker", "node"
"""Kinds of failure that say nothing about the task: its process died, its machine was lost."""


class TaskFailure(NamedTuple):
    """The outcome of a task without a result.

    kind     WORKER, NODE, or the class of the exception that the task raised
    reason   in one line
    """

    kind: str
    reason: str

    @property
    def has_raised(self) -> bool:
        """Whether the task raised an exception."""
        return self.kind not in (WORKER, NODE)


def failure_of(error: BaseException) -> TaskFailure:
    """Return the failure of a task that raised an exception."""
    kind = type(error).__name__
    return TaskFailure(kind, redact(f"{kind}: {error}"))
