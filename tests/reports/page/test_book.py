"""Books of puzzles: parts, chapters, sizes, colours, whole titles, rights, and room for whatever they hold."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from itertools import chain, pairwise, product
from typing import Any

import numpy as np
import pytest
import typst
from PIL import Image
from pypdf import PdfReader
from stores import sampled

from nonocensus.reports.drawings.geometry import CELL
from nonocensus.reports.drawings.sheet_colors import color_letters, color_names
from nonocensus.reports.page.book import (
    EASY_PRINT,
    MOST,
    PAPERS,
    BookLayout,
    BookPuzzle,
    book,
    fits_page,
    lay_out,
    small_print,
)
from nonocensus.reports.page.printing import BORDER, LEAST_PRINT
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, BLOT, Clue, Color, Puzzle, from_picture

IMPRINT = "Authors and licences"

HOSTILE = (
    *("<script>alert(1)</script> & co", "x" * 300, "W" * 300, "word " * 60, "Щука " * 60, "漢" * 300, "👩‍👩‍👧🎉" * 75),
    *("مرحبا " * 50, "\u202etxt", "a\x1b[31mb", ""),
)


def some(*sides: Any, colors: int = 1, stars: Sequence[float | None] = ()) -> list[BookPuzzle]:
    """Return puzzles of these sides, titled by their numbers from 1."""
    palette = (*BLACK_ON_WHITE, *(Color(f"c{k}", f"{k}", f"{8 * k:02x}00ff") for k in range(1, colors)))
    random = np.random.default_rng(1)
    shapes = [side if isinstance(side, tuple) else (side, side) for side in sides]
    pictures = [random.integers(0, colors + 1, shape, np.uint8) for shape in shapes]
    return [
        BookPuzzle(from_picture(cells, palette, title=f"Title {k}", author="Ann <b>", license="MIT"), 3.25, given)
        for k, (cells, given) in enumerate(zip(pictures, stars or [1.5] * len(pictures), strict=True), 1)
    ]


def about(each: BookPuzzle, **fields: Any) -> BookPuzzle:
    """Return a puzzle with other fields."""
    return each._replace(puzzle=replace(each.puzzle, **fields))


def blotted(puzzle: Puzzle) -> tuple[Clue, ...]:
    """Return the rows of a puzzle without lengths."""
    return tuple(tuple(block._replace(length=BLOT) for block in row) for row in puzzle.rows)


def set_by_typst(puzzles: list[BookPuzzle], layout: BookLayout, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what a book's template gets."""
    with monkeypatch.context() as patched:
        patched.setattr(typst, "compile", lambda pages, sys_inputs, **_: (pages, sys_inputs["data"]))
        return book(lay_out(puzzles, layout), layout)


def parts_of(puzzles: list[BookPuzzle], layout: BookLayout) -> dict[str, list[str]]:
    """Return the words of each page of a book by its part, those of the solutions and the imprint on one page apart."""
    reader = PdfReader(BytesIO(book(lay_out(puzzles, layout), layout)))
    sides = PAPERS[layout.paper]
    assert all((page.mediabox.width, page.mediabox.height) == pytest.approx(sides, abs=0.01) for page in reader.pages)
    words = [re.sub(r"\s+", " ", page.extract_text()) for page in reader.pages]
    assert all(page.strip().endswith(str(number)) for number, page in enumerate(words[1:], 2)), "page numbers"
    firsts: dict[str, int] = {entry.title: reader.get_destination_page_number(entry) for entry in reader.outline}  # type: ignore
    shared = firsts[IMPRINT]
    words[shared : shared + 1] = words[shared].rsplit(IMPRINT, 1)
    firsts[IMPRINT] += 1
    ends = [*firsts.values(), len(words)]
    found = {"": words[: ends[0]]}
    return found | {name: words[first:end] for name, (first, end) in zip(firsts, pairwise(ends), strict=True)}


