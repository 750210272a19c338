"""The report's page in headless Chromium: charts, list, gallery, opened puzzles, history, focus, phones, accessibility.

What its script computes is tested without a browser: tests/javascript, and test_page_script.py on what Python packs.
"""

import csv
import io
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from browsable import EVIL, FLAG, HEART, graded, mendings
from census_figures import failed, known, pairs, solved
from chromium import NEEDED, PHONE, emulated, page_width, violations
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tabs import Tab

from nonocensus.reports import formatting
from nonocensus.reports.joined_columns import NO_GRADES
from nonocensus.reports.report_page import RunDetails, write_report

PAIRS, GRADES = graded(120)
CELL = 20

CLIPBOARD = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}

CLICK = """
const box = arguments[0].getBoundingClientRect();
const place = { bubbles: true, view: window, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
for (const type of ["mousedown", "mouseup", "click"]) arguments[0].dispatchEvent(new MouseEvent(type, place));
"""
"""A click on a mark of a chart, as Vega sees it."""

pytestmark = NEEDED


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(PAIRS, tmp_path_factory.mktemp("report"), GRADES)


def written(rows: Any, folder: Path, grades: pa.Table = NO_GRADES) -> Path:
    """Write a report and return the path of its page."""
    path = folder / "report.html"
    about = RunDetails(run_id="20261126-one")  # for the citation
    path.write_bytes(write_report(rows, about, mendings=mendings(), grades=grades)["report.html"])
    return path


def table() -> list[dict[str, Any]]:
    """Results and puzzles side by side."""
    ((results, puzzles),) = PAIRS
    return [puzzle | result for result, puzzle in zip(results.to_pylist(), puzzles.to_pylist(), strict=True)]


def is_open(tab: Tab) -> bool:
    """Return whether a puzzle is open."""
    return bool(tab.run("return document.getElementById('browse-puzzle').open"))


