"""The page of a study in headless Chromium: what people see, and that exactly what they do gets to the server."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, errors, page_width, violations
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from serving import ASSUMED, COLORED
from wires import Place, Wire

from pipeline.jobs.warm import PALETTE
from pipeline.serve.study.app import application as serving
from pipeline.serve.study.keeper import Keeper, clock
from pipeline.study.folder import STUDY_PUZZLES, Chosen, make_study, study_folder
from pipeline.study.people import participant_of
from solver.puzzle import Puzzle, from_picture
from solver.tables import puzzle_batch

CONSENT = ["Every move is kept with its time.", "Nothing else is: no name, no address.", "You may stop at any time."]

SECONDS = 60
UNSAVED = "Not saved yet: trying again"
PICTURES = (
    ([[0, 1, 0], [1, 1, 1], [0, 1, 0]], {"title": "<b>Plus</b>", "author": "Ann", "url": "https://example.org/plus"}),
    (COLORED, {"title": "Two colours", "url": "javascript:alert(1)"}),
    (ASSUMED, {}),
)

pytestmark = [*NEEDED, pytest.mark.slow]


class Tab:
    """The browser's tab, at the page of a study."""

    def __init__(self, driver: webdriver.Chrome, place: Place) -> None:
        self.driver = driver
        self.place = place
        self.wire = place.wire

    def open(self) -> None:
        """The page, as nobody has used it."""
        self.driver.get(self.place.address)
        self.driver.execute_script("localStorage.clear()")
        self.driver.get("about:blank")
        self.driver.get(self.place.address)
        self.shown("consent")
        errors(self.driver)
        self.driver.get_log("performance")
        self.wire.exchanges.clear()

    def until(self, holds: Callable[[], Any]) -> Any:
        return WebDriverWait(self.driver, SECONDS, 0.05).until(lambda _: holds())

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return str(self.driver.execute_script("return document.querySelector(arguments[0]).textContent", selector))

    def shown(self, section: str, heading: str = "") -> None:
        """Wait for a section, and for what stands above it."""
        self.until(lambda: self.all(f"#{section}:not([hidden])") and heading in self.text(f"#{section} h1"))

    def click(self, name: str) -> None:
        """Press the button that is seen for something."""
        self.one(f":is(section:not([hidden]), footer) [data-do={name}]").click()

    def answer(self, value: str) -> None:
        """Answer what is asked once more."""
        self.one(f"#sure[open] [value={value}]").click()

    def forget(self) -> None:
        """Have everything deleted, and be sure of it."""
        if not self.one(".mine [data-do=withdraw]").is_displayed():
            self.one(".mine summary").click()
        self.click("withdraw")
        self.answer("yes")

    def kept(self) -> dict[str, Any]:
        """What the browser keeps."""
        found = self.driver.execute_script("return {...localStorage}")
        return {name.removeprefix("nonocensus:study").strip(":"): json.loads(value) for name, value in found.items()}

    def keys(self, *keys: str) -> None:
        """Keys for the board."""
        self.driver.execute_script("document.querySelector('.cursor-grid').focus()")
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def above(self, actions: ActionChains, x: int, y: int) -> ActionChains:
        """The pointer moves to a cell."""
        puzzle = self.wire.given()["puzzle"]
        target = self.one(".target")
        size = target.rect["width"] / puzzle["width"]
        middle = [(k + 0.5 - puzzle[side] / 2) * size for k, side in ((x, "width"), (y, "height"))]
        return actions.move_to_element_with_offset(target, *map(int, middle))

    def held(self, key: str, other: str) -> None:
        """A key for the board while another one is held."""
        self.keys()
        ActionChains(self.driver).key_down(key).send_keys(other).key_up(key).perform()

    def picture(self) -> str:
        """The solution of the puzzle that is given, as text."""
        rows = self.wire.given()["puzzle"]["rows"]
        return next(
            picture_of(puzzle)
            for puzzle in puzzles()
            if [[list(block) for block in clue] for clue in puzzle.rows] == rows
        )

    def solve(self) -> None:
        """Fill in the solution with keys, from where the first cell is."""
        width = self.wire.given()["puzzle"]["width"]
        picture = self.picture()
        self.keys(Keys.PAGE_UP, Keys.HOME)
        for start in range(0, len(picture), width):
            row = picture[start : start + width]
            typed = [key for color in row for key in (*([color] if color != "0" else []), Keys.ARROW_RIGHT)]
            self.keys(*typed, Keys.HOME, Keys.ARROW_DOWN)

    def grid(self) -> str:
        """What is in the cells, read off the drawing."""
        return str(self.driver.execute_script(GRID))

    def saved(self) -> None:
        """Wait until all is confirmed."""
        self.until(lambda: "unsent" not in self.kept())


