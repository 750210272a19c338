"""Have the ladder's kernels ready before they are needed: compiled, or loaded from the disk cache."""

import math
from typing import Any

from solver.jit.kernel import is_ready
from solver.ladder.ascent import ascent_of
from solver.ladder.groups import Group, all_groups
from solver.ladder.line_rung import line_rung
from solver.ladder.lookahead_rungs import lookahead_rungs
from solver.ladder.outcome import no_outcome
from solver.ladder.question import NO_GOALS, NOTHING, Allowance
from solver.ladder.search_rung import search_rung
from solver.ladder.tail_rung import compile_tail
from solver.model.amounts import compile_clue_totals
from solver.model.check import compile_sums
from solver.model.identity import compile_hashes
from solver.model.views import Views
from solver.proofs.proof import compile_checks

STAGES = ("line", "lookahead", "search", "tail", "checks")
"""Steps of the ladder whose kernels are compiled on their own; and checks, which are for all puzzles.

With the checks go hashes, and the amounts of which a report's measures are made."""


def warm_up(batch: Views, stages: tuple[str, ...] = STAGES) -> None:
    """Have the kernels of some stages ready for the puzzles of a batch."""
    for group in all_groups(batch):
        calls = _calls(batch, group)
        for stage in stages:
            if stage == "tail":
                compile_tail(group.words, group.colors is not None)
            elif stage == "checks":
                compile_sums(batch)
                compile_checks(batch)
                compile_hashes(batch)
                compile_clue_totals(batch)
            else:
                kernel, arguments = calls[stage]
                kernel(*arguments)


def is_warm(batch: Views) -> bool:
    """Whether the kernels for the puzzles of a batch have been compiled, but perhaps those of the tail."""
    calls = (call for group in all_groups(batch) for call in _calls(batch, group).values())
    return all(is_ready(kernel, *arguments) for kernel, arguments in calls)


def _calls(batch: Views, group: Group) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """For each stage its kernel with arguments for no puzzle."""
    ascent = ascent_of(batch, group, Allowance(math.inf), NOTHING, no_outcome(batch, NO_GOALS))
    return {
        "line": (line_rung, (ascent, group.puzzles[:0])),
        "lookahead": (lookahead_rungs, (ascent,)),
        "search": (search_rung, (ascent, 0)),
    }