def test_page_loads_without_network_and_errors(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.unfold()
    tab.draw()
    tab.until(lambda: len(tab.all("[data-chart].vega-embed .chart-wrapper svg")) == len(tab.all("[data-chart]")) > 6)
    assert tab.one("#people h2").text == "Difficulty for people"
    assert [url for url in tab.requests() if not url.startswith("data:")] == [page.as_uri()]
    assert tab.errors() == []


SAVED = """
const done = arguments[0], wanted = document.querySelectorAll('.save button').length, files = [];
const address = URL.createObjectURL;
URL.createObjectURL = (blob) => { files.push(blob); return address(blob); };
HTMLAnchorElement.prototype.click = function () { files.at(-1).file = this.download; };
for (const button of document.querySelectorAll('.save button')) button.click();
const ready = () => files.length < wanted ? setTimeout(ready, 50) : Promise.all(files.map(async (file) =>
  [file.file, await file.text()]
)).then(done);
ready();
"""
"""Press every button that saves a file; return name and content of each."""


def test_every_chart_and_table_can_be_saved(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.unfold()
    tab.draw()
    for kind in ("histogram", "scatter"):
        tab.run("arguments[0].scrollIntoView()", tab.one(f"#explorer .{kind}"))
        tab.until(partial(tab.all, f"#explorer .{kind} svg"))
    charts = [plot.get_attribute("data-chart") for plot in tab.all("[data-chart]")]
    charts += ["density-by-label", "cells-against-minutes"]
    tab.unfold()
    links = tab.all(".plot .vega-actions a")
    names = {str(link.get_attribute("download")) for link in links}
    assert names == {f"report-{chart}.{kind}" for kind in ("svg", "png") for chart in charts}
    for link, start in zip(links, ("blob:", "data:image/png"), strict=False):
        tab.run("arguments[0].focus()", link)
        tab.until(lambda link=link, start=start: link.get_attribute("href").startswith(start))

    files = dict(tab.driver.execute_async_script(SAVED))
    shares = list(csv.DictReader(io.StringIO(files["report-how-the-run-ended.csv"], newline="")))
    assert shares[0] == {"Status": "ok", "Puzzles": "125", "Share": "96.9 %"}
    assert "ok & 125 & 96.9~\\% \\\\\n" in files["report-how-the-run-ended.tex"]
    tables = {name.removesuffix(".tex") for name in files if name.endswith(".tex")}
    assert len(tables) == len(tab.all("main table"))
    assert tab.errors() == []


def test_list_scrolls_through_every_row_with_few_elements(tab: Tab, page: Path) -> None:
    tab.turn(page)
    rows = table()
    assert tab.count() == f"{len(rows)} puzzles"
    assert sorted(tab.column("puzzle_id")) == sorted(row["puzzle_id"] for row in rows)
    assert tab.one(".browse-grid").get_attribute("aria-rowcount") == str(len(rows) + 1)
    assert len(tab.all(".browse-rows .browse-row")) < 40
    assert sorted(tab.column("cpu_seconds")) == sorted(formatting.seconds(row["cpu_seconds"]) for row in rows)


def test_filters_narrow_the_list_until_they_are_removed(tab: Tab, page: Path) -> None:
    rows = table()
    tab.turn(page, difficulty="-9..9")
    tab.choose("technique", "probe")
    tab.search("picture")
    wanted = {row["puzzle_id"] for row in rows if row["technique"] == "probe" and "Picture" in (row["title"] or "")}
    assert 0 < len(wanted) < len(rows)
    assert set(tab.column("puzzle_id")) == wanted
    assert tab.count() == f"{len(wanted)} of {len(rows)} puzzles"
    assert tab.counts("technique")["probe"] == len(wanted)
    tab.search("there is no such puzzle")
    assert tab.one(".browse-none").is_displayed()
    tab.search("")
    chips = [chip.text.split("\n")[0] for chip in tab.all(".browse-chips button")]
    assert chips == ["Technique: probe", "Difficulty from -9 to 9"]
    while chips := tab.all(".browse-chips button"):
        chips[0].click()
    assert tab.count() == f"{len(rows)} puzzles"
    tab.choose("technique", "probe")
    tab.one(".browse-filters [type=reset]").click()
    tab.until(lambda: tab.count() == f"{len(rows)} puzzles")


def test_heads_sort_the_list_and_announce_the_direction(tab: Tab, page: Path) -> None:
    def direction(name: str) -> str | None:
        return tab.one(f".browse-head .{name}").get_attribute("aria-sort")

    tab.turn(page, columns="puzzle_id,minutes,difficulty,cpu_seconds")
    assert direction("difficulty") == "descending"
    found = [float(text) for text in tab.column("difficulty") if text != "–"]
    assert found == sorted(found, reverse=True)
    times = {row["puzzle_id"]: row["cpu_seconds"] for row in table()}
    for expected in ("descending", "ascending"):
        tab.sort("cpu_seconds")
        assert (direction("cpu_seconds"), direction("minutes")) == (expected, "none")
        sorted_times = [time for name in tab.column("puzzle_id") if (time := times[name]) is not None]
        assert sorted_times == sorted(sorted_times, reverse=expected == "descending")


def test_problems_of_a_link_are_shown_until_the_next_change(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="webpbn/99999", technique="magic")
    problem = tab.one(".browse-problem").text
    assert "webpbn/99999" in problem
    assert "magic" in problem
    tab.sort("title")
    assert tab.one(".browse-problem").text == ""


def test_arrow_keys_move_and_enter_opens(tab: Tab, page: Path) -> None:
    tab.turn(page)
    names = tab.column("puzzle_id")
    grid = tab.one(".browse-grid")

    def active() -> str:
        return str(tab.one(".browse-row.active .puzzle_id").text)

    for keys, place in (
        ((Keys.HOME,), 0),
        ((Keys.DOWN, Keys.DOWN, Keys.UP), 1),
        ((Keys.END,), len(names) - 1),
        ((Keys.PAGE_UP, Keys.PAGE_DOWN), len(names) - 1),
        ((Keys.HOME, Keys.DOWN), 1),
    ):
        grid.send_keys(*keys)
        assert active() == names[place]
    grid.send_keys(Keys.ENTER)
    assert tab.shown()["id"] == names[1]
    tab.one("#browse-puzzle").send_keys(Keys.RIGHT)
    assert tab.shown()["id"] == names[2]
    tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)
    tab.until(lambda: not is_open(tab))
    assert active() == names[2]


def test_opened_puzzle_is_drawn_in_its_colours(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="made/flag")
    shown = tab.shown()
    assert (shown["name"], shown["id"]) == ("Flag", "made/flag")
    assert tab.one("#browse-puzzle .id a").get_attribute("href") == "https://example.org/1"
    drawn = np.zeros(FLAG.shape, np.uint8)
    for entry, _, path in shown["cells"]:
        for x, y, length in re.findall(rf"M(\d+) (\d+)h(\d+)v{CELL}h-\d+z", path):
            start = int(x) // CELL
            drawn[int(y) // CELL, start : start + int(length) // CELL] = int(entry)
    assert len(shown["cells"]) == len(set(FLAG.ravel())) - 1
    assert (drawn != 0).tolist() == (FLAG != 0).tolist()
    assert len({fill for _, fill, _ in shown["cells"]}) == len(shown["cells"])
    assert tab.errors() == []


def test_layer_that_was_chosen_stays_for_the_next_puzzle(tab: Tab, page: Path) -> None:
    """So stepping on does not reveal the next solution to a person who solves puzzles."""
    tab.load(page, "#browse?puzzle=made/two")
    before = tab.shown()
    assert before["layers"] == ["solution", "second", "mended", "nothing", "play"]
    assert before["cells"] != []
    tab.one(".layers [value=nothing]").click()
    assert (tab.shown()["cells"], tab.shown()["marks"]) == ([], [])
    tab.one("[data-step='1']").click()
    assert tab.shown()["cells"] == []
    tab.turn(page, puzzle="made/two")
    tab.one(".layers [value=solution]").click()
    assert tab.shown() == before


def test_puzzle_is_played_by_keyboard_and_kept(tab: Tab, page: Path) -> None:
    tab.load(page, "#browse?puzzle=made/heart")
    tab.shown()
    tab.one(".layers [value=play]").click()
    grid = tab.one("#browse-puzzle .cursor-grid")
    for row in HEART:
        grid.send_keys(Keys.HOME, *(key for cell in row for key in (Keys.SPACE * int(cell), Keys.RIGHT)), Keys.DOWN)
    assert tab.one(".legend").text == "Solved."
    assert violations(tab.driver, "#browse-puzzle") == []
    grid.send_keys(Keys.SPACE)  # the last row's cursor is at its end, a cell of the background
    tab.one("#browse-puzzle .check").click()
    assert tab.one(".legend").text == "1 cell is wrong"
    tab.load(page, "#browse?puzzle=made/heart")
    tab.shown()
    tab.one(".layers [value=play]").click()
    tab.one("#browse-puzzle .check").click()
    assert tab.one(".legend").text == "1 cell is wrong"
    tab.one(".layers [value=solution]").click()
    assert tab.errors() == []


def test_puzzle_without_a_picture_says_so(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="lost/1")
    shown = tab.shown()
    assert "Nothing can be drawn" in shown["legend"]
    assert (shown["reason"], shown["label"]) == ("out of memory", "killed")
    assert tab.errors() == []


def test_untrusted_text_is_escaped(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle=f"made/{EVIL}", query=EVIL.split()[0])
    shown = tab.shown()
    assert (shown["name"], shown["author"], shown["reason"]) == (EVIL, f"by {EVIL}", EVIL)
    assert tab.column("title") == [f"{EVIL}by {EVIL}"]
    assert tab.all("#browse img") == []
    assert tab.driver.title.startswith("Census of")
    assert tab.errors() == []


def test_address_and_history_hold_the_state(tab: Tab, page: Path) -> None:
    tab.turn(page)
    tab.choose("label", "unique")
    tab.sort("cpu_seconds")
    tab.all(".browse-rows .browse-row")[1].click()
    shown, count, address = tab.shown(), tab.count(), tab.driver.current_url
    tab.driver.back()
    tab.until(lambda: not is_open(tab))
    assert tab.count() == count
    tab.driver.get("about:blank")
    tab.driver.get(address)
    assert tab.shown() == shown
    assert tab.count() == count
    tab.one(".close").click()
    tab.until(lambda: "puzzle=" not in tab.driver.current_url)
    assert "label=unique" in tab.driver.current_url


@pytest.mark.parametrize("rows", [[], pairs(failed("a/1", "invalid", "why"), failed("a/2", "error", "why")), pairs({})])
def test_small_reports_have_a_list_but_no_charts_of_it(tab: Tab, tmp_path: Path, rows: Any) -> None:
    path = written(rows, tmp_path)
    if rows:
        tab.load(path)
        assert tab.count() == ("1 puzzle" if len(rows[0][0]) == 1 else "2 puzzles")
    else:
        tab.driver.get(path.as_uri())
    assert len(tab.all("#browse")) == bool(rows)
    assert not tab.run("return document.getElementById('explorer')?.checkVisibility() ?? false")
    assert tab.errors() == []


def test_unreadable_table_is_reported(tab: Tab, tmp_path: Path) -> None:
    path = written(pairs({}), tmp_path)
    data = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'(id="browse-table">)[^<]{20}', r"\1", data), encoding="utf-8")
    tab.driver.get(path.as_uri())
    tab.until(lambda: "can’t be shown" in tab.one(".browse-note").text)
    assert not tab.one(".browse-content").is_displayed()


