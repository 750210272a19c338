"""Puzzles to print on a page: paper, words, the solution on the second, and what is too small to be read."""

import json
import re
from io import BytesIO

import numpy as np
import pytest
import typst
from pypdf import PdfReader

from nonocensus.reports.clean import without_mojibake
from nonocensus.reports.page.printing import LONG, SHORT, TooSmall, a4, extent, grid, line
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture


def random(width: int, height: int, **about: object) -> Puzzle:
    return from_picture(np.random.default_rng(1).integers(0, 2, (height, width), np.uint8), **about)


@pytest.mark.parametrize(("width", "height", "sides"), [(20, 30, (SHORT, LONG)), (40, 20, (LONG, SHORT)), (1, 1, None)])
def test_page_is_a4_in_the_orientation_that_fits(width: int, height: int, sides: tuple[float, float] | None) -> None:
    puzzle = random(width, height)
    alone, both = (PdfReader(BytesIO(a4(puzzle, goal))).pages for goal in (None, puzzle.goal))
    assert (len(alone), len(both)) == (1, 2)
    for page in [*alone, *both]:
        size = float(page.mediabox.width), float(page.mediabox.height)
        assert size == pytest.approx(sides or (SHORT, LONG), abs=0.01)


def test_page_has_author_and_copyright_and_solution_has_title() -> None:
    puzzle = random(5, 5, title="Ä <b>&amp; Жук", author="A. Nonym\x1b", puzzle_id="made/1", copyright="(c) 2026 A.")
    reader = PdfReader(BytesIO(a4(puzzle, puzzle.goal)))
    first, second = (page.extract_text() for page in reader.pages)
    for words in ("by A. Nonym\ufffd", "5x5", "made/1", "(c) 2026 A."):
        assert words in re.sub(r"\s+", " ", first)
    for words in ("Solution", "Ä <b>&amp; Жук"):
        assert words in second
        assert words not in first
    assert reader.metadata is not None
    assert reader.metadata.title == "made/1"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(
            ("PeikkotyttÃƒÂ¶", "Peikkotyttö"),
            ("ê°•", "강"),
            ("Mak Ä\x90uraÅ¡ek", "Mak Đurašek"),
            ("à la Ã©", "à la Ã©"),
        ),
        *(
            ("Be (â€œKingâ€\x9d)", "Be (“King”)"),
            ("ì\xa0•", "정"),
            ("MAÇÃ", "MAÇÃ"),
            ("© Ö", "© Ö"),
            ("Ã\x96", "Ö"),
            ("", ""),
        ),
        *(("Жук", "Жук"), ("naïve…", "naïve…"), ("\ud800Ã©", "\ud800Ã©")),
    ],
)
def test_text_that_was_wrongly_decoded_is_repaired(text: str, meant: str) -> None:
    assert without_mojibake(text) == meant
    assert without_mojibake(meant) == meant
    assert line([text, text]) == line([meant, meant])


@pytest.mark.parametrize("title", ["long " * 80, "x" * 400, "Two\nlines\n" * 9])
def test_long_title_stands_whole_above_the_other_words(title: str) -> None:
    puzzle = random(5, 5, title=title, author="Ann")
    heights: list[float] = []

    def seen(words: str, place: list[float], *_: object) -> None:
        if re.search("[a-z]", words):
            heights.append(place[5])

    text = PdfReader(BytesIO(a4(puzzle, puzzle.goal))).pages[1].extract_text(visitor_text=seen)
    assert re.sub(r"[\s\u200b]", "", title) in re.sub(r"[\s\u200b]", "", text)
    assert heights == sorted(heights, reverse=True)
    assert heights[-2] > heights[-1] > heights[0] - 40, "the last line has size and author"


