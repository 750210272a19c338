"""Each declared measure has values, and is wherever its declaration says that it is shown."""

import html
import json
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
import sudokus
from browsable import columns_of

from nonocensus.reports.browser import payload
from nonocensus.reports.browser_columns import COLUMNS
from nonocensus.reports.census import take_census
from nonocensus.reports.croissant import TYPES
from nonocensus.reports.dataset_columns import Content, schema
from nonocensus.reports.derived_measures import derived_measures
from nonocensus.reports.family_words import WORDS
from nonocensus.reports.joined_columns import finished
from nonocensus.reports.report_page import RunDetails, write_report
from nonocensus.reports.row_counts import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.solver.model.families import FAMILIES, NONOGRAM, SUDOKU
from nonocensus.solver.model.measures import IN_RESULTS, MEASURES, Computed, Measure, Place
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import PUZZLES, RESULTS, puzzle_batch
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of


class Solved(NamedTuple):
    """Puzzles of a family, their results and their grades."""

    family: str
    results: pa.RecordBatch
    puzzles: pa.RecordBatch
    grades: pa.RecordBatch


def solved(family: str) -> Solved:
    rules, rng = FAMILIES[family].rules, np.random.default_rng(1)
    if family == NONOGRAM.name:
        batch = puzzle_batch([from_picture((rng.random((15, 15)) < 0.45).astype(np.uint8)) for _ in range(150)])
        puzzles = batch.set_column(
            batch.schema.get_field_index("site_difficulty"),
            PUZZLES.field("site_difficulty"),
            pa.array(rng.random(len(batch))),
        )
    else:
        sizes = [6] * 20 + [9] * 5  # 9x9 alone has minutes, but not all techniques of `classify` work on it
        grids = [np.where(rng.random((size, size)) < 0.6, 0, sudokus.full(size)) for size in sizes]
        batch = sudoku_batch(
            [Sudoku(grid.astype(np.uint8), *boxes_of(len(grid)), puzzle_id=f"a/{k}") for k, grid in enumerate(grids)]
        )
        table = SUDOKU.rules.as_nonograms(pa.Table.from_batches([batch]), PUZZLE_COLUMNS)
        (puzzles,) = table.combine_chunks().to_batches()
    options = {"rung": "search", "depth": 2, "check_goal": False, "wait": True}
    results = rules.classify(batch, cpu_limit=20.0, **options)
    unique = np.array([word == "unique" for word in results["solutions"].to_pylist()])
    return Solved(family, results, puzzles, rules.grades(batch, unique, 20.0))


@pytest.fixture(scope="module", params=FAMILIES)
def some(request: pytest.FixtureRequest) -> Solved:
    return solved(request.param)


def declared(family: str, *places: Place) -> list[Measure]:
    """Return the measures of a family that are shown in all of these places."""
    return [measure for measure in MEASURES if measure.meaning_for(family) and measure.shown >= {*places}]


def test_every_measure_has_values(some: Solved) -> None:
    tables = {Computed.derived: derived_measures(some.results, some.puzzles), Computed.graded: some.grades}
    for measure in declared(some.family):
        if measure.computed is not Computed.rated:
            column = tables.get(measure.computed, some.results)[measure.name]
            assert column.type == measure.dtype
            assert column.null_count < len(column), measure.name


def test_results_have_the_measures_of_the_solver() -> None:
    for measure in MEASURES:
        assert (measure.name in RESULTS.names) == (measure.computed in IN_RESULTS), measure.name


def test_datasets_have_the_measures_that_say_so(some: Solved) -> None:
    columns = schema(Content.none, graded=True, family=WORDS[some.family])
    for measure in MEASURES:
        has_column = Place.dataset in measure.shown and measure.meaning_for(some.family) is not None
        assert (measure.name in columns.names) == has_column, measure.name
    for measure in declared(some.family, Place.dataset):
        assert columns.field(measure.name).equals(measure.field(some.family), check_metadata=True)
        assert measure.dtype in TYPES


@pytest.mark.slow
def test_the_report_shows_the_measures_that_say_so(some: Solved) -> None:
    pairs = [(some.results.select(RESULT_COLUMNS), some.puzzles.select(PUZZLE_COLUMNS))]
    grades = finished(pa.Table.from_batches([some.grades]))
    census = take_census(pairs, grades=grades)
    assert census.compared.column_names == [measure.name for measure in MEASURES if Place.correlations in measure.shown]
    for measure in declared(some.family, Place.correlations):
        assert census.compared[measure.name].null_count < len(census.compared), measure.name
    made = write_report(pairs, RunDetails(family=some.family), grades=grades)
    page = html.unescape(made["report.html"].decode())
    for measure in declared(some.family):
        meaning = measure.meaning_for(some.family)
        assert meaning is not None
        if meaning.source and Place.dataset in measure.shown:
            assert meaning.definition in page, measure.name
    if some.family == NONOGRAM.name:
        correlated = {one["measure"] for one in json.loads(made["report.json"])["figures"]["ratings"]["correlations"]}
        assert {"line_solves", "density", "difficulty"} <= correlated


def test_the_browser_has_the_measures_that_say_so(some: Solved) -> None:
    pairs = [(some.results.select(RESULT_COLUMNS), some.puzzles.select(PUZZLE_COLUMNS))]
    shown = take_census(pairs, grades=finished(pa.Table.from_batches([some.grades]))).shown
    columns = columns_of(payload(shown, WORDS[some.family]))
    titled = {column.name for column in COLUMNS if some.family in column.titles}
    for measure in MEASURES:
        has_column = Place.browser in measure.shown and measure.meaning_for(some.family) is not None
        assert (measure.name in columns) == has_column, measure.name
        assert (measure.name in titled) == has_column, measure.name
