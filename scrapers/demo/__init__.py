"""The embedded demo archive: our own puzzles, with every verdict of the census.

Drawn pictures (`drawn/*.txt`), generated ones (`RECIPES`), and variations of drawn ones (`VARIATIONS`), some of which
are duplicates or contradictory. A drawn picture is a title, the colours, and a line of symbols per row; the symbol of
the background is always the full stop.

    title: Small heart
    colors: #=black 000000, .=white ffffff

    .#.#.
    #####
    .###.
    ..#..
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import BLOT, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzles_of

BACKGROUND = "."
COLOR = re.compile(r"(?P<symbol>[^\s,=])=(?P<name>[a-z]+) (?P<rgb>[0-9a-f]{6})")


class Picture(NamedTuple):
    """A picture: its title, uint8[height, width] of palette entries, and the palette, background first."""

    title: str
    cells: np.ndarray
    palette: tuple[Color, ...]


def parse_picture(text: str) -> Picture:
    """Parse a picture."""
    title, colors, _, *rows = text.splitlines()
    palette = [Color(found["name"], found["symbol"], found["rgb"]) for found in COLOR.finditer(colors)]
    palette.sort(key=lambda color: color.symbol != BACKGROUND)
    entry = {color.symbol: number for number, color in enumerate(palette)}
    cells = np.array([[entry[symbol] for symbol in row] for row in rows], np.uint8)
    return Picture(title.removeprefix("title: "), cells, tuple(palette))


SOURCE = "demo"
AUTHOR = "nonocensus"
COPYRIGHT = "Copyright 2026 the nonocensus authors"
LICENSE = "Apache-2.0"

RECIPES = (
    Recipe("letters", 11, 9, None, 1, 6),
    Recipe("letters", 35, 23, None, 1, 4),
    Recipe("shapes", 20, 20, 0.3, 2, 20),
    Recipe("shapes", 30, 25, 0.6, 1, 15),
    Recipe("shapes", 40, 40, 0.6, 1, 8, colors=2),
    Recipe("shapes", 25, 20, 0.8, 1, 20, colors=3),
    Recipe("blobs", 20, 15, 0.6, 1, 20),
    Recipe("blobs", 30, 30, 0.6, 1, 15),
    Recipe("blobs", 60, 60, 0.8, 1, 3),
    Recipe("blobs", 40, 30, 0.75, 1, 15, colors=4),
    Recipe("symmetric", 12, 12, 0.55, 1, 23),
    Recipe("symmetric", 15, 20, 0.75, 1, 10, colors=2),
    Recipe("symmetric", 30, 30, 0.5, 1, 10),
    Recipe("random", 10, 10, 0.55, 1, 15),
    Recipe("random", 25, 25, 0.45, 1, 3),
    Recipe("random", 15, 15, 0.7, 1, 4, colors=3),
    Recipe("random", 30, 1, 0.6, 1, 1),
    Recipe("random", 1, 24, 0.6, 1, 1),
    Recipe("random", 12, 8, 1.0, 1, 1),
    Recipe("random", 5, 5, 0.0, 1, 1),
    Recipe("random", 1, 1, 1.0, 1, 1),
    Recipe("cycles", 12, 12, None, 1, 3),
    *(Recipe("dominoes", side, side, None, None, 1) for side in range(7, 19, 2)),
)
"""Generated pictures, as by `generate`."""


def _recolour(puzzle: Puzzle) -> Puzzle:
    background, *colors = puzzle.palette
    return from_picture(_goal(puzzle), (background, *reversed(colors)))


def _one_cell_less(puzzle: Puzzle) -> Puzzle:
    cells = _goal(puzzle).copy()
    cells.flat[np.flatnonzero(cells)[0]] = 0
    return from_picture(cells, puzzle.palette)


def _blot(puzzle: Puzzle) -> Puzzle:
    """Hide a third of the columns' lengths."""
    columns = (
        tuple(block if (x + k) % 3 else block._replace(length=BLOT) for k, block in enumerate(clue))
        for x, clue in enumerate(puzzle.columns)
    )
    return replace(puzzle, columns=tuple(columns))


def _contradict(puzzle: Puzzle) -> Puzzle:
    """Exchange the clues of the last two rows."""
    *rows, one, other = puzzle.rows
    return replace(puzzle, rows=(*rows, other, one), goal=None)


def _goal(puzzle: Puzzle) -> np.ndarray:
    assert puzzle.goal is not None
    return puzzle.goal


VARIATIONS: tuple[tuple[str, Callable[[Puzzle], Puzzle], str], ...] = (
    ("copied", lambda puzzle: puzzle, "Mug, Owl, Toucan"),
    ("mirrored", lambda puzzle: from_picture(_goal(puzzle)[:, ::-1], puzzle.palette), "Mouse, Swan, Teapot, Tractor"),
    ("turned", lambda puzzle: from_picture(np.rot90(_goal(puzzle)), puzzle.palette), "Carrot, Guitar, Key"),
    ("recoloured", _recolour, "Ladybird, Rose, Toadstool"),
    ("one cell less", _one_cell_less, "Cat, Fox, Lighthouse, Snail, Turtle"),
    ("blotted", _blot, "Apple, Bell, Candle, Castle, Duckling, Evening sail, Oak, Owl, Present, Rainbow, Windmill"),
    ("contradictory", _contradict, "Apple, Bee, Bicycle, Duckling, Mug, Scissors, Small heart, Smile, Telescope"),
)
"""Variations of drawn pictures: description, function, titles."""


def demo_puzzles() -> list[Puzzle]:
    """Return the whole archive, in fixed order."""
    drawn = {picture.title: from_picture(picture.cells, picture.palette) for picture in drawn_pictures()}
    puzzles = [*drawn.items(), *_generate(), *_variations(drawn)]
    return [_with_origin(puzzle, title, number) for number, (title, puzzle) in enumerate(puzzles, 1)]


def drawn_pictures() -> Iterator[Picture]:
    """Yield the drawn pictures in order of file name."""
    texts = [file for file in files(__name__).joinpath("drawn").iterdir() if file.name.endswith(".txt")]
    for file in sorted(texts, key=lambda file: file.name):
        yield parse_picture(file.read_text(encoding="utf-8"))


def _generate() -> Iterator[tuple[str, Puzzle]]:
    """Yield titles and puzzles of the recipes."""
    for recipe in RECIPES:
        for number, puzzle in enumerate(puzzles_of(recipe_batch(recipe, 0, recipe.count)), 1):
            yield f"{recipe.kind.capitalize()} {puzzle.width}x{puzzle.height}, no. {number}", puzzle


def _variations(drawn: dict[str, Puzzle]) -> Iterator[tuple[str, Puzzle]]:
    """Yield titles and puzzles of the variations."""
    for done, vary, titles in VARIATIONS:
        for title in titles.split(", "):
            yield f"{title}, {done}", vary(drawn[title])


def _with_origin(puzzle: Puzzle, title: str, number: int) -> Puzzle:
    """Return the puzzle with its title, number and origin."""
    return replace(
        puzzle,
        title=title,
        puzzle_id=f"{SOURCE}/{number}",
        source=SOURCE,
        source_id=str(number),
        author=AUTHOR,
        copyright=COPYRIGHT,
        license=LICENSE,
    )
