"""Techniques for Sudokus: sound, and exactly as strong as their plain definitions by sets."""

import math
import random

import numpy as np
import pyarrow as pa
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from sudoku_desks import drawn, hard, known
from sudoku_twins import TWINS, Twin

from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.model import sudoku_techniques as names
from nonocensus.solver.model.sudoku_techniques import SEARCH, TECHNIQUES
from nonocensus.solver.model.tables import SUDOKU_GRADES
from nonocensus.solver.sudoku.sudoku_api import classify
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.chains import FOUND
from nonocensus.solver.sudoku.techniques.sudoku_desk import SudokuDesk, desk_for, lay_down
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades
from nonocensus.solver.sudoku.techniques.sudoku_person import take_step, work_through

seeds = st.integers(0, (1 << 32) - 1)


@pytest.mark.parametrize("technique", TWINS)
@pytest.mark.parametrize("kind", [(3, 3), pytest.param((4, 2), marks=pytest.mark.slow)])
def test_a_step_is_one_of_those_by_sets(technique: int, kind: tuple[int, int]) -> None:
    """A technique finds something exactly where its twin does, and takes away no more than that."""
    size, steps = kind[0] * kind[1], 0
    for seed in range(250):
        desk = drawn(seed, *kind)
        board = known(desk, size)
        found = take_step(desk, technique, math.inf) == FOUND
        struck = TWINS[technique](Twin(board, *kind))
        left = known(desk, size)
        gone = {(cell, digit) for cell, digits in board.items() for digit in digits - left[cell]}
        assert found == bool(struck) == bool(gone)
        assert gone <= struck
        steps += found
    assert steps or technique == names.JELLYFISH


@pytest.mark.parametrize(
    "last",
    [
        names.LOCKED,
        names.NAKED_TRIPLE,
        *(pytest.param(last, marks=pytest.mark.slow) for last in (names.HIDDEN_QUAD, names.JELLYFISH, names.CHAIN)),
    ],
)
@pytest.mark.parametrize("kind", [(3, 3), (4, 2)])
def test_the_first_techniques_end_where_sets_do(last: int, kind: tuple[int, int]) -> None:
    """One step after the other, the easiest first, or everything at once: in the end the same is known."""
    size = kind[0] * kind[1]
    for seed in range(40):
        desk = drawn(seed, *kind)
        board = known(desk, size)
        while any(take_step(desk, technique, math.inf) == FOUND for technique in range(last + 1)):
            pass
        while True:
            board = oracle.singles(board, oracle.units(*kind))
            struck = set().union(*(TWINS[k](Twin(board, *kind)) for k in range(names.LOCKED, last + 1)))
            if not struck:
                break
            board = {cell: digits - {d for c, d in struck if c == cell} for cell, digits in board.items()}
        assert known(desk, size) == board


def check_places(desk: SudokuDesk) -> None:
    """The places of each digit, and the open cells of each unit, are those that the cells themselves tell."""
    for unit, cells in enumerate(desk.units.cells):
        for k, where in enumerate(desk.where[unit].tolist()):
            assert where == sum(1 << j for j, cell in enumerate(cells) if desk.can[cell] >> k & 1)
        assert desk.left[unit] == np.count_nonzero(~desk.placed[cells])


@given(seeds, st.sampled_from([(2, 2), (3, 2), (3, 3), (4, 2)]))
@settings(max_examples=20, deadline=None)
def test_no_step_rules_the_solution_out(seed: int, kind: tuple[int, int]) -> None:
    givens = hard(seed, *kind)
    (solution,) = oracle.solutions(givens, *kind)
    digits = 1 << (solution.ravel().astype(np.int64) - 1)
    desk = desk_for(*kind)
    lay_down(desk, givens.ravel())
    technique = 0
    while technique < SEARCH:
        before = desk.can.copy(), desk.placed.copy()
        found = take_step(desk, technique, math.inf)
        assert (desk.can & digits == digits).all(), TECHNIQUES[technique].name
        assert (desk.can & ~before[0] == 0).all()
        check_places(desk)
        changed = (desk.can != before[0]).any() or (desk.placed != before[1]).any()
        assert changed == (found == FOUND)
        technique = 0 if found == FOUND else technique + 1
    assert not desk.broken[0]


