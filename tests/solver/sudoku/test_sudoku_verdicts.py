"""Verdicts, rungs and solutions of Sudokus, held against sets and backtracking."""

import math
import random
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.solver.ladder.ladder_options import RUNGS
from nonocensus.solver.ladder.verdict import WRONG_SOLUTION, WRONG_VERDICT
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.lines.workspace import COUNTERS
from nonocensus.solver.sudoku import sudoku_ladder
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.singles import follow, put_on
from nonocensus.solver.sudoku.sudoku_api import classify, solve
from nonocensus.solver.sudoku.sudoku_batch import grid_batch, sudoku_batch
from nonocensus.solver.sudoku.sudoku_check import faults_of
from nonocensus.solver.sudoku.sudoku_ladder import climb
from nonocensus.solver.sudoku.sudoku_lookahead import refute, use_patterns
from nonocensus.solver.sudoku.sudoku_proof import solve_their_puzzles
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.sudoku_verdict import results
from nonocensus.solver.sudoku.units import units_of

seeds = st.integers(0, (1 << 32) - 1)
NOTHING = np.zeros(0, np.uint8)
"""No solution is known."""

kinds = st.sampled_from([(2, 2), (3, 2), (2, 3), (2, 1), (1, 3), (4, 1)])


def drawn(seed: int, wide: int, high: int, share: float) -> np.ndarray:
    """Return some givens of a solved grid; often a digit is wrong, so that there may be no solution."""
    rng = random.Random(seed)
    givens = oracle.full_grid(wide, high, rng)
    for cell in range(givens.size):
        if rng.random() > share:
            givens.flat[cell] = 0
    if rng.random() < 0.4:
        givens.flat[rng.randrange(givens.size)] = rng.randint(1, wide * high)
    return givens


def expected(givens: np.ndarray, wide: int, high: int) -> str:
    found = len(list(islice(oracle.solutions(givens, wide, high), 2)))
    return ("none", "unique", "multiple")[found]


@pytest.mark.plain_python
@given(seeds, kinds, st.floats(0.1, 0.8))
@settings(max_examples=60, deadline=None)
def test_verdicts_and_rungs_of_small_grids(seed: int, kind: tuple[int, int], share: float) -> None:
    givens = drawn(seed, *kind, share)
    row = solve(Sudoku(givens, *kind))
    if row["status"] == "invalid":
        assert expected(givens, *kind) == "none"
        return
    assert (row["status"], row["error"]) == ("ok", None)
    assert row["solutions"] == expected(givens, *kind)
    if row["solutions"] == "multiple":
        assert row["technique"] is None
        assert row["solution"] != row["second_solution"]
    else:
        assert row["technique"] == oracle.technique(givens, *kind)
    for name in ("solution", "second_solution"):
        if row[name] is not None:
            grid = np.frombuffer(row[name], np.uint8).reshape(givens.shape)
            assert oracle.is_solution(grid, *kind)
            assert ((givens == 0) | (givens == grid)).all()


@pytest.mark.parametrize("seed", range(6))
def test_minimal_puzzles_of_9x9(seed: int) -> None:
    """One solution, found by the rung that sets find; less one given, two."""
    givens = oracle.minimal(3, 3, random.Random(seed))
    row = solve(Sudoku(givens))
    (only,) = oracle.solutions(givens, 3, 3)
    assert (row["solutions"], row["solution"]) == ("unique", only.tobytes())
    assert row["technique"] == oracle.technique(givens, 3, 3)
    fewer = [givens.copy() for _ in range(np.count_nonzero(givens))]
    for less, cell in zip(fewer, np.flatnonzero(givens), strict=True):
        less.flat[cell] = 0
    rows = classify(sudoku_batch([Sudoku(less) for less in fewer]))
    assert set(rows["solutions"].to_pylist()) == {"multiple"}


def many(count: int, seed: int) -> np.ndarray:
    """9x9 grids with 20 to 35 givens of a solved one, some with one wrong: of each verdict some."""
    rng = random.Random(seed)
    made = [drawn(rng.randrange(1 << 30), 3, 3, rng.uniform(0.25, 0.43)) for _ in range(count)]
    return np.array(made).reshape(count, 81)


