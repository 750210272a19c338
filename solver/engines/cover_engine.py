"""Nonograms as exact cover.

Items are the rows, the columns, and the pairs of a cell and a colour other than the background. Options are the lines'
arrangements. An arrangement of a row covers the row, and for each cell the pair with the cell's colour; one of a column
covers the column, and for each cell all pairs except that with its colour. So a pair is covered exactly once if and
only if row and column agree on whether the cell has that colour. All items are primary and without colours, and the
search can branch on cells as well as on lines.
"""

import time

import numpy as np

from nonocensus.solver.engines.answer import TWO, EngineAnswer, EngineLimits, out_of_time, verdict_of
from nonocensus.solver.engines.arrangements import arrangements, why_not
from nonocensus.solver.exact_cover.problem import Cover, cover_of
from nonocensus.solver.exact_cover.solve import solve
from nonocensus.solver.model.puzzle import Puzzle

ENTRY_BYTES = 150
"""Maximum bytes per entry of an option while the problem is built."""


def by_exact_cover(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.exact_cover. A visit is a search node; `limits.visits` does not apply."""
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
    """Return the problem whose options are these arrangements: row by row, then column by column."""
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
    """Return the picture of a solution; the first options are `rows`, in that order."""
    cells = b"".join(rows[option] for option in sorted(options)[: puzzle.height])
    return np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width)
