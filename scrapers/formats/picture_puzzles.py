"""Images as pictures of puzzles: opening, conversion to a puzzle, RGB values for writing."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import FormatError, error_text
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import BLACK, MAX_COLORS, WHITE, Puzzle, from_picture, normalize_palette

PILLOW_FORMATS = ("PNG", "GIF", "BMP", "WEBP", "TIFF", "JPEG")
"""Formats that Pillow may open."""

WHITE_ON_CLEAR = "all that it shows is white on a transparent ground, which counts as white: give it another ground"

LIGHT = np.array([299, 587, 114])
"""Weights of red, green and blue in lightness, in thousandths."""


def open_image(data: bytes, refusal: Callable[[int, int], str]) -> Any:
    """Return an image's first frame as Pillow's in RGBA.

    `refusal` returns what is wrong with a width and height, or nothing; it is called before memory is allocated.
    Raises FormatError for a refused, unknown or damaged image.
    """
    if not data:
        raise FormatError("it is empty")
    with extra("pictures"):
        from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(data), formats=PILLOW_FORMATS) as image:
            warnings.simplefilter("ignore")
            if refused := refusal(image.width, image.height):
                raise FormatError(f"the picture is {image.width}x{image.height}; {refused}")
            return ImageOps.exif_transpose(image).convert("RGBA")
    except FormatError:
        raise
    except UnidentifiedImageError:
        raise FormatError(f"unknown kind of picture: not one of {', '.join(PILLOW_FORMATS)}") from None
    except Exception as error:  # Pillow raises any kind for damaged files
        raise FormatError(f"it is a damaged picture: {error_text(error) or type(error).__name__}") from None


def hides_white(pixels: np.ndarray) -> bool:
    """Check for white pixels on a transparent ground, which counts as white too, in uint8[height, width, 4]."""
    alpha = pixels[:, :, 3]
    return bool((alpha == 0).any() and ((alpha == 255) & (pixels[:, :, :3] == 255).all(axis=2)).any())


def puzzle_of_pixels(cells: np.ndarray) -> Puzzle:
    """Return the puzzle of a picture, uint8[height, width, 3], with a colour for each of the picture's."""
    codes = cells.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    colors, places = np.unique(codes, return_inverse=True)
    if len(colors) - 1 > MAX_COLORS:
        raise FormatError(f"it has {len(colors)} colours; the most is {MAX_COLORS + 1}, the background counted")
    if colors.tolist() == [0]:
        return from_picture(np.ones(codes.shape, np.uint8))  # all black, on a white that does not occur
    parts = (colors[:, None] >> np.array([16, 8, 0])) & 255
    background = int(np.argmax(parts @ LIGHT))
    order = [background, *(k for k in range(len(colors)) if k != background)]
    rgbs = [f"{int(colors[k]):06x}" for k in order]
    back = ColorSpec(*WHITE) if rgbs[0] == WHITE.rgb else ColorSpec("background", "", rgbs[0])
    specs = [ColorSpec(*BLACK) if rgb == BLACK.rgb else ColorSpec(rgb=rgb) for rgb in rgbs[1:]]
    goal = np.argsort(order)[places.reshape(codes.shape)].astype(np.uint8)
    return normalize_palette(from_picture(goal, palette_of(specs, back)))


def palette_rgbs(puzzle: Puzzle) -> list[str]:
    """Return the RGB values of a puzzle's picture, the background first. Raises FormatError for equal ones."""
    rgbs = [color.rgb for color in puzzle.palette[: max(puzzle.colors, 1) + 1]]
    if len(set(rgbs)) < len(rgbs):
        raise FormatError("two of its colours have the same RGB value, so a picture can't tell them apart")
    return rgbs
