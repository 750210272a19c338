"""Up the ladder: a whole batch of puzzles, each as far as it takes.

The rungs up to search run in one nopython call for all puzzles of a group. It stops at a puzzle that needs the tail,
with that puzzle on the board, and goes on with the next one when the tail has decided.
"""

from typing import Any

import numpy as np

from solver.board import begin_from, set_up, undecided, write_picture
from solver.checked import CHECKED, at_fixpoint, holds, plant
from solver.clock import cpu_seconds, wall_seconds
from solver.dive import dive
from solver.glance import glance
from solver.jit import kernel
from solver.ladder.fixpoint import propagate_all
from solver.ladder.groups import Group, groups
from solver.ladder.handover import hand_over
from solver.ladder.memory import Memory, memory_for
from solver.ladder.outcome import MULTIPLE, NONE, UNIQUE, WALL, Outcome, no_outcome
from solver.ladder.question import NOTHING, Allowance, Given
from solver.ladder.rungs import DEPTH, LINE, PROBE, SEARCH
from solver.lookahead import NO_LIMIT, refute
from solver.places import locate, open_places
from solver.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND, Found, note_solution, noted, search
from solver.tools import Tools
from solver.tuning import MOST_PLACES
from solver.views import Views

ENDLESS: Any = np.int64(1 << 60)
"""Nodes of search for a puzzle whose formula would not fit in memory."""


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
    """The kernels' rungs for all puzzles of a group, the tail for those that need it."""
    left = group.puzzles
    while True:
        done = _climb(batch, left, memory, memory.color, allowance, given, outcome)
        if done == len(left):
            return
        hand_over(left[done], allowance.cpu_limit, given.start, memory, outcome)
        left = left[done + 1 :]


@kernel
def _climb(
    batch: Views,
    puzzles: np.ndarray,
    memory: Memory,
    color: np.ndarray | None,
    allowance: Allowance,
    given: Given,
    outcome: Outcome,
) -> int:
    """Puzzle by puzzle up to the first that needs the tail. Returns how many come before it; all of them if none does.

    `color` is the memory's, as an argument of its own (solver.board.Board). One puzzle's last look at the clock is the
    next one's first.
    """
    board, trial, _, common, seen, log, tree, beliefs = memory
    cpu_limit, depth, top, nodes = allowance
    _, start, planted = given
    like = common.like
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(puzzles)):
        p = puzzles[k]
        tools = Tools(common.reach, common.gaps, common.new, common.news, outcome.counters[p], cpu + cpu_limit, like)
        set_up(board, color, batch, p, like)
        if len(start) > 0:
            begin_from(board, start, like)
        if CHECKED:
            plant(board, planted.pictures, outcome.offsets[p], len(planted.known) > 0 and planted.known[p])
        held = CHECKED and holds(board, like)
        width, height = int(board.size[0]), int(board.size[1])
        status = propagate_all(board, color, tools)
        left = width * height
        place = slice(outcome.offsets[p], outcome.offsets[p + 1])
        found = Found(outcome.first[place], outcome.second[place], outcome.found[p : p + 1], start)
        rung = LINE
        while True:
            before = cpu
            cpu = cpu_seconds()
            outcome.seconds[p, rung] += cpu - before
            if CHECKED:
                assert not held or (status != CONTRADICTION and holds(board, like)), "a rung lost a solution"
                assert status != FIXPOINT or at_fixpoint(board, color, tools), "a rung stopped short"
            left = undecided(board, like)
            outcome.decided[p, rung] = width * height - left
            if status != FIXPOINT or left == 0 or rung in (PROBE, top):
                break
            if rung == LINE and top == SEARCH:
                shown = glance(board, tree.union, trial, color, found, tools)
                before = cpu
                cpu = cpu_seconds()
                outcome.seconds[p, SEARCH] = cpu - before  # it belongs to search, whoever decides
                if shown:
                    break
            rung += 1
            limit = depth if rung == DEPTH else NO_LIMIT
            status = refute(board, trial, tree.union, color, limit, seen, log, tools)
        outcome.rung[p] = rung
        if status == CONTRADICTION:
            outcome.solutions[p] = NONE
        elif status == OUT_OF_TIME:
            outcome.late[p] = True
        elif left == 0:
            outcome.solutions[p] = UNIQUE
            outcome.found[p] = 1
            write_picture(board, outcome.first[outcome.offsets[p] : outcome.offsets[p + 1]], like)
        searched, patience = EXHAUSTED, nodes
        engine = rung
        if found.number[0] == 2:
            outcome.solutions[p], engine = MULTIPLE, SEARCH
        elif status == FIXPOINT and left > 0 and top == SEARCH:
            engine = SEARCH
            locate(board, color, beliefs.places, tools)
            patience = nodes if open_places(board, beliefs.places, like) <= MOST_PLACES else ENDLESS
            searched = search(board, trial, color, tree, found, patience, tools)
            outcome.rung[p] = SEARCH
            if searched == NODES_SPENT and beliefs.told.shape[1] >= width * height:
                status = dive(board, trial, tree.union, color, beliefs, tools)
                if status == FIXPOINT:
                    note_solution(trial, found, tools)
                if found.number[0] == 2:
                    searched = TWO_FOUND
                elif status == OUT_OF_TIME:
                    searched = LATE
            if searched == EXHAUSTED:
                outcome.solutions[p] = UNIQUE if found.number[0] == 1 else NONE
            elif searched == TWO_FOUND:
                outcome.solutions[p] = MULTIPLE
            elif searched == LATE:
                outcome.late[p] = True
            if CHECKED and searched == NODES_SPENT:
                assert not held or holds(board, like) or noted(board, found), "the search hands on too little"
                assert at_fixpoint(board, color, tools), "the search hands on what line logic has not ended"
            before = cpu
            cpu = cpu_seconds()
            outcome.seconds[p, SEARCH] += cpu - before
        last_wall = wall
        wall = wall_seconds()
        outcome.seconds[p, WALL] = wall - last_wall
        outcome.engine[p] = engine
        if searched == NODES_SPENT:
            if patience < ENDLESS:
                return k
            outcome.late[p] = True
    return len(puzzles)
