"""A book of puzzles as PDF: cover, contents, how to solve, chapters by stars, solutions, authors and licences.

Nothing before the solutions says what a picture shows: titles and authors are there. Puzzles of one size have cells
of one size, as large as their pages allow; colours have letters, where a page has room, for printing in grey.
templates/book.typ sets it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.reports.drawings.geometry import clues_fit
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.drawings.sheet_colors import letters_of
from nonocensus.reports.drawings.svg import number_size
from nonocensus.reports.page.printing import BORDER, LONG, SHORT, extent, grid, legend, legend_height, line, names, pdf
from nonocensus.reports.rights import HOME_PAGES, TERMS, shareable
from nonocensus.reports.words.formatting import REGULARS, by_number, count_text, estimate_text
from nonocensus.reports.words.step_words import describe_steps, grid_states
from nonocensus.solver.model.puzzle import BLOT, WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.techniques import FORCING, GLUE, OVERLAP, PUNCTUATING, TECHNIQUES
from nonocensus.solver.people.explanation import explain

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

HEAD, FOOT, GAP, LABEL = 26.0, 16.0, 12.0, 18.0
"""Points of a page's head, which has the chapter, of its foot, which has its number, between puzzles, and above a
puzzle, for its number."""

LEAST_WIDTH = 170.0
"""Points of a puzzle's least width, for number and facts above it."""

EASY_PRINT = 6.5
"""Minimum size of numbers in points; a cell is 3.3 mm wide then. Smaller print is hard to read."""

ROOMY, MOST = 13.0, 20.0
"""Sides of cells in points: 4.6 mm, which they keep next to larger puzzles if they fit so, and 7 mm, the maximum."""

STEPS = 1.0, 0.1, 0.01
"""Points by which cells grow, one after the other."""

NEAR, AHEAD = 0.25, 12
"""Stars, the error of an estimate, by which puzzles that fill a page may be harder than the next one, and the most
places after it."""

LEAST_CHAPTER = 3
"""Puzzles of the smallest chapter that is not joined with a neighbour."""

ROUNDING = 0.01
"""Points by which sums of lengths may differ."""

PIECE, PIECES = 5, 12
"""Cells of a side of a piece of a solution, and pieces in the cover's pattern."""

EXAMPLE = from_picture(
    np.array([[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]], np.uint8)
)
COLOR_EXAMPLE = from_picture(
    np.array([[1, 0, 1, 1], [2, 1, 1, 2], [2, 2, 2, 2], [2, 2, 2, 2]], np.uint8),
    (WHITE, Color("green", "g", "00b000"), Color("red", "r", "ff0000")),
)
"""The puzzles that are solved as examples; the second one for colours."""

TIPS = (OVERLAP, GLUE, PUNCTUATING, FORCING)
"""Techniques to begin with."""


class BookPuzzle(NamedTuple):
    """A puzzle of a book, with its solution as goal; its minutes and stars, None if unknown; what `lay_out` sets.

    cell      the side of its cells in points
    letters   of its colours, empty where numbers with letters would be hard to read
    """

    puzzle: Puzzle
    minutes: float | None
    stars: float | None
    cell: float = 0.0
    letters: str = ""

    @property
    def needs_color_print(self) -> bool:
        """Whether it has several colours without letters."""
        return self.puzzle.colors > 1 and not self.letters


class BookLayout(NamedTuple):
    """Most puzzles per page, and paper, a key of PAPERS."""

    per_page: int
    paper: str = "a4"


class _Sized(NamedTuple):
    """A puzzle with its width and height if cells have a side of one point, and the least side of its cells."""

    each: BookPuzzle
    width: float
    height: float
    least: float

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in cells."""
        return self.each.puzzle.width, self.each.puzzle.height


class Chapter(NamedTuple):
    """Pages of rows of puzzles, with the whole stars that all have, 0 if they are unknown."""

    stars: int
    pages: list[list[list[BookPuzzle]]]

    def puzzles(self) -> Iterator[BookPuzzle]:
        """Yield the puzzles in their order."""
        return chain.from_iterable(chain.from_iterable(self.pages))


def fits_page(puzzle: Puzzle, layout: BookLayout, least: float = EASY_PRINT, letters: str = "") -> bool:
    """Return whether a puzzle's numbers have a least size in points on a page of its own."""
    alone = [_measure(BookPuzzle(puzzle, None, None, letters=letters), least)]
    return clues_fit(puzzle) and _rows(alone, {}, layout) is not None


