"""Picture generators. A picture depends only on the generator's parameters and its number."""

from functools import cache

import numpy as np

REACH = 3
"""Radius in cells of the moving average in smooth pictures, smaller in small ones."""


def random_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1 whose cells are independently black with probability `density`.

    All are consecutive in the stream of one generator, advanced to the first; a step yields two 32-bit numbers.
    """
    cells = width * height
    steps, rest = divmod(first * cells, 2)
    draws = _generator(seed, steps).random(rest + (last - first) * cells, np.float32)[rest:]
    return (draws < density).astype(np.uint8).reshape(-1, height, width)


def smooth_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1 of smooth blobs, each with a ratio `density` of black cells.

    Random numbers are averaged over their neighbourhood, wrapping at the borders; the highest are black.
    """
    cells = width * height
    fields = _generator(seed, first * cells).random((last - first, height, width))
    for axis, side in ((1, height), (2, width)):
        reach = min(REACH, side // 5)
        sums = np.roll(fields, -reach, axis)
        for step in range(1 - reach, reach + 1):
            sums += np.roll(fields, step, axis)
        fields = sums
    fields = fields.reshape(-1, cells)
    black = round(density * cells)
    lowest = np.partition(fields, cells - black, axis=1)[:, cells - black, None] if black else np.inf
    return (fields >= lowest).astype(np.uint8).reshape(-1, height, width)


def _generator(seed: int, steps: int) -> np.random.Generator:
    """Return NumPy's default generator, advanced by `steps` steps of 64 bits."""
    return np.random.Generator(np.random.PCG64(seed).advance(steps))


def every_picture(width: int, height: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1 of the 2^(width x height); cell k is bit k of the number."""
    numbers = np.arange(first, last, dtype="<u8")[:, None].view(np.uint8)
    return np.unpackbits(numbers, axis=1, count=width * height, bitorder="little").reshape(-1, height, width)


def symmetric_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1: random ones, with the left half mirrored on the right."""
    left = random_pictures(-(-width // 2), height, density, seed, first, last)
    return np.concatenate([left, left[:, :, : width // 2][:, :, ::-1]], axis=2)


MAX_SHAPES = 300


def shapes(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1 of overlapping shapes, with a ratio `density` of black cells.

    Shapes are discs, rings, boxes and rotated bars; some are white, fewer at higher density. The last shape may exceed
    the ratio.
    """
    made = np.zeros((last - first, height, width), np.uint8)
    y, x = np.mgrid[:height, :width] + 0.5
    for picture, number in zip(made, range(first, last), strict=True):
        draw = np.random.default_rng([seed, number])
        for _ in range(MAX_SHAPES):
            if picture.mean() >= density:
                break
            picture[_shape(draw, x, y, min(width, height))] = draw.random() >= 0.3 * (1 - density)
    return made


def _shape(draw: np.random.Generator, x: np.ndarray, y: np.ndarray, side: int) -> np.ndarray:
    """Return a random shape, bool[height, width]; x and y are the cells' centres."""
    height, width = x.shape
    turned = draw.random() * np.pi
    right, down = x - draw.random() * width, y - draw.random() * height
    along = np.abs(right * np.cos(turned) + down * np.sin(turned))
    across = np.abs(down * np.cos(turned) - right * np.sin(turned))
    away = np.hypot(right, down)
    size = max(0.7, side * (0.08 + 0.22 * draw.random()))
    cells = (
        away <= size,
        (away <= size) & (away >= size * 0.6),
        (np.abs(right) <= size) & (np.abs(down) <= size * (0.5 + draw.random())),
        (along <= size * 2) & (across <= max(0.7, size * 0.25)),
    )[draw.integers(4)]
    return np.asarray(cells)


def cycles(width: int, height: int, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1 with two cells per row: on the diagonal, and of a permutation.

    The permutation has no fixed points. Its cycles are closed walks along rows and columns in which solutions differ
    (the shortest are Ryser's switches), so most of these puzzles have very many solutions.
    """
    assert width == height
    made = np.zeros((last - first, height, width), np.uint8)
    rows = np.arange(height)
    for picture, number in zip(made, range(first, last), strict=True):
        draw = np.random.default_rng([seed, number])
        where = draw.permutation(height)
        while (where == rows).any():
            where = draw.permutation(height)
        picture[rows, rows] = picture[rows, where] = 1
    return made


def dominoes(width: int, height: int, first: int, last: int) -> np.ndarray:
    """Return the picture of Wolter's n-Dom family for this size, a square with side 2n + 1.

    A chain of n pairs of bars, after Josh Greifer's "Domino Logic III" (9-Dom, webpbn.com 8098). A person solves it by
    counting rows; search by lines alone takes exponential time in n.
    """
    assert width == height
    picture = np.zeros((height, width), np.uint8)
    for top in range(0, height - 1, 2):
        left = width - 3 - top
        picture[top, left : left + 3] = 1
        picture[top : top + 3, left + 2] = 1
    return picture[None][first:last]


def add_colors(pictures: np.ndarray, colors: int, seed: int, first: int, by_cell: bool) -> np.ndarray:
    """Colour black-and-white pictures; colours are numbered in order of first use, row by row.

    Args:
        pictures: uint8[count, height, width], the first of them number `first`.
        colors: Number of colours besides the background.
        seed: Seed of the random colours.
        first: Number of the first picture.
        by_cell: Draw a colour for each cell, else for each area of a Voronoi diagram.

    """
    made = np.zeros_like(pictures)
    _, height, width = pictures.shape
    y, x = np.mgrid[:height, :width]
    for picture, cells, number in zip(pictures, made, range(first, first + len(pictures)), strict=True):
        draw = np.random.default_rng([seed, number, colors])
        if by_cell:
            drawn = draw.integers(colors, size=picture.shape)
        else:
            points = draw.random((2 * colors, 2)) * (height, width)
            distance = np.hypot(y[..., None] - points[:, 0], x[..., None] - points[:, 1])
            drawn = distance.argmin(axis=2) % colors
        cells[:] = (drawn + 1) * picture
    return _in_order_of_use(made, colors)


def _in_order_of_use(pictures: np.ndarray, colors: int) -> np.ndarray:
    """Renumber colours in order of first use, as in the puzzles table."""
    cells = pictures.reshape(len(pictures), -1)
    uses = np.stack([cells == color for color in range(1, colors + 1)], axis=1)
    first = np.where(uses.any(axis=2), uses.argmax(axis=2), cells.shape[1])
    order, numbers = np.argsort(first, axis=1, kind="stable"), np.arange(1, colors + 1, dtype=np.uint8)
    place = np.zeros((len(pictures), colors + 1), np.uint8)
    np.put_along_axis(place[:, 1:], order, numbers[None], axis=1)
    return np.take_along_axis(place, cells, axis=1).reshape(pictures.shape)


FONT = """
.###. ####. .#### ####. ##### ##### .###. #...# .###. ..### #...# #.... #...# #...# .###. ####. .###. ####. .#### #####
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.## ##..# #...# #...# #...# #...# #.... ..#..
#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.# #.#.# #...# #...# #...# #...# #.... ..#..
##### ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.# #..## #...# ####. #...# ####. .###. ..#..
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...# #...# #...# #.... #.#.# #.#.. ....# ..#..
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...# #...# #...# #.... #..#. #..#. ....# ..#..
#...# ####. .#### ####. ##### #.... .###. #...# .###. .##.. #...# ##### #...# #...# .###. #.... .##.# #...# ####. ..#..

#...# #...# #...# #...# #...# ##### .###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# #...# #...# #...# #...# ....# #...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#...# #...# #...# .#.#. #...# ...#. #..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#...# #...# #.#.# ..#.. .#.#. ..#.. #.#.# ..#.. ..##. ..##. #..#. ....# ####. ..#.. .###. .####
#...# #...# #.#.# .#.#. ..#.. .#... ##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# .#.#. ##.## #...# ..#.. #.... #...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ....#
.###. ..#.. #...# #...# ..#.. ##### .###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""
"""A to Z, then 0 to 9, of 5x7 cells."""

WIDTH, HEIGHT = 5, 7


@cache
def glyphs() -> np.ndarray:
    """Return the letters and digits, uint8[36, HEIGHT, WIDTH]."""
    found = []
    for band in FONT.strip().split("\n\n"):
        lines = [line.split() for line in band.split("\n")]
        found += [[[cell == "#" for cell in line[k]] for line in lines] for k in range(len(lines[0]))]
    return np.array(found, np.uint8)


def letters(width: int, height: int, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1: lines of letters of random size and position."""
    made = np.zeros((last - first, height, width), np.uint8)
    largest = min(width // WIDTH, height // HEIGHT)
    for picture, number in zip(made, range(first, last), strict=True):
        draw = np.random.default_rng([seed, number])
        size = int(draw.integers(1, largest + 1))
        across, down = (width // size + 1) // (WIDTH + 1), (height // size + 1) // (HEIGHT + 1)
        lines = glyphs()[draw.integers(len(glyphs()), size=(down, across))]
        spaced = np.pad(lines, ((0, 0), (0, 0), (0, 1), (0, 1))).transpose(0, 2, 1, 3)
        text = spaced.reshape(down * (HEIGHT + 1), across * (WIDTH + 1))[:-1, :-1].repeat(size, 0).repeat(size, 1)
        top, left = (int(draw.integers(room + 1)) for room in (height - text.shape[0], width - text.shape[1]))
        picture[top : top + text.shape[0], left : left + text.shape[1]] = text
    return made
