"""Puzzles between two rungs: what is known of their cells, kept until the next rung takes them up.

Each rung runs over many puzzles in one nopython call, and is compiled when the first puzzle needs it.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.board import Board, copy_knowledge, set_up
from solver.checked import CHECKED, plant
from solver.jit import kernel
from solver.ladder.memory import Memory
from solver.ladder.outcome import CPU_SAT, Outcome
from solver.ladder.question import Given
from solver.tools import Tools
from solver.views import Views

MOST, BYTES = 1024, 1 << 22
"""Puzzles that wait at most, and bytes of what is known of them, if that is more than one."""


class Waiting(NamedTuple):
    """Puzzles that a rung has left open.

    number    int64[1]: how many there are
    puzzles   int64[most]: their numbers in the batch
    can       uint64[most, lines x palette, words]: of each its `Board.can`, at the fixpoint of line logic
    """

    number: np.ndarray
    puzzles: np.ndarray
    can: np.ndarray


def nobody_waiting(puzzles: int, board: Board) -> Waiting:
    """Room for some of so many puzzles that this board is large enough for."""
    room = max(1, min(puzzles, MOST, BYTES // max(board.can.nbytes, 1)))
    return Waiting(np.zeros(1, np.int64), np.zeros(room, np.int64), np.zeros((room, *board.can.shape), np.uint64))


@kernel
def keep(board: Board, waiting: Waiting, p: int) -> None:
    """Have the puzzle on the board wait behind the others."""
    k = waiting.number[0]
    waiting.puzzles[k] = p
    copy_knowledge(board.size, board.can, waiting.can[k])
    waiting.number[0] = k + 1


@kernel
def take_up(
    board: Board,
    color: np.ndarray | None,
    batch: Views,
    waiting: Waiting,
    k: int,
    given: Given,
    outcome: Outcome,
    like: Any,
) -> None:
    """Put the puzzle that waits in place k back onto the board."""
    p = waiting.puzzles[k]
    set_up(board, color, batch, p, like)
    copy_knowledge(board.size, waiting.can[k], board.can)
    if CHECKED:
        plant_known(board, given, outcome, p)


@kernel
def plant_known(board: Board, given: Given, outcome: Outcome, p: int) -> None:
    """Give the board the solution that is known of puzzle p, if there is one (in the checked mode)."""
    planted = given.planted
    plant(board, planted.pictures, outcome.offsets[p], len(planted.known) > 0 and planted.known[p])


@kernel
def tools_of(memory: Memory, outcome: Outcome, p: int, until: float) -> Tools:
    """The memory's tools for puzzle p, with its counters, and a deadline.

    until   CPU seconds of this thread, now, and the limit; what the puzzle has had is taken off
    """
    common = memory.tools
    had = 0.0
    for rung in range(CPU_SAT):
        had += outcome.seconds[p, rung]
    return Tools(common.reach, common.gaps, common.new, common.news, outcome.counters[p], until - had, common.like)
