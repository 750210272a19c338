"""The loop that gives tasks out and takes in what becomes of them."""

import time
from collections.abc import Callable
from typing import Any

from pipeline.errors import ClusterError, StorageError
from pipeline.executors.executor import NODE, Executor, TaskFailure
from pipeline.jobs.schedule import AHEAD, Schedule, Work
from pipeline.jobs.session import Session
from pipeline.jobs.task import Context, Unfit, Unreadable, Unwritable, prove_fit, run_task, write_off
from pipeline.run.results import Piece
from pipeline.run.run_folder import Run
from pipeline.store.lock import confirm
from pipeline.store.parts import Part

AT_ONCE = 64
"""Tasks given out before those that have ended are taken in: what they tell of costs is soon used for others."""

HOPELESS = 50
"""Tasks lost one after the other beyond those in flight, and none finished, that show that no puzzle is to blame."""

READINGS = 3
"""Times that a source is tried that can't be read."""

FIRST_PAUSE, LONGEST_PAUSE, GIVE_UP = 1.0, 60.0, 600.0
"""Seconds between tries to write when nothing can be written: the first, the longest, and all together."""

SEEN_WITHIN = 30.0
"""Seconds in which files that tasks have written must be seen here: mounted folders may lag behind."""


def drive(
    run: Run,
    executor: Executor,
    schedule: Schedule,
    context: Context,
    session: Session,
    enough: Callable[[], bool] = lambda: False,
) -> list[str]:
    """Do what a schedule has, or no more once it is `enough`; returns a line for each source that could not be read.

    Before the first task every machine proves that it sees run and store and has the same versions. A ClusterError
    names one that does not, or says that nothing but losses comes back; a StorageError ends it if nothing can be
    written for ten minutes.
    """
    refuse_unfit(executor, context)
    return Driver(run, executor, schedule, context, session).drive(enough)


def refuse_unfit(executor: Executor, context: Context) -> None:
    """Raise a ClusterError if a machine is not fit for the work. One that is lost meanwhile takes no part."""
    for machine, outcome in executor.run_on_each_node(prove_fit, context).items():
        if isinstance(outcome, Unfit) or (isinstance(outcome, TaskFailure) and outcome.kind != NODE):
            raise ClusterError(f"{machine} can't take part: {outcome.reason}")


