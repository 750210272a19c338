"""The rungs above line logic against slow references, with and without the line cache; published counts of puzzles."""

import math

import fuzz
import numpy as np
import oracle
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PALETTE, images, puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, picture_batch, pictures, recipe_batch
from nonocensus.solver.api import classify, solve
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING, LINE, SEARCH, LadderOptions
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, refute
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.ladder.outcome import MULTIPLE
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.line_cache import empty_line_cache
from nonocensus.solver.lines.workspace import COUNTERS
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("rung", "depth", "column"), [("depth-2", 1, "depth2"), ("depth-2", 2, "depth2"), ("probe", 2, "probe")]
)
@given(puzzle=st.one_of(puzzles(most=5), shuffled_puzzles()))
@settings(max_examples=60, deadline=None)
def test_lookahead_is_the_fixpoint(rung: str, depth: int, column: str, puzzle: Puzzle) -> None:
    row = solve(puzzle, rung=rung, depth=depth)
    expected = oracle.lookahead(puzzle, depth if rung == "depth-2" else None)
    if expected is None:
        assert row["solutions"] == "none"
        return
    last = row[f"cells_after_{column}"] or row["cells_after_depth2"] or row["cells_after_line"]
    assert last == oracle.decided(expected)
    assert (row["solutions"] == "unique") == (last == row["cells"])


@pytest.mark.parametrize("number", [3487, 4159, 6775, 7471, 9071, 9950, 10747, 11991, 15361, 19439])
def test_rotated_puzzle_stays_on_its_rung(number: int) -> None:
    """With pbnsolve's levels some rotations of these need the rung probe."""
    square = pictures(Recipe("random", 10, 10, 0.45, 4, 20000), number, number + 1)[0]
    batch = picture_batch(np.array(images(square)), "turned", pa.array(list(map(str, range(8)))))
    assert classify(batch, cpu_limit=60).column("technique").to_pylist() == ["depth-2"] * 8


def test_greedy_descent_finds_two_solutions() -> None:
    """Most puzzles with several solutions skip the rungs above line logic."""
    batch = recipe_batch(Recipe("random", 9, 9, 0.45, 1, 300), 0, 300)
    seen = views(batch)
    outcome = climb(seen, np.arange(300), LadderOptions(math.inf))
    descended = (outcome.rung == LINE) & (outcome.engine == SEARCH)
    assert descended.sum() > 100
    assert (outcome.solutions[descended] == MULTIPLE).all()
    assert (outcome.solutions == MULTIPLE).sum() < 1.5 * descended.sum()
    for found in (outcome.first, outcome.second):
        assert fits(seen, np.flatnonzero(descended), found, outcome.offsets).all()
    assert (outcome.first != outcome.second).reshape(300, 81)[descended].any(axis=1).all()
    assert (outcome.decided[descended, 1:] == -1).all()


@pytest.mark.slow
def test_every_4x4_picture() -> None:
    """Numbers of distinct, unique, multiple and line-solvable puzzles as published."""
    cells = (np.arange(2**16)[:, None] >> np.arange(16) & 1).astype(np.uint8).reshape(-1, 4, 4)
    batch = picture_batch(cells, "every", pa.array(list(map(str, range(2**16)))))
    results = classify(batch).select(["clue_hash", "solutions", "technique", "goal_matches"]).to_pylist()
    distinct = {row["clue_hash"]: row for row in results}
    rows = distinct.values()
    assert len(rows) == 58_196
    assert sum(row["solutions"] == "unique" for row in rows) == 52_362
    assert sum(row["solutions"] == "multiple" for row in rows) == 5_834
    assert sum(row["technique"] == "line" for row in rows) == 51_234
    assert all(row["goal_matches"] for row in rows)


@given(puzzles(most=5), st.integers(0, 2**32 - 1), st.sampled_from([0.5, 0.8, 1.0]))
@settings(max_examples=300, deadline=None)
def test_swap_keeps_the_clues(puzzle: Puzzle, seed: int, openness: float) -> None:
    assert puzzle.goal is not None
    goal = puzzle.goal
    plain = from_picture(goal, puzzle.palette)
    other = plain.goal.ravel().copy()  # type: ignore[union-attr]
    start = np.random.default_rng(seed).random((other.size, len(plain.palette))) < openness
    if openness == 1.0:
        start = FROM_NOTHING
    if swap(other, puzzle.width, puzzle.height, start, np.zeros(COUNTERS, np.int64), math.inf):
        turned = other.reshape(goal.shape)
        changed = np.flatnonzero(turned != plain.goal)
        assert openness == 1.0 or start[changed, other[changed]].all()
        assert (turned != plain.goal).sum() == 4
        back = from_picture(turned, plain.palette)
        assert [*map(sorted, (back.rows, back.columns))] == [*map(sorted, (plain.rows, plain.columns))]
        assert tuple(map(tuple, turned.tolist())) in oracle.solutions(plain)
    else:
        assert not has_switch(plain, start)


