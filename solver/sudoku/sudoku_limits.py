"""Size limits of Sudokus."""

MIN_SIZE = 2
"""Digits of the smallest unit."""

MAX_SIZE = 36
"""Digits of the largest: digits are single characters, 0 to 9 and A to Z. The int64 digit sets would allow 62."""
