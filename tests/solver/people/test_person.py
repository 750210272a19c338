"""A puzzle solved line by line: all that line logic finds, by steps that lead there one by one."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.ladder.memory import KernelGroup
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE, LINE_TECHNIQUES
from nonocensus.solver.model.views import views
from nonocensus.solver.people.person import (
    LOOKS,
    STEPS,
    PuzzleSheet,
    grid_of,
    open_cells_of,
    place_on_sheet,
    puzzle_sheet_for,
    rule_out,
    sheet_for,
    solve_lines,
)


def sheet_of(puzzle: Puzzle) -> PuzzleSheet:
    return puzzle_sheet_for(views(puzzle_batch([puzzle])), logged=True)


def worked(sheet: PuzzleSheet, most: int = LINE_TECHNIQUES, deadline: float = math.inf) -> int:
    return solve_lines(sheet, most, deadline)


def knowledge(sheet: PuzzleSheet) -> oracle.Board:
    width = int(sheet.board.size[0])
    cells = [{c for c in range(32) if colors >> c & 1} for colors in grid_of(sheet).tolist()]
    return [cells[x : x + width] for x in range(0, len(cells), width)]


@pytest.mark.plain_python
@given(puzzles(most=9))
@settings(max_examples=150, deadline=None)
def test_it_ends_where_line_logic_ends(puzzle: Puzzle) -> None:
    sheet = sheet_of(puzzle)
    assert worked(sheet) == FIXPOINT
    expected = oracle.line_logic(puzzle)
    assert knowledge(sheet) == expected
    assert (open_cells_of(sheet) == 0) == all(len(cell) == 1 for row in expected or [] for cell in row)


@given(puzzles(most=9))
@settings(max_examples=100, deadline=None)
def test_the_log_tells_every_step(puzzle: Puzzle) -> None:
    sheet = sheet_of(puzzle)
    first, counted, grid = 0, np.zeros_like(sheet.steps), grid_of(sheet)
    worked(sheet)
    width, height, _ = sheet.board.size.tolist()
    for technique, line, end in sheet.log[: sheet.notes[STEPS]].tolist():
        assert first < end
        for place, lost in sheet.changes[first:end].tolist():
            assert line in (place // width, height + place % width)
            assert grid[place] & lost == lost
            grid[place] &= ~lost
        counted[technique] += 1
        first = end
    assert (grid == grid_of(sheet)).all()
    assert (counted == sheet.steps).all()


@given(puzzles(most=9))
@settings(max_examples=100, deadline=None)
def test_a_step_is_by_the_easiest_technique(puzzle: Puzzle) -> None:
    """With one technique less, nothing is found that takes the last one; with it the first find is its own."""
    sheet = sheet_of(puzzle)
    for most in range(1, LINE_TECHNIQUES + 1):
        before = sheet.steps.copy()
        logged = int(sheet.notes[STEPS])
        worked(sheet, most)
        found = sheet.log[logged : sheet.notes[STEPS], 0].tolist()
        assert not sheet.steps[most:].any()
        assert not found or found[0] == most - 1
        assert (sheet.steps >= before).all()


@given(shuffled_puzzles())
@settings(max_examples=150, deadline=None)
def test_a_contradiction_of_line_logic_is_found(puzzle: Puzzle) -> None:
    assert (worked(sheet_of(puzzle)) == CONTRADICTION) == (oracle.line_logic(puzzle) is None)


def test_out_of_time() -> None:
    from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch

    sheet = puzzle_sheet_for(views(recipe_batch(Recipe("random", 60, 60, 0.5, 1, 1), 0, 1)))
    assert worked(sheet, deadline=0.0) == OUT_OF_TIME


def test_what_is_ruled_out_is_looked_at_again() -> None:
    from nonocensus.solver.model.puzzle import from_picture

    puzzle = from_picture(np.eye(2, dtype=np.uint8))
    sheet = sheet_of(puzzle)
    assert worked(sheet) == FIXPOINT
    assert open_cells_of(sheet) == 4
    rule_out(sheet, 0, 0)
    assert worked(sheet) == FIXPOINT
    assert open_cells_of(sheet) == 0
    assert sheet.steps[:LINE].any()


def test_hardest_technique_is_the_same_for_mirrored_puzzles() -> None:
    """A pass of `spaces` that depended on its direction failed with five of these seeds."""
    for seed in range(120):
        picture = (np.random.default_rng(seed).random((5, 12)) < 0.6).astype(np.uint8)
        hardest = set()
        for image in (picture, picture[:, ::-1], picture[::-1], picture.T):
            sheet = sheet_of(from_picture(np.ascontiguousarray(image), BLACK_ON_WHITE, puzzle_id="test/1"))
            worked(sheet)
            hardest.add(int(np.flatnonzero(sheet.steps).max(initial=0)))
        assert len(hardest) == 1, seed


@given(puzzles(most=9))
@settings(max_examples=60, deadline=None)
def test_a_sheet_forgets_the_puzzle_before(puzzle: Puzzle) -> None:
    """Finds of a larger puzzle that ran out of time were written outside the board."""
    large = from_picture(np.ones((30, 40), np.uint8), BLACK_ON_WHITE, puzzle_id="test/large")
    batch = views(puzzle_batch([puzzle, large]))
    fresh, used = sheet_of(puzzle), sheet_for(batch, KernelGroup(1, 3, np.arange(2)))
    for array in (used.due, used.finds, used.tried, used.found, used.steps, used.notes):
        array[:] = 2**62 - 1
    place_on_sheet(used, batch, 0)
    assert worked(used) == worked(fresh)
    assert (used.steps.tolist(), used.notes[LOOKS]) == (fresh.steps.tolist(), fresh.notes[LOOKS])
    assert grid_of(used).tolist() == grid_of(fresh).tolist()
