"""Difficulty for people in words: "about 7 minutes (5 to 10), 1.8 stars of 5, grade 3: forcing"."""

from typing import Any

from nonocensus.reports.formatting import NO_BREAK

UNITS = (("second", 1 / 60, 1.0), ("minute", 1.0, 120.0), ("hour", 60.0, float("inf")))
"""Units of time: name, minutes, and minutes from which the next unit is used."""

SHORT = {"second": "s", "minute": "min", "hour": "h"}

GRADING = "Grades 1 to 5 are techniques on a single line, 6 to 9 assumptions that lead to a contradiction."

TIMING = (
    "The estimate counts what a person sees on the way to the solution, and is fitted to the times of "
    "griddlers.net's visitors; 80 % of puzzles lie within a fifth to a quarter of it. Puzzles that need search, have "
    "blots, or are larger than any with known times have none."
)

WITHOUT_GRADE = {
    "multiple": "it has several solutions",
    "none": "it has no solution",
    "unknown": "it is not known to have one solution only",
}
"""Why a puzzle has neither grade nor minutes, by the column `solutions`."""


def time_words(minutes: float, low: float, high: float) -> str:
    """Return an estimate and its interval in a suitable unit: "about 7 minutes (5 to 10)"."""
    unit, size, _ = next(one for one in UNITS if minutes < one[2])
    about, first, last = (_rounded(value / size) for value in (minutes, low, high))
    return f"about {about} {unit}{'' if about == '1' else 's'} ({first} to {last})"


def minutes_text(minutes: float) -> str:
    """Return minutes in a suitable unit: "50 s", "7 min", "4.5 h"."""
    unit, size, _ = next(one for one in UNITS if minutes < one[2])
    return f"{_rounded(minutes / size)}{NO_BREAK}{SHORT[unit]}"


def estimate_text(value: float, measure: str) -> str:
    """Format minutes, stars or the combined score, by the name of the measure."""
    return minutes_text(value) if measure == "minutes" else f"{value:.{1 if measure == 'stars' else 2}f}"


def _rounded(value: float) -> str:
    """Return two significant digits, as a fraction only below 3."""
    return f"{value:.2g}" if value < 2.95 else f"{float(f'{value:.2g}'):.0f}"


def difficulty_words(grading: dict[str, Any]) -> str:
    """Return how long, how hard, and by which technique, of a row of grades; a reason for what is missing."""
    if grading["grade"] is None:
        return "no grade within the time limit"
    graded = f"grade {grading['grade']}: {grading['hardest']}"
    if grading["minutes"] is None:
        return f"{graded}; no minutes: {missing_minutes(grading)}"
    words = time_words(grading["minutes"], grading["minutes_low"], grading["minutes_high"])
    stars = grading["stars"]
    return ", ".join([words, *([] if stars is None else [f"{stars:.1f} stars of 5"]), graded])


def missing_minutes(grading: dict[str, Any]) -> str:
    """Say why a graded puzzle has no minutes."""
    if grading["hardest"] == "search":
        return "people's times are known only for puzzles that need no search"
    return "people's times are known only for smaller puzzles, without blots"
