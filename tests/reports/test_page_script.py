"""The report's script in node, on what Python has packed: lists, drawings, exports and links are those of the rows."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsable import CHANGE, FIXED, OTHER, SWITCH, browsable, clue_texts, filler, graded, rows_of, special
from nodejs import FOLDER, evaluate

from nonocensus.reports import formatting
from nonocensus.reports.browser import SOURCES, Browser, payload
from nonocensus.reports.report_page import write_report
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.techniques import TECHNIQUES

FILLERS = 120
CELL = 20
SCRIPTS = SOURCES[:-1]
"""All but the part that begins to work on the page."""

QUERIES = (FOLDER / "page_queries.js").read_text(encoding="utf-8")


def ask(made: Browser, query: str, **argument: Any) -> Any:
    """Call a function of page_queries.js with what the page embeds."""
    embedded = {"table": made.table, "pictures": made.pictures, **argument}
    return evaluate(SCRIPTS, f"{QUERIES}\nreturn {query}(argument);", embedded)


def embedded(html: str) -> Browser:
    """Return what a report's page embeds."""
    (table,) = re.findall(r'id="browse-table">([^<]+)<', html)
    (pictures,) = re.findall(r'id="browse-pictures">([^<]+)<', html)
    return Browser(0, False, table, pictures)


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    pairs, found = graded(FILLERS)
    return rows_of(pairs, found)


@pytest.fixture(scope="module")
def packed(rows: pa.Table) -> Browser:
    return payload(rows)


def test_columns_are_those_of_the_rows(rows: pa.Table, packed: Browser) -> None:
    columns = ask(packed, "columnsOf")
    for name in (
        "puzzle_id",
        "title",
        "author",
        "source",
        "label",
        "technique",
        "hardest",
        "width",
        "nodes",
        "line_solves",
    ):
        assert columns[name] == rows[name].to_pylist(), name
    for name in ("cpu_seconds", "density", "difficulty", "work"):
        assert columns[name] == [None if value is None else np.float32(value) for value in rows[name].to_pylist()], name


def test_techniques_are_sorted_by_the_ladder(packed: Browser) -> None:
    techniques, hardest = ask(packed, "wordsOf", names=["technique", "hardest"])
    assert techniques == ["line", "depth-2", "probe"]
    assert hardest == [technique.name for technique in TECHNIQUES]


@pytest.mark.parametrize(
    ("function", "expected", "values"),
    [
        (
            "secondsWords",
            formatting.seconds,
            [0, 1e-6, 9.994e-4, 9.995e-4, 0.25, 0.9996, 9.994, 9.996, 119.9, 7199, 1e6],
        ),
        ("shareWords", formatting.share, [0, 0.0004, 0.0005, 0.5, 0.9994, 0.9996, 1]),
        ("numberWords", formatting.number, [0, 999, 1000, 1234567]),
    ],
)
def test_figures_read_as_in_the_rest_of_the_report(
    function: str, expected: Callable[[float], str], values: Sequence[float]
) -> None:
    body = f"return argument.map((value) => {function}(value));"
    assert evaluate(["browser/words.js"], body, values) == [expected(value) for value in values]


# Drawings


