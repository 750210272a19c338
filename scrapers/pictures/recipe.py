"""Recipes: generated, numbered pictures and their puzzles in batches.

A picture depends only on the recipe and its number, not on the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.pictures.letters import letters
from nonocensus.scrapers.pictures.picture_batch import picture_batch
from nonocensus.scrapers.pictures.rules import (
    add_colors,
    cycles,
    dominoes,
    every_picture,
    random_pictures,
    shapes,
    smooth_pictures,
    symmetric_pictures,
)

CHUNK_CELLS = 1 << 17
"""Cells generated at a time, so that intermediate arrays stay in the CPU's cache."""

GENERATORS: dict[str, Callable[..., np.ndarray]] = {
    "random": random_pictures,
    "blobs": smooth_pictures,
    "symmetric": symmetric_pictures,
    "shapes": shapes,
    "letters": letters,
    "cycles": cycles,
    "dominoes": dominoes,
    "exhaustive": every_picture,
}
"""Generators by kind: functions of width, height, density and seed (if the kind has them), first number and end."""


@dataclass(frozen=True)
class Recipe:
    """Pictures number 0 to `count` - 1 of one kind.

    kind            of scrapers.pictures.kinds.KINDS
    density, seed   None for kinds without
    colors          number of colours besides the background
    """

    kind: str
    width: int
    height: int
    density: float | None
    seed: int | None
    count: int
    colors: int = 1


def pictures(recipe: Recipe, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1, uint8[last - first, height, width] of palette entries."""
    given = [value for value in (recipe.density, recipe.seed) if value is not None]
    drawn = GENERATORS[recipe.kind](recipe.width, recipe.height, *given, first, last)
    if recipe.colors > 1:
        assert recipe.seed is not None, "kinds without a seed have no colours"
        drawn = add_colors(drawn, recipe.colors, recipe.seed, first, by_cell=recipe.kind == "random")
    return drawn


def source_name(recipe: Recipe) -> str:
    """Return the part of ids before the picture number: size, density and seed (if any), colours (3c) if several."""
    numbers = [f"{recipe.width}x{recipe.height}"]
    if recipe.density is not None:
        numbers.append(f"{recipe.density:g}")
    if recipe.seed is not None:
        numbers.append(f"{recipe.seed}")
    if recipe.colors > 1:
        numbers.append(f"{recipe.colors}c")
    return "-".join(numbers)


def picture_number(puzzle_id: str) -> int:
    """Return the picture number in the id of a generated puzzle."""
    return int(puzzle_id.rpartition("-")[2])


def recipe_batch(recipe: Recipe, first: int, last: int) -> pa.RecordBatch:
    """Return a batch of the puzzles table; the id of picture 123 is like "random/10x10-0.5-1-123"."""
    palette = palette_of([ColorSpec()] * recipe.colors)
    step = max(1, CHUNK_CELLS // (recipe.width * recipe.height))
    batches = []
    for start in range(first, last, step):
        end = min(start + step, last)
        ids = pc.binary_join_element_wise(source_name(recipe), pa.array(np.arange(start, end)).cast(pa.string()), "-")
        batches.append(picture_batch(pictures(recipe, start, end), recipe.kind, ids, palette))
    return pa.concat_batches(batches)
