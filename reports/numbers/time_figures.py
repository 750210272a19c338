"""Histograms and quantiles of CPU times and difficulties of a census; published times of other solvers."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nonocensus.reports.numbers.census import FIRST_RUNG_DECADE, RUNG_BINS, Census
from nonocensus.reports.numbers.figures import (
    Figures,
    HistogramBin,
    RungTimes,
    ShareQuantiles,
    SizeQuantiles,
    StalledPuzzles,
    TimeClass,
    TimeSummary,
)
from nonocensus.reports.numbers.row_classes import AREAS_PER_DECADE
from nonocensus.reports.numbers.row_view import DIFFICULTY_BINS, MOST_BINS, RUNGS, SURVEY, sql_sum

FEWEST_BINS = 20

SHORTEST = 1e-6
"""Seconds that replace a time of zero on the logarithmic axis if no puzzle took longer."""


def stalled_puzzles(census: Census) -> StalledPuzzles:
    """Count the puzzles that line logic leaves open."""
    return StalledPuzzles(
        census.number("select count(decided) from stalled"), share_quantiles(census, "select decided from stalled")
    )


def share_quantiles(census: Census, shares: str) -> ShareQuantiles | None:
    """Return the quantiles of a query's one column, of shares from 0 to 1; None if all are unknown."""
    ((found,),) = census.rows(
        f"select quantile_cont(share, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]) from ({shares}) as _(share)"
    )
    return None if found is None else ShareQuantiles(*found)


def time_figures(census: Census, labels: Sequence[str]) -> dict[str, Any]:
    """Return the fields of Figures with CPU seconds of puzzles; they are empty if no time is known.

    The histogram has 5, 10 or 20 bins per decade, the fewest that give FEWEST_BINS.
    """
    known = "from numbers where seconds is not null"
    ((puzzles, total, quantiles, longest, shortest),) = census.rows(f"""
        select count(*), {sql_sum("seconds")}::double, quantile_cont(seconds, [0.5, 0.9, 0.99]),
            max(seconds), coalesce(min(seconds) filter (seconds > 0), {SHORTEST})
        {known}
    """)
    figures = dict.fromkeys(("histogram", "areas", "area_times"), ()) | {
        "times": None,
        "survey": _survey_classes(census),
    }
    if not puzzles:
        return figures
    decades = math.log10(max(longest, shortest)) - math.log10(shortest)
    per_decade = next((n for n in (5, 10) if n * decades >= FEWEST_BINS), MOST_BINS)
    first = math.floor(math.log10(shortest) * per_decade + 1e-9)
    place = f"coalesce(floor(time_bin / {MOST_BINS // per_decade})::integer, {first}) - {first}"
    areas = census.rows(f"""
        select area_bin, count(*), quantile_cont(seconds, [0.1, 0.5, 0.9, 0.99, 1])
        {known} and area_bin is not null group by all order by all
    """)
    area_of = {area: number for number, (area, *_) in enumerate(areas)}
    cells = census.rows(f"""
        select area_bin, {place} as place, sum(puzzles)::bigint
        from times where area_bin is not null group by all order by all
    """)
    return figures | {
        "times": TimeSummary._make((puzzles, total, total / puzzles, *quantiles, longest)),
        "histogram": _bins(
            census, f"select {place}, label, puzzles from times", labels, lambda k: _edge(first + k, per_decade)
        ),
        "areas": tuple(
            SizeQuantiles(_fewest_cells(area), _fewest_cells(area + 1), count, *found) for area, count, found in areas
        ),
        "area_times": tuple((area_of[area], column, count) for area, column, count in cells),
    }


def difficulty_histogram(census: Census, labels: Sequence[str]) -> tuple[HistogramBin, ...]:
    """Return the difficulties in bins of equal width, without holes."""
    bins = "select difficulty_bin, label, puzzles from difficulties"
    return _bins(census, bins, labels, lambda place: round(place / DIFFICULTY_BINS, 6))


