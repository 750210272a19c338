"""Verdicts on answers, held against tests/oracle.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import fits
from strategies import PALETTE, puzzles

import nonocensus as nc
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

CROSS = from_picture([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
TWO = from_picture(np.eye(2, dtype=np.uint8))
"""It has two solutions."""


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (".#.\n###\n.#.", "solved", "it fits all clues"),
        ("##.\n###\n.#.", "wrong", "row 1 is 2, its clue is 1"),
        ("#..\n###\n.#.", "wrong", "column 1 is 2, its clue is 1"),
        (".#.\n#?#\n.#.", "partial", "1 cell is open; it can be completed"),
        ("???\n???\n???", "partial", "9 cells are open; it can be completed"),
        ("#??\n???\n??#", "wrong", "no solution agrees with its known cells"),
        ("...\n???\n???", "wrong", "row 1 is 0, its clue is 1"),
        ("###", "unreadable", "its height is 1, the puzzle's 3"),
    ],
)
def test_verdicts(answer: str, verdict: str, reason: str) -> None:
    checked = nc.check(CROSS, answer)
    assert (checked.verdict, checked.reason, bool(checked)) == (verdict, reason, verdict == "solved")


def test_every_solution_is_accepted() -> None:
    assert nc.check(TWO, "#.\n.#")
    assert nc.check(TWO, ".#\n#.")
    assert nc.check(TWO, "?#\n??").verdict == "partial"


def test_colors_have_names() -> None:
    colored = from_picture([[1, 2, 2], [0, 1, 0]], (PALETTE[0], *PALETTE[2:]))
    assert nc.check(colored, "rgg\n.r.")
    assert nc.check(colored, "rrg\n.r.").reason == "row 1 is 2 red, 1 green, its clue is 1 red, 2 green"


def test_a_partial_answer_to_impossible_clues_is_the_puzzles_fault() -> None:
    impossible = Puzzle(((Block(2),),), ((), (Block(1),)))
    assert nc.check(impossible, "##").verdict == "wrong"
    with pytest.raises(nc.InvalidPuzzle):
        nc.check(impossible, "??")


def right(puzzle: Puzzle, cells: np.ndarray) -> bool:
    lines = [*zip(puzzle.rows, cells, strict=True), *zip(puzzle.columns, cells.T, strict=True)]
    return all(fits(clue, line.tolist()) for clue, line in lines)


@given(st.lists(puzzles(5), min_size=1, max_size=5), st.integers(0, 1 << 32))
def test_checks_of_one_and_of_many_agree_with_the_oracle(some: list[Puzzle], seed: int) -> None:
    random = np.random.default_rng(seed)
    grids = [puzzle.goal ^ (random.random(puzzle.goal.shape) < 0.03) for puzzle in some if puzzle.goal is not None]
    wanted = [right(puzzle, grid) for puzzle, grid in zip(some, grids, strict=True)]
    assert nc.check_each(some, grids).tolist() == nc.check_each(puzzle_batch(some), grids).tolist() == wanted
    for puzzle, grid, good in zip(some, grids, wanted, strict=True):
        same = np.array([grid, puzzle.goal])
        assert nc.check_each(puzzle, same).tolist() == [good, True]
        if (grid <= max(puzzle.colors, 1)).all():
            assert bool(nc.check(puzzle, grid)) == good


def test_grids_of_another_size_or_number() -> None:
    assert nc.check_each(CROSS, np.zeros((0, 3, 3), np.uint8)).tolist() == []
    assert nc.check_each(CROSS, [np.zeros((2, 3)), [[0, 1, 0], [1, 1, 1], [0, 1, 0]]]).tolist() == [False, True]
    with pytest.raises(ValueError, match="2 grids for 1 puzzles"):
        nc.check_each([CROSS], np.zeros((2, 3, 3), np.uint8))


@pytest.mark.parametrize("wrong", [257, -255, 1.5, float("nan"), float("inf")])
def test_numbers_beyond_the_palette_fit_nothing(wrong: float) -> None:
    """As uint8 they would be painted, or another entry."""
    puzzle = from_picture(np.ones((1, 1), np.uint8))
    assert nc.check_each(puzzle, np.ones((1, 1, 1), np.int64)).tolist() == [True]
    assert nc.check_each(puzzle, np.full((1, 1, 1), wrong)).tolist() == [False]
    assert nc.check_each(puzzle, [[[wrong]]]).tolist() == [False]
