"""Recipes: pictures made by rule and numbered, and their puzzles in whole batches, no Python object for any of them.

Each picture is a function of the recipe and its number alone: whoever makes it, in whatever batch, it is the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrapers.formats.colors import Wish, palette_of
from scrapers.pictures.letters import letters
from scrapers.pictures.picture_batch import picture_batch
from scrapers.pictures.rules import (
    colored,
    cycles,
    dominoes,
    every_picture,
    random_pictures,
    shapes,
    smooth_pictures,
    symmetric_pictures,
)


def _hard(*arguments: Any) -> np.ndarray:
    """Those of scrapers.pictures.hardest, loaded for this kind alone: the whole ladder takes a tenth of a second."""
    from scrapers.pictures.hardest import hard_pictures

    return hard_pictures(*arguments)


PIECE_CELLS = 1 << 17
"""Cells made at a time: all that is reckoned on the way takes little memory, and stays in the processor's cache."""

DRAWN_BY: dict[str, Callable[..., np.ndarray]] = {
    "random": random_pictures,
    "blobs": smooth_pictures,
    "symmetric": symmetric_pictures,
    "shapes": shapes,
    "letters": letters,
    "cycles": cycles,
    "dominoes": dominoes,
    "hard": _hard,
    "exhaustive": every_picture,
}
"""What draws each kind: width, height, density and seed if it has them, the first number and one after the last."""


@dataclass(frozen=True)
class Recipe:
    """Pictures number 0 to `count` - 1 of one kind.

    kind            of scrapers.pictures.kinds.KINDS
    density, seed   None for kinds that have none
    colors          colours beside the background
    """

    kind: str
    width: int
    height: int
    density: float | None
    seed: int | None
    count: int
    colors: int = 1


def pictures(recipe: Recipe, first: int, last: int) -> np.ndarray:
    """Pictures number `first` to `last` - 1 of a recipe, uint8[last - first, height, width] of palette entries."""
    given = [value for value in (recipe.density, recipe.seed) if value is not None]
    drawn = DRAWN_BY[recipe.kind](recipe.width, recipe.height, *given, first, last)
    if recipe.colors > 1:
        assert recipe.seed is not None, "kinds without a seed have no colours"
        drawn = colored(drawn, recipe.colors, recipe.seed, first, by_cell=recipe.kind == "random")
    return drawn


def recipe_batch(recipe: Recipe, first: int, last: int) -> pa.RecordBatch:
    """A batch of the puzzles table: the puzzles of a recipe's pictures, "random/10x10-0.5-1-123" the id of number 123.

    The numbers after the size are density and seed, and the colours as in 3c if there are several.
    """
    numbers = [f"{recipe.width}x{recipe.height}"]
    if recipe.density is not None:
        numbers.append(f"{recipe.density:g}")
    if recipe.seed is not None:
        numbers.append(f"{recipe.seed}")
    if recipe.colors > 1:
        numbers.append(f"{recipe.colors}c")
    palette = palette_of([Wish()] * recipe.colors)
    step = max(1, PIECE_CELLS // (recipe.width * recipe.height))
    pieces = []
    for start in range(first, last, step):
        end = min(start + step, last)
        ids = pc.binary_join_element_wise("-".join(numbers), pa.array(np.arange(start, end)).cast(pa.string()), "-")
        pieces.append(picture_batch(pictures(recipe, start, end), recipe.kind, ids, palette))
    return pa.concat_batches(pieces)
