"""Pictures as text: a title, the colours, and a line of symbols per row.

    title: Small heart
    colors: #=black 000000, .=white ffffff

    .#.#.
    #####
    .###.
    ..#..

The symbol of the background is always the full stop.
"""

import re
from typing import NamedTuple

import numpy as np

from nonocensus.solver.model.puzzle import Color

BACKGROUND = "."
_COLOR = re.compile(r"(?P<symbol>[^\s,=])=(?P<name>[a-z]+) (?P<rgb>[0-9a-f]{6})")


class InvalidPicture(ValueError):
    """An invalid text: the line and the reason."""


class Picture(NamedTuple):
    """A picture: its title, uint8[height, width] of palette entries, and the palette, background first."""

    title: str
    cells: np.ndarray
    palette: tuple[Color, ...]


def parse(text: str) -> Picture:
    """Parse a picture. Raises InvalidPicture."""
    lines = text.splitlines()
    if len(lines) < 4:
        raise InvalidPicture(f"it has {len(lines)} lines; title, colours, an empty line and one row are the least")
    title = _header(lines[0], "title", 1)
    palette = _palette(_header(lines[1], "colors", 2))
    if lines[2]:
        raise InvalidPicture(f'line 3: "{lines[2]}" should be empty')
    return Picture(title, _cells(lines[3:], palette), palette)


def _header(line: str, name: str, number: int) -> str:
    """Return the text after `name: `."""
    key, colon, value = line.partition(": ")
    if key != name or not colon or not value.strip():
        raise InvalidPicture(f'line {number}: "{line}" should read "{name}: ..."')
    return value.strip()


def _palette(text: str) -> tuple[Color, ...]:
    """Parse a line like `#=black 000000, .=white ffffff`; the background comes first."""
    colors = []
    for item in text.split(", "):
        match = _COLOR.fullmatch(item)
        if not match:
            raise InvalidPicture(f'line 2: "{item}" should read like "r=red cc2222"')
        colors.append(Color(match["name"], match["symbol"], match["rgb"]))
    for what in ("symbol", "name"):
        values = [getattr(color, what) for color in colors]
        for value in values:
            if values.count(value) > 1:
                raise InvalidPicture(f'line 2: two colours have the {what} "{value}"')
    background = [color for color in colors if color.symbol == BACKGROUND]
    if not background:
        raise InvalidPicture(f'line 2: no colour has the symbol "{BACKGROUND}" of the background')
    return (*background, *(color for color in colors if color.symbol != BACKGROUND))


def _cells(rows: list[str], palette: tuple[Color, ...]) -> np.ndarray:
    """Parse the rows, from line 4 of the text, as palette entries."""
    entry = {color.symbol: number for number, color in enumerate(palette)}
    for number, row in enumerate(rows, 4):
        if not row or len(row) != len(rows[0]):
            raise InvalidPicture(f"line {number}: the row has {len(row)} cells, the first one {len(rows[0])}")
        for symbol in row:
            if symbol not in entry:
                raise InvalidPicture(f'line {number}: no colour has the symbol "{symbol}"')
    for color in palette[1:]:
        if not any(color.symbol in row for row in rows):
            raise InvalidPicture(f'line 2: no cell has the colour "{color.name}"')
    return np.array([[entry[symbol] for symbol in row] for row in rows], np.uint8)
