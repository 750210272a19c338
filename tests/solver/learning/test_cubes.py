"""Puzzles decided by cubes: parts lose no solution and share none; verdicts are the oracle's and one learner's."""

import math
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles, shuffled_puzzles

from solver.api import solve
from solver.ladder import climb, memory
from solver.ladder.ladder_options import FROM_NOTHING
from solver.ladder.memory import Memory
from solver.learning import cubes, tail
from solver.learning.cubes import (
    Conquest,
    Cube,
    CubeResult,
    add_result,
    conquer_serially,
    halves,
    probed_branch,
    solve_cube,
)
from solver.learning.tail import CADICAL, ENGINES, GLUCOSE, KISSAT, Branch, cube_turns, make_learner, variable_counts
from solver.lines.board import possibilities
from solver.model.puzzle import Puzzle, from_picture
from solver.model.tables import puzzle_batch
from solver.model.views import views

WHOLE = Cube((), FROM_NOTHING)
ALWAYS_SPLIT = ((ENGINES[1], 0),)
"""Turns in which no learner does anything."""


def pictures_of(puzzle: Puzzle) -> set[bytes]:
    return {np.array(solution, np.uint8).tobytes() for solution in oracle.solutions(puzzle)}


def keeps_to(cube: Cube, picture: bytes) -> bool:
    cells = np.frombuffer(picture, np.uint8)
    return not len(cube.start) or bool(cube.start[np.arange(len(cells)), cells].all())


def any_branch(looked: Memory, rng: np.random.Generator) -> Branch:
    """Where probing would split a cube, or at any other open cell, at a colour that it may have."""
    may_be = possibilities(looked.board)
    cell, color = rng.choice(np.argwhere(may_be & (may_be.sum(axis=1) > 1)[:, None]))
    return probed_branch(looked) if rng.integers(2) else Branch(int(cell), int(color), bool(rng.integers(2)))


@pytest.fixture
def learners_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubes, "cube_turns", lambda *_: ALWAYS_SPLIT)
    monkeypatch.setattr(memory, "BELIEF_BYTES", 0)  # no dives


@given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)), st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_each_solution_is_in_one_of_two_halves(puzzle: Puzzle, seed: int) -> None:
    """Down any path: what a cube holds, one of its halves holds, unless probing it has noted it."""
    rng = np.random.default_rng(seed)
    held, cube = pictures_of(puzzle), WHOLE
    while True:
        found: list[np.ndarray] = []
        looked, left = cubes.probe_cube(views(puzzle_batch([puzzle])), cube, found, FROM_NOTHING, math.inf)
        noted = {picture.tobytes() for picture in found}
        assert noted <= pictures_of(puzzle)
        if looked is None:
            assert len(noted) == 2 or (not left and held <= noted)
            return
        parts = halves(cube, looked, any_branch(looked, rng))
        for picture in held:
            assert sum(keeps_to(part, picture) for part in parts) == 1
        cube = parts[rng.integers(2)]
        held = {picture for picture in held if keeps_to(cube, picture)}


@pytest.mark.usefixtures("learners_do_nothing")
def test_cubes_alone_give_the_verdict_of_the_oracle() -> None:
    """Without learners, cubes are split until probing decides each of them."""

    @given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)))
    @settings(max_examples=300, deadline=None)
    def check(puzzle: Puzzle) -> None:
        everything = pictures_of(puzzle)
        ended = conquer_serially(puzzle_batch([puzzle]), Conquest(FROM_NOTHING, [], [WHOLE]), math.inf)
        found = {picture.tobytes() for picture in ended.solutions}
        assert found <= everything
        assert len(found) == len(ended.solutions) == min(len(everything), 2)
        assert ended.conflicts == 0

    check()


@given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_a_known_solution_does_not_count(puzzle: Puzzle, seed: int) -> None:
    """With one solution known, and a start that leaves some cells fewer colours."""
    everything = oracle.solutions(puzzle)
    if not everything:
        return
    rng = np.random.default_rng(seed)
    known = np.array(everything[rng.integers(len(everything))], np.uint8).ravel()
    start = rng.random((len(known), max(puzzle.colors, 1) + 1)) < 0.9
    start[np.arange(len(known)), known] = True
    agreeing = {picture for picture in pictures_of(puzzle) if keeps_to(Cube((), start), picture)}
    begun = Conquest(start, [known], [Cube((), start)])
    ended = conquer_serially(puzzle_batch([puzzle]), begun, math.inf)
    assert len(ended.solutions) == min(len(agreeing), 2)
    assert {picture.tobytes() for picture in ended.solutions} <= agreeing


