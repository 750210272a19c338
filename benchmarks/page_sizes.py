"""Reports in Chromium: how soon their lists are there, and what filters, sorting and opening a puzzle take.

Times are CPU time of the page's main thread, two frames included: on a busy machine the clock says little.
"""

import tempfile
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from pipeline.findings.figures_page import FigureTable
from tests.chromium import chromium

HEADING = ["page", "puzzles", "MB", "list there, ms", "all charts, ms", *("filter", "search", "sort", "open", "next")]

SECONDS = 120
"""After which a page is given up."""

LIST_THERE = "return document.querySelector('.browse-content')?.hidden === false"
CHARTS_THERE = "return document.querySelector('[data-chart]:not(.vega-embed)') === null"
LIST_IN_SIGHT = "document.querySelector('#browse').scrollIntoView()"

TWO_FRAMES = "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0])));"

ACTS = {
    "filter": """document.querySelector('.facet').open = true;
        setTimeout(() => { document.querySelector('.facet input[type=checkbox]').click(); });""",
    "search": """const box = document.querySelector('.browse-filters').elements.query;
        box.value = '1'; box.dispatchEvent(new Event('input', { bubbles: true }));""",
    "sort": "document.querySelector('.browse-head .cells button').click();",
    "open": "document.querySelector('.browse-rows [data-place]').click();",
    "next": "document.querySelector('[data-step=\"1\"]').click();",
}
"""What people do, in this order."""


def run(pages: list[Path]) -> list[FigureTable]:
    """Return a line for each page, which `nonocensus report` has written."""
    return [FigureTable("Reports in Chromium, CPU ms of the main thread", HEADING, [measured(page) for page in pages])]


def measured(page: Path) -> list[Any]:
    """Return the columns of HEADING."""
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as driver:
        driver.get("about:blank")
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        driver.get(page.resolve().as_uri())
        begun = [spent_until(driver, there) for there in (LIST_THERE, CHARTS_THERE)]
        puzzles = driver.execute_script("return document.querySelector('.cards strong').textContent")
        driver.execute_script(LIST_IN_SIGHT)
        acts = [spent_on(driver, act) for act in ACTS.values()]
    return [page.parent.name, puzzles, round(page.stat().st_size / 1e6, 1), *begun, *acts]


def spent(driver: webdriver.Chrome) -> float:
    """CPU milliseconds that the page's main thread has taken so far."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1e3 * float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def spent_until(driver: webdriver.Chrome, there: str) -> int:
    WebDriverWait(driver, SECONDS, 0.02).until(lambda _: driver.execute_script(there))
    return round(spent(driver))


def spent_on(driver: webdriver.Chrome, act: str) -> int:
    """Time of an action until the second frame after it; the first frame shows the result."""
    before = spent(driver)
    driver.execute_async_script(act + TWO_FRAMES)
    return round(spent(driver) - before)
