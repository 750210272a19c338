"""Numbers, shares, durations, ratings, labels and difficulty for people, as people read them."""

import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import groupby
from math import floor
from typing import Any

from nonocensus.solver.model.measures import MEASURES

MEANINGS = {
    "trivial unique line": "one solution, by line logic, with no more line solves than the puzzle has lines",
    "unique line": "one solution, found by line logic alone",
    "unique depth-2": "one solution, found by assumptions followed two levels deep",
    "unique": "one solution, found by deeper assumptions or by search",
    "multiple": "at least two solutions",
    "contradiction": "no solution: the clues contradict each other",
    "solvable": "a solution; whether it is the only one is not known",
    "stalled": "line logic leaves cells open, and nothing stronger decided the puzzle",
    "timeout": "no answer within the time limit",
    "invalid": "clues that no picture can have, seen before any solving",
    "error": "the solver failed on it",
    "killed": "it took its worker down",
}
"""Meanings of labels, and of the statuses that replace a missing one."""

RUNG_MEANINGS = {
    "line": "line logic, to its fixpoint",
    "depth-2": "assumptions followed two levels of lines deep",
    "probe": "assumptions followed to the end",
    "search": "anything more: branching, clause learning",
    "several solutions": "no technique makes a puzzle with several solutions unique",
    "no solution": "the clues contradict each other",
    "undecided": "no proof either way",
}
"""Meanings of rungs, and of the words for puzzles without one."""

MEASURE_NAMES = {measure.name: measure.label for measure in MEASURES}
"""Labels of the measures of difficulty by name."""


def measure_name(name: str, source: str | None) -> str:
    """Return the label of a measure, of ratings with their site."""
    return MEASURE_NAMES[name] + (f", {source}" if source and name.startswith("site_") else "")


DASH = "–"
NO_BREAK = "\u00a0"
UNITS = (
    ("µs", 1e-6, 0.9995e-3),
    ("ms", 1e-3, 0.9995),
    ("s", 1.0, 120.0),
    ("min", 60.0, 7200.0),
    ("h", 3600.0, float("inf")),
)
"""Units of time: name, seconds, and the duration in seconds from which the next unit is used."""


LOCAL = "local/"
"""What an id begins with that is a file's name."""


def title_words(title: str | None, puzzle_id: str | None) -> str:
    """Return a title, or else the id, of a file its name; empty without both."""
    return title or (puzzle_id or "").removeprefix(LOCAL)


def number(value: int | None) -> str:
    """Format 6746 as "6,746", None as a dash."""
    return DASH if value is None else f"{value:,}"


def count_text(count: int, noun: str) -> str:
    """Format a count of things with a regular plural: 1 puzzle, 2,000 puzzles."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words: `a, b and c`."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def by_number(noun: str, numbers: Sequence[int]) -> str:
    """Name things by rising numbers, three or more in a row as one: `rows 1, 3 and 7 to 9`."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    words = [
        word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(one) for one in run])
    ]
    return f"{noun}{'s' * (len(numbers) > 1)} {join_words(words)}"


def share(part: float, whole: float = 1) -> str:
    """Format a part of a whole as "79.8 %"; only none and all are shown as 0 and 100."""
    if not whole:
        return DASH
    percent = 100 * part / whole
    if 0 < percent < 0.05:
        return f"<{NO_BREAK}0.1{NO_BREAK}%"
    if 99.95 <= percent < 100:
        return f">{NO_BREAK}99.9{NO_BREAK}%"
    return f"{fixed(percent, 1)}{NO_BREAK}%" if percent < 100 else f"100{NO_BREAK}%"


def seconds(value: float | None) -> str:
    """Format a duration in three digits and a suitable unit: "12.3 µs", "1.50 h"."""
    if value is None:
        return DASH
    if value == 0:
        return f"0{NO_BREAK}s"
    unit, size = next((unit, size) for unit, size, most in UNITS if value < most)
    scaled = value / size
    decimals = 0 if scaled >= 99.95 else 1 if scaled >= 9.995 else 2
    return f"{fixed(scaled, decimals)}{NO_BREAK}{unit}"


def fixed(value: float, decimals: int) -> str:
    """Format a number with decimals, halves away from zero, as pages' scripts do; f-strings round halves to even."""
    return f"{Decimal(float(value)).quantize(Decimal((0, (1,), -decimals)), ROUND_HALF_UP):,}"


def rating(value: float, column: str) -> str:
    """Format a site's rating, "3.75", or a solving time, "15 h 42 min", by its column."""
    return solving_time(value) if column == "site_seconds" else fixed(value, 2).rstrip("0").rstrip(".")


