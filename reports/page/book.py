"""A book of puzzles as PDF: cover, contents, how to solve, chapters by stars, solutions, authors and licences.

Nothing before the solutions says what a picture shows: titles and authors stand there. Puzzles of one size have cells
of one size in the whole book, but one that has a page to itself fills it; colours have letters, so that a grey print
can be solved. templates/book.typ sets it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.reports.drawings.geometry import clues_fit
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.page.printing import (
    BORDER,
    LEAST_PRINT,
    LONG,
    SHORT,
    extent,
    grid,
    largest_cell,
    legend,
    legend_height,
    line,
    names,
    pdf,
    print_size,
)
from nonocensus.reports.rights import HOME_PAGES, TERMS, shareable
from nonocensus.reports.words.formatting import REGULARS, by_number, count_text, estimate_text
from nonocensus.reports.words.step_words import describe_steps, grid_states
from nonocensus.solver.model.puzzle import BLOT, WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.techniques import FORCING, GLUE, OVERLAP, PUNCTUATING, TECHNIQUES
from nonocensus.solver.people.explanation import explain

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

SLOTS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 6: (2, 3)}
"""Columns and rows of a page by its number of puzzles."""

HEAD, FOOT, GAP, LABEL = 26.0, 16.0, 20.0, 18.0
"""Points of a page's head, which has the chapter, of its foot, which has its number, between puzzles, and above a
puzzle, for its number."""

LEAST_WIDTH = 170.0
"""Points of a puzzle's least width, for number and facts above it."""

EASY_PRINT = 6.5
"""Minimum size of numbers in points; a cell is 3.3 mm wide then. Smaller print is hard to read."""

NEAR, AHEAD = 0.25, 2
"""Stars, the error of an estimate, by which puzzles that fill a page may be harder than the next one, and the most
places by which any puzzle moves for that."""

LEAST_CHAPTER = 3
"""Puzzles of the smallest chapter that stands apart from its neighbours."""

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
    """A puzzle of a book, with its solution as goal; its number; and its minutes and stars, None if unknown."""

    puzzle: Puzzle
    number: int
    minutes: float | None
    stars: float | None


class BookLayout(NamedTuple):
    """Most puzzles per page, a key of SLOTS, and paper, a key of PAPERS."""

    per_page: int
    paper: str = "a4"


class _Sized(NamedTuple):
    """A puzzle with the side of its cells, its width, whether that is more than a column's, and heights with label.

    height   with colours in a column, or if it is wide in all
    tight    with colours below it alone
    """

    each: BookPuzzle
    cell: float
    width: float
    is_wide: bool
    height: float
    tight: float


_Stars = tuple[int, int] | None
"""The range of a chapter's stars; None if they are unknown."""

_Page = list[list[_Sized]]
"""Rows of puzzles."""


def fits_page(puzzle: Puzzle, layout: BookLayout, least: float = EASY_PRINT) -> bool:
    """Return whether a puzzle's numbers have a least size in points on a page of its own."""
    return clues_fit(puzzle) and print_size(puzzle, _cell(puzzle, layout.paper, 1)) >= least


