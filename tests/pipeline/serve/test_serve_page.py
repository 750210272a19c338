"""The server's page in headless Chromium: puzzles brought, played, solved, drawn; by mouse and by keys."""

import base64
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, violations
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from server_tab import Tab
from serving import ASSUMED, COLORED, PLUS_NON, TWO_NON, Server, long_puzzle, record

from nonocensus.pipeline.serve.serve_limits import MAX_PUZZLES, PAGE_ROWS
from nonocensus.reports.words.formatting import NO_BREAK

pytestmark = [*NEEDED, pytest.mark.slow]


WHOLE = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
return [box.left >= 0 && box.right <= innerWidth, box.top >= 0 && box.bottom <= innerHeight];
"""


@pytest.fixture(scope="module")
def tab(browsing: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield Tab(driver, browsing)


@pytest.fixture
def plus(tab: Tab, tmp_path: Path) -> Tab:
    """The tab with a puzzle from a file."""
    tab.load()
    path = tmp_path / "plus.non"
    path.write_bytes(PLUS_NON)
    tab.upload(path)
    tab.wait_for_puzzle()
    return tab


def test_file_is_played_by_keyboard(plus: Tab) -> None:
    assert plus.text("#puzzle h1") == "plus"
    right, down, left = Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT
    plus.keys("x", right, " ", down, " ")
    assert (plus.painted(), plus.count("crosses")) == (2, 1)
    assert len(plus.all("#puzzle .rows .complete")) == 1
    plus.keys(left, "1", right, right, " ", down, left, " ")
    assert plus.painted() == 5
    assert plus.outcome().startswith("Solved")
    assert len(plus.all("#puzzle .complete")) == 6
    plus.keys(Keys.DELETE)
    assert plus.painted() == 5, "a stroke spoils nothing"
    plus.click("[data-do=undo]")
    assert (plus.painted(), plus.outcome()) == (4, "")
    assert plus.errors() == []


def test_dragging_paints_a_run_and_the_right_button_marks_empty(plus: Tab) -> None:
    target = plus.one("#puzzle .target")
    size = target.rect["width"] / 3
    drag = ActionChains(plus.driver).move_to_element(target).move_by_offset(-int(size), 0).click_and_hold()
    drag.move_by_offset(int(size), int(size / 4)).move_by_offset(int(size), 0).release().perform()
    assert plus.painted() == 3
    assert plus.all("#puzzle .rows .complete")
    ActionChains(plus.driver).move_to_element(target).context_click().perform()
    assert (plus.painted(), plus.count("crosses")) == (2, 1)
    plus.click("[data-do=undo]")
    ActionChains(plus.driver).move_to_element(target).click().perform()
    assert plus.painted() == 2


def test_check_marks_wrong_cells(plus: Tab) -> None:
    plus.keys(Keys.ARROW_DOWN, " ")
    plus.click("[data-do=check]")
    plus.until(lambda: plus.outcome().startswith("Right so far"))
    assert not plus.all("#puzzle .miscounted")
    plus.keys(Keys.ARROW_DOWN, " ")
    assert len(plus.all("#puzzle .columns .miscounted")) == 1, "two cells of one"
    plus.click("[data-do=check]")
    plus.until(lambda: plus.outcome() == "1 cell is wrong; a ring marks it.")
    assert plus.count("wrong") == 1


def test_each_press_extends_the_hint(plus: Tab) -> None:
    """First where and how, then which cells, then they are filled in; a key in between ends it."""
    plus.request_hint()
    assert plus.text("#puzzle .hint p").startswith("Look at row 2 (3).")
    assert (plus.pointed("band"), plus.pointed("found"), plus.painted()) == (1, 0, 0)
    plus.click("[data-do=hint]")
    assert (plus.pointed("band"), plus.pointed("found"), plus.painted()) == (1, 1, 0)
    plus.click(".hint [data-do=more]")
    assert (plus.painted(), plus.pointed("band"), plus.one("#puzzle .hint").is_displayed()) == (3, 0, False)
    plus.click("[data-do=undo]")
    plus.request_hint()
    plus.keys("x")
    assert (plus.pointed("band"), plus.one("#puzzle .hint").is_displayed()) == (0, False)
    plus.click("[data-do=undo]")
    while not plus.outcome():
        plus.request_hint()
        plus.click("[data-do=hint]")
        plus.click("[data-do=hint]")
    plus.request_hint()
    assert plus.text("#puzzle .hint p") == "The grid is solved: nothing is left to do."
    assert not plus.one("#puzzle .hint [data-do=more]").is_displayed()
    assert plus.errors() == []


def test_explanation_is_stepped_through_and_played(tab: Tab) -> None:
    tab.open(record(ASSUMED))
    tab.keys(" ")
    tab.request_explanation()
    clock = tab.text("#puzzle .clock")
    assert (tab.step(), tab.pointed("band"), tab.pointed("found")) == ("Step 1 of 12", 1, 1)
    numbered = "return document.querySelectorAll('#puzzle .edge text:not([hidden])').length"
    assert tab.run(numbered) == tab.run("return document.querySelectorAll('#puzzle .edge text').length")
    said = tab.run("return document.getElementById('said').textContent")
    assert said.endswith(".")
    assert ".." not in said
    tab.click(".player [data-do=hardest]")
    assert "Edge, grade 6" in tab.text("#puzzle .player h2")
    assert (tab.pointed("assumed"), tab.pointed("chain"), tab.pointed("end")) == (1, 1, 1)
    tab.click(".player [data-do=last]")
    assert tab.painted() == 13
    tab.click(".player [data-do=back]")
    assert (tab.step(), tab.painted()) == ("Step 11 of 12", 13)
    tab.one("#puzzle .player .where").send_keys(Keys.HOME)
    assert (tab.step(), tab.painted()) == ("Step 0 of 12", 0)
    tab.driver.execute_script("document.querySelector('#puzzle .player .where').value = 8")
    tab.one("#puzzle .player .where").send_keys(Keys.ARROW_RIGHT)
    assert tab.step() == "Step 9 of 12"
    tab.click(".player [data-do=play]")
    tab.until(lambda: tab.step() == "Step 11 of 12")
    tab.until(lambda: tab.text("#puzzle .player [data-do=play]") == "Play")
    tab.keys(" ")
    assert tab.painted() == 13
    step, technique = tab.step(), tab.text("#puzzle .player h2 a")
    tab.click(".player h2 a")
    tab.until(lambda: tab.all("#techniques:not([hidden]) .now"))
    assert tab.text("#techniques .now h2") == technique
    assert "Mind:" in tab.text("#techniques .now")
    tab.driver.back()
    tab.until(lambda: tab.one("#puzzle .player").is_displayed())
    assert (tab.step(), tab.text("#puzzle .clock")) == (step, clock)
    tab.click(".player [data-do=enough]")
    assert (tab.painted(), tab.pointed("band")) == (1, 0)
    assert tab.errors() == []


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (PHONE, 844)])
def test_whole_board_is_in_view_at_each_step_as_large_as_it_fits(tab: Tab, width: int, height: int) -> None:
    with emulated(tab.driver, "light", width, height):
        tab.open(record((np.random.default_rng(5).random((25, 25)) < 0.65).tolist()))
        before = tab.cells()[2:]
        tab.request_explanation()
        for _ in range(12):
            tab.run("document.querySelector('.player [data-do=on]').click()")
            board, panel = (tab.one(f"#puzzle {part}").rect for part in (".nonogram", ".player"))
            assert tab.run(WHOLE, "#puzzle .nonogram") == [True, True]
            words, below = tab.one("#puzzle .player .guide-words"), panel["y"] - board["y"] - board["height"]
            assert 0 < below < 40 if width == PHONE else panel["x"] > board["x"] + board["width"]
            assert width == PHONE or words.get_property("scrollHeight") <= words.get_property("clientHeight")
        assert board["width"] > min(width, 700) - 10
        tab.click(".player [data-do=enough]")
        assert tab.cells()[2:] == before


def test_puzzle_and_step_are_printed_without_tools_and_forms(plus: Tab) -> None:
    plus.request_explanation()
    paper = " ".join(plus.printed())
    assert plus.text("#puzzle .player .count") in paper
    hidden = ("Undo", "Clear the board", "Solve it", "Download", "Close", "0:")
    assert not [words for words in hidden if words in paper]
    with emulated(plus.driver, "light", 1280):
        plus.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert plus.run("return getComputedStyle(document.querySelector('#puzzle .answer')).breakInside") == "avoid"
        height = "return getComputedStyle(document.querySelector('#puzzle .board')).maxHeight"
        assert plus.run(height) == "none", "or the step covers the board"


@pytest.mark.parametrize(
    ("format", "name"),
    [("draw/png", "plus.png"), ("explain", "plus.html"), ("non", "plus.non")],
)
def test_files_are_downloaded(plus: Tab, format: str, name: str) -> None:  # noqa: A002
    plus.driver.execute_script("document.querySelector('#puzzle [name=format]').value = arguments[0]", format)
    plus.click(".downloads [type=submit]")
    plus.until(lambda: plus.text("#puzzle .left-out") == f"{name} is written.")
    assert plus.text("#problem") == ""


def test_formats_that_hold_the_puzzle_are_offered_the_common_ones_first(plus: Tab) -> None:
    offered = """
        const values = (group) => Array.from(group.querySelectorAll("option:enabled"), ({ value }) => value);
        return Array.from(document.querySelectorAll("#puzzle optgroup"), values);
    """
    groups = plus.run(offered)
    assert groups[:2] == [["draw/png", "draw/svg", "draw/pdf", "explain"], ["cwd", "g", "lists", "non", "webpbn-xml"]]
    assert len(groups[2]) > 20
    colored = record(COLORED)
    plus.open(colored)
    assert plus.run(offered)[1] == ["g", "lists", "non", "webpbn-xml"]
    plus.open(colored | {"palette": [["pink", ".", "ffc0cb"], *colored["palette"][1:]]})
    assert plus.run(offered)[1] == ["g", "lists", "webpbn-xml"]


def test_solution_is_found_and_put_into_the_grid(plus: Tab) -> None:
    plus.until(lambda: "1.1 of 5 stars" in plus.text("#puzzle .about"))
    assert plus.text("#puzzle .verdict .key") == "unique line", "it is graded before it is asked for"
    plus.click(".solver [type=submit]")
    plus.until(lambda: plus.all("#puzzle .solved[open]"))
    assert len(plus.all("#puzzle .pictures .nonogram")) == 1
    assert "Line solves" in plus.text("#puzzle .details .facts")
    assert not plus.one("#puzzle .details .facts").is_displayed()
    time, stars, grade, technique = (fact.text.replace("\n", " ") for fact in plus.all("#puzzle .answer > .facts div"))
    interval = (
        r"Minutes for people about [\d.]+ s \(likely [\d.]+ s to [\d.]+ s\) for regulars of .*beginners may [^)]+\)"
    )
    assert re.fullmatch(interval, time.replace(NO_BREAK, " "))
    assert (stars, grade) == ("Stars for people 1.1 of 5", "Grade for people 1 of 9")
    assert technique.startswith("Technique for people ")
    plus.click("[data-do=show]")
    assert plus.painted() == 5
    assert plus.outcome().startswith("Solved")


def test_long_job_is_cancelled(tab: Tab) -> None:
    tab.open(long_puzzle())
    tab.click(".solver [type=submit]")
    tab.until(lambda: "not easy" in tab.text("#puzzle .progress"))
    tab.click("[data-do=cancel]")
    tab.until(lambda: tab.text("#puzzle .progress") == "Cancelled.")
    tab.until(lambda: tab.server.get("/api/about").json()["running"] == 0)
    assert tab.errors() == []


def test_refusal_is_shown_as_an_alert(tab: Tab) -> None:
    tab.load()
    tab.paste(b"width 2\nheight 2\nrows\nx")
    tab.until(lambda: tab.text("#problem"))
    assert "\n" not in tab.text("#problem")
    assert tab.one("#problem").get_attribute("role") == "alert"
    tab.paste(TWO_NON)
    tab.wait_for_puzzle()
    assert tab.text("#problem") == ""


def test_file_of_several_puzzles_offers_a_choice(tab: Tab, tmp_path: Path) -> None:
    tab.load()
    path = tmp_path / "some.jsonl"
    line = {"rows": [[[1, 1]]], "columns": [[[1, 1]]]}
    path.write_text("\n".join(json.dumps(line | {"title": title}) for title in ("<b>one</b>", "two")))
    tab.upload(path)
    tab.until(lambda: len(tab.all(".choices button")) == 2)
    assert tab.text(".choices bdi") == "<b>one</b>"
    assert not tab.one("#choose form").is_displayed()
    tab.all(".choices button")[1].click()
    tab.wait_for_puzzle()
    assert tab.text("#puzzle h1") == "two"


def test_many_puzzles_of_a_file_are_searched_page_by_page(tab: Tab, tmp_path: Path) -> None:
    tab.load()
    path = tmp_path / "many.jsonl"
    line = {"rows": [[[1, 1]]], "columns": [[[1, 1]]]}
    count = MAX_PUZZLES + 7
    path.write_text("\n".join(json.dumps(line | {"title": f"Cat {number}."}) for number in range(1, count + 1)))
    tab.upload(path)
    tab.until(lambda: tab.text("#choose .where") == f"1 to {MAX_PUZZLES} of {count}")
    tab.click("#choose [data-by='1']")
    tab.until(
        lambda: [each.text for each in tab.all(".choices bdi")] == [f"Cat {MAX_PUZZLES + k}." for k in range(1, 8)]
    )
    tab.one("#choose [name=query]").send_keys(f"cat {count}", Keys.ENTER)
    tab.until(lambda: tab.text("#choose h2") == "Which one of 1 puzzle?")
    assert violations(tab.driver) == []
    tab.click(".choices button")
    tab.wait_for_puzzle()
    assert tab.text("#puzzle h1") == f"Cat {count}."


def test_image_becomes_a_puzzle(tab: Tab, tmp_path: Path) -> None:
    tab.load()
    path = tmp_path / "photo.png"
    shades = np.linspace(0, 255, 200 * 300).reshape(200, 300).astype(np.uint8)
    Image.fromarray(shades).save(path)
    tab.upload(path)
    tab.until(lambda: tab.all("#image .preview .nonogram"))
    tab.click("#image [type=submit]")
    tab.wait_for_puzzle()
    assert "30×20" in tab.text("#puzzle .about")


def test_drawn_picture_is_solved_and_played(tab: Tab) -> None:
    tab.load("#draw")
    tab.keys(" ", Keys.ARROW_RIGHT, " ")
    assert tab.painted() == 2
    rows = tab.all("#draw .board .rows g")
    assert [row.text for row in rows[:2]] == ["2", "0"]
    tab.click("[data-do=color]")
    tab.keys("2")
    assert tab.painted() == 1
    tab.click(".solver [type=submit]")
    tab.until(lambda: tab.text("#draw .verdict .key").endswith("unique line"))
    tab.click("[data-do=play]")
    tab.wait_for_puzzle()
    assert tab.painted() == 0
    tab.keys("1", Keys.ARROW_RIGHT, "2")
    assert tab.outcome().startswith("Solved")
    for section in ("#puzzle", "#draw"):  # both boards are in the page by now
        tab.driver.execute_script("location.hash = arguments[0]", section)
        tab.until(lambda wanted=section: tab.one(wanted).is_displayed())
        assert violations(tab.driver) == [], section
    assert tab.errors() == []


def test_archive_is_searched_and_opened(tab: Tab) -> None:
    tab.load("#archive")
    tab.until(lambda: len(tab.all("#archive tbody tr")) == PAGE_ROWS)
    heads = [head.text for head in tab.all("#archive thead th")]
    assert heads == ["Title", "Id", "Size", "Minutes", "Stars", "Technique", "Verdict"], "all have one colour"
    tab.click("[data-by='1']")
    tab.until(lambda: len(tab.all("#archive tbody tr")) == 60 - PAGE_ROWS)
    tab.one("#archive [name=query]").send_keys("3-16")
    tab.until(lambda: len(tab.all("#archive tbody tr")) == 1)
    tab.click("tbody a")
    tab.wait_for_puzzle()
    assert tab.text("#puzzle h1") == "random/8x8-0.5-3-16"
    assert " of 5 stars" in tab.text("#puzzle .about")
    tab.until(lambda: tab.shared_link() == f"{tab.server.address}/#puzzle?id=random%2F8x8-0.5-3-16")
    tab.click(".share button")
    tab.until(lambda: "only on this computer" in tab.text("#puzzle .copied"))
    assert tab.text("#puzzle .verdict .key")
    assert not tab.one("#puzzle .pictures .nonogram").is_displayed(), "who plays has not asked for the solution"
    tab.click(".solved summary")
    assert tab.one("#puzzle .pictures .nonogram").is_displayed()
    tab.driver.back()
    tab.until(lambda: tab.all("#archive:not([hidden])"))
    tab.driver.forward()
    tab.until(lambda: tab.all("#puzzle:not([hidden])"))
    tab.run("location.hash = '#puzzle?id=there%2Fis%2Fnone'")
    tab.until(lambda: "No such puzzle" in tab.text("#problem"))
    assert not tab.one("#puzzle").is_displayed(), "the former puzzle"


def test_next_puzzle_of_the_list_is_opened(tab: Tab) -> None:
    """Also the first one of the list's next page, from where the list is opened at that page."""
    tab.load("#archive?sort=-title")
    tab.until(lambda: len(tab.all("#archive tbody tr")) == PAGE_ROWS)
    *_, before, last = [link.text for link in tab.all("#archive tbody a")]
    tab.all("#archive tbody a")[-2].click()
    tab.until(lambda: tab.text("#puzzle h1") == before)
    tab.until(lambda: tab.text("#puzzle .onward") == f"Next puzzle of the list: {last} 8×8Back to the list")
    tab.click(".onward a")
    tab.until(lambda: tab.text("#puzzle h1") == last)
    assert tab.run("return document.activeElement.textContent") == last
    tab.until(lambda: len(tab.all("#puzzle .onward a")) == 2 and last not in tab.text("#puzzle .onward"))
    tab.click(".onward a")
    tab.until(lambda: tab.text("#puzzle h1") not in (before, last))
    after = tab.text("#puzzle h1")
    tab.click(".onward a:last-child")
    tab.until(lambda: tab.text("#archive tbody a") == after)
    assert "sort=-title" in tab.driver.current_url
    tab.one("#archive [name=query]").send_keys("no such puzzle")
    tab.until(lambda: not tab.all("#archive tbody tr"))
    assert not tab.one("#archive .pager").is_displayed()
    assert tab.text("#archive .browse-none span") == "“no such puzzle” is not in this archive: change the search, or"
    tab.click(".browse-none button")
    tab.until(lambda: len(tab.all("#archive tbody tr")) == PAGE_ROWS)
    assert not tab.one("#archive .browse-none").is_displayed()
    assert tab.errors() == []


