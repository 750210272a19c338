"""Charts of measures of difficulty: distribution and correlations; people's minutes, grades and ratings."""

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

from nonocensus.reports.charts.chart import Chart, chart_of
from nonocensus.reports.charts.encodings import (
    ACCENT,
    BAR,
    GRADE_COLORS,
    PUZZLES,
    READABLE,
    SERIES,
    counted_bars,
    labels_of,
    stacked_histogram,
)
from nonocensus.reports.numbers.figures import Figures
from nonocensus.reports.numbers.rating_correlations import (
    DIFFICULTY_RATINGS,
    RATING_NAMES,
    GradeCorrelation,
    MeasureCorrelation,
    RatingCorrelation,
)
from nonocensus.reports.numbers.row_classes import MINUTES_NAMES
from nonocensus.reports.words.formatting import (
    MEASURE_NAMES,
    NO_BREAK,
    count_text,
    measure_name,
    number,
    rating,
    validated_words,
)

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
            "rho": one.rho, "puzzles": one.puzzles, "sample": _sample(one),
            "number": f"{one.rho:.2f}{'*' if one.in_sample else ''}",
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
            *[alt.Tooltip("sample:N")] * any(one.in_sample for one in figures.correlations),
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
        text=alt.Text("number:N")
    )
    strongest = max(figures.correlations, key=lambda one: abs(one.rho))
    words = (
        f"Matrix of the rank correlations of {len(order)} measures. The strongest: "
        f"{measure_name(strongest.across, strongest.source)} with {measure_name(strongest.down, strongest.source)}, "
        f"{strongest.rho:.2f}{', in-sample' if strongest.in_sample else ''}."
    )
    return chart_of((cells + numbers).properties(height=BAR * len(order)), "correlations", "Measures together", words)


LEGEND_COLUMNS = 5
"""Columns of the legend, few enough for a phone."""


def grades(figures: Figures) -> Chart | None:
    """Bars of puzzles by the hardest technique needed, coloured by grade."""
    if figures.grades is None:
        return None
    graded = figures.grades.graded
    rows = [
        {"technique": name, "grade": grade.grade, "puzzles": puzzles, "share": puzzles / graded}
        for grade in figures.grades.grades
        for name, puzzles in grade.techniques.items()
    ]
    legend = alt.Legend(title="grade", values=[grade.grade for grade in figures.grades.grades], columns=LEGEND_COLUMNS)
    scale = alt.Scale(domain=list(range(1, len(GRADE_COLORS) + 1)), range=GRADE_COLORS)
    color = alt.Color("grade:O", scale=scale, legend=legend)
    chart = counted_bars(rows, "technique", color, "technique:N", "grade:O")
    summary = ", ".join(f"{row['technique']} {row['puzzles']:,}" for row in rows)
    words = f"Bars of the number of puzzles by the hardest technique that a person needs for them: {summary}."
    return chart_of(chart, "grades", "Difficulty for people", words, {"hardest": "technique"})


def minutes(figures: Figures) -> Chart | None:
    """Bars of puzzles by the minutes that they take people."""
    if figures.grades is None or not figures.grades.minutes:
        return None
    counts = figures.grades.minutes
    total = sum(counts.values())
    rows = [{"time": name, "puzzles": puzzles, "share": puzzles / total} for name, puzzles in counts.items()]
    summary = ", ".join(f"{name} {puzzles:,}" for name, puzzles in counts.items())
    words = f"Bars of the number of puzzles by the minutes that they are estimated to take people: {summary}."
    chart = counted_bars(rows, "time", alt.value(SERIES[0]), "time:N")
    return chart_of(chart, "minutes", "Minutes for people", words, {"duration": "time"})


def grade_correlations(figures: Figures) -> Chart | None:
    """Rank correlations of each measure with minutes and grade for people."""
    if figures.grades is None or not figures.grades.agreements:
        return None
    ranked = [(one.measure, one.of, one) for one in figures.grades.agreements]
    what = "the minutes, and of the grade, for people"
    return _correlation_dots(ranked, "agreements", "Other measures", f"rank correlation of each measure with {what}")


def ratings(figures: Figures) -> Chart | None:
    """Rank correlations of each measure with people’s solving times and ratings of difficulty."""
    ranked = [
        (one.measure, _series(one.source, one.rating), one)
        for one in figures.ratings.correlations
        if one.rating in DIFFICULTY_RATINGS
    ]
    what = "rank correlation of each measure with people’s solving times and ratings of difficulty"
    return _correlation_dots(ranked, "ratings", "People’s ratings", what) if ranked else None


