"""Explanations: every step is checked, they lead to the solution, and wrong ones are refused; hints."""

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PALETTE, dominoes, puzzles, shuffled_puzzles

from nonocensus.solver.api import iter_solutions, solve
from nonocensus.solver.model.puzzle import Block, InvalidPuzzle, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE_TECHNIQUES
from nonocensus.solver.people import hints
from nonocensus.solver.people.explanation import Explanation, InvalidStep, check, checker_steps, explain
from nonocensus.solver.people.hints import hint, start_of
from nonocensus.solver.people.puzzle_grade import grades
from nonocensus.solver.proofs.checker import CertificateError

SWITCH = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="test/several")


def picture_of(explanation: Explanation) -> list[int]:
    return [colors.bit_length() - 1 if colors & (colors - 1) == 0 else 255 for colors in explanation.cells]


@given(puzzles(most=8))
@settings(max_examples=60, deadline=None)
def test_solved_as_far_as_people_get(puzzle: Puzzle) -> None:
    explanation = explain(puzzle)
    row = solve(puzzle)
    (graded,) = grades(puzzle_batch([puzzle]), np.ones(1, bool)).to_pylist()
    open_ = sum(colors & (colors - 1) != 0 for colors in explanation.cells)
    assert open_ == graded["open"]
    assert explanation.state == ({"unique": "open", "multiple": "multiple"}[row["solutions"]] if open_ else "solved")
    if not open_:
        assert row["solutions"] == "unique"
        assert bytes(picture_of(explanation)) == row["solution"]
    cells = list(explanation.grids())[-1] if explanation.steps else explanation.start
    assert cells == explanation.cells


@given(shuffled_puzzles())
@settings(max_examples=60, deadline=None)
def test_contradictions_end_in_a_line(puzzle: Puzzle) -> None:
    explanation = explain(puzzle)
    if explanation.state == "contradiction":
        assert not list(oracle.solutions(puzzle))
        assert explanation.end is not None
    else:
        assert explanation.end is None


@pytest.mark.parametrize(
    ("side", "state", "hardest"),
    [(6, "solved", "line"), (7, "solved", "edge"), (8, "solved", "edge"), (11, "open", "search")],
)
def test_assumptions(side: int, state: str, hardest: str) -> None:
    explanation = explain(dominoes(side))
    assert explanation.state == state
    assert explanation.hardest is not None
    assert explanation.hardest.name == hardest or side == 6
    chains = [step.assumption for step in explanation.steps if step.technique >= LINE_TECHNIQUES]
    assert None not in chains
    assert bool(chains) == (side in (7, 8))


def test_a_start_is_what_it_begins_with() -> None:
    start = np.ones((2, 2, 2), bool)
    start[0, 0] = [False, True]
    explanation = explain(SWITCH, start=start)
    assert explanation.state == "solved"
    assert picture_of(explanation) == [1, 0, 0, 1]
    assert explain(SWITCH).state == "multiple"
    start[1, 1] = [True, False]
    assert explain(SWITCH, start=start).state == "contradiction"
    with pytest.raises(ValueError, match="start is bool"):
        explain(SWITCH, start=np.ones((2, 2), bool))
    start[1, 1] = [False, False]
    with pytest.raises(ValueError, match="a cell without a colour"):
        explain(SWITCH, start=start)


def test_step_limit_cuts_the_explanation() -> None:
    puzzle = dominoes(7)
    whole = explain(puzzle)
    for most in (0, 1, 3, len(whole.steps) - 1):
        short = explain(puzzle, most=most)
        assert short.steps == whole.steps[:most]
        assert short.state == "timeout"
    assert explain(puzzle, most=len(whole.steps)) == whole


def test_wrong_steps_are_refused() -> None:
    explanation = explain(dominoes(7))
    steps = explanation.steps
    assume = next(k for k, step in enumerate(steps) if step.assumption)
    for k in (0, assume):
        ((place, color), *_), others = steps[k].ruled, steps[k].ruled[1:]
        lied = steps[k]._replace(ruled=((place, 1 - color), *others))
        if lied.assumption is not None:
            lied = lied._replace(assumption=lied.assumption._replace(color=1 - color))
        with pytest.raises((CertificateError, InvalidStep)):
            check(explanation._replace(steps=[*steps[:k], lied, *steps[k + 1 :]]))
    with pytest.raises((CertificateError, InvalidStep)):
        check(explanation._replace(steps=steps[1:]))
    with pytest.raises(InvalidStep, match="other cells"):
        check(explanation._replace(cells=[3, *explanation.cells[1:]]))
    assert len(list(checker_steps(explanation))) == len(steps)


def test_clues_that_can_not_be() -> None:
    with pytest.raises(InvalidPuzzle):
        explain(Puzzle(((Block(3),),), ((Block(1),),), puzzle_id="test/invalid"))


def test_colours_and_blots() -> None:
    cells = np.array([[1, 2, 2], [0, 1, 2], [2, 0, 1]], np.uint8)
    puzzle = from_picture(cells, PALETTE[:3])
    explanation = explain(puzzle)
    assert explanation.state == "solved"
    assert picture_of(explanation) == cells.ravel().tolist()
    blotted = replace(puzzle, rows=tuple(tuple(Block(0, block.color) for block in clue) for clue in puzzle.rows))
    assert explain(blotted).state in ("solved", "multiple")


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
        for place, color in (pair for step in given_.next.steps for pair in step.ruled):
            assert covered[place]
            assert solution.ravel()[place] != color
        grids = given_.next.start, *given_.next.grids()
        *before, last = (sum(colors & (colors - 1) > 0 for colors in cells) for cells in grids)
        assert last < min(before) == max(before), "only the last step decides a cell"
    else:
        assert given_.kind in ("open", "multiple") or (given_.kind == "solved" and puzzle.blotted)


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


def test_no_solution_no_way_on_and_several_solutions() -> None:
    nothing = np.full((2, 2), OPEN, np.uint8)
    assert hint(SWITCH, start_of(SWITCH, nothing)).kind == "multiple"
    assert hint(NONE, start_of(NONE, np.full((1, 3), OPEN, np.uint8))).kind == "none"
    with pytest.raises(ValueError, match="the grid is 3x1, the puzzle 2x2"):
        start_of(SWITCH, np.zeros((1, 3), np.uint8))
    given_ = hint(SWITCH, start_of(SWITCH, np.array([[1, 1], [OPEN, OPEN]], np.uint8)))
    assert (given_.kind, len(given_.wrong)) == ("wrong", 1), "of the nearer one of two solutions"


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
