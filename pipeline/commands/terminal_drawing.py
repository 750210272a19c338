"""Puzzles drawn in the terminal: which drawing fits, and how it is seen whole where none does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from pipeline.commands.output import LISTED, out

if TYPE_CHECKING:
    import numpy as np

    from pipeline.commands.terminal_layouts import Layout
    from reports.sheet.state import State
    from solver.model.puzzle import Puzzle

GAP = 3


def drawn(puzzle: "Puzzle", state: "State") -> str | Text:
    """A state of a puzzle's grid, with its clues where the terminal has room; else how to see it whole.

    What is no terminal gets the picture alone, a line a row, so that programs can read it.
    """
    return fitting(puzzle, state) or (
        f"[yellow]Not drawn: {puzzle.width} cells are wider than the terminal's {out.width} columns.[/yellow] "
        "Whole in a file or a pipe: nonocensus solve FILE | less -S"
    )


def fitting(puzzle: "Puzzle", state: "State", lines: int | None = None) -> Text | None:
    """The best drawing that is no wider than the terminal, and no higher than so many lines; None if there is none.

    Without `lines` only square cells have to fit the terminal's height: the others are drawn and it scrolls.
    """
    if not out.is_terminal:
        return alone(puzzle, state)
    for layout in layouts(puzzle, state):
        most = out.height if lines is None and layout.square else lines
        if layout.width <= out.width and (most is None or layout.height <= most):
            return layout.text()
    return None


def alone(puzzle: "Puzzle", state: "State") -> Text:
    """The picture without clues, whether it fits or not."""
    return layouts(puzzle, state)[-1].text()


def layouts(puzzle: "Puzzle", state: "State") -> "list[Layout]":
    """The ways to draw on standard output, the best one first. NO_COLOR leaves Rich a colour system, but no colours."""
    from pipeline.commands.terminal_layouts import in_color, in_symbols

    return (in_color if has_colors() else in_symbols)(puzzle, state)


def has_colors() -> bool:
    """Whether standard output shows colours."""
    return bool(out.color_system) and not out.no_color


def open_sign(puzzle: "Puzzle") -> str:
    """How cells look that are not decided, in a word."""
    from pipeline.commands.terminal_layouts import open_symbol

    return "grey" if has_colors() else open_symbol(puzzle)


def drawn_beside(before: "tuple[Puzzle, Any]", after: "tuple[Puzzle, Any]") -> RenderableType:
    """Two pictures, each with the puzzle whose palette it has: side by side, or one below the other."""
    from rich.console import Group
    from rich.table import Table

    from reports.sheet.state import State

    pairs = [(puzzle, State(cells)) for puzzle, cells in (before, after)]
    if before[0].width + after[0].width + GAP > out.width:
        return Group(*(drawn(puzzle, state) for puzzle, state in pairs))
    grid = Table.grid(padding=(0, GAP))
    grid.add_row("before", "after")
    grid.add_row(*(alone(puzzle, state) for puzzle, state in pairs))
    return grid


def differing(solutions: "Sequence[np.ndarray]") -> "np.ndarray":
    """The cells, bool[height, width], that are not the same in all of one or more solutions, uint8[height, width]."""
    import numpy as np

    every = np.stack(solutions)
    marked: np.ndarray = (every != every[0]).any(axis=0)
    return marked


def in_words(marked: "np.ndarray") -> str:
    """The cells that differ, of a bool[height, width]: how many, and where the first ones are."""
    places = [(int(y), int(x)) for y, x in zip(*marked.nonzero(), strict=True)]
    named = ", ".join(f"row {y + 1} column {x + 1}" for y, x in places[:LISTED])
    more = f" and {len(places) - LISTED:,} more" if len(places) > LISTED else ""
    return f"differ in {len(places):,} {'cell' if len(places) == 1 else 'cells'}: {named}{more}"
