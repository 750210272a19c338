"""How a puzzle can be drawn with characters: with its clues or alone, in true colour or in symbols.

In colour a cell is two characters wide, and so a square; or a character holds two cells, one above the other. Then a
line of text has two rows of the grid: the clue of the upper row stands at the left, that of the lower at the right.
Numbers stand on chips, and every other chip is shaded, so that a number of two digits can be told from two numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, groupby, zip_longest
from string import printable
from typing import NamedTuple, cast

import numpy as np
from rich.style import Style
from rich.text import Text

from reports.sheet.clue_numbers import NO_COLOR, Number, numbers, on_chips
from reports.sheet.sheet_colors import GREY, LINE, MARK, ink, mixed, rgb
from reports.sheet.state import UNKNOWN, State
from solver.model.puzzle import Clue, Puzzle

UPPER_HALF = "\u2580"
PAPER = "e4e4e4"
"""Chips of numbers that are all black."""

SHADE, CHECK = 0.16, 0.07
"""How much is shaded: every other chip, and every other square of 5x5 cells as far as it is background or unknown."""

OPEN_SYMBOLS = "?~@" + printable

UNKNOWNS = ("8a8a8a", "5f5f5f", "b2b2b2")
MARKS = (MARK, "d81bd8", "00b8d4")
"""Colours of unknown cells and, mixed into their own, of small cells that are pointed out: of each the one that is
farthest from all of the palette's."""

POINTED, TINTED = 0.6, 0.4
"""How much of their colours there is in cells and in lines that are pointed out."""


class Piece(NamedTuple):
    """Characters of one look: ink and paper are six hex digits, or None for the terminal's own."""

    text: str
    ink: str | None = None
    paper: str | None = None


class Layout(NamedTuple):
    """A way to draw: how many characters wide and lines high, whether cells are square, and what draws it."""

    width: int
    height: int
    square: bool
    text: Callable[[], Text]


def in_color(puzzle: Puzzle, state: State) -> list[Layout]:
    """The ways in colour, the best one first: square cells, small cells, small cells with numbers closer, no clues.

    Numbers of three digits don't fit above square cells: there are none then.
    """
    half = (puzzle.height + 1) // 2
    deep = _depth(puzzle)
    stacked = max(sum(len(number.text) for number in numbers(clue)) for clue in puzzle.columns)
    sides = {gap: _breadth(puzzle.rows[::2], gap) + _breadth(puzzle.rows[1::2], gap) for gap in (" ", "")}
    return [
        Layout(_breadth(puzzle.rows) + 2 * puzzle.width, deep + puzzle.height, True, partial(_squares, puzzle, state)),
        *(
            Layout(puzzle.width + room, stacked + half, False, partial(_small, puzzle, state, gap))
            for gap, room in sides.items()
        ),
        Layout(puzzle.width, half, False, partial(_alone, puzzle, state)),
    ][_digits(puzzle) > 2 :]


def in_symbols(puzzle: Puzzle, state: State) -> list[Layout]:
    """The ways without colours, the best one first: with clues, and alone.

    With clues an asterisk stands before each cell that is pointed out. Alone a line begins with the symbols of its row.
    In a row that has such cells, two blanks follow, and then an asterisk for each of them and a blank for each other.
    """
    width = _breadth(puzzle.rows) + (1 + _digits(puzzle)) * puzzle.width
    marks = 2 + puzzle.width if state.marked is not None and state.marked.any() else 0
    return [
        Layout(width, _depth(puzzle) + puzzle.height, False, partial(_spread, puzzle, state)),
        Layout(puzzle.width + marks, puzzle.height, False, partial(_lines, puzzle, state)),
    ]


def _breadth(rows: Sequence[Clue], gap: str = " ") -> int:
    """Characters of the longest clue, each number with a gap before it; 0 without rows."""
    return max((sum(len(gap + number.text) for number in numbers(clue)) for clue in rows), default=0)


def _depth(puzzle: Puzzle) -> int:
    """Numbers of the longest clue of a column."""
    return max(len(numbers(clue)) for clue in puzzle.columns)


def _digits(puzzle: Puzzle) -> int:
    """Characters of the longest number of a column."""
    return max(len(number.text) for clue in puzzle.columns for number in numbers(clue))


