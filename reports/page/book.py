"""A book of puzzles as PDF: cover, contents, how to solve, chapters by stars, solutions, authors and licences.

Nothing before the solutions says what a picture shows: titles and authors stand there. Puzzles of one size have cells
of one size in the whole book; colours have letters, so that a grey print can be solved. templates/book.typ sets it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.reports.drawings.geometry import CELL, clues_fit
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.drawings.sheet_colors import color_letters, color_names, ink, rgb
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.page.printing import BORDER, LEAST_CELL, LONG, SHORT, fitting, line, pdf, scaled
from nonocensus.reports.rights import HOME_PAGES, TERMS, shareable
from nonocensus.reports.words.formatting import REGULARS, counted, estimate_text, fixed
from nonocensus.reports.words.step_words import describe_steps, grid_states
from nonocensus.solver.model.puzzle import BLOT, Puzzle, from_picture
from nonocensus.solver.model.techniques import FORCING, GLUE, OVERLAP, PUNCTUATING, TECHNIQUES
from nonocensus.solver.people.explanation import explain

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

SLOTS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 6: (2, 3)}
"""Columns and rows of a page by its number of puzzles."""

HEAD, FOOT, GAP, LABEL, LEGEND_LINE = 26.0, 16.0, 20.0, 18.0, 11.0
"""Points of a page's head, which has the chapter, of its foot, which has its number, between puzzles, above a puzzle,
for its number, and of a line of its colours below."""

EASY_CELL, EASY_CHIP = 7.1, 8.5
"""Minimum side of a cell in points on a page of several puzzles: smaller ones are hard to fill in. 2.5 mm in one
colour, 3 mm in several, with letters."""

MOST_NAME, ROUNDING = 20, 0.01
"""Letters of a colour's name, and points by which sums of lengths may differ."""

PIECE, PIECES = 5, 12
"""Cells of a side of a piece of a solution, and pieces in the cover's pattern."""

EXAMPLE = from_picture(
    np.array([[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]], np.uint8)
)
"""The puzzle that is solved as an example."""

TIPS = (OVERLAP, GLUE, PUNCTUATING, FORCING)
"""Techniques to begin with."""


class BookPuzzle(NamedTuple):
    """A puzzle of a book, with its solution as goal; its number; and its minutes and stars, None if unknown."""

    puzzle: Puzzle
    number: int
    minutes: float | None
    stars: float | None


class BookLayout(NamedTuple):
    """Number of puzzles a page, a key of SLOTS, and paper, a key of PAPERS."""

    per_page: int
    paper: str = "a4"


_Drawn = dict[str, Any]
"""A drawn puzzle for the template."""


def fits_page(puzzle: Puzzle, layout: BookLayout) -> bool:
    """Return whether a puzzle is legible on a page of its own."""
    return clues_fit(puzzle) and _cell(puzzle, layout.paper, 1) >= LEAST_CELL


