"""Charts of how hard puzzles are for people: grades, and the times of a study."""

import math
from typing import Any

import altair as alt

from reports.charts.chart import Chart, chart_of
from reports.charts.encodings import ACCENT, BAR, CLOCK, CLOCK_TICKS, GRADE_COLORS
from reports.figures import Figures
from reports.words import number, seconds

GOLDEN = (math.sqrt(5) - 1) / 2
"""Its multiples, less their whole part, lie apart from each other, however many there are."""

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


def solving(figures: Figures) -> Chart | None:
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
