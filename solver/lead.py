"""Leads: what a dive decides, as far as it can be trusted, and a clause learner from there.

A dive that fails has mostly gone wrong late, or in a few cells. So a learner is given what had been decided by some
point of it as assumptions, and some hundred conflicts to find a solution from there; if it refutes them, or comes to no
end, what had been decided by an earlier point, and so on. What it learns meanwhile holds without assumptions too.
"""

from collections.abc import Iterator

import numpy as np

from solver.board import undecided
from solver.dive import Course, Trail, descend
from solver.encoding import TRUE
from solver.ladder.memory import Memory
from solver.propagate import OUT_OF_TIME
from solver.tools import Tools
from solver.tuning import LEAD_MORE_ROUNDS, LEAD_POINTS, LEAD_ROUNDS, LEAD_SHARES

COURSES = tuple(Course(*course, 0.0) for course in zip(LEAD_ROUNDS, LEAD_MORE_ROUNDS, LEAD_SHARES, strict=True))
"""The dives, one after the other. Few rounds of messages leave them less sure of themselves, and more often right."""


def leads(memory: Memory, literal: np.ndarray, tools: Tools) -> Iterator[list[int]]:
    """Assumptions for a learner: of each dive what it has decided by its points, the last one first.

    literal   int64[cells, colours]: as in solver.encoding.Variables, of the memory's board
    tools     with a deadline, after which there are no more
    """
    board, beliefs = memory.board, memory.beliefs
    cells = int(board.size[0] * board.size[1])
    if beliefs.told.shape[1] < cells:
        return  # too large for beliefs
    trail = Trail(np.zeros(cells, np.int32), np.zeros(cells, np.int32))
    begun = undecided(board, tools.like)
    for course in COURSES:
        if descend(board, memory.trial, memory.tree.union, memory.color, beliefs, course, trail, tools) == OUT_OF_TIME:
            return
        before = -1
        for point in LEAD_POINTS:
            decided = trail.left > point * begun
            literals = literal[decided, trail.color[decided]]
            assumed = literals[np.abs(literals) != TRUE].tolist()
            if assumed and len(assumed) != before:
                before = len(assumed)
                yield assumed
