"""What needs attention: issues, cells that differ, duplicates, contradictions; and what authors have to fix."""

import operator
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from census_figures import failed, known, pairs, solved
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.reports.numbers.aggregate import figures_of
from nonocensus.reports.numbers.attention import (
    AMBIGUOUS,
    CLUES,
    Attention,
    ContradictoryPuzzle,
    DuplicatePuzzle,
    explain_contradiction,
)
from nonocensus.reports.numbers.census import Census, take_census
from nonocensus.reports.numbers.duplicates import DUPLICATES, are_plain, find_repeated
from nonocensus.reports.numbers.issues import (
    ISSUES,
    differing,
    fixes,
    has_issue,
    issues,
    letters,
    ways_alike,
)
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Block, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import MENDINGS, PUZZLES, RESULTS, puzzle_batch

MULTIPLE: dict[str, Any] = {"solutions": "multiple", "technique": None}
NONE: dict[str, Any] = {"solutions": "none"}
LATE: dict[str, Any] = {"status": "timeout", "solutions": "unknown", "technique": None}
ROWS = pairs(
    (solved("a/fine", 1.0, goal_matches=True), known("a/fine")),
    (solved("a/two", 1.0, "multiple", solution=b"\1\0\0\1", second_solution=b"\0\1\1\0", **MULTIPLE), known("a/two")),
    (solved("a/new", 1.0, "multiple", **MULTIPLE), known("a/new", site_note="published,may be unique")),
    (solved("a/known", 1.0, "multiple", **MULTIPLE), known("a/known", site_note="definitely non-unique")),
    (solved("a/none", 1.0, "contradiction", **NONE), known("a/none")),
    (solved("a/late", 1.0, "timeout", **LATE), known("a/late")),
    (failed("a/bad", "invalid", "why"), known("a/bad")),
    (solved("a/drawn", 1.0, goal_matches=False), known("a/drawn")),
    (solved("a/copy", 1.0), known("a/copy", canonical_hash="c" * 32)),
    (solved("a/copied", 1.0), known("a/copied", canonical_hash="c" * 32)),
    (solved("a/said", 1.0), known("a/said", site_note="published,definitely non-unique")),
    failed("b/lost", "killed", "why"),
)


def found(*duplicates: tuple[str, str, str, int | None]) -> pa.Table:
    """Return a table of duplicates, near ones of 100 cells."""
    rows = [(*row, None if row[-1] is None else row[-1] / 100, False) for row in duplicates]
    return pa.Table.from_pylist([dict(zip(DUPLICATES.names, row, strict=True)) for row in rows], DUPLICATES)


def told(census: Census, duplicates: pa.Table | None = None) -> Attention:
    return figures_of(census, duplicates=duplicates).attention


def test_each_issue_is_found() -> None:
    census = take_census(ROWS)
    duplicates = found(("a/fine", "a/late", "near", 3), ("a/fine", "a/said", "recoloured", None))
    bits = issues(census.shown, duplicates)
    names = dict(zip(census.shown["puzzle_id"].to_pylist(), bits.tolist(), strict=True))
    assert {name: [issue for k, issue in enumerate(ISSUES) if bits >> k & 1] for name, bits in names.items()} == {
        "a/fine": ["original"],
        "a/two": ["ambiguous", "to fix"],
        "a/new": ["ambiguous", "unmarked ambiguous", "to fix"],
        "a/known": ["ambiguous", "marked ambiguous"],
        "a/none": ["contradictory", "to fix"],
        "a/late": ["undecided", "near duplicate"],
        "a/bad": ["invalid or failed", "to fix"],
        "a/drawn": ["picture does not fit", "to fix"],
        "a/copy": [],
        "a/copied": [],
        "a/said": ["recoloured", "site disagrees"],
        "b/lost": ["invalid or failed"],
    }


