"""The report's charts: as Vega-Lite specifications for the page, as SVG for paper and Markdown.

Text takes its colour from its surroundings (`currentColor`), so that one picture suits light and dark.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from reports.activity import Activity
from reports.census import UNKNOWN
from reports.figures import Bin, Figures, Group
from reports.labels import label_color
from reports.ratings import Agreement, Correlation
from reports.study.relations import Relation
from reports.words import MEASURE_NAMES, number, seconds

ACCENT = "#1c8a74"
SERIES = ["#1c8a74", "#d38b1c", "#3f83d6", "#c4528f", "#7c60cf", "#6f94ac"]
"""Colours of what is no label: one thing, or several beside each other."""

GRADE_COLORS = [
    *("#5fb8a0", "#1c8a74", "#3f83d6", "#5a6fd8", "#7c60cf", "#c4528f", "#d38b1c", "#d24f45", "#8c3b34"),
]
"""Colours of the grades from 1 on, from the cool to the hot."""

MOST_GROUPS = 20
"""Groups that a chart compares: the others are in the table beside it."""

SHARE_FILTERS = {"sources": "source", "sizes": "size", "colors": "colors"}
"""The filters of the page's browser that leave the groups of charts of shares."""

WIDTH = 720
"""Pixels of a chart that can't ask for the width of its page."""

LEGEND_COLUMN = 150
"""Pixels that a column of the legend takes."""

BAR = 22
"""Pixels from one horizontal bar to the next."""

SECONDS = (
    "datum.value < 1e-3 ? format(datum.value * 1e6, ',~r') + ' µs' : "
    "datum.value < 1 ? format(datum.value * 1e3, ',~r') + ' ms' : format(datum.value, ',~r') + ' s'"
)
"""Vega's expression for a time axis' words."""

CLOCK = (
    "datum.value < 120 ? format(datum.value, ',~r') + ' s' : "
    "datum.value < 7200 ? format(datum.value / 60, ',.3~r') + ' min' : format(datum.value / 3600, ',.3~r') + ' h'"
)
"""Vega's expression for an axis of time that passes."""

CLOCK_TICKS = [factor * unit for unit in (1, 60, 3600) for factor in (1, 2, 3, 5, 10, 20, 30)]
"""Seconds that read well on a logarithmic axis."""

PICKED = "picked"
"""Vega's parameter of the verdict that is shown alone."""

GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples, less their whole part, lie apart from each other, however many there are."""

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "padding": {"left": 8, "right": 12, "top": 5, "bottom": 5},
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "labelColor": "currentColor",
        "labelFontSize": 12,
        "labelPadding": 6,
        "labelOverlap": "greedy",
        "labelSeparation": 10,
        "titleColor": "currentColor",
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleOpacity": 0.7,
        "titlePadding": 10,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 12,
        "labelLimit": 150,
        "symbolType": "square",
        "symbolSize": 110,
        "columnPadding": 14,
        "rowPadding": 5,
        "offset": 14,
    },
    "text": {"color": "currentColor", "fontSize": 12},
}

PAGE_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
PAPER_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""These share their widths, so that what is measured here fits elsewhere."""

SVG_STYLE = (
    "<style>svg{background:#fff;color:#1d2329}"
    "@media screen and (prefers-color-scheme:dark){svg{background:#15191d;color:#dfe3e6}}</style>"
)


class Chart(NamedTuple):
    """A chart, for the page and for paper."""

    name: str
    title: str
    description: str  # what it shows, in words
    spec: dict[str, Any]  # Vega-Lite, as wide as its container; whoever draws it sets config.legend.columns
    svg: str  # WIDTH pixels wide, without a background, in the colour of the text around it


def charts(figures: Figures, activity: Activity | None = None) -> tuple[Chart, ...]:
    """The charts of a census and of its run; none for what it has no data about."""
    made = (
        _labels(figures),
        _shares(figures, figures.sources, "sources", "Verdicts by source", "source"),
        _shares(figures, figures.sizes, "sizes", "Verdicts by size", "longer side in cells"),
        _shares(figures, colored(figures), "colors", "Verdicts by colours", "colours"),
        _shares(
            figures, figures.densities, "densities", "Verdicts by density",
            "share of cells that are coloured",
        ),
        _shares(figures, figures.givens, "givens", "Verdicts by number of givens", "number of givens"),
        _difficulties(figures),
        _correlations(figures),
        _years(figures),
        _times(figures),
        _rung_times(figures),
        _areas(figures),
        _grades(figures),
        _agreements(figures),
        _solving(figures),
        _relations(figures),
        _ratings(figures),
        _rate(activity),
        _workers(activity),
    )  # fmt: skip
    return tuple(chart for chart in made if chart)


