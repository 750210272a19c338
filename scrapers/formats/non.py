"""Steve Simpson's .non, which webpbn.com exports for black-and-white puzzles and qnonograms and others write.

A file is a sequence of lines: properties (`title "Cat"`), and the headings `rows` and `columns` with one clue a line
below them, `3,1` or `0` for an empty line. `goal "0110..."` is the picture, row by row, which may replace the clues.
`saved "01?0..."`, as often as wanted, is a partly solved grid with `?` for open cells, as pbnsolve writes it. Several
puzzles in a file (.nonpack) are separated by lines of equals signs.

Three collections have added colours (scrapers.formats.non_colors). Public crawls of webpbn.com and griddlers.net have
added what the sites say: `link`, `date`, `medium_time`, `difficulty`, `quality`, `popularity`, `points`, `note`.

Existing files vary: quotes are optional, inner quotes are not escaped, HTML entities occur, a blank line is an empty
clue in some and nothing in others, width and height may be missing.
"""

import codecs
import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

import numpy as np

from nonocensus.scrapers.formats.colors import without_unused
from nonocensus.scrapers.formats.non_colors import NAMED, NonColors, colors_of
from nonocensus.scrapers.formats.parsing import (
    FormatError,
    NumberedLine,
    PuzzleOrigin,
    clip,
    decode_text,
    lines_of,
    read_each,
    webpbn_origin,
)
from nonocensus.scrapers.formats.site_properties import origin_of, parse_date, parse_rating, parse_time
from nonocensus.scrapers.formats.webpbn_xml import MAX_SAVED
from nonocensus.solver.model.named_colors import make_distinct
from nonocensus.solver.model.puzzle import BLACK, MAX_CELLS, WHITE, Clue, Puzzle, clues_of, normalize_palette

NAME = "non"
SUFFIXES: tuple[str, ...] = (".non", ".nonpack")
ON_WHITE = True
HOLDS = frozenset({"colors", "rgb", "goal", "saved", "title", "author", "copyright", "license", "webpbn", "source"})

MAX_LINES = 16 * MAX_CELLS
"""Of one puzzle: five times that of the largest one with its goal in as many lines as rows."""

DIVIDER = re.compile(r"={4,}\s*")
HEADING = re.compile(rb"[\r\n][ \t]*(rows|columns)[ \t]*(?=[\r\n])", re.IGNORECASE)
PICTURE_ONLY = [
    re.compile(rb"[\r\n][ \t]*" + line, re.IGNORECASE)
    for line in (rb"(?:width|columns)[ \t]+[0-9]", rb"(?:height|rows)[ \t]+[0-9]", rb"goal[ \t]*[\"01a-z\r\n]")
]
"""Lines of a file without clues."""
PROPERTY = re.compile(r"([a-z][a-z_-]*)(?:\s+(.*))?", re.IGNORECASE)
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
WEBPBN = re.compile(r"(?:www\.)?webpbn(?:\.com)?\s+#?([0-9]+)", re.IGNORECASE)
OTHER_SITE = re.compile(r"([^\s/#]+) #(\S(?:.*\S)?)")
BARE_WORD = re.compile(r"[A-Za-z0-9.+-]+")


def recognizes(data: bytes) -> bool:
    """Check for both headings on lines of their own, or for a size and a picture."""
    data = b"\n" + data.removeprefix(codecs.BOM_UTF8)
    headings = {heading[1].lower() for heading in HEADING.finditer(data)}
    is_picture = not headings and all(line.search(data) for line in PICTURE_ONLY)
    return is_picture or headings == {b"rows", b"columns"}


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a .non or .nonpack file."""
    return read_each(_split(decode_text(data)), _puzzle)


def _split(text: str) -> Iterator[list[NumberedLine]]:
    """Yield the lines of each puzzle, at most MAX_LINES + 1; parts without text are skipped."""
    part: list[NumberedLine] = []
    filled = False
    for number, line in lines_of(text):
        if line.startswith("====") and DIVIDER.fullmatch(line):
            if filled:
                yield part
            part, filled = [], False
            continue
        line = line.strip()
        filled = filled or line != ""
        if len(part) <= MAX_LINES:
            part.append((number, line))
    if filled:
        yield part


@dataclass
class _Lines:
    """A puzzle's lines by meaning, unvalidated."""

    properties: dict[str, NumberedLine] = field(default_factory=dict)
    colors: list[NumberedLine] = field(default_factory=list)
    sections: dict[str, list[NumberedLine]] = field(default_factory=dict)
    saved: list[list[NumberedLine]] = field(default_factory=list)


