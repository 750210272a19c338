"""Shared parts of charts: colours, axes, formats of times, highlighting of a verdict."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from nonocensus.reports.numbers.figures import HistogramBin
from nonocensus.reports.words.formatting import label_color

ACCENT = "#1c8a74"

SERIES = ["#1c8a74", "#d38b1c", "#3f83d6", "#c4528f", "#7c60cf", "#6f94ac"]
"""Colours of series other than labels."""

GRADE_COLORS = [
    *("#5fb8a0", "#1c8a74", "#3f83d6", "#5a6fd8", "#7c60cf", "#c4528f", "#d38b1c", "#d24f45", "#8c3b34"),
]
"""Colours of the grades from 1 on, from cool to hot."""

READABLE = 0.55
"""Maximum opacity under numbers, which keeps their contrast in dark themes."""

BAR = 22
"""Height of a horizontal bar with its gap in pixels."""

SECONDS = (
    "datum.value < 1e-3 ? format(datum.value * 1e6, ',~r') + ' µs' : "
    "datum.value < 1 ? format(datum.value * 1e3, ',~r') + ' ms' : format(datum.value, ',~r') + ' s'"
)
"""Vega expression for labels of a CPU time axis."""

CLOCK = (
    "datum.value < 120 ? format(datum.value, ',~r') + ' s' : "
    "datum.value < 7200 ? format(datum.value / 60, ',.3~r') + ' min' : format(datum.value / 3600, ',.3~r') + ' h'"
)
"""Vega expression for labels of a wall time axis."""

COUNTS = "counts"
"""Data of a chart whose marks are numbers of puzzles: the page recounts them for the puzzles listed."""

PICKED = "picked"
"""Vega parameter: the highlighted verdict."""

PUZZLES, SHARE = alt.Tooltip("puzzles:Q", format=","), alt.Tooltip("share:Q", format=".2%")
"""Tooltips: a number of puzzles, and its share of all."""


def count_axis(ticks: int = 5) -> alt.Axis:
    """Return an axis of numbers of puzzles."""
    return alt.Axis(tickCount=ticks, tickMinStep=1, format=",d")


def verdict_color(labels: Iterable[str], legend: bool = True) -> alt.Color:
    """Encode labels by their colours."""
    names = list(labels)
    scale = alt.Scale(domain=names, range=[label_color(label) for label in names])
    return alt.Color("label:N", scale=scale, legend=alt.Legend() if legend else None)


def picked_verdict() -> alt.Parameter:
    """Return the parameter for the highlighted verdict, which the legend's buttons set; null for none."""
    return alt.param(name=PICKED, value=None)


def unless_another() -> Any:
    """Encode opacity: faded if another verdict is highlighted."""
    return alt.condition(f"{PICKED} === null || {PICKED} === datum.label", alt.value(1), alt.value(0.12))


def place_among(labels: Iterable[str]) -> str:
    """Return a Vega expression for the index of a label, the order in which bars are stacked."""
    return f"indexof({json.dumps(list(labels))}, datum.label)"


def count_opacity() -> alt.Opacity:
    """Encode the number of puzzles as opacity."""
    legend = alt.Legend(title="puzzles", symbolFillColor=ACCENT, symbolStrokeWidth=0, format=",d", tickCount=3)
    return alt.Opacity("puzzles:Q", scale=alt.Scale(type="log", range=[0.2, 1]), legend=legend)


def time_words(field: str) -> str:
    """Return a Vega expression that formats a time in a field."""
    return SECONDS.replace("datum.value", f"datum.{field}").replace("~r", ".3~r")


def counted_bars(rows: Sequence[dict[str, Any]], by: str, color: Any, *tooltip: Any) -> Any:
    """Return bars of the number of puzzles, which is written behind each.

    rows    by, puzzles, share
    by      the field with the names of the bars
    """
    bars = alt.Chart(alt.InlineData(values=rows, name=COUNTS)).encode(
        y=alt.Y(f"{by}:N", sort=[row[by] for row in rows], title=None, axis=alt.Axis(grid=False, labelLimit=150)),
        x=alt.X("puzzles:Q", stack=None, title="puzzles", axis=count_axis()),
        color=color,
        tooltip=[*tooltip, PUZZLES, SHARE],
    )
    numbers = bars.mark_text(align="left", dx=6).encode(
        text=alt.Text("puzzles:Q", format=","), color=alt.value("currentColor")
    )
    drawn = bars.mark_bar(cornerRadiusEnd=3, height={"band": 0.72}) + numbers
    return drawn.properties(height=BAR * len(rows) + 8)


def labels_of(bins: Sequence[HistogramBin], labels: Iterable[str]) -> list[str]:
    """Return the labels that a histogram has, in order."""
    return [label for label in labels if any(bin_.labels[label] for bin_ in bins)]


def stacked_histogram(bins: Sequence[HistogramBin], labels: Sequence[str], x: alt.X, *ends: alt.Tooltip) -> Any:
    """Return a histogram of puzzles, coloured by verdict; `ends` are tooltips of a bin's ends."""
    rows = [
        {"start": bin_.start, "stop": bin_.stop, "label": label, "puzzles": bin_.labels[label], "all": bin_.puzzles}
        for bin_ in bins
        for label in labels
        if bin_.labels[label]
    ]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(binSpacing=1)
        .encode(
            x=x,
            x2="stop:Q",
            y=alt.Y("puzzles:Q", stack="zero", title="puzzles", axis=count_axis()),
            color=verdict_color(labels),
            order=alt.Order("place:Q"),
            opacity=unless_another(),
            tooltip=[
                alt.Tooltip("label:N", title="verdict"),
                PUZZLES,
                alt.Tooltip("all:Q", format=",", title="of all verdicts"),
                *ends,
            ],
        )
        .transform_calculate(place=place_among(labels))
        .add_params(picked_verdict())
    )


def log_bins(channel: type[alt.X | alt.Y], field: str, title: str, ends: Sequence[float], **axis: Any) -> Any:
    """Encode the starts of bins on a logarithmic scale between two ends, by default with ticks at powers of ten."""
    scale = alt.Scale(type="log", domain=list(ends), nice=False)
    return channel(
        f"{field}:Q", bin="binned", title=title, scale=scale, axis=alt.Axis(**{"values": powers(*ends), **axis})
    )


def with_bin_ends(chart: alt.Chart) -> alt.Chart:
    """Add the ends of a bin of times in words, for TIMES."""
    return chart.transform_calculate(**{"from": time_words("start"), "to": time_words("stop")})


TIMES = (alt.Tooltip("from:N"), alt.Tooltip("to:N"))
"""Tooltips: the ends of a bin of times."""


def decades(rows: Iterable[dict[str, Any]]) -> list[float]:
    """Return the powers of ten that enclose all starts and stops."""
    rows = list(rows)
    first, last = min(row["start"] for row in rows), max(row["stop"] for row in rows)
    return [10 ** math.floor(math.log10(first)), 10 ** math.ceil(math.log10(last))]


def powers(low: float, high: float) -> list[float]:
    """Return the powers of ten between two numbers, as ticks."""
    return [10.0**k for k in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
