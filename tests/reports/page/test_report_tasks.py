"""What an app's maker and a researcher come to a report for, done with the mouse from end to end."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsable import graded
from chromium import NEEDED, PHONE, emulated, page_width, violations
from runs import run_serially
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from tabs import Tab

from nonocensus.pipeline.findings.reporting import write_run_report
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.reports.page.report_page import write_report
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.tables import puzzle_batch

pytestmark = [*NEEDED, pytest.mark.slow]

LARGEST = 20
"""Cells of the longer side of the demo's puzzles that are classified here: larger ones take seconds."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report of a run: small puzzles of the demo, and blobs of 15x15 and 15x10."""
    place = tmp_path_factory.mktemp("tasks")
    store = create_store(str(place / "store"))
    small = [puzzle for puzzle in demo_puzzles() if max(len(puzzle.rows), len(puzzle.columns)) <= LARGEST]
    smooth = (recipe_batch(Recipe("blobs", width, 15, 0.5, 5, 60), 0, 60) for width in (15, 10))
    append(store, [puzzle_batch(small), *smooth])
    write_run_report(run_serially(store, place / "run"), str(place / "report"))
    return place / "report"


@pytest.fixture
def kept(tab: Tab, tmp_path: Path) -> Path:
    """Where the browser keeps what it downloads."""
    behavior = {"behavior": "allow", "downloadPath": str(tmp_path)}
    tab.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    return tmp_path


@pytest.fixture
def rows(report: Path) -> list[dict[str, Any]]:
    """What the page has of each puzzle."""
    found: list[dict[str, Any]] = pq.read_table(report / "puzzles.parquet").to_pylist()
    return found


def click(tab: Tab, found: WebElement) -> None:
    """Press and release the mouse on an element, scrolled into sight."""
    tab.run("arguments[0].scrollIntoView({ block: 'center' })", found)
    ActionChains(tab.driver).move_to_element(found).click().perform()


def press(tab: Tab, selector: str, words: str) -> None:
    """Click what a selector names and has these words, once it is there."""

    def there() -> WebElement | None:
        return next((one for one in tab.all(selector) if one.is_displayed() and one.text.startswith(words)), None)

    click(tab, tab.until(there))


def downloaded(tab: Tab, folder: Path, name: str) -> bytes:
    """Return a downloaded file, once all of it is there."""
    tab.until(lambda: (folder / name).exists() and not list(folder.glob("*.crdownload")))
    return (folder / name).read_bytes()


def ids_of(found: list[dict[str, Any]], wanted: Callable[[dict[str, Any]], bool]) -> list[str]:
    """Return the ids of some rows, sorted."""
    ids = sorted(row["puzzle_id"] for row in found if wanted(row))
    assert 0 < len(ids) < len(found)
    return ids


def test_an_apps_maker_takes_a_pack(tab: Tab, report: Path, kept: Path, rows: list[dict[str, Any]]) -> None:
    """Puzzles of one size, colour and solution, from easy to medium: seen as pictures, picked, and taken along."""
    levels = ("under 0.25", "0.25–0.5", "0.5–0.75", "0.75–1")
    wanted = ids_of(
        rows,
        lambda row: (
            (row["width"], row["height"], row["colors"], row["solutions"]) == (15, 15, 1, "unique")
            and row["difficulty"] < 1
        ),
    )
    tab.load(report / "report.html")
    tab.draw()
    press(tab, "nav.sections a", "Browse")
    tab.search("15x15")
    tab.choose("solutions", "unique")
    tab.choose("colors", "1")
    there = [level for level in levels if tab.counts("level").get(level)]
    tab.choose("level", *there)
    tab.until(lambda: tab.count() == f"{len(wanted)} of {len(rows)} puzzles")
    assert sorted(tab.column("puzzle_id")) == wanted

    press(tab, "[data-view]", "Gallery")
    tab.until(lambda: len(tab.all(".gallery-tiles .tile:not([hidden]) canvas")) > 3)
    click(tab, tab.all(".thumb-button")[1])
    assert tab.shown()["id"] in wanted
    press(tab, "#browse-puzzle button", "Close")
    for tile in tab.all(".gallery-tiles .tile:not([hidden]) .pick input")[:3]:
        click(tab, tile)
    assert tab.one(".browse-taken").text == "3 picked:"
    click(tab, tab.one("[data-take=ids]"))
    taken_along = downloaded(tab, kept, "puzzles.txt").decode().split()
    assert len(taken_along) == 3
    assert set(taken_along) <= set(wanted)
    assert tab.one(".browse-command").text == "nonocensus pack RUN --ids @puzzles.txt --count 3 --out pack"

    click(tab, tab.one("[data-take=csv]"))
    listed = csv.DictReader(io.StringIO(downloaded(tab, kept, "puzzles.csv").decode(), newline=""))
    assert [row["puzzle_id"] for row in listed] == taken_along
    click(tab, tab.one("[data-take=clear]"))


