"""Line logic alone: bring one puzzle's board to its fixpoint."""

import math
import time
from typing import Any

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.memory import KernelGroup, Memory, kernel_groups, memory_for
from nonocensus.solver.lines.bits import low_bits
from nonocensus.solver.lines.board import Board, apply_start, init_board
from nonocensus.solver.lines.propagate import CONTRADICTION, OUT_OF_TIME, propagate
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.model.views import Clues, Views


def line_fixpoint(
    batch: Views, cpu_limit: float, start: np.ndarray = FROM_NOTHING, group: KernelGroup | None = None
) -> Memory | None:
    """Return memory with the board of a batch's one puzzle at the fixpoint of line logic; None for a contradiction.

    start   as in `PriorKnowledge`
    group   selects the kernels and the memory; by default the puzzle's own

    Raises TimeoutError after `cpu_limit` CPU seconds.
    """
    if group is None:
        (group,) = kernel_groups(batch)
    memory = memory_for(batch, group)
    workspace = memory.workspace._replace(deadline=time.thread_time() + cpu_limit)
    status = _line_logic(memory.board, memory.color, batch, 0, start, workspace)
    if status == OUT_OF_TIME:
        raise TimeoutError(f"line logic did not end within {cpu_limit} CPU seconds")
    return None if status == CONTRADICTION else memory


def example_group(words: int, colored: bool) -> tuple[Views, KernelGroup]:
    """Return a batch of a puzzle of four cells with two solutions, and its group, to compile these kernels on."""
    one = np.array([1, 1], np.uint16)
    two = 2 * one[:1]
    clues = Clues(np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32), one, one.astype(np.uint8))
    for array in (*clues, two):
        array.flags.writeable = False  # as Arrow's: kernels are compiled for read-only clues
    return Views(two, two, clues, clues), KernelGroup(words, 2 if colored else None, np.arange(1))


def example_at_fixpoint(words: int, colored: bool) -> Memory:
    """Return the memory of the example puzzle, to compile kernels on."""
    batch, group = example_group(words, colored)
    memory = line_fixpoint(batch, math.inf, group=group)
    assert memory is not None
    return memory


@kernel
def _line_logic(
    board: Board, color: np.ndarray | None, batch: Views, p: int, start: np.ndarray, workspace: Workspace
) -> int:
    """Load puzzle p of a batch and run line logic; returns as `propagate`."""
    place_puzzle(board, color, batch, p, start, workspace.bit_width)
    return propagate_all(board, color, workspace)


@kernel
def place_puzzle(
    board: Board, color: np.ndarray | None, batch: Views, p: int, start: np.ndarray, bit_width: Any
) -> None:
    """Load puzzle p of a batch onto a board, without the colours that a start rules out."""
    init_board(board, color, batch, p, bit_width)
    if len(start) > 0:
        apply_start(board, start, bit_width)


@kernel
def propagate_all(board: Board, color: np.ndarray | None, workspace: Workspace) -> int:
    """Run line logic on all lines; returns as `propagate`."""
    bit_width = workspace.bit_width
    rows, columns = low_bits(int(board.size[1]), bit_width), low_bits(int(board.size[0]), bit_width)
    return propagate(board, color, rows, columns, rows, columns, workspace)