class Driver:
    """One session's loop: `drive` runs it; a method for each way in which a task may end."""

    def __init__(self, run: Run, executor: Executor, schedule: Schedule, context: Context, session: Session) -> None:
        self.run, self.executor, self.schedule, self.context, self.session = run, executor, schedule, context, session
        self.place = run.folder / context.job.folder
        self.suffix = ".parquet" if context.job.of_results else ".json"  # of the file that makes rows count
        self.parts = {part.name: part for part in run.parts}
        self.flying: dict[Any, tuple[Work, str]] = {}
        self.errors: dict[str, str] = {}  # of sources that are given up
        self.readings: dict[str, int] = {}  # in vain, of each part, since one has gone well
        self.written: dict[str, str] = {}  # by the name of a file of results its host
        self.hosts: set[str] = set()  # whose first file has been seen from here
        self.lost_in_a_row = 0
        self.pause = self.resume = self.given_up = 0.0

    def drive(self, enough: Callable[[], bool]) -> list[str]:
        """Give tasks out and take them in until nothing is left, or it is enough."""
        while True:
            cpus = self.executor.cpus()
            more = not enough() and self._give_out(cpus)
            if not self.flying:
                if time.monotonic() >= self.resume or enough():
                    break
                time.sleep(0.1)
            self._ended(self.executor.wait(0.0 if more else 1.0) if self.flying else [], cpus)
            self.session.tick(cpus)
        self._see(self.written, lambda: [name.removesuffix(self.suffix) for name in self.place.names()])
        return list(self.errors.values())

    def _ended(self, ended: list[tuple[Any, Any]], cpus: int) -> None:
        """Process the outcomes of tasks."""
        lost = [ticket for ticket, outcome in ended if isinstance(outcome, TaskFailure)]
        arrived = self._arrived([self.flying[ticket][1] for ticket in lost])
        self._see_hosts([outcome for _, outcome in ended if isinstance(outcome, Piece)])
        for ticket, outcome in ended:
            self.session.ended(ticket, cpus)
            work, name = self.flying.pop(ticket)
            self._take_in(work, name, arrived.get(name, outcome), cpus)

    def _give_out(self, cpus: int) -> bool:
        """Give out some tasks; returns whether there may be room, and work, for more."""
        for _ in range(AT_ONCE):
            work = self.schedule.next(cpus, len(self.flying)) if time.monotonic() >= self.resume else None
            if work is None:
                return False
            name = self.session.new_name()
            limit = self.schedule.limits[work.level]
            ticket = self.executor.submit(run_task, work.rows, self._parts(work), limit, name, self.context, work.waits)
            self.flying[ticket] = work, name
            self.session.submitted(ticket, work, cpus)
        return True

    def _parts(self, work: Work) -> dict[str, Part]:
        """The parts of the store that a task reads."""
        return {source: self.parts[source] for source in work.rows if source in self.parts}

    def _there(self, names: list[str]) -> list[str]:
        """Those of some files that are seen from here."""
        return [name for name in names if self.place.has(f"{name}{self.suffix}")]

    def _take_in(self, work: Work, name: str, outcome: Any, cpus: int) -> None:
        if not isinstance(outcome, TaskFailure):
            self.lost_in_a_row = 0
        if isinstance(outcome, Piece):
            self._finished(work, outcome)
        elif isinstance(outcome, TaskFailure) and outcome.kind == NODE:
            self.session.note("node lost", name=name, reason=outcome.reason)
            self.schedule.again_whole(work)
        elif isinstance(outcome, TaskFailure):
            self._lost(work, name, outcome, cpus)
        elif isinstance(outcome, Unreadable):
            self._unreadable(work, name, outcome)
        elif isinstance(outcome, Unwritable):
            self._unwritable(work, outcome)
        else:
            assert isinstance(outcome, Unfit)
            raise ClusterError(f"a machine can't take part: {outcome.reason}; the same command goes on")

    def _arrived(self, names: list[str]) -> dict[str, Piece]:
        """Those files of tasks that were lost that had been written before, by name."""
        if not names or self.context.job.of_results:  # which leaves no statistics
            return {}
        found = self.place.read_each([f"{name}.json" for name in names], Piece)
        return {name: piece.named(name) for name, piece in zip(names, found, strict=True) if isinstance(piece, Piece)}

    def _see_hosts(self, pieces: list[Piece]) -> None:
        """See the first file of each host that is new, of several at once."""
        new = {piece.about["hosts"][0]: piece.name for piece in pieces if piece.about["hosts"][0] not in self.hosts}
        if new:
            self._see({name: host for host, name in new.items()}, lambda: self._there([*new.values()]))
            self.hosts.update(new)

    def _see(self, written: dict[str, str], there: Callable[[], list[str]]) -> None:
        """Wait until files, each with its host, are among those that are there; a ClusterError names one that is not.

        Looking for a file takes S3 some 30 ms. So it is the first one of each host that is looked for as it comes, of
        many hosts at once, and all of them by one list at the end.
        """
        until = time.monotonic() + SEEN_WITHIN
        while unseen := written.keys() - there():
            if time.monotonic() > until:
                name = min(unseen)
                raise ClusterError(
                    f"{written[name]} has written {name} into {self.place.name}, and it can't be seen from here: "
                    "the folder must be shared by all machines, under one path"
                )
            time.sleep(0.1)

    def _finished(self, work: Work, piece: Piece) -> None:
        """A file of results stands."""
        self.written[piece.name] = piece.about["hosts"][0]
        self.pause = self.given_up = 0.0
        for part in piece.covers:
            self.readings.pop(part, None)
        self.schedule.finished(work, piece.about["seconds"], piece.left)
        self.session.finished(piece, work)

    def _lost(self, work: Work, name: str, fault: TaskFailure, cpus: int) -> None:
        """A task has killed its worker or raised an exception: its puzzles are isolated."""
        self.lost_in_a_row += 1
        if self.lost_in_a_row > HOPELESS + AHEAD * cpus:
            raise ClusterError(f"{self.lost_in_a_row} tasks were lost, one after the other: {fault.reason}")
        self.session.lost(work, name, fault)
        hopeless = self.schedule.failed(work)
        if hopeless is not None:
            limit, name = self.schedule.limits[-1], self.session.new_name()
            piece, lost = write_off(self.context, self._parts(hopeless), limit, hopeless, name, fault)
            self.session.lost_puzzles += lost
            self.session.finished(piece, hopeless)

    def _unreadable(self, work: Work, name: str, outcome: Unreadable) -> None:
        """A source could not be read: it is tried again, the task's other sources apart from it."""
        self.session.note("unreadable", name=name, part=outcome.part, reason=outcome.reason)
        damaged, others = self.schedule.split_off(work, outcome.part)
        if others is not None:
            self.schedule.again_whole(others)
        self.readings[outcome.part] = self.readings.get(outcome.part, 0) + 1
        if self.readings[outcome.part] < READINGS:
            self.schedule.again_whole(damaged)
        else:
            self.errors[outcome.part] = outcome.reason

    def _unwritable(self, work: Work, outcome: Unwritable) -> None:
        """Nothing can be written: all wait, longer each time, and give up in the end. At once if the lease is lost."""
        confirm(self.run.folder)
        now = time.monotonic()
        self.given_up = self.given_up or now + GIVE_UP
        if now > self.given_up:
            raise StorageError(f"{outcome.reason}; when that is mended, the same command goes on")
        if now >= self.resume:  # of all tasks that were in flight the first one tells
            self.pause = min(self.pause * 2 or FIRST_PAUSE, LONGEST_PAUSE)
            self.resume = now + self.pause
            self.session.stuck(outcome.reason, self.pause)
        self.schedule.again_whole(work)