def cells_of(paths: list[dict[str, str]], width: int, height: int) -> np.ndarray:
    """Return the picture that paths of runs show: uint8[height, width] of palette entries."""
    picture = np.zeros((height, width), np.uint8)
    for path in paths:
        for x, y, length in re.findall(rf"M(\d+) (\d+)h(\d+)v{CELL}h-\d+z", path["d"]):
            start = int(x) // CELL
            picture[int(y) // CELL, start : start + int(length) // CELL] = int(path["data-entry"])
    return picture


def marked(paths: list[dict[str, str]]) -> list[int]:
    """Return the columns of the cells that are marked, in order."""
    return [int(x) // CELL for path in paths for x in re.findall(r"M(\d+) [\d.]+l", path["d"])]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Puzzle]:
    puzzles = [puzzle for _, puzzle in special() if puzzle is not None][:6]
    puzzles += [filler(k)[1] for k in (0, 97, 111, 119)]
    return {puzzle.puzzle_id: puzzle for puzzle in puzzles}


@pytest.fixture(scope="module")
def sheets(packed: Browser, drawn: dict[str, Puzzle]) -> dict[str, Any]:
    found: dict[str, Any] = ask(packed, "sheetsOf", ids=[*drawn, "made/bad", "lost/1"])
    return found


def test_drawings_are_the_puzzles(sheets: dict[str, Any], drawn: dict[str, Puzzle]) -> None:
    for name, puzzle in drawn.items():
        shown = next(iter(sheets[name].values()))
        clues = clue_texts(puzzle)
        for side in ("rows", "columns"):
            assert [[tuple(number) for number in line] for line in shown[side]] == clues[side]
        picture = np.zeros((puzzle.height, puzzle.width), np.uint8) if puzzle.goal is None else puzzle.goal
        assert np.array_equal(cells_of(shown["cells"], puzzle.width, puzzle.height), picture)
        for path in shown["cells"]:
            assert path["fill"] == f"#{puzzle.palette[int(path['data-entry'])].rgb.lower()}"
        assert shown["paper"][0]["fill"] == "#ffffff"
        assert ("? stands for a hidden number" in shown["legend"]) == puzzle.blotted


def test_two_solutions_have_a_layer_each_with_marks_where_they_differ(sheets: dict[str, Any]) -> None:
    two = sheets["made/two"]
    assert list(two) == ["solution", "second", "mended", "nothing", "play"]
    assert "◆ 4 cells where the second solution differs" in two["solution"]["legend"]
    assert marked(two["solution"]["marks"]) == np.nonzero(SWITCH != OTHER)[1].tolist()
    assert np.array_equal(cells_of(two["second"]["cells"], 3, 3), OTHER)
    assert (two["nothing"]["cells"], two["nothing"]["marks"]) == ([], [])


def test_a_mended_picture_has_its_own_clues_and_says_what_changed(sheets: dict[str, Any]) -> None:
    mended = sheets["made/two"]["mended"]
    assert np.array_equal(cells_of(mended["cells"], 3, 3), FIXED)
    assert f"has one solution. {CHANGE}. ◆ 2 cells where the former solution differs." in mended["legend"]
    assert marked(mended["marks"]) == np.nonzero(OTHER != FIXED)[1].tolist()
    assert [[number for number, _ in line] for line in mended["rows"]] == [["2"], ["1"], ["1", "1"]]


def test_puzzles_without_a_solution_show_what_is_known(sheets: dict[str, Any]) -> None:
    assert "author’s picture. No solution is known" in next(iter(sheets["made/drawn"].values()))["legend"]
    assert list(sheets["made/bad"]) == ["nothing", "play"]
    assert sheets["made/bad"]["nothing"]["rows"][0] == [["9", "000000"]]
    assert sheets["lost/1"] == {}


# Exports


def test_ids_and_facts_are_exported(rows: pa.Table, packed: Browser) -> None:
    files = ask(packed, "exportsOf")
    known = rows.to_pylist()
    assert files["ids"].splitlines() == [row["puzzle_id"] for row in known]
    lines = list(csv.DictReader(io.StringIO(files["csv"], newline="")))
    assert [line["puzzle_id"] for line in lines] == [row["puzzle_id"] for row in known]
    for line, row in zip(lines, known, strict=True):
        for name in ("width", "nodes"):
            assert line[name] == ("" if row[name] is None else str(row[name]))
        assert float(line["cpu_seconds"]) == pytest.approx(row["cpu_seconds"], rel=1e-5) if row["cpu_seconds"] else True
        assert line["title"] == (row["title"] or "")


# Links


@pytest.mark.slow
def test_every_figure_that_is_a_link_counts_the_puzzles_it_opens() -> None:
    pairs, found = graded(FILLERS)
    html = write_report(pairs, grades=found)["report.html"].decode()
    links = re.findall(r'<a[^>]* href="(#browse\?[^"]*)"[^>]*>(?:<strong>)?([\d,]+)(?:</strong>|</a>)', html)
    assert len(links) > 10
    counts = ask(embedded(html), "countsOf", addresses=[unescape(address) for address, _ in links])
    assert counts == [int(number.replace(",", "")) for _, number in links], links


@pytest.mark.slow
def test_page_links_to_the_data_beside_it_without_pictures() -> None:
    files = write_report(browsable(3))
    names = re.findall(r"<a[^>]* download[^>]*>", files["report.html"].decode())
    linked = {re.findall(r'href="([^"]*)"', name)[0] for name in names}
    assert linked == {"puzzles.parquet", "report.json", "authors.txt"} < set(files)
    told = pq.read_table(pa.BufferReader(files["puzzles.parquet"]))
    ((results, _),) = browsable(3)
    assert sorted(told["puzzle_id"].to_pylist()) == sorted(results["puzzle_id"].to_pylist())
    assert not {"solution", "goal", "rows", "columns", "mended"} & set(told.column_names)
