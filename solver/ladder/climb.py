"""Up the ladder: a whole batch of puzzles, each as far as it takes.

Each rung is one nopython call over all puzzles that wait for it; what it leaves open waits for the next one. The tail
takes those puzzles one by one that search leaves open.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from solver.jit.kernel import is_ready
from solver.ladder.ascent import Ascent, ascent_of
from solver.ladder.groups import groups
from solver.ladder.line_rung import line_rung
from solver.ladder.lookahead_rungs import lookahead_rungs
from solver.ladder.outcome import Outcome, no_outcome
from solver.ladder.question import NOTHING, Allowance, Given
from solver.ladder.search_rung import search_rung
from solver.ladder.tail_rung import Split, hand_over
from solver.model.views import Views


def climb(
    batch: Views, which: np.ndarray, allowance: Allowance, given: Given = NOTHING, split: Split | None = None
) -> Outcome:
    """Run the puzzles `which` (numbers) of a batch up the ladder. They must be free of faults (solver.model.check).

    split   for a batch of one puzzle, what decides it by cubes where one learner takes long
    """
    allowance = allowance._replace(cpu_limit=float(allowance.cpu_limit))  # kernels are compiled for one type of it
    outcome = no_outcome(batch, given.goals)
    for group in groups(batch, which):
        _climb(ascent_of(batch, group, allowance, given, outcome), group.puzzles, split)
    return outcome


def _climb(ascent: Ascent, left: np.ndarray, split: Split | None) -> None:
    """Rung by rung for all puzzles of a group, as many at a time as may wait; the tail for those that need it."""
    waiting = ascent.waiting
    while len(left):
        waiting.number[0] = 0
        left = left[line_rung(ascent, left) :]
        if _any_for(lookahead_rungs, ascent):
            lookahead_rungs(ascent)
        k = 0
        while k < waiting.number[0] and _any_for(search_rung, ascent, k):
            k = search_rung(ascent, k)
            if k < waiting.number[0]:
                hand_over(int(waiting.puzzles[k]), ascent, split)
                k += 1


def _any_for(rung: Callable[..., Any], ascent: Ascent, *others: int) -> bool:
    """Whether there are puzzles for a rung. If they are not to wait until it is compiled, they are late instead."""
    puzzles = ascent.waiting.puzzles[: ascent.waiting.number[0]]
    if len(puzzles) and not ascent.allowance.wait and not is_ready(rung, ascent, *others):
        ascent.outcome.late[puzzles] = True
        ascent.waiting.number[0] = 0
    return bool(ascent.waiting.number[0])
