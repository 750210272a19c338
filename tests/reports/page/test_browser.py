"""The report's page in headless Chromium: charts, list, gallery, opened puzzles, history, focus, phones, accessibility.

What its script computes is tested without a browser: tests/javascript, and test_payload.py on what Python packs.
"""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from browsable import EVIL, HEART, graded, mendings
from census_figures import failed, pairs
from chromium import NEEDED, PHONE, emulated, page_width, violations
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tabs import Tab

from nonocensus.reports.numbers.joined_columns import NO_GRADES
from nonocensus.reports.page.report_page import RunDetails, write_report

PAIRS, GRADES = graded(120)
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
    tab.run("for (const part of document.querySelectorAll('main details:not(.facet)')) part.open = true")
    tab.draw()
    tab.until(lambda: len(tab.all("[data-chart].vega-embed .chart-wrapper svg")) == len(tab.all("[data-chart]")) > 6)
    charts = [plot.get_attribute("data-chart") for plot in tab.all("[data-chart]")]
    saved = {link.get_attribute("download") for link in tab.all(".plot .vega-actions a")}
    assert saved >= {f"report-{chart}.{kind}" for kind in ("svg", "png") for chart in charts}
    assert len(tab.all("main .save")) == len(tab.all("main table"))
    assert tab.one("#people h2").text == "Difficulty for people"
    events = [json.loads(entry["message"])["message"] for entry in tab.driver.get_log("performance")]
    urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert [url for url in urls if not url.startswith("data:")] == [page.as_uri()]
    assert tab.errors() == []


def test_list_scrolls_through_every_row_with_few_elements(tab: Tab, page: Path) -> None:
    tab.set_state(page)
    rows = table()
    assert tab.count() == f"{len(rows)} puzzles"
    assert sorted(tab.column("puzzle_id")) == sorted(row["puzzle_id"] for row in rows)
    assert tab.all(".browse-rows .puzzle_id[title^='random/']"), "long ids are cut"
    assert tab.one(".browse-grid").get_attribute("aria-rowcount") == str(len(rows) + 1)
    assert len(tab.all(".browse-rows .browse-row")) < 40


def test_filters_narrow_the_list_until_they_are_removed(tab: Tab, page: Path) -> None:
    every = f"{len(table())} puzzles"
    tab.set_state(page, difficulty="-9..9", puzzle="webpbn/99999")
    assert "webpbn/99999" in tab.one(".browse-problem").text
    tab.choose("technique", "probe")
    assert tab.one(".browse-problem").text == ""
    assert tab.count() == f"{tab.counts('technique')['probe']} of {every}"
    tab.search("there is no such puzzle")
    assert tab.one(".browse-none").is_displayed()
    tab.search("")
    chips = [chip.text.split("\n")[0] for chip in tab.all(".browse-chips button")]
    assert chips == ["Solver’s technique: probe", "Difficulty from -9 to 9"]
    while chips := tab.all(".browse-chips button"):
        chips[0].click()
    assert tab.count() == every
    tab.choose("technique", "probe")
    tab.one(".browse-filters [type=reset]").click()
    tab.until(lambda: tab.count() == every)


def test_rare_filters_are_folded(tab: Tab, page: Path) -> None:
    tab.load(page)
    assert tab.one("[data-facet=label]").is_displayed()
    assert not tab.one("[data-facet=technique]").is_displayed()
    tab.one(".facets .more").send_keys(Keys.ENTER)
    assert tab.one("[data-facet=technique]").is_displayed()
    assert not tab.one(".facets .more").is_displayed()
    assert tab.run("return document.activeElement.parentElement.classList.contains('rare')")


def test_arrow_keys_move_and_enter_opens(tab: Tab, page: Path) -> None:
    tab.set_state(page)
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
    grid.send_keys(Keys.SPACE)
    assert tab.one(".browse-taken").text == "1 picked:"
    assert tab.one(".browse-row.active").get_attribute("aria-selected") == "true"
    boxes = tab.all(".browse-rows .browse-row .pick input")
    ActionChains(tab.driver).key_down(Keys.SHIFT).click(boxes[4]).key_up(Keys.SHIFT).perform()
    assert tab.one(".browse-taken").text == "4 picked:"
    tab.one("[data-take=clear]").click()
    grid.send_keys(Keys.HOME, Keys.DOWN, Keys.ENTER)
    assert tab.shown()["id"] == names[1]
    tab.one("#browse-puzzle").send_keys(Keys.RIGHT)
    assert tab.shown()["id"] == names[2]
    tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)
    tab.until(lambda: not is_open(tab))
    assert active() == names[2]


def test_layer_that_was_chosen_stays_for_the_next_puzzle(tab: Tab, page: Path) -> None:
    """So stepping on does not reveal the next solution to a person who solves puzzles."""
    tab.load(page, "#browse?puzzle=made/two")
    before = tab.shown()
    assert before["layers"] == ["mended", "solution", "second", "nothing", "play"]
    assert before["reason"].startswith("Several solutions: two of them differ in 4 of 9 cells"), "what to fix"
    assert before["cells"] != []
    tab.one(".layers [value=nothing]").click()
    assert (tab.shown()["cells"], tab.shown()["marks"]) == ([], [])
    tab.one("[data-step='1']").click()
    assert tab.shown()["cells"] == []
    tab.set_state(page, puzzle="made/two")
    tab.one(".layers [value=mended]").click()
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
    assert tab.one(".legend").text == "Solved.", "a stroke spoils nothing"
    grid.send_keys(Keys.CONTROL, "z", Keys.NULL, Keys.SPACE)
    tab.one("#browse-puzzle .check").click()
    assert tab.one(".legend").text == "1 cell is wrong"
    tab.load(page, "#browse?puzzle=made/heart")
    tab.shown()
    tab.one(".layers [value=play]").click()
    tab.one("#browse-puzzle .check").click()
    assert tab.one(".legend").text == "1 cell is wrong", "it is kept"
    tab.one(".layers [value=solution]").click()
    assert tab.errors() == []


