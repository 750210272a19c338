"""Puzzles and pictures drawn in the terminal."""

from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from pipeline.commands.output import out

if TYPE_CHECKING:
    import numpy as np

    from solver.puzzle import Color, Puzzle

UPPER_HALF = "\u2580"
GAP = 3


def drawn(puzzle: "Puzzle", cells: Any) -> str | Text:
    """A picture in colours, or in symbols where there are none; where its rows would break, how to see it whole."""
    if out.is_terminal and puzzle.width > out.width:
        return (
            f"[yellow]Not drawn: {puzzle.width} cells are wider than the terminal's {out.width} columns.[/yellow] "
            "Whole in a file or a pipe: nonocensus solve FILE | less -S"
        )
    return (in_color if out.color_system else in_symbols)(cells, puzzle.palette)


def drawn_beside(before: "tuple[Puzzle, Any]", after: "tuple[Puzzle, Any]") -> RenderableType:
    """Two pictures, each with the puzzle whose palette it has: side by side, or one below the other."""
    from rich.console import Group
    from rich.table import Table

    pictures = drawn(*before), drawn(*after)
    if before[0].width + after[0].width + GAP > out.width:
        return Group(*pictures)
    grid = Table.grid(padding=(0, GAP))
    grid.add_row("before", "after")
    grid.add_row(*pictures)
    return grid


def in_color(picture: "np.ndarray", palette: "tuple[Color, ...]") -> Text:
    """A picture, uint8[height, width] of palette entries, in true colour.

    A character holds two cells, one above the other. With an odd number of rows the last characters' lower halves keep
    the terminal's own background.
    """
    text = Text()
    for top in range(0, len(picture), 2):
        lower = picture[top + 1] if top + 1 < len(picture) else None
        for x, cell in enumerate(picture[top]):
            below = None if lower is None else f"#{palette[lower[x]].rgb}"
            text.append(UPPER_HALF, Style(color=f"#{palette[cell].rgb}", bgcolor=below))
        text.append("\n")
    text.rstrip()
    return text


def in_symbols(picture: "np.ndarray", palette: "tuple[Color, ...]") -> Text:
    """The same for a terminal without colours, or a file: a line a row, each cell as its colour's symbol."""
    return Text("\n".join("".join(palette[cell].symbol for cell in row) for row in picture))
