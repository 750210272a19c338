"""The solver against one by automata that shares nothing with it (tests/oracle.py), on puzzles drawn from seeds."""

import math
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import fuzz
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.outcome import SOLUTIONS
from nonocensus.solver.model.puzzle import BLOT, Block, InvalidPuzzle, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

MOST = 13
"""Cells of the longest side."""


# The second opinion itself.


@pytest.mark.unchecked
def test_automata_agree_with_enumeration() -> None:
    """Blots, colours, clues of no picture, partly solved grids."""
    verdicts = Counter[str]()
    for seed in range(500):
        puzzle = fuzz.drawn(seed, most=4, colors=1 + seed // 4 % 3)
        start = fuzz.begun(puzzle, seed)
        there = [
            picture
            for picture in (np.array(cells, np.uint8) for cells in oracle.solutions(puzzle))
            if oracle.is_solution(puzzle, picture, start)
        ]
        found = [picture.tobytes() for picture in oracle.learned_solutions(puzzle, start)]
        assert sorted(found) == sorted(picture.tobytes() for picture in there), fuzz.text(puzzle, start)
        verdicts[oracle.verdict(puzzle, start)] += 1
    assert min(verdicts[word] for word in oracle.VERDICTS) >= 50, verdicts


@pytest.mark.unchecked
def test_enumeration_prunes_row_by_row() -> None:
    """A coloured 5x5 of blots whose rows have 20 million combinations of arrangements."""
    rows = [((0, 1), (0, 2)), ((0, 1),), ((0, 1), (0, 2)), ((0, 2), (0, 1)), ((0, 1), (0, 2))]
    cells = [[1, 2, 0, 0, 0], [1, 1, 1, 1, 1], [1, 1, 2, 2, 0], [0, 2, 2, 1, 0], [1, 2, 2, 2, 2]]
    plain = from_picture(np.array(cells, np.uint8), fuzz.PALETTE[:3])
    puzzle = replace(plain, rows=tuple(tuple(Block(*block) for block in row) for row in rows))
    assert math.prod(len(oracle.all_arrangements(clue, 5)) for clue in puzzle.rows) > 10**7
    found = sorted(np.array(cells, np.uint8).tobytes() for cells in oracle.solutions(puzzle))
    assert found == sorted(picture.tobytes() for picture in oracle.learned_solutions(puzzle))


@pytest.mark.unchecked
def test_enumeration_stops_at_too_many_partial_pictures() -> None:
    blots = ((Block(BLOT), Block(BLOT)),) * 12
    check = given(st.just(Puzzle(blots, blots)))(lambda puzzle: oracle.solutions(puzzle) and None)
    with pytest.raises(Unsatisfiable):
        check()


@pytest.mark.unchecked
def test_automata_out_of_patience_return_unknown() -> None:
    puzzle = from_picture(fuzz.noise(np.random.default_rng(2), 20, 20, 0.4, 1))
    assert oracle.verdict(puzzle, patience=1) == "unknown"


# The solver.


def seeds_of(kind: str, number: int, first: int = 0) -> range:
    """Return seeds of a kind from `first` on, a multiple of the number of kinds."""
    step = len(fuzz.KINDS)
    return range(first + fuzz.KINDS.index(kind), first + number * step, step)


def agree(puzzle: Puzzle, start: np.ndarray | None, row: dict[str, Any]) -> None:
    """Fail, saying of which puzzle, unless a row of the results table is right."""
    wrong = oracle.objection(puzzle, start, row, oracle.verdict(puzzle, start))
    assert wrong is None, f"{wrong}\n{fuzz.text(puzzle, start)}"


@pytest.mark.unchecked  # tests/solver/lines/test_checked.py has more of the same puzzles
@pytest.mark.parametrize("kind", fuzz.KINDS)
@pytest.mark.parametrize(
    ("check_goal", "number", "first"),
    [(False, 200, 0), pytest.param(False, 400, 200, marks=pytest.mark.slow), (True, 150, 10_000)],
)
def test_verdicts_of_drawn_puzzles(kind: str, check_goal: bool, number: int, first: int) -> None:
    puzzles = [fuzz.drawn(seed, most=MOST) for seed in seeds_of(kind, number, first)]
    for puzzle, row in zip(puzzles, classify(puzzle_batch(puzzles), check_goal=check_goal).to_pylist(), strict=True):
        agree(puzzle, None, row)


@pytest.mark.unchecked
@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_verdicts_of_partly_solved_drawn_puzzles(kind: str) -> None:
    for seed in seeds_of(kind, 100, 20_000):
        puzzle = fuzz.drawn(seed, most=MOST)
        if (start := fuzz.begun(puzzle, seed)) is not None:
            agree(puzzle, start, solve(puzzle, start=start, check_goal=seed % 8 < 4))


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_iter_solutions_finds_all(kind: str) -> None:
    """All of them, or as many as were asked for."""
    for seed in seeds_of(kind, 60, 30_000):
        puzzle = fuzz.drawn(seed, most=7)
        start = fuzz.begun(puzzle, seed)
        try:
            found = [cells.tobytes() for cells in islice(iter_solutions(puzzle, start=start, cpu_limit=math.inf), 50)]
        except InvalidPuzzle:
            found = []
        there = [cells.tobytes() for cells in islice(oracle.learned_solutions(puzzle, start), 50)]
        assert len(set(found)) == len(found) == len(there), fuzz.text(puzzle, start)
        assert len(there) == 50 or set(found) == set(there), fuzz.text(puzzle, start)


# A branch that search has exhausted may have held the solution that it has noted, and the board that it hands over to
# the learners then holds it no more. To exclude it there once excluded others with it: a false proof of uniqueness.

FALSELY_UNIQUE = [
    *((2, 20, 8), (818, 20, 2), (930, 20, 12), (1510, 20, 8), (1886, 20, 2)),
    *((402730, 1, 3), (406650, 1, 8), (408098, 1, 5)),
]
"""Seeds, `least`, and the nodes after which search had to hand over to show it where no dive saw the other solution."""


def saved(puzzle: Puzzle) -> np.ndarray:
    """Return the grid that leaves a composed puzzle's cycles two solutions each."""
    return puzzle.saved[0][:, :, : oracle.palette_size(puzzle)]


@pytest.mark.parametrize(("seed", "least", "nodes"), FALSELY_UNIQUE)
def test_handover_at_any_node_keeps_the_verdict(seed: int, least: int, nodes: int) -> None:
    puzzle = fuzz.drawn(seed, least)
    start = saved(puzzle)
    given = PriorKnowledge(start=start.reshape(-1, start.shape[2]))
    outcome = climb(
        views(puzzle_batch([puzzle])), np.arange(1), LadderOptions(math.inf, nodes=nodes, belief_bytes=0), given
    )
    assert SOLUTIONS[outcome.solutions[0]] == oracle.verdict(puzzle, start) == "multiple"


def test_falsely_unique_puzzle_with_dives_has_the_right_verdict() -> None:
    puzzle = fuzz.drawn(1_057_538, least=22)
    agree(puzzle, saved(puzzle), solve(puzzle, start=saved(puzzle)))


def test_first_known_falsely_unique_picture_has_the_right_verdict(shared_data: Path) -> None:
    with np.load(shared_data / "defects" / "false-unique.npz") as data:
        puzzle, start = from_picture(data["picture"]), data["start"]
    agree(puzzle, start, solve(puzzle, start=start))
