"""The report of a run: a self-contained HTML page, and the figures as JSON.

Titles, authors and reasons are untrusted input. Jinja escapes them; only what this program makes itself is `Markup`. A
content security policy allows the page's own scripts, by hash, and no requests.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from markupsafe import Markup

from nonocensus.reports.charts.chart import alone, script
from nonocensus.reports.charts.report_charts import charts, explorers
from nonocensus.reports.charts.verdicts import colored
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.numbers.activity import Activity
from nonocensus.reports.numbers.aggregate import TECHNIQUES as TECHNIQUES_OF_LADDER
from nonocensus.reports.numbers.aggregate import figures_of, to_plain
from nonocensus.reports.numbers.attention import FEW_CELLS, DuplicatePuzzle
from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.derived_measures import DERIVED
from nonocensus.reports.numbers.duplicates import find_repeated
from nonocensus.reports.numbers.figures import Certified, Figures
from nonocensus.reports.numbers.issues import fixes, letters
from nonocensus.reports.numbers.joined_columns import GRADED, NO_GRADES, NO_MENDINGS, with_sources
from nonocensus.reports.numbers.row_classes import Rows
from nonocensus.reports.numbers.row_pictures import (
    PICTURES,
    Row,
    cells_of,
    colors_of,
    known_pictures,
    nearest_image,
    nearest_picture,
)
from nonocensus.reports.numbers.row_view import DRAWN
from nonocensus.reports.numbers.time_figures import published_times
from nonocensus.reports.page import browser
from nonocensus.reports.page.browser_columns import page_constants
from nonocensus.reports.page.page_scripts import content_hash, join_modules
from nonocensus.reports.page.templating import environment, source
from nonocensus.reports.words import formatting
from nonocensus.reports.words.citation import cite
from nonocensus.reports.words.formatting import label_color, minutes_text
from nonocensus.solver.model.tables import RESULTS

BY_LINE = ("trivial unique line", "unique line")
"""Labels of puzzles that line logic solves."""


RUNG_FILTERS = {
    **{technique: [("technique", technique), ("solutions", "unique")] for technique in TECHNIQUES_OF_LADDER},
    "several solutions": [("issues", "ambiguous")],
    "no solution": [("issues", "contradictory")],
    "undecided": [("issues", "undecided")],
}
"""Filters of the page's browser that select the puzzles of a rung."""


PUZZLES_FILE = "puzzles.parquet"
"""File of the puzzles that the page shows, with verdicts and measures, without clues and pictures."""

LETTERS_FILE = "letters.zip"
"""Archive of what each author has to fix, a text file each."""


class RunDetails(NamedTuple):
    """What a report says about its run; values that are None are left out."""

    run_id: str | None = None
    puzzles: int | None = None  # of the run, classified or not
    configuration: Mapping[str, Any] | None = None
    versions: Mapping[str, str] | None = None
    started: datetime | str | None = None  # text: ISO 8601
    finished: datetime | str | None = None
    hosts: Sequence[str] | None = None
    worker_cpu_seconds: float | None = None  # summed over workers
    kernel_share: float | None = None  # share of it spent in kernels, 0 to 1
    activity: Activity | None = None
    certificates: Certified | None = None


class Card(NamedTuple):
    """A headline figure."""

    value: str
    name: str
    note: str
    color: str | None = None  # of its verdict, if any
    filters: tuple[tuple[str, str], ...] | None = None  # of the page's browser that select its puzzles; None: no link


