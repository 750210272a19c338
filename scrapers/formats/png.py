"""PNG and the other pictures that Pillow opens (GIF, BMP, WebP, TIFF, JPEG). The puzzle is the picture's.

Each colour of the picture is one of the puzzle's; what is transparent is background. A photograph has too many colours.
"""

import io
from collections.abc import Iterator

import numpy as np

from scrapers.formats.picture_puzzles import colors_of, of_colors, opened
from scrapers.formats.shared import each
from solver.model.puzzle import MAX_CELLS, Puzzle

NAME = "png"
SUFFIXES: tuple[str, ...] = (".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".jpg", ".jpeg")
HOLDS = frozenset({"goal", "colors", "rgb"})
PICTURE = True
"""A file is a picture: a puzzle without one can't be written."""

MAGIC = (b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"\xff\xd8\xff")


def recognizes(data: bytes) -> bool:
    """Whether it begins as such pictures do."""
    bitmap = data[:2] == b"BM" and data[6:10] == b"\0\0\0\0"
    return bitmap or data.startswith(MAGIC) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def read(data: bytes) -> Iterator[Puzzle]:
    """The puzzle of a picture, of its first frame if it has several."""
    return each([data], _puzzle)


def _puzzle(data: bytes) -> Puzzle:
    cells = np.asarray(opened(data, _refusal))
    white = np.full(3, 255, np.uint8)
    return of_colors(np.where(cells[:, :, 3:] == 0, white, cells[:, :, :3]))


def _refusal(width: int, height: int) -> str:
    return f"a side may have 1 to {MAX_CELLS} cells" if max(width, height) > MAX_CELLS else ""


def write(puzzle: Puzzle) -> bytes:
    """A PNG of the puzzle's picture, a pixel a cell. Refuses two colours that are the same."""
    from PIL import Image

    assert puzzle.goal is not None
    image = Image.fromarray(puzzle.goal.astype(np.uint8), "P")
    image.putpalette(b"".join(map(bytes.fromhex, colors_of(puzzle))))
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
