"""The server's page on a phone: played and drawn on by touch events, which Chromium itself turns into pointers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, page_width, violations
from selenium.webdriver.common.keys import Keys
from server_tab import Tab
from serving import Server, disc, record, running, titled_run

from nonocensus.reports.words.formatting import NO_BREAK

pytestmark = [*NEEDED, pytest.mark.slow]

OPTIONS = ("--cpus", "1")


@pytest.fixture(scope="module")
def phone(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver, emulated(driver, "light", PHONE):
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
        yield Tab(driver, server)


def open_disc(phone: Tab, side: int = 20) -> None:
    """Open a disc and show all of it: a board of 20x20 begins enlarged."""
    phone.open(record(disc(side)))
    phone.click("[data-do=smaller]")


def tinted(lines: list[list[list[int]]], colors: int) -> dict[str, Any]:
    """Return a puzzle that has these clues as rows and as columns."""
    tints = ([f"tint {k}", "abcdefghijkl"[k], f"{k * 80:06}"] for k in range(colors))
    return {"rows": lines, "columns": lines, "palette": [["white", ".", "ffffff"], *tints]}


def centre(phone: Tab, x: int, y: int, side: int) -> tuple[float, float]:
    """The centre of a cell in the window."""
    left, top, width, height = phone.cells()
    return left + (x + 0.5) * width / side, top + (y + 0.5) * height / side


def tick(phone: Tab, facet: str, choice: str) -> None:
    """Open a menu above the archive's list, tick a choice, and close it."""
    phone.tap(f"[data-facet={facet}] summary")
    phone.until(lambda: phone.all(f"[data-facet={facet}] [value='{choice}']"))
    phone.tap(f"[data-facet={facet}] [value='{choice}']")
    phone.until(lambda: phone.all(f".chip[data-name={facet}]"))
    phone.tap(f"[data-facet={facet}] .done")
    phone.until(lambda: not phone.one(f"[data-facet={facet}] .menu").is_displayed())


def paint(phone: Tab, cells: np.ndarray) -> None:
    """Paint cells of a square board, run by run."""
    for y, row in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row, [0]))))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            phone.touch(*((centre(phone, x, y, len(cells)),) for x in sorted({start, stop - 1})))


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
    return list(phone.run(script))


def test_finger_paints_a_run_even_beyond_the_board(phone: Tab) -> None:
    open_disc(phone)
    assert page_width(phone.driver) <= PHONE
    row = [centre(phone, x, 5, 20) for x in range(2, 9)]
    for place in row:
        phone.fingers(place)
    phone.until(lambda: phone.text("#puzzle .stroke-length") == "7")  # Chromium hands moves on with the next frame
    phone.fingers()
    assert (phone.painted(), phone.text("#puzzle .stroke-length")) == (7, "")
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


def test_two_fingers_near_each_other_move_the_board_to_its_end(phone: Tab) -> None:
    """Below the window, the page moves."""
    phone.open(record(disc(25)))
    fingers = (250.0, 500.0), (290.0, 500.0)
    for across, down in [(45, 0)] * 12 + [(0, 90)] * 4:
        phone.touch((fingers[0],), fingers, tuple((x - across, y - down) for x, y in fingers))
    left, top, width, height = phone.cells()
    assert (width, phone.painted()) == (25 * 25, 0)
    assert left + width < PHONE
    assert top + height < 844


def zoom(phone: Tab, way: str) -> tuple[float, float]:
    """Zoom to the limit, in or out; return the position of the cells in the window."""
    for _ in range(8):
        phone.run("document.querySelector(`#puzzle [data-do=${arguments[0]}]`).click()", way)
    phone.run("document.querySelector('#puzzle .board').scrollIntoView({ block: 'center' })")
    return phone.cells()[:2]


