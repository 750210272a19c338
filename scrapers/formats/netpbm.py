"""Netpbm images, P1 to P6, one or several per file, one pixel per cell.

P1 and P4 are black on white, of the others each colour is one of the puzzle's. White is the background, or else the
lightest colour.
"""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, read_each
from nonocensus.scrapers.formats.picture_puzzles import palette_rgbs, puzzle_of_pixels
from nonocensus.solver.model.puzzle import BLACK, MAX_CELLS, WHITE, Puzzle, from_picture

NAME = "netpbm"
SUFFIXES: tuple[str, ...] = (".pnm", ".pbm", ".pgm", ".ppm")
HOLDS = frozenset({"goal", "colors", "rgb"})
PICTURE = True
"""A puzzle without a picture can't be written."""

BEGINNING = re.compile(rb"P[1-6](?:\s|#)")
BLANKS = b" \t\r\n\v\f"
BLANK = re.compile(rb"(?:[ \t\r\n\v\f]++|#[^\r\n]*+)*+")
NUMBER = re.compile(rb"[0-9]{1,9}")
NUMBERS = re.compile(rb"(?:[0-9 \t\r\n\v\f]++|#[^\r\n]*+)*+")
COMMENT = re.compile(rb"#[^\r\n]*+")

HEADER = (("width", MAX_CELLS), ("height", MAX_CELLS), ("highest value", 65535))
"""The numbers before a picture and their maxima; bitmaps have the first two."""

BITMAPS, PLAIN = (1, 4), (1, 2, 3)


def recognizes(data: bytes) -> bool:
    """Check for P1 to P6."""
    return BEGINNING.match(data) is not None


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzle of each image."""
    return read_each(_pictures(data), _puzzle)


def _pictures(data: bytes) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the kind and the pixels, uint8[height, width, 3], of each image."""
    place = 0
    while place < len(data):
        if not BEGINNING.match(data, place):
            raise FormatError("it should begin with P1 to P6" if place == 0 else "data after an image is not an image")
        kind = data[place + 1] - ord("0")
        place += 2
        sides = []
        for what, most in HEADER[: 2 if kind in BITMAPS else 3]:
            place = _after(BLANK, data, place)
            number = NUMBER.match(data, place)
            if number is None or not 1 <= int(number[0]) <= most:
                raise FormatError(f"its {what} should be a number from 1 to {most}")
            sides.append(int(number[0]))
            place = number.end()
        picture, place = _raster(data, place, kind, *sides)
        yield kind, picture
        place = _after(BLANK, data, place)


def _after(pattern: "re.Pattern[bytes]", data: bytes, place: int) -> int:
    found = pattern.match(data, place)
    return found.end() if found else place


def _raster(data: bytes, place: int, kind: int, width: int, height: int, most: int = 1) -> tuple[np.ndarray, int]:
    """Return an image's pixels, and where it ends."""
    channels = 3 if kind in (3, 6) else 1
    count = width * height * channels
    if kind in PLAIN:
        values, place = _plain_values(data, place, count, digits=kind == 1)
    elif kind == 4:
        rows = -(-width // 8)
        packed = _bytes(data, place + 1, rows * height).reshape(height, rows)
        values, place = np.unpackbits(packed, axis=1)[:, :width].reshape(-1), place + 1 + rows * height
    else:
        size = 1 if most < 256 else 2
        values = _bytes(data, place + 1, count * size).view(np.uint8 if size == 1 else ">u2")
        place += 1 + count * size
    if values.max() > most:
        raise FormatError(f"one of its values is {values.max()}, more than {most}")
    light = 255 * (1 - values.astype(np.int64)) if kind in BITMAPS else values.astype(np.int64) * 255 // most
    cells = light.astype(np.uint8).reshape(height, width, channels)
    return np.repeat(cells, 3 // channels, axis=2), place


def _bytes(data: bytes, place: int, count: int) -> np.ndarray:
    if len(data) - place < count:
        raise FormatError(f"it ends {count - max(len(data) - place, 0)} bytes too early")
    return np.frombuffer(data, np.uint8, count, place)


def _plain_values(data: bytes, place: int, count: int, digits: bool) -> tuple[np.ndarray, int]:
    """Read `count` numbers, or digits, which need no blanks between them."""
    if len(data) - place < count:
        raise FormatError(f"it is too short for {count} values")
    end = _after(NUMBERS, data, place)
    text = COMMENT.sub(b" ", data[place:end])
    if digits:
        values = np.frombuffer(text.translate(None, BLANKS), np.uint8) - ord("0")
    else:
        values = np.fromstring(text, np.int64, sep=" ") if text.strip() else np.zeros(0, np.int64)
    if len(values) < count:
        raise FormatError(f"it has {len(values)} of {count} values")
    if len(values) > count:
        raise FormatError("data after an image is not an image")
    return values, end


def _puzzle(picture: tuple[int, np.ndarray]) -> Puzzle:
    kind, cells = picture
    if kind in BITMAPS:
        return from_picture((cells[:, :, 0] == 0).astype(np.uint8))
    return puzzle_of_pixels(cells)


def write(puzzle: Puzzle) -> bytes:
    """Return the puzzle's picture as text: P1 if it is black on white, else P3. Refuses equal colours."""
    assert puzzle.goal is not None
    rgbs = palette_rgbs(puzzle)
    plain = rgbs == [WHITE.rgb, BLACK.rgb]
    values = ["0", "1"] if plain else [" ".join(map(str, bytes.fromhex(rgb))) for rgb in rgbs]
    lines = ["P1" if plain else "P3", f"{puzzle.width} {puzzle.height}", *([] if plain else ["255"])]
    lines += ["  ".join([values[color] for color in row]) for row in puzzle.goal.tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


def bundle(files: Iterable[bytes]) -> Iterable[bytes]:
    """Yield a file of several images."""
    return files
