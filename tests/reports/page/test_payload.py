"""What the page embeds of a run's rows: read back, in Python and by the page's script in node, it is the rows."""

import csv
import functools
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsable import browsable, columns_of, graded, rows_of, solved, unpacked
from census_figures import pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from nodejs import evaluate
from strategies import puzzles

from nonocensus.reports.numbers.duplicates import DUPLICATES
from nonocensus.reports.numbers.row_classes import SIZE_NAMES
from nonocensus.reports.page import browser
from nonocensus.reports.page.browser import COUNTS, DECIMALS, GRADED, SLICE, TEXTS, Browser, payload
from nonocensus.reports.page.report_page import write_report
from nonocensus.reports.words import formatting
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import RESULTS, puzzle_batch
from nonocensus.solver.model.techniques import TECHNIQUES

FILLERS = 120


def ask(made: Browser, query: str, **argument: Any) -> Any:
    """Call a function of page_queries.mjs with what the page embeds."""
    return evaluate("page_queries.mjs", query, {"table": made.table, "pictures": made.pictures, **argument})


def pictures_of(made: Browser) -> list[dict[str, Any]]:
    """Return each row's picture as the page reads it: solutions, goal, mended picture (bytes), its change and clues."""
    found = ask(made, "picturesOf")
    for picture in found:
        for name in ("solution", "second", "goal", "mended"):
            picture[name] = None if picture.get(name) is None else bytes(picture[name])
    return list(found)


def check(rows: pa.Table) -> None:
    """All that the page gets of rows is as they have it."""
    made = payload(rows)
    columns, drawn = ask(made, "columnsOf"), pictures_of(made)
    wanted = rows.to_pylist()
    assert made.puzzles == len(wanted)
    absent = set() if made.graded else {*GRADED}
    for name in {*TEXTS, *COUNTS, "label"} - absent:
        assert columns[name] == [row[name] for row in wanted], name
    for name in {*DECIMALS} - absent:
        assert columns[name] == [row[name] if row[name] is None else np.float32(row[name]) for row in wanted], name
    for row, picture in zip(wanted, drawn, strict=True):
        cells = (row["width"] or 0) * (row["height"] or 0)
        solution = row["solution"] if row["solution"] and len(row["solution"]) == cells else None
        assert picture["solution"] == solution
        if solution and row["second_solution"]:
            assert picture["second"] == row["second_solution"]
        assert picture.get("change") == row["change"]
        assert picture["mended"] == row["mended"]
        if row["goal"] and row["goal"] != solution:
            assert picture["goal"] == row["goal"]
        if row["rows"] is not None:
            for side in ("rows", "columns"):
                clues = [[{"length": n, "color": color} for n, color in clue] for clue in picture["clues"][side]]
                assert clues == row[side]


def test_rows_of_every_kind_come_back() -> None:
    check(rows_of(browsable(2 * SLICE + 3)))


def test_grades_come_back_and_take_nothing_where_there_are_none() -> None:
    pairs_of, grades = graded(2 * SLICE)
    rows = rows_of(pairs_of, grades)
    check(rows)
    made = payload(rows)
    columns = columns_of(made)
    assert columns["hardest"] == rows["hardest"].to_pylist()
    assert columns["grade"] == [None if grade is None else str(grade) for grade in rows["grade"].to_pylist()]
    rounded = [None if stars is None else str(int(stars + 0.5)) for stars in rows["stars"].to_pylist()]
    assert columns["star_count"] == rounded
    techniques, hardest = ask(made, "wordsOf", names=["technique", "hardest"])
    assert techniques == ["line", "depth-2", "probe"], "sorted by the ladder"
    assert hardest == [technique.name for technique in TECHNIQUES]
    without = payload(rows_of(pairs_of))
    assert (made.graded, without.graded) == (True, False)
    assert not {*GRADED, "hardest", "duration", "star_count"} & columns_of(without).keys()


