"""Tasks in this process, one after the other."""

import platform
from collections.abc import Callable
from typing import Any

from pipeline.executors.crew import TROUBLE, WORKER, Fault


class Serial:
    """A crew of one, this process: a task is done when it is waited for."""

    dashboard: str | None = None
    apart = False

    def __init__(self) -> None:
        self._queue: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._number = 0

    def cpus(self) -> int:
        """One: a task at a time."""
        return 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Put a task into the queue."""
        self._number += 1
        self._queue.append((self._number, function, arguments))
        return self._number

    def cancel(self, ticket: int) -> None:
        """Have a task that waits end in a Fault."""
        self._queue = [(task[0], _cancelled, ()) if task[0] == ticket else task for task in self._queue]

    def on_every_node(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call the function here."""
        return {platform.node(): function(*arguments)}

    def wait(self, seconds: float) -> list[tuple[int, Any]]:  # noqa: ARG002
        """Do the oldest task."""
        if not self._queue:
            return []
        number, function, arguments = self._queue.pop(0)
        try:
            return [(number, function(*arguments))]
        except Exception as error:
            return [(number, Fault(TROUBLE, f"{type(error).__name__}: {error}"))]


def _cancelled() -> Fault:
    """What is done in the place of a task that has been cancelled."""
    return Fault(WORKER, "cancelled")
