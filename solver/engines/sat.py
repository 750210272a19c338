"""The ladder's clause-learning stage alone, after line logic, on whose fixpoint the formula is built."""

import time
from itertools import islice

import numpy as np

from nonocensus.solver.api import iter_solutions
from nonocensus.solver.engines.answer import TWO, EngineAnswer, EngineLimits, out_of_time, verdict_of
from nonocensus.solver.model.puzzle import InvalidPuzzle, Puzzle


def by_learners(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.learning.tail. The CPU limit applies per solution; visits are not counted."""
    start = time.thread_time()
    solutions: list[np.ndarray] = []
    first_seconds, stopped = None, ""
    try:
        for picture in islice(iter_solutions(puzzle, cpu_limit=limits.cpu_limit), TWO):
            solutions.append(picture)
            first_seconds = first_seconds or time.thread_time() - start
    except InvalidPuzzle:
        pass  # no picture can have these clues, so there is no solution
    except TimeoutError:
        stopped = out_of_time(limits)
    seconds = time.thread_time() - start
    return EngineAnswer(
        verdict_of(len(solutions), stopped), solutions, None, seconds, None, first_seconds, None, stopped
    )