def rating_boxes(figures: Figures) -> Chart | None:
    """Box plots of people's ratings by the minutes that we estimate, by site."""
    boxes = figures.rating_boxes
    if not boxes:
        return None
    correlated = {(one.source, one.rating): one for one in figures.ratings.correlations if one.measure == "minutes"}
    rows = [
        {
            "source": box.source, "rating": RATING_NAMES[box.rating], "minutes": box.minutes, "puzzles": box.puzzles,
            "series": _series(box.source, box.rating),
            **dict(zip(("p10", "p25", "p50", "p75", "p90"), box.quantiles, strict=True)),
            **dict(zip(("rank10", "rank25", "rank50", "rank75", "rank90"), box.ranks, strict=True)),
            "median": rating(box.quantiles[2], box.rating),
        }
        for box in boxes
    ]  # fmt: skip
    series = {_series(*pair): _correlation_words(one) for pair, one in correlated.items()}
    names = list(dict.fromkeys(_series(box.source, box.rating) for box in boxes))
    classes = [name for name in MINUTES_NAMES if any(box.minutes == name for box in boxes)]
    legend = alt.Legend(columns=1, labelLimit=0, rowPadding=10, labelExpr=f"{json.dumps(series)}[datum.label]")
    axis = alt.Axis(grid=False, labelAngle=-40, labelOverlap=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("minutes:O", sort=classes, title="estimated time", axis=axis),
        xOffset=alt.XOffset("series:N", sort=names),
        color=alt.Color("series:N", scale=alt.Scale(domain=names, range=SERIES[: len(names)]), legend=legend),
        tooltip=[
            "source:N",
            "rating:N",
            alt.Tooltip("minutes:O", title="estimated time"),
            PUZZLES,
            alt.Tooltip("median:N", title="median rating"),
            alt.Tooltip("rank50:Q", format=".0%", title="its rank"),
        ],
    )
    y = alt.Y(
        "rank10:Q",
        title="rank of people’s rating at its site",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    boxed = (
        base.mark_rule(strokeWidth=1.5).encode(y=y, y2="rank90:Q")
        + base.mark_bar(opacity=1, width={"band": 0.8}).encode(y="rank25:Q", y2="rank75:Q")
        + base.mark_tick(thickness=2, width={"band": 0.8}).encode(y="rank50:Q", color=alt.value("currentColor"))
    )
    summary = "; ".join(f"{row['series']}, {row['minutes']}: median {row['median']}" for row in rows)
    words = (
        "Box plots of people’s ratings by the minutes that we estimate, by site, with whiskers from 10 to 90 %: "
        f"{summary.replace(NO_BREAK, ' ')}."
    )
    filters = {"duration": "minutes", "source": "source"}
    return chart_of(boxed.properties(height=320), "rating-minutes", "Rating against minutes, by site", words, filters)


def _series(source: str, column: str) -> str:
    return f"{source}, {RATING_NAMES[column]}"


def _correlation_words(one: RatingCorrelation) -> list[str]:
    """Return the name of a series and its correlation, as lines of a legend, short enough for a phone."""
    partial = "" if one.partial is None else f"; {one.partial:.2f} given size"
    lines = [_series(one.source, one.rating), f"rho {one.rho:.2f}{partial}"]
    if one.in_sample:
        lines += ["in-sample: fitted to these", "cross-validated rho:", validated_words(one, "rho")]
    return [*lines, count_text(one.puzzles, "puzzle")]


def _sample(one: RatingCorrelation | MeasureCorrelation) -> str:
    """Return what the tooltip of a correlation says about its sample."""
    return f"in-sample; cross-validated {validated_words(one, 'rho')}" if one.in_sample else "not fitted"


def _correlation_dots(
    ranked: Sequence[tuple[str, str, GradeCorrelation | RatingCorrelation]], name: str, title: str, what: str
) -> Chart:
    """Dots of rank correlations with their intervals, by measure and series."""
    rows: list[dict[str, Any]] = []
    for measure, source, one in ranked:
        row = {"measure": MEASURE_NAMES[measure], "source": source, "rho": one.rho, "low": one.low, "high": one.high}
        if isinstance(one, RatingCorrelation):
            row |= {"within": one.within, "sample": _sample(one), "fitted": one.in_sample}
            row |= {kind: found.within_sizes for kind, found in one.validated.items()}
        rows.append(row | {"puzzles": one.puzzles})
    has_within = any(row.get("within") is not None for row in rows)
    has_fitted = any(row.get("fitted") for row in rows)
    validated = [kind for kind in ("mono", "color") if any(kind in row for row in rows)]
    order = list(dict.fromkeys(MEASURE_NAMES[measure] for measure, _, _ in ranked))
    sources = list(dict.fromkeys(source for _, source, _ in ranked))
    color = alt.Color(
        "source:N",
        scale=alt.Scale(domain=sources, range=SERIES[: len(sources)]),
        legend=alt.Legend(columns=1, labelLimit=0) if len(sources) > 1 else None,
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
            PUZZLES,
            *[alt.Tooltip("sample:N")] * has_fitted,
        ],
    )
    x = alt.X(
        "low:Q",
        title=[  # lines for phones
            "rho over all sizes, 95 % interval",
            *["rings: within sizes"] * has_within,
            *["crosses: in-sample, fitted to these ratings"] * has_fitted,
            *["diamonds: cross-validated, within sizes"] * bool(validated),
        ],
        scale=alt.Scale(domain=[-1, 1]),
        axis=alt.Axis(tickCount=5),
    )
    rules = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=x, x2="high:Q")
    dots = rules + base.mark_circle(size=60, opacity=1).encode(x="rho:Q").transform_filter("!datum.fitted")
    if has_fitted:
        crosses = base.mark_point(size=60, opacity=1, shape="cross", filled=True).encode(x="rho:Q")
        dots += crosses.transform_filter("datum.fitted")
    for kind in validated:
        diamonds = base.mark_point(size=60, opacity=1, shape="diamond", filled=False).encode(x=f"{kind}:Q")
        dots += diamonds.transform_filter(f"datum.{kind} != null")
    if has_within:
        dots += (
            base.mark_point(size=60, opacity=1, filled=False)
            .encode(x="within:Q")
            .transform_filter("datum.within != null")
        )
    summary = "; ".join(
        f"{row['measure']} ({row['source']}) {row['rho']:.2f}{' ' + row['sample'] if row.get('fitted') else ''}"
        for row in rows
    )
    words = f"Dots of the {what}: {summary}."
    return chart_of(dots.properties(height=max(BAR, 10 * len(sources)) * len(order)), name, title, words)