def test_issues_are_counted_in_the_whole_run_and_in_the_list() -> None:
    counted = [(issue.name, issue.puzzles, issue.listed) for issue in told(take_census(ROWS)).issues]
    several = {"ambiguous": 3, "invalid or failed": 2, "to fix": 5}
    expected = {name: several.get(name, 1) for name in ISSUES if name not in ("recoloured", "near duplicate")}
    assert counted == [(name, puzzles, puzzles) for name, puzzles in expected.items()]


def test_nothing_needs_attention() -> None:
    assert told(take_census(pairs((solved("a/1", 1.0), known("a/1"))))) == Attention((), 0, 0, (), (), (), (), 0, {})
    assert told(take_census([])) == Attention((), 0, 0, (), (), (), (), 0, {})
    shown = take_census(pairs((solved("a/1", 1.0), known("a/1")))).shown
    assert letters(shown, fixes(shown, DUPLICATES.empty_table())) == {}


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.none() | st.binary(max_size=3)] * 2)))
def test_differing_cells(pictures: list[tuple[Any, Any]]) -> None:
    rows = [{"solution": one, "second_solution": other} for one, other in pictures]
    table = pa.Table.from_pylist(rows, pa.schema([("solution", pa.binary()), ("second_solution", pa.binary())]))
    expected = [
        None if None in (one, other) or len(one) != len(other) else sum(map(operator.ne, one, other))
        for one, other in pictures
    ]
    assert differing(table).to_pylist() == expected


FACTS = ("canonical_hash", "width", "height", "rows", "columns", "palette", "source", "source_id", "site_date")
SHOWN = pa.schema([*map(RESULTS.field, ("puzzle_id", "clue_hash")), *map(PUZZLES.field, FACTS), ("place", pa.int64())])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.none() | st.sampled_from("ab"), st.none() | st.sampled_from("xyz")), max_size=12))
def test_repeated(hashes: list[tuple[str | None, str | None]]) -> None:
    rows = [
        {"puzzle_id": f"p/{k}", "clue_hash": clues, "canonical_hash": canonical, "place": k}
        for k, (clues, canonical) in enumerate(hashes)
    ]
    expected = []
    for row in rows:
        alike = [one for one in rows if one["canonical_hash"] == row["canonical_hash"] is not None]
        first = next(iter(alike), row)
        if first is not row:
            likeness = "equal" if row["clue_hash"] == first["clue_hash"] else "turned"
            expected.append((first["puzzle_id"], row["puzzle_id"], likeness, None, None, False))
    made = find_repeated(pa.Table.from_pylist(rows, SHOWN)).to_pylist()
    assert sorted(tuple(row.values()) for row in made) == sorted(expected)


def test_repeated_puzzles_are_told_apart_by_their_colours_and_plain_ones_marked() -> None:
    """As `pipeline.findings.deduplication` does, also in other colours than those of the first."""
    white, red, blue = (Color(digits, digits[0], digits) for digits in ("ffffff", "EE0000", "0000ff"))
    picture = np.tri(9, dtype=np.uint8)
    picture[6:] *= 2
    square = np.ones((9, 9), np.uint8)
    drawn = [
        *((picture, (white, red, blue)), (picture, (white, blue, red)), (picture[::-1], (white, red, blue))),
        *((picture, (white, blue, red)), (square, (white, red)), (square, (white, red))),
    ]
    puzzles = [from_picture(cells, colors, puzzle_id=f"a/{k}") for k, (cells, colors) in enumerate(drawn)]
    table = pa.Table.from_batches([puzzle_batch(puzzles)])
    rows = find_repeated(table.append_column("place", pa.array(range(len(puzzles)))))
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("a/0", "a/1", "recoloured", None, None, False),
        ("a/0", "a/2", "turned", None, None, False),
        ("a/1", "a/3", "equal", None, None, False),
        ("a/4", "a/5", "equal", None, None, True),
    ]


