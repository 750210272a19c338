"""Sudokus as text: what is written is read as the same puzzle, by the importer too, and what can't be held is said."""

import json
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_all
from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.sudokus import sudoku_jsonl
from nonocensus.scrapers.sudokus.lz_string import compress, decompress
from nonocensus.scrapers.sudokus.sudoku_writing import FORMATS, SudokuFormat, file_of, named, of_suffix
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of

KINDS = [boxes_of(size) for size in (4, 6, 8, 9, 12, 16, 25, 36)]
FRAMED = [(2, 3), (2, 8), (6, 6)]

by_name = pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.NAME)


def drawn(wide: int, high: int, share: float = 0.4, seed: int = 1) -> Sudoku:
    size = wide * high
    random = np.random.default_rng(seed)
    cells = np.where(random.random((size, size)) < share, random.integers(1, size + 1, (size, size)), 0)
    return Sudoku(cells, wide, high)


def format_named(name: str) -> SudokuFormat:
    found = named(name)
    assert found is not None
    return found


def read(name: str, data: bytes) -> list[Sudoku | object]:
    return list(read_all([SourceFile(name, data, None)]))


@by_name
@pytest.mark.parametrize("kind", [*KINDS, *FRAMED])
def test_written_sudoku_is_read_back(known: SudokuFormat, kind: tuple[int, int]) -> None:
    """By every format that can hold the grid, whatever the file is called; the others refuse it."""
    for share in (0.0, 0.4, 1.0):
        puzzle = drawn(*kind, share=share)
        usual = boxes_of(puzzle.size) == kind
        held = (usual or known.NAME in ("ss", "tatham", "fpuzzles", "sudokupad", "jsonl")) and (
            puzzle.size < 36 or known.NAME not in ("sdm", "lines")
        )
        if known.NAME == "sdk" and puzzle.size in (16, 36) and not share:
            held = False  # its rows look like empty grids of 4x4, or 6x6
        if not held:
            with pytest.raises(FormatError):
                file_of(puzzle, known)
            continue
        data, lost = file_of(puzzle, known)
        (back,) = read(f"a{known.SUFFIXES[0]}", data)
        assert isinstance(back, Sudoku)
        assert (back.box_width, back.box_height, lost) == (*kind, [])
        assert np.array_equal(back.givens, puzzle.givens)


@pytest.mark.parametrize("known", [known for known in FORMATS if known.bundle], ids=lambda known: known.NAME)
@pytest.mark.parametrize("size", [4, 6, 9, 16])
def test_several_sudokus_are_bundled(known: SudokuFormat, size: int) -> None:
    puzzles = [drawn(*boxes_of(size), seed=seed) for seed in range(40)]
    assert known.bundle is not None
    data = b"".join(known.bundle([file_of(puzzle, known)[0] for puzzle in puzzles]))
    back = read(f"a{known.SUFFIXES[0]}", data)
    assert [puzzle.givens.tobytes() for puzzle in back if isinstance(puzzle, Sudoku)] == [
        puzzle.givens.tobytes() for puzzle in puzzles
    ]


ABOUT = {
    "puzzle_id": "site/1", "source": "site", "source_id": "1", "url": "https://example.org/1", "title": "T",
    "author": "A\n1...|\x00B", "description": "D", "copyright": "C", "license": "CC0-1.0", "site_note": "N",
    "site_version": "2", "site_quality": 0.5, "site_difficulty": 1.5, "site_seconds": 90.0,
    "site_date": date(2020, 1, 2), "site_steps": 3,
    "fetched_at": datetime(2020, 1, 2, tzinfo=UTC), "raw_sha256": "0",
}  # fmt: skip


