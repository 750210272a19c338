"""The rungs line, depth-2, probe and search as kernels, each over all puzzles of a group."""

from typing import Any, NamedTuple

import numpy as np

from solver.jit.clock import cpu_seconds, wall_seconds
from solver.jit.kernel import kernel
from solver.ladder.dive import dive, dives_first, first_dive, glance
from solver.ladder.fixpoint import propagate_all, put_on
from solver.ladder.ladder_options import DEPTH, LINE, PROBE, SEARCH, LadderOptions, PriorKnowledge
from solver.ladder.lookahead import NO_LIMIT, begin, refute
from solver.ladder.memory import KernelGroup, Memory, memory_for
from solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, UNIQUE, Outcome, record_rung, record_time, solution_pair
from solver.ladder.search import EXHAUSTED, LATE, NODES_SPENT, TWO_FOUND, note_solution, noted, search
from solver.lines.board import Board, copy_knowledge, init_board
from solver.lines.checked import CHECKED, has_known, is_at_fixpoint, set_known
from solver.lines.places import locate, open_places
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.lines.workspace import NEXT_CHECK, Workspace
from solver.model.views import Views
from solver.tuning import LOOK_EVERY, MOST_PLACES

MOST, BYTES = 1024, 1 << 22
"""Puzzles that wait at most, and bytes of what is known of them, if that is more than one."""


BETWEEN_LOOKS = 0.002
"""Seconds that LOOK_EVERY is at most: with more to spare a puzzle begins without a look at the clock."""


class PuzzleQueue(NamedTuple):
    """Puzzles that a rung has left open.

    number    int64[1]: how many there are
    puzzles   int64[most]: their numbers in the batch
    can       uint64[most, lines x palette, words]: of each its `Board.can`, at the fixpoint of line logic
    """

    number: np.ndarray
    puzzles: np.ndarray
    can: np.ndarray


class LadderState(NamedTuple):
    """What is asked, what has been found, the puzzles between two rungs, and the memory to work in."""

    batch: Views
    allowance: LadderOptions
    given: PriorKnowledge
    outcome: Outcome
    waiting: PuzzleQueue
    memory: Memory


def initial_state(
    batch: Views, group: KernelGroup, allowance: LadderOptions, given: PriorKnowledge, outcome: Outcome
) -> LadderState:
    """A group of a batch before the first rung."""
    memory = memory_for(batch, group)
    return LadderState(batch, allowance, given, outcome, _nobody_waiting(len(group.puzzles), memory.board), memory)


