"""When two Sudokus are the same: canonical forms held against all symmetries, and against chance."""

import random

import numpy as np
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.solver.sudoku.canonical import canonical_form, search_for
from nonocensus.solver.sudoku.sudoku_batch import grid_batch, sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

seeds = st.integers(0, (1 << 32) - 1)


def form(givens: np.ndarray, wide: int, high: int) -> tuple[int, ...]:
    found = np.zeros(givens.size, np.uint8)
    canonical_form(np.ascontiguousarray(givens).ravel(), wide, high, search_for(givens.size), found)
    return tuple(found.tolist())


def renamed(digits: np.ndarray) -> tuple[int, ...]:
    """Return digits renamed in order of first use."""
    names = {0: 0}
    return tuple(names.setdefault(digit, len(names)) for digit in digits.ravel().tolist())


def least(givens: np.ndarray, wide: int, high: int) -> tuple[int, ...]:
    """Return what all equivalent puzzles share, by looking at each of them: equal exactly if they are the same."""
    return min(renamed(givens.ravel()[moved]) for moved in oracle.symmetries(wide, high))


def drawn(seed: int, wide: int, high: int) -> np.ndarray:
    """Few givens or many, also such as no puzzle has."""
    rng = random.Random(seed)
    size = wide * high
    share = rng.choice([0.0, 0.1, 0.3, 0.6, 1.0])
    cells = [rng.randint(1, size) if rng.random() < share else 0 for _ in range(size * size)]
    return np.array(cells, np.uint8).reshape(size, size)


@pytest.mark.slow
@pytest.mark.plain_python
@given(st.lists(seeds, min_size=2, max_size=4), st.sampled_from([(2, 2), (3, 1), (1, 3), (4, 1)]))
@settings(max_examples=60, deadline=None)
def test_equal_exactly_if_they_are_the_same(drawn_seeds: list[int], kind: tuple[int, int]) -> None:
    puzzles = [drawn(seed, *kind) for seed in drawn_seeds]
    puzzles += [oracle.exchanged(puzzles[0], *kind, random.Random(drawn_seeds[1]))]
    for one in puzzles:
        assert renamed(np.array(form(one, *kind))) == form(one, *kind)
        assert least(np.array(form(one, *kind), np.uint8), *sorted(kind, reverse=True)) == least(
            one if kind[0] >= kind[1] else one.T, *sorted(kind, reverse=True)
        )
        for other in puzzles:
            assert (form(one, *kind) == form(other, *kind)) == (least(one, *kind) == least(other, *kind))


def test_all_grids_of_4x4_are_two() -> None:
    """Of the 288 there are two that differ, as is known."""
    grids = list(oracle.solutions(np.zeros((4, 4), np.uint8), 2, 2))
    assert len({form(grid, 2, 2) for grid in grids}) == len({least(grid, 2, 2) for grid in grids}) == 2


def patterns_9x9() -> dict[str, np.ndarray]:
    """Grids of which much is alike: what a refinement of colours alone can't tell apart."""
    rng = random.Random(4)
    cyclic = oracle.full_grid(3, 3, rng)
    box = np.arange(1, 10, dtype=np.uint8).reshape(3, 3)
    diagonal = np.zeros((9, 9), np.uint8)
    for k in range(0, 9, 3):
        diagonal[k : k + 3, k : k + 3] = box
    one_digit = np.where(cyclic == 1, cyclic, 0)
    return {
        "empty": np.zeros((9, 9), np.uint8),
        "one given": np.eye(1, 81, 40, dtype=np.uint8).reshape(9, 9),
        "one digit": one_digit,
        "two digits": np.where(cyclic <= 2, cyclic, 0),
        "first row": np.where(np.arange(9)[:, None] == 0, cyclic, 0),
        "cyclic": cyclic,
        "mixed": oracle.mixed_grid(3, 3, rng),
        "boxes on the diagonal": diagonal,
        "minimal": oracle.minimal(3, 3, rng),
    }