@by_name
def test_unwritable_sudoku_is_refused(known: SudokuFormat) -> None:
    """Is said, and left out only on demand; a name can't bring lines with it."""
    puzzle = replace(drawn(3, 3), **ABOUT)
    assert {field.name for field in fields(Sudoku)} == {*ABOUT, "givens", "box_width", "box_height"}
    if known.NAME == "jsonl":
        data, lost = file_of(puzzle, known)
        (back,) = sudoku_jsonl.read(data)
        assert lost == []
        assert all(getattr(back, name) == value for name, value in ABOUT.items())
        return
    with pytest.raises(FormatError, match=r"can't hold its .*; --lossy leaves that out"):
        file_of(puzzle, known)
    data, lost = file_of(puzzle, known, lossy=True)
    assert ("its title" in lost, "its author" in lost) == ("title" not in known.HOLDS, "author" not in known.HOLDS)
    (back,) = read("a.sdk", data)
    assert isinstance(back, Sudoku)
    assert known.NAME not in ("fpuzzles", "sudokupad") or (back.title, back.author) == (ABOUT["title"], ABOUT["author"])


def test_links_and_ids_of_players() -> None:
    """Checked with puzz.link, Penpa+ and `sgt-solo`."""
    givens = np.zeros((6, 6), np.uint8)
    givens[0, 3], givens[2, :2], givens[5, 5] = 5, (6, 2), 1
    puzzle = Sudoku(givens, 3, 2)
    link, game = b"https://puzz.link/p?sudoku/6/6/i5n62z g1\n".replace(b" ", b""), b"2x3:c5h6_2u1\n"
    assert (file_of(puzzle, format_named("puzzlink"))[0], file_of(puzzle, format_named("tatham"))[0]) == (link, game)
    for data in (link, b"\n" + link.replace(b"/p?", b"/p.html?"), game, b"https://example.org/solo.html#" + game):
        (back,) = read("a.txt", data)
        assert isinstance(back, Sudoku)
        assert (back.box_width, back.box_height) == (3, 2)
        assert np.array_equal(back.givens, givens)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://puzz.link/p?sudoku/9/8/1", "its grid is 9x8, not a square"),
        ("https://puzz.link/p?sudoku/99/99/1", "its grid is 99x99; 4x4 to 36x36 are read"),
        ("https://puzz.link/p?sudoku/4/4/1z", "it has more than 16 places"),
        ("https://puzz.link/p?sudoku/4/4/1.n", "'.n' is neither a number nor a gap"),
        ("2x2:1_2", "it has 2 of 16 cells"),
        ("2x2:0o", "'0o' is neither a number nor a gap"),
        ("2x2:p_", "'_' is neither a number nor a gap"),
        ("99x99:1", "its grid is 9801x9801; 4x4 to 36x36 are read"),
        ("2x2xa:p", "'2x2xa:p' is no link of puzz.link, f-puzzles or SudokuPad, nor an id of Solo"),
        (
            "https://f-puzzles.com/?id=2p9",
            "'?id=2p9' does not hold the puzzle: links with ?load=, fpuzzles and fpuz do",
        ),
        (
            "https://sudokupad.app/sclN4Ig",
            "'sclN4Ig' does not hold the puzzle: links with ?load=, fpuzzles and fpuz do",
        ),
        ("https://sudokupad.app/fpuzN4Ig", "its data is damaged: it ends too early"),
        ("https://sudokupad.app/fpuzN4.g", "its data is not base64: it has a '.'"),
    ],
)
def test_invalid_links_are_problems(text: str, said: str) -> None:
    first, second = read("a.txt", f"2x2:p\n{text}\n".encode())
    assert isinstance(first, Sudoku)
    assert isinstance(second, Problem)
    assert second.reason == f"line 2: {said}"


BOARD = {
    "size": 4,
    "grid": [[{"value": 3, "given": True}, {"value": 1}, {"cornerPencilMarks": [2]}, {}], *[[{}] * 4] * 3],
}