def test_a_browser_that_can_not_inflate_is_told(tab: Tab, page: Path) -> None:
    old = {"source": "delete globalThis.DecompressionStream"}
    added = tab.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", old)
    try:
        tab.driver.get(page.as_uri())
        tab.until(lambda: "needs a newer browser" in tab.one(".browse-note").text)
        assert not tab.one(".browse-content").is_displayed()
    finally:
        tab.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        tab.driver.get("about:blank")


def test_nothing_is_wider_than_a_phone(tab: Tab, page: Path) -> None:
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page, puzzle="random/29")
        tab.shown()
        assert page_width(tab.driver) <= PHONE
        assert tab.run("return document.getElementById('browse-puzzle').scrollWidth") <= PHONE
        grid = tab.one(".browse-grid")
        assert tab.run("return arguments[0].scrollWidth - arguments[0].clientWidth", grid) == 0


def test_ratings_and_drawings_have_the_width_of_a_phone(tab: Tab, tmp_path: Path) -> None:
    about = {"title": "A rather wide title", "author": "Ann"}
    rows = [
        (
            solved(f"griddlers/2035{k:02}", 0.1, line_solves=100 - k),
            known(f"griddlers/2035{k:02}", site_seconds=56520.0 + k, **about),
        )
        for k in range(20)
    ]
    two = {"solutions": "multiple", "technique": None, "solution": b"\1\0\0\1", "second_solution": b"\0\1\1\0"}
    rows.append((solved("griddlers/2", 0.1, "multiple", **two), known("griddlers/2", site_seconds=56540.0, **about)))
    path = written(pairs(*rows), tmp_path)
    with emulated(tab.driver, "light", PHONE):
        tab.load(path)
        tab.unfold("#ratings")
        assert "15 h 42 min" in tab.one("#ratings").text
        assert page_width(tab.driver) <= PHONE
        tab.turn(path, puzzle="griddlers/2")
        assert len(tab.shown()["layers"]) == 4
        assert "15\u00a0h\u00a042\u00a0min" in tab.shown()["facts"]
        width = "return document.querySelector(`#browse-puzzle ${arguments[0]}`).clientWidth"
        assert tab.run(width, ".drawing") == tab.run(width, ".sheet")


