"""The last step of the ladder: what the kernels leave open is handed over to the tail (solver.learning.tail)."""

import math
import time
from collections.abc import Callable
from functools import cache

from solver.ladder.ascent import Ascent
from solver.ladder.fixpoint import example_at_fixpoint
from solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, UNIQUE, WALL, Outcome
from solver.ladder.question import FROM_NOTHING
from solver.ladder.rungs import SEARCH
from solver.ladder.swap import swap
from solver.learning.conquest import Conquest
from solver.learning.cubes import Cube
from solver.learning.tail import ENGINES, learner_of
from solver.lines.board import possibilities
from solver.lines.workspace import CONFLICTS
from solver.tuning import ALONE

Split = Callable[[Conquest, float], Conquest]
"""What takes a conquest further, in so many CPU seconds of all processes together (solver.learning.conquest)."""


def hand_over(p: int, ascent: Ascent, split: Split | None = None) -> None:
    """Decide puzzle p, on the board, by clause learning: a solution, then another one or the proof of none.

    split   what decides by cubes what one learner does not decide in ALONE CPU seconds
    """
    outcome, memory, start = ascent.outcome, ascent.memory, ascent.given.start
    compile_tail(memory.board.can.shape[1], memory.color is not None)
    cpu, wall = time.thread_time(), time.monotonic()
    left = ascent.allowance.cpu_limit - outcome.seconds[p, :CPU_SAT].sum()
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
    spent = time.thread_time() - cpu + learner.elsewhere
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


@cache
def compile_tail(words: int, colored: bool) -> None:
    """Have the tail's kernels compiled, on a puzzle of four cells, so that no puzzle is charged for it."""
    memory = example_at_fixpoint(words, colored)
    with learner_of(memory, math.inf) as learner:
        learner.next_solution(math.inf)
        picture = learner.picture()
        swap(picture, 2, 2, FROM_NOTHING, memory.workspace.counters, math.inf)
        learner.exclude(picture)
