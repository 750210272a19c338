"""A report of Sudokus in headless Chromium; drawings are tested without it in test_page_script.py."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sudokus
from chromium import NEEDED, PHONE, emulated, page_width, violations
from tabs import Tab

from nonocensus.reports.report_page import RunDetails, write_report
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades

pytestmark = NEEDED

DIGITS = """
return Array.from(document.querySelectorAll('#browse-puzzle .drawing text'),
  (text) => [Number(text.dataset.cell), text.classList.contains('given')]);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with grades, so that every column is there."""
    batch = sudoku_batch([sudokus.puzzles()[name] for name in (sudokus.ONE, sudokus.LARGE)])
    found = pa.Table.from_batches([grades(batch, np.ones(2, np.bool_))])
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(write_report(sudokus.solved(), RunDetails(family="sudoku"), grades=found)["report.html"])
    return path


def test_opened_sudoku_shows_givens_and_solution_and_untrusted_title(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle=sudokus.TWO)
    assert tab.shown()["name"] == sudokus.EVIL
    givens = sudokus.puzzles()[sudokus.TWO].givens
    assert [given for _, given in sorted(tab.run(DIGITS))] == (givens.ravel() != 0).tolist()
    tab.one(".layers [value=nothing]").click()
    assert [cell for cell, _ in tab.run(DIGITS)] == np.flatnonzero(givens).tolist()
    assert tab.errors() == []


def test_invalid_sudoku_says_what_is_wrong(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle=sudokus.TWICE)
    assert "twice" in tab.shown()["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (PHONE, "light")])
def test_axe_finds_no_violation(tab: Tab, page: Path, width: int, scheme: str) -> None:
    with emulated(tab.driver, scheme, width):
        for name in (sudokus.TWO, sudokus.LARGE):
            tab.turn(page, puzzle=name)
            tab.shown()
            assert violations(tab.driver) == []
            assert page_width(tab.driver) <= width
        tab.run("document.getElementById('browse-puzzle').close()")
        assert violations(tab.driver) == []
        assert page_width(tab.driver) <= width
        assert tab.errors() == []
