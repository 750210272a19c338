"""Pictures made by rule: the same whatever the batch; puzzles from arrays against those made one by one."""

from itertools import pairwise

import numba
import numpy as np
import pyarrow as pa
import pytest
from stores import exhaustive
from strategies import PALETTE

from nonocensus.scrapers.pictures.recipe import Recipe, picture_batch, pictures, recipe_batch, views_of
from nonocensus.solver.model.puzzle import Puzzle, clues_of, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

RECIPES = [
    Recipe("random", 7, 4, 0.4, 3, 50),
    Recipe("random", 7, 3, 0.37, 3, 50),
    Recipe("blobs", 9, 11, 0.3, 3, 50),
    exhaustive(3, 2),
]


def test_picture_batch_equals_batch_of_puzzles() -> None:
    made = pictures(RECIPES[0], 0, 50)
    made[0], made[1] = 0, 1
    one_by_one = [
        from_picture(picture, puzzle_id=f"made/{k}", source="made", source_id=str(k)) for k, picture in enumerate(made)
    ]
    assert picture_batch(made, "made", pa.array(map(str, range(50)))).equals(puzzle_batch(one_by_one))


def test_clues_of_coloured_pictures_are_right() -> None:
    """Runs of different colours touch; the numbers of the colours stay as they are."""
    pictures = np.random.default_rng(0).integers(0, 3, (40, 5, 6)).astype(np.uint8)
    sides = [clues_of(picture) for picture in pictures]
    expected = views(puzzle_batch([Puzzle(rows, columns, PALETTE[:3]) for rows, columns in sides]))
    made = views_of(pictures)
    for one, other in ((made.rows, expected.rows), (made.columns, expected.columns)):
        assert [array.tolist() for array in one] == [array.tolist() for array in other]
    assert numba.typeof(made) == numba.typeof(expected), "kernels would be compiled for both"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.kind}-{recipe.width}x{recipe.height}")
def test_pictures_do_not_depend_on_batch(recipe: Recipe) -> None:
    every = pictures(recipe, 0, recipe.count)
    assert every.shape == (recipe.count, recipe.height, recipe.width)
    bounds = [0, 1, recipe.count // 2, recipe.count]
    parts = [pictures(recipe, first, last) for first, last in pairwise(bounds) if first < last]
    assert (np.concatenate(parts) == every).all()


def test_batch_made_in_chunks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [recipe_batch(recipe, 3, recipe.count) for recipe in RECIPES]
    monkeypatch.setattr("nonocensus.scrapers.pictures.recipe.CHUNK_CELLS", 100)
    assert all(recipe_batch(recipe, 3, recipe.count).equals(one) for recipe, one in zip(RECIPES, whole, strict=True))


def test_random_pictures_follow_numpy_generator() -> None:
    """So they are what they have always been: published figures name them by their seed."""
    drawn = np.random.default_rng(9).random((40, 4, 5), np.float32) < 0.3
    assert (pictures(Recipe("random", 5, 4, 0.3, 9, 40), 0, 40) == drawn).all()


@pytest.mark.parametrize(("density", "black"), [(0.0, 0), (0.004, 0), (0.3, 36), (0.5, 60), (1.0, 120)])
def test_blobs_have_exact_density(density: float, black: int) -> None:
    made = pictures(Recipe("blobs", 12, 10, density, 5, 8), 0, 8)
    assert set(made.sum(axis=(1, 2))) == {black}


def test_blobs_are_smooth() -> None:
    """Neighbours differ far more rarely than in random pictures; a side of less than five cells is not smoothed."""

    def changes(kind: str, width: int, height: int) -> float:
        made = pictures(Recipe(kind, width, height, 0.5, 5, 20), 0, 20)
        return float((made[:, :, 1:] != made[:, :, :-1]).mean())

    assert changes("blobs", 30, 20) < 0.2 < 0.4 < changes("random", 30, 20)
    assert changes("blobs", 4, 1) > 0.4


def test_exhaustive_pictures_are_distinct() -> None:
    made = pictures(exhaustive(3, 2), 0, 64)
    assert len({picture.tobytes() for picture in made}) == 64
    assert [k for k in range(64) if made[k, 1, 0]] == [k for k in range(64) if k >> 3 & 1]


def test_ids_hold_recipe_and_number() -> None:
    ids = [recipe_batch(recipe, 1, 3)["puzzle_id"].to_pylist() for recipe in (RECIPES[0], RECIPES[2], RECIPES[3])]
    assert ids == [
        ["random/7x4-0.4-3-1", "random/7x4-0.4-3-2"],
        ["blobs/9x11-0.3-3-1", "blobs/9x11-0.3-3-2"],
        ["exhaustive/3x2-1", "exhaustive/3x2-2"],
    ]
    batch = recipe_batch(RECIPES[2], 1, 2)
    assert (batch["source"][0].as_py(), batch["source_id"][0].as_py()) == ("blobs", "9x11-0.3-3-1")
