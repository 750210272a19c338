"""A browser's tab at the server's page."""

import json
from pathlib import Path
from typing import Any

from chromium import BrowserTab
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from serving import Server

PAINTED = r"""
const path = document.querySelector("section:not([hidden]) .board .cells[data-entry='1']");
return Array.from((path?.getAttribute('d') ?? '').matchAll(/h(\d+)v/g)).reduce((sum, [, run]) => sum + run / 20, 0);
"""


class Tab(BrowserTab):
    """The tab at the server's page."""

    def __init__(self, driver: webdriver.Chrome, server: Server) -> None:
        super().__init__(driver)
        self.server = server
        self.touching = 0  # fingers on the screen

    def load(self, address: str = "#open") -> None:
        """Reload the page, with empty storage."""
        self.driver.get(self.server.address)
        self.run("localStorage.clear(); sessionStorage.clear();")
        self.driver.get_log("browser")
        self.driver.get("about:blank")
        self.driver.get(f"{self.server.address}/{address}")
        self.until(lambda: self.all("main > section:not([hidden])"))

    def click(self, selector: str) -> None:
        self.one(f"section:not([hidden]) {selector}").click()

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def keys(self, *keys: str) -> None:
        """Keys for the board."""
        self.run("document.querySelector('section:not([hidden]) .cursor-grid').focus()")
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def upload(self, path: Path) -> None:
        self.one("#file").send_keys(str(path))

    def paste(self, text: bytes) -> None:
        self.run("document.getElementById('text').value = arguments[0]", text.decode())
        self.click("#paste button")

    def open(self, puzzle: dict[str, Any]) -> None:
        """Open a puzzle, with empty storage."""
        self.load()
        self.paste(json.dumps(puzzle).encode())
        self.wait_for_puzzle()

    def wait_for_puzzle(self) -> None:
        self.until(lambda: self.all("#puzzle:not([hidden]) .board .nonogram"))

    def shared_link(self) -> str:
        """Return the link to the puzzle that is shown, empty until it is known."""
        return str(self.one("#puzzle [name=link]").get_property("value"))

    def painted(self) -> int:
        """Return cells of the first colour, in the board that is seen."""
        return int(self.run(PAINTED))

    def count(self, kind: str) -> int:
        """Glyphs of a kind on the board."""
        path = self.run(
            "return document.querySelector('section:not([hidden]) .board .' + arguments[0])?.getAttribute('d') ?? ''",
            kind,
        )
        return str(path).count("M")

    def pointed(self, kind: str) -> int:
        """Shapes of a kind that point something out."""
        return len(self.all(f"#puzzle .pointed .{kind}"))

    def hint_title(self) -> str:
        """Return the heading of the hint."""
        return self.text("#puzzle .hint h2")

    def request_hint(self) -> None:
        """Ask for a hint, and wait for it."""
        self.click("[data-do=hint]")
        self.until(lambda: self.hint_title() != "Hint")

    def request_explanation(self) -> None:
        self.click("[data-do=explain]")
        self.until(lambda: self.one("#puzzle .player").is_displayed())

    def step(self) -> str:
        return self.text("#puzzle .player .count")

    def outcome(self) -> str:
        return self.text("#puzzle .outcome")

    def cells(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the board's cells in the window, in pixels."""
        left, top, width, height = self.run(
            "const box = document.querySelector('section:not([hidden]) .board .target').getBoundingClientRect();"
            "return [box.left, box.top, box.width, box.height];"
        )
        return left, top, width, height

    def touch(self, *moments: tuple[tuple[float, float], ...]) -> None:
        """Touch the screen: places of the fingers at each moment, in pixels of the window; then lift them."""
        for fingers in (*moments, ()):
            self.fingers(*fingers)

    def fingers(self, *places: tuple[float, float]) -> None:
        """Move the fingers on the screen to these places, put more of them on it, or lift some."""
        if not self.touching:  # a touch is for what is drawn, so wait until it is
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        kind = "touchStart" if len(places) > self.touching else "touchMove" if places else "touchEnd"
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        self.touching = len(places)
