"""The page of an explanation in headless Chromium: its steps paint the grid, and everyone can use it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import axe_core_python
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from reports.explained.page import page
from reports.explained.words import in_words
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.derivation.explain import Explanation, explain
from solver.tables import puzzles_of

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--force-prefers-reduced-motion", "--window-size=1280,1000")  # fmt: skip

pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine"),
    pytest.mark.skipif(not DRIVER, reason="there is no chromedriver on this machine"),
]

PAINTED = "return Array.from(document.querySelectorAll('.sheet rect[fill^=\"#0\"]')).length"


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    (puzzle,) = puzzles_of(recipe_batch(Recipe("dominoes", 7, 7, None, None, 1), 0, 1))
    return explain(puzzle)


@pytest.fixture(scope="module")
def driver(explanation: Explanation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(explanation))
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.get(path.as_uri())
    yield driver
    driver.quit()


def click(driver: webdriver.Chrome, name: str) -> None:
    driver.execute_script("document.getElementById(arguments[0]).click()", name)


def shown(driver: webdriver.Chrome) -> tuple[int, str]:
    """The step that is shown, and its words."""
    return int(driver.find_element(By.ID, "number").text), driver.find_element(By.ID, "words").text


def test_steps_to_and_fro(driver: webdriver.Chrome, explanation: Explanation) -> None:
    words = [" ".join(told.what.split()) for told in in_words(explanation)]
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
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everyone_can_use_it(driver: webdriver.Chrome, scheme: str, width: int) -> None:
    """No violation that axe finds, and nothing wider than the window."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width == 390}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_script(AXE.read_text())
    found = driver.execute_async_script("axe.run().then(arguments[0])")["violations"]
    assert [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found] == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
