"""The report's files: whole, harmless and true to the figures; its charts."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import altair as alt
import numpy as np
import pyarrow as pa
import pytest
from census_figures import PAIRS, Pairs, failed, known, pairs, solved
from stores import letters_of

from nonocensus.reports.charts.encodings import ACCENT, READABLE, SERIES
from nonocensus.reports.charts.report_charts import charts, explorers
from nonocensus.reports.numbers.activity import Activity, Moment
from nonocensus.reports.numbers.aggregate import figures, to_plain
from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.duplicates import DUPLICATES
from nonocensus.reports.page.report_page import RunDetails, write_report
from nonocensus.reports.page.templating import markdown
from nonocensus.reports.words import formatting
from nonocensus.solver.model.tables import MENDINGS

ROOT = Path(__file__).resolve().parents[3]
ABOUT = RunDetails(
    run_id="run-1",
    configuration={"cpu_limit": 60, "inputs": ["store"], "run_id": "<b>"},
    versions={"nonocensus": "0.1.0", "numba": "0.68"},
    started="2026-01-02T03:04:05.678+00:00",
    finished=datetime(2026, 1, 2, 3, 9, 5, tzinfo=UTC),
    hosts=["node-1", "node-2"],
    worker_cpu_seconds=550.0,
    kernel_share=0.93,
    puzzles=9,
    activity=Activity(
        2, 300.0, 8, 3, 4, 0.91, 550.0, 6.5, {"worker": 1}, 35.0,
        tuple(Moment(30.0 * k, 30.0 * k + 30, float(k), 3.0, 1) for k in range(10)),
    ),
)  # fmt: skip
CHARTS = ["labels", "sources", "sizes", "difficulties", "times", "areas", "rate", "workers"]
EVIL = "<script>alert(1)</script>"
TWO = {
    "solution": b"\1\0\0\1",
    "second_solution": b"\0\1\1\0",
    "solutions": "multiple",
    "goal_matches": True,
    "clue_hash": "ab",
}
MENDED = {"puzzle_id": "a/1", "clue_hash": "ab", "change": "row 2 column 2 black", "mended": b"\0\1\1\1"}
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """The elements of a page; fails where an end tag has no start tag."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts.append(data)
        elif self._open and self._open[-1] != "style":
            self.text += data

    def of(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.elements if name == tag)


@pytest.fixture(scope="module")
def report() -> dict[str, bytes]:
    return write_report(PAIRS, ABOUT)


@pytest.fixture(scope="module")
def page(report: dict[str, bytes]) -> Page:
    return Page(report["report.html"].decode())


def test_files(report: dict[str, bytes]) -> None:
    images = {f"report-{name}.svg" for name in CHARTS}
    assert set(report) == {"report.html", "report.json", "puzzles.parquet", "letters.zip"} | images
    for name in images:
        assert ET.fromstring(report[name]).tag == "{http://www.w3.org/2000/svg}svg"
    assert write_report(PAIRS, ABOUT) == report, "the same tables give the same bytes"


def test_json_holds_the_same_figures(report: dict[str, bytes]) -> None:
    content = json.loads(report["report.json"])
    assert content["figures"] == to_plain(figures(PAIRS))
    assert content["about"]["run_id"] == "run-1"
    assert content["about"]["configuration"]["cpu_limit"] == 60