def colored(figures: Figures) -> tuple[Group, ...]:
    """The groups by colours, if there is more to tell apart than puzzles of one colour and of none."""
    return figures.colors if any(group.name not in ("0", "1", UNKNOWN) for group in figures.colors) else ()


def alone(svg: str) -> bytes:
    """A chart's SVG as a file of its own, which brings colours for light and for dark."""
    head, rest = svg.split(">", 1)
    return f"{head}>{SVG_STYLE}{rest}".encode()


@cache
def script() -> str:
    """Vega with its parts as one script that sets `vegaEmbed`: with it a page draws its charts without any network."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


def _labels(figures: Figures) -> Chart | None:
    if not figures.labels:
        return None
    rows = [
        {"label": label, "puzzles": puzzles, "share": puzzles / figures.total}
        for label, puzzles in figures.labels.items()
    ]
    bars = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("label:N", sort=list(figures.labels), title=None, axis=alt.Axis(grid=False, labelLimit=150)),
        x=alt.X("puzzles:Q", stack=None, title="puzzles", axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
        color=_color(figures.labels, legend=False),
        tooltip=[
            alt.Tooltip("label:N", title="verdict"),
            alt.Tooltip("puzzles:Q", format=","),
            alt.Tooltip("share:Q", format=".2%"),
        ],
    )
    numbers = bars.mark_text(align="left", dx=6).encode(
        text=alt.Text("puzzles:Q", format=","), color=alt.value("currentColor")
    )
    chart = (bars.mark_bar(cornerRadiusEnd=3, height={"band": 0.72}) + numbers).properties(height=BAR * len(rows) + 8)
    words = ", ".join(f"{label} {puzzles:,}" for label, puzzles in figures.labels.items())
    told = f"Bars of the number of puzzles per verdict: {words}."
    return chart_of(chart, "labels", "Puzzles per verdict", told, {"label": "label"})


def _difficulties(figures: Figures) -> Chart | None:
    if not figures.difficulties:
        return None
    labels = [label for label in figures.labels if any(bin_.labels[label] for bin_ in figures.difficulties)]
    rows = [
        {"start": bin_.start, "stop": bin_.stop, "label": label, "puzzles": bin_.labels[label], "all": bin_.puzzles}
        for bin_ in figures.difficulties
        for label in labels
        if bin_.labels[label]
    ]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X("start:Q", bin="binned", title="difficulty", axis=alt.Axis(grid=False, tickCount=8)),
            x2="stop:Q",
            y=alt.Y("puzzles:Q", stack="zero", title="puzzles", axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
            color=_color(labels),
            order=alt.Order("place:Q"),
            opacity=_unless_another(),
            tooltip=[
                alt.Tooltip("label:N", title="verdict"),
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("all:Q", format=",", title="of all verdicts"),
                alt.Tooltip("start:Q", format=".1f", title="from"),
                alt.Tooltip("stop:Q", format=".1f", title="to"),
            ],
        )
        .transform_calculate(place=_place(labels))
        .add_params(_picked())
        .properties(height=220)
    )
    most = max(figures.difficulties, key=lambda bin_: bin_.puzzles)
    words = (
        f"Histogram of the difficulty, coloured by verdict, from {figures.difficulties[0].start:g} to "
        f"{figures.difficulties[-1].stop:g}; the most puzzles, {number(most.puzzles)}, from {most.start:g} on."
    )
    filters: dict[str, str | list[str]] = {"difficulty": ["start", "stop"], "label": "label"}
    return chart_of(bars, "difficulties", "Difficulty", words, filters, labels)


def _correlations(figures: Figures) -> Chart | None:
    """A matrix of the rank correlation of each measure with each other."""
    if not figures.correlations:
        return None
    rows = [
        {
            "x": MEASURE_NAMES[x], "y": MEASURE_NAMES[y], "across": one.across, "down": one.down, "rho": one.rho,
            "puzzles": one.puzzles,
        }
        for one in figures.correlations
        for x, y in ((one.across, one.down), (one.down, one.across))
    ]  # fmt: skip
    order = [name for name in MEASURE_NAMES.values() if any(name == row["x"] for row in rows)]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "x:N", sort=order, title=None, axis=alt.Axis(grid=False, labelAngle=-45, labelLimit=130, labelOverlap=False)
        ),
        y=alt.Y("y:N", sort=order, title=None, axis=alt.Axis(grid=False, labelLimit=160, labelOverlap=False)),
        tooltip=[
            alt.Tooltip("x:N", title="of"),
            alt.Tooltip("y:N", title="with"),
            alt.Tooltip("rho:Q", format=".3f"),
            alt.Tooltip("puzzles:Q", format=","),
        ],
    )
    sign = alt.Scale(domain=["positive", "negative"], range=[ACCENT, SERIES[1]])
    cells = (
        base.mark_rect()
        .encode(
            color=alt.Color("sign:N", scale=sign, legend=alt.Legend()),
            opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
        )
        .transform_calculate(sign="datum.rho < 0 ? 'negative' : 'positive'", strength="abs(datum.rho)")
    )
    numbers = base.mark_text(fontSize=10, opacity={"expr": "width < 480 ? 0 : 1"}).encode(
        text=alt.Text("rho:Q", format=".2f")
    )
    strongest = max(figures.correlations, key=lambda one: abs(one.rho))
    words = (
        f"Matrix of the rank correlations of {len(order)} measures. The strongest: {MEASURE_NAMES[strongest.across]} "
        f"with {MEASURE_NAMES[strongest.down]}, {strongest.rho:.2f}."
    )
    return chart_of((cells + numbers).properties(height=BAR * len(order)), "correlations", "Measures together", words)


def explorers() -> dict[str, dict[str, Any]]:
    """Vega-Lite specifications without data for the page's own charts of its list: histogram, dots, heat.

    The page puts in the rows (`start`, `stop`, `low`, `high`, `group`, `puzzles`; of dots `x`, `y`, `group`, `id`), and
    the titles, scales and colours that go with them. A brush marks what the list is to show.
    """
    base = alt.Chart(alt.InlineData(values=[]))
    count = alt.Tooltip("puzzles:Q", format=",")
    color = alt.Color("group:N", scale=alt.Scale(domain=[], range=[]), legend=None)
    plain = alt.Axis(grid=False, tickCount=8, labelFlush=False)
    histogram = base.mark_bar(binSpacing=1).encode(
        x=alt.X("start:Q", bin="binned", title="", axis=plain),
        x2="stop:Q",
        y=alt.Y("puzzles:Q", stack="zero", title="puzzles", axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
        color=color,
        tooltip=[alt.Tooltip("group:N", title="group"), count, alt.Tooltip("start:Q", format=".4~g", title="from"),
                 alt.Tooltip("stop:Q", format=".4~g", title="to")],
    )  # fmt: skip
    dots = base.mark_circle(size=28, opacity=0.6).encode(
        x=alt.X("x:Q", title="", axis=plain, scale=alt.Scale(zero=False)),
        y=alt.Y("y:Q", title="", axis=alt.Axis(tickCount=6), scale=alt.Scale(zero=False)),
        color=color,
        tooltip=[alt.Tooltip("id:N", title="puzzle"), alt.Tooltip("group:N", title="group"),
                 alt.Tooltip("x:Q", format=".4~g"), alt.Tooltip("y:Q", format=".4~g")],
    )  # fmt: skip
    heat = base.mark_rect(color=ACCENT).encode(
        x=alt.X("start:Q", bin="binned", title="", axis=plain),
        x2="stop:Q",
        y=alt.Y("low:Q", bin="binned", title="", axis=alt.Axis(tickCount=6)),
        y2="high:Q",
        opacity=_many(),
        tooltip=[count],
    )
    brushes = {
        "histogram": histogram.add_params(alt.selection_interval(name="brush", encodings=["x"])),
        "dots": dots.add_params(alt.selection_interval(name="brush")),
        "heat": heat.add_params(alt.selection_interval(name="brush")),
    }
    return {name: _explorer(chart.properties(height=260)) for name, chart in brushes.items()}


def _explorer(chart: alt.TopLevelMixin) -> dict[str, Any]:
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    made: dict[str, Any] = chart.properties(width="container", autosize=fit).to_dict()
    del made["$schema"]
    return made | {"config": CONFIG | {"font": PAGE_FONT}}


def _times(figures: Figures) -> Chart | None:
    if not figures.histogram or not figures.times:
        return None
    labels = [label for label in figures.labels if any(bin_.labels[label] for bin_ in figures.histogram)]
    rows = [
        {"start": bin_.start, "stop": bin_.stop, "label": label, "puzzles": bin_.labels[label], "all": bin_.puzzles}
        for bin_ in figures.histogram
        for label in labels
        if bin_.labels[label]
    ]
    axis = alt.X(
        "start:Q",
        bin="binned",
        title="CPU time per puzzle",
        scale=alt.Scale(type="log", domain=_decades(rows), nice=False),
        axis=alt.Axis(grid=False, labelExpr=SECONDS, labelFlush=False, values=_powers(*_decades(rows))),
    )
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(binSpacing=1)
        .encode(
            x=axis,
            x2="stop:Q",
            y=alt.Y("puzzles:Q", stack="zero", title="puzzles", axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
            color=_color(labels),
            order=alt.Order("place:Q"),
            opacity=_unless_another(),
            tooltip=[
                alt.Tooltip("label:N", title="verdict"),
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("all:Q", format=",", title="of all verdicts"),
                alt.Tooltip("from:N"),
                alt.Tooltip("to:N"),
            ],
        )
        .transform_calculate(
            **{"place": _place(labels), "from": time_words("start"), "to": time_words("stop")},
        )
        .add_params(_picked())
    )
    times = figures.times
    words = (
        f"Histogram of the CPU time per puzzle on a logarithmic axis, coloured by verdict: "
        f"median {seconds(times.median)}, 90 % within {seconds(times.p90)}, "
        f"99 % within {seconds(times.p99)}, longest {seconds(times.maximum)}."
    )
    few = _few(figures.histogram)
    chart = (bars if few is None else bars + few).properties(height=260)
    filters: dict[str, str | list[str]] = {"cpu_seconds": ["start", "stop"], "label": "label"}
    return chart_of(chart, "times", "CPU time per puzzle", words, filters, labels)


def _few(histogram: Sequence[Bin]) -> Any:
    """The numbers of puzzles over the bars that are too low to be seen: the slow puzzles are few, and the point.

    None if no bar is: Vega warns of marks without data.
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


