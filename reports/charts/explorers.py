"""Charts that the page draws of the puzzles in its list."""

from typing import Any

import altair as alt

from nonocensus.reports.charts.chart import CONFIG, PAGE_FONT, specification
from nonocensus.reports.charts.encodings import ACCENT, many


def explorers() -> dict[str, dict[str, Any]]:
    """Return Vega-Lite specifications without data: histogram, dots, heat.

    The page adds rows (`start`, `stop`, `low`, `high`, `group`, `puzzles`; `from` and `to` in words; for dots `x`, `y`,
    `across`, `up` in words, `group`, `id`), titles, scales and colours. A brush filters the list.
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
        tooltip=[alt.Tooltip("group:N", title="group"), count, "from:N", "to:N"],
    )  # fmt: skip
    dots = base.mark_circle(size=28, opacity=0.6).encode(
        x=alt.X("x:Q", title="", axis=plain, scale=alt.Scale(zero=False)),
        y=alt.Y("y:Q", title="", axis=alt.Axis(tickCount=6), scale=alt.Scale(zero=False)),
        color=color,
        tooltip=[alt.Tooltip("id:N", title="puzzle"), alt.Tooltip("group:N", title="group"),
                 "across:N", "up:N"],
    )  # fmt: skip
    heat = base.mark_rect(color=ACCENT).encode(
        x=alt.X("start:Q", bin="binned", title="", axis=plain),
        x2="stop:Q",
        y=alt.Y("low:Q", bin="binned", title="", axis=alt.Axis(tickCount=6)),
        y2="high:Q",
        opacity=many(),
        tooltip=[count],
    )
    brushes = {
        "histogram": histogram.add_params(alt.selection_interval(name="brush", encodings=["x"])),
        "dots": dots.add_params(alt.selection_interval(name="brush")),
        "heat": heat.add_params(alt.selection_interval(name="brush")),
    }
    return {
        name: specification(chart.properties(width="container", height=260)) | {"config": CONFIG | {"font": PAGE_FONT}}
        for name, chart in brushes.items()
    }
