"""Generate puzzles of a difficulty: draw pictures in order, classify and grade them, keep those that fit."""

import math
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import ClusterError, UserError
from nonocensus.pipeline.executors.executor import ALL_CORES, SMALL_JOB, Resources, open_executor, run_tasks
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, batch_kinds, compile_missing
from nonocensus.pipeline.store.generation import check_recipe
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.pictures.recipe import KINDS, Recipe, picture_number, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.model.techniques import SEARCH, TECHNIQUES
from nonocensus.solver.people.minutes import parameters
from nonocensus.solver.people.puzzle_grade import grades

GRADES = range(1, TECHNIQUES[SEARCH].grade + 1)

CPU_LIMIT = 60.0
"""CPU seconds to classify a puzzle by search. One that takes longer ends the command: else the clock would choose."""

RARE = 10_000
"""The command ends when fewer than one in RARE of the pictures drawn fits."""

TASK_PICTURES = 100
"""Pictures of a task. What is kept does not depend on it, but after which picture a command gives up does."""

NO_END = 1 << 62


@dataclass(frozen=True)
class Conditions:
    """What a puzzle with exactly one solution has to meet: least and most of a measure, None for any value.

    minutes, stars   estimates (solver.people.minutes)
    grade            1 to 9
    """

    minutes: tuple[float, float] | None = None
    stars: tuple[float, float] | None = None
    grade: tuple[int, int] | None = None

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return least and most of each limited measure by column of the grades table."""
        return {name: bounds for name, bounds in asdict(self).items() if bounds is not None}

    @property
    def allow_search(self) -> bool:
        """Whether puzzles that need search may fit; they have no estimates."""
        return self.minutes is None and self.stars is None and (self.grade is None or self.grade[1] == GRADES[-1])

    def __str__(self) -> str:
        texts = {name: f"{low:.7g}" if low == high else f"{low:.7g} to {high:.7g}"
                 for name, (low, high) in self.bounds().items()}  # fmt: skip
        worded = (f"grade {text}" if name == "grade" else f"{text} {name}" for name, text in texts.items())
        return ", ".join(["unique", *worded])


def check_conditions(recipe: Recipe, conditions: Conditions) -> None:
    """Raise a UserError for invalid bounds, or if no picture of the recipe can meet the conditions."""
    for name, (low, high) in conditions.bounds().items():
        if not 0 <= low <= high < math.inf:
            raise UserError(f"--{name} {low:.7g}-{high:.7g} is not a range: two numbers from 0, the lower one first")
    if conditions.grade and not {*conditions.grade} <= {*GRADES}:
        raise UserError(f"--grade {conditions.grade[0]}-{conditions.grade[1]}: grades are 1 to {GRADES[-1]}")
    for name in ("minutes", "stars"):
        if getattr(conditions, name) is None:
            continue
        cells = max(model.cells for model in parameters().models.values())
        if recipe.width * recipe.height > cells:
            raise UserError(f"--{name}: there are no estimates for puzzles of more than {cells:,} cells")
        if conditions.grade and conditions.grade[0] == GRADES[-1]:
            raise UserError(f"--{name}: there are no estimates for puzzles of grade {GRADES[-1]}")


def find_fitting(recipe: Recipe, conditions: Conditions, first: int, last: int) -> pa.RecordBatch | str:
    """Return those puzzles of pictures `first` to `last` - 1 that meet the conditions, or why that is unknown.

    That is if CPU_LIMIT does not decide one of them; only puzzles that may need search have a limit.
    """
    puzzles = recipe_batch(recipe, first, last)
    rung, limit = ("search", CPU_LIMIT) if conditions.allow_search else ("probe", math.inf)
    results = classify(puzzles, cpu_limit=limit, rung=rung)
    late = puzzles.filter(pc.equal(results["status"], "timeout"))["puzzle_id"].to_pylist()
    if late:
        return f"{late[0]} is undecided after {limit:g} CPU seconds; choose another size or density"
    puzzles = puzzles.filter(pc.equal(results["solutions"], "unique"))
    found = grades(puzzles, np.ones(len(puzzles), np.bool_), math.inf)
    fits = pa.array(np.ones(len(puzzles), np.bool_))
    for name, (low, high) in conditions.bounds().items():
        fits = pc.and_(fits, pc.and_(pc.greater_equal(found[name], low), pc.less_equal(found[name], high)))
    return puzzles.filter(fits)


class GradedPictures(NamedTuple):
    """How many puzzles a command has kept, of how many pictures drawn."""

    kept: int
    drawn: int


def generate_graded(
    uri: str, recipe: Recipe, conditions: Conditions, resources: Resources, progress: ProgressCallbacks
) -> GradedPictures:
    """Fill a new store with the first pictures that meet the conditions: the recipe's count of them, or all there are.

    They depend on recipe and conditions alone. Nothing is written before the last one is found. Raises UserError for
    invalid conditions, if the store has puzzles, or if hardly any picture fits; ClusterError if one can't be graded.
    """
    check_recipe(recipe)
    check_conditions(recipe, conditions)
    end = end_of(recipe)
    with writer_lock(folder(uri)):
        store = create_store(uri)
        if store.parts():
            raise UserError(f"{store.folder.name} holds puzzles; choose another --out")
        compile_missing(batch_kinds(recipe_batch(recipe, 0, 1)), SOLVING, progress)
        progress.on_start("generating", recipe.count if recipe.count < end else None, 0)
        kept: list[pa.RecordBatch] = []
        count = drawn = 0
        with closing(in_order(recipe, conditions, resources, end)) as judged:
            for drawn, rows in judged:
                kept.append(rows.slice(0, recipe.count - count))
                count += len(kept[-1])
                progress.on_progress(len(kept[-1]), f"{drawn:,} drawn")
                if count == recipe.count:
                    drawn = picture_number(kept[-1]["puzzle_id"][-1].as_py()) + 1
                    break
                if recipe.count < end and drawn % TASK_PICTURES == 0 and drawn >= RARE * (count + 1):
                    raise rare_error(recipe, conditions, count, drawn)
        if not count:
            raise rare_error(recipe, conditions, count, drawn)
        append(store, kept)
    return GradedPictures(count, drawn)


def end_of(recipe: Recipe) -> int:
    """Return the number of pictures of the recipe's kind and size."""
    total = KINDS[recipe.kind].total
    return total(recipe.width, recipe.height) if total else NO_END