def test_oldest_is_the_original_whatever_the_ids_and_the_order() -> None:
    """As for `dedup` and `pack`: by date, then the number at the source, then the place in the store."""
    cells = np.tri(9, dtype=np.uint8)
    facts: list[dict[str, Any]] = [
        *({"site_date": date(2020, 1, 1)}, {"site_date": date(2010, 1, 1)}, {"source": "b", "source_id": "10"}),
        *({"source": "b", "source_id": "9"}, {"source": "a", "source_id": "1"}),
    ]
    puzzles = [from_picture(cells, puzzle_id=f"p/{k}", **about) for k, about in enumerate(facts)]
    table = pa.Table.from_batches([puzzle_batch(puzzles)]).append_column("place", pa.array(range(len(puzzles))))
    for order in (range(5), (4, 2, 0, 3, 1)):
        rows = find_repeated(table.take([*order])).to_pylist()
        assert [(row["original"], row["puzzle_id"]) for row in rows] == [
            ("p/1", name) for name in ("p/0", "p/3", "p/2", "p/4")
        ]


def test_damaged_clues_are_told_apart_as_well_as_can_be() -> None:
    """Of untrusted files: null clues and blocks, colours missing from the palette, no palette, equal ids."""
    rows: list[Any] = [[[{"length": 3, "color": 7}, None], None], [], None]
    palettes: list[Any] = [[], None, [None], [{"name": "a", "symbol": "a", "rgb": None}]]
    facts: dict[str, Any] = {"puzzle_id": "a/1", "clue_hash": "c", "canonical_hash": "k", "width": 99, "height": 99}
    table = pa.Table.from_pylist(
        [
            facts | {"rows": one, "columns": other, "palette": palette}
            for one in rows for other in rows for palette in palettes
        ],
        SHOWN,
    )  # fmt: skip
    assert len(find_repeated(table)) == len(table) - 1


@pytest.mark.parametrize(
    ("picture", "plain"),
    [
        (np.ones((8, 8)), True),
        (np.indices((9, 12)).sum(0) % 2, True),
        (np.kron(np.indices((4, 4)).sum(0) % 2, np.ones((3, 3))), True),
        (np.pad(np.zeros((8, 8)), 1, constant_values=1), True),
        (np.indices((10, 10))[0] % 3, False),
        (np.indices((10, 10))[0] % 2, True),
        (np.ones((7, 7)), False),
        (np.tri(9), False),
        (np.pad(np.zeros((30, 30)), ((0, 1), (0, 0)), constant_values=1), True),
        (np.pad(np.tri(2), ((0, 30), (0, 30))), False),
    ],
)
def test_plain_pictures(picture: np.ndarray, plain: bool) -> None:
    puzzle = from_picture(picture.astype(np.uint8), (*BLACK_ON_WHITE, Color("red", "r", "ff0000")))
    rows = pa.Table.from_batches([puzzle_batch([puzzle] * 3)])
    assert are_plain(rows).tolist() == [plain] * 3
    assert are_plain(rows.slice(1, 1)).tolist() == [plain]


def test_the_least_ambiguous_come_first() -> None:
    count = AMBIGUOUS + 3
    rows = [
        (
            solved(
                f"a/{n}", 1.0, "multiple", solution=bytes(20), second_solution=b"\1" * n + bytes(20 - n), **MULTIPLE
            ),
            known(f"a/{n}", 5, 4),
        )
        for n in reversed(range(1, count))
    ]
    attention = told(take_census(pairs(*rows)))
    assert [(one.puzzle_id, one.cells) for one in attention.ambiguous] == [
        (f"a/{n}", n) for n in range(1, AMBIGUOUS + 1)
    ]
    assert (attention.few_cells, attention.issues[0].puzzles) == (4, count - 1)


def test_equal_differences_come_by_share_of_cells_then_in_natural_order() -> None:
    pictures = {"solution": bytes(20), "second_solution": b"\1" + bytes(19)}
    facts = [(f"a/{n}", pictures, (5, 4)) for n in (10, 9)]
    facts.append(("a/8", {name: cells[:12] for name, cells in pictures.items()}, (4, 3)))
    rows = [(solved(name, 1.0, "multiple", **cells, **MULTIPLE), known(name, *size)) for name, cells, size in facts]
    ambiguous = told(take_census(pairs(*rows))).ambiguous
    assert [one.puzzle_id for one in ambiguous] == ["a/9", "a/10", "a/8"]


