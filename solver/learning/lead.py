"""Leads: a clause learner under the assumptions that a dive has decided.

A failed dive has mostly gone wrong late, or in a few cells. So its early decisions become assumptions, and a learner
has a few hundred conflicts to find a solution under them. If it refutes a core of assumptions, the core's latest are
dropped; if it runs out of conflicts, the latest of all. Learned clauses hold without the assumptions too.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nonocensus.solver.ladder.dive import DiveOptions, Trail, descend
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.learning.encoding import TRUE
from nonocensus.solver.lines.board import undecided
from nonocensus.solver.lines.propagate import OUT_OF_TIME
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.tuning import (
    LEAD_CONFLICTS,
    LEAD_HELD,
    LEAD_KEPT,
    LEAD_LEFT,
    LEAD_MORE_ROUNDS,
    LEAD_ROUNDS,
    LEAD_SHARES,
)

LEAD_DIVES = tuple(DiveOptions(*dive) for dive in zip(LEAD_ROUNDS, LEAD_MORE_ROUNDS, LEAD_SHARES, strict=True))
"""The dives in order. With few rounds of messages they are less certain, but more often right."""


def leads(memory: Memory, literal: np.ndarray, workspace: Workspace) -> Iterator[list[int]]:
    """Yield each dive's decisions as assumptions, in the order of decision, until the deadline.

    literal     `Variables.literal` of the memory's board
    workspace   has the deadline
    """
    board, beliefs = memory.board, memory.beliefs
    cells = int(board.size[0] * board.size[1])
    if beliefs.messages.shape[1] < cells:
        return  # too large for beliefs
    trail = Trail(np.zeros(cells, np.int32), np.zeros(cells, np.int32))
    least = LEAD_LEFT * undecided(board, workspace.bit_width)
    boards = board, memory.trial, memory.tree.union
    for dive in LEAD_DIVES:
        if descend(*boards, memory.color, beliefs, dive, trail, workspace) == OUT_OF_TIME:
            return
        literals = literal[np.arange(cells), trail.color]
        decided = np.flatnonzero((trail.left > least) & (np.abs(literals) != TRUE))
        yield literals[decided[np.argsort(-trail.left[decided], kind="stable")]].tolist()


def try_lead(solver: Any, lead: list[int], most: int) -> Iterator[bool]:
    """Solve repeatedly under a lead's assumptions, dropping some after each failure; yields whether it was solved.

    Ends when no assumptions are left or LEAD_CONFLICTS are spent. A second solution is often near the first: callers
    may exclude that and continue under the same assumptions.

    solver   a python-sat solver
    most     conflicts of a try
    """
    place = {literal: k for k, literal in enumerate(lead)}
    assumptions = lead
    last = solver.accum_stats()["conflicts"] + LEAD_CONFLICTS
    while assumptions and solver.accum_stats()["conflicts"] < last:
        solver.conf_budget(most)
        found: bool | None = solver.solve_limited(assumptions=assumptions)
        if found is False:
            refuted = sorted(solver.get_core() or assumptions, key=place.__getitem__)
            dropped = set(refuted[int(LEAD_HELD * len(refuted)) :])
            assumptions = [literal for literal in assumptions if literal not in dropped]
        elif found is None:
            assumptions = assumptions[: int(LEAD_KEPT * len(assumptions))]
        yield bool(found)
