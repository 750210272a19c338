"""Rows are checked against clues, the number of solutions and the goal before they are written."""

import math

import numpy as np
import pytest

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.ladder.outcome import MULTIPLE, NONE, UNIQUE, Outcome
from nonocensus.solver.ladder.verdict import WRONG_SOLUTION, WRONG_VERDICT, results
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

PICTURE = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]], np.uint8)


def answered(change: str) -> tuple[str, str | None]:
    """Return status and error of a puzzle with one solution after a change of its outcome."""
    batch = puzzle_batch([from_picture(PICTURE)])
    seen = views(batch)
    outcome: Outcome = climb(seen, np.arange(1), LadderOptions(math.inf))
    assert outcome.solutions[0] == UNIQUE
    if change == "none":
        outcome.solutions[0] = NONE
    elif change == "none at all":
        outcome.solutions[0], outcome.found[0] = NONE, 0
    elif change == "multiple":
        outcome.solutions[0] = MULTIPLE
    elif change == "the same twice":
        outcome.solutions[0], outcome.found[0] = MULTIPLE, 2
        outcome.second[:] = outcome.first
    elif change == "another cell":
        outcome.first[0] = 1 - outcome.first[0]
    row = results(batch, seen, outcome, 2).to_pylist()[0]
    return row["status"], row["error"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("none", WRONG_VERDICT),
        ("none at all", WRONG_VERDICT),
        ("multiple", WRONG_VERDICT),
        ("the same twice", WRONG_SOLUTION),
        ("another cell", WRONG_SOLUTION),
    ],
)
def test_wrong_outcome_is_error(change: str, error: str) -> None:
    assert answered(change) == ("error", error)


def test_right_outcome_is_ok() -> None:
    assert answered("nothing") == ("ok", None)


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