def _shares(figures: Figures, groups: Sequence[Group], name: str, title: str, by: str) -> Chart | None:
    """Bars of the share of each verdict in each group; none if there is nothing to compare."""
    if len(groups) < (1 if name == "sizes" else 2):
        return None
    groups = groups[:MOST_GROUPS]
    names = [f"{group.name} ({number(group.puzzles)})" for group in groups]
    rows = [
        {"group": name, "word": group.name, "label": label, "puzzles": puzzles, "share": puzzles / group.puzzles}
        for name, group in zip(names, groups, strict=True)
        for label, puzzles in group.labels.items()
        if puzzles
    ]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(height={"band": 0.78})
        .encode(
            y=alt.Y("group:N", sort=names, title=None, axis=alt.Axis(grid=False, labelLimit=170)),
            x=alt.X(
                "share:Q",
                stack="zero",
                title="share of puzzles",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", tickCount=5),
            ),
            color=_color(figures.labels),
            order=alt.Order("place:Q"),
            opacity=_unless_another(),
            tooltip=[
                alt.Tooltip("word:N", title=by),
                alt.Tooltip("label:N", title="verdict"),
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .transform_calculate(place=_place(figures.labels))
        .add_params(_picked())
        .properties(height=BAR * len(groups) + 8)
    )
    commonest = "; ".join(f"{group.name}: {max(group.labels, key=lambda k: group.labels[k])}" for group in groups)
    filters = {SHARE_FILTERS[name]: "word", "label": "label"} if name in SHARE_FILTERS else {}
    words = f"Bars of the share of each verdict by {by}. The commonest: {commonest}."
    return chart_of(bars, name, title, words, filters, figures.labels)


def _years(figures: Figures) -> Chart | None:
    if len(figures.years) < 2:
        return None
    rows = [{"year": str(year), "puzzles": puzzles} for year, puzzles in figures.years.items()]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=ACCENT, cornerRadiusEnd=2)
        .encode(
            x=alt.X("year:O", title=None, axis=alt.Axis(grid=False, labelAngle=0)),
            y=alt.Y("puzzles:Q", title="puzzles", axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d")),
            tooltip=["year:O", alt.Tooltip("puzzles:Q", format=",")],
        )
        .properties(height=150)
    )
    most = max(figures.years, key=lambda year: figures.years[year])
    words = (
        f"Bars of the puzzles of each year from {min(figures.years)} to {max(figures.years)}; "
        f"the most, {number(figures.years[most])}, in {most}."
    )
    return chart_of(bars, "years", "Puzzles by year", words)


