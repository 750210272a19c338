"""Pages as PDF, set by Typst from the templates *.typ, and a puzzle on A4.

Its title, which often says what the picture is, is above the solution, which is the second page. A background that
is not white is named among the colours: open cells are white.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from unicodedata import category

import numpy as np

from nonocensus.reports.clean import clean, without_mojibake
from nonocensus.reports.drawings.geometry import CELL, MARGIN, MOST_NUMBERS, clues_fit, geometry
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.drawings.sheet_colors import color_names, ink, letters_of, rgb
from nonocensus.reports.drawings.svg import EDGE, MOST_LETTERS, add_line_numbers, drawing, number_size
from nonocensus.reports.page.templating import source
from nonocensus.reports.words.formatting import LOCAL, title_words
from nonocensus.solver.extras import extra
from nonocensus.solver.model.puzzle import WHITE, Puzzle

SHORT, LONG = 595.276, 841.89
"""Sides of A4 in points."""

BORDER = 34.0
"""Points of the margin."""

MOST_CELL = 28.0
"""Maximum side of a cell in points, a centimetre."""

LEAST_CELL = 2.8
"""Minimum side of a cell in points, a millimetre: smaller numbers are illegible."""

LEAST_PRINT = 5.0
"""Minimum size of numbers in points that are legible without enlargement."""

FONTS = "Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"
"""Fonts of pages, the first that is installed; Libertinus Serif, which Typst brings, where none is."""

LEGEND_LINE, MOST_NAME = 11.0, 20
"""Points of a line of the colours below a puzzle (`legend` of paper.typ), and letters of a colour's name."""

CHANGING = "Mn", "Mc", "Me", "Cf", "Sk"
"""Unicode categories of characters that change the one before."""

CUT = MARGIN - 2
"""Units of a drawing's margin that are cut off: the lines of its border stay."""


def pdf(template: str, data: Mapping[str, Any]) -> bytes:
    """Return a PDF: a template of reports/templates with data, in which text is text, whatever it holds.

    The same data give the same file where the same fonts are installed.
    """
    with extra("pictures"):
        import typst
    pages = (source("paper.typ") + source(template)).encode()
    content = json.dumps({"fonts": FONTS, **data}, ensure_ascii=False)
    try:
        return typst.compile(pages, sys_inputs={"data": content}, pdf_tags=False)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        # https://github.com/typst/typst/issues/8667: text from right to left with marks that no font has
        plain = "".join(letter for letter in content if letter.isascii() or category(letter) not in CHANGING)
        return typst.compile(pages, sys_inputs={"data": plain}, pdf_tags=False)


def missing_letters(text: str) -> list[str]:
    """Return the letters of a text that no installed font has: pages have boxes in their place."""
    with extra("pictures"):
        import typst
    letters = sorted(letter for letter in {*text} if not letter.isascii() and category(letter) not in CHANGING)
    page = b'#set text(font: json(bytes(sys.inputs.fonts)))\n#json(bytes(sys.inputs.letters)).join(" ")'
    inputs = {"fonts": json.dumps(FONTS), "letters": json.dumps(letters)}
    try:
        typst.compile(page, sys_inputs=inputs, pdf_standards="a-2b")
    except typst.TypstError as error:  # PDF/A may have no boxes
        return re.findall('the text `"(.+?)"` could not be displayed', error.diagnostic)
    return []


def line(parts: Iterable[str | None], separator: str = " · ") -> str:
    """Join untrusted texts, without those that are missing, in one line without control characters."""
    whole = (without_mojibake(part)[:MOST_LETTERS] for part in parts if part)
    return clean(separator.join(" ".join(part.split()) for part in whole))


def extent(puzzle: Puzzle) -> tuple[float, float]:
    """Return the width and height of a drawn puzzle, its lines numbered, in sides of a cell."""
    place = geometry(puzzle)
    return (place.width - 2 * CUT + EDGE) / CELL, (place.height - 2 * CUT + EDGE) / CELL


def names(puzzle: Puzzle) -> tuple[str, str]:
    """Return title and id; a file's name is a title, as it may say what the picture is."""
    is_file = puzzle.puzzle_id.startswith(LOCAL)
    return title_words(puzzle.title, puzzle.puzzle_id * is_file), puzzle.puzzle_id * (not is_file)


