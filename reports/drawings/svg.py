"""A puzzle drawn as SVG: its clues, its grid, and a state of its cells.

Proportions are those of the report's page (reports/templates/shared/drawing.js). A drawing has two layers: the ground,
the same for all states of a puzzle, and the transparent state, so that an animation draws the ground only once.
"""

import math
import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np

from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.geometry import (
    CAPTION_HEIGHT,
    CELL,
    MARGIN,
    NO_COLOR,
    Geometry,
    Placed,
    clue_numbers,
    geometry,
    place_clues,
)
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState, empty
from nonocensus.reports.drawings.picture_svg import path_of
from nonocensus.reports.drawings.sheet_colors import (
    FAINT,
    GREY,
    HATCH,
    LINE,
    MARK,
    color_letters,
    halo,
    ink,
    on_chips,
    rgb,
)
from nonocensus.solver.model.puzzle import WHITE, Clue, Color, Puzzle

CRISP = 'shape-rendering="crispEdges"'

EDGE, EDGE_SIZE, MOST_LINES = 18, 10, 20
"""Units of the edge in which lines are numbered, size of the numbers, and lines of a side that all have one."""

SIZES = (14.0, 14.0, 10.0, 7.5)
"""Font sizes of numbers with one to four digits."""


class Drawing(NamedTuple):
    """A drawing and its size in units; `content` is SVG without the root element."""

    content: str
    width: int
    height: int
    about: str = ""

    @property
    def svg(self) -> str:
        """The SVG with its root element, a pixel a unit, or narrower to fit a page."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{self.about}" '
            f'style="max-width:100%;height:auto" font-family="{FONT}">{self.content}</svg>'
        )


def drawing(puzzle: Puzzle, state: GridState | None = None, letters: str = "") -> Drawing:
    """Draw a puzzle with its clues, a state of its cells, and the state's caption.

    `letters`, one for each palette entry, are drawn on numbers and cells, for readers who don't see the colours.

    Untrusted text is escaped, and invalid colours are grey. The clues are left out if they have more than
    `geometry.MOST_NUMBERS` numbers. Raises ValueError for a state of another size.
    """
    known = state or empty(puzzle)
    place = geometry(puzzle, bool(known.words))
    lower, upper = ground(puzzle, place, letters), layer(puzzle, known, place)
    return upper._replace(content=lower.content + upper.content + _letters(puzzle, known, place, letters))


def add_line_numbers(puzzle: Puzzle, drawn: Drawing, on_paper: bool = False) -> Drawing:
    """Return a drawing with the numbers of rows at its right and of columns below: all of them, of many every fifth.

    On paper 6 are many, as numbers might be taken for clues, and they are as large as those.
    """
    place = geometry(puzzle)
    texts = []
    for count, is_row in ((puzzle.height, True), (puzzle.width, False)):
        for k in range(count):
            if count <= (5 if on_paper else MOST_LINES) or k == 0 or k % 5 == 4:
                center = (k + 0.5) * CELL
                x = place.right + EDGE / 2 if is_row else place.left + center
                y = place.top + center if is_row else place.bottom + EDGE / 2
                size = SIZES[min(len(str(k + 1)), len(SIZES)) - 1] if on_paper else EDGE_SIZE
                texts.append(f'<text x="{x:g}" y="{y + ASCENT * size:g}" font-size="{size:g}">{k + 1}</text>')
    style = f'class="places" text-anchor="middle" fill="#{GREY}"'
    content = f'<path fill="#fff" d="M0 0h{drawn.width + EDGE}v{drawn.height + EDGE}H0z"/>{drawn.content}'
    return drawn._replace(
        content=f"{content}<g {style}>{''.join(texts)}</g>", width=drawn.width + EDGE, height=drawn.height + EDGE
    )


def possible_marks(puzzle: Puzzle, cells: Sequence[int]) -> str:
    """Draw, in cells that may have several colours but not all, a square of each; each colour has its place.

    cells   the colours that each may have, a bit each
    """
    place, count = geometry(puzzle), max(puzzle.colors, 1) + 1
    columns = math.ceil(math.sqrt(count))
    wide, tall = 0.92 / columns, 0.92 / math.ceil(count / columns)
    square, paths = f"h{0.85 * wide:.3f}v{0.85 * tall:.3f}h-{0.85 * wide:.3f}z", []
    for entry in range(count):
        x, y = 0.07 + wide * (entry % columns), 0.07 + tall * (entry // columns)
        marks = "".join(
            f"M{k % puzzle.width + x:.3f} {k // puzzle.width + y:.3f}{square}"
            for k, colors in enumerate(cells)
            if colors & (colors - 1) and colors != (1 << count) - 1 and colors >> entry & 1
        )
        paths.append(f'<path fill="#{rgb(puzzle, entry)}" d="{marks}"/>' if marks else "")
    where = f'transform="translate({place.left} {place.top}) scale({CELL})" stroke="#{GREY}" stroke-width=".02"'
    return f'<g class="possible" {where}>{"".join(paths)}</g>'


def line_drawing(clue: Clue, palette: tuple[Color, ...], before: np.ndarray, after: np.ndarray) -> Drawing:
    """Draw a line before, and below it after, its clue at the left; the cells that change are framed.

    It is a drawing of three lines, of which a white stripe covers the second.
    """
    left, cells = MARGIN + CELL * max(len(clue), 1), len(before)
    width, height = left + CELL * cells + MARGIN, 2 * MARGIN + 3 * CELL
    place = Geometry(width, height, left, MARGIN, width - MARGIN, height - MARGIN, MARGIN, MARGIN)
    puzzle = Puzzle((clue,) * 3, ((),) * cells, palette=palette)
    marked = np.zeros((3, cells), np.bool_)
    marked[2] = before != after
    state = GridState(np.stack([before, np.full(cells, UNKNOWN), after]).astype(np.uint8), marked)
    letters = color_letters(palette) if on_chips(puzzle) else ""
    content = ground(puzzle, place, letters).content + layer(puzzle, state, place).content
    stripe = f'<path fill="#fff" d="M0 {MARGIN + CELL + 1}h{width}v{CELL - 2}H0z"/>'
    about = f"the line {' '.join(number.text for number in clue_numbers(clue))} before and after"
    return Drawing(content + _letters(puzzle, state, place, letters) + stripe, width, height, about)


def ground(puzzle: Puzzle, place: Geometry, letters: str = "") -> Drawing:
    """Draw what all states share: the paper and the clues."""
    grid = f"M{place.left} {place.top}H{place.right}V{place.bottom}H{place.left}z"
    return Drawing(
        f'<path class="sheet" fill="#fff" d="M0 0h{place.width}v{place.height}H0z"/>'
        f'<path class="paper" fill="#{rgb(puzzle, 0)}" {CRISP} d="{grid}"/>'
        f'<g class="clues" text-anchor="middle">{"".join(_numbers(puzzle, place, letters))}</g>',
        place.width,
        place.height,
    )


def layer(puzzle: Puzzle, state: GridState, place: Geometry) -> Drawing:
    """Return a state of the grid, to be laid over the ground: highlights, cells, lines, marks, words."""
    if state.cells.shape != (puzzle.height, puzzle.width):
        high, wide = state.cells.shape
        raise ValueError(f"a state of {wide}x{high} cells for a puzzle of {puzzle.width}x{puzzle.height}")
    name = puzzle.puzzle_id.removeprefix("local/") or "a puzzle"
    about = NO_XML.sub("\ufffd", clean(f"{name}, {puzzle.width}x{puzzle.height}"))
    parts = [
        _open_cells(puzzle, state, place),
        _cells(puzzle, state, place),
        *_grid(puzzle, place),
        _lines(state, place),
    ]
    parts += _marks(state, place)
    if state.words:
        room = place.width - 2 * MARGIN
        middle = 'class="words" text-anchor="middle"'
        parts.append(text(state.words, place.width / 2, place.bottom + CAPTION_HEIGHT - 6, 13, room, middle))
    return Drawing("".join(parts), place.width, place.height, escape(about))


def number_size(puzzle: Puzzle, letters: str, cell: float = CELL) -> float:
    """Return the font size of a puzzle's numbers in cells of a side: the longest fits, with a letter if given."""
    longest = max(len(number.text) for clue in puzzle.rows + puzzle.columns for number in clue_numbers(clue))
    return SIZES[min(longest + bool(letters), len(SIZES)) - 1] * cell / CELL