def _rung_times(figures: Figures) -> Chart | None:
    if not figures.rung_times:
        return None
    rows = [
        {"rung": rung.rung, "start": start, "stop": stop, "puzzles": puzzles}
        for rung in figures.rung_times
        for start, stop, puzzles in rung.bins
    ]
    order = [rung.rung for rung in figures.rung_times]
    cells = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(color=ACCENT)
        .encode(
            y=alt.Y("rung:N", sort=order, title=None, axis=alt.Axis(grid=False, labelLimit=150)),
            x=alt.X(
                "start:Q",
                bin="binned",
                title="CPU time of the rung alone",
                scale=alt.Scale(type="log", domain=_decades(rows), nice=False),
                axis=alt.Axis(labelExpr=SECONDS, labelFlush=False, values=_powers(*_decades(rows)), gridOpacity=0.06),
            ),
            x2="stop:Q",
            opacity=_many(),
            tooltip=["rung:N", alt.Tooltip("puzzles:Q", format=","), alt.Tooltip("from:N"), alt.Tooltip("to:N")],
        )
        .transform_calculate(**{"from": time_words("start"), "to": time_words("stop")})
        .properties(height=34 * len(order))
    )
    told = "; ".join(
        f"{rung.rung}: {number(rung.puzzles)} puzzles, {seconds(rung.cpu_seconds)} in all"
        for rung in figures.rung_times
    )
    return chart_of(
        cells, "rungs", "CPU time per rung", f"Strips of the times that each rung of the ladder took. {told}."
    )


