"""Engines against each other, the oracle and the ladder; their figures and limits; properties of A*'s heuristics."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, product
from math import inf
from operator import mul
from typing import NamedTuple

import fuzz
import numpy as np
import oracle
import pytest

from nonocensus.solver.api import classify
from nonocensus.solver.engines.searches import ENGINES, EngineLimits
from nonocensus.solver.engines.states import (
    Estimate,
    Space,
    State,
    arrangements,
    is_solution,
    number_of_arrangements,
    rows_left,
    space_of,
    successors,
    wrong_and_missing_groups,
    wrong_groups,
)
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

pytestmark = pytest.mark.unchecked

PLAIN = ("dfs", "bfs", "astar", "astar-wrong", "astar-missing", "brute")
WHOLE = ("dfs", "bfs", "astar-wrong", "astar-missing")
"""Engines that visit every state before the search is exhausted."""

SECOND = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="two solutions")
BLANK = from_picture(np.zeros((3, 2), np.uint8))
LARGE = from_picture(np.eye(9, dtype=np.uint8))
"""A puzzle with 9^9 ways to fill the rows."""

HOPELESS = replace(LARGE, columns=(*LARGE.columns[:-1], (Block(2),)))
"""LARGE with clues that have no solution."""


def drawn(seed: int, most: int) -> Puzzle:
    return fuzz.drawn(seed, most=most, colors=1 + seed // 4 % 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_verdicts_are_the_oracles(engine: str) -> None:
    seen = set()
    for seed in range(150):
        puzzle = drawn(seed, 4)
        answer, expected = ENGINES[engine](puzzle, EngineLimits()), oracle.verdict(puzzle)
        if puzzle.blotted and engine not in ("sat", "ladder"):
            assert (answer.verdict, answer.stopped) == (
                "unknown",
                "its clues have blots, which this engine does not know",
            )
            continue
        assert (answer.verdict, answer.stopped) == (expected, ""), fuzz.text(puzzle, None)
        assert len(answer.solutions) == oracle.VERDICTS.index(expected)
        assert len({picture.tobytes() for picture in answer.solutions}) == len(answer.solutions)
        assert all(oracle.is_solution(puzzle, picture) for picture in answer.solutions)
        seen.add(expected)
    assert seen == set(oracle.VERDICTS)


def test_exact_cover_is_the_ladder_on_larger_puzzles() -> None:
    puzzles = [puzzle for puzzle in (drawn(seed, 9) for seed in range(1000, 1400)) if not puzzle.blotted]
    rows = classify(puzzle_batch(puzzles)).to_pylist()
    for puzzle, row in zip(puzzles, rows, strict=True):
        answer = ENGINES["exact-cover"](puzzle, EngineLimits(memory=16 << 20))
        if answer.stopped:  # too many arrangements
            continue
        assert oracle.objection(puzzle, None, row, answer.verdict) is None, fuzz.text(puzzle, None)


@pytest.mark.parametrize("colors", [1, 2])
def test_arrangements(colors: int) -> None:
    for cells in range(1, 6):
        for clue in oracle.all_clues(cells, colors):
            for room in (cells, cells + 1, cells - 1):
                found = arrangements(clue, room)
                assert sorted(map(tuple, found)) == sorted(oracle.arrangements(clue, room))
                assert number_of_arrangements(clue, room) == len(found)


def test_visits() -> None:
    """Without a second solution plain searches visit every state once, and brute force every grid."""
    for seed in range(200):
        puzzle = drawn(seed, 5)
        if puzzle.blotted or oracle.verdict(puzzle) == "multiple":
            continue
        grids = [*accumulate((number_of_arrangements(clue, puzzle.width) for clue in puzzle.rows), mul, initial=1)]
        for name in WHOLE:
            answer = ENGINES[name](puzzle, EngineLimits())
            assert answer.visits == sum(grids)
            assert answer.peak is not None
            assert 1 <= answer.peak <= sum(grids)
            assert name != "bfs" or answer.peak >= max(grids)
        assert ENGINES["brute"](puzzle, EngineLimits()).visits == grids[-1]
        pruned = ENGINES["astar"](puzzle, EngineLimits()).visits
        assert pruned is not None
        assert pruned <= sum(grids)


@pytest.mark.parametrize("engine", PLAIN)
def test_no_more_visits_than_allowed(engine: str) -> None:
    whole = ENGINES[engine](SECOND, EngineLimits())
    assert whole.verdict == "multiple"
    assert whole.visits is not None
    assert whole.first_visits is not None
    assert 1 <= whole.first_visits < whole.visits
    assert whole.first_seconds is not None
    assert 0 <= whole.first_seconds <= whole.seconds
    assert ENGINES[engine](SECOND, EngineLimits(visits=whole.visits)).verdict == "multiple"
    answer = ENGINES[engine](SECOND, EngineLimits(visits=whole.visits - 1))
    assert (answer.verdict, answer.visits) == ("unknown", whole.visits - 1)
    assert answer.stopped == f"not done after {whole.visits - 1} visits"
    assert len(answer.solutions) == 1


@pytest.mark.parametrize("engine", [*PLAIN, "sat", "ladder"])
def test_time(engine: str) -> None:
    answer = ENGINES[engine](LARGE, EngineLimits(cpu_limit=1e-9))
    assert (answer.verdict, answer.stopped) == ("unknown", "not done in 1e-09 CPU seconds")


@pytest.mark.parametrize("engine", ["bfs", "astar-wrong", "astar-missing"])
def test_memory_is_no_more_than_reckoned(engine: str) -> None:
    """When the open list is full, Python's memory is within the limit, except for the last state's successors."""
    limits = EngineLimits(memory=1 << 20)
    tracemalloc.start()
    try:
        answer = ENGINES[engine](HOPELESS, limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.verdict == "unknown"
    assert "states wait, which need more than 1 MiB" in answer.stopped
    assert limits.memory / 8 < peak < limits.memory + 20_000


@pytest.mark.parametrize("engine", [*PLAIN, "exact-cover"])
def test_arrangements_that_are_too_many_are_not_made(engine: str) -> None:
    puzzle = Puzzle(((Block(1),) * 30,), ((Block(1),),) * 200)
    answer = ENGINES[engine](puzzle, EngineLimits())
    assert (answer.verdict, answer.visits) == ("unknown", 0)
    assert answer.stopped == "its lines' arrangements need more than 512 MiB"


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_to_paint(engine: str) -> None:
    answer = ENGINES[engine](BLANK, EngineLimits())
    assert answer.verdict == "unique"
    assert answer.solutions[0].tolist() == [[0, 0]] * 3


SIZES = ((1, 1, 1), (1, 2, 1), (2, 1, 1), (1, 3, 1), (3, 1, 1), (2, 2, 1), (6, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 2),
         (2, 2, 2))  # fmt: skip
"""Height, width and colours; with one colour, smaller boards first, so that the first counterexample is minimal."""


class Broken(NamedTuple):
    """A state that violates a property: its estimate, and the maximum allowed."""

    puzzle: Puzzle
    state: State
    estimate: float
    most: float


def puzzles(height: int, width: int, colors: int) -> Iterator[Puzzle]:
    """Yield all combinations of row and column clues, consistent or not."""
    rows, columns = oracle.all_clues(width, colors), oracle.all_clues(height, colors)
    for lines in product(*[rows] * height, *[columns] * width):
        yield Puzzle(lines[:height], lines[height:], fuzz.PALETTE[: colors + 1])


def distances(space: Space, state: State = b"") -> dict[State, float]:
    """Return the rows to the nearest solution, or infinity, for this state and all its descendants."""
    below: dict[State, float] = {}
    least = 0.0 if is_solution(space.puzzle, state) else inf
    for successor in successors(space, state):
        below |= distances(space, successor)
        least = min(least, 1 + below[successor])
    return below | {state: least}


def too_high(space: Space, estimate: Estimate) -> Iterator[Broken]:
    """Yield states whose estimate exceeds the distance: the heuristic is not admissible."""
    for state, distance in distances(space).items():
        if (said := estimate(space.puzzle, state)) > distance:
            yield Broken(space.puzzle, state, said, distance)


def too_steep(space: Space, estimate: Estimate) -> Iterator[Broken]:
    """Yield states whose estimate exceeds a successor's by more than 1: the heuristic is not consistent."""
    for state in distances(space):
        said = estimate(space.puzzle, state)
        for successor in successors(space, state):
            if said > (most := 1 + estimate(space.puzzle, successor)):
                yield Broken(space.puzzle, state, said, most)


