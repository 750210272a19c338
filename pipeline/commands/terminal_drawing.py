"""Puzzles drawn and animated in the terminal: coloured half blocks with or without clues, or plain symbols.

A half block is a cell wide and two cells high: ink above, paper below. The clue of the upper row is at the left, that
of the lower row at the right, those of the columns are above, a digit a line. Numbers are drawn on chips, every other
one shaded, to tell a number of two digits from two numbers.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, zip_longest
from string import printable
from typing import Any, NamedTuple, cast

import numpy as np
from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.style import Style
from rich.table import Table
from rich.text import Text

from nonocensus.pipeline.commands.output import LIST_LIMIT, out, wrap
from nonocensus.reports.drawings.geometry import NO_COLOR, ClueNumber, clue_numbers
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.sheet_colors import (
    GREY,
    LINE,
    MARK,
    color_letters,
    color_names,
    ink,
    mix,
    on_chips,
    rgb,
)
from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.model.puzzle import WHITE, Clue, Puzzle

UPPER_HALF = "\u2580"
PAPER = "e4e4e4"
"""Chip colour of black-and-white puzzles."""

SHADE, CHECK = 0.16, 0.07
"""Shading ratios of every other chip, and of background and unknown cells in every other square of 5x5 cells."""

OPEN_SYMBOLS = "?~@" + printable

UNKNOWNS = ("8a8a8a", "5f5f5f", "b2b2b2")
MARKS = (MARK, "d81bd8", "00b8d4")
"""Candidate colours of unknown cells, and of the tint of marked cells; the one farthest from the palette is used."""

MARK_RATIO, LINE_RATIO = 0.6, 0.4
"""Mixing ratios of marked cells and of highlighted lines."""


class StyledText(NamedTuple):
    """Characters of one style: ink and paper are six hex digits, or None for the terminal's default."""

    text: str
    ink: str | None = None
    paper: str | None = None


def half_blocks_size(puzzle: Puzzle, clues: bool) -> tuple[int, int]:
    """Return the width in characters and the height in lines of `half_blocks`."""
    room = _breadth(puzzle.rows[::2]) + _breadth(puzzle.rows[1::2])
    above = max(sum(len(number.text) for number in clue_numbers(clue)) for clue in puzzle.columns)
    return puzzle.width + room * clues, (puzzle.height + 1) // 2 + above * clues


def half_blocks(puzzle: Puzzle, state: GridState, clues: bool) -> Text:
    """Draw a grid in half blocks; the lower half of a last odd row keeps the terminal's background."""
    colors = _cell_colors(puzzle, state)
    rows = zip_longest(colors[::2], colors[1::2], fillvalue=())
    lines = [[StyledText(UPPER_HALF, *pair) for pair in zip_longest(upper, lower)] for upper, lower in rows]
    return _text(_with_clues(puzzle, state, lines) if clues else lines)


def plain_text(puzzle: Puzzle, state: GridState) -> Text:
    """Draw symbols, one line per row; one that has marked cells is followed by two blanks and an asterisk for each."""
    symbols, unknown = symbols_of(puzzle), free_symbol(puzzle)
    lines = []
    for row, marks in zip(state.cells.tolist(), _marked_cells(state), strict=True):
        cells = "".join(unknown if cell == UNKNOWN else symbols[cell] for cell in row)
        stars = "".join("*" if mark else " " for mark in marks).rstrip()
        lines.append(f"{cells}  {stars}" if stars else cells)
    return Text("\n".join(lines))


def symbols_of(puzzle: Puzzle) -> str:
    """Return the symbol of each palette entry: in several colours a dot and the letters that paper has."""
    if puzzle.colors < 2:
        return "".join(color.symbol for color in puzzle.palette)
    return WHITE.symbol + color_letters(puzzle.palette)[1:]


def symbol_names(puzzle: Puzzle) -> str:
    """Say which colours the symbols are; empty for one colour."""
    names = zip(symbols_of(puzzle), color_names(puzzle.palette), strict=True)
    return ", ".join(f"{symbol} is {name}" for symbol, name in names) if puzzle.colors > 1 else ""


def free_symbol(puzzle: Puzzle) -> str:
    """Return the symbol of undecided cells: a question mark, or another one that the palette does not use."""
    return next(sign for sign in OPEN_SYMBOLS if sign not in symbols_of(puzzle))


