"""The rungs depth-2 and probe, and before them a glance for two solutions."""

import numpy as np

from solver.checked import CHECKED, at_fixpoint, holds
from solver.clock import cpu_seconds, wall_seconds
from solver.glance import glance
from solver.jit import kernel
from solver.ladder.memory import Memory
from solver.ladder.outcome import MULTIPLE, WALL, Outcome, found_of, note_rung
from solver.ladder.question import Allowance, Given
from solver.ladder.rungs import DEPTH, PROBE, SEARCH
from solver.ladder.waiting import Waiting, keep, take_up, tools_of
from solver.lookahead import NO_LIMIT, refute
from solver.propagate import CONTRADICTION, FIXPOINT
from solver.views import Views


@kernel
def lookahead_rungs(
    batch: Views,
    memory: Memory,
    color: np.ndarray | None,
    allowance: Allowance,
    given: Given,
    outcome: Outcome,
    waiting: Waiting,
) -> None:
    """All puzzles that wait; those left open go on waiting, if there is another rung."""
    board, trial, like = memory.board, memory.trial, memory.tools.like
    union, top = memory.tree.union, allowance.top
    number = waiting.number[0]
    waiting.number[0] = 0
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(number):
        p = waiting.puzzles[k]
        tools = tools_of(memory, outcome, p, cpu + allowance.cpu_limit)
        take_up(board, color, batch, waiting, k, given, outcome, like)
        held = CHECKED and holds(board, like)
        left_open = True
        if top == SEARCH:
            found = found_of(outcome, given, p)
            glance(board, union, trial, color, found, tools)
            if found.number[0] == 2:
                outcome.solutions[p], outcome.engine[p] = MULTIPLE, SEARCH
                left_open = False
            before = cpu
            cpu = cpu_seconds()
            outcome.seconds[p, SEARCH] = cpu - before  # it belongs to search, whoever decides
        for rung in (DEPTH, PROBE):
            if left_open and rung <= top:
                limit = allowance.depth if rung == DEPTH else NO_LIMIT
                status = refute(board, trial, union, color, limit, memory.seen, memory.log, tools)
                if CHECKED:
                    assert not held or (status != CONTRADICTION and holds(board, like)), "a rung lost a solution"
                    assert status != FIXPOINT or at_fixpoint(board, color, tools), "a rung stopped short"
                left_open = note_rung(board, status, rung, p, outcome, like)
                before = cpu
                cpu = cpu_seconds()
                outcome.seconds[p, rung] = cpu - before
        if left_open and top == SEARCH:
            keep(board, waiting, p)
        last_wall = wall
        wall = wall_seconds()
        outcome.seconds[p, WALL] += wall - last_wall
