"""The page of an explanation in headless Chromium: its steps paint the grid, and everyone can use it."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from chromium import NEEDED, PHONE, emulated, page_width, violations
from pypdf import PdfReader
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tabs import Tab
from test_explained import dominoes

from nonocensus.reports.page.explanation_page import page
from nonocensus.reports.words.step_words import describe_merged
from nonocensus.solver.model.puzzle import Color, from_picture
from nonocensus.solver.model.techniques import CLUE
from nonocensus.solver.people.explanation import Explanation, explain

pytestmark = NEEDED

PAINTED = "return Array.from(document.querySelectorAll('.sheet rect[fill^=\"#0\"]')).length"


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain(dominoes(7))


@pytest.fixture(scope="module")
def driver(tab: Tab, explanation: Explanation, tmp_path_factory: pytest.TempPathFactory) -> webdriver.Chrome:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(explanation))
    tab.driver.get(path.as_uri())
    return tab.driver


def click(driver: webdriver.Chrome, name: str) -> None:
    driver.execute_script("document.getElementById(arguments[0]).click()", name)


def shown(driver: webdriver.Chrome) -> tuple[int, str]:
    """Return the step that is shown, and its words."""
    return int(driver.find_element(By.ID, "number").text), driver.find_element(By.ID, "words").text


def test_steps_go_forward_and_back(tab: Tab, driver: webdriver.Chrome, explanation: Explanation) -> None:
    words = [f"{step.what} {step.why}" for step in describe_merged(explanation)]
    black = sum(colors == 2 for colors in explanation.cells)
    click(driver, "last")
    assert shown(driver) == (len(words), words[-1])
    assert driver.execute_script(PAINTED) == black
    click(driver, "back")
    assert shown(driver) == (len(words) - 1, words[-2])
    click(driver, "first")
    assert shown(driver) == (0, "")
    assert driver.execute_script(PAINTED) == 0
    click(driver, "on")
    assert shown(driver) == (1, words[0])
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    assert shown(driver) == (2, words[1])
    driver.execute_script("document.querySelectorAll('.step')[6].click()")
    assert shown(driver) == (7, words[6])
    assert driver.find_element(By.CSS_SELECTOR, "li.now").text == words[6]
    slider = driver.find_element(By.ID, "at")
    slider.send_keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert shown(driver)[0] == 2
    slider.send_keys(Keys.END)
    assert shown(driver)[0] == len(words)
    assert tab.errors() == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (PHONE, "light")])
def test_axe_finds_no_violation_and_nothing_is_too_wide(driver: webdriver.Chrome, scheme: str, width: int) -> None:
    """No violation that axe finds, and nothing wider than the window."""
    with emulated(driver, scheme, width):
        assert violations(driver) == []
        assert page_width(driver) <= width


def flower() -> Explanation:
    """A puzzle of 15x15 in three colours, whose rows only exclude colours at first."""
    y, x = np.mgrid[:15, :15]
    cells = np.zeros((15, 15), np.uint8)
    for top, left in ((2, 7), (4, 4), (4, 10), (7, 5), (7, 9)):
        cells[(x - left) ** 2 + (y - top) ** 2 <= 5] = 1
    cells[(x - 7) ** 2 + (y - 5) ** 2 <= 3] = 2
    cells[9:, 7] = cells[12, 4:7] = cells[11, 3:5] = cells[13, 8:11] = cells[12, 10:12] = 3
    names = ("white", "ffffff"), ("red", "d02020"), ("yellow", "f0c020"), ("green", "208040")
    return explain(from_picture(cells, tuple(Color(name, name[0], rgb) for name, rgb in names)))


def test_colours_that_clues_lack_are_one_step() -> None:
    explanation = flower()
    first, *others = describe_merged(explanation)
    assert (first.step.technique, first.what) == (
        CLUE,
        "Rows 1 to 15, clue: each line has only the colours of its clue.",
    )
    ruled = [pair for step in (first, *others) for pair in step.step.ruled]
    assert ruled == [pair for step in explanation.steps for pair in step.ruled]


@pytest.mark.people
def test_coloured_explanation_is_printed_on_two_pages(driver: webdriver.Chrome, tmp_path: Path) -> None:
    explanation = flower()
    path = tmp_path / "flower.html"
    path.write_text(page(explanation))
    before = driver.current_url
    driver.get(path.as_uri())
    paper = {"paperWidth": 8.27, "paperHeight": 11.69}
    data = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])
    driver.get(before)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(data)).pages]
    assert len(pages) == 2
    text = " ".join(pages)
    for step in describe_merged(explanation):
        assert step.what in text
    assert "Play" not in text
    assert "r is red, y is yellow, g is green." in text
    assert {"4r", "3y", "6g"} <= set(text.split()), "colours are told apart by letters too"


IN_VIEW = """
return [".sheet svg", "#at", "#words"].map((name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
});
"""


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720), (800, 1000), (844, 390), (PHONE, 844)])
@pytest.mark.parametrize("is_scrolled", [False, True])
def test_grid_slider_and_words_are_in_view_together(
    driver: webdriver.Chrome, width: int, height: int, *, is_scrolled: bool
) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    script = "document.getElementById('steps').lastElementChild.scrollIntoView()" if is_scrolled else "scrollTo(0, 0)"
    driver.execute_script(script)
    assert driver.execute_script(IN_VIEW) == [True, True, True]
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