def test_smallest_changes_come_before_unmended_puzzles() -> None:
    pictures = {"solution": b"\1\0\0\1" + bytes(16), "second_solution": b"\0\1\1\0" + bytes(16)}
    facts = pictures | MULTIPLE | {"clue_hash": "h"}
    rows = [(solved(f"a/{k}", 1.0, "multiple", **facts), known(f"a/{k}", 5, 4)) for k in (1, 2, 3)]
    mended = mended_rows(("a/2", b"\1" * 20, 18), ("a/3", b"\1" + bytes(19), 1))
    ambiguous = told(take_census(pairs(*rows), mendings=mended)).ambiguous
    assert [(one.puzzle_id, one.changed, one.cells) for one in ambiguous] == [
        *(("a/3", 1, 4), ("a/2", 18, 4), ("a/1", None, 4)),
    ]


def test_twins_are_named_with_their_titles_recoloured_and_near_ones_last() -> None:
    """Those to fix come first of all, and of near ones the nearest."""
    authors = {n: "Ann" if n in (19, 20, 21, 23) else "Bob" for n in range(30)}
    rows = [(solved(f"a/{n}", 1.0), known(f"a/{n}", 8, 8, title=f"Title {n}", author=authors[n])) for n in authors]
    rows.append((solved("a/30", 1.0), known("a/30", title="Small")))
    near = [(f"a/{n % 7}", f"a/{n}", "near", n) for n in range(7, 20)]
    near.insert(2, ("a/0", "a/28", "near", 8))
    near.insert(3, ("a/0", "a/29", "near", 8))  # the third of its original
    recolored = ("a/23", "a/24", "recoloured", None)
    copies = [("a/19", "a/30", "equal", None), ("a/20", "a/21", "turned", None), ("gone", "a/22", "equal", None)]
    duplicates = found(recolored, *near[1:], near[0], *copies)
    twins = told(take_census(pairs(*rows)), duplicates).twins
    whole = None, None, False
    assert twins[:4] == (
        DuplicatePuzzle("a/20", "Title 20", "Ann", "a/21", "Title 21", "Ann", "turned", *whole, "turned or mirrored"),
        DuplicatePuzzle("gone", None, None, "a/22", "Title 22", "Bob", "equal", *whole, "equal"),
        DuplicatePuzzle("a/19", "Title 19", "Ann", "a/30", "Small", None, "equal", *whole, "equal, not to fix"),
        DuplicatePuzzle("a/23", "Title 23", "Ann", "a/24", "Title 24", "Bob", "recoloured", *whole, "recoloured"),
    )
    assert twins[4].how == "7 cells differ", "its pictures are not known"
    assert [(twin.original, twin.puzzle_id, twin.share) for twin in twins[4:]] == [
        (original, puzzle_id, cells / 100) for original, puzzle_id, _, cells in (*near[:3], *near[4:9])
    ]


@pytest.mark.parametrize(
    ("image", "colors", "how"),
    [
        (lambda picture: picture, BLACK_ON_WHITE, "1 cell differs"),
        (np.rot90, BLACK_ON_WHITE, "turned, 1 cell differs"),
        (np.transpose, BLACK_ON_WHITE, "mirrored, 1 cell differs"),
        (np.flipud, (BLACK_ON_WHITE[0], Color("ee0000", "r", "red")), "mirrored, recoloured, 1 cell differs"),
    ],
)
def test_near_duplicates_say_how_they_differ(image: Callable[..., Any], colors: tuple[Color, ...], how: str) -> None:
    picture = np.random.default_rng(1).integers(0, 2, (9, 9), np.uint8)
    other = image(picture).copy()
    other[2, 3] ^= 1
    rows = pa.Table.from_batches(
        [puzzle_batch([from_picture(picture, puzzle_id="a/1"), from_picture(other, colors, puzzle_id="a/2")])]
    )
    for name, values in {"goal_matches": [True] * 2, "solution": [None] * 2, "second_solution": [None] * 2}.items():
        rows = rows.append_column(name, pa.array(values))
    assert ways_alike(rows, found(("a/1", "a/2", "near", 1))) == [how]


