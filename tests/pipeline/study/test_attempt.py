"""Attempts: the rows that acts come to, read back too, and acts that can't be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import is_solution
from strategies import pictures
from studies import Did, acts, does, doings, frozen, planted, rows, solving

from pipeline.study import attempt as attempts
from pipeline.study.attempt import (
    Impossible,
    Name,
    Step,
    begun,
    given_puzzles,
    gone_on,
    is_solved,
    rows_of,
    step_of,
    steps_of,
)
from reports.study.tables import MOVES
from solver.puzzle import Block, Puzzle, from_picture

NAME = Name("0123456789abcdef", 3, 1)
CROSS = from_picture([[0, 1, 0], [1, 1, 1], [0, 1, 0]], puzzle_id="test/cross")
RED = [("white", ".", "ffffff"), ("black", "X", "000000"), ("red", "r", "ff0000")]
BAR = from_picture([[1, 1, 0], [0, 0, 1]], puzzle_id="test/bar")
BAR_GIVEN = given_puzzles(frozen([CROSS, BAR]))[1]


def steps(done: list[Did]) -> list[Step]:
    return [step_of(act) for act in acts(done)]


@given(doings(6, 1))
def test_rows_are_what_was_done_and_can_be_read_back(done: list[Did]) -> None:
    attempt = gone_on(begun(NAME, BAR_GIVEN), BAR_GIVEN, steps(done))
    table = rows_of(attempt, BAR_GIVEN)
    assert table.schema.equals(MOVES, check_metadata=True)
    assert rows(table) == planted(done)
    for name, value in zip(MOVES.names[:4], (*NAME[:2], "test/bar", BAR_GIVEN.clue_hash), strict=True):
        assert set(table[name].to_pylist()) == {value}
    assert list(steps_of(table)) == list(attempt.steps)
    assert attempt.acts == steps(done)


@given(doings(6, 1), st.integers(0, 12))
def test_it_does_not_matter_how_acts_are_parted(done: list[Did], cut: int) -> None:
    start = begun(NAME, BAR_GIVEN)
    whole = gone_on(start, BAR_GIVEN, steps(done))
    assert gone_on(gone_on(start, BAR_GIVEN, steps(done[:cut])), BAR_GIVEN, steps(done[cut:])) == whole


@given(pictures(2, 4), pictures(2, 4), st.booleans())
def test_solved_is_what_fits_the_clues(picture: np.ndarray, other: np.ndarray, hidden: bool) -> None:
    puzzle = from_picture(picture, [CROSS.palette[0], *CROSS.palette[1:], CROSS.palette[1]._replace(rgb="ff0000")])
    if hidden:
        clue = [tuple(Block(0, block.color) for block in line) for line in puzzle.rows]
        puzzle = Puzzle(tuple(clue), puzzle.columns, puzzle.palette, puzzle.goal)
    study = given_puzzles(frozen([CROSS, puzzle, BAR]))
    assert puzzle.goal is not None
    assert is_solved(study[1], puzzle.goal.tobytes())
    tried = np.resize(other, picture.shape)
    assert is_solved(study[1], tried.tobytes()) == is_solution(puzzle, tried)
    assert is_solved(study[1], tried.tobytes().replace(b"\0", b"\xff")) == is_solution(puzzle, tried), "open is empty"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (does(4, "hidden"), "hidden at 4 ms comes before set at 5 ms"),
        (does(5, "set"), "set has 0 cells and 0 values"),
        (does(5, "set", [1, 2], "1"), "set has 2 cells and 1 values"),
        (does(5, "solved", [1], "1"), "solved has 1 cells and 1 values"),
        (does(5, "undo", [1, 1], "10"), "undo changes a cell twice"),
        (does(5, "redo", [6], "1"), "there is no cell 6"),
        (does(5, "set", [1], "2"), "there is no colour 2"),
        (does(5, "set", [1], "z"), "there is no colour 35"),
        (does(5, "set", [0], "1"), "cell 0 holds 1 already"),
        (does(5, "set", [1], "?"), "cell 1 holds ? already"),
        (does(5, "solved"), "it is not solved: the grid does not fit the clues"),
    ],
)
def test_acts_that_cannot_be(act: Did, said: str) -> None:
    attempt = gone_on(begun(NAME, BAR_GIVEN), BAR_GIVEN, steps([does(5, "set", [0], "1")]))
    with pytest.raises(Impossible) as raised:
        gone_on(attempt, BAR_GIVEN, steps([act]))
    assert str(raised.value) == said


@pytest.mark.parametrize("kind", ["shown", "dreaming"])
def test_steps_that_no_file_can_have(kind: str) -> None:
    with pytest.raises(Impossible, match=f"nobody can do {kind}"):
        gone_on(begun(NAME, BAR_GIVEN), BAR_GIVEN, [Step(0, kind)])


def test_nothing_comes_after_the_end() -> None:
    solved = gone_on(begun(NAME, BAR_GIVEN), BAR_GIVEN, steps(solving(BAR_GIVEN.solution)))
    assert solved.ended == "solved"
    with pytest.raises(Impossible, match="nothing comes after solved"):
        gone_on(solved, BAR_GIVEN, steps([does(9, "gave up")]))


@pytest.mark.parametrize("limit", ["MOST_ACTS", "MOST_CHANGES"])
def test_an_attempt_is_bounded_and_can_always_be_ended(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(attempts, limit, 3)
    painted = [does(at, "set", [0], "10"[at % 2]) for at in range(4)]
    full = gone_on(begun(NAME, BAR_GIVEN), BAR_GIVEN, steps(painted[: 3 if limit == "MOST_CHANGES" else 2]))
    with pytest.raises(Impossible, match=r"at most .* end it"):
        gone_on(full, BAR_GIVEN, steps([painted[len(full.steps) - 1]]))
    assert gone_on(full, BAR_GIVEN, steps([does(9, "gave up")])).ended == "gave up"
