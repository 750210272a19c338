"""Run a job: from a plan to files of rows, in this process or on Ray."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.executors.executor import ALL_CORES, SMALL_JOB, Executor, Resources, SerialExecutor, open_executor
from pipeline.jobs.driver import drive
from pipeline.jobs.job import Job
from pipeline.jobs.kernel_compilation import Kind, compiled_beside
from pipeline.jobs.schedule import FIRST, Schedule
from pipeline.jobs.session import Listener, Session
from pipeline.jobs.task import context_of
from pipeline.jobs.tidy import join_session, tidy
from pipeline.run.plan import Chosen, Plan, Selection
from pipeline.run.results import overlaps
from pipeline.run.run_folder import Run, begin
from pipeline.store import spans
from scrapers.file_batches import Problem

FIRST_SECONDS = 5.0
"""CPU seconds, roughly, of the first tasks of a job."""


SETTLED = 2.0
"""Seconds before the cost of a puzzle is known: the first ones include loading kernels."""


class Worked(NamedTuple):
    """What a job has done.

    rows         puzzles that have rows now and had none before, or others
    cpu_seconds  that tasks have taken
    unread       a line for each part of the store, or file of results, that could not be read
    lost         puzzles on which a worker died time and again, or failed
    """

    rows: int
    cpu_seconds: float
    unread: list[str]
    lost: list[Problem]


def run_job(
    run: Run,
    job: Job,
    settings: dict[str, Any],
    plan: Plan,
    limits: list[float],
    resources: Resources,
    listener: Listener,
    done: int = 0,
    kernels: frozenset[Kind] = frozenset(),
) -> Worked:
    """Do what a plan has. The caller holds the run's lock.

    Small work begins in this process. What turns out to take longer goes on over Ray. Nothing is written before there
    is something to run tasks on.

    limits    CPU seconds for each puzzle, level by level
    done      rows that the run has already, of those that count as progress
    kernels   kinds of kernels to compile meanwhile in other processes
    """
    first = max(1, min(FIRST, int(FIRST_SECONDS / job.seconds)))
    schedule = Schedule(plan.stretches, plan.rows, plan.left, limits, first)
    listener.planned(done, done + schedule.left())
    if not schedule.left():
        begin(run)
        return Worked(0, 0.0, [], [])
    small = resources == ALL_CORES and schedule.left() * job.seconds <= SMALL_JOB
    session = Session(run, job, schedule, listener)
    unread: list[str] = []

    def work_on(executor: Executor, enough: Callable[[], bool] = lambda: False) -> None:
        begin(run)
        listener.executor_ready(executor.dashboard)
        session.start(executor)
        unread.extend(
            drive(run, executor, schedule, context_of(run, job, settings, executor.isolated), session, enough)
        )
        if not schedule.left():
            join_session(session, job.schema(run.family)) if job.of_results else tidy(run, executor, session)

    def grown() -> bool:
        known = time.monotonic() > session.began + SETTLED
        return known and schedule.left() > 1 and (schedule.seconds_left() or 0.0) > SMALL_JOB

    with session, compiled_beside({*kernels}) if kernels else nullcontext(False) as cold:
        if cold:
            listener.news("Compiling kernels, once on this machine: the first results take longer")
        if small:
            work_on(SerialExecutor(), grown)
        if schedule.left():
            with open_executor(resources) as executor:
                work_on(executor)
    return Worked(session.rows, session.cpu_seconds, unread, session.lost_puzzles)


class Needs(NamedTuple):
    """Which rows of the results table need a job.

    columns   of the table that say so
    among     (rows of these columns): bool[rows]
    """

    columns: tuple[str, ...]
    among: Callable[[pa.Table], np.ndarray]


def plan_on_results(run: Run, needs: Needs, selection: Selection) -> Plan:
    """Plan a job on the results of a run: of the selected rows those that need it."""
    pieces = run.pieces()
    kept, chosen = overlaps(pieces), Chosen(run, selection)
    stretches = []
    for piece in pieces:
        wanted = chosen.of_piece(piece)
        if piece.name in kept:
            wanted &= kept[piece.name]
        if wanted.any():
            wanted[wanted] = needs.among(run.read(piece, wanted, [*needs.columns]))
        if rows := spans.of_rows(np.flatnonzero(wanted)):
            stretches.append((piece.name, [piece.rows], rows))
    return Plan(iter(stretches), sum(spans.size(rows) for _, _, rows in stretches), [])
