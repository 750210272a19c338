"""Hints: wrong cells of a grid, or a step that a solution has."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PALETTE, puzzles

from nonocensus.solver.api import iter_solutions
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.people import hints
from nonocensus.solver.people.explanation import Explanation, explain
from nonocensus.solver.people.hints import hint, start_of

SWITCH = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2)
NONE = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)))
OPEN = 255
MOST = 50


@given(puzzles(most=6), st.data())
@settings(max_examples=40, deadline=None)
def test_a_step_that_some_solution_has(puzzle: Puzzle, data: st.DataObject) -> None:
    solution = next(iter_solutions(puzzle))
    cells = solution.copy()
    covered = data.draw(st.lists(st.booleans(), min_size=cells.size, max_size=cells.size))
    cells.ravel()[covered] = OPEN
    given_ = hint(puzzle, start_of(puzzle, cells))
    if not solution.ravel()[covered].any():  # background cells may be open
        assert given_.kind == "solved"
    elif given_.kind == "step":
        assert given_.next is not None
        for step in given_.next.steps:
            for place, color in step.ruled:
                assert covered[place]
                assert solution.ravel()[place] != color
        assert given_.next.decisive() == [False] * (len(given_.next.steps) - 1) + [True]
    else:
        assert given_.kind == "open" or (given_.kind == "solved" and puzzle.blotted)


@given(puzzles(most=6), st.data())
@settings(max_examples=40, deadline=None)
def test_wrong_cells(puzzle: Puzzle, data: st.DataObject) -> None:
    solutions = [solution.ravel() for solution in islice(iter_solutions(puzzle), MOST)]
    cells = solutions[0].copy()
    place = data.draw(st.integers(0, len(cells) - 1))
    cells[place] = data.draw(st.integers(0, max(puzzle.colors, 1)))
    given_ = hint(puzzle, start_of(puzzle, cells.reshape(puzzle.height, puzzle.width)))
    if any((cells == solution).all() for solution in solutions):
        assert given_.kind == "solved"
    elif len(solutions) == 1:
        assert given_.kind == "wrong"
        assert given_.wrong == (place,)
    else:
        assert given_.kind == "wrong" or len(solutions) == MOST


def test_no_solution_and_no_way_on() -> None:
    nothing = np.full((2, 2), OPEN, np.uint8)
    assert hint(SWITCH, start_of(SWITCH, nothing)).kind == "open"
    assert hint(NONE, start_of(NONE, np.full((1, 3), OPEN, np.uint8))).kind == "none"
    with pytest.raises(ValueError, match="the grid is 3x1, the puzzle 2x2"):
        start_of(SWITCH, np.zeros((1, 3), np.uint8))


def test_several_solutions() -> None:
    cells = np.array([[1, 1], [OPEN, OPEN]], np.uint8)
    given_ = hint(SWITCH, start_of(SWITCH, cells))
    assert given_.kind == "wrong"
    assert len(given_.wrong) == 1


def test_all_tries_share_the_cpu_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two steps only exclude colours that their clues lack."""
    limits = []

    def explained(puzzle: Puzzle, *, cpu_limit: float, **options: Any) -> Explanation:
        limits.append(cpu_limit)
        return explain(puzzle, cpu_limit=cpu_limit, **options)

    monkeypatch.setattr(hints, "explain", explained)
    puzzle = from_picture(
        np.array([[1, 0, 1, 0], [2, 0, 0, 2], [0, 1, 2, 0], [1, 0, 2, 0]], np.uint8), palette=PALETTE[:3]
    )
    given_ = hint(puzzle, start_of(puzzle, np.full((4, 4), OPEN, np.uint8)), cpu_limit=5.0)
    assert given_.next is not None
    assert len(given_.next.steps) > 1
    assert 5.0 >= limits[0] > limits[1]