def small_print(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> Iterator[tuple[BookPuzzle, float]]:
    """Yield puzzles of a book whose numbers are hard to read, with the size of the smallest in points."""
    for _, pages in _chapters(puzzles, layout):
        for sized in _flat(pages):
            if (points := print_size(sized.each.puzzle, sized.cell)) < EASY_PRINT - ROUNDING:
                yield sized.each, points


def book(
    puzzles: Sequence[BookPuzzle],
    layout: BookLayout,
    track: Callable[[Sequence[BookPuzzle]], Iterable[BookPuzzle]] = iter,
    title: str | None = None,
    by: str | None = None,
) -> bytes:
    """Return a PDF of puzzles, all of which fit a page with LEAST_PRINT, given by rising stars and numbers.

    Puzzles of nearly equal stars change places to fill pages.

    track   returns the same puzzles, and reports progress as they are drawn
    title   the book's title (default: the number of puzzles)
    by      its author or publisher
    """
    width, height = PAPERS[layout.paper]
    chapters = [*_chapters(puzzles, layout)]
    placed = [sized.each for _, pages in chapters for sized in _flat(pages)]
    tracked, order = iter(track(placed)), [each.number for each in placed]
    blocks = (block for puzzle, *_ in puzzles for clue in puzzle.rows + puzzle.columns for block in clue)
    count = "A nonogram" if len(puzzles) == 1 else f"{len(puzzles):,} nonograms"
    named = line([title])
    data = {
        "name": named or count,
        "by": line([by]),
        "credit": line([title, by and f"{'by' if named else 'By'} {by}"], ", "),
        "about": line([named and count, *_facts(puzzles)]),
        "is_sorted": order == sorted(order),
        "page": {"width": width, "height": height, "border": BORDER, "head": HEAD, "foot": FOOT, "gap": GAP},
        "columns": SLOTS[layout.per_page][0],
        "label": LABEL,
        "least_width": LEAST_WIDTH,
        "pieces": [_piece(puzzles[k * len(puzzles) // PIECES].puzzle) for k in range(PIECES)],
        "example": [*_example(EXAMPLE)],
        "color_example": [*_example(COLOR_EXAMPLE)] if any(each.puzzle.colors > 1 for each in puzzles) else [],
        "tips": [f"{TECHNIQUES[number].name.capitalize()}: {TECHNIQUES[number].says}" for number in TIPS],
        "has_blots": any(block.length == BLOT for block in blocks),
        "regulars": REGULARS if any(each.minutes is not None for each in puzzles) else "",
        "chapters": [_chapter(stars, pages, tracked) for stars, pages in chapters],
        "solutions": [_solution(each) for each in puzzles],
    }
    return pdf("book.typ", data | _imprint(puzzles))


def _whole_stars(stars: float | None) -> int | None:
    """Return the whole stars, 1 to 4."""
    return None if stars is None else min(4, max(1, int(stars)))


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
        yield {"image": grid(puzzle, 12.0, state._replace(words="", marked=None)), "words": said}


# Puzzles


def _slot(paper: str, count: int) -> tuple[float, float]:
    """Return the width and height of a puzzle's share of a page with several."""
    (width, height), (columns, rows) = PAPERS[paper], SLOTS[count]
    return (width - 2 * BORDER + GAP) / columns - GAP, (height - 2 * BORDER - HEAD - FOOT + GAP) / rows - GAP


def _cell(puzzle: Puzzle, paper: str, count: int) -> float:
    """Return the largest side of a cell in points on a page of several puzzles."""
    width, height = _slot(paper, count)
    return largest_cell(puzzle, width, height - LABEL - legend_height(puzzle, width) - ROUNDING)


def _cells(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> dict[tuple[int, int], float]:
    """Return the side of a cell in points of each width and height: that for its share of a page, or a legible one.

    It is that of the puzzle with the shortest numbers; longer ones have LEAST_PRINT, if all of the size fit a page.
    """
    cells, wholes, leasts = (dict[tuple[int, int], float]() for _ in range(3))
    for puzzle, *_ in puzzles:
        share, whole = (_cell(puzzle, layout.paper, count) for count in (layout.per_page, 1))
        unit, size = print_size(puzzle, 1.0), (puzzle.width, puzzle.height)
        side = min(whole, max(share, EASY_PRINT / unit))
        cells[size] = min(cells.get(size, side), side)
        wholes[size] = min(wholes.get(size, whole), whole)
        leasts[size] = max(leasts.get(size, 0.0), LEAST_PRINT / unit)
    return {size: max(side, min(leasts[size], wholes[size])) for size, side in cells.items()}


def _chapters(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> Iterator[tuple[_Stars, list[_Page]]]:
    """Yield the pages of each chapter, and its stars."""
    cells = _cells(puzzles, layout)
    for stars, members in _divide(puzzles):
        sized = [_measure(each, layout, cells[each.puzzle.width, each.puzzle.height]) for each in members]
        yield stars, [_enlarge(page, layout) for page in _pages(sized, layout, 0 if stars is None else AHEAD)]


def _divide(puzzles: Sequence[BookPuzzle]) -> list[tuple[_Stars, list[BookPuzzle]]]:
    """Divide puzzles into chapters by whole stars; a chapter of few is one with a neighbour."""
    chapters: list[tuple[_Stars, list[BookPuzzle]]] = []
    for whole, members in groupby(puzzles, lambda each: _whole_stars(each.stars)):
        stars, those = (whole, whole + 1) if whole else None, [*members]
        before, earlier = chapters[-1] if chapters else (None, [])
        if before and stars and min(len(earlier), len(those)) < LEAST_CHAPTER:
            chapters[-1] = (before[0], stars[1]), earlier + those
        else:
            chapters.append((stars, those))
    return chapters


def _measure(each: BookPuzzle, layout: BookLayout, cell: float) -> _Sized:
    """Measure a puzzle with cells of a side, or larger ones for numbers of LEAST_PRINT if a page has room."""
    cell = max(cell, min(LEAST_PRINT / print_size(each.puzzle, 1.0), _cell(each.puzzle, layout.paper, 1)))
    room, _ = _slot(layout.paper, layout.per_page)
    width, height = extent(each.puzzle, cell)
    width, is_wide = max(width, LEAST_WIDTH), width > room + ROUNDING
    rooms = _slot(layout.paper, 1)[0] if is_wide else room, width
    heights = (LABEL + height + legend_height(each.puzzle, room) for room in rooms)
    return _Sized(each, cell, width, is_wide, *heights)


def _pages(puzzles: Sequence[_Sized], layout: BookLayout, ahead: int) -> Iterator[_Page]:
    """Divide puzzles into pages; one that fits is at most `ahead` places after the next one."""
    left = [*enumerate(puzzles)]
    while left:
        page, k = [[left.pop(0)[1]]], 0
        while k < len(left):
            (first, least), (place, sized) = left[0], left[k]
            if place > first + ahead or (sized.each.stars or 0) > (least.each.stars or 0) + NEAR:
                break
            if longer := _with(page, sized, layout):
                page = longer
                del left[k]
            else:
                k += 1
        yield page


def _with(page: _Page, each: _Sized, layout: BookLayout) -> _Page | None:
    """Return a page with one more puzzle, in the first row that has room or one of its own; None if it is full."""
    if sum(map(len, page)) == layout.per_page:
        return None
    columns, (wide, high) = SLOTS[layout.per_page][0], _slot(layout.paper, 1)
    for k, row in enumerate([*page, []]):
        longer = [*row, each]
        rows = [*page[:k], longer, *page[k + 1 :]]
        width = sum(one.width + GAP for one in longer) - GAP
        height = sum(map(_height, rows)) + GAP * (len(rows) - 1)
        if len(longer) <= columns and (len(longer) == 1 or width <= wide + ROUNDING) and height <= high + ROUNDING:
            return rows
    return None


def _height(row: Sequence[_Sized]) -> float:
    """Return the height of a row; one with a wide puzzle among others has no room to spare for their colours."""
    is_tight = len(row) > 1 and any(each.is_wide for each in row)
    return max(each.tight if is_tight else each.height for each in row)


def _enlarge(page: _Page, layout: BookLayout) -> _Page:
    """Return a page on which a single puzzle has cells as large as fit."""
    if len([*_flat([page])]) > 1:
        return page
    alone = page[0][0].each
    return [[_measure(alone, layout, _cell(alone.puzzle, layout.paper, 1))._replace(is_wide=True)]]


def _flat(pages: Iterable[_Page]) -> Iterator[_Sized]:
    """Yield the puzzles of pages."""
    return chain.from_iterable(chain.from_iterable(pages))


def _chapter(stars: _Stars, pages: Sequence[_Page], tracked: Iterator[BookPuzzle]) -> dict[str, Any]:
    """Return what a chapter has."""
    puzzles = [sized.each for sized in _flat(pages)]
    return {
        "title": "Puzzles of unknown stars" if stars is None else f"{stars[0]} to {stars[1]} stars",
        "stars": stars[0] if stars else 0,
        "about": ", ".join([count_text(len(puzzles), "puzzle"), _sizes(puzzles), *_estimates(puzzles, "minutes")]),
        "pages": [[[_puzzle(next(tracked), sized) for sized in row] for row in page] for page in pages],
    }


def _puzzle(each: BookPuzzle, sized: _Sized) -> dict[str, Any]:
    """Draw an unsolved puzzle, with number, size, minutes and stars, its colours, and whether it needs all columns."""
    facts = ", ".join([_sizes([each]), *_estimates([each], "minutes"), *_estimates([each], "stars")])
    about = {"number": f"{each.number}", "facts": facts, "is_wide": sized.is_wide}
    return about | {"image": grid(each.puzzle, sized.cell), "legend": [*legend(each.puzzle)]}


# Solutions, authors and licences


def _solution(each: BookPuzzle) -> dict[str, Any]:
    """Draw a solution, one point a cell, with number, title, author and id."""
    puzzle = each.puzzle
    assert puzzle.goal is not None
    picture = svg(puzzle.goal, [color.rgb for color in puzzle.palette])
    title, known = names(puzzle)
    return {
        "image": {"svg": picture, "width": puzzle.width, "height": puzzle.height},
        "title": line([str(each.number), title], "  "),
        "about": line([puzzle.author, known]),
    }


def _imprint(puzzles: Sequence[BookPuzzle]) -> dict[str, list[str]]:
    """Return puzzles without a free licence, sources with their terms, and authors with copyrights and licences."""
    names = ["license", "source"]
    columns = [pa.array([getattr(each.puzzle, name) for each in puzzles], pa.string()) for name in names]
    free = shareable(pa.record_batch(columns, names)).to_pylist()
    held, sources, authors = [], defaultdict(list), defaultdict(list)
    for (puzzle, number, *_), is_free in zip(puzzles, free, strict=True):
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
