"""Images of any kind as puzzles: scaled to so many cells, in a few colours, dithered or not.

The background is white, or else the lightest colour (scrapers.formats.picture_puzzles).
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from scrapers.formats.picture_puzzles import LIGHT, of_colors, opened
from scrapers.formats.shared import FormatError
from solver.model.puzzle import MAX_COLORS, Puzzle

MOST_PIXELS = 1 << 26
"""Of an image: more takes gigabytes of memory."""

SIDE = 30
"""Cells of the longer side, if nobody says how many."""

Dither = Literal["none", "ordered", "floyd-steinberg"]

THRESHOLDS = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 15 / 32
"""Bayer's matrix for ordered dithering: what is added to the colours of 4x4 pixels, in steps of the palette."""


class Wish(NamedTuple):
    """What is wanted of an image.

    width, height   cells; None for both keeps the image's shape, with SIDE cells on its longer side
    colors          the background counted; 2 is black on white
    dither          how colours between those of the palette are shown
    """

    width: int | None = None
    height: int | None = None
    colors: int = 2
    dither: Dither = "none"


BLACK_AND_WHITE = Wish()


class Drawn(NamedTuple):
    """An image as a puzzle.

    puzzle   with the picture as its goal
    cost     float32[height, width, palette]: how unlike the image each colour would be at each cell
    """

    puzzle: Puzzle
    cost: np.ndarray


def puzzle_of_image(data: bytes, wish: Wish = BLACK_AND_WHITE) -> Drawn:
    """The puzzle of an image's file. A FormatError says what is wrong with it, a ValueError what with the wish."""
    if wish.dither not in get_args(Dither):
        raise ValueError(f"dither is one of {', '.join(get_args(Dither))}, not {wish.dither!r}")
    if not 2 <= wish.colors <= MAX_COLORS + 1:
        raise ValueError(f"colors is a number from 2 to {MAX_COLORS + 1}, not {wish.colors}")
    cells = _scaled(data, wish)
    if (cells == cells[0, 0]).all():
        raise FormatError("it has one colour only")
    if wish.colors == 2:
        cells = _contrasted(cells, wish.dither)
        palette = np.array([[255, 255, 255], [0, 0, 0]], np.uint8)
    else:
        palette = _palette(cells, wish.colors)
    puzzle = of_colors(palette[_places(cells, palette, wish.dither)])
    colors = np.array([list(bytes.fromhex(color.rgb)) for color in puzzle.palette])
    return Drawn(puzzle, _distances(cells, colors))


def _scaled(data: bytes, wish: Wish) -> np.ndarray:
    """The image in as many pixels as the picture gets cells, uint8[height, width, 3], on white where it is transparent.

    An image of another shape than the picture's loses as much as it must at both ends.
    """
    from PIL import Image, ImageOps

    image = opened(data, _refusal)
    image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    size = _size(image.width, image.height, wish)
    shrinks = image.width > size[0] or image.height > size[1]
    return np.asarray(ImageOps.fit(image, size, Image.Resampling.BOX if shrinks else Image.Resampling.NEAREST))


def _refusal(width: int, height: int) -> str:
    return f"it may have {MOST_PIXELS:,} pixels" if width * height > MOST_PIXELS else ""


def _size(width: int, height: int, wish: Wish) -> tuple[int, int]:
    """The width and height of the picture of an image."""
    if wish.width is not None and wish.height is not None:
        return wish.width, wish.height
    scale = SIDE / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _contrasted(cells: np.ndarray, dither: Dither) -> np.ndarray:
    """The cells in gray, the threshold between black and white in the middle, uint8[height, width, 3].

    Dithered, they take the whole range from black to white; else the threshold is halfway between the means of what is
    darker and what is lighter (Ridler and Calvard's).
    """
    gray = cells @ (LIGHT / LIGHT.sum())
    if dither != "none":
        low, high = gray.min(), gray.max()
        contrasted = (gray - low) * (255 / max(high - low, 1))
    else:
        threshold, before = gray.mean(), np.nan
        while threshold != before:
            dark = gray <= threshold
            if dark.all():
                break
            before, threshold = threshold, (gray[dark].mean() + gray[~dark].mean()) / 2
        contrasted = gray - threshold + 127.5
    return np.repeat(contrasted.clip(0, 255).round().astype(np.uint8)[:, :, None], 3, axis=2)


def _palette(cells: np.ndarray, colors: int) -> np.ndarray:
    """At most so many colours that say most about the image, uint8[colors, 3]: by median cut, then k-means."""
    from PIL import Image

    there = np.unique(cells.reshape(-1, 3), axis=0)
    if len(there) <= colors:
        return there
    reduced = Image.fromarray(cells).quantize(colors, Image.Quantize.MEDIANCUT, kmeans=colors)
    return np.unique(np.asarray(reduced.convert("RGB")).reshape(-1, 3), axis=0)


def _places(cells: np.ndarray, palette: np.ndarray, dither: Dither) -> np.ndarray:
    """The colour of the palette that each cell gets, [height, width]."""
    if dither == "floyd-steinberg":
        return _diffused(cells, palette)
    wanted = cells.astype(np.float64)
    if dither == "ordered":
        apart = _distances(palette[None], palette)[0]
        np.fill_diagonal(apart, np.inf)
        step = np.sqrt(apart.min(axis=1).mean() / 3)
        height, width = cells.shape[:2]
        tiles = np.tile(THRESHOLDS, (height // 4 + 1, width // 4 + 1))[:height, :width]
        wanted = (wanted + step * tiles[:, :, None]).clip(0, 255)
    return np.asarray(_distances(wanted, palette).argmin(axis=2))


def _diffused(cells: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Floyd and Steinberg's dithering, as Pillow does it."""
    from PIL import Image

    known = Image.new("P", (1, 1))
    filled = np.concatenate([palette, np.repeat(palette[:1], 256 - len(palette), axis=0)])
    known.putpalette(filled.tobytes())
    places = np.asarray(Image.fromarray(cells).quantize(palette=known, dither=Image.Dither.FLOYDSTEINBERG))
    return np.where(places < len(palette), places, 0)


def _distances(cells: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """How far each cell's colour is from each of the others, float32[height, width, colors]: squares of distances."""
    made = np.empty((*cells.shape[:2], len(colors)), np.float32)
    for k, color in enumerate(colors.astype(np.float32)):
        made[:, :, k] = ((cells.astype(np.float32) - color) ** 2).sum(axis=2)
    return made
