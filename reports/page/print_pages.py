"""A puzzle to print: a PDF of A4 pages, rendered by vl-convert and joined by pypdf.

The first page has the empty grid, as large as fits, in portrait or landscape; the second one the solution, if known,
and the title, which often says what the picture is.
"""

from io import BytesIO
from typing import NamedTuple

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
HEAD, FOOT = 46.0, 14.0
"""Points of the margin, of the head (title and author), and of the foot."""

MOST_CELL = 28.0
"""Maximum side of a cell in points, a centimetre."""

LEAST_CELL = 2.8
"""Minimum side of a cell in points, a millimetre: smaller numbers are illegible."""


class TooSmall(ValueError):
    """The puzzle would be illegible on one page."""


class Sheet(NamedTuple):
    """An A4 page in points, and the scale in points a unit."""

    width: float
    height: float
    scale: float


def a4(puzzle: Puzzle, solution: np.ndarray | None = None) -> bytes:
    """Return a PDF of one page, or of two with a solution, uint8[height, width] of palette entries.

    Raises TooSmall if the cells would be illegible.
    """
    empty = drawing(puzzle)
    sheet = max(_sheet(empty, SHORT, LONG), _sheet(empty, LONG, SHORT), key=lambda sheet: sheet.scale)
    size = f"{puzzle.width}x{puzzle.height}"
    if not clues_fit(puzzle):
        raise TooSmall(f"the clues of {size} cells have more than {MOST_NUMBERS:,} numbers, too many for a sheet of A4")
    if sheet.scale * CELL < LEAST_CELL:
        raise TooSmall(
            f"the cells of {size} would be {sheet.scale * CELL * 25.4 / 72:.1f} mm wide on A4; "
            f"{LEAST_CELL * 25.4 / 72:.0f} mm is the least"
        )
    pages = [_page(puzzle, empty, sheet, "")]
    if solution is not None:
        pages.append(_page(puzzle, drawing(puzzle, GridState(solution)), sheet, "Solution"))
    with extra("pictures"):
        from pypdf import PdfReader, PdfWriter
    writer = PdfWriter()
    for page in pages:
        writer.append(PdfReader(BytesIO(vl_convert.svg_to_pdf(page))))
    writer.add_metadata({"/Title": clean(puzzle.puzzle_id or f"Nonogram, {size}")})
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _sheet(drawn: Drawing, width: float, height: float) -> Sheet:
    room = width - 2 * BORDER, height - 2 * BORDER - HEAD - FOOT
    most = MOST_CELL / CELL
    return Sheet(width, height, min(most, room[0] / (drawn.width - 2 * MARGIN), room[1] / (drawn.height - 2 * MARGIN)))


def _page(puzzle: Puzzle, drawn: Drawing, sheet: Sheet, what: str) -> str:
    """Return a page as SVG: a title, author, size and id in the head, the drawing, the copyright in the foot.

    what   "Solution", with the puzzle's title; empty for the grid
    """
    room = sheet.width - 2 * BORDER
    title = (what and puzzle.title) or "Nonogram"
    size = f"{puzzle.width}x{puzzle.height}"
    about = " · ".join(part for part in (what, puzzle.author and f"by {puzzle.author}", size, puzzle.puzzle_id) if part)
    rights = puzzle.copyright or ""
    x, y = (sheet.width - drawn.width * sheet.scale) / 2, BORDER + HEAD - MARGIN * sheet.scale
    lines = [
        text(title, BORDER, BORDER + 15, 18, room, 'font-weight="bold"'),
        text(about, BORDER, BORDER + 32, 10, room, 'fill="#444444"'),
        text(rights, BORDER, sheet.height - BORDER, 7, room, 'fill="#666666"'),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}" height="{sheet.height}" font-family="{FONT}">'
        f"{scaled(drawn, x, y, sheet.scale)}{''.join(lines)}</svg>"
    )


def scaled(drawn: Drawing, x: float, y: float, scale: float) -> str:
    """Return a drawing as an element of a page, at a position in points; `scale` is in points a unit."""
    return (
        f'<svg x="{x:.2f}" y="{y:.2f}" width="{drawn.width * scale:.2f}" height="{drawn.height * scale:.2f}" '
        f'viewBox="0 0 {drawn.width} {drawn.height}">{drawn.content}</svg>'
    )
