"""The largest Sudoku that the solver takes."""

MIN_SIZE = 2
"""Digits of the smallest unit."""

MAX_SIZE = 36
"""Digits of the largest: its digits have names of one character, 0 to 9 and A to Z. A set of digits is one integer of
64 bits with a sign, which would hold 62."""
