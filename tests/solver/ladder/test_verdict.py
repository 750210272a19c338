"""Rows are checked against clues, the number of solutions and the goal before they are written."""

import math
from typing import Any

import numpy as np
import pytest

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.ladder.outcome import MULTIPLE, NONE, UNIQUE
from nonocensus.solver.ladder.verdict import WRONG_SOLUTION, WRONG_VERDICT, results
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

PICTURE = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]], np.uint8)


ANOTHER_CELL = np.concatenate([[0], PICTURE.ravel()[1:]])


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, None),
        ({"solutions": NONE}, WRONG_VERDICT),
        ({"solutions": NONE, "found": 0}, WRONG_VERDICT),
        ({"solutions": MULTIPLE}, WRONG_VERDICT),
        ({"solutions": MULTIPLE, "found": 2, "second": PICTURE.ravel()}, WRONG_SOLUTION),
        ({"first": ANOTHER_CELL}, WRONG_SOLUTION),
    ],
)
def test_wrong_outcome_is_error(changes: dict[str, Any], error: str | None) -> None:
    """Outcomes of a puzzle with one solution, changed."""
    batch = puzzle_batch([from_picture(PICTURE)])
    seen = views(batch)
    outcome = climb(seen, np.arange(1), LadderOptions(math.inf))
    assert outcome.solutions[0] == UNIQUE
    for name, value in changes.items():
        getattr(outcome, name)[:] = value
    (row,) = results(batch, seen, outcome, 2).to_pylist()
    assert (row["status"], row["error"]) == ("error" if error else "ok", error)


def test_goal_disproves_unique_and_start_a_solution() -> None:
    """Of a puzzle with two solutions: a claim that one of them is the only one, and a start that only the other has."""
    batch = puzzle_batch([from_picture(np.eye(2, dtype=np.uint8))])
    seen = views(batch)
    outcome = climb(seen, np.arange(1), LadderOptions(math.inf))
    assert outcome.solutions[0] == MULTIPLE
    start = np.ones((4, 2), np.bool_)
    assert results(batch, seen, outcome, 2, start)["error"].to_pylist() == [None]
    excluding = start.copy()
    excluding[0] = [True, False]
    assert results(batch, seen, outcome, 2, excluding)["error"].to_pylist() == [WRONG_SOLUTION]
    other = outcome.second if (outcome.first == np.eye(2, dtype=np.uint8).ravel()).all() else outcome.first
    outcome.first[:] = other.copy()
    outcome.solutions[0], outcome.found[0] = UNIQUE, 1
    assert results(batch, seen, outcome, 2)["error"].to_pylist() == [WRONG_VERDICT]
    assert results(batch, seen, outcome, 2, start)["error"].to_pylist() == [None]