def test_id_opens_the_archives_puzzle(tab: Tab) -> None:
    """Pasted as text, or searched for; the archive comes first on the page."""
    tab.load("")
    tab.until(lambda: len(tab.all("#archive:not([hidden]) tbody tr")) == PAGE_ROWS)
    tab.one("#archive [name=query]").send_keys("8x8-0.5-3-17", Keys.ENTER)
    tab.wait_for_puzzle()
    assert tab.text("#puzzle h1") == "random/8x8-0.5-3-17"
    link = tab.until(tab.shared_link)
    tab.load("#archive")
    tab.one("#archive [name=query]").send_keys(link)
    tab.wait_for_puzzle()
    assert tab.text("#puzzle h1") == "random/8x8-0.5-3-17"
    for text in (" random/8x8-0.5-3-17\n", link):
        tab.load()
        tab.paste(text.encode())
        tab.wait_for_puzzle()
        assert tab.text("#puzzle h1") == "random/8x8-0.5-3-17"
    tab.load()
    tab.paste(b"random/99999")
    tab.until(lambda: tab.text("#problem") == "There is no puzzle random/99999 here.")
    (refused,) = tab.errors()
    assert "422" in refused


def test_archive_is_filtered_by_menus_and_ranges(tab: Tab) -> None:
    tab.load("#archive?label=multiple")
    count = tab.until(lambda: tab.text("#archive .browse-count"))
    assert count.endswith(" of 60 puzzles")
    tab.click(".chip")
    tab.until(lambda: tab.text("#archive .browse-count") == "60 puzzles")
    tab.click("[data-facet=label] summary")
    tab.until(lambda: tab.all("[data-facet=label] [value='multiple']"))
    tab.click("[data-facet=label] [value='multiple']")
    tab.until(lambda: tab.text("#archive .browse-count") == count)
    tab.click("[data-do=random]")
    tab.until(lambda: tab.text("#puzzle .verdict .key") == "multiple")
    tab.until(lambda: tab.all("#puzzle .onward a"))
    tab.click(".onward a:last-child")
    tab.until(lambda: tab.text("#archive tbody a") == tab.text("#puzzle h1"))
    assert tab.text("#archive .browse-count") == count
    minutes, title = (f"th[data-name={name}]" for name in ("minutes", "title"))
    assert tab.text("#archive .sorted") == "Sorted by minutes, ascending; those under 5×5 or a minute last."
    for head, sort in ((minutes, "ascending"), (minutes, "descending"), (title, "ascending")):
        tab.click(f"{head} button")
        tab.until(lambda wanted=(head, sort): tab.one(wanted[0]).get_attribute("aria-sort") == wanted[1])
    assert tab.text("#archive .sorted") == "Sorted by title, ascending."
    assert "sort=title" in tab.driver.current_url
    tab.click("[type=reset]")
    tab.until(lambda: tab.text("#archive .browse-count") == "60 puzzles")
    assert tab.text("[data-facet=duration] .between") == "Minutes at least Minutes at most "
    tab.click(".more")
    tab.click("[data-facet=hardest] summary")
    tab.click("[data-facet=hardest] .menu a")
    tab.until(lambda: tab.one("#techniques h1").is_displayed())
    assert tab.errors() == []


