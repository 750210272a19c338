"""One command at work on a run: the names of its files, its log, what it tells while it works."""

import os
import platform
import secrets
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from pipeline.callbacks import ProgressCallbacks
from pipeline.errors import UserError
from pipeline.executors.executor import Executor, TaskFailure
from pipeline.jobs.job import Job
from pipeline.jobs.log import Log
from pipeline.jobs.metrics import Metrics
from pipeline.jobs.schedule import Schedule, Work
from pipeline.run.progress import OfHost, Progress
from pipeline.run.results import Piece
from pipeline.run.run_folder import PROGRESS, Run, next_session, session_of
from pipeline.store.lock import confirm
from scrapers.file_batches import Problem

PROGRESS_EVERY = 2.0
"""Seconds between two progress.json."""


SHOWN = 10
"""Longest running puzzles in progress.json."""


def _nothing(*_: Any) -> None:
    """Tell nobody."""


class Listener(NamedTuple):
    """Progress callbacks of a job.

    planned     (rows that are there already, rows that there will be in the end)
    executor_ready  (address of Ray's dashboard, if it has one)
    finished    (statistics of a file that has been written, its task)
    line        (a warning in one line)
    news        (a message in one line)
    """

    planned: Callable[[int, int], None] = _nothing
    executor_ready: Callable[[str | None], None] = _nothing
    finished: Callable[[Piece, Work], None] = _nothing
    line: Callable[[str], None] = _nothing
    news: Callable[[str], None] = _nothing


NOBODY = Listener()


def listener_of(callbacks: ProgressCallbacks, name: str) -> Listener:
    """Return a listener that forwards to progress callbacks, with running counts of labels."""
    found = Counter[str]()

    def finished(piece: Piece, _: Work) -> None:
        found.update(piece.labels)
        callbacks.on_progress(piece.rows, "  ".join(f"{label} {count:,}" for label, count in found.most_common()))

    return Listener(
        lambda done, total: callbacks.on_start(name, total - done), finished=finished, line=callbacks.on_warning
    )


class Flight(NamedTuple):
    """A task that was given out, and when it must have begun (seconds of the monotonic clock); None: it waits."""

    work: Work
    begun: float | None


