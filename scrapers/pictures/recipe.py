"""Recipes: kinds of generated, numbered pictures and their puzzles in batches.

A picture depends only on the recipe and its number, not on the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.pictures.rules import (
    add_colors,
    cycles,
    dominoes,
    every_picture,
    letters,
    random_pictures,
    shapes,
    smooth_pictures,
    symmetric_pictures,
)
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color
from nonocensus.solver.model.tables import PALETTE, clue_batch
from nonocensus.solver.model.views import Clues, Views


class PictureKind(NamedTuple):
    """A kind of generated pictures.

    draw      generator: of width, height, density and seed (if the kind has them), first number and end
    about     description for the help text
    density   whether it takes a ratio of black cells
    seed      whether its pictures are random; only these may have several colours
    total     returns the number of pictures of a width and height, if fixed
    refusal   returns why a width and height are invalid, or an empty string
    """

    draw: Callable[..., np.ndarray]
    about: str
    density: bool = False
    seed: bool = True
    total: Callable[[int, int], int] | None = None
    refusal: Callable[[int, int], str] = lambda *_: ""


def _square(width: int, height: int) -> str:
    return "" if width == height > 1 else "they are square, 2x2 or larger"


def _odd_square(width: int, height: int) -> str:
    return "" if width == height and width % 2 and width > 2 else "they are square with an odd side, 3x3 or larger"


def _room_for_a_letter(width: int, height: int) -> str:
    return "" if width >= 5 and height >= 7 else "a letter takes 5x7 cells"


KINDS: dict[str, PictureKind] = {
    "random": PictureKind(random_pictures, "each cell black independently with probability --density", density=True),
    "blobs": PictureKind(smooth_pictures, "smooth areas from averaged noise", density=True),
    "symmetric": PictureKind(symmetric_pictures, "random cells with a vertical axis of symmetry", density=True),
    "shapes": PictureKind(shapes, "overlapping discs, rings, boxes and bars", density=True),
    "letters": PictureKind(letters, "lines of random letters and digits", refusal=_room_for_a_letter),
    "cycles": PictureKind(cycles, "two black cells per row, on the diagonal and a random permutation", refusal=_square),
    "dominoes": PictureKind(
        dominoes, "Wolter's n-Dom puzzle for width 2n + 1", seed=False, total=lambda *_: 1, refusal=_odd_square
    ),
    "exhaustive": PictureKind(every_picture, "all pictures of the size", seed=False, total=lambda w, h: 1 << w * h),
}

CHUNK_CELLS = 1 << 17
"""Cells generated at a time, so that intermediate arrays stay in the CPU's cache."""


@dataclass(frozen=True)
class Recipe:
    """Pictures number 0 to `count` - 1 of one kind.

    kind            of KINDS
    density, seed   None for kinds without
    colors          number of colours besides the background
    """

    kind: str
    width: int
    height: int
    density: float | None
    seed: int | None
    count: int
    colors: int = 1


def pictures(recipe: Recipe, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1, uint8[last - first, height, width] of palette entries."""
    given = [value for value in (recipe.density, recipe.seed) if value is not None]
    drawn = KINDS[recipe.kind].draw(recipe.width, recipe.height, *given, first, last)
    if recipe.colors > 1:
        assert recipe.seed is not None, "kinds without a seed have no colours"
        drawn = add_colors(drawn, recipe.colors, recipe.seed, first, by_cell=recipe.kind == "random")
    return drawn


def source_name(recipe: Recipe) -> str:
    """Return the part of ids before the picture number: size, density and seed (if any), colours (3c) if several."""
    numbers = [f"{recipe.width}x{recipe.height}"]
    if recipe.density is not None:
        numbers.append(f"{recipe.density:g}")
    if recipe.seed is not None:
        numbers.append(f"{recipe.seed}")
    if recipe.colors > 1:
        numbers.append(f"{recipe.colors}c")
    return "-".join(numbers)


def picture_number(puzzle_id: str) -> int:
    """Return the picture number in the id of a generated puzzle."""
    return int(puzzle_id.rpartition("-")[2])


def recipe_batch(recipe: Recipe, first: int, last: int) -> pa.RecordBatch:
    """Return a batch of the puzzles table; the id of picture 123 is like "random/10x10-0.5-1-123"."""
    palette = palette_of([ColorSpec()] * recipe.colors)
    step = max(1, CHUNK_CELLS // (recipe.width * recipe.height))
    batches = []
    for start in range(first, last, step):
        end = min(start + step, last)
        ids = pc.binary_join_element_wise(source_name(recipe), pa.array(np.arange(start, end)).cast(pa.string()), "-")
        batches.append(picture_batch(pictures(recipe, start, end), recipe.kind, ids, palette))
    return pa.concat_batches(batches)


def views_of(pictures: np.ndarray) -> Views:
    """Return the clues of pictures, uint8[count, height, width] of palette entries.

    The arrays are read-only like a table's (solver.model.views), so that kernels need not be compiled again for
    writable ones.
    """
    count, height, width = pictures.shape
    rows, columns = _clues(pictures), _clues(np.ascontiguousarray(pictures.transpose(0, 2, 1)))
    sizes = np.full(count, width, np.uint16), np.full(count, height, np.uint16)
    for array in (*sizes, *rows, *columns):
        array.flags.writeable = False
    return Views(*sizes, rows, columns)


def _clues(pictures: np.ndarray) -> Clues:
    """Return the clues of the pictures' rows."""
    count, lines, cells = pictures.shape
    padded = np.zeros(count * lines * (cells + 1) + 1, np.uint8)
    padded[1:].reshape(-1, cells + 1)[:, :cells] = pictures.reshape(-1, cells)
    before, after = padded[:-1], padded[1:]
    changes = before != after
    starts, ends = np.flatnonzero(changes & (after != 0)), np.flatnonzero(changes & (before != 0))
    blocks = np.zeros(count * lines + 1, np.int32)
    np.cumsum(np.bincount(starts // (cells + 1), minlength=count * lines), out=blocks[1:])
    return Clues(
        np.arange(0, count * lines + 1, lines, dtype=np.int32),
        blocks,
        (ends - starts).astype(np.uint16),
        after[starts],
    )


def picture_batch(
    pictures: np.ndarray, source: str, source_ids: pa.StringArray, palette: tuple[Color, ...] = BLACK_ON_WHITE
) -> pa.RecordBatch:
    """Return a batch of the puzzles table from pictures, uint8[count, height, width], which become the goals.

    Colours are palette entries, numbered in order of first use in each picture, row by row.
    """
    count, height, width = pictures.shape
    offsets = np.arange(0, (count + 1) * height * width, height * width, dtype=np.int32)
    goals = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(pictures))]
    entries = pa.array([[color._asdict() for color in palette]], PALETTE)
    views = views_of(pictures)
    others = {
        "puzzle_id": pc.binary_join_element_wise(source, source_ids, "/"),
        "source": pa.repeat(source, count),
        "source_id": source_ids,
        "goal": pa.Array.from_buffers(pa.binary(), count, goals),
        "palette": entries.take(pa.array(np.zeros(count, np.int32))),
    }
    return clue_batch(views.rows, views.columns, others)
