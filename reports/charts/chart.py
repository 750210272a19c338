"""Charts as Vega-Lite specifications for the page and as SVG for paper.

Text has the colour of its surroundings (`currentColor`), so that an SVG suits light and dark themes.
"""

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import altair as alt
import vl_convert
from markupsafe import escape

from nonocensus.reports.words.formatting import label_color
from nonocensus.solver.jit.kernel_cache import cache_folder

WIDTH = 720
"""Width in pixels of a chart outside the page."""

LEGEND_COLUMN = 150
"""Width of a legend column in pixels."""

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
        "titleColor": "currentColor",
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
"""Fonts of equal widths, so that the measured layout fits elsewhere."""

SVG_STYLE = (
    "<style>svg{background:#fff;color:#1d2329}"
    "@media screen and (prefers-color-scheme:dark){svg{background:#15191d;color:#dfe3e6}}</style>"
)


NOT_DRAWN = re.compile(r' (?:(?:role|aria-[a-z]+)="[^"]*"|opacity="1"|font-family="[^"]*")')
"""Attributes for screen readers, of which the chart has one description instead, and those that all texts share."""

LONG_DECIMALS = re.compile(r"\d+\.\d{4,}")
"""Numbers with more decimals than can be seen."""

IDS = re.compile(r'\bid="|\burl\(#')
"""Prefix of an id, which must be unique in the page."""


class Chart(NamedTuple):
    """A chart for the page and for paper."""

    name: str
    title: str
    description: str  # for screen readers
    spec: dict[str, Any]  # Vega-Lite, as wide as its container; the page sets config.legend.columns
    svg: str  # WIDTH pixels wide, no background, in the text colour of its surroundings


def chart_of(
    chart: alt.TopLevelMixin,
    name: str,
    title: str,
    description: str,
    filters: Mapping[str, str | Sequence[str]] | None = None,
    legend: Iterable[str] = (),
) -> Chart:
    """Render a chart for the page and for paper.

    filters  filters of the page's browser that a click on a mark sets: the field of the datum with the word, or two
             fields with the ends of the range
    legend   verdicts with buttons, in place of Vega's own legend, which is not accessible by keyboard
    """
    made = specification(chart.properties(description=description))

    def spec(width: int | str, font: str, columns: int) -> dict[str, Any]:
        config = CONFIG | {"font": font, "legend": CONFIG["legend"] | {"columns": columns}}
        return made | {"width": width, "config": config}

    svg = vl_convert.vegalite_to_svg(spec(WIDTH, PAPER_FONT, WIDTH // LEGEND_COLUMN))
    svg = NOT_DRAWN.sub("", IDS.sub(rf"\g<0>{name}-", svg)).replace("<svg ", f'<svg font-family="{PAPER_FONT}" ', 1)
    svg = LONG_DECIMALS.sub(lambda number: f"{float(number[0]):.3f}", svg)
    on_page = spec("container", PAGE_FONT, 1)
    on_page["usermeta"] = {"filters": dict(filters or {}), "legend": [[label, label_color(label)] for label in legend]}
    if on_page["usermeta"]["legend"]:
        for part in (on_page, *on_page.get("layer", ())):
            if "color" in part.get("encoding", {}):
                part["encoding"]["color"]["legend"] = None
    return Chart(name, title, description, on_page, svg)


def specification(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """Return a chart as Vega-Lite that fits its width, without the URL of its schema; tests validate it."""
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    made: dict[str, Any] = chart.properties(autosize=fit).to_dict(validate=False)
    del made["$schema"]
    return made


def alone(chart: Chart) -> bytes:
    """Return a chart's SVG as a standalone file with colours for light and dark themes."""
    head, rest = chart.svg.split(">", 1)
    return f'{head} role="img" aria-label="{escape(chart.description)}">{SVG_STYLE}{rest}'.encode()


@cache
def script() -> str:
    """Return Vega bundled as one script that sets `vegaEmbed`, for offline pages.

    It is cached on disk: bundling takes a second.
    """
    folder = cache_folder()
    if folder is None:
        return _bundle()
    path = folder / f"vega-{version('vl-convert-python')}.js"
    if not path.exists():
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            unfinished.write_text(_bundle(), encoding="utf-8")
            unfinished.replace(path)
        except OSError:  # a full disk, or the read-only folder of an installation
            return _bundle()
        finally:
            unfinished.unlink(missing_ok=True)
    return path.read_text(encoding="utf-8")


def _bundle() -> str:
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
