"""Reports in Chromium: size, height, when their lists are there, how long filters, sorting and opening a puzzle take.

Times are those of the page's clock from an event to the frame that shows its result, the median of TIMES; on a busy
machine they say little.
"""

import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from nonocensus.pipeline.findings.figures_page import FigureTable
from tests.chromium import chromium

SCREENS = {"1280x800": (1280, 800, False), "390x844": (390, 844, True)}
"""Width, height, and whether it is a phone's."""

SECONDS = 120
"""After which a page is given up."""

TIMES = 9

LIST_THERE = "return document.querySelector('.browse-content')?.hidden === false"
LIST_IN_SIGHT = "document.querySelector('#browse').scrollIntoView()"

SEARCH = """const box = document.querySelector('.browse-filters').elements.query;
    box.value = '%s'; box.dispatchEvent(new Event('input', { bubbles: true }));"""
OPENED = """document.querySelector('#browse-puzzle .drawing').firstChild !== null
    && document.querySelector('#browse-puzzle .legend').textContent !== ''"""

ACTS = {
    "search": ("", [SEARCH % word for word in ("c", "ca", "cat", "1", "", "flower", "15x15", "a", "")], "true"),
    "filter": (
        "document.querySelectorAll('.facet')[1].open = true",
        [f"document.querySelectorAll('.facet[open] input')[{k % 3 + 1}].click()" for k in range(TIMES)],
        "true",
    ),
    "sort": (
        "document.querySelectorAll('.facet')[1].open = false",
        [f"document.querySelectorAll('.browse-head button')[{k % 5}].click()" for k in range(TIMES)],
        "true",
    ),
    "open": (
        """document.querySelector('#browse-puzzle .close').click();
        document.querySelector('.browse-grid').scrollTop += 10007""",
        ["document.querySelectorAll('.browse-rows [data-place]')[2].click()"] * TIMES,
        OPENED,
    ),
    "next": ("", ["document.querySelector('[data-step=\"1\"]').click()"] * TIMES, OPENED),
}
"""What people do, in this order: what precedes an act, each act, and the condition that its result is there."""

HEADING = ["page", "puzzles", "MB", "list there, ms", *(f"screens of {name}" for name in SCREENS), *ACTS]

MEASURED = """
const frame = (then) => requestAnimationFrame(() => setTimeout(then)); // after the frame is painted
%s;
setTimeout(() => frame(() => {
  const begun = performance.now();
  %s;
  const look = () => (%s ? arguments[0](performance.now() - begun) : frame(look));
  frame(look);
}), 100);
"""
"""What precedes an act, the act, the condition: the page's policy forbids to evaluate them as arguments."""


def run(pages: list[Path]) -> list[FigureTable]:
    """Return a line for each page, which `nonocensus report` has written."""
    return [FigureTable("Reports in Chromium, ms of the page's clock", HEADING, [measured(page) for page in pages])]


def measured(page: Path) -> list[Any]:
    """Return the columns of HEADING."""
    screens = [height_on(page, *screen) for screen in SCREENS.values()]
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as driver:
        driver.set_window_size(1280, 800)
        begun = opened(driver, page)
        puzzles = driver.execute_script("return document.querySelector('.cards strong').textContent")
        driver.execute_script(LIST_IN_SIGHT)
        acts = [
            round(median(driver.execute_async_script(MEASURED % (before, act, there)) for act in acts))
            for before, acts, there in ACTS.values()
        ]
    return [page.parent.name, puzzles, round(page.stat().st_size / 1e6, 1), begun, *screens, *acts]


def opened(driver: webdriver.Chrome, page: Path) -> int:
    """Open a page and return after how many milliseconds its list was there, polled every 20 ms."""
    driver.get(page.resolve().as_uri())
    WebDriverWait(driver, SECONDS, 0.02).until(lambda _: driver.execute_script(LIST_THERE))
    return round(float(driver.execute_script("return performance.now()")))


def height_on(page: Path, width: int, height: int, is_phone: bool) -> float:
    """Return the height of the page in screens, all charts in sight drawn."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as driver:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_phone, "maxTouchPoints": 1})
        opened(driver, page)
        for plot in driver.find_elements("css selector", "[data-chart]"):
            if plot.is_displayed():
                driver.execute_script("arguments[0].scrollIntoView()", plot)
                drawn = partial(driver.execute_script, "return arguments[0].classList.contains('vega-embed')", plot)
                WebDriverWait(driver, SECONDS, 0.02).until(lambda _, drawn=drawn: drawn())  # type: ignore[misc]
        whole: int = driver.execute_script("return document.documentElement.scrollHeight")
    return round(whole / height, 1)
