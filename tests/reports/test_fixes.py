"""What authors have to fix: sentences by puzzle, lists by author."""

from typing import Any

import pyarrow as pa
from census_figures import failed, known, pairs, solved

from nonocensus.reports.census import take_census
from nonocensus.reports.fixes import author_lists, fixes
from nonocensus.reports.issues import DUPLICATES, has_issue, issues

MULTIPLE: dict[str, Any] = {"solutions": "multiple", "technique": None}
TWO: dict[str, Any] = MULTIPLE | {"solution": b"\1\0\0\1", "second_solution": b"\0\1\1\0"}
EVIL = "<script>alert(1)</script>\n& \u202eevil"
ARABIC = "محمد"
ROWS = pairs(
    (solved("a/2", 1.0, "multiple", **TWO), known("a/2", title="Two", author="Ann", url="https://example.org/2")),
    (solved("a/10", 1.0, "multiple", **MULTIPLE), known("a/10", author="Ann", site_note="published,may be unique")),
    (solved("a/3", 1.0, "multiple", **TWO), known("a/3", author="Ann", site_note="definitely non-unique")),
    (solved("a/4", 1.0, "contradiction", solutions="none", goal_matches=False), known("a/4", author=ARABIC)),
    (failed("a/5", "invalid", "row 1: too\nlong"), known("a/5", author=EVIL, title=EVIL)),
    (solved("a/6", 1.0), known("a/6", 8, 8)),
    (solved("a/7", 1.0), known("a/7", author="Bob")),
    (solved("a/8", 1.0), known("a/8", author="Bob")),
    failed("b/lost", "killed", "why"),
)
COPIES = pa.Table.from_pylist(
    [
        {"original": "a/2", "puzzle_id": "a/6", "likeness": "turned"},
        {"original": "a/2", "puzzle_id": "a/8", "likeness": "equal"},  # as small pictures are by chance
        {"original": "a/2", "puzzle_id": "a/7", "likeness": "near", "cells": 1, "share": 0.25},
    ],
    DUPLICATES,
)
LISTS = f"""Ann: 2 puzzles

a/2 “Two”, 2×2
https://example.org/2
Several solutions: two of them differ in 4 of 4 cells.

a/10, 2×2
Several solutions, which the site does not say.


<script>alert(1)</script> & \ufffdevil: 1 puzzle

a/5 “<script>alert(1)</script> & \ufffdevil”, 2×2
Impossible clues: row 1: too long.


{ARABIC}: 1 puzzle

a/4, 2×2
No solution: the clues contradict each other.


No author: 1 puzzle

a/6, 8×8
The same as a/2 “Two” by Ann, turned, mirrored or recoloured.
"""


def test_each_author_has_a_list_as_plain_text() -> None:
    shown = take_census(ROWS).shown
    assert author_lists(shown, fixes(shown, COPIES)) == LISTS


def test_what_to_fix_is_said_of_the_puzzles_with_that_issue() -> None:
    shown = take_census(ROWS).shown
    said = fixes(shown, COPIES).is_valid().to_numpy(zero_copy_only=False)
    assert said.tolist() == has_issue(issues(shown, COPIES), "to fix").tolist()


def test_nothing_to_fix_is_an_empty_list() -> None:
    shown = take_census(pairs((solved("a/1", 1.0), known("a/1")))).shown
    assert author_lists(shown, fixes(shown, DUPLICATES.empty_table())) == ""
