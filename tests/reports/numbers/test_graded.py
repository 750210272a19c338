"""Grades and other columns joined to results by id and clues, counted, and held against other measures."""

import pyarrow as pa
import pytest
from browsable import graded
from census_figures import PAIRS
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.reports.numbers import census
from nonocensus.reports.numbers.aggregate import figures, figures_of
from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.joined_columns import GRADED, SHARED, Grade, by_grade, with_grade
from nonocensus.solver.model.keyed_rows import KEY, first_bits, index_rows, join_columns
from nonocensus.solver.model.tables import GRADES, RESULTS

ROWS = [
    {"puzzle_id": "a", "clue_hash": "1", "status": "ok", "grade": 3, "hardest": "forcing", "work": 2.0},
    {"puzzle_id": "a", "clue_hash": "2", "status": "ok", "grade": 1, "hardest": "clue", "work": 0.5},
    {"puzzle_id": "b", "clue_hash": "1", "status": "timeout", "looks": 7, "work": 0.1},
]
FOUND = pa.Table.from_pylist(ROWS, GRADES)


def results(*keys: tuple[str | None, str | None]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"puzzle_id": name, "clue_hash": clues} for name, clues in keys], RESULTS)


def test_a_grade_belongs_to_an_id_and_its_clues() -> None:
    found = results(("a", "2"), ("b", "2"), ("a", "1"), (None, "1"), ("a", None), ("b", "1"))
    rows = join_columns(found, index_rows(FOUND), SHARED)
    assert rows.schema == SHARED
    assert rows["hardest"].to_pylist() == ["clue", None, "forcing", None, None, None]
    assert join_columns(results(("b", "1")), index_rows(with_grade(FOUND)), GRADED)["looks"].to_pylist() == [None]


def test_every_measure_has_a_source() -> None:
    others = {"puzzle_id", "clue_hash", "status", "cpu_seconds", "solver_version"}
    assert {*GRADES.names} - {*GRADED.names} == others
    assert all(field.metadata[b"source"] for field in GRADED)


def test_puzzles_by_grade() -> None:
    counts = {"edge": 2, "glue": 1, "overlap": 5, "spaces": 3, "clue": 0}
    made = by_grade(counts.items())
    assert made == (Grade(1, {"overlap": 5}), Grade(2, {"glue": 1, "spaces": 3}), Grade(6, {"edge": 2}))
    assert [grade.puzzles for grade in made] == [5, 4, 2]


def test_figures_have_none_without_grades() -> None:
    assert figures(PAIRS).grades is None


def test_correlations_are_of_the_puzzles_with_a_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, grades = graded(120)
    found = figures_of(take_census(pairs, grades=grades)).grades
    assert found is not None
    assert (found.graded, found.compared) == (len(grades), len(grades))
    ranked = {(one.of, one.measure): one for one in found.agreements}
    assert {("grade", "work"), ("minutes", "grade")} < ranked.keys()
    assert not {("grade", "minutes"), ("minutes", "minutes"), ("grade", "grade")} & ranked.keys()
    estimated = len(grades) - grades["minutes"].null_count
    counts = {pair: estimated if {*pair} & {"minutes", "stars"} else len(grades) for pair in ranked}
    assert {pair: one.puzzles for pair, one in ranked.items()} == counts
    assert ranked["minutes", "nodes"].rho == 1  # both are made of the puzzle's number
    monkeypatch.setattr(census, "COMPARED", 50)
    fewer = figures_of(take_census([(results.slice(k, 40), puzzles.slice(k, 40)) for results, puzzles in pairs
                                    for k in range(0, len(results), 40)], grades=grades)).grades  # fmt: skip
    assert fewer is not None
    assert (fewer.graded, fewer.grades) == (len(grades), found.grades)
    assert 30 < fewer.compared < 50  # those of 50 puzzles drawn at random that have a grade
    counts = {one.puzzles for one in fewer.agreements if not {one.of, one.measure} & {"minutes", "stars"}}
    assert counts == {fewer.compared}


COLUMNS = pa.schema([("grade", pa.uint8()), ("hardest", pa.string())])
SCHEMA = pa.schema([*((name, pa.string()) for name in KEY), *COLUMNS])
HASHES = st.none() | st.text("0123456789abcdef", max_size=40)


@given(st.lists(HASHES), st.integers(0, 3))
def test_first_bits(hashes: list[str | None], skipped: int) -> None:
    wanted = [int(digits[:16], 16) if digits and len(digits) >= 16 else 0 for digits in hashes]
    assert first_bits(pa.array(hashes, pa.string())[skipped:]).tolist() == wanted[skipped:]


KEYS = st.lists(st.tuples(st.sampled_from(["a/1", "a/2", None]), st.sampled_from(["0" * 32, "f" * 32, None])))


@given(KEYS, KEYS)
def test_each_row_has_the_first_that_was_found_of_it(rows: list[tuple[str, str]], found: list[tuple[str, str]]) -> None:
    made = [dict(zip(KEY, key, strict=True)) | {"grade": k, "hardest": f"no. {k}"} for k, key in enumerate(found)]
    results = pa.RecordBatch.from_pylist([dict(zip(KEY, key, strict=True)) for key in rows], schema=SCHEMA)
    columns = join_columns(results, index_rows(pa.Table.from_pylist(made, SCHEMA)), COLUMNS)
    assert columns.schema == COLUMNS
    for key, row in zip(rows, columns.to_pylist(), strict=True):
        k = found.index(key) if key in found and None not in key else None
        assert row == {"grade": k, "hardest": None if k is None else f"no. {k}"}
