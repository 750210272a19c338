"""Each declared measure has values, and is wherever its declaration says that it is shown."""

import html
import json
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from browsable import columns_of

from nonocensus.reports.browser import payload
from nonocensus.reports.browser_columns import COLUMNS
from nonocensus.reports.census import take_census
from nonocensus.reports.croissant import TYPES
from nonocensus.reports.dataset_columns import Content, schema
from nonocensus.reports.derived_measures import DERIVED, derived_measures
from nonocensus.reports.joined_columns import GRADED, finished, with_sources
from nonocensus.reports.report_page import write_report
from nonocensus.reports.row_counts import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.solver.api import classify
from nonocensus.solver.model.measures import IN_RESULTS, MEASURES, Computed, Measure, Place
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import PUZZLES, RESULTS, puzzle_batch
from nonocensus.solver.people.puzzle_grade import grades


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
    found = finished(pa.Table.from_batches([some.grades]))
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
    shown = take_census(pairs, grades=finished(pa.Table.from_batches([some.grades]))).shown
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
