"""Whole puzzles against brute force, and invariants of every puzzle."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import PALETTE, pictures, puzzles

from nonocensus.solver.api import classify, solve
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import picture, puzzle_batch


@pytest.mark.plain_python
@given(puzzles(most=6))
@settings(max_examples=150, deadline=None)
def test_line_logic_is_the_fixpoint(puzzle: Puzzle) -> None:
    board = oracle.line_logic(puzzle)
    assert board is not None, "a puzzle made from a picture has a solution"
    row = solve(puzzle, rung="line")
    decided = oracle.decided(board)
    assert row["cells_after_line"] == decided
    assert row["goal_matches"]
    if decided == puzzle.width * puzzle.height:
        assert row["solutions"] == "unique"
        assert picture(row["solution"], puzzle.width, puzzle.height).tolist() == [[*map(min, line)] for line in board]
    else:
        assert row["label"] == "stalled"
        assert row["solution"] is None


@pytest.mark.wide
@given(pictures(colors=1, most=8))
@settings(max_examples=60, deadline=None)
def test_wide_words_give_the_same_answer(cells: np.ndarray) -> None:
    """White margins change nothing that line logic knows inside."""
    wide = np.zeros((cells.shape[0], 70), np.uint8)
    wide[:, 40 : 40 + cells.shape[1]] = cells
    high = wide.T.copy()
    wide_row, high_row = solve(from_picture(wide)), solve(from_picture(high))
    assert wide_row["cells_after_line"] == high_row["cells_after_line"]
    assert (wide_row["solution"] is None) == (high_row["solution"] is None)


@pytest.mark.plain_python
def test_contradiction_is_none_by_line() -> None:
    puzzle = Puzzle(rows=((Block(2),), (), (Block(2),)), columns=((Block(2),), (Block(1),), (Block(1),)))
    row = solve(puzzle)
    assert (row["status"], row["solutions"], row["technique"], row["label"]) == ("ok", "none", "line", "contradiction")
    assert oracle.solutions(puzzle) == []


@pytest.mark.wide
def test_time_limit_0_is_timeout() -> None:
    rng = np.random.default_rng(1)
    puzzle = from_picture((rng.random((120, 120)) < 0.5).astype(np.uint8))
    row = solve(puzzle, cpu_limit=0.0)
    assert (row["status"], row["solutions"], row["label"]) == ("timeout", "unknown", "timeout")
    assert row["solution"] is None
    assert row["cpu_seconds"] < 1


@pytest.mark.wide
@pytest.mark.plain_python
def test_mixed_batch_keeps_its_order() -> None:
    rng = np.random.default_rng(2)
    pool = [
        from_picture(rng.integers(0, colors + 1, shape, dtype=np.uint8), PALETTE[: colors + 1], puzzle_id=f"test/{k}")
        for k, (colors, shape) in enumerate([(1, (5, 5)), (3, (7, 4)), (1, (2, 90)), (2, (6, 6)), (1, (1, 1))] * 3)
    ]
    broken = Puzzle(rows=((Block(2),),), columns=((Block(1),), ()), puzzle_id="test/broken")
    together = classify(puzzle_batch([*pool[:4], broken, *pool[4:]])).to_pylist()
    assert together[4]["status"] == "invalid"
    assert together[4]["error"] == "its rows paint 2 cells, its columns 1"
    assert together[4]["label"] is None
    del together[4]
    for puzzle, row in zip(pool, together, strict=True):
        alone = solve(puzzle)
        for column in ("puzzle_id", "clue_hash", "label", "solution", "cells_after_line", "line_solves", "sweeps"):
            assert row[column] == alone[column], column


def test_slices_of_a_batch_read_their_own_clues() -> None:
    rng = np.random.default_rng(3)
    batch = puzzle_batch([from_picture((rng.random((6, 6)) < 0.6).astype(np.uint8)) for _ in range(9)])
    whole = classify(batch)
    part = classify(batch.slice(4, 3))
    for column in ("clue_hash", "label", "solution", "goal_matches", "line_solves"):
        assert part[column].to_pylist() == whole[column].slice(4, 3).to_pylist()


@pytest.mark.parametrize(("cells", "solves"), [([[1] * 6] * 4, 10), ([[1, 0, 1, 1]], 5)])
def test_trivial_puzzle_needs_one_solve_of_each_line(cells: list[list[int]], solves: int) -> None:
    row = solve(from_picture(cells))
    assert (row["label"], row["line_solves"]) == ("trivial unique line", solves)
    assert (row["sweeps"], row["score"]) == (2, 100)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), pytest.param((200, 200), marks=pytest.mark.slow)])
@pytest.mark.parametrize("fill", [0, 1])
def test_edge_shapes(shape: tuple[int, int], fill: int) -> None:
    row = solve(from_picture(np.full(shape, fill, np.uint8)))
    assert row["solutions"] == "unique"
    assert set(row["solution"]) == {fill}
