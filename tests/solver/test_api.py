"""Arguments of the public functions: accepted types, one-line errors for others, and what is known beforehand."""

import math
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import oracle
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernels import signatures
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.ladder.rungs import run_line_rung
from nonocensus.solver.model.puzzle import (
    MAX_CELLS,
    MAX_DEPTH,
    Block,
    InvalidPuzzle,
    Puzzle,
    from_picture,
)
from nonocensus.solver.model.tables import RESULTS, picture, puzzle_batch

CELLS = [[1, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("picture", "error"),
    [
        ([[0.0, 1.0]], r"a picture is a grid of integers, not float64\[1, 2\]"),
        ([0, 1], r"a picture is a grid of integers, not int64\[2\]"),
        ([], r"a picture is a grid of integers, not float64\[0\]"),
        ("picture", r"a picture is a grid of integers, not <U7\[\]"),
        (None, r"a picture is a grid of integers, not object\[\]"),
        ([[0, 1], [1]], "a picture is a grid of integers: the rows of this one differ in length"),
        ([[0, 2]], "the picture holds 0 to 2; the palette has entries 0 to 1"),
        ([[256]], "the picture holds 256 to 256; the palette has entries 0 to 1"),
        ([[-1, 0]], "the picture holds -1 to 0; the palette has entries 0 to 1"),
        (np.zeros((0, 3), int), "the picture is 3x0; a side may have 1 to 1023 cells"),
        (np.zeros((1, MAX_CELLS + 1), int), "the picture is 1024x1; a side may have 1 to 1023 cells"),
    ],
)
def test_invalid_picture_is_refused(picture: Any, error: str) -> None:
    with pytest.raises(InvalidPuzzle, match=f"^{error}$"):
        from_picture(picture)


def test_numpy_numbers_are_accepted() -> None:
    puzzle = Puzzle(((Block(np.uint16(1), np.uint8(1)),),), ((Block(np.int64(1)),),))  # type: ignore[arg-type]
    assert solve(puzzle, cpu_limit=np.float32(1), depth=np.int8(1))["solutions"] == "unique"  # type: ignore[arg-type]


@pytest.mark.plain_python
@pytest.mark.parametrize("picture", [CELLS, np.array(CELLS), np.array(CELLS, bool), tuple(map(tuple, CELLS))])
def test_picture_is_accepted_in_place_of_a_puzzle(picture: Any) -> None:
    puzzle = from_picture(picture)
    assert puzzle.goal is not None
    assert (puzzle.goal.dtype, puzzle.goal.tolist()) == (np.uint8, CELLS)
    assert solve(picture)["clue_hash"] == solve(puzzle)["clue_hash"]
    assert [found.tolist() for found in iter_solutions(picture)] == [CELLS]


@pytest.mark.parametrize("function", [solve, iter_solutions])
@pytest.mark.parametrize("what", [None, 1, "picture", b"01", {"rows": []}, puzzle_batch([])])
def test_neither_puzzle_nor_picture_is_refused(function: Any, what: Any) -> None:
    """iter_solutions raises at once, not at its first solution."""
    kind = type(what).__name__
    error = rf"^expected a Puzzle or a picture, an array or a list of rows, not {kind}$"
    with pytest.raises(TypeError, match=error):
        function(what)


def test_table_is_classified_to_a_table() -> None:
    batch = puzzle_batch([from_picture(np.eye(n, dtype=np.uint8), puzzle_id=f"x/{n}") for n in range(1, 7)])
    table = pa.Table.from_batches([batch.slice(0, 4), batch.slice(4), batch.slice(2, 0)])
    results = classify(table)
    assert isinstance(results, pa.Table)
    assert results.schema.equals(RESULTS, check_metadata=True)
    for name in ("puzzle_id", "label", "solution"):
        assert results[name].to_pylist() == classify(batch)[name].to_pylist()
    empty = classify(table.slice(0, 0))
    assert (len(empty), empty.schema) == (0, RESULTS)


@pytest.mark.parametrize("what", [[], None, {"rows": []}, from_picture(CELLS)])
def test_neither_batch_nor_table_is_refused(what: Any) -> None:
    with pytest.raises(TypeError, match=r"^classify takes a pyarrow RecordBatch or Table of puzzles, not \w+; "):
        classify(what)


INVALID_ARGUMENTS = [
    ({"cpu_limit": math.nan}, "cpu_limit must be CPU seconds, at least 0, not nan"),
    ({"cpu_limit": -0.1}, "cpu_limit must be CPU seconds, at least 0, not -0.1"),
    ({"cpu_limit": -math.inf}, "cpu_limit must be CPU seconds, at least 0, not -inf"),
    ({"cpu_limit": None}, "cpu_limit must be CPU seconds, at least 0, not None"),
    ({"cpu_limit": "soon"}, "cpu_limit must be CPU seconds, at least 0, not 'soon'"),
    ({"cpu_limit": [1.0, 2.0]}, "cpu_limit must be CPU seconds, at least 0, not [1.0, 2.0]"),
    ({"rung": "sat"}, "rung must be one of line, depth-2, probe, search, not 'sat'"),
    ({"rung": 1}, "rung must be one of line, depth-2, probe, search, not 1"),
    ({"depth": 0}, "depth must be an integer from 1 to 2046, not 0"),
    ({"depth": 10**20}, f"depth must be an integer from 1 to 2046, not {10**20}"),
    ({"depth": 1.0}, "depth must be an integer from 1 to 2046, not 1.0"),
]


@pytest.mark.parametrize(("arguments", "error"), INVALID_ARGUMENTS)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], error: str) -> None:
    puzzle = from_picture(CELLS)
    calls = [lambda: classify(puzzle_batch([puzzle]), **arguments), lambda: solve(puzzle, **arguments)]
    if "cpu_limit" in arguments:
        calls.append(lambda: iter_solutions(puzzle, **arguments))
    for call in calls:
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            call()
        assert str(raised.value) == error


