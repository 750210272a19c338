"""Cubes: parts are disjoint and complete; verdicts equal the oracle's and those of one learner."""

import math
from functools import partial
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING, LadderOptions
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.ladder.verdict import results
from nonocensus.solver.learning import cubes, tail
from nonocensus.solver.learning.cubes import (
    Conqueror,
    Conquest,
    Cube,
    CubeResult,
    add_result,
    conquer_serially,
    halves,
    probed_branch,
    solve_cube,
)
from nonocensus.solver.learning.tail import (
    CADICAL,
    ENGINES,
    GLUCOSE,
    KISSAT,
    Branch,
    LearnerOptions,
    cube_turns,
    make_learner,
    variable_counts,
)
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

WHOLE = Cube((), FROM_NOTHING)
ALWAYS_SPLIT = ((ENGINES[1], 0),)
"""Turns without any work."""


def pictures_of(puzzle: Puzzle) -> set[bytes]:
    return {np.array(solution, np.uint8).tobytes() for solution in oracle.solutions(puzzle)}


def keeps_to(cube: Cube, picture: bytes) -> bool:
    cells = np.frombuffer(picture, np.uint8)
    return not len(cube.start) or bool(cube.start[np.arange(len(cells)), cells].all())


def any_branch(probed: Memory, rng: np.random.Generator) -> Branch:
    """Return the branch of probing, or a random one."""
    may_be = possibilities(probed.board)
    cell, color = rng.choice(np.argwhere(may_be & (may_be.sum(axis=1) > 1)[:, None]))
    return probed_branch(probed) if rng.integers(2) else Branch(int(cell), int(color), bool(rng.integers(2)))


@pytest.fixture
def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubes, "_dive", lambda *_: None)


@given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)), st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_each_solution_is_in_exactly_one_half(puzzle: Puzzle, seed: int) -> None:
    """On a random path of splits; solutions that probing finds are excepted."""
    rng = np.random.default_rng(seed)
    held, cube = pictures_of(puzzle), WHOLE
    while True:
        found: list[np.ndarray] = []
        probed, left = cubes.probe_cube(views(puzzle_batch([puzzle])), cube, found, FROM_NOTHING, math.inf)
        recorded = {picture.tobytes() for picture in found}
        assert recorded <= pictures_of(puzzle)
        if probed is None:
            assert len(recorded) == 2 or (not left and held <= recorded)
            return
        parts = halves(cube, probed, any_branch(probed, rng))
        for picture in held:
            assert sum(keeps_to(part, picture) for part in parts) == 1
        cube = parts[rng.integers(2)]
        held = {picture for picture in held if keeps_to(cube, picture)}


@pytest.mark.usefixtures("no_dives")
def test_cubes_without_learners_agree_with_oracle() -> None:
    @given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)))
    @settings(max_examples=150, deadline=None)
    def check(puzzle: Puzzle) -> None:
        everything = pictures_of(puzzle)
        begun = Conquest(FROM_NOTHING, [], [WHOLE])
        ended = conquer_serially(puzzle_batch([puzzle]), begun, math.inf, lambda _: ALWAYS_SPLIT)
        found = {picture.tobytes() for picture in ended.solutions}
        assert found <= everything
        assert len(found) == len(ended.solutions) == min(len(everything), 2)
        assert ended.conflicts == 0

    check()


