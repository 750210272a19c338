"""Puzzles drawn and animated in the terminal, as far as they fit."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nonocensus.pipeline.commands.half_blocks import free_symbol, half_blocks, half_blocks_size, plain_text
from nonocensus.pipeline.commands.output import LIST_LIMIT, out
from nonocensus.reports.sheet.grid_state import GridState
from nonocensus.solver.model.puzzle import Puzzle

GAP = 3
"""Columns between two pictures side by side."""

CAPTION_LINES = 2
"""Lines below an animated grid: the step in words, and the progress bar."""

BAR_WIDTH = 40


def draw(puzzle: Puzzle, state: GridState) -> str | Text:
    """Draw a grid, with its clues if the terminal has colours and room; else return a message that it does not fit.

    A file or a pipe gets symbols, a line a row, so that programs can parse them.
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


def unknown_symbol(puzzle: Puzzle) -> str:
    """Return how undecided cells are drawn: a symbol, or the name of their colour."""
    return "grey" if has_colors() else free_symbol(puzzle)


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
    return f"differ in {len(places):,} {'cell' if len(places) == 1 else 'cells'}: {named}{more}"


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
