"""Run a batch up the ladder: kernels group by group, clause learning puzzle by puzzle."""

import time
from collections.abc import Callable

import numpy as np

from nonocensus.solver.ladder.ladder_kernels import compile_tail
from nonocensus.solver.ladder.ladder_options import NO_PRIOR, SEARCH, LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.memory import kernel_groups
from nonocensus.solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, UNIQUE, WALL, Outcome, initial_outcome
from nonocensus.solver.ladder.rungs import (
    LadderState,
    initial_state,
    run_line_rung,
    run_lookahead_rungs,
    run_search_rung,
)
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.learning.cubes import Conquest, Cube
from nonocensus.solver.learning.symmetry import clue_symmetries, image_of
from nonocensus.solver.learning.tail import DEFAULTS, ENGINES, Learner, LearnerOptions, make_learner
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.lines.workspace import CONFLICTS
from nonocensus.solver.model.views import Views
from nonocensus.solver.tuning import ALONE

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
        if queue.size[0]:
            run_lookahead_rungs(state)
        k = 0
        while k < queue.size[0]:
            k = run_search_rung(state, k)
            if k < queue.size[0]:
                run_tail(int(queue.puzzles[k]), state, conquer, learning)
                k += 1


def run_tail(p: int, state: LadderState, conquer: BoundConqueror | None, learning: LearnerOptions) -> None:
    """Decide puzzle p, on the board, by clause learning: find a solution, then a second one or the proof of none.

    If the clues are symmetric, half of the time left is for symmetric solutions (solver.learning.symmetry).
    """
    outcome, memory, start = state.outcome, state.memory, state.prior.start
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    left = state.options.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    symmetries = clue_symmetries(memory.board, memory.color) if len(start) == 0 else []
    child_seconds = 0.0
    found: bool | None = True
    if symmetries and outcome.found[p] == 0:
        halfway = cpu + left / 2
        with make_learner(memory, halfway, learning, symmetries=symmetries) as learner:
            if learner.next_solution(halfway):
                _record_first(p, learner.picture(), symmetries, state, halfway)
            child_seconds += _record_effort(p, learner, outcome)
    elif symmetries and outcome.found[p] == 1:
        first = outcome.first[outcome.offsets[p] : outcome.offsets[p + 1]]
        _record_first(p, first.copy(), symmetries, state, cpu + left)
    if outcome.found[p] < 2:
        deadline = cpu + left - child_seconds
        if conquer is not None:
            deadline = min(deadline, time.thread_time() + ALONE)
        with make_learner(memory, deadline, learning) as learner:
            found = _find_two(p, learner, symmetries, state, deadline)
            child_seconds += _record_effort(p, learner, outcome)
    spent = time.thread_time() - cpu + child_seconds
    if found is None and conquer is not None and spent < left:
        known = [outcome.first[outcome.offsets[p] : outcome.offsets[p + 1]].copy()] if outcome.found[p] else []
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


def _find_two(
    p: int, learner: Learner, symmetries: list[np.ndarray], state: LadderState, deadline: float
) -> bool | None:
    """Find puzzle p's solutions up to the second; returns whether the last search found one, None at the deadline."""
    outcome = state.outcome
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    found: bool | None = True
    if outcome.found[p] == 0:
        found = learner.next_solution(deadline)
        if found:
            _record_first(p, learner.picture(), symmetries, state, deadline)
    if outcome.found[p] == 1:
        learner.exclude(outcome.first[place])
        found = learner.next_solution(deadline)
        if found:
            outcome.second[place] = learner.picture()
            outcome.found[p] = 2
    return found


def _record_first(
    p: int, picture: np.ndarray, symmetries: list[np.ndarray], state: LadderState, deadline: float
) -> None:
    """Record puzzle p's first solution, and the second one that a switch or a symmetry makes of it."""
    outcome, size = state.outcome, state.memory.board.size
    place = slice(outcome.offsets[p], outcome.offsets[p + 1])
    first, second = outcome.first[place], outcome.second[place]
    first[:] = second[:] = picture
    other = image_of(picture, symmetries)
    if other is not None:
        second[:] = other
    switched = other is not None or swap(
        second, int(size[0]), int(size[1]), state.prior.start, outcome.counters[p], deadline
    )
    outcome.found[p] = 2 if switched else 1


def _record_effort(p: int, learner: Learner, outcome: Outcome) -> float:
    """Record what a learner did for puzzle p; returns the CPU seconds of its child processes."""
    outcome.counters[p, CONFLICTS] += learner.conflicts
    outcome.engine[p] = SEARCH + 1 + ENGINES.index(learner.engine)
    outcome.kissat_failed[p] |= learner.kissat_failed
    return learner.child_cpu_seconds


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
