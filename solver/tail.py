"""The tail of the ladder: what probing leaves open goes to a clause learner.

The learner is a library's (python-sat); ours is the encoding (solver.encoding). It works in slices of conflicts, and
between slices the CPU clock is looked at.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from solver.board import Board, Scratch
from solver.encoding import FALSE, TRUE, Variables, cell_literal, encode
from solver.jit import kernel

ENGINE = "glucose3"
SLICE = 500
"""Conflicts between two looks at the clock."""


class Learner(NamedTuple):
    """A clause learner at work on a board, and what its variables mean."""

    solver: Any
    board: Board
    variables: Variables
    cells: np.ndarray  # int64: the cells that have variables


@contextmanager
def learning(board: Board, color: np.ndarray | None, scratch: Scratch, like: Any) -> Iterator[Learner]:
    """Set a clause learner on a board at the fixpoint of line logic, for as long as the block lasts."""
    from pysat.solvers import Solver

    variables, clauses = encode(board, color, scratch, like)
    solver = Solver(ENGINE)
    lengths = (clauses != 0).sum(axis=1)
    for length in np.unique(lengths):
        rows = clauses[lengths == length][:, :length].tolist()
        deque(map(solver.add_clause, rows), maxlen=0)
    try:
        yield Learner(solver, board, variables, np.flatnonzero(variables.cell))
    finally:
        solver.delete()


def next_solution(learner: Learner, deadline: float) -> bool | None:
    """Whether there is a (further) solution; None if the deadline, in CPU seconds of this thread, comes first."""
    solver = learner.solver
    while True:
        solver.conf_budget(SLICE)
        found: bool | None = solver.solve_limited()
        if found is not None:
            return found
        if time.thread_time() > deadline:
            return None


def picture_of(learner: Learner, like: Any) -> np.ndarray:
    """The learner's last solution, uint8[height x width], row by row."""
    board = learner.board
    picture = np.zeros(int(board.size[0] * board.size[1]), np.uint8)
    model = np.zeros(learner.variables.number + 1, np.bool_)
    values = np.array(learner.solver.get_model(), np.int64)
    model[values[values > 0]] = True
    _write_model(board, learner.variables, model, picture, like)
    return picture


def exclude(learner: Learner, picture: np.ndarray, like: Any) -> None:
    """Forbid a solution: the next one differs from it in some cell."""
    clause = np.zeros(len(learner.cells), np.int32)
    _write_difference(learner.board, learner.variables, learner.cells, picture, clause, like)
    learner.solver.add_clause(clause.tolist())


@kernel
def _write_model(board: Board, variables: Variables, model: np.ndarray, picture: np.ndarray, like: Any) -> None:
    width, height, palette = int(board.size[0]), int(board.size[1]), int(board.size[2])
    for y in range(height):
        for x in range(width):
            for c in range(palette):
                literal = cell_literal(board, variables, y, x, c, like)
                if literal == TRUE or (literal != FALSE and model[abs(literal)] == (literal > 0)):
                    picture[y * width + x] = c


@kernel
def _write_difference(
    board: Board, variables: Variables, cells: np.ndarray, picture: np.ndarray, clause: np.ndarray, like: Any
) -> None:
    width = int(board.size[0])
    for k in range(len(cells)):
        i = cells[k]
        clause[k] = -cell_literal(board, variables, i // width, i % width, int(picture[i]), like)
