"""A chart: for the page as a Vega-Lite specification, for paper and Markdown as SVG.

Text takes its colour from its surroundings (`currentColor`), so that one picture suits light and dark.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from reports.formatting import label_color

WIDTH = 720
"""Pixels of a chart that can't ask for the width of its page."""

LEGEND_COLUMN = 150
"""Pixels that a column of the legend takes."""

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
"""These share their widths, so that what is measured here fits elsewhere."""

SVG_STYLE = (
    "<style>svg{background:#fff;color:#1d2329}"
    "@media screen and (prefers-color-scheme:dark){svg{background:#15191d;color:#dfe3e6}}</style>"
)


class Chart(NamedTuple):
    """A chart, for the page and for paper."""

    name: str
    title: str
    description: str  # what it shows, in words
    spec: dict[str, Any]  # Vega-Lite, as wide as its container; whoever draws it sets config.legend.columns
    svg: str  # WIDTH pixels wide, without a background, in the colour of the text around it


def chart_of(
    chart: alt.TopLevelMixin,
    name: str,
    title: str,
    description: str,
    filters: Mapping[str, str | Sequence[str]] | None = None,
    legend: Iterable[str] = (),
) -> Chart:
    """A chart for the page and for paper.

    filters  what a click on a mark asks of the page's browser: a filter, and the field of the mark's datum that has its
             word, or the two fields that have the ends of its range
    legend   verdicts that the page has buttons for, in place of Vega's own legend, which a keyboard can't reach
    """

    def spec(width: int | str, font: str, columns: int) -> dict[str, Any]:
        fit = alt.AutoSizeParams(type="fit-x", contains="padding")
        made: dict[str, Any] = chart.properties(width=width, description=description, autosize=fit).to_dict()
        del made["$schema"]  # an address, though nothing is ever loaded from it
        return made | {"config": CONFIG | {"font": font, "legend": CONFIG["legend"] | {"columns": columns}}}

    on_page = spec("container", PAGE_FONT, 1)
    on_page["usermeta"] = {"filters": dict(filters or {}), "legend": [[label, label_color(label)] for label in legend]}
    if on_page["usermeta"]["legend"]:
        for part in (on_page, *on_page.get("layer", ())):
            if "color" in part.get("encoding", {}):
                part["encoding"]["color"]["legend"] = None
    svg = vl_convert.vegalite_to_svg(spec(WIDTH, PAPER_FONT, WIDTH // LEGEND_COLUMN))
    return Chart(name, title, description, on_page, svg)


def alone(svg: str) -> bytes:
    """A chart's SVG as a file of its own, which brings colours for light and for dark."""
    head, rest = svg.split(">", 1)
    return f"{head}>{SVG_STYLE}{rest}".encode()


@cache
def script() -> str:
    """Vega with its parts as one script that sets `vegaEmbed`: with it a page draws its charts without any network."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