def _numbers(puzzle: Puzzle, place: Geometry, letters: str) -> Iterator[str]:
    chips, size = on_chips(puzzle), number_size(puzzle, letters)
    side = CELL - 3
    for number in place_clues(puzzle, place):
        if number.color == NO_COLOR:
            yield _number(number, size, FAINT)
        elif chips:
            color = rgb(puzzle, number.color)
            yield (
                f'<rect x="{number.x - side / 2:g}" y="{number.y - side / 2:g}" width="{side}" height="{side}" rx="3" '
                f'fill="#{color}" stroke="#{GREY}" stroke-width=".6"/>'
            )
            shown = number.text + letters[number.color : number.color + 1]
            yield _number(number._replace(text=shown), size, ink(color), halo(color))
        else:
            yield _number(number, size, "000000")


def _number(number: Placed, size: float, color: str, around: str = "") -> str:
    stroke = f' stroke="#{around}" stroke-width="2.4" paint-order="stroke"' if around else ""
    place = f'x="{number.x:g}" y="{number.y + ASCENT * size:g}"'
    return f'<text {place} font-size="{size:g}" fill="#{color}"{stroke}>{number.text}</text>'


def _lines(state: GridState, place: Geometry) -> str:
    """Draw a frame around each highlighted line and its clue."""
    rows = [place.top + y * CELL for y in state.rows]
    columns = [place.left + x * CELL for x in state.columns]
    if not rows and not columns:
        return ""
    frames = [f"M{place.clue_left} {y}H{place.right}v{CELL}H{place.clue_left}z" for y in rows]
    frames += [f"M{x} {place.clue_top}V{place.bottom}h{CELL}V{place.clue_top}z" for x in columns]
    return f'<path class="lines" fill="none" stroke="#{LINE}" stroke-width="3" d="{"".join(frames)}"/>'