@pytest.mark.parametrize(("name", "givens"), patterns_9x9().items())
def test_9x9_exchanged_turned_and_renamed(name: str, givens: np.ndarray) -> None:  # noqa: ARG001
    rng = random.Random(7)
    same = [oracle.exchanged(givens, 3, 3, rng) for _ in range(20)]
    same += [np.ascontiguousarray(one.T) for one in same[:10]]
    assert {form(one, 3, 3) for one in same} == {form(givens, 3, 3)}


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_9x9_with_a_given_moved_is_another(seed: int) -> None:
    """With as many of each digit, or else the two could not be the same: told apart by a slow invariant."""
    rng = random.Random(seed)
    one = np.where(np.array([rng.random() < 0.35 for _ in range(81)]).reshape(9, 9), oracle.mixed_grid(3, 3, rng), 0)
    other = one.copy()
    y, x = rng.choice(np.argwhere(one).tolist())
    j, i = rng.choice(np.argwhere(one == 0).tolist())
    other[j, i], other[y, x] = one[y, x], 0
    if profile(one) != profile(other):
        assert form(one, 3, 3) != form(other, 3, 3)
    assert (form(one, 3, 3) == form(oracle.exchanged(one, 3, 3, rng), 3, 3)) is True


def profile(givens: np.ndarray) -> list[object]:
    """What is the same for all that are the same puzzle: for both ways to turn it, the givens of its lines."""
    ways = []
    for grid in (givens, givens.T):
        rows = sorted(tuple(sorted(np.count_nonzero(grid[b : b + 3], axis=1))) for b in (0, 3, 6))
        columns = sorted(tuple(sorted(np.count_nonzero(grid[:, b : b + 3], axis=0))) for b in (0, 3, 6))
        ways.append((rows, columns, sorted(np.bincount(givens.ravel(), minlength=10)[1:].tolist())))
    return sorted(ways)


@pytest.mark.parametrize("kind", [(3, 2), (4, 2), (5, 2), (4, 3), (5, 3), (4, 4), (5, 5), (6, 6)])
def test_other_sizes(kind: tuple[int, int]) -> None:
    rng = random.Random(kind[0])
    grid = oracle.full_grid(*kind, rng)
    givens = np.where(np.array([rng.random() < 0.4 for _ in range(grid.size)]).reshape(grid.shape), grid, 0)
    same = [oracle.exchanged(givens, *kind, rng) for _ in range(5)]
    assert len({form(one, *kind) for one in same}) == 1
    turned = {form(np.ascontiguousarray(one.T), *kind[::-1]) for one in same}
    assert turned == {form(givens, *kind)}


def test_hashes_of_a_table() -> None:
    """Equal givens in other boxes are another puzzle; a turned one is the same; a faulty one has hashes too."""
    rng = random.Random(1)
    givens = np.where(np.arange(36).reshape(6, 6) % 3 == 0, oracle.full_grid(3, 2, rng), 0)
    faulty = np.full((6, 6), 99, np.uint8)
    batch = sudoku_batch(
        [
            Sudoku(givens, 3, 2),
            Sudoku(givens, 2, 3),
            Sudoku(givens.T, 2, 3),
            Sudoku(oracle.exchanged(givens, 3, 2, rng), 3, 2),
            Sudoku(faulty, 3, 2),
            Sudoku(np.zeros((1, 1), np.uint8), 1, 1),
        ]
    )
    clue, canonical = batch["clue_hash"].to_pylist(), batch["canonical_hash"].to_pylist()
    assert len(set(clue)) == 6
    assert canonical[0] == canonical[2] == canonical[3]
    assert len({canonical[0], canonical[1], canonical[4]}) == 3
    assert all(len(digits) == 32 for digits in clue + canonical)
    again = grid_batch(np.stack([givens.ravel()] * 3), 3, 2)
    assert set(again["clue_hash"].to_pylist()) == {clue[0]}
    assert set(again["canonical_hash"].to_pylist()) == {canonical[0]}


def test_many_puzzles_are_hashed_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles = [Sudoku(oracle.full_grid(2, 2, random.Random(k)), 2, 2) for k in range(7)]
    whole = sudoku_batch(puzzles)
    monkeypatch.setattr("nonocensus.solver.sudoku.sudoku_identity.MOST", 3)
    assert sudoku_batch(puzzles).equals(whole)
    assert sudoku_batch([]).num_rows == 0
