"""A command's work on a run, from the plan to the summary, by one process at a time."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pipeline.errors import UserError
from pipeline.executors.resources import ALL_CORES, Resources, check, open_crew
from pipeline.jobs.driver import drive
from pipeline.jobs.metrics import Metrics
from pipeline.jobs.schedule import Schedule, levels
from pipeline.jobs.session import NOBODY, Listener, Session
from pipeline.jobs.task import job_of
from pipeline.jobs.tidy import tidy
from pipeline.jobs.warm import Kind, compiled_beside, needed
from pipeline.run.carry import carry_over
from pipeline.run.configuration import Configuration, check_limit
from pipeline.run.coverage import covered_rows
from pipeline.run.folder import MARK, Run, begin, plan_run, refuse_changed, reopened
from pipeline.run.plan import EVERYTHING, Plan, Selection, rest_of, unanswered
from pipeline.run.repair import set_damaged_aside
from pipeline.run.results import Piece
from pipeline.run.summary import write_summary
from pipeline.settings import default_settings
from pipeline.store import spans
from pipeline.store.lock import sole_writer
from pipeline.store.parts import Store
from solver.families import NONOGRAM
from solver.tables import DECISIVE

Planner = Callable[[Run, list[Piece]], Plan]


class Outcome(NamedTuple):
    """What came of a command's work.

    run         the run as it is now
    summary     the statistics of the whole run (pipeline.run.summary)
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
    check(resources)
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
    check(resources)
    with sole_writer(run.folder):
        return work_on(reopened(run), config, planner, resources, listener)


def retry_changed(run: Run, resources: Resources = ALL_CORES, listener: Listener = NOBODY) -> Outcome:
    """Take the store as it is now: keep the results of puzzles that are the same, classify the others."""
    check(resources)
    with sole_writer(run.folder):
        run, kept = carry_over(reopened(run))
        left = run.rows - kept
        listener.news(f"{kept:,} results are of puzzles that have not changed, and stay; {left:,} puzzles have none")
        return work_on(run, run.about["config"], rest_of, resources, listener)


def work_on(run: Run, config: Configuration, planner: Planner, resources: Resources, listener: Listener) -> Outcome:
    """Do what a planner finds to do. A UserError says so if another command is at work on the run.

    Nothing is written before there is something to run tasks on.
    """
    check(resources)
    with sole_writer(run.folder):
        for error in set_damaged_aside(run).values() if run.folder.has(MARK) else ():
            listener.line(f"{error}. Its puzzles are classified again")
        pieces = run.pieces()
        plan = planner(run, pieces)
        before = _covered(pieces)
        taken = _Taken(plan)
        settings = default_settings()
        limits = levels(config["cpu_limit"], settings.sweep_limit, settings.limit_growth)
        schedule = Schedule(taken.stretches(), plan.rows, plan.left, limits)
        listener.planned(before if plan.fresh else 0, schedule.left() + (before if plan.fresh else 0))
        rows, unread = 0, list[str]()
        if schedule.left():
            here = not resources.address  # the machines of a cluster compile for themselves
            with compiled_beside(_first_kinds(run) if here else set()) as cold, open_crew(resources) as crew:
                if cold:
                    listener.news("Compiling kernels, once on this machine: the first results take longer")
                begin(run)
                listener.crew_ready(crew.dashboard)
                session = Session(run, listener, Metrics(run.about["run_id"]) if crew.apart else None)
                try:
                    unread = drive(run, crew, schedule, job_of(run, config, crew.apart), session)
                    tidy(run, crew, session)
                finally:
                    session.close(schedule, crew.cpus())
                rows = session.rows
        else:
            begin(run)
        after = _covered(run.pieces())
        lost = before + (taken.rows if plan.fresh else 0) - after
        return Outcome(run, write_summary(run), rows, unread, max(taken.rows - rows, lost, 0))


def _first_kinds(run: Run) -> set[Kind]:
    """The kinds of the store's first puzzles, and so of most or all; for others kernels are compiled as they come.

    Those of other families than nonograms are compiled by whichever task needs them first.
    """
    try:
        store = run.store
        return needed(next(store.batches([*DECISIVE]))) if store.family is NONOGRAM else set()
    except (UserError, ValueError, OSError, StopIteration):
        return set()  # whoever needs the batch says what is wrong with it


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
