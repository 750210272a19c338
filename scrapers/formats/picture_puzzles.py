"""Pictures whose colours are a puzzle's: images opened, a puzzle from a picture, and the colours for one."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from scrapers.formats.colors import Wish, palette_of
from scrapers.formats.shared import FormatError, said_by
from solver.model.puzzle import BLACK, MAX_COLORS, WHITE, Puzzle, from_picture, normalize_palette

OPENED = ("PNG", "GIF", "BMP", "WEBP", "TIFF", "JPEG")
"""What Pillow is let open, by its names."""

LIGHT = np.array([299, 587, 114])
"""What red, green and blue give to how light a colour is."""


def opened(data: bytes, refusal: Callable[[int, int], str]) -> Any:
    """An image of any of these kinds, its first frame, as Pillow's in RGBA.

    `refusal` says what is wrong with a width and height, nothing if nothing is: it is asked before memory is taken.
    A FormatError says so, or that it is no picture, or damaged.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(data), formats=OPENED) as image:
            warnings.simplefilter("ignore")
            if refused := refusal(image.width, image.height):
                raise FormatError(f"the picture is {image.width}x{image.height}; {refused}")
            return ImageOps.exif_transpose(image).convert("RGBA")
    except FormatError:
        raise
    except UnidentifiedImageError:
        raise FormatError(f"it is no picture: not one of {', '.join(OPENED)}") from None
    except Exception as error:  # Pillow raises all kinds for files that are damaged
        raise FormatError(f"it is a damaged picture: {said_by(error) or type(error).__name__}") from None


def of_colors(cells: np.ndarray) -> Puzzle:
    """The puzzle of a picture, uint8[height, width, 3], each of whose colours is one of the puzzle's."""
    codes = cells.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    colors, places = np.unique(codes, return_inverse=True)
    if len(colors) - 1 > MAX_COLORS:
        raise FormatError(f"it has {len(colors)} colours; the most is {MAX_COLORS + 1}, the background counted")
    if colors.tolist() == [0]:
        return from_picture(np.ones(codes.shape, np.uint8))  # black on a white of which nothing is seen
    parts = (colors[:, None] >> np.array([16, 8, 0])) & 255
    background = int(np.argmax(parts @ LIGHT))
    order = [background, *(k for k in range(len(colors)) if k != background)]
    rgbs = [f"{int(colors[k]):06x}" for k in order]
    back = Wish(WHITE.name, WHITE.symbol, WHITE.rgb) if rgbs[0] == WHITE.rgb else Wish("background", "", rgbs[0])
    wishes = [Wish(*BLACK) if rgb == BLACK.rgb else Wish(rgb=rgb) for rgb in rgbs[1:]]
    goal = np.argsort(order)[places.reshape(codes.shape)].astype(np.uint8)
    return normalize_palette(from_picture(goal, palette_of(wishes, back)))


def colors_of(puzzle: Puzzle) -> list[str]:
    """The colours of a puzzle's picture as six hexadecimal digits each, the background first; none may come twice."""
    rgbs = [color.rgb for color in puzzle.palette[: max(puzzle.colors, 1) + 1]]
    if len(set(rgbs)) < len(rgbs):
        raise FormatError("two of its colours are the same, in a picture nothing tells them apart")
    return rgbs