def test_a_researcher_looks_at_distributions(tab: Tab, report: Path, kept: Path, rows: list[dict[str, Any]]) -> None:
    """Two measures against each other, the list of what was marked, a histogram by verdict, definitions, the data."""
    tab.load(report / "report.html")
    tab.draw()
    press(tab, "nav.sections a", "Measures")
    tab.until(lambda: tab.all("#explorer .scatter svg .mark-symbol path"))
    Select(tab.one("select[name=across]")).select_by_visible_text("Density")
    Select(tab.one("select[name=up]")).select_by_visible_text("Line solves")
    titles = "return Array.from(document.querySelectorAll('#explorer .scatter svg text'), (text) => text.textContent)"
    tab.until(lambda: {"Density", "Line solves"} <= set(tab.run(titles)))
    assert any(text.endswith("%") for text in tab.run(titles))
    chart = tab.one("#explorer .scatter svg")
    tab.run("arguments[0].scrollIntoView({ block: 'center' })", chart)
    mouse = ActionChains(tab.driver).move_to_element(chart)
    mouse.move_by_offset(-150, -60).click_and_hold().move_by_offset(300, 120).release().perform()
    tab.until(lambda: " of " in tab.count())
    ranges = dict(re.findall(r"[?&](density|line_solves)=([^&]+)", tab.driver.current_url))
    bounds = {name: [float(end) for end in text.split("..")] for name, text in ranges.items()}
    assert set(bounds) == {"density", "line_solves"}
    marked = ids_of(rows, lambda row: all(low <= row[name] <= high for name, (low, high) in bounds.items()))
    assert sorted(tab.column("puzzle_id")) == marked

    Select(tab.one("select[name=measure]")).select_by_visible_text("Blocks")
    Select(tab.one("select[name=group]")).select_by_visible_text("Verdict")
    bars = "#explorer .histogram svg .mark-rect path"
    said = f"return Array.from(document.querySelectorAll('{bars}[aria-label]'), (bar) => bar.ariaLabel)"
    tab.until(lambda: "Blocks" in tab.one("#explorer .histogram svg").text and tab.run(said))
    counted = [int(re.search(r"puzzles: (\d+)", words)[1]) for words in tab.run(said)]  # type: ignore[index]
    assert sum(counted) == len(marked)

    press(tab, "#measures a[download]", "puzzles.parquet")  # of a page on disk, report.json opens in a tab
    assert downloaded(tab, kept, "puzzles.parquet") == (report / "puzzles.parquet").read_bytes()
    told = Counter(pq.read_table(kept / "puzzles.parquet")["solutions"].to_pylist())
    assert told == json.loads((report / "report.json").read_bytes())["figures"]["solutions"]


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a report of graded puzzles whose ratings follow their minutes, on two sites with other scales."""
    ((results, puzzles),), grades = graded(300)
    minutes = dict(zip(grades["puzzle_id"].to_pylist(), grades["minutes"].to_pylist(), strict=True))
    rows = puzzles.to_pylist()
    for k, row in enumerate(rows):
        if known := minutes.get(row["puzzle_id"]):
            row["source"] = "<script>" if k % 2 else "times_of_day"
            row["site_difficulty" if k % 2 else "site_seconds"] = known * (1 + k % 7)
    table = pa.Table.from_pylist(rows, schema=puzzles.schema)
    path = tmp_path_factory.mktemp("rated") / "report.html"
    path.write_bytes(write_report([(results, table)], grades=grades)["report.html"])
    return path


LINKS = """
const links = [...document.querySelectorAll("a[href^='#']")].filter((link) => link.checkVisibility());
const names = links.map((link) => link.getAttribute("href"));
return [...new Set(names.filter((name) => !name.includes("?"))), names.find((name) => name.startsWith("#browse?"))];
"""
LATE = """
document.documentElement.style.overflowAnchor = "none"; // Chromium would hide some of it
document.querySelector(".cards").style.paddingBottom = "500px";
"""
"""What is drawn above every section once a link has landed."""
LANDED = """
const target = document.getElementById(arguments[0].slice(1).split("?")[0]);
const off = target.getBoundingClientRect().top - (parseFloat(getComputedStyle(target).scrollMarginTop) || 0);
const isEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
return Math.abs(off) < 8 || (isEnd && off > 0);
"""
"""Whether the target of a link is at the top, or the page at its end."""


@pytest.mark.parametrize("width", [1280, PHONE])
def test_every_link_of_the_page_lands_at_its_section(tab: Tab, report: Path, width: int) -> None:
    """What is above a section is drawn late, and changes its height."""
    page = report / "report.html"
    with emulated(tab.driver, "light", width):
        tab.load(page)
        links = tab.run(LINKS)
        assert len(links) > 5
        for link in links:
            tab.load(page)
            tab.run("document.querySelector(`a[href='${arguments[0]}']`).click()", link)
            for late in ("", LATE):
                tab.run(late)
                tab.until(partial(tab.run, LANDED, link))


@pytest.mark.people
def test_a_researcher_takes_a_figure_and_its_table(tab: Tab, rated: Path, kept: Path) -> None:
    """Rating against minutes, by site: the figure as SVG and PNG, its table as CSV and LaTeX, from the disk."""
    tab.load(rated)
    tab.draw()
    press(tab, "nav.sections a", "Ratings")
    tab.run("arguments[0].open = true", tab.one(".plot:has([data-chart=rating-minutes]) details"))
    for link in tab.all(".plot:has([data-chart=rating-minutes]) .vega-actions a"):
        tab.run("arguments[0].focus()", link)
        tab.until(lambda link=link: re.match("blob:|data:", link.get_attribute("href")))
        click(tab, link)
    drawn = ElementTree.fromstring(downloaded(tab, kept, "report-rating-minutes.svg"))
    texts = "".join(drawn.itertext())
    assert "<script>, ratings of difficulty" in texts
    assert "given size" in texts
    assert "estimated time" in texts
    assert downloaded(tab, kept, "report-rating-minutes.png").startswith(b"\x89PNG")

    press(tab, "#ratings summary", "The ratings as a table")
    for kind in ("CSV", "LaTeX"):
        click(tab, tab.one(f"#ratings details[open] .save [aria-label$={kind}]"))
    text = downloaded(tab, kept, "report-rating-against-minutes-by-site.csv").decode()
    boxes = list(csv.reader(io.StringIO(text, newline="")))
    assert {row[0] for row in boxes[1:]} == {"<script>", "times_of_day"}
    assert {row[1] for row in boxes[1:]} == {"ratings of difficulty", "times, minutes"}
    assert all(float(low) <= float(high) for row in boxes[1:] for low, high in pairwise(row[4:]))
    latex = downloaded(tab, kept, "report-rating-against-minutes-by-site.tex").decode()
    assert "\\caption{Rating against minutes, by site}" in latex
    assert latex.count("\\\\\n") == len(boxes)
    assert violations(tab.driver, "#ratings") == []
    with emulated(tab.driver, "light", PHONE):
        assert page_width(tab.driver) <= PHONE
    assert tab.errors() == []