def _bins(census: Census, query: str, labels: Sequence[str], edge: Callable[[int], float]) -> tuple[HistogramBin, ...]:
    """Return histogram bins without holes.

    query  of numbers of bins, labels and puzzles
    edge   returns the lower bound of a bin
    """
    counts: dict[int, dict[str, int]] = {}
    for place, label, puzzles in census.rows(
        f"select place, label, sum(puzzles)::bigint from ({query}) as _(place, label, puzzles) group by all"
    ):
        counts.setdefault(place, dict.fromkeys(labels, 0))[label] = puzzles
    empty = dict.fromkeys(labels, 0)
    return (
        tuple(
            HistogramBin(edge(place), edge(place + 1), sum(of_bin.values()), of_bin)
            for place in range(min(counts), max(counts) + 1)
            for of_bin in [counts.get(place, empty)]
        )
        if counts
        else ()
    )


def _edge(place: int, per_decade: int) -> float:
    return float(f"{math.pow(10, place / per_decade):.6g}")


def _survey_classes(census: Census) -> tuple[TimeClass, ...]:
    """Return the puzzles in the time classes of the survey."""
    sums = "sum(puzzles)::bigint, coalesce(sum(puzzles) filter (late), 0)::bigint"
    counts = {name: found for name, *found in census.rows(f"select survey_class, {sums} from times group by all")}
    return tuple(
        TimeClass(start, stop, *counts.get(str(place), (0, 0)))
        for place, (start, stop) in enumerate(zip(SURVEY, (*SURVEY[1:], None), strict=True))
    )


def rung_times(census: Census) -> tuple[RungTimes, ...]:
    """Return the times of the rungs that worked on any puzzle."""
    made = []
    for rung, column in RUNGS.items():
        bins = census.rows(
            f"select bin, sum(puzzles)::bigint from rungs where rung = '{column}' group by all order by all"
        )
        ((seconds,),) = census.rows(f"select sum(seconds)::double from rungs where rung = '{column}'")
        places = [(place + FIRST_RUNG_DECADE * RUNG_BINS, puzzles) for place, puzzles in bins]
        histogram = tuple((_edge(place, RUNG_BINS), _edge(place + 1, RUNG_BINS), puzzles) for place, puzzles in places)
        if bins:
            made.append(RungTimes(rung, sum(puzzles for _, puzzles in bins), seconds, histogram))
    return tuple(made)


def _fewest_cells(area: int) -> int:
    """Return the smallest number of cells of a class."""
    return math.ceil(10 ** (area / AREAS_PER_DECADE) - 1e-9)


class Published(NamedTuple):
    """Published times of a solver: puzzles in each time class of `Figures.survey`."""

    solver: str
    puzzles: str
    machine: str
    source: str
    counts: tuple[int, ...]


WEBPBN = (
    Published(
        "HoustonWeHaveABug/Nonogram (C)",
        "28,327 puzzles of webpbn.com, black-and-white and coloured, all by 10 November 2022, two solutions each",
        "i3-4150",
        "samples/webpbn_pub/results.txt of its repository",
        (28089, 68, 66, 28, 25, 12, 4, 2, 2, 31),
    ),
)

RANDOM = tuple(
    Published(solver, "5,000 random 30x30, half of the cells black (Wolter)", machine, source, counts)
    for solver, machine, source, counts in (
        (
            "FastNonogramSolver 2026 (C++)",
            "Xeon Gold 5416S",
            "results/ of hyouv/FastNonogramSolver",
            (4954, 17, 9, 8, 12, 0, 0, 0, 0, 0),
        ),
        ("JSolver (Java)", "Phenom II X4 810", "the survey", (4417, 313, 129, 40, 41, 26, 13, 4, 5, 12)),
        ("pbnsolve (C)", "Phenom II X4 810", "the survey", (4362, 221, 169, 70, 88, 38, 21, 6, 7, 18)),
        ("Naughty (C)", "Phenom II X4 810", "the survey", (4075, 321, 229, 122, 171, 57, 18, 2, 1, 4)),
    )
)


def published_times(figures: Figures) -> tuple[Published, ...]:
    """Return published times of the same archive, or of random 30x30 puzzles, to compare a report with."""
    sources = {group.name for group in figures.sources}
    if "webpbn" in sources:
        return WEBPBN
    return RANDOM if sources == {"random"} and [group.name for group in figures.sizes] == ["26–30"] else ()