def test_parts_in_their_order() -> None:
    """Chapters of one or two puzzles are one with a neighbour, but those of unknown stars are apart."""
    parts = parts_of(some(*[10] * 8, stars=(1.0, 1.5, 1.96, 2.0, 2.1, 2.2, 4.2, None)), BookLayout(4))
    chapters = {"1.0 to 2.0 stars": [1, 2, 3], "2.0 to 4.2 stars": [4, 5, 6, 7], "Puzzles of unknown stars": [8]}
    assert [*parts] == ["", "How to solve", *chapters, "Solutions", IMPRINT]
    cover, contents = parts[""]
    assert "8 nonograms" in cover
    assert "10x10 · 1.0 to 4.2 stars of 5" in cover
    pages = {"How to solve": 3, "1.0 to 2.0 stars": 4, "Puzzles of unknown stars": 6, "Solutions": 7, IMPRINT: 7}
    for name, number in pages.items():
        assert f"{name} {number}" in contents
    assert "3 puzzles, 10x10, about 3 min" in contents
    assert "Section" not in contents
    for name, numbers in chapters.items():
        (page,) = parts[name]
        assert page.startswith(name)
        assert [int(number) for number in re.findall(r"(\d+) 10x10", page)] == numbers
    (solutions,) = parts["Solutions"]
    assert all(f"{k} Title {k}" in solutions for k in range(1, 9))
    before = [page for name, pages in parts.items() if name not in ("Solutions", IMPRINT) for page in pages]
    assert not any("Title" in page or "Ann" in page for page in before)


@pytest.mark.parametrize(("count", "paper", "side"), sampled([*product((1, 2, 4, 6), PAPERS, (3, 12))], 6))
def test_first_page_has_as_many_puzzles_as_the_others(count: int, paper: str, side: int) -> None:
    parts = parts_of(some(*[side] * (2 * count + 1)), BookLayout(count, paper))
    words = f"{side}x{side}, about 3 min, 1.5 stars of 5"
    assert [page.count(words) for page in parts["Puzzles"]] == [count, count, 1]


