"""A book of puzzles as PDF: cover, contents, how to solve, chapters by stars, solutions, authors and licences.

Nothing before the solutions says what a picture shows: titles and authors stand there. Puzzles of one size have cells
of one size in the whole book; colours have letters, so that a grey print can be solved.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.geometry import CELL, MARGIN, clues_fit, geometry
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.picture_svg import path_of, svg
from nonocensus.reports.drawings.sheet_colors import GREY, LINE, color_letters, color_names, ink, rgb
from nonocensus.reports.drawings.svg import MOST_LETTERS, drawing, text, text_width, wrapped
from nonocensus.reports.page.printing import BORDER, LEAST_CELL, LONG, MOST_CELL, SHORT, pdf, scaled
from nonocensus.reports.rights import HOME_PAGES, TERMS, shareable
from nonocensus.reports.words.formatting import REGULARS, estimate_text, fixed
from nonocensus.solver.model.puzzle import BLOT, Puzzle, from_picture
from nonocensus.solver.model.techniques import FORCING, GLUE, OVERLAP, PUNCTUATING, TECHNIQUES

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

SLOTS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 6: (2, 3)}
"""Columns and rows of a page by its number of puzzles."""

HEAD, FOOT, GAP = 26.0, 16.0, 20.0
"""Points of a page's head, which has the chapter, of its foot, which has its number, and between puzzles."""

LABEL, LEAST_LABEL, LEGEND_LINE = 18.0, 170.0, 11.0
"""Points above a puzzle, for its number, of this in width, and of a line of its colours below."""

EASY_CELL, EASY_CHIP = 7.1, 8.5
"""Minimum side of a cell in points on a page of several puzzles: smaller ones are hard to fill in. 2.5 mm in one
colour, 3 mm in several, with letters."""

ANSWER_COLUMNS, MOST_ANSWER = 4, 112.0
"""Solutions in a row, and points of a solution's height."""

FAINT = 'fill="#555555"'
BOLD = 'font-weight="bold"'
MIDDLE = 'text-anchor="middle"'
END = 'text-anchor="end"'
"""Attributes of text."""

ROUNDING = 0.01
"""Points by which sums of heights may differ."""

LONG_TITLE = 100
"""Letters from which a title is set smaller."""


STAR = "M7 0l1.7 5h5.3l-4.3 3.1 1.7 5.1-4.4-3.2-4.4 3.2 1.7-5.1-4.3-3.1h5.3z"
"""Path of a star, 14 points wide."""


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


class _Part(NamedTuple):
    """A part of a page: its height in points, and SVG whose origin is its upper left corner."""

    height: float
    content: str


class _Chapter(NamedTuple):
    """Puzzles of a book whose stars have the same whole number, None if they have none."""

    stars: int | None
    puzzles: list[BookPuzzle]

    @property
    def title(self) -> str:
        """The heading."""
        return "Puzzles of unknown stars" if self.stars is None else f"{self.stars} to {self.stars + 1} stars"


def fits_page(puzzle: Puzzle, layout: BookLayout) -> bool:
    """Return whether a puzzle is legible on a page of its own."""
    return clues_fit(puzzle) and _cell(puzzle, layout.paper, 1) >= LEAST_CELL


def book(
    puzzles: Sequence[BookPuzzle], layout: BookLayout, track: Callable[[list[str]], Iterable[str]] = iter
) -> bytes:
    """Return a PDF of puzzles, all of which fit a page (`fits_page`), in the order given, by rising stars.

    track   returns the same pages, and reports progress as they are drawn
    """
    paper = layout.paper
    cells = _cells(puzzles, layout)
    by_stars = groupby(puzzles, lambda each: _whole_stars(each.stars))
    chapters = [_Chapter(stars, list(members)) for stars, members in by_stars]
    title = "A nonogram" if len(puzzles) == 1 else f"{len(puzzles):,} nonograms"
    parts = [
        ("How to solve", [_page(_how_to(puzzles, paper))]),
        *((chapter.title, [*_chapter_pages(chapter, layout, cells)]) for chapter in chapters),
        ("Solutions", [*_flow("Solutions", _answers(puzzles, paper), paper)]),
        ("Authors and licences", [*_flow("Authors and licences", _imprint(puzzles, paper), paper)]),
    ]
    pages = [_cover(title, puzzles, paper)]
    has_contents = len(chapters) > 1
    outline, first = {}, 1 + has_contents
    for name, content in parts:
        outline[name] = first
        first += len(content)
    if has_contents:
        pages.append(_page(_contents(outline, chapters, paper)))
    pages += [page for _, content in parts for page in content]
    width, height = PAPERS[paper]
    numbered = (
        page + text(str(number), width / 2, height - BORDER + 6, 8, width, f"{MIDDLE} {FAINT}") * (number > 1)
        for number, page in enumerate(pages, 1)
    )
    return pdf(track([*numbered]), PAPERS[paper], title, outline)


