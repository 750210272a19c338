"""The bottom of the ladder alone: one puzzle's board at the fixpoint of line logic."""

import math
import time
from typing import Any

import numpy as np

from solver.jit.kernel import kernel
from solver.ladder.ladder_options import FROM_NOTHING
from solver.ladder.memory import KernelGroup, Memory, all_kernel_groups, memory_for
from solver.lines.bits import low_bits
from solver.lines.board import Board, apply_start, init_board
from solver.lines.propagate import CONTRADICTION, OUT_OF_TIME, propagate
from solver.lines.workspace import Workspace
from solver.model.views import Clues, Views


def line_fixpoint(batch: Views, cpu_limit: float, start: np.ndarray = FROM_NOTHING) -> Memory | None:
    """Memory with the board of a batch's one puzzle at the fixpoint of line logic; None for a contradiction.

    `start` as in solver.ladder.ladder_options.PriorKnowledge.

    Raises TimeoutError if that takes more than `cpu_limit` CPU seconds.
    """
    (group,) = all_kernel_groups(batch)
    return line_fixpoint_of(batch, group, cpu_limit, start)


def line_fixpoint_of(
    batch: Views, group: KernelGroup, cpu_limit: float, start: np.ndarray = FROM_NOTHING
) -> Memory | None:
    """The same with the kernels and the memory of a group that the puzzle need not be of."""
    memory = memory_for(batch, group)
    workspace = memory.workspace._replace(deadline=time.thread_time() + cpu_limit)
    status = _line_logic(memory.board, memory.color, batch, 0, start, workspace)
    if status == OUT_OF_TIME:
        raise TimeoutError(f"line logic did not end in {cpu_limit} CPU seconds")
    return None if status == CONTRADICTION else memory


def example_at_fixpoint(words: int, colored: bool) -> Memory:
    """The same for a puzzle of four cells with two solutions, to compile kernels on."""
    one = np.array([1, 1], np.uint16)
    two = 2 * one[:1]
    clues = Clues(np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32), one, one.astype(np.uint8))
    for array in (*clues, two):
        array.flags.writeable = False  # as Arrow's are: else kernels would be compiled for both
    group = KernelGroup(words, 2 if colored else None, np.arange(1))
    memory = line_fixpoint_of(Views(two, two, clues, clues), group, math.inf)
    assert memory is not None
    return memory


@kernel
def _line_logic(
    board: Board, color: np.ndarray | None, batch: Views, p: int, start: np.ndarray, workspace: Workspace
) -> int:
    """Line logic on puzzle p of a batch, or on what a start leaves of it; returns as `propagate`."""
    put_on(board, color, batch, p, start, workspace.bit_width)
    return propagate_all(board, color, workspace)


@kernel
def put_on(board: Board, color: np.ndarray | None, batch: Views, p: int, start: np.ndarray, bit_width: Any) -> None:
    """Put puzzle p of a batch on a board, without what a start rules out."""
    init_board(board, color, batch, p, bit_width)
    if len(start) > 0:
        apply_start(board, start, bit_width)


@kernel
def propagate_all(board: Board, color: np.ndarray | None, workspace: Workspace) -> int:
    """Line logic over all lines; returns as `propagate`."""
    bit_width = workspace.bit_width
    rows, columns = low_bits(int(board.size[1]), bit_width), low_bits(int(board.size[0]), bit_width)
    return propagate(board, color, rows, columns, rows, columns, workspace)