def _puzzle(lines: list[NumberedLine]) -> Puzzle:
    if len(lines) > MAX_LINES:
        raise FormatError(f"line {lines[-1][0]}: it has more than {MAX_LINES:,} lines")
    parts = _parts(lines)
    marks = [text for heading in ("rows", "columns") for _, text in parts.sections.get(heading, ())]
    if not marks and "goal" in parts.sections:
        return _picture(parts)
    colors = colors_of(parts.colors, marks)
    rows = _clues(parts, "rows", "height", colors.read_clue)
    columns = _clues(parts, "columns", "width", colors.read_clue)
    goal = _goal(parts, len(columns), len(rows), colors.places)
    return _with_colors(parts, colors, rows, columns, goal)


def _picture(parts: _Lines) -> Puzzle:
    """Return the puzzle of a file with a picture and without clues; its letters are colours, declared or not."""
    width, height = _size(parts, "width"), _size(parts, "height")
    letters = set(ascii_lowercase).intersection(*[_cells(parts.sections["goal"])])
    colors = colors_of(parts.colors, [f"1{letter}" for letter in letters])
    goal = None if width is None or height is None else _goal(parts, width, height, colors.places)
    if goal is None:
        raise FormatError("it has no clues, nor a picture with its width and height")
    return _with_colors(parts, colors, *clues_of(goal), goal)


def _with_colors(
    parts: _Lines, colors: NonColors, rows: tuple[Clue, ...], columns: tuple[Clue, ...], goal: np.ndarray | None
) -> Puzzle:
    saved = _saved_grids(parts, (rows, columns), colors)
    puzzle = Puzzle(rows, columns, colors.palette, goal, saved=saved, **_properties(parts))
    return without_unused(normalize_palette(puzzle)) if len(colors.palette) > 2 or parts.colors else puzzle


def _properties(parts: _Lines) -> dict[str, Any]:
    """Return the fields of Puzzle on origin, rights and ratings."""
    catalogue, link = _text(parts, "catalogue"), _text(parts, "link")
    number, named = (pattern.fullmatch(catalogue or "") for pattern in (WEBPBN, OTHER_SITE))
    origin = webpbn_origin(number[1]) if number else origin_of(link or "")
    if named and not origin:
        origin = PuzzleOrigin(f"{named[1]}/{named[2]}", named[1], named[2])
    difficulty, quality, points, popularity, added, seconds = (
        _text(parts, word) for word in ("difficulty", "quality", "points", "popularity", "date", "medium_time")
    )
    quality = quality or popularity
    source = origin.source if origin else None
    return (origin._asdict() if origin else {}) | {
        "title": _text(parts, "title") or (None if number or named else catalogue),
        "author": _text(parts, "by"),
        "description": _text(parts, "description"),
        "copyright": _text(parts, "copyright"),
        "license": _text(parts, "license"),
        "site_note": _text(parts, "note") or (points and f"points {points}"),
        "site_quality": parse_rating(source, "site_quality", quality) if quality else None,
        "site_difficulty": parse_rating(source, "site_difficulty", difficulty) if difficulty else None,
        "site_seconds": parse_time(seconds) if seconds else None,
        "site_date": parse_date(added) if added else None,
    }