def _whole_stars(stars: float | None) -> int | None:
    """Return the whole stars as shown, 1 to 4."""
    return None if stars is None else min(4, max(1, int(float(fixed(stars, 1)))))


# Parts of pages, one below the other


def _room(paper: str) -> float:
    """Return the width between the margins."""
    return PAPERS[paper][0] - 2 * BORDER


def _high(paper: str) -> float:
    """Return the height between head and foot."""
    return PAPERS[paper][1] - 2 * BORDER - HEAD - FOOT


def _lines(words: str, size: float, room: float, attributes: str = "") -> list[_Part]:
    """Set untrusted text in lines, each a part; all of it is shown."""
    return [
        _Part(1.3 * size, text(line, 0, size, size, room, attributes)) for line in wrapped(clean(words), room / size)
    ]


def _space(height: float) -> _Part:
    return _Part(height, "")


def _heading(words: str, paper: str) -> list[_Part]:
    return [_Part(14, ""), *_lines(words, 11, _room(paper), BOLD), _Part(3, "")]


def _at(x: float, y: float, content: str) -> str:
    return f'<g transform="translate({x:.2f} {y:.2f})">{content}</g>'


def _column(parts: Iterable[_Part]) -> _Part:
    """Join parts one below the other."""
    height, contents = 0.0, []
    for part in parts:
        contents.append(_at(0, height, part.content))
        height += part.height
    return _Part(height, "".join(contents))


def _row(parts: Sequence[_Part], step: float) -> _Part:
    """Join parts side by side."""
    return _Part(max(part.height for part in parts), "".join(_at(k * step, 0, p.content) for k, p in enumerate(parts)))


def _page(parts: Iterable[_Part]) -> str:
    """Set parts on one page, from the margin on."""
    return _at(BORDER, BORDER, _column(parts).content)


def _flow(title: str, parts: Iterable[_Part], paper: str) -> Iterator[str]:
    """Set parts on pages with a title."""
    room = _high(paper)
    page: list[_Part] = []
    is_first = True
    for part in parts:
        if page and sum(each.height for each in page) + part.height > room:
            yield _head(title, is_first) + _at(BORDER, BORDER + HEAD, _column(page).content)
            page, is_first = [], False
        page.append(part)
    yield _head(title, is_first) + _at(BORDER, BORDER + HEAD, _column(page).content)


def _head(title: str, is_first: bool, stars: int = 0) -> str:
    """Draw a page's head: a heading with stars on the first page of a chapter, small on the others."""
    if not is_first:
        return text(title, BORDER, BORDER + 6, 8, LONG, FAINT)
    drawn = [f'<path d="{STAR}" transform="translate({17 * k} 0)"/>' for k in range(stars)]
    glyphs = f'<g fill="#{LINE}" stroke="#{GREY}">{"".join(drawn)}</g>'
    return _at(BORDER, BORDER - 4, glyphs) + text(title, BORDER + 18 * stars, BORDER + 9, 18, LONG, BOLD)


# Cover and contents

PATTERN = 6, 8
"""Columns and rows of the cover's pattern: pieces of 5x5 cells."""

PIECE = 5


