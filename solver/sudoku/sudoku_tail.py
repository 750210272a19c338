"""Clause learning (solver.learning.tail) for Sudokus that search leaves undecided."""

import time

import numpy as np

from nonocensus.solver.ladder.ladder_options import SEARCH
from nonocensus.solver.ladder.outcome import CPU_SAT, LEARNED, MULTIPLE, NONE, UNIQUE, WALL, Outcome
from nonocensus.solver.learning.tail import Learner, LearnerOptions
from nonocensus.solver.lines.workspace import CONFLICTS
from nonocensus.solver.sudoku.sudoku_encoding import formula_of
from nonocensus.solver.sudoku.units import Units


def hand_over(p: int, can: np.ndarray, units: Units, cpu_limit: float, outcome: Outcome) -> None:
    """Decide puzzle p, given the solution that search may have found: find another or prove that none exists.

    can   its board before search, at the fixpoint of the lower rungs
    """
    cpu, wall = time.thread_time(), time.monotonic()
    deadline = cpu + cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    solutions = outcome.first[place], outcome.second[place]
    with Learner(formula_of(can, units), list, list, LearnerOptions(before_leads=0)) as learner:
        if outcome.found[p] == 1:
            learner.exclude(solutions[0].astype(np.int64) - 1)
        found: bool | None = True
        while found and outcome.found[p] < len(solutions):
            found = learner.next_solution(deadline)
            if found:
                picture = learner.picture()
                learner.exclude(picture)
                solutions[outcome.found[p]][:] = picture + 1
                outcome.found[p] += 1
        outcome.counters[p, CONFLICTS] = learner.conflicts
        outcome.engine[p] = LEARNED
    if found:
        outcome.solutions[p] = MULTIPLE
    elif found is None:
        outcome.late[p] = True
    else:
        outcome.solutions[p] = UNIQUE if outcome.found[p] == 1 else NONE
    outcome.rung[p] = SEARCH
    outcome.seconds[p, CPU_SAT] += time.thread_time() - cpu
    outcome.seconds[p, WALL] += time.monotonic() - wall
