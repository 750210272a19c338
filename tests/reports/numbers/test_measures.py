"""The measures, against counting by hand and by enumeration; each has values, and is where its declaration says."""

import html
import json
import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from browsable import columns_of
from census_figures import known, pairs, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import arrangements, lines_of
from strategies import puzzles

from nonocensus.reports.dataset.croissant import TYPES
from nonocensus.reports.dataset.dataset_columns import Content, schema
from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.derived_measures import DERIVED, derived_measures
from nonocensus.reports.numbers.joined_columns import GRADED, with_grade, with_sources
from nonocensus.reports.numbers.row_view import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.reports.page.browser import payload
from nonocensus.reports.page.browser_columns import COLUMNS
from nonocensus.reports.page.report_page import write_report
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.solver.api import classify
from nonocensus.solver.model.measures import CONFLICT, IN_RESULTS, MEASURES, Computed, Measure, Place
from nonocensus.solver.model.puzzle import BLOT, Puzzle, from_picture
from nonocensus.solver.model.tables import PUZZLES, RESULTS, puzzle_batch
from nonocensus.solver.people.puzzle_grade import grades


def measured(some: list[Puzzle], **results: Any) -> list[dict[str, Any]]:
    rows = [{"puzzle_id": puzzle.puzzle_id, "line_solves": 1} | results for puzzle in some]
    batch = pa.RecordBatch.from_pylist(rows, schema=RESULTS)
    computed = derived_measures(batch, puzzle_batch(some))
    assert computed.schema == DERIVED
    return computed.to_pylist()


def derived(*rows: Any) -> list[dict[str, Any]]:
    """Return the measures of rows as `pairs` takes them."""
    (tables,) = pairs(*rows)
    results, puzzles = (pa.RecordBatch.from_struct_array(table.to_struct_array().combine_chunks()) for table in tables)
    return derived_measures(results, puzzles).to_pylist()


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


def test_measures_do_not_depend_on_what_stands_beside() -> None:
    batch = puzzle_batch(demo_puzzles()[:100])
    results = pa.RecordBatch.from_pylist([{"line_solves": n} for n in range(len(batch))], schema=RESULTS)
    whole = derived_measures(results, batch)
    for start in (0, 1, 17):
        assert derived_measures(results.slice(start, 40), batch.slice(start, 40)).equals(whole.slice(start, 40))


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
    (row,) = derived((solved("a/1", 1.0, **counters), known("a/1", 2, 2)))
    assert row["difficulty"] == (difficulty if difficulty is None else pytest.approx(difficulty))


def test_what_is_not_known_stays_unknown() -> None:
    computed = derived({}, (solved("a/1", 1.0), {"width": 3}))
    assert computed[0] == dict.fromkeys(DERIVED.names)
    assert computed[1]["difficulty"] is computed[1]["density"] is None


def test_clues_that_no_line_can_have_have_no_arrangement() -> None:
    puzzle = {"rows": [[{"length": 5, "color": 1}]], "columns": [[], []]}
    (row,) = derived((solved("a/1", 1.0), known("a/1", 2, 1, **puzzle)))
    assert row["log10_arrangements"] is None
    assert row["max_slack"] == 0


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_clues_of_one_side_only(name: str) -> None:
    """Colours are those of both sides, even where no picture can have these clues; a null is not known."""
    clues = {"rows": [[], []], "columns": [[], []]} | {name: [[{"length": 0, "color": 3}], []]}
    one, other = derived(
        (solved("a/1", 1.0), known("a/1", 2, 2, **clues)), (solved("a/2", 1.0), known("a/2", 2, 2, **{name: None}))
    )
    assert (one["colors"], one["blots"], one["blocks"]) == (3, 1, 1)
    assert (other["colors"], other["blocks"]) == (None, None)


def test_no_rows() -> None:
    assert derived() == []


class Solved(NamedTuple):
    """Puzzles, their results and their grades."""

    results: pa.RecordBatch
    puzzles: pa.RecordBatch
    grades: pa.RecordBatch


@pytest.fixture(scope="module")
def some() -> Solved:
    rng = np.random.default_rng(1)
    batch = puzzle_batch([from_picture((rng.random((15, 15)) < 0.45).astype(np.uint8)) for _ in range(150)])
    puzzles = batch.set_column(
        batch.schema.get_field_index("site_difficulty"),
        PUZZLES.field("site_difficulty"),
        pa.array(rng.random(len(batch))),
    )
    results = classify(batch, cpu_limit=20.0)
    unique = np.array([word == "unique" for word in results["solutions"].to_pylist()])
    return Solved(results, puzzles, grades(batch, unique, 20.0))


def declared(*places: Place) -> list[Measure]:
    """Return the measures that are shown in all of these places."""
    return [measure for measure in MEASURES if measure.shown >= {*places}]


def test_every_measure_has_values(some: Solved) -> None:
    tables = {Computed.derived: derived_measures(some.results, some.puzzles), Computed.graded: some.grades}
    for measure in MEASURES:
        if measure.computed is not Computed.rated:
            column = tables.get(measure.computed, some.results)[measure.name]
            assert column.type == measure.dtype
            assert column.null_count < len(column), measure.name


def test_results_have_the_measures_of_the_solver() -> None:
    for measure in MEASURES:
        assert (measure.name in RESULTS.names) == (measure.computed in IN_RESULTS), measure.name


def test_datasets_have_the_measures_that_say_so() -> None:
    columns = schema(Content.none, graded=True)
    for measure in MEASURES:
        assert (measure.name in columns.names) == (Place.dataset in measure.shown), measure.name
    for measure in declared(Place.dataset):
        assert columns.field(measure.name).equals(measure.field(), check_metadata=True)
        assert measure.dtype in TYPES


@pytest.mark.slow
def test_the_report_shows_the_measures_that_say_so(some: Solved) -> None:
    pairs = [(some.results.select(RESULT_COLUMNS), some.puzzles.select(PUZZLE_COLUMNS))]
    found = with_grade(pa.Table.from_batches([some.grades]))
    census = take_census(pairs, grades=found)
    assert census.compared.column_names == [measure.name for measure in MEASURES if Place.correlations in measure.shown]
    for measure in declared(Place.correlations):
        assert census.compared[measure.name].null_count < len(census.compared), measure.name
    made = write_report(pairs, grades=found)
    page = html.unescape(made["report.html"].decode())
    for measure in declared(Place.dataset):
        if measure.source:
            assert measure.definition in page, measure.name
    correlated = {one["measure"] for one in json.loads(made["report.json"])["figures"]["ratings"]["correlations"]}
    assert {"line_solves", "density", "difficulty"} <= correlated


def test_the_browser_has_the_measures_that_say_so(some: Solved) -> None:
    pairs = [(some.results.select(RESULT_COLUMNS), some.puzzles.select(PUZZLE_COLUMNS))]
    shown = take_census(pairs, grades=with_grade(pa.Table.from_batches([some.grades]))).shown
    columns = columns_of(payload(shown))
    titled = {column.name for column in COLUMNS if column.title}
    for measure in MEASURES:
        assert (measure.name in columns) == (Place.browser in measure.shown), measure.name
        assert (measure.name in titled) == (Place.browser in measure.shown), measure.name


def test_sources_are_added_to_fields_of_tables() -> None:
    tables = [*PUZZLES, *RESULTS, *DERIVED, *GRADED]
    for made, field in zip(with_sources(tables), tables, strict=True):
        assert made.metadata.items() >= field.metadata.items()
        assert made.remove_metadata().equals(field.remove_metadata())
