"""Solve a batch: the kernels' rungs group by group, then clause learning puzzle by puzzle."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from solver.jit.kernel import is_ready
from solver.ladder.ladder_kernels import compile_tail
from solver.ladder.ladder_options import NO_PRIOR, SEARCH, LadderOptions, PriorKnowledge
from solver.ladder.memory import kernel_groups
from solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, UNIQUE, WALL, Outcome, initial_outcome
from solver.ladder.rungs import LadderState, initial_state, run_line_rung, run_lookahead_rungs, run_search_rung
from solver.ladder.swap import swap
from solver.learning.cubes import Conquest, Cube
from solver.learning.tail import ENGINES, learner_of
from solver.lines.board import possibilities
from solver.lines.workspace import CONFLICTS
from solver.model.views import Views
from solver.tuning import ALONE

BoundConqueror = Callable[[Conquest, float], Conquest]
"""Continues a conquest for at most the given CPU seconds, summed over all processes (solver.learning.cubes)."""


def climb(
    batch: Views,
    which: np.ndarray,
    allowance: LadderOptions,
    given: PriorKnowledge = NO_PRIOR,
    split: BoundConqueror | None = None,
) -> Outcome:
    """Run the puzzles `which` (numbers) of a batch up the ladder. They must be free of faults (solver.model.check).

    split   for a batch of one puzzle, what decides it by cubes where one learner takes long
    """
    allowance = allowance._replace(cpu_limit=float(allowance.cpu_limit))  # kernels are compiled for one type of it
    outcome = initial_outcome(batch, given.goals)
    for group in kernel_groups(batch, which):
        _climb(initial_state(batch, group, allowance, given, outcome), group.puzzles, split)
    return outcome


def _climb(state: LadderState, left: np.ndarray, split: BoundConqueror | None) -> None:
    """Rung by rung for all puzzles of a group, as many at a time as may wait; the tail for those that need it."""
    waiting = state.waiting
    while len(left):
        waiting.number[0] = 0
        left = left[run_line_rung(state, left) :]
        if _any_for(run_lookahead_rungs, state):
            run_lookahead_rungs(state)
        k = 0
        while k < waiting.number[0] and _any_for(run_search_rung, state, k):
            k = run_search_rung(state, k)
            if k < waiting.number[0]:
                run_tail(int(waiting.puzzles[k]), state, split)
                k += 1


def _any_for(rung: Callable[..., Any], state: LadderState, *others: int) -> bool:
    """Whether there are puzzles for a rung. If they are not to wait until it is compiled, they are late instead."""
    puzzles = state.waiting.puzzles[: state.waiting.number[0]]
    if len(puzzles) and not state.allowance.wait and not is_ready(rung, state, *others):
        state.outcome.late[puzzles] = True
        state.waiting.number[0] = 0
    return bool(state.waiting.number[0])


def run_tail(p: int, state: LadderState, split: BoundConqueror | None = None) -> None:
    """Decide puzzle p, on the board, by clause learning: a solution, then another one or the proof of none.

    split   what decides by cubes what one learner does not decide in ALONE CPU seconds
    """
    outcome, memory, start = state.outcome, state.memory, state.given.start
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    left = state.allowance.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    deadline = cpu + (left if split is None else min(left, ALONE))
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    first, second, counters = outcome.first[place], outcome.second[place], outcome.counters[p]
    with learner_of(memory, deadline) as learner:
        found: bool | None = True
        if outcome.found[p] == 0:
            found = learner.next_solution(deadline)
            if found:
                first[:] = second[:] = learner.picture()
                outcome.found[p] = 2 if swap(second, width, height, start, counters, deadline) else 1
        if outcome.found[p] == 1:
            learner.exclude(first)
            found = learner.next_solution(deadline)
            if found:
                second[:] = learner.picture()
                outcome.found[p] = 2
        counters[CONFLICTS] = learner.conflicts
        outcome.engine[p] = SEARCH + 1 + ENGINES.index(learner.engine)
        outcome.kissat_failed[p] = learner.kissat_failed
    spent = time.thread_time() - cpu + learner.child_cpu_seconds
    if found is None and split is not None and spent < left:
        known = [first.copy()] if outcome.found[p] else []
        cube = Cube((), possibilities(memory.board))
        conquest = split(Conquest(start, known, [cube]), left - spent)
        spent += conquest.cpu_seconds
        found = _take_over(conquest, p, outcome)
    if outcome.found[p] == 2:
        outcome.solutions[p] = MULTIPLE
    elif found is None:
        outcome.late[p] = True
    else:
        outcome.solutions[p] = UNIQUE if outcome.found[p] else NONE
    outcome.seconds[p, CPU_SAT] += spent
    outcome.seconds[p, WALL] += time.monotonic() - wall


def _take_over(conquest: Conquest, p: int, outcome: Outcome) -> bool | None:
    """Note what cubes have come to with puzzle p: whether another solution was found, None if some are not decided."""
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    for pictures, solution in zip((outcome.first, outcome.second), conquest.solutions, strict=False):
        pictures[place] = solution
    outcome.found[p] = len(conquest.solutions)
    outcome.counters[p, CONFLICTS] += conquest.conflicts
    outcome.kissat_failed[p] |= conquest.kissat_failed
    if conquest.engine is not None:
        outcome.engine[p] = SEARCH + 1 + ENGINES.index(conquest.engine)
    if len(conquest.solutions) == 2:
        return True
    return None if conquest.waiting else False
