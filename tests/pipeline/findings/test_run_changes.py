"""The page of two runs compared: which group a puzzle is in, and what is shown of it."""

import json
import re
from dataclasses import replace
from html import escape
from itertools import permutations as permutations_of
from pathlib import Path

import numpy as np
import pytest
from runs import run_of
from stores import Nonocensus

from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.findings import comparison
from nonocensus.pipeline.findings.comparison import compare
from nonocensus.pipeline.findings.run_changes import changes_page
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.mend_job import mend_run
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.file_import import import_puzzles
from nonocensus.pipeline.store.parts import rewrite
from nonocensus.reports.words.formatting import MEANINGS
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Block, Color, Puzzle, from_picture

EVIL = "<script>alert(1)</script>"
BLOCK = np.tri(3, dtype=np.uint8)
SWITCH = np.eye(2, dtype=np.uint8)
HARDER = np.array([[0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 0, 1]], np.uint8)


def puzzle(name: str, picture: np.ndarray = BLOCK) -> Puzzle:
    return from_picture(picture, puzzle_id=f"a/{name}", source="a", title=EVIL, author="محمد")


def impossible(name: str) -> Puzzle:
    return replace(puzzle(name), rows=((Block(9),), *puzzle(name).rows[1:]), goal=None)


def contradictory(name: str) -> Puzzle:
    """Return clues of as many cells in rows as in columns, which no picture has."""
    return replace(puzzle(name, SWITCH), rows=((Block(2),), ()), columns=((Block(2),), ()), goal=None)


OLD = [
    puzzle("same"),
    puzzle("copy"),
    puzzle("gone", np.ones((1, 2), np.uint8)),
    puzzle("edited"),
    puzzle("fixed", SWITCH),
    impossible("fixed 2"),
    puzzle("fixed 3", SWITCH),
    puzzle("broken"),
    puzzle("spoiled", SWITCH),
    puzzle("spoiled 2", SWITCH),
    impossible("open"),
    puzzle("harder"),
    puzzle("titled"),
]
NEW = [
    *(puzzle("same"), puzzle("edited", BLOCK.T), puzzle("broken", SWITCH)),
    *(puzzle("fixed", BLOCK[1:]), puzzle("fixed 2"), puzzle("fixed 3", BLOCK[:0:-1])),
    *(impossible("spoiled"), contradictory("spoiled 2"), puzzle("open", SWITCH)),
    *(puzzle("harder", HARDER), replace(puzzle("titled"), title="New")),
    *(puzzle("new"), puzzle("new 2", SWITCH)),
]
GROUPS = {
    "Fixed": {"a/fixed"},
    "Fixed but a duplicate": {"a/fixed 2", "a/fixed 3"},
    "Worse": {"a/broken", "a/spoiled", "a/spoiled 2"},
    "New and at fault": {"a/new 2"},
    "New": {"a/new"},
    "Removed": {"a/gone"},
    "Removed as duplicate": {"a/copy"},
    "Still at fault": {"a/open"},
    "Another verdict": {"a/harder"},
    "Other clues": {"a/edited"},
    "Other title": {"a/titled"},
}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Run, Run]:
    return run_of(tmp_path / "old", OLD), run_of(tmp_path / "new", NEW)


def listed(page: str) -> dict[str, set[str]]:
    """Return the ids that each section of the page lists."""
    sections = re.findall(r"<h2>(.*?)</h2>(.*?)</section>", page, re.DOTALL)
    return {name: set(re.findall(r'class="id">(a/[^<]*?) ·', content)) for name, content in sections}