@pytest.mark.parametrize("width", [1280, PHONE])
def test_hint_and_explanation_are_in_view_as_a_whole(tab: Tab, width: int) -> None:
    with emulated(tab.driver, "light", width):
        tab.load("#puzzle?id=random/8x8-0.5-3-17")
        tab.wait_for_puzzle()
        for there, act in ((".hint", tab.request_hint), (".player", tab.request_explanation)):
            act()
            assert tab.driver.execute_script(WHOLE, f"#puzzle {there}") == [True, True], there
            assert tab.one("#puzzle .tools").is_displayed() == (width > PHONE or there == ".hint"), "room for the board"
            tab.click(f"{there} [data-do=enough]")


def test_cursor_is_described_for_screen_readers(plus: Tab) -> None:
    grid = plus.one("#puzzle [role=grid]")
    plus.keys(" ", Keys.ARROW_DOWN, "x")
    cell = plus.one(f"#{grid.get_attribute('aria-activedescendant')}")
    assert cell.get_attribute("textContent") == "white. Column 1: 1, complete"
    assert [tool.text for tool in plus.all("#puzzle .colors .tool-name")] == ["black", "white"]
    assert plus.text("#puzzle [role=rowheader]") == "Row 2: 3"
    row = plus.one("#puzzle [role=row]")
    assert (row.get_attribute("aria-rowindex"), cell.get_attribute("aria-colindex")) == ("2", "2")