@pytest.mark.parametrize("limit", [1, True, np.int64(3), np.float32(1), math.inf, 10**9])
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_limit_of_any_type_compiles_no_kernels(limit: Any) -> None:
    puzzle = from_picture(np.array([[1, 0], [0, 1]]))
    solve(puzzle, cpu_limit=1.0)
    compiled = len(signatures(run_line_rung))
    assert solve(puzzle, cpu_limit=limit)["solutions"] == "multiple"
    assert len(list(iter_solutions(puzzle, cpu_limit=limit))) == 2
    assert len(signatures(run_line_rung)) == compiled


def test_deepest_lookahead_equals_probing() -> None:
    """Each level adds a line, so MAX_DEPTH levels are equivalent to no limit."""
    puzzle = from_picture((np.random.default_rng(23).random((12, 12)) < 0.45).astype(np.uint8))
    two, most = (solve(puzzle, rung="depth-2", depth=depth)["cells_after_depth2"] for depth in (2, MAX_DEPTH))
    assert (two, most) == (66, solve(puzzle, rung="probe")["cells_after_probe"])


@pytest.mark.parametrize("start", [np.ones((2, 3)), np.ones((2, 3, 3)), np.ones((3, 2, 2)), [[True]]])
def test_start_of_another_shape_is_refused(start: Any) -> None:
    with pytest.raises(ValueError, match=r"^start is bool\[2, 3, 2\] for this puzzle, not \["):
        solve(from_picture(CELLS), start=start)


def test_start_may_be_a_list() -> None:
    start = [[[cell == c for c in (0, 1)] for cell in row] for row in CELLS]
    assert solve(from_picture(CELLS), start=start)["solutions"] == "unique"  # type: ignore[arg-type]


def test_batch_with_too_many_cells_is_refused() -> None:
    """The error comes before any puzzle is solved."""
    batch = puzzle_batch([from_picture(np.zeros((1023, 1023), np.uint8))])
    many = pa.concat_batches([batch.drop_columns("goal").append_column("goal", pa.nulls(1, pa.binary()))] * 2053)
    with pytest.raises(ValueError, match=r"^the batch's puzzles have 2,148,524,037 cells, more than 2,147,483,647"):
        classify(many)


@given(puzzles(most=4))
@settings(max_examples=100, deadline=None)
def test_fitting_goal_is_the_first_solution(puzzle: Puzzle) -> None:
    everything = oracle.solutions(puzzle)
    row: dict[str, Any] = solve(puzzle, check_goal=True)
    assert puzzle.goal is not None
    assert row["solutions"] == ("unique" if len(everything) == 1 else "multiple")
    assert row["solution"] == puzzle.goal.tobytes()
    assert row["technique"] == solve(puzzle)["technique"]
    if len(everything) > 1:
        second = tuple(map(tuple, picture(row["second_solution"], puzzle.width, puzzle.height).tolist()))
        assert second in everything
        assert row["second_solution"] != row["solution"]


def test_known_goal_needs_no_search() -> None:
    """A permutation puzzle has switching components everywhere."""
    puzzle = from_picture(np.eye(6, dtype=np.uint8))
    row: dict[str, Any] = solve(puzzle, check_goal=True)
    assert row["solutions"] == "multiple"
    assert row["nodes"] == 0


def test_wrong_goal_is_ignored() -> None:
    """Goals that don't fit, and no goal at all, in a batch with one that does."""
    right = from_picture(np.eye(3, dtype=np.uint8))
    wrong = replace(right, goal=np.ones((3, 3), np.uint8))
    batch = puzzle_batch([right, wrong, replace(right, goal=None)])
    rows = classify(batch, check_goal=True).to_pylist()
    assert [row["solutions"] for row in rows] == ["multiple"] * 3
    assert [row["goal_matches"] for row in rows] == [True, False, None]
    assert rows[0]["solution"] == np.eye(3, dtype=np.uint8).tobytes()
    assert classify(batch.slice(1), check_goal=True)["solutions"].to_pylist() == ["multiple"] * 2


@pytest.mark.plain_python
@example(from_picture(np.array([[0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]], np.uint8)), 0, 0.9)
@given(st.one_of(puzzles(most=4), shuffled_puzzles(most=4)), st.integers(0, 2**32 - 1), st.sampled_from([0.6, 0.9]))
@settings(max_examples=150, deadline=None)
def test_only_solutions_that_agree_with_the_start_count(puzzle: Puzzle, seed: int, openness: float) -> None:
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    start = np.random.default_rng(seed).random(shape) < openness
    agreeing = [
        cells
        for cells in oracle.solutions(puzzle)
        if all(start[y, x, c] for y, row in enumerate(cells) for x, c in enumerate(row))
    ]
    row: dict[str, Any] = solve(puzzle, start=start, check_goal=seed % 2 == 0)
    assert row["solutions"] == ("none", "unique", "multiple")[min(len(agreeing), 2)]
    for name in ("solution", "second_solution")[: min(len(agreeing), 2)]:
        assert tuple(map(tuple, picture(row[name], puzzle.width, puzzle.height).tolist())) in agreeing
    found = [tuple(map(tuple, cells.tolist())) for cells in iter_solutions(puzzle, start=start, cpu_limit=math.inf)]
    assert sorted(found) == sorted(agreeing)
