"""Charts of a run's activity: puzzles per second, and busy workers."""

import altair as alt

from nonocensus.reports.activity import Activity
from nonocensus.reports.charts.chart import Chart, chart_of
from nonocensus.reports.charts.encodings import ACCENT, CLOCK
from nonocensus.reports.formatting import number, seconds


def rate(activity: Activity | None) -> Chart | None:
    """Return puzzles per second over session time."""
    if activity is None or not activity.tasks:
        return None
    words = (
        f"Steps of the puzzles finished a second while commands were at work: {number(activity.puzzles)} puzzles in "
        f"{seconds(activity.seconds)}, at best {number(round(activity.fastest))} a second."
    )
    return _moments(activity, "puzzles_a_second", "puzzles a second", "rate", "Puzzles a second", words)


def workers(activity: Activity | None) -> Chart | None:
    """Busy workers over session time."""
    if activity is None or not activity.tasks:
        return None
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
