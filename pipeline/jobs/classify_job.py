"""The job classify: the verdict on each puzzle of a store."""

import platform
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.executors.executor import ALL_CORES, Resources
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.engine import JobRequest, run_job
from nonocensus.pipeline.jobs.job import Chunk, Job, JobCall, Output, count_by
from nonocensus.pipeline.jobs.kernel_compilation import LADDER
from nonocensus.pipeline.jobs.schedule import levels
from nonocensus.pipeline.run.carry import carry_over
from nonocensus.pipeline.run.configuration import Configuration, config_hash
from nonocensus.pipeline.run.plan import EVERYTHING, Plan, Selection, plan_rest, plan_retry
from nonocensus.pipeline.run.progress import write_summary
from nonocensus.pipeline.run.results import ResultFile, covered_rows
from nonocensus.pipeline.run.run_folder import (
    MARK,
    Run,
    plan_run,
    quarantine,
    reload,
    require_unchanged,
    restore_advice,
    write_manifest,
)
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.api import classify
from nonocensus.solver.ladder.verdict import unclassified
from nonocensus.solver.model.identity import first_occurrences
from nonocensus.solver.model.tables import RESULTS
from nonocensus.solver.model.views import views

Planner = Callable[[Run, list[ResultFile]], Plan]
"""(run, its files of results): the puzzles to classify."""


def classify_chunk(chunk: Chunk, call: JobCall) -> Output:
    """Classify puzzles; at the run's own CPU limit none is late.

    Options: those of `solver.api.classify`, with the run's CPU limit; and `stamp`, columns of every row.
    """
    solver = {name: value for name, value in call.options.items() if name != "stamp"}
    is_last = call.cpu_limit >= solver["cpu_limit"]
    rows = classify(chunk.puzzles, **solver | {"cpu_limit": call.cpu_limit})
    seconds = rows["cpu_seconds"]
    is_timed = seconds.is_valid().to_numpy(zero_copy_only=False)
    first = first_occurrences(chunk.puzzles["clue_hash"], views(chunk.puzzles), is_timed)
    is_solved = is_timed & (first == np.arange(len(rows)))  # equal puzzles are solved once
    spent = seconds.to_numpy(zero_copy_only=False)
    # A verdict past the limit counts on the last level only: where the limit cut a step short decides its solutions.
    late = pc.equal(rows["status"], "timeout").to_numpy(zero_copy_only=False) | (spent > call.cpu_limit)
    if is_last:
        late[:] = False
    return Output(_stamp(rows, chunk, call), late, float(spent[is_solved].sum()))


def lost_rows(chunk: Chunk, call: JobCall, failure: TaskFailure) -> pa.RecordBatch:
    """Return rows of status `killed` or, if an exception was raised, `error`."""
    status = "error" if failure.has_raised else "killed"
    rows = unclassified(chunk.puzzles, status, [failure.reason] * len(chunk.puzzles))
    return _stamp(rows, chunk, call)


def _stamp(rows: pa.RecordBatch, chunk: Chunk, call: JobCall) -> pa.RecordBatch:
    """Set the columns that say what rows belong to: part, run, configuration, host."""
    sizes = [len(numbers) for _, numbers in chunk.places]
    parts = pa.array([part for part, _ in chunk.places]).take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))
    stamp = {"host": platform.node(), **call.options["stamp"]}
    columns = {"part": parts} | {name: pa.repeat(pa.scalar(text), len(rows)) for name, text in stamp.items()}
    for name, column in columns.items():
        rows = rows.set_column(RESULTS.get_field_index(name), RESULTS.field(name), column)
    return rows


CLASSIFY = Job(
    name="classify",
    title="classifying",
    folder="results",
    schema=RESULTS,
    function=classify_chunk,
    lost=lost_rows,
    counts=partial(count_by, "label"),
    seconds=0.001,
    stages=LADDER,
)