def has_switch(puzzle: Puzzle, start: np.ndarray) -> bool:
    """Return whether some rectangle has a switch that agrees with `start`, by brute force."""
    assert puzzle.goal is not None
    cells = puzzle.goal
    for top in range(puzzle.height):
        for bottom in range(top + 1, puzzle.height):
            for left in range(puzzle.width):
                for right in range(left + 1, puzzle.width):
                    corners = np.ix_([top, bottom], [left, right])
                    (a, b), (c, d) = cells[corners].tolist()
                    if a != b and a == d and b == c:
                        other = cells.copy()
                        other[corners] = [[b, a], [a, b]]
                        fits = all(
                            oracle.fits(clue, line)
                            for clue, line in zip(
                                puzzle.rows + puzzle.columns, [*other.tolist(), *other.T.tolist()], strict=True
                            )
                        )
                        turned = np.flatnonzero(other != cells)
                        if fits and (len(start) == 0 or start[turned, other.ravel()[turned]].all()):
                            return True
    return False


@pytest.mark.wide
@pytest.mark.parametrize(
    ("colors", "size"),
    [(1, 70), *(pytest.param(*kind, marks=pytest.mark.slow) for kind in ((2, 70), (1, 130), (2, 130)))],
)
def test_wide_puzzles_get_the_same_verdicts(colors: int, size: int) -> None:
    """Random pictures inside wide empty margins, with several words per bit set, of rows or of columns."""
    rng = np.random.default_rng(size)
    for _ in range(4):
        cells = rng.integers(0, colors + 1, (6, 6), dtype=np.uint8)
        wide = np.zeros((8, size), np.uint8)
        wide[1:7, size - 7 : size - 1] = cells
        near, far, high = (solve(from_picture(c, PALETTE[: colors + 1])) for c in (np.pad(cells, 1), wide, wide.T))
        # wide margins give blocks more room, so unique in the wide one implies unique in the other
        if far["solutions"] == "unique":
            assert near["solutions"] == "unique"
        assert (far["goal_matches"], far["status"]) == (True, "ok")
        for column in ("cells_after_line", "solutions", "technique"):
            assert high[column] == far[column]


def at_fixpoint(puzzle: Puzzle) -> Memory:
    memory = line_fixpoint(views(puzzle_batch([puzzle])), math.inf)
    assert memory is not None
    return memory


def refuted(memory: Memory, cached: bool) -> tuple[list[int], list[int]]:
    """Return the possible colours and the counters after depth-2 and probing."""
    workspace = memory.workspace
    if not cached:
        workspace = workspace._replace(line_cache=empty_line_cache(0, 1, 1, 1))
    for depth in (np.int64(2), NO_LIMIT):
        begin(memory.board, memory.tree.union, memory.seen, workspace.bit_width)
        others = memory.tree.union, memory.color, depth, NO_LIMIT, memory.seen, memory.log
        refute(memory.board, memory.trial, *others, workspace)
    return memory.board.can.tolist(), workspace.counters.tolist()


@pytest.mark.parametrize("colors", [1, 3])
def test_steps_with_and_without_cache_are_equal(colors: int) -> None:
    random = np.random.default_rng(colors)
    entries = 0
    for _ in range(30):
        puzzle = from_picture(random.integers(0, colors + 1, (9, 11)).astype(np.uint8), fuzz.PALETTE[: colors + 1])
        memory = at_fixpoint(puzzle)
        assert refuted(memory, True) == refuted(at_fixpoint(puzzle), False)
        entries += np.bitwise_count(memory.workspace.line_cache.filled).sum()
    assert entries > 100


def test_puzzles_of_a_batch_do_not_share_entries() -> None:
    puzzles = [fuzz.drawn(seed, most=12) for seed in range(60)]
    together = climb(views(puzzle_batch(puzzles)), np.arange(60), LadderOptions(math.inf))
    for k, puzzle in enumerate(puzzles):
        alone = climb(views(puzzle_batch([puzzle])), np.arange(1), LadderOptions(math.inf))
        assert together.counters[k].tolist() == alone.counters[0].tolist()
        assert together.solutions[k] == alone.solutions[0]
