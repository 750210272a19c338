"""The kernels of the rungs, each over all puzzles of a group in one nopython call.

A rung enqueues what it leaves open, with what is known of the cells, and the next rung dequeues it.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds, wall_seconds
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.dive import dive, dives_first, greedy_descent
from nonocensus.solver.ladder.fixpoint import place_puzzle, propagate_all
from nonocensus.solver.ladder.ladder_options import DEPTH, LINE, PROBE, SEARCH, LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, refute
from nonocensus.solver.ladder.memory import KernelGroup, Memory, memory_for
from nonocensus.solver.ladder.outcome import (
    CPU_SAT,
    MULTIPLE,
    NONE,
    UNIQUE,
    Outcome,
    record_rung,
    record_time,
    solution_pair,
)
from nonocensus.solver.ladder.search import (
    EXHAUSTED,
    LATE,
    NODES_SPENT,
    TWO_FOUND,
    is_recorded,
    record_solution,
    search,
)
from nonocensus.solver.lines.board import Board, copy_knowledge, init_board
from nonocensus.solver.lines.checked import CHECKED, has_known, is_at_fixpoint, set_known
from nonocensus.solver.lines.line_cache import clear
from nonocensus.solver.lines.line_solver import locate, open_places
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import NEXT_CHECK, Workspace, with_deadline
from nonocensus.solver.model.views import Views
from nonocensus.solver.tuning import LOOK_EVERY, MOST_PLACES

MAX_QUEUE, MAX_QUEUE_BYTES = 1024, 1 << 22
"""Limits of the queue; it always has room for one puzzle."""

CHECK_INTERVAL = 0.002
"""Upper bound of LOOK_EVERY in seconds: with more time left a puzzle begins without a look at the clock."""

UNLIMITED: Any = np.int64(1 << 60)
"""Search nodes for a puzzle whose formula would not fit in memory."""


class PuzzleQueue(NamedTuple):
    """Puzzles that a rung has left open.

    size      int64[1]
    puzzles   int64[capacity]: indices in the batch
    can       uint64[capacity, lines x palette, words]: each puzzle's `Board.can`, at the fixpoint of line logic
    """

    size: np.ndarray
    puzzles: np.ndarray
    can: np.ndarray


class LadderState(NamedTuple):
    """State of the ladder for one group: input, outcome, the queue between two rungs, and working memory."""

    batch: Views
    options: LadderOptions
    prior: PriorKnowledge
    outcome: Outcome
    queue: PuzzleQueue
    memory: Memory


def initial_state(
    batch: Views, group: KernelGroup, options: LadderOptions, prior: PriorKnowledge, outcome: Outcome
) -> LadderState:
    """Return the state of a group before the first rung."""
    memory = memory_for(batch, group, options.belief_bytes)
    can = memory.board.can
    room = max(1, min(len(group.puzzles), MAX_QUEUE, MAX_QUEUE_BYTES // max(can.nbytes, 1)))
    queue = PuzzleQueue(np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros((room, *can.shape), np.uint64))
    return LadderState(batch, options, prior, outcome, queue, memory)


@kernel
def load_queued(state: LadderState, k: int, now: float) -> Workspace:
    """Load entry k of the queue back onto the board; returns as `puzzle_workspace`."""
    memory, queue = state.memory, state.queue
    p = queue.puzzles[k]
    init_board(memory.board, memory.color, state.batch, p, memory.workspace.bit_width)
    copy_knowledge(memory.board.size, queue.can[k], memory.board.can)
    return puzzle_workspace(state, p, now)


@kernel
def enqueue(board: Board, queue: PuzzleQueue, p: int) -> None:
    """Append the puzzle on the board to the queue."""
    k = queue.size[0]
    queue.puzzles[k] = p
    copy_knowledge(board.size, board.can, queue.can[k])
    queue.size[0] = k + 1


@kernel
def puzzle_workspace(state: LadderState, p: int, now: float) -> Workspace:
    """Return the workspace for puzzle p, on the board: its counters, what is left of its limit, an empty line cache.

    now   CPU seconds of this thread
    """
    if CHECKED:
        planted = state.prior.planted
        known = len(planted.known) > 0 and planted.known[p]
        set_known(state.memory.board, planted.pictures, state.outcome.offsets[p], known)
    common = state.memory.workspace
    used = 0.0
    for rung in range(CPU_SAT):
        used += state.outcome.seconds[p, rung]
    left = state.options.cpu_limit - used
    counters = state.outcome.counters[p]
    if left > CHECK_INTERVAL and counters[NEXT_CHECK] == 0:
        counters[NEXT_CHECK] = LOOK_EVERY  # reading the clock costs as much as a small puzzle
    clear(common.line_cache, common.bit_width)
    return with_deadline(common, counters, now + left)


@kernel
def run_line_rung(state: LadderState, puzzles: np.ndarray) -> int:
    """Run line logic on each puzzle; enqueue those left open, unless this is the last rung.

    Returns how many were done before the queue was full. The clock is read once per puzzle: the end of one is the start
    of the next.
    """
    outcome, queue, memory = state.outcome, state.queue, state.memory
    board, color, bit_width = memory.board, memory.color, memory.workspace.bit_width
    rung: Any = np.int64(LINE)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(puzzles)):
        if queue.size[0] == len(queue.puzzles):
            return k
        p = puzzles[k]
        place_puzzle(board, color, state.batch, p, state.prior.start, bit_width)
        workspace = puzzle_workspace(state, p, cpu)
        held = CHECKED and has_known(board, bit_width)
        status = propagate_all(board, color, workspace)
        if CHECKED:
            assert not held or (status != CONTRADICTION and has_known(board, bit_width)), "a rung lost a solution"
            assert status != FIXPOINT or is_at_fixpoint(board, color, workspace), "a rung stopped short"
        left_open = record_rung(board, status, rung, p, outcome, bit_width)
        if left_open and state.options.top > LINE:
            enqueue(board, queue, p)
        cpu, wall = record_time(outcome, p, rung, cpu, wall)
    return len(puzzles)


@kernel
def run_lookahead_rungs(state: LadderState) -> None:
    """Run greedy descent, the first dive, depth-2 and probe on the queue; requeue open puzzles if search is next."""
    outcome, queue, memory = state.outcome, state.queue, state.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    union, beliefs, top = memory.tree.union, memory.beliefs, state.options.top
    size = queue.size[0]
    queue.size[0] = 0
    search: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(size):
        p = queue.puzzles[k]
        workspace = load_queued(state, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        left_open = True
        if top == SEARCH:
            found = solution_pair(outcome, state.prior, p)
            greedy_descent(board, union, trial, color, beliefs, found, workspace)
            to_dive = found.number[0] < 2 and dives_first(board, beliefs, bit_width)
            if to_dive and dive(board, trial, union, color, beliefs, workspace) == FIXPOINT:
                record_solution(trial, found, workspace)
            if found.number[0] == 2:
                outcome.solutions[p], outcome.engine[p] = MULTIPLE, SEARCH
                left_open = False
            cpu, wall = record_time(outcome, p, search, cpu, wall)  # counts as search, whatever decides the puzzle
        for rung in (DEPTH, PROBE):
            if left_open and rung <= top:
                limit = state.options.depth if rung == DEPTH else NO_LIMIT
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
            enqueue(board, queue, p)


@kernel
def run_search_rung(state: LadderState, first: int) -> int:
    """Run search and dives on the queue from entry `first` until a puzzle needs clause learning.

    Returns that puzzle's entry, with the puzzle still on the board, or the queue's size if none does.
    """
    outcome, queue, memory = state.outcome, state.queue, state.memory
    board, trial, color, bit_width = memory.board, memory.trial, memory.color, memory.workspace.bit_width
    tree, beliefs = memory.tree, memory.beliefs
    rung: Any = np.int64(SEARCH)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(first, queue.size[0]):
        p = queue.puzzles[k]
        workspace = load_queued(state, k, cpu)
        held = CHECKED and has_known(board, bit_width)
        found = solution_pair(outcome, state.prior, p)
        locate(board, color, beliefs.places, workspace)
        node_limit = state.options.nodes if open_places(board, beliefs.places, bit_width) <= MOST_PLACES else UNLIMITED
        searched = search(board, trial, color, tree, found, node_limit, workspace)
        if searched == NODES_SPENT and beliefs.messages.shape[1] >= board.size[0] * board.size[1]:
            status = dive(board, trial, tree.union, color, beliefs, workspace)
            if status == FIXPOINT:
                record_solution(trial, found, workspace)
            if found.number[0] == 2:
                searched = TWO_FOUND
            elif status == OUT_OF_TIME:
                searched = LATE
        if searched == EXHAUSTED:
            outcome.solutions[p] = UNIQUE if found.number[0] == 1 else NONE
        elif searched == TWO_FOUND:
            outcome.solutions[p] = MULTIPLE
        elif searched == LATE or node_limit == UNLIMITED:
            outcome.late[p] = True
        elif CHECKED:
            assert not held or has_known(board, bit_width) or is_recorded(board, found), "the search lost a solution"
            assert is_at_fixpoint(board, color, workspace), "the search ended short of the fixpoint of line logic"
        outcome.rung[p] = outcome.engine[p] = SEARCH
        cpu, wall = record_time(outcome, p, rung, cpu, wall)
        if searched == NODES_SPENT and node_limit < UNLIMITED:
            return k
    return int(queue.size[0])