def test_link_opens_the_same_puzzle_and_a_forged_one_is_refused(plus: Tab) -> None:
    plus.keys(" ")
    link = plus.until(plus.shared_link)
    plus.click(".share button")
    assert plus.until(lambda: plus.text("#puzzle .copied"))
    plus.load(link.removeprefix(f"{plus.server.address}/"))
    plus.wait_for_puzzle()
    assert (plus.text("#puzzle h1"), plus.painted()) == ("plus", 0)
    plus.keys(Keys.ARROW_DOWN, " ", Keys.ARROW_RIGHT, " ")
    plus.click("[data-do=undo]")
    plus.click("[data-do=undo]")
    plus.click("[data-do=redo]")
    plus.driver.refresh()
    plus.wait_for_puzzle()
    assert plus.painted() == 1, "stored under the puzzle's clues"
    plus.click("[data-do=empty]")
    assert plus.painted() == 0
    plus.click("[data-do=undo]")
    assert plus.painted() == 1
    assert plus.errors() == []
    forged = zlib.compress(b'{"rows": "5000a", "columns": "a", "title": "<img src=x onerror=alert(1)>"}')
    invalid = base64.urlsafe_b64encode(forged).decode().rstrip("=")
    plus.load(f"#puzzle?share={invalid}")
    assert plus.until(lambda: plus.text("#problem")).startswith("Line 1: row 1: the number 5000 is more than 1023.")
    assert plus.one("#open").is_displayed()


