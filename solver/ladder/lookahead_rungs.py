"""The rungs depth-2 and probe, and before them a glance for two solutions; a dive where many are to be expected."""

from typing import Any

import numpy as np

from solver.jit.clock import cpu_seconds, wall_seconds
from solver.jit.kernel import kernel
from solver.ladder.ascent import Ascent, keep, take_up
from solver.ladder.dive import dives_first, first_dive
from solver.ladder.glance import glance
from solver.ladder.lookahead import NO_LIMIT, begin, refute
from solver.ladder.outcome import MULTIPLE, found_of, note_rung, note_time
from solver.ladder.rungs import DEPTH, PROBE, SEARCH
from solver.ladder.search import note_solution
from solver.lines.checked import CHECKED, has_known, is_at_fixpoint
from solver.lines.propagate import CONTRADICTION, FIXPOINT


@kernel
def lookahead_rungs(ascent: Ascent) -> None:
    """All puzzles that wait; those left open go on waiting, if there is another rung."""
    outcome, waiting, memory = ascent.outcome, ascent.waiting, ascent.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    union, beliefs, top = memory.tree.union, memory.beliefs, ascent.allowance.top
    number = waiting.number[0]
    waiting.number[0] = 0
    search: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(number):
        p = waiting.puzzles[k]
        workspace = take_up(ascent, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        left_open = True
        if top == SEARCH:
            found = found_of(outcome, ascent.given, p)
            glance(board, union, trial, color, found, workspace)
            to_dive = found.number[0] < 2 and dives_first(board, color, beliefs, bit_width)
            if to_dive and first_dive(board, trial, union, color, beliefs, workspace) == FIXPOINT:
                note_solution(trial, found, workspace)
            if found.number[0] == 2:
                outcome.solutions[p], outcome.engine[p] = MULTIPLE, SEARCH
                left_open = False
            cpu, wall = note_time(outcome, p, search, cpu, wall)  # it belongs to search, whoever decides
        for rung in (DEPTH, PROBE):
            if left_open and rung <= top:
                limit = ascent.allowance.depth if rung == DEPTH else NO_LIMIT
                begin(board, union, memory.seen, bit_width)
                status = refute(board, trial, union, color, limit, NO_LIMIT, memory.seen, memory.log, workspace)
                if CHECKED:
                    assert not held or (status != CONTRADICTION and has_known(board, bit_width)), (
                        "a rung lost a solution"
                    )
                    assert status != FIXPOINT or is_at_fixpoint(board, color, workspace), "a rung stopped short"
                left_open = note_rung(board, status, rung, p, outcome, bit_width)
                cpu, wall = note_time(outcome, p, rung, cpu, wall)
        if left_open and top == SEARCH:
            keep(board, waiting, p)