ON_CELLS, ON_ROWS, ON_COLUMNS, ON_TOOLS = (80, 60), (-60, 60), (80, -60), (80, -300)
"""Places in pixels from the corner of the cells."""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ON_ROWS, ON_CELLS),
        (ON_CELLS, ON_ROWS),
        (ON_COLUMNS, ON_CELLS),
        (ON_CELLS, ON_COLUMNS),
        (ON_ROWS, (-20, 90)),
        (ON_COLUMNS, (110, -20)),
        (ON_TOOLS, ON_CELLS),
    ],
)
def test_two_fingers_paint_nothing_wherever_they_land(
    phone: Tab, first: tuple[int, int], second: tuple[int, int]
) -> None:
    """A pinch, a pan, and the finger that stays when the other is lifted; afterwards one finger paints again."""
    open_disc(phone)
    left, top = zoom(phone, "larger")
    one, other = ((left + x, top + y) for x, y in (first, second))
    apart = (other[0] + 50, other[1] + 50)
    moved = [(x - 40, y - 40) for x, y in (one, apart)]
    phone.touch((one,), (one, other), (one, apart), tuple(moved), (moved[0],), ((left + 100, top + 100),))
    assert (phone.painted(), phone.count("crosses")) == (0, 0)
    zoom(phone, "smaller")
    phone.touch((centre(phone, 8, 8, 20),))
    assert phone.painted() == 1
    assert phone.errors() == []


def test_long_press_marks_cells_as_empty(phone: Tab) -> None:
    open_disc(phone)
    row = [centre(phone, x, 5, 20) for x in range(2, 6)]
    phone.fingers(row[0])
    phone.until(lambda: phone.count("crosses") == 1)
    phone.touch((row[0],), (row[2],))
    assert (phone.painted(), phone.count("crosses")) == (0, 3)
    phone.touch((row[3],))
    assert (phone.painted(), phone.count("crosses")) == (1, 3)
    phone.click("[data-do=undo]")
    phone.click("[data-do=undo]")
    assert (phone.painted(), phone.count("crosses")) == (0, 0)


CLUES = """
const board = document.querySelector("#puzzle .board").getBoundingClientRect();
const cells = document.querySelector("#puzzle .target").getBoundingClientRect();
const texts = (side) => Array.from(document.querySelectorAll(`#puzzle .clues.${side} text`));
const boxes = (side) => texts(side).map((text) => text.getBoundingClientRect());
const [rows, columns] = ["rows", "columns"].map(boxes);
return {
  room: [cells.left - board.left, cells.top - board.top],
  left: Math.min(...rows.map((text) => text.left - board.left)),
  top: Math.min(...columns.map((text) => text.top - board.top)),
  over: Math.max(...rows.map((text) => text.right - cells.left), ...columns.map((text) => text.bottom - cells.top)),
  least: Math.min(...rows.map((text) => text.height)),
  most: Math.max(...[...rows, ...columns].map((text) => text.height)),
};
"""


def test_zoomed_clues_take_at_most_a_third_of_the_phone(phone: Tab) -> None:
    phone.open(record(np.random.default_rng(5).random((30, 30)) < 0.5))
    for _ in range(6):
        phone.click("[data-do=larger]")
        found = phone.run(CLUES)
        assert found["room"][0] <= PHONE / 3
        assert found["room"][1] <= 844 / 3
        assert min(found["left"], found["top"]) >= 0, "all numbers are in view"
        assert found["over"] <= 2, "none covers cells"
        assert found["least"] > 6
    assert phone.cells()[2] == 30 * 48


@pytest.mark.parametrize("side", [25, 60])
def test_short_clues_take_at_most_a_quarter_of_the_phone(phone: Tab, side: int) -> None:
    phone.open(record(disc(side)))
    found = phone.run(CLUES)
    assert found["room"][0] <= PHONE / 4
    assert round(found["least"], 3) >= 11
    assert phone.one("#puzzle .board").rect["y"] < 844 / 4
    assert PHONE - 40 < zoom(phone, "smaller")[0] + phone.cells()[2] < PHONE


def test_zoomed_clues_are_never_smaller_than_where_the_whole_board_fits(phone: Tab) -> None:
    """As many blocks in each line as cells, so that clues take half of the whole board."""
    phone.open(record(1 + np.indices((10, 10)).sum(axis=0) % 2))
    least = phone.run(CLUES)["least"]
    for _ in range(6):
        phone.click("[data-do=larger]")
        assert phone.run(CLUES)["least"] >= least - 0.01
    assert phone.cells()[2] == 10 * 48