def _areas(figures: Figures) -> Chart | None:
    """A map of size and time, with the median and the times that one in ten and one in a hundred exceed."""
    if len(figures.areas) < 2:
        return None
    bins = figures.histogram
    rows = [
        {
            "cells": figures.areas[area].start, "until": figures.areas[area].stop,
            "start": bins[column].start, "stop": bins[column].stop, "puzzles": puzzles,
        }
        for area, column, puzzles in figures.area_times
    ]  # fmt: skip
    x = alt.X(
        "cells:Q",
        bin="binned",
        title="cells",
        scale=alt.Scale(type="log", nice=False, domain=[figures.areas[0].start, figures.areas[-1].stop]),
        axis=alt.Axis(
            grid=False,
            format=",d",
            values=_powers(figures.areas[0].start, figures.areas[-1].stop),
            labelFlush=False,
        ),
    )
    y = alt.Y(
        "start:Q",
        bin="binned",
        title="CPU time per puzzle",
        scale=alt.Scale(
            type="log", domain=_decades({"start": bin_.start, "stop": bin_.stop} for bin_ in bins), nice=False
        ),
        axis=alt.Axis(labelExpr=SECONDS, values=_powers(bins[0].start, bins[-1].stop), gridOpacity=0.06),
    )
    cells = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(color=ACCENT)
        .encode(
            x=x,
            x2="until:Q",
            y=y,
            y2="stop:Q",
            opacity=_many(),
            tooltip=[
                alt.Tooltip("cells:Q", format=",", title="cells from"),
                alt.Tooltip("until:Q", format=",", title="below"),
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("from:N"),
                alt.Tooltip("to:N"),
            ],
        )
        .transform_calculate(**{"from": time_words("start"), "to": time_words("stop")})
    )
    lines = [
        {"middle": math.sqrt(area.start * area.stop), "seconds": value, "share": share, "time": seconds(value)}
        for area in figures.areas
        for share, value, most in (("median", area.median, 1), ("90 %", area.p90, 10), ("99 %", area.p99, 100))
        if area.puzzles >= most
    ]
    curves = (
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
    told = "; ".join(
        f"{number(area.start)} to {number(area.stop - 1)} cells: median {seconds(area.median)}, 90 % within "
        f"{seconds(area.p90)}"
        for area in figures.areas
    )
    words = f"Map of puzzles by size and CPU time, both logarithmic, with lines for quantiles. {told}."
    filters = {"cells": ["cells", "until"], "cpu_seconds": ["start", "stop"]}
    return chart_of((cells + curves).properties(height=320), "areas", "CPU time by size", words, filters)


def _grades(figures: Figures) -> Chart | None:
    """Bars of the puzzles that need each technique, and none harder; a colour for each grade."""
    if figures.grades is None:
        return None
    graded = figures.grades.graded
    rows = [
        {"technique": name, "grade": grade.grade, "puzzles": puzzles, "share": puzzles / graded}
        for grade in figures.grades.grades
        for name, puzzles in grade.techniques.items()
    ]
    names = [name for grade in figures.grades.grades for name in grade.techniques]
    legend = alt.Legend(title="grade", values=[grade.grade for grade in figures.grades.grades])
    scale = alt.Scale(domain=list(range(1, len(GRADE_COLORS) + 1)), range=GRADE_COLORS)
    bars = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("technique:N", sort=names, title=None, axis=alt.Axis(grid=False)),
        x=alt.X("puzzles:Q", stack=None, title="puzzles", axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
        color=alt.Color("grade:O", scale=scale, legend=legend),
        tooltip=["technique:N", "grade:O", alt.Tooltip("puzzles:Q", format=","), alt.Tooltip("share:Q", format=".2%")],
    )
    numbers = bars.mark_text(align="left", dx=6).encode(
        text=alt.Text("puzzles:Q", format=","), color=alt.value("currentColor")
    )
    chart = (bars.mark_bar(cornerRadiusEnd=3, height={"band": 0.72}) + numbers).properties(height=BAR * len(rows) + 8)
    told = ", ".join(f"{row['technique']} {row['puzzles']:,}" for row in rows)
    words = f"Bars of the number of puzzles by the hardest technique that a person needs for them: {told}."
    return chart_of(chart, "grades", "How hard for people", words, {"hardest": "technique"})


def _agreements(figures: Figures) -> Chart | None:
    if figures.grades is None or not figures.grades.agreements:
        return None
    ranked = [(one.measure, one.of, one) for one in figures.grades.agreements]
    what = "the grade, and of the work, for people"
    return _ranked(ranked, "agreements", "Other measures", f"rank correlation of each measure with {what}")


def _solving(figures: Figures) -> Chart | None:
    """A dot for each puzzle of a study that was solved: its time by its grade, or by its difficulty without grades."""
    if figures.study is None:
        return None
    by = "grade" if figures.study.graded else "difficulty"
    rows = [
        {"puzzle": one.puzzle_id, "by": getattr(one, by), "seconds": one.seconds, "solved": one.solved}
        for one in figures.study.tried
        if one.seconds is not None and getattr(one, by) is not None
    ]
    if len(rows) < 2:
        return None
    times = [row["seconds"] for row in rows]
    low, high = min(times) / 1.2, max(times) * 1.2
    ticks = [time for time in CLOCK_TICKS if low <= time <= high]
    y = alt.Y(
        "seconds:Q",
        title="solving time",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(labelExpr=CLOCK, **({"values": ticks} if len(ticks) > 1 else {"tickCount": 4})),
    )
    about = [
        "puzzle:N",
        alt.Tooltip("by:O", title=by),
        alt.Tooltip("time:N"),
        alt.Tooltip("solved:Q", title="solved by"),
    ]
    rows = [row | {"time": seconds(row["seconds"])} for row in rows]
    chart = (_by_grade if figures.study.graded else _by_difficulty)(rows, y, about)
    told = f"{number(len(rows))} puzzles, {seconds(min(times))} to {seconds(max(times))}"
    words = f"Dots of the time in which people of average speed solve a puzzle, by its {by}: {told}."
    return chart_of(chart.properties(height=300), "solving", "Solving time", words, {"puzzle": "puzzle"})


def _by_grade(rows: list[dict[str, Any]], y: alt.Y, about: list[Any]) -> Any:
    """A column of dots for each grade, side by side a little, with a line for their median."""
    rows = [row | {"aside": k * GOLDEN % 1} for k, row in enumerate(rows)]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("by:O", title="grade", axis=alt.Axis(grid=False, labelAngle=0))
    )
    dots = base.mark_circle(size=60, opacity=0.75).encode(
        y=y,
        xOffset=alt.XOffset("aside:Q", scale=alt.Scale(domain=[-1, 2])),
        color=alt.Color(
            "by:O", scale=alt.Scale(domain=list(range(1, len(GRADE_COLORS) + 1)), range=GRADE_COLORS), legend=None
        ),
        tooltip=about,
    )
    lines = base.mark_tick(color="currentColor", thickness=2, size=30, orient="horizontal").encode(
        y=alt.Y("median(seconds):Q", title="solving time"), xOffset=alt.XOffset(datum=0.5)
    )
    return dots + lines


