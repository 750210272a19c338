"""The rung search: some nodes of search, then dives. What they leave open is for the tail (solver.learning.tail)."""

from typing import Any

import numpy as np

from solver.jit.clock import cpu_seconds, wall_seconds
from solver.jit.kernel import kernel
from solver.ladder.ascent import Ascent, take_up
from solver.ladder.dive import dive
from solver.ladder.outcome import MULTIPLE, NONE, UNIQUE, found_of, note_time
from solver.ladder.rungs import SEARCH
from solver.ladder.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND, note_solution, noted, search
from solver.lines.checked import CHECKED, has_known, is_at_fixpoint
from solver.lines.places import locate, open_places
from solver.lines.propagate import FIXPOINT, OUT_OF_TIME
from solver.tuning import MOST_PLACES

ENDLESS: Any = np.int64(1 << 60)
"""Nodes of search for a puzzle whose formula would not fit in memory."""


@kernel
def search_rung(ascent: Ascent, first: int) -> int:
    """The puzzles that wait in place `first` and behind it, up to the first that needs the tail.

    Returns its place; it stays on the board. If none does, returns how many wait.
    """
    outcome, waiting, memory = ascent.outcome, ascent.waiting, ascent.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    tree, beliefs = memory.tree, memory.beliefs
    rung: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(first, waiting.number[0]):
        p = waiting.puzzles[k]
        workspace = take_up(ascent, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        found = found_of(outcome, ascent.given, p)
        locate(board, color, beliefs.places, workspace)
        patience = ascent.allowance.nodes if open_places(board, beliefs.places, bit_width) <= MOST_PLACES else ENDLESS
        searched = search(board, trial, color, tree, found, patience, workspace)
        if searched == NODES_SPENT and beliefs.told.shape[1] >= board.size[0] * board.size[1]:
            status = dive(board, trial, tree.union, color, beliefs, workspace)
            if status == FIXPOINT:
                note_solution(trial, found, workspace)
            if found.number[0] == 2:
                searched = TWO_FOUND
            elif status == OUT_OF_TIME:
                searched = LATE
        if searched == EXHAUSTED:
            outcome.solutions[p] = UNIQUE if found.number[0] == 1 else NONE
        elif searched == TWO_FOUND:
            outcome.solutions[p] = MULTIPLE
        elif searched == LATE or patience == ENDLESS:
            outcome.late[p] = True
        elif CHECKED:
            assert not held or has_known(board, bit_width) or noted(board, found), "the search hands on too little"
            assert is_at_fixpoint(board, color, workspace), "the search hands on what line logic has not ended"
        outcome.rung[p] = outcome.engine[p] = SEARCH
        cpu, wall = note_time(outcome, p, rung, cpu, wall)
        if searched == NODES_SPENT and patience < ENDLESS:
            return k
    return int(waiting.number[0])
