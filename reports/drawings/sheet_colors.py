"""Colours of a drawing as six hex digits: the palette's, and contrasting text; and their names as people say them."""

import colorsys
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from string import ascii_letters

import numpy as np

from nonocensus.reports.drawings.picture_svg import hex_color
from nonocensus.solver.model.puzzle import BLACK, WHITE, Color, Puzzle

GREY = "7d858c"
"""Grid lines, borders of chips, crosses."""

FAINT, HATCH = "999999", "c6ccd1"
"""The 0 of an empty line; hatches of open cells, as on the server's page."""

MARK, LINE = "e8590c", "ffb000"
"""Highlighted cells and lines."""


def rgb(puzzle: Puzzle, entry: int) -> str:
    """Return a palette entry's colour; grey if the palette, which is untrusted, has none or an invalid one."""
    return hex_color([color.rgb for color in puzzle.palette], entry)


def ink(color: str) -> str:
    """Return black or white, whichever has more contrast with a colour where it has less: in colour or in grey."""
    darkest, lightest = _luminances(color)
    return BLACK.rgb if darkest * lightest > 1.05 * 0.05 else WHITE.rgb


def halo(color: str) -> str:
    """Return a shade of a colour to surround text in `ink` where that is not legible in colour or in grey; else empty.

    Legible is a contrast of 4.5, as in WCAG. Black or white around small digits would look like other digits.
    """
    darkest, lightest = _luminances(color)
    if max(darkest / 0.05, 1.05 / lightest) >= 4.5:
        return ""
    return mix(color, WHITE.rgb if ink(color) == BLACK.rgb else BLACK.rgb, 0.25)


def _luminances(color: str) -> list[float]:
    """Return the relative luminance of a colour and that of its grey, the lower one first, each with 0.05 of glare.

    A printer's grey is the weighted sum of the encoded parts (BT.601).
    """
    encoded = [part / 255 for part in bytes.fromhex(color)]
    red, green, blue = (part**2.2 for part in encoded)
    grey = (0.299 * encoded[0] + 0.587 * encoded[1] + 0.114 * encoded[2]) ** 2.2
    return sorted([0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05, grey + 0.05])


def mix(color: str, other: str, share: float) -> str:
    """Mix two colours; `share` (0 to 1) is the other one's."""
    pairs = zip(bytes.fromhex(color), bytes.fromhex(other), strict=True)
    return bytes(round(part + (more - part) * share) for part, more in pairs).hex()


def on_chips(puzzle: Puzzle) -> bool:
    """Return whether numbers are drawn on chips of their colours: unless all are black."""
    used = {block.color for clue in puzzle.rows + puzzle.columns for block in clue}
    return any(rgb(puzzle, color) != BLACK.rgb for color in used)


COMMON = (
    ("black", "000000"), ("dark grey", "505050"), ("grey", "888888"), ("light grey", "c8c8c8"), ("white", "ffffff"),
    ("dark red", "8b0000"), ("red", "e02020"), ("red", "c83830"), ("pink", "ff9db5"), ("light pink", "ffd0d8"),
    ("peach", "ffcba0"), ("orange", "ff8c1a"), ("dark orange", "c05800"), ("dark brown", "4b2a10"), ("brown", "8b5020"),
    ("light brown", "c09060"), ("beige", "f0e0c0"), ("olive", "808020"), ("yellow", "ffe020"),
    ("light yellow", "fff5a0"), ("dark green", "006020"), ("green", "20a030"), ("light green", "90e080"),
    ("turquoise", "30d0c0"), ("teal", "008080"), ("light blue", "90d0f5"), ("blue", "2060e0"), ("blue", "2070b0"),
    ("blue", "0000ff"), ("blue", "4040ff"),
    ("orange", "e06030"), ("green", "70a070"), ("green", "487848"), ("brown", "705a40"), ("light blue", "b8c8e0"),
    ("lilac", "d6c6e7"), ("light blue", "ccffff"), ("light grey", "e4e4e4"), ("olive", "6c6e46"), ("olive", "535436"),
    ("red", "a85a56"), ("dark green", "2a4a34"), ("dark grey", "484840"), ("green", "587048"), ("brown", "7c4838"),
    ("dark red", "742838"), ("pink", "c4747c"), ("pink", "b45078"), ("light brown", "ac7458"), ("purple", "8c5078"),
    ("ochre", "bf9005"), ("yellow", "ffc000"), ("brown", "993300"), ("dark orange", "cc3800"), ("orange", "ff5a10"),
    ("orange", "ffa810"), ("dark blue", "101878"), ("purple", "802090"), ("purple", "9a20c8"), ("lilac", "c8a0e0"),
    ("light yellow", "ffd060"), ("magenta", "e020c0"),
)  # fmt: skip
"""Common names and six hex digits."""