def _by_difficulty(rows: list[dict[str, Any]], y: alt.Y, about: list[Any]) -> Any:
    x = alt.X("by:Q", title="difficulty", scale=alt.Scale(zero=False), axis=alt.Axis(gridOpacity=0.06, tickCount=6))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y, tooltip=about)
    return base.mark_circle(size=60, opacity=0.75, color=ACCENT)


def _relations(figures: Figures) -> Chart | None:
    if figures.study is None or not figures.study.relations:
        return None
    ranked = [(one.measure, one.of, one) for one in figures.study.relations]
    what = "rank correlation of each measure with what people did"
    return _ranked(ranked, "relations", "Measures and people", what)


def _ratings(figures: Figures) -> Chart | None:
    ranked = [(one.measure, one.source, one) for one in figures.ratings.correlations if one.rating == "site_difficulty"]
    what = "rank correlation of each measure with people’s ratings of difficulty"
    return _ranked(ranked, "ratings", "People’s ratings", what) if ranked else None


def _ranked(
    ranked: Sequence[tuple[str, str, Agreement | Correlation | Relation]], name: str, title: str, what: str
) -> Chart:
    """Dots of rank correlations with their intervals: of a measure, by what it is held against."""
    rows = [
        {
            "measure": MEASURE_NAMES[measure], "source": source, "rho": one.rho, "low": one.low,
            "high": one.high, "puzzles": one.puzzles,
        }
        for measure, source, one in ranked
    ]  # fmt: skip
    order = list(dict.fromkeys(MEASURE_NAMES[measure] for measure, _, _ in ranked))
    sources = list(dict.fromkeys(source for _, source, _ in ranked))
    color = alt.Color(
        "source:N",
        scale=alt.Scale(domain=sources, range=SERIES[: len(sources)]),
        legend=alt.Legend() if len(sources) > 1 else None,
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y(
            "measure:N", sort=order, title=None, axis=alt.Axis(gridOpacity=0.06, labelLimit=180, labelOverlap=False)
        ),
        yOffset=alt.YOffset("source:N", sort=sources),
        color=color,
        tooltip=[
            "measure:N",
            "source:N",
            alt.Tooltip("rho:Q", format=".3f"),
            alt.Tooltip("low:Q", format=".3f", title="95 % from"),
            alt.Tooltip("high:Q", format=".3f", title="to"),
            alt.Tooltip("puzzles:Q", format=","),
        ],
    )
    x = alt.X(
        "low:Q",
        title="Spearman’s rho with its 95 % interval",
        scale=alt.Scale(domain=[-1, 1]),
        axis=alt.Axis(tickCount=5),
    )
    dots = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=x, x2="high:Q") + base.mark_circle(
        size=60, opacity=1
    ).encode(x="rho:Q")
    told = "; ".join(f"{row['measure']} ({row['source']}) {row['rho']:.2f}" for row in rows)
    words = f"Dots of the {what}: {told}."
    return chart_of(dots.properties(height=max(BAR, 10 * len(sources)) * len(order)), name, title, words)


