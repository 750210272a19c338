"""Pages of nonograms.org and nonograms.ru: puzzles, lists, and pages without a puzzle.

A page has no clues but the picture, obfuscated in an array of numbers (`nonograms_codec`). Pages of the same structure
are written for the twin, and for tests without the site.
"""

import html
import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from string import ascii_lowercase, digits

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from nonocensus.scrapers.formats.nonograms_codec import Array, Decoded, decode, encode
from nonocensus.scrapers.formats.parsing import FormatError, clip
from nonocensus.scrapers.site import Judgement
from nonocensus.solver.model.puzzle import BLACK, WHITE, Color, Puzzle, from_picture

MAX_ENTRIES = 500_000
"""Of an array; the site's largest puzzle has at most 80,000. A list of numbers takes some 200 bytes."""

MAX_TAGS = 5_000
"""Of a page, closing tags included; real ones have 500. Parsing HTML can take quadratic time."""

ARRAY = re.compile(r"var\s+d\s*=\s*(\[[0-9,\[\]\s]+\])\s*;")
ARRAY_BEGINS = re.compile(r"\bvar\s+d\s*=")
SIZE = re.compile(r"\w+:\s*([0-9]{1,4})\s*x\s*([0-9]{1,4})\b")
DATE = re.compile(r"(?<![0-9.])([0-9]{2})\.([0-9]{2})\.([0-9]{2})(?![0-9.])")
RATING = re.compile(r"(10|[0-9](?:\.[0-9]+)?)/10")
RATINGS = ("Picture", "Difficulty")
RED = re.compile(r"(?:^|;)\s*color\s*:\s*red\b", re.IGNORECASE)
LINK = re.compile(r"/nonograms(2?)/i/([0-9]{1,9})/?(?:[?#].*)?$")
PAGE = re.compile(r"/nonogram(?:s|print)2?/i/([0-9]{1,9})(?![0-9])")
NUMBER = re.compile(PAGE.pattern.encode())
SYMBOLS = ascii_lowercase + digits
"""Of the colours other than black, in the order of the page."""


def judge(data: bytes, status: int, number: int, colored: bool, base: str) -> Judgement:
    """Judge the reply for the page of puzzle `number`.

    `base` is the site's URL; `colored` whether a coloured puzzle was requested, which its array may contradict.
    """
    if status == 404:
        return Judgement("missing")
    if status != 200:
        return Judgement("error", f"HTTP status {status}")
    try:
        return _judgement(_page(data), number, f"{base.rstrip('/')}/nonograms{'2' if colored else ''}/i/{number}")
    except FormatError as error:
        return Judgement("error", str(error))


def other_puzzle(there: str, number: int) -> Judgement:
    """Judge a reply that is the page of another number than the requested one."""
    return Judgement("error", f"the reply is nonograms/{there}, not {number}")


def _judgement(page: LexborHTMLParser, number: int, url: str) -> Judgement:
    for node in page.css("#nonogram_print, link[rel=canonical]"):
        if (found := PAGE.search(node.attributes.get("href") or "")) and int(found[1]) != number:
            return other_puzzle(found[1], number)
    if page.css_first(".nonogram_title_adult"):
        return Judgement("adult")
    array = _array(page)
    if array is not None:
        return Judgement("ok", None, _puzzle(page, decode(array), number, url))
    if page.css_first("div.error_block"):
        return Judgement("missing")
    for division in page.css(".content > div[style]"):
        if RED.search(division.attributes["style"] or ""):
            return Judgement("deleted", " ".join(division.text().split()))
    title = _text(page, "title")
    raise FormatError(f"it has no puzzle; its title is {clip(title)}" if title else "it has no puzzle and no title")


def listed_puzzles(data: bytes) -> list[tuple[int, bool]]:
    """Return the puzzles that a list or search page links to: number, and whether it is coloured.

    In page order, each once; the random puzzle on every page of the site is excluded. Raises FormatError for a page
    that is too large.
    """
    page = _page(data)
    for division in page.css(".nonogram_rand"):
        division.decompose()
    links = (LINK.search(node.attributes["href"] or "") for node in page.css("a[href]"))
    return list(dict.fromkeys((int(link[2]), link[1] == "2") for link in links if link))


def newest_number(data: bytes) -> int | None:
    """Return the largest puzzle number among a page's links, None without any."""
    return max(map(int, NUMBER.findall(data)), default=None)


def _page(data: bytes) -> LexborHTMLParser:
    if data.count(b"<") > MAX_TAGS:
        raise FormatError(f"it has more than {MAX_TAGS:,} tags")
    # invalid UTF-8 costs a character of a title, not the puzzle
    return LexborHTMLParser(data.decode("utf-8-sig", "replace"))


