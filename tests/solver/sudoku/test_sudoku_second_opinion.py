"""Verdicts of Sudokus beside those of exact cover, a solver that shares nothing with this one."""

import random

import cover_problems as covers
import numpy as np
import pytest
import sudoku_oracle as oracle

from nonocensus.solver.exact_cover.solve import solve_each
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

WORDS = ("none", "unique", "multiple")


@pytest.mark.parametrize(
    ("box", "count", "least", "most"), [(2, 400, 0.2, 0.5), (3, 1500, 0.26, 0.42), (4, 40, 0.45, 0.6)]
)
def test_verdicts_are_those_of_exact_cover(box: int, count: int, least: float, most: float) -> None:
    """Givens of solved grids, in every third puzzle one of them another digit: of each verdict some."""
    rng, size = random.Random(box), box * box
    puzzles = []
    for number in range(count):
        grid, share = oracle.full_grid(box, box, rng), rng.uniform(least, most)
        givens = np.where([rng.random() < share for _ in range(grid.size)], grid.ravel(), 0)
        if number % 3 == 0:
            givens[rng.randrange(grid.size)] = rng.randint(1, size)
        puzzles.append(givens.astype(np.uint8).reshape(size, size))
    rows = classify(sudoku_batch([Sudoku(givens, box, box) for givens in puzzles])).to_pylist()
    sound = [k for k, row in enumerate(rows) if row["status"] != "invalid"]
    given = [[cell * size + int(d) - 1 for cell, d in enumerate(puzzles[k].flat) if d] for k in sound]
    answers = solve_each(covers.sudoku(box), given)
    for k, answer in zip(sound, answers, strict=True):
        assert answer.status != "timeout"
        assert rows[k]["solutions"] == WORDS[answer.count]
        if answer.count == 1:
            found = np.zeros(size * size, np.uint8)
            for row in answer.solutions[0]:
                found[row // size] = row % size + 1
            assert rows[k]["solution"] == found.tobytes()
    assert {row["solutions"] for row in rows} == {*WORDS, "unknown"}
