"""Stores for the pipeline's tests, and results of commands."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nonocensus.pipeline.settings import Settings, default_settings
from nonocensus.pipeline.store.parts import Store, append, create_store
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch

SMALL_GROUPS = default_settings()._replace(rows_per_group=5, groups_per_part=10)
"""Ten row groups of five puzzles in a part."""


def sampled(cases: Sequence[Any], step: int) -> list[Any]:
    """Mark all cases but every step-th as slow."""
    slow = [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]
    return [case if k % step == 0 else slow[k] for k, case in enumerate(cases)]


class Result(NamedTuple):
    code: int
    out: str
    err: str


def random_store(tmp_path: Path, recipe: Recipe, settings: Settings | None = None) -> Store:
    """Create a store of a recipe's puzzles, random/22x22-0.45-5-0 and so on."""
    place = create_store(str(tmp_path / "store"))
    append(place, [recipe_batch(recipe, 0, recipe.count)], settings)
    return place


HOLDER = """
import sys
from nonocensus.pipeline.store.paths import folder
from nonocensus.pipeline.store.lock import writer_lock
with writer_lock(folder(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(place: Path) -> Iterator["subprocess.Popen[str]"]:
    """Hold a folder's lock in another process until it is signalled or killed."""
    command = [sys.executable, "-c", HOLDER, str(place)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def exhaustive(width: int, height: int) -> Recipe:
    """Return the recipe of every picture of a size."""
    return Recipe("exhaustive", width, height, None, None, 1 << width * height)