@given(st.one_of(puzzles(most=5), shuffled_puzzles(most=5)), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_known_solution_is_not_found_again(puzzle: Puzzle, seed: int) -> None:
    """With a start that restricts some cells."""
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


def test_variable_counts_ignore_deleted_clauses_and_decided_variables() -> None:
    proof = ["1 -2 0", "-2 3 -4 0", "d 1 -2 0", "4 0", "-2 4 0"]
    assert variable_counts(proof, 6).tolist() == [0, 1, 3, 1, 0, 0, 0]
    assert variable_counts([*proof, "1 1"], 6).tolist() == [0, 1, 3, 1, 0, 0, 0]
    assert variable_counts([], 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize("few", [False, True])
def test_split_candidate_is_most_learned_about(few: bool) -> None:
    """The likely part comes first, unless few solutions are expected."""
    options = LearnerOptions(slice_conflicts=20)
    rng = np.random.default_rng(8)
    batch = views(puzzle_batch([from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8))]))
    probed, _ = cubes.probe_cube(batch, WHOLE, [], FROM_NOTHING, math.inf)
    assert probed is not None
    with make_learner(probed, math.inf, options) as silent:
        silent.next_solution(math.inf, ((GLUCOSE, 1),))
        assert silent.split_candidate() is None
    with make_learner(probed, math.inf, options, logs_clauses=True) as learner:
        learner.expects_few = few
        assert learner.split_candidate() is None
        learner.next_solution(math.inf, ((GLUCOSE, 1),))
        branch = learner.split_candidate()
    assert branch is not None
    parts = halves(WHOLE, probed, branch)
    assert parts[0].splits == ((branch.cell, branch.color, branch.has_first),)
    likely = int(learner.encoding.literal[branch.cell, branch.color]) in learner.phases(GLUCOSE)
    assert (branch.has_first == likely) is not few


@pytest.mark.usefixtures("no_dives")
def test_rows_are_the_same_with_cubes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns that do not depend on which solutions are found."""
    rng = np.random.default_rng(8)
    batches = [puzzle_batch([from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8))]) for _ in range(6)]
    calls = 0

    def counted(*arguments: Any) -> Conquest:
        nonlocal calls
        calls += 1
        return conquer_serially(*arguments, turns=lambda _: ((ENGINES[0], 1),))

    def rows_of(conquer: Conqueror | None) -> list[dict[str, Any]]:
        rows = []
        for batch in batches:
            seen, options = views(batch), LadderOptions(math.inf, belief_bytes=0)
            bound = None if conquer is None else partial(conquer, batch)
            rows += results(batch, seen, climb(seen, np.arange(1), options, conquer=bound), 2).to_pylist()
        return rows

    expected = rows_of(None)
    monkeypatch.setattr("nonocensus.solver.ladder.climb.ALONE", 0.0)
    rows = rows_of(counted)
    for column in ("status", "solutions", "technique", "label", "goal_matches", "cells_after_probe", "nodes"):
        assert [row[column] for row in rows] == [row[column] for row in expected]
    assert calls >= 2


@pytest.mark.usefixtures("no_dives")
def test_cubes_wait_after_the_deadline() -> None:
    puzzle = from_picture(np.eye(5, dtype=np.uint8)[[2, 0, 3, 1, 4]])
    batch = puzzle_batch([puzzle])
    late = solve_cube(views(batch), WHOLE, [], FROM_NOTHING, 0.0, ALWAYS_SPLIT)
    assert late.parts == [WHOLE]
    assert conquer_serially(batch, Conquest(FROM_NOTHING, [], [WHOLE]), 0.0).waiting == [WHOLE]


def test_turns_split_early_only_if_cores_are_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "has_kissat", lambda: True)
    assert cube_turns(0, 1, 1) == cube_turns(1, 2, 3) == ((GLUCOSE, tail.TRIAL_SLICES),)
    for enough in (cube_turns(0, 1, 2), cube_turns(2, 2, 1)):
        assert [engine for engine, _ in enough] == [KISSAT, GLUCOSE]
    (_, alone), (_, shared) = cube_turns(9, 1, 9)[0], cube_turns(9, 4, 9)[0]
    assert alone == 4 * shared
    monkeypatch.setattr(tail, "has_kissat", lambda: False)
    assert cube_turns(0, 9, 8) == ((CADICAL, 1),)
    assert cube_turns(0, 8, 8) == ((CADICAL, tail.CUBE_SLICES),)


def test_add_result_merges_solutions_parts_and_effort() -> None:
    first, second, third = (np.full(1, k, np.uint8) for k in range(3))
    one, other = (Cube(((k, 1, True),), FROM_NOTHING) for k in range(2))
    begun = Conquest(FROM_NOTHING, [first], [other], 1.0, 10, None)
    ended = add_result(begun, CubeResult([second, third], [one], 2.0, 5, ENGINES[0]))
    assert ended == Conquest(FROM_NOTHING, [first, second], [one, other], 3.0, 15, ENGINES[0])
    assert add_result(ended, CubeResult([], [], 0.0, 0, None)).engine == ENGINES[0]