GRID = r"""
const image = document.querySelector('#puzzle .board .nonogram');
const target = image.querySelector('.target');
const [width, height] = ['width', 'height'].map((side) => Number(target.getAttribute(side)) / 20);
const cells = Array(width * height).fill('?');
for (const path of image.querySelectorAll('.cells')) {
  for (const [, x, y, run] of path.getAttribute('d').matchAll(/M(\d+) (\d+)h(\d+)v/g)) {
    cells.fill(path.dataset.entry, y / 20 * width + x / 20, y / 20 * width + x / 20 + run / 20);
  }
}
const crosses = image.querySelector('.crosses')?.getAttribute('d') ?? '';
for (const [, x, y] of crosses.matchAll(/M([\d.]+) ([\d.]+)l/g)) {
  cells[Math.floor(y / 20) * width + Math.floor(x / 20)] = '0';
}
return cells.join('');
"""


def puzzles() -> list[Puzzle]:
    """The puzzles of the study, each with one solution."""
    made = []
    for place, (picture, about) in enumerate(PICTURES, 1):
        colors = PALETTE[: max(map(max, picture)) + 1]
        made.append(from_picture(picture, colors, puzzle_id=f"local/{place}", **about))
    return made


def picture_of(puzzle: Puzzle) -> str:
    """A puzzle's picture as text."""
    assert puzzle.goal is not None
    return "".join(map(str, puzzle.goal.flat))


def grid_after(acts: list[dict[str, Any]], cells: int) -> str:
    """A grid of so many cells after some acts, ? for open ones. Each act has to change what it says it changes."""
    grid = ["?"] * cells
    for act in acts:
        assert bool(act["cells"]) == (act["kind"] in ("set", "undo", "redo")), act
        for cell, value in zip(act["cells"], act["values"], strict=True):
            assert grid[cell] != value, act
            grid[cell] = value
    return "".join(grid)


@pytest.fixture
def application(tmp_path: Path) -> Any:
    """The server's application, with the study's page and its API, over `puzzles`."""
    made = puzzles()
    batch = pa.Table.from_batches([puzzle_batch(made)])
    solutions = pa.array([puzzle.goal.tobytes() for puzzle in made if puzzle.goal is not None], pa.binary())
    frozen = batch.append_column("solution", solutions).cast(STUDY_PUZZLES)
    chosen: Chosen = {"by": "ids", "count": len(made)}
    study = make_study(study_folder(str(tmp_path / "study")), "a run", chosen, frozen, "\n\n".join(CONSENT))
    return asyncio.run(serving(Keeper(study, clock()), frozenset({"localhost"})).__aenter__())


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture
def tab(driver: webdriver.Chrome, application: Any) -> Iterator[Tab]:
    place = Place(Wire(application))
    try:
        tab = Tab(driver, place)
        tab.open()
        yield tab
    finally:
        driver.get("about:blank")
        place.stop()


@pytest.fixture
def begun(tab: Tab) -> Tab:
    """The tab with the first puzzle."""
    tab.click("agree")
    tab.shown("puzzle", "Puzzle 1 of 3")
    return tab


