"""Patterns: spirals, waves, rosettes, weaves, tilings, mazes, automata, blobs and maps."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from scrapers.demo.plane import (
    EDGE,
    Point,
    chance,
    disc,
    fitted,
    mirrored,
    noise,
    pick,
    plane,
    polar,
    polygon,
    stroke,
)

# Rounds: spirals, rings, rosettes, stars.


def square_spiral(width: int, height: int) -> np.ndarray:
    """A path that winds inwards along the walls, one cell from itself."""
    cells = np.zeros((height, width), np.uint8)
    x, y, dx, dy, turns = 0, 0, 1, 0, 0
    cells[y, x] = 1

    def free(x: int, y: int) -> bool:
        return 0 <= x < width and 0 <= y < height and not cells[y, x]

    def wall(x: int, y: int) -> bool:
        return not 0 <= x < width or not 0 <= y < height

    while turns < 2:
        ahead = x + 2 * dx, y + 2 * dy
        if free(x + dx, y + dy) and (free(*ahead) or wall(*ahead)):
            x, y, turns = x + dx, y + dy, 0
            cells[y, x] = 1
        else:
            dx, dy, turns = -dy, dx, turns + 1
    return cells


def spiral(width: int, height: int, arms: int, pitch: float, share: float = 0.5) -> np.ndarray:
    """Archimedes' spiral with so many arms; its windings are `pitch` cells apart, `share` of that is filled."""
    radius, angle = polar(width, height)
    turn = (radius / pitch - arms * angle / math.tau) % 1
    return ((turn < share) & (radius < min(width, height) / 2)).astype(np.uint8)


def pinwheel(width: int, height: int, arms: int, twist: float, colors: int = 1) -> np.ndarray:
    """Arms that swing round the middle, every second one background or each in the next colour."""
    radius, angle = polar(width, height)
    turn = (arms * (angle / math.tau + twist * np.log(radius + 1)) + EDGE) % 1
    sector = np.floor((arms * (angle / math.tau + twist * np.log(radius + 1)) + EDGE) % arms).astype(int)
    if colors == 1:
        cells = turn < 0.5
    else:
        cells = 1 + sector % colors
    return np.where(radius < min(width, height) / 2, cells, 0).astype(np.uint8)


def rings(width: int, height: int, thickness: float, colors: int = 1, flatness: float = 1) -> np.ndarray:
    """Rings round the middle: filled and not, or the colours in turn."""
    x, y = plane(width, height)
    radius = np.hypot(x / flatness, y)
    ring = np.floor(radius / thickness + EDGE).astype(int)
    inside = radius < min(width / flatness, height) / 2
    return np.where(inside, (ring + 1) % 2 if colors == 1 else 1 + ring % colors, 0).astype(np.uint8)


def rosette(size: int, petals: int, depth: float = 0.5, hole: float = 0.15, colors: int = 1) -> np.ndarray:
    """A flower seen from above; `depth` is how far in the petals part, `hole` the heart's share of the radius."""
    radius, angle = polar(size, size)
    rim = size / 2 * (1 - depth * (0.5 - 0.5 * np.cos(petals * (angle + math.pi / 2))))
    cells = (radius < rim).astype(np.uint8)
    if colors > 1:
        cells[radius < rim * 0.62] *= 2
    cells[radius < hole * size / 2] = colors if colors > 2 else 0
    return cells


def star(size: int, points: int, depth: float, hole: float = 0.0) -> np.ndarray:
    """A star, perhaps with a star-shaped hole."""

    def outline(scale: float) -> list[Point]:
        turn = math.pi / points
        radii = [scale * (1 if k % 2 == 0 else depth) for k in range(2 * points)]
        return [(r * math.sin(k * turn), -r * math.cos(k * turn)) for k, r in enumerate(radii)]

    middle = (size - 1) / 2
    whole = [(middle + x, middle + y) for x, y in outline(size / 2)]
    cells = polygon(size, size, whole)
    if hole:
        cells &= ~polygon(size, size, [(middle + x, middle + y) for x, y in outline(size / 2 * hole)])
    return cells.astype(np.uint8)


def sunflower(size: int, seeds: int) -> np.ndarray:
    """Seeds set by the golden angle."""
    cells = np.zeros((size, size), np.uint8)
    golden = math.pi * (3 - math.sqrt(5))
    for k in range(seeds):
        radius = (size / 2 - 1) * math.sqrt((k + 0.5) / seeds)
        x, y = radius * math.cos(k * golden), radius * math.sin(k * golden)
        cells[int(size / 2 + y), int(size / 2 + x)] = 1
    return cells


