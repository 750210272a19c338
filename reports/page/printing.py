"""Pages as PDF, by vl-convert and pypdf, and a puzzle on A4.

Its title, which often says what the picture is, stands above the solution, which is the second page.
"""

from collections.abc import Iterable, Mapping
from io import BytesIO

import numpy as np
import vl_convert

from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.geometry import CELL, MARGIN, MOST_NUMBERS, clues_fit
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.svg import FONT, Drawing, drawing, text
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import Puzzle

SHORT, LONG = 595.276, 841.89
"""Sides of A4 in points."""

BORDER = 34.0
"""Points of the margin."""

MOST_CELL = 28.0
"""Maximum side of a cell in points, a centimetre."""

LEAST_CELL = 2.8
"""Minimum side of a cell in points, a millimetre: smaller numbers are illegible."""


def _scale(drawn: Drawing, width: float, height: float) -> float:
    """Return the scale of a drawing in a rectangle, in points a unit; margins may overlap the border."""
    return min(MOST_CELL / CELL, width / (drawn.width - 2 * MARGIN), height / (drawn.height - 2 * MARGIN))


def scaled(drawn: Drawing, x: float, y: float, scale: float) -> str:
    """Return a drawing as an element of a page, at a position in points."""
    return (
        f'<svg x="{x:.2f}" y="{y:.2f}" width="{drawn.width * scale:.2f}" height="{drawn.height * scale:.2f}" '
        f'viewBox="0 0 {drawn.width} {drawn.height}">{drawn.content}</svg>'
    )


def pdf(pages: Iterable[str], sides: tuple[float, float], title: str, outline: Mapping[str, int]) -> bytes:
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
    return pdf(pages, sides, clean(puzzle.puzzle_id or f"Nonogram, {size}"), {})


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
        scaled(drawn, (width - drawn.width * scale) / 2, BORDER + A4_HEAD - MARGIN * scale, scale),
        text(title, BORDER, BORDER + 15, 18, room, 'font-weight="bold"'),
        text(about, BORDER, BORDER + 32, 10, room, 'fill="#444444"'),
        text(puzzle.copyright or "", BORDER, height - BORDER, 7, room, 'fill="#666666"'),
    ])  # fmt: skip
