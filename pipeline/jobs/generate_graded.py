"""Generate puzzles of a difficulty: pictures are drawn in order, classified and graded; those that fit are kept."""

import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import ClusterError, UserError
from nonocensus.pipeline.executors.executor import (
    ALL_CORES,
    SMALL_JOB,
    Executor,
    Resources,
    TaskFailure,
    check_resources,
    open_executor,
    run_divisible_tasks,
)
from nonocensus.pipeline.jobs.grade_files import grade_batch
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, compile_missing, needed
from nonocensus.pipeline.store.conditions import Conditions
from nonocensus.pipeline.store.kept_puzzles import KeptPuzzles, open_kept_puzzles
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.pictures.kinds import KINDS
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.families import NONOGRAM
from nonocensus.solver.model.techniques import SEARCH, TECHNIQUES
from nonocensus.solver.people.minutes import parameters

CPU_LIMIT = 60.0
"""CPU seconds for classifying a picture's puzzle, and for grading it: a puzzle that takes longer does not fit."""

RARE = 10_000
"""A command stops when fewer than one in RARE pictures that it has drawn fits."""

TASK_PICTURES = 100
"""Pictures of a task; kinds that are slow have one."""

ROUND_TASKS = 64
"""Tasks per CPU after which failed ones are tried again."""

NO_END = 1 << 62


class CandidateTask(NamedTuple):
    """A task: the recipe's pictures `first` to `last` - 1, to be classified and graded."""

    recipe: Recipe
    conditions: Conditions
    first: int
    last: int


class GradedStore(NamedTuple):
    """A store of puzzles that meet conditions.

    kept    puzzles in the store
    drawn   pictures drawn for them
    made    puzzles that this command added
    """

    kept: int
    drawn: int
    made: int


def fitting(recipe: Recipe, conditions: Conditions, first: int, last: int) -> pa.RecordBatch:
    """Return those puzzles of pictures `first` to `last` - 1 that meet the conditions."""
    return keep_fitting(recipe_batch(recipe, first, last), conditions)


def keep_fitting(puzzles: pa.RecordBatch, conditions: Conditions) -> pa.RecordBatch:
    """Return those of some puzzles that meet the conditions."""
    graded = grade_batch(NONOGRAM.name, puzzles, CPU_LIMIT)
    fits = pc.equal(graded["solutions"], "unique")
    for name, (low, high) in conditions.bounds().items():
        fits = pc.and_(fits, pc.and_(pc.greater_equal(graded[name], low), pc.less_equal(graded[name], high)))
    return puzzles.filter(fits)


def divide_candidates(task: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Divide a task into one per picture."""
    whole = CandidateTask(*task)
    return [whole._replace(first=number, last=number + 1) for number in range(whole.first, whole.last)]


def fill_with_graded(
    uri: str, recipe: Recipe, conditions: Conditions, resources: Resources, callbacks: ProgressCallbacks
) -> GradedStore:
    """Fill a store with puzzles that meet the conditions, until it has the recipe's count or no picture is left.

    The same call resumes, with a larger count it extends the store; the puzzles depend on recipe and conditions alone.
    Raises UserError as `open_kept_puzzles`, if hardly any picture fits, or if another command writes to the store;
    ClusterError if pictures could not be graded.
    """
    check_resources(resources)
    refuse_impossible(recipe, conditions)
    with writer_lock(folder(uri)):
        puzzles = open_kept_puzzles(uri, recipe, conditions)
        before = GradedStore(puzzles.kept, puzzles.drawn, 0)
        compile_missing(needed(recipe_batch(recipe, 0, 1)), SOLVING, callbacks)
        callbacks.on_start("generating", puzzles.missing if recipe.count < end_of(recipe) else None)
        try:
            if resources == ALL_CORES:
                draw(puzzles, before, Resources(serial=True), callbacks, SMALL_JOB)
            draw(puzzles, before, resources, callbacks)
        finally:
            if puzzles.intact:
                puzzles.save()
        return GradedStore(puzzles.kept, puzzles.drawn, puzzles.kept - before.kept)


def refuse_impossible(recipe: Recipe, conditions: Conditions) -> None:
    """Raise a UserError if no picture can meet the conditions."""
    if conditions.minutes is None:
        return
    cells = max(model.cells for model in parameters().models.values())
    if recipe.width * recipe.height > cells:
        raise UserError(f"--minutes: there are no estimates for puzzles of more than {cells:,} cells")
    if conditions.grade and conditions.grade[0] == TECHNIQUES[SEARCH].grade:
        raise UserError(f"--minutes: there are no estimates for puzzles of grade {conditions.grade[0]}")


def end_of(recipe: Recipe) -> int:
    """Return the number of pictures of the recipe's kind and size."""
    total = KINDS[recipe.kind].total
    return total(recipe.width, recipe.height) if total else NO_END


def draw(
    puzzles: KeptPuzzles,
    before: GradedStore,
    resources: Resources,
    callbacks: ProgressCallbacks,
    cpu_seconds: float = math.inf,
) -> None:
    """Draw pictures until there are enough, or none left, or this process has spent `cpu_seconds`."""
    recipe, end = puzzles.recipe, end_of(puzzles.recipe)
    if not puzzles.missing or puzzles.drawn == end:
        return
    deadline = time.process_time() + cpu_seconds
    with open_executor(resources) as executor:
        for last, rows in in_order(executor, recipe, puzzles.conditions, puzzles.drawn, end):
            kept = puzzles.kept
            puzzles.add(rows, last)
            callbacks.on_progress(puzzles.kept - kept, f"{puzzles.drawn:,} drawn")
            if not puzzles.missing or time.process_time() > deadline:
                return
            if recipe.count < end and last - before.drawn >= RARE * (puzzles.kept - before.kept + 1):
                raise rare_error(puzzles)


def in_order(
    executor: Executor, recipe: Recipe, conditions: Conditions, first: int, end: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the puzzles of pictures `first` to `end` - 1 that fit, in order; with each batch, up to where it goes."""
    step = 1 if KINDS[recipe.kind].slow else TASK_PICTURES
    while first < end:
        stop = min(end, first + step * ROUND_TASKS * executor.cpus())
        starts = range(first, stop, step)
        tasks = (CandidateTask(recipe, conditions, start, min(start + step, stop)) for start in starts)
        waiting: dict[int, tuple[int, pa.RecordBatch]] = {}
        for values, outcome in run_divisible_tasks(executor, fitting, tasks, divide_candidates):
            task = CandidateTask(*values)
            if isinstance(outcome, TaskFailure):
                raise ClusterError(
                    f"picture {task.first:,} could not be graded: {outcome.reason}; the same command resumes"
                )
            waiting[task.first] = task.last, outcome
            while first in waiting:
                first, rows = waiting.pop(first)
                yield first, rows


def rare_error(puzzles: KeptPuzzles) -> UserError:
    """Return the error for conditions that hardly any picture meets."""
    recipe = puzzles.recipe
    many = f"only {puzzles.kept:,}" if puzzles.kept else "none"
    pictures = f"{puzzles.drawn:,} {recipe.kind} {recipe.width}x{recipe.height} pictures"
    return UserError(
        f"{many} of {pictures} {'fit' if puzzles.kept > 1 else 'fits'} ({puzzles.conditions}); choose wider ranges, "
        "another size or density, or draw on with the same command"
    )