@pytest.mark.parametrize("way", ["Escape", "back"])
def test_closing_a_puzzle_returns_the_focus_to_its_opener(tab: Tab, page: Path, way: str) -> None:
    tab.load(page)

    def close_by(way: str) -> None:
        if way == "back":
            tab.driver.back()
        else:
            tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)

    tab.one("nav.sections a[href='#browse']").send_keys(Keys.ENTER)
    tab.until(lambda: tab.driver.current_url.endswith("#browse"))
    tab.one(".browse-grid").send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    tab.until(lambda: is_open(tab))
    close_by(way)
    tab.until(lambda: not is_open(tab) and tab.run("return document.activeElement.className") == "browse-grid")
    link = tab.one("#hardest .title a")
    link.send_keys(Keys.ENTER)
    tab.until(lambda: is_open(tab))
    close_by(way)
    tab.until(lambda: not is_open(tab) and tab.run("return document.activeElement === arguments[0]", link))


def test_axis_of_density_is_in_percent(tab: Tab, tmp_path: Path) -> None:
    """On a linear scale, also if the densities lie decades apart."""
    rows = [
        (
            solved(f"a/{k}", 0.1),
            known(
                f"a/{k}",
                side,
                side,
                rows=[[{"length": 1, "color": 1}], *[[]] * (side - 1)],
                columns=[[{"length": 1, "color": 1}], *[[]] * (side - 1)],
            ),
        )
        for k, side in enumerate((2, 10, 40, 90, 100))
    ]
    tab.load(written(pairs(*rows), tmp_path))
    tab.run("document.getElementById('explorer').scrollIntoView()")
    assert tab.one("#explorer select[name=measure]").get_attribute("value") == "density"
    tab.until(lambda: tab.all("#explorer .histogram svg .mark-rect path"))
    labels = "#explorer .histogram .role-axis-label text"
    ticks = tab.run("return Array.from(document.querySelectorAll(arguments[0]), (n) => n.textContent)", labels)
    assert {"10%", "20%"} <= set(ticks)