class ClassifyOutcome(NamedTuple):
    """The outcome of classify or retry.

    run         as it is now
    summary     statistics of the whole run (pipeline.run.progress)
    rows        that this command has made
    unread      a line for each part of the store that could not be read
    missing     puzzles to be classified that still have no row
    """

    run: Run
    summary: dict[str, Any]
    rows: int
    unread: list[str]
    missing: int


def classify_store(
    store: Store,
    uri: str,
    config: Configuration,
    selection: Selection = EVERYTHING,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
    force: bool = False,
) -> ClassifyOutcome:
    """Classify puzzles that have no row yet, in a new or an existing run folder (see `plan_run`)."""
    place = plan_run(store, uri, config, force).folder  # refuses before the lock file is written
    request = JobRequest(selection, config["cpu_limit"], resources, progress)
    with writer_lock(place):
        run = plan_run(store, uri, config, force)  # again: another command may have written there since
        return _classify(run, partial(plan_rest, selection=selection), request)


def retry_run(
    run: Run,
    cpu_limit: float,
    selection: Selection = EVERYTHING,
    failed: bool = False,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
) -> ClassifyOutcome:
    """Retry puzzles that timed out with more time; with `failed` also those killed or in error."""
    request = JobRequest(selection, cpu_limit, resources, progress)
    require_unchanged(run)
    planner = partial(plan_retry, cpu_limit=cpu_limit, selection=selection, failed=failed)
    with writer_lock(run.folder):
        outcome = _classify(reload(run), planner, request)
        if outcome.rows:
            manifest = outcome.run.manifest
            manifest["retried"] = max(cpu_limit, manifest.get("retried", 0.0))
            write_manifest(outcome.run)
        return outcome


def retry_changed(run: Run, resources: Resources = ALL_CORES, progress: ProgressCallbacks = SILENT) -> ClassifyOutcome:
    """Update a run to its store: keep the results of unchanged puzzles, classify the others."""
    with writer_lock(run.folder):
        if lost := restore_advice(run := reload(run)):
            raise InputError(f"results would be deleted: {lost}; or remove {run.store.folder.name}/damaged")
        before = _count_covered(run.result_files())
        run, kept = carry_over(run)
        left = run.rows - kept
        removed = f", {before - kept:,} of changed or removed puzzles deleted" if before > kept else ""
        rest = f"{count_text(left, 'puzzle')} to classify" if left else f"nothing else is in {run.store.folder.name}"
        progress.on_message(f"{count_text(kept, 'result')} of unchanged puzzles kept{removed}; {rest}")
        request = JobRequest(EVERYTHING, run.manifest["config"]["cpu_limit"], resources, progress)
        return _classify(run, plan_rest, request)


def _classify(run: Run, planner: Planner, request: JobRequest) -> ClassifyOutcome:
    """Carry out a planner's plan. The caller holds the run's lock."""
    config: Configuration = {**run.manifest["config"], "cpu_limit": request.cpu_limit}
    for name, error in run.survey()[1].items() if run.folder.has(MARK) else ():
        quarantine(run, name)
        request.progress.on_warning(f"{error}. Its puzzles are classified again")
    files = run.result_files()
    plan = planner(run, files)
    before = _count_covered(files)
    done = before if plan.is_new else 0  # retried puzzles replace rows: progress starts at 0
    limits = levels(request.cpu_limit)
    result = run_job(run, CLASSIFY, classify_options(run, config), plan, limits, request, done)
    vanished = before + (result.planned if plan.is_new else 0) - _count_covered(run.result_files())
    missing = max(result.planned - result.rows, vanished, 0)
    return ClassifyOutcome(run, write_summary(run), result.rows, result.unread, missing)


def classify_options(run: Run, config: Configuration) -> dict[str, Any]:
    """Return the options of CLASSIFY: those of `solver.api.classify`, and the columns of every row."""
    settings = {name: value for name, value in config.items() if name != "solver_version"}
    return settings | {"stamp": {"run_id": run.manifest["run_id"], "config_hash": config_hash(config)}}


def _count_covered(files: list[ResultFile]) -> int:
    """Count the rows of the store that have results."""
    return sum(map(spans.size, covered_rows(files).values()))