def test_equal_pictures_of_other_clues_are_said_to_be_that() -> None:
    rows = take_census(pairs((solved("a/1", 1.0), known("a/1")), (solved("a/2", 1.0), known("a/2")))).shown
    assert ways_alike(rows, found(("a/1", "a/2", "near", 0))) == ["same picture, other clues"]


def test_faults_are_counted_and_together_are_what_is_to_fix() -> None:
    census = take_census(ROWS)
    assert told(census).faults == {
        "ambiguous": 2,
        "contradictory": 1,
        "with impossible clues": 1,
        "whose author’s picture does not fit": 1,
    }
    assert told(census, found(("a/fine", "a/two", "equal", None))).faults["ambiguous"] == 2


def reason(puzzle: Puzzle) -> str | None:
    """What is said of a puzzle without solution, as a run would have it."""
    batch = puzzle_batch([puzzle])
    (result,) = classify(batch).to_pylist()
    assert result["solutions"] == "none"
    (row,) = batch.to_pylist()
    return explain_contradiction({name: row[name] for name in CLUES}, result["technique"])


def clued(rows: list[list[int]], columns: list[list[int]]) -> Puzzle:
    return Puzzle(*(tuple(tuple(Block(length) for length in line) for line in side) for side in (rows, columns)))


def test_why_a_puzzle_has_no_solution() -> None:
    by_line = clued([[3], [1, 2], [2, 1], [2]], [[2, 1], [2, 1], [2], [3]])
    assert reason(by_line) == (
        "Once other lines are used, column 1, clue 2 1, has no arrangement: row 3 would be black, but with the 1 and 1 "
        "gap after it, the 2 ends in row 2 at the latest. With the 2 and 1 gap before it, the 1 begins in row 4 at "
        "the earliest."
    )
    twisted = clued([[1, 1], [2, 1], [2], [1, 1], [1]], [[1, 1], [2], [1, 1], [1, 1], [2]])
    assert reason(twisted) == "Each line has an arrangement; only assumptions show that they don't go together."


def test_no_reason_without_clues() -> None:
    assert explain_contradiction(dict.fromkeys(CLUES), "line") is None
    attention = told(take_census(ROWS))
    assert attention.contradictory == (ContradictoryPuzzle("a/none", None, 2, 2, None),)


def test_reasons_are_given_for_hundreds_of_puzzles() -> None:
    """Letters to authors have them."""
    known_rows = puzzle_batch([clued([[1, 1], [2, 1], [2], [1, 1], [1]], [[1, 1], [2], [1, 1], [1, 1], [2]])] * 120)
    names = [f"a/{k}" for k in range(len(known_rows))]
    rows = known_rows.set_column(known_rows.schema.get_field_index("puzzle_id"), "puzzle_id", pa.array(names))
    contradictory = told(take_census([(classify(rows), rows)])).contradictory
    assert [one.puzzle_id for one in contradictory if one.why] == sorted(names)


def test_two_solutions_without_the_verdict_multiple_are_not_ambiguous() -> None:
    row = solved("a/1", 1.0, "timeout", solution=b"\1\0\0\1", second_solution=b"\0\1\1\0", **LATE)
    assert told(take_census(pairs((row, known("a/1"))))).ambiguous == ()