def test_click_on_a_bar_lists_its_puzzles(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.run("document.getElementById('verdicts').scrollIntoView()")  # charts are drawn once they are near
    bars = "#verdicts [data-chart=labels].leads [aria-roledescription='bar']"
    tab.until(lambda: tab.all(bars))
    bar = next(bar for bar in tab.all(bars) if "depth-2" in (bar.get_attribute("aria-label") or ""))
    tab.run(CLICK, bar)
    tab.until(lambda: " of " in tab.count())
    assert set(tab.column("label")) == {"unique depth-2"}
    counted = "return document.querySelector('[data-chart=labels]').getAttribute('aria-label')"
    listed = tab.count()
    assert tab.run(counted) == f"{listed}: unique depth-2 {listed.split()[0]}."
    numbers = "return document.querySelector('[data-chart=labels] svg').textContent"
    tab.until(lambda: tab.run(numbers).endswith("0" + listed.split()[0] + "00000"))
    notes = {note.get_attribute("textContent") for note in tab.all(".plot .of")}
    assert notes == {listed, "All puzzles"}
    assert tab.all(".browse-head .minutes .distribution")
    assert not tab.all(".browse-head .title .distribution")
    tab.turn(page)
    assert not tab.run(counted).startswith(listed)
    assert tab.errors() == []


def test_legends_are_toggled_by_keyboard(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.run("document.querySelector('#time').scrollIntoView()")
    tab.until(lambda: tab.all("#time .legend-words button"))
    button = tab.all("#time .legend-words button")[0]
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true"
    faint = "return document.querySelectorAll(\"#time [data-chart=times] [opacity='0.12']\").length"
    tab.until(lambda: tab.run(faint) > 0)
    button.send_keys(Keys.ENTER)
    tab.until(lambda: tab.run(faint) == 0)


def test_paper_has_what_the_screen_folds(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert tab.run("return document.querySelector('.fold').open") is False
        shown = "Array.from(document.querySelectorAll('.fold > :last-child'), (part) => part.checkVisibility(options))"
        tab.until(lambda: all(tab.run(f"const options = {{ contentVisibilityAuto: true }}; return {shown}")))
    finally:
        tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_gallery_paints_pictures(tab: Tab, page: Path) -> None:
    tab.turn(page, view="gallery", query="made/")
    names = [tile.text for tile in tab.all(".gallery-tiles .tile:not([hidden]) .caption")]
    assert {"Heart", "Flag", "Two"} <= set(names)
    place = names.index("Heart")
    pixels = """const canvas = document.querySelectorAll('.gallery-tiles .tile')[arguments[0]].querySelector('canvas');
        return canvas && Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"""
    found = np.array(tab.until(lambda: tab.run(pixels, place))).reshape(5, 5, 4)
    assert np.array_equal(found[..., 0] == 0, HEART == 1)
    tab.all(".thumb-button")[place].click()
    assert tab.shown()["name"] == "Heart"
    tab.one("#browse-puzzle .close").click()
    tab.one("[data-view=list]").click()
    assert tab.one(".browse-grid").is_displayed()
    assert not tab.one(".browse-gallery").is_displayed()


def test_rows_are_picked_by_click_range_and_key(tab: Tab, page: Path) -> None:
    tab.turn(page, sort="puzzle_id")
    boxes = tab.all(".browse-rows .browse-row .pick input")
    boxes[1].click()
    ActionChains(tab.driver).key_down(Keys.SHIFT).click(boxes[4]).key_up(Keys.SHIFT).perform()
    assert tab.one(".browse-taken").text == "4 picked:"
    tab.one(".browse-grid").send_keys(Keys.HOME, Keys.SPACE)
    assert tab.one(".browse-taken").text == "5 picked:"
    selected = [row.get_attribute("aria-selected") for row in tab.all(".browse-rows .browse-row")[:6]]
    assert selected == [*["true"] * 5, "false"]
    tab.one("[data-take=clear]").click()
    assert tab.one(".browse-taken").text == f"All {len(table())} listed:"


def test_exports_are_downloaded(tab: Tab, page: Path, tmp_path: Path) -> None:
    behavior = {"behavior": "allow", "downloadPath": str(tmp_path)}
    tab.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    tab.driver.execute_cdp_cmd("Browser.grantPermissions", CLIPBOARD)
    tab.turn(page, technique="probe")
    for kind, name in (("csv", "puzzles.csv"), ("ids", "puzzles.txt")):
        tab.one(f"[data-take={kind}]").click()
        tab.until(lambda path=tmp_path / name: path.exists() and not list(tmp_path.glob("*.crdownload")))
    found = {row["puzzle_id"] for row in csv.DictReader(io.StringIO((tmp_path / "puzzles.csv").read_text()))}
    assert found == {row["puzzle_id"] for row in table() if row["technique"] == "probe"}
    assert set((tmp_path / "puzzles.txt").read_text().splitlines()) == found
    tab.one(".browse-copy").click()
    tab.until(lambda: tab.one(".browse-copy").text == "Copied")
    assert clipboard(tab) == f"nonocensus pack RUN --ids @puzzles.txt --count {len(found)} --out pack"


def clipboard(tab: Tab) -> str:
    return str(tab.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])"))


def test_a_view_is_saved_as_a_link(tab: Tab, page: Path) -> None:
    tab.driver.execute_cdp_cmd("Browser.grantPermissions", CLIPBOARD)
    tab.turn(page, technique="probe", sort="-cpu_seconds", view="gallery", columns="title,nodes")
    count, button = tab.count(), tab.one(".browse-link")
    button.click()
    tab.until(lambda: button.text == "Copied")
    link = clipboard(tab)
    tab.driver.get("about:blank")
    tab.driver.get(link)
    tab.until(lambda: tab.one(".browse-content").is_displayed())
    assert tab.count() == count
    assert tab.run("return location.href") == link
    assert tab.one("[data-view=gallery]").get_attribute("aria-pressed") == "true"


def test_drawing_fits_and_can_be_zoomed(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="random/29")
    tab.shown()
    fits = """const box = document.querySelector('#browse-puzzle .drawing');
        return [box.scrollWidth <= box.clientWidth, box.scrollHeight <= box.clientHeight + 3]"""
    assert tab.run(fits) == [True, True]
    for _ in range(4):
        tab.one("[data-zoom='1']").click()
    assert tab.run(fits) == [False, False]
    tab.one("[data-zoom='0']").click()
    assert tab.run(fits) == [True, True]
    assert not tab.one("[data-zoom='-1']").is_enabled()


@pytest.mark.parametrize("column", ["cpu_seconds", "density"])
def test_phone_shows_the_number_that_the_list_is_sorted_by(tab: Tab, page: Path, column: str) -> None:
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page)
        shown = f".browse-rows .browse-row:not([hidden]) .{column}"
        assert not tab.one(shown).is_displayed()
        tab.turn(page, sort=f"-{column}")
        assert tab.one(shown).is_displayed()
        assert not tab.one(".browse-rows .browse-row:not([hidden]) .minutes").is_displayed()


def test_charts_follow_the_list_and_narrow_it(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.run("document.getElementById('explorer').scrollIntoView()")
    tab.until(lambda: tab.all("#explorer .histogram svg .mark-rect path"))
    tab.until(lambda: tab.all("#explorer .scatter svg .mark-symbol path"))
    dots = "return document.querySelectorAll('#explorer .scatter svg .mark-symbol path').length"
    known = GRADES["minutes"].length() - GRADES["minutes"].null_count
    tab.until(lambda: tab.run(dots) == known)
    groups = tab.run("return Array.from(document.querySelectorAll('.groups tbody th'), (head) => head.textContent)")
    assert set(groups) == {row["label"] or row["status"] for row in table()} - {"killed"}
    chart = tab.one("#explorer .scatter svg")
    tab.run("arguments[0].scrollIntoView({block: 'center'})", chart)
    ActionChains(tab.driver).move_to_element(chart).move_by_offset(-150, -60).click_and_hold().move_by_offset(
        250, 100
    ).release().perform()
    tab.until(lambda: " of " in tab.count())
    assert [chip.text.split()[0] for chip in tab.all(".browse-chips button")] == ["Minutes", "Cells"]
    assert tab.run(dots) == known  # the chart that is brushed stays
    assert tab.errors() == []


def test_columns_are_chosen_by_keyboard_and_kept_in_the_address(tab: Tab, page: Path) -> None:
    def heads() -> list[str]:
        return [head.text.split()[0] for head in tab.all(".browse-head [role=columnheader] button")]

    tab.turn(page)
    before = heads()
    assert "Search" not in before
    tab.one("[data-facet=columns] summary").send_keys(Keys.ENTER)
    assert not tab.all("[data-facet=columns] input[value=conflicts]"), "no puzzle has any"
    for name in ("nodes", "author", "title"):
        tab.one(f"[data-facet=columns] input[value={name}]").send_keys(Keys.SPACE)
    tab.one("[data-facet=columns] input[value=author]").send_keys(Keys.ESCAPE)
    assert not tab.run("return document.querySelector('[data-facet=columns]').open")
    assert set(heads()) == {*before, "Search", "Author"} - {"Title"}
    tab.sort("nodes")
    numbers = {row["puzzle_id"]: row["nodes"] for row in table()}
    found = [number for name in tab.column("puzzle_id") if (number := numbers[name]) is not None]
    assert found == sorted(found, reverse=True)
    assert tab.column("nodes")[: len(found)] == [f"{number:,}" for number in found]
    address = tab.driver.current_url
    tab.driver.get("about:blank")
    tab.driver.get(address)
    tab.until(lambda: tab.all(".browse-head .nodes"))
    assert tab.one(".browse-sort").get_attribute("value") == "-nodes"
    tab.turn(page)
    assert heads() == before


def test_chosen_columns_scroll_within_the_list(tab: Tab, page: Path) -> None:
    wide = "title,label,difficulty,cpu_seconds,line_solves,sweeps,probes,nodes,conflicts,blocks,density,kind,source"
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page, columns=wide)
        assert page_width(tab.driver) <= PHONE
        assert tab.run(
            "const grid = document.querySelector('.browse-grid'); return grid.scrollWidth > grid.clientWidth"
        )
        assert tab.column("nodes")
        assert violations(tab.driver, "#browse") == []


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", PHONE)])
def test_axe_finds_no_violation_in_any_view(tab: Tab, page: Path, scheme: str, width: int) -> None:
    with emulated(tab.driver, scheme, width):
        tab.load(page)
        tab.run("document.getElementById('explorer').scrollIntoView()")
        tab.until(lambda: tab.all("#explorer .scatter svg .mark-symbol path"))
        tab.run("document.querySelectorAll('details:not(.facet)').forEach((one) => { one.open = true; })")
        tab.run("document.querySelector('.facet').open = true")
        assert violations(tab.driver) == []
        assert page_width(tab.driver) <= width
        tab.turn(page, view="gallery", technique="probe")
        assert violations(tab.driver, "#browse") == []
        tab.turn(page, puzzle="made/two")
        tab.shown()
        assert violations(tab.driver, "#browse-puzzle") == []


def test_tab_reaches_a_link_that_skips_to_the_report(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.one("body").send_keys(Keys.TAB)
    link = tab.run("return document.activeElement.getAttribute('href')")
    assert link == "#attention"
    assert tab.run("return document.querySelector(arguments[0]) !== null", link)


def test_address_leads_to_its_section_after_the_list_has_moved_it(tab: Tab, page: Path) -> None:
    tab.load(page, "#measures")
    tab.until(lambda: abs(tab.run("return document.querySelector('#measures').getBoundingClientRect().top")) < 120)
