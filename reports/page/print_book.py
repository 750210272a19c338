"""A book of puzzles to print: numbered, 1, 2, 4 or 6 a page, the answers at the end; a PDF by vl-convert and pypdf.

Nothing above an unsolved grid says what it shows: titles and authors stand with the answers. A puzzle whose cells would
be too small shares its page with fewer others.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from math import prod
from typing import NamedTuple

import vl_convert

from nonocensus.reports.drawings.geometry import CELL, MARGIN, clues_fit
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.drawings.sheet_colors import GREY
from nonocensus.reports.drawings.svg import FONT, Drawing, drawing, text
from nonocensus.reports.page.print_pages import BORDER, LEAST_CELL, LONG, MOST_CELL, SHORT, scaled
from nonocensus.reports.words.formatting import estimate_text
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import Puzzle

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

SLOTS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 6: (2, 3)}
"""Columns and rows of a page by its number of puzzles."""

ANSWER_SLOTS = (4, 5)
"""Columns and rows of a page of answers."""

ANSWER_FOOT = 27.0
"""Points below a solution for title, author and rights."""

GAP, HEAD, FOOT = 20.0, 22.0, 16.0
"""Points between puzzles, above a puzzle for its number, and below all for the page's number."""

EASY_CELL = 8.5
"""Minimum side of a cell in points, 3 mm, on a page of several puzzles: smaller ones are hard to fill in."""

FAINT = 'fill="#555555"'
"""Colour of secondary text."""


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


class _Box(NamedTuple):
    """A rectangle on a page in points."""

    x: float
    y: float
    width: float
    height: float


def fits_page(puzzle: Puzzle, layout: BookLayout) -> bool:
    """Return whether a puzzle is legible on a page of its own."""
    return clues_fit(puzzle) and _scale(drawing(puzzle), _slots(layout.paper, *SLOTS[1])[0]) * CELL >= LEAST_CELL


def book(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> bytes:
    """Return a PDF of puzzles, all of which fit a page (`fits_page`), in the order given."""
    with extra("pictures"):
        from pypdf import PdfReader, PdfWriter
    writer = PdfWriter()
    width, height = PAPERS[layout.paper]
    answers = prod(ANSWER_SLOTS)
    chapters = {
        "Puzzles": (_puzzle_page(page, layout.paper) for page in _pages(puzzles, layout)),
        "Answers": (_answer_page(puzzles[k : k + answers], layout.paper) for k in range(0, len(puzzles), answers)),
    }
    for title, pages in chapters.items():
        first = len(writer.pages)
        for content in pages:
            place = f"{len(writer.pages) + 1}"
            foot = text(place, width / 2, height - BORDER + 6, 8, width, f'text-anchor="middle" {FAINT}')
            page = (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="{FONT}">'
                f"{content}{foot}</svg>"
            )
            writer.append(PdfReader(BytesIO(vl_convert.svg_to_pdf(page))))
        writer.add_outline_item(title=title, page_number=first)
    writer.add_metadata({"/Title": f"{len(puzzles)} nonograms"})
    writer.compress_identical_objects()  # each page embeds the same fonts
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _slots(paper: str, columns: int, rows: int) -> list[_Box]:
    """Divide a page into equal boxes, row by row."""
    width, height = PAPERS[paper]
    across = (width - 2 * BORDER + GAP) / columns
    down = (height - 2 * BORDER - FOOT + GAP) / rows
    return [
        _Box(BORDER + x * across, BORDER + y * down, across - GAP, down - GAP)
        for y in range(rows)
        for x in range(columns)
    ]


def _scale(drawn: Drawing, box: _Box) -> float:
    """Return the scale of a drawing below its number in a box, in points a unit; margins may overlap the border."""
    sides = (box.width / (drawn.width - 2 * MARGIN), (box.height - HEAD) / (drawn.height - 2 * MARGIN))
    return min(MOST_CELL / CELL, *sides)


def _pages(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> Iterator[list[BookPuzzle]]:
    """Group consecutive puzzles into pages on which all are large enough."""
    page: list[BookPuzzle] = []
    most = layout.per_page
    for each in puzzles:
        drawn = drawing(each.puzzle)
        fitting = [
            count
            for count in SLOTS
            if count <= layout.per_page and _scale(drawn, _slots(layout.paper, *SLOTS[count])[0]) * CELL >= EASY_CELL
        ]
        room = max(fitting, default=1)
        if len(page) >= min(most, room):
            yield page
            page, most = [], layout.per_page
        page.append(each)
        most = min(most, room)
    yield page


def _puzzle_page(page: Sequence[BookPuzzle], paper: str) -> str:
    """Draw unsolved puzzles as large as fits, with number, size, minutes and stars above each."""
    parts = []
    boxes = _slots(paper, *next(slots for count, slots in SLOTS.items() if count >= len(page)))
    for each, box in zip(page, boxes, strict=False):
        drawn = drawing(each.puzzle)
        scale = _scale(drawn, box)
        x, y = box.x + (box.width - drawn.width * scale) / 2, box.y + HEAD - MARGIN * scale
        facts = [f"{each.puzzle.width}x{each.puzzle.height}"]
        if each.minutes is not None:
            facts.append(f"about {estimate_text(each.minutes, 'minutes')}")
        if each.stars is not None:
            facts.append(f"{estimate_text(each.stars, 'stars')} stars of 5")
        right = box.x + box.width
        parts += [
            text(f"{each.number}", box.x, box.y + 12, 14, box.width, 'font-weight="bold"'),
            text(", ".join(facts), right, box.y + 12, 8, box.width, f'text-anchor="end" {FAINT}'),
            scaled(drawn, x, y, scale),
        ]
    return "".join(parts)


def _answer_page(page: Sequence[BookPuzzle], paper: str) -> str:
    """Draw solutions, with number and title, author and rights below each."""
    parts = []
    for each, box in zip(page, _slots(paper, *ANSWER_SLOTS), strict=False):
        puzzle, room = each.puzzle, box.height - ANSWER_FOOT
        assert puzzle.goal is not None
        scale = min(box.width / puzzle.width, room / puzzle.height)
        width, height = puzzle.width * scale, puzzle.height * scale
        place = f'x="{box.x:.2f}" y="{box.y:.2f}" width="{width:.2f}" height="{height:.2f}"'
        rights = [part for part in (puzzle.copyright, puzzle.license, puzzle.puzzle_id) if part]
        picture = svg(puzzle.goal, [color.rgb for color in puzzle.palette])
        y = box.y + height
        parts += [
            f"<svg {place}>{picture}</svg>",
            f'<rect {place} fill="none" stroke="#{GREY}" stroke-width=".5"/>',
            text(f"{each.number}  {puzzle.title or ''}", box.x, y + 10, 8, box.width, 'font-weight="bold"'),
            text(puzzle.author or "", box.x, y + 18, 6, box.width, FAINT),
            text(", ".join(rights), box.x, y + 25, 6, box.width, FAINT),
        ]
    return "".join(parts)
