"""What reports and datasets say of Sudokus: nothing of clues, pictures and colours, and every column as it is meant."""

import html
import json
import re

import numpy as np
import pyarrow as pa
import pytest
import sudokus
from census_figures import PAIRS

from nonocensus.reports.dataset_columns import Content, schema
from nonocensus.reports.derived_measures import DERIVED, derived_measures
from nonocensus.reports.family_words import NONOGRAMS, SUDOKU_WORDS, WORDS, FamilyWords, fields_of
from nonocensus.reports.report_page import RunDetails, write_report
from nonocensus.reports.sudoku_svg import box_of, grid_svg, sign
from nonocensus.solver.model.families import FAMILIES
from nonocensus.solver.model.measures import BY_NAME, Computed, computed_by, names
from nonocensus.solver.model.tables import PUZZLES, RESULTS

FOREIGN = re.compile(
    r"nonogram|clue|picture|colour(?!ed by verdict)|line logic|pbnsolve|webpbn\.com|recoloured|density|slack|conflict",
    re.I,
)
"""Words that say nothing of a Sudoku; charts are coloured by verdict for all."""

GIVENS = {"9": 1, "36": 1, "60 to 69": 1, "70 to 79": 1, "80 to 89": 1, "600 to 609": 1, "1260 to 1269": 1}
"""Return the number of Sudokus by number of givens."""

TABLES = [*PUZZLES, *RESULTS, *DERIVED]


@pytest.fixture(scope="module")
def report() -> dict[str, bytes]:
    return write_report(sudokus.solved(), RunDetails(run_id="r1", family="sudoku"))