def _parts(lines: list[NumberedLine]) -> _Lines:
    """Sort lines into properties and sections; comments and stray lines are dropped."""
    parts = _Lines()
    section: list[NumberedLine] = []
    in_clues = has_names = False  # clues may begin with a colour's name
    for number, text in lines:
        if text.startswith("#"):
            continue
        is_property = text[:1].isalpha() and not (in_clues and has_names and " " in text and '"' not in text)
        found = PROPERTY.fullmatch(text) if is_property else None
        word, value = (found[1].lower(), found[2]) if found else ("", None)
        if word == "color" and value is not None:
            parts.colors.append((number, value))
            section, in_clues, has_names = [], False, has_names or NAMED.fullmatch(value) is not None
        elif word == "goal" or (word in ("rows", "columns") and value is None):
            if word in parts.sections:
                raise FormatError(f"line {number}: '{word}' occurs twice")
            section = parts.sections[word] = [(number, value)] if value else []
            in_clues = word != "goal"
        elif word == "saved":
            section = [(number, value)] if value else []
            parts.saved.append(section)
            in_clues = False
        elif value is not None:
            # `columns 5` is an old form of `width 5`
            parts.properties.setdefault({"rows": "height", "columns": "width"}.get(word, word), (number, value))
            section, in_clues = [], False
        else:
            section.append((number, text))
    return parts


def _clues(parts: _Lines, heading: str, side: str, read_clue: Callable[[NumberedLine], Clue]) -> tuple[Clue, ...]:
    if heading not in parts.sections:
        raise FormatError(f"it has no '{heading}'")
    lines = clue_lines(parts.sections[heading], heading, side, _size(parts, side))
    return tuple(map(read_clue, lines))


def _size(parts: _Lines, side: str) -> int | None:
    if side not in parts.properties:
        return None
    number, value = parts.properties[side]
    if not re.fullmatch(r"[0-9]+", value):
        raise FormatError(f"line {number}: {side} is {clip(value)}, not a number")
    digits = value.lstrip("0") or "0"
    if len(digits) > len(str(MAX_CELLS)) or int(digits) > MAX_CELLS:
        raise FormatError(f"line {number}: {side} is {clip(value)}, more than {MAX_CELLS}")
    return int(digits)


def clue_lines(lines: list[NumberedLine], heading: str, side: str, size: int | None) -> list[NumberedLine]:
    """Return the lines of a section that are clues.

    Blank lines are no clues if others have `0` for an empty clue, or if there are enough without them; the last blank
    line, before the next heading or at the end of the file, never is.
    """
    filled = [line for line in lines if line[1]]
    if len(filled) == size or any(text == "0" for _, text in filled):
        lines = filled
    elif lines and not lines[-1][1]:
        lines = lines[:-1]
    least = max((place for place, (_, text) in enumerate(lines, 1) if text), default=0)
    if size is None or len(lines) >= size >= least:
        return lines[: least if size is None else size]
    raise FormatError(f"{side} is {size}, but there are {len(filled)} {heading}")


def _goal(parts: _Lines, width: int, height: int, places: dict[str, int]) -> np.ndarray | None:
    """Parse the picture; `places` are palette indices by character."""
    lines = parts.sections.get("goal", [])
    cells = _cells(lines)
    if not cells:
        return None
    number = lines[0][0]
    if wrong := cells.strip("".join(places)):
        raise FormatError(f"line {number}: the goal has {clip(wrong[0])} among its 0s and 1s")
    return _grid(cells, places, f"line {number}: the goal", width, height)


def _saved_grids(
    parts: _Lines, clues: tuple[tuple[Clue, ...], tuple[Clue, ...]], colors: NonColors
) -> tuple[np.ndarray, ...]:
    """Return the partly solved grids, bool[height, width, palette]; a property `saved` of other text is ignored.

    In a grid that has no `?` and is no solution, 0 is an open cell: as white ones they would contradict the clues.
    """
    height, width = map(len, clues)
    everything, grids = len(colors.palette), list[np.ndarray]()
    marks = colors.places | {"?": everything}
    for lines in parts.saved:
        cells = _cells(lines)
        if len(cells) >= min(2, width * height) and not cells.strip("".join(marks)):
            grid = _grid(cells, marks, f"line {lines[0][0]}: the saved grid", width, height)
            if "?" not in cells and clues_of(grid) != clues:
                grid[grid == 0] = everything
            grids.append((grid[:, :, None] == np.arange(everything)) | (grid == everything)[:, :, None])
            if len(grids) * grids[0].size > MAX_SAVED:
                raise FormatError(f"its saved grids take more than {MAX_SAVED >> 20} MiB")
    return tuple(grids)


