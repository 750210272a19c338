"""The loop that submits tasks and handles their outcomes."""

import logging
import time
from collections.abc import Callable
from typing import Any

from nonocensus.pipeline.errors import ClusterError, StorageError
from nonocensus.pipeline.executors.executor import Executor
from nonocensus.pipeline.executors.task_failure import NODE, TaskFailure
from nonocensus.pipeline.jobs.schedule import AHEAD, TaskRows, split_off
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.jobs.task import TaskContext, Unfit, Unreadable, Unwritable, check_fitness, run_task, write_off
from nonocensus.pipeline.run.results import ResultFile
from nonocensus.pipeline.store.lock import check_lease
from nonocensus.pipeline.store.parts import Part

BATCH = 64
"""Tasks submitted before outcomes are handled: their costs soon size other tasks."""

MAX_LOSSES = 50
"""Consecutive lost tasks, beyond those in flight, after which the environment is at fault, not a puzzle."""

MAX_READS = 3
"""Attempts to read a source."""

MAX_PAUSE = 60.0
"""Most seconds between two attempts to write."""


def refuse_unfit_nodes(executor: Executor, context: TaskContext) -> None:
    """Raise a ClusterError if a machine is unfit for the tasks. A node lost meanwhile does not count."""
    for node, outcome in executor.run_on_each_node(check_fitness, context).items():
        if isinstance(outcome, Unfit) or (isinstance(outcome, TaskFailure) and outcome.kind != NODE):
            raise ClusterError(f"{node} can't take part: {outcome.reason}")