@pytest.mark.parametrize(
    "without", [{"mended": None}, {"mended": b"\1"}, {"change": None}, {"second_solution": None}, {"solution": None}]
)
def test_a_mending_that_can_not_be_shown_takes_no_bytes(without: dict[str, Any]) -> None:
    rows = rows_of(browsable(0))
    nothing = payload(changed(rows, "made/two", {"mended": None, "change": None} | without))
    assert payload(changed(rows, "made/two", without)).pictures == nothing.pictures
    assert unpacked(nothing.pictures)[0]["changes"] == []


def changed(rows: pa.Table, puzzle_id: str, values: dict[str, Any]) -> pa.Table:
    """Return the rows, one of them with other values."""
    return pa.Table.from_pylist(
        [row | values if row["puzzle_id"] == puzzle_id else row for row in rows.to_pylist()], schema=rows.schema
    )


def test_rows_of_nulls_and_no_rows_are_packed() -> None:
    rows = rows_of(pairs({}, {}))
    check(rows)
    made = payload(rows.slice(2))
    assert made.puzzles == 0
    assert not any(map(len, unpacked(made.pictures)[1].values()))


@given(st.lists(st.tuples(puzzles(most=9), st.booleans()), min_size=1, max_size=16))
@settings(max_examples=6, deadline=None)
def test_any_pictures_come_back(drawn: list[tuple[Puzzle, bool]]) -> None:
    results = [solved(puzzle, 1.0) | ({} if known else {"solution": None}) for puzzle, known in drawn]
    check(rows_of([(pa.Table.from_pylist(results, schema=RESULTS), pa.table(puzzle_batch([p for p, _ in drawn])))]))


@functools.cache
def plain_rows(count: int) -> pa.Table:
    """Return rows that are all alike."""
    return rows_of(pairs(*({"puzzle_id": "a/1"} for _ in range(count))))


@given(st.lists(st.one_of(st.none(), st.text(max_size=5), st.from_regex(r"\A[ab][0-9]{1,30}\Z")), max_size=99))
@settings(max_examples=15, deadline=None)
def test_any_words_are_unpacked_in_natural_order(titles: list[str | None]) -> None:
    rows = plain_rows(len(titles) + 1)
    place = rows.schema.get_field_index("title")
    rows = rows.set_column(place, "title", pa.array([*titles, "x"], pa.string()))
    assert columns_of(payload(rows))["title"] == [*titles, "x"]


def test_words_are_sorted_naturally() -> None:
    words = browser._words(pa.chunked_array([["b", "A 10", "a 9", "c", "B", None, "c"]]), ("c",))
    assert words.words == ["c", "a 9", "A 10", "B", "b"]
    assert words.places.tolist() == [5, 3, 2, 1, 4, 0, 1]


@pytest.mark.parametrize(
    ("most", "dtype"), [(254, "uint8"), (255, "uint16"), (65535, "uint32"), (2**32 - 1, "float64"), (2**50, "float64")]
)
def test_numbers_take_the_narrowest_type(most: int, dtype: str) -> None:
    numbers = browser._counts(pa.chunked_array([pa.array([None, 0, most], pa.int64())]))
    assert numbers.dtype == dtype
    assert numbers.tolist() == [0, 1, most + 1]


def test_classes_and_kinds() -> None:
    columns = columns_of(payload(rows_of(browsable(31))))
    assert {None, "mono", "color", "blotted color"} == set(columns["kind"])
    sides = [max(width or 0, height or 0) for width, height in zip(columns["width"], columns["height"], strict=True)]
    classes = [None if not side else next(n for n, top in zip(SIZE_NAMES, (10, 15, 20, 25, 30, 40), strict=False)
               if side <= top) for side in sides]  # fmt: skip
    assert columns["size"] == classes
    palette = columns["palette"][columns["puzzle_id"].index("made/flag")]
    assert palette.splitlines() == ["ffffff white", "d02020 red", "ffff99 pale yellow", "000000 black", "3399ff sky"]


