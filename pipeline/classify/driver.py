"""The loop that gives tasks out and takes in what becomes of them."""

import time
from typing import Any

from pipeline.classify.schedule import Left, Schedule, Work
from pipeline.classify.session import Session
from pipeline.classify.task import Job, Unreadable, classify_rows, write_off
from pipeline.errors import UserError
from pipeline.executors.crew import NODE, Crew, Fault
from pipeline.run.folder import Run
from pipeline.run.results import Piece

AHEAD = 2
"""Tasks in flight for each CPU: one at work, one to follow at once."""


HOPELESS = 50
"""Tasks lost one after the other beyond those in flight, and none finished, that show that no puzzle is to blame."""


READINGS = 3
"""Times that a part of the store is tried that can't be read."""


FIRST_PAUSE, LONGEST_PAUSE, GIVE_UP = 1.0, 60.0, 600.0
"""Seconds between tries to write when nothing can be written: the first, the longest, and all together."""


def drive(run: Run, crew: Crew, schedule: Schedule, job: Job, session: Session) -> list[str]:
    """Do what a schedule has; returns a line for each part of the store that could not be read.

    A UserError ends it if nothing can be written for ten minutes.
    """
    flying: dict[Any, tuple[Work, str]] = {}
    errors: dict[str, str] = {}
    failures: dict[str, int] = {}
    pause = resume = given_up = 0.0
    in_a_row = 0
    while True:
        cpus = crew.cpus()
        while len(flying) < AHEAD * cpus and time.monotonic() >= resume:
            work = schedule.next(cpus)
            if work is None:
                break
            name = session.new_name()
            ticket = crew.submit(classify_rows, work.rows, schedule.limits[work.level], name, job)
            flying[ticket] = work, name
            session.submitted(ticket, work, cpus)
        if not flying:
            if time.monotonic() >= resume:
                return list(errors.values())
            time.sleep(0.1)
        for ticket, outcome in crew.wait(1.0) if flying else []:
            work, name = flying.pop(ticket)
            session.ended(ticket, cpus)
            if isinstance(outcome, Fault):
                outcome = _arrived(run, name) or outcome
            if not isinstance(outcome, Fault):
                in_a_row = 0
            elif outcome.kind != NODE:
                in_a_row += 1
                if in_a_row > HOPELESS + AHEAD * cpus:
                    raise UserError(f"{in_a_row} tasks were lost, one after the other: {outcome.reason}")
            if isinstance(outcome, Piece):
                pause = given_up = 0.0
                schedule.finished(work, outcome.about["seconds"], (Left(*left) for left in outcome.left))
                session.finished(outcome, work)
            elif isinstance(outcome, Fault) and outcome.kind == NODE:
                session.note("node lost", name=name, reason=outcome.reason)
                schedule.again_whole(work)
            elif isinstance(outcome, Fault):
                session.lost(work, name, outcome)
                hopeless = schedule.failed(work)
                if hopeless is not None:
                    session.finished(write_off(run, job, hopeless, session.new_name(), outcome), hopeless)
            elif isinstance(outcome, Unreadable):
                part = next(iter(work.rows))
                failures[part] = failures.get(part, 0) + 1
                session.note("unreadable", name=name, reason=outcome.reason)
                if failures[part] < READINGS:
                    schedule.again_whole(work)
                else:
                    errors[part] = outcome.reason
            else:
                now = time.monotonic()
                given_up = given_up or now + GIVE_UP
                if now > given_up:
                    raise UserError(f"{outcome.reason}; when that is mended, the same command goes on")
                if now >= resume:  # of all tasks that were in flight the first one tells
                    pause = min(pause * 2 or FIRST_PAUSE, LONGEST_PAUSE)
                    resume = now + pause
                    session.stuck(outcome.reason, pause)
                schedule.again_whole(work)
        session.tick(schedule, cpus)


def _arrived(run: Run, name: str) -> Piece | None:
    """The file of a task that was lost after it had written it, if so."""
    try:
        return run.piece(name) if run.results.has(f"{name}.json") else None
    except OSError:
        return None
