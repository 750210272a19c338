"""Colours of a drawing, each six hex digits: of the palette, and what can be read on them."""

from reports.picture_svg import hex_color
from solver.model.puzzle import BLACK, WHITE, Puzzle

GREY = "7d858c"
"""Lines between cells, rims of chips, crosses."""

FAINT = "999999"
"""The 0 of an empty line."""

MARK, LINE = "e8590c", "ffb000"
"""Cells and lines that are pointed out."""


def rgb(puzzle: Puzzle, entry: int) -> str:
    """Six hex digits for a palette entry; grey where the palette, which may come from strangers, has none."""
    return hex_color([color.rgb for color in puzzle.palette], entry)


def ink(color: str) -> str:
    """Black or white, six hex digits: what can be read better on a colour of six hex digits, by its luminance."""
    red, green, blue = ((part / 255) ** 2.2 for part in bytes.fromhex(color))
    return BLACK.rgb if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else WHITE.rgb


def mixed(color: str, other: str, share: float) -> str:
    """A colour with so much (0 to 1) of another one in it."""
    pairs = zip(bytes.fromhex(color), bytes.fromhex(other), strict=True)
    return bytes(round(part + (more - part) * share) for part, more in pairs).hex()


def tint(puzzle: Puzzle) -> str:
    """The paper in lines that are pointed out."""
    return mixed(rgb(puzzle, 0), LINE, 0.3)