def _rate(activity: Activity | None) -> Chart | None:
    if activity is None or not activity.tasks:
        return None
    words = (
        f"Steps of the puzzles finished a second while commands were at work: {number(activity.puzzles)} puzzles in "
        f"{seconds(activity.seconds)}, at best {number(round(activity.fastest))} a second."
    )
    return _moments(activity, "puzzles_a_second", "puzzles a second", "rate", "Puzzles a second", words)


def _workers(activity: Activity | None) -> Chart | None:
    if activity is None or not activity.tasks:
        return None
    share = "" if activity.busy is None else f" {100 * activity.busy:.1f} % of the time of {activity.cpus} CPUs."
    waited = f" Compiling kernels, {seconds(activity.compiling)}, is not drawn." if activity.compiling else ""
    words = f"Steps of the number of workers at work, on average in each stretch of time.{share}{waited}"
    return _moments(activity, "workers", "workers busy", "workers", "Workers busy", words)


def _moments(activity: Activity, field: str, axis: str, name: str, title: str, words: str) -> Chart:
    """A stepped area over the time at work; a change of command leaves a gap."""
    rows = [
        {"start": moment.start, "stop": moment.stop, "value": getattr(moment, field), "session": moment.session}
        for moment in activity.moments
    ]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect(color=ACCENT, opacity=0.75)
        .encode(
            x=alt.X(
                "start:Q", title="time at work", axis=alt.Axis(grid=False, labelExpr=CLOCK, tickCount=8),
                scale=alt.Scale(nice=False, domain=[0, activity.seconds]),
            ),
            x2="stop:Q",
            y=alt.Y("zero:Q", title=axis, axis=alt.Axis(tickCount=4, format="~s")),
            y2="value:Q",
            tooltip=[
                alt.Tooltip("value:Q", title=axis, format=",.1f"),
                alt.Tooltip("start:Q", title="from second", format=",.1f"),
                alt.Tooltip("stop:Q", title="to second", format=",.1f"),
                alt.Tooltip("session:N", title="command"),
            ],
        )
        .transform_calculate(zero="0")
        .properties(height=150)
    )  # fmt: skip
    if field == "workers" and activity.cpus:
        rule = alt.Chart(alt.InlineData(values=[{"cpus": activity.cpus}])).mark_rule(
            strokeDash=[4, 4], color="currentColor"
        )
        bars = (bars + rule.encode(y="cpus:Q")).properties(height=150)
    return chart_of(bars, name, title, words)


