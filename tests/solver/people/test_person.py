"""A puzzle solved line by line: all that line logic finds, by steps that lead there one by one."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.ladder.memory import KernelGroup
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE, LINE_TECHNIQUES
from nonocensus.solver.model.views import views
from nonocensus.solver.people.person import (
    LOOKS,
    STEPS,
    SolvingState,
    begin_puzzle,
    grid_of,
    open_cells_of,
    puzzle_state_for,
    rule_out,
    solve_lines,
    state_for,
)


def state_of(puzzle: Puzzle) -> SolvingState:
    return puzzle_state_for(views(puzzle_batch([puzzle])), logged=True)


def worked(state: SolvingState, most: int = LINE_TECHNIQUES, deadline: float = math.inf) -> int:
    return solve_lines(state, most, deadline)


def knowledge(state: SolvingState) -> oracle.Board:
    width = int(state.board.size[0])
    cells = [{c for c in range(32) if colors >> c & 1} for colors in grid_of(state).tolist()]
    return [cells[x : x + width] for x in range(0, len(cells), width)]


@pytest.mark.plain_python
@given(puzzles(most=9))
@settings(max_examples=150, deadline=None)
def test_techniques_end_at_the_fixpoint_of_line_logic(puzzle: Puzzle) -> None:
    state = state_of(puzzle)
    assert worked(state) == FIXPOINT
    expected = oracle.line_logic(puzzle)
    assert knowledge(state) == expected
    assert (open_cells_of(state) == 0) == all(len(cell) == 1 for row in expected or [] for cell in row)


@given(puzzles(most=9))
@settings(max_examples=100, deadline=None)
def test_log_has_every_step(puzzle: Puzzle) -> None:
    state = state_of(puzzle)
    first, counted, grid = 0, np.zeros_like(state.steps), grid_of(state)
    worked(state)
    width, height, _ = state.board.size.tolist()
    for technique, line, end in state.log[: state.scalars[STEPS]].tolist():
        assert first < end
        for place, lost in state.changes[first:end].tolist():
            assert line in (place // width, height + place % width)
            assert grid[place] & lost == lost
            grid[place] &= ~lost
        counted[technique] += 1
        first = end
    assert (grid == grid_of(state)).all()
    assert (counted == state.steps).all()


@given(puzzles(most=9))
@settings(max_examples=100, deadline=None)
def test_a_step_is_by_the_easiest_technique(puzzle: Puzzle) -> None:
    """With one technique less, nothing is found that takes the last one; with it the first find is its own."""
    state = state_of(puzzle)
    for most in range(1, LINE_TECHNIQUES + 1):
        before = state.steps.copy()
        logged = int(state.scalars[STEPS])
        worked(state, most)
        found = state.log[logged : state.scalars[STEPS], 0].tolist()
        assert not state.steps[most:].any()
        assert not found or found[0] == most - 1
        assert (state.steps >= before).all()


@given(shuffled_puzzles())
@settings(max_examples=150, deadline=None)
def test_a_contradiction_of_line_logic_is_found(puzzle: Puzzle) -> None:
    assert (worked(state_of(puzzle)) == CONTRADICTION) == (oracle.line_logic(puzzle) is None)


def test_out_of_time() -> None:
    state = puzzle_state_for(views(recipe_batch(Recipe("random", 60, 60, 0.5, 1, 1), 0, 1)))
    assert worked(state, deadline=0.0) == OUT_OF_TIME


def test_what_is_ruled_out_is_looked_at_again() -> None:
    puzzle = from_picture(np.eye(2, dtype=np.uint8))
    state = state_of(puzzle)
    assert worked(state) == FIXPOINT
    assert open_cells_of(state) == 4
    rule_out(state, 0, 0)
    assert worked(state) == FIXPOINT
    assert open_cells_of(state) == 0
    assert state.steps[:LINE].any()


def test_hardest_technique_is_the_same_for_mirrored_puzzles() -> None:
    """A pass of `spaces` that depended on its direction failed with five of these seeds."""
    for seed in range(120):
        picture = (np.random.default_rng(seed).random((5, 12)) < 0.6).astype(np.uint8)
        hardest = set()
        for image in (picture, picture[:, ::-1], picture[::-1], picture.T):
            state = state_of(from_picture(np.ascontiguousarray(image), BLACK_ON_WHITE, puzzle_id="test/1"))
            worked(state)
            hardest.add(int(np.flatnonzero(state.steps).max(initial=0)))
        assert len(hardest) == 1, seed


@given(puzzles(most=9))
@settings(max_examples=60, deadline=None)
def test_state_forgets_the_puzzle_before(puzzle: Puzzle) -> None:
    """Finds of a larger puzzle that ran out of time were written outside the board."""
    large = from_picture(np.ones((30, 40), np.uint8), BLACK_ON_WHITE, puzzle_id="test/large")
    batch = views(puzzle_batch([puzzle, large]))
    new, used = state_of(puzzle), state_for(batch, KernelGroup(1, 3, np.arange(2)))
    for array in (used.pending, used.progress, used.tried, used.results, used.steps, used.scalars):
        array[:] = 2**62 - 1
    begin_puzzle(used, batch, 0)
    assert worked(used) == worked(new)
    assert (used.steps.tolist(), used.scalars[LOOKS]) == (new.steps.tolist(), new.scalars[LOOKS])
    assert grid_of(used).tolist() == grid_of(new).tolist()
