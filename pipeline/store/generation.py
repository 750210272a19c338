"""Fill a store with generated pictures, part by part.

A part is a pure function of the recipe and its number, so any process can make it, and an interrupted command resumes.
STORE/generate.json has the recipe and its earlier counts.
"""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import NamedTuple, NotRequired, TypedDict

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import ClusterError, StorageError, UserError
from nonocensus.pipeline.executors.executor import Resources, open_executor, run_tasks
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.store.lock import Lease, borrow_lease, check_lease, current_lease, writer_lock
from nonocensus.pipeline.store.parts import (
    DEFAULT_SHAPE,
    RECIPE,
    Part,
    PartShape,
    Store,
    create_store,
    write_manifest,
    write_part,
)
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.pictures.recipe import KINDS, Recipe, recipe_batch
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_COLORS

EARLIER = "earlier_counts"
GROUP_ROWS = 16_384
"""Maximum of puzzles in a row group."""

GROUP_BYTES = 560 * GROUP_ROWS
"""Maximum of bytes in a row group, one per cell and four per line; reached above 20x20."""

MIN_GROUPS = 64
"""A small recipe is cut into this many row groups if it can be, so that all cores of a run have work."""

MAX_PARTS = 100_000


class PartTask(NamedTuple):
    """A part to make: the recipe's pictures `first` to `last` - 1, written under a lease."""

    store: str
    recipe: Recipe
    number: int
    first: int
    last: int
    rows_per_group: int
    lease: Lease | None = None

    @property
    def name(self) -> str:
        """The part's name in the store."""
        return f"part-{self.number:05d}"

    @property
    def groups(self) -> list[range]:
        """The picture numbers of each row group."""
        step = self.rows_per_group
        return [range(k, min(k + step, self.last)) for k in range(self.first, self.last, step)]

    @property
    def rows(self) -> int:
        """The number of pictures."""
        return self.last - self.first


