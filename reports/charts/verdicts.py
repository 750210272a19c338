"""Charts of verdicts, in all and by group, and of puzzles by year."""

from collections.abc import Sequence

import altair as alt

from nonocensus.reports.charts.chart import Chart, chart_of
from nonocensus.reports.charts.encodings import (
    ACCENT,
    BAR,
    COUNTS,
    PUZZLES,
    SHARE,
    count_axis,
    counted_bars,
    picked_verdict,
    place_among,
    unless_another,
    verdict_color,
)
from nonocensus.reports.numbers.figures import Figures, PuzzleGroup
from nonocensus.reports.numbers.row_classes import UNKNOWN
from nonocensus.reports.words.formatting import number

MOST_GROUPS = 20
"""Most groups of a chart; the table has all."""

SHARE_FILTERS = {"sources": "source", "sizes": "size", "colors": "colors"}
"""Filters of the page's browser for the groups of a chart."""


def labels(figures: Figures) -> Chart | None:
    """Bars of puzzles by verdict."""
    if not figures.labels:
        return None
    rows = [
        {"label": label, "puzzles": puzzles, "share": puzzles / figures.total}
        for label, puzzles in figures.labels.items()
    ]
    color = verdict_color(figures.labels, legend=False)
    chart = counted_bars(rows, "label", color, alt.Tooltip("label:N", title="verdict"))
    words = ", ".join(f"{label} {puzzles:,}" for label, puzzles in figures.labels.items())
    summary = f"Bars of the number of puzzles per verdict: {words}."
    return chart_of(chart, "labels", "Puzzles per verdict", summary, {"label": "label"})


def shares(figures: Figures, groups: Sequence[PuzzleGroup], name: str, title: str, by: str) -> Chart | None:
    """Bars of the shares of verdicts by group, None if there is nothing to compare."""
    if len(groups) < (1 if name == "sizes" else 2):
        return None
    groups = groups[:MOST_GROUPS]
    rows = [
        {
            "word": group.name, "label": label, "puzzles": puzzles, "share": puzzles / group.puzzles,
            "total": group.puzzles, "rank": rank,
        }
        for rank, group in enumerate(groups)
        for label, puzzles in group.labels.items()
        if puzzles
    ]  # fmt: skip
    filters = {SHARE_FILTERS[name]: "word", "label": "label"} if name in SHARE_FILTERS else {}
    by_rank = alt.EncodingSortField("rank", op="min")
    bars = (
        alt.Chart(alt.InlineData(values=rows, name=COUNTS) if filters else alt.InlineData(values=rows))
        .mark_bar(height={"band": 0.78})
        .encode(
            y=alt.Y("group:N", sort=by_rank, title=None, axis=alt.Axis(grid=False, labelLimit=170)),
            x=alt.X(
                "share:Q",
                stack="zero",
                title="share of puzzles",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], labelOverlap="parity"),
            ),
            color=verdict_color(figures.labels),
            order=alt.Order("place:Q"),
            opacity=unless_another(),
            tooltip=[
                alt.Tooltip("word:N", title=by),
                alt.Tooltip("label:N", title="verdict"),
                PUZZLES,
                SHARE,
            ],
        )
        .transform_calculate(
            place=place_among(figures.labels), group="datum.word + ' (' + format(datum.total, ',') + ')'"
        )
        .add_params(picked_verdict())
        .properties(height=BAR * len(groups) + 8)
    )
    commonest = "; ".join(f"{group.name}: {max(group.labels, key=lambda k: group.labels[k])}" for group in groups)
    words = f"Bars of the share of each verdict by {by}. The commonest: {commonest}."
    return chart_of(bars, name, title, words, filters, figures.labels)


def colored(figures: Figures) -> tuple[PuzzleGroup, ...]:
    """Return the groups by colours, empty unless any puzzle has several colours."""
    return figures.colors if any(group.name not in ("0", "1", UNKNOWN) for group in figures.colors) else ()


def years(figures: Figures) -> Chart | None:
    """Bars of puzzles by year; None if fewer than three years have any."""
    if sum(map(bool, figures.years.values())) < 3:
        return None
    rows = [{"year": str(year), "puzzles": puzzles} for year, puzzles in figures.years.items()]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=ACCENT, cornerRadiusEnd=2)
        .encode(
            x=alt.X("year:O", title=None, axis=alt.Axis(grid=False, labelAngle=0)),
            y=alt.Y("puzzles:Q", title="puzzles", axis=count_axis(4)),
            tooltip=["year:O", PUZZLES],
        )
        .properties(height=150)
    )
    most = max(figures.years, key=lambda year: figures.years[year])
    words = (
        f"Bars of the puzzles of each year from {min(figures.years)} to {max(figures.years)}; "
        f"the most, {number(figures.years[most])}, in {most}."
    )
    return chart_of(bars, "years", "Puzzles by year", words)
