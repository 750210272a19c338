"""Solvers beside each other on the same puzzles: a curve each, puzzles along the axis, time on a log scale.

It is the chart of most comparisons of solvers, often called a cactus plot: the lower and longer a curve, the better.
"""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt

from reports.charts.chart import WIDTH, Chart, chart_of
from reports.charts.encodings import SECONDS, SERIES, time_words

LEAST = 1e-6
"""Seconds that a puzzle counts at least: a logarithm has no zero."""


class SolverTimes(NamedTuple):
    """A solver's times.

    solver    its name
    seconds   CPU time of each puzzle that it decided
    puzzles   how many it was given
    """

    solver: str
    seconds: Sequence[float]
    puzzles: int


def curves(several: Sequence[SolverTimes], title: str) -> Chart:
    """The chart of some solvers, the first in the strongest colour."""
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
            tooltip=["solver:N", alt.Tooltip("puzzles:Q", format=","), alt.Tooltip("time:N")],
        )
        .transform_calculate(time=time_words("seconds"))
        .properties(height=360)
    )
    told = "; ".join(
        f"{name}, slowest {max(times.seconds, default=0):.3g} s" for name, times in zip(names, several, strict=True)
    )
    words = f"For each solver the times of the puzzles that it decided, in order: {told}."
    return chart_of(lines, "times", title, words)
