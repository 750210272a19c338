"""One command at work on a run: names of its files, its log and progress.

RUN/log/0001-ab12.jsonl is the log of the first session, one JSON object a line: `at`, `event` and the event's fields.
On storage where files can't grow it comes in chunks: 0001-ab12-000.jsonl and so on.
"""

import json
import logging
import os
import platform
import secrets
import sys
import time
from collections import Counter, deque
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.job import Job
from nonocensus.pipeline.jobs.schedule import Schedule, TaskRows
from nonocensus.pipeline.run.progress import HostProgress, Progress
from nonocensus.pipeline.run.results import ResultFile
from nonocensus.pipeline.run.run_folder import PROGRESS, Run, next_session, session_number
from nonocensus.pipeline.store.lock import check_lease
from nonocensus.pipeline.store.paths import Folder
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.url import redact

LOG = logging.getLogger("nonocensus.jobs")

PROGRESS_EVERY = 2.0
"""Seconds between two writes of progress.json."""

LOG_EVERY = 30.0
"""Seconds between two chunks of the log on storage where files can't grow."""

LONG_TASK = 10.0
"""Seconds of a task from which on a progress line says that it waits for it."""

SHOWN = 10
"""Longest running puzzles in progress.json."""


class InFlight(NamedTuple):
    """A submitted task, the name of its file, and when it started (of the monotonic clock); None while it is queued."""

    task: TaskRows
    name: str
    started: float | None = None


