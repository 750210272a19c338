"""Engines against each other, the oracle and the ladder; their figures and limits."""

import tracemalloc
from dataclasses import replace
from itertools import accumulate
from operator import mul

import fuzz
import numpy as np
import oracle
import pytest

from nonocensus.solver.api import classify
from nonocensus.solver.engines.searches import ENGINES, EngineLimits
from nonocensus.solver.engines.states import arrangements, number_of_arrangements
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
def test_first_solution_and_second(engine: str) -> None:
    answer = ENGINES[engine](SECOND, EngineLimits())
    assert answer.verdict == "multiple"
    assert answer.visits is not None
    assert answer.first_visits is not None
    assert 1 <= answer.first_visits < answer.visits
    assert answer.first_seconds is not None
    assert 0 <= answer.first_seconds <= answer.seconds


@pytest.mark.parametrize("engine", PLAIN)
def test_no_more_visits_than_allowed(engine: str) -> None:
    whole = ENGINES[engine](SECOND, EngineLimits())
    assert whole.visits is not None
    assert ENGINES[engine](SECOND, EngineLimits(visits=whole.visits)).verdict == "multiple"
    answer = ENGINES[engine](SECOND, EngineLimits(visits=whole.visits - 1))
    assert (answer.verdict, answer.visits) == ("unknown", whole.visits - 1)
    assert answer.stopped == f"not done after {whole.visits - 1} visits"
    assert len(answer.solutions) == 1


@pytest.mark.parametrize("engine", ["dfs", "bfs", "astar", "astar-wrong", "astar-missing", "brute", "sat", "ladder"])
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