def visible(page: str) -> str:
    """Return the text of a page, and its labels for screen readers."""
    body = re.sub(r"(?s)<(script|style|template).*?</\1>", " ", page[page.index("<body>") :])
    labels = " ".join(re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', body))
    return html.unescape(re.sub(r"<[^>]+>", " ", body) + labels)


def foreign(text: str) -> list[str]:
    """Return lines that speak of nonograms, but for what is said to be as for them."""
    text = text.replace("our own, as for nonograms", "").replace("nonocensus", "")
    return [line.strip() for line in text.splitlines() if FOREIGN.search(line)]


def test_a_report_of_sudokus_speaks_of_sudokus(report: dict[str, bytes]) -> None:
    page = visible(report["report.html"].decode())
    assert foreign(page) == []
    for told in (
        "Census of 7 Sudokus",
        "solved by singles alone",
        "naked and hidden singles",
        "looks / units",
        "givens",
    ):
        assert told in " ".join(page.split())
    told = json.loads(report["report.json"])
    assert told["about"]["family"] == "sudoku"
    assert (told["figures"]["colors"], told["figures"]["densities"]) == ([], [])
    assert {group["name"]: group["puzzles"] for group in told["figures"]["givens"]} == GIVENS
    assert "report-givens.svg" in report
    assert "By number of givens" in page
    assert told["figures"]["rung_times"][0]["rung"] == "singles"
    assert not {"report-colors.svg", "report-densities.svg"} & report.keys()


def test_a_report_of_nonograms_speaks_of_nonograms() -> None:
    """So what is foreign to Sudokus is something that a report says."""
    made = write_report(PAIRS)
    assert foreign(visible(made["report.html"].decode()))
    assert "author’s picture" in visible(made["report.html"].decode())
    assert json.loads(made["report.json"])["figures"]["givens"] == []
    assert "udoku" not in visible(made["report.html"].decode())


@pytest.mark.parametrize("family", WORDS.values(), ids=lambda family: family.name)
def test_columns_that_are_spoken_of_are_there(family: FamilyWords) -> None:
    names = {field.name for field in TABLES} | {"duplicate_of"}
    assert family.meaningless | family.described.keys() <= names - BY_NAME.keys()
    assert not family.meaningless & family.described.keys()
    assert family.name in FAMILIES


def test_fields_of_nonograms_are_those_of_the_tables() -> None:
    tables = [*TABLES, *NONOGRAMS.graded]
    for made, field in zip(fields_of(tables, NONOGRAMS), tables, strict=True):
        assert made.metadata.items() >= field.metadata.items()
        assert made.remove_metadata().equals(field.remove_metadata())


def test_fields_of_sudokus_say_nothing_of_nonograms() -> None:
    columns = schema(Content.everything, family=SUDOKU_WORDS)
    for field in columns:
        said = field.metadata[b"description"].decode()
        allowed = said.startswith(("where the puzzle comes from", "the site's", "the verdict in pbnsolve's words"))
        assert allowed or not FOREIGN.search(said), field.name
        assert b"source" not in field.metadata or not FOREIGN.search(
            field.metadata[b"source"].decode().partition(",")[0]
        )
    assert "goal" in columns.names
    assert not SUDOKU_WORDS.left_out & set(columns.names)
    assert not {"goal", "solution", "second_solution"} & set(schema(Content.none, family=SUDOKU_WORDS).names)


def test_the_columns_left_out_hold_nothing() -> None:
    ((results, puzzles),) = sudokus.solved()
    computed = pa.table(derived_measures(results.to_batches()[0], puzzles.combine_chunks().to_batches()[0]))
    for name in SUDOKU_WORDS.left_out - {"score", "blotted", *names(computed_by(Computed.graded))}:
        table = next(table for table in (puzzles, results, computed) if name in table.schema.names)
        if name in BY_NAME and table is results:  # counters of all families are in one array: 0 where none is counted
            assert set(table[name].to_pylist()) <= {None, 0}, name
        else:
            assert table[name].null_count == len(table), name


def test_difficulty_counts_boxes_too() -> None:
    ((results, puzzles),) = sudokus.solved()
    made = derived_measures(results.to_batches()[0], puzzles.combine_chunks().to_batches()[0])["difficulty"].to_pylist()
    for value, solves, size in zip(made, results["line_solves"].to_pylist(), puzzles["width"].to_pylist(), strict=True):
        assert value == (None if not solves else pytest.approx(np.log10(solves / (3 * size))))
    assert None in made
    assert any(made)


def test_public_reports_have_no_givens() -> None:
    page = write_report(sudokus.solved(), RunDetails(family="sudoku"), public=True)["report.html"].decode()
    assert 'class="thumb"></div>' in page
    assert "givens of" not in page
    assert "solution of" not in page


@pytest.mark.parametrize("name", [sudokus.ONE, sudokus.FULL, sudokus.LARGE, "made/36"])
def test_a_small_drawing_has_each_digit_in_its_cell(name: str) -> None:
    puzzle = sudokus.puzzles()[name]
    solution = sudokus.full(puzzle.size)
    drawn = grid_svg(puzzle.givens, solution, (puzzle.box_width, puzzle.box_height), "<what>")
    assert 'aria-label="&lt;what&gt;"' in drawn
    given, found = drawn.split("<g fill=")
    assert np.array_equal(digits_of(given, puzzle.size), puzzle.givens)
    assert np.array_equal(digits_of(found, puzzle.size), np.where(puzzle.givens == 0, solution, 0))


def digits_of(drawn: str, size: int) -> np.ndarray:
    """Return the digits that text elements show, by their places."""
    digits = {sign(digit): digit for digit in range(1, size + 1)}
    grid = np.zeros((size, size), np.uint8)
    for places, y, signs in re.findall(r'<text x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)</text>', drawn):
        columns = [int(float(x)) for x in places.split()]
        for x, each in zip(columns, signs if len(columns) > 1 else [signs], strict=True):
            grid[int(float(y)), x] = digits[each]
    return grid


def test_boxes_of_kinds() -> None:
    assert box_of("sudoku 3x2") == (3, 2)
    assert [box_of(kind) for kind in (None, "mono", "sudoku 0x9", "sudoku", "sudoku 3x2 ")] == [None] * 5
