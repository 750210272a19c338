"""The computed measures, against counting by hand and by enumeration."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from census_figures import known, pairs, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import arrangements, lines_of
from strategies import puzzles

from nonocensus.reports.derived_measures import DERIVED, derived_measures
from nonocensus.solver.model.measures import CONFLICT
from nonocensus.solver.model.puzzle import BLOT, Puzzle
from nonocensus.solver.model.tables import RESULTS, puzzle_batch


def measured(some: list[Puzzle], **results: Any) -> list[dict[str, Any]]:
    rows = [{"puzzle_id": puzzle.puzzle_id, "line_solves": 1} | results for puzzle in some]
    batch = pa.RecordBatch.from_pylist(rows, schema=RESULTS)
    computed = derived_measures(batch, puzzle_batch(some))
    assert computed.schema == DERIVED
    return computed.to_pylist()


def slacks(puzzle: Puzzle) -> list[int]:
    """By how many cells the blocks of each line can shift."""
    return [
        len(places)
        - sum(max(block.length, 1) for block in clue)
        - sum(left.color == right.color for left, right in pairwise(clue))
        if clue
        else 0
        for clue, places in lines_of(puzzle)
    ]


@settings(deadline=None)  # the first call loads kernels
@given(st.lists(puzzles(most=6), min_size=1, max_size=4))
def test_measures_of_clues(some: list[Puzzle]) -> None:
    for puzzle, row in zip(some, measured(some), strict=True):
        blocks = [block for clue in (*puzzle.rows, *puzzle.columns) for block in clue]
        assert (row["blocks"], row["colors"]) == (len(blocks), max((block.color for block in blocks), default=0))
        assert row["blots"] == sum(block.length == BLOT for block in blocks)
        assert row["max_slack"] == max(slacks(puzzle))
        assert row["mean_slack"] == pytest.approx(sum(slacks(puzzle)) / (puzzle.width + puzzle.height))
        ways = math.prod(sum(1 for _ in arrangements(clue, len(places))) for clue, places in lines_of(puzzle))
        assert row["log10_arrangements"] == pytest.approx(math.log10(ways))
        if not row["blots"]:
            assert puzzle.goal is not None
            assert row["density"] == np.count_nonzero(puzzle.goal) / puzzle.goal.size


@settings(deadline=None)
@given(puzzles(most=6))
def test_density_of_a_blotted_puzzle_is_that_of_its_solution(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    (row,) = measured([puzzle], solution=puzzle.goal.tobytes())
    assert row["density"] == np.count_nonzero(puzzle.goal) / puzzle.goal.size


def test_measures_do_not_depend_on_what_stands_beside(demo: list[Puzzle]) -> None:
    batch = puzzle_batch(demo)
    results = pa.RecordBatch.from_pylist([{"line_solves": n} for n in range(len(demo))], schema=RESULTS)
    whole = derived_measures(results, batch)
    for start in (0, 1, 17):
        assert derived_measures(results.slice(start, 40), batch.slice(start, 40)).equals(whole.slice(start, 40))


@pytest.fixture(scope="module")
def demo() -> list[Puzzle]:
    from nonocensus.scrapers.demo import demo_puzzles

    return demo_puzzles()[:100]


@pytest.mark.parametrize(
    ("counters", "difficulty"),
    [
        ({"line_solves": 4}, 0.0),
        ({"line_solves": 4000}, 3.0),
        ({"line_solves": 4, "conflicts": 9}, math.log10(1 + CONFLICT * 9 / 4)),
        ({"line_solves": 0}, None),
        ({"line_solves": None}, None),
    ],
)
def test_difficulty(counters: dict[str, int | None], difficulty: float | None) -> None:
    ((results, rows),) = pairs((solved("a/1", 1.0, **counters), known("a/1", 2, 2)))
    (row,) = derived_measures(results.to_batches()[0], rows.to_batches()[0]).to_pylist()
    assert row["difficulty"] == (difficulty if difficulty is None else pytest.approx(difficulty))


def test_what_is_not_known_stays_unknown() -> None:
    ((results, rows),) = pairs({}, (solved("a/1", 1.0), {"width": 3}))
    computed = derived_measures(results.to_batches()[0], rows.to_batches()[0]).to_pylist()
    assert computed[0] == dict.fromkeys(DERIVED.names)
    assert computed[1]["difficulty"] is computed[1]["density"] is None


def test_clues_that_no_line_can_have_have_no_arrangement() -> None:
    puzzle = {"rows": [[{"length": 5, "color": 1}]], "columns": [[], []]}
    ((results, rows),) = pairs((solved("a/1", 1.0), known("a/1", 2, 1, **puzzle)))
    (row,) = derived_measures(results.to_batches()[0], rows.to_batches()[0]).to_pylist()
    assert row["log10_arrangements"] is None
    assert row["max_slack"] == 0


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_clues_of_one_side_only(name: str) -> None:
    """Colours are those of both sides, even where no picture can have these clues; a null is not known."""
    clues = {"rows": [[], []], "columns": [[], []]} | {name: [[{"length": 0, "color": 3}], []]}
    ((results, rows),) = pairs(
        (solved("a/1", 1.0), known("a/1", 2, 2, **clues)), (solved("a/2", 1.0), known("a/2", 2, 2, **{name: None}))
    )
    one, other = derived_measures(results.to_batches()[0], rows.to_batches()[0]).to_pylist()
    assert (one["colors"], one["blots"], one["blocks"]) == (3, 1, 1)
    assert (other["colors"], other["blocks"]) == (None, None)


def test_no_rows() -> None:
    ((results, rows),) = pairs({})
    no_results, no_rows = (table.to_batches()[0].slice(1) for table in (results, rows))
    assert len(derived_measures(no_results, no_rows)) == 0
