"""The report's charts: as Vega-Lite specifications for the page, as SVG for paper and Markdown.

Text takes its colour from its surroundings (`currentColor`), so that one picture suits light and dark.
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from reports.aggregate import Bin, Figures, Group
from reports.words import seconds

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
"""A colour for each label; all of them are visible on white and on black."""

OTHER_COLOR = "#8a9099"

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


def charts(figures: Figures) -> tuple[Chart, ...]:
    """The charts of a census, in the order labels, times, sizes; none for what it has no data about."""
    made = (_labels(figures), _times(figures), _sizes(figures))
    return tuple(chart for chart in made if chart)


def label_color(label: str) -> str:
    """The colour that stands for a label everywhere in the report."""
    return COLORS.get(label, OTHER_COLOR)


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
        tooltip=["label:N", alt.Tooltip("puzzles:Q", format=","), alt.Tooltip("share:Q", format=".2%")],
    )
    numbers = bars.mark_text(align="left", dx=6).encode(
        text=alt.Text("puzzles:Q", format=","), color=alt.value("currentColor")
    )
    chart = (bars.mark_bar(cornerRadiusEnd=3, height={"band": 0.72}) + numbers).properties(height=BAR * len(rows) + 8)
    words = ", ".join(f"{label} {puzzles:,}" for label, puzzles in figures.labels.items())
    return _made(chart, "labels", "Puzzles per verdict", f"Bars of the number of puzzles per verdict: {words}.")


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
    decades = [
        10 ** math.floor(math.log10(figures.histogram[0].start)),
        10 ** math.ceil(math.log10(figures.histogram[-1].stop)),
    ]
    picked = _picked()
    axis = alt.X(
        "start:Q",
        bin="binned",
        title="CPU time per puzzle",
        scale=alt.Scale(type="log", domain=decades, nice=False),
        axis=alt.Axis(grid=False, labelExpr=SECONDS, labelFlush=False, tickCount=8),
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
            opacity=alt.condition(picked, alt.value(1), alt.value(0.12)),
            tooltip=[
                "label:N",
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("all:Q", format=",", title="all labels"),
                alt.Tooltip("from:N"),
                alt.Tooltip("to:N"),
            ],
        )
        .transform_calculate(
            **{"place": _place(labels), "from": _time_words("start"), "to": _time_words("stop")},
        )
        .add_params(picked)
    )
    times = figures.times
    words = (
        f"Histogram of the CPU time per puzzle on a logarithmic axis, coloured by verdict: "
        f"median {seconds(times.median)}, 90 % within {seconds(times.p90)}, "
        f"99 % within {seconds(times.p99)}, longest {seconds(times.maximum)}."
    )
    chart = (bars + _few(figures.histogram)).properties(height=260)
    return _made(chart, "times", "CPU time per puzzle", words)


def _few(histogram: Sequence[Bin]) -> Any:
    """The numbers of puzzles over the bars that are too low to be seen: the slow puzzles are few, and the point."""
    low = max(bin_.puzzles for bin_ in histogram) / 50
    rows = [
        {"middle": math.sqrt(bin_.start * bin_.stop), "puzzles": bin_.puzzles}
        for bin_ in histogram
        if 0 < bin_.puzzles < min(low, 100)
    ]
    numbers = alt.Chart(alt.InlineData(values=rows)).encode(x="middle:Q", y="puzzles:Q", text="puzzles:Q")
    return numbers.mark_text(dy=-7, fontSize={"expr": "width < 480 ? 7 : 10"}, opacity=0.8)


def _sizes(figures: Figures) -> Chart | None:
    if not figures.sizes:
        return None
    rows = [
        {"size": group.name, "label": label, "puzzles": puzzles, "share": puzzles / group.puzzles}
        for group in figures.sizes
        for label, puzzles in group.labels.items()
        if puzzles
    ]
    picked = _picked()
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(height={"band": 0.78})
        .encode(
            y=alt.Y(
                "size:N",
                sort=[group.name for group in figures.sizes],
                title=None,
                axis=alt.Axis(grid=False, labelLimit=150),
            ),
            x=alt.X(
                "share:Q",
                stack="zero",
                title="share of puzzles, by their longer side in cells",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", tickCount=5),
            ),
            color=_color(figures.labels),
            order=alt.Order("place:Q"),
            opacity=alt.condition(picked, alt.value(1), alt.value(0.12)),
            tooltip=[
                "size:N",
                "label:N",
                alt.Tooltip("puzzles:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
        .transform_calculate(place=_place(figures.labels))
        .add_params(picked)
        .properties(height=BAR * len(figures.sizes) + 8)
    )
    return _made(bars, "sizes", "Verdicts by size", _sizes_in_words(figures.sizes))


def _sizes_in_words(sizes: Iterable[Group]) -> str:
    commonest = (f"{group.name}: {max(group.labels, key=lambda label: group.labels[label])}" for group in sizes)
    return f"Bars of the share of each verdict per size class. The commonest by longer side: {'; '.join(commonest)}."


def _color(labels: Iterable[str], legend: bool = True) -> alt.Color:
    """Labels in their colours."""
    names = list(labels)
    scale = alt.Scale(domain=names, range=[label_color(label) for label in names])
    return alt.Color("label:N", scale=scale, legend=alt.Legend() if legend else None)


def _picked() -> alt.Parameter:
    """A click on a word of the legend shows that label alone."""
    return alt.selection_point(fields=["label"], bind="legend")


def _place(labels: Iterable[str]) -> str:
    """Vega's expression for a label's place among them, the order in which bars are stacked."""
    return f"indexof({json.dumps(list(labels))}, datum.label)"


def _time_words(field: str) -> str:
    return SECONDS.replace("datum.value", f"datum.{field}").replace("~r", ".3~r")


def _made(chart: alt.TopLevelMixin, name: str, title: str, description: str) -> Chart:
    def spec(width: int | str, font: str, columns: int) -> dict[str, Any]:
        fit = alt.AutoSizeParams(type="fit-x", contains="padding")
        made: dict[str, Any] = chart.properties(width=width, description=description, autosize=fit).to_dict()
        del made["$schema"]  # an address, though nothing is ever loaded from it
        return made | {"config": CONFIG | {"font": font, "legend": CONFIG["legend"] | {"columns": columns}}}

    svg = vl_convert.vegalite_to_svg(spec(WIDTH, PAPER_FONT, WIDTH // LEGEND_COLUMN))
    return Chart(name, title, description, spec("container", PAGE_FONT, 1), svg)