def test_the_page_loads_nothing(page: Page, report: dict[str, bytes]) -> None:
    for tag, attributes in page.elements:
        if tag == "a":  # a link loads nothing until it is followed
            continue
        for name in ("src", "href", "xlink:href", "srcset", "action", "data", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
    style = re.findall("<style>(.*?)</style>", report["report.html"].decode(), re.S)[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_admits_just_the_scripts_of_the_page(page: Page) -> None:
    policy = next(meta["content"] or "" for meta in page.of("meta") if meta.get("http-equiv"))
    runs = [attributes.get("type") is None for attributes in page.of("script")]
    code = [script for script, run in zip(page.scripts, runs, strict=True) if run]
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in code]
    assert len(hashes) == 1
    assert policy.count("sha256-") == 2  # and Vega, which is deflated
    assert "script-src " + " ".join(f"'sha256-{value}'" for value in hashes) in policy
    assert {"default-src 'none'", "base-uri 'none'", "form-action 'none'"} <= {*policy.split("; ")}


def test_the_page_tells_the_figures(page: Page) -> None:
    text = " ".join(page.text.replace(formatting.NO_BREAK, " ").split())
    for told in ("Census of 8 nonograms", "2 of them (25.0 %)", "2 unique by line logic 25.0 %", "1 undecided 12.5 %"):
        assert told in text
    for told in (
        "2 invalid or failed 25.0 %",
        "1 ambiguous several solutions",
        "1 contradictory no solution",
        "row 1: too long",
        "Knot by Jan local/6 · 30×31 5.99",
        "8 of 9 puzzles have a result",
        "91.0 %",
        "numba 0.68",
    ):
        assert told in text
    for told in ("2026-01-02 03:04:05 UTC", "node-1, node-2", "5.00 min", "9.17 min", "93.0 %", '["store"]', "<b>"):
        assert told in text
    assert ("1 puzzle timed out." in text, "solution is known" in text) == (True, False)


def test_every_chart_has_words_a_still_picture_and_a_specification(page: Page) -> None:
    plots = [attributes for attributes in page.of("div") if "data-chart" in attributes]
    assert [plot["data-chart"] for plot in plots] == CHARTS
    assert all(plot["role"] == "img" and plot["aria-label"] for plot in plots)
    assert sum("marks" in (attributes.get("class") or "") for attributes in page.of("svg")) == len(CHARTS)
    (place,) = (k for k, attributes in enumerate(page.of("script")) if attributes.get("id") == "chart-specs")
    assert set(json.loads(zlib.decompress(base64.b64decode(page.scripts[place])))["own"]) == set(CHARTS)


def test_text_from_strangers_is_escaped() -> None:
    evil = {"title": EVIL, "author": f'"{EVIL}', "source": EVIL, "palette": [{"rgb": EVIL}], "goal": b"\0\0\0\0"}
    rows = pairs(
        (solved("a/1", 1.0), known("a/1", **evil)),
        (solved(EVIL, 2.0), known(EVIL, **evil)),
        solved("a/2", 1.0, EVIL, technique=EVIL),
        (failed("a/3", "error", EVIL), known("a/3", **evil)),
        (solved("a/4", 1.0, "multiple", **TWO), known("a/4", **evil)),
    )
    mended = pa.Table.from_pylist([MENDED | {"puzzle_id": "a/4", "change": f"row 1 column 1 {EVIL}"}], schema=MENDINGS)
    report = write_report(rows, RunDetails(run_id=EVIL, configuration={EVIL: EVIL}, hosts=[EVIL]), mendings=mended)
    html = report["report.html"].decode()
    assert "<script>alert" not in html
    assert len(list(Page(html).of("script"))) == 6  # one that runs and five with data
    assert f"For one solution: row 1 column 1 {EVIL}" in Page(html).text
    assert any(text.startswith(f'Dear "{EVIL},\n') for text in letters_of(report["letters.zip"]).values())
    for name, content in report.items():
        if name.endswith(".svg"):
            assert b"<script" not in content
            ET.fromstring(content)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("see https://example.org, WWW.example.org", "see https://\u2060example.org, WWW.\u2060example.org"),
        ("ask @someone or a@example.org", "ask @\u2060someone or a@\u2060example.org"),
        ("\x1b[31m\u202eabc\x9b", "\ufffd\\[31m\ufffdabc\ufffd"),
        ("a|b *c* [d](e) `f`\n# g \\ <h>", r"a\|b \*c\* \[d\](e) \`f\` # g \\ &lt;h&gt;"),
    ],
)
def test_markdown_neither_formats_nor_links_by_itself(text: str, escaped: str) -> None:
    """Names passed to it, and terminal escapes, are escaped too."""
    assert markdown(text) == escaped