def clue_lines(puzzle: Puzzle) -> Iterator[Text]:
    """Yield the clue of each line after its number, in several colours with the symbols of these."""
    symbols = dict(enumerate(symbols_of(puzzle))) | {NO_COLOR: ""} if puzzle.colors > 1 else {}
    for side, clues in (("Row", puzzle.rows), ("Column", puzzle.columns)):
        for number, clue in enumerate(map(clue_numbers, clues), 1):
            said = " ".join(each.text + symbols.get(each.color, "") for each in clue)
            yield wrap(escape(said), f"{side} {number:{len(str(len(clues)))}}: ")


def _breadth(rows: Sequence[Clue]) -> int:
    """Return the width of the longest clue, each number preceded by a blank; 0 without rows."""
    return max((sum(1 + len(number.text) for number in clue_numbers(clue)) for clue in rows), default=0)


def _with_clues(puzzle: Puzzle, state: GridState, cells: list[list[StyledText]]) -> Iterator[list[StyledText]]:
    """Yield the lines of the column clues, then those of the grid between the row clues."""
    left, chips = _breadth(puzzle.rows[::2]), on_chips(puzzle)
    columns = [
        [
            _chip(puzzle, number, chips, (x + k) % 2 > 0, x in state.columns, digit)
            for k, number in enumerate(numbers, -len(numbers))
            for digit in number.text
        ]
        for x, numbers in enumerate(map(clue_numbers, puzzle.columns))
    ]
    rows = [
        [_chip(puzzle, number, chips, y // 2 % 2 > 0, y in state.rows, f" {number.text}") for number in numbers]
        for y, numbers in enumerate(map(clue_numbers, puzzle.rows))
    ]
    deep = max(map(len, columns))
    for level in zip(*([StyledText(" ")] * (deep - len(column)) + column for column in columns), strict=True):
        yield [StyledText(" " * left), *level]
    for y, line in enumerate(cells):
        upper, *lower = rows[2 * y : 2 * y + 2]
        padding = StyledText(" " * (left - sum(len(piece.text) for piece in upper)))
        yield [padding, *upper, *line, *chain(*lower)]


def _chip(puzzle: Puzzle, number: ClueNumber, chips: bool, odd: bool, pointed: bool, text: str) -> StyledText:
    """Return a number, or a digit of it, on its chip; the 0 of an empty line has none."""
    if number.color == NO_COLOR and not pointed:
        return StyledText(text, GREY)
    paper = rgb(puzzle, number.color) if chips and number.color != NO_COLOR else PAPER
    if pointed:
        paper = mix(paper, LINE, LINE_RATIO)
    letters = ink(paper)
    return StyledText(text, letters, mix(paper, letters, SHADE) if odd else paper)


def _marked_cells(state: GridState) -> list[list[bool]]:
    """Return which cells are marked, row by row."""
    marked = np.zeros(state.cells.shape, bool) if state.marked is None else state.marked
    return cast(list[list[bool]], marked.tolist())


def _cell_colors(puzzle: Puzzle, state: GridState) -> list[list[str]]:
    """Return each cell's colour as six hex digits."""
    entries = [rgb(puzzle, entry) for entry in range(len(puzzle.palette))]
    looks = dict(enumerate(entries)) | {UNKNOWN: _farthest(UNKNOWNS, entries)}
    mark = _farthest(MARKS, entries)

    @lru_cache
    def color(entry: int, shaded: bool, tinted: bool, marked: bool) -> str:
        look = looks[entry]
        if shaded and entry in (0, UNKNOWN):
            look = mix(look, ink(look), CHECK)
        if tinted and entry in (0, UNKNOWN):
            look = mix(look, LINE, LINE_RATIO)
        return mix(look, mark, MARK_RATIO) if marked else look

    return [
        [
            color(entry, (x // 5 + y // 5) % 2 > 0, y in state.rows or x in state.columns, marked)
            for x, (entry, marked) in enumerate(zip(row, marks, strict=True))
        ]
        for y, (row, marks) in enumerate(zip(state.cells.tolist(), _marked_cells(state), strict=True))
    ]


def _farthest(colors: Sequence[str], others: Sequence[str]) -> str:
    """Return the colour whose nearest one among `others` is farthest away."""
    return max(colors, key=lambda color: min(_distance(color, other) for other in others))


def _distance(color: str, other: str) -> int:
    """Return the squared distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(bytes.fromhex(color), bytes.fromhex(other), strict=True))


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


GAP = 3
"""Columns between two pictures side by side."""

CAPTION_LINES = 2
"""Lines below an animated grid: the step in words, and the progress bar."""

BAR_WIDTH = 40


def draw(puzzle: Puzzle, state: GridState) -> str | Text:
    """Draw a grid, with its clues if the terminal has colours and room; else return a message that it does not fit.

    A file or a pipe gets symbols, one line per row, so that programs can parse them.
    """
    return draw_fitting(puzzle, state) or (
        f"[yellow]Not drawn: {puzzle.width} cells are wider than the terminal's {out.width} columns.[/yellow] "
        "Whole in a file or a pipe: nonocensus solve FILE | less -S"
    )


def draw_fitting(puzzle: Puzzle, state: GridState, height: float = math.inf) -> Text | None:
    """Draw a grid within the terminal's width and `height` lines; None if it does not fit."""
    if has_colors():
        for clues in (True, False):
            columns, lines = half_blocks_size(puzzle, clues)
            if columns <= out.width and lines <= height:
                return half_blocks(puzzle, state, clues)
        return None
    picture = draw_picture(puzzle, state)
    rows = picture.plain.split("\n")
    fits = max(len(row) for row in rows) <= out.width and len(rows) <= height
    return picture if fits or not out.is_terminal else None


def draw_picture(puzzle: Puzzle, state: GridState) -> Text:
    """Draw the picture without clues, whether it fits or not."""
    return half_blocks(puzzle, state, clues=False) if has_colors() else plain_text(puzzle, state)


def has_colors() -> bool:
    """Return whether standard output shows colours: with NO_COLOR Rich keeps a colour system but prints none."""
    return bool(out.color_system) and not out.no_color


def draw_pair(before: tuple[Puzzle, Any], after: tuple[Puzzle, Any]) -> RenderableType:
    """Draw two pictures, each with the puzzle of its palette: side by side, or below each other if too wide."""
    pairs = [(puzzle, GridState(cells)) for puzzle, cells in (before, after)]
    if before[0].width + after[0].width + GAP > out.width:
        return Group(*(draw(puzzle, state) for puzzle, state in pairs))
    grid = Table.grid(padding=(0, GAP))
    grid.add_row("before", "after")
    grid.add_row(*(draw_picture(puzzle, state) for puzzle, state in pairs))
    return grid


def differing_cells(solutions: Sequence[np.ndarray]) -> np.ndarray:
    """Return bool[height, width]: the cells that differ among solutions, uint8[height, width] each."""
    stacked = np.stack(solutions)
    marked: np.ndarray = (stacked != stacked[0]).any(axis=0)
    return marked


def difference_text(marked: np.ndarray) -> str:
    """Say how many cells differ and where the first ones are."""
    places = [(int(y), int(x)) for y, x in zip(*marked.nonzero(), strict=True)]
    named = ", ".join(f"row {y + 1} column {x + 1}" for y, x in places[:LIST_LIMIT])
    more = f" and {len(places) - LIST_LIMIT:,} more" if len(places) > LIST_LIMIT else ""
    return f"differ in {count_text(len(places), 'cell')}: {named}{more}"


def animate(
    puzzle: Puzzle,
    states: Iterable[GridState],
    states_a_second: float,
    pause: Callable[[float], object] = time.sleep,
) -> GridState | None:
    """Show states one after the other and return the last one; None if there are none.

    The animation is erased at the end, also after Ctrl-C. Without a terminal nothing is shown.
    """
    if not out.is_terminal or out.is_dumb_terminal:
        return next(iter(deque(states, 1)), None)
    last: GridState | None = None
    with Live(console=out, auto_refresh=False, transient=True) as live:
        due = time.monotonic()
        for last in states:
            pause(max(0.0, due - time.monotonic()))
            live.update(_frame(puzzle, last), refresh=True)
            due = time.monotonic() + 1 / states_a_second
        if last is not None:
            pause(1 / states_a_second)
    return last


def _frame(puzzle: Puzzle, state: GridState) -> RenderableType:
    """Draw a state at the terminal's current size, with its caption."""
    cells = puzzle.width * puzzle.height
    words = Text(" ".join(state.words.split()), no_wrap=True, overflow="ellipsis")
    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(cells, state.decided, BAR_WIDTH), f"{state.decided:,} of {cells:,} cells")
    # One line stays free for the cursor.
    picture = draw_fitting(puzzle, state, out.height - CAPTION_LINES - 1) or Text(
        "the terminal is too small for the grid"
    )
    return Group(picture, words, bar)