def write_report(
    pairs: Iterable[tuple[Rows, Rows]],
    about: RunDetails | None = None,
    public: bool = False,
    mendings: pa.Table = NO_MENDINGS,
    grades: pa.Table = NO_GRADES,
    duplicates: pa.Table | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> dict[str, bytes]:
    """Return the report's files by name: report.html and .json, puzzles.parquet, letters.zip, charts as SVG.

    pairs, public, mendings, grades   as for `take_census`
    duplicates                        of the schema DUPLICATES (default: equal canonical hashes among the puzzles shown)
    """
    about = about or RunDetails()
    census = take_census(pairs, public, mendings, grades, connection)
    repeats = find_repeated(census.shown) if duplicates is None else duplicates
    figures = figures_of(census, repeats)
    counts = {issue.name: issue.puzzles for issue in figures.attention.issues}
    reasons = {one.puzzle_id: one.why for one in figures.attention.contradictory}
    drawn = charts(figures, about.activity)
    version = (about.versions or {}).get("nonocensus", "")
    content = {
        "figures": figures,
        "about": about,
        "public": public,
        "published": published_times(figures),
        "colored": colored(figures),
        "few_cells": FEW_CELLS,
        "issue_counts": counts,
        "site_marks": _site_marks(counts) if figures.claims and "ambiguous" in counts else "",
        "measures": _measures(graded=figures.grades is not None),
        "facts": _facts(about),
        "settings": {
            name: value if isinstance(value, str) else json.dumps(to_plain(value), ensure_ascii=False, default=str)
            for name, value in (about.configuration or {}).items()
        },
        "citation": cite(about.run_id, str(about.finished or ""), version) if about.run_id else "",
        "cards": _cards(figures),
        "rung_filters": RUNG_FILTERS,
        "charts": {chart.name: chart for chart in drawn},
        "mended": _mended_drawings(census.shown, [one.puzzle_id for one in figures.attention.ambiguous if one.change]),
        "near": _near_drawings(census.shown, figures.attention.twins),
        "browser": browser.payload(census.shown, repeats) if len(census.shown) else None,
    }
    return {
        "report.html": _html(content, drawings(census.shown, _named_puzzles(figures))),
        "report.json": _json({"about": about, "figures": figures}),
        **{f"report-{chart.name}.svg": alone(chart) for chart in drawn},
        PUZZLES_FILE: _parquet(census.shown.drop_columns([*DRAWN, "place"])),
        LETTERS_FILE: _zip(letters(census.shown, fixes(census.shown, repeats, to_author=True, reasons=reasons))),
    }


def _site_marks(counts: Mapping[str, int]) -> str:
    """Say how many ambiguous puzzles their sites mark: "The site marks 529 of the 530 already; 1 is new."."""
    ambiguous, marked, new = (counts.get(name, 0) for name in ("ambiguous", "marked ambiguous", "unmarked ambiguous"))
    text = f"The site marks {formatting.number(marked)} of the {formatting.number(ambiguous)} already"
    if new:
        text += f"; {formatting.number(new)} {'is' if new == 1 else 'are'} new"
    if silent := ambiguous - marked - new:
        text += f"; of {formatting.number(silent)} it says nothing"
    return f"{text}."


def _cards(figures: Figures) -> tuple[Card, ...]:
    """Return the headline figures; verdicts without puzzles are left out."""
    total = figures.total
    unique, several, none = (figures.solutions.get(word, 0) for word in ("unique", "multiple", "none"))
    by_line = [("label", label) for label in BY_LINE]
    harder = [("label", label) for label in figures.labels if label.startswith("unique") and label not in BY_LINE]
    verdicts = (
        (figures.unique_by_line, "unique by line logic", "unique line", by_line),
        (unique - figures.unique_by_line, "unique, but harder", "unique depth-2", harder),
        (several, "with several solutions", "multiple", [("issues", "ambiguous")]),
        (none, "without a solution", "contradiction", [("issues", "contradictory")]),
        (total - unique - several - none - figures.failed, "undecided", "timeout", [("issues", "undecided")]),
        (figures.failed, "invalid or failed", "invalid", [("issues", "invalid or failed")]),
    )
    names = [group.name for group in figures.sources]
    origin = ", ".join(names) if len(names) <= 3 else f"from {len(names)} sources"
    cards = [Card(formatting.number(total), "puzzle" if total == 1 else "puzzles", origin, filters=())]
    cards += [
        Card(formatting.number(puzzles), name, formatting.share(puzzles, total), label_color(label), tuple(filters))
        for puzzles, name, label, filters in verdicts
        if puzzles
    ]
    if figures.grades and figures.grades.quartiles:
        low, middle, high = map(minutes_text, figures.grades.quartiles)
        note = f"estimated; half take {low} to {high}" if low != high else "estimated"
        cards.append(Card(middle, "median time for people", note, filters=(("sort", "minutes"),)))
    return tuple(cards)


def _facts(about: RunDetails) -> dict[str, str]:
    """Return facts about the run, besides its configuration, in words."""
    versions = about.versions or {}
    activity = about.activity
    known = {
        "Run": about.run_id,
        "Solver": versions.get("nonocensus"),
        "Started": _moment(about.started),
        "Finished": _moment(about.finished),
        "Commands": activity and formatting.number(activity.sessions),
        "Time at work": activity and formatting.seconds(activity.seconds),
        "Hosts": ", ".join(about.hosts or ()),
        "CPUs": activity and activity.cpus and formatting.number(activity.cpus),
        "Workers busy": activity and activity.busy and formatting.share(activity.busy),
        "Compiling kernels": activity and activity.compiling and formatting.seconds(activity.compiling),
        "Puzzles per second": activity and formatting.number(round(activity.puzzles / activity.seconds)),
        "... at best": activity and formatting.number(round(activity.fastest)),
        "Tasks": activity and formatting.number(activity.tasks),
        "Tasks lost": activity and ", ".join(f"{count} {kind}" for kind, count in activity.lost.items()),
        "CPU time of the workers": about.worker_cpu_seconds and formatting.seconds(about.worker_cpu_seconds),
        "Spent in the kernels": about.kernel_share and formatting.share(about.kernel_share),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items() if name != "nonocensus"),
    }
    return {name: value for name, value in known.items() if value}


def _moment(moment: datetime | str | None) -> str | None:
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M:%S %Z}".strip()


def _measures(graded: bool) -> list[dict[str, str]]:
    """Return name, definition and source of each measure, of grades if there are any."""
    fields = with_sources([*RESULTS, *DERIVED, *(GRADED if graded else ())])
    return [
        {
            "name": field.name,
            "definition": field.metadata[b"description"].decode(),
            "source": field.metadata[b"source"].decode(),
        }
        for field in fields
        if b"source" in field.metadata
    ]


