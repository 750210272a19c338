"""A puzzle as a picture with its clues at the sides, as SVG: what a person solves, or the solution in it."""

from collections.abc import Sequence
from html import escape

import numpy as np

from reports.drawing import UNKNOWN_COLOR, svg
from solver.puzzle import Clue, Puzzle

CELL, DIGIT = 20, 9
"""Units of a cell's side, and of a character of a clue."""

LINE = "stroke:#bbb;stroke-width:1"
FIFTH = "stroke:#555;stroke-width:1.5"


def puzzle_svg(puzzle: Puzzle, cells: np.ndarray | None = None) -> str:
    """The grid of a puzzle with its clues, and in it a solution, uint8[height, width] of palette entries, if given.

    A blot is drawn as a question mark. Colours of the palette that are no colours are drawn grey.
    """
    left = CELL * 0.4 + max((_width(clue) for clue in puzzle.rows), default=0)
    top = CELL * 0.4 + CELL * 0.8 * max((len(clue) or 1 for clue in puzzle.columns), default=0)
    width, height = puzzle.width * CELL, puzzle.height * CELL
    parts = [_row_clue(puzzle, y, left, top) for y in range(puzzle.height)]
    parts += [_column_clue(puzzle, x, left, top) for x in range(puzzle.width)]
    if cells is not None:
        drawn = svg(cells, [color.rgb for color in puzzle.palette])
        parts.append(drawn.replace("<svg ", f'<svg x="{left}" y="{top}" width="{width}" height="{height}" ', 1))
    parts += [
        f'<path d="M{left + k * CELL} {top}v{height}" style="{_style(k, puzzle.width)}"/>'
        for k in range(puzzle.width + 1)
    ]
    parts += [
        f'<path d="M{left} {top + k * CELL}h{width}" style="{_style(k, puzzle.height)}"/>'
        for k in range(puzzle.height + 1)
    ]
    size = f'width="{left + width + 2:.0f}" viewBox="0 0 {left + width + 2:g} {top + height + 2:g}"'
    name = escape(f"{puzzle.puzzle_id or 'a puzzle'}, {puzzle.width}x{puzzle.height}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}" {size} '
        f'style="max-width:100%;background:#fff;font:12px sans-serif">{"".join(parts)}</svg>'
    )


def _style(k: int, lines: int) -> str:
    return FIFTH if k % 5 == 0 or k == lines else LINE


def _texts(clue: Clue) -> list[tuple[str, int]]:
    """What stands at a line: text and colour of each block, 0 where there is none."""
    return [("?" if block.length == 0 else str(block.length), block.color) for block in clue] or [("0", 0)]


def _width(clue: Clue) -> float:
    return sum(DIGIT * len(text) + DIGIT * 0.7 for text, _ in _texts(clue))


def _row_clue(puzzle: Puzzle, y: int, left: float, top: float) -> str:
    place = left - CELL * 0.3
    parts = []
    for text, color in reversed(_texts(puzzle.rows[y])):
        style = _color(puzzle, color)
        parts.append(f'<text x="{place:g}" y="{top + (y + 0.72) * CELL:g}" text-anchor="end" {style}>{text}</text>')
        place -= DIGIT * len(text) + DIGIT * 0.7
    return "".join(parts)


def _column_clue(puzzle: Puzzle, x: int, left: float, top: float) -> str:
    texts: Sequence[tuple[str, int]] = _texts(puzzle.columns[x])
    return "".join(
        f'<text x="{left + (x + 0.5) * CELL:g}" y="{top - CELL * 0.3 - CELL * 0.8 * (len(texts) - 1 - k):g}" '
        f'text-anchor="middle" {_color(puzzle, color)}>{text}</text>'
        for k, (text, color) in enumerate(texts)
    )


def _color(puzzle: Puzzle, color: int) -> str:
    """How a clue of a colour is written: light colours get an outline, so that they can be read."""
    if color == 0:
        return 'fill="#999"'
    rgb = puzzle.palette[color].rgb if color < len(puzzle.palette) else UNKNOWN_COLOR
    try:
        red, green, blue = (int(rgb[k : k + 2], 16) for k in (0, 2, 4))
    except ValueError:
        return f'fill="#{UNKNOWN_COLOR}"'
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 170
    outline = ' stroke="#444" stroke-width="0.6" paint-order="stroke"' if light else ""
    return f'fill="#{red:02x}{green:02x}{blue:02x}"{outline}'
