"""Charts of measures of difficulty: distribution and correlations."""

import altair as alt

from nonocensus.reports.charts.chart import Chart, chart_of
from nonocensus.reports.charts.encodings import (
    ACCENT,
    BAR,
    PUZZLES,
    READABLE,
    SERIES,
    labels_of,
    stacked_histogram,
)
from nonocensus.reports.numbers.figures import Figures
from nonocensus.reports.words.formatting import MEASURE_NAMES, measure_name, number

NUMBER = 24
"""Width of a cell of the matrix in pixels that holds its number."""


def difficulties(figures: Figures) -> Chart | None:
    """Return a histogram of the difficulty, by verdict."""
    if not figures.difficulties:
        return None
    labels = labels_of(figures.difficulties, figures.labels)
    x = alt.X("start:Q", bin="binned", title="difficulty", axis=alt.Axis(grid=False, tickCount=8))
    ends = [alt.Tooltip(f"{end}:Q", format=".1f", title=title) for end, title in (("start", "from"), ("stop", "to"))]
    bars = stacked_histogram(figures.difficulties, labels, x, *ends).properties(height=220)
    most = max(figures.difficulties, key=lambda bin_: bin_.puzzles)
    words = (
        f"Histogram of the difficulty, coloured by verdict, from {figures.difficulties[0].start:g} to "
        f"{figures.difficulties[-1].stop:g}; the most puzzles, {number(most.puzzles)}, from {most.start:g} on."
    )
    filters: dict[str, str | list[str]] = {"difficulty": ["start", "stop"], "label": "label"}
    return chart_of(bars, "difficulties", "Difficulty", words, filters, labels)


def correlations(figures: Figures) -> Chart | None:
    """Return a matrix of the rank correlations of all pairs of measures."""
    if not figures.correlations:
        return None
    rows = [
        {
            "x": measure_name(x, one.source), "y": measure_name(y, one.source), "across": one.across, "down": one.down,
            "rho": one.rho, "puzzles": one.puzzles,
        }
        for one in figures.correlations
        for x, y in ((one.across, one.down), (one.down, one.across))
    ]  # fmt: skip
    sources = dict.fromkeys(one.source for one in figures.correlations)
    names = (measure_name(name, source) for name in MEASURE_NAMES for source in sources)
    there = {row["x"] for row in rows}
    order = [name for name in dict.fromkeys(names) if name in there]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "x:N", sort=order, title=None, axis=alt.Axis(grid=False, labelAngle=-45, labelLimit=130, labelOverlap=False)
        ),
        y=alt.Y("y:N", sort=order, title=None, axis=alt.Axis(grid=False, labelLimit=160, labelOverlap=False)),
        tooltip=[
            alt.Tooltip("x:N", title="of"),
            alt.Tooltip("y:N", title="with"),
            alt.Tooltip("rho:Q", format=".3f"),
            PUZZLES,
        ],
    )
    sign = alt.Scale(domain=["positive", "negative"], range=[ACCENT, SERIES[1]])
    cells = (
        base.mark_rect()
        .encode(
            color=alt.Color("sign:N", scale=sign, legend=alt.Legend()),
            opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, READABLE]), legend=None),
        )
        .transform_calculate(sign="datum.rho < 0 ? 'negative' : 'positive'", strength="abs(datum.rho)")
    )
    numbers = base.mark_text(fontSize=10, opacity={"expr": f"width < {NUMBER * len(order)} ? 0 : 1"}).encode(
        text=alt.Text("rho:Q", format=".2f")
    )
    strongest = max(figures.correlations, key=lambda one: abs(one.rho))
    words = (
        f"Matrix of the rank correlations of {len(order)} measures. The strongest: "
        f"{measure_name(strongest.across, strongest.source)} with {measure_name(strongest.down, strongest.source)}, "
        f"{strongest.rho:.2f}."
    )
    return chart_of((cells + numbers).properties(height=BAR * len(order)), "correlations", "Measures together", words)