def _nobody_waiting(puzzles: int, board: Board) -> PuzzleQueue:
    """Room for some of so many puzzles that this board is large enough for."""
    room = max(1, min(puzzles, MOST, BYTES // max(board.can.nbytes, 1)))
    return PuzzleQueue(np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros((room, *board.can.shape), np.uint64))


@kernel
def load_puzzle(state: LadderState, p: int, now: float) -> Workspace:
    """Put puzzle p on the board, with nothing known but what is given; returns the tools for it.

    now   CPU seconds of this thread
    """
    memory = state.memory
    put_on(memory.board, memory.color, state.batch, p, state.given.start, memory.workspace.bit_width)
    if CHECKED:
        _plant_known(state, p)
    return _tools_of(state, p, now)


@kernel
def load_waiting(state: LadderState, k: int, now: float) -> Workspace:
    """Put the puzzle that waits in place k back on the board; otherwise like `load_puzzle`."""
    memory, waiting = state.memory, state.waiting
    p = waiting.puzzles[k]
    init_board(memory.board, memory.color, state.batch, p, memory.workspace.bit_width)
    copy_knowledge(memory.board.size, waiting.can[k], memory.board.can)
    if CHECKED:
        _plant_known(state, p)
    return _tools_of(state, p, now)


@kernel
def enqueue(board: Board, waiting: PuzzleQueue, p: int) -> None:
    """Have the puzzle on the board wait behind the others."""
    k = waiting.number[0]
    waiting.puzzles[k] = p
    copy_knowledge(board.size, board.can, waiting.can[k])
    waiting.number[0] = k + 1


@kernel
def _plant_known(state: LadderState, p: int) -> None:
    """Give the board the solution that is known of puzzle p, if there is one (in the checked mode)."""
    planted = state.given.planted
    known = len(planted.known) > 0 and planted.known[p]
    set_known(state.memory.board, planted.pictures, state.outcome.offsets[p], known)


@kernel
def _tools_of(state: LadderState, p: int, now: float) -> Workspace:
    """The memory's tools with the counters of puzzle p, and with a deadline: what it has had is taken off its limit."""
    common = state.memory.workspace
    had = 0.0
    for rung in range(CPU_SAT):
        had += state.outcome.seconds[p, rung]
    left = state.allowance.cpu_limit - had
    counters = state.outcome.counters[p]
    if left > BETWEEN_LOOKS and counters[NEXT_CHECK] == 0:
        counters[NEXT_CHECK] = LOOK_EVERY  # a look takes as long as a small puzzle
    return Workspace(
        common.reach,
        common.gaps,
        common.back,
        common.back_gaps,
        common.new,
        common.report,
        counters,
        now + left,
        common.bit_width,
    )


@kernel
def run_line_rung(state: LadderState, puzzles: np.ndarray) -> int:
    """Puzzle by puzzle; those left open wait for the next rung, unless this is the last one.

    Returns how many were done before there was no more room to wait. One puzzle's last look at the clock is the next
    one's first.
    """
    outcome, waiting, memory = state.outcome, state.waiting, state.memory
    board, color, bit_width = memory.board, memory.color, memory.workspace.bit_width
    rung: Any = np.int64(LINE)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(puzzles)):
        if waiting.number[0] == len(waiting.puzzles):
            return k
        p = puzzles[k]
        workspace = load_puzzle(state, p, cpu)
        held = CHECKED and has_known(board, bit_width)
        status = propagate_all(board, color, workspace)
        if CHECKED:
            assert not held or (status != CONTRADICTION and has_known(board, bit_width)), "a rung lost a solution"
            assert status != FIXPOINT or is_at_fixpoint(board, color, workspace), "a rung stopped short"
        left_open = record_rung(board, status, rung, p, outcome, bit_width)
        if left_open and state.allowance.top > LINE:
            enqueue(board, waiting, p)
        cpu, wall = record_time(outcome, p, rung, cpu, wall)
    return len(puzzles)


@kernel
def run_lookahead_rungs(state: LadderState) -> None:
    """All puzzles that wait; those left open go on waiting, if there is another rung."""
    outcome, waiting, memory = state.outcome, state.waiting, state.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    union, beliefs, top = memory.tree.union, memory.beliefs, state.allowance.top
    number = waiting.number[0]
    waiting.number[0] = 0
    search: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(number):
        p = waiting.puzzles[k]
        workspace = load_waiting(state, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        left_open = True
        if top == SEARCH:
            found = solution_pair(outcome, state.given, p)
            glance(board, union, trial, color, found, workspace)
            to_dive = found.number[0] < 2 and dives_first(board, color, beliefs, bit_width)
            if to_dive and first_dive(board, trial, union, color, beliefs, workspace) == FIXPOINT:
                note_solution(trial, found, workspace)
            if found.number[0] == 2:
                outcome.solutions[p], outcome.engine[p] = MULTIPLE, SEARCH
                left_open = False
            cpu, wall = record_time(outcome, p, search, cpu, wall)  # it belongs to search, whoever decides
        for rung in (DEPTH, PROBE):
            if left_open and rung <= top:
                limit = state.allowance.depth if rung == DEPTH else NO_LIMIT
                begin(board, union, memory.seen, bit_width)
                status = refute(board, trial, union, color, limit, NO_LIMIT, memory.seen, memory.log, workspace)
                if CHECKED:
                    assert not held or (status != CONTRADICTION and has_known(board, bit_width)), (
                        "a rung lost a solution"
                    )
                    assert status != FIXPOINT or is_at_fixpoint(board, color, workspace), "a rung stopped short"
                left_open = record_rung(board, status, rung, p, outcome, bit_width)
                cpu, wall = record_time(outcome, p, rung, cpu, wall)
        if left_open and top == SEARCH:
            enqueue(board, waiting, p)


ENDLESS: Any = np.int64(1 << 60)
"""Nodes of search for a puzzle whose formula would not fit in memory."""


@kernel
def run_search_rung(state: LadderState, first: int) -> int:
    """The puzzles that wait in place `first` and behind it, up to the first that needs the tail.

    Returns its place; it stays on the board. If none does, returns how many wait.
    """
    outcome, waiting, memory = state.outcome, state.waiting, state.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    tree, beliefs = memory.tree, memory.beliefs
    rung: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(first, waiting.number[0]):
        p = waiting.puzzles[k]
        workspace = load_waiting(state, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        found = solution_pair(outcome, state.given, p)
        locate(board, color, beliefs.places, workspace)
        patience = state.allowance.nodes if open_places(board, beliefs.places, bit_width) <= MOST_PLACES else ENDLESS
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
        cpu, wall = record_time(outcome, p, rung, cpu, wall)
        if searched == NODES_SPENT and patience < ENDLESS:
            return k
    return int(waiting.number[0])