def _cover(title: str, puzzles: Sequence[BookPuzzle], paper: str) -> str:
    """Draw the cover: title, a pattern made of pieces of the solutions, sizes and stars."""
    width, height = PAPERS[paper]
    side = min((width - 4 * BORDER) / (PIECE * PATTERN[0]), (height - 270) / (PIECE * PATTERN[1]))
    left = (width - side * PIECE * PATTERN[0]) / 2
    kinds = Counter(each.puzzle.colors > 1 for each in puzzles)
    few = [f"{kinds[True]:,} in several colours"] if kinds[True] and kinds[False] else ["in colours"] * kinds[True]
    facts = " · ".join([_sizes(puzzles), *few[:1], *_star_range(puzzles)])
    return "".join([
        text(title, width / 2, 98, 46, width - 2 * BORDER, f"{MIDDLE} {BOLD}"),
        text("Picture puzzles with numbers, each with one solution", width / 2, 128, 15, width, f"{MIDDLE} {FAINT}"),
        f'<g transform="translate({left:.2f} 162) scale({side:.4f})">{_pattern(puzzles)}</g>',
        text(facts, width / 2, 162 + side * PIECE * PATTERN[1] + 40, 15, width - 2 * BORDER, MIDDLE),
    ])  # fmt: skip


def _sizes(puzzles: Sequence[BookPuzzle]) -> str:
    """Return the sizes of puzzles, the least and the largest: `5x5 to 30x20`."""
    sizes = sorted({(puzzle.width, puzzle.height) for puzzle, *_ in puzzles}, key=lambda size: size[0] * size[1])
    return " to ".join(f"{width}x{height}" for width, height in dict.fromkeys((sizes[0], sizes[-1])))


def _star_range(puzzles: Sequence[BookPuzzle]) -> list[str]:
    """Return the stars of puzzles in words, if any are known."""
    known = [each.stars for each in puzzles if each.stars is not None]
    ends = dict.fromkeys(fixed(end, 1) for end in (min(known), max(known))) if known else ()
    return [f"{' to '.join(ends)} stars of 5"] if known else []


def _pattern(puzzles: Sequence[BookPuzzle]) -> str:
    """Draw pieces of solutions, turned and mirrored, so that no picture is given away; one unit a cell."""
    columns, rows = PATTERN[0] // 2, PATTERN[1] // 2
    chosen = np.linspace(0, len(puzzles) - 1, columns * rows).round().astype(int)
    pieces = [np.rot90(_piece(puzzles[place].puzzle), turn) for turn, place in enumerate(chosen.tolist())]
    quarter = np.block([pieces[k : k + columns] for k in range(0, len(pieces), columns)])
    half = np.hstack([quarter, quarter[:, ::-1]])
    colors = np.vstack([half, half[::-1]])
    height, width = colors.shape
    parts = [f'<path fill="#{color:06x}" d="{path_of(colors == color)}"/>' for color in np.unique(colors).tolist()]
    for step, look in ((1, 'stroke-width=".03" stroke-opacity=".5"'), (PIECE, 'stroke-width=".09"')):
        down = "".join(f"M{x} 0v{height}" for x in range(0, width + 1, step))
        along = "".join(f"M0 {y}h{width}" for y in range(0, height + 1, step))
        parts.append(f'<path fill="none" stroke="#{GREY}" {look} d="{down}{along}"/>')
    return "".join(parts)


def _piece(puzzle: Puzzle) -> np.ndarray:
    """Return the colours of a piece of a solution about half of which is painted, int64[PIECE, PIECE]."""
    goal = puzzle.goal
    assert goal is not None
    goal = np.pad(goal, [(0, max(0, PIECE - side)) for side in goal.shape], "wrap")
    windows = np.lib.stride_tricks.sliding_window_view(goal, (PIECE, PIECE))
    painted = np.count_nonzero(windows, axis=(2, 3))
    best = windows.reshape(-1, PIECE, PIECE)[np.abs(2 * painted - PIECE**2).argmin()]
    palette = [int(rgb(puzzle, entry), 16) for entry in range(int(goal.max()) + 1)]
    colors: np.ndarray = np.array(palette)[best]
    return colors


