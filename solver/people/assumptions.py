"""Assumptions that lead to contradictions, shallowest first."""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.ladder.fixpoint import example_group
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, forget, probe, take_away, try_color
from nonocensus.solver.ladder.memory import kernel_kinds
from nonocensus.solver.lines.board import Board, apply_start, copy
from nonocensus.solver.lines.line_cache import clear, rebase
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import LINE_SOLVES, Workspace, with_deadline
from nonocensus.solver.model.techniques import EDGE, LINE_TECHNIQUES
from nonocensus.solver.model.views import Views
from nonocensus.solver.people.person import (
    SolvingState,
    begin_puzzle,
    open_cells_of,
    rule_out,
    solve_lines,
    state_for,
)
from nonocensus.solver.tuning import SEEN_BYTES

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


class Assumptions(NamedTuple):
    """A puzzle's board at the fixpoint of line logic, on which assumptions are refuted.

    board       current board
    trial       scratch, for assumptions
    began       scratch of look-ahead
    color       uint8[blocks]; None for mono puzzles
    seen        per technique, for open cells and colours the lines that its assumption solved without contradiction
    log         int32[cells x palette, 3]: fields of refuted assumptions
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
        """Exclude a colour from a cell and propagate."""
        if exclude_color(self, place, color) == OUT_OF_TIME:
            raise TimeoutError


def assumptions_for(state: SolvingState, deadline: float = math.inf) -> Assumptions:
    """Return memory for assumptions on the puzzles of a state; `begin_assumptions` begins each puzzle.

    deadline    CPU seconds of this thread
    """
    lines, (rows, words) = len(state.board.first) - 1, state.board.can.shape
    palette = rows // lines
    most = lines // 2 * (lines - lines // 2) * palette  # colours of the cells of a square, the largest
    seen = (np.zeros((min(2 * most, SEEN_BYTES // (8 * words)), words), np.uint64) for _ in DEPTHS)
    board, trial, began = (state.board._replace(can=np.zeros_like(state.board.can)) for _ in range(3))
    color, log = state.color if palette > 2 else None, np.zeros((most, 3), np.int32)
    return Assumptions(board, trial, began, color, tuple(seen), log, state.workspace._replace(deadline=deadline))


def compile_for(puzzles: Views) -> None:
    """Compile all kernels that explaining these puzzles needs."""
    for words, colored in kernel_kinds(puzzles):
        compile_explaining(words, colored)


@cache
def compile_explaining(words: int, colored: bool) -> None:
    """Compile the kernels of this module and of `person`, so that no puzzle is charged for it."""
    batch, group = example_group(words, colored)
    state = state_for(batch, group)
    begin_puzzle(state, batch, 0)
    example = assumptions_for(state)
    begin_assumptions(example, state)
    example.refuted(1)
    example.length(RefutedAssumption(0, 0, EDGE))
    example.take_away(0, 0)
    rule_out(state, 0, 0)
    cells, palette = int(batch.width[0]) * int(batch.height[0]), int(state.board.size[2])
    apply_start(state.board, np.ones((cells, palette), np.bool_), state.line.bit_width)
    solve_lines(state, LINE_TECHNIQUES, math.inf)
    open_cells_of(state)


@kernel
def begin_assumptions(assumptions: Assumptions, state: SolvingState) -> None:
    """Begin assumptions on a state's board, which is at the fixpoint of line logic."""
    copy(state.board, assumptions.board)
    clear(assumptions.workspace.line_cache, assumptions.workspace.bit_width)
    for k in range(len(DEPTHS)):
        begin(assumptions.board, assumptions.began, assumptions.seen[k], assumptions.workspace.bit_width)


@inlined
def with_assumption_deadline(assumptions: Assumptions, deadline: float) -> Assumptions:
    """Return the same assumptions with another deadline, in CPU seconds of this thread."""
    board, trial, began, color, seen, log, workspace = assumptions
    return Assumptions(board, trial, began, color, seen, log, with_deadline(workspace, workspace.counters, deadline))


@standalone
def find_refuted(assumptions: Assumptions, most: int) -> int:
    """Log refuted assumptions of the shallowest technique that refutes any, in reading order, at most `most`.

    The board is unchanged. Returns their number, -1 if out of time.
    """
    board, trial, began, color, all_seen, log, workspace = assumptions
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    found = 0
    rebase(workspace.line_cache, board, workspace.bit_width)
    for k in range(len(DEPTHS)):
        for number in range(width * height * palette):
            place, c = number // palette, number % palette
            y, x = place // width, place % width
            status = try_color(board, trial, began, color, y, x, c, DEPTHS[k], all_seen[k], workspace)
            if status == OUT_OF_TIME:
                return -1
            if status == CONTRADICTION:
                log[found, 0], log[found, 1], log[found, 2] = place, c, EDGE + k
                found += 1
                if found == most:
                    return found
        if found > 0:
            return found
    return 0


@standalone
def exclude_color(assumptions: Assumptions, place: int, color: int) -> int:
    """Exclude a colour from a cell and propagate. Returns as `propagate`."""
    width = int(assumptions.board.size[0])
    y, x = place // width, place % width
    status = take_away(assumptions.board, assumptions.color, y, x, color, assumptions.workspace)
    if status == FIXPOINT:
        probes = width * int(assumptions.board.size[1] * assumptions.board.size[2])
        for k in range(len(DEPTHS)):
            if len(assumptions.seen[k]) >= 2 * probes:
                forget(assumptions.seen[k], probes, assumptions.workspace)
    return status


@kernel
def _follow(assumptions: Assumptions, place: int, c: int) -> int:
    """Follow an assumption to a contradiction; return the number of line solves, or -1 without a contradiction."""
    board, workspace = assumptions.board, assumptions.workspace
    width, before = int(board.size[0]), workspace.counters[LINE_SOLVES]
    copy(board, assumptions.trial)
    status = probe(assumptions.trial, assumptions.color, place // width, place % width, c, workspace)
    return int(workspace.counters[LINE_SOLVES] - before) if status == CONTRADICTION else -1