def in_order(
    recipe: Recipe, conditions: Conditions, resources: Resources, end: int
) -> Generator[tuple[int, pa.RecordBatch]]:
    """Yield the puzzles of all pictures that fit, in order; with each batch, up to where it goes."""
    starts = range(0, end, TASK_PICTURES)
    tasks = ((recipe, conditions, start, min(start + TASK_PICTURES, end)) for start in starts)
    deadline = time.process_time() + SMALL_JOB
    while resources == ALL_CORES and time.process_time() < deadline:
        task = next(tasks, None)
        if task is None:
            return
        yield task[3], _rows_of(find_fitting(*task), task[2])
    with open_executor(resources) as executor:
        for (*_, start, last), outcome in run_tasks(executor, find_fitting, tasks, in_order=True):
            yield last, _rows_of(outcome, start)


def _rows_of(judged: pa.RecordBatch | str | TaskFailure, first: int) -> pa.RecordBatch:
    """Return the puzzles of a task that begins with this picture; raise its error."""
    if isinstance(judged, str):
        raise UserError(judged)
    if isinstance(judged, TaskFailure):
        raise ClusterError(f"pictures from {first:,} could not be graded: {judged.reason}")
    return judged


def rare_error(recipe: Recipe, conditions: Conditions, count: int, drawn: int) -> UserError:
    """Return the error for conditions that hardly any picture meets."""
    many = f"only {count:,}" if count else "none"
    pictures = f"{drawn:,} {recipe.kind} {recipe.width}x{recipe.height} pictures"
    return UserError(
        f"{many} of {pictures} {'fit' if count > 1 else 'fits'} ({conditions}); choose wider ranges, another size or "
        "density"
    )
