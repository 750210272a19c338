"""Difficulty for people in words."""

from typing import Any

import pytest

from nonocensus.reports.people_words import difficulty_words, estimate_text, minutes_text, time_words


@pytest.mark.parametrize(
    ("minutes", "low", "high", "words"),
    [
        (0.031, 0.025, 0.04, "about 1.9 seconds (1.5 to 2.4)"),
        (0.93, 0.76, 1.19, "about 56 seconds (46 to 71)"),
        (1.0, 0.8, 1.25, "about 1 minute (0.8 to 1.2)"),
        (6.57, 5.23, 8.19, "about 7 minutes (5 to 8)"),
        (57.8, 46.8, 71.1, "about 58 minutes (47 to 71)"),
        (119.9, 99.0, 149.0, "about 120 minutes (99 to 150)"),
        (526.8, 372.5, 738.9, "about 9 hours (6 to 12)"),
    ],
)
def test_times_are_in_a_suitable_unit(minutes: float, low: float, high: float, words: str) -> None:
    assert time_words(minutes, low, high) == words


def test_values_in_tables() -> None:
    assert [minutes_text(value) for value in (0.5, 7.2, 150)] == ["30\u00a0s", "7\u00a0min", "2.5\u00a0h"]
    assert (estimate_text(2.34, "stars"), estimate_text(0.456, "difficulty")) == ("2.3", "0.46")
    assert estimate_text(7.2, "minutes") == "7\u00a0min"


TIMED = {"minutes": 6.57, "minutes_low": 5.23, "minutes_high": 8.19}
UNTIMED = dict.fromkeys(TIMED)


@pytest.mark.parametrize(
    ("grading", "words"),
    [
        (
            {"grade": 3, "hardest": "forcing", "stars": 1.78, **TIMED},
            "about 7 minutes (5 to 8), 1.8 stars of 5, grade 3: forcing",
        ),
        ({"grade": 1, "hardest": "overlap", "stars": None, **TIMED}, "about 7 minutes (5 to 8), grade 1: overlap"),
        (
            {"grade": 9, "hardest": "search", "stars": None, **UNTIMED},
            "grade 9: search; no minutes: people's times are known only for puzzles that need no search",
        ),
        (
            {"grade": 3, "hardest": "forcing", "stars": None, **UNTIMED},
            "grade 3: forcing; no minutes: people's times are known only for smaller puzzles, without blots",
        ),
        ({"grade": None}, "no grade within the time limit"),
    ],
)
def test_difficulty_in_words(grading: dict[str, Any], words: str) -> None:
    assert difficulty_words(grading) == words