def _contents(outline: dict[str, int], chapters: Sequence[_Chapter], paper: str) -> Iterator[_Part]:
    """Set the contents: chapters, what they have, and pages."""
    room = _room(paper)
    about = {chapter.title: chapter for chapter in chapters}
    yield from _lines("Contents", 22, room, BOLD)
    for name, index in outline.items():
        yield _space(12)
        page = text(str(index + 1), room, 13, 13, room, END)
        rule = f'<path fill="none" stroke="#{GREY}" stroke-width=".5" d="M0 19h{room:g}"/>'
        yield _Part(22, text(name, 0, 13, 13, room, BOLD) + page + rule)
        if name in about:
            members = about[name].puzzles
            count = "1 puzzle" if len(members) == 1 else f"{len(members):,} puzzles"
            yield from _lines(", ".join([count, _sizes(members), *_minutes(members)]), 9, room, FAINT)


def _minutes(puzzles: Sequence[BookPuzzle]) -> Iterator[str]:
    """Yield the minutes of puzzles, the least and the most, if any are known."""
    known = [each.minutes for each in puzzles if each.minutes is not None]
    if known:
        yield "about " + " to ".join(dict.fromkeys(estimate_text(end, "minutes") for end in (min(known), max(known))))


# How to solve

EXAMPLE = from_picture(
    np.array([[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]], np.uint8)
)
"""The puzzle that is solved as an example."""


class _ExampleStep(NamedTuple):
    """Lines that are solved together, what an explanation says of the first, and what else there is to say."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    reason: str
    more: str = ""


EXAMPLE_STEPS = (
    _ExampleStep(
        *((1, 2), ()),
        "Row 2, clue 5: the 5 fills the 5 cells of the row, so columns 1 to 5 are black.",
        "So are those of row 3.",
    ),
    _ExampleStep(
        *((), (0, 4)),
        "Column 1, clue 2: both black cells are found, in rows 2 and 3, so rows 1, 4 and 5 are white.",
        "Column 5 is alike. A cross marks a white cell.",
    ),
    _ExampleStep(
        *((3,), ()),
        "Row 4, clue 3: only columns 2 to 4 can be black, and 3 black cells are needed, so columns 2 to 4 are black.",
    ),
    _ExampleStep(
        *((0,), ()),
        "Row 1, clue 1 1: the first 1 must begin in column 2, so column 2 is black; "
        "the second 1 must begin in column 4, so column 4 is black.",
    ),
    _ExampleStep(
        *((), (2,)),
        "Column 3, clue 4: only rows 2 to 5 can be black, and 4 black cells are needed, so row 5 is black.",
        "The other cells are white: a heart.",
    ),
)

RULES = (
    "The numbers to the left of a row and above a column are its clue: each stands for a block of as many painted "
    "cells, in this order. Between two blocks of the same colour is at least one empty cell. Find the picture that "
    "fits all clues; there is only one."
)
EMPTY = "The clue of row 1, 1 1, stands for two blocks of one cell each; the clue of row 2 for one block of five."

IN_COLORS = (
    "Blocks of different colours may touch. Each number stands on its colour and with that colour's letter, so a grey "
    "print can be solved, too: below a puzzle is what its letters mean. Write the letter into a cell, or paint it."
)
BLOTS = "A question mark stands for a block of any length."

ESTIMATES = (
    f"Above each puzzle are its number, its size, the time that {REGULARS} would take, and its stars of 5, both by "
    "estimate. Beginners may take four times as long."
)

TIPS = (OVERLAP, GLUE, PUNCTUATING, FORCING)
"""Techniques to begin with."""


def _how_to(puzzles: Sequence[BookPuzzle], paper: str) -> Iterator[_Part]:
    """Set the page that explains the rules by an example, and what stands above and below a puzzle."""
    room = _room(paper)
    yield from _lines("How to solve a nonogram", 22, room, BOLD)
    yield _space(4)
    yield from _lines(RULES, 10, room)
    yield _space(10)
    figures = [*_example()]
    step = (room + GAP) / 3
    drawn = [_figure(state, words, step - GAP) for state, words in figures]
    yield _row(drawn[:3], step)
    yield _space(8)
    yield _row(drawn[3:], step)
    if any(each.puzzle.colors > 1 for each in puzzles):
        yield from [*_heading("Colours", paper), *_lines(IN_COLORS, 10, room)]
    if any(block.length == BLOT for puzzle, *_ in puzzles for clue in puzzle.rows + puzzle.columns for block in clue):
        yield from [*_heading("Question marks", paper), *_lines(BLOTS, 10, room)]
    yield from _heading("What helps", paper)
    for number in TIPS:
        yield from _lines(f"{TECHNIQUES[number].name.capitalize()}: {TECHNIQUES[number].says}", 10, room)
    if any(each.minutes is not None for each in puzzles):
        yield from _heading("Minutes and stars", paper)
        yield from _lines(ESTIMATES, 10, room)


def _example() -> Iterator[tuple[GridState, str]]:
    """Yield the states of the example and what is said of each."""
    assert EXAMPLE.goal is not None
    cells = np.full_like(EXAMPLE.goal, UNKNOWN)
    yield GridState(cells.copy()), EMPTY
    for number, (rows, columns, reason, more) in enumerate(EXAMPLE_STEPS, 1):
        known = np.zeros(cells.shape, np.bool_)
        known[list(rows)], known[:, list(columns)] = True, True
        cells = np.where(known | (number == len(EXAMPLE_STEPS)), EXAMPLE.goal, cells)
        yield GridState(cells.copy(), rows=rows, columns=columns), f"{number}. {reason} {more}"


def _figure(state: GridState, words: str, room: float) -> _Part:
    """Draw a state of the example with its caption below."""
    drawn = drawing(EXAMPLE, state)
    scale = 0.72
    picture = _Part(drawn.height * scale, scaled(drawn, -MARGIN * scale, 0, scale))
    return _column([picture, *_lines(words, 8, room)])


# Puzzles


class _Shelf(NamedTuple):
    """Puzzles side by side, each with its width; and the height of the highest."""

    puzzles: list[BookPuzzle]
    width: float
    height: float


def _slot(paper: str, count: int) -> tuple[float, float]:
    """Return the width and height of a puzzle's share of a page with several."""
    columns, rows = SLOTS[count]
    return (_room(paper) + GAP) / columns - GAP, (_high(paper) + GAP) / rows - GAP


