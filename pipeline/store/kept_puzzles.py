"""Fill a store with those puzzles of a recipe that meet conditions, in the order of their picture numbers.

The kept puzzles are cut into parts like the pictures of a recipe without conditions; a part that is still to grow is
replaced by a longer one. STORE/generate.json has recipe, conditions, and the number of pictures drawn. It is written
after the parts: a process killed in between has stored more puzzles than the file says, the last of which tells up to
where pictures were drawn.
"""

import time
from collections import deque
from dataclasses import asdict, dataclass, field

import pyarrow as pa

from nonocensus.pipeline.store.conditions import Conditions, check_conditions
from nonocensus.pipeline.store.generation import (
    EARLIER,
    RECIPE,
    PartLayout,
    PartTask,
    RecipeHistory,
    check_recipe,
    check_size,
    earlier_counts,
    other_puzzles,
    part_tasks,
)
from nonocensus.pipeline.store.lock import check_lease
from nonocensus.pipeline.store.parts import Store, create_store, one_batch, write_manifest, write_part
from nonocensus.scrapers.pictures.recipe import Recipe, picture_number
from nonocensus.solver.model.tables import PUZZLES

KEPT_LAYOUT = PartLayout(groups_per_part=1)
"""Parts are small, since one that grows is written again and again."""

SAVE_INTERVAL = 30.0
"""Seconds of work that a killed process may lose."""


@dataclass
class KeptPuzzles:
    """The kept puzzles of a store.

    earlier   earlier counts of the recipe
    parts     parts to fill; the first one may have puzzles
    rows      puzzles of the first part to fill, stored or not
    stored    how many of them are stored
    kept      puzzles in all parts
    drawn     pictures drawn for them: all that fit among pictures 0 to `drawn` - 1 are kept
    saved     time of the last save
    intact    whether no change was interrupted; else the fields may disagree, and only the store counts
    """

    store: Store
    recipe: Recipe
    conditions: Conditions
    earlier: list[int]
    parts: deque[PartTask]
    rows: list[pa.RecordBatch] = field(default_factory=list)
    stored: int = 0
    kept: int = 0
    drawn: int = 0
    saved: float = field(default_factory=time.monotonic)
    intact: bool = True

    @property
    def missing(self) -> int:
        """Return how many puzzles are missing."""
        return self.recipe.count - self.kept

    def add(self, rows: pa.RecordBatch, drawn: int) -> None:
        """Add puzzles that fit, of pictures up to number `drawn` - 1; those beyond the count are not drawn."""
        self.intact = False
        if len(rows) >= self.missing:
            rows = rows.slice(0, self.missing)
            drawn = (picture_number(self.recipe, rows["puzzle_id"][len(rows) - 1].as_py()) or 0) + 1
        self.rows.append(rows)
        self.kept += len(rows)
        self.drawn = drawn
        self.intact = True
        if time.monotonic() - self.saved > SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        """Write the parts that have new puzzles, then generate.json."""
        self.intact = False
        table = pa.Table.from_batches(self.rows, PUZZLES)
        while len(table) > self.stored:
            part = self.parts[0]
            write_part(self.store, part.name, one_batch(table.slice(0, part.rows)), iter(()), 1)
            if len(table) < part.rows:
                self.stored = len(table)
            else:
                self.parts.popleft()
                self.stored = 0
                table = table.slice(part.rows)
        self.rows = table.to_batches()
        check_lease(self.store.folder)
        history = {EARLIER: self.earlier} if self.earlier else {}
        progress = {"kept": self.kept, "drawn": self.drawn}
        fields = asdict(self.recipe) | self.conditions.bounds() | history | progress
        self.store.folder.write_json(RECIPE, fields)
        self.saved = time.monotonic()
        self.intact = True


def open_kept_puzzles(uri: str, recipe: Recipe, conditions: Conditions) -> KeptPuzzles:
    """Open a store to fill, created if missing; conditions with a larger count than the store's extend it.

    Puzzles after a part that is missing or too short are made again. Raises UserError, before anything is written, for
    invalid conditions, and as `pipeline.store.generation.missing_parts`.
    """
    check_recipe(recipe)
    check_size(recipe, KEPT_LAYOUT)
    check_conditions(conditions)
    store = create_store(uri)
    earlier = earlier_counts(store, recipe, conditions)
    parts = deque(part_tasks(store.folder.uri, recipe, [*earlier, recipe.count], KEPT_LAYOUT))
    puzzles = KeptPuzzles(store, recipe, conditions, earlier, parts)
    last_numbers = _last_numbers(puzzles)
    there = {part.name: part for part in store.parts()}
    while parts and (part := there.get(parts[0].name)):
        puzzles.kept += part.rows
        puzzles.drawn = last_numbers[part.name] + 1
        if part.rows < parts[0].rows:
            puzzles.rows = [batch for _, batch in store.read(part, [(0, part.rows)])]
            puzzles.stored = part.rows
            break
        parts.popleft()
    history = store.folder.read_record(RECIPE, RecipeHistory) if store.folder.has(RECIPE) else RecipeHistory()
    if puzzles.kept >= history.get("kept", 0):
        puzzles.drawn = max(puzzles.drawn, history.get("drawn", 0))
    write_manifest(store)
    puzzles.save()
    store.puzzles.sweep()
    return puzzles


def _last_numbers(puzzles: KeptPuzzles) -> dict[str, int]:
    """Return the picture number of each part's last puzzle, by name.

    Raises UserError for parts that are longer than those of the recipe, or end with a puzzle of another.
    """
    store, numbers = puzzles.store, dict[str, int]()
    rows = {part.name: part.rows for part in puzzles.parts}
    for part in store.parts():
        last = next(batch for _, batch in store.read(part, [(part.rows - 1, part.rows)], ["puzzle_id"]))
        number = picture_number(puzzles.recipe, last["puzzle_id"][0].as_py())
        if number is None or part.rows > rows.get(part.name, 0):
            raise other_puzzles(store, part)
        numbers[part.name] = number
    return numbers
