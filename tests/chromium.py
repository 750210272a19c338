"""Chromium without a window, for tests of pages."""

import base64
import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unicodedata import normalize

import axe_core_python
import pytest
from pypdf import PdfReader
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
    "--force-prefers-reduced-motion", "--disable-dev-shm-usage", "--window-size=1280,1000",
)  # fmt: skip
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
PHONE = 390
AXE_SECONDS = 120
"""What axe may take on a busy machine."""
SECONDS = 60
"""What anything else of a page may take there."""

NEEDED = [
    pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine"),
    pytest.mark.skipif(not DRIVER, reason="there is no chromedriver on this machine"),
]
"""Marks of what can't be tested without it."""


@contextmanager
def chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    """A browser that keeps its files in a folder, and logs what its pages say and ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(600)  # only for what hangs: axe takes long where a machine is busy
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def emulated(driver: webdriver.Chrome, scheme: str, width: int, height: int = 844) -> Iterator[None]:
    """A screen of the given size in pixels, light or dark; PHONE pixels emulate a phone with touch."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width == PHONE}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width == PHONE})
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


class BrowserTab:
    """A browser's one tab, and what tests of any page want of it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def until(self, holds: Callable[[], Any]) -> Any:
        """Wait until something holds; an element that the page replaces meanwhile is looked for again."""
        replaced = [StaleElementReferenceException]
        return WebDriverWait(self.driver, SECONDS, 0.02, replaced).until(lambda _: holds())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def tap(self, selector: str) -> None:
        """Tap the middle of an element, scrolled into view if need be."""
        found = self.one(selector)
        self.run("arguments[0].scrollIntoView({ block: 'nearest' })", found)
        finger = ActionBuilder(self.driver, mouse=PointerInput("touch", "finger"))
        finger.pointer_action.move_to(found).pointer_down().pointer_up()
        finger.perform()

    def printed(self) -> list[str]:
        """Return the text of each page on paper, its blanks and ligatures as typed."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69}
        data = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])
        texts = [normalize("NFKC", page.extract_text()) for page in PdfReader(io.BytesIO(data)).pages]
        return [" ".join(text.split()) for text in texts]

    def errors(self) -> list[str]:
        """Return what the page has complained of since this was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


def violations(driver: webdriver.Chrome, within: str = "html") -> list[str]:
    """Return what axe finds that keeps people from using the page, or what a selector names of it."""
    driver.execute_script(AXE.read_text())
    driver.set_script_timeout(AXE_SECONDS)
    script = "axe.run(arguments[0], { resultTypes: ['violations'] }).then(arguments[1])"
    found: list[dict[str, Any]] = driver.execute_async_script(script, within)["violations"]
    return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found]


def page_width(driver: webdriver.Chrome) -> int:
    """Return the page's width in pixels: more than the screen's if it scrolls sideways."""
    return int(driver.execute_script("return document.documentElement.scrollWidth"))