def _open_cells(puzzle: Puzzle, state: GridState, place: Geometry) -> str:
    """Draw unknown cells white where the background is not, on a begun grid hatched, so as not to look painted."""
    is_open = state.cells == UNKNOWN
    if rgb(puzzle, 0) == WHITE.rgb or not is_open.any():
        return ""
    cells = "".join(f"M{x} {y}h1v1h-1zm0 .5l.5-.5m.5.5l-.5.5" for y, x in np.argwhere(is_open).tolist())
    where = f'transform="translate({place.left} {place.top}) scale({CELL})" stroke="#{HATCH}" stroke-width=".04"'
    return f'<path class="open" fill="#{WHITE.rgb}" {where} d="{path_of(is_open) if is_open.all() else cells}"/>'


def _cells(puzzle: Puzzle, state: GridState, place: Geometry) -> str:
    """Draw the cells, a path for each colour; to the last step, known background cells have a cross."""
    entries = np.unique(state.cells).tolist()
    paths = [
        f'<path fill="#{rgb(puzzle, entry)}" {CRISP} d="{path_of(state.cells == entry)}"/>'
        for entry in entries
        if entry not in (0, UNKNOWN)
    ]
    if 0 in entries and (UNKNOWN in entries or state.rows or state.columns):
        crosses = "".join(f"M{x}.38 {y}.38l.24 .24m0-.24l-.24 .24" for y, x in np.argwhere(state.cells == 0).tolist())
        paths.append(f'<path class="crosses" fill="none" stroke="#{GREY}" stroke-width=".07" d="{crosses}"/>')
    return f'<g class="cells" transform="translate({place.left} {place.top}) scale({CELL})">{"".join(paths)}</g>'


