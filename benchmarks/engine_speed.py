"""Compare plain searches with the solver on random 8x8 puzzles of the sizes in introductory courses.

Course reports typically have two 8x8 puzzles: one on which depth-first search makes about a thousand visits, and one on
which it takes some 30 times as long and breadth-first search does not end. The puzzles here are the first random
pictures with a unique solution and a given number of states (solver.engines.states).
"""

import sys
from collections.abc import Iterator
from itertools import accumulate, count, islice
from operator import mul
from pathlib import Path
from typing import NamedTuple

from nonocensus.pipeline.findings.benchmark import compare_engines
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.engines.searches import ENGINES, EngineLimits, by_exact_cover
from nonocensus.solver.engines.states import number_of_arrangements
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of


class Kind(NamedTuple):
    """Random 8x8 pictures of a density with `least` to `most` states."""

    title: str
    density: float
    least: int
    most: int


KINDS = (
    Kind("Few states", 0.7, 1_000, 4_000),
    Kind("100 times as many", 0.6, 100_000, 400_000),
    Kind("10,000 times as many", 0.5, 10_000_000, 40_000_000),
)

SEED = 1
EACH = 3
"""Puzzles per kind."""

LIMITS = EngineLimits(cpu_limit=30.0)


def run(_: Path) -> list[FigureTable]:
    return [_table(kind) for kind in KINDS]


def _table(kind: Kind) -> FigureTable:
    puzzles = list(islice(_puzzles(kind), EACH))
    size = {puzzle.puzzle_id: states(puzzle) for puzzle in puzzles}
    rows = []
    for row in compare_engines([puzzle_batch(puzzles)], list(ENGINES), LIMITS):
        seconds = [None if row[name] is None else 1000 * row[name] for name in ("first_seconds", "seconds")]
        visits = row["first_visits"], row["visits"]
        result = row["stopped"] or row["verdict"]
        rows.append(
            [row["puzzle"], size[row["puzzle"]], row["engine"], visits[0], seconds[0], visits[1], seconds[1],
             row["peak"], result]
        )  # fmt: skip
        print(*rows[-1], file=sys.stderr, flush=True)
    heading = ["puzzle", "states", "engine", "visits to the first solution", "ms", "visits to the verdict", "ms",
               "peak", "verdict"]  # fmt: skip
    return FigureTable(f"{kind.title}: {kind.least:,} to {kind.most:,}", heading, rows)


def _puzzles(kind: Kind) -> Iterator[Puzzle]:
    """Yield random puzzles of a kind."""
    for number in count():
        recipe = Recipe("random", 8, 8, kind.density, SEED, number + 1)
        (puzzle,) = puzzles_of(recipe_batch(recipe, number, number + 1))
        if kind.least <= states(puzzle) <= kind.most and by_exact_cover(puzzle, LIMITS).verdict == "unique":
            yield puzzle


def states(puzzle: Puzzle) -> int:
    """Return the number of states: all ways to fill the first n rows, for each n."""
    return sum(accumulate((number_of_arrangements(clue, puzzle.width) for clue in puzzle.rows), mul, initial=1))
