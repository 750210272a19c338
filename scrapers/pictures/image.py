"""Conversion of images to puzzles: scaling, colour reduction, dithering.

The background is white, or else the lightest colour (scrapers.formats.picture_puzzles).
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.scrapers.formats.picture_puzzles import (
    LIGHT,
    WHITE_ON_CLEAR,
    hides_white,
    open_image,
    puzzle_of_pixels,
)
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import MAX_COLORS, Puzzle

MAX_PIXELS = 1 << 26
"""Maximum pixels of an image; more takes gigabytes of memory."""

DEFAULT_SIDE = 30
"""Default number of cells on the longer side."""

MIN_ART, MAX_ART = 5, 100
"""Pixels on each side of enlarged pixel art: less may be any drawing with straight edges, more is no puzzle."""

WHITE_LOST = "white on its transparent ground counts as ground"

Dither = Literal["none", "ordered", "floyd-steinberg"]

THRESHOLDS = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 15 / 32
"""Bayer's matrix for ordered dithering: offsets of 4x4 pixels, in steps of the palette."""


class ImageOptions(NamedTuple):
    """Options of the conversion.

    width, height   cells; None for both keeps the aspect ratio, with DEFAULT_SIDE cells on the longer side, or a cell
                    for each pixel of enlarged pixel art
    colors          number of colours, background included; 2 is black on white
    dither          dithering algorithm
    """

    width: int | None = None
    height: int | None = None
    colors: int = 2
    dither: Dither = "none"


BLACK_AND_WHITE = ImageOptions()


class ConvertedImage(NamedTuple):
    """The puzzle of an image.

    puzzle   with the picture as its goal
    cost     float32[height, width, palette]: distance of each colour from the image's at each cell
    notes    what a user should know of the conversion, one per line
    """

    puzzle: Puzzle
    cost: np.ndarray
    notes: tuple[str, ...] = ()


def puzzle_of_image(data: bytes, options: ImageOptions = BLACK_AND_WHITE) -> ConvertedImage:
    """Return the puzzle of an image file. Raises FormatError for a bad image, ValueError for bad options."""
    if options.dither not in get_args(Dither):
        raise ValueError(f"dither must be one of {', '.join(get_args(Dither))}, not {options.dither!r}")
    if not 2 <= options.colors <= MAX_COLORS + 1:
        raise ValueError(f"colors must be from 2 to {MAX_COLORS + 1}, not {options.colors}")
    cells, notes = _scale(data, options)
    if (cells == cells[0, 0]).all():
        raise FormatError(WHITE_ON_CLEAR if WHITE_LOST in notes else "it has one colour only")
    if options.colors == 2:
        cells = _raise_contrast(cells, options.dither)
        palette = np.array([[255, 255, 255], [0, 0, 0]], np.uint8)
    else:
        palette = _palette(cells, options.colors)
    puzzle = puzzle_of_pixels(palette[_places(cells, palette, options.dither)])
    colors = np.array([list(bytes.fromhex(color.rgb)) for color in puzzle.palette])
    return ConvertedImage(puzzle, _distances(cells, colors), notes)


def _scale(data: bytes, options: ImageOptions) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the image on white, scaled to one pixel per cell, uint8[height, width, 3], and notes.

    An image of another aspect ratio is cropped at both ends.
    """
    with extra("pictures"):
        from PIL import Image, ImageOps

    image = open_image(data, _refusal)
    notes = [WHITE_LOST] if hides_white(np.asarray(image)) else []
    image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    size = _size(image.width, image.height, options)
    times = _enlargement(np.asarray(image))
    art = image.width // times, image.height // times
    if times > 1 and MIN_ART <= min(art) <= max(art) <= MAX_ART:
        size = art if options.width is None else size
        kept = "a cell each" if size == art else f"--size {art[0]}x{art[1]} keeps them"
        notes.append(f"enlarged pixel art, {times} times: {art[0]}x{art[1]} pixels, {kept}")
    shrinks = image.width > size[0] or image.height > size[1]
    fitted = ImageOps.fit(image, size, Image.Resampling.BOX if shrinks else Image.Resampling.NEAREST)
    return np.asarray(fitted), tuple(notes)


def _enlargement(pixels: np.ndarray) -> int:
    """Return the side of the largest squares of one colour that an image, uint8[height, width, 3], is made of."""
    changes = [
        1 + np.flatnonzero((after != before).any(axis=(axis, 2)))
        for axis, after, before in ((1, pixels[1:], pixels[:-1]), (0, pixels[:, 1:], pixels[:, :-1]))
    ]
    return int(np.gcd.reduce(np.concatenate([*changes, pixels.shape[:2]])))


def _refusal(width: int, height: int) -> str:
    return f"an image may have {MAX_PIXELS:,} pixels" if width * height > MAX_PIXELS else ""


def _size(width: int, height: int, options: ImageOptions) -> tuple[int, int]:
    """Return the picture's width and height."""
    if options.width is not None and options.height is not None:
        return options.width, options.height
    scale = DEFAULT_SIDE / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _raise_contrast(cells: np.ndarray, dither: Dither) -> np.ndarray:
    """Return the cells in gray with the threshold between black and white at 127.5, uint8[height, width, 3].

    With dithering the range is stretched to 0..255; else the threshold is midway between the means of the darker and
    the lighter cells (Ridler and Calvard).
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
    """Return the image's main colours, uint8[up to `colors`, 3]: by median cut, then k-means."""
    with extra("pictures"):
        from PIL import Image

    there = np.unique(cells.reshape(-1, 3), axis=0)
    if len(there) <= colors:
        return there
    reduced = Image.fromarray(cells).quantize(colors, Image.Quantize.MEDIANCUT, kmeans=colors)
    return np.unique(np.asarray(reduced.convert("RGB")).reshape(-1, 3), axis=0)


def _places(cells: np.ndarray, palette: np.ndarray, dither: Dither) -> np.ndarray:
    """Return the palette index of each cell, [height, width]."""
    if dither == "floyd-steinberg":
        return _dither(cells, palette)
    wanted = cells.astype(np.float64)
    if dither == "ordered":
        apart = _distances(palette[None], palette)[0]
        np.fill_diagonal(apart, np.inf)
        step = np.sqrt(apart.min(axis=1).mean() / 3)
        height, width = cells.shape[:2]
        tiles = np.tile(THRESHOLDS, (height // 4 + 1, width // 4 + 1))[:height, :width]
        wanted = (wanted + step * tiles[:, :, None]).clip(0, 255)
    return np.asarray(_distances(wanted, palette).argmin(axis=2))


def _dither(cells: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Return the palette index of each cell by Pillow's Floyd-Steinberg dithering."""
    with extra("pictures"):
        from PIL import Image

    known = Image.new("P", (1, 1))
    filled = np.concatenate([palette, np.repeat(palette[:1], 256 - len(palette), axis=0)])
    known.putpalette(filled.tobytes())
    places = np.asarray(Image.fromarray(cells).quantize(palette=known, dither=Image.Dither.FLOYDSTEINBERG))
    return np.where(places < len(palette), places, 0)


def _distances(cells: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """Return the squared distance of each cell from each colour, float32[height, width, colors]."""
    made = np.empty((*cells.shape[:2], len(colors)), np.float32)
    for k, color in enumerate(colors.astype(np.float32)):
        made[:, :, k] = ((cells.astype(np.float32) - color) ** 2).sum(axis=2)
    return made
