"""The array in which a page of nonograms.org hides its picture: `var d=[[a,b,c,d],...];`.

Each entry has four non-negative numbers. Entry 0 is noise, entries 1 to 3 are width, height and number of colours,
entry 4 is the base of the colours that follow. Then comes the picture: its number of runs, their base, and its runs,
shuffled. On all pages seen, the order in which the site's solver found the cells follows in the same form: runs with a
step number in place of a colour, which cover every cell once. Not every step finds a cell.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isqrt
from random import Random
from typing import NamedTuple

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.solver.model.puzzle import MAX_COLORS

MAX_SIDE = 1000
"""Cells; the largest puzzle of the site is 200x200."""

MAX_NUMBER = 1_000_000
"""The largest number in an array; those seen are below 2,000."""

Array = list[list[int]]


class Decoded(NamedTuple):
    """The content of an array.

    picture     uint8[height, width]: 0 is empty, c is colors[c - 1]
    colors      six hex digits each
    steps       int32[height, width]: the step, from 1, in which the site's solver found the cell; None if missing
    """

    picture: np.ndarray
    colors: tuple[str, ...]
    steps: np.ndarray | None


def decode(array: Array) -> Decoded:
    """Decode an array. Raises FormatError."""
    numbers = _numbers(array)
    width, height = (_difference(numbers, place, what, MAX_SIDE) for place, what in ((1, "width"), (2, "height")))
    count = _difference(numbers, 3, "number of colours", MAX_COLORS)
    colors = tuple(_color(numbers, place) for place in range(5, 5 + count))
    picture, end = _grid(numbers, 5 + count, (height, width), count, "picture")
    steps: np.ndarray | None = None
    if end < len(numbers):
        steps, end = _grid(numbers, end, (height, width), MAX_NUMBER, "solving order")
        if not steps.all():
            y, x = np.argwhere(steps == 0)[0].tolist()
            raise FormatError(f"the solving order lacks cell {x + 1} of row {y + 1}")
    if end < len(numbers):
        raise FormatError(f"the array has {len(numbers)} entries, but its puzzle ends after {end}")
    return Decoded(picture.astype(np.uint8), colors, steps)


def _numbers(array: Array) -> np.ndarray:
    """Return the array as int64[entries, 4], validated."""
    for place, entry in enumerate(array):
        if not isinstance(entry, list) or len(entry) != 4:
            raise FormatError(f"entry {place} of the array is not four numbers")
    try:
        numbers = np.array(array or np.empty((0, 4), np.int64))
    except ValueError:  # lists among the numbers
        numbers = np.empty(0)
    # values that are no numbers, or beyond 64 bits, give another dtype
    whole = numbers.dtype.kind == "i" and numbers.ndim == 2
    if not whole or (numbers.size and not 0 <= numbers.min() <= numbers.max() <= MAX_NUMBER):
        raise FormatError(f"the array has a value that is not an integer from 0 to {MAX_NUMBER:,}")
    return numbers


def _entry(numbers: np.ndarray, place: int, what: str) -> list[int]:
    if place >= len(numbers):
        raise FormatError(f"the array ends after {len(numbers)} entries, before the {what}")
    entry: list[int] = numbers[place].tolist()
    return entry


def _difference(numbers: np.ndarray, place: int, what: str, most: int) -> int:
    """Decode a number from 1 to `most` from the remainders of an entry."""
    first, second, third = _remainders(numbers, place, what)
    number = first + second - third
    if not 1 <= number <= most:
        raise FormatError(f"the {what} is {number}, not from 1 to {most}")
    return number


def _remainders(numbers: np.ndarray, place: int, what: str) -> list[int]:
    *hidden, divisor = _entry(numbers, place, what)
    if divisor == 0:
        raise FormatError(f"entry {place} of the array, the {what}, divides by zero")
    return [number % divisor for number in hidden]


def _color(numbers: np.ndarray, place: int) -> str:
    base, entry = _entry(numbers, 4, "colours"), _entry(numbers, place, "last colour")
    channels = (entry[0] - base[1], entry[1] - base[0], entry[2] - base[3])
    if not all(0 <= channel <= 255 for channel in channels):
        raise FormatError(f"colour {place - 4} is {channels}, not three numbers from 0 to 255")
    return "{:02x}{:02x}{:02x}".format(*channels)


def _grid(numbers: np.ndarray, start: int, shape: tuple[int, int], most: int, what: str) -> tuple[np.ndarray, int]:
    """Decode the runs from entry `start` into int32[height, width], 0 where none is; return the next entry too.

    Values are from 1 to `most`; runs must not overlap.
    """
    height, width = shape
    root, half, rest = _remainders(numbers, start, f"number of runs of the {what}")
    count, base = root**2 + 2 * half + rest, _entry(numbers, start + 1, f"runs of the {what}")
    if count > len(numbers) - start - 2:
        raise FormatError(f"the {what} has {count} runs, but the array has {len(numbers) - start - 2} entries for them")
    x, length, value, y = (numbers[start + 2 : start + 2 + count] - base).T
    outside = (x < 1) | (length < 1) | (x + length - 1 > width) | (y < 1) | (y > height)
    if outside.any():
        run = int(outside.argmax())
        where = f"{length[run]} cells from cell {x[run]} of row {y[run]} on"
        raise FormatError(f"run {run + 1} of the {what}, {where}, is not inside {width}x{height}")
    wrong = (value < 1) | (value > most)
    if wrong.any():
        run = int(wrong.argmax())
        raise FormatError(f"run {run + 1} of the {what} has the value {value[run]}, not from 1 to {most}")
    cells = int(length.sum())
    grid = np.zeros(height * width, np.int32)
    if cells <= grid.size:
        first = (y - 1) * width + x - 1
        grid[np.repeat(first - length.cumsum() + length, length) + np.arange(cells)] = np.repeat(value, length)
    if cells != np.count_nonzero(grid):
        raise FormatError(f"runs of the {what} overlap")
    return grid.reshape(shape), start + 2 + count


def encode(picture: np.ndarray, colors: Sequence[str], steps: np.ndarray | None = None, seed: int = 0) -> Array:
    """Encode a picture like the site, the inverse of `decode`, deterministic for a seed.

    picture and steps are [height, width], colors six hex digits each. Sides are up to MAX_SIDE, steps up to half of
    MAX_NUMBER, as noise is added.
    """
    random = Random(seed)
    height, width = picture.shape
    base = _noise(random)
    array = [_noise(random), *(_encode_number(number, random) for number in (width, height, len(colors))), base]
    for rgb in colors:
        red, green, blue = bytes.fromhex(rgb)
        # the last number is a flag: 1 on all pages seen
        array.append([red + base[1], green + base[0], blue + base[3], red + base[2] + 1])
    return array + _encode_grid(picture, random) + ([] if steps is None else _encode_grid(steps, random))


def _noise(random: Random) -> list[int]:
    return [random.randint(2, 60) for _ in range(4)]


def _encode_number(number: int, random: Random) -> list[int]:
    """Return an entry that `_difference` decodes to the number."""
    first = random.randint(1, number + 40)
    second = random.randint(max(0, number - first), number + 40)
    third = first + second - number
    return [first, second, third, max(first, second, third) + random.randint(1, 20)]


def _encode_grid(grid: np.ndarray, random: Random) -> Array:
    """Return the entries that `_grid` decodes to the grid."""
    base, runs = _noise(random), list(_runs(grid))
    random.shuffle(runs)
    return [
        _hidden_count(len(runs), random),
        base,
        *([number + noise for number, noise in zip(run, base, strict=True)] for run in runs),
    ]


def _runs(grid: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
    """Yield column, length, value and row, from 1, of the runs of a value other than 0."""
    for y, row in enumerate(grid.tolist(), 1):
        x = 1
        for value, cells in groupby(row):
            length = len(list(cells))
            if value:
                yield x, length, value, y
            x += length


def _hidden_count(count: int, random: Random) -> list[int]:
    root = max(0, isqrt(count) - random.randint(0, 2))
    half = random.randint(0, (count - root**2) // 2)
    hidden = (root, half, count - root**2 - 2 * half)
    divisor = max(hidden) + random.randint(1, 20)
    return [*(number + divisor * random.randint(0, 3) for number in hidden), divisor]