def small_print(chapters: Iterable[Chapter]) -> Iterator[tuple[Puzzle, float]]:
    """Yield puzzles of a book whose numbers are hard to read, with the size of the smallest in points."""
    for puzzle, _, _, cell, letters in chain.from_iterable(chapter.puzzles() for chapter in chapters):
        if (points := number_size(puzzle, letters, cell)) < EASY_PRINT - ROUNDING:
            yield puzzle, points


def book(
    chapters: Sequence[Chapter],
    layout: BookLayout,
    track: Callable[[Sequence[BookPuzzle]], Iterable[BookPuzzle]] = iter,
    title: str | None = None,
    by: str | None = None,
) -> bytes:
    """Return a PDF of chapters of a layout, their puzzles numbered from 1.

    track   returns the same puzzles, and reports progress as they are drawn
    title   the book's title (default: the number of puzzles)
    by      its author or publisher
    """
    width, height = PAPERS[layout.paper]
    puzzles = [each for chapter in chapters for each in chapter.puzzles()]
    tracked = enumerate(track(puzzles), 1)
    blocks = (block for puzzle, *_ in puzzles for clue in puzzle.rows + puzzle.columns for block in clue)
    count = "A nonogram" if len(puzzles) == 1 else f"{len(puzzles):,} nonograms"
    named = line([title])
    data = {
        "name": named or count,
        "by": line([by]),
        "credit": line([title, by and f"{'by' if named else 'By'} {by}"], ", "),
        "about": line([named and count, *_facts(puzzles)]),
        "page": {"width": width, "height": height, "border": BORDER, "head": HEAD, "foot": FOOT, "gap": GAP},
        "label": LABEL,
        "least_width": LEAST_WIDTH,
        "pieces": [_piece(puzzles[k * len(puzzles) // PIECES].puzzle) for k in range(PIECES)],
        "example": [*_example(EXAMPLE)],
        "color_example": [*_example(COLOR_EXAMPLE)] if any(each.puzzle.colors > 1 for each in puzzles) else [],
        "tips": [f"{TECHNIQUES[number].name.capitalize()}: {TECHNIQUES[number].says}" for number in TIPS],
        "has_blots": any(block.length == BLOT for block in blocks),
        "regulars": REGULARS if any(each.minutes is not None for each in puzzles) else "",
        "chapters": [_chapter(chapter, tracked, len(chapters) == 1) for chapter in chapters],
        "solutions": [_solution(number, puzzle) for number, (puzzle, *_) in enumerate(puzzles, 1)],
    }
    return pdf("book.typ", data | _imprint([each.puzzle for each in puzzles]))


# Cover, contents, how to solve


def _facts(puzzles: Sequence[BookPuzzle]) -> Iterator[str]:
    """Yield sizes, colours and stars for the cover."""
    yield _sizes(puzzles)
    kinds = Counter(each.puzzle.colors > 1 for each in puzzles)
    if kinds[True]:
        yield f"{kinds[True]:,} in several colours" if kinds[False] else "in colours"
    yield from _estimates(puzzles, "stars")


def _sizes(puzzles: Sequence[BookPuzzle]) -> str:
    """Return the sizes of puzzles, the least and the largest: `5x5 to 30x20`."""
    sizes = sorted({(puzzle.width, puzzle.height) for puzzle, *_ in puzzles}, key=lambda size: size[0] * size[1])
    return " to ".join(f"{width}x{height}" for width, height in dict.fromkeys((sizes[0], sizes[-1])))


def _estimates(puzzles: Sequence[BookPuzzle], measure: str) -> Iterator[str]:
    """Yield the least and the most minutes or stars of puzzles, if any are known: `1.1 to 2.7 stars of 5`."""
    known = [value for each in puzzles if (value := getattr(each, measure)) is not None]
    if known:
        ends = " to ".join(dict.fromkeys(estimate_text(end, measure) for end in (min(known), max(known))))
        yield f"about {ends}" if measure == "minutes" else f"{ends} stars of 5"


def _piece(puzzle: Puzzle) -> str:
    """Draw a piece of a solution about half of which is painted."""
    assert puzzle.goal is not None
    goal = np.pad(puzzle.goal, [(0, max(0, PIECE - side)) for side in puzzle.goal.shape], "wrap")
    pieces = np.lib.stride_tricks.sliding_window_view(goal, (PIECE, PIECE)).reshape(-1, PIECE, PIECE)
    best = np.abs(2 * np.count_nonzero(pieces, axis=(1, 2)) - PIECE**2).argmin()
    return svg(pieces[best], [color.rgb for color in puzzle.palette])


def _example(puzzle: Puzzle) -> Iterator[dict[str, Any]]:
    """Yield drawings of an example before its first step and after each, with the words of an explanation."""
    explanation = explain(puzzle)
    words = ["", *(f"{step.number}. {step.what}" for step in describe_steps(explanation))]
    for state, said in zip(grid_states(explanation), words, strict=True):
        yield {"image": grid(puzzle, 12.0, letters_of(puzzle), state._replace(words="", marked=None)), "words": said}


# Puzzles


def lay_out(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> list[Chapter]:
    """Divide puzzles, all of which fit a page with LEAST_PRINT, given by rising stars, into chapters and pages.

    Puzzles of one size have equal cells, but for longer numbers, which are to be legible. Colours have letters if their
    numbers have EASY_PRINT with them.
    """
    letters = [letters_of(each.puzzle) for each in puzzles]
    fits = [fits_page(each.puzzle, layout, letters=own) for each, own in zip(puzzles, letters, strict=True)]
    puzzles = [each._replace(letters=own * fit) for each, own, fit in zip(puzzles, letters, fits, strict=True)]
    alike = _cells([[_measure(each)] * layout.per_page for each in puzzles], layout)
    divided = [(stars, [*_pages(members, layout, alike)]) for stars, members in _divide(puzzles)]
    cells = _cells([page for _, pages in divided for page in pages], layout)
    return [Chapter(stars, [_rows(page, cells, layout) or [] for page in pages]) for stars, pages in divided]


def _divide(puzzles: Sequence[BookPuzzle]) -> list[tuple[int, list[BookPuzzle]]]:
    """Divide puzzles into chapters by whole stars; a chapter of few is one with a neighbour."""
    chapters: list[tuple[int, list[BookPuzzle]]] = []
    for stars, members in groupby(puzzles, lambda each: min(4, int(each.stars or 0))):
        those = [*members]
        before, earlier = chapters[-1] if chapters else (0, [])
        if before and stars and min(len(earlier), len(those)) < LEAST_CHAPTER:
            chapters[-1] = before, earlier + those
        else:
            chapters.append((stars, those))
    return chapters


def _measure(each: BookPuzzle, least: float = EASY_PRINT) -> _Sized:
    """Measure a puzzle whose numbers have a least size in points."""
    return _Sized(each, *extent(each.puzzle), least / number_size(each.puzzle, each.letters, 1.0))


def _pages(
    puzzles: Iterable[BookPuzzle], layout: BookLayout, alike: Mapping[tuple[int, int], float]
) -> Iterator[list[_Sized]]:
    """Divide puzzles into pages on which they have EASY_PRINT, or that they have to themselves.

    Of those that a page has room for, the highest is taken, so that low ones are left for later pages.

    alike   side of cells by size on pages with puzzles of this size only, which they keep, or ROOMY
    """
    left = [each._replace(least=max(each.least, min(ROOMY, alike[each.size]))) for each in map(_measure, puzzles)]
    while left:
        page = [left.pop(0)]
        while left and len(page) < layout.per_page:
            hardest = (left[0].each.stars or 0) + NEAR
            near = [k for k, sized in enumerate(left[: AHEAD + 1]) if (sized.each.stars or 0) <= hardest]
            fitting = [k for k in near if _rows([*page, left[k]], {}, layout)]
            if not fitting:
                break
            page.append(left.pop(max(fitting, key=lambda k: left[k].height * left[k].least)))
        if not _rows(page, {}, layout):
            (largest,) = _cells([[page[0]._replace(least=0.0)]], layout).values()
            page = [page[0]._replace(least=largest)]
        yield page


def _cells(pages: Sequence[Sequence[_Sized]], layout: BookLayout) -> dict[tuple[int, int], float]:
    """Return the side of cells by the puzzles' size: all grow alike, those of a size until one of its pages is full."""
    pages_of = defaultdict[tuple[int, int], list[Sequence[_Sized]]](list)
    for page in pages:
        for sized in page:
            pages_of[sized.size].append(page)
    cells = dict.fromkeys(pages_of, 0.0)
    for step in STEPS:
        growing = [*pages_of]
        while growing:
            for size in [*growing]:
                cells[size] += step
                if cells[size] > MOST or not all(_rows(page, cells, layout) for page in pages_of[size]):
                    cells[size] -= step
                    growing.remove(size)
    return cells


def _rows(
    puzzles: Iterable[_Sized], cells: Mapping[tuple[int, int], float], layout: BookLayout
) -> list[list[BookPuzzle]] | None:
    """Put puzzles with cells of these sides by size into the first row that has room; None if a page has not."""
    width, height = PAPERS[layout.paper]
    wide, high = width - 2 * BORDER - ROUNDING, height - 2 * BORDER - HEAD - FOOT - ROUNDING
    rows: list[list[_Sized]] = []
    for sized in puzzles:
        cell = max(cells.get(sized.size, 0.0), sized.least)
        drawn = _Sized(sized.each._replace(cell=cell), max(sized.width * cell, LEAST_WIDTH), sized.height * cell, cell)
        for row in rows:
            if sum(one.width + GAP for one in row) + drawn.width <= wide:
                row.append(drawn)
                break
        else:
            rows.append([drawn])
    for row in rows:
        # The legend of a puzzle that shares its row is no wider than the puzzle.
        rooms = [wide] if len(row) == 1 else [one.width for one in row]
        each = zip(row, rooms, strict=True)
        high -= GAP + LABEL + max(one.height + legend_height(one.each.puzzle, room) for one, room in each)
    fits = high + GAP >= 0 and all(one.width <= wide for row in rows for one in row)
    return [[one.each for one in row] for row in rows] if fits else None


def _chapter(chapter: Chapter, tracked: Iterator[tuple[int, BookPuzzle]], is_only: bool) -> dict[str, Any]:
    """Return what a chapter has; `tracked` has its puzzles with their numbers, and reports that they are drawn."""
    puzzles = [*chapter.puzzles()]
    stars = line(_estimates(puzzles, "stars")).removesuffix(" of 5")
    return {
        "title": "Puzzles" if is_only else stars or "Puzzles of unknown stars",
        "stars": 0 if is_only else chapter.stars,
        "about": ", ".join([count_text(len(puzzles), "puzzle"), _sizes(puzzles), *_estimates(puzzles, "minutes")]),
        "pages": [[[_puzzle(*next(tracked)) for _ in row] for row in page] for page in chapter.pages],
    }


def _puzzle(number: int, each: BookPuzzle) -> dict[str, Any]:
    """Draw an unsolved puzzle, with number, size, minutes and stars, and its colours."""
    facts = [_sizes([each]), *_estimates([each], "minutes"), *_estimates([each], "stars")]
    return {
        "number": f"{number}",
        "facts": ", ".join(facts + ["needs a colour print"] * each.needs_color_print),
        "image": grid(each.puzzle, each.cell, each.letters),
        "legend": [*legend(each.puzzle, each.letters)],
    }


# Solutions, authors and licences


def _solution(number: int, puzzle: Puzzle) -> dict[str, Any]:
    """Draw a solution, one point a cell, with number, title, author and id."""
    assert puzzle.goal is not None
    picture = svg(puzzle.goal, [color.rgb for color in puzzle.palette])
    title, known = names(puzzle)
    return {
        "image": {"svg": picture, "width": puzzle.width, "height": puzzle.height},
        "title": line([str(number), title], "  "),
        "about": line([puzzle.author, known]),
    }


def _imprint(puzzles: Sequence[Puzzle]) -> dict[str, list[str]]:
    """Return puzzles without a free licence, sources with their terms, and authors with copyrights and licences."""
    names = ["license", "source"]
    columns = [pa.array([getattr(puzzle, name) for puzzle in puzzles], pa.string()) for name in names]
    free = shareable(pa.record_batch(columns, names)).to_pylist()
    held, sources, authors = [], defaultdict(list), defaultdict(list)
    for number, (puzzle, is_free) in enumerate(zip(puzzles, free, strict=True), 1):
        source = puzzle.source or "unknown"
        terms = line([HOME_PAGES.get(source), TERMS.get(source)], "; ")
        sources[line([source, terms], ": ")].append(number)
        author, named = puzzle.author or "unknown author", puzzle.copyright or ""
        has_name = re.search(rf"(?<!\w){re.escape(author)}(?!\w)", named)
        authors[line([None if has_name else author, named, puzzle.license], ", ")].append(number)
        if not is_free:
            about = [puzzle.title, puzzle.author and f"by {puzzle.author}", puzzle.puzzle_id]
            held.append(f"{number}  {line(about, ', ')}")
    credit = (
        [f"{words}. {by_number('Puzzle', numbers)}." for words, numbers in each.items()] for each in (sources, authors)
    )
    return dict(zip(("held", "sources", "authors"), (held, *credit), strict=True))