@pytest.mark.parametrize(
    ("solution", "goal", "label"),
    [
        (b"\1\0\0\1", b"\1\1\1\1", "solution of a/1"),
        (None, b"\1\1\1\1", "author’s picture of a/1"),
        (None, None, None),
        (b"\1\0\0", None, None),
    ],
)
def test_thumbnails(solution: bytes | None, goal: bytes | None, label: str | None) -> None:
    report = write_report(pairs((solved("a/1", 1.0, solution=solution), known("a/1", goal=goal))))
    drawings = [svg for svg in Page(report["report.html"].decode()).of("svg") if svg.get("viewbox") == "0 0 2 2"]
    assert [svg.get("aria-label") for svg in drawings] == ([label] if label else [])


def test_a_public_report_shows_what_may_be_passed_on() -> None:
    clues = {"rows": [[{"length": 2, "color": 1}], []], "columns": [[{"length": 1, "color": 1}]] * 2}
    note = "definitely unique,definitely requires moderate lookahead"
    rows = [
        (solved(f"a/{n}", 1.0, solution=b"\1\1\0\0"), known(f"a/{n}", title=title, license=license_, **clues))
        for n, (title, license_) in enumerate((("Mine alone", None), ("Yours too", "CC-BY-4.0")))
    ]
    rows += [(failed("a/x", "error", "why"), known("a/x", title="Secret failure"))]
    rows += [(solved("a/y", 1.0), known("a/y", title="Secret doubt", site_note=note, site_difficulty=1.0))]
    (census,) = pairs(*rows)
    report = write_report([census], public=True)
    for name in ("report.html", "report.json"):
        text = report[name].decode()
        assert "Yours too" in text
        for hidden in ("Mine alone", "Secret failure", "Secret doubt", note):
            assert hidden not in text, (name, hidden)
    drawings = [svg for svg in Page(report["report.html"].decode()).of("svg") if svg.get("viewbox") == "0 0 2 2"]
    assert len(drawings) == 1
    told, all_told = (json.loads(made["report.json"])["figures"] for made in (report, write_report([census])))
    for name in ("labels", "densities", "claims", "work"):
        assert told[name] == all_told[name]


def test_a_public_report_has_no_mendings_of_what_may_not_be_passed_on() -> None:
    answer = {"solution": b"\1\0\0\1", "second_solution": b"\0\1\1\0", "solutions": "multiple"}
    (census,) = pairs(
        *(
            (solved(name, 1.0, "multiple", clue_hash="ab", **answer), known(name, license=license_))
            for name, license_ in (("a/mine", None), ("a/yours", "CC0"))
        )
    )
    found = pa.Table.from_pylist(
        [{"puzzle_id": name, "clue_hash": "ab", "change": f"of {name}", "mended": b"\1\0\1\1"}
         for name in ("a/mine", "a/yours")],
        schema=MENDINGS,
    )  # fmt: skip
    shown = [take_census([census], public, found).shown for public in (False, True)]
    told = [{row["puzzle_id"]: (row["change"], row["mended"]) for row in rows.to_pylist()} for rows in shown]
    assert told[0] == {name: (f"of {name}", b"\1\0\1\1") for name in ("a/mine", "a/yours")}
    assert told[1] == told[0] | {"a/mine": (None, None)}


def test_issues_that_nobody_has_to_fix_are_not_red() -> None:
    rows = pairs(*((solved(f"a/{n}", 1.0), known(f"a/{n}")) for n in range(4)))
    names = ("recoloured", "near", "equal")
    found = [("a/0", f"a/{n}", name, None, None, False) for n, name in enumerate(names, 1)]
    table = pa.Table.from_pylist([dict(zip(DUPLICATES.names, row, strict=True)) for row in found], DUPLICATES)
    made = write_report(rows, duplicates=table)["report.html"].decode()
    issues = made[made.index('<ul class="issues">') :].partition("</ul>")[0]
    told = re.findall(r"<li( style=[^>]*)?>.*?<span>(.*?)</span>", issues)
    assert {name for style, name in told if style} == {"recoloured", "near duplicate"} < {name for _, name in told}


