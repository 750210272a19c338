"""What charts are drawn with."""

import altair as alt
import pytest
from census_figures import PAIRS

from nonocensus.reports.aggregate import figures
from nonocensus.reports.charts.encodings import ACCENT, READABLE, SERIES
from nonocensus.reports.charts.explorers import explorers
from nonocensus.reports.charts.report_charts import charts

LIGHT, DARK = ("#1d2329", "#ffffff"), ("#e4e7ea", "#181c20")
"""Ink and paper of the page."""

ENOUGH = 4.5
"""The contrast that text needs (WCAG 2, 1.4.3)."""


def channels(color: str) -> tuple[float, ...]:
    """Red, green and blue, 0 to 1."""
    return tuple(int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))


def luminance(color: tuple[float, ...]) -> float:
    """Return the relative luminance of WCAG 2."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(("ink", "paper"), [LIGHT, DARK])
@pytest.mark.parametrize("color", [ACCENT, SERIES[1]])
def test_numbers_of_the_matrix_can_be_read(color: str, ink: str, paper: str) -> None:
    """On the strongest cell of either sign; axe can't say so of text on a shape."""
    mixed = (
        READABLE * over + (1 - READABLE) * under for over, under in zip(channels(color), channels(paper), strict=True)
    )
    low, high = sorted((luminance(channels(ink)), luminance(tuple(mixed))))
    assert (high + 0.05) / (low + 0.05) >= ENOUGH


def test_specifications_fit_the_schema_of_vega_lite() -> None:
    specs = [chart.spec for chart in charts(figures(PAIRS))]
    assert len(specs) > 5
    for spec in (*specs, *explorers().values()):
        alt.Chart.from_dict(spec, validate=True)