def test_puzzles_are_grouped_by_what_has_changed(runs: tuple[Run, Run]) -> None:
    page = changes_page(*runs, compare(*runs))
    assert listed(page) == GROUPS
    assert page[page.index('<nav aria-label="Sections"') :].count('<a href="#group-') == len(GROUPS)
    assert "2 puzzles in both with the same clues, 9 with other clues." in page
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert 'class="id">a/broken · 3×3 → 2×2</span>' in page
    assert 'class="id">a/edited · 3×3</span>' in page
    fixed = page[page.index("<h2>Fixed") : page.index("<h2>Still")]
    assert fixed.count("<svg") == fixed.count('class="thumb"') == 5, "before and after, after of the impossible one"
    said = re.findall(r"<strong>(\w+)</strong> <span class=\"key\"[^>]*>(.*?)</span>", fixed)
    assert said[:2] == [("Before", "at least two solutions"), ("After", MEANINGS["unique line"])]
    assert "At fault, besides duplicates: 6 before, 5 after." in page
    assert re.search(
        r"<strong>After</strong> <span[^>]*>clues that .*?</span>: <bdi>row 1: its blocks need 9 cells", page
    )
    assert f"<br>Its title was {escape(EVIL)}.</figcaption>" in page
    for name, side in (("copy", "Before"), ("fixed 2", "After")):
        shown = page[page.index(f">a/{name} ·") :].partition("</li>")[0].partition(f"<strong>{side}</strong>")[2]
        assert f"<br>Repeats {escape(EVIL)} (a/same) by محمد." in shown
    back = changes_page(*runs[::-1], compare(*runs[::-1]))
    assert (listed(back)["Removed"], listed(back)["Removed as duplicate"]) == ({"a/new 2"}, {"a/new"})


def test_author_s_picture_is_drawn_with_the_cells_that_changed(tmp_path: Path) -> None:
    """Of two solutions, in whichever order they were found, and with both before and after where a cell is mended."""
    for number, picture in enumerate((SWITCH, SWITCH[::-1])):
        mended = picture.copy()
        mended[0, 0] ^= 1
        runs = [
            run_of(tmp_path / f"{number}{name}", [puzzle("fixed", cells)])
            for name, cells in (("old", picture), ("new", mended))
        ]
        page = changes_page(*runs, compare(*runs))
        before, after = re.findall(r"<svg.*?</svg>", page)
        for drawn, color in ((before, picture[0, 0]), (after, mended[0, 0])):
            frame = (
                f'd="M-0.2 -0.2h1.4v1.4h-1.4z"/><path fill="#{("ffffff", "000000")[color]}" d="M0 0h1v1h-1z"/></svg>'
            )
            assert drawn.count("#ff0090") == drawn.count(frame) == 1, "one cell, since the author's is the one drawn"


def test_equal_runs_have_no_changes(runs: tuple[Run, Run]) -> None:
    page = changes_page(runs[0], runs[0], compare(runs[0], runs[0]))
    assert "Nothing: both runs" in page
    assert listed(page) == {
        "Still at fault": {f"a/{name}" for name in ("fixed", "fixed 2", "fixed 3", "spoiled", "spoiled 2", "open")}
    }
    assert list(mend_run(runs[0], JobRequest(resources=Resources(serial=True))))
    assert changes_page(runs[0], runs[0], compare(runs[0], runs[0])).count(": <bdi>for one solution, ") == 4