def test_untrusted_palettes_are_sanitized() -> None:
    palette = [{"name": "a\nb", "symbol": None, "rgb": "</script>"}, {"name": None, "symbol": "X", "rgb": "ABCDEF"}]
    rows = rows_of(pairs(({"puzzle_id": "a/1"}, {"puzzle_id": "a/1", "palette": palette})))
    assert columns_of(payload(rows))["palette"] == ["888888 a b\nabcdef "]


def test_rows_beyond_the_byte_limit_have_no_pictures() -> None:
    rows = rows_of(browsable(3 * SLICE))
    first = payload(rows.slice(0, SLICE))
    made = payload(rows, picture_bytes=sum(array.nbytes for array in unpacked(first.pictures)[1].values()))
    contents = columns_of(made)["contents"]
    assert made.pictures == first.pictures
    assert unpacked(made.table)[0]["pictured"] == SLICE
    assert any(contents[:SLICE])
    assert not any(contents[SLICE:])


def test_clues_that_rights_forbid_are_not_there() -> None:
    puzzle = replace(from_picture(np.ones((3, 3), np.uint8)), puzzle_id="a/1")
    rows = rows_of([(pa.Table.from_pylist([solved(puzzle, 1.0)], schema=RESULTS), pa.table(puzzle_batch([puzzle])))])
    for name in ("solution", "goal", "rows", "columns", "palette"):
        rows = rows.set_column(rows.schema.get_field_index(name), name, pa.nulls(1, rows.schema.field(name).type))
    made = payload(rows)
    assert columns_of(made)["contents"] == [0]
    assert columns_of(made)["width"] == [3]


@pytest.mark.parametrize("colors", [1, 2, 3, 16, 255])
def test_pictures_of_many_colors_come_back(colors: int) -> None:
    rng = np.random.default_rng(colors)
    shapes = ((1, 1), (1, 40), (40, 1), (2, 2), (23, 37))
    drawn = [rng.integers(0, colors + 1, shape, dtype=np.uint8) for shape in shapes]
    some = [
        ({"puzzle_id": f"a/{k}", "solution": cells.tobytes()}, {"width": cells.shape[1], "height": cells.shape[0]})
        for k, cells in enumerate(drawn)
    ]
    made = pictures_of(payload(rows_of(pairs(*some))))
    assert [picture["solution"] for picture in made] == [cells.tobytes() for cells in drawn]


def test_duplicates_are_grouped_with_their_originals() -> None:
    """Those of a near duplicate with its original, and those of a recoloured one of it."""
    rows = rows_of(browsable(7))
    copies = [
        *(("random/0", "random/1", "near"), ("random/1", "random/2", "recoloured"), ("random/2", "random/5", "equal")),
        ("random/3", "random/4", "turned"),
    ]
    repeats = pa.Table.from_pylist([dict(zip(DUPLICATES.names, row, strict=False)) for row in copies], DUPLICATES)
    columns = columns_of(payload(rows, duplicates=repeats))
    groups = {name: group for name, group in zip(columns["puzzle_id"], columns["group"], strict=True) if group}
    assert groups == {
        **dict.fromkeys(("random/0", "random/1", "random/2", "random/5"), "random/0"),
        **dict.fromkeys(("random/3", "random/4"), "random/3"),
    }