def test_a_mended_puzzle_is_drawn_before_and_after() -> None:
    """Before is the author's picture, since it is a solution; the cell that changes is framed in both."""
    rows = pairs((solved("a/1", 1.0, "multiple", **TWO), known("a/1", goal=b"\0\1\1\0")))
    found = pa.Table.from_pylist([MENDED], schema=MENDINGS)
    page = write_report(rows, mendings=found)["report.html"].decode()
    (thumbs,) = re.findall(r'<div class="thumbs">(.*?)</div>\n', page)
    before, after = re.findall(r"<svg.*?</svg>", thumbs)
    black = '<path fill="#000000" d="M1 0h1v1h-1zM0 1h{}v1h-{}z"/>'
    assert black.format(1, 1) in before
    assert black.format(2, 2) in after
    for drawn, color in ((before, "ffffff"), (after, "000000")):
        frame = f'<path fill="#ff0090" d="M0.8 0.8h1.4v1.4h-1.4z"/><path fill="#{color}" d="M1 1h1v1h-1z"/></svg>'
        assert drawn.count("#ff0090") == drawn.count(frame) == 1


@pytest.mark.parametrize(
    ("rows", "total"),
    [
        ([], 0),
        (pairs((solved("a/1", 1e-5), known("a/1"))), 1),
        (pairs(solved("a/1", 0.0)), 1),
        (pairs(failed("a/1", "invalid", "why"), failed("a/2", "error", "why")), 2),
        (pairs({}, {}), 2),
    ],
    ids=["empty", "one", "no puzzle", "failures", "nulls"],
)
def test_edges(rows: Pairs, total: int) -> None:
    report = write_report(rows)
    assert json.loads(report["report.json"])["figures"]["total"] == total
    assert f"Census of {total} nonogram" in Page(report["report.html"].decode()).text


def test_the_run_is_cited() -> None:
    about = RunDetails(run_id="20300131-ab", versions={"nonocensus": "9.9"}, finished="2030-01-31T10:00:00+00:00")
    html = write_report(PAIRS, about)["report.html"].decode()
    (cited,) = re.findall(r'<pre class="citation">([^<]+)</pre>', html)
    author = re.findall(r'- name: "(.+)"', (ROOT / "CITATION.cff").read_text())
    assert f"author = {{{{{author[0]}}}}}" in cited
    assert cited.startswith("@misc{nonocensus-20300131-ab,")
    assert "year = {2030}" in cited
    assert "note = {nonocensus 9.9, run 20300131-ab}" in cited
    assert 'class="citation"' not in write_report(PAIRS)["report.html"].decode()


LIGHT, DARK = ("#1d2329", "#ffffff"), ("#e4e7ea", "#181c20")
"""Ink and paper of the page."""

ENOUGH = 4.5
"""The contrast that text needs (WCAG 2, 1.4.3)."""


def channels(color: str) -> np.ndarray:
    """Red, green and blue, 0 to 1."""
    return np.frombuffer(bytes.fromhex(color[1:]), np.uint8) / 255


def luminance(color: np.ndarray) -> float:
    """Return the relative luminance of WCAG 2."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize(("ink", "paper"), [LIGHT, DARK])
@pytest.mark.parametrize("color", [ACCENT, SERIES[1]])
def test_numbers_of_the_matrix_can_be_read(color: str, ink: str, paper: str) -> None:
    """On the strongest cell of either sign; axe can't say so of text on a shape."""
    mixed = READABLE * channels(color) + (1 - READABLE) * channels(paper)
    low, high = sorted((luminance(channels(ink)), luminance(mixed)))
    assert (high + 0.05) / (low + 0.05) >= ENOUGH


def test_specifications_fit_the_schema_of_vega_lite() -> None:
    specs = [chart.spec for chart in charts(figures(PAIRS))]
    assert len(specs) > 5
    for spec in (*specs, *explorers().values()):
        alt.Chart.from_dict(spec, validate=True)