def test_long_groups_are_counted_and_cut(runs: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_LISTED", comparison._LISTED.replace(f"<= {comparison.NAMED}", "<= 2"))
    monkeypatch.setattr(comparison, "LISTED", 1)
    page = changes_page(*runs, compare(*runs))
    assert listed(page)["Fixed but a duplicate"] == {"a/fixed 2"}
    link = r'The first 1 of 2, by id; <a href="#(others-\d)">the others</a>\.'
    assert re.search(link + r'.*<details class="fold" id="\1"', page, re.DOTALL)
    others = re.findall(r"<summary>The other [12]</summary><p>(.*?)</p>", page)
    assert others == ["<bdi>a/spoiled</bdi> and 1 more", "<bdi>a/fixed 3</bdi>"]


def test_ids_are_sorted_by_their_numbers(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Also in runs without a puzzle of the same clues."""
    names = ["a/2", "a/10", "a/10 b", "a/9b", "b/1", "a/100", "2", "a/1"]
    runs = [
        run_of(tmp_path / name, [replace(puzzle("", cells), puzzle_id=one) for one in names])
        for name, cells in (("old", SWITCH), ("new", BLOCK))
    ]
    found = compare(*runs)
    ids = [one.puzzle_id for group in found.changed for one in group.listed]
    assert ids == ["2", "a/1", "a/2", "a/10", "a/100", "a/10 b", "a/9b", "b/1"]
    assert found.changes[0].examples == ["2", "a/1", "a/2"]
    printed = nonocensus("compare", "old/run", "new/run")
    assert (printed.code, printed.err, "1 fixed: 2\n" in printed.out) == (0, "", True)


def test_puzzles_of_a_changed_store_have_no_pictures(runs: tuple[Run, Run]) -> None:
    rewrite(runs[0].store, lambda batch: batch.slice(1))
    page = changes_page(*runs, compare(*runs))
    gone = page[page.index("<h2>Removed") : page.index("<h2>Other")]
    assert "a/gone" in gone
    assert "The old puzzle is no longer in the store." in gone
    assert "pink" in changes_page(*runs[::-1], compare(*runs[::-1]))


def test_pictures_of_a_changed_store_come_from_results_of_its_size_and_colours(tmp_path: Path) -> None:
    red = (*BLACK_ON_WHITE, Color("ee0000", "r", "red"))
    permutations = [np.eye(3, dtype=np.uint8)[list(order)] for order in permutations_of(range(3))]
    permuted = [puzzle(f"still {k}", picture) for k, picture in enumerate(permutations)]
    old = [
        puzzle("edited"),
        puzzle("mended", SWITCH),
        puzzle("turned", BLOCK[:2]),
        puzzle("colored"),
        impossible("open"),
        *permuted,
    ]
    edited = BLOCK.copy()
    edited[0, 2] = 1
    new = {
        "edited": puzzle("edited", edited),
        "mended": puzzle("mended", np.tri(2, dtype=np.uint8)),
        "turned": puzzle("turned", BLOCK[:2].T),
        "colored": from_picture(BLOCK + np.eye(3, dtype=np.uint8), red, puzzle_id="a/colored"),
        "open": puzzle("open"),
    } | {f"still {k}": still for k, still in enumerate(permuted)}
    before = run_of(tmp_path, old)
    kept = changes_page(before, (after := run_of(tmp_path / "new", [*new.values()])), compare(before, after))
    import_puzzles(before.store, new.values(), update=True)
    drawn = changes_page(before, after, compare(before, after))

    def pictures(page: str, name: str) -> list[str]:
        return re.findall("<svg.*?</svg>", page[page.index(f">a/{name} ·") :].partition("</li>")[0])

    for name in ("edited", "mended"):
        assert len(pictures(kept, name)) == 2
        assert ("#ff0090" in "".join(pictures(kept, name)), len(pictures(drawn, name))) == (True, 2)
    assert pictures(drawn, "edited") == pictures(kept, "edited")
    assert "#ff0090" not in "".join(pictures(drawn, "mended")), "any solution, not the author's picture"
    for name, count in (("turned", 2), ("colored", 2), ("open", 1)):
        assert (len(pictures(kept, name)), len(pictures(drawn, name))) == (count, 1)
    for k in range(6):
        (still,) = pictures(drawn, f"still {k}")
        assert "#ff0090" in still, "where its solutions differ"
    assert drawn.count("In the framed cells two solutions differ.") == 6
    assert drawn.count("The old puzzle is no longer in the store.") == 3
    assert drawn.count("One of its solutions, nothing framed: the old puzzle is no longer in the store.") == 1
    only = [run_of(tmp_path / name, [one]) for name, one in (("one", old[1]), ("other", new["mended"]))]
    assert "framed in pink" in changes_page(*only, compare(*only))
    import_puzzles(only[0].store, [new["mended"]], update=True)
    assert "framed in pink" not in changes_page(*only, compare(*only)), "nothing is framed"


@pytest.mark.usefixtures("runs")
def test_terminal_page_and_json_agree(tmp_path: Path, nonocensus: Nonocensus) -> None:
    printed = nonocensus("compare", "old/run", "new/run", "--html", "page.html")
    assert (printed.code, printed.err) == (0, "")
    assert listed((tmp_path / "page.html").read_text()) == GROUPS
    changed = json.loads(nonocensus("--json", "compare", "old/run", "new/run").out)["changed"]
    assert {group["name"].capitalize(): {one["puzzle_id"] for one in group["listed"]} for group in changed} == GROUPS
    for name, ids in GROUPS.items():
        assert f"\n{len(ids)} {name.lower()}: {', '.join(sorted(ids))}\n" in printed.out
    assert re.search(r"\nmultiple +\S.* 2  a/fixed, a/fixed 3\s", printed.out)
    assert "tells marked ones apart): 6 in old/run, 5 in new/run.\n" in printed.out
    assert "\n  a/spoiled: row 1: its blocks need 9 cells, the line has 3\n" in printed.out
    assert "\n  a/fixed 2: duplicate of a/same\n  a/fixed 3: duplicate of a/fixed\n" in printed.out
    assert re.findall(r"^\d+ ([a-z ]+): ", printed.out, re.MULTILINE) == list(comparison.GROUPS)