REDDEST_ORANGE = 13
"""Degrees of hue from which on a colour is orange rather than red: in a puzzle no red is more orange than an orange."""

LETTERS = {
    "black": "b", "dark grey": "E", "grey": "e", "light grey": "f", "white": "w", "dark red": "R", "red": "r",
    "pink": "p", "light pink": "q", "peach": "h", "orange": "a", "dark orange": "A", "dark brown": "N", "brown": "n",
    "light brown": "F", "beige": "j", "ochre": "H", "olive": "v", "yellow": "y", "light yellow": "Y",
    "dark green": "G", "green": "g", "light green": "d", "turquoise": "t", "teal": "T", "light blue": "k",
    "blue": "u", "dark blue": "D", "purple": "x", "lilac": "c", "magenta": "m",
}  # fmt: skip
"""A letter for each common name, so that a book's colours have the same letters in every puzzle; none like a digit."""

MADE_UP = (WHITE.name, BLACK.name, "background", "color", "colour", "default")
"""Names that formats give to colours without one, whatever their RGB is."""

COMPARED = {
    2: ["darker ", "lighter "],
    3: ["darkest ", "middle ", "lightest "],
    4: ["darkest ", "darker ", "lighter ", "lightest "],
    5: ["darkest ", "darker ", "middle ", "lighter ", "lightest "],
}
"""What precedes the name of some colours, by their number, from dark to light; more are numbered."""

WORDS = re.compile(r"(?![0-9a-fA-F]{6}\Z)(?:[^\W\d_]{3,}|[^\x00-\x7f]+)(?:[ _-]?[^\W\d_]+)*")
"""A name that is a word: not a letter, a number or hexadecimal digits."""

FROM_LINEAR = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
"""Matrix from linear sRGB to XYZ (IEC 61966-2-1)."""

D65 = np.array([0.9505, 1.0, 1.089])


@lru_cache
def color_names(palette: tuple[Color, ...]) -> tuple[str, ...]:
    """Return a name for each palette entry: the source's own words, else the nearest common name.

    Colours of one name are compared by lightness; the background keeps its name if it is one of two.
    """
    names = [
        color.name if WORDS.fullmatch(color.name) and color.name not in MADE_UP else common
        for color, common in zip(palette, _common_names(palette), strict=True)
    ]
    by_lightness = _lab_of(palette)[:, 0].argsort(kind="stable").tolist()
    for name in {name for name in names if names.count(name) > 1}:
        same = [entry for entry in by_lightness if names[entry] == name]
        for k, entry in enumerate(same):
            names[entry] = COMPARED[len(same)][k] + name if len(same) in COMPARED else f"{name} {k + 1}"
        if len(same) == 2 and 0 in same:
            names[0] = name
    return tuple(names)


@lru_cache
def color_letters(palette: tuple[Color, ...]) -> str:
    """Return a letter for each palette entry, all different, none like a digit; a blank for the background.

    The first entry of a common name has its letter, others one of their names.
    """
    letters, names = {0: " "}, color_names(palette)
    for entry, common in enumerate(_common_names(palette)):
        letter = LETTERS.get(names[entry], LETTERS[common])
        if letter not in letters.values():
            letters.setdefault(entry, letter)
    for entry, name in enumerate(names):
        free = (letter for letter in chain(name.lower(), ascii_letters) if letter.isalpha() and letter not in "iloIO")
        if entry not in letters:
            letters[entry] = next(letter for letter in free if letter not in letters.values())
    return "".join(letters[entry] for entry in range(len(palette)))


def letters_of(puzzle: Puzzle) -> str:
    """Return a letter for each palette entry of a puzzle of several colours, none for one."""
    return color_letters(puzzle.palette) if puzzle.colors > 1 else ""


def _common_names(palette: Sequence[Color]) -> list[str]:
    """Return the name of the nearest common colour of each palette entry."""
    distances = np.linalg.norm(_lab_of(palette)[:, None] - _lab([rgb for _, rgb in COMMON]), axis=2)
    for entry, near in enumerate(distances):
        hue = 360 * colorsys.rgb_to_hsv(*bytes.fromhex(hex_color([color.rgb for color in palette], entry)))[0]
        other = "red" if REDDEST_ORANGE <= hue < 180 else "orange"
        near[[name.endswith(other) for name, _ in COMMON]] = np.inf
    return [COMMON[place][0] for place in distances.argmin(axis=1)]


def _lab_of(palette: Sequence[Color]) -> np.ndarray:
    """Return the palette entries in CIELAB, float64[entries, 3]."""
    return _lab([hex_color([color.rgb for color in palette], entry) for entry in range(len(palette))])


def _lab(colors: Sequence[str]) -> np.ndarray:
    """Convert colours of six hex digits to CIELAB, float64[colors, 3]."""
    srgb = np.array([list(bytes.fromhex(color)) for color in colors]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ FROM_LINEAR.T / D65
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)