def _squares(puzzle: Puzzle, state: State) -> Text:
    """Square cells with clues."""
    left = _breadth(puzzle.rows)
    cells = _cell_colors(puzzle, state._replace(marked=None), checked=True)
    lines = [[Piece(" " * left), *level] for level in _levels(_column_chips(puzzle, state, wide=True), "  ")]
    for clue, row, marks in zip(_row_chips(puzzle, state, 1, " "), cells, _marked(state), strict=True):
        squares = [
            Piece("[]", ink(color), color) if mark else Piece("  ", None, color)
            for color, mark in zip(row, marks, strict=True)
        ]
        lines.append([_blank(left, clue), *clue, *squares])
    return _text(lines)


def _small(puzzle: Puzzle, state: State, gap: str) -> Text:
    """Small cells with clues: of the upper rows at the left, of the lower ones at the right."""
    left = _breadth(puzzle.rows[::2], gap)
    clues = _row_chips(puzzle, state, 2, gap)
    cells = _halves(_cell_colors(puzzle, state, checked=True))
    lines = [[Piece(" " * left), *level] for level in _levels(_column_chips(puzzle, state, wide=False), " ")]
    for y, row in enumerate(cells):
        upper, *lower = clues[2 * y : 2 * y + 2]
        lines.append([_blank(left, upper), *upper, *row, *chain(*lower)])
    return _text(lines)


def _alone(puzzle: Puzzle, state: State) -> Text:
    """Small cells without clues."""
    return _text(_halves(_cell_colors(puzzle, state, checked=False)))


def _spread(puzzle: Puzzle, state: State) -> Text:
    """Symbols with clues."""
    left, side = _breadth(puzzle.rows), 1 + _digits(puzzle)
    above = [[Piece(number.text.rjust(side)) for number in numbers(clue)] for clue in puzzle.columns]
    lines = [[Piece(" " * left), *level] for level in _levels(above, " " * side)]
    for clue, row, marks in zip(puzzle.rows, _symbols(puzzle, state), _marked(state), strict=True):
        words = "".join(f" {number.text}" for number in numbers(clue)).rjust(left)
        cells = [("*" + symbol if mark else symbol).rjust(side) for symbol, mark in zip(row, marks, strict=True)]
        lines.append([Piece(words + "".join(cells))])
    return _text(lines)


def _lines(puzzle: Puzzle, state: State) -> Text:
    """Symbols without clues."""
    marks = ["".join("*" if mark else " " for mark in row).rstrip() for row in _marked(state)]
    lines = [f"{line}  {row}" if row else line for line, row in zip(_symbols(puzzle, state), marks, strict=True)]
    return Text("\n".join(lines))


def _symbols(puzzle: Puzzle, state: State) -> list[str]:
    """The rows as symbols of the palette; what is unknown as a question mark, or as something that is no colour's."""
    table = [color.symbol for color in puzzle.palette]
    unknown = open_symbol(puzzle)
    return ["".join(unknown if cell == UNKNOWN else table[cell] for cell in row) for row in state.cells.tolist()]


def open_symbol(puzzle: Puzzle) -> str:
    """What stands for a cell that is not decided: a question mark, or something that is no colour's."""
    taken = {color.symbol for color in puzzle.palette}
    return next(sign for sign in OPEN_SYMBOLS if sign not in taken)


def _marked(state: State) -> list[list[bool]]:
    """Which cells are pointed out, row by row."""
    marked = np.zeros(state.cells.shape, bool) if state.marked is None else state.marked
    return cast(list[list[bool]], marked.tolist())


