"""Colours of a drawing as six hex digits: the palette's, and contrasting text."""

from nonocensus.reports.picture_svg import hex_color
from nonocensus.solver.model.puzzle import BLACK, WHITE, Puzzle

GREY = "7d858c"
"""Grid lines, borders of chips, crosses."""

FAINT = "999999"
"""The 0 of an empty line."""

MARK, LINE = "e8590c", "ffb000"
"""Highlighted cells and lines."""


def rgb(puzzle: Puzzle, entry: int) -> str:
    """Return a palette entry's colour; grey if the palette, which is untrusted, has none or an invalid one."""
    return hex_color([color.rgb for color in puzzle.palette], entry)


def ink(color: str) -> str:
    """Return black or white, whichever has more contrast with a colour, by its relative luminance."""
    red, green, blue = ((part / 255) ** 2.2 for part in bytes.fromhex(color))
    return BLACK.rgb if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else WHITE.rgb


def mixed(color: str, other: str, share: float) -> str:
    """Mix two colours; `share` (0 to 1) is the other one's."""
    pairs = zip(bytes.fromhex(color), bytes.fromhex(other), strict=True)
    return bytes(round(part + (more - part) * share) for part, more in pairs).hex()


def tint(puzzle: Puzzle) -> str:
    """Return the background of highlighted lines."""
    return mixed(rgb(puzzle, 0), LINE, 0.3)


def on_chips(puzzle: Puzzle) -> bool:
    """Return whether numbers are drawn on chips of their colours: unless all are black."""
    used = {block.color for clue in puzzle.rows + puzzle.columns for block in clue}
    return any(rgb(puzzle, color) != BLACK.rgb for color in used)
