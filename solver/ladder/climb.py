"""Run a batch up the ladder: kernels group by group, clause learning puzzle by puzzle."""

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
from solver.learning.tail import DEFAULTS, ENGINES, LearnerOptions, make_learner
from solver.lines.board import possibilities
from solver.lines.workspace import CONFLICTS
from solver.model.views import Views
from solver.tuning import ALONE

BoundConqueror = Callable[[Conquest, float], Conquest]
"""Continues a conquest for at most the given CPU seconds, summed over all processes (solver.learning.cubes)."""


def climb(
    batch: Views,
    which: np.ndarray,
    options: LadderOptions,
    prior: PriorKnowledge = NO_PRIOR,
    conquer: BoundConqueror | None = None,
    learning: LearnerOptions = DEFAULTS,
) -> Outcome:
    """Run the puzzles `which` (indices) of a batch up the ladder.

    Precondition: they have no faults (solver.model.check).

    conquer   for a batch of one puzzle: decides it by cubes after ALONE CPU seconds of clause learning
    """
    options = options._replace(cpu_limit=float(options.cpu_limit))  # kernels are compiled for float only
    outcome = initial_outcome(batch, prior.goals)
    for group in kernel_groups(batch, which):
        _climb_group(initial_state(batch, group, options, prior, outcome), group.puzzles, conquer, learning)
    return outcome


def _climb_group(
    state: LadderState, left: np.ndarray, conquer: BoundConqueror | None, learning: LearnerOptions
) -> None:
    """Run the rungs on a group, a queue of puzzles at a time, and clause learning on each puzzle that needs it."""
    queue = state.queue
    while len(left):
        queue.size[0] = 0
        left = left[run_line_rung(state, left) :]
        if _has_queued(run_lookahead_rungs, state):
            run_lookahead_rungs(state)
        k = 0
        while k < queue.size[0] and _has_queued(run_search_rung, state, k):
            k = run_search_rung(state, k)
            if k < queue.size[0]:
                run_tail(int(queue.puzzles[k]), state, conquer, learning)
                k += 1


def _has_queued(rung: Callable[..., Any], state: LadderState, *others: int) -> bool:
    """Return whether puzzles are queued for a rung; without `wait`, an uncompiled rung marks them late instead."""
    puzzles = state.queue.puzzles[: state.queue.size[0]]
    if len(puzzles) and not state.options.wait and not is_ready(rung, state, *others):
        state.outcome.late[puzzles] = True
        state.queue.size[0] = 0
    return bool(state.queue.size[0])


def run_tail(p: int, state: LadderState, conquer: BoundConqueror | None, learning: LearnerOptions) -> None:
    """Decide puzzle p, on the board, by clause learning: find a solution, then a second one or the proof of none."""
    outcome, memory, start = state.outcome, state.memory, state.prior.start
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    left = state.options.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    deadline = cpu + (left if conquer is None else min(left, ALONE))
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    first, second, counters = outcome.first[place], outcome.second[place], outcome.counters[p]
    with make_learner(memory, deadline, learning) as learner:
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
    if found is None and conquer is not None and spent < left:
        known = [first.copy()] if outcome.found[p] else []
        cube = Cube((), possibilities(memory.board))
        conquest = conquer(Conquest(start, known, [cube]), left - spent)
        spent += conquest.cpu_seconds
        found = _record_conquest(conquest, p, outcome)
    if outcome.found[p] == 2:
        outcome.solutions[p] = MULTIPLE
    elif found is None:
        outcome.late[p] = True
    else:
        outcome.solutions[p] = UNIQUE if outcome.found[p] else NONE
    outcome.seconds[p, CPU_SAT] += spent
    outcome.seconds[p, WALL] += time.monotonic() - wall


def _record_conquest(conquest: Conquest, p: int, outcome: Outcome) -> bool | None:
    """Record the result of puzzle p's cubes; returns whether a second solution exists, None if cubes are undecided."""
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
