"""Descents to a solution without backtracking: greedy ones, and dives.

A greedy descent sets cell after cell to a fixed colour. Most puzzles with several solutions have a few small
independent areas where cells may change colours, so any descent ends in a solution. It costs as much as a few probes
and saves all rungs up to search, since a puzzle with two solutions has no technique.

A dive follows beliefs (decimation by belief propagation): the most certain cells get their most probable colour, line
logic propagates, beliefs are updated, and so on. A colour that line logic refutes is removed; if that is a
contradiction too, the dive fails. Most random puzzles have many solutions, and a dive finds one in a few milliseconds.

Both find solutions; neither proves that there are none.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.clock import cpu_seconds
from nonocensus.solver.jit.kernel import kernel, standalone
from nonocensus.solver.ladder.lookahead import adopt, take_away
from nonocensus.solver.ladder.search import SolutionPair, record_solution
from nonocensus.solver.learning.belief import Beliefs, Signs, confidence, exchange, likely_color, restrict
from nonocensus.solver.lines.bits import has_any, lowest
from nonocensus.solver.lines.board import Board, allows, copy, is_open, open_cells, undecided
from nonocensus.solver.lines.line_solver import locate
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import NEXT_CHECK, Workspace
from nonocensus.solver.tuning import (
    BLOCKS_A_CELL,
    DIVE_ROUNDS,
    DIVE_SHARE,
    DOUBT_GRADES,
    LEAST_DOUBT,
    MISSES,
    MORE_ROUNDS,
    OPEN_CELLS,
)


class DiveOptions(NamedTuple):
    """Parameters of a dive.

    rounds   rounds of messages before the first decision
    more     at most this many rounds after each decision
    share    share of the open cells to decide between two updates of the beliefs
    """

    rounds: int
    more: int
    share: float


class Trail(NamedTuple):
    """Decisions of a dive by cell; empty arrays to record none.

    left    int32[height x width]: 1 + the number of open cells after this one was decided; 0 if it was not
    color   int32[height x width]: colour decided
    """

    left: np.ndarray
    color: np.ndarray


@kernel
def dive(
    board: Board, diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, workspace: Workspace
) -> int:
    """Dive with the rounds and the share of solver.tuning; arguments and result as for `descend`."""
    rounds: Any = np.int64(DIVE_ROUNDS)  # a literal would be a type of its own to the compiler
    more: Any = np.int64(MORE_ROUNDS)
    options = DiveOptions(rounds, more, DIVE_SHARE)
    none = Trail(board.first[:0], board.first[:0])
    return descend(board, diver, trial, color, beliefs, options, none, workspace)


@kernel
def has_many_blocks(board: Board, beliefs: Beliefs) -> bool:
    """Return whether blocks are dense enough for several solutions to be likely, and beliefs fit in memory."""
    cells = int(board.size[0] * board.size[1])
    blocks = int(board.first[board.size[0] + board.size[1]])
    return bool(blocks >= BLOCKS_A_CELL * cells and beliefs.messages.shape[1] >= cells)


@kernel
def dives_first(board: Board, beliefs: Beliefs, bit_width: Any) -> bool:
    """Return whether a dive should precede the rungs of lookahead.

    It should where many blocks make several solutions likely, and so many cells are open that the rungs would take
    longer than a dive.
    """
    return has_many_blocks(board, beliefs) and undecided(board, bit_width) >= OPEN_CELLS


@standalone
def descend(
    board: Board,
    diver: Board,
    trial: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    options: DiveOptions,
    trail: Trail,
    workspace: Workspace,
) -> int:
    """Dive once from a board at the fixpoint of line logic.

    diver, trial   scratch boards with the same clues

    Returns FIXPOINT with the solution on `diver`, CONTRADICTION or OUT_OF_TIME.
    """
    bit_width = workspace.bit_width
    none = board.first[:0]
    signs = Signs(none, none, none)
    trail.left[:] = 0
    copy(board, diver)
    left, reset, rounds = undecided(diver, bit_width), True, options.rounds
    while left > 0:
        restrict(diver, beliefs, reset, bit_width)
        locate(diver, color, beliefs.places, workspace)
        exchange(diver, color, beliefs, signs, rounds, 0.0, workspace)
        if cpu_seconds() > workspace.deadline:
            workspace.counters[NEXT_CHECK] = 0  # the next check detects the deadline too
            return OUT_OF_TIME
        rounds, reset = options.more, False
        doubt = _doubt(diver, beliefs, options.share * left, bit_width)
        status = _decide(diver, trial, color, beliefs, doubt, workspace)
        if status != FIXPOINT:
            return status
        left = undecided(diver, bit_width)
        if len(trail.left) > 0:
            _record_decisions(diver, trail, left, bit_width)
    return FIXPOINT


@kernel
def _record_decisions(diver: Board, trail: Trail, left: int, bit_width: Any) -> None:
    """Record the cells decided since the last call, with `left` cells still open."""
    width = int(diver.size[0])
    for cell in range(width * int(diver.size[1])):
        y, x = cell // width, cell % width
        if trail.left[cell] == 0 and not is_open(diver, y, x, bit_width):
            trail.left[cell] = left + 1
            c: Any = np.int64(0)
            while not allows(diver, y, x, c, bit_width):
                c += 1
            trail.color[cell] = c


@kernel
def _doubt(diver: Board, beliefs: Beliefs, count: float, bit_width: Any) -> float:
    """Return a threshold of doubt that at least `count` of the open cells do not exceed."""
    beliefs.histogram[:] = 0
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if is_open(diver, y, x, bit_width):
                beliefs.histogram[_grade(1.0 - confidence(diver, beliefs, y, x))] += 1
    cells, grade = 0, len(beliefs.histogram)
    while cells < count:
        grade -= 1
        cells += beliefs.histogram[grade]
    return math.exp2(-grade / DOUBT_GRADES)


@kernel
def _grade(doubt: float) -> int:
    """Return a doubt's logarithmic grade; less doubt gives a higher grade."""
    return int(-DOUBT_GRADES * math.log2(max(doubt, LEAST_DOUBT)))


