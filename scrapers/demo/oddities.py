"""Puzzles that an archive has besides good ones: several solutions, none, hidden lengths, strange shapes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from scrapers.demo.picture import Picture
from scrapers.demo.plane import chance
from solver.puzzle import BLACK_ON_WHITE, BLOT, Block, Clue, Color, Puzzle

RED = Color("red", "r", "cc2222")
BLUE = Color("blue", "b", "2255bb")
WHITE_BLACK_RED = (*BLACK_ON_WHITE, RED)
WHITE_RED_BLUE = (BLACK_ON_WHITE[0], RED, BLUE)

# Several solutions.

SWITCH = 4
"""Side of a switch: two cells, diagonal in an empty square, that can change to the other diagonal."""

SWITCHES = (  # width, height, colours, places of the switches
    (8, 8, 1, ((2, 2),)),
    (10, 10, 1, ((0, 5),)),
    (12, 10, 1, ((4, 3),)),
    (12, 12, 1, ((1, 1), (7, 7))),
    (15, 15, 1, ((5, 6),)),
    (16, 12, 1, ((0, 0), (6, 4), (12, 8))),
    (8, 8, 2, ((2, 3),)),
    (10, 8, 2, ((5, 2),)),
    (12, 12, 2, ((0, 8), (6, 1))),
)
NOISE = (  # width, height, colours, share of filled cells
    (6, 6, 1, 0.5),
    (10, 10, 1, 0.5),
    (15, 15, 1, 0.55),
    (20, 20, 1, 0.4),
    (20, 20, 1, 0.65),
    (25, 25, 1, 0.45),
    (30, 30, 1, 0.5),
    (10, 10, 2, 0.5),
    (20, 20, 2, 0.7),
    (15, 15, 3, 0.75),
)
ROOKS = (2, 4, 8)


def ambiguous() -> Iterator[Picture]:
    """Pictures whose clues fit other pictures too."""
    for seed, (width, height, colors, places) in enumerate(SWITCHES, 1):
        cells = noise(width, height, colors, 0.55, seed)
        for x, y in places:
            set_switch(cells, x, y)
        yield Picture(f"Switch {seed}", cells, BLACK_ON_WHITE if colors == 1 else WHITE_RED_BLUE)
    for size in ROOKS:
        yield Picture(f"{size} rooks", np.eye(size, dtype=np.uint8), BLACK_ON_WHITE)


def chaotic() -> Iterator[Picture]:
    """Plain noise: by chance easy, hard, or with several solutions."""
    for seed, (width, height, colors, share) in enumerate(NOISE, 100):
        colored = (*WHITE_RED_BLUE, BLACK_ON_WHITE[1])[: colors + 1]
        palette = BLACK_ON_WHITE if colors == 1 else colored
        yield Picture(f"Noise {seed - 99}", noise(width, height, colors, share, seed), palette)


def noise(width: int, height: int, colors: int, share: float, seed: int) -> np.ndarray:
    """Cells filled by chance, a share of them, in colours by chance."""
    random = chance(seed)
    filled = random.random((height, width)) < share
    color = 1 + (random.random((height, width)) * colors).astype(np.uint8)
    return np.where(filled, color, 0).astype(np.uint8)


def set_switch(cells: np.ndarray, x: int, y: int) -> None:
    """Put a switch into a picture, its top left corner at x, y."""
    cells[y : y + SWITCH, x : x + SWITCH] = 0
    cells[y + 1, x + 1] = cells[y + 2, x + 2] = 1


# None.

IMPOSSIBLE = (  # rows and columns; each paints as many cells of a colour as the other
    ("Impossible: the middle must and must not", "1 1/-/1 1", "1/2/1"),
    ("Impossible: line logic finds out", "1 1/1 1 1/1 1/5/2", "1/2/5/1 1/4"),
    ("Impossible: a guess finds out", "1 1/3/2/1 1/1 1", "2/1 1/1 1/2 1/2"),
    ("Impossible: nothing is certain", "2 1/1 2/2/1 2/1 2/3", "1 1/1 1 1/1 2/2 1/1 1 1/2 1"),
    ("Impossible: eight by eight", "3 1/1 3/2 1/3 1/2 1 1/1 4/2/1", "1 1/3/1 3 1/2 3/3 1/2 2/3/1"),
    (
        "Impossible: ten by ten",
        "3 2/1 2/2 2 2/1 1 1 2/1 1 3/1 2 1 1/1 2 2/1 2 2/2 1 1/2 1 1",
        "2 1/1 1 1 3/2 1 1/5/2 3/1 3 1 1/1 1 2/5/1 2 2/1 1 1 1",
    ),
    ("Impossible: in two colours", "1X/3r 1X/2X/1X 1r/1r 1X/2X", "1r 1X 1X/1r 1X 1r 1X/1r/1X 1r 1X/1X/1X"),
    (
        "Impossible: in two colours, eight by eight",
        "1X 1r 1r 1X/1X 1r 1X/1X 1r/2X 1r/1X 1r/1r 1X/1X 1X 1r 1r/1r 1r",
        "1X 1r 1X/1X 1r/1X 1X 1r/1r 1X 2X/2r 2r/-/1r 2X/1X 1r 1r",
    ),
)


def impossible() -> Iterator[Puzzle]:
    """Puzzles whose sums agree and that have no solution all the same."""
    for title, rows, columns in IMPOSSIBLE:
        palette = WHITE_BLACK_RED if "r" in rows else BLACK_ON_WHITE
        yield Puzzle(_clues(rows, palette), _clues(columns, palette), palette, title=title)


def _clues(text: str, palette: tuple[Color, ...]) -> tuple[Clue, ...]:
    """Clues from a text like "2X 1r/-/3", a symbol after each number (none: the first colour), - for an empty line."""
    entry = {color.symbol: number for number, color in enumerate(palette)} | {"": 1}
    lines = [re.findall(r"(\d+)([a-zX]?)", line) for line in text.split("/")]
    return tuple(tuple(Block(int(length), entry[symbol]) for length, symbol in line) for line in lines)


# Strange shapes.


def extreme() -> Iterator[Picture]:
    """Shapes and fillings at the edge of what a puzzle can be."""
    row = noise(30, 1, 1, 0.6, 7)
    stripes = np.repeat(np.array([1, 2, 0, 2, 1, 1, 2, 1], np.uint8), 4)
    rings = np.zeros((15, 21), np.uint8)
    rings[3:12, 4:17] = 1
    rings[5:10, 6:15] = 0
    rings[6:9, 8:13] = 1
    flag = np.ones((12, 18), np.uint8)
    flag[4:8] = flag[:, 6:9] = 2
    yield Picture("Bar code", row, BLACK_ON_WHITE)
    yield Picture("Ladder", noise(1, 24, 1, 0.6, 8).astype(np.uint8), BLACK_ON_WHITE)
    yield Picture("Coloured ribbon", stripes[None, :], WHITE_RED_BLUE)
    yield Picture("Wide margins", rings, BLACK_ON_WHITE)
    yield Picture("Solid block", np.ones((8, 12), np.uint8), BLACK_ON_WHITE)
    yield Picture("Flag of nowhere", flag, WHITE_RED_BLUE)
    yield Picture("One cell", np.ones((1, 1), np.uint8), BLACK_ON_WHITE)
    yield Picture("Nothing", np.zeros((5, 5), np.uint8), BLACK_ON_WHITE)


# Hidden lengths. Nearly all of these puzzles still have one solution.

BLOTTED: tuple[tuple[str, float, float], ...] = (  # title, shares hidden in rows and in columns
    ("Small heart", 0, 0.6),
    ("Key", 0, 0.3),
    ("Cat", 0, 0.6),
    ("Owl", 0, 0.3),
    ("Jolly skull", 0.3, 0),
    ("Robot", 0, 0.45),
    ("Castle", 0, 0.3),
    ("Elephant", 0.1, 0.1),
    ("Snail", 0.1, 0.1),
    ("Guitar", 0.1, 0.1),
    ("Camera", 0.3, 0),
    ("Rocket", 0.3, 0),
    ("Windmill", 0.45, 0),
    ("Hilbert's curve, small", 0.45, 0),
    ("Sierpinski's carpet", 1, 0),
    ("Square spiral, 24x18", 1, 0),
    ("Maze 1", 0.6, 0),
    ("Traffic light", 0.1, 0.1),
    ("Pineapple", 0.3, 0),
    ("Burger", 0.3, 0),
    ("Evening sail", 0, 0.6),
    ("Sunset 1", 1, 0),
    ("Countries 1", 0, 0.3),
    ("Countries 2", 0.3, 0),
    ("Mandelbrot by the sea", 0.3, 0),
    ("Solid block", 1, 0),
    ("Present", 0.2, 0.2),
    ("Patchwork", 0, 0.45),
    ("Apple", 0.2, 0.2),
    ("Sailing ship", 0.2, 0),
    ("Strawberry", 0.2, 0),
    ("Fox", 0.1, 0.1),
    ("Mug", 1, 1),
)


def blotted(puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Some of the puzzles once more, with lengths hidden."""
    by_title = {puzzle.title: puzzle for puzzle in puzzles}
    for seed, (title, in_rows, in_columns) in enumerate(BLOTTED):
        puzzle, random = by_title[title], chance(seed)
        rows, columns = _hide(puzzle.rows, in_rows, random), _hide(puzzle.columns, in_columns, random)
        yield replace(puzzle, rows=rows, columns=columns, title=f"{title}, blotted")


def _hide(lines: tuple[Clue, ...], share: float, random: np.random.Generator) -> tuple[Clue, ...]:
    """Clues with this share of their lengths hidden, picked by chance."""
    return tuple(
        tuple(Block(BLOT if random.random() < share else length, color) for length, color in clue) for clue in lines
    )
