"""Layouts of a puzzle in characters: with or without clues, in true colour or in symbols.

In colour a cell is either two characters wide, which makes it square, or half a character high. A line of half-height
cells has two rows of the grid, with the clue of the upper row at its left and that of the lower row at its right.
Numbers are drawn on chips, every other one shaded, to tell a number of two digits from two numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, groupby, zip_longest
from string import printable
from typing import NamedTuple, cast

import numpy as np
from rich.style import Style
from rich.text import Text

from nonocensus.reports.sheet.geometry import NO_COLOR, ClueNumber, clue_numbers
from nonocensus.reports.sheet.grid_state import UNKNOWN, GridState
from nonocensus.reports.sheet.sheet_colors import GREY, LINE, MARK, ink, mixed, on_chips, rgb
from nonocensus.solver.model.puzzle import Clue, Puzzle

UPPER_HALF = "\u2580"
PAPER = "e4e4e4"
"""Chip colour of black-and-white puzzles."""

SHADE, CHECK = 0.16, 0.07
"""Shading ratios of every other chip, and of background and unknown cells in every other square of 5x5 cells."""

OPEN_SYMBOLS = "?~@" + printable

UNKNOWNS = ("8a8a8a", "5f5f5f", "b2b2b2")
MARKS = (MARK, "d81bd8", "00b8d4")
"""Candidate colours of unknown cells, and of the tint of marked half-height cells; the one farthest from the palette is
used."""

MARK_RATIO, LINE_RATIO = 0.6, 0.4
"""Mixing ratios of marked cells and of highlighted lines."""


class StyledText(NamedTuple):
    """Characters of one style: ink and paper are six hex digits, or None for the terminal's default."""

    text: str
    ink: str | None = None
    paper: str | None = None


class TerminalLayout(NamedTuple):
    """A layout: its width in characters and height in lines, whether cells are square, and a function that draws it."""

    width: int
    height: int
    square: bool
    text: Callable[[], Text]


def color_layouts(puzzle: Puzzle, state: GridState) -> list[TerminalLayout]:
    """Return the layouts in colour, best first: square cells, half-height cells, tighter clues, no clues.

    Numbers of three digits don't fit above square cells, which are left out then.
    """
    half = (puzzle.height + 1) // 2
    deep = _depth(puzzle)
    stacked = max(sum(len(number.text) for number in clue_numbers(clue)) for clue in puzzle.columns)
    sides = {gap: _breadth(puzzle.rows[::2], gap) + _breadth(puzzle.rows[1::2], gap) for gap in (" ", "")}
    return [
        TerminalLayout(
            _breadth(puzzle.rows) + 2 * puzzle.width, deep + puzzle.height, True, partial(_squares, puzzle, state)
        ),
        *(
            TerminalLayout(puzzle.width + room, stacked + half, False, partial(_small, puzzle, state, gap))
            for gap, room in sides.items()
        ),
        TerminalLayout(puzzle.width, half, False, partial(_alone, puzzle, state)),
    ][_digits(puzzle) > 2 :]


def symbol_layouts(puzzle: Puzzle, state: GridState) -> list[TerminalLayout]:
    """Return the layouts without colours, best first: with clues, and without.

    With clues an asterisk precedes each marked cell. Without, a row that has marked cells is followed by two blanks and
    an asterisk below each of them.
    """
    width = _breadth(puzzle.rows) + (1 + _digits(puzzle)) * puzzle.width
    marks = 2 + puzzle.width if state.marked is not None and state.marked.any() else 0
    return [
        TerminalLayout(width, _depth(puzzle) + puzzle.height, False, partial(_spread, puzzle, state)),
        TerminalLayout(puzzle.width + marks, puzzle.height, False, partial(_lines, puzzle, state)),
    ]


def _breadth(rows: Sequence[Clue], gap: str = " ") -> int:
    """Return the width of the longest clue, each number preceded by a gap; 0 without rows."""
    return max((sum(len(gap + number.text) for number in clue_numbers(clue)) for clue in rows), default=0)


def _depth(puzzle: Puzzle) -> int:
    """Return the count of numbers in the longest column clue."""
    return max(len(clue_numbers(clue)) for clue in puzzle.columns)


def _digits(puzzle: Puzzle) -> int:
    """Return the width of the longest number in a column clue."""
    return max(len(number.text) for clue in puzzle.columns for number in clue_numbers(clue))