class Driver:
    """Submits the tasks of a session's schedule, with a method for each way in which one may end."""

    def __init__(self, session: Session, executor: Executor, context: TaskContext) -> None:
        self.session, self.executor, self.context = session, executor, context
        self.run, self.schedule, self.settings = session.run, session.schedule, session.schedule.settings
        self.place = self.run.folder / context.job.folder
        self.suffix = ".parquet" if context.job.reads_results else ".json"  # of the file that makes rows count
        self.parts = {part.name: part for part in self.run.parts}
        self.errors: dict[str, str] = {}  # by source that was given up
        self.failed_reads: dict[str, int] = {}  # by source, since its last success
        self.written: dict[str, str] = {}  # host by name of a file of rows
        self.seen_hosts: set[str] = set()  # whose first file is visible here
        self.losses = 0
        self.pause = self.resume_at = self.give_up_at = 0.0

    def drive(self, should_stop: Callable[[], bool] = lambda: False) -> list[str]:
        """Run the schedule to its end, or until `should_stop`; returns a line for each unreadable source.

        Before the first task every machine proves that it sees run and store and has the same versions. Raises
        ClusterError for one that does not, or if all tasks are lost; StorageError if nothing can be written for ten
        minutes.
        """
        refuse_unfit_nodes(self.executor, self.context)
        while True:
            cpus = self.executor.cpus()
            more = not should_stop() and self._submit(cpus)
            if not self.session.in_flight:
                if time.monotonic() >= self.resume_at or should_stop():
                    break
                time.sleep(0.1)
            self._handle(self.executor.wait(0.0 if more else 1.0) if self.session.in_flight else [], cpus)
            self.session.tick(cpus)
        self._await_files(self.written, lambda: [name.removesuffix(self.suffix) for name in self.place.names()])
        return list(self.errors.values())

    def _submit(self, cpus: int) -> bool:
        """Submit some tasks; returns whether there may be room, and work, for more."""
        for _ in range(BATCH):
            paused = time.monotonic() < self.resume_at
            task = None if paused else self.schedule.next(cpus, len(self.session.in_flight))
            if task is None:
                return False
            name = self.session.new_name()
            ticket = self.executor.submit(
                run_task, task.rows, self._parts(task), self.schedule.limits[task.level], name, self.context
            )
            self.session.submitted(ticket, task, name, cpus)
        return True

    def _parts(self, task: TaskRows) -> dict[str, Part]:
        """Return the parts of the store that a task reads."""
        return {source: self.parts[source] for source in task.rows if source in self.parts}

    def _handle(self, ended: list[tuple[Any, Any]], cpus: int) -> None:
        """Handle the outcomes of tasks."""
        lost = [self.session.in_flight[ticket].name for ticket, outcome in ended if isinstance(outcome, TaskFailure)]
        arrived = self.session.written(lost)
        self._await_hosts([outcome for _, outcome in ended if isinstance(outcome, ResultFile)])
        for ticket, outcome in ended:
            task, name = self.session.ended(ticket, cpus)
            self._handle_outcome(task, name, arrived.get(name, outcome), cpus)

    def _handle_outcome(self, task: TaskRows, name: str, outcome: Any, cpus: int) -> None:
        if not isinstance(outcome, TaskFailure):
            self.losses = 0
        if isinstance(outcome, ResultFile):
            self._finished(task, outcome)
        elif isinstance(outcome, TaskFailure) and outcome.kind == NODE:
            self.session.log_event(logging.INFO, "node lost", name=name, reason=outcome.reason)
            self.schedule.retry(task)
        elif isinstance(outcome, TaskFailure):
            self._lost(task, name, outcome, cpus)
        elif isinstance(outcome, Unreadable):
            self._unreadable(task, name, outcome)
        elif isinstance(outcome, Unwritable):
            self._unwritable(task, outcome)
        else:
            assert isinstance(outcome, Unfit)
            raise ClusterError(f"a machine can't take part: {outcome.reason}; the same command resumes")

    def _await_hosts(self, files: list[ResultFile]) -> None:
        """Wait until the first file of each new host is visible."""
        new = {file.about["hosts"][0]: file.name for file in files if file.about["hosts"][0] not in self.seen_hosts}
        written = {name: host for host, name in new.items()}
        self._await_files(written, lambda: [name for name in written if self.place.has(f"{name}{self.suffix}")])
        self.seen_hosts.update(new)

    def _await_files(self, written: dict[str, str], visible: Callable[[], list[str]]) -> None:
        """Wait until files, given with their hosts, are visible here; a ClusterError names one that is not.

        A lookup takes S3 some 30 ms. So only the first file of each host is looked up when it arrives, and all of them
        in one listing at the end.
        """
        deadline = time.monotonic() + self.settings.visible_within
        while missing := written.keys() - visible():
            if time.monotonic() > deadline:
                name = min(missing)
                raise ClusterError(
                    f"{written[name]} has written {name} into {self.place.name}, and it can't be seen from here: "
                    "the folder must be shared by all machines, under one path"
                )
            time.sleep(0.1)

    def _finished(self, task: TaskRows, file: ResultFile) -> None:
        """A file of rows was written."""
        self.written[file.name] = file.about["hosts"][0]
        self.pause = self.give_up_at = 0.0
        for source in file.covers:
            self.failed_reads.pop(source, None)
        self.schedule.finished(task, file.about["seconds"], file.left)
        self.session.finished(file, task)

    def _lost(self, task: TaskRows, name: str, failure: TaskFailure, cpus: int) -> None:
        """A task killed its worker or raised an exception: isolate the puzzle at fault."""
        self.losses += 1
        if self.losses > MAX_LOSSES + AHEAD * cpus:
            raise ClusterError(f"{self.losses} consecutive tasks were lost: {failure.reason}; RUN/log lists them")
        self.session.lost(task, name, failure)
        given_up = self.schedule.failed(task)
        if given_up is not None:
            limit, name = self.schedule.limits[-1], self.session.new_name()
            file, lost = write_off(self.context, self._parts(given_up), limit, given_up, name, failure)
            self.session.lost_puzzles += lost
            self.session.finished(file, given_up)

    def _unreadable(self, task: TaskRows, name: str, outcome: Unreadable) -> None:
        """A source could not be read: retry it, apart from the task's other sources."""
        self.session.log_event(logging.INFO, "unreadable", name=name, part=outcome.part, reason=outcome.reason)
        damaged, others = split_off(task, outcome.part)
        if others is not None:
            self.schedule.retry(others)
        self.failed_reads[outcome.part] = self.failed_reads.get(outcome.part, 0) + 1
        if self.failed_reads[outcome.part] < MAX_READS:
            self.schedule.retry(damaged)
        else:
            self.errors[outcome.part] = outcome.reason

    def _unwritable(self, task: TaskRows, outcome: Unwritable) -> None:
        """Nothing can be written: back off, and give up in the end; at once if the lease is lost."""
        check_lease(self.run.folder)
        now = time.monotonic()
        self.give_up_at = self.give_up_at or now + self.settings.give_up_after
        if now > self.give_up_at:
            raise StorageError(f"{outcome.reason}; once that is fixed, the same command resumes")
        if now >= self.resume_at:  # only the first of the tasks that were in flight counts
            self.pause = min(self.pause * 2 or self.settings.first_pause, MAX_PAUSE)
            self.resume_at = now + self.pause
            self.session.log_event(logging.INFO, "cannot write", reason=outcome.reason, pause=self.pause)
            left = f"next try in {self.pause:.0f} s, the last in {self.give_up_at - now:.0f} s"
            self.session.progress.on_warning(f"{outcome.reason}; {left}")
        self.schedule.retry(task)
