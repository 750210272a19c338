"""The catalogue of generated pictures: which picture in which size, with which seed, colours and title."""

from collections.abc import Iterator

import numpy as np

from scrapers.demo import fractals, landscapes, patterns
from scrapers.demo.picture import BACKGROUND, Picture
from scrapers.demo.plane import disc
from solver.puzzle import BLACK_ON_WHITE, Color

Palette = tuple[Color, ...]


def palette(*colors: str) -> Palette:
    """A palette from texts like "sand f3dfa2", background first; each symbol is a letter of the colour's name."""
    made: list[Color] = []
    for text in colors:
        name, rgb = text.split()
        taken = {color.symbol for color in made}
        symbol = next(letter for letter in name if letter not in taken) if made else BACKGROUND
        made.append(Color(name, symbol, rgb))
    return tuple(made)


FIRE = palette("black 1a1423", "red a4243b", "orange d8752a", "yellow f6d55c", "white fff8e7")
OCEAN = palette("white ffffff", "pale bfe3f0", "blue 3f88c5", "navy 14365d")
MEADOW = palette("white ffffff", "green 5b9f4a", "yellow f2c14e", "red c8553d")
PASTEL = palette("white ffffff", "rose f29ca3", "mint 8fd3b6", "lilac a796d6", "straw f5d782")
POLITICAL = palette("white ffffff", "red d9705f", "green 7fb069", "blue 5f8fc9")
AUTUMN = palette("cream fbf3e0", "brown 7f4f24", "orange dd7230", "gold f0b429")
CANDY = palette("white ffffff", "pink f26ca7", "cyan 43bccd", "yellow f9c80e")
INK = palette("white ffffff", "blue 27476e", "red c1292e")

SUNSET = palette("violet 6d5a94", "red e07a5f", "sun f9d66b", "plum 9b4f6b", "dusk 5b3758", "night 2b1f3a")
ALPINE = palette("sky bfe0f2", "rock 6b7280", "white ffffff", "green 5f9a4b")
JOVIAN = palette("night 10142b", "tan d9a066", "cream f1dfbd", "white ffffff")
LUNAR = palette("night 141b33", "moon e9e5d6", "grey a8a69b")
TOWN = palette("night 1c2a4a", "slate 3c4f76", "dark 0f1626", "yellow ffd95a")
ATLAS = palette("sea 8ec5e8", "beach f0dea5", "green 5d9b4c", "rock 8a8178", "white ffffff")
WINTER = palette("sky cfe6f5", "green 7fae8e", "pine 2f6b4a", "brown 6b4a2f", "white ffffff")
COAST = palette("sky d8eefb", "aqua 7cc6d6", "blue 3a8fb7", "navy 1d5c87", "yellow ffd23f", "dark 2b2b2b")
DESERT = palette("sky f6e3c5", "light e9b872", "brown b9783f", "sun f25c3b")
POLAR = palette("night 0f1c3f", "green 4fd1a5", "violet 8b5fbf", "black 05080f", "white ffffff")
FARM = palette("sky bfe3f7", "white ffffff", "light b5cf6b", "green 6f9f3f", "hill 4a7c59")


def drawings() -> Iterator[Picture]:
    """All generated pictures, always in the same order."""
    yield from _fractals()
    yield from _rounds()
    yield from _lines()
    yield from _tilings()
    yield from _automata()
    yield from _maps()
    yield from _landscapes()


def _mono(title: str, cells: np.ndarray) -> Picture:
    return Picture(title, cells.astype(np.uint8), BLACK_ON_WHITE)


def _color(title: str, cells: np.ndarray, colors: Palette) -> Picture:
    """A picture with the colours of the palette that occur in it."""
    used = sorted({0, *np.unique(cells).tolist()})
    return Picture(title, np.searchsorted(used, cells).astype(np.uint8), tuple(colors[entry] for entry in used))


