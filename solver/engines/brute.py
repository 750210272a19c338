"""Brute force: all ways to fill the rows, each a whole grid whose columns are read."""

from itertools import product

from solver.engines.answer import EngineAnswer, EngineLimits
from solver.engines.plain_search import Space, Visits, answer_of
from solver.model.puzzle import Puzzle


def brute_force(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Return the puzzle's verdict by the product of its rows' arrangements. A visit is a grid; one waits at a time."""
    return answer_of(puzzle, limits, _visits)


def _visits(space: Space) -> Visits:
    for rows in product(*space.rows):
        yield b"".join(rows), 1
