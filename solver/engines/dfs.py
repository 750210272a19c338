"""Depth-first search: expand the newest state first."""

from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits
from nonocensus.solver.engines.plain_search import Space, Visits, answer_of, successors
from nonocensus.solver.model.puzzle import Puzzle


def depth_first(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by depth-first search. A visit is a state popped from the stack."""
    return answer_of(puzzle, limits, _visits)


def _visits(space: Space) -> Visits:
    stack = [b""]
    while stack:
        waiting = len(stack)
        state = stack.pop()
        yield state, waiting
        stack.extend(reversed(successors(space, state)))
