"""Puzzles and pictures drawn in the terminal."""

import numpy as np
from rich.style import Style
from rich.text import Text

from solver.puzzle import Color

UPPER_HALF = "\u2580"


def in_color(picture: np.ndarray, palette: tuple[Color, ...]) -> Text:
    """A picture, uint8[height, width] of palette entries, in true colour.

    A character holds two cells, one above the other. With an odd number of rows the last characters' lower halves keep
    the terminal's own background.
    """
    text = Text()
    for top in range(0, len(picture), 2):
        lower = picture[top + 1] if top + 1 < len(picture) else None
        for x, cell in enumerate(picture[top]):
            below = None if lower is None else f"#{palette[lower[x]].rgb}"
            text.append(UPPER_HALF, Style(color=f"#{palette[cell].rgb}", bgcolor=below))
        text.append("\n")
    text.rstrip()
    return text


def in_symbols(picture: np.ndarray, palette: tuple[Color, ...]) -> Text:
    """The same for a terminal without colours, or a file: a line a row, each cell as its colour's symbol."""
    return Text("\n".join("".join(palette[cell].symbol for cell in row) for row in picture))
