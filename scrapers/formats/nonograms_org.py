"""The pages of nonograms.org and nonograms.ru: puzzles, the lists that lead to them, and what comes in place of one.

A page holds no clues but the picture, hidden in `var d=[[a,b,c,d],...];`: entries of four numbers that are not
negative. Entry 0 means nothing, entries 1 to 3 are width, height and number of colours, entry 4 is what the colours
that follow count from. Then comes the picture: its number of runs, what they count from, and its runs, shuffled. On all
pages seen, the order in which the site's own solver found the cells follows in the same way. Each run of it carries the
number of a step in place of a colour, and its runs cover every cell once. Not every step finds a cell.

Pages of our own making have the same parts at the same places; with them the scraper is tested without the site.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from math import isqrt
from random import Random
from string import ascii_lowercase, digits
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapers.formats.shared import FormatError, clipped
from scrapers.site import Judgement
from solver.limits import MAX_COLORS
from solver.puzzle import BLACK, WHITE, Color, Puzzle, clues_of, from_picture

MAX_SIDE = 1000
"""Cells; the largest puzzle of the site is 200x200."""

MAX_NUMBER = 1_000_000
"""The largest number in an array; those of the arrays seen are below 2,000."""

MAX_ENTRIES = 500_000
"""In an array; the site's largest puzzle has at most 80,000. As lists of numbers each takes some 200 bytes."""

MAX_TAGS = 5_000
"""On a page, closing tags too; a real one has 500. What HTML takes to parse can grow with the square of that."""

Array = list[list[int]]

ARRAY = re.compile(r"var\s+d\s*=\s*(\[[0-9,\[\]\s]+\])\s*;")
ARRAY_BEGINS = re.compile(r"\bvar\s+d\s*=")
SIZE = re.compile(r"\w+:\s*([0-9]{1,4})\s*x\s*([0-9]{1,4})\b")
DATE = re.compile(r"(?<![0-9.])([0-9]{2})\.([0-9]{2})\.([0-9]{2})(?![0-9.])")
RATING = re.compile(r"(10|[0-9](?:\.[0-9]+)?)/10")
RATINGS = ("Picture", "Difficulty")
RED = re.compile(r"(?:^|;)\s*color\s*:\s*red\b", re.IGNORECASE)
LINK = re.compile(r"/nonograms(2?)/i/([0-9]{1,9})/?(?:[?#].*)?$")
NUMBER = re.compile(rb"/nonogram(?:s|print)2?/i/([0-9]{1,9})(?![0-9])")
RGB = re.compile("[0-9a-f]{6}")
SYMBOLS = ascii_lowercase + digits
"""Of the colours that are not black, in the order of the page."""


class Decoded(NamedTuple):
    """What an array says.

    picture     uint8[height, width]: 0 is empty, c is colors[c - 1]
    colors      six hex digits each
    steps       int32[height, width]: at which step, from 1 on, the site's solver found the cell; None if it is not said
    """

    picture: np.ndarray
    colors: tuple[str, ...]
    steps: np.ndarray | None


def judge(data: bytes, status: int, number: int, colored: bool, base: str) -> Judgement:
    """What the site sent for the page of puzzle `number`, with this HTTP status.

    `base` is the address of the site; `colored` tells whether the page of a coloured puzzle was asked for. Whether the
    puzzle is one, its array says.
    """
    if status == 404:
        return Judgement("missing")
    if status != 200:
        return Judgement("error", f"HTTP status {status}")
    try:
        return _judgement(_page(data), number, f"{base.rstrip('/')}/nonograms{'2' if colored else ''}/i/{number}")
    except FormatError as error:
        return Judgement("error", str(error))


def _judgement(page: LexborHTMLParser, number: int, url: str) -> Judgement:
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
    raise FormatError(f"it has no puzzle; its title is {clipped(title)}" if title else "it has no puzzle and no title")


def _page(data: bytes) -> LexborHTMLParser:
    if data.count(b"<") > MAX_TAGS:
        raise FormatError(f"it has more than {MAX_TAGS:,} tags")
    # a byte that is not UTF-8 costs one character of a title, not the puzzle
    return LexborHTMLParser(data.decode("utf-8-sig", "replace"))


