"""What stands for a digit, and how a grid's boxes lie."""

import math
from typing import NamedTuple

import numpy as np

from solver.sudoku.check import LARGEST

OPEN = "0.*_?xX"
"""What stands for an open cell; x in grids of up to 9 digits alone."""

NO_DIGIT = 255


class Shape(NamedTuple):
    """The size of a grid: digits of a unit, and the cells of a box side by side and one below the other."""

    size: int
    box_width: int
    box_height: int


def usual_box(size: int) -> Shape | None:
    """The shape of a size whose boxes are as square as can be, and no higher than wide; None if there is none."""
    height = next((side for side in range(math.isqrt(size), 1, -1) if size % side == 0), None)
    return None if height is None or size > LARGEST else Shape(size, size // height, height)


SIZES = {size: shape for size in range(4, LARGEST + 1) if (shape := usual_box(size))}
"""The usual shape of each size."""


def table_of(size: int, text: str) -> np.ndarray:
    """What each byte stands for in grids of a size: 0 an open cell, 1 to size, or NO_DIGIT; uint8[256].

    Digits go on with letters: A is 10. In a text without digits A is 1. In one of 16x16 whose 0 stands beside another
    sign for open cells, and which has no G, 0 is a digit: 0 to F.
    """
    table = np.full(256, NO_DIGIT, np.uint8)
    signs = set(text.upper())
    blank = signs & set(".*_?")
    lettered = size > 9 and not signs & set("123456789")
    hexadecimal = size == 16 and "0" in signs and bool(blank) and "G" not in signs
    digits = "0123456789ABCDEF" if hexadecimal else "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if lettered:
        digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for sign in OPEN:
        table[ord(sign)] = 0
    for value, sign in enumerate(digits[:size], 1):
        table[ord(sign)] = table[ord(sign.lower())] = value
    return table
