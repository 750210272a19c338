"""Run a batch up the ladder: kernels group by group, clause learning puzzle by puzzle."""

import math

import numpy as np

from nonocensus.solver.ladder.ladder_options import NO_PRIOR, LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.memory import kernel_groups
from nonocensus.solver.ladder.outcome import Outcome, initial_outcome
from nonocensus.solver.ladder.rungs import (
    LadderState,
    initial_state,
    run_line_rung,
    run_lookahead_rungs,
    run_search_rung,
)
from nonocensus.solver.ladder.tail import LearnerFactory, compile_tail, make_learner, run_tail
from nonocensus.solver.model.amounts import clue_totals
from nonocensus.solver.model.answer_check import fits, same
from nonocensus.solver.model.check import faults
from nonocensus.solver.model.identity import clue_hashes
from nonocensus.solver.model.views import Views

STAGES = ("line", "lookahead", "search", "tail", "checks")
"""Units of compilation. `checks` are the kernels that every puzzle needs: checks, hashes, totals of clues."""


def climb(
    batch: Views,
    which: np.ndarray,
    options: LadderOptions,
    prior: PriorKnowledge = NO_PRIOR,
    learning: LearnerFactory = make_learner,
) -> Outcome:
    """Run the puzzles `which` (indices) of a batch up the ladder.

    Precondition: they have no faults (solver.model.check).
    """
    options = options._replace(cpu_limit=float(options.cpu_limit))  # kernels are compiled for float only
    outcome = initial_outcome(batch, prior.goals)
    for group in kernel_groups(batch, which):
        _climb_group(initial_state(batch, group, options, prior, outcome), group.puzzles, learning)
    return outcome


def _climb_group(state: LadderState, left: np.ndarray, learning: LearnerFactory) -> None:
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


def warm_up(batch: Views, stages: tuple[str, ...] = STAGES) -> None:
    """Compile the kernels of some stages for the puzzles of a batch, or load them from the disk cache."""
    for group in kernel_groups(batch):
        state = initial_state(batch, group, LadderOptions(math.inf), NO_PRIOR, initial_outcome(batch))
        if "line" in stages:
            run_line_rung(state, group.puzzles[:0])
        if "lookahead" in stages:
            run_lookahead_rungs(state)
        if "search" in stages:
            run_search_rung(state, 0)
        if "tail" in stages:
            compile_tail(group.words, group.colors is not None)
    if "checks" in stages:
        faults(batch)
        clue_hashes(batch)
        clue_totals(batch.rows, batch.width.astype(np.int64))
        offsets, pictures = np.zeros(1, np.int64), np.zeros(0, np.uint8)
        fits(batch, offsets[:0], pictures, offsets)
        same(offsets[:0], pictures, offsets, pictures, offsets)
