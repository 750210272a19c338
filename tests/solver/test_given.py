"""Prior knowledge of a puzzle: its goal, a partly solved grid."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import picture, puzzle_batch


@given(puzzles(most=4))
@settings(max_examples=100, deadline=None)
def test_fitting_goal_is_the_first_solution(puzzle: Puzzle) -> None:
    everything = oracle.solutions(puzzle)
    row: dict[str, Any] = solve(puzzle, check_goal=True)
    assert puzzle.goal is not None
    assert row["solutions"] == ("unique" if len(everything) == 1 else "multiple")
    assert row["solution"] == puzzle.goal.tobytes()
    assert row["technique"] == solve(puzzle)["technique"]
    if len(everything) > 1:
        second = tuple(map(tuple, picture(row["second_solution"], puzzle.width, puzzle.height).tolist()))
        assert second in everything
        assert row["second_solution"] != row["solution"]


def test_known_goal_needs_no_search() -> None:
    """A permutation puzzle has switching components everywhere."""
    puzzle = from_picture(np.eye(6, dtype=np.uint8))
    row: dict[str, Any] = solve(puzzle, check_goal=True)
    assert row["solutions"] == "multiple"
    assert row["nodes"] == 0


def test_wrong_goal_is_ignored() -> None:
    """Goals that don't fit, and no goal at all, in a batch with one that does."""
    right = from_picture(np.eye(3, dtype=np.uint8))
    wrong = replace(right, goal=np.ones((3, 3), np.uint8))
    batch = puzzle_batch([right, wrong, replace(right, goal=None)])
    rows = classify(batch, check_goal=True).to_pylist()
    assert [row["solutions"] for row in rows] == ["multiple"] * 3
    assert [row["goal_matches"] for row in rows] == [True, False, None]
    assert rows[0]["solution"] == np.eye(3, dtype=np.uint8).tobytes()
    assert classify(batch.slice(1), check_goal=True)["solutions"].to_pylist() == ["multiple"] * 2


@pytest.mark.plain_python
@example(from_picture(np.array([[0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]], np.uint8)), 0, 0.9)
@given(st.one_of(puzzles(most=4), shuffled_puzzles(most=4)), st.integers(0, 2**32 - 1), st.sampled_from([0.6, 0.9]))
@settings(max_examples=150, deadline=None)
def test_only_solutions_that_agree_with_the_start_count(puzzle: Puzzle, seed: int, openness: float) -> None:
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    start = np.random.default_rng(seed).random(shape) < openness
    agreeing = [
        cells
        for cells in oracle.solutions(puzzle)
        if all(start[y, x, c] for y, row in enumerate(cells) for x, c in enumerate(row))
    ]
    row: dict[str, Any] = solve(puzzle, start=start, check_goal=seed % 2 == 0)
    assert row["solutions"] == ("none", "unique", "multiple")[min(len(agreeing), 2)]
    for name in ("solution", "second_solution")[: min(len(agreeing), 2)]:
        assert tuple(map(tuple, picture(row[name], puzzle.width, puzzle.height).tolist())) in agreeing
    found = [tuple(map(tuple, cells.tolist())) for cells in iter_solutions(puzzle, start=start, cpu_limit=math.inf)]
    assert sorted(found) == sorted(agreeing)
