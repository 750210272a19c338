"""The largest puzzle that the solver takes."""

MAX_CELLS = 1023
"""Cells in the longest line: sixteen words of 64 bits, less one bit for the place after the last cell."""

MAX_COLORS = 31
"""Colours besides the background."""