def gear(size: int, teeth: int) -> np.ndarray:
    """A cog wheel with spokes."""
    radius, angle = polar(size, size)
    half = size / 2
    toothed = np.where(np.cos(teeth * angle + 0.3) > 0, half, half * 0.84)
    cells = (radius < toothed) & ~((radius > half * 0.32) & (radius < half * 0.62) & (np.cos(5 * angle + 1) > -0.55))
    return np.asarray(cells & (radius > half * 0.14), np.uint8)


def mandala(size: int, seed: int, colors: int = 1, share: float = 0.55) -> np.ndarray:
    """Random, but the same in all eight directions."""
    half = (size + 1) // 2
    random = chance(seed)
    quarter = np.where(random.random((half, half)) < share, 1 + (random.random((half, half)) * colors).astype(int), 0)
    quarter = np.triu(quarter) + np.triu(quarter, 1).T
    return mirrored(quarter.astype(np.uint8))


def mask(width: int, height: int, seed: int) -> np.ndarray:
    """A face of blobs, the same left and right."""
    half = noise((width + 1) // 2, height, 3.2, seed) > 0.5
    cells = np.hstack([half, half[:, -2::-1] if width % 2 else half[:, ::-1]])
    x, y = plane(width, height)
    return (cells & (np.hypot(x / width, y / height) < 0.52)).astype(np.uint8)


# Lines: waves, curves.


def waves(width: int, height: int, length: float, swing: float, gap: float, colors: int = 1) -> np.ndarray:
    """Waves one above the other."""
    x, y = plane(width, height)
    depth = (y + height / 2 + swing * np.sin(x * math.tau / length + 0.2)) / gap
    cells = np.floor(depth).astype(int) % (2 if colors == 1 else colors + 1)
    return cells.astype(np.uint8)


def ripples(width: int, height: int, springs: Sequence[Point], length: float, level: float = 0.0) -> np.ndarray:
    """Circular waves from several springs, where they add up above a level; springs are parts of width and height."""
    x, y = np.arange(width), np.arange(height)[:, None]
    heights = sum(np.cos(np.hypot(x - a * width, y - b * height) * math.tau / length) for a, b in springs)
    return np.asarray(heights > level, np.uint8)


def lissajous(width: int, height: int, a: int, b: int, phase: float = 0.4, pen: int = 2) -> np.ndarray:
    """Lissajous' curve of a swings against b."""
    t = np.linspace(0, math.tau, 400)
    points = list(zip(np.sin(a * t + phase).tolist(), np.sin(b * t).tolist(), strict=True))
    x, y = (width - pen) / 2, (height - pen) / 2
    return stroke(width, height, [(x + x * px, y + y * py) for px, py in points], pen).astype(np.uint8)


def rolling(width: int, height: int, lobes: int, reach: float, pen: int = 2) -> np.ndarray:
    """The curve of a point on a wheel that rolls inside a ring."""
    t = np.linspace(0, math.tau, 500)
    x = (lobes - 1) * np.cos(t) + reach * np.cos((lobes - 1) * t)
    y = (lobes - 1) * np.sin(t) - reach * np.sin((lobes - 1) * t)
    points = fitted(list(zip(x.tolist(), y.tolist(), strict=True)), width - pen + 1, height - pen + 1)
    return stroke(width, height, points, pen).astype(np.uint8)


# Tilings.


def checks(width: int, height: int, tile: int, colors: int = 1) -> np.ndarray:
    """Chessboard squares; with several colours, in diagonal order."""
    x, y = np.arange(width) // tile, np.arange(height)[:, None] // tile
    return ((x + y) % (colors + 1)).astype(np.uint8)


def basket(width: int, height: int, strand: int = 3) -> np.ndarray:
    """A basket's weave: bundles of strands that go over and under each other, a gap between strands."""
    x, y = np.arange(width), np.arange(height)[:, None]
    side = 2 * strand
    across = ((x // side + y // side) % 2).astype(bool)
    return np.asarray(np.where(across, y % 2 == 0, x % 2 == 0), np.uint8)


def twill(width: int, height: int, colors: int = 1) -> np.ndarray:
    """Twill: each row's pattern one cell further; zigzag by turning round every so often."""
    x, y = np.arange(width), np.arange(height)[:, None]
    zigzag = np.abs((y + 6) % 12 - 6)
    return ((x + zigzag) // 2 % (colors + 1)).astype(np.uint8)


def bricks(width: int, height: int, length: int, course: int) -> np.ndarray:
    """A wall of bricks, mortar left out."""
    x, y = np.arange(width), np.arange(height)[:, None]
    layer = y // course
    joint = (x + layer * (length // 2)) % length == 0
    return np.asarray(~joint & (y % course != 0), np.uint8)


def plaid(width: int, height: int, stripes: Sequence[int]) -> np.ndarray:
    """Tartan: the same stripes across and down, woven so that every second crossing shows each."""
    x, y = np.arange(width), np.arange(height)[:, None]
    thread = np.array(stripes)
    down, across = thread[x % len(thread)], thread[y % len(thread)]
    return np.where((x + y) // 2 % 2 == 0, down, across).astype(np.uint8)


def argyle(width: int, height: int, size: int) -> np.ndarray:
    """Diamonds in two colours with thin crossing lines in a third."""
    x, y = np.arange(width), np.arange(height)[:, None]
    diamond = np.abs(x % (2 * size) - size) + np.abs(y % (2 * size) - size) < size
    lines = ((x + y) % (2 * size) == 0) | ((x - y) % (2 * size) == 0)
    return np.where(lines, 3, np.where(diamond, 1 + (x // (2 * size) + y // (2 * size)) % 2, 0)).astype(np.uint8)


def quilt(blocks: int, seed: int, colors: int, side: int = 7) -> np.ndarray:
    """A patchwork quilt: each patch cut by a diagonal, the whole the same in all four quarters."""
    random = chance(seed)
    y, x = np.mgrid[:side, :side]
    cells = np.zeros((blocks * side, blocks * side), np.uint8)
    for row in range(blocks):
        for column in range(blocks):
            cut = x + y < side if pick(random, 2) else x > y
            pair = 1 + pick(random, colors), pick(random, colors + 1)
            patch = np.where(cut, *pair)
            cells[row * side : (row + 1) * side, column * side : (column + 1) * side] = patch
    return mirrored(cells)


def mosaic(width: int, height: int, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """A colour by arithmetic on column and row numbers."""
    y, x = np.mgrid[:height, :width]
    return np.asarray(function(x, y), np.uint8)


def truchet_arcs(columns: int, rows: int, seed: int, side: int) -> np.ndarray:
    """Truchet's tiles with two quarter rings, each turned one way or the other."""
    y, x = np.mgrid[:side, :side] + 0.5
    ring = np.abs(np.hypot(x, y) - side / 2) < side / 6 + EDGE
    tile = ring | ring[::-1, ::-1]
    return _tiled(columns, rows, seed, [tile, tile[::-1]])


def truchet_triangles(columns: int, rows: int, seed: int, side: int = 5) -> np.ndarray:
    """Truchet's first tiles: squares half filled along a diagonal, in four positions."""
    y, x = np.mgrid[:side, :side]
    return _tiled(columns, rows, seed, [np.rot90(x + y < side, turn) for turn in range(4)])


def slashes(columns: int, rows: int, seed: int, side: int = 4) -> np.ndarray:
    """A random maze of slashes and backslashes."""
    tile = np.eye(side, dtype=bool) | np.eye(side, k=1, dtype=bool)
    return _tiled(columns, rows, seed, [tile, tile[::-1]])


def _tiled(columns: int, rows: int, seed: int, tiles: Sequence[np.ndarray]) -> np.ndarray:
    random = chance(seed)
    picks = [[tiles[pick(random, len(tiles))] for _ in range(columns)] for _ in range(rows)]
    return np.block(picks).astype(np.uint8)


def maze(columns: int, rows: int, seed: int) -> np.ndarray:
    """The walls of a maze with one way between any two places, in at the top left and out at the bottom right."""
    random = chance(seed)
    cells = np.ones((2 * rows + 1, 2 * columns + 1), np.uint8)
    cells[1, 0] = cells[-2, -1] = cells[1, 1] = 0
    path = [(0, 0)]
    while path:
        x, y = path[-1]
        ways = [(dx, dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)) if _closed(cells, x + dx, y + dy)]
        if not ways:
            path.pop()
            continue
        dx, dy = ways[pick(random, len(ways))]
        cells[2 * y + 1 + dy, 2 * x + 1 + dx] = cells[2 * (y + dy) + 1, 2 * (x + dx) + 1] = 0
        path.append((x + dx, y + dy))
    return cells


def _closed(cells: np.ndarray, x: int, y: int) -> bool:
    """Whether place x, y is inside a maze and nobody has been there."""
    height, width = cells.shape
    return 0 <= x < width // 2 and 0 <= y < height // 2 and bool(cells[2 * y + 1, 2 * x + 1])


# Automata.


def automaton(width: int, height: int, rule: int, seed: int | None = None) -> np.ndarray:
    """Wolfram's elementary automaton, a generation a row, on a ring; from one cell, or from chance."""
    cells = np.zeros((height, width), np.uint8)
    if seed is None:
        cells[0, width - 1 if rule == 110 else width // 2] = 1
    else:
        cells[0] = chance(seed).random(width) < 0.5
    table = np.array([rule >> k & 1 for k in range(8)], np.uint8)
    for y in range(1, height):
        above = cells[y - 1]
        cells[y] = table[4 * np.roll(above, 1) + 2 * above + np.roll(above, -1)]
    return cells


def cave(width: int, height: int, seed: int, rounds: int = 4, share: float = 0.5) -> np.ndarray:
    """Rock and hollows: noise in which every cell joins the majority round it, a few times over."""
    cells = (chance(seed).random((height, width)) < share).astype(np.uint8)
    for _ in range(rounds):
        cells = (_neighbours(cells, 1) + cells >= 5).astype(np.uint8)
    return cells


def life(width: int, height: int, seed: int, generations: int) -> np.ndarray:
    """Conway's game of life after some generations."""
    cells = (chance(seed).random((height, width)) < 0.4).astype(np.uint8)
    for _ in range(generations):
        around = _neighbours(cells, 0)
        cells = ((around == 3) | ((around == 2) & (cells == 1))).astype(np.uint8)
    return cells


def _neighbours(cells: np.ndarray, outside: int) -> np.ndarray:
    """For each cell, how many of the eight round it are filled."""
    height, width = cells.shape
    wide = np.pad(cells, 1, constant_values=outside)
    total = sum(wide[dy : dy + height, dx : dx + width] for dy in range(3) for dx in range(3))
    return np.asarray(total - cells)


# Blobs and maps.


def blobs(width: int, height: int, scale: float, seed: int, level: float = 0.5) -> np.ndarray:
    """Smooth noise above a level."""
    return (noise(width, height, scale, seed) > level).astype(np.uint8)


def contours(width: int, height: int, scale: float, seed: int, levels: Sequence[float]) -> np.ndarray:
    """Smooth noise as a map of heights: a colour between each two levels."""
    return np.searchsorted(levels, noise(width, height, scale, seed)).astype(np.uint8)


def voronoi(width: int, height: int, sites: int, seed: int) -> np.ndarray:
    """For each cell the number of the nearest site."""
    places = chance(seed).random((sites, 2)) * [height, width]
    y, x = np.arange(height)[:, None, None], np.arange(width)[:, None]
    return np.asarray(np.hypot(y - places[:, 0], x - places[:, 1]).argmin(axis=2))


def countries(width: int, height: int, sites: int, seed: int) -> np.ndarray:
    """A Voronoi map in four colours, of which the background is one: no two neighbours have the same."""
    regions = voronoi(width, height, sites, seed)
    neighbours: list[set[int]] = [set() for _ in range(sites)]
    for a, b in ((regions[1:], regions[:-1]), (regions[:, 1:], regions[:, :-1])):
        for p, q in set(zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)):
            if p != q:
                neighbours[p].add(q)
                neighbours[q].add(p)
    return np.asarray(np.array(_four_colors(neighbours), np.uint8)[regions])


def _four_colors(neighbours: Sequence[set[int]]) -> list[int]:
    """A colour 0 to 3 for each region, unlike its neighbours': the most constrained first, back where stuck."""
    colors = [-1] * len(neighbours)

    def free(region: int) -> list[int]:
        taken = {colors[other] for other in neighbours[region]}
        return [(region + shift) % 4 for shift in range(4) if (region + shift) % 4 not in taken]

    def paint() -> bool:
        open_regions = [region for region, color in enumerate(colors) if color < 0]
        if not open_regions:
            return True
        region = min(open_regions, key=lambda r: (len(free(r)), -len(neighbours[r])))
        for color in free(region):
            colors[region] = color
            if paint():
                return True
        colors[region] = -1
        return False

    paint()
    return colors


def cracks(width: int, height: int, sites: int, seed: int) -> np.ndarray:
    """A Voronoi map's regions without their borders: a giraffe's coat."""
    regions = voronoi(width, height, sites, seed)
    inside = np.ones((height, width), bool)
    inside[:-1] &= regions[:-1] == regions[1:]
    inside[:, :-1] &= regions[:, :-1] == regions[:, 1:]
    return inside.astype(np.uint8)


def bubbles(width: int, height: int, seed: int, tries: int = 200) -> np.ndarray:
    """Bubbles that don't touch, as large as there is room for, with a glint in the large ones."""
    random = chance(seed)
    blown: list[tuple[float, float, float]] = []
    cells = np.zeros((height, width), bool)
    for _ in range(tries):
        x, y = random.random() * (width - 1), random.random() * (height - 1)
        room = min(x + 0.5, y + 0.5, width - 0.5 - x, height - 0.5 - y, 7.5)
        room = min([room, *(math.hypot(x - a, y - b) - r - 1.2 for a, b, r in blown)])
        if room >= 1.5:
            blown.append((x, y, room))
            cells |= disc(width, height, x, y, room) & ~disc(width, height, x - room / 3, y - room / 3, room / 4)
    return cells.astype(np.uint8)