TOOLS = """
const box = (selector) => document.querySelector(`#puzzle ${selector}`).getBoundingClientRect();
const [tools, board, ...zoom] = [".tools", ".board", "[data-do=smaller]", "[data-do=larger]"].map(box);
const isSeen = (name) => {
  const { x, y, width, height } = box(`[data-do=${name}]`);
  return document.elementFromPoint(x + width / 2, y + height / 2)?.dataset.do === name;
};
return {
  seen: ["undo", "hint", "check"].every(isSeen),
  over: tools.bottom - board.top,
  below: board.bottom - innerHeight,
  apart: Math.abs(zoom[0].top - zoom[1].top),
  rows: tools.height / box("[data-do=undo]").height,
};
"""


@pytest.mark.parametrize(("colors", "rows"), [(1, 1.3), (2, 2.5), (5, 2.5), (12, 2.5)])
def test_tools_stay_in_view_without_covering_the_board(phone: Tab, colors: int, rows: float) -> None:
    lines = [[[1, 1 + (k + line) % colors] for k in range(40)] for line in range(40)]
    phone.open(tinted(lines, colors))
    phone.run("document.querySelector('#puzzle .board').scrollIntoView()")
    found = phone.run(TOOLS)
    assert found["seen"]
    assert found["over"] <= 0
    assert found["below"] <= 0
    assert found["apart"] == 0
    assert found["rows"] < rows
    phone.run("scrollBy(0, 200)")
    assert phone.run(TOOLS)["seen"]


NUMBERS = """
const numbers = document.querySelectorAll("#puzzle .edge.rows text:not([hidden])");
return Array.from(numbers, ({ textContent }) => textContent);
"""
"""The numbers of rows at the edge of the board."""


def test_large_board_begins_enlarged_and_says_how_to_move_it(phone: Tab) -> None:
    phone.open(record(disc(20)))
    assert phone.cells()[2] == 20 * 25
    notice, board = (phone.one(f"#puzzle .{name}").rect for name in ("gestures", "board"))
    assert 0 < notice["y"] + notice["height"] <= board["y"], "the notice does not cover the board"
    assert phone.text("#puzzle .line-words") == "", "there is no cursor"
    assert phone.run(NUMBERS) == ["5", "10", "15", "20"]
    number, board = (phone.one(f"#puzzle {part}").rect for part in (".edge.rows text:not([hidden])", ".board"))
    assert number["x"] + number["width"] <= board["x"] + board["width"]
    border = phone.one("#puzzle .edge.rows .thick")
    assert not border.is_displayed(), "the grid goes on at the right"
    phone.touch((centre(phone, 2, 2, 20),))
    assert phone.painted() == 1
    assert phone.text("#puzzle .line-words").startswith("Row 3: ")
    phone.click("[data-do=smaller]")
    assert border.is_displayed()
    left, _, width, _ = phone.cells()
    assert PHONE - 40 < left + width < PHONE


def test_solved_board_shows_all_of_its_picture(phone: Tab) -> None:
    phone.open(record(disc(20)))
    phone.click(".solver [type=submit]")
    phone.until(lambda: phone.text("#puzzle .verdict .key"))
    phone.click("[data-do=show]")
    for _ in range(2):
        phone.until(lambda: phone.outcome().startswith("Solved"))
        assert phone.cells()[2] < PHONE
        phone.driver.refresh()
        phone.wait_for_puzzle()


def test_long_clues_are_readable_where_a_board_is_opened(phone: Tab) -> None:
    """In colour, up to 14 numbers a line: they wrap, and take a third of the phone, but cover no cells."""
    lines = [[[1, 1 + k % 3] for k in range(5 + line % 10)] for line in range(20)]
    phone.open(tinted(lines, 3))
    found = phone.run(CLUES)
    assert round(found["least"], 3) >= 11, "digits of 10 pixels"
    assert found["room"][0] <= PHONE / 3
    assert found["room"][1] <= 844 / 3
    assert min(found["left"], found["top"]) >= 0
    assert found["over"] <= 2


