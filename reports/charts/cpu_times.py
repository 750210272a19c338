"""Charts of CPU time: in all, by rung, by size, and of several solvers."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from nonocensus.reports.charts.chart import WIDTH, Chart, chart_of
from nonocensus.reports.charts.encodings import (
    ACCENT,
    PUZZLES,
    SECONDS,
    SERIES,
    TIMES,
    count_opacity,
    decades,
    labels_of,
    log_bins,
    powers,
    stacked_histogram,
    time_words,
    with_bin_ends,
)
from nonocensus.reports.numbers.figures import Figures, HistogramBin
from nonocensus.reports.words.formatting import number, seconds


def times(figures: Figures) -> Chart | None:
    """Return a histogram of the time per puzzle, by verdict, on a logarithmic axis."""
    if not figures.histogram or not figures.times:
        return None
    bins = figures.histogram
    labels = labels_of(bins, figures.labels)
    ends = decades({"start": bin_.start, "stop": bin_.stop} for bin_ in bins if bin_.puzzles)
    x = log_bins(alt.X, "start", "CPU time per puzzle", ends, grid=False, labelExpr=SECONDS)
    bars = with_bin_ends(stacked_histogram(bins, labels, x, *TIMES))
    times = figures.times
    words = (
        f"Histogram of the CPU time per puzzle on a logarithmic axis, coloured by verdict: "
        f"median {seconds(times.median)}, 90 % within {seconds(times.p90)}, "
        f"99 % within {seconds(times.p99)}, longest {seconds(times.maximum)}."
    )
    few = _low_bar_numbers(bins)
    chart = (bars if few is None else bars + few).properties(height=260)
    filters: dict[str, str | list[str]] = {"cpu_seconds": ["start", "stop"], "label": "label"}
    return chart_of(chart, "times", "CPU time per puzzle", words, filters, labels)


def _low_bar_numbers(histogram: Sequence[HistogramBin]) -> Any:
    """Return numbers over bars too low to be visible, such as those of the few slow puzzles.

    None without such bars, as Vega warns about marks without data.
    """
    low = max(bin_.puzzles for bin_ in histogram) / 50
    rows = [
        {"middle": math.sqrt(bin_.start * bin_.stop), "puzzles": bin_.puzzles}
        for bin_ in histogram
        if 0 < bin_.puzzles < min(low, 100)
    ]
    if not rows:
        return None
    numbers = alt.Chart(alt.InlineData(values=rows)).encode(x="middle:Q", y="puzzles:Q", text="puzzles:Q")
    return numbers.mark_text(dy=-7, fontSize={"expr": "width < 480 ? 7 : 10"}, opacity=0.8)


def rung_times(figures: Figures) -> Chart | None:
    """Return a strip for each rung: puzzles by the time that it worked on them."""
    if not figures.rung_times:
        return None
    rows = [
        {"technique": rung.rung, "start": start, "stop": stop, "puzzles": puzzles}
        for rung in figures.rung_times
        for start, stop, puzzles in rung.bins
    ]
    order = [rung.rung for rung in figures.rung_times]
    looks: dict[str, Any] = {"labelExpr": SECONDS, "labelFlush": False, "gridOpacity": 0.06}
    cells = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(color=ACCENT)
        .encode(
            y=alt.Y("technique:N", sort=order, title=None, axis=alt.Axis(grid=False, labelLimit=150)),
            x=log_bins(alt.X, "start", "CPU time of the technique alone", decades(rows), **looks),
            x2="stop:Q",
            opacity=count_opacity(),
            tooltip=["technique:N", PUZZLES, *TIMES],
        )
    )
    summary = "; ".join(
        f"{rung.rung}: {number(rung.puzzles)} puzzles, {seconds(rung.cpu_seconds)} in all"
        for rung in figures.rung_times
    )
    return chart_of(
        with_bin_ends(cells).properties(height=34 * len(order)),
        "rungs",
        "CPU time by technique",
        f"Strips of the times that each technique of the solver took. {summary}.",
    )


def areas(figures: Figures) -> Chart | None:
    """Return a map of size and time, with lines for the median, the 90 % and the 99 % quantile."""
    if len(figures.areas) < 2:
        return None
    summary = "; ".join(
        f"{number(area.start)} to {number(area.stop - 1)} cells: median {seconds(area.median)}, 90 % within "
        f"{seconds(area.p90)}"
        for area in figures.areas
    )
    words = f"Map of puzzles by size and CPU time, both logarithmic, with lines for quantiles. {summary}."
    filters = {"cells": ["cells", "until"], "cpu_seconds": ["start", "stop"]}
    return chart_of(
        (_area_cells(figures) + _area_quantiles(figures)).properties(height=320),
        "areas",
        "CPU time by size",
        words,
        filters,
    )


def _area_cells(figures: Figures) -> Any:
    """Rectangles of the puzzles of a size in a bin of time."""
    bins = figures.histogram
    rows = [
        {
            "cells": figures.areas[area].start, "until": figures.areas[area].stop,
            "start": bins[column].start, "stop": bins[column].stop, "puzzles": puzzles,
        }
        for area, column, puzzles in figures.area_times
    ]  # fmt: skip
    ends = figures.areas[0].start, figures.areas[-1].stop
    times = decades({"start": bin_.start, "stop": bin_.stop} for bin_ in bins)
    looks: dict[str, Any] = {"labelExpr": SECONDS, "gridOpacity": 0.06, "values": powers(bins[0].start, bins[-1].stop)}
    return with_bin_ends(
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(color=ACCENT)
        .encode(
            x=log_bins(alt.X, "cells", "cells", ends, grid=False, format=",d", labelFlush=False),
            x2="until:Q",
            y=log_bins(alt.Y, "start", "CPU time per puzzle", times, **looks),
            y2="stop:Q",
            opacity=count_opacity(),
            tooltip=[
                alt.Tooltip("cells:Q", format=",", title="cells from"),
                alt.Tooltip("until:Q", format=",", title="below"),
                PUZZLES,
                *TIMES,
            ],
        )
    )


def _area_quantiles(figures: Figures) -> Any:
    """Return lines of the quantiles by size; those of few puzzles are left out."""
    lines = [
        {"middle": math.sqrt(area.start * area.stop), "seconds": value, "share": share, "time": seconds(value)}
        for area in figures.areas
        for share, value, most in (("median", area.median, 1), ("90 %", area.p90, 10), ("99 %", area.p99, 100))
        if area.puzzles >= most
    ]
    return (
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(point={"size": 22, "filled": True}, strokeWidth=1.8)
        .encode(
            x="middle:Q",
            y="seconds:Q",
            color=alt.Color(
                "share:N",
                scale=alt.Scale(domain=["median", "90 %", "99 %"], range=["#3f83d6", "#d38b1c", "#d24f45"]),
                legend=alt.Legend(),
            ),
            tooltip=[alt.Tooltip("share:N", title="puzzles within"), alt.Tooltip("time:N", title="CPU time")],
        )
    )


LEAST = 1e-6
"""Least seconds of a puzzle on the logarithmic axis."""


class SolverTimes(NamedTuple):
    """Times of a solver.

    solver    its name
    seconds   CPU time of each puzzle that it decided
    puzzles   number of puzzles that it was given
    """

    solver: str
    seconds: Sequence[float]
    puzzles: int


def curves(several: Sequence[SolverTimes], title: str) -> Chart:
    """Return a cactus plot of solvers, the first in the strongest colour: the lower and longer a curve, the better."""
    names = [f"{times.solver} ({len(times.seconds):,} of {times.puzzles:,})" for times in several]
    rows = [
        {"solver": name, "puzzles": place, "seconds": max(seconds, LEAST)}
        for name, times in zip(names, several, strict=True)
        for place, seconds in enumerate(sorted(times.seconds), 1)
    ]
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=22), strokeWidth=2)
        .encode(
            x=alt.X(
                "puzzles:Q",
                title="puzzles decided",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(tickMinStep=1, format=",d"),
            ),
            y=alt.Y(
                "seconds:Q",
                title="CPU time of the puzzle",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(labelExpr=SECONDS, values=[10.0**power for power in range(-6, 6)]),
            ),
            color=alt.Color(
                "solver:N",
                sort=names,
                scale=alt.Scale(domain=names, range=SERIES[: len(names)]),
                legend=alt.Legend(columns=2, labelLimit=WIDTH // 2),
            ),
            tooltip=["solver:N", PUZZLES, alt.Tooltip("time:N")],
        )
        .transform_calculate(time=time_words("seconds"))
        .properties(height=360)
    )
    summary = "; ".join(
        f"{name}, slowest {max(times.seconds, default=0):.3g} s" for name, times in zip(names, several, strict=True)
    )
    words = f"For each solver the times of the puzzles that it decided, in order: {summary}."
    return chart_of(lines, "times", title, words)