def test_nothing_is_sent_before_somebody_agrees(tab: Tab) -> None:
    assert [p.text for p in tab.all("#consent .consent-text p")] == CONSENT
    assert not tab.one("footer .mine").is_displayed()
    tab.click("decline")
    tab.shown("note", "That is fine")
    assert (tab.wire.paths(), tab.kept()) == ([], {})
    tab.click("lead")
    tab.shown("consent")
    tab.driver.refresh()
    tab.shown("consent")
    assert tab.wire.paths() == ["study"]
    tab.click("agree")
    tab.shown("puzzle")
    assert tab.wire.paths() == ["study", "study/consent", "study/next"]
    assert errors(tab.driver) == []


def test_every_act_is_told(begun: Tab) -> None:
    """By mouse, by keys and by buttons: exactly what was done, in its order."""
    width = begun.wire.given()["puzzle"]["width"]
    middle = width + 1
    pointer = begun.above(ActionChains(begun.driver), 0, 0).click_and_hold()
    begun.above(pointer, 2, 0).release().perform()
    begun.above(ActionChains(begun.driver), 1, 1).context_click().perform()
    begun.keys(Keys.DELETE)
    begun.held(Keys.CONTROL, "z")
    begun.click("undo")
    begun.click("redo")
    begun.keys(Keys.ARROW_LEFT, " ")
    begun.held(Keys.SHIFT, Keys.ARROW_DOWN)
    begun.keys("x", Keys.DELETE, Keys.DELETE)
    expected = [
        ("set", [0, 1, 2], "111"),
        ("set", [middle], "0"),
        ("set", [middle], "?"),
        ("undo", [middle], "0"),
        ("undo", [middle], "?"),
        ("redo", [middle], "0"),
        ("set", [width], "1"),
        ("set", [2 * width], "1"),
        ("set", [2 * width], "0"),
        ("set", [2 * width], "?"),
    ]
    begun.until(lambda: begun.wire.done(1) == expected)
    begun.saved()
    begun.click("larger")
    begun.click("smaller")
    assert begun.wire.done(1) == expected
    assert errors(begun.driver) == []


def test_nothing_else_changes_while_a_run_is_painted(begun: Tab) -> None:
    """An undo in the middle of a run would be told, and then be painted over."""
    begun.keys(" ")
    pointer = begun.above(ActionChains(begun.driver), 0, 1).click_and_hold()
    pointer.key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).send_keys("x")
    begun.above(pointer, 1, 1).release().perform()
    width = begun.wire.given()["puzzle"]["width"]
    begun.until(lambda: begun.wire.done(1) == [("set", [0], "1"), ("set", [width, width + 1], "11")])
    assert begun.grid()[0] == "1"


def test_solving_one_after_the_other(tab: Tab) -> None:
    tab.click("agree")
    titles = set()
    for number in (1, 2, 3):
        tab.shown("puzzle", f"Puzzle {number} of 3")
        assert "Plus" not in tab.text("#puzzle") + tab.driver.title
        picture = tab.picture()
        tab.solve()
        tab.shown("told", "Solved!")
        acts = tab.wire.done(number)
        assert acts[-1] == ("solved", [], "")
        assert grid_after(tab.wire.acts(number), len(picture)) == picture.replace("0", "?")
        assert len(tab.all("#told .picture .nonogram")) == 1
        titles.add(tab.text("#told .credit").strip())
        assert tab.kept()[""]["done"] == number
        assert tab.all("#told a[href]") == [] or tab.one("#told a").get_attribute("href") == "https://example.org/plus"
        tab.click("next")
    tab.shown("note", "All done")
    assert "You have done 3 puzzles." in tab.text("#note .lede")
    assert not tab.one("#note button").is_displayed()
    assert titles == {"<b>Plus</b> by Ann local/1", "Two colours  local/2", "local/3"}
    tab.driver.refresh()
    tab.shown("note", "Welcome back")
    tab.click("lead")
    tab.shown("note", "All done")
    assert errors(tab.driver) == []


