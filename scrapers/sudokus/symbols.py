"""What stands for a digit, and how a grid's boxes lie."""

import numpy as np

from solver.sudoku.sudoku_limits import MAX_SIZE
from solver.sudoku.sudoku_puzzle import boxes_of

OPEN = "0.*_?"
"""What stands for an open cell."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "123456789" + LETTERS

NO_DIGIT = 255

SIZES = tuple(size for size in range(4, MAX_SIZE + 1) if boxes_of(size)[1] > 1)
"""Sizes whose units have boxes: 4, 6, 8, 9, 10, 12, ..., but no primes."""

SIDE = {size * size: size for size in SIZES}
"""The size of a grid by its cells."""


def table_of(size: int, signs: set[int]) -> np.ndarray:
    """What each byte stands for in grids of a size: 0 an open cell, 1 to size, or NO_DIGIT; uint8[256].

    signs   the bytes that occur in them

    Digits go on with letters: A is 10. In grids without any digit A is 1. In 16x16 whose 0 stands beside another sign
    for open cells, and which have no G, 0 is a digit: 0 to F.
    """
    there = {chr(sign).upper() for sign in signs}
    digits = DIGITS
    if size > 9 and not there & set("123456789"):
        digits = LETTERS
    elif size == 16 and "0" in there and there & set(".*_?") and "G" not in there:
        digits = "0" + DIGITS
    table = np.full(256, NO_DIGIT, np.uint8)
    for sign in OPEN:
        table[ord(sign)] = 0
    for value, sign in enumerate(digits[:size], 1):
        table[ord(sign)] = table[ord(sign.lower())] = value
    return table
