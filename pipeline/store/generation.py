"""Fill a store with pictures made by rule, part by part.

A part is a function of the recipe and the part's number, so any process can make any part, and what a killed one has
not finished is made by the next. STORE/generate.json keeps the recipe, and the counts that it had before.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from typing import Any, NamedTuple, NotRequired, TypedDict

from pipeline.callbacks import ProgressCallbacks
from pipeline.errors import ClusterError, UserError
from pipeline.executors.executor import Resources, TaskFailure, check_resources, open_executor, run_tasks
from pipeline.store.lock import Lease, borrow_lease, check_lease, current_lease, writer_lock
from pipeline.store.parts import Part, Store, create_store, write_manifest, write_part
from pipeline.store.paths import folder
from scrapers.pictures.kinds import KINDS
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.model.puzzle import MAX_CELLS, MAX_COLORS

RECIPE, EARLIER = "generate.json", "earlier_counts"
GROUP_ROWS = 16_384
"""Most puzzles in a row group."""

GROUP_BYTES = 560 * GROUP_ROWS
"""Most bytes of a row group, one for a cell and four for a line: up to 20x20 all of its rows. More takes memory."""

LEAST_ROWS, LEAST_GROUPS = 1_024, 64
"""A recipe of few pictures is cut into more groups, down to this size, so that a run of it has work for all cores.

Where a picture takes seconds, a group may have one picture."""

GROUPS = 16
"""Row groups in a part."""

MOST_PARTS = 100_000


class PartTask(NamedTuple):
    """A part to be made: the recipe's pictures from `first` to `last` - 1, so many in a row group, under a lease."""

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
        """The numbers of the pictures in each of its row groups."""
        step = self.rows_per_group
        return [range(k, min(k + step, self.last)) for k in range(self.first, self.last, step)]

    @property
    def rows(self) -> int:
        """How many pictures it has."""
        return self.last - self.first


