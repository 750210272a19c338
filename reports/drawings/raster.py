"""Drawings in pixels, rendered by vl-convert: PNG files, animated GIFs, and an image for each step."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import vl_convert

from nonocensus.reports.drawings.geometry import CELL, geometry
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.sheet_colors import LINE, MARK, rgb
from nonocensus.reports.drawings.svg import Drawing, ground, layer
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import WHITE, Puzzle

if TYPE_CHECKING:
    from PIL import Image

SCALE = 2.0
"""Pixels a unit, unless the picture gets too large."""

MOST_PIXELS = 16_000_000
"""Pixels of a picture: 250 MB of memory while it is rendered. vl-convert aborts the process if there is too little."""


def fit_scale(drawing: Drawing, most: float = MOST_PIXELS) -> float:
    """Return the scale in pixels a unit: at most SCALE, at most `most` pixels in all, with cells of whole pixels."""
    scale = min(SCALE, sqrt(most / (drawing.width * drawing.height)))
    return int(scale * CELL) / CELL or scale


def image(drawing: Drawing, scale: float) -> "Image.Image":
    """Render a drawing as an RGBA image with a transparent background; `scale` is in pixels a unit."""
    with extra("pictures"):
        from PIL import Image

    opened = Image.open(BytesIO(vl_convert.svg_to_png(drawing.svg, scale=scale)))
    opened.load()
    return opened


def png(drawing: Drawing) -> bytes:
    """Render a drawing as a PNG file."""
    return encode_png(image(drawing, fit_scale(drawing)))


def encode_png(picture: "Image.Image") -> bytes:
    """Encode an image as a PNG file."""
    file = BytesIO()
    picture.convert("RGB").save(file, "PNG")
    return file.getvalue()


MOST_FRAMES = 251
"""Frames of a GIF of any size; `most_frames` is the limit for a puzzle."""

MOST_IMAGES = 2001
"""Images of a folder with an image for each step."""

MOST_CELLS = 64_000_000
"""Cells of all frames of a GIF."""

FRAME_PIXELS = 1_000_000
ALL_PIXELS = 80_000_000
"""Pixels of a frame, and of all frames of a GIF: Pillow holds them in memory, a byte a pixel."""

WHOLE = 15_000
SHORTEST, LONGEST = 60, 700
LAST = 3_000
"""Milliseconds: of all frames, within limits of a frame; and of the last frame."""

COLORS = 255
"""Colours of a GIF: one of 256 is reserved for unchanged pixels."""


def most_frames(puzzle: Puzzle, most: int = MOST_FRAMES) -> int:
    """Return how many states of a puzzle an animation can have: `most`, or fewer for a large one; see `thin_states`."""
    return max(3, min(most, MOST_CELLS // (puzzle.width * puzzle.height)))


def gif(puzzle: Puzzle, states: Sequence[GridState]) -> bytes:
    """Encode up to `most_frames` states as a GIF in an endless loop; all frames share a palette.

    The more frames, the shorter each is shown. Raises ValueError if there are none or too many.
    """
    most = most_frames(puzzle)
    if not 0 < len(states) <= most:
        raise ValueError(f"{len(states)} frames; a GIF of {puzzle.width}x{puzzle.height} has 1 to {most}")
    captioned = _captioned(states)
    pixels = min(FRAME_PIXELS, ALL_PIXELS // len(states))
    pictures = _frames(puzzle, states, captioned, pixels)
    # The last frame has all colours of cells and clues, one in the middle those of highlights.
    samples = _frames(puzzle, [states[len(states) // 2], states[-1]], captioned, pixels)
    exact = [rgb(puzzle, entry) for entry in range(len(puzzle.palette))] + [WHITE.rgb, MARK, LINE]
    palette = _palette(exact, samples)
    colors = np.stack([palette >> 16, palette >> 8 & 255, palette & 255], axis=1).astype(np.uint8)
    indexed = _map_to_palette(pictures, colors)
    each = max(SHORTEST, min(LONGEST, WHOLE // len(states)))
    file = BytesIO()
    next(indexed).save(
        file,
        "GIF",
        save_all=True,
        append_images=indexed,
        duration=[each] * (len(states) - 1) + [LAST] if len(states) > 1 else LAST,
        loop=0,
        optimize=True,
        palette=colors.tobytes(),
        disposal=1,
    )
    return file.getvalue()


def images(puzzle: Puzzle, states: Sequence[GridState]) -> Iterator[tuple[str, bytes]]:
    """Yield a PNG file for each state: its name, numbered from 0001, and its bytes."""
    digits = max(4, len(str(len(states))))
    for number, picture in enumerate(_frames(puzzle, states, _captioned(states), FRAME_PIXELS), 1):
        yield f"{number:0{digits}}.png", encode_png(picture)


def _captioned(states: Sequence[GridState]) -> bool:
    return any(state.words for state in states)


def _frames(puzzle: Puzzle, states: Sequence[GridState], captioned: bool, pixels: int) -> Iterator["Image.Image"]:
    """Draw states as RGB images of one size, of at most `pixels` pixels; `captioned` reserves room for words."""
    with extra("pictures"):
        from PIL import Image

    place = geometry(puzzle, captioned)
    lower = ground(puzzle, place)
    scale = fit_scale(lower, pixels)
    paper = image(lower, scale)
    for state in states:
        yield Image.alpha_composite(paper, image(layer(puzzle, state, place), scale)).convert("RGB")


def _pack(picture: "Image.Image") -> np.ndarray:
    """Return the pixels of an RGB image, uint32[height * width]."""
    parts = np.asarray(picture, np.uint32).reshape(-1, 3)
    return parts[:, 0] << 16 | parts[:, 1] << 8 | parts[:, 2]


def _palette(exact: list[str], samples: Iterator["Image.Image"]) -> np.ndarray:
    """Return a palette, uint32[at most COLORS]: the exact colours, then the most frequent ones of samples."""
    found, counts = np.unique(np.concatenate([_pack(sample) for sample in samples]), return_counts=True)
    frequent = found[np.argsort(-counts, kind="stable")].tolist()
    return np.array(list(dict.fromkeys([int(color, 16) for color in exact] + frequent))[:COLORS], np.uint32)


def _map_to_palette(pictures: Iterator["Image.Image"], colors: np.ndarray) -> Iterator["Image.Image"]:
    """Map pictures to a palette, uint8[colours, 3], by nearest colour."""
    with extra("pictures"):
        from PIL import Image

    nearest = np.full(1 << 24, -1, np.int16)  # palette index by colour, computed on demand
    for picture in pictures:
        pixels = _pack(picture)
        new = np.unique(pixels[nearest[pixels] < 0])
        for color in new.tolist():
            parts = np.array([color >> 16, color >> 8 & 255, color & 255])
            nearest[color] = ((colors.astype(np.int32) - parts) ** 2).sum(axis=1).argmin()
        cells = nearest[pixels].astype(np.uint8).reshape(picture.height, picture.width)
        indexed = Image.fromarray(cells, "P")
        indexed.putpalette(colors.tobytes())
        yield indexed