def solving_time(value: float) -> str:
    """Format the time that a person takes, in seconds: "15 h 42 min", "2 min 8 s"."""
    whole = floor(value + 0.5) if value < 2 * 3600 else 60 * floor(value / 60 + 0.5)
    parts = ((whole // 3600, "h"), (whole // 60 % 60, "min"), (whole % 60, "s"))
    return NO_BREAK.join(f"{count:,}{NO_BREAK}{unit}" for count, unit in parts if count) or f"0{NO_BREAK}s"


def difficulty(value: float | None) -> str:
    """Format the combined score with two decimals."""
    return DASH if value is None else fixed(value, 2)


def bucket(start: float, stop: float | None) -> str:
    """Format a time class of the survey: "< 0.1 s", "0.1–0.2 s", "≥ 120 s"."""
    if stop is None:
        words = f"≥ {start:g} s"
    elif start:
        words = f"{start:g}–{stop:g} s"
    else:
        words = f"< {stop:g} s"
    return words.replace(" ", NO_BREAK)


COLORS = {
    "trivial unique line": "#5fb8a0",
    "unique line": "#1c8a74",
    "unique depth-2": "#3f83d6",
    "unique": "#7c60cf",
    "multiple": "#d38b1c",
    "contradiction": "#c4528f",
    "solvable": "#6f94ac",
    "stalled": "#9a7b5c",
    "timeout": "#d24f45",
    "invalid": "#848b96",
    "error": "#9c8186",
    "killed": "#767d87",
}
"""Colours of labels, visible on white and on black."""

OTHER_COLOR = "#8a9099"


def label_color(label: str) -> str:
    """Return the colour of a label."""
    return COLORS.get(label, OTHER_COLOR)


DIGITS = re.compile(r"\d{1,18}")


def natural(word: str) -> str:
    """Return a natural sort key: "a 9" comes before "A 10". Text is faster to compare than lists of its pieces."""
    return DIGITS.sub(lambda digits: f"\0{int(digits[0]):018}", word.casefold())


MINUTE_UNITS = (("second", "s", 1 / 60, 1.0), ("minute", "min", 1.0, 120.0), ("hour", "h", 60.0, float("inf")))
"""Units of time: name, sign, minutes, and minutes from which the next unit is used."""

TWO_DIGITS = Context(prec=2, rounding=ROUND_HALF_UP)

GRADING = "Grades 1 to 5 are techniques on a single line, 6 to 9 assumptions that lead to a contradiction."

TIMING = (
    "The estimate counts what a person sees on the way to the solution, and is fitted to the times of regulars of "
    "griddlers.net; for 80 % of puzzles their time is from about 20 % below it to 25 % above. In a study beginners "
    "took four times as long. Puzzles beyond line logic have no known times: they are assumed to take as long as "
    "others that are rated as hard, and no times confirm their intervals, up to 30 % below and 42 % above. Puzzles "
    "that need search, have blots, or are larger than any with known times have no estimate."
)

REGULARS = "regulars of griddlers.net (beginners may take four times as long)"
"""The people whose times the minutes are fitted to, said wherever the minutes of a puzzle are."""

WITHOUT_GRADE = {
    "multiple": "it has several solutions",
    "none": "it has no solution",
    "unknown": "it is not known to have one solution only",
}
"""Why a puzzle has neither grade nor minutes, by the column `solutions`."""


def time_words(minutes: float, low: float, high: float) -> str:
    """Return an estimate and its interval in a suitable unit: "about 7 minutes (likely 5 to 10)"."""
    unit, _, size, _ = next(one for one in MINUTE_UNITS if minutes < one[3])
    about, first, last = (_round(value / size) for value in (minutes, low, high))
    return f"about {about} {unit}{'' if about == '1' else 's'} (likely {first} to {last})"


def minutes_text(minutes: float) -> str:
    """Return minutes in a suitable unit: "50 s", "7 min", "4.5 h"."""
    _, sign, size, _ = next(one for one in MINUTE_UNITS if minutes < one[3])
    return f"{_round(minutes / size)}{NO_BREAK}{sign}"


def validated_words(one: Any, figure: str) -> str:
    """Return a figure of a correlation's cross-validation by kind: "0.9500 (mono), 0.9330 (colour)", or ""."""
    kinds = {"mono": "mono", "color": "colour"}
    return ", ".join(f"{getattr(found, figure):.4f} ({kinds[kind]})" for kind, found in one.validated.items())


def estimate_text(value: float, measure: str) -> str:
    """Format minutes, stars or the combined score, by the name of the measure."""
    return minutes_text(value) if measure == "minutes" else fixed(value, 1 if measure == "stars" else 2)


def _round(value: float) -> str:
    """Return two significant digits, as a fraction only below 3; halves up."""
    has_fraction_or_zeros = value < 2.95 or value >= 99.5
    return f"{float(TWO_DIGITS.create_decimal(value)) if has_fraction_or_zeros else floor(value + 0.5):,g}"


def difficulty_words(grading: dict[str, Any]) -> str:
    """Return how long and for whom, how hard, by which technique, of a row of grades; a reason for what is missing."""
    if grading["grade"] is None:
        return "no grade within the time limit"
    graded = f"grade {grading['grade']}: {grading['hardest']}"
    if grading["minutes"] is None:
        known = "puzzles that need no search" if grading["hardest"] == "search" else "smaller puzzles, without blots"
        return f"{graded}; no minutes: people's times are known only for {known}"
    words = f"{time_words(grading['minutes'], grading['minutes_low'], grading['minutes_high'])} for {REGULARS}"
    stars = grading["stars"]
    return ", ".join([words, *([] if stars is None else [f"{fixed(stars, 1)} stars of 5"]), graded])


def clue_text(clue: Iterable[tuple[int, int]], colors: Sequence[str]) -> str:
    """Format a clue's blocks, (length, palette entry) each: 3 1, with several colours 3 red 1 blue, without blocks 0.

    colors   names of the palette's entries
    """
    texts = (f"{length} {colors[color]}" if len(colors) > 2 else str(length) for length, color in clue)
    return " ".join(texts) or "0"
