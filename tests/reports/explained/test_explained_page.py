"""The page of an explanation in headless Chromium: its steps paint the grid, and everyone can use it."""

from collections.abc import Iterator

import pytest
from chromium import NEEDED, PHONE, chromium, emulated, errors, page_width, violations
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from reports.explained.explanation_page import page
from reports.explained.step_words import describe_steps
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.model.tables import puzzles_of
from solver.people.explanation import Explanation, explain

pytestmark = NEEDED

PAINTED = "return Array.from(document.querySelectorAll('.sheet rect[fill^=\"#0\"]')).length"


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    (puzzle,) = puzzles_of(recipe_batch(Recipe("dominoes", 7, 7, None, None, 1), 0, 1))
    return explain(puzzle)


@pytest.fixture(scope="module")
def driver(explanation: Explanation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(explanation))
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        driver.get(path.as_uri())
        yield driver


def click(driver: webdriver.Chrome, name: str) -> None:
    driver.execute_script("document.getElementById(arguments[0]).click()", name)


def shown(driver: webdriver.Chrome) -> tuple[int, str]:
    """Return the step that is shown, and its words."""
    return int(driver.find_element(By.ID, "number").text), driver.find_element(By.ID, "words").text


def test_steps_go_forward_and_back(driver: webdriver.Chrome, explanation: Explanation) -> None:
    words = [" ".join(told.what.split()) for told in describe_steps(explanation)]
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
    assert errors(driver) == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (PHONE, "light")])
def test_axe_finds_no_violation_and_nothing_is_too_wide(driver: webdriver.Chrome, scheme: str, width: int) -> None:
    """No violation that axe finds, and nothing wider than the window."""
    with emulated(driver, scheme, width):
        assert violations(driver) == []
        assert page_width(driver) <= width
