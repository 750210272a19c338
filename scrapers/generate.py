"""Pictures made by rule, and their puzzles, whole batches at a time: no Python object for any of them.

A recipe numbers its pictures, and each is a function of the recipe and its number alone: whoever makes it, in whatever
batch, it is the same.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver.tables import mono_batch
from solver.views import Clues, Views

REACH = 3
"""Cells on either side that a smooth picture's cells are averaged over, where it is large enough."""

PIECE_CELLS = 1 << 17
"""Cells made at a time: all that is reckoned on the way takes little memory, and stays in the processor's cache."""


@dataclass(frozen=True)
class Recipe:
    """Pictures number 0 to `count` - 1 of one kind.

    kind    random, blobs or exhaustive: see `random_pictures`, `smooth_pictures`, `every_picture`
    density, seed   None for exhaustive
    """

    kind: str
    width: int
    height: int
    density: float | None
    seed: int | None
    count: int


def exhaustive(width: int, height: int) -> Recipe:
    """The recipe of every picture of a size."""
    return Recipe("exhaustive", width, height, None, None, 1 << width * height)


def pictures(recipe: Recipe, first: int, last: int) -> np.ndarray:
    """Pictures number `first` to `last` - 1 of a recipe, uint8[last - first, height, width], 1 for black."""
    size = recipe.width, recipe.height
    if recipe.density is None or recipe.seed is None:
        return every_picture(*size, first, last)
    draw = {"random": random_pictures, "blobs": smooth_pictures}[recipe.kind]
    return draw(*size, recipe.density, recipe.seed, first, last)


def recipe_batch(recipe: Recipe, first: int, last: int) -> pa.RecordBatch:
    """A batch of the puzzles table: the puzzles of a recipe's pictures, "random/10x10-0.5-1-123" the id of number 123.

    The numbers after the size are density and seed.
    """
    common = f"{recipe.width}x{recipe.height}-"
    if recipe.density is not None:
        common += f"{recipe.density:g}-{recipe.seed}-"
    step = max(1, PIECE_CELLS // (recipe.width * recipe.height))
    pieces = []
    for start in range(first, last, step):
        end = min(start + step, last)
        numbers = pa.array(np.arange(start, end)).cast(pa.string())
        source_ids = pc.binary_join_element_wise(common, numbers, "")
        pieces.append(picture_batch(pictures(recipe, start, end), recipe.kind, source_ids))
    return pa.concat_batches(pieces)


def random_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Pictures number `first` to `last` - 1 whose cells are black with probability `density`, each for itself.

    They lie one after the other in the stream of one generator, which goes straight to where the first one begins. It
    makes two numbers of 32 bits a step.
    """
    cells = width * height
    steps, rest = divmod(first * cells, 2)
    draws = _generator(seed, steps).random(rest + (last - first) * cells, np.float32)[rest:]
    return (draws < density).astype(np.uint8).reshape(-1, height, width)


def smooth_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Pictures number `first` to `last` - 1 of smooth blobs, a share `density` of the cells of each black.

    Random numbers are averaged over their neighbourhood, across the borders, and the highest are black.
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
    """NumPy's usual generator after so many steps of 64 bits."""
    return np.random.Generator(np.random.PCG64(seed).advance(steps))


def every_picture(width: int, height: int, first: int, last: int) -> np.ndarray:
    """Black and white pictures number `first` to `last` - 1 of the 2^(width x height), cell k being bit k."""
    numbers = np.arange(first, last, dtype="<u8")[:, None].view(np.uint8)
    return np.unpackbits(numbers, axis=1, count=width * height, bitorder="little").reshape(-1, height, width)


def views_of(pictures: np.ndarray) -> Views:
    """The clues of pictures, uint8[count, height, width] of palette entries."""
    count, height, width = pictures.shape
    return Views(
        np.full(count, width, np.uint16),
        np.full(count, height, np.uint16),
        _clues(pictures),
        _clues(np.ascontiguousarray(pictures.transpose(0, 2, 1))),
    )


def _clues(pictures: np.ndarray) -> Clues:
    """The clues of the pictures' rows."""
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


def picture_batch(pictures: np.ndarray, source: str, source_ids: pa.StringArray) -> pa.RecordBatch:
    """A batch of the puzzles table: the puzzles of black and white pictures, uint8[count, height, width], as goals."""
    count, height, width = pictures.shape
    offsets = np.arange(0, (count + 1) * height * width, height * width, dtype=np.int32)
    goals = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(pictures))]
    columns = {
        "puzzle_id": pc.binary_join_element_wise(source, source_ids, "/"),
        "source": pa.repeat(source, count),
        "source_id": source_ids,
        "goal": pa.Array.from_buffers(pa.binary(), count, goals),
    }
    return mono_batch(views_of(pictures), columns)