class Session:
    """One command at work on a run."""

    def __init__(self, run: Run, job: Job, schedule: Schedule, tell: Listener) -> None:
        self.run, self.job, self.schedule, self.tell = run, job, schedule, tell
        self.metrics: Metrics | None = None
        self.cpus = 1
        self.number = next_session(run)
        self.name = f"{self.number:04d}-{secrets.token_hex(4)}"
        self.files = 0
        self.rows = self.rows_flying = 0
        self.cpu_seconds = 0.0
        self.lost_puzzles: list[Problem] = []
        self.began = time.monotonic()
        self.flying: dict[Any, Flight] = {}
        self.queued: deque[Any] = deque()  # tickets of tasks that wait for a core
        self.begun = 0  # tasks that have one
        self.hosts: dict[str, OfHost] = {}
        self.labels = Counter[str]()
        self.told = 0.0
        self.log: Log | None = None

    def start(self, executor: Executor) -> None:
        """Begin to work with a executor; the log begins with the first one."""
        self.metrics = Metrics(self.run.about["run_id"]) if executor.isolated else None
        if self.log is None:
            for place in (self.run.folder, self.run.folder / self.job.folder):
                place.sweep()
            self.log = Log(self.run, self.name)
            about = {"run_id": self.run.about["run_id"], "job": self.job.name, "command": sys.argv}
            self.note("session begun", **about, host=platform.node(), pid=os.getpid())

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        """Write the last lines of the log."""
        if self.log is None:
            return
        seconds = round(time.monotonic() - self.began, 3)
        self.note("session ended", rows=self.rows, left=self.schedule.left(), cpus=self.cpus, seconds=seconds)
        try:
            self.tick(self.cpus, last=True)
        finally:
            self.log.close()

    def new_name(self) -> str:
        """Return a name that no other file of rows has."""
        self.files += 1
        return f"part-{self.name}-{self.files:06d}"

    def note(self, event: str, **fields: Any) -> None:
        """A line in the log."""
        assert self.log is not None
        self.log.write({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event} | fields)

    def submitted(self, ticket: Any, work: Work, cpus: int) -> None:
        """A task was given out."""
        self.flying[ticket] = Flight(work, None)
        self.rows_flying += work.size
        self.queued.append(ticket)
        self._begin(cpus)

    def ended(self, ticket: Any, cpus: int) -> None:
        """A task has ended in some way."""
        flight = self.flying.pop(ticket)
        self.rows_flying -= flight.work.size
        self.begun -= flight.begun is not None
        self._begin(cpus)

    def _begin(self, cpus: int) -> None:
        """The oldest tasks, one a CPU, are those at work."""
        while self.queued and self.begun < cpus:
            ticket = self.queued.popleft()
            if ticket in self.flying:
                self.flying[ticket] = self.flying[ticket]._replace(begun=time.monotonic())
                self.begun += 1

    def finished(self, piece: Piece, work: Work) -> None:
        """A file of results stands."""
        self.rows += piece.rows
        self.cpu_seconds += piece.about["cpu_solver"]
        self.labels.update(piece.labels)
        of_host = self.hosts.setdefault(piece.about["hosts"][0], OfHost(rows=0, tasks=0, cpu_seconds=0.0))
        of_host["rows"] += piece.rows
        of_host["tasks"] += 1
        of_host["cpu_seconds"] += piece.about["cpu_task"]
        self.note(
            "task finished", name=piece.name, level=work.level, limit=piece.limit, rows=piece.rows,
            left=len(piece.left), status=piece.status, labels=piece.labels, **piece.about,
        )  # fmt: skip
        if self.metrics:
            self.metrics.finished(piece)
        self.tell.finished(piece, work)

    def lost(self, work: Work, name: str, fault: TaskFailure) -> None:
        """A task has no result."""
        self.note("task lost", name=name, kind=fault.kind, reason=fault.reason, rows=work.rows, puzzles=work.size)
        if self.metrics:
            self.metrics.lost(fault.kind)

    def stuck(self, reason: str, pause: float) -> None:
        """Nothing can be written."""
        self.note("cannot write", reason=reason, pause=pause)
        self.tell.line(f"{reason}; waiting {pause:.0f} s")

    def tick(self, cpus: int, last: bool = False) -> None:
        """Tell others how far this is, every now and then. A UserError ends it if another command has taken over."""
        now = time.monotonic()
        if not last and now < self.told + PROGRESS_EVERY:
            return
        self.told, self.cpus, schedule = now, cpus, self.schedule
        left = schedule.seconds_left()
        if self.metrics:
            self.metrics.tell(schedule.left() + self.rows_flying)
        at_work = (flight for flight in self.flying.values() if flight.begun and flight.work.level)
        state: Progress = {
            "session": self.name,
            "job": self.job.name,
            "host": platform.node(),
            "pid": os.getpid(),
            "updated": datetime.now(UTC).isoformat(timespec="seconds"),
            "at_work": not last,
            "seconds": round(now - self.began, 3),
            "rows": self.rows,
            "rows_in_flight": self.rows_flying,
            "rows_left": schedule.left(),
            "waiting_for_more_time": schedule.waiting,
            "rate": round(self.rows / (now - self.began), 3),
            "eta_seconds": None if left is None else round(left / cpus, 1),
            "cpus": cpus,
            "cpu_limit": schedule.limits[-1],
            "hosts": self.hosts,
            "longest_running": [
                {"puzzle": work.hardest, "puzzles": work.puzzles, "cpu_limit": schedule.limits[work.level],
                 "seconds": round(now - (begun or now), 1)}
                for work, begun in islice(at_work, SHOWN)  # in the order in which they were given out
            ],
        }  # fmt: skip
        try:
            if self.log is not None:
                self.log.flush()
            confirm(self.run.folder)
            self.run.folder.write_json(PROGRESS, state)
            newest = max(map(session_of, (self.run.folder / "log").names()), default=0)
        except OSError:
            return  # the results are what matters; when they can't be written either, the driver says so
        if newest > self.number:
            raise UserError(f"another command has begun to work on {self.run.folder.name}; this one leaves it to it")