def _squares(puzzle: Puzzle, state: GridState) -> Text:
    """Draw square cells with clues."""
    left = _breadth(puzzle.rows)
    cells = _cell_colors(puzzle, state._replace(marked=None), checked=True)
    lines = [[StyledText(" " * left), *level] for level in _levels(_column_chips(puzzle, state, wide=True), "  ")]
    for clue, row, marks in zip(_row_chips(puzzle, state, 1, " "), cells, _marked(state), strict=True):
        squares = [
            StyledText("[]", ink(color), color) if mark else StyledText("  ", None, color)
            for color, mark in zip(row, marks, strict=True)
        ]
        lines.append([_blank(left, clue), *clue, *squares])
    return _text(lines)


def _small(puzzle: Puzzle, state: GridState, gap: str) -> Text:
    """Draw half-height cells with clues: of upper rows at the left, of lower rows at the right."""
    left = _breadth(puzzle.rows[::2], gap)
    clues = _row_chips(puzzle, state, 2, gap)
    cells = _halves(_cell_colors(puzzle, state, checked=True))
    lines = [[StyledText(" " * left), *level] for level in _levels(_column_chips(puzzle, state, wide=False), " ")]
    for y, row in enumerate(cells):
        upper, *lower = clues[2 * y : 2 * y + 2]
        lines.append([_blank(left, upper), *upper, *row, *chain(*lower)])
    return _text(lines)


def _alone(puzzle: Puzzle, state: GridState) -> Text:
    """Draw half-height cells without clues."""
    return _text(_halves(_cell_colors(puzzle, state, checked=False)))


def _spread(puzzle: Puzzle, state: GridState) -> Text:
    """Draw symbols with clues."""
    left, side = _breadth(puzzle.rows), 1 + _digits(puzzle)
    above = [[StyledText(number.text.rjust(side)) for number in clue_numbers(clue)] for clue in puzzle.columns]
    lines = [[StyledText(" " * left), *level] for level in _levels(above, " " * side)]
    for clue, row, marks in zip(puzzle.rows, _symbols(puzzle, state), _marked(state), strict=True):
        words = "".join(f" {number.text}" for number in clue_numbers(clue)).rjust(left)
        cells = [("*" + symbol if mark else symbol).rjust(side) for symbol, mark in zip(row, marks, strict=True)]
        lines.append([StyledText(words + "".join(cells))])
    return _text(lines)


def _lines(puzzle: Puzzle, state: GridState) -> Text:
    """Draw symbols without clues."""
    marks = ["".join("*" if mark else " " for mark in row).rstrip() for row in _marked(state)]
    lines = [f"{line}  {row}" if row else line for line, row in zip(_symbols(puzzle, state), marks, strict=True)]
    return Text("\n".join(lines))


def _symbols(puzzle: Puzzle, state: GridState) -> list[str]:
    """Return the rows as symbols of the palette."""
    table = [color.symbol for color in puzzle.palette]
    unknown = free_symbol(puzzle)
    return ["".join(unknown if cell == UNKNOWN else table[cell] for cell in row) for row in state.cells.tolist()]


def free_symbol(puzzle: Puzzle) -> str:
    """Return the symbol of undecided cells: a question mark, or another one that the palette does not use."""
    taken = {color.symbol for color in puzzle.palette}
    return next(sign for sign in OPEN_SYMBOLS if sign not in taken)


def _marked(state: GridState) -> list[list[bool]]:
    """Return which cells are marked, row by row."""
    marked = np.zeros(state.cells.shape, bool) if state.marked is None else state.marked
    return cast(list[list[bool]], marked.tolist())