def test_bands_and_cells_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bit-parallel search of 9x9 beside the ladder for any size, which search without bands ends."""
    batch = grid_batch(many(400, 5), 3, 3)
    batch = batch.filter(pa.array([p not in faults_of(batch) for p in range(len(batch))]))
    by_bands = classify(batch)
    monkeypatch.setattr(sudoku_ladder, "SIDES", (0, 0))
    by_cells = classify(batch)
    assert set(by_bands["error"].to_pylist()) == {None}
    assert by_bands["solutions"].to_pylist() == by_cells["solutions"].to_pylist()
    assert set(by_cells["solutions"].to_pylist()) == {"unique", "multiple", "none"}
    for row, other in zip(by_bands.to_pylist(), by_cells.to_pylist(), strict=True):
        if row["solutions"] != "multiple":  # of which two may be any
            assert (row["technique"], row["solution"]) == (other["technique"], other["solution"])
        if row["solutions"] == "unique":  # where a contradiction is met depends on the order of work
            for name in ("cells_after_line", "cells_after_depth2", "cells_after_probe"):
                assert row[name] == other[name], name


@pytest.mark.parametrize(("wide", "high", "number"), [(2, 1, 2), (3, 1, 12), (2, 2, 288)])
def test_all_grids_are_counted(wide: int, high: int, number: int) -> None:
    """By verdicts alone: several solutions are those with 1, with 2, ... in the first open cell."""
    size = wide * high
    left, found = [np.zeros((size, size), np.uint8)], 0
    while left:
        rows = classify(sudoku_batch([Sudoku(givens, wide, high) for givens in left])).to_pylist()
        found += sum(row["solutions"] == "unique" for row in rows)
        several = [givens for givens, row in zip(left, rows, strict=True) if row["solutions"] == "multiple"]
        left = [further(givens, digit) for givens in several for digit in range(1, size + 1)]
    assert found == number == len(list(oracle.solutions(np.zeros((size, size), np.uint8), wide, high)))


def further(givens: np.ndarray, digit: int) -> np.ndarray:
    """Return the same givens with a digit in the first open cell."""
    more = givens.copy()
    more.flat[int(np.flatnonzero(givens.ravel() == 0)[0])] = digit
    return more


@given(seeds, st.sampled_from([(2, 2), (3, 2), (3, 3), (4, 2)]), st.floats(0.3, 0.6))
@settings(max_examples=60, deadline=None)
def test_rungs_lose_no_solution(seed: int, kind: tuple[int, int], share: float) -> None:
    """Each rung leaves every cell the digit of a planted solution, and decides no fewer cells than the one before."""
    rng = random.Random(seed)
    planted = oracle.mixed_grid(*kind, rng)
    givens = np.where(np.array([rng.random() < share for _ in range(planted.size)]).reshape(planted.shape), planted, 0)
    units = units_of(*kind)
    can, trial = np.zeros(givens.size, np.int64), np.zeros((2, givens.size), np.int64)
    due, counters = np.zeros((2, len(units.cells)), np.bool_), np.zeros(COUNTERS, np.int64)
    put_on(givens.ravel().astype(np.uint8), units, can, due[0])
    digits = 1 << (planted.ravel().astype(np.int64) - 1)
    steps = (
        lambda: follow(can, units, due[0], counters),
        lambda: use_patterns(can, units, due[0], counters),
        lambda: refute(can, trial, units, due, False, NOTHING, counters, math.inf),
        lambda: refute(can, trial, units, due, True, NOTHING, counters, math.inf),
    )
    for step in steps:
        before = can.copy()
        assert step() == FIXPOINT
        assert (can & digits == digits).all()
        assert (can & ~before == 0).all()
        assert not due.any()


@given(seeds, st.sampled_from([(2, 2), (3, 2), (3, 3)]))
@settings(max_examples=25, deadline=None)
def test_patterns_find_nothing_that_depth_2_does_not(seed: int, kind: tuple[int, int]) -> None:
    """So that the rung is what its definition says, whether they go first or not."""
    givens = drawn(seed, *kind, 0.4)
    units = units_of(*kind)
    trial = np.zeros((2, givens.size), np.int64)
    boards = []
    for patterns in (True, False):
        can, due = np.zeros(givens.size, np.int64), np.zeros((2, len(units.cells)), np.bool_)
        counters = np.zeros(COUNTERS, np.int64)
        put_on(givens.ravel(), units, can, due[0])
        status = follow(can, units, due[0], counters)
        if patterns and status == FIXPOINT:
            status = use_patterns(can, units, due[0], counters)
        if status == FIXPOINT:
            status = refute(can, trial, units, due, False, NOTHING, counters, math.inf)
        boards.append((status, can.tolist() if status == FIXPOINT else None))
    assert boards[0] == boards[1]


@given(seeds, st.sampled_from([(2, 2), (3, 2), (3, 3)]))
@settings(max_examples=25, deadline=None)
def test_the_same_puzzle_stays_on_its_rung(seed: int, kind: tuple[int, int]) -> None:
    givens = drawn(seed, *kind, 0.42)
    other = oracle.exchanged(givens, *kind, random.Random(seed))
    pairs = [Sudoku(givens, *kind), Sudoku(other, *kind), Sudoku(givens.T, *kind[::-1])]
    rows = classify(sudoku_batch(pairs)).to_pylist()
    names = ["status", "solutions", "technique"]
    if rows[0]["solutions"] != "none":  # where a contradiction is met first depends on the order of work
        names += ["cells_after_line", "cells_after_depth2"]
    for name in names:
        assert len({row[name] for row in rows}) == 1, name


def test_a_rung_is_the_last_one() -> None:
    batch = grid_batch(many(60, 9), 3, 3)
    whole = classify(batch).to_pylist()
    for number, rung in enumerate(RUNGS):
        for row, full in zip(classify(batch, rung=rung).to_pylist(), whole, strict=True):
            if row["status"] == "invalid" or full["technique"] in RUNGS[: number + 1]:
                assert (row["label"], row["solution"]) == (full["label"], full["solution"])
            elif rung != "search":
                assert (row["label"], row["solutions"]) == ("stalled", "unknown")


def test_no_time_at_all() -> None:
    """Singles always end; what they leave open is late at the first look at the clock, or is decided before it."""
    hard = Sudoku(np.zeros((16, 16), np.uint8), 4, 4)
    row = solve(hard, cpu_limit=0)
    assert (row["status"], row["label"], row["solutions"]) == ("timeout", "timeout", "unknown")
    easy = oracle.full_grid(3, 3, random.Random(1))
    easy[0, 0] = 0
    assert solve(Sudoku(easy), cpu_limit=0)["label"] == "unique line"


@pytest.mark.parametrize("kind", [(5, 1), (4, 2), (5, 2), (4, 3), (5, 3), (4, 4), (5, 4), (5, 5), (6, 6)])
def test_sizes(kind: tuple[int, int]) -> None:
    """Up to 36 digits: a solved grid with some cells open."""
    rng = random.Random(kind[0])
    grid = oracle.full_grid(*kind, rng)
    givens = np.where(np.array([rng.random() < 0.8 for _ in range(grid.size)]).reshape(grid.shape), grid, 0)
    row = solve(Sudoku(givens.astype(np.uint8), *kind), cpu_limit=20)
    assert row["solutions"] in ("unique", "multiple")
    assert row["cells"] == grid.size


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"found": 2}, WRONG_VERDICT),
        ({"found": 0}, WRONG_VERDICT),
        ({"first": 0}, WRONG_SOLUTION),
    ],
)
def test_a_wrong_answer_is_an_error(change: dict[str, int], error: str) -> None:
    """Solutions are checked by other code, and so is their number."""
    batch = sudoku_batch([Sudoku(oracle.minimal(2, 2, random.Random(3)), 2, 2)])
    seen = grids(batch)
    outcome = climb(seen, np.arange(1), 60.0, RUNGS.index("search"))
    assert results(batch, seen, outcome)["error"].to_pylist() == [None]
    for name, value in change.items():
        array = getattr(outcome, name)
        array[:1] = value
    row = results(batch, seen, outcome).to_pylist()[0]
    assert row["status"] == "error"
    assert row["error"] in (error, WRONG_SOLUTION)


@pytest.mark.parametrize("cell", range(0, 16, 5))
def test_the_check_of_solutions(cell: int) -> None:
    """A solved grid is right; with one digit changed, or one given against it, it is not."""
    grid = oracle.mixed_grid(2, 2, random.Random(cell))
    offsets = np.array([0, 16])
    for givens, solution, right in (
        (np.zeros((4, 4), np.uint8), grid, True),
        (np.zeros((4, 4), np.uint8), other_at(grid, cell), False),
        (other_at(grid, cell), grid, False),
    ):
        seen = grids(grid_batch(givens.reshape(1, 16), 2, 2))
        assert solve_their_puzzles(seen, np.arange(1), solution.ravel(), offsets).tolist() == [right]


def other_at(grid: np.ndarray, cell: int) -> np.ndarray:
    changed = grid.copy()
    changed.flat[cell] = grid.flat[cell] % len(grid) + 1
    return changed
