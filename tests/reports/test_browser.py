"""The report's page in headless Chromium: charts, the list of puzzles, opened puzzles; no network, no errors."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from browsable import CHANGE, EVIL, FIXED, OTHER, SWITCH, browsable, clue_texts, filler, graded, mendings, special
from census import failed, known, pairs, solved
from chromium import NEEDED, PHONE, emulated, page_width
from selenium.webdriver.common.keys import Keys
from tabs import Tab

from reports import formatting
from reports.graded import NO_GRADES
from reports.report_page import write_report
from solver.model.puzzle import Puzzle
from solver.model.techniques import TECHNIQUES

FILLERS = 300
PAIRS = browsable(FILLERS)
SPECIAL = [puzzle for _, puzzle in special() if puzzle is not None]
DRAWN = [*SPECIAL[:6], *(filler(k)[1] for k in (0, 97, 231, 299))]
CELL = 20

pytestmark = NEEDED


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(PAIRS, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def graded_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows, grades = graded(FILLERS)
    return written(rows, tmp_path_factory.mktemp("graded"), grades)


def written(rows: Any, folder: Path, grades: pa.Table = NO_GRADES) -> Path:
    path = folder / "report.html"
    path.write_bytes(write_report(rows, mendings=mendings(), grades=grades)["report.html"])
    return path


def table() -> list[dict[str, Any]]:
    """The rows that the page is made of."""
    rows = [result | {name: value for name, value in puzzle.items() if name not in result}
            for results, puzzles in PAIRS
            for result, puzzle in zip(results.to_pylist(), puzzles.to_pylist(), strict=True)]  # fmt: skip
    for row in rows:
        row["label"] = row["label"] or row["status"]
    return rows


def cells_of(paths: list[tuple[str | None, str, str]], width: int, height: int) -> np.ndarray:
    """The picture that paths of runs show: uint8[height, width] of palette entries."""
    picture = np.zeros((height, width), np.uint8)
    for entry, _, path in paths:
        for x, y, length in re.findall(rf"M(\d+) (\d+)h(\d+)v{CELL}h-\d+z", path):
            start = int(x) // CELL
            picture[int(y) // CELL, start : start + int(length) // CELL] = int(entry or 0)
    return picture


def test_the_page_loads_alone_and_without_errors(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.until(lambda: len(tab.all("[data-chart].vega-embed svg")) == len(tab.all("[data-chart]")) > 6)
    assert [url for url in tab.requests() if not url.startswith("data:")] == [page.as_uri()]
    assert tab.errors() == []


def test_the_list_shows_everything(tab: Tab, page: Path) -> None:
    tab.turn(page)
    rows = table()
    assert tab.count() == f"{len(rows)} puzzles"
    assert sorted(tab.column("puzzle_id")) == sorted(row["puzzle_id"] for row in rows)
    assert tab.one(".browse-grid").get_attribute("aria-rowcount") == str(len(rows) + 1)
    assert len(tab.all(".browse-rows .browse-row")) < 40
    assert sorted(tab.column("cpu_seconds")) == sorted(formatting.seconds(row["cpu_seconds"]) for row in rows)


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"label": "unique depth-2"}, lambda row: row["label"] == "unique depth-2"),
        ({"source": "made"}, lambda row: row["source"] == "made"),
        ({"size": "21–25"}, lambda row: row["width"] and 21 <= max(row["width"], row["height"]) <= 25),
        ({"kind": "blotted color"}, lambda row: row["blotted"] and row["kind"] == "color"),
        ({"query": "AUTHOR RANDOM/17"}, lambda row: row["author"] and "random/17" in row["puzzle_id"]),
        (
            {"query": "picture", "label": "unique", "size": "11–15"},
            lambda row: (
                row["label"] == "unique"
                and "Picture" in (row["title"] or "")
                and 11 <= max(row["width"], row["height"]) <= 15
            ),
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_filters(tab: Tab, page: Path, filters: dict[str, str], wanted: Callable[[dict[str, Any]], bool]) -> None:
    tab.turn(page)
    for name, value in filters.items():
        tab.search(value) if name == "query" else tab.choose(name, value)
    expected = [row["puzzle_id"] for row in table() if wanted(row)]
    assert expected
    assert sorted(tab.column("puzzle_id")) == sorted(expected)
    assert tab.count() == f"{len(expected)} of {len(table())} puzzles"
    tab.one(".browse-filters [type=reset]").click()
    tab.until(lambda: tab.count() == f"{len(table())} puzzles")


def test_nothing_found(tab: Tab, page: Path) -> None:
    tab.turn(page)
    tab.search("there is no such puzzle")
    assert tab.count() == f"0 of {len(table())} puzzles"
    assert tab.one(".browse-none").is_displayed()


@pytest.mark.parametrize(
    ("column", "value", "wanted"),
    [
        ("cpu_seconds", lambda row: row["cpu_seconds"], ["descending", "ascending"]),
        ("difficulty", lambda row: row["line_solves"] / (row["width"] + row["height"]), ["ascending", "descending"]),
        (
            "puzzle_id",
            lambda row: (row["puzzle_id"].split("/")[0], int(row["puzzle_id"].split("/")[1])),
            ["ascending", "descending"],
        ),
    ],
)
def test_sorting(
    tab: Tab, page: Path, column: str, value: Callable[[dict[str, Any]], Any], wanted: Sequence[str]
) -> None:
    """Words begin with A, numbers with the largest; the list begins by difficulty, so a click on that turns it."""
    tab.turn(page)
    tab.choose("source", "random")
    rows = [row for row in table() if row["source"] == "random"]
    for order in wanted:
        tab.sort(column)
        assert tab.one(f".browse-head .{column}").get_attribute("aria-sort") == order
        values = [value(row) for row in rows]
        by_id = {row["puzzle_id"]: number for row, number in zip(rows, values, strict=True)}
        assert [by_id[name] for name in tab.column("puzzle_id")] == sorted(values, reverse=order == "descending")


def test_the_list_begins_with_the_hardest_and_says_so(tab: Tab, page: Path) -> None:
    tab.turn(page)
    assert tab.one(".browse-head .difficulty").get_attribute("aria-sort") == "descending"
    known = [float(text) for text in tab.column("difficulty") if text != "–"]
    assert known == sorted(known, reverse=True)
    tab.sort("title")
    tab.sort("difficulty")
    assert tab.one(".browse-head .difficulty").get_attribute("aria-sort") == "descending"


def test_techniques_are_sorted_by_the_ladder(tab: Tab, page: Path) -> None:
    tab.turn(page, sort="technique")
    shown = [word for word in tab.column("technique") if word != "–"]
    assert shown == sorted(shown, key=["line", "depth-2", "probe"].index)
    assert set(shown) == {"line", "depth-2", "probe"}


def test_grades_are_columns_filters_and_facts(tab: Tab, graded_page: Path) -> None:
    rows = graded(FILLERS)[1].to_pylist()
    tab.load(graded_page)
    tab.until(lambda: len(tab.all("[data-chart].vega-embed svg")) == len(tab.all("[data-chart]")) > 6)
    assert tab.one("#people h2").text == "How hard for people"
    tab.turn(graded_page, sort="hardest")
    shown = tab.column("hardest")
    names = [f"{technique.grade} {technique.name}" for technique in TECHNIQUES]
    assert [row for row in shown if row in names] == sorted(
        (f"{row['grade']} {row['hardest']}" for row in rows), key=names.index
    )
    assert set(shown[len(rows) :]) == {"–"}
    assert not tab.all(".browse-head .technique")
    tab.choose("grade", "6")
    assert set(tab.column("hardest")) == {"6 edge"}
    tab.choose("grade", "6")
    tab.choose("hardest", "long-chain")
    assert sorted(tab.column("puzzle_id")) == sorted(row["puzzle_id"] for row in rows if row["grade"] == 8)
    tab.turn(graded_page, puzzle="random/29")
    facts = tab.shown()["facts"]
    assert "Grade for people6 of 9" in facts
    assert "Technique for peopleedge" in facts
    assert "Looks a cell, for people3.6" in facts
    assert tab.errors() == []


def test_a_link_to_grades_does_no_harm_where_there_are_none(tab: Tab, page: Path) -> None:
    tab.turn(page, grade="6", hardest="edge", sort="hardest")
    assert tab.count() == f"{len(table())} puzzles"
    assert not tab.all("#people, .browse-filters [name=grade], .browse-head .hardest")
    assert tab.all(".browse-head .technique")
    assert tab.errors() == []


def test_nulls_come_last_and_equals_stay_in_their_order(tab: Tab, page: Path) -> None:
    tab.turn(page)
    before = tab.column("puzzle_id")
    unknown = {row["puzzle_id"] for row in table() if row["title"] is None}
    for _ in range(2):
        tab.sort("title")
        assert tab.column("puzzle_id")[-len(unknown) :] == [name for name in before if name in unknown]


def test_keys(tab: Tab, page: Path) -> None:
    tab.turn(page)
    names = tab.column("puzzle_id")
    grid = tab.one(".browse-grid")

    def active() -> str:
        return str(tab.one(".browse-row.active .puzzle_id").text)

    for keys, place in (
        ((Keys.HOME,), 0),
        ((Keys.DOWN, Keys.DOWN, Keys.UP), 1),
        ((Keys.END,), len(names) - 1),
        ((Keys.PAGE_UP, Keys.PAGE_DOWN), len(names) - 1),
        ((Keys.HOME, Keys.DOWN), 1),
    ):
        grid.send_keys(*keys)
        assert active() == names[place]
    grid.send_keys(Keys.ENTER)
    assert tab.shown()["id"] == names[1]
    tab.one("#browse-puzzle").send_keys(Keys.RIGHT)
    assert tab.shown()["id"] == names[2]
    tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)
    tab.until(lambda: not tab.run("return document.getElementById('browse-puzzle').open"))
    assert active() == names[2]


@pytest.mark.parametrize("puzzle", DRAWN, ids=lambda puzzle: puzzle.puzzle_id)
def test_an_opened_puzzle_is_the_puzzle(tab: Tab, page: Path, puzzle: Puzzle) -> None:
    tab.turn(page, puzzle=puzzle.puzzle_id)
    shown = tab.shown()
    assert (shown["name"], shown["id"]) == (puzzle.title or puzzle.puzzle_id, puzzle.puzzle_id)
    clues = clue_texts(puzzle)
    assert [[tuple(number) for number in line] for line in shown["rows"]] == clues["rows"]
    assert [[tuple(number) for number in line] for line in shown["columns"]] == clues["columns"]
    picture = np.zeros((puzzle.height, puzzle.width), np.uint8) if puzzle.goal is None else puzzle.goal
    assert np.array_equal(cells_of(shown["cells"], puzzle.width, puzzle.height), picture)
    for entry, fill, _ in shown["cells"]:
        assert fill == f"#{puzzle.palette[int(entry)].rgb.lower()}"
    assert shown["paper"][0][1] == "#ffffff"
    assert ("? stands for a hidden number" in shown["legend"]) == puzzle.blotted


def test_two_solutions(tab: Tab, page: Path) -> None:
    tab.load(page, "#browse?puzzle=made/two")
    shown = tab.shown()
    assert shown["layers"] == ["solution", "second", "mended", "nothing"]
    assert "◆ 4 cells where the second solution differs" in shown["legend"]
    centers = re.findall(r"M(\d+) [\d.]+l", shown["marks"][0][2])
    assert [int(x) // CELL for x in centers] == np.nonzero(SWITCH != OTHER)[1].tolist()
    tab.one(".layers [value=second]").click()
    assert np.array_equal(cells_of(tab.shown()["cells"], 3, 3), OTHER)
    tab.one(".layers [value=nothing]").click()
    shown = tab.shown()
    assert (shown["cells"], shown["marks"]) == ([], [])
    tab.one("[data-step='1']").click()
    shown = tab.shown()
    tab.turn(page, puzzle="made/two")
    tab.one(".layers [value=solution]").click()
    assert shown["cells"] == []  # people who solve it themselves don't want to see the next one's solution


def test_a_mended_puzzle(tab: Tab, page: Path) -> None:
    tab.load(page, "#browse?puzzle=made/two")
    before = tab.shown()
    tab.one(".layers [value=mended]").click()
    shown = tab.shown()
    assert np.array_equal(cells_of(shown["cells"], 3, 3), FIXED)
    assert f"has one solution. {CHANGE}. ◆ 2 cells where the former solution differs." in shown["legend"]
    centers = re.findall(r"M(\d+) [\d.]+l", shown["marks"][0][2])
    assert [int(x) // CELL for x in centers] == np.nonzero(OTHER != FIXED)[1].tolist()
    assert [[number for number, _ in line] for line in shown["rows"]] == [["2"], ["1"], ["1", "1"]]
    tab.one(".layers [value=solution]").click()
    assert tab.shown() == before
    assert tab.errors() == []


def test_what_was_not_solved_says_so(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="made/drawn")
    assert "author’s picture. No solution is known" in tab.shown()["legend"]
    tab.turn(page, puzzle="made/bad")
    shown = tab.shown()
    assert (shown["reason"], shown["label"], shown["layers"]) == ("row 1: too long", "invalid", ["nothing"])
    assert shown["rows"][0] == [["9", "000000"]]
    tab.turn(page, puzzle="lost/1")
    shown = tab.shown()
    assert "Nothing can be drawn" in shown["legend"]
    assert shown["reason"] == "out of memory"
    assert tab.errors() == []


def test_only_addresses_of_the_web_are_links(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="made/flag")
    assert tab.one("#browse-puzzle .id a").get_attribute("href") == "https://example.org/1"
    tab.turn(page, puzzle="made/blots")
    tab.shown()
    assert tab.all("#browse-puzzle .id a") == []


def test_text_from_strangers_is_escaped(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle=f"made/{EVIL}", query=EVIL.split()[0])
    shown = tab.shown()
    assert (shown["name"], shown["author"], shown["reason"]) == (EVIL, f"by {EVIL}", EVIL)
    assert tab.column("title") == [f"{EVIL}by {EVIL}"]
    assert tab.all("#browse img") == []
    assert tab.driver.title.startswith("Census of")
    assert tab.errors() == []


def test_the_address_holds_the_state(tab: Tab, page: Path) -> None:
    tab.turn(page)
    tab.choose("label", "unique")
    tab.sort("cpu_seconds")
    tab.all(".browse-rows .browse-row")[1].click()
    shown, count, address = tab.shown(), tab.count(), tab.driver.current_url
    tab.driver.back()
    tab.until(lambda: not tab.run("return document.getElementById('browse-puzzle').open"))
    assert tab.count() == count
    tab.driver.get("about:blank")
    tab.driver.get(address)
    assert tab.shown() == shown
    assert tab.count() == count
    tab.one(".close").click()
    tab.until(lambda: "puzzle=" not in tab.driver.current_url)
    assert "label=unique" in tab.driver.current_url


@pytest.mark.parametrize(
    "state",
    [{"label": "<b>", "sort": "--", "puzzle": "?"}, {"sort": "constructor", "size": "%"}, {"x": "\0", "query": "("}],
)
def test_garbage_in_the_address(tab: Tab, page: Path, state: dict[str, str]) -> None:
    tab.turn(page, **state)
    assert tab.count().endswith(f"{len(table())} puzzles")
    assert tab.errors() == []


@pytest.mark.parametrize("rows", [[], pairs(failed("a/1", "invalid", "why"), failed("a/2", "error", "why")), pairs({})])
def test_small_reports(tab: Tab, tmp_path: Path, rows: Any) -> None:
    path = written(rows, tmp_path)
    if rows:
        tab.load(path)
    else:
        tab.driver.get(path.as_uri())
    assert len(tab.all("#browse")) == bool(rows)
    if rows:
        assert tab.count() == ("1 puzzle" if len(rows[0][0]) == 1 else "2 puzzles")
    assert tab.errors() == []


def test_what_can_not_be_read_says_so(tab: Tab, tmp_path: Path) -> None:
    path = written(pairs({}), tmp_path)
    data = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'(id="browse-table">)[^<]{20}', r"\1", data), encoding="utf-8")
    tab.driver.get(path.as_uri())
    tab.until(lambda: "can’t be shown" in tab.one(".browse-note").text)
    assert not tab.one(".browse-content").is_displayed()


def test_on_a_phone_nothing_is_wider_than_it(tab: Tab, page: Path) -> None:
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page, puzzle="random/29")
        tab.shown()
        assert page_width(tab.driver) <= PHONE
        assert tab.run("return document.getElementById('browse-puzzle').scrollWidth") <= PHONE
        grid = tab.one(".browse-grid")
        assert tab.run("return arguments[0].scrollWidth - arguments[0].clientWidth", grid) == 0


def test_on_a_phone_ratings_and_drawings_have_its_width(tab: Tab, tmp_path: Path) -> None:
    about = {"title": "A rather wide title", "author": "Ann"}
    rows = [
        (
            solved(f"griddlers/2035{k:02}", 0.1, line_solves=100 - k),
            known(f"griddlers/2035{k:02}", site_difficulty=56520.0 + k, **about),
        )
        for k in range(20)
    ]
    two = {"solutions": "multiple", "technique": None, "solution": b"\1\0\0\1", "second_solution": b"\0\1\1\0"}
    rows.append((solved("griddlers/2", 0.1, "multiple", **two), known("griddlers/2", site_difficulty=56540.0, **about)))
    path = written(pairs(*rows), tmp_path)
    with emulated(tab.driver, "light", PHONE):
        tab.load(path)
        assert "15 h 42 min" in tab.one("#ratings").text
        assert page_width(tab.driver) <= PHONE
        tab.turn(path, puzzle="griddlers/2")
        assert len(tab.shown()["layers"]) == 3
        assert "15\u00a0h\u00a042\u00a0min" in tab.shown()["facts"]
        width = "return document.querySelector(`#browse-puzzle ${arguments[0]}`).clientWidth"
        assert tab.run(width, ".drawing") == tab.run(width, ".sheet")


@pytest.mark.parametrize("way", ["Escape", "back"])
def test_closing_a_puzzle_returns_the_focus_to_what_opened_it(tab: Tab, page: Path, way: str) -> None:
    tab.load(page)

    def opened() -> bool:
        return bool(tab.run("return document.getElementById('browse-puzzle').open"))

    def closed_by(way: str) -> None:
        if way == "back":
            tab.driver.back()
        else:
            tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)

    tab.one("nav.sections a[href='#browse']").send_keys(Keys.ENTER)
    tab.until(lambda: tab.driver.current_url.endswith("#browse"))
    tab.one(".browse-grid").send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    tab.until(opened)
    closed_by(way)
    tab.until(lambda: not opened() and tab.run("return document.activeElement.className") == "browse-grid")
    link = tab.one("#hardest .title a")
    link.send_keys(Keys.ENTER)
    tab.until(opened)
    closed_by(way)
    tab.until(lambda: not opened() and tab.run("return document.activeElement === arguments[0]", link))


def test_the_axis_of_density_is_in_percent(tab: Tab, tmp_path: Path) -> None:
    """On a logarithmic scale too, whose ticks were thousandths with the prefix m."""
    rows = [
        (
            solved(f"a/{k}", 0.1),
            known(
                f"a/{k}",
                side,
                side,
                rows=[[{"length": 1, "color": 1}], *[[]] * (side - 1)],
                columns=[[{"length": 1, "color": 1}], *[[]] * (side - 1)],
            ),
        )
        for k, side in enumerate((2, 10, 40, 90, 100))
    ]
    tab.load(written(pairs(*rows), tmp_path))
    tab.run("document.getElementById('explorer').scrollIntoView()")
    assert tab.one("#explorer select[name=measure]").get_attribute("value") == "density"
    tab.until(lambda: tab.all("#explorer .histogram svg .mark-rect path"))
    labels = "#explorer .histogram .role-axis-label text"
    ticks = tab.run("return Array.from(document.querySelectorAll(arguments[0]), (n) => n.textContent)", labels)
    assert {"0.1%", "1%", "10%"} <= set(ticks)
