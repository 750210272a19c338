"""Histograms and quantiles of CPU times and difficulties of a census; published times of other solvers."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.census import Census
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
from nonocensus.reports.numbers.row_counts import DIFFICULTY_BIN, FIRST_RUNG_BIN, NO_BIN, RUNG_BINS, RUNGS

SURVEY = (0.0, 0.1, 0.2, 0.5, 1.0, 4.0, 10.0, 30.0, 60.0, 120.0)
"""Lower bounds of the time classes of Jan Wolter's survey of solvers, in seconds."""


FEWEST_BINS = 20


SHORTEST = 1e-6
"""Seconds that replace a time of zero on the logarithmic axis if no puzzle took longer."""


def stalled_puzzles(decided: np.ndarray) -> StalledPuzzles:
    """Count the puzzles that line logic leaves open; `decided` are the shares of their cells that it decides."""
    if not len(decided):
        return StalledPuzzles(0, None)
    return StalledPuzzles(len(decided), share_quantiles(pa.array(decided)))


def share_quantiles(shares: pa.Array) -> ShareQuantiles:
    """Return the quantiles of shares from 0 to 1."""
    return ShareQuantiles(*_quantiles(shares, 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1))


def time_summary(seconds: np.ndarray) -> TimeSummary | None:
    """Summarise CPU seconds (NaN if unknown), None if all are unknown."""
    known = pa.array(seconds, from_pandas=True)  # NaN as null
    puzzles = len(known) - known.null_count
    if not puzzles:
        return None
    median, p90, p99, maximum = _quantiles(known, 0.5, 0.9, 0.99, 1)
    return TimeSummary(puzzles, pc.sum(known).as_py(), pc.mean(known).as_py(), median, p90, p99, maximum)


def _quantiles(values: pa.Array, *at: float) -> list[float]:
    quantiles: list[float] = pc.quantile(values, list(at)).to_pylist()
    return quantiles


class TimedPuzzles(NamedTuple):
    """Puzzles with a known time, in bins of equal width in log10.

    per_decade   bins: 5, 10 or 20, the fewest that give FEWEST_BINS
    first        number of the first bin, which begins at 10 ** (first / per_decade) seconds
    puzzles      by label and class of cells (RowClass.area), of each bin from the first on: int64[bins]
    """

    per_decade: int
    first: int
    puzzles: dict[tuple[str, int | None], np.ndarray]

    def edge(self, place: int) -> float:
        """Return the lower bound of a bin in seconds; `place` counts from the first."""
        return _edge(self.first + place, self.per_decade)


def timed_puzzles(census: Census) -> TimedPuzzles | None:
    """Bin the puzzles with a known time, None without any."""
    timed = ~np.isnan(census.seconds)
    if not timed.any():
        return None
    seconds = census.seconds[timed]
    shortest = seconds.min(where=seconds > 0, initial=np.inf)
    if shortest == np.inf:
        shortest = SHORTEST
    np.maximum(seconds, shortest, out=seconds)
    decades = math.log10(seconds.max()) - math.log10(seconds.min())
    per_decade = next((n for n in (5, 10) if n * decades >= FEWEST_BINS), 20)
    # The small addend keeps times that are bin edges (0.001 s) from falling below them by rounding.
    bins = np.floor(np.log10(seconds) * per_decade + 1e-9).astype(np.int32)
    first = int(bins.min())
    kinds = {kind: k for k, kind in enumerate(dict.fromkeys((words.label, words.area) for words in census.words))}
    kind = np.array([kinds[words.label, words.area] for words in census.words], np.int32)[census.codes[timed]]
    cells = np.bincount((bins - first) * len(kinds) + kind, minlength=(int(bins.max()) - first + 1) * len(kinds))
    return TimedPuzzles(per_decade, first, dict(zip(kinds, cells.reshape(-1, len(kinds)).T, strict=True)))