def _row_chips(puzzle: Puzzle, state: GridState, rows: int, gap: str) -> list[list[StyledText]]:
    """Return the clues of the rows, each number preceded by `gap`; a line of text has `rows` of them.

    Every other line is shaded; without a gap every other number too.
    """
    chips = on_chips(puzzle)
    return [
        [
            _chip(puzzle, number, chips, (y // rows + k * (not gap)) % 2 > 0, y in state.rows, gap + number.text)
            for k, number in _from_grid(clue)
        ]
        for y, clue in enumerate(puzzle.rows)
    ]


def _column_chips(puzzle: Puzzle, state: GridState, wide: bool) -> list[list[StyledText]]:
    """Return the clues of the columns from top to bottom: two characters a number, or a character a digit."""
    chips = on_chips(puzzle)
    return [
        [
            _chip(puzzle, number, chips, (x + k * (not wide)) % 2 > 0, x in state.columns, part)
            for k, number in _from_grid(clue)
            for part in ([number.text.rjust(2)] if wide else number.text)
        ]
        for x, clue in enumerate(puzzle.columns)
    ]


def _from_grid(clue: Clue) -> list[tuple[int, ClueNumber]]:
    """Return the numbers of a clue, each with the count of numbers between it and the grid."""
    every = clue_numbers(clue)
    return [(len(every) - 1 - k, number) for k, number in enumerate(every)]


def _chip(puzzle: Puzzle, number: ClueNumber, chips: bool, odd: bool, pointed: bool, text: str) -> StyledText:
    """Return a number, or a digit of it, on its chip; the 0 of an empty line has none."""
    if number.color == NO_COLOR and not pointed:
        return StyledText(text, GREY)
    paper = rgb(puzzle, number.color) if chips and number.color != NO_COLOR else PAPER
    if pointed:
        paper = mixed(paper, LINE, LINE_RATIO)
    letters = ink(paper)
    return StyledText(text, letters, mixed(paper, letters, SHADE) if odd else paper)


def _levels(columns: list[list[StyledText]], blank: str) -> Iterator[list[StyledText]]:
    """Transpose columns, aligned at the bottom, to lines."""
    deep = max(map(len, columns))
    filled = [[StyledText(blank)] * (deep - len(column)) + column for column in columns]
    return map(list, zip(*filled, strict=True))


def _blank(width: int, pieces: list[StyledText]) -> StyledText:
    """Return the padding that right-aligns `pieces` in `width` characters."""
    return StyledText(" " * (width - sum(len(piece.text) for piece in pieces)))


def _cell_colors(puzzle: Puzzle, state: GridState, checked: bool) -> list[list[str]]:
    """Return each cell's colour as six hex digits; `checked` shades every other square of 5x5 cells."""
    entries = [rgb(puzzle, entry) for entry in range(len(puzzle.palette))]
    looks = dict(enumerate(entries)) | {UNKNOWN: _farthest(UNKNOWNS, entries)}
    mark = _farthest(MARKS, entries)

    @lru_cache
    def color(entry: int, shaded: bool, tinted: bool, marked: bool) -> str:
        look = looks[entry]
        if shaded and entry in (0, UNKNOWN):
            look = mixed(look, ink(look), CHECK)
        if tinted and entry in (0, UNKNOWN):
            look = mixed(look, LINE, LINE_RATIO)
        return mixed(look, mark, MARK_RATIO) if marked else look

    return [
        [
            color(entry, checked and (x // 5 + y // 5) % 2 > 0, y in state.rows or x in state.columns, marked)
            for x, (entry, marked) in enumerate(zip(row, marks, strict=True))
        ]
        for y, (row, marks) in enumerate(zip(state.cells.tolist(), _marked(state), strict=True))
    ]


def _farthest(colors: Sequence[str], others: Sequence[str]) -> str:
    """Return the colour whose nearest one among `others` is farthest away."""
    return max(colors, key=lambda color: min(_apart(color, other) for other in others))


def _apart(color: str, other: str) -> int:
    """Return the squared distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(bytes.fromhex(color), bytes.fromhex(other), strict=True))


def _halves(colors: list[list[str]]) -> list[list[StyledText]]:
    """Return lines of two rows each; the lower half of a last odd row keeps the terminal's background."""
    return [
        [StyledText(UPPER_HALF, above, below) for above, below in zip_longest(upper, lower)]
        for upper, lower in zip_longest(colors[::2], colors[1::2], fillvalue=())
    ]


def _text(lines: Iterable[Iterable[StyledText]]) -> Text:
    """Join lines to a text for Rich."""
    text = Text()
    for number, line in enumerate(lines):
        text.append("\n" * (number > 0))
        for (front, back), pieces in groupby(line, key=lambda piece: piece[1:]):
            text.append("".join(piece.text for piece in pieces), _style(front, back))
    return text


@lru_cache
def _style(front: str | None, back: str | None) -> Style:
    return Style(color=front and f"#{front}", bgcolor=back and f"#{back}")