def test_giving_up_is_asked_once_more(begun: Tab) -> None:
    begun.keys(" ")
    begun.click("surrender")
    begun.answer("no")
    begun.click("surrender")
    ActionChains(begun.driver).send_keys(Keys.ESCAPE).perform()
    begun.until(lambda: not begun.all("#sure[open]"))
    begun.keys(Keys.ARROW_DOWN, " ")
    begun.click("surrender")
    begun.answer("yes")
    begun.shown("told", "Given up")
    assert [kind for kind, *_ in begun.wire.done(1)] == ["set", "set", "gave up"]
    assert len(begun.all("#told .picture .nonogram")) == 1
    begun.click("enough")
    begun.shown("note", "Thank you")
    assert "You have done 1 puzzle." in begun.text("#note .lede")
    begun.click("lead")
    begun.shown("puzzle", "Puzzle 2 of 3")


def test_a_page_that_is_left_in_the_middle(begun: Tab) -> None:
    """What was done last is sent as it is left, and who comes back goes on."""
    begun.keys(" ", Keys.ARROW_DOWN, "x")
    before = begun.grid()
    begun.driver.get("about:blank")
    begun.until(lambda: [kind for kind, *_ in begun.wire.done(1)] == ["set", "set", "hidden"])
    begun.driver.get(begun.place.address)
    begun.shown("note", "Welcome back")
    assert "not finished a puzzle" in begun.text("#note .lede")
    begun.click("lead")
    begun.shown("puzzle", "Puzzle 1 of 3")
    assert begun.grid() == before
    begun.click("undo")
    assert begun.grid() == before  # what a page before did is not undone
    begun.keys(Keys.ARROW_RIGHT, " ")
    begun.saved()
    kinds = [kind for kind, *_ in begun.wire.done(1)]
    assert kinds == ["set", "set", "hidden", "set"]
    assert begun.wire.given()["kept"] == len(kinds) - 1
    assert errors(begun.driver) == []


def test_a_server_that_is_gone_and_comes_back(begun: Tab) -> None:
    begun.keys(" ")
    begun.saved()
    begun.place.stop()
    begun.keys(Keys.ARROW_RIGHT, " ")
    begun.until(lambda: begun.text("#saving") == UNSAVED)
    begun.keys(Keys.ARROW_DOWN, "x")
    begun.click("undo")
    begun.place.start()
    begun.until(lambda: begun.text("#saving") == "")
    begun.saved()
    assert [kind for kind, *_ in begun.wire.done(1)] == ["set", "set", "set", "undo"]


def test_what_a_dead_server_missed_is_sent_by_the_next_page(begun: Tab) -> None:
    begun.place.stop()
    begun.keys(" ")
    before = begun.grid()
    begun.driver.get("about:blank")
    begun.place.start()
    begun.driver.get(begun.place.address)
    begun.shown("note", "Welcome back")
    begun.click("lead")
    begun.shown("puzzle", "Puzzle 1 of 3")
    assert begun.grid() == before
    assert begun.wire.done(1)[0] == ("set", [0], "1")
    begun.saved()


def test_an_end_that_can_not_be_sent_yet(begun: Tab) -> None:
    """Solved while the server was gone: nothing can be changed any more, and it is told later."""
    begun.place.stop()
    begun.solve()
    assert begun.text("#puzzle .outcome") == "Solved!"
    assert begun.driver.execute_script("return document.querySelector('.desk').inert")
    begun.driver.execute_script("document.querySelector('[data-do=undo]').click()")
    begun.until(lambda: begun.text("#saving") == UNSAVED)
    begun.place.start()
    begun.shown("told", "Solved!")
    kinds = [kind for kind, *_ in begun.wire.done(1)]
    assert (kinds[-1], kinds.count("solved"), kinds.count("undo")) == ("solved", 1, 0)