def _decades(rows: Iterable[dict[str, Any]]) -> list[float]:
    """The powers of ten around all starts and stops."""
    rows = list(rows)
    first, last = min(row["start"] for row in rows), max(row["stop"] for row in rows)
    return [10 ** math.floor(math.log10(first)), 10 ** math.ceil(math.log10(last))]


def _powers(low: float, high: float) -> list[float]:
    """The powers of ten from one number to another: ticks that read well."""
    return [10.0**k for k in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]


def _many() -> alt.Opacity:
    """The more puzzles, the fuller the colour."""
    legend = alt.Legend(title="puzzles", symbolFillColor=ACCENT, symbolStrokeWidth=0, format=",d", tickCount=3)
    return alt.Opacity("puzzles:Q", scale=alt.Scale(type="log", range=[0.2, 1]), legend=legend)


def _color(labels: Iterable[str], legend: bool = True) -> alt.Color:
    """Labels in their colours."""
    names = list(labels)
    scale = alt.Scale(domain=names, range=[label_color(label) for label in names])
    return alt.Color("label:N", scale=scale, legend=alt.Legend() if legend else None)


def _picked() -> alt.Parameter:
    """The verdict that is shown alone, as the buttons say that the page makes of the legend; null for all."""
    return alt.param(name=PICKED, value=None)


def _unless_another(shown: float = 1) -> Any:
    """Opaque, but where another verdict is shown alone."""
    return alt.condition(f"{PICKED} === null || {PICKED} === datum.label", alt.value(shown), alt.value(0.12))


def _place(labels: Iterable[str]) -> str:
    """Vega's expression for a label's place among them, the order in which bars are stacked."""
    return f"indexof({json.dumps(list(labels))}, datum.label)"


def time_words(field: str) -> str:
    """Vega's expression for the words of a time in a field."""
    return SECONDS.replace("datum.value", f"datum.{field}").replace("~r", ".3~r")


def chart_of(
    chart: alt.TopLevelMixin,
    name: str,
    title: str,
    description: str,
    filters: Mapping[str, str | Sequence[str]] | None = None,
    legend: Iterable[str] = (),
) -> Chart:
    """A chart for the page and for paper.

    filters  what a click on a mark asks of the page's browser: a filter, and the field of the mark's datum that has its
             word, or the two fields that have the ends of its range
    legend   verdicts that the page has buttons for, in place of Vega's own legend, which a keyboard can't reach
    """

    def spec(width: int | str, font: str, columns: int) -> dict[str, Any]:
        fit = alt.AutoSizeParams(type="fit-x", contains="padding")
        made: dict[str, Any] = chart.properties(width=width, description=description, autosize=fit).to_dict()
        del made["$schema"]  # an address, though nothing is ever loaded from it
        return made | {"config": CONFIG | {"font": font, "legend": CONFIG["legend"] | {"columns": columns}}}

    on_page = spec("container", PAGE_FONT, 1)
    on_page["usermeta"] = {"filters": dict(filters or {}), "legend": [[label, label_color(label)] for label in legend]}
    if on_page["usermeta"]["legend"]:
        for part in (on_page, *on_page.get("layer", ())):
            if "color" in part.get("encoding", {}):
                part["encoding"]["color"]["legend"] = None
    svg = vl_convert.vegalite_to_svg(spec(WIDTH, PAPER_FONT, WIDTH // LEGEND_COLUMN))
    return Chart(name, title, description, on_page, svg)