def test_puzzles_of_one_size_have_equal_cells_as_large_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers have EASY_PRINT where several share a page, also long ones in colour; cells are 7 mm wide at most."""
    puzzles = some(*[10, 15, 20, 30, (10, 20)] * 3, 15, stars=[1.5] * 15 + [None])
    puzzles[5] = some((10, 30), colors=3)[0]
    bars = np.zeros((20, 20), np.uint8)
    bars[::2, ::2] = 1
    puzzles[7] = puzzles[7]._replace(puzzle=from_picture(bars))
    layout = BookLayout(6)
    assert not [*small_print(lay_out(puzzles, layout))]
    _, data = set_by_typst(puzzles, layout, monkeypatch)
    pages = [page for chapter in json.loads(data)["chapters"] for page in chapter["pages"]]
    scales, full = defaultdict[str, set[float]](set), 0
    for page in pages:
        for each in chain(*page):
            (unit,) = re.findall(r'viewBox="\d+ \d+ (\d+) ', each["image"]["svg"])
            scales[each["facts"].split(",")[0]].add(round(each["image"]["width"] / int(unit), 3))
        high = sum(max(each["image"]["height"] for each in row) + 30 for row in page) - 12
        wide = max(sum(max(170, each["image"]["width"]) + 12 for each in row) - 12 for row in page)
        full += high > 640 or wide > 520
    assert [len(scales[size]) for size in ("10x10", "15x15", "20x10", "20x20", "30x30")] == [1] * 5
    assert max(map(max, scales.values())) <= MOST / CELL + 0.001
    assert full >= len(pages) - 2
    assert len(pages) <= 7


def test_puzzles_of_nearly_equal_stars_fill_pages() -> None:
    """A wide one shares its page with one that is 0.25 stars harder at most; numbers follow the pages."""
    sides = (32, 36), 12, (32, 36), 13, 14, 15, 16, 17
    puzzles = some(*sides, stars=(1.4, 1.5, 1.6, 1.8, 1.9, 2.0, 2.0, 2.0))
    apart = [each._replace(stars=1.9) if k == 3 else each for k, each in enumerate(puzzles)]
    for given, pages in (
        (puzzles, [["36x32", "12x12", "13x13"], ["36x32", "14x14"]]),
        (apart, [["36x32", "12x12"], ["36x32", "14x14", "13x13"]]),  # 0.3 stars from 3 to 4
    ):
        parts = parts_of(given, BookLayout(4))
        shown = [re.findall(r"(\d+) (\d+x\d+), ", page) for page in parts["1.4 to 1.9 stars"]]
        assert [[size for _, size in page] for page in shown] == pages
        assert [number for page in shown for number, _ in page] == [*"12345"]
        numbers = [int(number) for number in re.findall(r"(\d+) Title", parts["Solutions"][0])]
        assert numbers == [*range(1, 9)]


def test_no_puzzle_is_drawn_more_than_twelve_places_ahead() -> None:
    """However many later ones would fill a page."""
    sides = (40, 60), *[(60, 40)] * 13, *[12] * 9
    for per_page in (1, 2, 4, 6):
        (chapter,) = lay_out(some(*sides, stars=(1.5,) * len(sides)), BookLayout(per_page))
        titles = [int((each.puzzle.title or "").split()[-1]) for each in chapter.puzzles()]
        assert max(title - place for place, title in enumerate(titles, 1)) <= 12, (per_page, titles)


def test_small_print_is_named() -> None:
    puzzles = some(10, (60, 80), 12)
    for count in (4, 1):
        ((puzzle, points),) = small_print(lay_out(puzzles, BookLayout(count)))
        assert (puzzle.title, 3 < points < 6) == ("Title 2", True)


def test_small_puzzles_share_the_page_of_a_wide_one() -> None:
    """With larger cells, as far as the page has room, but not of one that leaves them little."""
    (chapter,) = lay_out(some((10, 36), 10, 10, 10), BookLayout(4))
    ((wide, *others),) = [[*chain(*page)] for page in chapter.pages]
    assert [each.cell == others[0].cell > 1.3 * wide.cell for each in others] == [True] * 3
    (chapter,) = lay_out(some((28, 40), 20, 20, 20), BookLayout(2))
    cells = [[each.cell for each in chain(*page)] for page in chapter.pages]
    assert [len(page) for page in cells] == [1, 2, 1]
    assert min(cells[1] + cells[2]) > 11


def test_a_page_of_six_has_two_that_need_more_than_a_sixth() -> None:
    """They are no larger than their clues need, and the others' rows are lower."""
    parts = parts_of(some(15, 15, 8, 8, 8, 8), BookLayout(6))
    assert [len(re.findall(r"\d+x\d+, ", page)) for page in parts["Puzzles"]] == [6]


def test_narrow_puzzles_stand_beside_wide_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """And fill the first row that has room."""
    sides = (30, 27), (30, 27), (30, 12), (30, 12)
    puzzles = [BookPuzzle(from_picture(np.ones(side, np.uint8)), 3.0, 1.5) for side in sides]
    _, data = set_by_typst(puzzles, BookLayout(4), monkeypatch)
    ((page,),) = [chapter["pages"] for chapter in json.loads(data)["chapters"]]
    assert [[each["facts"][:5] for each in row] for row in page] == [["27x30", "12x30"], ["12x30", "27x30"]]
    assert_within_margins(puzzles, BookLayout(4), monkeypatch)


