"""Puzzles to print, a page each or as a book: papers, words, answers at the end, and what is too small to be read."""

import re
from io import BytesIO
from itertools import product

import numpy as np
import pytest
import vl_convert
from pypdf import PdfReader
from stores import sampled

from nonocensus.reports.page.printing import (
    LONG,
    PAPERS,
    SHORT,
    SLOTS,
    BookLayout,
    BookPuzzle,
    TooSmall,
    a4,
    book,
    fits_page,
)
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, Puzzle, from_picture


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
    for words in ("by A. Nonym", "5x5", "made/1", "(c) 2026 A."):
        assert words in re.sub(r"\s+", " ", first)
    for words in ("Solution", "Ä <b>&amp; Жук"):
        assert words in second
        assert words not in first
    assert reader.metadata is not None
    assert reader.metadata.title == "made/1"


def test_the_solution_is_on_the_second_page_only(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def seen(svg: str) -> bytes:
        drawn.append(svg)
        return to_pdf(svg)

    to_pdf = vl_convert.svg_to_pdf
    monkeypatch.setattr(vl_convert, "svg_to_pdf", seen)
    puzzle = from_picture(np.ones((4, 4), np.uint8))
    a4(puzzle, puzzle.goal)
    assert ["M0 0h4v4h-4z" in page for page in drawn] == [False, True]
    assert all(page.count(">4</text>") == 8 for page in drawn), "the clues are on both"


def test_illegible_puzzles_are_refused() -> None:
    a4(random(99, 99))
    with pytest.raises(TooSmall, match=r"the cells of 300x2 would be 0\.\d mm wide on A4; 1 mm is the least"):
        a4(random(300, 2))
    with pytest.raises(TooSmall, match="the clues of 300x300 cells have more than 25,000 numbers"):
        a4(random(300, 300))


def some(*sides: int, colors: int = 1) -> list[BookPuzzle]:
    """Return square puzzles of these sides, numbered from 1."""
    palette = (*BLACK_ON_WHITE, *(Color(f"c{k}", f"{k}", f"{k:02x}00ff") for k in range(1, colors)))
    random = np.random.default_rng(1)
    pictures = [random.integers(0, colors + 1, (side, side), np.uint8) for side in sides]
    return [
        BookPuzzle(from_picture(cells, palette, title=f"Title {k}", author="Ann <b>", license="MIT"), k, 3.25, 1.5)
        for k, cells in enumerate(pictures, 1)
    ]


def book_pages(puzzles: list[BookPuzzle], layout: BookLayout) -> list[str]:
    """Return the words of each page of a book."""
    reader = PdfReader(BytesIO(book(puzzles, layout)))
    sides = PAPERS[layout.paper]
    assert all((page.mediabox.width, page.mediabox.height) == pytest.approx(sides, abs=0.01) for page in reader.pages)
    assert [entry.title for entry in reader.outline] == ["Puzzles", "Answers"]  # type: ignore[union-attr]
    return [re.sub(r"\s+", " ", page.extract_text()) for page in reader.pages]


@pytest.mark.parametrize(("count", "paper"), sampled([*product(SLOTS, PAPERS)], 3))
def test_puzzles_are_numbered_and_answers_last(count: int, paper: str) -> None:
    puzzles = some(*[10] * 7, colors=2)
    *unsolved, answers = book_pages(puzzles, BookLayout(count, paper))
    assert len(unsolved) == -(-7 // count)
    assert sum(page.count("10x10, about 3 min, 1.5 stars of 5") for page in unsolved) == 7
    assert not any("Title" in page or "Ann" in page for page in unsolved)
    assert all(f"{k} Title {k}" in answers for k in range(1, 8))
    assert answers.count("Ann <b>") == answers.count("MIT") == 7


def test_answers_of_many_puzzles_take_several_pages() -> None:
    *_, first, second = book_pages(some(*[5] * 21), BookLayout(6))
    assert (first.count("Title"), second.count("Title")) == (20, 1)


def test_large_puzzles_share_their_page_with_fewer() -> None:
    shown = [page.count("x") for page in book_pages(some(5, 5, 60, 5, 5, 5, 5, 5), BookLayout(4))]
    assert shown[:4] == [2, 1, 4, 1]


def test_illegible_puzzles_fit_no_page_of_a_book() -> None:
    small, large = some(30, 200)
    assert [fits_page(each.puzzle, BookLayout(4)) for each in (small, large)] == [True, False]


def test_unknown_minutes_and_stars_are_left_out() -> None:
    page, _ = book_pages([each._replace(minutes=None, stars=None) for each in some(5)], BookLayout(1))
    assert "5x5" in page
    assert "about" not in page
    assert "stars" not in page
