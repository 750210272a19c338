"""PNG and other images that Pillow opens (GIF, BMP, WebP, TIFF, JPEG), one pixel per cell.

Each colour of the image is one of the puzzle's, transparent pixels are background. Photographs have too many colours.
"""

import io
from collections.abc import Iterator

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, read_each
from nonocensus.scrapers.formats.picture_puzzles import (
    WHITE_ON_CLEAR,
    hides_white,
    open_image,
    palette_rgbs,
    puzzle_of_pixels,
)
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle

NAME = "png"
SUFFIXES: tuple[str, ...] = (".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".jpg", ".jpeg")
HOLDS = frozenset({"goal", "colors", "rgb"})
PICTURE = True
"""A puzzle without a picture can't be written."""

MAGIC = (b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"\xff\xd8\xff")


def recognizes(data: bytes) -> bool:
    """Check the magic bytes."""
    bitmap = data[:2] == b"BM" and data[6:10] == b"\0\0\0\0"
    return bitmap or data.startswith(MAGIC) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of an image's first frame."""
    return read_each([data], _puzzle)


def _puzzle(data: bytes) -> Puzzle:
    cells = np.asarray(open_image(data, _refusal))
    white = np.full(3, 255, np.uint8)
    visible = np.where(cells[:, :, 3:] == 0, white, cells[:, :, :3])
    if (visible == 255).all() and hides_white(cells):
        raise FormatError(WHITE_ON_CLEAR)
    return puzzle_of_pixels(visible)


def _refusal(width: int, height: int) -> str:
    return f"a side may have 1 to {MAX_CELLS} cells" if max(width, height) > MAX_CELLS else ""


def write(puzzle: Puzzle) -> bytes:
    """Return a PNG of the puzzle's picture. Refuses equal colours."""
    with extra("pictures"):
        from PIL import Image

    assert puzzle.goal is not None
    image = Image.fromarray(puzzle.goal.astype(np.uint8), "P")
    image.putpalette(b"".join(map(bytes.fromhex, palette_rgbs(puzzle))))
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
