"""Steps 8 to 10 of the ladder, one puzzle at a time: a clause learner, alone and under the assumptions of dives.

A failed dive has mostly gone wrong late, or in a few cells. So its early decisions are a *lead*: assumptions under
which a learner has a few hundred conflicts to find a solution. If it refutes a core of assumptions, the core's latest
are dropped; if it runs out of conflicts, the latest of all. Learned clauses hold without the assumptions too.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np

from nonocensus.solver.ladder.dive import DiveOptions, Trail, descend, has_many_blocks
from nonocensus.solver.ladder.fixpoint import example_at_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.ladder.outcome import CPU_SAT, LEARNED, MULTIPLE, NONE, UNIQUE, WALL
from nonocensus.solver.ladder.rungs import LadderState
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.learning.belief import probable
from nonocensus.solver.learning.encoding import TRUE, encode
from nonocensus.solver.learning.learner import DEFAULTS, Encoding, Learner, LearnerOptions
from nonocensus.solver.lines.board import undecided
from nonocensus.solver.lines.checked import CHECKED, has_known
from nonocensus.solver.lines.propagate import OUT_OF_TIME
from nonocensus.solver.lines.workspace import CONFLICTS, Workspace
from nonocensus.solver.tuning import LEAD_LEFT, LEAD_MORE_ROUNDS, LEAD_ROUNDS, LEAD_SHARES, LEARNER_PULL

LEAD_DIVES = tuple(DiveOptions(*dive) for dive in zip(LEAD_ROUNDS, LEAD_MORE_ROUNDS, LEAD_SHARES, strict=True))
"""The dives in order. With few rounds of messages they are less certain, but more often right."""


def leads(memory: Memory, literal: np.ndarray, workspace: Workspace) -> Iterator[list[int]]:
    """Yield each dive's decisions as assumptions, in the order of decision, until the deadline.

    literal     `Variables.literal` of the memory's board
    workspace   has the deadline
    """
    board, beliefs = memory.board, memory.beliefs
    cells = int(board.size[0] * board.size[1])
    if beliefs.messages.shape[1] < cells:
        return  # too large for beliefs
    trail = Trail(np.zeros(cells, np.int32), np.zeros(cells, np.int32))
    least = LEAD_LEFT * undecided(board, workspace.bit_width)
    boards = board, memory.trial, memory.tree.union
    for dive in LEAD_DIVES:
        if descend(*boards, memory.color, beliefs, dive, trail, workspace) == OUT_OF_TIME:
            return
        literals = literal[np.arange(cells), trail.color]
        decided = np.flatnonzero((trail.left > least) & (np.abs(literals) != TRUE))
        yield literals[decided[np.argsort(-trail.left[decided], kind="stable")]].tolist()


LeadSource = Callable[[Memory, np.ndarray, Workspace], Iterable[list[int]]]
"""Yields assumptions for a board, as `leads`."""


def make_learner(
    memory: Memory, deadline: float, options: LearnerOptions = DEFAULTS, source: LeadSource = leads
) -> Learner:
    """Return a learner for the memory's board at the fixpoint of line logic; beliefs and leads end at the deadline."""
    board, color, workspace = memory.board, memory.color, memory.workspace._replace(deadline=deadline)
    variables, clauses = encode(board, color, workspace)
    holds_known = CHECKED and has_known(board, workspace.bit_width)
    known = board.known[: int(board.size[0] * board.size[1])] if holds_known else None
    if has_many_blocks(board, memory.beliefs) or variables.number >= options.before_leads_variables:
        options = options._replace(before_leads=0)
    return Learner(
        Encoding(variables.number, variables.literal, clauses),
        lambda: probable(board, color, variables, LEARNER_PULL, workspace).tolist(),
        lambda: source(memory, variables.literal, workspace),
        options,
        known,
    )


LearnerFactory = Callable[[Memory, float], Learner]
"""Returns a learner for a memory's board and a deadline, as `make_learner`."""


def run_tail(p: int, state: LadderState, learning: LearnerFactory) -> None:
    """Decide puzzle p, on the board, by clause learning: find a solution, then a second one or the proof of none."""
    outcome, memory = state.outcome, state.memory
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    deadline = cpu + state.options.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
    with learning(memory, deadline) as learner:
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


@cache
def compile_tail(words: int, colored: bool) -> None:
    """Compile the tail's kernels on a puzzle of four cells, so that no puzzle's CPU time includes it."""
    memory = example_at_fixpoint(words, colored)
    with make_learner(memory, math.inf) as learner:
        learner.next_solution(math.inf)
        picture = learner.picture()
        swap(picture, 2, 2, FROM_NOTHING, memory.workspace.counters, math.inf)
        learner.exclude(picture)
