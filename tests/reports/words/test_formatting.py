"""Figures in words, as people read them; test_payload.py holds the pages' scripts to the same words."""

from collections.abc import Callable
from typing import Any

import pytest

from nonocensus.reports.words.formatting import (
    NO_BREAK,
    REGULARS,
    bucket,
    by_number,
    count_text,
    difficulty_words,
    estimate_text,
    minutes_text,
    rating,
    seconds,
    share,
    time_words,
)

TIMED = {"minutes": 6.57, "minutes_low": 5.23, "minutes_high": 8.19}
UNTIMED = dict.fromkeys(TIMED)

WORDS: dict[Callable[..., str], dict[tuple[Any, ...], str]] = {
    seconds: {
        (None,): "–",
        (0.0,): "0 s",
        (1.234e-7,): "0.12 µs",
        (1.234e-5,): "12.3 µs",
        (0.00456,): "4.56 ms",
        (0.5,): "500 ms",
        (0.99996,): "1.00 s",
        (0.0009999,): "1.00 ms",
        (1.0,): "1.00 s",
        (60.01,): "60.0 s",
        (119.99,): "120 s",
        (123.0,): "2.05 min",
        (7200.0,): "2.00 h",
        (3.6e7,): "10,000 h",
    },
    share: {
        (0, 0): "–",
        (0, 5): "0.0 %",
        (5, 5): "100 %",
        (1, 10_000): "< 0.1 %",
        (9_999, 10_000): "> 99.9 %",
        (5384, 6746): "79.8 %",
    },
    bucket: {(0.0, 0.1): "< 0.1 s", (0.1, 0.2): "0.1–0.2 s", (120.0, None): "≥ 120 s"},
    rating: {
        (56540.0, "site_seconds"): "15 h 42 min",
        (7199.0, "site_seconds"): "1 h 59 min 59 s",
        (270.0, "site_seconds"): "4 min 30 s",
        (59.6, "site_seconds"): "1 min",
        (3600.0, "site_seconds"): "1 h",
        (3.75, "site_difficulty"): "3.75",
        (2.0, "site_difficulty"): "2",
        (75.89, "site_quality"): "75.89",
    },
    lambda *numbers: by_number("row", numbers): {(2,): "row 2", (1, 3, 4, 7, 8, 9): "rows 1, 3, 4 and 7 to 9"},
    count_text: {(0, "row"): "0 rows", (1, "row"): "1 row", (2_000, "row"): "2,000 rows"},
    minutes_text: {(0.5,): "30 s", (7.2,): "7 min", (150,): "2.5 h"},
    estimate_text: {(7.2, "minutes"): "7 min", (2.34, "stars"): "2.3", (0.456, "difficulty"): "0.46"},
    time_words: {
        (0.031, 0.025, 0.04): "about 1.9 seconds (likely 1.5 to 2.4)",
        (0.93, 0.76, 1.19): "about 56 seconds (likely 46 to 71)",
        (1.0, 0.8, 1.25): "about 1 minute (likely 0.8 to 1.3)",
        (6.57, 5.23, 8.19): "about 7 minutes (likely 5 to 8)",
        (57.8, 46.8, 71.1): "about 58 minutes (likely 47 to 71)",
        (119.9, 99.0, 149.0): "about 120 minutes (likely 99 to 150)",
        (526.8, 372.5, 738.9): "about 9 hours (likely 6 to 12)",
    },
}


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [(function, *case) for function, cases in WORDS.items() for case in cases.items()],
)
def test_figures_are_in_a_suitable_unit(function: Callable[..., str], arguments: tuple[Any, ...], words: str) -> None:
    assert function(*arguments).replace(NO_BREAK, " ") == words


@pytest.mark.parametrize(
    ("grading", "words"),
    [
        (
            {"grade": 3, "hardest": "forcing", "stars": 1.78, **TIMED},
            f"about 7 minutes (likely 5 to 8) for {REGULARS}, 1.8 stars of 5, grade 3: forcing",
        ),
        (
            {"grade": 1, "hardest": "overlap", "stars": None, **TIMED},
            f"about 7 minutes (likely 5 to 8) for {REGULARS}, grade 1: overlap",
        ),
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
