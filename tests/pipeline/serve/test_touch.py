"""The server's page on a phone: played and drawn on by touch events, which Chromium itself turns into pointers."""

from collections.abc import Iterator

import numpy as np
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, page_width, violations
from selenium.webdriver.common.keys import Keys
from server_tab import Tab
from serving import Server, record
from test_serve_page import jsonl

pytestmark = [*NEEDED, pytest.mark.slow]


OPTIONS = ("--cpus", "1")


@pytest.fixture(scope="module")
def phone(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver, emulated(driver, "light", PHONE):
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
        yield Tab(driver, server)


def disc(side: int) -> np.ndarray:
    """A picture: a disc with a grid of holes."""
    y, x = np.mgrid[:side, :side]
    middle = (side - 1) / 2
    inside: np.ndarray = (x - middle) ** 2 + (y - middle) ** 2 < (side / 2.2) ** 2
    return inside & ((x // 3 + y // 3) % 3 > 0)


def open_disc(phone: Tab, side: int = 20) -> None:
    phone.load()
    phone.paste(jsonl(record(disc(side))))
    phone.wait_for_puzzle()


def centre(phone: Tab, x: int, y: int, side: int) -> tuple[float, float]:
    """The centre of a cell in the window."""
    left, top, width, height = phone.cells()
    return left + (x + 0.5) * width / side, top + (y + 0.5) * height / side


def tap(phone: Tab, selector: str) -> None:
    """Tap the middle of an element of the open section, scrolled into view if need be."""
    found = phone.one(f"section:not([hidden]) {selector}")
    phone.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found)
    box = phone.driver.execute_script("return arguments[0].getBoundingClientRect().toJSON()", found)
    phone.touch(((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2),))


def filled(phone: Tab, side: int) -> np.ndarray:
    """The stored grid: whether each cell is filled."""
    script = """
        const name = Object.keys(localStorage).find((name) => name.startsWith("nonocensus:grid:"));
        return JSON.parse(localStorage[name]).grid;
    """
    return np.array([digit == "1" for digit in phone.driver.execute_script(script)]).reshape(side, side)


def visible_clues(phone: Tab) -> list[bool]:
    """Whether the clues of row 15 and column 15 are within the board's window."""
    script = """
        const board = document.querySelector("section:not([hidden]) .board"), frame = board.getBoundingClientRect();
        return ["rows", "columns"].map((side) => {
          const box = board.querySelectorAll(`.clues.${side} > g`)[14].getBoundingClientRect();
          return side === "rows" ? box.left >= frame.left && box.right <= frame.right
            : box.top >= frame.top && box.bottom <= frame.bottom;
        });
    """
    left, top = phone.driver.execute_script(script)
    return [left, top]


def test_finger_paints_a_run_even_beyond_the_board(phone: Tab) -> None:
    open_disc(phone)
    assert page_width(phone.driver) <= PHONE
    row = [centre(phone, x, 5, 20) for x in range(2, 9)]
    phone.touch(*((place,) for place in row))
    assert phone.painted() == 7
    left, top, width, _ = phone.cells()
    phone.touch(((left + width - 4, top + 4),), ((left + width / 2, top - 40),), ((-5.0, top - 90),))
    assert phone.painted() == 27, "the whole first row"
    phone.click("[data-do=undo]")
    assert phone.painted() == 7
    assert phone.errors() == []


def test_second_finger_moves_the_board_and_paints_nothing(phone: Tab) -> None:
    open_disc(phone)
    for _ in range(2):
        phone.click("[data-do=larger]")
    _, _, size, _ = phone.cells()
    x, y = centre(phone, 8, 8, 20)
    phone.touch(((x, y),), ((x, y), (x + 60, y)), ((x - 30, y - 20), (x + 30, y - 20)))
    width = phone.cells()[2]
    assert (phone.painted(), width) == (0, size)
    phone.until(lambda: visible_clues(phone) == [True, True])
    phone.touch(((x, y),), ((x, y), (x + 40, y)), ((x, y), (x + 60, y)))
    assert phone.cells()[2] > 1.3 * size
    assert phone.painted() == 0
    phone.until(lambda: visible_clues(phone) == [True, True])


@pytest.mark.parametrize("key", [Keys.END, Keys.HOME])
def test_keys_keep_the_cursor_clear_of_the_clues(phone: Tab, key: str) -> None:
    open_disc(phone, 40)
    phone.keys(Keys.END, Keys.PAGE_DOWN, key)
    phone.until(lambda: visible_clues(phone) == [True, True])
    inside = phone.driver.execute_script("""
        const box = document.querySelector("#puzzle .cursor").getBoundingClientRect();
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return at === document.querySelector("#puzzle .target");
    """)
    assert inside


def test_drawing_keeps_the_board_still_and_survives_a_reload(phone: Tab) -> None:
    phone.load("#draw")
    before = phone.cells()
    for x in range(0, 15, 2):
        phone.touch((centre(phone, x, x, 15),))
        phone.touch((centre(phone, x, 4, 15),))
        assert phone.cells() == before
    phone.click("[data-do=color]")
    phone.touch((centre(phone, 1, 1, 15),))
    assert phone.cells()[2:] == before[2:]
    painted = phone.painted()
    assert painted == 14
    phone.driver.refresh()
    phone.until(lambda: phone.all("#draw .board .nonogram"))
    assert (phone.painted(), len(phone.all("#draw .colors input"))) == (painted, 3)
    phone.driver.execute_script('localStorage[\'nonocensus:drawing\'] = \'{"width": 3, "height": 9, "cells": "<b>"}\'')
    phone.driver.refresh()
    phone.until(lambda: phone.all("#draw .board .nonogram"))
    assert phone.painted() == 0
    assert phone.errors() == []


@pytest.mark.people
def test_link_is_opened_and_solved_with_two_hints(phone: Tab) -> None:
    open_disc(phone)
    link = phone.share()
    phone.load(link.removeprefix(f"{phone.server.address}/"))
    phone.wait_for_puzzle()
    assert phone.text("#puzzle .clock") == "0:00"
    for level in ("Show the cells", "Fill them in") * 2:
        if level == "Show the cells":
            tap(phone, "[data-do=hint]")
        phone.until(lambda wanted=level: phone.text("#puzzle .hint [data-do=more]") == wanted)
        tap(phone, ".hint [data-do=more]")
    phone.until(lambda: phone.text("#puzzle .clock") != "0:00")
    phone.driver.execute_script("document.querySelector('#puzzle .board').scrollIntoView({ block: 'center' })")
    todo = disc(20) & ~filled(phone, 20)
    for y, row in enumerate(todo):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row, [0]))))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            phone.touch(*((centre(phone, x, y, 20),) for x in sorted({start, stop - 1})))
    outcome = phone.outcome()
    assert outcome.startswith("Solved in 0:")
    assert outcome.endswith(" with 2 hints: all 20 rows and 20 columns fit their clues.")
    assert phone.all("#puzzle .outcome.solved")
    assert phone.all("#puzzle .rain i")
    taken = phone.text("#puzzle .clock")
    phone.driver.refresh()
    phone.wait_for_puzzle()
    assert phone.outcome().startswith(f"Solved in {taken} with 2 hints")
    assert violations(phone.driver) == []
    assert phone.errors() == []
