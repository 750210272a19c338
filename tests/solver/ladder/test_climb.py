"""Whole puzzles against brute force, invariants of every puzzle, groups by kernels, and CPU limits."""

import math
from typing import Any

import numpy as np
import oracle
import pytest
from hostile import EVIL_COLORS, table
from hypothesis import given, settings
from strategies import PALETTE, puzzles

from nonocensus.solver.api import classify, solve
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.lookahead import look_ahead
from nonocensus.solver.ladder.memory import (
    KernelGroup,
    kernel_groups,
    kernel_kinds,
    memory_for,
)
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.board import copy, is_open
from nonocensus.solver.lines.propagate import OUT_OF_TIME
from nonocensus.solver.lines.workspace import COUNTERS, NEXT_CHECK, WORK
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import picture, puzzle_batch
from nonocensus.solver.model.views import highest_colors, views


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


SMALL = from_picture(np.eye(3, dtype=np.uint8), PALETTE)
MANY = from_picture(np.array([[1, 2, 3]], np.uint8), PALETTE)
WIDE = from_picture(np.eye(2, 70, dtype=np.uint8))


def test_each_puzzle_is_in_one_group() -> None:
    batch = views(puzzle_batch([SMALL, MANY, WIDE, SMALL, MANY]))
    listed = [(group.words, group.colors, group.puzzles.tolist()) for group in kernel_groups(batch)]
    assert listed == [(1, None, [0, 3]), (1, 3, [1, 4]), (2, None, [2])]
    assert kernel_kinds(batch) == {(1, False), (1, True), (2, False)}
    assert [group.puzzles.tolist() for group in kernel_groups(batch, np.array([4, 2]))] == [[4], [2]]
    assert not list(kernel_groups(batch, np.zeros(0, np.int64)))


@pytest.mark.parametrize("side", [1, 7, 60])
@pytest.mark.parametrize("color", EVIL_COLORS[1:8])
def test_colour_in_columns_only_counts(side: int, color: int) -> None:
    clue = [{"length": 0, "color": color}]
    seen = views(table(width=[side], height=[side], rows=[[[]] * side], columns=[[clue] * side]))
    assert kernel_kinds(seen) == {(1, color > 1)}
    assert highest_colors(seen, np.arange(1)).tolist() == [color]
    memory = memory_for(seen, KernelGroup(1, color if color > 1 else None, np.arange(1)))
    assert memory.board.can.shape == (2 * side * (max(color, 1) + 1), 1)


def test_colours_of_a_slice_are_those_of_its_puzzles() -> None:
    assert highest_colors(views(puzzle_batch([MANY, SMALL, MANY]).slice(1)), np.arange(2)).tolist() == [1, 3]


def test_memory_of_slice_ignores_other_puzzles() -> None:
    checks = from_picture((np.indices((40, 40)).sum(axis=0) % 2).astype(np.uint8))
    batch = puzzle_batch([checks, SMALL, checks])
    alone, sliced = (
        memory_for(views(one), KernelGroup(1, None, np.arange(1))) for one in (puzzle_batch([SMALL]), batch.slice(1, 1))
    )
    for one, other in zip(arrays_of(alone), arrays_of(sliced), strict=True):
        assert one.shape == other.shape


def arrays_of(memory: Any) -> list[np.ndarray]:
    if isinstance(memory, np.ndarray):
        return [memory]
    return [array for part in memory for array in arrays_of(part)] if isinstance(memory, tuple) else []


def hard(side: int, density: float) -> Any:
    """Make a random picture of a density at which almost nothing can be inferred."""
    return from_picture((np.random.default_rng(3).random((side, side)) < density).astype(np.uint8))


@pytest.mark.parametrize(
    ("side", "density", "seconds"),
    [
        pytest.param(120, 0.5, 0.0, marks=pytest.mark.wide),
        (60, 0.42, 0.1),
        *(pytest.param(*hard, marks=pytest.mark.slow) for hard in ((120, 0.4, 3.0), (80, 0.45, 2.5), (120, 0.5, 0.1))),
    ],
)
def test_hard_puzzle_ends_at_its_limit(side: int, density: float, seconds: float) -> None:
    """Those of no seconds and of 120 cells at 0.5 end in the kernels, the others in the tail; the margin is wide."""
    puzzle = hard(side, density)
    solve(puzzle, cpu_limit=0.01)  # compiles
    row: dict[str, Any] = solve(puzzle, cpu_limit=seconds)
    assert (row["status"], row["label"], row["solutions"], row["technique"]) == ("timeout", "timeout", "unknown", None)
    assert row["cpu_seconds"] < seconds + 3.0
    assert row["cells_after_line"] is not None
    assert seconds > 0 or row["solution"] is None


def test_goal_is_a_solution_despite_timeout() -> None:
    row: dict[str, Any] = solve(hard(60, 0.35), cpu_limit=0.02, check_goal=True)
    assert row["solution"] is not None
    assert row["status"] in ("timeout", "ok")


def test_last_level_of_lookahead_checks_the_clock() -> None:
    """The check is due when level 0 is solved, before the lines that are only checked."""
    memory = line_fixpoint(views(puzzle_batch([hard(60, 0.45)])), math.inf)
    assert memory is not None
    board, trial, common = memory.board, memory.trial, memory.workspace
    y, x = next((y, x) for y in range(60) for x in range(60) if is_open(board, y, x, common.bit_width))

    def looked_ahead(depth: int, check_due: int, deadline: float) -> tuple[int, int]:
        """Return status and work of an assumption."""
        counters = np.zeros(COUNTERS, np.int64)
        counters[NEXT_CHECK] = check_due
        workspace = common._replace(counters=counters, deadline=deadline)
        copy(board, trial)
        return look_ahead(trial, board, None, y, x, 1, depth, workspace), int(counters[WORK])

    first, both = (looked_ahead(depth, 1 << 60, math.inf)[1] for depth in (0, 1))
    assert both > first, "no line of the last level was checked"
    assert looked_ahead(1, first + 1, -1.0)[0] == OUT_OF_TIME


def test_swap_checks_the_clock() -> None:
    for deadline, found in ((math.inf, True), (-1.0, False)):
        picture, counters = np.eye(3, dtype=np.uint8).ravel(), np.zeros(COUNTERS, np.int64)
        counters[NEXT_CHECK] = 1
        assert swap(picture, 3, 3, FROM_NOTHING, counters, deadline) == found
        assert (picture == np.eye(3, dtype=np.uint8).ravel()).all() == (not found)


def test_fruitless_greedy_descent_counts_as_search() -> None:
    """Its line solves and seconds are added to those of depth-2, which decides the puzzle."""
    puzzle = from_picture(np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], np.uint8))
    whole: dict[str, Any] = solve(puzzle)
    without: dict[str, Any] = solve(puzzle, rung="depth-2")
    assert whole["technique"] == without["technique"] == "depth-2"
    assert whole["line_solves"] > without["line_solves"]
    assert whole["probes"] > without["probes"]
    assert whole["cpu_search"] > 0
    assert without["cpu_search"] is None
    parts = [whole[name] or 0.0 for name in ("cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat")]
    assert whole["cpu_seconds"] == pytest.approx(sum(parts))
