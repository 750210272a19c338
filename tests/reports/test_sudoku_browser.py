"""A report of Sudokus in headless Chromium: grids, givens, differing cells, words, what is left out."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pytest
import sudokus
from chromium import NEEDED, PHONE, emulated, errors, page_width, violations
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait
from tabs import Tab

from reports.graded import NO_GRADES
from reports.report_page import About, write_report
from reports.sudoku_svg import sign
from solver.model.families import SUDOKU
from solver.sudoku.sudoku_batch import sudoku_batch
from solver.sudoku.techniques.sudoku_grade import grades

SECONDS = 10
CELL = 20
NAMES = [technique.name for technique in SUDOKU.techniques]

pytestmark = NEEDED

SHOWN = """
const dialog = document.getElementById("browse-puzzle");
const list = (selector, read) => Array.from(dialog.querySelectorAll(selector), read);
return {
  name: dialog.querySelector(".name").textContent,
  legend: dialog.querySelector(".legend").textContent,
  label: dialog.querySelector(".drawing svg")?.getAttribute("aria-label"),
  digits: list(".drawing text",
    (text) => [Number(text.dataset.cell), text.classList.contains("given"), text.textContent]),
  marks: dialog.querySelector(".marks")?.getAttribute("d") ?? "",
  thick: dialog.querySelector(".thick")?.getAttribute("d") ?? "",
  words: list(".clue-list li", (item) => item.textContent),
  layers: list(".layers input", (input) => input.value),
  facts: list(".facts dt", (name) => name.textContent),
  reason: dialog.querySelector(".reason").textContent,
};
"""


HEADS = "return Array.from(document.querySelectorAll('.browse-head > *'), (head) => head.dataset.name)"


@pytest.fixture
def driver(tab: Tab) -> webdriver.Chrome:
    return tab.driver


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return written(path, public=False)


def written(path: Path, public: bool, grades: pa.Table = NO_GRADES) -> str:
    made = write_report(sudokus.solved(), About(family="sudoku"), public, grades=grades)
    path.write_bytes(made["report.html"])
    return path.as_uri()


def opened(driver: webdriver.Chrome, page: str, name: str, layer: str | None = None) -> dict[str, Any]:
    """What an opened puzzle shows, after a layer is chosen."""
    driver.get("about:blank")
    driver.get(f"{page}#browse?{urlencode({'puzzle': name})}")
    legend = "return document.querySelector('#browse-puzzle[open] .legend')?.textContent"
    WebDriverWait(driver, SECONDS, 0.02).until(lambda _: driver.execute_script(legend))
    if layer:
        driver.execute_script("document.querySelector(`.layers [value=${arguments[0]}]`).click()", layer)
    shown: dict[str, Any] = driver.execute_script(SHOWN)
    return shown


def grid_shown(shown: dict[str, Any], size: int, given: bool) -> np.ndarray:
    """The digits, given or found, as they are drawn."""
    digits = {sign(digit): digit for digit in range(1, size + 1)}
    grid = np.zeros(size * size, np.uint8)
    for cell, is_given, text in shown["digits"]:
        if is_given == given:
            grid[cell] = digits[text]
    return grid.reshape(size, size)


@pytest.mark.parametrize("name", [sudokus.ONE, sudokus.FULL, sudokus.LARGE, "made/36"])
def test_a_grid_is_the_puzzle_and_its_solution(driver: webdriver.Chrome, page: str, name: str) -> None:
    puzzle, solution = sudokus.puzzles()[name], sudokus.full(sudokus.puzzles()[name].size)
    size = puzzle.size
    shown = opened(driver, page, name)
    assert np.array_equal(grid_shown(shown, size, given=True), puzzle.givens)
    assert np.array_equal(grid_shown(shown, size, given=False), np.where(puzzle.givens == 0, solution, 0))
    assert shown["layers"] == ["solution", "nothing"]
    assert f"Sudoku of {size}×{size} cells in boxes of {puzzle.box_width}×{puzzle.box_height}." in shown["label"]
    borders = [f"M{x * CELL} 0V{size * CELL}" for x in range(0, size + 1, puzzle.box_width)]
    borders += [f"M0 {y * CELL}H{size * CELL}" for y in range(0, size + 1, puzzle.box_height)]
    assert shown["thick"] == "".join(borders)
    words = [
        ", ".join(sign(int(digit)) + (" given" if given else "") for digit, given in zip(row, givens, strict=True))
        for row, givens in zip(solution, puzzle.givens, strict=True)
    ]
    assert shown["words"] == [f"Row {y}: {text}" for y, text in enumerate(words, 1)]
    empty = opened(driver, page, name, "nothing")
    assert np.array_equal(grid_shown(empty, size, given=True), puzzle.givens)
    assert not grid_shown(empty, size, given=False).any()
    assert ("open" in empty["words"][0]) == bool((puzzle.givens[0] == 0).any())
    assert errors(driver) == []


def test_cells_in_which_two_solutions_differ_are_marked(driver: webdriver.Chrome, page: str) -> None:
    shown = opened(driver, page, sudokus.TWO)
    other = opened(driver, page, sudokus.TWO, "second")
    assert shown["layers"] == ["solution", "second", "nothing"]
    first, second = (grid_shown(each, 9, given=False) for each in (shown, other))
    differing = first != second
    assert differing.any()
    for each in (shown, other):
        assert each["marks"].count("M") == differing.sum()
        marked = [tuple(map(float, move.split("l")[0].split())) for move in each["marks"].split("M")[1:]]
        places = [(int(y // CELL), int(x // CELL)) for x, y in marked]
        assert places == list(zip(*np.nonzero(differing), strict=True))
    assert f"◆ {differing.sum()} cells where the second solution differs." in shown["legend"]
    assert f"◆ {differing.sum()} cells where the first solution differs." in other["legend"]
    assert shown["name"] == sudokus.EVIL
    assert errors(driver) == []


def test_what_has_no_solution_shows_its_givens(driver: webdriver.Chrome, page: str) -> None:
    for name in (sudokus.NONE, sudokus.TWICE):
        shown = opened(driver, page, name)
        assert np.array_equal(grid_shown(shown, 9, given=True), sudokus.puzzles()[name].givens)
        assert shown["legend"] == "The givens. No solution is known."
    assert "twice" in shown["reason"]


def test_what_makes_no_sense_is_left_out(driver: webdriver.Chrome, page: str) -> None:
    facts = opened(driver, page, sudokus.ONE)["facts"]
    assert {"Givens", "Cells after singles", "Looks at units"} <= set(facts)
    assert not {"pbnsolve’s score", "Conflicts", "Coloured cells", "Author’s picture", "Line solves"} & set(facts)
    heads = driver.execute_script(HEADS)
    assert "givens" in heads
    assert "density" not in heads


def test_grades_have_a_column_and_facts(driver: webdriver.Chrome, tmp_path: Path) -> None:
    batch = sudoku_batch([sudokus.puzzles()[name] for name in (sudokus.ONE, sudokus.LARGE)])
    found = pa.Table.from_batches([grades(batch, np.ones(2, np.bool_))])
    shown = opened(driver, written(tmp_path / "graded.html", False, found), sudokus.ONE)
    assert {"Grade for people", "Technique for people", "Steps a cell, for people"} <= set(shown["facts"])
    assert {"hardest", "givens"} <= set(driver.execute_script(HEADS))
    assert "technique" not in driver.execute_script(HEADS)
    driver.execute_script("document.getElementById('browse-puzzle').close()")
    names = sorted(set(found["hardest"].to_pylist()) - {None}, key=NAMES.index)
    assert [name for name in Tab(driver).counts("hardest") if name != "none"] == names
    for width in (1280, PHONE):
        with emulated(driver, "light", width):
            assert violations(driver) == []
            assert page_width(driver) <= width
    assert errors(driver) == []


def test_public_pages_draw_nothing(driver: webdriver.Chrome, tmp_path: Path) -> None:
    shown = opened(driver, written(tmp_path / "public.html", public=True), sudokus.ONE)
    assert shown["legend"] == "Nothing can be drawn: this puzzle’s givens are not in the report."
    assert shown["digits"] == []
    assert "Givens" not in shown["facts"]
    assert errors(driver) == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (PHONE, "light")])
def test_everybody_can_use_it(driver: webdriver.Chrome, page: str, width: int, scheme: str) -> None:
    with emulated(driver, scheme, width):
        for name in (sudokus.TWO, sudokus.LARGE):
            opened(driver, page, name)
            assert violations(driver) == []
            assert page_width(driver) <= width
        driver.execute_script("document.getElementById('browse-puzzle').close()")
        assert violations(driver) == []
        assert errors(driver) == []
