"""Pictures whose colours are a puzzle's: a puzzle from one, and the colours for one."""

import numpy as np

from scrapers.formats.colors import Wish, palette_of
from scrapers.formats.shared import FormatError
from solver.limits import MAX_COLORS
from solver.puzzle import BLACK, WHITE, Puzzle, arranged, from_picture

LIGHT = np.array([299, 587, 114])
"""What red, green and blue give to how light a colour is."""


def of_colors(cells: np.ndarray) -> Puzzle:
    """The puzzle of a picture, uint8[height, width, 3], each of whose colours is one of the puzzle's."""
    codes = cells.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    colors, places = np.unique(codes, return_inverse=True)
    if len(colors) - 1 > MAX_COLORS:
        raise FormatError(f"it has {len(colors)} colours; the most is {MAX_COLORS + 1}, the background counted")
    if colors.tolist() == [0]:
        return from_picture(np.ones(codes.shape, np.uint8))  # black on a white of which nothing is seen
    parts = (colors[:, None] >> np.array([16, 8, 0])) & 255
    background = int(np.argmax(parts @ LIGHT))
    order = [background, *(k for k in range(len(colors)) if k != background)]
    rgbs = [f"{int(colors[k]):06x}" for k in order]
    back = Wish(WHITE.name, WHITE.symbol, WHITE.rgb) if rgbs[0] == WHITE.rgb else Wish("background", "", rgbs[0])
    wishes = [Wish(*BLACK) if rgb == BLACK.rgb else Wish(rgb=rgb) for rgb in rgbs[1:]]
    goal = np.argsort(order)[places.reshape(codes.shape)].astype(np.uint8)
    return arranged(from_picture(goal, palette_of(wishes, back)))


def colors_of(puzzle: Puzzle) -> list[str]:
    """The colours of a puzzle's picture as six hexadecimal digits each, the background first; none may come twice."""
    rgbs = [color.rgb for color in puzzle.palette[: max(puzzle.colors, 1) + 1]]
    if len(set(rgbs)) < len(rgbs):
        raise FormatError("two of its colours are the same, in a picture nothing tells them apart")
    return rgbs