def test_colours_have_letters_in_clues_and_legend() -> None:
    (plain,) = some(10, colors=3)
    puzzle = plain.puzzle
    parts = parts_of([plain, about(plain, rows=blotted(puzzle))], BookLayout(2))
    letters = color_letters(puzzle.palette)
    (page,) = parts["Puzzles"]
    for entry, name in [*enumerate(color_names(puzzle.palette))][1:]:
        assert page.count(f"{letters[entry]} {name}") == 2
        assert f"1{letters[entry]}" in page
        assert f"?{letters[entry]}" in page
    (how,) = parts["How to solve"]
    assert "Blocks of different colours may touch: here those of row 2 do" in how
    assert "2. Row 2, clue 1 red, 2 green, 1 red: 1 + 2 + 1 fill the 4 cells of the row" in how
    assert "A question mark stands for a block of any length." in how


def test_book_of_one_puzzle_has_no_contents_and_one_example() -> None:
    """Which is explained to its end, without colours, and unknown minutes and stars."""
    parts = parts_of([each._replace(minutes=None, stars=None) for each in some(5)], BookLayout(1))
    assert len(parts[""]) == 1
    (how,) = parts["How to solve"]
    assert not re.search("colours may touch|question mark|Minutes", how)
    (page,) = parts["Puzzles"]
    assert ("1 5x5" in page, "about" in page) == (True, False)
    assert how.count("Row 2, clue 5: the 5 fills the 5 cells of the row, so columns 1 to 5 are black.") == 1
    assert "10. Row 5, clue 1: the 1 is found, in column 3, so column 4 is white." in how


def test_titles_and_authors_are_whole() -> None:
    title, author = "An owl " + "y" * 293, "Ann " * 75
    (each,) = some(5)
    parts = parts_of([about(each, title=title, author=author)], BookLayout(1))
    joined = re.sub(r"[\s\u200b]", "", "".join(parts["Solutions"]))
    assert title.replace(" ", "") in joined
    assert author.replace(" ", "") in joined


