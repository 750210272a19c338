"""A group of puzzles on the way up the ladder: what all of its rungs work with.

Each rung runs over many puzzles in one nopython call. What it leaves open waits, with what is known of its cells, until
the next rung takes it up.
"""

from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel
from solver.ladder.fixpoint import put_on
from solver.ladder.groups import Group
from solver.ladder.memory import Memory, memory_for
from solver.ladder.outcome import CPU_SAT, Outcome
from solver.ladder.question import Allowance, Given
from solver.lines.board import Board, copy_knowledge, init_board
from solver.lines.checked import CHECKED, set_known
from solver.lines.workspace import NEXT_CHECK, Workspace
from solver.model.views import Views
from solver.tuning import LOOK_EVERY

MOST, BYTES = 1024, 1 << 22
"""Puzzles that wait at most, and bytes of what is known of them, if that is more than one."""


BETWEEN_LOOKS = 0.002
"""Seconds that LOOK_EVERY is at most: with more to spare a puzzle begins without a look at the clock."""


class Waiting(NamedTuple):
    """Puzzles that a rung has left open.

    number    int64[1]: how many there are
    puzzles   int64[most]: their numbers in the batch
    can       uint64[most, lines x palette, words]: of each its `Board.can`, at the fixpoint of line logic
    """

    number: np.ndarray
    puzzles: np.ndarray
    can: np.ndarray


class Ascent(NamedTuple):
    """What is asked, what has been found, the puzzles between two rungs, and the memory to work in."""

    batch: Views
    allowance: Allowance
    given: Given
    outcome: Outcome
    waiting: Waiting
    memory: Memory


def ascent_of(batch: Views, group: Group, allowance: Allowance, given: Given, outcome: Outcome) -> Ascent:
    """A group of a batch before the first rung."""
    memory = memory_for(batch, group)
    return Ascent(batch, allowance, given, outcome, _nobody_waiting(len(group.puzzles), memory.board), memory)


def _nobody_waiting(puzzles: int, board: Board) -> Waiting:
    """Room for some of so many puzzles that this board is large enough for."""
    room = max(1, min(puzzles, MOST, BYTES // max(board.can.nbytes, 1)))
    return Waiting(np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros((room, *board.can.shape), np.uint64))


@kernel
def put_up(ascent: Ascent, p: int, now: float) -> Workspace:
    """Put puzzle p on the board, with nothing known but what is given; returns the tools for it.

    now   CPU seconds of this thread
    """
    memory = ascent.memory
    put_on(memory.board, memory.color, ascent.batch, p, ascent.given.start, memory.workspace.bit_width)
    if CHECKED:
        _plant_known(ascent, p)
    return _tools_of(ascent, p, now)


@kernel
def take_up(ascent: Ascent, k: int, now: float) -> Workspace:
    """Put the puzzle that waits in place k back on the board; otherwise like `put_up`."""
    memory, waiting = ascent.memory, ascent.waiting
    p = waiting.puzzles[k]
    init_board(memory.board, memory.color, ascent.batch, p, memory.workspace.bit_width)
    copy_knowledge(memory.board.size, waiting.can[k], memory.board.can)
    if CHECKED:
        _plant_known(ascent, p)
    return _tools_of(ascent, p, now)


@kernel
def keep(board: Board, waiting: Waiting, p: int) -> None:
    """Have the puzzle on the board wait behind the others."""
    k = waiting.number[0]
    waiting.puzzles[k] = p
    copy_knowledge(board.size, board.can, waiting.can[k])
    waiting.number[0] = k + 1


@kernel
def _plant_known(ascent: Ascent, p: int) -> None:
    """Give the board the solution that is known of puzzle p, if there is one (in the checked mode)."""
    planted = ascent.given.planted
    known = len(planted.known) > 0 and planted.known[p]
    set_known(ascent.memory.board, planted.pictures, ascent.outcome.offsets[p], known)


@kernel
def _tools_of(ascent: Ascent, p: int, now: float) -> Workspace:
    """The memory's tools with the counters of puzzle p, and with a deadline: what it has had is taken off its limit."""
    common = ascent.memory.workspace
    had = 0.0
    for rung in range(CPU_SAT):
        had += ascent.outcome.seconds[p, rung]
    left = ascent.allowance.cpu_limit - had
    counters = ascent.outcome.counters[p]
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
