"""A dive: follow what cells probably are straight down to a solution (decimation by belief propagation).

The cells that are surest take their most probable colour, line logic follows, beliefs are brought up to date, and so
on. A colour that line logic refutes goes, and a dive ends where that is a contradiction too: there is no backtracking.
Most random puzzles have many solutions, and a dive finds one in a few milliseconds; where one fails, others follow that
let cells lean to what they have been (solver.belief) for more and more rounds.
"""

import math
from typing import Any

import numpy as np

from solver.belief import Beliefs, Signs, confidence, exchange, favourite, restrict
from solver.board import Board, allows, copy, is_open, undecided
from solver.clock import cpu_seconds
from solver.jit import apart, kernel
from solver.lookahead import adopt, take_away
from solver.places import locate
from solver.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.tools import Tools
from solver.tuning import (
    DIVE_PULLS,
    DIVE_ROUNDS,
    DIVE_SHARE,
    DOUBT_GRADES,
    LEAST_DOUBT,
    MORE_ROUNDS,
    REINFORCED_CELLS,
)


@apart
def dive(board: Board, diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, tools: Tools) -> int:
    """Dive from a board at the fixpoint of line logic until a dive ends in a solution.

    diver, trial   boards with the same clues and memory of their own
    Returns FIXPOINT if the diver has come to a solution, CONTRADICTION if not, OUT_OF_TIME.
    """
    status = CONTRADICTION
    cells = int(board.size[0] * board.size[1])
    for k in range(len(DIVE_ROUNDS)):
        rounds: Any = np.int64(DIVE_ROUNDS[k])
        if status == CONTRADICTION and (k == 0 or cells <= REINFORCED_CELLS):
            status = _dive(board, diver, trial, color, beliefs, rounds, DIVE_PULLS[k], tools)
    return status


@kernel
def _dive(
    board: Board,
    diver: Board,
    trial: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    rounds: int,
    pull: float,
    tools: Tools,
) -> int:
    """One dive with so many rounds before the first decision."""
    like = tools.like
    unwanted = board.first[:0]
    signs = Signs(unwanted, unwanted, unwanted)
    more_rounds: Any = np.int64(MORE_ROUNDS)
    copy(board, diver)
    left, fresh = undecided(diver, like), True
    while left > 0:
        restrict(diver, beliefs, fresh, like)
        locate(diver, color, beliefs.places, tools)
        exchange(diver, color, beliefs, signs, rounds, pull, tools)
        if cpu_seconds() > tools.deadline:
            return OUT_OF_TIME
        rounds, fresh = more_rounds, False
        doubt = _doubt(diver, beliefs, DIVE_SHARE * left, like)
        status = _decide(diver, trial, color, beliefs, doubt, tools)
        if status != FIXPOINT:
            return status
        left = undecided(diver, like)
    return FIXPOINT


@kernel
def _doubt(diver: Board, beliefs: Beliefs, wanted: float, like: Any) -> float:
    """The doubt that so many of the open cells are below."""
    beliefs.sure[:] = 0
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if is_open(diver, y, x, like):
                beliefs.sure[_grade(1.0 - confidence(diver, beliefs, y, x))] += 1
    cells, grade = 0, len(beliefs.sure)
    while cells < wanted:
        grade -= 1
        cells += beliefs.sure[grade]
    return math.exp2(-grade / DOUBT_GRADES)


@kernel
def _grade(doubt: float) -> int:
    """Doubts by order of magnitude: the less doubt, the higher the grade."""
    return int(-DOUBT_GRADES * math.log2(max(doubt, LEAST_DOUBT)))


@kernel
def _decide(diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, doubt: float, tools: Tools) -> int:
    """Decide the sure cells one by one, each followed by line logic; returns as `propagate`."""
    like = tools.like
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if not is_open(diver, y, x, like) or 1.0 - confidence(diver, beliefs, y, x) > doubt:
                continue
            c: Any = favourite(diver, beliefs, y, x)
            if not allows(diver, y, x, c, like):
                continue
            status = adopt(diver, trial, color, y, x, c, tools)
            if status == CONTRADICTION:
                status = take_away(diver, color, y, x, c, tools)
            if status != FIXPOINT:
                return status
    return FIXPOINT
