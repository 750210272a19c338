"""The job classify: the verdict on each puzzle of a store."""

import platform
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import UserError
from pipeline.executors.executor import ALL_CORES, Resources, check_resources
from pipeline.jobs.engine import run_job
from pipeline.jobs.job import Chunk, Job, Output, decisive
from pipeline.jobs.kernel_compilation import Kind, needed
from pipeline.jobs.schedule import levels
from pipeline.jobs.session import NOBODY, Listener
from pipeline.run.carry import carry_over
from pipeline.run.configuration import Configuration, check_limit, config_hash, settings_of
from pipeline.run.plan import EVERYTHING, Plan, Selection, rest_of, unanswered
from pipeline.run.progress import counts, write_summary
from pipeline.run.results import Piece, covered_rows
from pipeline.run.run_folder import MARK, Run, plan_run, refuse_changed, reopened, set_damaged_aside
from pipeline.settings import default_settings
from pipeline.store import spans
from pipeline.store.lock import sole_writer
from pipeline.store.parts import Store
from solver.model.families import NONOGRAM, Family
from solver.model.tables import DECISIVE, RESULTS

Planner = Callable[[Run, list[Piece]], Plan]


def classified(chunk: Chunk, family: Family, settings: Mapping[str, Any], limit: float, wait: bool) -> Output:
    """Classify puzzles with `limit` CPU seconds each; at the run's own limit none is late.

    settings   of `solver.api.classify`, the CPU limit that of the run; and `stamp`, columns of every row
    """
    solver = {name: value for name, value in settings.items() if name != "stamp"}
    last = limit >= solver["cpu_limit"]
    rows = family.rules.classify(chunk.puzzles, **solver | {"cpu_limit": limit}, wait=wait or last)
    seconds = rows["cpu_seconds"]
    there = seconds.is_valid().to_numpy(zero_copy_only=False)
    first = family.rules.first_occurrences(chunk.puzzles, there)
    solved = there & (first == np.arange(len(rows)))  # equal puzzles are solved once
    late = pc.equal(rows["status"], "timeout").to_numpy(zero_copy_only=False)
    if last:
        late[:] = False
    untried = late & (not wait) & (seconds.to_numpy(zero_copy_only=False) < limit)
    total = float(seconds.to_numpy(zero_copy_only=False)[solved].sum())
    return Output(_stamped(rows, chunk, settings), late, untried, total)


def unclassified(
    chunk: Chunk, family: Family, settings: Mapping[str, Any], reason: str, raised: bool
) -> pa.RecordBatch:
    """Rows of puzzles that can't be classified: `killed` if their worker died, else `error`."""
    status = "error" if raised else "killed"
    return _stamped(family.rules.unclassified(chunk.puzzles, status, [reason] * len(chunk.puzzles)), chunk, settings)


def _stamped(rows: pa.RecordBatch, chunk: Chunk, settings: Mapping[str, Any]) -> pa.RecordBatch:
    """The rows with what they belong to: part, run, configuration, host."""
    sizes = [len(there) for _, there in chunk.places]
    parts = pa.array([part for part, _ in chunk.places]).take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))
    stamp = {"host": platform.node(), **settings["stamp"]}
    columns = {"part": parts} | {name: pa.repeat(pa.scalar(text), len(rows)) for name, text in stamp.items()}
    for name, column in columns.items():
        rows = rows.set_column(RESULTS.get_field_index(name), RESULTS.field(name), column)
    return rows


def _schema(_: Family) -> pa.Schema:
    return RESULTS


def _labels(rows: pa.RecordBatch) -> dict[str, int]:
    return counts(rows["label"])


CLASSIFY = Job(
    name="classify",
    progress="classifying",
    folder="results",
    schema=_schema,
    puzzles=decisive,
    results=(),
    work=classified,
    lost=unclassified,
    counts=_labels,
    seconds=0.001,
)


