"""The report's section on a study in headless Chromium: its charts are drawn, and everyone can use it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import axe_core_python
import pytest
from players import Person
from playing import attempted, material, played, studied
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from reports.page import write_report
from reports.study.attempts import attempts_of

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--force-prefers-reduced-motion", "--window-size=1280,1000")  # fmt: skip
SECONDS = 30

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine"),
    pytest.mark.skipif(not DRIVER, reason="there is no chromedriver on this machine"),
]

DRAWN = "return document.querySelectorAll('#study [data-chart].vega-embed svg').length === 2"
WITHIN = "axe.run('#study').then(arguments[0])"
"""The other sections are not this test's."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=[True, False], ids=["graded", "not graded"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    these = material()
    moves, _ = played(these, [Person(speed=1 + k, knows=7 + k, slips=0.1) for k in range(6)], 20, 4)
    study = studied(these.puzzles, attempts_of(moves, these.puzzles))
    grades = {"grades": these.grades} if request.param else {}
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(write_report([(these.results, these.puzzles)], studied=study, **grades)["report.html"])
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_everyone_can_use_it(driver: webdriver.Chrome, page: Path, scheme: str, width: int) -> None:
    """No violation that axe finds, nothing wider than the window, no errors, and all that is in the table is shown."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width == 390}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(page.as_uri())
    WebDriverWait(driver, SECONDS, 0.02).until(lambda _: driver.execute_script(DRAWN))
    driver.execute_script("document.querySelectorAll('#study details').forEach((one) => { one.open = true; })")
    driver.execute_script(AXE.read_text())
    found = driver.execute_async_script(WITHIN)["violations"]
    assert [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found] == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert driver.get_log("browser") == []


def test_a_small_study_is_drawn_too(driver: webdriver.Chrome, tmp_path: Path) -> None:
    """Two puzzles, all solved in the same time."""
    these = material()
    two = these.puzzles.slice(0, 2)
    study = studied(two, attempted(two, [[20.0, 20.0], [20.0, 20.0]]))
    path = tmp_path / "report.html"
    path.write_bytes(write_report([(these.results, these.puzzles)], studied=study)["report.html"])
    driver.get(path.as_uri())
    drawn = "return document.querySelectorAll('#study [data-chart=solving].vega-embed svg path[aria-label]').length"
    WebDriverWait(driver, SECONDS, 0.02).until(lambda _: driver.execute_script(drawn) == 2)
    assert driver.get_log("browser") == []
