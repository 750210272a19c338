"""The largest puzzle that the solver takes."""

MAX_CELLS = 1023
"""Cells in the longest line: sixteen words of 64 bits, less one bit for the place after the last cell."""

MAX_COLORS = 31
"""Colours besides the background."""

MAX_DEPTH = 2 * MAX_CELLS
"""Levels that a lookahead can have: each but the last one takes in a line more, so there can't be more levels."""