@kernel
def _decide(
    diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, doubt: float, workspace: Workspace
) -> int:
    """Decide the cells with at most this doubt one by one, each with line logic; returns as `propagate`."""
    bit_width = workspace.bit_width
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if not is_open(diver, y, x, bit_width) or 1.0 - confidence(diver, beliefs, y, x) > doubt:
                continue
            c: Any = likely_color(diver, beliefs, y, x)
            if not allows(diver, y, x, c, bit_width):
                continue
            status = adopt(diver, trial, color, y, x, c, workspace)
            if status == CONTRADICTION:
                status = take_away(diver, color, y, x, c, workspace)
            if status != FIXPOINT:
                return status
    return FIXPOINT


@kernel
def greedy_descent(
    board: Board,
    diver: Board,
    trial: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    found: SolutionPair,
    workspace: Workspace,
) -> bool:
    """Try to find two solutions from a board at the fixpoint of line logic; returns whether both were found.

    Two passes over the cells with line logic after each decision: first every cell takes its last possible colour, then
    its first. The passes differ in the first open cell, so if both succeed their solutions differ.

    diver, trial   scratch boards with the same clues
    """
    bit_width = workspace.bit_width
    status = FIXPOINT
    most = MISSES if has_many_blocks(board, beliefs) else 0
    for last in (True, False):
        misses = 0
        copy(board, diver)
        for y in range(int(board.size[1])):
            cells = open_cells(diver, y, bit_width)
            while status == FIXPOINT and has_any(cells):
                x = int(lowest(cells))
                c: Any = np.int64(int(board.size[2]) - 1 if last else 0)
                while not allows(diver, y, x, c, bit_width):
                    c += -1 if last else 1
                status = adopt(diver, trial, color, y, x, c, workspace)
                if status == CONTRADICTION and misses < most:
                    misses += 1
                    status = take_away(diver, color, y, x, c, workspace)
                cells = open_cells(diver, y, bit_width)
        if status == FIXPOINT:
            record_solution(diver, found, workspace)
            if found.number[0] == 2:
                return True
    return False
