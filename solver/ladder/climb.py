"""Up the ladder: a whole batch of puzzles, each as far as it takes.

Each rung is one nopython call over all puzzles that wait for it; what it leaves open waits for the next one. The tail
takes those puzzles one by one that search leaves open.
"""

import numpy as np

from solver.ladder.groups import Group, groups
from solver.ladder.handover import hand_over
from solver.ladder.line_rung import line_rung
from solver.ladder.lookahead_rungs import lookahead_rungs
from solver.ladder.memory import Memory, memory_for
from solver.ladder.outcome import Outcome, no_outcome
from solver.ladder.question import NOTHING, Allowance, Given
from solver.ladder.search_rung import search_rung
from solver.ladder.waiting import nobody_waiting
from solver.views import Views


def climb(batch: Views, which: np.ndarray, allowance: Allowance, given: Given = NOTHING) -> Outcome:
    """Run the puzzles `which` (numbers) of a batch up the ladder. They must be free of faults (solver.check)."""
    allowance = allowance._replace(cpu_limit=float(allowance.cpu_limit))  # kernels are compiled for one type of it
    outcome = no_outcome(batch, given.goals)
    for group in groups(batch, which):
        climb_group(batch, group, memory_for(batch, group), allowance, given, outcome)
    return outcome


def climb_group(
    batch: Views, group: Group, memory: Memory, allowance: Allowance, given: Given, outcome: Outcome
) -> None:
    """Rung by rung for all puzzles of a group; the tail for those that need it."""
    color = memory.color
    left = group.puzzles
    waiting = nobody_waiting(len(left), memory.board)
    while len(left):
        waiting.number[0] = 0
        left = left[line_rung(batch, left, memory, color, allowance, given, outcome, waiting) :]
        if waiting.number[0]:
            lookahead_rungs(batch, memory, color, allowance, given, outcome, waiting)
        k = 0
        while k < waiting.number[0]:
            k = search_rung(batch, k, memory, color, allowance, given, outcome, waiting)
            if k < waiting.number[0]:
                hand_over(int(waiting.puzzles[k]), allowance.cpu_limit, given.start, memory, outcome)
                k += 1
