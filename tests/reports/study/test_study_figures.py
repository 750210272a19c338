"""What a report says of a study: counts, shares, levels, and the attempts beside the measures."""

import io
import json
import math
from collections import defaultdict
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from players import Person
from playing import attempted, material, measured, played, studied

from reports.batch import RATED, STUDIED_FIELDS
from reports.page import ATTEMPTS_FILE, write_report
from reports.ratings import FEW
from reports.study import relations
from reports.study.attempts import Studied, attempts_of
from reports.study.figures import attempts_beside, study_figures, wilson
from reports.study.tables import ATTEMPTS, SOLVED

PEOPLE = [Person(speed=1 + k, knows=7 + k % 8, slips=0.1, rests=0.02, leaves=0.002) for k in range(10)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws of the bootstrap."""
    monkeypatch.setattr(relations, "REPLICATES", 20)


def small_study() -> Studied:
    these = material()
    moves, _ = played(these, PEOPLE, 14, 4)
    return studied(these.puzzles, attempts_of(moves, these.puzzles))


def reported(study: Studied | None, graded: bool = True, public: bool = False) -> dict[str, bytes]:
    these = material()
    grades = {"grades": these.grades} if graded else {}
    return write_report([(these.results, these.puzzles)], public=public, studied=study, **grades)


def by_level(attempts: list[dict[str, Any]], levels: dict[str, Any]) -> dict[Any, list[dict[str, Any]]]:
    grouped = defaultdict(list)
    for row in attempts:
        grouped[levels[row["puzzle_id"]]].append(row)
    return grouped


def test_levels_are_grades_counted_one_by_one() -> None:
    study, table = small_study(), measured(material())
    figures = study_figures(study, table)
    grades = dict(zip(table["puzzle_id"].to_pylist(), table["grade"].to_pylist(), strict=True))
    grouped = by_level(study.attempts.to_pylist(), grades)
    assert [level.name for level in figures.levels] == [str(grade) for grade in sorted(set(grades.values()))]
    for level in figures.levels:
        rows = grouped[int(level.name)]
        times = [row["active_seconds"] for row in rows if row["outcome"] == SOLVED]
        assert level.puzzles == list(grades.values()).count(int(level.name))
        assert (level.attempts, level.solved) == (len(rows), len(times))
        assert level.seconds == (pytest.approx(median(times)) if times else None)
        assert level.unsolved is not None
        assert level.unsolved.value == pytest.approx(1 - len(times) / len(rows))
        assert level.errors == pytest.approx(sum(r["errors"] for r in rows) / sum(r["cells_set"] for r in rows))
    assert sum(figures.outcomes.values()) == figures.attempts == len(study.attempts) == 140
    assert (figures.people, figures.puzzles, figures.graded) == (10, 30, True)
    assert len({level.unsolved and level.unsolved.value for level in figures.levels}) > 1


def test_without_grades_levels_are_classes_of_difficulty() -> None:
    study, table = small_study(), measured(material(), graded=False)
    figures = study_figures(study, table)
    assert not figures.graded
    assert sum(level.puzzles for level in figures.levels) == 30
    names = [level.name for level in figures.levels]
    values = table["difficulty"].to_pylist()
    for level in figures.levels:
        low, high = map(float, level.name.split("–"))
        assert level.puzzles == sum(low <= value < high for value in values)
    assert len(names) > 2
    assert {one.measure for one in figures.relations}.isdisjoint({"grade", "work"})


def test_puzzles_without_a_grade_are_a_level_of_their_own() -> None:
    table = measured(material())
    some = [None if k < 3 else grade for k, grade in enumerate(table["grade"].to_pylist())]
    place = table.schema.get_field_index("grade")
    table = table.set_column(place, table.schema.field(place), pa.array(some, pa.uint8()))
    attempts = attempted(material().puzzles.slice(5, 12), np.full((2, 12), 30.0))
    levels = study_figures(studied(material().puzzles, attempts), table).levels
    assert (levels[-1].name, levels[-1].puzzles, levels[-1].attempts) == ("none", 3, 0)
    assert (levels[-1].seconds, levels[-1].unsolved, levels[-1].errors) == (None, None, None)


@pytest.mark.parametrize(("part", "whole"), [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (250, 1000)])
def test_wilson_s_interval_has_the_shares_that_a_test_would_not_refuse(part: int, whole: int) -> None:
    found = wilson(part, whole)
    shares = np.linspace(0, 1, 200_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(part / whole - shares) / np.sqrt(shares * (1 - shares) / whole)
    accepted = shares[(z <= 1.959964) | (shares == part / whole)]
    assert found.value == part / whole
    assert (found.low, found.high) == (pytest.approx(accepted.min(), abs=1e-5), pytest.approx(accepted.max(), abs=1e-5))


def test_each_attempt_has_the_measures_of_its_puzzle_beside_it() -> None:
    study, table = small_study(), measured(material())
    beside = attempts_beside(study, table)
    assert beside.column_names == [*ATTEMPTS.names, *STUDIED_FIELDS[2:]]
    assert beside.select(ATTEMPTS.names) == study.attempts
    measures = {row["puzzle_id"]: row for row in table.to_pylist()}
    for row in beside.to_pylist():
        assert {name: row[name] for name in RATED} == {name: measures[row["puzzle_id"]][name] for name in RATED}


def test_the_order_of_the_measures_does_not_matter() -> None:
    study, table = small_study(), measured(material())
    back = table.take(pa.array(np.arange(len(table))[::-1]))
    ahead, turned = (study_figures(study, rows) for rows in (table, back))
    assert (ahead.levels, ahead.outcomes) == (turned.levels, turned.outcomes)
    for one, other in zip(ahead.tried, turned.tried, strict=True):
        assert one == pytest.approx(other)


@pytest.mark.slow
def test_reports_have_the_section_and_the_attempts() -> None:
    study = small_study()
    report = reported(study)
    page, text, figures = (report[f"report.{kind}"].decode() for kind in ("html", "md", "json"))
    told = json.loads(figures)["figures"]["study"]
    assert told["attempts"] == 140
    assert {one["of"] for one in told["relations"]} == {"solving time", "errors", "not solved"}
    for made in (page, text):
        assert "Solved by people" in made
        assert "10 people tried 30 of 30 puzzles" in made
        assert "Too few" not in made
    assert 'href="#study"' in page
    assert {"report-solving.svg", "report-relations.svg"} <= report.keys()
    beside = pq.read_table(io.BytesIO(report[ATTEMPTS_FILE]))
    assert beside.equals(attempts_beside(study, measured(material())))
    assert beside.schema.field("active_seconds").metadata == ATTEMPTS.field("active_seconds").metadata


def test_a_run_without_grades_has_a_chart_by_difficulty() -> None:
    report = reported(small_study(), graded=False)
    assert "by its difficulty" in report["report.html"].decode()
    assert "| Difficulty | Puzzles |" in report["report.md"].decode()


@pytest.mark.slow
def test_a_public_report_has_all_attempts_and_nobody_s_content() -> None:
    """The puzzles of this study are nobody's; what a report withholds is none of the columns."""
    study = small_study()
    assert reported(study, public=True)[ATTEMPTS_FILE] == reported(study)[ATTEMPTS_FILE]


def test_a_study_that_nobody_has_ended_an_attempt_of_says_so() -> None:
    report = reported(studied(material().puzzles, ATTEMPTS.empty_table()))
    for kind in ("html", "md"):
        assert "The study has 30 puzzles, and no attempt that has ended." in report[f"report.{kind}"].decode()
    assert pq.read_table(io.BytesIO(report[ATTEMPTS_FILE])).num_rows == 0
    assert "report-solving.svg" not in report


def test_few_puzzles_say_that_they_are_too_few() -> None:
    puzzles = material().puzzles.slice(0, FEW - 2)
    times = np.full((2, len(puzzles)), 20.0)
    times[:, 0] = math.inf
    report = reported(studied(puzzles, attempted(puzzles, times)))
    for kind in ("html", "md"):
        made = report[f"report.{kind}"].decode()
        assert "a correlation needs 10. Known so far: solving time of 7, errors of 8, not solved of 8." in made
    assert "report-relations.svg" not in report


def test_a_report_without_a_study_says_nothing_of_one() -> None:
    report = reported(None)
    assert ATTEMPTS_FILE not in report
    assert json.loads(report["report.json"])["figures"]["study"] is None
    assert "Solved by people" not in report["report.html"].decode() + report["report.md"].decode()


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes() -> None:
    assert reported(small_study()) == reported(small_study())
