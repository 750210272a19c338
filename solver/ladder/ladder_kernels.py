"""Compile the ladder's kernels ahead of use, or load them from the disk cache."""

import math
from functools import cache
from typing import Any

from nonocensus.solver.ladder.fixpoint import example_at_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING, NO_PRIOR, NO_SOLUTIONS, LadderOptions
from nonocensus.solver.ladder.memory import KernelGroup, all_kernel_groups
from nonocensus.solver.ladder.outcome import initial_outcome
from nonocensus.solver.ladder.rungs import initial_state, run_line_rung, run_lookahead_rungs, run_search_rung
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.learning.tail import make_learner
from nonocensus.solver.model.amounts import compile_clue_totals
from nonocensus.solver.model.check import compile_sums
from nonocensus.solver.model.identity import compile_hashes
from nonocensus.solver.model.views import Views
from nonocensus.solver.proofs.answer_check import compile_checks

STAGES = ("line", "lookahead", "search", "tail", "checks")
"""Units of compilation. `checks` are the kernels that every puzzle needs: checks, hashes, totals of clues."""


def warm_up(batch: Views, stages: tuple[str, ...] = STAGES) -> None:
    """Compile the kernels of some stages for the puzzles of a batch."""
    for group in all_kernel_groups(batch):
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


def _calls(batch: Views, group: KernelGroup) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return each stage's kernel with arguments for an empty selection."""
    state = initial_state(batch, group, LadderOptions(math.inf), NO_PRIOR, initial_outcome(batch, NO_SOLUTIONS))
    return {
        "line": (run_line_rung, (state, group.puzzles[:0])),
        "lookahead": (run_lookahead_rungs, (state,)),
        "search": (run_search_rung, (state, 0)),
    }


@cache
def compile_tail(words: int, colored: bool) -> None:
    """Compile the tail's kernels on a puzzle of four cells, so that no puzzle's CPU time includes it."""
    memory = example_at_fixpoint(words, colored)
    with make_learner(memory, math.inf) as learner:
        learner.next_solution(math.inf)
        picture = learner.picture()
        swap(picture, 2, 2, FROM_NOTHING, memory.workspace.counters, math.inf)
        learner.exclude(picture)
