"""Assumptions and grades: the hardest technique goes with the weakest rung, whatever the order of work."""

from itertools import islice

import numpy as np
import oracle
import pyarrow as pa
import pytest
from hypothesis import given, settings
from strategies import puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import GRADES, puzzle_batch
from nonocensus.solver.model.techniques import CHAIN, EDGE, LINE, LONG_CHAIN, SEARCH, TECHNIQUES
from nonocensus.solver.people.puzzle_grade import grades

RUNG = {EDGE: "depth-2", CHAIN: "probe", LONG_CHAIN: "probe", SEARCH: "search"} | dict.fromkeys(range(LINE + 1), "line")
"""The weakest rung that goes with each technique, where that is the hardest."""

BY_NAME = {technique.name: number for number, technique in enumerate(TECHNIQUES)}


def random_puzzles(count: int, side: int, seed: int) -> list[Puzzle]:
    pictures = np.random.default_rng(seed).random((count, side, side)) < 0.5
    return [from_picture(picture.astype(np.uint8), puzzle_id=f"test/{k}") for k, picture in enumerate(pictures)]


def test_grades_go_with_the_rungs() -> None:
    dominoes = [recipe_batch(Recipe("dominoes", side, side, None, None, 1), 0, 1) for side in range(4, 13)]
    drawn = puzzle_batch([*random_puzzles(100, 7, 1), *random_puzzles(40, 12, 2)])
    batch = pa.Table.from_batches([drawn, *dominoes]).combine_chunks().to_batches()[0]
    results = classify(batch)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    rows = grades(batch, unique).to_pylist()
    seen = set()
    for row, rung, one in zip(rows, results["technique"].to_pylist(), unique, strict=True):
        assert row["status"] == "ok"
        assert (row["grade"] is not None) == one
        if one:
            hardest = BY_NAME[row["hardest"]]
            assert RUNG[hardest] == rung, row
            assert row["grade"] == TECHNIQUES[hardest].grade
            assert (row["open"] == 0) == (rung != "search")
            seen.add(rung)
    assert seen == {"line", "depth-2", "probe", "search"}


@given(puzzles(most=7))
@settings(max_examples=80, deadline=None)
def test_open_cells_are_those_of_the_rungs(puzzle: Puzzle) -> None:
    batch = puzzle_batch([puzzle])
    row = classify(batch, rung="probe").to_pylist()[0]
    (graded,) = grades(batch, np.ones(1, bool)).to_pylist()
    left = row["cells"] - (row["cells_after_probe"] or row["cells_after_depth2"] or row["cells_after_line"])
    assert graded["open"] == left
    assert (graded["hardest"] == "search") == (left > 0)


@given(shuffled_puzzles(most=6))
@settings(max_examples=150, deadline=None)
def test_puzzles_without_solution(puzzle: Puzzle) -> None:
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool)).to_pylist()
    solutions = len(list(islice(oracle.solutions(puzzle), 2)))
    assert row["status"] == "ok" or solutions == 0
    assert row["open"] > 0 or row["status"] != "ok" or solutions == 1


def test_assumptions_show_that_there_is_no_solution() -> None:
    """Line logic alone finds no contradiction."""
    one, two = (Block(1), Block(1)), (Block(2),)
    puzzle = Puzzle((two, one, two, one), (one, one, two, two), puzzle_id="test/none")
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool)).to_pylist()
    assert (row["status"], row["grade"]) == ("none", None)
    assert row["open"] > 0


def test_what_has_no_grade() -> None:
    switch = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="test/several")
    none = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)), puzzle_id="test/none")
    invalid = Puzzle(((Block(3),),), ((Block(1),),), puzzle_id="test/invalid")
    empty = Puzzle(((),), ((),), puzzle_id="test/empty")
    rows = grades(puzzle_batch([switch, none, invalid, empty]), np.array([False, False, False, True])).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "none", "invalid", "ok"]
    assert [row["grade"] for row in rows] == [None, None, None, 1]
    assert rows[0]["open"] == 4
    assert rows[2]["steps_clue"] is None
    assert [row["puzzle_id"] for row in rows] == ["test/several", "test/none", "test/invalid", "test/empty"]


def test_nothing_to_grade() -> None:
    invalid = puzzle_batch([Puzzle(((Block(3),),), ((Block(1),),), puzzle_id="test/invalid")])
    assert [row["status"] for row in grades(invalid, np.zeros(1, bool)).to_pylist()] == ["invalid"]
    assert grades(invalid.slice(1), np.zeros(0, bool)).num_rows == 0


def test_out_of_time() -> None:
    (puzzle,) = random_puzzles(1, 30, 4)
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool), cpu_limit=0.0).to_pylist()
    assert (row["status"], row["grade"], row["hardest"]) == ("timeout", None, None)


def test_a_batch_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="not a batch of the puzzles table"):
        grades(pa.RecordBatch.from_pylist([], GRADES), np.ones(0, bool))