def time_histogram(timed: TimedPuzzles | None, labels: Sequence[str]) -> tuple[HistogramBin, ...]:
    """Return the bins by label, without holes."""
    if timed is None:
        return ()
    empty = np.zeros_like(next(iter(timed.puzzles.values())))
    counts = {label: empty.copy() for label in labels}
    for (label, _), puzzles in timed.puzzles.items():
        counts[label] += puzzles
    return tuple(
        HistogramBin(timed.edge(place), timed.edge(place + 1), sum(row), dict(zip(labels, row, strict=True)))
        for place, row in enumerate(zip(*(counts[label].tolist() for label in labels), strict=True))
    )


def difficulty_histogram(census: Census, labels: Sequence[str]) -> tuple[HistogramBin, ...]:
    """Return the difficulties in bins of DIFFICULTY_BIN, without holes."""
    there = census.difficulties != NO_BIN
    if not there.any():
        return ()
    bins = census.difficulties[there].astype(np.int32)
    first, last = int(bins.min()), int(bins.max())
    label = np.array([labels.index(words.label) for words in census.words], np.int32)[census.codes[there]]
    cells = np.bincount((bins - first) * len(labels) + label, minlength=(last - first + 1) * len(labels))
    return tuple(
        HistogramBin(
            round(place * DIFFICULTY_BIN, 6),
            round((place + 1) * DIFFICULTY_BIN, 6),
            sum(counts),
            dict(zip(labels, counts, strict=True)),
        )
        for place, counts in enumerate(cells.reshape(-1, len(labels)).tolist(), first)
    )


def _edge(place: int, per_decade: int) -> float:
    return float(f"{math.pow(10, place / per_decade):.6g}")


def survey_classes(census: Census) -> tuple[TimeClass, ...]:
    """Return the puzzles in the time classes of the survey."""
    late = np.array([words.status == "timeout" for words in census.words], bool)[census.codes]

    def bucket(start: float, stop: float | None) -> TimeClass:
        inside = census.seconds >= start
        if stop is not None:
            inside &= census.seconds < stop
        return TimeClass(start, stop, int(inside.sum()), int((inside & late).sum()))

    return tuple(bucket(start, stop) for start, stop in zip(SURVEY, (*SURVEY[1:], None), strict=True))


def rung_times(census: Census) -> tuple[RungTimes, ...]:
    """Return the times of the rungs that worked on any puzzle."""

    def edge(place: int) -> float:
        return _edge(place + FIRST_RUNG_BIN * RUNG_BINS, RUNG_BINS)

    return tuple(
        RungTimes(
            rung,
            sum(counts),
            float(seconds),
            tuple((edge(place), edge(place + 1), count) for place, count in enumerate(counts) if count),
        )
        for rung, seconds, counts in zip(RUNGS, census.rung_seconds, census.rung_times.tolist(), strict=True)
        if sum(counts)
    )


def size_quantiles(census: Census) -> tuple[SizeQuantiles, ...]:
    """Return the time quantiles of each size class with known times."""
    area = np.array([-1 if words.area is None else words.area for words in census.words], np.int32)[census.codes]
    area[np.isnan(census.seconds)] = -1
    made = []
    for place in np.unique(area[area >= 0]).tolist():
        seconds = pa.array(census.seconds[area == place])
        made.append(
            SizeQuantiles(
                _fewest_cells(place),
                _fewest_cells(place + 1),
                len(seconds),
                *_quantiles(seconds, 0.1, 0.5, 0.9, 0.99, 1),
            )
        )
    return tuple(made)


def _fewest_cells(area: int) -> int:
    """Return the smallest number of cells of a class."""
    return math.ceil(10 ** (area / AREAS_PER_DECADE) - 1e-9)


def area_times(timed: TimedPuzzles | None, areas: Sequence[SizeQuantiles]) -> tuple[tuple[int, int, int], ...]:
    """Count the puzzles of each size class in each bin of the histogram."""
    places = {area.start: place for place, area in enumerate(areas)}
    counts = Counter[tuple[int, int]]()
    for (_, area), puzzles in timed.puzzles.items() if timed else ():
        if area is not None:
            for column in np.flatnonzero(puzzles).tolist():
                counts[places[_fewest_cells(area)], column] += int(puzzles[column])
    return tuple((place, column, count) for (place, column), count in sorted(counts.items()))


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
