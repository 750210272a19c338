"""Sudokus passed to clause learners, however early: the verdicts equal those of backtracking and exact cover."""

import math
import random
from itertools import islice

import cover_problems as covers
import numpy as np
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import sampled

from nonocensus.solver.exact_cover.solve import solve_each
from nonocensus.solver.ladder.ladder_options import SEARCH
from nonocensus.solver.ladder.outcome import MULTIPLE, NONE, UNIQUE, UNKNOWN, Outcome, empty_outcome
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.lines.workspace import COUNTERS
from nonocensus.solver.sudoku import sudoku_ladder
from nonocensus.solver.sudoku.singles import follow, put_on
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.sudoku_encoding import formula_of
from nonocensus.solver.sudoku.sudoku_tail import hand_over
from nonocensus.solver.sudoku.units import units_of

seeds = st.integers(0, (1 << 32) - 1)
BY_NUMBER = (NONE, UNIQUE, MULTIPLE)
ANSWERS = ("none", "unique", "multiple")


def drawn(rng: random.Random, wide: int, high: int, share: float) -> np.ndarray:
    """Return some givens of a solved grid, uint8[cells]; in every third puzzle one of them another digit."""
    grid = oracle.full_grid(wide, high, rng).ravel()
    givens = np.where([rng.random() < share for _ in grid], grid, 0).astype(np.uint8)
    if rng.random() < 1 / 3:
        givens[rng.randrange(len(givens))] = rng.randint(1, wide * high)
    return givens


def board(givens: np.ndarray, wide: int, high: int) -> np.ndarray | None:
    """Return the board at the fixpoint of singles; None if that meets a contradiction."""
    units, can = units_of(wide, high), np.zeros(len(givens), np.int64)
    due = np.zeros(len(units.cells), np.bool_)
    put_on(givens, units, can, due)
    return can if follow(can, units, due, np.zeros(COUNTERS, np.int64)) == FIXPOINT else None


def handed(can: np.ndarray, wide: int, high: int, limit: float = math.inf) -> Outcome:
    outcome = empty_outcome(np.array([len(can)]))
    hand_over(0, can, units_of(wide, high), limit, outcome)
    return outcome


@given(seeds, st.sampled_from([(2, 2), (3, 2), (2, 3), (4, 1), (3, 3)]), st.floats(0.1, 0.6))
@settings(max_examples=60, deadline=None)
def test_learners_alone(seed: int, kind: tuple[int, int], share: float) -> None:
    """From what singles leave on: the number of solutions, up to two, and each is one."""
    givens = drawn(random.Random(seed), *kind, max(share, 0.25 if kind == (3, 3) else 0))
    can = board(givens, *kind)
    size = kind[0] * kind[1]
    if can is None or (can & (can - 1) == 0).all():
        return
    number = len(list(islice(oracle.solutions(givens.reshape(size, size), *kind), 2)))
    outcome = handed(can, *kind)
    assert (outcome.found[0], outcome.solutions[0], outcome.rung[0]) == (number, BY_NUMBER[number], SEARCH)
    for solution in (outcome.first, outcome.second)[:number]:
        assert oracle.is_solution(solution.reshape(size, size), *kind)
        assert ((givens == 0) | (givens == solution)).all()
    assert number < 2 or (outcome.first != outcome.second).any()


def test_a_formula_has_the_solutions_of_its_board() -> None:
    """All of them, by trying every assignment: of a 4x4 with a few open cells."""
    grid = oracle.full_grid(2, 2, random.Random(2))
    givens = np.where(grid <= 2, 0, grid).ravel().astype(np.uint8)
    can = board(givens, 2, 2)
    assert can is not None
    formula = formula_of(can, units_of(2, 2))
    assert 0 < formula.number <= 16
    clauses = [[literal for literal in clause if literal] for some in formula.clauses for clause in some.tolist()]
    models = [
        model
        for model in range(1 << formula.number)
        if all(any((model >> abs(literal) - 1 & 1) == (literal > 0) for literal in clause) for clause in clauses)
    ]
    assert len(models) == len(list(oracle.solutions(givens.reshape(4, 4), 2, 2)))


@pytest.mark.parametrize("most", sampled([1, 0, 3], 3))
@pytest.mark.parametrize(("box", "count", "least", "most_given"), [(2, 150, 0.1, 0.4), (3, 250, 0.2, 0.36)])
def test_search_hands_over(
    monkeypatch: pytest.MonkeyPatch, most: int, box: int, count: int, least: float, most_given: float
) -> None:
    """After N guesses, with a solution found before or none: verdicts equal those of exact cover."""
    monkeypatch.setattr(sudoku_ladder, "SIDES", (0, 0))
    monkeypatch.setattr(sudoku_ladder, "SUDOKU_NODES", most)
    rng, size = random.Random(box), box * box
    puzzles = np.array([drawn(rng, box, box, rng.uniform(least, most_given)) for _ in range(count)])
    batch = grid_batch(puzzles, box, box)
    rows = classify(batch).to_pylist()
    sound = [k for k, row in enumerate(rows) if row["status"] != "invalid"]
    given_rows = [[cell * size + int(d) - 1 for cell, d in enumerate(puzzles[k]) if d] for k in sound]
    for k, answer in zip(sound, solve_each(covers.sudoku(box), given_rows), strict=True):
        assert (rows[k]["error"], rows[k]["solutions"]) == (None, ANSWERS[answer.count])
    learned = [row for row in rows if row["conflicts"] is not None]
    assert learned
    assert {row["technique"] for row in learned} <= {None, "search"}
    again = classify(batch).to_pylist()
    for row, other in zip(rows, again, strict=True):
        assert all(row[name] == other[name] for name in row if not name.startswith(("cpu", "wall")))


def test_no_time_left() -> None:
    """What was found before stays; nothing is claimed."""
    can = board(np.zeros(81, np.uint8), 3, 3)
    assert can is not None
    outcome = handed(can, 3, 3, limit=-1.0)
    assert (outcome.solutions[0], bool(outcome.late[0]), outcome.found[0]) == (UNKNOWN, True, 0)


def test_hard_25x25_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any guess before: one solution of a grid that has lost what rungs below search could tell."""
    monkeypatch.setattr(sudoku_ladder, "SUDOKU_NODES", 0)
    rng = random.Random(1)
    grid = oracle.full_grid(5, 5, rng).ravel()
    givens = np.where([rng.random() < 0.45 for _ in grid], grid, 0).astype(np.uint8)
    (row,) = classify(grid_batch(givens[None], 5, 5)).to_pylist()
    assert row["status"] == "ok"
    assert row["solutions"] in ("unique", "multiple")
