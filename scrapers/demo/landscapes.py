"""Landscapes and skies in colour. A number in a picture is an entry of the palette named in `scrapers.demo.drawing`."""

import math

import numpy as np

from scrapers.demo.plane import EDGE, chance, disc, noise, pick, plane, polygon


def ridge(width: int, base: float, swing: float, scale: float, seed: int) -> np.ndarray:
    """For each column the row where a range of hills begins: smooth noise in two sizes round a base."""
    broad, fine = noise(width, 1, scale, seed)[0], noise(width, 1, scale / 3, seed + 1000)[0]
    return np.asarray(np.round(base + swing * (broad - 0.5) * 2 + swing * 0.3 * (fine - 0.5)), int)


def below(tops: np.ndarray, height: int) -> np.ndarray:
    """The mask of all cells from each column's top down."""
    return np.asarray(np.arange(height)[:, None] >= tops)


def sunset(width: int, height: int, seed: int) -> np.ndarray:
    """Three ranges under a low sun: sky 0, evening red 1, sun 2, hills 3 to 5 from far to near."""
    cells = np.zeros((height, width), np.uint8)
    cells[int(height * 0.3) :] = 1
    cells[disc(width, height, width * 0.62, height * 0.42, min(width, height) * 0.17)] = 2
    for layer, base in enumerate((0.55, 0.7, 0.86)):
        tops = ridge(width, height * base, height * 0.13, width / (2.2 + layer), seed + layer)
        cells[below(tops, height)] = 3 + layer
    return cells


def peaks(width: int, height: int, seed: int) -> np.ndarray:
    """Pointed mountains with snow: sky 0, rock 1, snow 2, meadow 3."""
    random = chance(seed)
    cells = np.zeros((height, width), np.uint8)
    for k in range(4):
        x = width * (k + 0.2 + 0.6 * random.random()) / 4
        top, half = height * (0.08 + 0.3 * random.random()), width * (0.2 + 0.08 * random.random())
        foot = height * 0.86
        cells[polygon(width, height, [(x, top), (x + half, foot), (x - half, foot)])] = 1
        snow = polygon(
            width,
            height,
            [
                (x, top),
                (x + half * 0.36, top + (foot - top) * 0.36),
                (x, top + 2.2 + height * 0.05),
                (x - half * 0.36, top + (foot - top) * 0.36),
            ],
        )
        cells[snow] = 2
    cells[below(ridge(width, height * 0.82, height * 0.05, width / 2, seed + 9), height)] = 3
    return cells


def planet(size: int, seed: int, stripes: int = 6) -> np.ndarray:
    """A planet in the night: sky 0, stripes of 1 and 2 that swirl a little, a storm 3, stars 3."""
    cells = _stars(size, size, seed, 3, 0.006)
    x, y = plane(size, size)
    swirl = (noise(size, size, size / 4, seed) - 0.5) * 0.16
    stripe = np.floor(((y / size + 0.5) + swirl) * stripes * 1.6).astype(int) % 2
    ball = np.hypot(x, y) < size * 0.4
    around = np.hypot(x, y) < size * 0.4 + 1.5
    cells[around] = 0
    cells[ball] = (1 + stripe)[ball]
    cells[disc(size, size, size * 0.6, size * 0.6, size * 0.06, 1.8) & ball] = 3
    return cells


def craters(size: int, seed: int) -> np.ndarray:
    """A full moon: sky 0, moon 1, craters 2 with the lit half of their rims left 1."""
    random = chance(seed)
    x, y = plane(size, size)
    cells = np.asarray(np.hypot(x, y) < size * 0.455, np.uint8)
    for _ in range(9):
        angle, way = random.random() * math.tau, random.random() * size * 0.34
        radius = size * (0.03 + random.random() * 0.07)
        middle = size / 2 + way * math.cos(angle), size / 2 + way * math.sin(angle)
        cells[disc(size, size, *middle, radius) & (cells > 0)] = 2
        cells[disc(size, size, middle[0] + radius * 0.5, middle[1] + radius * 0.5, radius * 0.6) & (cells > 0)] = 1
    return cells


def _stars(width: int, height: int, seed: int, color: int, share: float) -> np.ndarray:
    return np.where(chance(seed).random((height, width)) < share, color, 0).astype(np.uint8)


def skyline(width: int, height: int, seed: int) -> np.ndarray:
    """A town at night: sky 0, houses behind 1, houses in front 2, lit windows 3, moon 3."""
    random = chance(seed)
    cells = np.zeros((height, width), np.uint8)
    cells[disc(width, height, width * 0.8, height * 0.16, height * 0.09)] = 3
    for color, low, high in ((1, 0.3, 0.6), (2, 0.15, 0.45)):
        x = -pick(random, 3)
        while x < width:
            side, tall = 4 + pick(random, 4), int(height * (low + (high - low) * random.random()))
            left, right = max(x, 0), min(x + side, width)
            cells[height - tall :, left:right] = color
            if color == 2:
                _light(cells, random, left, right, height - tall)
            x += side + pick(random, 2) * (color == 2)
    return cells


