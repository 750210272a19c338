"""Breadth-first search: expand the oldest state first."""

from collections import deque

from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits
from nonocensus.solver.engines.plain_search import Space, Visits, answer_of, successors
from nonocensus.solver.model.puzzle import Puzzle


def breadth_first(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by breadth-first search. A visit is a state popped from the queue."""
    return answer_of(puzzle, limits, _visits)


def _visits(space: Space) -> Visits:
    queue = deque([b""])
    while queue:
        waiting = len(queue)
        state = queue.popleft()
        yield state, waiting
        queue.extend(successors(space, state))