def test_back_button_returns_to_the_puzzle_before(tab: Tab) -> None:
    tab.load()
    for side in (2, 3):
        tab.paste(json.dumps(record(np.eye(side))).encode())
        tab.until(lambda wanted=side: tab.text("#puzzle .about").startswith(f"{wanted}×{wanted}"))
        tab.driver.execute_script("location.hash = '#open'")
        tab.until(lambda: tab.one("#open").is_displayed())
    for shown in ("3×3", "2×2"):
        tab.driver.execute_script("history.go(arguments[0])", -1 if shown == "3×3" else -2)
        tab.until(lambda wanted=shown: tab.text("#puzzle .about").startswith(wanted))
    assert tab.errors() == []


def test_grid_follows_that_of_another_tab(plus: Tab) -> None:
    link = plus.until(plus.shared_link)
    first = plus.driver.current_window_handle
    plus.driver.switch_to.new_window("tab")
    plus.driver.get(link)
    plus.wait_for_puzzle()
    plus.keys(Keys.SPACE)
    plus.driver.close()
    plus.driver.switch_to.window(first)
    plus.until(lambda: plus.painted() == 1)


def test_page_works_without_storage(tab: Tab) -> None:
    denied = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied'); } })"
    rule = tab.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": denied})
    tab.driver.get("about:blank")
    tab.driver.get(f"{tab.server.address}/#open")
    tab.until(lambda: tab.one("#open").is_displayed())
    tab.paste(PLUS_NON)
    tab.wait_for_puzzle()
    tab.keys(Keys.SPACE)
    assert tab.painted() == 1
    tab.driver.refresh()
    tab.wait_for_puzzle()
    assert (tab.painted(), tab.text("#problem")) == (0, "")
    tab.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", rule)
