"""Runs below the command line, executors with faults, and rows without times, for the pipeline's tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from nonocensus.pipeline.executors.executor import Executor, SerialExecutor
from nonocensus.pipeline.executors.task_failure import WORKER, TaskFailure
from nonocensus.pipeline.jobs.classify_job import CLASSIFY, classify_options
from nonocensus.pipeline.jobs.driver import Driver
from nonocensus.pipeline.jobs.job import DEFAULTS, JobSettings
from nonocensus.pipeline.jobs.schedule import Schedule, levels
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.jobs.task import TaskContext, chunks_of, context_of, run_task
from nonocensus.pipeline.jobs.tidy import tidy
from nonocensus.pipeline.run.configuration import Configuration, configuration
from nonocensus.pipeline.run.plan import EVERYTHING, Selection, plan_rest, plan_retry
from nonocensus.pipeline.run.results import open_row_writer, write_statistics
from nonocensus.pipeline.run.run_folder import Run, plan_run, write_manifest
from nonocensus.pipeline.store.parts import Store, append, create_store
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch

CONFIG = configuration(10.0)
OF_THE_MOMENT = [
    *("cpu_seconds", "wall_seconds", "cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat"),
    *("run_id", "host"),
]


def work_on(
    run: Run,
    executor: "Executor | None" = None,
    selection: Selection = EVERYTHING,
    limits: list[float] | None = None,
    cpu_limit: float | None = None,
    failed: bool = False,
    settings: JobSettings = DEFAULTS,
) -> list[str]:
    """Classify the rest of a run, or retry its timeouts with another limit; returns what could not be read."""
    executor = executor or SerialExecutor()
    config = run.manifest["config"]
    if cpu_limit:
        config = {**config, "cpu_limit": cpu_limit}
    files = run.result_files()
    plan = plan_retry(run, files, cpu_limit, selection, failed) if cpu_limit else plan_rest(run, files, selection)
    limits = limits or levels(config["cpu_limit"])
    schedule = Schedule(plan, limits, settings)
    with Session(run, CLASSIFY, schedule) as session:
        session.start()
        context = classify_context(run, config, executor.isolated, settings.chunk_cells)
        errors = Driver(session, executor, context).drive()
        tidy(session, executor)
    return errors


class WorkerKiller(SerialExecutor):
    """Loses the worker of each task that has a certain puzzle."""

    def __init__(self, victim: str) -> None:
        super().__init__()
        self.victim = victim

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        if function is run_task:
            source, parts, _, _, context, *_ = arguments
            if any(
                self.victim in chunk.puzzles["puzzle_id"].to_pylist() for chunk in chunks_of(context, source, parts)
            ):
                return super().submit(lambda: TaskFailure(WORKER, "out of memory"))
        return super().submit(function, *arguments)


class SubstitutingExecutor(SerialExecutor):
    """Runs a substitute of `run_task`."""

    def __init__(self, substitute: Callable[..., Any]) -> None:
        super().__init__()
        self.substitute = substitute

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        return super().submit(self.substitute if function is run_task else function, *arguments)


def classify_context(
    run: Run,
    config: Configuration = CONFIG,
    isolated: bool = False,
    chunk_cells: int = DEFAULTS.chunk_cells,
) -> TaskContext:
    return context_of(run, CLASSIFY, classify_options(run, config), isolated, chunk_cells)


def rewrite_results(run: Run, name: str, rows: pa.Table) -> None:
    """Replace the rows of a file of results, and update its statistics."""
    with open_row_writer(run.results, name) as writer:
        writer.write_table(rows)
    write_statistics(run.results, run.result_file(name))


def start_run(store: Store, uri: str, config: Configuration, force: bool = False) -> Run:
    """Create a run, or continue the existing one."""
    run = plan_run(store, uri, config, force)
    write_manifest(run)
    return run


def run_serially(store: Store, out: Path, settings: JobSettings = DEFAULTS) -> Run:
    run = start_run(store, str(out), CONFIG)
    work_on(run, settings=settings)
    return run


def run_of(place: Path, puzzles: list[Puzzle], *more: pa.RecordBatch) -> Run:
    """Classify puzzles: the folder gets `store` and `run`."""
    store = create_store(str(place / "store"))
    append(store, [puzzle_batch(puzzles), *more])
    return run_serially(store, place / "run")


def lasting(run: Run) -> pa.Table:
    """Return a run's rows without the columns that differ from run to run."""
    return run.table().drop_columns(OF_THE_MOMENT).sort_by("puzzle_id")