def rows_per_group(recipe: Recipe, count: int, least: int) -> int:
    """Return the rows per group for `count` pictures of a recipe, `least` if they are few and small."""
    size = recipe.width * recipe.height + 4 * (recipe.width + recipe.height)
    return min(GROUP_ROWS, GROUP_BYTES // size, max(least, count // MIN_GROUPS))


class RecipeHistory(TypedDict):
    """The fields of generate.json besides the recipe."""

    earlier_counts: NotRequired[list[int]]


def missing_parts(uri: str, recipe: Recipe, shape: PartShape = DEFAULT_SHAPE) -> list[PartTask]:
    """Return the parts of a recipe that a store lacks.

    A recipe that only has a larger count than the store's extends it. Raises UserError, before anything is written, for
    a store with another recipe or other puzzles, and for an invalid or too large recipe.
    """
    check_recipe(recipe)
    check_size(recipe, shape)
    store = create_store(uri)
    earlier = earlier_counts(store, recipe)
    tasks = {task.name: task for task in part_tasks(store.folder.uri, recipe, [*earlier, recipe.count], shape)}
    for part in store.parts():
        task = tasks.pop(part.name, None)
        if task is None or part.groups != [len(group) for group in task.groups] or not _made_by(store, part, task):
            what = f"other puzzles than those of its recipe, in {part.name}"
            raise UserError(f"{store.folder.name} holds {what}; choose another --out")
    write_manifest(store)
    check_lease(store.folder)
    store.folder.write_json(RECIPE, asdict(recipe) | ({EARLIER: earlier} if earlier else {}))
    store.puzzles.sweep()
    return [task._replace(lease=current_lease(store.folder)) for task in tasks.values()]


def _made_by(store: Store, part: Part, task: PartTask) -> bool:
    """Return whether a part begins with the task's first picture."""
    first = recipe_batch(task.recipe, task.groups[0].start, task.groups[0].start + 1)["puzzle_id"]
    return all(batch["puzzle_id"].equals(first) for _, batch in store.read(part, [(0, 1)], ["puzzle_id"]))


def check_recipe(recipe: Recipe) -> None:
    """Raise a UserError for an invalid recipe."""
    kind = KINDS.get(recipe.kind)
    if kind is None:
        raise UserError(f"{recipe.kind} is not a kind of pictures: {', '.join(KINDS)}")
    sides = 1 <= min(recipe.width, recipe.height) <= max(recipe.width, recipe.height) <= MAX_CELLS
    density = kind.density and 0 <= recipe.density <= 1 if recipe.density is not None else not kind.density
    seed = kind.seed and recipe.seed >= 0 if recipe.seed is not None else not kind.seed
    colors = 1 <= recipe.colors <= (MAX_COLORS if kind.seed else 1)
    if not (sides and density and seed and colors) or recipe.count < 1:
        raise UserError(
            f"{recipe} is not a valid recipe: sides are 1 to {MAX_CELLS}, densities 0 to 1, seeds from 0, colours 1 to "
            f"{MAX_COLORS}, and there is a picture at least"
        )
    if refusal := kind.refusal(recipe.width, recipe.height):
        raise UserError(f"no {recipe.kind} of {recipe.width}x{recipe.height}: {refusal}")
    total = kind.total and kind.total(recipe.width, recipe.height)
    if total is not None and recipe.count > total:
        raise UserError(f"there are {total:,} {recipe.kind} of {recipe.width}x{recipe.height}, not {recipe.count:,}")


def check_size(recipe: Recipe, shape: PartShape) -> None:
    """Raise a UserError for more pictures than MAX_PARTS hold."""
    maximum = MAX_PARTS * shape.groups_per_part * rows_per_group(recipe, recipe.count, shape.rows_per_group)
    if recipe.count > maximum:
        size = f"{recipe.width}x{recipe.height}"
        count = f"2^{recipe.width * recipe.height}" if recipe.kind == "exhaustive" else f"{recipe.count:,}"
        raise UserError(f"{count} pictures of {size} are too many for a store, which takes {maximum:,} of them")


def part_tasks(uri: str, recipe: Recipe, counts: list[int], shape: PartShape) -> Iterator[PartTask]:
    """Yield all parts of a recipe with growing counts; each extension begins a new part."""
    number = 0
    for first, last in pairwise([0, *counts]):
        step = rows_per_group(recipe, last - first, shape.rows_per_group)
        rows = step * shape.groups_per_part
        for start in range(first, last, rows):
            yield PartTask(uri, recipe, number, start, min(start + rows, last), step)
            number += 1


def earlier_counts(store: Store, recipe: Recipe) -> list[int]:
    """Return the earlier counts of a store's recipe.

    Raises UserError if the store has another recipe, or puzzles without one.
    """
    if not store.folder.has(RECIPE):
        if store.parts():
            raise UserError(f"{store.folder.name} holds puzzles of no recipe; choose another --out")
        return []
    kept = store.folder.read_record(RECIPE, Recipe)
    earlier = store.folder.read_record(RECIPE, RecipeHistory).get("earlier_counts", [])
    there, here = asdict(kept), asdict(recipe)
    differing = [key for key in here if there[key] != here[key]]
    if differing == ["count"] and kept.count < recipe.count:
        return [*earlier, kept.count]
    if differing:
        differences = [f"{key} is {there[key]} there and {here[key]} here" for key in differing]
        raise UserError(
            f"{store.folder.name} holds another recipe's puzzles: {'; '.join(differences)}; choose another --out"
        )
    return earlier


def make_part(task: PartTask) -> int | str:
    """Make and write one part; return its rows, or why it can't be written."""
    batches = (recipe_batch(task.recipe, group.start, group.stop) for group in task.groups)
    try:
        with borrow_lease(task.lease):
            return write_part(Store(folder(task.store)), task.name, next(batches), batches, len(task.groups))
    except OSError as error:
        return f"{task.store}/{task.name} can't be written: {error.strerror or error}"


MAX_ATTEMPTS = 3
"""Attempts at parts that fail."""

PICTURE_SECONDS = 1e-4
"""Estimated CPU seconds per picture."""


def fill_store(uri: str, recipe: Recipe, resources: Resources, progress: ProgressCallbacks) -> int:
    """Make the pictures of a recipe that a store lacks; return their number. The same call resumes after an interrupt.

    Raises UserError as `missing_parts` or if another command writes to the store, StorageError if one can't be
    written, ClusterError if parts failed.
    """
    with writer_lock(folder(uri)):
        left = missing_parts(uri, recipe)
        rows = sum(task.rows for task in left)
        progress.on_start("generating", rows, 0)
        failure: TaskFailure | str = ""
        for _ in range(MAX_ATTEMPTS):
            lost: list[PartTask] = []
            if left:
                with open_executor(resources, rows * PICTURE_SECONDS) as executor:
                    for (part,), made in run_tasks(executor, make_part, ((part,) for part in left)):
                        if isinstance(made, TaskFailure | str):
                            lost.append(part)
                            failure = made
                        else:
                            progress.on_progress(made, "")
            left = lost
        if left:
            if isinstance(failure, str):
                raise StorageError(f"{failure}; once that is fixed, the same command resumes")
            raise ClusterError(f"{len(left)} parts could not be made: {failure.reason}; the same command resumes")
        return rows