def test_groups_with_a_copy_to_fix_come_first() -> None:
    drawn = {f"a/{k}": np.eye(side, dtype=np.uint8) for k, side in enumerate((5, 5, 8, 8, 8, 8))}
    puzzles = [replace(from_picture(cells), puzzle_id=name) for name, cells in drawn.items()]
    results = pa.Table.from_pylist([solved(puzzle, 1.0) for puzzle in puzzles], schema=RESULTS)
    copies = [("a/0", "a/1", False), ("a/2", "a/3", True), ("a/4", "a/5", False)]
    repeats = pa.Table.from_pylist(
        [{"original": one, "puzzle_id": two, "likeness": "equal", "plain": plain} for one, two, plain in copies],
        DUPLICATES,
    )
    made = payload(rows_of([(results, pa.table(puzzle_batch(puzzles)))]), repeats)
    head, _ = unpacked(made.table)
    assert head["words"]["group"] == ["a/4", "a/0", "a/2"]
    columns = columns_of(made)
    said = dict(zip(columns["puzzle_id"], columns["how"], strict=True))
    first = dict.fromkeys(("a/0", "a/2", "a/4"), "original")
    assert said == first | {"a/1": "equal, not to fix", "a/3": "equal, not to fix", "a/5": "equal"}


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
        ("ratingWords", partial(formatting.rating, column="site_quality"), [3, 3.75, 4.999, 1234.5]),
        ("solvingTimeWords", formatting.solving_time, [0, 61.4, 7199, 7230, 7350, 56520, 1e7]),
        ("minutesWords", formatting.minutes_text, [0.008, 0.5, 2.94, 6.51, 8.48, 99.6, 119.9, 150, 526.8, 9999]),
        ("starsWords", partial(formatting.estimate_text, measure="stars"), [1, 2.34, 4.95]),
    ],
)
def test_figures_read_as_in_the_rest_of_the_report(
    function: str, expected: Callable[[float], str], values: Sequence[float]
) -> None:
    """Halves too, which Python's f-strings round to even, and JavaScript away from zero."""
    known = [*values, *(k / 32 for k in range(33))] if function != "numberWords" else values
    words = evaluate("page_queries.mjs", "worded", {"name": function, "values": known})
    assert words == [expected(value) for value in known]


def test_ids_and_facts_are_exported() -> None:
    rows = rows_of(*graded(FILLERS))
    files = ask(payload(rows), "exportsOf")
    known = rows.to_pylist()
    assert files["ids"].splitlines() == [row["puzzle_id"] for row in known]
    lines = list(csv.DictReader(io.StringIO(files["csv"], newline="")))
    assert [line["puzzle_id"] for line in lines] == [row["puzzle_id"] for row in known]
    for line, row in zip(lines, known, strict=True):
        for name in ("width", "nodes", "changed"):
            assert line[name] == ("" if row[name] is None else str(row[name]))
        assert float(line["cpu_seconds"]) == pytest.approx(row["cpu_seconds"], rel=1e-5) if row["cpu_seconds"] else True
        assert line["title"] == (row["title"] or "")


@pytest.mark.slow
def test_every_figure_that_is_a_link_counts_the_puzzles_it_opens() -> None:
    pairs, found = graded(FILLERS)
    html = write_report(pairs, grades=found)["report.html"].decode()
    links = re.findall(r'<a[^>]* href="(#browse\?[^"]*)"[^>]*>(?:<strong>)?([\d,]+)(?:</strong>|</a>)', html)
    assert len(links) > 10
    (listed,) = re.findall(r'id="browse-table">([^<]+)<', html)
    counts = ask(Browser(0, False, listed, ""), "countsOf", addresses=[unescape(address) for address, _ in links])
    assert counts == [int(number.replace(",", "")) for _, number in links], links


@pytest.mark.slow
def test_page_links_to_the_data_beside_it_without_pictures() -> None:
    files = write_report(browsable(3))
    names = re.findall(r"<a[^>]* download[^>]*>", files["report.html"].decode())
    linked = {re.findall(r'href="([^"]*)"', name)[0] for name in names}
    assert linked == {"puzzles.parquet", "report.json", "letters.zip"} < set(files)
    told = pq.read_table(pa.BufferReader(files["puzzles.parquet"]))
    ((results, _),) = browsable(3)
    assert sorted(told["puzzle_id"].to_pylist()) == sorted(results["puzzle_id"].to_pylist())
    assert not {"solution", "goal", "rows", "columns", "mended"} & set(told.column_names)
