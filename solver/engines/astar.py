"""A*: expand the state with the lowest sum of filled rows and estimate; ties go to the deepest, then the oldest."""

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import inf

from nonocensus.solver.engines.answer import EngineAnswer, EngineLimits
from nonocensus.solver.engines.heuristics import rows_left, wrong_and_missing_groups, wrong_groups
from nonocensus.solver.engines.plain_search import Space, State, Visits, answer_of, successors
from nonocensus.solver.model.puzzle import Puzzle

Estimate = Callable[[Puzzle, State], float]


def a_star(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by A* with the estimate `rows_left`. A visit is a state popped from the heap."""
    return answer_of(puzzle, limits, partial(_visits, rows_left))


def a_star_by_wrong_groups(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by A* with the estimate `wrong_groups`."""
    return answer_of(puzzle, limits, partial(_visits, wrong_groups))


def a_star_by_all_groups(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by A* with the estimate `wrong_and_missing_groups`."""
    return answer_of(puzzle, limits, partial(_visits, wrong_and_missing_groups))


def _visits(estimate: Estimate, space: Space) -> Visits:
    heap: list[tuple[float, int, int, State]] = []
    order = count()

    def wait(state: State) -> None:
        filled, rest = len(state) // space.puzzle.width, estimate(space.puzzle, state)
        if rest < inf:
            heappush(heap, (filled + rest, -filled, next(order), state))

    wait(b"")
    while heap:
        waiting = len(heap)
        state = heappop(heap)[-1]
        yield state, waiting
        for successor in successors(space, state):
            wait(successor)