def _fractals() -> Iterator[Picture]:
    for size in (16, 24, 32):
        yield _mono(f"Pascal's triangle, odd numbers, {size} rows", fractals.sierpinski(size))
    yield _color("Pascal's triangle by threes", fractals.sierpinski(27, 3), INK)
    yield _color("Pascal's triangle by fours", fractals.sierpinski(32, 4), MEADOW)
    yield _mono("Sierpinski's pyramid", fractals.pyramid(16))
    yield _mono("Sierpinski's great pyramid", fractals.pyramid(30))
    yield _mono("Sierpinski's carpet", fractals.carpet(3))
    yield _mono("Cross of crosses", fractals.carpet(3, (".#.", "###", ".#.")))
    yield _mono("Five of fives", fractals.carpet(2, ("##.##", "##.##", "..#..", "##.##", "##.##")))
    yield _mono("Cornerstones", fractals.carpet(2, ("##.##", "#...#", "..#..", "#...#", "##.##")))
    yield _mono("Steps of steps", fractals.carpet(3, ("##.", "###", ".##")))
    yield _mono("Young dragon", fractals.dragon(6, 3, 2))
    yield _mono("Dragon curve", fractals.dragon(8))
    yield _mono("Fat dragon", fractals.dragon(7, 3, 2))
    yield _mono("Hilbert's curve, small", fractals.hilbert(3))
    yield _mono("Hilbert's curve", fractals.hilbert(4))
    yield _mono("Koch's star", fractals.koch(1, 21, 24))
    yield _mono("Koch's snowflake", fractals.koch(3, 38, 44))
    yield _mono("Winter tree", fractals.tree(29, 29, 5))
    yield _mono("Bare tree", fractals.tree(45, 44, 6, 0.5, 0.74))
    yield _mono("Poplar", fractals.tree(23, 40, 5, 0.24, 0.8))
    yield _mono("Fern", fractals.fern(44, 60, 2600, 5))
    yield _mono("Little fern", fractals.fern(24, 34, 900, 2))
    yield _mono("Mandelbrot set", fractals.mandelbrot(38, 30) >= 24)
    yield _mono("Mandelbrot set, from near", fractals.mandelbrot(50, 40, 60, -0.13 + 0.74j, 0.8) >= 60)
    yield _mono("Three-lobed Mandelbrot", fractals.mandelbrot(30, 34, 24, 0j, 2.6, 4) >= 24)
    yield _color("Mandelbrot in flames", fractals.bands(fractals.mandelbrot(40, 34), [2, 4, 7, 24]), FIRE)
    yield _color("Mandelbrot by the sea", fractals.bands(fractals.mandelbrot(30, 24), [3, 6, 24]), OCEAN)
    yield _mono("Julia's rabbit", fractals.julia(40, 30, -0.123 + 0.745j, across=3.1) >= 24)
    yield _mono("Julia's basilica", fractals.julia(44, 20, -1 + 0j, across=3.4) >= 24)
    yield _mono("Julia's river", fractals.julia(41, 31, -0.8 + 0.156j) >= 24)
    yield _mono("Julia's islands", fractals.julia(41, 31, -0.4 + 0.6j) >= 24)
    yield _color("Julia's fire", fractals.bands(fractals.julia(40, 40, -0.39 + 0.59j, 40, 3.0), [3, 5, 8, 14]), FIRE)
    yield _color("Julia's dendrite", fractals.bands(fractals.julia(40, 28, 0.0 + 0.92j, 40, 3.3), [3, 5, 9]), OCEAN)
    yield _color("Newton's three roots", fractals.newton(36, 36), INK)
    yield _color("Newton's four roots", fractals.newton(40, 40, 4), MEADOW)


def _rounds() -> Iterator[Picture]:
    for width, height in ((15, 15), (24, 18), (40, 40)):
        yield _mono(f"Square spiral, {width}x{height}", patterns.square_spiral(width, height))
    yield _mono("Spiral", patterns.spiral(24, 24, 1, 4.8, 0.65))
    yield _mono("Two arms", patterns.spiral(35, 35, 2, 10, 0.6))
    yield _mono("Fine groove", patterns.spiral(41, 41, 1, 4))
    yield _mono("Pinwheel", patterns.pinwheel(25, 25, 6, 0.12))
    yield _mono("Whirl", patterns.pinwheel(40, 40, 5, 0.3))
    yield _color("Beach ball", patterns.pinwheel(29, 29, 6, 0.0, 3), CANDY)
    yield _color("Candy whirl", patterns.pinwheel(35, 35, 8, 0.14, 2), INK)
    yield _mono("Rings", patterns.rings(25, 25, 4))
    yield _color("Target", patterns.rings(25, 25, 2.5, 2), INK)
    yield _color("Tunnel", patterns.rings(48, 30, 2.6, 3, 1.6), AUTUMN)
    for petals, size in ((4, 17), (5, 25), (7, 33), (12, 45)):
        yield _mono(f"Rosette of {petals}", patterns.rosette(size, petals))
    yield _color("Dahlia", patterns.rosette(31, 8, 0.55, 0.22, 3), CANDY)
    yield _color("Primrose", patterns.rosette(21, 5, 0.6, 0.25, 3), MEADOW)
    yield _color("Sunburst", patterns.rosette(41, 16, 0.45, 0.3, 3), AUTUMN)
    yield _mono("Five points", patterns.star(21, 5, 0.4))
    yield _mono("Six points", patterns.star(27, 6, 0.58, 0.3))
    yield _mono("Compass rose", patterns.star(35, 8, 0.45, 0.35))
    yield _mono("Small sunflower", patterns.sunflower(19, 60))
    yield _mono("Cog wheel", patterns.gear(29, 10))
    yield _mono("Big cog wheel", patterns.gear(45, 18))
    for seed, size in ((3, 15), (8, 21), (14, 29)):
        yield _mono(f"Mandala {seed}", patterns.mandala(size, seed))
    for seed, size, colors, share in ((4, 17, 3, 0.7), (5, 17, 3, 0.7), (3, 23, 2, 0.75), (5, 23, 2, 0.75)):
        yield _color(f"Kaleidoscope {seed}, {size}x{size}", patterns.mandala(size, seed, colors, share), CANDY)
    for seed, width, height in ((3, 19, 22), (4, 21, 25), (6, 25, 29), (7, 27, 33)):
        yield _mono(f"Mask {seed}", patterns.mask(width, height, seed))