TWO: dict[str, Any] = MULTIPLE | {"solution": b"\1\0\0\1", "second_solution": b"\0\1\1\0"}
EVIL = "<script>alert(1)</script>\n& \u202eevil"
ARABIC = "محمد"
AUTHORS = pairs(
    (solved("a/2", 1.0, "multiple", **TWO), known("a/2", title="Two", author="Ann", url="https://example.org/2")),
    (solved("a/10", 1.0, "multiple", **MULTIPLE), known("a/10", author="Ann", site_note="published,may be unique")),
    (solved("a/3", 1.0, "multiple", **TWO), known("a/3", author="Ann", site_note="definitely non-unique")),
    (solved("a/4", 1.0, "contradiction", solutions="none", goal_matches=False), known("a/4", author=ARABIC)),
    (failed("a/5", "invalid", "row 1: too\nlong"), known("a/5", author=EVIL, title=EVIL)),
    (solved("a/6", 1.0), known("a/6", 8, 8)),
    (solved("a/7", 1.0), known("a/7", author="Bob")),
    (solved("a/9", 1.0), known("a/9", 8, 8, author="Bob")),
    (solved("a/11", 1.0), known("a/11", 8, 8, author="Bob")),
    (solved("a/8", 1.0), known("a/8", author="Bob")),
    failed("b/lost", "killed", "why"),
)
COPIES = pa.Table.from_pylist(
    [
        {"original": "a/2", "puzzle_id": "a/6", "likeness": "turned", "plain": False},
        {"original": "a/2", "puzzle_id": "a/9", "likeness": "equal", "plain": True},
        {"original": "a/2", "puzzle_id": "a/11", "likeness": "recoloured", "plain": False},
        {"original": "a/2", "puzzle_id": "a/8", "likeness": "equal"},  # as small pictures are by chance
        {"original": "a/2", "puzzle_id": "a/7", "likeness": "near", "cells": 1, "share": 0.25},
    ],
    DUPLICATES,
)
LETTERS = {
    "0001 Ann.txt": """Dear Ann,

Please look at 2 of your puzzles. A puzzle should have exactly one solution, and be in the archive once.

a/2 “Two”, 2×2
https://example.org/2
Several solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2.

a/10, 2×2
Several solutions, which the site does not say.

Thank you, and kind regards
""",
    "0002 script alert(1) script evil.txt": """Dear <script>alert(1)</script> & \ufffdevil,

Please look at one of your puzzles. A puzzle should have exactly one solution, and be in the archive once.

a/5 “<script>alert(1)</script> & \ufffdevil”, 2×2
Impossible clues: row 1: too long.

Thank you, and kind regards
""",
    f"0003 {ARABIC}.txt": f"""Dear {ARABIC},

Please look at one of your puzzles. A puzzle should have exactly one solution, and be in the archive once.

a/4, 2×2
No solution: the clues contradict each other.
Row 1 has none.

Thank you, and kind regards
""",
    "0004 No author.txt": """a/6, 8×8
The same as a/2 “Two” by Ann, turned or mirrored.
""",
}


def mended_rows(*changes: tuple[Any, ...]) -> pa.Table:
    """Return mendings of puzzles with the clue hash h: id, picture, and perhaps how many cells it changes."""
    facts = ("puzzle_id", "mended", "cells")
    rows = [dict(zip(facts, each, strict=False), change=f"change of {each[0]}", clue_hash="h") for each in changes]
    return pa.Table.from_pylist(rows, MENDINGS)


COLORS = [{"name": name, "symbol": "x", "rgb": "000000"} for name in ("white", "red", "sky\nblue")]


