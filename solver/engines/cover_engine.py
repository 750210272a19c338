"""Nonograms as exact cover.

Each row and each column is an item, and so is each pair of a cell and a colour other than the background. An
arrangement of a row has the row, and of each cell the pair with the cell's colour. An arrangement of a column has the
column, and of each cell all pairs but that with its colour. Then a pair is covered exactly once if and only if row and
column agree on it: the row gives the cell this colour and the column does too, or neither does. So all items are
primary, none needs a colour of its own, and the search may branch on a cell as well as on a line.
"""

import time

import numpy as np

from solver.engines.answer import TWO, EngineAnswer, EngineLimits, out_of_time, verdict_of
from solver.engines.arrangements import arrangements, why_not
from solver.exact_cover.problem import Cover, cover_of
from solver.exact_cover.solve import solve
from solver.model.puzzle import Puzzle

ENTRY_BYTES = 150
"""Bytes of memory for an entry of an option, at most, while the problem is made."""


def by_exact_cover(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Return the puzzle's verdict by solver.exact_cover. A visit is a node of its search; their number has no limit."""
    start = time.thread_time()
    lines = [(clue, puzzle.width) for clue in puzzle.rows] + [(clue, puzzle.height) for clue in puzzle.columns]
    if stopped := why_not(puzzle, lines, ENTRY_BYTES * max(1, puzzle.colors), limits):
        return EngineAnswer("unknown", [], 0, time.thread_time() - start, stopped=stopped)
    rows = [arrangements(clue, puzzle.width) for clue in puzzle.rows]
    columns = [arrangements(clue, puzzle.height) for clue in puzzle.columns]
    covers = solve(problem_of(puzzle, rows, columns), limit=TWO, cpu_limit=limits.cpu_limit)
    stopped = out_of_time(limits) if covers.status == "timeout" else ""
    every = [row for several in rows for row in several]
    solutions = [_picture(puzzle, every, options) for options in covers.solutions]
    verdict = verdict_of(len(solutions), stopped)
    return EngineAnswer(verdict, solutions, covers.nodes, time.thread_time() - start, stopped=stopped)


def problem_of(puzzle: Puzzle, rows: list[list[bytes]], columns: list[list[bytes]]) -> Cover:
    """Return the problem whose options are these arrangements, those of the first row first, those of the last column
    last.
    """
    lines = puzzle.height + puzzle.width
    colors = range(1, puzzle.colors + 1)

    def pair(y: int, x: int, color: int) -> int:
        return lines + (y * puzzle.width + x) * puzzle.colors + color - 1

    options = [
        [y, *(pair(y, x, color) for x, color in enumerate(row) if color)]
        for y, several in enumerate(rows)
        for row in several
    ] + [
        [
            puzzle.height + x,
            *(pair(y, x, other) for y, color in enumerate(column) for other in colors if other != color),
        ]
        for x, several in enumerate(columns)
        for column in several
    ]
    return cover_of(options, lines + puzzle.width * puzzle.height * puzzle.colors)


def _picture(puzzle: Puzzle, rows: list[bytes], options: list[int]) -> np.ndarray:
    """Return the picture of a solution; the options of rows come first, in the order of `rows`."""
    cells = b"".join(rows[option] for option in sorted(options)[: puzzle.height])
    return np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width)
