"""A solution step by step: as an animated GIF, or as an image a step."""

from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np
from PIL import Image

from reports.sheet.geometry import geometry
from reports.sheet.raster import encoded, fitting, image
from reports.sheet.sheet_colors import LINE, MARK, rgb, tint
from reports.sheet.state import State
from reports.sheet.svg import ground, layer
from solver.model.puzzle import Puzzle

MOST_FRAMES = 251
"""Of a GIF, for a grid of any size; `most_frames` says how many for a puzzle."""

MOST_IMAGES = 2001
"""Of a folder of images, an image a step."""

MOST_CELLS = 64_000_000
"""Of all frames together."""

FRAME_PIXELS = 1_000_000
ALL_PIXELS = 80_000_000
"""Of a frame, and of all frames of a GIF together: Pillow holds them, a byte a pixel."""

WHOLE = 15_000
SHORTEST, LONGEST = 60, 700
LAST = 3_000
"""Milliseconds: of all frames, if that gives each no less and no more than these; and of the last one."""

COLORS = 255
"""Of a GIF: one of 256 is left for pixels that stay as they are."""


def most_frames(puzzle: Puzzle, most: int = MOST_FRAMES) -> int:
    """How many states of a puzzle an animation takes: `most`, or fewer of a large one. `thinning` thins the others."""
    return max(3, min(most, MOST_CELLS // (puzzle.width * puzzle.height)))


def gif(puzzle: Puzzle, states: Sequence[State]) -> bytes:
    """The states, at most `most_frames`, as a GIF that goes round for ever: all frames of one palette.

    Frames are shown for as long as the number of them allows. Raises ValueError if there are none or too many.
    """
    most = most_frames(puzzle)
    if not 0 < len(states) <= most:
        raise ValueError(f"{len(states)} frames; a GIF of {puzzle.width}x{puzzle.height} has 1 to {most}")
    captioned = _captioned(states)
    pixels = min(FRAME_PIXELS, ALL_PIXELS // len(states))
    pictures = _frames(puzzle, states, captioned, pixels)
    # The last frame has all colours of cells and clues, one in the middle those of highlights.
    samples = _frames(puzzle, [states[len(states) // 2], states[-1]], captioned, pixels)
    exact = [rgb(puzzle, entry) for entry in range(len(puzzle.palette))] + [MARK, LINE, tint(puzzle)]
    palette = _palette(exact, samples)
    colors = np.stack([palette >> 16, palette >> 8 & 255, palette & 255], axis=1).astype(np.uint8)
    indexed = _indexed(pictures, colors)
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


def images(puzzle: Puzzle, states: Sequence[State]) -> Iterator[tuple[str, bytes]]:
    """An image a state: names of files that are numbered from 0001, and their bytes (PNG)."""
    digits = max(4, len(str(len(states))))
    for number, picture in enumerate(_frames(puzzle, states, _captioned(states), FRAME_PIXELS), 1):
        yield f"{number:0{digits}}.png", encoded(picture)


def _captioned(states: Sequence[State]) -> bool:
    return any(state.words for state in states)


def _frames(puzzle: Puzzle, states: Sequence[State], captioned: bool, pixels: int) -> Iterator[Image.Image]:
    """The states drawn, RGB, all of one size and of at most so many pixels; `captioned`: with room for words."""
    place = geometry(puzzle, captioned)
    lower = ground(puzzle, place)
    scale = fitting(lower, pixels)
    paper = image(lower, scale)
    for state in states:
        yield Image.alpha_composite(paper, image(layer(puzzle, state, place), scale)).convert("RGB")


def _packed(picture: Image.Image) -> np.ndarray:
    """The pixels of an RGB image, uint32[height * width]."""
    parts = np.asarray(picture, np.uint32).reshape(-1, 3)
    return parts[:, 0] << 16 | parts[:, 1] << 8 | parts[:, 2]


def _palette(exact: list[str], samples: Iterator[Image.Image]) -> np.ndarray:
    """Colours for all frames, uint32[at most COLORS]: some as they are, and the most frequent ones of samples."""
    found, counts = np.unique(np.concatenate([_packed(sample) for sample in samples]), return_counts=True)
    frequent = found[np.argsort(-counts, kind="stable")].tolist()
    return np.array(list(dict.fromkeys([int(color, 16) for color in exact] + frequent))[:COLORS], np.uint32)


def _indexed(pictures: Iterator[Image.Image], colors: np.ndarray) -> Iterator[Image.Image]:
    """The pictures in these colours, uint8[colours, 3]: each pixel in its own or the nearest."""
    nearest = np.full(1 << 24, -1, np.int16)  # of each colour, as soon as it is known
    for picture in pictures:
        pixels = _packed(picture)
        new = np.unique(pixels[nearest[pixels] < 0])
        for color in new.tolist():
            parts = np.array([color >> 16, color >> 8 & 255, color & 255])
            nearest[color] = ((colors.astype(np.int32) - parts) ** 2).sum(axis=1).argmin()
        cells = nearest[pixels].astype(np.uint8).reshape(picture.height, picture.width)
        indexed = Image.fromarray(cells, "P")
        indexed.putpalette(colors.tobytes())
        yield indexed
