"""Charts of how hard puzzles are for people."""

import altair as alt

from reports.charts.chart import Chart, chart_of
from reports.charts.encodings import BAR, GRADE_COLORS
from reports.figures import Figures

LEGEND_COLUMNS = 5
"""Grades side by side in the legend, so that a phone has room for them."""


def grades(figures: Figures) -> Chart | None:
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
    legend = alt.Legend(title="grade", values=[grade.grade for grade in figures.grades.grades], columns=LEGEND_COLUMNS)
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
