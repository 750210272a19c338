"""A grid that fills as one watches: each state drawn in place, with its words and how many cells are known."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from pipeline.commands.output import out
from pipeline.commands.terminal_drawing import fitting

if TYPE_CHECKING:
    from reports.sheet.state import State
    from solver.model.puzzle import Puzzle

BELOW = 2
"""Lines below the grid: the words, and the bar."""

BAR = 40


def watch(
    puzzle: "Puzzle",
    states: "Iterable[State]",
    a_second: float,
    pause: Callable[[float], object] = time.sleep,
) -> "State | None":
    """Show states as they come, at most so many a second, and return the last one; None if there are none.

    What was shown is gone at the end, and after Ctrl-C too: the caller draws what is to stay. What is no terminal is
    shown nothing.
    """
    from rich.live import Live

    if not out.is_terminal or out.is_dumb_terminal:
        return next(iter(deque(states, 1)), None)
    last: State | None = None
    with Live(console=out, auto_refresh=False, transient=True) as live:
        due = time.monotonic()
        for last in states:
            pause(max(0.0, due - time.monotonic()))
            live.update(_shown(puzzle, last), refresh=True)
            due = time.monotonic() + 1 / a_second
        if last is not None:
            pause(1 / a_second)
    return last


def _shown(puzzle: "Puzzle", state: "State") -> RenderableType:
    """A state as it fits the terminal of this moment, with what stands below it."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    cells = puzzle.width * puzzle.height
    words = Text(" ".join(state.words.split()), no_wrap=True, overflow="ellipsis")
    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(cells, state.decided, BAR), f"{state.decided:,} of {cells:,} cells")
    # One line stays free, for the cursor.
    picture = fitting(puzzle, state, out.height - BELOW - 1) or Text("the terminal is too small for the grid")
    return Group(picture, words, bar)
