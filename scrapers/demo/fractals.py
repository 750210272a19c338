"""Fractals on coarse grids."""

import math
from collections.abc import Callable

import numpy as np

from scrapers.demo.plane import chance, fitted, plane, polygon, stroke


def sierpinski(size: int, modulus: int = 2) -> np.ndarray:
    """Pascal's triangle, leaning left: each number's remainder is a colour."""
    row = np.zeros(size, np.int64)
    row[0] = 1
    rows = []
    for _ in range(size):
        rows.append(row)
        row = (row + np.append(0, row[:-1])) % modulus
    return np.array(rows, np.uint8)


def pyramid(size: int) -> np.ndarray:
    """Sierpinski's triangle, upright: rule 90 from one cell."""
    cells = np.zeros((size, 2 * size - 1), np.uint8)
    cells[0, size - 1] = 1
    for y in range(1, size):
        cells[y, 1:-1] = cells[y - 1, :-2] ^ cells[y - 1, 2:]
        cells[y, 0], cells[y, -1] = cells[y - 1, 1], cells[y - 1, -2]
    return cells


def carpet(order: int, tile: tuple[str, ...] = ("###", "#.#", "###")) -> np.ndarray:
    """A tile in which every filled cell is the tile again, and so on: Sierpinski's carpet and its relatives."""
    seed = np.array([[symbol == "#" for symbol in row] for row in tile], np.uint8)
    cells = seed
    for _ in range(order - 1):
        cells = np.kron(cells, seed)
    return cells


def dragon(folds: int, step: int = 2, pen: int = 1) -> np.ndarray:
    """The dragon curve: a strip of paper folded again and again, opened to right angles."""
    turns: list[int] = []
    for _ in range(folds):
        turns = [*turns, 1, *(-turn for turn in reversed(turns))]
    x, y, dx, dy = 0, 0, step, 0
    points = [(x, y)]
    for turn in (*turns, 0):
        x, y = x + dx, y + dy
        points.append((x, y))
        dx, dy = -dy * turn, dx * turn
    left, top = min(x for x, _ in points), min(y for _, y in points)
    right, bottom = max(x for x, _ in points), max(y for _, y in points)
    points = [(x - left, y - top) for x, y in points]
    return stroke(right - left + pen, bottom - top + pen, points, pen).astype(np.uint8)


def hilbert(order: int) -> np.ndarray:
    """Hilbert's curve through 2^order by 2^order places, two cells apart."""
    size = 2**order
    places = [_hilbert_place(order, step) for step in range(size * size)]
    return stroke(2 * size - 1, 2 * size - 1, [(2 * x, 2 * y) for x, y in places]).astype(np.uint8)


def _hilbert_place(order: int, step: int) -> tuple[int, int]:
    """Where Hilbert's curve is after so many steps: quarter within quarter, from the smallest up."""
    x = y = 0
    for level in range(order):
        side = 2**level
        right, down = (step >> 1) & 1, (step ^ (step >> 1)) & 1
        if not down:
            if right:
                x, y = side - 1 - x, side - 1 - y
            x, y = y, x
        x, y = x + side * right, y + side * down
        step >>= 2
    return x, y


def koch(order: int, width: int, height: int) -> np.ndarray:
    """Koch's snowflake, filled."""
    corners = [complex(math.sin(k * math.tau / 3), -math.cos(k * math.tau / 3)) for k in range(3)]
    spike = complex(0.5, -math.sqrt(3) / 6)
    for _ in range(order):
        finer = []
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            finer += [a, a + (b - a) / 3, a + (b - a) * spike, a + (b - a) * 2 / 3]
        corners = finer
    return polygon(width, height, fitted([(c.real, c.imag) for c in corners], width, height)).astype(np.uint8)


def tree(width: int, height: int, depth: int, spread: float = 0.45, shrink: float = 0.76) -> np.ndarray:
    """A tree that forks in two, again and again; trunk and boughs are two cells thick."""
    trunk = height * (1 - shrink) / (1 - shrink**depth)
    cells = np.zeros((height, width), bool)

    def grow(x: float, y: float, angle: float, length: float, left: int) -> None:
        end = (x + length * math.sin(angle), y - length * math.cos(angle))
        cells[stroke(width, height, [(x, y), end], 2 if left else 1)] = True
        if left:
            grow(*end, angle - spread, length * shrink, left - 1)
            grow(*end, angle + spread, length * shrink, left - 1)

    grow(width / 2 - 1, height - 1, 0, trunk, depth - 1)
    return cells.astype(np.uint8)


def fern(width: int, height: int, points: int, seed: int) -> np.ndarray:
    """Barnsley's fern, by the chaos game."""
    random = chance(seed).random(points)
    cells = np.zeros((height, width), np.uint8)
    x = y = 0.0
    for r in random.tolist():
        if r < 0.02:
            x, y = 0.0, 0.16 * y
        elif r < 0.86:
            x, y = 0.85 * x + 0.04 * y, -0.04 * x + 0.85 * y + 1.6
        elif r < 0.93:
            x, y = 0.2 * x - 0.26 * y, 0.23 * x + 0.22 * y + 1.6
        else:
            x, y = -0.15 * x + 0.28 * y, 0.26 * x + 0.24 * y + 0.44
        cells[round((height - 1) * (1 - y / 10)), round((width - 1) * (x + 2.4) / 5.3)] = 1
    return cells


def escape(step: Callable[[np.ndarray], np.ndarray], z: np.ndarray, most: int) -> np.ndarray:
    """Steps that each point takes to leave the disc of radius 2; `most` for those that stay."""
    steps = np.full(z.shape, most)
    alive = np.ones(z.shape, bool)
    for n in range(most):
        gone = alive & (np.abs(z) > 2)
        steps[gone] = n
        alive &= ~gone
        z = np.where(alive, step(z), z)
    return steps


def mandelbrot(
    width: int, height: int, most: int = 24, middle: complex = -0.72, across: float = 3.1, power: int = 2
) -> np.ndarray:
    """How long each point stays under z -> z^power + c, in a window `across` wide."""
    x, y = plane(width, height)
    c = middle + (x + 1j * y) * across / width
    return escape(lambda z: z**power + c, np.zeros_like(c), most)


def julia(width: int, height: int, c: complex, most: int = 30, across: float = 3.2) -> np.ndarray:
    """How long each point stays under z -> z^2 + c."""
    x, y = plane(width, height)
    return escape(lambda z: z * z + c, (x + 1j * y) * across / width, most)


def newton(width: int, height: int, power: int = 3, across: float = 3.0) -> np.ndarray:
    """Which root of z^power = 1 Newton's method finds from each point: 0 and up."""
    x, y = plane(width, height)
    z = (x + 0.01 + 1j * y) * across / width
    for _ in range(30):
        z = z - (z**power - 1) / (power * z ** (power - 1))
    return np.asarray(np.round(np.angle(z) * power / math.tau).astype(int) % power, np.uint8)


def bands(steps: np.ndarray, limits: list[int]) -> np.ndarray:
    """Steps as colours: 0 below the first limit, 1 from it on, 2 from the second on, and so on."""
    return np.searchsorted(limits, steps, side="right").astype(np.uint8)