def _letters(puzzle: Puzzle, state: GridState, place: Geometry, letters: str) -> str:
    """Write each colour's letter into its cells, as one text with a position for each letter."""
    texts = []
    for entry, letter in list(enumerate(letters))[1:]:
        rows, columns = np.nonzero(state.cells == entry)
        across = " ".join(str(place.left + x * CELL + CELL // 2) for x in columns.tolist())
        down = " ".join(str(place.top + y * CELL + CELL // 2 + 3) for y in rows.tolist())
        texts.append(f'<text x="{across}" y="{down}" fill="#{ink(rgb(puzzle, entry))}">{letter * len(rows)}</text>')
    return f'<g class="letters" text-anchor="middle" font-size="10">{"".join(texts)}</g>' if texts else ""


def _grid(puzzle: Puzzle, place: Geometry) -> Iterator[str]:
    """Draw the grid lines; every fifth one and the border are thicker and extend between the clues."""
    for name, thick, look in (
        ("thin", False, 'stroke-width="1" stroke-opacity=".38"'),
        ("thick", True, 'stroke-width="2"'),
    ):
        left, top = (place.clue_left, place.clue_top) if thick else (place.left, place.top)
        down = [f"M{place.left + x * CELL} {top}V{place.bottom}" for x in _places(puzzle.width, thick)]
        along = [f"M{left} {place.top + y * CELL}H{place.right}" for y in _places(puzzle.height, thick)]
        yield f'<path class="{name}" fill="none" stroke="#{GREY}" {look} {CRISP} d="{"".join(down + along)}"/>'


def _places(cells: int, thick: bool) -> list[int]:
    """Return the indices of thick, or of thin, grid lines of a side."""
    return [k for k in range(cells + 1) if (k % 5 == 0 or k == cells) == thick]


def _marks(state: GridState, place: Geometry) -> Iterator[str]:
    """Draw a frame with a light rim in each highlighted cell."""
    if state.marked is None or not state.marked.any():
        return
    side = CELL - 6
    frames = "".join(
        f"M{place.left + x * CELL + 3} {place.top + y * CELL + 3}h{side}v{side}h-{side}z"
        for y, x in np.argwhere(state.marked).tolist()
    )
    yield f'<path class="rims" fill="none" stroke="#fff" stroke-width="4" d="{frames}"/>'
    yield f'<path class="marks" fill="none" stroke="#{MARK}" stroke-width="2" d="{frames}"/>'


FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first one is bundled with vl-convert, so pictures are the same everywhere."""

ASCENT = 0.36
"""Distance from the centre of digits to their baseline, in font sizes."""

LETTER, WIDE_LETTER = 0.62, 1.0
"""Upper estimates of letter widths in font sizes: Liberation Sans, and East Asian scripts."""

MOST_LETTERS = 1000
NO_XML = re.compile("[\ufffe\uffff]")


def text(words: str, x: float, y: float, size: float, room: float, attributes: str = "") -> str:
    """Return an SVG text element with untrusted text.

    words        text; line breaks become blanks
    x, y         position of the baseline's start, or as `text-anchor` among the attributes says
    size         font size
    room         maximum width; longer text ends with an ellipsis
    attributes   further attributes of the element, trusted
    """
    line = NO_XML.sub("\ufffd", clean(" ".join(words[:MOST_LETTERS].split())))
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" {attributes}>{escape(_truncate(line, room / size))}</text>'


def _truncate(line: str, room: float) -> str:
    """Truncate a line to a width in font sizes."""
    widths = list(accumulate(WIDE_LETTER if east_asian_width(letter) in "WF" else LETTER for letter in line))
    if not widths or widths[-1] <= room:
        return line
    return line[: sum(width <= room - WIDE_LETTER for width in widths)].rstrip() + "…"
