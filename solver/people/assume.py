"""Assumptions that lead to contradictions, shallowest first."""

import math
import time
from typing import Any, NamedTuple

import numpy as np

from solver.jit.kernel import compiles, kernel, standalone
from solver.ladder.fixpoint import example_at_fixpoint, line_fixpoint
from solver.ladder.lookahead import NO_LIMIT, begin, forget, look_ahead, probe, take_away
from solver.ladder.memory import Memory, all_kernel_groups, kernel_kinds
from solver.lines.bits import has_any, load, store
from solver.lines.board import Board, allows, copy, is_open
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.lines.workspace import LINE_SOLVES, SOLVED_COLUMNS, SOLVED_ROWS, Workspace
from solver.model.techniques import EDGE
from solver.model.views import Views
from solver.people.person import compile_person

DEPTHS: tuple[Any, ...] = (np.int64(2), np.int64(4), NO_LIMIT)
"""Levels to which EDGE, CHAIN and LONG_CHAIN follow an assumption (solver.ladder.lookahead)."""


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


class Assumptions(NamedTuple):
    """A puzzle's board at the fixpoint of line logic, on which assumptions are refuted.

    board       current board
    trial       scratch, for assumptions
    began       scratch of look-ahead
    color       uint8[blocks]; None for mono puzzles
    seen        per technique, for open cells and colours the lines that its assumption solved without contradiction
    log         int32[cells, 3]: fields of refuted assumptions
    workspace   has the counters, and the deadline, past which all methods raise TimeoutError
    """

    board: Board
    trial: Board
    began: Board
    color: np.ndarray | None
    seen: tuple[np.ndarray, ...]
    log: np.ndarray
    workspace: Workspace

    def refuted(self, most: int) -> list[RefutedAssumption]:
        """Return refuted assumptions of the shallowest technique that refutes any, each on the present board.

        most    number after which to stop
        """
        found = find_refuted(self, most)
        if found < 0:
            raise TimeoutError
        return [RefutedAssumption(*fields) for fields in self.log[:found].tolist()]

    def length(self, found: RefutedAssumption) -> float:
        """Return the number of line solves from an assumption to its contradiction; infinite if there is none."""
        lines = _follow(self, found.place, found.color)
        return math.inf if lines < 0 else lines

    def take_away(self, place: int, color: int) -> None:
        """Exclude a colour from a cell and propagate. Raises NoSolution on a contradiction."""
        status = exclude(self, place, color)
        if status == OUT_OF_TIME:
            raise TimeoutError
        if status == CONTRADICTION:
            raise NoSolution

    @property
    def line_solves(self) -> int:
        """Number of line solves so far."""
        return int(self.workspace.counters[LINE_SOLVES])


def assumptions_on(puzzle: Views, grid: np.ndarray, deadline: float) -> Assumptions:
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
    assumptions = _on_memory(memory, deadline)
    for seen in assumptions.seen:
        begin(assumptions.board, assumptions.began, seen, assumptions.workspace.bit_width)
    return assumptions


def _on_memory(memory: Memory, deadline: float) -> Assumptions:
    """Return assumptions on the board of `memory`, before the first use."""
    log = np.zeros((int(memory.board.size[0] * memory.board.size[1]), 3), np.int32)
    seen = tuple(np.zeros_like(memory.seen) for _ in DEPTHS)
    workspace = memory.workspace._replace(deadline=deadline)
    return Assumptions(memory.board, memory.trial, memory.tree.union, memory.color, seen, log, workspace)


def compile_for(puzzles: Views) -> None:
    """Compile all kernels that explaining these puzzles needs."""
    for words, colored in kernel_kinds(puzzles):
        compile_person(words)
        compile_assumptions(words, colored)


@compiles
def compile_assumptions(words: int, colored: bool) -> None:
    """Compile the kernels of this module, so that no puzzle is charged for it."""
    example = example_assumptions(words, colored)
    begin(example.board, example.began, example.seen[0], example.workspace.bit_width)
    example.refuted(1)
    example.length(RefutedAssumption(0, 0, EDGE))
    example.take_away(0, 0)


def example_assumptions(words: int, colored: bool) -> Assumptions:
    """Return assumptions on a small board, for compilation."""
    return _on_memory(example_at_fixpoint(words, colored), math.inf)


@standalone
def find_refuted(assumptions: Assumptions, most: int) -> int:
    """Log refuted assumptions of the shallowest technique that refutes any, in reading order, at most `most`.

    The board is unchanged. Returns their number, -1 if out of time.
    """
    board, trial, color, workspace = assumptions.board, assumptions.trial, assumptions.color, assumptions.workspace
    bit_width, log = workspace.bit_width, assumptions.log
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    found = 0
    for k in range(len(DEPTHS)):
        depth, seen = DEPTHS[k], assumptions.seen[k]
        remember = seen.shape[0] >= 2 * width * height * palette
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
                status = look_ahead(trial, assumptions.began, color, y, x, c, depth, workspace)
            if status == OUT_OF_TIME:
                return -1
            if status == FIXPOINT:
                if remember:
                    store(seen, 2 * number, load(workspace.report, SOLVED_ROWS, bit_width))
                    store(seen, 2 * number + 1, load(workspace.report, SOLVED_COLUMNS, bit_width))
                continue
            log[found, 0], log[found, 1], log[found, 2] = place, c, EDGE + k
            found += 1
            if found == most:
                return found
        if found > 0:
            return found
    return 0


@standalone
def exclude(assumptions: Assumptions, place: int, color: int) -> int:
    """Exclude a colour from a cell and propagate. Returns as `propagate`."""
    width = int(assumptions.board.size[0])
    y, x = place // width, place % width
    status = take_away(assumptions.board, assumptions.color, y, x, color, assumptions.workspace)
    if status == FIXPOINT:
        for k in range(len(DEPTHS)):
            forget(assumptions.seen[k], len(assumptions.seen[k]) // 2, assumptions.workspace)
    return status


@kernel
def _follow(assumptions: Assumptions, place: int, c: int) -> int:
    """Follow an assumption to a contradiction; return the number of line solves, or -1 without a contradiction."""
    board, workspace = assumptions.board, assumptions.workspace
    width, before = int(board.size[0]), workspace.counters[LINE_SOLVES]
    copy(board, assumptions.trial)
    status = probe(assumptions.trial, assumptions.color, place // width, place % width, c, workspace)
    return int(workspace.counters[LINE_SOLVES] - before) if status == CONTRADICTION else -1
