"""Stores for the pipeline's tests, and what a command has come to."""

from pathlib import Path
from typing import NamedTuple

from pipeline.settings import Settings, default_settings
from pipeline.store.parts import Store, append, create_store
from scrapers.generate import Recipe, recipe_batch

SMALL_GROUPS = default_settings()._replace(rows_per_group=5, groups_per_part=10)
"""Ten row groups of five puzzles in a part."""


class Result(NamedTuple):
    code: int
    out: str
    err: str


def random_store(tmp_path: Path, recipe: Recipe, settings: Settings | None = None) -> Store:
    """A store of a recipe's puzzles, random/22x22-0.45-5-0 and so on."""
    place = create_store(str(tmp_path / "store"))
    append(place, [recipe_batch(recipe, 0, recipe.count)], settings)
    return place
