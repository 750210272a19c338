"""What generated pictures are made from: coordinates, seeded chance, smooth noise, strokes and filled shapes.

A picture is uint8[height, width] of palette entries; a mask is bool of the same shape. Chance comes from PCG64 and
nothing but `random()`, whose stream NumPy keeps, so the same seed gives the same picture everywhere.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

Point = tuple[float, float]

EDGE = 1e-6
"""Shapes are this much larger than they say: a cell centre exactly on the rim is inside on every machine."""


def chance(seed: int) -> np.random.Generator:
    """A source of random numbers that a seed fixes for good."""
    return np.random.Generator(np.random.PCG64(seed))


def pick(random: np.random.Generator, below: int) -> int:
    """A random whole number from 0 to below - 1."""
    return int(random.random() * below)


def plane(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """The cells' centres as x and y (downwards), one unit a cell, the picture's middle at 0, 0."""
    x = np.arange(width) - (width - 1) / 2
    y = np.arange(height) - (height - 1) / 2
    return np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width))


def polar(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """The cells' distance from the middle of the picture, and their angle."""
    x, y = plane(width, height)
    return np.hypot(x, y), np.arctan2(y, x)


def noise(width: int, height: int, scale: float, seed: int) -> np.ndarray:
    """Smooth noise between 0 and 1: random heights every `scale` cells, with soft slopes between them."""
    columns, rows = int(width / scale) + 2, int(height / scale) + 2
    lattice = chance(seed).random((rows, columns))
    y, x = np.arange(height) / scale, np.arange(width) / scale
    top, left = y.astype(int), x.astype(int)
    down, right = _soft(y - top)[:, None], _soft(x - left)
    upper = lattice[top][:, left] * (1 - right) + lattice[top][:, left + 1] * right
    lower = lattice[top + 1][:, left] * (1 - right) + lattice[top + 1][:, left + 1] * right
    return np.asarray(upper * (1 - down) + lower * down)


def _soft(t: np.ndarray) -> np.ndarray:
    """A slope from 0 to 1 that is level at both ends."""
    return np.asarray(t * t * (3 - 2 * t))


def disc(width: int, height: int, x: float, y: float, radius: float, flatness: float = 1) -> np.ndarray:
    """The mask of a disc around cell coordinates x, y (from the top left), `flatness` times as wide as high."""
    columns, rows = np.arange(width), np.arange(height)[:, None]
    return np.asarray(np.hypot((columns - x) / flatness, rows - y) <= radius + EDGE)


def polygon(width: int, height: int, corners: Sequence[Point]) -> np.ndarray:
    """The mask of a polygon given by its corners in cell coordinates from the top left (even-odd rule)."""
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    inside = np.zeros((height, width), bool)
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if y0 != y1:
            crossing = x0 + (y + EDGE - y0) * (x1 - x0) / (y1 - y0)
            inside ^= ((y + EDGE > y0) != (y + EDGE > y1)) & (x < crossing + EDGE)
    return inside


def stroke(width: int, height: int, points: Iterable[Point], pen: int = 1) -> np.ndarray:
    """The mask of a line through points in cell coordinates from the top left, drawn with a square pen.

    The points are where the pen's top left cell goes.
    """
    mask = np.zeros((height, width), bool)
    for (x0, y0), (x1, y1) in pairwise(points):
        steps = max(1, round(2 * max(abs(x1 - x0), abs(y1 - y0))))
        t = np.linspace(0, 1, steps + 1)
        left = np.floor(x0 + (x1 - x0) * t + 0.5).astype(int)
        top = np.floor(y0 + (y1 - y0) * t + 0.5).astype(int)
        for x, y in ((left + dx, top + dy) for dx in range(pen) for dy in range(pen)):
            seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            mask[y[seen], x[seen]] = True
    return mask


def fitted(points: Sequence[Point], width: int, height: int, margin: float = 0) -> list[Point]:
    """Points moved and scaled, the same in both directions, to fill a picture."""
    places = np.array(points, float)
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.array([width, height]) - 1 - 2 * margin
    scale = (room / np.maximum(high - low, 1e-9)).min()
    moved = (places - (low + high) / 2) * scale + (np.array([width, height]) - 1) / 2
    return [(float(x), float(y)) for x, y in moved]


def mirrored(quarter: np.ndarray) -> np.ndarray:
    """A picture of four quarters, from the top left one; the middle row and column are not doubled."""
    half = np.hstack([quarter, quarter[:, -2::-1]])
    return np.vstack([half, half[-2::-1]])