def book(
    puzzles: Sequence[BookPuzzle],
    layout: BookLayout,
    track: Callable[[Sequence[BookPuzzle]], Iterable[BookPuzzle]] = iter,
) -> bytes:
    """Return a PDF of puzzles, all of which fit a page (`fits_page`), in the order given, by rising stars.

    track   returns the same puzzles, and reports progress as they are drawn
    """
    width, height = PAPERS[layout.paper]
    cells = _cells(puzzles, layout)
    drawn = ((each, _puzzle(each, layout, cells)) for each in track(puzzles))
    chapters = groupby(drawn, lambda pair: _whole_stars(pair[0].stars))
    blocks = (block for puzzle, *_ in puzzles for clue in puzzle.rows + puzzle.columns for block in clue)
    data = {
        "name": "A nonogram" if len(puzzles) == 1 else f"{len(puzzles):,} nonograms",
        "about": " · ".join(_facts(puzzles)),
        "page": {"width": width, "height": height, "border": BORDER, "head": HEAD, "foot": FOOT, "gap": GAP},
        "columns": SLOTS[layout.per_page][0],
        "label": LABEL,
        "legend_line": LEGEND_LINE,
        "pieces": [_piece(puzzles[k * len(puzzles) // PIECES].puzzle) for k in range(PIECES)],
        "example": [*_example()],
        "tips": [f"{TECHNIQUES[number].name.capitalize()}: {TECHNIQUES[number].says}" for number in TIPS],
        "in_colors": any(each.puzzle.colors > 1 for each in puzzles),
        "has_blots": any(block.length == BLOT for block in blocks),
        "regulars": REGULARS if any(each.minutes is not None for each in puzzles) else "",
        "chapters": [_chapter(stars, [*members], layout) for stars, members in chapters],
        "solutions": [_solution(each) for each in puzzles],
    }
    return pdf("book.typ", data | _imprint(puzzles))


def _whole_stars(stars: float | None) -> int | None:
    """Return the whole stars as shown, 1 to 4."""
    return None if stars is None else min(4, max(1, int(float(fixed(stars, 1)))))


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


def _example() -> Iterator[dict[str, Any]]:
    """Yield drawings of the example before its first step and after each, with the words of an explanation."""
    explanation = explain(EXAMPLE)
    words = ["", *(f"{step.number}. {step.what}" for step in describe_steps(explanation))]
    for state, said in zip(grid_states(explanation), words, strict=True):
        yield {"image": scaled(drawing(EXAMPLE, state._replace(words="", marked=None)), 0.6), "words": said}


# Puzzles


def _slot(paper: str, count: int) -> tuple[float, float]:
    """Return the width and height of a puzzle's share of a page with several."""
    (width, height), (columns, rows) = PAPERS[paper], SLOTS[count]
    return (width - 2 * BORDER + GAP) / columns - GAP, (height - 2 * BORDER - HEAD - FOOT + GAP) / rows - GAP


def _cell(puzzle: Puzzle, paper: str, count: int) -> float:
    """Return the largest side of a cell in points on a page of several puzzles."""
    width, height = _slot(paper, count)
    return fitting(puzzle, width, height - LABEL - _legend_height(puzzle, width) - ROUNDING)


def _cells(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> dict[tuple[int, int], float]:
    """Return the side of a cell in points of each size of puzzles, width and height."""
    cells: dict[tuple[int, int], float] = {}
    for puzzle, *_ in puzzles:
        least = EASY_CHIP if puzzle.colors > 1 else EASY_CELL
        sides = [_cell(puzzle, layout.paper, count) for count in SLOTS if count <= layout.per_page]
        side = next((side for side in reversed(sides) if side >= least), sides[0])
        size = puzzle.width, puzzle.height
        cells[size] = min(cells.get(size, side), side)
    return cells


def _chapter(stars: int | None, members: Sequence[tuple[BookPuzzle, _Drawn]], layout: BookLayout) -> dict[str, Any]:
    """Return a chapter: puzzles whose stars have the same whole number, None if they have none."""
    puzzles = [each for each, _ in members]
    return {
        "title": "Puzzles of unknown stars" if stars is None else f"{stars} to {stars + 1} stars",
        "stars": stars or 0,
        "about": ", ".join([counted(len(puzzles), "puzzle"), _sizes(puzzles), *_estimates(puzzles, "minutes")]),
        "pages": _pages([drawn for _, drawn in members], layout),
    }


def _pages(puzzles: Sequence[_Drawn], layout: BookLayout) -> list[list[list[_Drawn]]]:
    """Divide puzzles into pages of rows, as many as fit and the layout allows; wide ones have rows of their own."""
    columns, high = SLOTS[layout.per_page][0], _slot(layout.paper, 1)[1] + ROUNDING
    pages: list[list[list[_Drawn]]] = []
    for each in puzzles:
        rows = [*pages[-1]] if pages else [[]]
        if rows[-1] and (len(rows[-1]) == columns or each["is_wide"] or rows[-1][0]["is_wide"]):
            rows.append([])
        rows[-1] = [*rows[-1], each]
        height = sum(max(other["height"] for other in row) + GAP for row in rows) - GAP
        if pages and sum(map(len, rows)) <= layout.per_page and height <= high:
            pages[-1] = rows
        else:
            pages.append([[each]])
    return pages


def _puzzle(each: BookPuzzle, layout: BookLayout, cells: dict[tuple[int, int], float]) -> _Drawn:
    """Draw an unsolved puzzle, with number, size, minutes and stars, its colours, and whether it needs all columns."""
    puzzle = each.puzzle
    letters = color_letters(puzzle.palette) if puzzle.colors > 1 else ""
    image = scaled(drawing(puzzle, letters=letters), cells[puzzle.width, puzzle.height] / CELL)
    facts = [_sizes([each]), *_estimates([each], "minutes"), *_estimates([each], "stars")]
    width, _ = _slot(layout.paper, layout.per_page)
    is_wide = image["width"] > width + ROUNDING
    height = LABEL + image["height"] + _legend_height(puzzle, _slot(layout.paper, 1)[0] if is_wide else width)
    about = {"number": f"{each.number}", "facts": ", ".join(facts), "is_wide": is_wide, "height": height}
    return about | {"image": image, "legend": [*_legend(puzzle)]}


def _legend(puzzle: Puzzle) -> Iterator[dict[str, str]]:
    """Yield letters and names of colours, and a background that is not white; nothing for one colour on white."""
    letters, names = color_letters(puzzle.palette), color_names(puzzle.palette)
    for entry in range(puzzle.colors + 1 if puzzle.colors > 1 else 1):
        color, name = rgb(puzzle, entry), line([names[entry][:MOST_NAME]])
        if entry or color != "ffffff":
            name += " background" * (entry == 0)
            yield {"letter": letters[entry], "color": f"#{color}", "ink": f"#{ink(color)}", "name": name}


def _legend_height(puzzle: Puzzle, room: float) -> float:
    """Return an upper estimate of the height of the colours below a puzzle."""
    widths = [20 + (5 if each["name"].islower() else 7) * len(each["name"]) for each in _legend(puzzle)]
    return LEGEND_LINE * (1 + sum(widths) // (room - max(widths))) + 4 if widths else 0.0


# Solutions, authors and licences


def _solution(each: BookPuzzle) -> dict[str, Any]:
    """Draw a solution, one point a cell, with number, title, author and id."""
    puzzle = each.puzzle
    assert puzzle.goal is not None
    picture = svg(puzzle.goal, [color.rgb for color in puzzle.palette])
    return {
        "image": {"svg": picture, "width": puzzle.width, "height": puzzle.height},
        "title": line([str(each.number), puzzle.title], "  "),
        "about": line([puzzle.author, puzzle.puzzle_id]),
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
        authors[line([puzzle.author or "unknown author", puzzle.copyright, puzzle.license], ", ")].append(number)
        if not is_free:
            named = [puzzle.title, puzzle.author and f"by {puzzle.author}", puzzle.puzzle_id]
            held.append(f"{number}  {line(named, ', ')}")
    credit = ([f"{words}. {_numbers(members)}" for words, members in each.items()] for each in (sources, authors))
    return dict(zip(("held", "sources", "authors"), (held, *credit), strict=True))


def _numbers(numbers: Sequence[int]) -> str:
    """Return rising numbers in words: `Puzzles 1, 3 to 5`."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    words = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"Puzzle{'s' * (len(numbers) > 1)} {', '.join(words)}."
