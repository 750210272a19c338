"""Drawings in pixels: sizes, the colours of cells, and bounds."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from nonocensus.reports.sheet import raster
from nonocensus.reports.sheet.geometry import CELL, geometry
from nonocensus.reports.sheet.grid_state import UNKNOWN, GridState
from nonocensus.reports.sheet.raster import MOST_PIXELS, SCALE, png
from nonocensus.reports.sheet.svg import drawing
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

PALETTE = (Color("pale", ".", "fffbe6"), Color("black", "X", "000000"), Color("teal", "t", "117a65"))
PICTURE = np.array([[1, 0, 2, 2], [2, 1, 0, 0], [0, 0, 0, 1]], np.uint8)


def middle(picture: Image.Image, puzzle: Puzzle, row: int, column: int) -> tuple[int, ...]:
    """Return the colour of a cell, at a place where there is neither a cross nor a mark."""
    place = geometry(puzzle)
    scale = picture.width / place.width
    x, y = place.left + (column + 0.31) * CELL, place.top + (row + 0.31) * CELL
    pixel = picture.getpixel((round(x * scale), round(y * scale)))
    assert isinstance(pixel, tuple)
    return pixel


def test_a_png_has_its_size_and_each_cell_its_colour() -> None:
    puzzle = from_picture(PICTURE, PALETTE)
    assert puzzle.goal is not None
    drawn = drawing(puzzle, GridState(np.where(puzzle.goal == 2, UNKNOWN, puzzle.goal).astype(np.uint8)))
    picture = Image.open(BytesIO(png(drawn)))
    assert (picture.mode, picture.size) == ("RGB", (SCALE * drawn.width, SCALE * drawn.height))
    for (row, column), entry in np.ndenumerate(puzzle.goal):
        color = puzzle.palette[0 if entry == 2 else entry].rgb
        assert bytes(middle(picture, puzzle, row, column)).hex() == color
    assert picture.getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.slow
def test_the_largest_puzzle_is_drawn_alone_and_small() -> None:
    puzzle = from_picture(np.random.default_rng(1).integers(0, 2, (1023, 1023), np.uint8))
    assert puzzle.goal is not None
    picture = Image.open(BytesIO(png(drawing(puzzle, GridState(puzzle.goal)))))
    assert 3 * 1023 < picture.width == picture.height < MOST_PIXELS**0.5
    for row, column in ((0, 0), (511, 1022), (1022, 3)):
        assert bytes(middle(picture, puzzle, row, column)).hex() in ("ffffff", "000000")
        assert (middle(picture, puzzle, row, column) == (0, 0, 0)) == (puzzle.goal[row, column] == 1)


def test_a_large_drawing_is_scaled_down_to_cells_of_whole_pixels() -> None:
    puzzle = from_picture(np.random.default_rng(1).integers(0, 2, (40, 60), np.uint8))
    drawn = drawing(puzzle)
    scale = raster.fitting(drawn, 300_000)
    assert scale * CELL == round(scale * CELL) > 1
    assert drawn.width * drawn.height * scale**2 <= 300_000
    assert drawn.width * drawn.height * (scale + 1 / CELL) ** 2 > 300_000
    assert 0 < raster.fitting(drawn, 100) * CELL < 1, "smaller than a pixel a cell if it must be"


def test_numbers_are_drawn_without_a_font_of_the_machine() -> None:
    """vl-convert brings the font: there is ink in the place of a number."""
    puzzle = from_picture(np.ones((1, 8), np.uint8))
    place = geometry(puzzle)
    pixels = np.asarray(Image.open(BytesIO(png(drawing(puzzle)))).convert("L"))
    number = pixels[int(SCALE * place.top) + 4 : int(SCALE * place.bottom) - 4, 20 : int(SCALE * place.left) - 4]
    assert (number < 80).sum() > 20