def _cells(lines: list[NumberedLine]) -> str:
    """Return the cells of a grid without quotes and blanks."""
    return re.sub(r'["\s]', "", "".join(text for _, text in lines))


def _grid(cells: str, places: dict[str, int], name: str, width: int, height: int) -> np.ndarray:
    if len(cells) != width * height:
        raise FormatError(f"{name} has {len(cells)} cells, but {width}x{height} are {width * height}")
    table = np.zeros(max(map(ord, places)) + 1, np.uint8)
    table[[ord(mark) for mark in places]] = [*places.values()]
    return table[np.frombuffer(cells.encode("utf-32-le"), np.uint32)].reshape(height, width)


def _text(parts: _Lines, word: str) -> str | None:
    """Return a property without quotes and with HTML entities resolved."""
    if word not in parts.properties:
        return None
    value = parts.properties[word][1]
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), value).strip() or None


def write(puzzle: Puzzle) -> bytes:
    """Return a .non file as webpbn writes it, in ASCII, with the colours of nonogram-db.

    Refuses more colours than letters. A saved cell of several colours is open.
    """
    lines = [f'{word} "{_escape(text)}"' for word, text in _texts(puzzle) if text]
    if puzzle.license:
        bare = BARE_WORD.fullmatch(puzzle.license)
        lines.append(f"license {puzzle.license}" if bare else f'license "{_escape(puzzle.license)}"')
    marks = _marks(puzzle)
    if marks:
        colors = zip(marks[1:], puzzle.palette[1:], strict=True)
        lines += [f"color {mark} #{color.rgb}" for mark, color in colors]
    lines += [f"width {puzzle.width}", f"height {puzzle.height}"]
    endings = marks or ["", ""]
    for heading, clues in (("rows", puzzle.rows), ("columns", puzzle.columns)):
        texts = (",".join([f"{block.length}{endings[block.color]}" for block in clue]) for clue in clues)
        lines += ["", heading, *(text or "0" for text in texts)]
    cells = ["0", *(marks[1:] or "1")]
    if puzzle.goal is not None:
        lines += ["", 'goal "' + "".join([cells[color] for color in puzzle.goal.ravel().tolist()]) + '"']
    for grid in puzzle.saved:
        open_or_color = np.where(grid.sum(axis=2) == 1, grid.argmax(axis=2), len(cells)).ravel().tolist()
        lines += ["", 'saved "' + "".join([[*cells, "?"][color] for color in open_or_color]) + '"']
    return "".join(f"{line}\n" for line in lines).encode("ascii", "xmlcharrefreplace")


def _marks(puzzle: Puzzle) -> list[str]:
    """Return the colours' letters by palette index; none for black on white."""
    if [color.rgb for color in puzzle.palette] == [WHITE.rgb, BLACK.rgb]:
        return []
    if len(puzzle.palette) - 1 > len(ascii_lowercase):
        raise FormatError(f"the format non has letters for {len(ascii_lowercase)} colours")
    specs = [color.symbol if color.symbol in ascii_lowercase else "" for color in puzzle.palette[1:]]
    return ["", *make_distinct(specs, ascii_lowercase)]


def _texts(puzzle: Puzzle) -> tuple[tuple[str, str | None], ...]:
    site = "webpbn.com" if puzzle.source == "webpbn" else puzzle.source
    return (
        ("catalogue", f"{site} #{puzzle.source_id}" if puzzle.source_id else None),
        ("title", puzzle.title),
        ("by", puzzle.author),
        ("copyright", puzzle.copyright),
    )


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("\r", "&#13;").replace("\n", "&#10;")


def bundle(files: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a file of several puzzles, separated by equals signs."""
    for number, file in enumerate(files):
        yield b"====\n" + file if number else file