def _lines() -> Iterator[Picture]:
    yield _mono("Waves", patterns.waves(30, 20, 15, 2, 2.5))
    yield _mono("Swell", patterns.waves(48, 32, 24, 4, 4))
    yield _color("Coloured waves", patterns.waves(32, 24, 16, 2.5, 3, 3), OCEAN)
    yield _color("Bunting", patterns.waves(40, 25, 20, 3, 2.6, 4), PASTEL)
    yield _mono("Two stones in a pond", patterns.ripples(40, 30, [(0.25, 0.5), (0.75, 0.5)], 7, 0.4))
    yield _mono("Three stones in a pond", patterns.ripples(36, 36, [(0.5, 0.1), (0.1, 0.85), (0.9, 0.85)], 9, 0.5))
    yield _mono("Swinging lamp", patterns.lissajous(29, 29, 3, 2))
    yield _mono("Tangled lamp", patterns.lissajous(45, 37, 5, 4))
    yield _mono("Wheel in a ring", patterns.rolling(35, 35, 5, 3.0))
    yield _mono("Star wheel", patterns.rolling(29, 29, 7, 1.0))


def _tilings() -> Iterator[Picture]:
    yield _mono("Chessboard", patterns.checks(24, 24, 3))
    yield _color("Picnic cloth", patterns.checks(25, 20, 5, 3), CANDY)
    yield _mono("Basket", patterns.basket(24, 24, 3))
    yield _mono("Twill", patterns.twill(30, 24))
    yield _color("Striped twill", patterns.twill(30, 30, 3), AUTUMN)
    yield _mono("Brick wall", patterns.bricks(31, 22, 6, 3))
    yield _color("Tartan", patterns.plaid(32, 32, (1, 1, 1, 2, 2, 0, 0, 2, 2, 1, 1, 1, 3, 3, 3, 3)), POLITICAL)
    yield _color("Argyle", patterns.argyle(33, 33, 8), (*INK, Color("gold", "g", "e0a030")))
    yield _color("Patchwork", patterns.quilt(2, 5, 3), PASTEL)
    yield _color("Quilt", patterns.quilt(3, 11, 4), PASTEL)
    yield _mono("Squares of squares", patterns.mosaic(32, 32, lambda x, y: ((x - 16) ** 2 + (y - 16) ** 2) // 16 % 2))
    yield _mono("Exclusive or", patterns.mosaic(32, 32, lambda x, y: (x ^ y) % 5 < 2))
    yield _mono("Products", patterns.mosaic(36, 36, lambda x, y: (x * y) % 7 < 3))
    yield _mono("Common factors", patterns.mosaic(30, 30, lambda x, y: np.gcd(x + 1, y + 1) > 1))
    yield _color("Terraces", patterns.mosaic(32, 32, lambda x, y: np.bitwise_count(x & y) % 4), OCEAN)
    yield _mono("Diamonds", patterns.mosaic(29, 29, lambda x, y: (abs(x - 14) + abs(y - 14)) % 6 < 3))
    for seed, columns, rows, side in ((1, 4, 4, 7), (2, 6, 4, 7), (12, 9, 9, 6)):
        yield _mono(f"Arcs {seed}", patterns.truchet_arcs(columns, rows, seed, side))
    for seed, columns, rows in ((3, 5, 5), (5, 8, 6)):
        yield _mono(f"Triangles {seed}", patterns.truchet_triangles(columns, rows, seed))
    for seed, columns, rows in ((1, 6, 6), (4, 12, 9)):
        yield _mono(f"Slashes {seed}", patterns.slashes(columns, rows, seed))
    for seed, columns, rows in ((1, 7, 7), (2, 12, 9), (3, 17, 17), (4, 27, 22)):
        yield _mono(f"Maze {seed}", patterns.maze(columns, rows, seed))


def _automata() -> Iterator[Picture]:
    for rule, width, height in ((30, 31, 16), (30, 59, 30), (90, 33, 32), (110, 40, 40), (150, 31, 16), (73, 41, 30)):
        yield _mono(f"Rule {rule}, {width}x{height}", patterns.automaton(width, height, rule))
    for rule, seed in ((30, 1), (110, 2), (184, 3), (54, 4), (22, 5)):
        yield _mono(f"Rule {rule} from chance", patterns.automaton(30, 30, rule, seed))
    for seed, width, height in ((1, 25, 20), (2, 40, 30), (3, 60, 45)):
        yield _mono(f"Cave {seed}", patterns.cave(width, height, seed))
    for seed, size, generations in ((1, 20, 12), (2, 32, 25)):
        yield _mono(f"Game of life {seed}", patterns.life(size, size, seed, generations))


def _maps() -> Iterator[Picture]:
    for seed, width, height, scale in (
        (1, 15, 15, 4),
        (2, 20, 20, 5),
        (3, 25, 25, 5),
        (4, 30, 24, 6),
        (9, 35, 35, 6),
        (6, 40, 40, 7),
        (7, 50, 40, 7),
        (8, 60, 60, 8),
    ):
        yield _mono(f"Blobs {seed}", patterns.blobs(width, height, scale, seed))
    for seed, width, height in ((1, 25, 25), (2, 40, 32), (3, 60, 60)):
        levels = (0.35, 0.5, 0.65)
        yield _color(f"Depths {seed}", patterns.contours(width, height, 9, seed, levels), OCEAN)
    for seed, width, height, sites in ((1, 20, 20, 9), (2, 30, 25, 16), (3, 40, 40, 26), (4, 60, 50, 40)):
        yield _color(f"Countries {seed}", patterns.countries(width, height, sites, seed), POLITICAL)
    for seed, width, height, sites in ((3, 25, 25, 14), (4, 45, 35, 30)):
        yield _mono(f"Giraffe's coat {seed}", patterns.cracks(width, height, sites, seed))
    for seed, width, height in ((1, 30, 30), (2, 50, 40)):
        yield _mono(f"Bubbles {seed}", patterns.bubbles(width, height, seed))
    for seed, width, height, scale in ((1, 30, 30, 9), (2, 45, 35, 11), (7, 60, 60, 14)):
        yield _color(f"Islands {seed}", landscapes.islands(width, height, scale, seed), ATLAS)


def _landscapes() -> Iterator[Picture]:
    for seed, width, height in ((1, 30, 24), (2, 40, 30), (3, 60, 40)):
        yield _color(f"Sunset {seed}", landscapes.sunset(width, height, seed), SUNSET)
    for seed, width, height in ((1, 32, 24), (2, 48, 34)):
        yield _color(f"Mountains {seed}", landscapes.peaks(width, height, seed), ALPINE)
    for seed, size in ((1, 27), (2, 39), (3, 55)):
        yield _color(f"Giant planet {seed}", landscapes.planet(size, seed), JOVIAN)
    for seed, size in ((1, 25), (2, 37)):
        yield _color(f"Full moon {seed}", landscapes.craters(size, seed), LUNAR)
    for seed, width, height in ((1, 30, 26), (2, 48, 36)):
        yield _color(f"Town at night {seed}", landscapes.skyline(width, height, seed), TOWN)
    for seed, width, height in ((1, 36, 30), (2, 50, 40)):
        yield _color(f"Firs {seed}", landscapes.forest(width, height, seed), WINTER)
    for seed, width, height in ((1, 34, 26), (2, 52, 36)):
        yield _color(f"Sea {seed}", landscapes.sea(width, height, seed), COAST)
    for seed, width, height in ((1, 36, 27), (2, 56, 38)):
        yield _color(f"Dunes {seed}", landscapes.dunes(width, height, seed), DESERT)
    for seed, width, height in ((1, 36, 30), (2, 54, 42)):
        yield _color(f"Northern lights {seed}", landscapes.aurora(width, height, seed), POLAR)
    for seed, width, height in ((1, 36, 28), (2, 50, 40)):
        yield _color(f"Fields {seed}", landscapes.hills(width, height, seed), FARM)
    yield _mono("Eclipse", disc(21, 21, 10, 10, 10.4) & ~disc(21, 21, 13, 8, 7.4))
