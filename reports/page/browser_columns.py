"""The columns of the puzzle browser as data for its script: titles, how values are written, which are charted."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from nonocensus.reports.words.formatting import COLORS, MEANINGS, OTHER_COLOR
from nonocensus.solver.model.measures import Computed, Measure, Place, shown_in

HEADLINES = ("minutes", "stars", "grade", "hardest", "technique", "cpu_seconds", "engine")
"""The first facts of an opened puzzle."""


class BrowserColumn(NamedTuple):
    """A column of the browser's table.

    name        of the column
    title       in charts and tables; empty if the CSV has the column, but neither an opened puzzle nor the list
    unit        how facts.js writes a value (`FORMATS`): text, s, share, ...; other units are plain numbers
    digits      decimals of a number
    is_charted  whether its values can be drawn as a chart
    """

    name: str
    title: str
    unit: str = "text"
    digits: int = 0
    is_charted: bool = False


def _exported(*names: str) -> Iterator[BrowserColumn]:
    return (BrowserColumn(name, "") for name in names)


def _fact(name: str, title: str, unit: str = "text", is_charted: bool = False) -> BrowserColumn:
    return BrowserColumn(name, title, unit, is_charted=is_charted)


def _measured(measure: Measure) -> BrowserColumn:
    label = measure.label
    is_charted = Place.correlations in measure.shown or measure.computed == Computed.rated
    return BrowserColumn(measure.name, label[0].upper() + label[1:], measure.unit, measure.digits, is_charted)


def _columns() -> Iterator[BrowserColumn]:
    facts = {
        "technique": _fact("technique", "Technique"),
        "hardest": _fact("hardest", "Technique for people"),
        "engine": _fact("engine", "Engine"),
    }
    measures = {measure.name: _measured(measure) for measure in shown_in(Place.browser)}
    yield from _exported("puzzle_id", "title", "author", "url", "width", "height", "label")
    yield from ((facts | measures)[name] for name in HEADLINES)
    yield _fact("kind", "Kind")
    yield from (column for name, column in measures.items() if name not in HEADLINES)
    yield _fact("differing", "Cells that differ", "cells", is_charted=True)
    yield _fact("goal_matches", "Author’s picture", "fits")
    yield _fact("source", "Source")
    yield _fact("copyright", "Copyright")
    yield _fact("license", "Licence")
    yield _fact("site_note", "The site’s verdict")
    yield _fact("status", "Status")
    yield from _exported("original", "likeness", "apart", "fixes")


COLUMNS = tuple(_columns())
"""In the order of an opened puzzle's facts and of the CSV."""


def page_constants() -> dict[str, Any]:
    """Return what the pages' scripts take from the program: columns, and the colours and meanings of verdicts."""
    columns = [
        {
            "name": column.name,
            "title": column.title,
            "unit": column.unit,
            "digits": column.digits,
            "isCharted": column.is_charted,
        }
        for column in COLUMNS
    ]
    verdicts = {label: [color, MEANINGS[label]] for label, color in COLORS.items()}
    return {"columns": columns, "verdicts": verdicts, "otherColor": OTHER_COLOR}