class Outcome(NamedTuple):
    """The outcome of classify or retry.

    run         the run as it is now
    summary     the statistics of the whole run (pipeline.run.progress)
    rows        how many rows this command has made
    unread      a line for each part of the store that could not be read
    missing     puzzles that were to be classified and have no row all the same
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
    listener: Listener = NOBODY,
    force: bool = False,
) -> Outcome:
    """Classify what a run has no row of yet, in a new run folder or one that is there (as `plan_run`)."""
    place = plan_run(store, uri, config, force).folder  # refused before the lock's file is written
    check_resources(resources)
    with sole_writer(place):
        run = plan_run(store, uri, config, force)  # another command may have written there since
        return work_on(run, config, lambda run, pieces: rest_of(run, pieces, selection), resources, listener)


def retry_run(
    run: Run,
    cpu_limit: float,
    selection: Selection = EVERYTHING,
    failed: bool = False,
    resources: Resources = ALL_CORES,
    listener: Listener = NOBODY,
) -> Outcome:
    """Try the puzzles of a run that timed out again with more time; with `failed` also those killed or in error."""
    check_limit(cpu_limit)
    refuse_changed(run)
    config: Configuration = {**run.about["config"], "cpu_limit": cpu_limit}
    planner: Planner = lambda run, pieces: unanswered(run, pieces, cpu_limit, selection, failed)  # noqa: E731
    check_resources(resources)
    with sole_writer(run.folder):
        return work_on(reopened(run), config, planner, resources, listener)


def retry_changed(run: Run, resources: Resources = ALL_CORES, listener: Listener = NOBODY) -> Outcome:
    """Take the store as it is now: keep the results of puzzles that are the same, classify the others."""
    check_resources(resources)
    with sole_writer(run.folder):
        run, kept = carry_over(reopened(run))
        left = run.rows - kept
        listener.news(f"{kept:,} results are of puzzles that have not changed, and stay; {left:,} puzzles have none")
        return work_on(run, run.about["config"], rest_of, resources, listener)


def work_on(run: Run, config: Configuration, planner: Planner, resources: Resources, listener: Listener) -> Outcome:
    """Do what a planner finds to do. A UserError says so if another command is at work on the run."""
    check_resources(resources)
    with sole_writer(run.folder):
        for error in set_damaged_aside(run).values() if run.folder.has(MARK) else ():
            listener.line(f"{error}. Its puzzles are classified again")
        pieces = run.pieces()
        plan = planner(run, pieces)
        before = _covered(pieces)
        taken = _Taken(plan)
        defaults = default_settings()
        limits = levels(config["cpu_limit"], defaults.sweep_limit, defaults.limit_growth)
        worked = run_job(
            run,
            CLASSIFY,
            classify_settings(run, config),
            plan._replace(stretches=taken.stretches()),
            limits,
            resources,
            listener,
            done=before if plan.fresh else 0,
            kernels=frozenset() if resources.address else _first_kinds(run),  # a cluster's machines compile themselves
        )
        lost = before + (taken.rows if plan.fresh else 0) - _covered(run.pieces())
        missing = max(taken.rows - worked.rows, lost, 0)
        return Outcome(run, write_summary(run), worked.rows, worked.unread, missing)


def classify_settings(run: Run, config: Configuration) -> dict[str, Any]:
    """Return the settings of CLASSIFY: those of `solver.api.classify`, and what is written in every row."""
    return settings_of(config) | {"stamp": {"run_id": run.about["run_id"], "config_hash": config_hash(config)}}


def _first_kinds(run: Run) -> frozenset[Kind]:
    """The kinds of the store's first puzzles, and so of most or all; for others kernels are compiled as they come.

    Those of other families than nonograms are compiled by whichever task needs them first.
    """
    try:
        store = run.store
        return frozenset(needed(next(store.batches([*DECISIVE])))) if store.family is NONOGRAM else frozenset()
    except (UserError, ValueError, OSError, StopIteration):
        return frozenset()  # whoever needs the batch says what is wrong with it


def _covered(pieces: list[Piece]) -> int:
    """How many rows of the store have results."""
    return sum(map(spans.size, covered_rows(pieces).values()))


class _Taken:
    """A plan's stretches as they are taken, and how many rows that makes with those that wait for more time."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.rows = plan, len(plan.left)

    def stretches(self) -> Iterator[tuple[str, list[int], spans.Spans]]:
        """The stretches, counted."""
        for part, groups, wanted in self.plan.stretches:
            self.rows += spans.size(wanted)
            yield part, groups, wanted