def _array(page: LexborHTMLParser) -> Array | None:
    """Return the array as parsed but not validated, None without one."""
    for script in page.css(".content script"):
        text = script.text()
        if found := ARRAY.search(text):
            if found[1].count("[") > MAX_ENTRIES or found[1].count(",") > 4 * MAX_ENTRIES:
                raise FormatError(f"its 'var d' has more than {MAX_ENTRIES:,} entries")
            try:
                array: Array = json.loads(found[1])
            except (ValueError, RecursionError):  # syntax errors, huge numbers; deep nesting
                raise FormatError("its 'var d' is not an array of numbers") from None
            return array
        if ARRAY_BEGINS.search(text):
            raise FormatError("its 'var d' is cut off or has more than numbers")
    return None


def _puzzle(page: LexborHTMLParser, decoded: Decoded, number: int, url: str) -> Puzzle:
    row, size = _row(page)
    height, width = decoded.picture.shape
    if size not in (None, (width, height)):
        raise FormatError(f"its size is given as {size[0]}x{size[1]}, but its array is {width}x{height}")
    quality, difficulty = _ratings(row)
    rights = page.css_first('meta[name="Copyright"]')
    return from_picture(
        decoded.picture,
        _palette(decoded.colors),
        puzzle_id=f"nonograms/{number}",
        source="nonograms",
        source_id=str(number),
        url=url,
        title=_text(page, "#nonogram_title"),
        author=_text(page, "#nonogram_author_name"),
        copyright=(rights.attributes.get("content") or "").strip() or None if rights else None,
        site_quality=quality,
        site_difficulty=difficulty,
        site_date=_date(row),
        site_steps=None if decoded.steps is None else int(decoded.steps.max()),
    )


def _date(row: LexborNode | None) -> date | None:
    """Return the date of the puzzle, None if it is missing or invalid."""
    found = DATE.search(row.text()) if row else None
    try:
        return date(2000 + int(found[3]), int(found[2]), int(found[1])) if found else None
    except ValueError:
        return None


def _text(page: LexborHTMLParser, selector: str) -> str | None:
    node = page.css_first(selector)
    return node.text().strip() or None if node else None


def _row(page: LexborHTMLParser) -> tuple[LexborNode | None, tuple[int, int] | None]:
    """Return the table row that begins with the size, and the size (width, height)."""
    for row in page.css(".content tr"):
        cell = row.css_first("td")
        if cell and (found := SIZE.match(cell.text().strip())):
            return row, (int(found[1]), int(found[2]))
    return None, None


def _ratings(row: LexborNode | None) -> tuple[float | None, float | None]:
    """Return the visitors' ratings of picture and difficulty, of 10.

    By label, or in other languages than English by order, if both exist.
    """
    rated: dict[str, float] = {}
    for cell in row.css("td") if row else ():
        image = cell.css_first("img")
        if image and (found := RATING.fullmatch(image.attributes.get("alt") or "")):
            rated[cell.text().strip().rstrip(":")] = float(found[1])
    if len(rated) == 2 and rated.keys().isdisjoint(RATINGS):
        rated = dict(zip(RATINGS, rated.values(), strict=True))
    return rated.get(RATINGS[0]), rated.get(RATINGS[1])


def _palette(colors: Sequence[str]) -> tuple[Color, ...]:
    palette = [WHITE]
    for number, rgb in enumerate(colors, 1):
        plain = Color(f"color{number}", SYMBOLS[number - 1], rgb)
        palette.append(BLACK if rgb == BLACK.rgb and BLACK not in palette else plain)
    return tuple(palette)


def write_page(
    puzzle: Puzzle,
    number: int,
    base: str,
    rating: int | None = None,
    difficulty: int | None = None,
    added: date | None = None,
    steps: np.ndarray | None = None,
) -> bytes:
    """Return the page of puzzle `number` of the site at `base`. Ratings are of 10; steps is [height, width].

    The puzzle must have a goal that fits its clues, and a white background.
    """
    assert puzzle.goal is not None
    array = encode(puzzle.goal, [color.rgb.lower() for color in puzzle.palette[1:]], steps, seed=number)
    title, author, base = html.escape(puzzle.title or ""), html.escape(puzzle.author or ""), html.escape(base)
    kind = "2" if puzzle.kind == "color" else ""
    link = f'<a id="nonogram_author_name" href="{base}/user/1">{author}</a>' if author else ""
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
