"""Explanations: every step is checked, they lead to the solution, and a wrong one is refused."""

from dataclasses import replace

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import PALETTE, puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import Block, InvalidPuzzle, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of
from nonocensus.solver.model.techniques import LINE_TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, InvalidStep, check, checker_steps, explain
from nonocensus.solver.people.puzzle_grade import grades
from nonocensus.solver.proofs.checker import CertificateError

SWITCH = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="test/several")


def dominoes(side: int) -> Puzzle:
    """Return a puzzle that needs assumptions: an edge from 7 cells a side on, chains from 9, search from 11."""
    (puzzle,) = puzzles_of(recipe_batch(Recipe("dominoes", side, side, None, None, 1), 0, 1))
    return puzzle


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
    assert explanation.state == ("open" if open_ else "solved")
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
    assert explain(SWITCH).state == "open"
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


def test_out_of_time_keeps_what_was_found() -> None:
    explanation = explain(dominoes(10), cpu_limit=0.0)
    assert explanation.state == "timeout"


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
    assert explain(blotted).state in ("solved", "open")
