"""The clause learner: its verdicts, slices, and out of time."""

import math

import numpy as np

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.ladder.outcome import CPU_SAT, LEARNED, WALL, Outcome
from nonocensus.solver.learning.tail import LearnerOptions
from nonocensus.solver.lines.workspace import CONFLICTS
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views
from nonocensus.solver.proofs.answer_check import fits


def hard_puzzles() -> list[Puzzle]:
    """Return random pictures that search leaves open."""
    rng = np.random.default_rng(8)
    return [from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8)) for _ in range(12)]


def outcome_of(learning: LearnerOptions, cpu_limit: float = math.inf, nodes: int = 1) -> Outcome:
    """Return the outcome of the hard puzzles without dives, which would solve them first."""
    seen = views(puzzle_batch(hard_puzzles()))
    return climb(seen, np.arange(12), LadderOptions(cpu_limit, nodes=nodes, belief_bytes=0), learning=learning)


def test_verdicts_are_those_of_search() -> None:
    """With slices of one conflict too; every solution is checked."""
    expected = climb(views(puzzle_batch(hard_puzzles())), np.arange(12), LadderOptions(math.inf, nodes=1 << 40))
    for learning in (LearnerOptions(), LearnerOptions(slice_conflicts=1)):
        outcome = outcome_of(learning)
        assert not outcome.late.any()
        assert (outcome.solutions == expected.solutions).all()
        learned = outcome.counters[:, CONFLICTS] > 0
        assert (outcome.engine[learned] == LEARNED).all()
        assert learned.sum() >= 3
        assert (outcome.seconds[:, CPU_SAT] > 0).sum() >= 6
        found = np.flatnonzero(outcome.found)
        assert len(found) == 12
        assert fits(views(puzzle_batch(hard_puzzles())), found, outcome.first, outcome.offsets).all()


def test_learner_is_not_loaded_if_time_is_too_short() -> None:
    outcome = outcome_of(LearnerOptions(loading=1e6), cpu_limit=5.0)
    assert outcome.late.any()
    assert (outcome.seconds[outcome.late, :WALL].sum(axis=1) < 5.0).all()
    assert (outcome.counters[outcome.late, CONFLICTS] == 0).all()