@pytest.mark.parametrize("statuses", [[], [500], [503, 502]])
def test_a_lost_reply(begun: Tab, statuses: list[int]) -> None:
    """The same acts are sent again, and count once."""
    begun.wire.losing = 2
    begun.wire.refusing = statuses
    begun.keys(" ", Keys.ARROW_RIGHT, "x")
    begun.until(lambda: begun.text("#saving") == UNSAVED)
    begun.saved()
    assert begun.wire.losing == 0
    assert [kind for kind, *_ in begun.wire.done(1)] == ["set", "set"]


def test_an_attempt_that_has_ended_elsewhere(begun: Tab) -> None:
    begun.wire.refusing = [409]
    begun.keys(" ")
    begun.shown("note", "Not here any more")
    assert "unsent" not in begun.kept()
    begun.click("lead")
    begun.shown("puzzle", "Puzzle 1 of 3")
    assert "1" not in begun.grid()
    begun.keys(" ")
    begun.saved()
    assert begun.wire.done(1) == [("set", [0], "1")]


def test_somebody_whom_the_study_does_not_know(begun: Tab) -> None:
    begun.wire.refusing = [404]
    begun.keys(" ")
    begun.shown("consent")
    assert "does not know you" in begun.text("#problem")
    assert begun.kept().keys() <= {"tab"}
    begun.click("agree")
    begun.shown("puzzle", "Puzzle 1 of 3")
    assert begun.text("#problem") == ""


def test_deleting_everything(begun: Tab) -> None:
    secret = begun.kept()[""]["secret"]
    begun.one(".mine summary").click()
    begun.until(lambda: begun.text(".participant"))
    assert begun.text(".participant") == participant_of(secret)
    begun.keys(" ")
    begun.click("withdraw")
    begun.answer("no")
    assert begun.kept()[""]["secret"] == secret
    begun.forget()
    begun.shown("note", "Deleted")
    assert begun.text("#note .lede").startswith("1 attempt of yours was deleted.")
    assert begun.kept().keys() <= {"tab"}
    assert not begun.one("footer .mine").is_displayed()
    begun.driver.refresh()
    begun.shown("consent")
    assert secret not in str(begun.kept())


def test_deleting_while_the_server_is_gone(begun: Tab) -> None:
    begun.keys(" ")
    begun.place.stop()
    begun.forget()
    begun.shown("note", "Nothing has been deleted")
    assert "reached" in begun.text("#problem")
    begun.place.start()
    begun.click("lead")
    begun.shown("puzzle", "Puzzle 1 of 3")
    assert begun.grid()[0] == "1"
    begun.forget()
    begun.shown("note", "Deleted")


def test_a_second_tab_goes_on(begun: Tab) -> None:
    """With all that was done in the first one, which steps aside; and back again."""
    driver = begun.driver
    first = driver.current_window_handle
    begun.keys(" ", Keys.ARROW_RIGHT, "x")
    before = begun.grid()
    driver.switch_to.new_window("tab")
    try:
        driver.get(begun.place.address)
        begun.shown("note", "Welcome back")
        begun.click("lead")
        begun.shown("puzzle", "Puzzle 1 of 3")
        assert begun.grid() == before
        begun.keys(Keys.ARROW_DOWN, " ")
        after = begun.grid()
        second = driver.current_window_handle
        driver.switch_to.window(first)
        begun.shown("note", "Gone on in another tab")
        begun.click("lead")
        begun.shown("puzzle", "Puzzle 1 of 3")
        assert begun.grid() == after
        begun.forget()
        begun.shown("note", "Deleted")
        driver.switch_to.window(second)
        begun.shown("note", "Deleted")
    finally:
        for handle in driver.window_handles:
            if handle != first:
                driver.switch_to.window(handle)
                driver.close()
        driver.switch_to.window(first)