def grid(puzzle: Puzzle, cell: float, letters: str = "", state: GridState | None = None) -> dict[str, Any]:
    """Return a puzzle, unsolved or in a state, as an image of a template, with numbers of lines, letters for colours.

    cell   its side in points
    """
    drawn = add_line_numbers(puzzle, drawing(puzzle, state, letters), on_paper=True)
    width, height = drawn.width - 2 * CUT, drawn.height - 2 * CUT
    view = f'viewBox="{CUT} {CUT} {width} {height}" font-family="{", ".join(FONTS)}"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{drawn.content}</svg>'
    return {"svg": picture, "width": width * cell / CELL, "height": height * cell / CELL}


def legend(puzzle: Puzzle, letters: str) -> Iterator[dict[str, str]]:
    """Yield letters and names of colours, and a background that is not white; nothing for one colour on white."""
    names = color_names(puzzle.palette)
    for entry in range(puzzle.colors + 1 if puzzle.colors > 1 else 1):
        color, name = rgb(puzzle, entry), line([names[entry][:MOST_NAME]])
        if entry or color != WHITE.rgb:
            name += ": leave unpainted" * (entry == 0)
            yield {"letter": letters[entry : entry + 1], "color": f"#{color}", "ink": f"#{ink(color)}", "name": name}


def legend_height(puzzle: Puzzle, room: float) -> float:
    """Return an upper estimate of the height of the colours below a puzzle."""
    widths = [20 + (5 if each["name"].islower() else 7) * len(each["name"]) for each in legend(puzzle, "")]
    return LEGEND_LINE * (1 + sum(widths) // (room - max(widths))) + 4 if widths else 0.0


A4_HEAD, A4_FOOT, A4_LEGEND = 46.0, 14.0, 1.3
"""Points of the head (title and author), and of the foot (copyright), and scale of the colours below a puzzle."""


class TooSmall(ValueError):
    """The puzzle would be illegible on one page."""


def a4(puzzle: Puzzle, solution: np.ndarray | None = None) -> bytes:
    """Return a PDF of one page, or of two with a solution, uint8[height, width] of palette entries.

    The grid is as large as fits, in portrait or landscape. Raises TooSmall if the cells would be illegible.
    """

    def cell_on(sides: tuple[float, float]) -> float:
        width, height = sides[0] - 2 * BORDER, sides[1] - 2 * BORDER - A4_HEAD - A4_FOOT
        wide, high = extent(puzzle)
        height -= A4_LEGEND * legend_height(puzzle, width / A4_LEGEND)
        return min(MOST_CELL, width / wide, height / high)

    sides = max(((SHORT, LONG), (LONG, SHORT)), key=cell_on)
    cell = cell_on(sides)
    size = f"{puzzle.width}x{puzzle.height}"
    if not clues_fit(puzzle):
        raise TooSmall(f"the clues of {size} cells have more than {MOST_NUMBERS:,} numbers, too many for a sheet of A4")
    if cell < LEAST_CELL:
        raise TooSmall(
            f"the cells of {size} would be {cell * 25.4 / 72:.1f} mm wide on A4; "
            f"{LEAST_CELL * 25.4 / 72:.0f} mm is the least"
        )
    title, known = names(puzzle)
    letters = letters_of(puzzle)
    points = number_size(puzzle, letters, cell)
    small = None if points >= LEAST_PRINT else f"numbers of {points:.1f} pt: to be enlarged"
    about = [puzzle.author and f"by {puzzle.author}", size, known, small]
    pages = [{"title": "Nonogram", "about": line(about), "image": grid(puzzle, cell, letters)}]
    if solution is not None:
        image = grid(puzzle, cell, letters, GridState(solution))
        pages.append({"title": line([title]) or "Nonogram", "about": line(["Solution", *about]), "image": image})
    return pdf(
        "sheet.typ",
        {
            "name": line([known]) or f"Nonogram, {size}",
            "page": {"width": sides[0], "height": sides[1], "border": BORDER, "head": A4_HEAD},
            "legend": [*legend(puzzle, letters)],
            "legend_scale": A4_LEGEND,
            "pages": pages,
            "copyright": line([puzzle.copyright]),
        },
    )
