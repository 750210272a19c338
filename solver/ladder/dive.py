"""A dive: follow what cells probably are straight down to a solution (decimation by belief propagation).

The cells that are surest take their most probable colour, line logic follows, beliefs are brought up to date, and so
on. A colour that line logic refutes goes, and a dive ends where that is a contradiction too: there is no backtracking.
Most random puzzles have many solutions, and a dive finds one in a few milliseconds; where one fails, others follow that
let cells lean to what they have been (solver.learning.belief) for more and more rounds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from solver.jit.clock import cpu_seconds
from solver.jit.kernel import kernel, standalone
from solver.ladder.lookahead import adopt, take_away
from solver.ladder.search import SolutionPair, note_solution
from solver.learning.belief import Beliefs, Signs, confidence, exchange, favourite, restrict
from solver.lines.bits import has_any, lowest
from solver.lines.board import Board, allows, copy, is_open, open_cells, undecided
from solver.lines.places import locate
from solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from solver.lines.workspace import NEXT_CHECK, Workspace
from solver.tuning import (
    BLOCKS_A_CELL,
    COLORED_BLOCKS_A_CELL,
    COLORED_OPEN_CELLS,
    DIVE_PULLS,
    DIVE_ROUNDS,
    DIVE_SHARE,
    DOUBT_GRADES,
    LEAST_DOUBT,
    MISSES,
    MORE_ROUNDS,
    OPEN_CELLS,
    REINFORCED_CELLS,
)


class DiveOptions(NamedTuple):
    """How a dive goes.

    rounds   of messages before the first decision
    more     rounds at most, whenever cells have been decided
    share    of the open cells, to decide between two looks at the beliefs
    pull     of reinforcement at the end of the rounds (solver.learning.belief)
    """

    rounds: int
    more: int
    share: float
    pull: float


class Trail(NamedTuple):
    """How a dive went, cell by cell; empty where nobody wants to know.

    left    int32[height x width]: how many cells were still open when this one had been decided, and one more; 0 if it
            has not been
    color   int32[height x width]: what it has been decided to be
    """

    left: np.ndarray
    color: np.ndarray


@standalone
def dive(
    board: Board, diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, workspace: Workspace
) -> int:
    """Dive from a board at the fixpoint of line logic until a dive ends in a solution; returns as `descend`."""
    status = first_dive(board, diver, trial, color, beliefs, workspace)
    for k in range(1, len(DIVE_ROUNDS)):
        if status == CONTRADICTION and int(board.size[0] * board.size[1]) <= REINFORCED_CELLS:
            status = _dive(k, board, diver, trial, color, beliefs, workspace)
    return status


@kernel
def first_dive(
    board: Board, diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, workspace: Workspace
) -> int:
    """The first of these dives alone."""
    first: Any = np.int64(0)  # a literal would be a type of its own to the compiler
    return _dive(first, board, diver, trial, color, beliefs, workspace)


@kernel
def _dive(
    k: int, board: Board, diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, workspace: Workspace
) -> int:
    """Dive number k."""
    rounds: Any = np.int64(DIVE_ROUNDS[k])
    more: Any = np.int64(MORE_ROUNDS)
    course = DiveOptions(rounds, more, DIVE_SHARE, DIVE_PULLS[k])
    unwanted = Trail(board.first[:0], board.first[:0])
    return descend(board, diver, trial, color, beliefs, course, unwanted, workspace)


@kernel
def has_many_blocks(board: Board, beliefs: Beliefs) -> bool:
    """Whether the clues are of so many blocks that there are probably many solutions, if any."""
    return _cut_into(board, BLOCKS_A_CELL, beliefs)


@kernel
def dives_first(board: Board, color: np.ndarray | None, beliefs: Beliefs, bit_width: Any) -> bool:
    """Whether a dive comes before other rungs.

    It does where clues are of so many blocks that they have several solutions, mostly, and so many cells are open that
    the rungs would take longer than a dive.
    """
    blocks = BLOCKS_A_CELL if color is None else COLORED_BLOCKS_A_CELL
    cells = OPEN_CELLS if color is None else COLORED_OPEN_CELLS
    return _cut_into(board, blocks, beliefs) and undecided(board, bit_width) >= cells


@kernel
def _cut_into(board: Board, least: float, beliefs: Beliefs) -> bool:
    """Whether the clues have so many blocks a cell, of rows and columns together, and there is room for beliefs."""
    cells = int(board.size[0] * board.size[1])
    blocks = int(board.first[board.size[0] + board.size[1]])
    return bool(blocks >= least * cells and beliefs.told.shape[1] >= cells)


@standalone
def descend(
    board: Board,
    diver: Board,
    trial: Board,
    color: np.ndarray | None,
    beliefs: Beliefs,
    course: DiveOptions,
    trail: Trail,
    workspace: Workspace,
) -> int:
    """One dive from a board at the fixpoint of line logic.

    diver, trial   boards with the same clues and memory of their own
    Returns FIXPOINT if the diver has come to a solution, CONTRADICTION if not, OUT_OF_TIME.
    """
    bit_width = workspace.bit_width
    unwanted = board.first[:0]
    signs = Signs(unwanted, unwanted, unwanted)
    trail.left[:] = 0
    copy(board, diver)
    left, fresh, rounds = undecided(diver, bit_width), True, course.rounds
    while left > 0:
        restrict(diver, beliefs, fresh, bit_width)
        locate(diver, color, beliefs.places, workspace)
        exchange(diver, color, beliefs, signs, rounds, course.pull, workspace)
        if cpu_seconds() > workspace.deadline:
            workspace.counters[NEXT_CHECK] = 0  # so that whoever looks next finds so too, and the puzzle ends here
            return OUT_OF_TIME
        rounds, fresh = course.more, False
        doubt = _doubt(diver, beliefs, course.share * left, bit_width)
        status = _decide(diver, trial, color, beliefs, doubt, workspace)
        if status != FIXPOINT:
            return status
        left = undecided(diver, bit_width)
        if len(trail.left) > 0:
            _note(diver, trail, left, bit_width)
    return FIXPOINT


@kernel
def _note(diver: Board, trail: Trail, left: int, bit_width: Any) -> None:
    """Note the cells that have been decided since the last time, with so many cells left."""
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
def _doubt(diver: Board, beliefs: Beliefs, wanted: float, bit_width: Any) -> float:
    """The doubt that so many of the open cells are below."""
    beliefs.sure[:] = 0
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if is_open(diver, y, x, bit_width):
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
def _decide(
    diver: Board, trial: Board, color: np.ndarray | None, beliefs: Beliefs, doubt: float, workspace: Workspace
) -> int:
    """Decide the sure cells one by one, each followed by line logic; returns as `propagate`."""
    bit_width = workspace.bit_width
    for y in range(int(diver.size[1])):
        for x in range(int(diver.size[0])):
            if not is_open(diver, y, x, bit_width) or 1.0 - confidence(diver, beliefs, y, x) > doubt:
                continue
            c: Any = favourite(diver, beliefs, y, x)
            if not allows(diver, y, x, c, bit_width):
                continue
            status = adopt(diver, trial, color, y, x, c, workspace)
            if status == CONTRADICTION:
                status = take_away(diver, color, y, x, c, workspace)
            if status != FIXPOINT:
                return status
    return FIXPOINT


@kernel
def glance(
    board: Board, diver: Board, trial: Board, color: np.ndarray | None, found: SolutionPair, workspace: Workspace
) -> bool:
    """Whether a board at the fixpoint of line logic is seen to have two solutions; they are noted.

    It is gone through twice, cell after cell, each decision followed by line logic: first each cell takes the last
    colour that it may have, then the first. The first open cell has another colour in each, so two that succeed are two
    solutions.

    diver, trial   boards with the same clues and memory of their own
    """
    bit_width = workspace.bit_width
    status = FIXPOINT
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
                if status == CONTRADICTION and misses < MISSES:
                    misses += 1
                    status = take_away(diver, color, y, x, c, workspace)
                cells = open_cells(diver, y, bit_width)
        if status == FIXPOINT:
            note_solution(diver, found, workspace)
            if found.number[0] == 2:
                return True
    return False