def test_clues_of_rows_are_as_large_as_those_of_columns(phone: Tab) -> None:
    """Ten numbers a row, one a column, on a phone held either way."""
    for turned in (False, True):
        width, height = (844, PHONE) if turned else (PHONE, 844)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        phone.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        picture = np.tile([1, 0, 0], (20, 10))
        phone.open(record(picture if not turned else picture.T))
        found = phone.run(CLUES)
        assert found["least"] == pytest.approx(found["most"], 0.01)
        assert round(found["least"], 3) >= 11, "digits of 10 pixels"
    phone.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size | {"width": PHONE, "height": 844})


def test_long_clues_leave_the_cells_two_thirds_of_the_phone(phone: Tab) -> None:
    """Seven numbers a line of 10x10 in five colours, all of which is in view; the chosen colour has its name."""
    lines = [[[1, 1 + (k + line) % 5] for k in range(7)] for line in range(10)]
    phone.open(tinted(lines, 5))
    board = phone.one("#puzzle .board")
    assert board.get_property("scrollWidth") == board.get_property("clientWidth")
    assert phone.cells()[2] > 240
    assert phone.run(CLUES)["least"] >= 11
    names = [label.text for label in phone.all("#puzzle .tool-name") if label.rect["width"] > 1]
    assert len(names) == 1
    assert phone.one("#puzzle .colors label:last-child").get_attribute("title") == "white"


def test_check_scrolls_to_the_first_wrong_cell(phone: Tab) -> None:
    open_disc(phone)
    zoom(phone, "larger")
    phone.keys(Keys.END, Keys.PAGE_DOWN, Keys.SPACE, Keys.HOME, Keys.PAGE_UP)
    phone.click("[data-do=check]")
    phone.until(lambda: phone.outcome() == "1 cell is wrong; a ring marks it.")
    at = "return document.elementFromPoint(arguments[0], arguments[1])?.className"
    phone.until(lambda: phone.run(at, *centre(phone, 19, 19, 20)) == "target")  # clues follow with the next frame
    assert phone.one("#puzzle .outcome").is_displayed()
    phone.request_hint()
    assert not phone.one("#puzzle .outcome").is_displayed(), "it would lie across the hint"


def test_clues_cover_what_a_hint_points_out_where_the_board_is_scrolled(phone: Tab) -> None:
    open_disc(phone)
    phone.request_hint()
    phone.click(".hint [data-do=more]")
    shapes = phone.run("""
        return Array.from(document.querySelectorAll("#puzzle :is(.pointed, .clues) :is(.band, .found)"), (shape) => {
          const clues = shape.closest(".clues") === null ? document.querySelector("#puzzle .clues") : null;
          const isCovered = clues && shape.compareDocumentPosition(clues) === Node.DOCUMENT_POSITION_FOLLOWING;
          return [shape.classList[0], shape.getBBox().x < 0, isCovered];
        });
    """)
    assert shapes == [["band", False, True], ["found", False, True], ["band", True, None]]


def test_hint_shows_the_clue_of_its_column(phone: Tab) -> None:
    phone.open(record(np.tile(np.arange(30) % 4 == 3, (30, 1))))
    phone.request_hint()
    assert phone.text("#puzzle .hint p").startswith("Look at column 1 (0).")
    below = """
        const box = (selector) => document.querySelector(`#puzzle ${selector}`).getBoundingClientRect();
        return box(".clues.columns text").top - box(".tools").bottom;
    """
    assert phone.run(below) >= 0