@pytest.mark.parametrize("estimate", [rows_left, wrong_groups])
@pytest.mark.parametrize("size", SIZES)
def test_admissible_and_consistent(estimate: Estimate, size: tuple[int, int, int]) -> None:
    states = 0
    for puzzle in puzzles(*size):
        space = space_of(puzzle)
        states += len(distances(space))
        assert not [*too_high(space, estimate)]
        assert not [*too_steep(space, estimate)]
    assert states > 1


def test_wrong_and_missing_groups_are_neither() -> None:
    """The smallest counterexample, as in docs/ENGINES.md: one row, where one step finishes two groups."""
    spaces = (space_of(puzzle) for size in SIZES for puzzle in puzzles(*size))
    found = next((high, steep) for space in spaces for high in too_high(space, wrong_and_missing_groups)
                 for steep in too_steep(space, wrong_and_missing_groups))  # fmt: skip
    for broken in found:
        assert (broken.puzzle.rows, broken.puzzle.columns) == (((Block(2),),), ((Block(1),), (Block(1),)))
        assert (broken.state, broken.estimate, broken.most) == (b"", 2, 1)


def test_rows_left_prunes_what_has_no_chance() -> None:
    """It prunes exactly the states where some column has no arrangement with the state's cells as prefix."""
    pruned = 0
    for seed in range(120):
        puzzle = drawn(seed, 4)
        if puzzle.blotted:
            continue
        for state in distances(space_of(puzzle)):
            filled = len(state) // puzzle.width
            can = all(
                any(
                    bytes(line[:filled]) == state[x :: puzzle.width]
                    for line in oracle.arrangements(clue, puzzle.height)
                )
                for x, clue in enumerate(puzzle.columns)
            )
            assert rows_left(puzzle, state) == (puzzle.height - filled if can else inf), fuzz.text(puzzle, None)
            pruned += not can
    assert pruned > 100


@pytest.mark.parametrize(
    ("column", "filled", "wrong", "both"),
    [
        ("2 1", "", 0, 2),
        ("2 1", "#", 0, 2),
        ("2 1", "##", 0, 2),  # the group may still grow
        ("2 1", "##.", 0, 1),
        ("2 1", "###", 0, 2),
        ("2 1", "###.", 1, 2),
        ("2 1", "##.#.", 0, 0),
        ("2 1", "#.##.", 2, 2),
        ("2 1", "##.#.#.", 1, 1),
        ("2 1", "#.#.#.#", 2, 2),  # the second is right
        ("2 1", "##.....#", 0, 0),  # the grid is full
        ("2 1", "##......", 0, 1),
    ],
)
def test_groups_are_counted_by_their_place(column: str, filled: str, wrong: int, both: int) -> None:
    clue = tuple(Block(int(length)) for length in column.split())
    puzzle = Puzzle(((),) * 8, (clue,))
    state = bytes(cell == "#" for cell in filled)
    assert (wrong_groups(puzzle, state), wrong_and_missing_groups(puzzle, state)) == (wrong, both)