def test_the_order_of_the_ladder() -> None:
    assert len(TECHNIQUES) == SEARCH + 1
    assert sorted(technique.grade for technique in TECHNIQUES) == [technique.grade for technique in TECHNIQUES]
    assert len({technique.name for technique in TECHNIQUES}) == len(TECHNIQUES)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_puzzle_has_the_same_grade(seed: int) -> None:
    givens = hard(seed)
    puzzles = [givens, givens.T] + [oracle.exchanged(givens, 3, 3, random.Random(k)) for k in range(4)]
    batch = sudoku_batch([Sudoku(puzzle) for puzzle in puzzles])
    assert len(set(grades(batch, np.ones(6, np.bool_))["hardest"].to_pylist())) == 1


def test_grades_and_rungs() -> None:
    """Grades 1 and 2 are the rung line, and no forcing chain of three rounds goes beyond depth-2."""
    batch = sudoku_batch([Sudoku(hard(seed), puzzle_id=f"a/{seed}") for seed in range(15)])
    rungs = classify(batch)["technique"].to_pylist()
    graded = grades(batch, np.ones(15, np.bool_))
    assert graded.schema.equals(SUDOKU_GRADES, check_metadata=True)
    numbers = {technique.name: k for k, technique in enumerate(TECHNIQUES)}
    for row, rung in zip(graded.to_pylist(), rungs, strict=True):
        number = numbers[row["hardest"]]
        assert row["grade"] == TECHNIQUES[number].grade
        assert (rung == "line") == (number <= names.NAKED_SINGLE)
        if number in (*range(names.LOCKED, names.NAKED_TRIPLE), names.FORCING):
            assert rung == "depth-2" or number == names.FORCING
        finds = {key: value for key, value in row.items() if key.startswith("steps_")}
        assert sum(finds.values()) == row["steps"]
        assert finds["steps_" + row["hardest"].replace("-", "_")] > 0
        assert row["open"] == 0


def test_rows_without_a_grade() -> None:
    """Several solutions, none, an impossible one and no time: each says so, in its place."""
    several = np.zeros((9, 9), np.uint8)
    none = several.copy()
    none[0] = [1, 2, 3, 4, 5, 6, 7, 8, 0]
    none[1, 8] = 9
    invalid = several.copy()
    invalid[0, :2] = 5
    batch = sudoku_batch([Sudoku(grid) for grid in (several, none, invalid)])
    rows = grades(batch, np.zeros(3, np.bool_)).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "none", "invalid"]
    assert [row["grade"] for row in rows] == [row["hardest"] for row in rows] == [None] * 3
    assert rows[0]["open"] == 81
    late = grades(batch.slice(0, 1), np.ones(1, np.bool_), 0.0).to_pylist()[0]
    assert (late["status"], late["grade"]) == ("timeout", None)
    with pytest.raises(ValueError, match="cpu_limit"):
        grades(batch, np.zeros(3, np.bool_), -1.0)
    with pytest.raises(ValueError, match="it has no column"):
        grades(pa.RecordBatch.from_pydict({"a": [1]}), np.zeros(1, np.bool_))


def test_a_puzzle_without_solution_ends() -> None:
    """Work stops at the first contradiction, wherever it is met."""
    for seed in range(20):
        rng = random.Random(seed)
        givens = np.where(
            np.array([rng.random() < 0.35 for _ in range(81)]).reshape(9, 9), oracle.full_grid(3, 3, rng), 0
        )
        givens[tuple(rng.choice(np.argwhere(givens == 0).tolist()))] = rng.randint(1, 9)
        desk, steps = desk_for(3, 3), np.zeros(SEARCH, np.int64)
        ended = work_through(desk, givens.astype(np.uint8).ravel(), steps, math.inf)
        if next(oracle.solutions(givens.astype(np.uint8), 3, 3), None) is None:
            assert ended != FIXPOINT or not desk.placed.all()
