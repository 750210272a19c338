"""Times, dates, ratings and links of sites; values that cannot be right are logged and unknown."""

import json
from datetime import date

import pytest

from nonocensus.scrapers.formats import jsonl
from nonocensus.scrapers.formats.site_properties import origin_of, parse_date, parse_rating, parse_time
from nonocensus.solver.model.puzzle import Puzzle


def read(**fields: object) -> Puzzle:
    (puzzle,) = jsonl.read(json.dumps({"rows": [[1]], "columns": [[[1, 1]]], **fields}).encode())
    assert puzzle.rows == puzzle.columns
    return puzzle


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:02:08", 128.0), ("2:08", 128.0), ("15:42:20", 56540.0), ("168:00:00", 604800.0)],
)
def test_times(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["0:00:00", "168:00:01", "9999:00:00", "two hours", "", "-1:00", "1:2:3:4"])
def test_impossible_times_are_logged_and_unknown(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert parse_time(text) is None
    assert "ignored" in caplog.text


@pytest.mark.parametrize("text", ["11/17/12", "Nov 17, 2012", "Nov  17, 2012", "2012-11-17"])
def test_dates(text: str) -> None:
    assert parse_date(text) == date(2012, 11, 17)


@pytest.mark.parametrize("text", ["17 novembre 2012", "31/12/12", ""])
def test_dates_in_other_notations_are_logged_and_unknown(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert parse_date(text) is None
    assert "ignored" in caplog.text


@pytest.mark.parametrize(
    ("source", "column", "text", "value"),
    [
        ("webpbn", "site_difficulty", "4.25", 4.25),
        ("webpbn", "site_difficulty", "5.5", None),
        ("webpbn", "site_quality", "0", None),
        ("griddlers", "site_quality", "83.33", 83.33),
        ("griddlers", "site_quality", "101", None),
        ("nonograms", "site_quality", "10", 10.0),
        ("other", "site_quality", "-7", -7.0),
        (None, "site_quality", "inf", None),
        (None, "site_quality", "nan", None),
        ("webpbn", "site_difficulty", "schwer", None),
    ],
)
def test_ratings_outside_the_scale_of_their_site_are_unknown(
    source: str | None, column: str, text: str, value: float | None
) -> None:
    assert parse_rating(source, column, text) == value


def test_json_lines_of_griddlers_have_seconds_in_site_difficulty() -> None:
    puzzle = read(source="griddlers", puzzle_id="griddlers/1", site_difficulty=210.0, site_quality=61.38)
    assert (puzzle.site_seconds, puzzle.site_difficulty, puzzle.site_quality) == (210.0, None, 61.38)
    stars = read(source="webpbn", site_difficulty=3.5)
    assert (stars.site_seconds, stars.site_difficulty) == (None, 3.5)


def test_authors_of_webpbn_have_no_empty_brackets() -> None:
    assert [read(source="webpbn", author=given).author for given in ("Ann ()", "Ann (an)", " ()")] == [
        "Ann",
        "Ann (an)",
        None,
    ]
    assert read(author="Ann ()").author == "Ann ()"


def test_impossible_values_of_json_lines_are_unknown(caplog: pytest.LogCaptureFixture) -> None:
    puzzle = read(source="griddlers", site_difficulty=0.0, site_quality=900.0)
    assert (puzzle.site_seconds, puzzle.site_difficulty, puzzle.site_quality) == (None, None, None)
    assert read(source="webpbn", site_seconds=604801.0, site_difficulty=55.0).site_difficulty is None
    assert caplog.text.count("ignored") == 4


def test_links() -> None:
    assert origin_of("https://webpbn.com/play.cgi?id=0042").puzzle_id == "webpbn/42"  # type: ignore[union-attr]
    assert origin_of("https://www.griddlers.net/nonogram/-/g/7").source == "griddlers"  # type: ignore[union-attr]
    for link in ("", "https://example.org/g/7", "javascript:alert(1)", "https://webpbn.com.evil/play.cgi?id=1"):
        assert origin_of(link) is None
