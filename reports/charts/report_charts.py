"""The charts of a report, in order; among them those of its run's activity, and those that the page draws itself."""

from typing import Any

import altair as alt

from nonocensus.reports.charts import cpu_times, measure_charts, verdicts
from nonocensus.reports.charts.chart import CONFIG, PAGE_FONT, Chart, chart_of, specification
from nonocensus.reports.charts.encodings import ACCENT, CLOCK, PUZZLES, count_axis, count_opacity
from nonocensus.reports.numbers.activity import Activity
from nonocensus.reports.numbers.figures import Figures
from nonocensus.reports.words.formatting import number, seconds


def charts(figures: Figures, activity: Activity | None = None) -> tuple[Chart, ...]:
    """Return the charts of a census and its run; those without data are left out."""
    made = (
        verdicts.labels(figures),
        verdicts.shares(figures, figures.sources, "sources", "Verdicts by source", "source"),
        verdicts.shares(figures, figures.sizes, "sizes", "Verdicts by size", "longer side in cells"),
        verdicts.shares(figures, verdicts.colored(figures), "colors", "Verdicts by colours", "colours"),
        verdicts.shares(
            figures, figures.densities, "densities", "Verdicts by density",
            "share of cells that are coloured",
        ),
        measure_charts.difficulties(figures),
        measure_charts.correlations(figures),
        verdicts.years(figures),
        cpu_times.times(figures),
        cpu_times.rung_times(figures),
        cpu_times.areas(figures),
        measure_charts.minutes(figures),
        measure_charts.grades(figures),
        measure_charts.grade_correlations(figures),
        measure_charts.ratings(figures),
        measure_charts.rating_boxes(figures),
        *((_rate(activity), _workers(activity)) if activity and activity.tasks else ()),
    )  # fmt: skip
    return tuple(chart for chart in made if chart)


def explorers() -> dict[str, dict[str, Any]]:
    """Return Vega-Lite specifications without data: histogram, dots, heat.

    The page adds rows (`start`, `stop`, `low`, `high`, `group`, `puzzles`; `from` and `to` in words; for dots `x`, `y`,
    `across`, `up` in words, `group`, `id`), titles, scales and colours. A brush filters the list.
    """
    base = alt.Chart(alt.InlineData(values=[]))
    color = alt.Color("group:N", scale=alt.Scale(domain=[], range=[]), legend=None)
    plain = alt.Axis(grid=False, tickCount=8, labelFlush=False)
    histogram = base.mark_bar(binSpacing=1).encode(
        x=alt.X("start:Q", bin="binned", title="", axis=plain),
        x2="stop:Q",
        y=alt.Y("puzzles:Q", stack="zero", title="puzzles", axis=count_axis()),
        color=color,
        tooltip=[alt.Tooltip("group:N", title="group"), PUZZLES, "from:N", "to:N"],
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
        opacity=count_opacity(),
        tooltip=[PUZZLES],
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


def _rate(activity: Activity) -> Chart:
    """Return puzzles per second over session time."""
    words = (
        f"Steps of the puzzles finished a second while commands were at work: {number(activity.puzzles)} puzzles in "
        f"{seconds(activity.seconds)}, at best {number(round(activity.fastest))} a second."
    )
    return _moments(activity, "puzzles_a_second", "puzzles per second", "rate", "Puzzles per second", words)


def _workers(activity: Activity) -> Chart:
    """Return busy workers over session time."""
    share = "" if activity.busy is None else f" {100 * activity.busy:.1f} % of the time of {activity.cpus} CPUs."
    waited = f" Compiling kernels, {seconds(activity.compiling)}, is not drawn." if activity.compiling else ""
    words = f"Steps of the number of workers at work, on average in each stretch of time.{share}{waited}"
    return _moments(activity, "workers", "workers busy", "workers", "Workers busy", words)


def _moments(activity: Activity, field: str, axis: str, name: str, title: str, words: str) -> Chart:
    """Return a stepped area over session time; a change of session leaves a gap."""
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