def _row_chips(puzzle: Puzzle, state: State, rows: int, gap: str) -> list[list[Piece]]:
    """The clues of the rows, so many a line, each number with a gap before it.

    Every other line is shaded; without gaps every other number as well.
    """
    chips = on_chips(puzzle)
    return [
        [
            _chip(puzzle, number, chips, (y // rows + k * (not gap)) % 2 > 0, y in state.rows, gap + number.text)
            for k, number in _from_grid(clue)
        ]
        for y, clue in enumerate(puzzle.rows)
    ]


def _column_chips(puzzle: Puzzle, state: State, wide: bool) -> list[list[Piece]]:
    """The clues of the columns from top to bottom: two characters a number, or a character a digit."""
    chips = on_chips(puzzle)
    return [
        [
            _chip(puzzle, number, chips, (x + k * (not wide)) % 2 > 0, x in state.columns, part)
            for k, number in _from_grid(clue)
            for part in ([number.text.rjust(2)] if wide else number.text)
        ]
        for x, clue in enumerate(puzzle.columns)
    ]


def _from_grid(clue: Clue) -> list[tuple[int, Number]]:
    """The numbers of a clue, each with how many stand between it and the grid."""
    every = numbers(clue)
    return [(len(every) - 1 - k, number) for k, number in enumerate(every)]


def _chip(puzzle: Puzzle, number: Number, chips: bool, odd: bool, pointed: bool, text: str) -> Piece:
    """A number, or a part of it, on its chip; the 0 of an empty line has none."""
    if number.color == NO_COLOR and not pointed:
        return Piece(text, GREY)
    paper = rgb(puzzle, number.color) if chips and number.color != NO_COLOR else PAPER
    if pointed:
        paper = mixed(paper, LINE, TINTED)
    letters = ink(paper)
    return Piece(text, letters, mixed(paper, letters, SHADE) if odd else paper)


def _levels(columns: list[list[Piece]], blank: str) -> Iterator[list[Piece]]:
    """Columns of pieces, which end at the same level, as lines."""
    deep = max(map(len, columns))
    filled = [[Piece(blank)] * (deep - len(column)) + column for column in columns]
    return map(list, zip(*filled, strict=True))


def _blank(width: int, pieces: list[Piece]) -> Piece:
    """What brings pieces to the right of so many characters."""
    return Piece(" " * (width - sum(len(piece.text) for piece in pieces)))


def _cell_colors(puzzle: Puzzle, state: State, checked: bool) -> list[list[str]]:
    """What each cell looks like, six hex digits; `checked`: squares of 5x5 cells are told apart."""
    entries = [rgb(puzzle, entry) for entry in range(len(puzzle.palette))]
    looks = dict(enumerate(entries)) | {UNKNOWN: _farthest(UNKNOWNS, entries)}
    mark = _farthest(MARKS, entries)

    @lru_cache
    def color(entry: int, shaded: bool, tinted: bool, marked: bool) -> str:
        look = looks[entry]
        if shaded and entry in (0, UNKNOWN):
            look = mixed(look, ink(look), CHECK)
        if tinted and entry in (0, UNKNOWN):
            look = mixed(look, LINE, TINTED)
        return mixed(look, mark, POINTED) if marked else look

    return [
        [
            color(entry, checked and (x // 5 + y // 5) % 2 > 0, y in state.rows or x in state.columns, marked)
            for x, (entry, marked) in enumerate(zip(row, marks, strict=True))
        ]
        for y, (row, marks) in enumerate(zip(state.cells.tolist(), _marked(state), strict=True))
    ]


def _farthest(colors: Sequence[str], others: Sequence[str]) -> str:
    """The colour whose nearest one of the others is the farthest from it."""
    return max(colors, key=lambda color: min(_apart(color, other) for other in others))


def _apart(color: str, other: str) -> int:
    """The square of the distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(bytes.fromhex(color), bytes.fromhex(other), strict=True))


def _halves(colors: list[list[str]]) -> list[list[Piece]]:
    """Two rows of cells a line; of an odd number the last lower halves keep the terminal's own background."""
    return [
        [Piece(UPPER_HALF, above, below) for above, below in zip_longest(upper, lower)]
        for upper, lower in zip_longest(colors[::2], colors[1::2], fillvalue=())
    ]


def _text(lines: Iterable[Iterable[Piece]]) -> Text:
    """Lines of pieces as what Rich prints."""
    text = Text()
    for number, line in enumerate(lines):
        text.append("\n" * (number > 0))
        for (front, back), pieces in groupby(line, key=lambda piece: piece[1:]):
            text.append("".join(piece.text for piece in pieces), _style(front, back))
    return text


@lru_cache
def _style(front: str | None, back: str | None) -> Style:
    return Style(color=front and f"#{front}", bgcolor=back and f"#{back}")
