"""Pages with the structure of nonograms.org, for the twin and for tests without the site."""

import html
import json
from collections.abc import Iterable
from datetime import date

import numpy as np

from nonocensus.scrapers.formats.nonograms_org.codec import encode
from nonocensus.scrapers.formats.parsing import FormatError, clipped
from nonocensus.solver.model.puzzle import WHITE, Puzzle, clues_of


def write_page(
    puzzle: Puzzle,
    number: int,
    base: str,
    rating: int | None = None,
    difficulty: int | None = None,
    added: date | None = None,
    author_number: int = 1,
    steps: np.ndarray | None = None,
) -> bytes:
    """Return the page of puzzle `number` of the site at `base`. Ratings are of 10; steps is [height, width].

    Raises FormatError for a puzzle without a goal, with clues that are not the goal's (blots, for instance), or with
    another background than white.
    """
    if puzzle.goal is None or clues_of(puzzle.goal) != (puzzle.rows, puzzle.columns):
        raise FormatError("a page of nonograms.org needs a picture that fits the clues")
    if puzzle.palette[0].rgb.lower() != WHITE.rgb:
        raise FormatError(f"a page of nonograms.org has a white background, not {clipped(puzzle.palette[0].rgb)}")
    array = encode(puzzle.goal, [color.rgb.lower() for color in puzzle.palette[1:]], steps, seed=number)
    title, author, base = html.escape(puzzle.title or ""), html.escape(puzzle.author or ""), html.escape(base)
    kind = "2" if puzzle.kind == "color" else ""
    link = f'<a id="nonogram_author_name" href="{base}/user/{author_number}">{author}</a>' if author else ""
    cells = [
        f"Size: {puzzle.width}x{puzzle.height}",
        f"Picture:{_rating_image(rating)}",
        f"Difficulty:{_rating_image(difficulty)}",
        "Added:",
        f"{added:%d.%m.%y}" if added else "",
        f"Author: {link}",
    ]
    rights = f'<meta name="Copyright" content="{html.escape(puzzle.copyright)}">' if puzzle.copyright else ""
    return _html(
        title,
        f"""<h1><span>{title}</span></h1>
<div class="nonogrampage_top_links">
<a href="{base}/nonogramprint{kind}/i/{number}" id="nonogram_print">Print</a></div>
<span style="display:none" id="nonogram_title">{title}</span>
<br>
<table><tr>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr></table>
<br>
<script type="text/javascript">
var d={json.dumps(array, separators=(",", ":"))};
</script>""",
        rights,
    )


def write_list_page(ids: Iterable[tuple[int, bool]], base: str = "https://www.nonograms.org") -> bytes:
    """Return a list page of the site at `base`, from numbers and whether they are coloured."""
    base = html.escape(base)
    rows = [
        f'<tr><td class="nonogram_descr"><a class="nonogram_title" href="{base}/nonograms{kind}/i/{number}">'
        f'Puzzle {number}</a> <a href="{base}/nonogramprint{kind}/i/{number}">Print</a></td></tr>'
        for number, kind in ((number, "2" if colored else "") for number, colored in ids)
    ]
    return _html("Puzzles", "\n".join(['<table class="nonogram_list">', *rows, "</table>"]))


def missing_page() -> bytes:
    """Return the page for an unknown number, sent with status 404."""
    return _html("Error", '<div class="error_block">There is no such page.</div>')


def deleted_page(message: str = "The puzzle is deleted.") -> bytes:
    """Return the page of a deleted puzzle, sent with status 200."""
    style = "color:red;font-size:16px;font-weight:bold;"
    return _html("Deleted", f'<div style="{style}">{html.escape(message)}</div>')


def adult_page(title: str = "For adults") -> bytes:
    """Return the page of a puzzle marked 18+, sent with status 200."""
    title = html.escape(title)
    return _html(title, f'<h1><span class="nonogram_title_adult">{title}</span></h1>')


def _rating_image(rating: int | None) -> str:
    return "" if rating is None else f'<img width="57" height="11" alt="{rating}/10" title="{rating}/10">'


def _html(title: str, content: str, head: str = "") -> bytes:
    # the saved pages of the site begin with a byte order mark
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{title}</title>
{head}
</head>
<body>
<table class="wrapper"><tr><td class="leftcol"></td><td class="document">
<div class="content">
{content}
</div></td></tr></table>
</body>
</html>
""".encode("utf-8-sig")
