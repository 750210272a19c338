"""Clause learners: each alone, alternating, and out of time. Kissat: test_kissat.py."""

import math
from typing import Any

import numpy as np
import pytest

from solver.api import solve
from solver.ladder import memory
from solver.ladder.climb import climb
from solver.ladder.ladder_options import LadderOptions
from solver.learning import tail
from solver.model.puzzle import Puzzle, from_picture
from solver.model.tables import puzzle_batch
from solver.model.views import views


@pytest.fixture(autouse=True)
def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable dives, which would solve these puzzles first."""
    monkeypatch.setattr(memory, "BELIEF_BYTES", 0)


def hard_puzzles() -> list[Puzzle]:
    """Return random pictures that search leaves open."""
    rng = np.random.default_rng(8)
    return [from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8)) for _ in range(12)]


@pytest.mark.parametrize("turns", [((engine, 1 << 60),) for engine in (tail.GLUCOSE, tail.CADICAL)])
def test_each_learner_alone_gives_the_same_verdicts(monkeypatch: pytest.MonkeyPatch, turns: Any) -> None:
    seen = views(puzzle_batch(hard_puzzles()))
    expected = climb(seen, np.arange(12), LadderOptions(math.inf, nodes=0))
    monkeypatch.setattr(tail, "default_turns", lambda turns=turns: turns)
    outcome = climb(seen, np.arange(12), LadderOptions(math.inf, nodes=0))
    assert (outcome.solutions == expected.solutions).all()
    assert (outcome.seconds[:, 4] > 0).sum() >= 6


def test_learners_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    """With slices of one conflict."""
    monkeypatch.setattr(tail, "SLICE", 1)
    turns = ((tail.ENGINES[0], 1), (tail.ENGINES[1], 2), (tail.ENGINES[0], 1 << 60))
    monkeypatch.setattr(tail, "default_turns", lambda: turns)
    rows: list[dict[str, Any]] = [solve(puzzle) for puzzle in hard_puzzles()]
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["engine"] for row in rows if row["conflicts"]} >= {tail.ENGINES[0]}
    assert all(row["goal_matches"] for row in rows)


def test_learner_is_not_loaded_if_time_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "LOADING", 1e6)
    rows: list[dict[str, Any]] = [solve(puzzle, cpu_limit=5.0) for puzzle in hard_puzzles()]
    late = [row for row in rows if row["status"] == "timeout"]
    assert late
    assert all(row["cpu_seconds"] < 5.0 and row["conflicts"] == 0 for row in late)
