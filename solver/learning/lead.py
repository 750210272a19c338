"""Leads: what a dive decides, as far as it can be trusted, and a clause learner from there.

A dive that fails has mostly gone wrong late, or in a few cells. So a learner is given what the dive has decided as
assumptions, and some hundred conflicts to find a solution from there. Where it refutes some of them together, the last
of these go; where it comes to no end, the last of all. What it learns meanwhile holds without assumptions too.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from solver.ladder.dive import DiveOptions, Trail, descend
from solver.ladder.memory import Memory
from solver.learning.encoding import TRUE
from solver.lines.board import undecided
from solver.lines.propagate import OUT_OF_TIME
from solver.lines.workspace import Workspace
from solver.tuning import (
    LEAD_CONFLICTS,
    LEAD_HELD,
    LEAD_KEPT,
    LEAD_LEFT,
    LEAD_MORE_ROUNDS,
    LEAD_ROUNDS,
    LEAD_SHARES,
)

COURSES = tuple(DiveOptions(*course, 0.0) for course in zip(LEAD_ROUNDS, LEAD_MORE_ROUNDS, LEAD_SHARES, strict=True))
"""The dives, one after the other. Few rounds of messages leave them less sure of themselves, and more often right."""


def leads(memory: Memory, literal: np.ndarray, workspace: Workspace) -> Iterator[list[int]]:
    """For each dive what it has decided: assumptions for a learner, in the order in which they have been decided.

    literal   int64[cells, colours]: as in solver.learning.encoding.Variables, of the memory's board
    workspace     with a deadline, after which there are no more
    """
    board, beliefs = memory.board, memory.beliefs
    cells = int(board.size[0] * board.size[1])
    if beliefs.told.shape[1] < cells:
        return  # too large for beliefs
    trail = Trail(np.zeros(cells, np.int32), np.zeros(cells, np.int32))
    least = LEAD_LEFT * undecided(board, workspace.bit_width)
    for course in COURSES:
        if (
            descend(board, memory.trial, memory.tree.union, memory.color, beliefs, course, trail, workspace)
            == OUT_OF_TIME
        ):
            return
        literals = literal[np.arange(cells), trail.color]
        decided = np.flatnonzero((trail.left > least) & (np.abs(literals) != TRUE))
        yield literals[decided[np.argsort(-trail.left[decided], kind="stable")]].tolist()


def follow(solver: Any, lead: list[int], most: int) -> Iterator[bool]:
    """Follow a lead by a clause learner of python-sat, a try at a time: whether it has found a solution.

    most   conflicts of a try
    It ends when nothing is assumed any more, or the tries have had LEAD_CONFLICTS. Where there is a solution, a second
    one is often near: who excludes the first and goes on looks for it under the same assumptions.
    """
    place = {literal: k for k, literal in enumerate(lead)}
    assumed = lead
    last = solver.accum_stats()["conflicts"] + LEAD_CONFLICTS
    while assumed and solver.accum_stats()["conflicts"] < last:
        solver.conf_budget(most)
        found: bool | None = solver.solve_limited(assumptions=assumed)
        if found is False:
            refuted = sorted(solver.get_core() or assumed, key=place.__getitem__)
            dropped = set(refuted[int(LEAD_HELD * len(refuted)) :])
            assumed = [literal for literal in assumed if literal not in dropped]
        elif found is None:
            assumed = assumed[: int(LEAD_KEPT * len(assumed))]
        yield bool(found)
