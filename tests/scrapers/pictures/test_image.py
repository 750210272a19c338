"""Images as pictures: scaled, reduced to N colours, dithered; and files that are no images."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats import png as formats_png
from nonocensus.scrapers.pictures import image as images
from nonocensus.scrapers.pictures.image import Dither, ImageOptions, puzzle_of_image
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, clues_of


def png(cells: np.ndarray, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(cells.astype(np.uint8)).save(file, "PNG", **options)
    return file.getvalue()


def gradient(width: int, height: int) -> np.ndarray:
    """From black on the left to white on the right, uint8[height, width]."""
    return np.repeat(np.linspace(0, 255, width)[None], height, axis=0).round().astype(np.uint8)


def goal(data: bytes, options: ImageOptions) -> np.ndarray:
    picture = puzzle_of_image(data, options).puzzle.goal
    assert picture is not None
    return picture


def test_pixel_art_is_unchanged() -> None:
    """As many pixels as cells, and no more colours than are asked for: nothing is lost, in however many colours."""
    draw = np.random.default_rng(3)
    colors = np.array([[255, 255, 255], [0, 0, 0], [200, 30, 30], [20, 90, 200]], np.uint8)
    picture = draw.integers(0, 4, (11, 17))
    drawn = puzzle_of_image(png(colors[picture]), ImageOptions(17, 11, 4))
    assert drawn.puzzle.goal is not None
    rgb = np.array([list(bytes.fromhex(color.rgb)) for color in drawn.puzzle.palette])
    assert (rgb[drawn.puzzle.goal] == colors[picture]).all()
    assert clues_of(drawn.puzzle.goal) == (drawn.puzzle.rows, drawn.puzzle.columns)
    black = picture % 2
    plain = puzzle_of_image(png(colors[black]), ImageOptions(17, 11))
    assert plain.puzzle.palette == BLACK_ON_WHITE
    assert plain.puzzle.goal is not None
    assert (plain.puzzle.goal == black).all()


def test_enlarged_pixel_art_is_unchanged() -> None:
    picture = np.random.default_rng(1).integers(0, 2, (5, 8))
    assert (goal(png(255 * (1 - picture)), ImageOptions(16, 10)) == picture.repeat(2, 0).repeat(2, 1)).all()
    assert (goal(png((255 * (1 - picture)).repeat(30, 0).repeat(30, 1)), ImageOptions(8, 5)) == picture).all()


@pytest.mark.parametrize("times", [2, 7, 32])
def test_enlarged_pixel_art_is_recognized(times: int) -> None:
    picture = np.random.default_rng(1).integers(0, 2, (9, 8))
    data = png((255 * (1 - picture)).repeat(times, 0).repeat(times, 1))
    found = puzzle_of_image(data)
    assert found.puzzle.goal is not None
    assert (found.puzzle.goal == picture).all()
    assert found.notes == (f"enlarged pixel art, {times} times: 8x9 pixels, a cell each",)
    assert puzzle_of_image(data, ImageOptions(20, 20)).notes[0].endswith("8x9 pixels, --size 8x9 keeps them")
    assert puzzle_of_image(png(255 * (1 - picture))).notes == (), "not enlarged"
    assert puzzle_of_image(png(np.pad(np.zeros((100, 100)), 50, constant_values=255))).notes == (), "one square"


@pytest.mark.parametrize("shift", [0, 90, 180])
def test_threshold_is_between_dark_and_light(shift: int) -> None:
    """However light the image is as a whole."""
    cells = np.full((20, 20), shift + 60)
    cells[5:12, 3:9] = shift + 10
    cells[0, 0] = shift + 75
    assert (goal(png(cells), ImageOptions(20, 20)) == (cells < shift + 35)).all()


@pytest.mark.parametrize("dither", ["ordered", "floyd-steinberg"])
def test_dithering_shows_intermediate_gray(dither: Dither) -> None:
    """Of each third of a gradient about as much is black as it is dark, and both are everywhere but at the ends."""
    picture = goal(png(gradient(60, 60)), ImageOptions(60, 60, 2, dither))
    for third, share in zip(np.split(picture, 3, axis=1), (5 / 6, 1 / 2, 1 / 6), strict=True):
        assert abs(third.mean() - share) < 0.06
    assert (goal(png(gradient(60, 60)), ImageOptions(60, 60)).mean(axis=0) % 1 == 0).all(), (
        "without it there is one edge"
    )


def test_dithering_in_colours_uses_palette() -> None:
    draw = np.random.default_rng(2)
    cells = np.stack([gradient(40, 30), gradient(40, 30)[:, ::-1], draw.integers(0, 255, (30, 40))], axis=2)
    for dither in ("none", "ordered", "floyd-steinberg"):
        drawn = puzzle_of_image(png(cells), ImageOptions(40, 30, 5, dither))
        assert 2 < len(drawn.puzzle.palette) <= 5
        assert drawn.cost.shape == (30, 40, len(drawn.puzzle.palette))


def test_cost_is_least_for_the_cell_s_colour() -> None:
    cells = np.random.default_rng(4).integers(0, 255, (12, 14, 3))
    for colors in (2, 4):
        drawn = puzzle_of_image(png(cells), ImageOptions(14, 12, colors))
        assert drawn.puzzle.goal is not None
        assert (drawn.cost.argmin(axis=2) == drawn.puzzle.goal).all()


def test_longer_side_has_30_cells_by_default() -> None:
    assert goal(png(gradient(200, 100)), ImageOptions()).shape == (15, 30)
    assert goal(png(gradient(20, 400)), ImageOptions()).shape == (30, 2)
    assert goal(png(gradient(400, 2)), ImageOptions()).shape == (1, 30)


def test_image_of_other_aspect_ratio_is_cropped() -> None:
    cells = np.full((10, 30), 255)
    cells[:, 10:20] = 0
    cells[0, 15] = 255
    assert goal(png(cells), ImageOptions(10, 10)).sum() == 99


def test_transparent_pixels_are_white() -> None:
    cells = np.zeros((4, 4, 4))
    cells[1, 2, 3] = 255
    assert goal(png(cells), ImageOptions(4, 4)).tolist() == [[0] * 4, [0, 0, 1, 0], [0] * 4, [0] * 4]


def test_white_on_transparent_ground_is_noted() -> None:
    cells = np.zeros((6, 6, 4))
    cells[1:3, 2:5] = 255
    reason = "all that it shows is white on a transparent ground, which counts as white"
    with pytest.raises(FormatError, match=reason):
        puzzle_of_image(png(cells))
    with pytest.raises(FormatError, match=reason):
        list(formats_png.read(png(cells)))
    cells[4, 4] = (0, 0, 0, 255)
    assert puzzle_of_image(png(cells)).notes == ("white on its transparent ground counts as ground",)
    (puzzle,) = formats_png.read(png(cells))
    assert puzzle.goal is not None
    assert puzzle.goal.sum() == 1


def test_exif_orientation_is_applied() -> None:
    """A photograph that says it lies on its side is turned."""
    options = Image.Exif()
    options[0x0112] = 6  # the orientation: a quarter turn clockwise
    assert goal(png(gradient(8, 4), exif=options), ImageOptions(4, 8))[:4].all()


def test_unreadable_image_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    good = png(gradient(30, 30))
    for data, reason in (
        (b"", "it is empty"),
        (b"P1 2 2 1 0 0 1", "unknown kind of picture"),
        (good[:-30], "it is a damaged picture"),
        (png(np.full((4, 4), 90)), "it has one colour only"),
    ):
        with pytest.raises(FormatError, match=reason):
            puzzle_of_image(data)
    monkeypatch.setattr(images, "MAX_PIXELS", 800)
    with pytest.raises(FormatError, match="the picture is 30x30; an image may have 800 pixels"):
        puzzle_of_image(good)


def test_invalid_options_are_refused() -> None:
    with pytest.raises(ValueError, match="colors must be from 2 to 32, not 1"):
        puzzle_of_image(png(gradient(5, 5)), ImageOptions(5, 5, 1))
    with pytest.raises(ValueError, match="dither must be one of none, ordered, floyd-steinberg, not 'noise'"):
        puzzle_of_image(png(gradient(5, 5)), ImageOptions(5, 5, 2, "noise"))  # type: ignore[arg-type]
