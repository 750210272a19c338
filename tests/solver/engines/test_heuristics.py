"""Properties of A*'s heuristics on all states of all small puzzles, with and without a solution."""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import NamedTuple

import fuzz
import oracle
import pytest

from nonocensus.solver.engines.states import (
    Estimate,
    Space,
    State,
    is_solution,
    rows_left,
    space_of,
    successors,
    wrong_and_missing_groups,
    wrong_groups,
)
from nonocensus.solver.model.puzzle import Block, Puzzle

pytestmark = pytest.mark.unchecked

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
        puzzle = fuzz.drawn(seed, most=4, colors=1 + seed // 4 % 3)
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