def _named_puzzles(figures: Figures) -> list[str | None]:
    """Return the ids of puzzles that the page draws outside its browser."""
    found = figures.attention
    ids = [hard.puzzle_id for hard in figures.hardest] + [one.puzzle_id for one in found.ambiguous]
    ids += [name for twin in found.twins for name in (twin.original, twin.puzzle_id)]
    return ids


def drawings(shown: pa.Table, ids: Sequence[str | None]) -> dict[str, Markup]:
    """Draw the solutions of these puzzles, or else their authors' pictures, as SVG by puzzle_id."""
    made = {}
    for row in _rows_of(shown, ids, "goal", "solution"):
        name, what = ("goal", "author’s picture") if row["solution"] is None else ("solution", "solution")
        cells = cells_of(row, name)
        if cells is not None:
            made[row["puzzle_id"]] = Markup(svg(cells, colors_of(row), f"{what} of {row['puzzle_id']}"))
    return made


def _rows_of(shown: pa.Table, ids: Sequence[str | None], *columns: str) -> list[dict[str, Any]]:
    """Return the rows of these puzzles, with what pictures of them need."""
    rows = shown.select(["puzzle_id", "width", "height", "palette", *columns])
    return list(rows.filter(pc.is_in(rows["puzzle_id"], pa.array(ids, pa.string()), skip_nulls=True)).to_pylist())


def marked_drawing(row: Row, cells: np.ndarray, others: np.ndarray | None, text: str) -> Markup:
    """Draw a picture in the colours of a row; cells that differ from another picture of its size are framed."""
    framed = None if others is None or others.shape != cells.shape else cells != others
    return Markup(svg(cells, colors_of(row), text, framed))


def change_drawings(old: Row, new: Row, framed: bool = True) -> dict[str, Markup]:
    """Draw a puzzle "before" and "after" a change, with the cells that differ framed, if they are to be.

    Of several solutions before the change the one nearest to the picture after it is drawn.

    old, new   rows with the columns PICTURES and puzzle_id; empty if unknown
    """
    after = next(iter(known_pictures(new)), None) if new else None
    known = known_pictures(old) if old else []
    before = nearest_picture(known, known[0] if after is None else after) if known else None
    made = {}
    for when, row, cells, other in (("before", old, before, after), ("after", new, after, before)):
        if row and cells is not None:
            made[when] = marked_drawing(row, cells, other if framed else None, f"{row['puzzle_id']} {when} the change")
    return made


def _mended_drawings(shown: pa.Table, ids: Sequence[str | None]) -> dict[str, dict[str, Markup]]:
    """Draw nonograms before and after the change that leaves one solution, by puzzle_id."""
    rows = _rows_of(shown, ids, *PICTURES[3:], "mended")
    made = {row["puzzle_id"]: change_drawings(row, row | {"goal": row["mended"], "goal_matches": True}) for row in rows}
    return {name: drawn for name, drawn in made.items() if len(drawn) == 2}


def _near_drawings(shown: pa.Table, twins: Sequence[DuplicatePuzzle]) -> dict[str, Markup]:
    """Draw near duplicates and their originals, by puzzle_id.

    Duplicates are turned as their originals are, with the cells that differ framed.
    """
    near = {twin.puzzle_id: twin.original for twin in twins if twin.likeness == "near"}
    rows = {row["puzzle_id"]: row for row in _rows_of(shown, [*near.keys(), *near.values()], *PICTURES[3:])}
    pictures = {name: known[0] for name, row in rows.items() if (known := known_pictures(row))}
    made = {}
    for name, original in near.items():
        if name in pictures and original in pictures:
            first = pictures[original]
            made[original] = marked_drawing(rows[original], first, None, f"picture of {original}")
            image, _ = nearest_image(pictures[name], first)
            made[name] = marked_drawing(rows[name], image, first, f"{name} compared with {original}")
    return made


def _html(content: Mapping[str, Any], drawings: Mapping[str, Markup]) -> bytes:
    own = join_modules("report.js")
    vega = script() if content["charts"] else ""
    specs = {"own": {name: chart.spec for name, chart in content["charts"].items()}, "explorers": explorers()}
    template = environment(autoescape=True).get_template("report.html.j2")
    return template.render(
        content,
        drawings=drawings,
        style=Markup("".join(map(source, ("report.css", "browser.css", "shared/board.css")))),
        script=Markup(own),
        script_hashes=Markup(" ".join(map(content_hash, (own, vega)))),
        constants=page_constants(),
        vega=browser.deflate(vega.encode()),
        chart_specs=browser.deflate(json.dumps(specs).encode()),
    ).encode()


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(to_plain(content), indent=1, ensure_ascii=False, allow_nan=False, default=str) + "\n").encode()


def _zip(texts: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in texts.items():
            info = zipfile.ZipInfo(name)  # always of 1980
            info.external_attr = 0o644 << 16
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _parquet(table: pa.Table) -> bytes:
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, compression="zstd")
    return bytes(stream.getvalue().to_pybytes())
