"""Pictures made by rule: the same whatever the batch, and as the rules say."""

from itertools import pairwise

import numba
import numpy as np
import pyarrow as pa
import pytest
from stores import exhaustive
from strategies import PALETTE

from nonocensus.scrapers.pictures.recipe import Recipe, picture_batch, pictures, recipe_batch, views_of
from nonocensus.scrapers.pictures.rules import (
    HEIGHT,
    WIDTH,
    add_colors,
    cycles,
    dominoes,
    glyphs,
    letters,
    random_pictures,
    shapes,
    symmetric_pictures,
)
from nonocensus.solver.api import solve
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


@pytest.mark.parametrize("width", [1, 8, 9])
def test_symmetric_pictures_equal_their_mirror_images(width: int) -> None:
    made = symmetric_pictures(width, 6, 0.4, 1, 0, 200)
    assert (made == made[:, :, ::-1]).all()
    assert abs(made.mean() - 0.4) < 0.03
    assert len({picture.tobytes() for picture in made}) > (10 if width == 1 else 190)


def test_shapes_have_about_their_density() -> None:
    for density in (0.0, 0.2, 0.5, 0.9):
        made = shapes(25, 20, density, 1, 0, 40)
        assert (made.mean(axis=(1, 2)) >= density).mean() > 0.9
        assert abs(made.mean() - density) < 0.12
    assert not shapes(25, 20, 0.0, 1, 0, 3).any()


def test_letters_match_the_font() -> None:
    """The smallest picture has one, whole; larger ones have several, all of them from the font."""
    assert glyphs().shape == (36, HEIGHT, WIDTH)
    font = {glyph.tobytes() for glyph in glyphs()}
    assert len(font) == 36
    assert all(picture.tobytes() in font for picture in letters(WIDTH, HEIGHT, 1, 0, 50))
    for picture in letters(23, 15, 2, 0, 50):
        top, left = np.argwhere(picture).min(axis=0)
        assert picture[:, left:].sum() == picture.sum() > 0
        assert top <= 8


def test_cycles_have_two_cells_in_each_line() -> None:
    made = cycles(9, 9, 1, 0, 100)
    assert (made.sum(axis=1) == 2).all()
    assert (made.sum(axis=2) == 2).all()
    assert (np.einsum("kii->ki", made) == 1).all()


def test_dominoes_have_one_solution() -> None:
    for n in range(1, 7):
        picture = dominoes(2 * n + 1, 2 * n + 1, 0, 1)[0]
        assert picture.sum() == 5 * n
        row = solve(from_picture(picture))
        assert (row["solutions"], row["goal_matches"]) == ("unique", True)
    assert len(dominoes(5, 5, 0, 0)) == len(dominoes(5, 5, 1, 1)) == 0


@pytest.mark.parametrize("by_cell", [True, False])
def test_colours_are_numbered_in_order_of_first_use(by_cell: bool) -> None:
    drawn = random_pictures(12, 10, 0.6, 1, 0, 50)
    made = add_colors(drawn, 4, 1, 0, by_cell)
    assert ((made > 0) == (drawn > 0)).all(), "what is black has a colour, and nothing else"
    assert made.max() == 4
    for picture in made:
        cells = picture.ravel().tolist()
        first = list(dict.fromkeys(cell for cell in cells if cell))
        assert first == sorted(first) == list(range(1, len(first) + 1))
    assert (add_colors(drawn[7:9], 4, 1, 7, by_cell) == made[7:9]).all(), "each depends on its number alone"
    # areas have longer runs of a colour than cells by themselves
    same = ((made[:, :, 1:] == made[:, :, :-1]) & (made[:, :, 1:] > 0)).sum() / (made > 0).sum()
    assert (same < 0.25) == by_cell