def test_text_at_which_typst_panics_loses_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which text that is depends on the fonts: RTL with marks that none of them has."""
    puzzle = random(5, 5, title="ש\u05b7 👋🏽\u200d ^`á")
    titles: list[str] = []
    errors: list[BaseException] = [type("PanicException", (BaseException,), {})()]

    def compiled(_: bytes, sys_inputs: dict[str, str], **__: object) -> bytes:
        titles.append(json.loads(sys_inputs["data"])["pages"][1]["title"])
        if errors:
            raise errors.pop()
        return b"%PDF"

    monkeypatch.setattr(typst, "compile", compiled)
    assert a4(puzzle, puzzle.goal) == b"%PDF"
    assert titles == [puzzle.title, "ש 👋 ^`á"]
    errors.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        a4(puzzle, puzzle.goal)


def test_the_solution_is_on_the_second_page_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typst, "compile", lambda _, sys_inputs, **__: sys_inputs["data"])
    puzzle = from_picture(np.ones((4, 4), np.uint8))
    drawn = [page["image"]["svg"] for page in json.loads(a4(puzzle, puzzle.goal))["pages"]]
    assert ["M0 0h4v4h-4z" in page for page in drawn] == [False, True]
    assert all(page.count(">4</text>") == 8 + 2 for page in drawn), "clues and numbers of lines on both"


@pytest.mark.parametrize(("side", "shown"), [(5, "12345"), (12, ["1", "5", "10"])])
def test_lines_have_numbers(side: int, shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a few, of many every fifth, at the right and below, on the sheet and its solution."""
    monkeypatch.setattr(typst, "compile", lambda _, sys_inputs, **__: sys_inputs["data"])
    puzzle = random(side, side)
    for page in json.loads(a4(puzzle, puzzle.goal))["pages"]:
        (numbers,) = re.findall('<g class="places".*?</g>', page["image"]["svg"])
        assert re.findall(r">(\d+)<", numbers) == 2 * [*shown]
    drawn = grid(puzzle, 7.0)
    assert [7.0 * side for side in extent(puzzle)] == pytest.approx((drawn["width"], drawn["height"]))


def test_a_files_name_stands_with_the_solution_only() -> None:
    puzzle = random(5, 5, puzzle_id="local/heart", source="local")
    reader = PdfReader(BytesIO(a4(puzzle, puzzle.goal)))
    first, second = (page.extract_text() for page in reader.pages)
    assert "heart" not in first
    assert second.startswith("heart\n")
    assert "local" not in second
    assert reader.metadata is not None
    assert reader.metadata.title == "Nonogram, 5x5"


def test_colours_have_letters_and_a_background_is_left_unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    colors = [Color(name, name[0], rgb) for name, rgb in (("yellow", "ffe020"), ("red", "e02020"), ("blue", "2060e0"))]
    puzzle = from_picture(np.arange(9, dtype=np.uint8).reshape(3, 3) % 3, colors)
    words = PdfReader(BytesIO(a4(puzzle))).pages[0].extract_text()
    assert re.search(r"yellow: leave unpainted\s+r\s*red\s+u\s*blue", words)
    assert "1r" in words
    monkeypatch.setattr(typst, "compile", lambda _, sys_inputs, **__: sys_inputs["data"])
    drawn = [page["image"]["svg"] for page in json.loads(a4(puzzle, puzzle.goal))["pages"]]
    assert ['class="open" fill="#ffffff"' in page for page in drawn] == [True, False], "over the background"
    assert not json.loads(a4(random(5, 5)))["legend"]
    made = random(5, 5, puzzle_id="made/1")
    assert json.loads(a4(made, made.goal))["pages"][1]["title"] == "Nonogram", "no id twice"


def test_illegible_puzzles_are_refused() -> None:
    small = PdfReader(BytesIO(a4(random(99, 99)))).pages[0].extract_text()
    assert "99x99 · numbers of 2.8 pt: to be enlarged" in small
    with pytest.raises(TooSmall, match=r"the cells of 300x2 would be 0\.\d mm wide on A4; 1 mm is the least"):
        a4(random(300, 2))
    with pytest.raises(TooSmall, match="the clues of 300x300 cells have more than 25,000 numbers"):
        a4(random(300, 300))