def test_letter_names_rows_and_columns_with_their_new_numbers() -> None:
    two = solved("a/1", 1.0, "multiple", **TWO, clue_hash="h")
    colored = two | {"puzzle_id": "a/2", "solution": b"\1\0\0\2", "second_solution": b"\0\2\1\0"}
    damaged = two | {"puzzle_id": "a/3"}
    rows = pairs(
        (two, known("a/1", author="Ann")),
        (colored, known("a/2", author="Ann", palette=COLORS)),
        (damaged, known("a/3", author="Ann")),
        (two | {"puzzle_id": "a/4", "goal_matches": True}, known("a/4", author="Ann", goal=b"\0\1\1\0")),
        (solved("a/5", 1.0, goal_matches=False, solution=b"\1\0\0\1"), known("a/5", author="Ann", goal=b"\1\1\0\1")),
    )
    mended = mended_rows(("a/1", b"\1\0\0\0"), ("a/2", b"\1\2\0\2"), ("a/3", b"\1\0\0\7"), ("a/4", b"\1\1\0\0"))
    shown = take_census(rows, mendings=mended).shown
    assert letters(shown, fixes(shown, DUPLICATES.empty_table(), to_author=True)) == {
        "0001 Ann.txt": """Dear Ann,

Please look at 5 of your puzzles. A puzzle should have exactly one solution, and be in the archive once.

a/1, 2×2
Several solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2.
For one solution, keep one of those two but for 1 cell: row 2, column 2 white.
Row 2: 1 becomes 0
Column 2: 1 becomes 0

a/2, 2×2
Several solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2.
For one solution, keep one of those two but for 1 cell: row 1, column 2 sky blue.
Row 1: 1 red becomes 1 red 1 sky blue
Column 2: 1 sky blue becomes 2 sky blue

a/3, 2×2
Several solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2.
For one solution: change of a/3.

a/4, 2×2
Several solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2.
For one solution, keep your picture but for 2 cells: row 1, column 1 black; row 2, column 1 white.
Row 1: 1 becomes 2
Row 2: 1 becomes 0

a/5, 2×2
Your picture does not solve the clues; their only solution differs from it in 1 cell: row 1, column 2 white.

Thank you, and kind regards
"""
    }


def test_each_author_has_a_letter_as_plain_text() -> None:
    shown = take_census(AUTHORS).shown
    assert letters(shown, fixes(shown, COPIES, True, {"a/4": "Row 1 has none."})) == LETTERS


def test_changes_are_said_whatever_their_size_and_attempts_without_one() -> None:
    two = solved("a/1", 1.0, "multiple", **MULTIPLE, solution=bytes(600), second_solution=bytes(599) + b"\1")
    rows = [(two | {"puzzle_id": f"a/{k}", "clue_hash": "h"}, known(f"a/{k}", 30, 20)) for k in range(4)]
    large, small = (b"\1" * cells + bytes(600 - cells) for cells in (11, 10))
    mended = mended_rows(("a/0", large, 11), ("a/1", small, 10), ("a/2", b""))
    place = mended.schema.get_field_index("change")
    mended = mended.set_column(place, mended.schema.field(place), pa.array(["11 cells", "10 cells", ""]))
    census = take_census(pairs(*rows), mendings=mended)
    said = dict(
        zip(
            *(census.shown["puzzle_id"].to_pylist(), fixes(census.shown, DUPLICATES.empty_table()).to_pylist()),
            strict=True,
        )
    )
    last = {name: text.split("\n")[1:2] for name, text in said.items()}
    assert last == {
        "a/0": [
            "For one solution, keep one of those two but for 11 cells, a large change: row 1, columns 1 to 11 black.",
        ],
        "a/1": [
            "For one solution, keep one of those two but for 10 cells: row 1, columns 1 to 10 black.",
        ],
        "a/2": ["No small change found: try a larger one near the cells where the solutions differ."],
        "a/3": [],
    }
    assert [text.count("becomes") for text in said.values()] == [0, 11, 0, 0]
    attention = told(census)
    assert attention.unrepaired == 1
    assert [one.change for one in attention.ambiguous] == ["10 cells", "11 cells", "", None]


def test_copies_of_another_source_are_said_to_be_that() -> None:
    rows = pairs(*((solved(f"{source}/1", 1.0), known(f"{source}/1", 8, 8, author="Ann")) for source in "ab"))
    shown = take_census(rows).shown
    said = fixes(shown, found(("a/1", "b/1", "equal", None))).to_pylist()
    assert sorted(filter(None, said)) == ["The same as a/1 by Ann, which is from a."]


def test_what_to_fix_is_said_of_the_puzzles_with_that_issue() -> None:
    shown = take_census(AUTHORS).shown
    said = fixes(shown, COPIES).is_valid().to_numpy(zero_copy_only=False)
    assert said.tolist() == has_issue(issues(shown, COPIES), "to fix").tolist()