class Session:
    """One command at work on a run."""

    def __init__(self, run: Run, job: Job, schedule: Schedule, progress: ProgressCallbacks = SILENT) -> None:
        self.run, self.job, self.schedule, self.progress = run, job, schedule, progress
        self.cpus = 1
        self.number = next_session(run)
        self.name = f"{self.number:04d}-{secrets.token_hex(4)}"
        self.files = 0
        self.rows = self.rows_in_flight = 0
        self.cpu_seconds = 0.0
        self.lost_puzzles: list[Problem] = []
        self.began = time.monotonic()
        self.in_flight: dict[Any, InFlight] = {}
        self.queued: deque[Any] = deque()  # tickets of tasks without a core
        self.running = 0  # tasks with one
        self.hosts: dict[str, HostProgress] = {}
        self.outcomes = Counter[str]()
        self.lost_tasks = 0
        self.last_result = datetime.now(UTC)
        self.reported = 0.0
        self.log: RunLog | None = None

    def start(self) -> None:
        """Begin to work with an executor; the first one opens the log."""
        if self.log is None:
            for place in (self.run.folder, self.run.folder / self.job.folder):
                place.sweep()
            self.log = RunLog(self.run.folder / "log", self.name)
            logging.getLogger("nonocensus").addHandler(self.log)
            about = {
                "run_id": self.run.manifest["run_id"],
                "job": self.job.name,
                "command": [redact(word) for word in sys.argv],
            }
            self.log_event(logging.INFO, "session begun", **about, host=platform.node(), pid=os.getpid())

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write the last progress and close the log; errors of that hide no exception of the block, such as Ctrl-C."""
        if self.log is None:
            return
        try:  # count what tasks in flight have written
            tickets = {one.name: ticket for ticket, one in self.in_flight.items()}
            for name, file in self.written([*tickets]).items():
                task = self.ended(tickets[name], self.cpus)[0]
                self.schedule.finished(task, file.about["seconds"], file.left)
                self.finished(file, task)
            seconds, left = round(time.monotonic() - self.began, 3), self.schedule.left() + self.rows_in_flight
            self.log_event(logging.INFO, "session ended", rows=self.rows, left=left, cpus=self.cpus, seconds=seconds)
            self.tick(self.cpus, is_last=True)
        except (UserError, OSError):
            if kind is None:
                raise
        finally:
            logging.getLogger("nonocensus").removeHandler(self.log)
            self.log.close()

    def written(self, names: list[str]) -> dict[str, ResultFile]:
        """Return the files, by name, that tasks have written of which the driver got no outcome."""
        if not names or self.job.reads_results:  # which writes no statistics
            return {}
        found = (self.run.folder / self.job.folder).read_each([f"{name}.json" for name in names], ResultFile)
        return {name: file.named(name) for name, file in zip(names, found, strict=True) if isinstance(file, ResultFile)}

    def new_name(self) -> str:
        """Return a name for a file of rows, unique in the run."""
        self.files += 1
        return f"part-{self.name}-{self.files:06d}"

    def log_event(self, level: int, event: str, /, **fields: Any) -> None:
        """Log an event: always to the run's log, to other handlers only if the logger has the level enabled."""
        assert self.log is not None
        text = f"{event}: " + " ".join(f"{name}={value}" for name, value in fields.items())
        extra = {"event": event, "fields": fields}
        record = LOG.makeRecord(LOG.name, level, __file__, 0, text, (), None, extra=extra)
        (LOG if LOG.isEnabledFor(level) else self.log).handle(record)

    def submitted(self, ticket: Any, task: TaskRows, name: str, cpus: int) -> None:
        """Note a submitted task, and the name of its file."""
        self.in_flight[ticket] = InFlight(task, name)
        self.rows_in_flight += task.size
        self.queued.append(ticket)
        self._mark_started(cpus)

    def ended(self, ticket: Any, cpus: int) -> tuple[TaskRows, str]:
        """Note the end of a task, whatever its outcome; returns it and the name of its file."""
        task, name, started = self.in_flight.pop(ticket)
        self.rows_in_flight -= task.size
        self.running -= started is not None
        self._mark_started(cpus)
        return task, name

    def _mark_started(self, cpus: int) -> None:
        """Assume that the oldest tasks are running, one per CPU."""
        while self.queued and self.running < cpus:
            ticket = self.queued.popleft()
            if ticket in self.in_flight:
                self.in_flight[ticket] = self.in_flight[ticket]._replace(started=time.monotonic())
                self.running += 1

    def finished(self, file: ResultFile, task: TaskRows) -> None:
        """Note a written file of rows."""
        self.rows += file.rows
        self.cpu_seconds += file.about["cpu_solver"]
        others = {status: count for status, count in file.status.items() if status not in ("ok", "timeout")}
        self.outcomes.update(file.labels | others)  # the labels of certify are statuses
        self.last_result = datetime.now(UTC)
        of_host = self.hosts.setdefault(file.about["hosts"][0], HostProgress(rows=0, tasks=0, cpu_seconds=0.0))
        of_host["rows"] += file.rows
        of_host["tasks"] += 1
        of_host["cpu_seconds"] += file.about["cpu_task"]
        self.log_event(
            logging.DEBUG, "task finished", name=file.name, level=task.level, limit=file.limit, rows=file.rows,
            left=len(file.left), status=file.status, labels=file.labels, **file.about,
        )  # fmt: skip
        self.progress.on_progress(file.rows, self._status())

    def _status(self) -> str:
        """Return the outcomes so far, and before them what a progress line waits for, if that takes long."""
        texts = [f"{name} {count:,}" for name, count in self.outcomes.most_common()]
        if (longest := self._longest()) > LONG_TASK:
            texts.insert(0, f"{count_text(self.running, 'task')} at work, longest {longest:.0f} s")
        return "  ".join(texts)

    def _longest(self) -> float:
        """Return the seconds of the task that has been at work for longest."""
        return max((time.monotonic() - one.started for one in self.in_flight.values() if one.started), default=0.0)

    def lost(self, task: TaskRows, name: str, failure: TaskFailure) -> None:
        """Note a task without a result."""
        self.lost_tasks += 1
        about = {"kind": failure.kind, "reason": failure.reason, "rows": task.rows, "puzzles": task.size}
        self.log_event(logging.INFO, "task lost", name=name, **about)

    def tick(self, cpus: int, is_last: bool = False) -> None:
        """Publish progress every few seconds. Raises UserError if another command has taken over the run."""
        now = time.monotonic()
        if not is_last and now < self.reported + PROGRESS_EVERY:
            return
        self.reported, self.cpus = now, cpus
        if self._longest() > LONG_TASK:
            self.progress.on_progress(0, self._status())
        self.progress.on_estimate(self._seconds_left())
        try:
            if self.log is not None:
                self.log.write_chunk()
            check_lease(self.run.folder)
            self.run.folder.write_json(PROGRESS, self._progress(now, is_last))
            newest = max(map(session_number, (self.run.folder / "log").names()), default=0)
        except OSError:
            return  # progress is dispensable; the driver reports results that can't be written
        if newest > self.number:
            raise UserError(f"another command has taken over {self.run.folder.name}; this one stops")

    def _seconds_left(self) -> float | None:
        """Estimate the seconds left; None in the end, when the last tasks, the longest, leave CPUs idle."""
        left = self.schedule.seconds_left()
        is_tail = self.in_flight and self.schedule.left() < self.cpus
        return None if left is None or is_tail else left / self.cpus

    def _progress(self, now: float, is_last: bool) -> Progress:
        """Return the content of progress.json."""
        schedule, left = self.schedule, self._seconds_left()
        above_sweep = (task for task in self.in_flight.values() if task.started and task.task.level)
        return {
            "session": self.name,
            "job": self.job.name,
            "host": platform.node(),
            "pid": os.getpid(),
            "updated": datetime.now(UTC).isoformat(timespec="seconds"),
            "at_work": not is_last,
            "seconds": round(now - self.began, 3),
            "last_result": self.last_result.isoformat(timespec="seconds"),
            "rows": self.rows,
            "rows_in_flight": self.rows_in_flight,
            "rows_left": schedule.left(),
            "waiting_for_more_time": schedule.waiting,
            "outcomes": self.outcomes,
            "lost_tasks": self.lost_tasks,
            "rate": round(schedule.left() / left, 3) if left else None,
            "eta_seconds": None if left is None else round(left, 1),
            "cpus": self.cpus,
            "cpu_limit": schedule.limits[-1],
            "hosts": self.hosts,
            "longest_running": [
                {"puzzle": task.hardest, "puzzles": task.puzzles, "cpu_limit": schedule.limits[task.level],
                 "seconds": round(now - (started or now), 1)}
                for task, _, started in islice(above_sweep, SHOWN)  # oldest first
            ],
        }  # fmt: skip


