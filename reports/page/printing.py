"""Puzzles to print as PDF, by vl-convert and pypdf: one on A4, or a book of them, with the answers at the end.

Nothing above an unsolved grid of a book says what it shows: titles and authors stand with the answers. On A4 the title,
which often says what the picture is, stands above the solution, which is the second page.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np
import vl_convert

from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.geometry import CELL, MARGIN, MOST_NUMBERS, clues_fit
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.picture_svg import svg
from nonocensus.reports.drawings.sheet_colors import GREY
from nonocensus.reports.drawings.svg import FONT, Drawing, drawing, text
from nonocensus.reports.words.formatting import estimate_text
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import Puzzle

SHORT, LONG = 595.276, 841.89
"""Sides of A4 in points."""

PAPERS = {"a4": (SHORT, LONG), "letter": (612.0, 792.0)}
"""Width and height of papers in points."""

BORDER = 34.0
"""Points of the margin."""

MOST_CELL = 28.0
"""Maximum side of a cell in points, a centimetre."""

LEAST_CELL = 2.8
"""Minimum side of a cell in points, a millimetre: smaller numbers are illegible."""


def _scale(drawn: Drawing, width: float, height: float) -> float:
    """Return the scale of a drawing in a rectangle, in points a unit; margins may overlap the border."""
    return min(MOST_CELL / CELL, width / (drawn.width - 2 * MARGIN), height / (drawn.height - 2 * MARGIN))


def _scaled(drawn: Drawing, x: float, y: float, scale: float) -> str:
    """Return a drawing as an element of a page, at a position in points."""
    return (
        f'<svg x="{x:.2f}" y="{y:.2f}" width="{drawn.width * scale:.2f}" height="{drawn.height * scale:.2f}" '
        f'viewBox="0 0 {drawn.width} {drawn.height}">{drawn.content}</svg>'
    )


def _pdf(pages: Iterable[str], sides: tuple[float, float], title: str, outline: Mapping[str, int]) -> bytes:
    """Return a PDF.

    pages     their contents as SVG without the root element
    sides     width and height in points
    outline   index of the first page of each chapter
    """
    with extra("pictures"):
        from pypdf import PdfReader, PdfWriter
    writer = PdfWriter()
    width, height = sides
    for content in pages:
        root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="{FONT}">'
        writer.append(PdfReader(BytesIO(vl_convert.svg_to_pdf(f"{root}{content}</svg>"))))
    for chapter, first in outline.items():
        writer.add_outline_item(title=chapter, page_number=first)
    writer.add_metadata({"/Title": title})
    writer.compress_identical_objects()  # each page embeds the same fonts
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


# One puzzle on A4

A4_HEAD, A4_FOOT = 46.0, 14.0
"""Points of the head (title and author), and of the foot (copyright)."""


class TooSmall(ValueError):
    """The puzzle would be illegible on one page."""


def a4(puzzle: Puzzle, solution: np.ndarray | None = None) -> bytes:
    """Return a PDF of one page, or of two with a solution, uint8[height, width] of palette entries.

    The grid is as large as fits, in portrait or landscape. Raises TooSmall if the cells would be illegible.
    """
    empty = drawing(puzzle)

    def scale_on(sides: tuple[float, float]) -> float:
        return _scale(empty, sides[0] - 2 * BORDER, sides[1] - 2 * BORDER - A4_HEAD - A4_FOOT)

    sides = max(((SHORT, LONG), (LONG, SHORT)), key=scale_on)
    cell = scale_on(sides) * CELL
    size = f"{puzzle.width}x{puzzle.height}"
    if not clues_fit(puzzle):
        raise TooSmall(f"the clues of {size} cells have more than {MOST_NUMBERS:,} numbers, too many for a sheet of A4")
    if cell < LEAST_CELL:
        raise TooSmall(
            f"the cells of {size} would be {cell * 25.4 / 72:.1f} mm wide on A4; "
            f"{LEAST_CELL * 25.4 / 72:.0f} mm is the least"
        )
    pages = [_a4_page(puzzle, empty, sides, scale_on(sides), "")]
    if solution is not None:
        pages.append(_a4_page(puzzle, drawing(puzzle, GridState(solution)), sides, scale_on(sides), "Solution"))
    return _pdf(pages, sides, clean(puzzle.puzzle_id or f"Nonogram, {size}"), {})


def _a4_page(puzzle: Puzzle, drawn: Drawing, sides: tuple[float, float], scale: float, what: str) -> str:
    """Return a page: a title, author, size and id in the head, the drawing, the copyright in the foot.

    what   "Solution", with the puzzle's title; empty for the grid
    """
    width, height = sides
    room = width - 2 * BORDER
    title = (what and puzzle.title) or "Nonogram"
    size = f"{puzzle.width}x{puzzle.height}"
    about = " · ".join(part for part in (what, puzzle.author and f"by {puzzle.author}", size, puzzle.puzzle_id) if part)
    return "".join([
        _scaled(drawn, (width - drawn.width * scale) / 2, BORDER + A4_HEAD - MARGIN * scale, scale),
        text(title, BORDER, BORDER + 15, 18, room, 'font-weight="bold"'),
        text(about, BORDER, BORDER + 32, 10, room, 'fill="#444444"'),
        text(puzzle.copyright or "", BORDER, height - BORDER, 7, room, 'fill="#666666"'),
    ])  # fmt: skip


# A book: 1, 2, 4 or 6 puzzles a page; one whose cells would be too small shares its page with fewer others

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
    return clues_fit(puzzle) and _cell(drawing(puzzle), layout.paper, 1) >= LEAST_CELL


def book(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> bytes:
    """Return a PDF of puzzles, all of which fit a page (`fits_page`), in the order given."""
    sides = width, height = PAPERS[layout.paper]
    columns, rows = ANSWER_SLOTS
    answers = range(0, len(puzzles), columns * rows)
    pages = [_puzzle_page(page, layout.paper) for page in _pages(puzzles, layout)]
    outline = {"Puzzles": 0, "Answers": len(pages)}
    pages += [_answer_page(puzzles[k : k + answers.step], layout.paper) for k in answers]
    foot = 'text-anchor="middle" ' + FAINT
    numbered = (
        page + text(str(number), width / 2, height - BORDER + 6, 8, width, foot) for number, page in enumerate(pages, 1)
    )
    return _pdf(numbered, sides, f"{len(puzzles)} nonograms", outline)


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


def _cell(drawn: Drawing, paper: str, count: int) -> float:
    """Return the side of a cell in points on a page of several puzzles."""
    box = _slots(paper, *SLOTS[count])[0]
    return _scale(drawn, box.width, box.height - HEAD) * CELL


def _pages(puzzles: Sequence[BookPuzzle], layout: BookLayout) -> Iterator[list[BookPuzzle]]:
    """Group consecutive puzzles into pages on which all are large enough."""
    page: list[BookPuzzle] = []
    most = layout.per_page
    for each in puzzles:
        drawn = drawing(each.puzzle)
        fitting = (count for count in SLOTS if _cell(drawn, layout.paper, count) >= EASY_CELL)
        room = min(max(fitting, default=1), layout.per_page)
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
        scale = _scale(drawn, box.width, box.height - HEAD)
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
            _scaled(drawn, x, y, scale),
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