@pytest.mark.parametrize(
    "link",
    [
        "https://www.f-puzzles.com/?load=",
        "f-puzzles.com/?load=",
        "https://sudokupad.app/fpuz",
        "https://sudokupad.app/sudoku/fpuzzles",
        "https://app.crackingthecryptic.com/sudoku/?setting-nogrid=1&puzzleid=fpuzzles",
    ],
)
def test_links_of_fpuzzles_and_sudokupad_hold_givens(link: str) -> None:
    """What the player has entered is left out, and escaped characters are read."""
    board = BOARD | {"solution": [1], "killercage": [], "title": "T+", "ruleset": "normal Sudoku rules apply."}
    data = quote(compress(json.dumps(board)), safe="")
    (back,) = read("a.txt", f"{link}{data}\n".encode())
    assert isinstance(back, Sudoku)
    assert (back.givens.ravel().tolist(), back.box_width, back.title) == ([3, *[0] * 15], 2, "T+")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"killercage": [{"cells": ["R1C1"]}], "diagonal+": True}, "it has 'diagonal+, killercage'; only givens and"),
        ({"ruleset": "Each row has a 7."}, "its rules are not only the usual ones: 'Each row has a 7.'"),
        ({"grid": [[{"givenPencilMarks": [1]}] * 4] * 4}, "it has 'givenPencilMarks'; only givens and boxes are read"),
        ({"grid": [[{"region": 0}] * 4] * 4}, "its boxes are not rectangles of one size"),
        ({"grid": [[{"region": None}, {}, {}, {}], *[[{}] * 4] * 3]}, "its boxes are not rectangles of one size"),
        ({"size": 5, "grid": [[{}] * 5] * 5}, "its boxes are not rectangles of one size"),
        ({"size": 9}, "its grid is not 9x9"),
        ({"size": 99}, "its grid is 99x99; 4x4 to 36x36 are read"),
        ({"grid": [["x"]]}, "it is not a puzzle: Expected `object`, got `str` - at `$.grid[0][0]`"),
        ({"grid": [[{"value": 1 << 70, "given": True}] * 4] * 4}, "givens are a square of whole numbers"),
    ],
)
def test_other_rules_in_links_are_refused_by_name(changed: dict[str, object], said: str) -> None:
    (problem,) = read("a.txt", f"https://sudokupad.app/fpuz{compress(json.dumps(BOARD | changed))}\n".encode())
    assert isinstance(problem, Problem)
    assert said in problem.reason


@given(st.text(max_size=60) | st.text("ab\u20ac", max_size=200))
def test_lz_string_returns_every_text(text: str) -> None:
    assert decompress(compress(text)) == text


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("", "Q==="),
        ("aaaa", "IY5A"),
        ('{"size":9}', "N4IgzglgXgpiBcBOAvkA"),
        ("\u20ac\U0001f600", "jUEl4NwAe0A="),
    ],
)
def test_lz_string_is_coded_as_by_its_javascript(text: str, encoded: str) -> None:
    """Values of npm's lz-string 1.5.0."""
    assert compress(text) == encoded


def test_lz_string_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonocensus.scrapers.sudokus.lz_string.MAX_LENGTH", 1000)
    assert decompress(compress("a" * 1000)) == "a" * 1000
    with pytest.raises(FormatError, match="holds more than 1,000 characters"):
        decompress(compress("a" * 1001))
    with pytest.raises(FormatError, match="has more than 1,000 characters"):
        decompress("N" * 1001)
    with pytest.raises(FormatError, match="not text"):
        decompress(compress("\ud800"))


def test_formats_are_found_by_name_and_suffix() -> None:
    assert all(named(known.NAME) is known for known in FORMATS)
    assert all(
        of_suffix(f"a/b{suffix.upper()}") is known
        for known in FORMATS
        if known.NAME != "lines"
        for suffix in known.SUFFIXES
    )
    assert named("non") is of_suffix("a.non") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"givens": [[1, 2], [3]]}', "its rows differ in length"),
        ('{"givens": [[1, 2]]}', "givens are a square"),
        ('{"givens": [[1, 999], [0, 0]]}', "givens go from"),
        ('{"givens": [[1, "a"], [0, 0]]}', "it is not a Sudoku"),
        ('{"givens": [], "colour": 1}', "it is not a Sudoku"),
        ('{"givens": []}', "givens are a square"),
        ('{"givens": [[1]], "box_width": -1}', "its boxes are"),
    ],
)
def test_invalid_json_lines_are_problems(text: str, said: str) -> None:
    """Are told with their place, and the others are read."""
    good = sudoku_jsonl.write(drawn(2, 2)).decode()
    first, second = read("a.jsonl", f"{good}\n{text}\n".encode())
    assert isinstance(first, Sudoku)
    assert isinstance(second, Problem)
    assert said in second.reason
