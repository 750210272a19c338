"""Fill a store with pictures made by rule, part by part.

A part is a function of the recipe and the part's number, so any process can make any part, and what a killed one has
not finished is made by the next. STORE/generate.json keeps the recipe.
"""

import time
from dataclasses import asdict
from typing import Any, NamedTuple

from pipeline.errors import UserError
from pipeline.store.folder import folder
from pipeline.store.parts import Store, create_store, mark, write_part
from scrapers.generate import Recipe, recipe_batch

RECIPE = "generate.json"
GROUP_ROWS = 16_384
"""Most puzzles in a row group."""

GROUP_BYTES = 560 * GROUP_ROWS
"""Most bytes of a row group, one for a cell and four for a line: up to 20x20 all of its rows. More takes memory."""

LEAST_ROWS, LEAST_GROUPS = 1_024, 64
"""A recipe of few pictures is cut into more groups, down to this size, so that a run of it has work for all cores."""

GROUPS = 16
"""Row groups in a part."""

MOST_PARTS = 100_000


class Task(NamedTuple):
    """A part to be made."""

    store: str
    recipe: Recipe
    number: int

    @property
    def name(self) -> str:
        """The part's name in the store."""
        return f"part-{self.number:05d}"

    @property
    def groups(self) -> list[range]:
        """The numbers of the pictures in each of its row groups."""
        rows, count = rows_per_group(self.recipe), self.recipe.count
        first = self.number * rows * GROUPS
        last = min(first + rows * GROUPS, count)
        return [range(k, min(k + rows, last)) for k in range(first, last, rows)]

    @property
    def rows(self) -> int:
        """How many pictures it has."""
        return sum(map(len, self.groups))


def rows_per_group(recipe: Recipe) -> int:
    """Puzzles in a row group."""
    size = recipe.width * recipe.height + 4 * (recipe.width + recipe.height)
    return min(GROUP_ROWS, GROUP_BYTES // size, max(LEAST_ROWS, recipe.count // LEAST_GROUPS))


def plan(uri: str, recipe: Recipe) -> list[Task]:
    """The parts that are still to be made, in a new store or one that was begun with this recipe.

    A UserError refuses a store with another recipe, showing the difference, or with other puzzles, and a recipe that
    would take too many parts.
    """
    most = MOST_PARTS * GROUPS * rows_per_group(recipe)
    if recipe.count > most:
        size = f"{recipe.width}x{recipe.height}"
        count = f"2^{recipe.width * recipe.height}" if recipe.kind == "exhaustive" else f"{recipe.count:,}"
        raise UserError(f"{count} pictures of {size} are too many for a store, which takes {most:,} of them")
    store = create_store(uri)
    begin(store, recipe)
    parts = -(-recipe.count // (GROUPS * rows_per_group(recipe)))
    tasks = {task.name: task for task in (Task(store.folder.uri, recipe, number) for number in range(parts))}
    for part in store.parts():
        task = tasks.pop(part.name, None)
        if task is None or part.groups != [len(group) for group in task.groups]:
            raise UserError(f"{uri} holds other puzzles than those of its recipe, in {part.name}; choose another --out")
    return list(tasks.values())


def begin(store: Store, recipe: Recipe) -> None:
    """Keep the recipe in a new store; refuse one that has another, or puzzles from elsewhere."""
    if store.folder.has(RECIPE):
        there, here = store.folder.read_record(RECIPE, dict), asdict(recipe)
        differences = [
            f"{key} is {there.get(key)} there and {here.get(key)} here"
            for key in (here | there)
            if there.get(key) != here.get(key)
        ]
        if differences:
            raise UserError(
                f"{store.folder.name} holds another recipe's puzzles: {'; '.join(differences)}; choose another --out"
            )
    elif store.parts():
        raise UserError(f"{store.folder.name} holds puzzles that were not generated; choose another --out")
    else:
        mark(store)
        store.folder.write_json(RECIPE, asdict(recipe))
    store.puzzles.sweep()


def make_part(task: Task) -> dict[str, Any]:
    """Make and write one part, a row group at a time; returns its name, its rows and the CPU seconds it took."""
    start = time.process_time()
    batches = (recipe_batch(task.recipe, group.start, group.stop) for group in task.groups)
    rows = write_part(folder(task.store) / "puzzles", task.name, next(batches), batches, GROUPS)
    return {"part": task.name, "rows": rows, "cpu_seconds": round(time.process_time() - start, 6)}