def rows_per_group(recipe: Recipe, count: int) -> int:
    """Puzzles in a row group of so many pictures of a recipe."""
    size = recipe.width * recipe.height + 4 * (recipe.width + recipe.height)
    least = 1 if KINDS[recipe.kind].slow else LEAST_ROWS
    return min(GROUP_ROWS, GROUP_BYTES // size, max(least, count // LEAST_GROUPS))


class RecipeHistory(TypedDict):
    """What generate.json has beside the recipe: the counts that it had before."""

    earlier_counts: NotRequired[list[int]]


def missing_parts(uri: str, recipe: Recipe) -> list[PartTask]:
    """The parts that are still to be made, in a new store or one that was begun with this recipe.

    A recipe that differs in a larger count alone goes on where the store's ends. A UserError refuses a store with
    another one, showing the difference, or with other puzzles, and a recipe that would take too many parts; nothing is
    written then.
    """
    _refuse_senseless(recipe)
    _refuse_too_many(recipe)
    store = create_store(uri)
    earlier = earlier_counts(store, recipe)
    tasks = {task.name: task for task in _tasks(store.folder.uri, recipe, [*earlier, recipe.count])}
    for part in store.parts():
        task = tasks.pop(part.name, None)
        if task is None or part.groups != [len(group) for group in task.groups] or not _made_by(store, part, task):
            raise UserError(f"{uri} holds other puzzles than those of its recipe, in {part.name}; choose another --out")
    write_manifest(store)
    check_lease(store.folder)
    store.folder.write_json(RECIPE, asdict(recipe) | ({EARLIER: earlier} if earlier else {}))
    store.puzzles.sweep()
    return [task._replace(lease=current_lease(store.folder)) for task in tasks.values()]


def _made_by(store: Store, part: Part, task: PartTask) -> bool:
    """Whether a part begins with the picture that a task would make first."""
    first = recipe_batch(task.recipe, task.groups[0].start, task.groups[0].start + 1)["puzzle_id"]
    return all(batch["puzzle_id"].equals(first) for _, batch in store.read(part, [(0, 1)], ["puzzle_id"]))


def _refuse_senseless(recipe: Recipe) -> None:
    """Raise a UserError for a recipe that no picture can follow."""
    kind = KINDS.get(recipe.kind)
    if kind is None:
        raise UserError(f"{recipe.kind} is no kind of pictures: {', '.join(KINDS)}")
    sides = 1 <= min(recipe.width, recipe.height) <= max(recipe.width, recipe.height) <= MAX_CELLS
    density = kind.density and 0 <= recipe.density <= 1 if recipe.density is not None else not kind.density
    seed = kind.seed and recipe.seed >= 0 if recipe.seed is not None else not kind.seed
    colors = 1 <= recipe.colors <= (MAX_COLORS if kind.colored else 1)
    if not (sides and density and seed and colors) or recipe.count < 1:
        raise UserError(
            f"{recipe} is no recipe: sides are 1 to {MAX_CELLS}, densities 0 to 1, seeds from 0, colours 1 to "
            f"{MAX_COLORS}, and there is a picture at least"
        )
    if refusal := kind.refusal(recipe.width, recipe.height):
        raise UserError(f"no {recipe.kind} of {recipe.width}x{recipe.height}: {refusal}")
    total = kind.total and kind.total(recipe.width, recipe.height)
    if total is not None and recipe.count > total:
        raise UserError(f"there are {total:,} {recipe.kind} of {recipe.width}x{recipe.height}, not {recipe.count:,}")


def _refuse_too_many(recipe: Recipe) -> None:
    """Raise a UserError for more pictures than a store takes."""
    most = MOST_PARTS * GROUPS * rows_per_group(recipe, recipe.count)
    if recipe.count > most:
        size = f"{recipe.width}x{recipe.height}"
        count = f"2^{recipe.width * recipe.height}" if recipe.kind == "exhaustive" else f"{recipe.count:,}"
        raise UserError(f"{count} pictures of {size} are too many for a store, which takes {most:,} of them")


def _tasks(uri: str, recipe: Recipe, counts: list[int]) -> Iterator[PartTask]:
    """All parts of a store whose recipe had one count after the other: each goes on in parts of its own."""
    number = 0
    for first, last in pairwise([0, *counts]):
        step = rows_per_group(recipe, last - first)
        for start in range(first, last, step * GROUPS):
            yield PartTask(uri, recipe, number, start, min(start + step * GROUPS, last), step)
            number += 1


def earlier_counts(store: Store, recipe: Recipe) -> list[int]:
    """The counts that a store's recipe has had before this one.

    A UserError refuses a store that has another recipe, or puzzles from elsewhere.
    """
    if not store.folder.has(RECIPE):
        if store.parts():
            raise UserError(f"{store.folder.name} holds puzzles that were not generated; choose another --out")
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


def make_part(task: PartTask) -> dict[str, Any]:
    """Make and write one part, a row group at a time; returns its name, its rows and the CPU seconds it took."""
    start = time.process_time()
    batches = (recipe_batch(task.recipe, group.start, group.stop) for group in task.groups)
    with borrow_lease(task.lease):
        rows = write_part(Store(folder(task.store)), task.name, next(batches), batches, GROUPS)
    return {"part": task.name, "rows": rows, "cpu_seconds": round(time.process_time() - start, 6)}


TRIES = 3
"""Times that a part is tried whose making fails."""

EACH = 1e-4
"""CPU seconds of a picture, roughly, of kinds that are not slow."""


def fill_store(uri: str, recipe: Recipe, resources: Resources, callbacks: ProgressCallbacks) -> int:
    """Make what a store lacks of a recipe's pictures; returns how many were made. The same call again goes on.

    A UserError refuses a store with other puzzles, and one that another command writes to; a ClusterError says that
    parts could not be made.
    """
    check_resources(resources)
    with writer_lock(folder(uri)):
        left = missing_parts(uri, recipe)
        rows = sum(task.rows for task in left)
        callbacks.on_start("generating", rows)
        reason = ""
        for _ in range(TRIES):
            lost: list[PartTask] = []
            if left:
                with open_executor(resources, rows * (math.inf if KINDS[recipe.kind].slow else EACH)) as executor:
                    for (part,), made in run_tasks(executor, make_part, ((part,) for part in left)):
                        if isinstance(made, TaskFailure):
                            lost.append(part)
                            reason = made.reason
                        else:
                            callbacks.on_progress(made["rows"], "")
            left = lost
        if left:
            raise ClusterError(f"{len(left)} parts could not be made: {reason}; the same command goes on")
        return rows