class RunLog(logging.Handler):
    """Writes log records as JSON lines into a run's log folder.

    Its file claims the session's number. On local disks the file grows; elsewhere lines are written in chunks.
    """

    def __init__(self, place: Folder, name: str) -> None:
        super().__init__()
        self.setFormatter(JsonFormatter())
        self.place, self.session = place, name
        self.lines: list[str] = []
        self.chunks, self.written = 0, -LOG_EVERY
        self.file: TextIO | None = None
        if place.local:
            Path(place.path).mkdir(parents=True, exist_ok=True)
            self.file = Path(place.path, f"{name}.jsonl").open("a", buffering=1, encoding="utf-8")  # noqa: SIM115

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        line = self.format(record)
        if self.file is not None:
            with suppress(OSError):  # a full disk: results matter more
                self.file.write(line + "\n")
            return
        self.lines.append(line)
        if not self.chunks:
            self.write_chunk()

    def write_chunk(self, is_last: bool = False) -> None:
        """Write the lines since the last chunk, if enough time has passed."""
        if not self.lines or (not is_last and time.monotonic() < self.written + LOG_EVERY):
            return
        self.place.write(f"{self.session}-{self.chunks:03d}.jsonl", ("\n".join(self.lines) + "\n").encode())
        self.lines, self.written = [], time.monotonic()
        self.chunks += 1

    def close(self) -> None:
        """Write the last lines."""
        with suppress(OSError):
            self.write_chunk(is_last=True)
            if self.file is not None:
                self.file.close()
        super().close()


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object: `at`, `event` and the event's fields; else its level, logger and message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record in one line."""
        fields = getattr(record, "fields", None)
        if fields is None:
            fields = {"level": record.levelname, "logger": record.name, "message": redact(record.getMessage())}
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return json.dumps({"at": at, "event": getattr(record, "event", "message"), **fields}, ensure_ascii=False)