def _array(page: LexborHTMLParser) -> Array | None:
    """The array as it stands there, well-formed but not checked; None if there is none."""
    for script in page.css(".content script"):
        text = script.text()
        if found := ARRAY.search(text):
            if found[1].count("[") > MAX_ENTRIES or found[1].count(",") > 4 * MAX_ENTRIES:
                raise FormatError(f"its 'var d' has more than {MAX_ENTRIES:,} entries")
            try:
                array: Array = json.loads(found[1])
            except (ValueError, RecursionError):  # commas or brackets amiss, a huge number; a thousand brackets
                raise FormatError("its 'var d' is no array of numbers") from None
            return array
        if ARRAY_BEGINS.search(text):
            raise FormatError("its 'var d' is cut off or holds more than numbers")
    return None


def _puzzle(page: LexborHTMLParser, decoded: Decoded, number: int, url: str) -> Puzzle:
    row, size = _row(page)
    height, width = decoded.picture.shape
    if size not in (None, (width, height)):
        raise FormatError(f"it says that the size is {size[0]}x{size[1]}, its array is {width}x{height}")
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
    """The day on which the puzzle was added, None if the row has none or the calendar does not."""
    found = DATE.search(row.text()) if row else None
    try:
        return date(2000 + int(found[3]), int(found[2]), int(found[1])) if found else None
    except ValueError:
        return None


def _text(page: LexborHTMLParser, selector: str) -> str | None:
    node = page.css_first(selector)
    return node.text().strip() or None if node else None


def _row(page: LexborHTMLParser) -> tuple[LexborNode | None, tuple[int, int] | None]:
    """The row of the table that begins with the size, and this size (width, height)."""
    for row in page.css(".content tr"):
        cell = row.css_first("td")
        if cell and (found := SIZE.match(cell.text().strip())):
            return row, (int(found[1]), int(found[2]))
    return None, None