def test_hint_scrolls_to_its_cells(phone: Tab) -> None:
    phone.open(record([np.arange(40) >= 15, np.arange(40) < 15]))
    phone.request_hint()
    phone.click(".hint [data-do=more]")
    assert phone.cells()[0] < 0, "it decides columns 16 to 25"


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
    link = phone.until(phone.shared_link)
    phone.load(link.removeprefix(f"{phone.server.address}/"))
    phone.wait_for_puzzle()
    phone.click("[data-do=smaller]")
    assert phone.text("#puzzle .clock") == "0:00"
    for level in ("Show the cells", "Fill them in") * 2:
        if level == "Show the cells":
            phone.tap("#puzzle [data-do=hint]")
        phone.until(lambda wanted=level: phone.text("#puzzle .hint [data-do=more]") == wanted)
        phone.tap("#puzzle .hint [data-do=more]")
    phone.until(lambda: phone.text("#puzzle .clock") != "0:00")
    phone.driver.execute_script("document.querySelector('#puzzle .board').scrollIntoView({ block: 'center' })")
    paint(phone, disc(20) & ~filled(phone, 20))
    outcome = phone.outcome()
    assert outcome.startswith("Solved in 0:")
    assert outcome.endswith(" with 2 hints: all 20 rows and 20 columns fit their clues.")
    assert phone.all("#puzzle .outcome.solved")
    assert phone.all("#puzzle .rain i")
    taken = phone.text("#puzzle .clock")
    phone.driver.refresh()
    phone.wait_for_puzzle()
    assert phone.outcome().startswith(f"Solved in {taken} with 2 hints")
    assert not phone.one("#puzzle .clock").is_displayed(), "the outcome would lie across it"
    assert violations(phone.driver) == []
    phone.tap("#puzzle [data-do=empty]")
    phone.until(lambda: phone.text("#puzzle .clock") == "0:00")
    assert phone.errors() == []


@pytest.mark.people
def test_player_finds_a_short_puzzle_of_a_size_and_plays_it_to_the_end(
    phone: Tab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By a player: 15x15, two stars, under ten minutes; then all by touch, with a pan and crosses."""
    with running(titled_run(tmp_path_factory.mktemp("titled")).folder.uri, *OPTIONS) as server:
        phone = Tab(phone.driver, server)
        phone.load("")
        phone.until(lambda: len(phone.all("#archive:not([hidden]) tbody tr")) == 5)
        assert phone.text("#archive h1") == "Find a puzzle"
        assert phone.text("#archive .whose").startswith("Minutes are an estimate for regulars of griddlers.net")
        assert page_width(phone.driver) <= PHONE
        tick(phone, "size", "11–15")
        tick(phone, "star_count", "2")
        phone.tap("[data-facet=duration] summary")
        phone.one("[data-facet=duration] .between label:last-child input").send_keys("10", Keys.ENTER)
        phone.until(lambda: [link.text for link in phone.all("#archive tbody a")] == ["Round window"])
        assert phone.text("#archive .browse-count") == "1 of 5 puzzles"
        assert violations(phone.driver) == []
        phone.driver.execute_script("document.activeElement.blur(); document.querySelector('h1').click()")
        assert phone.one("#archive tbody .narrow").text.endswith(" · webpbn/27215")
        phone.tap("#archive tbody a")
        phone.wait_for_puzzle()
        assert phone.text("#puzzle h1") == "Round window"
        assert phone.cells()[2] > 15 * 20.5, "clues shrink rather than cells"
        about = phone.text("#puzzle .about").replace(NO_BREAK, " ")
        assert about == "by Ada · 15×15 · about 5 min · 1.8 of 5 stars · webpbn/27215"
        left, top = zoom(phone, "larger")
        fingers = (left + 20, top + 40), (left + 90, top + 40)
        phone.touch((fingers[0],), fingers, tuple((x - 60, y - 30) for x, y in fingers))
        assert phone.cells()[0] < left
        assert phone.painted() == 0
        zoom(phone, "smaller")
        phone.fingers(centre(phone, 0, 0, 15))
        phone.until(lambda: phone.count("crosses") == 1)
        phone.fingers()
        assert phone.outcome() == ""
        phone.driver.back()
        phone.until(lambda: phone.all("#archive tbody .begun"))
        phone.driver.forward()
        phone.wait_for_puzzle()
        paint(phone, disc(15, 2))
        phone.until(lambda: phone.outcome().startswith("Solved in "))
        assert violations(phone.driver) == []
        phone.click(".onward a:last-child")
        phone.until(lambda: phone.all("#archive tbody .solved"))
        assert phone.text("#archive .browse-count") == "1 of 5 puzzles"
        assert violations(phone.driver) == []
        phone.tap("#archive h1")  # Chromium swallows the first tap after strokes
        phone.tap("#archive [type=reset]")
        phone.until(lambda: len(phone.all("#archive tbody tr")) == 5)
        assert len(phone.all("#archive tbody .solved")) == 1
        assert phone.errors() == []
