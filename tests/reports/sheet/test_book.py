"""A book to print: puzzles a page, papers, numbers and facts, room for large puzzles, answers at the end."""

import re
from io import BytesIO
from itertools import product

import numpy as np
import pytest
from pypdf import PdfReader
from stores import sampled

from nonocensus.reports.sheet.print_book import PAPERS, SLOTS, BookLayout, BookPuzzle, book, fits_page
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, from_picture


def some(*sides: int, colors: int = 1) -> list[BookPuzzle]:
    """Return square puzzles of these sides, numbered from 1."""
    palette = (*BLACK_ON_WHITE, *(Color(f"c{k}", f"{k}", f"{k:02x}00ff") for k in range(1, colors)))
    random = np.random.default_rng(1)
    pictures = [random.integers(0, colors + 1, (side, side), np.uint8) for side in sides]
    return [
        BookPuzzle(from_picture(cells, palette, title=f"Title {k}", author="Ann <b>", license="MIT"), k, 3.25, 1.5)
        for k, cells in enumerate(pictures, 1)
    ]


def pages(puzzles: list[BookPuzzle], layout: BookLayout) -> list[str]:
    """Return the words of each page of a book."""
    reader = PdfReader(BytesIO(book(puzzles, layout)))
    sides = PAPERS[layout.paper]
    assert all((page.mediabox.width, page.mediabox.height) == pytest.approx(sides, abs=0.01) for page in reader.pages)
    assert [entry.title for entry in reader.outline] == ["Puzzles", "Answers"]  # type: ignore[union-attr]
    return [re.sub(r"\s+", " ", page.extract_text()) for page in reader.pages]


@pytest.mark.parametrize(("count", "paper"), sampled([*product(SLOTS, PAPERS)], 3))
def test_puzzles_are_numbered_and_answers_last(count: int, paper: str) -> None:
    puzzles = some(*[10] * 7, colors=2)
    *unsolved, answers = pages(puzzles, BookLayout(count, paper))
    assert len(unsolved) == -(-7 // count)
    assert sum(page.count("10x10, about 3 min, 1.5 stars of 5") for page in unsolved) == 7
    assert not any("Title" in page or "Ann" in page for page in unsolved)
    assert all(f"{k} Title {k}" in answers for k in range(1, 8))
    assert answers.count("Ann <b>") == answers.count("MIT") == 7


def test_answers_of_many_puzzles_take_several_pages() -> None:
    *_, first, second = pages(some(*[5] * 21), BookLayout(6))
    assert (first.count("Title"), second.count("Title")) == (20, 1)


def test_large_puzzles_share_their_page_with_fewer() -> None:
    shown = [page.count("x") for page in pages(some(5, 5, 60, 5, 5, 5, 5, 5), BookLayout(4))]
    assert shown[:4] == [2, 1, 4, 1]


def test_illegible_puzzles_fit_no_page() -> None:
    small, large = some(30, 200)
    assert [fits_page(each.puzzle, BookLayout(4)) for each in (small, large)] == [True, False]


def test_unknown_minutes_and_stars_are_left_out() -> None:
    page, _ = pages([each._replace(minutes=None, stars=None) for each in some(5)], BookLayout(1))
    assert "5x5" in page
    assert "about" not in page
    assert "stars" not in page
