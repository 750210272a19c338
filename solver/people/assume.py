"""Assumptions that lead to contradictions, shallowest first."""

import math
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel, standalone
from solver.ladder.fixpoint import example_at_fixpoint, line_fixpoint
from solver.ladder.lookahead import NO_LIMIT, begin, forget, look_ahead, probe, take_away
from solver.ladder.memory import Memory, all_kernel_groups, kernel_kinds
from solver.lines.bits import has_any, load, store
from solver.lines.board import Board, allows, copy, is_open
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.lines.workspace import LINE_SOLVES, SOLVED_COLUMNS, SOLVED_ROWS, Workspace
from solver.model.techniques import CHAIN, EDGE, LONG_CHAIN
from solver.model.views import Views
from solver.people.person import compile_person

DEPTHS = {EDGE: np.int64(2), CHAIN: np.int64(4), LONG_CHAIN: NO_LIMIT}
"""Levels to which each technique follows an assumption (solver.ladder.lookahead)."""


class RefutedAssumption(NamedTuple):
    """An assumption that leads to a contradiction.

    place, color    of a cell, row-major
    technique       the shallowest technique that refutes it
    """

    place: int
    color: int
    technique: int


class NoSolution(Exception):
    """The puzzle has no solution, as assumptions have shown."""


def assumptions_on(puzzle: Views, grid: np.ndarray, deadline: float) -> "Assumptions":
    """Prepare assumptions on the one puzzle of a batch.

    grid        int64[height x width]: possible colours of each cell, one bit per colour
    deadline    CPU seconds of this thread

    Raises NoSolution if line logic alone finds a contradiction, and TimeoutError.
    """
    ((_, colors, _),) = all_kernel_groups(puzzle)
    start = (grid[:, None] >> np.arange((colors or 1) + 1) & 1).astype(np.bool_)
    memory = line_fixpoint(puzzle, deadline - time.thread_time(), start)
    if memory is None:
        raise NoSolution
    return Assumptions(memory, deadline)


def compile_for(puzzles: Views) -> None:
    """Compile all kernels that grading and explaining these puzzles needs."""
    for words, colored in kernel_kinds(puzzles):
        compile_person(words)
        compile_assumptions(words, colored)


@cache
def compile_assumptions(words: int, colored: bool) -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    example = Assumptions(example_at_fixpoint(words, colored), math.inf)
    example.refuted(1)
    example.length(RefutedAssumption(0, 0, EDGE))
    example.take_away(0, 0)


class Assumptions:
    """A puzzle's board at the fixpoint of line logic, on which assumptions are refuted."""

    def __init__(self, memory: Memory, deadline: float) -> None:
        """Use the board of `memory`; past `deadline` (CPU seconds of this thread) all methods raise TimeoutError."""
        self.memory = memory._replace(workspace=memory.workspace._replace(deadline=deadline))
        self.width = int(memory.board.size[0])
        self.seen = {technique: np.zeros_like(memory.seen) for technique in DEPTHS}
        for seen in self.seen.values():
            begin(memory.board, memory.tree.union, seen, memory.workspace.bit_width)

    def next(self) -> RefutedAssumption | None:
        """Find the first refuted assumption of the shallowest technique, exclude its colour and propagate.

        Returns None if no assumption leads to a contradiction. Raises NoSolution if all colours of a cell are refuted.
        """
        found = self.refuted(1)
        if not found:
            return None
        self.take_away(found[0].place, found[0].color)
        return found[0]

    def refuted(self, most: int | None = None) -> list[RefutedAssumption]:
        """Return refuted assumptions of the shallowest technique that refutes any, each on the present board.

        most    number after which to stop
        """
        memory = self.memory
        log = np.zeros((most or memory.board.size.prod(), 3), np.int32)
        for technique, seen in self.seen.items():
            board, began, depth = memory.board, memory.tree.union, DEPTHS[technique]
            found = _find_refuted(board, memory.trial, began, memory.color, depth, seen, log, memory.workspace)
            if found < 0:
                raise TimeoutError
            if found:
                places = log[:found].tolist()
                return [RefutedAssumption(y * self.width + x, color, technique) for y, x, color in places]
        return []

    def length(self, found: RefutedAssumption) -> float:
        """Return the number of line solves from an assumption to its contradiction; infinite if there is none."""
        memory = self.memory
        y, x = divmod(found.place, self.width)
        lines = _follow(memory.board, memory.trial, memory.color, y, x, found.color, memory.workspace)
        return math.inf if lines < 0 else lines

    def take_away(self, place: int, color: int) -> None:
        """Exclude a colour from a cell and propagate. Raises NoSolution on a contradiction."""
        memory = self.memory
        y, x = divmod(place, self.width)
        status = take_away(memory.board, memory.color, y, x, color, memory.workspace)
        if status == OUT_OF_TIME:
            raise TimeoutError
        if status == CONTRADICTION:
            raise NoSolution
        for seen in self.seen.values():
            if len(seen):
                forget(seen, len(seen) // 2, memory.workspace)

    @property
    def line_solves(self) -> int:
        """Number of line solves so far."""
        return int(self.memory.workspace.counters[LINE_SOLVES])


@standalone
def _find_refuted(
    board: Board,
    trial: Board,
    began: Board,
    color: np.ndarray | None,
    depth: int,
    seen: np.ndarray,
    log: np.ndarray,
    workspace: Workspace,
) -> int:
    """Find refuted assumptions in reading order until the log is full; return their number, -1 if out of time.

    The board, at the fixpoint of line logic, is unchanged. Arguments as of `solver.ladder.lookahead.refute`.
    """
    bit_width = workspace.bit_width
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    remember = seen.shape[0] >= 2 * width * height * palette
    found = 0
    for number in range(width * height * palette):
        place, c = number // palette, number % palette
        y, x = place // width, place % width
        if not is_open(board, y, x, bit_width) or not allows(board, y, x, c, bit_width):
            continue
        if remember and has_any(load(seen, 2 * number, bit_width)):
            continue
        copy(board, trial)
        if depth == NO_LIMIT:
            status = probe(trial, color, y, x, c, workspace)
        else:
            status = look_ahead(trial, began, color, y, x, c, depth, workspace)
        if status == OUT_OF_TIME:
            return -1
        if status == FIXPOINT:
            if remember:
                store(seen, 2 * number, load(workspace.report, SOLVED_ROWS, bit_width))
                store(seen, 2 * number + 1, load(workspace.report, SOLVED_COLUMNS, bit_width))
            continue
        log[found, 0], log[found, 1], log[found, 2] = y, x, c
        found += 1
        if found == log.shape[0]:
            return found
    return found


@kernel
def _follow(board: Board, trial: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Follow an assumption to a contradiction; return the number of line solves, or -1 without a contradiction."""
    before = workspace.counters[LINE_SOLVES]
    copy(board, trial)
    status = probe(trial, color, y, x, c, workspace)
    return int(workspace.counters[LINE_SOLVES] - before) if status == CONTRADICTION else -1