def test_a_page_that_is_hidden(begun: Tab) -> None:
    first = begun.driver.current_window_handle
    begun.keys(" ")
    begun.driver.switch_to.new_window("tab")
    begun.until(lambda: begun.wire.done(1) == [("set", [0], "1"), ("hidden", [], "")])
    begun.driver.close()
    begun.driver.switch_to.window(first)
    begun.until(lambda: [kind for kind, *_ in begun.wire.done(1)] == ["set", "hidden", "visible"])


def test_a_long_stay_without_a_server_is_sent_in_pieces(begun: Tab) -> None:
    """No request is larger than what browsers send for a page that is left."""
    begun.place.stop()
    begun.driver.execute_script(MANY, 1000)
    begun.place.start()
    begun.saved()
    assert len(begun.wire.acts(1)) == 1000
    sizes = [len(json.dumps(each.asked)) for each in begun.wire.exchanges if each.path == "study/moves"]
    assert max(sizes) < 40_000
    assert len(sizes) > 1


MANY = """
const grid = document.querySelector('.cursor-grid');
for (let k = 0; k < arguments[0]; k++) grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', cancelable: true }));
"""


def test_a_browser_that_keeps_nothing(tab: Tab) -> None:
    blocked = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } });"
    script = tab.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": blocked})
    try:
        tab.driver.get(tab.place.address)
        tab.shown("consent")
        tab.click("agree")
        tab.shown("puzzle")
        tab.keys(" ")
        tab.until(lambda: tab.wire.done(1) == [("set", [0], "1")])
        tab.forget()
        tab.shown("note", "Deleted")
    finally:
        tab.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (PHONE, "light")])
def test_everyone_can_use_the_study(tab: Tab, width: int, scheme: str) -> None:
    """No violation that axe finds, and nothing wider than the window, in every state."""

    def look(state: str) -> None:
        assert violations(tab.driver) == [], state
        assert page_width(tab.driver) <= width, state

    with emulated(tab.driver, scheme, width):
        tab.open()
        look("consent")
        tab.click("agree")
        tab.shown("puzzle")
        tab.one(".rules summary").click()
        tab.keys(" ", Keys.ARROW_RIGHT, "x")
        look("puzzle")
        for details in tab.all("details:not(.rules) summary"):
            details.click()
        look("everything")
        tab.click("surrender")
        look("asked")
        tab.answer("no")
        tab.keys(Keys.HOME, Keys.DELETE, Keys.ARROW_RIGHT, Keys.DELETE)
        tab.place.stop()
        tab.solve()
        tab.until(lambda: tab.text("#saving") == UNSAVED)
        look("unsaved")
        tab.place.start()
        tab.shown("told")
        look("told")
        tab.click("enough")
        tab.shown("note")
        look("note")


def test_the_study_for_a_screen_reader(begun: Tab) -> None:
    """The focus goes to what is new, and the board says where its cursor is."""
    assert begun.driver.switch_to.active_element.text == "Puzzle 1 of 3"
    assert begun.driver.title.startswith("Puzzle 1 of 3")
    begun.keys("x")
    cell = begun.one(f"#{begun.one('[role=grid]').get_attribute('aria-activedescendant')}")
    assert str(cell.get_attribute("textContent")).startswith("empty. Column 1: ")
    begun.click("surrender")
    assert begun.driver.switch_to.active_element.get_attribute("value") == "no"
    begun.answer("yes")
    begun.shown("told")
    assert begun.driver.switch_to.active_element.text == "Given up"


def test_nothing_is_asked_of_anybody_else(begun: Tab) -> None:
    begun.driver.refresh()
    begun.shown("note")
    events = [json.loads(entry["message"])["message"] for entry in begun.driver.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    hosts = {urlsplit(url).netloc for url in asked if url.startswith("http")}
    assert hosts == {urlsplit(begun.place.address).netloc}