@pytest.mark.parametrize("paper", PAPERS)
def test_nothing_leaves_the_page(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles = some(*[8] * len(HOSTILE), (3, 80), 5, colors=31, stars=[1 + k / 4 for k in range(len(HOSTILE) + 2)])
    for k, title in enumerate(HOSTILE):
        puzzles[k] = about(puzzles[k], title=title, author=HOSTILE[-k], copyright=title, license=HOSTILE[k - 5])
    puzzles[0] = about(puzzles[0], rows=blotted(puzzles[0].puzzle))
    assert_within_margins(puzzles, BookLayout(4, paper), monkeypatch)


def assert_within_margins(puzzles: list[BookPuzzle], layout: BookLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that the pages of a book have no ink outside their margins."""
    pages, data = set_by_typst(puzzles, layout, monkeypatch)
    for page in typst.compile(pages, format="png", ppi=72, sys_inputs={"data": data}):
        with Image.open(BytesIO(page)) as image:
            inked = np.argwhere(np.asarray(image.convert("L")) < 200)
            width, height = image.size
        margin = BORDER - 12
        (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0)
        assert margin <= min(top, left, height - bottom, width - right)


def test_puzzles_of_one_size_fit_with_long_clues_too(monkeypatch: pytest.MonkeyPatch) -> None:
    bars, full = np.zeros((20, 20), np.uint8), np.ones((20, 20), np.uint8)
    bars[::2, ::2] = 1
    alike = [BookPuzzle(from_picture(cells), None, 1.5) for cells in (bars, full)]
    for puzzles, count in ((alike, 1), (some((38, 45), (38, 45)), 4)):
        assert_within_margins(puzzles, BookLayout(count), monkeypatch)
        pages = parts_of(puzzles, BookLayout(count))["Puzzles"]
        assert [len(re.findall(r"\d+x\d+, ", page)) for page in pages] == [1, 1], "two are higher than a page"


@pytest.mark.parametrize(
    ("letter", "layout"), sampled([*product(["W", "漢", "blue "], [BookLayout(1), BookLayout(4, "letter")])], 3)
)
def test_pages_hold_what_is_planned(letter: str, layout: BookLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of colours are as wide as expected, or narrower."""
    puzzles = some((60, 12), (20, 60), 12, 12, 12, 12, 25, (15, 40), colors=31)
    palette = tuple(Color(name, letter * k, rgb) for k, (name, _, rgb) in enumerate(puzzles[2].puzzle.palette))
    puzzles = [about(each, palette=palette) if k % 2 == 0 else each for k, each in enumerate(puzzles)]
    fitting = [each for each in puzzles if fits_page(each.puzzle, layout)]
    assert len(fitting) == 5
    _, data = set_by_typst(fitting, layout, monkeypatch)
    assert len(parts_of(fitting, layout)["Puzzles"]) == len(json.loads(data)["chapters"][0]["pages"])
    assert_within_margins(fitting, layout, monkeypatch)


def test_rights_of_each_puzzle() -> None:
    known = {"license": "CC-BY-4.0", "source": "webpbn", "author": "Ben", "copyright": "(c) Ben"}
    puzzles = some(*[5] * 6)
    for k in (0, 1, 2, 4):
        puzzles[k] = about(puzzles[k], **known)
    secret = {"license": "all rights reserved", "title": "Owl", "puzzle_id": "own/4", "source": "own"}
    puzzles[3] = about(puzzles[3], **secret)
    (page,) = parts_of(puzzles, BookLayout(4))[IMPRINT]
    assert "No licence is known of these puzzles that lets them be passed on." in page
    assert "4 Owl, by Ann <b>, own/4" in page
    assert "(c) Ben, CC-BY-4.0. Puzzles 1 to 3 and 5." in page
    assert page.count("Ben") == 1, "once, with the copyright"
    assert "Ann <b>, all rights reserved. Puzzle 4." in page
    assert "webpbn: https://webpbn.com" in page
    (page,) = parts_of(puzzles[:3], BookLayout(4))[IMPRINT]
    assert "All puzzles may be passed on" in page


def test_heading_of_the_authors_is_in_the_column_of_their_list() -> None:
    """Also where the list begins a column."""
    puzzles = [about(each, source=f"site {k}") for k, each in enumerate(some(*[5] * 43))]
    left = dict[str, float]()
    page = PdfReader(BytesIO(book(lay_out(puzzles, BookLayout(6)), BookLayout(6)))).pages[-1]
    page.extract_text(visitor_text=lambda text, matrix, *_: left.setdefault(text.strip()[:8], matrix[4]))
    assert left["Authors"] == left["Ann <b>,"] > left["Sources"]


def test_solutions_of_many_puzzles_take_several_pages() -> None:
    first, second = parts_of(some(*[5] * 21), BookLayout(6))["Solutions"]
    assert (first.count("Title"), second.count("Title")) == (20, 1)


def test_no_numbers_are_illegible() -> None:
    """Those that do not fit with EASY_PRINT have a page to themselves, or none."""
    assert [fits_page(each.puzzle, BookLayout(4)) for each in some(30, 90, 200)] == [True, False, False]
    wide, deep = np.zeros((2, 20, 46), np.uint8)
    wide[:, :12], wide[:, 12:24], deep[:, :31:2] = 1, 2, 1
    letters, small = some(5, 5, colors=2)
    for width, least, named, unlettered in ((32, EASY_PRINT, [], 0), (46, LEAST_PRINT, [5.8], 1)):
        pair = [from_picture(wide[:, :width], letters.puzzle.palette), small.puzzle, from_picture(deep[:, :width])]
        puzzles = [BookPuzzle(puzzle, None, 1.5) for puzzle in pair]
        assert all(fits_page(puzzle, BookLayout(2), least) for puzzle in pair)
        chapters = lay_out(puzzles, BookLayout(2))
        assert [round(points, 1) for _, points in small_print(chapters)] == named
        assert "".join(parts_of(puzzles, BookLayout(2))["Puzzles"]).count("needs a colour print") == unlettered
