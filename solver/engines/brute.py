"""Brute force: enumerate the product of the rows' arrangements, and check the columns of each full grid."""

from itertools import product

from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits
from nonocensus.solver.engines.plain_search import Space, Visits, answer_of
from nonocensus.solver.model.puzzle import Puzzle


def brute_force(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by brute force. A visit is a full grid; the open list has size 1."""
    return answer_of(puzzle, limits, _visits)


def _visits(space: Space) -> Visits:
    for rows in product(*space.rows):
        yield b"".join(rows), 1