def test_untrusted_text_is_escaped(tab: Tab, page: Path) -> None:
    tab.set_state(page, puzzle=f"made/{EVIL}", query=EVIL.split()[0])
    shown = tab.shown()
    assert (shown["name"], shown["author"], shown["reason"]) == (EVIL, f"by {EVIL}", EVIL)
    assert tab.column("title") == [f"{EVIL}by {EVIL}"]
    assert tab.all("#browse img") == []
    assert tab.driver.title.startswith("Census of")
    tab.set_state(page, puzzle="lost/1")  # without a picture
    assert "Nothing can be drawn" in tab.shown()["legend"]
    assert tab.errors() == []


def test_address_and_history_hold_the_state(tab: Tab, page: Path) -> None:
    tab.driver.execute_cdp_cmd("Browser.grantPermissions", CLIPBOARD)
    tab.set_state(page)
    tab.choose("label", "unique")
    tab.sort("minutes")
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
    tab.one(".browse-link").click()
    tab.until(lambda: tab.one(".browse-link").text == "Copied")
    copied = tab.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert "label=unique" in copied
    assert copied == tab.driver.current_url
    tab.load(page, "#measures")  # the list moves the section, after the page has gone to it
    tab.until(lambda: abs(tab.run("return document.querySelector('#measures').getBoundingClientRect().top")) < 120)


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


@pytest.mark.parametrize(
    ("damaged", "script", "problem"),
    [
        (r'(id="browse-table">)[^<]{20}', "", "can’t be shown"),
        ("()^", "delete globalThis.DecompressionStream", "needs a newer browser"),
    ],
)
def test_list_that_can_not_be_shown_is_reported(
    tab: Tab, page: Path, tmp_path: Path, damaged: str, script: str, problem: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(re.sub(damaged, r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
    added = tab.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        tab.driver.get(path.as_uri())
        tab.until(lambda: problem in tab.one(".browse-note").text)
        assert not tab.one(".browse-content").is_displayed()
    finally:
        tab.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        tab.driver.get("about:blank")


def test_nothing_is_wider_than_a_phone(tab: Tab, page: Path) -> None:
    """The list shows the number by which it is sorted; columns that are chosen scroll within it."""
    wide = "title,label,difficulty,cpu_seconds,line_solves,sweeps,probes,nodes,conflicts,blocks,density,kind,source"
    room = "const grid = document.querySelector('.browse-grid'); return grid.scrollWidth - grid.clientWidth"
    with emulated(tab.driver, "light", PHONE):
        tab.set_state(page, puzzle="random/29")
        tab.shown()
        assert page_width(tab.driver) <= PHONE
        assert tab.run("return document.getElementById('browse-puzzle').scrollWidth") <= PHONE
        tab.set_state(page, puzzle="made/two")
        tab.shown()
        width = "return document.querySelector(`#browse-puzzle ${arguments[0]}`).clientWidth"
        assert tab.run(width, ".drawing") == tab.run(width, ".sheet")
        tab.set_state(page)
        assert tab.run(room) == 0
        shown = ".browse-rows .browse-row:not([hidden])"
        assert not tab.one(f"{shown} .density").is_displayed()
        faded = "return getComputedStyle(document.querySelector('.sections'), '::after').backgroundImage"
        assert tab.run(faded).startswith("linear-gradient"), "links go on beyond the edge"
        tab.set_state(page, sort="-density")
        assert tab.one(f"{shown} .density").is_displayed()
        assert not tab.one(f"{shown} .minutes").is_displayed()
        tab.set_state(page, sort="group")
        assert tab.run(room) == 0
        assert tab.one(f"{shown} .how").is_displayed()
        tab.set_state(page, columns=wide)
        assert page_width(tab.driver) <= PHONE
        assert tab.run(room) > 0
        assert tab.column("nodes")


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
    notes = {note.get_attribute("textContent") for note in tab.all(".plot .of")}
    assert notes == {listed, "All puzzles"}
    assert tab.all(".browse-head .minutes .distribution")
    tab.set_state(page)
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


def test_drawing_fits_and_can_be_zoomed(tab: Tab, page: Path) -> None:
    tab.set_state(page, puzzle="random/29")
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


def test_columns_are_chosen_by_keyboard_and_kept_in_the_address(tab: Tab, page: Path) -> None:
    def heads() -> list[str]:
        return [head.text.split()[0] for head in tab.all(".browse-head [role=columnheader] button")]

    tab.set_state(page)
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
    assert tab.one(".browse-head .nodes").get_attribute("aria-sort") == "descending"
    address = tab.driver.current_url
    tab.driver.get("about:blank")
    tab.driver.get(address)
    tab.until(lambda: tab.all(".browse-head .nodes"))
    assert tab.one(".browse-sort").get_attribute("value") == "-nodes"
    tab.set_state(page)
    assert heads() == before


def test_tab_reaches_a_link_that_skips_to_the_report(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.one("body").send_keys(Keys.TAB)
    link = tab.run("return document.activeElement.getAttribute('href')")
    assert link == "#attention"
    assert tab.run("return document.querySelector(arguments[0]) !== null", link)