def _light(cells: np.ndarray, random: np.random.Generator, left: int, right: int, top: int) -> None:
    """Light some windows of the house with these sides and this roof."""
    for y in range(top + 1, len(cells) - 1, 2):
        for x in range(left + 1, right - 1, 2):
            if random.random() < 0.55:
                cells[y, x] = 3


def islands(width: int, height: int, scale: float, seed: int) -> np.ndarray:
    """A map of islands: sea 0, beach 1, woods 2, rock 3, snow 4."""
    x, y = plane(width, height)
    land = 0.7 * noise(width, height, scale, seed) + 0.3 * noise(width, height, scale / 2, seed + 1)
    land = land + 0.12 - 0.5 * np.hypot(x / width, y / height) ** 2
    return np.searchsorted([0.5, 0.55, 0.66, 0.74], land).astype(np.uint8)


def forest(width: int, height: int, seed: int) -> np.ndarray:
    """Firs in the snow: sky 0, firs behind 1, firs in front 2, trunks 3, snow 4."""
    random = chance(seed)
    cells = np.zeros((height, width), np.uint8)
    cells[int(height * 0.84) :] = 4
    for color, foot, count in ((1, 0.84, 6), (2, 0.94, 5)):
        for k in range(count):
            x, tall = round(width * (k + 0.2 + 0.6 * random.random()) / count), height * (0.4 + 0.3 * random.random())
            bottom = round(height * foot) - 2
            for tier in range(3):
                top, end = bottom - tall * (1 - tier * 0.26), bottom - tall * (0.5 - tier * 0.25)
                half = tall * (0.16 + 0.07 * tier)
                cells[polygon(width, height, [(x, top), (x + half, end), (x - half, end)])] = color
            cells[bottom : bottom + 2, max(x, 0) : x + 1] = 3
    return cells


def sea(width: int, height: int, seed: int) -> np.ndarray:
    """Waves under a gull and the sun: sky 0, water 1 to 3 from light to dark, sun 4, gull 5."""
    cells = np.zeros((height, width), np.uint8)
    cells[disc(width, height, width * 0.25, height * 0.25, height * 0.13)] = 4
    x = np.arange(width)
    for layer in range(3):
        shift = chance(seed + layer).random() * math.tau
        tops = np.round(
            height * (0.48 + 0.18 * layer) + (1.2 + layer * 0.4) * np.sin(x * math.tau / (8 + 3 * layer) + shift)
        )
        cells[below(tops, height)] = 1 + layer
    x_gull, y_gull = int(width * 0.7), int(height * 0.2)
    cells[y_gull, x_gull - 3 : x_gull + 4] = 5
    cells[y_gull, x_gull] = 0
    cells[y_gull + 1, x_gull - 1 : x_gull + 2] = 5
    return cells


def dunes(width: int, height: int, seed: int) -> np.ndarray:
    """Dunes with lit and shaded sides: sky 0, light 1, shade 2, sun 3."""
    cells = np.zeros((height, width), np.uint8)
    cells[disc(width, height, width * 0.78, height * 0.2, height * 0.11)] = 3
    x = np.arange(width)
    for layer in range(4):
        base = height * (0.42 + 0.16 * layer)
        tops = ridge(width, base, height * 0.1, width / (1.6 + 0.6 * layer), seed + layer)
        dune = below(tops, height)
        crest = width * chance(seed + 20 + layer).random()
        lean = crest + (np.arange(height)[:, None] - base) * 1.4 + 2 * np.sin(np.arange(height)[:, None] / 3)
        cells[dune] = 1
        cells[dune & (x > lean)] = 2
    return cells


def aurora(width: int, height: int, seed: int) -> np.ndarray:
    """Northern lights over black woods: night 0, green 1, violet 2, woods 3, stars 4."""
    cells = _stars(width, height, seed, 4, 0.008)
    for color, base in ((2, 0.24), (1, 0.42)):
        tops = ridge(width, height * base, height * 0.16, width / 3, seed + color)
        tall = ridge(width, height * 0.2, height * 0.07, width / 7, seed + 5 + color)
        cells[below(tops, height) & ~below(tops + tall, height)] = color
    spikes = np.abs(np.arange(width) * 2 % 9 - 4) // 2
    cells[below(np.round(height * 0.8) + spikes, height)] = 3
    return cells


def hills(width: int, height: int, seed: int) -> np.ndarray:
    """Fields in rows: sky 0, cloud 1 to the left, light and dark fields 2 and 3 in stripes, far hills 4."""
    cells = np.zeros((height, width), np.uint8)
    for u, v, radius in ((0.2, 0.2, 0.1), (0.32, 0.17, 0.13), (0.42, 0.21, 0.09)):
        cells[disc(width, height, width * u, height * v, height * radius, 1.5)] = 1
    cells[below(ridge(width, height * 0.45, height * 0.12, width / 2, seed), height)] = 4
    x, y = np.arange(width), np.arange(height)[:, None]
    tops = ridge(width, height * 0.6, height * 0.08, width / 1.5, seed + 3)
    furrow = np.floor((x - width * 0.4) / (y - height * 0.3 + EDGE) * 6).astype(int) % 2
    field = below(tops, height)
    cells[field] = (2 + furrow)[field]
    return cells
