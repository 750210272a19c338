"""The columns of the puzzle browser as data for its script: titles, how values are written, which are charted."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from nonocensus.reports.words.formatting import COLORS, MEANINGS, OTHER_COLOR, REGULARS
from nonocensus.reports.words.step_words import NO_STEP
from nonocensus.solver.model.measures import Computed, Place, shown_in

HEADLINES = ("minutes", "stars", "grade", "hardest", "technique", "cells")
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


def _columns() -> Iterator[BrowserColumn]:
    words = {"technique": "Solver’s technique", "hardest": "Technique for people", "engine": "Engine"}
    columns = {name: BrowserColumn(name, title) for name, title in words.items()}
    for measure in shown_in(Place.browser):
        title = measure.label[0].upper() + measure.label[1:]
        is_charted = Place.correlations in measure.shown or measure.computed == Computed.rated
        columns[measure.name] = BrowserColumn(measure.name, title, measure.unit, measure.digits, is_charted)
    yield from (BrowserColumn(name, "") for name in ("puzzle_id", "title", "author", "url", "width", "height", "label"))
    yield from (columns.pop(name) for name in HEADLINES)
    yield BrowserColumn("kind", "Kind", "kind")
    yield BrowserColumn("differing", "Cells that differ", "cells", is_charted=True)
    yield BrowserColumn("changed", "Cells to change", "cells", is_charted=True)
    yield BrowserColumn("goal_matches", "Author’s picture", "fits")
    yield from columns.values()
    yield BrowserColumn("source", "Source")
    yield BrowserColumn("copyright", "Copyright")
    yield BrowserColumn("license", "Licence")
    yield BrowserColumn("site_note", "The site’s verdict")
    yield BrowserColumn("status", "Status")
    yield from (BrowserColumn(name, "") for name in ("original", "how", "apart", "fixes"))


COLUMNS = tuple(_columns())
"""In the order of an opened puzzle's facts and of the CSV."""


def page_constants() -> dict[str, Any]:
    """Return what the pages' scripts take from the program: columns, verdicts, whose minutes are said, hints."""
    verdicts = {label: [color, MEANINGS[label]] for label, color in COLORS.items()}
    columns = [column._asdict() for column in COLUMNS]
    return {
        "columns": columns,
        "verdicts": verdicts,
        "otherColor": OTHER_COLOR,
        "regulars": REGULARS,
        "noStep": NO_STEP,
    }