def _ratings(row: LexborNode | None) -> tuple[float | None, float | None]:
    """How the visitors rate picture and difficulty, of 10.

    They go by their labels. In another language than English they go by their order, if both are there.
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


def decode(array: Array) -> Decoded:
    """The picture in an array; raises FormatError, which says what is damaged."""
    numbers = _numbers(array)
    width, height = (_difference(numbers, place, what, MAX_SIDE) for place, what in ((1, "width"), (2, "height")))
    count = _difference(numbers, 3, "number of colours", MAX_COLORS)
    colors = tuple(_color(numbers, place) for place in range(5, 5 + count))
    picture, end = _grid(numbers, 5 + count, (height, width), count, "picture")
    steps: np.ndarray | None = None
    if end < len(numbers):
        steps, end = _grid(numbers, end, (height, width), MAX_NUMBER, "solving order")
        if not steps.all():
            y, x = np.argwhere(steps == 0)[0].tolist()
            raise FormatError(f"the solving order leaves out cell {x + 1} of row {y + 1}")
    if end < len(numbers):
        raise FormatError(f"the array has {len(numbers)} entries, but its puzzle ends after {end}")
    return Decoded(picture.astype(np.uint8), colors, steps)


def _numbers(array: Array) -> np.ndarray:
    """The array as int64[entries, 4], its numbers checked for size."""
    for place, entry in enumerate(array):
        if not isinstance(entry, list) or len(entry) != 4:
            raise FormatError(f"entry {place} of the array is not four numbers")
    try:
        numbers = np.array(array or np.empty((0, 4), np.int64))
    except ValueError:  # lists among the numbers
        numbers = np.empty(0)
    # other things than numbers, or numbers beyond 64 bits, make it an array of another kind
    whole = numbers.dtype.kind == "i" and numbers.ndim == 2
    if not whole or (numbers.size and not 0 <= numbers.min() <= numbers.max() <= MAX_NUMBER):
        raise FormatError(f"the array holds something that is no whole number from 0 to {MAX_NUMBER:,}")
    return numbers


def _entry(numbers: np.ndarray, place: int, what: str) -> list[int]:
    if place >= len(numbers):
        raise FormatError(f"the array ends after {len(numbers)} entries, before the {what}")
    entry: list[int] = numbers[place].tolist()
    return entry


def _difference(numbers: np.ndarray, place: int, what: str, most: int) -> int:
    """A number from 1 to `most` that the remainders of an entry hide."""
    first, second, third = _remainders(numbers, place, what)
    number = first + second - third
    if not 1 <= number <= most:
        raise FormatError(f"the {what} is {number}, not from 1 to {most}")
    return number


def _remainders(numbers: np.ndarray, place: int, what: str) -> list[int]:
    *hidden, divisor = _entry(numbers, place, what)
    if divisor == 0:
        raise FormatError(f"entry {place} of the array, the {what}, divides by zero")
    return [number % divisor for number in hidden]


def _color(numbers: np.ndarray, place: int) -> str:
    base, entry = _entry(numbers, 4, "colours"), _entry(numbers, place, "last colour")
    channels = (entry[0] - base[1], entry[1] - base[0], entry[2] - base[3])
    if not all(0 <= channel <= 255 for channel in channels):
        raise FormatError(f"colour {place - 4} is {channels}, not three numbers from 0 to 255")
    return "{:02x}{:02x}{:02x}".format(*channels)


def _grid(numbers: np.ndarray, start: int, shape: tuple[int, int], most: int, what: str) -> tuple[np.ndarray, int]:
    """The runs from entry `start` on as int32[height, width], 0 where none is, and the entry after the last.

    Each run puts its value, from 1 to `most`, into cells that no other run has.
    """
    height, width = shape
    root, half, rest = _remainders(numbers, start, f"number of runs of the {what}")
    count, base = root**2 + 2 * half + rest, _entry(numbers, start + 1, f"runs of the {what}")
    if count > len(numbers) - start - 2:
        raise FormatError(f"the {what} has {count} runs, but the array has {len(numbers) - start - 2} entries for them")
    x, length, value, y = (numbers[start + 2 : start + 2 + count] - base).T
    outside = (x < 1) | (length < 1) | (x + length - 1 > width) | (y < 1) | (y > height)
    if outside.any():
        run = int(outside.argmax())
        where = f"{length[run]} cells from cell {x[run]} of row {y[run]} on"
        raise FormatError(f"run {run + 1} of the {what}, {where}, is not inside {width}x{height}")
    wrong = (value < 1) | (value > most)
    if wrong.any():
        run = int(wrong.argmax())
        raise FormatError(f"run {run + 1} of the {what} has the value {value[run]}, not from 1 to {most}")
    cells = int(length.sum())
    grid = np.zeros(height * width, np.int32)
    if cells <= grid.size:
        first = (y - 1) * width + x - 1
        grid[np.repeat(first - length.cumsum() + length, length) + np.arange(cells)] = np.repeat(value, length)
    if cells != np.count_nonzero(grid):
        raise FormatError(f"runs of the {what} overlap")
    return grid.reshape(shape), start + 2 + count


def encode(picture: np.ndarray, colors: Sequence[str], steps: np.ndarray | None = None, seed: int = 0) -> Array:
    """An array as the site's that `decode` makes the same of; the same seed makes the same array.

    picture and steps are [height, width], colors six hex digits each. Raises FormatError for what an array can't hold.
    """
    _check(picture, colors, steps)
    random = Random(seed)
    height, width = picture.shape
    base = _noise(random)
    array = [_noise(random), *(_hidden(number, random) for number in (width, height, len(colors))), base]
    for rgb in colors:
        red, green, blue = bytes.fromhex(rgb)
        # the last number is a flag: 1 on all pages seen
        array.append([red + base[1], green + base[0], blue + base[3], red + base[2] + 1])
    return array + _shuffled(picture, random) + ([] if steps is None else _shuffled(steps, random))


def _check(picture: np.ndarray, colors: Sequence[str], steps: np.ndarray | None) -> None:
    if picture.ndim != 2 or not all(1 <= side <= MAX_SIDE for side in picture.shape):
        raise FormatError(f"a picture of the shape {picture.shape} has not two sides from 1 to {MAX_SIDE} cells")
    if not 1 <= len(colors) <= MAX_COLORS:
        raise FormatError(f"it has {len(colors)} colours, not from 1 to {MAX_COLORS}")
    if wrong := [rgb for rgb in colors if not RGB.fullmatch(rgb)]:
        raise FormatError(f"the colour {clipped(wrong[0])} is not six hexadecimal digits in lower case")
    if not 0 <= picture.min() <= picture.max() <= len(colors):
        raise FormatError(f"the picture holds a colour that is not from 0 to {len(colors)}")
    most = MAX_NUMBER // 2  # noise is added
    if steps is not None and (steps.shape != picture.shape or not 1 <= steps.min() <= steps.max() <= most):
        raise FormatError(f"the solving order is not a number from 1 to {most:,} for each cell of the picture")


def _noise(random: Random) -> list[int]:
    return [random.randint(2, 60) for _ in range(4)]


def _hidden(number: int, random: Random) -> list[int]:
    """An entry of which `_difference` makes the number."""
    first = random.randint(1, number + 40)
    second = random.randint(max(0, number - first), number + 40)
    third = first + second - number
    return [first, second, third, max(first, second, third) + random.randint(1, 20)]


def _shuffled(grid: np.ndarray, random: Random) -> Array:
    """The entries of which `_grid` makes the grid."""
    base, runs = _noise(random), list(_runs(grid))
    random.shuffle(runs)
    return [
        _hidden_count(len(runs), random),
        base,
        *([number + noise for number, noise in zip(run, base, strict=True)] for run in runs),
    ]


def _runs(grid: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
    """Place, length, value and row, counted from 1, of the runs of a value other than 0."""
    for y, row in enumerate(grid.tolist(), 1):
        x = 1
        for value, cells in groupby(row):
            length = len(list(cells))
            if value:
                yield x, length, value, y
            x += length


def _hidden_count(count: int, random: Random) -> list[int]:
    root = max(0, isqrt(count) - random.randint(0, 2))
    half = random.randint(0, (count - root**2) // 2)
    hidden = (root, half, count - root**2 - 2 * half)
    divisor = max(hidden) + random.randint(1, 20)
    return [*(number + divisor * random.randint(0, 3) for number in hidden), divisor]


def listed(data: bytes) -> list[tuple[int, bool]]:
    """The puzzles that a list or a page of search results links to: number, and whether it is a coloured one.

    In the order of the page, each once. The random puzzle beside every page of the site is not in the list. Raises
    FormatError for a page that no site would send.
    """
    page = _page(data)
    for division in page.css(".nonogram_rand"):
        division.decompose()
    links = (LINK.search(node.attributes["href"] or "") for node in page.css("a[href]"))
    return list(dict.fromkeys((int(link[2]), link[1] == "2") for link in links if link))


def newest(data: bytes) -> int | None:
    """The largest number of a puzzle that a page of any kind links to; None if it links to none."""
    return max(map(int, NUMBER.findall(data)), default=None)


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
    """The page of puzzle `number` of the site at `base`. Rating and difficulty are of 10; steps is [height, width].

    Raises FormatError for what no page can hold: a puzzle without a goal or with clues that are not the goal's (with
    blots, for instance), or on another background than white.
    """
    if puzzle.goal is None or clues_of(puzzle.goal) != (puzzle.rows, puzzle.columns):
        raise FormatError("a page of nonograms.org holds a picture, and the clues of this puzzle are not of its goal")
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


def missing_page() -> bytes:
    """What comes, with HTTP status 404, for a number that no puzzle has."""
    return _html("Error", '<div class="error_block">There is no such page.</div>')


def deleted_page(message: str = "The puzzle is deleted.") -> bytes:
    """What comes, with HTTP status 200, in place of a puzzle that is deleted."""
    style = "color:red;font-size:16px;font-weight:bold;"
    return _html("Deleted", f'<div style="{style}">{html.escape(message)}</div>')


def adult_page(title: str = "For adults") -> bytes:
    """What comes, with HTTP status 200, in place of a puzzle that is marked 18+."""
    title = html.escape(title)
    return _html(title, f'<h1><span class="nonogram_title_adult">{title}</span></h1>')


def write_list_page(ids: Iterable[tuple[int, bool]], base: str = "https://www.nonograms.org") -> bytes:
    """A list of puzzles of the site at `base`: of each its number and whether it is a coloured one."""
    base = html.escape(base)
    rows = [
        f'<tr><td class="nonogram_descr"><a class="nonogram_title" href="{base}/nonograms{kind}/i/{number}">'
        f'Puzzle {number}</a> <a href="{base}/nonogramprint{kind}/i/{number}">Print</a></td></tr>'
        for number, kind in ((number, "2" if colored else "") for number, colored in ids)
    ]
    return _html("Puzzles", "\n".join(['<table class="nonogram_list">', *rows, "</table>"]))
