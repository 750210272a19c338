"""Have the ladder's kernels ready before they are needed: compiled, or loaded from the disk cache."""

import math

import numpy as np

from solver.ladder.climb import climb_group
from solver.ladder.groups import all_groups
from solver.ladder.handover import compile_tail
from solver.ladder.memory import memory_for
from solver.ladder.outcome import no_outcome
from solver.ladder.question import NO_GOALS, NOTHING, Allowance
from solver.views import Views


def warm_up(batch: Views) -> None:
    """Have all kernels ready that the puzzles of a batch may need."""
    nobody = np.zeros(0, np.int64)
    outcome = no_outcome(batch, NO_GOALS)
    for group in all_groups(batch):
        memory = memory_for(batch, group)
        climb_group(batch, group._replace(puzzles=nobody), memory, Allowance(math.inf), NOTHING, outcome)
        compile_tail(group.words, group.colors is not None)