def _cell(puzzle: Puzzle, paper: str, count: int) -> float:
    """Return the largest side of a cell in points on a page of several puzzles."""
    (width, height), place = _slot(paper, count), geometry(puzzle)
    high = height - LABEL - _legend(puzzle, width).height
    return min(MOST_CELL, CELL * width / (place.width - 2 * MARGIN), CELL * high / (place.height - 2 * MARGIN))


def _count(puzzle: Puzzle, layout: BookLayout) -> int:
    """Return how many puzzles a page can have with this one."""
    least = EASY_CHIP if puzzle.colors > 1 else EASY_CELL
    fitting = (count for count in SLOTS if count <= layout.per_page and _cell(puzzle, layout.paper, count) >= least)
    return max(fitting, default=1)


def _cells(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> dict[tuple[int, int], float]:
    """Return the side of a cell in points of each size of puzzles, width and height."""
    cells: dict[tuple[int, int], float] = {}
    for puzzle, *_ in puzzles:
        size = puzzle.width, puzzle.height
        cells[size] = min(cells.get(size, MOST_CELL), _cell(puzzle, layout.paper, _count(puzzle, layout)))
    return cells


def _chapter_pages(chapter: _Chapter, layout: BookLayout, cells: dict[tuple[int, int], float]) -> Iterator[str]:
    """Draw the pages of a chapter; what is left of a page's height is divided between its shelves."""
    for number, shelves in enumerate(_shelved(chapter.puzzles, layout, cells)):
        parts = [_head(chapter.title, not number, chapter.stars or 0)]
        y, spare = BORDER + HEAD, _high(layout.paper) - sum(shelf.height for shelf in shelves)
        for shelf in shelves:
            for k, each in enumerate(shelf.puzzles):
                cell = cells[each.puzzle.width, each.puzzle.height]
                parts.append(_at(BORDER + k * (shelf.width + GAP), y, _puzzle(each, shelf.width, cell)))
            y += shelf.height + spare / len(shelves)
        yield "".join(parts)


def _shelved(
    puzzles: Sequence[BookPuzzle], layout: BookLayout, cells: dict[tuple[int, int], float]
) -> Iterator[list[_Shelf]]:
    """Divide consecutive puzzles into pages of shelves, as many as fit and the layout allows."""
    columns, (column, _), room = SLOTS[layout.per_page][0], _slot(layout.paper, layout.per_page), _room(layout.paper)
    high = _high(layout.paper) + ROUNDING
    page: list[_Shelf] = []
    for each in puzzles:
        new = _shelf(each, column, cells)
        if new is None or new.height > high:
            new = _shelf(each, room, cells) or _Shelf([each], room, high)
        used = sum(shelf.height + GAP for shelf in page)
        if sum(len(shelf.puzzles) for shelf in page) == layout.per_page:
            yield page
            page = [new]
        elif (
            page
            and page[-1].width == new.width
            and len(page[-1].puzzles) < columns * (new.width < room)
            and (used - GAP - page[-1].height + max(new.height, page[-1].height) <= high)
        ):
            page[-1] = _Shelf([*page[-1].puzzles, each], column, max(new.height, page[-1].height))
        elif page and used + new.height > high:
            yield page
            page = [new]
        else:
            page.append(new)
    yield page


def _shelf(each: BookPuzzle, width: float, cells: dict[tuple[int, int], float]) -> _Shelf | None:
    """Return a shelf of one puzzle, None if it is wider."""
    place, scale = geometry(each.puzzle), cells[each.puzzle.width, each.puzzle.height] / CELL
    if (place.width - 2 * MARGIN) * scale > width + ROUNDING:
        return None
    height = LABEL + (place.height - 2 * MARGIN) * scale + _legend(each.puzzle, width).height
    return _Shelf([each], width, height)


def _puzzle(each: BookPuzzle, room: float, cell: float) -> str:
    """Draw an unsolved puzzle, with number, size, minutes and stars above, and its colours below."""
    puzzle, scale = each.puzzle, cell / CELL
    letters = color_letters(puzzle.palette) if puzzle.colors > 1 else ""
    drawn = drawing(puzzle, letters=letters)
    width = max(LEAST_LABEL, (drawn.width - 2 * MARGIN) * scale)
    left, bottom = (room - width) / 2, LABEL + (drawn.height - 2 * MARGIN) * scale
    legend, below = _legend(puzzle, room), _legend(puzzle, width)
    facts = [f"{puzzle.width}x{puzzle.height}"]
    if each.minutes is not None:
        facts.append(f"about {estimate_text(each.minutes, 'minutes')}")
    if each.stars is not None:
        facts.append(f"{estimate_text(each.stars, 'stars')} stars of 5")
    return "".join([
        scaled(drawn, (room - drawn.width * scale) / 2, LABEL - MARGIN * scale, scale),
        text(f"{each.number}", left, 11, 14, width, BOLD),
        text(", ".join(facts), left + width, 11, 8, width, f"{END} {FAINT}"),
        _at(left if below.height == legend.height else 0, bottom, legend.content),
    ])  # fmt: skip


def _legend(puzzle: Puzzle, room: float) -> _Part:
    """Set the letters of a puzzle's colours, and a background that is not white; nothing for one colour on white."""
    entries = [*range(1, puzzle.colors + 1)] if puzzle.colors > 1 else []
    entries = [0] * (rgb(puzzle, 0) != "ffffff") + entries
    letters, names = color_letters(puzzle.palette), color_names(puzzle.palette)
    parts, x, line = [], 0.0, 0
    for entry in entries:
        name = names[entry] + " background" * (entry == 0)
        width = min(room, 11 + 7 * text_width(name) + 8)
        if x and x + width > room:
            x, line = 0.0, line + 1
        y, color = 4 + line * LEGEND_LINE, rgb(puzzle, entry)
        parts += [
            f'<rect x="{x:.2f}" y="{y:.2f}" width="9" height="9" fill="#{color}" stroke="#{GREY}" stroke-width=".4"/>',
            text(letters[entry], x + 4.5, y + 6.8, 7, 9, f'{MIDDLE} fill="#{ink(color)}"'),
            text(name, x + 11, y + 6.8, 7, room - 11),
        ]
        x += width
    return _Part(4 + (line + 1) * LEGEND_LINE if entries else 0.0, "".join(parts))


# Solutions, authors and licences


def _answers(puzzles: Sequence[BookPuzzle], paper: str) -> Iterator[_Part]:
    """Draw solutions in rows, with number, title, author and id below each."""
    step = (_room(paper) + GAP) / ANSWER_COLUMNS
    for k in range(0, len(puzzles), ANSWER_COLUMNS):
        yield _row([_answer(each, step - GAP) for each in puzzles[k : k + ANSWER_COLUMNS]], step)


def _answer(each: BookPuzzle, room: float) -> _Part:
    puzzle = each.puzzle
    assert puzzle.goal is not None
    scale = min(room / puzzle.width, MOST_ANSWER / puzzle.height)
    height = puzzle.height * scale
    place = f'width="{puzzle.width * scale:.2f}" height="{height:.2f}"'
    picture = svg(puzzle.goal, [color.rgb for color in puzzle.palette])
    frame = f'<rect {place} fill="none" stroke="#{GREY}" stroke-width=".5"/>'
    title = (puzzle.title or "")[:MOST_LETTERS]
    about = " · ".join(part[:MOST_LETTERS] for part in (puzzle.author, puzzle.puzzle_id) if part)
    return _column([
        _Part(height + 2, f"<svg {place}>{picture}</svg>{frame}"),
        *_lines(f"{each.number}  {title}", 8 if len(title) < LONG_TITLE else 6, room, BOLD),
        *_lines(about, 6, room, FAINT),
        _space(12),
    ])  # fmt: skip


UNKNOWN_RIGHTS = (
    "No licence is known of these puzzles that lets them be passed on. Ask their authors before you publish this book."
)


def _imprint(puzzles: Sequence[BookPuzzle], paper: str) -> Iterator[_Part]:
    """Set sources with their terms, authors with copyrights and licences, and the puzzles without a free licence."""
    room = _room(paper)
    columns = {name: [getattr(each.puzzle, name) for each in puzzles] for name in ("license", "source")}
    schema = pa.schema(dict.fromkeys(columns, pa.string()))
    free = shareable(pa.RecordBatch.from_pydict(columns, schema)).to_pylist()
    yield from _lines("Selected, checked and set by nonocensus. Each puzzle has exactly one solution.", 10, room)
    yield from _heading("Rights", paper)
    if all(free):
        yield from _lines("All puzzles may be passed on under the licences below.", 10, room)
    else:
        yield from _lines(UNKNOWN_RIGHTS, 10, room)
        for each, is_free in zip(puzzles, free, strict=True):
            if not is_free:
                puzzle = each.puzzle
                named = [puzzle.title, puzzle.author and f"by {puzzle.author}", puzzle.puzzle_id]
                words = ", ".join(part[:MOST_LETTERS] for part in named if part)
                yield from _lines(f"{each.number}  {words}", 8, room)
    yield from _heading("Sources", paper)
    for source, members in _grouped_by(puzzles, lambda puzzle: (puzzle.source,)).items():
        name = source[0] or "unknown"
        terms = [part for part in (HOME_PAGES.get(name), TERMS.get(name)) if part]
        yield from _lines(f"{name}{': ' * bool(terms)}{'; '.join(terms)}. {_numbers(members)}", 8, room)
    yield from _heading("Authors", paper)
    credit = _grouped_by(puzzles, lambda puzzle: (puzzle.author, puzzle.copyright, puzzle.license))
    for (author, *rights), members in credit.items():
        known = [part[:MOST_LETTERS] for part in (author or "unknown author", *rights) if part]
        yield from _lines(f"{', '.join(known)}. {_numbers(members)}", 8, room)


def _grouped_by(
    puzzles: Sequence[BookPuzzle], key: Callable[[Puzzle], tuple[str | None, ...]]
) -> dict[tuple[str | None, ...], list[int]]:
    """Return the numbers of puzzles by a key, in the order of its first."""
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for each in puzzles:
        groups.setdefault(key(each.puzzle), []).append(each.number)
    return groups


def _numbers(numbers: Sequence[int]) -> str:
    """Return rising numbers in words: `Puzzles 1, 3 to 5`."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0])]
    words = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"Puzzle{'s' * (len(numbers) > 1)} {', '.join(words)}."
