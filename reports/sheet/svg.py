"""A puzzle drawn as SVG: its clues, its grid, and a state of its cells.

Proportions are those of the report's page (reports/templates/browser/drawing.js). A drawing has two layers: the ground,
the same for all states of a puzzle, and the state, which is see-through: an animation draws the ground only once.
"""

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

import numpy as np

from reports.clean import clean
from reports.picture_svg import path_of
from reports.sheet.clue_numbers import NO_COLOR, on_chips
from reports.sheet.geometry import CAPTION_HEIGHT, CELL, MARGIN, Geometry, Placed, geometry, placed
from reports.sheet.sheet_colors import FAINT, GREY, LINE, MARK, ink, rgb, tint
from reports.sheet.state import UNKNOWN, State, empty
from reports.sheet.text import ASCENT, FONT, NO_XML, text
from solver.model.puzzle import Puzzle

CRISP = 'shape-rendering="crispEdges"'

SIZES = (12.5, 12.5, 10.0, 7.5)
"""Of numbers of one to four digits."""


class Drawing(NamedTuple):
    """What is drawn, and its size in units: `content` is SVG without the element around it."""

    content: str
    width: int
    height: int
    about: str = ""

    @property
    def svg(self) -> str:
        """The whole SVG, a pixel a unit; narrower where a page has not as much room."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{self.about}" '
            f'style="max-width:100%;height:auto" font-family="{FONT}">{self.content}</svg>'
        )


def drawing(puzzle: Puzzle, state: State | None = None) -> Drawing:
    """A puzzle with its clues, and the state of its cells, if given, with its words below.

    Text of strangers is escaped, and what is no colour is grey. A puzzle of more than `geometry.MOST_NUMBERS` numbers
    is drawn without them. Raises ValueError for a state of another size.
    """
    known = state or empty(puzzle)
    place = geometry(puzzle, bool(known.words))
    lower, upper = ground(puzzle, place), layer(puzzle, known, place)
    return upper._replace(content=lower.content + upper.content)


def ground(puzzle: Puzzle, place: Geometry) -> Drawing:
    """What is the same for all states: the paper and the clues."""
    grid = f"M{place.left} {place.top}H{place.right}V{place.bottom}H{place.left}z"
    return Drawing(
        f'<path class="sheet" fill="#fff" d="M0 0h{place.width}v{place.height}H0z"/>'
        f'<path class="paper" fill="#{rgb(puzzle, 0)}" {CRISP} d="{grid}"/>'
        f'<g class="clues" text-anchor="middle">{"".join(_numbers(puzzle, place))}</g>',
        place.width,
        place.height,
    )


def layer(puzzle: Puzzle, state: State, place: Geometry) -> Drawing:
    """A state of the grid, to be laid over the ground: highlights, cells, lines, marks, words."""
    if state.cells.shape != (puzzle.height, puzzle.width):
        high, wide = state.cells.shape
        raise ValueError(f"a state of {wide}x{high} cells for a puzzle of {puzzle.width}x{puzzle.height}")
    about = NO_XML.sub("\ufffd", clean(f"{puzzle.puzzle_id or 'a puzzle'}, {puzzle.width}x{puzzle.height}"))
    tints, frames = _lines(puzzle, state, place)
    parts = [tints, _cells(puzzle, state, place), *_grid(puzzle, place), frames, *_marks(state, place)]
    if state.words:
        room = place.width - 2 * MARGIN
        middle = 'class="words" text-anchor="middle"'
        parts.append(text(state.words, place.width / 2, place.bottom + CAPTION_HEIGHT - 6, 13, room, middle))
    return Drawing("".join(parts), place.width, place.height, escape(about))


def _numbers(puzzle: Puzzle, place: Geometry) -> Iterator[str]:
    chips = on_chips(puzzle)
    side = CELL - 3
    for number in placed(puzzle, place):
        if number.color == NO_COLOR:
            yield _number(number, FAINT)
        elif chips:
            color = rgb(puzzle, number.color)
            yield (
                f'<rect x="{number.x - side / 2:g}" y="{number.y - side / 2:g}" width="{side}" height="{side}" rx="3" '
                f'fill="#{color}" stroke="#{GREY}" stroke-width=".6"/>'
            )
            yield _number(number, ink(color))
        else:
            yield _number(number, "000000")


def _number(number: Placed, color: str) -> str:
    size = SIZES[min(len(number.text), len(SIZES)) - 1]
    place = f'x="{number.x:g}" y="{number.y + ASCENT * size:g}"'
    return f'<text {place} font-size="{size:g}" fill="#{color}">{number.text}</text>'


def _lines(puzzle: Puzzle, state: State, place: Geometry) -> tuple[str, str]:
    """Lines pointed out: a tint under their cells, and a frame around them and their clues."""
    across, down = place.right - place.left, place.bottom - place.top
    rows = [place.top + y * CELL for y in state.rows]
    columns = [place.left + x * CELL for x in state.columns]
    if not rows and not columns:
        return "", ""
    tints = [f"M{place.left} {y}h{across}v{CELL}h-{across}z" for y in rows]
    tints += [f"M{x} {place.top}h{CELL}v{down}h-{CELL}z" for x in columns]
    frames = [f"M{place.clue_left} {y}H{place.right}v{CELL}H{place.clue_left}z" for y in rows]
    frames += [f"M{x} {place.clue_top}V{place.bottom}h{CELL}V{place.clue_top}z" for x in columns]
    return (
        f'<path class="tints" fill="#{tint(puzzle)}" {CRISP} d="{"".join(tints)}"/>',
        f'<path class="lines" fill="none" stroke="#{LINE}" stroke-width="3" d="{"".join(frames)}"/>',
    )


def _cells(puzzle: Puzzle, state: State, place: Geometry) -> str:
    """A path a colour; in a partly solved grid a small cross in each cell that is known to be background."""
    entries = np.unique(state.cells).tolist()
    paths = [
        f'<path fill="#{rgb(puzzle, entry)}" {CRISP} d="{path_of(state.cells == entry)}"/>'
        for entry in entries
        if entry not in (0, UNKNOWN)
    ]
    if UNKNOWN in entries and 0 in entries:
        crosses = "".join(f"M{x}.38 {y}.38l.24 .24m0-.24l-.24 .24" for y, x in np.argwhere(state.cells == 0).tolist())
        paths.append(f'<path class="crosses" fill="none" stroke="#{GREY}" stroke-width=".07" d="{crosses}"/>')
    return f'<g class="cells" transform="translate({place.left} {place.top}) scale({CELL})">{"".join(paths)}</g>'


def _grid(puzzle: Puzzle, place: Geometry) -> Iterator[str]:
    """The lines between the cells; each fifth one, and the border, is thicker and goes on between the clues."""
    for name, thick, look in (
        ("thin", False, 'stroke-width="1" stroke-opacity=".38"'),
        ("thick", True, 'stroke-width="2"'),
    ):
        left, top = (place.clue_left, place.clue_top) if thick else (place.left, place.top)
        down = [f"M{place.left + x * CELL} {top}V{place.bottom}" for x in _places(puzzle.width, thick)]
        along = [f"M{left} {place.top + y * CELL}H{place.right}" for y in _places(puzzle.height, thick)]
        yield f'<path class="{name}" fill="none" stroke="#{GREY}" {look} {CRISP} d="{"".join(down + along)}"/>'


def _places(cells: int, thick: bool) -> list[int]:
    """Which of the lines before, between and after so many cells are thick, or which are not."""
    return [k for k in range(cells + 1) if (k % 5 == 0 or k == cells) == thick]


def _marks(state: State, place: Geometry) -> Iterator[str]:
    """A frame with a light rim in each cell that is pointed out."""
    if state.marked is None or not state.marked.any():
        return
    side = CELL - 6
    frames = "".join(
        f"M{place.left + x * CELL + 3} {place.top + y * CELL + 3}h{side}v{side}h-{side}z"
        for y, x in np.argwhere(state.marked).tolist()
    )
    yield f'<path class="rims" fill="none" stroke="#fff" stroke-width="4" d="{frames}"/>'
    yield f'<path class="marks" fill="none" stroke="#{MARK}" stroke-width="2" d="{frames}"/>'
