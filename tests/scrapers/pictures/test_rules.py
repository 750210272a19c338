"""The rules that pictures are made by."""

import numpy as np
import pytest

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
from nonocensus.solver.model.puzzle import from_picture


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
