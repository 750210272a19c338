"""Run a batch up the ladder: kernels group by group, clause learning puzzle by puzzle."""

import time

import numpy as np

from nonocensus.solver.ladder.ladder_kernels import compile_tail
from nonocensus.solver.ladder.ladder_options import NO_PRIOR, LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.memory import kernel_groups
from nonocensus.solver.ladder.outcome import CPU_SAT, LEARNED, MULTIPLE, NONE, UNIQUE, WALL, Outcome, initial_outcome
from nonocensus.solver.ladder.rungs import (
    LadderState,
    initial_state,
    run_line_rung,
    run_lookahead_rungs,
    run_search_rung,
)
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.learning.tail import DEFAULTS, Learner, LearnerOptions, make_learner
from nonocensus.solver.lines.workspace import CONFLICTS
from nonocensus.solver.model.views import Views


def climb(
    batch: Views,
    which: np.ndarray,
    options: LadderOptions,
    prior: PriorKnowledge = NO_PRIOR,
    learning: LearnerOptions = DEFAULTS,
) -> Outcome:
    """Run the puzzles `which` (indices) of a batch up the ladder.

    Precondition: they have no faults (solver.model.check).
    """
    options = options._replace(cpu_limit=float(options.cpu_limit))  # kernels are compiled for float only
    outcome = initial_outcome(batch, prior.goals)
    for group in kernel_groups(batch, which):
        _climb_group(initial_state(batch, group, options, prior, outcome), group.puzzles, learning)
    return outcome


def _climb_group(state: LadderState, left: np.ndarray, learning: LearnerOptions) -> None:
    """Run the rungs on a group, a queue of puzzles at a time, and clause learning on each puzzle that needs it."""
    queue = state.queue
    while len(left):
        queue.size[0] = 0
        left = left[run_line_rung(state, left) :]
        if queue.size[0]:
            run_lookahead_rungs(state)
        k = 0
        while k < queue.size[0]:
            k = run_search_rung(state, k)
            if k < queue.size[0]:
                run_tail(int(queue.puzzles[k]), state, learning)
                k += 1


def run_tail(p: int, state: LadderState, learning: LearnerOptions) -> None:
    """Decide puzzle p, on the board, by clause learning: find a solution, then a second one or the proof of none."""
    outcome, memory = state.outcome, state.memory
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    deadline = cpu + state.options.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    with make_learner(memory, deadline, learning) as learner:
        found = _find_two(p, learner, state, deadline)
        outcome.counters[p, CONFLICTS] += learner.conflicts
    outcome.engine[p] = LEARNED
    if outcome.found[p] == 2:
        outcome.solutions[p] = MULTIPLE
    elif found is None:
        outcome.late[p] = True
    else:
        outcome.solutions[p] = UNIQUE if outcome.found[p] else NONE
    outcome.seconds[p, CPU_SAT] += time.thread_time() - cpu
    outcome.seconds[p, WALL] += time.monotonic() - wall


def _find_two(p: int, learner: Learner, state: LadderState, deadline: float) -> bool | None:
    """Find puzzle p's solutions up to the second; returns whether the last search found one, None at the deadline."""
    outcome, size = state.outcome, state.memory.board.size
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    first, second = outcome.first[place], outcome.second[place]
    found: bool | None = True
    if outcome.found[p] == 0:
        found = learner.next_solution(deadline)
        if found:
            first[:] = second[:] = learner.picture()
            switched = swap(second, int(size[0]), int(size[1]), state.prior.start, outcome.counters[p], deadline)
            outcome.found[p] = 2 if switched else 1
    if outcome.found[p] == 1:
        learner.exclude(first)
        found = learner.next_solution(deadline)
        if found:
            second[:] = learner.picture()
            outcome.found[p] = 2
    return found
