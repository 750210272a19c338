"""Runs from the inside, and what of them lasts, for the pipeline's tests."""

from pathlib import Path

import pyarrow as pa

from pipeline.classify.driver import drive
from pipeline.classify.schedule import Schedule, levels
from pipeline.classify.session import Session, Tell
from pipeline.classify.task import Job
from pipeline.classify.tidy import tidy
from pipeline.executors.crew import Crew
from pipeline.executors.serial import Serial
from pipeline.run.folder import SETTINGS, Run, configuration, start_run
from pipeline.run.plan import EVERYTHING, Selection, rest_of, unanswered
from pipeline.store.parts import Store

CONFIG = configuration(10.0)
OF_THE_MOMENT = [
    *("cpu_seconds", "wall_seconds", "cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat"),
    *("run_id", "host"),
]
SILENT = Tell(lambda *_: None, lambda *_: None)


def work_on(
    run: Run,
    crew: Crew | None = None,
    selection: Selection = EVERYTHING,
    limits: list[float] | None = None,
    cpu_limit: float | None = None,
    failed: bool = False,
) -> list[str]:
    """Do what is left of a run, or its timeouts with another limit; returns what could not be read."""
    crew = crew or Serial()
    config = run.about["config"] | ({"cpu_limit": cpu_limit} if cpu_limit else {})
    pieces = run.pieces()
    plan = unanswered(run, pieces, cpu_limit, selection, failed) if cpu_limit else rest_of(run, pieces, selection)
    limits = limits or levels(config["cpu_limit"], 0.05, 20.0)
    session = Session(run, SILENT)
    settings = {key: config[key] for key in SETTINGS}
    stamp = {"run_id": run.about["run_id"], "config_hash": run.about["config_hash"]}
    schedule = Schedule(plan.stretches, plan.rows, plan.left, limits)
    job = Job(run.about["store"], run.folder.uri, settings, stamp, crew.apart)
    errors = drive(run, crew, schedule, job, session)
    tidy(run, crew, session)
    session.close(schedule, 1)
    return errors


def run_serially(store: Store, out: Path) -> Run:
    run = start_run(store, str(out), CONFIG)
    work_on(run)
    return run


def lasting(run: Run) -> pa.Table:
    """The rows without timings and names, which differ from run to run."""
    return run.table().drop_columns(OF_THE_MOMENT).sort_by("puzzle_id")