def test_how_often_a_learner_has_learned_about_variables() -> None:
    """Deleted clauses have no part in it, decided variables none any more."""
    proof = ["1 -2 0", "-2 3 -4 0", "d 1 -2 0", "4 0", "-2 4 0"]
    assert variable_counts(proof, 6).tolist() == [0, 1, 3, 1, 0, 0, 0]
    assert variable_counts([*proof, "1 1"], 6).tolist() == [0, 1, 3, 1, 0, 0, 0]
    assert variable_counts([], 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize("few", [False, True])
def test_a_cube_is_split_at_what_a_learner_has_learned_about(few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The likely part comes first, but not while the whole looks for the only solution."""
    monkeypatch.setattr(tail, "SLICE", 20)
    rng = np.random.default_rng(8)
    batch = views(puzzle_batch([from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8))]))
    looked, _ = cubes.probe_cube(batch, WHOLE, [], FROM_NOTHING, math.inf)
    assert looked is not None
    with make_learner(looked, math.inf) as silent:
        silent.next_solution(math.inf, ((GLUCOSE, 1),))
        assert silent.split_candidate() is None
    with make_learner(looked, math.inf, logs_clauses=True) as learner:
        learner.expects_few = few
        assert learner.split_candidate() is None
        learner.next_solution(math.inf, ((GLUCOSE, 1),))
        branch = learner.split_candidate()
    assert branch is not None
    parts = halves(WHOLE, looked, branch)
    assert parts[0].splits == ((branch.cell, branch.color, branch.has_first),)
    likely = int(learner.formula.literal[branch.cell, branch.color]) in learner.phases(GLUCOSE)
    assert (branch.has_first == likely) is not few


def test_a_puzzle_that_one_learner_takes_long_over_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the ladder hands it over: the row of one learner, but for what differs from solution to solution."""
    monkeypatch.setattr(memory, "BELIEF_BYTES", 0)
    rng = np.random.default_rng(8)
    asked = [from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8)) for _ in range(6)]
    expected: list[Any] = [solve(puzzle) for puzzle in asked]
    monkeypatch.setattr(climb, "ALONE", 0.0)
    monkeypatch.setattr(cubes, "cube_turns", lambda *_: ((ENGINES[0], 1),))
    answered = 0

    def counted(*arguments: Any) -> Conquest:
        nonlocal answered
        answered += 1
        return conquer_serially(*arguments)

    rows: list[Any] = [solve(puzzle, conquer=counted) for puzzle in asked]
    for column in ("status", "solutions", "technique", "label", "goal_matches", "cells_after_probe", "nodes"):
        assert [row[column] for row in rows] == [row[column] for row in expected]
    assert answered >= 2


@pytest.mark.usefixtures("learners_do_nothing")
def test_out_of_time_all_that_is_open_waits() -> None:
    """A conquest cut short and taken up again, cube by cube, loses nothing."""
    puzzle = from_picture(np.eye(5, dtype=np.uint8)[[2, 0, 3, 1, 4]])
    batch = puzzle_batch([puzzle])
    late = solve_cube(views(batch), WHOLE, [], FROM_NOTHING, 0.0, ALWAYS_SPLIT)
    assert late.parts == [WHOLE]
    assert conquer_serially(batch, Conquest(FROM_NOTHING, [], [WHOLE]), 0.0).waiting == [WHOLE]


def test_cubes_are_split_for_want_of_them_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "has_kissat", lambda: True)
    assert cube_turns(0, 1, 1) == cube_turns(1, 2, 3) == ((GLUCOSE, tail.TRIAL_SLICES),)
    for enough in (cube_turns(0, 1, 2), cube_turns(2, 2, 1)):
        assert [engine for engine, _ in enough] == [KISSAT, GLUCOSE]
    (_, alone), (_, shared) = cube_turns(9, 1, 9)[0], cube_turns(9, 4, 9)[0]
    assert alone == 4 * shared
    monkeypatch.setattr(tail, "has_kissat", lambda: False)
    assert cube_turns(0, 9, 8) == ((CADICAL, 1),)
    assert cube_turns(0, 8, 8) == ((CADICAL, tail.CUBE_SLICES),)


def test_what_one_cube_has_come_to_is_added() -> None:
    first, second, third = (np.full(1, k, np.uint8) for k in range(3))
    one, other = (Cube(((k, 1, True),), FROM_NOTHING) for k in range(2))
    begun = Conquest(FROM_NOTHING, [first], [other], 1.0, 10, None)
    ended = add_result(begun, CubeResult([second, third], [one], 2.0, 5, ENGINES[0]))
    assert ended == Conquest(FROM_NOTHING, [first, second], [one, other], 3.0, 15, ENGINES[0])
    assert add_result(ended, CubeResult([], [], 0.0, 0, None)).engine == ENGINES[0]
