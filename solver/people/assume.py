"""Assumptions that lead to contradictions, shallowest first."""

import math
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from solver.jit.kernel import kernel
from solver.ladder.fixpoint import example_at_fixpoint, line_fixpoint
from solver.ladder.lookahead import NO_LIMIT, begin, forget, probe, refute, take_away
from solver.ladder.memory import Memory, all_kernel_groups, kernel_kinds
from solver.lines.board import Board, copy
from solver.lines.propagate import CONTRADICTION, OUT_OF_TIME
from solver.lines.workspace import CONTRADICTIONS, LINE_SOLVES, Workspace
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
    compile_person()
    for words, colored in kernel_kinds(puzzles):
        compile_assumptions(words, colored)


@cache
def compile_assumptions(words: int, colored: bool) -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    example = Assumptions(example_at_fixpoint(words, colored), math.inf)
    example.candidates(1)
    example._length(RefutedAssumption(0, 0, EDGE))
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
        for technique in DEPTHS:
            status, found = self._refute(technique, 1)
            if status == CONTRADICTION:
                raise NoSolution
            if found:
                self._changed()
                return found[0]
        return None

    def candidates(self, most: int) -> list[RefutedAssumption]:
        """Return up to `most` refuted assumptions of the shallowest technique, shortest chains first.

        The board is unchanged. The last ones may be refuted only after the colours of others are excluded.
        """
        board = self.memory.board
        before = board.can.copy()
        for technique, seen in self.seen.items():
            kept = seen.copy()
            _, found = self._refute(technique, most)
            board.can[:] = before
            if found:
                seen[:] = kept
                return sorted(found, key=self._length)
        return []

    def _length(self, found: RefutedAssumption) -> float:
        """Return the number of line solves from an assumption to its contradiction; infinite if there is none (yet)."""
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
        self._changed()

    def _changed(self) -> None:
        """Invalidate cached probes that the last change affects."""
        for seen in self.seen.values():
            if len(seen):
                forget(seen, len(seen) // 2, self.memory.workspace)

    def _refute(self, technique: int, most: int) -> tuple[int, list[RefutedAssumption]]:
        """Refute up to `most` assumptions on the board; return the status of `refute` and those found."""
        memory, log = self.memory, np.zeros((most, 3), np.int32)
        counters = memory.workspace.counters
        counters[CONTRADICTIONS] = 0
        board, began, seen = memory.board, memory.tree.union, self.seen[technique]
        depth, number = DEPTHS[technique], most
        status = refute(board, memory.trial, began, memory.color, depth, number, seen, log, memory.workspace)
        if status == OUT_OF_TIME:
            raise TimeoutError
        found = log[: counters[CONTRADICTIONS]].tolist()
        return status, [RefutedAssumption(y * self.width + x, color, technique) for y, x, color in found]

    @property
    def line_solves(self) -> int:
        """Number of line solves so far."""
        return int(self.memory.workspace.counters[LINE_SOLVES])


@kernel
def _follow(board: Board, trial: Board, color: np.ndarray | None, y: int, x: int, c: int, workspace: Workspace) -> int:
    """Follow an assumption to a contradiction; return the number of line solves, or -1 without a contradiction."""
    before = workspace.counters[LINE_SOLVES]
    copy(board, trial)
    status = probe(trial, color, y, x, c, workspace)
    return int(workspace.counters[LINE_SOLVES] - before) if status == CONTRADICTION else -1
