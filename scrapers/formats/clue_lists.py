"""JSON and lists of clues, as apps, programs, papers and posts write them, by any usual name.

    {"rows": [[1], [3, 1]], "columns": [[1], [], [2, 1]]}      or rowClues and colHints, hor and ver, left and top
    {"puzzle": {"clues": [[[1], [3]], [["2 1"], 0]]}}          lists without names: the rows, then the columns
    {"grid": [[0, 1], [1, 1]]}                                 a picture: rows of 0 and 1, or texts

The nested values of a file (scrapers.formats.clue_text) are searched for pairs of sides, or else pictures. A line is a
list of blocks, a number, or a text; 0, [0], [], "" and null are an empty line. A block is a number, "?" (a hidden
length), a pair of number and colour, or an object: {"length": 3, "color": "red"}. Clues become a puzzle by
Puzzle.from_clues. Where values can be read in several ways, the one counts whose clues can be those of a picture; if
there are two, or there is none and the text is not JSON or its names don't say rows and columns, it is refused.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from textwrap import shorten
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nonocensus.scrapers.formats import matrix
from nonocensus.scrapers.formats.clue_text import (
    CLUE_WORD,
    MAX_DEPTH,
    NOTHING,
    is_nested,
    is_picture_name,
    read_brackets,
    read_grids,
    read_json,
    read_labels,
    side_of,
)
from nonocensus.scrapers.formats.colors import ColorSpec, palette_of
from nonocensus.scrapers.formats.parsing import (
    MAX_DIGITS,
    FormatError,
    clip,
    decode_text,
    is_possible,
    misfit,
    read_each,
)
from nonocensus.solver.model.named_colors import parse_rgb
from nonocensus.solver.model.puzzle import (
    BLACK_ON_WHITE,
    BLOT,
    MAX_COLORS,
    Clue,
    Color,
    InvalidPuzzle,
    Puzzle,
    clues_of,
    from_picture,
    with_metadata,
)

NAME = "lists"
SUFFIXES: tuple[str, ...] = (".json",)
TEXTS = ("title", "author", "description", "copyright", "license")
HOLDS: frozenset[str] = frozenset({"colors", "blots", "goal", "rgb", "names", *TEXTS})

ABOUT = {name: name for name in TEXTS} | {"name": "title", "by": "author", "creator": "author"}
PALETTES, COLORS = ("palette", "colors", "colours"), ("color", "colour", "c")
LENGTHS = ("length", "count", "size", "number", "num", "value", "n")
FIELDS = frozenset((*ABOUT, *PALETTES, "width", "height"))
"""Names of fields of a puzzle and of a block; those around a puzzle."""

MAX_TEXT = 1 << 20
"""Bytes of a text that is not JSON."""

JOINED = re.compile("(?<=[0-9?])[-+](?=[0-9?])")
"""What joins the blocks of a line, or the lines: 3-1, 3+1."""

BLOCK = re.compile(rf"([0-9]{{1,{MAX_DIGITS}}}|\?)(?:x([0-9]{{1,3}})|([^\W\d_]+))?")
"""A number, with a colour or without: 3, 3x1, 3r."""

SPACE, BETWEEN, DIGITS = " \n;/|", re.compile(r"\s*[,;/|]\s*|\s+"), re.compile(r"[0-9]{1,4}")
OBJECT, ONE_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*+\{\s*"'), re.compile(rb"\s*+[^\r\n]*+\s*+\Z")
SEVERAL_LINES = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{(?:[^\r\n]*[^}\s])?[ \t]*[\r\n]\s*+[^{\s]")
HTML, OWN_CLUES = re.compile(r"\s*+<(?!\?php)[!?/A-Za-z]"), re.compile(rb"\[\s*\[\s*\[")
OTHER_FIELD = re.compile(r"at `\$\.(?!rows|columns|palette|goal)")
"""Of an error in our own format, which is not in the puzzle itself."""
EXPECTED = 'no clues in it: expected rows and columns, like {"rows": [[1], [2, 1]], "columns": [[2], [1], [1]]}'


class FoundPuzzle(NamedTuple):
    """The values of a puzzle: rows and columns, or else a picture, with their names and the fields around them."""

    rows: Any
    columns: Any
    names: str
    is_sure: bool
    about: Mapping[str, Any]
    is_json: bool = True


def is_document(data: bytes) -> bool:
    """Check for one object of JSON on several lines, or with several puzzles; not for an object on each line."""
    if SEVERAL_LINES.match(data):
        return b"\n{" not in data
    try:
        return ONE_LINE.match(data) is not None and len(_find_puzzles(data)) > 1
    except FormatError:
        return False


def recognizes(data: bytes) -> bool:
    """Check for rows and columns by name, for two lists without names, and for a list that is a picture."""
    if OBJECT.match(data) and not is_document(data):
        return False  # a puzzle on each line, which the format jsonl reads
    try:
        first = _find_puzzles(data)[0]
        return first.is_sure or not first.names or read_found(first) is not None
    except (FormatError, InvalidPuzzle):
        return False


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a file."""
    return read_each(_find_puzzles(data), read_found)


def read_line(line: bytes, reason: str) -> Puzzle:
    """Return the only puzzle of a line. Raises FormatError: with `reason` if it looks like our own format."""
    if OWN_CLUES.search(line) and OTHER_FIELD.search(reason):
        raise FormatError(reason)
    try:
        found = _find_puzzles(line)
        if len(found) == 1:
            return read_found(found[0])
    except (FormatError, InvalidPuzzle) as error:
        reason = reason if OWN_CLUES.search(line) else str(error)
    raise FormatError(reason)


def puzzle_of(value: Any) -> Puzzle:
    """Return the only puzzle in lists and objects. Raises FormatError or InvalidPuzzle."""
    puzzles = find(value)
    if len(puzzles) != 1:
        raise FormatError(f"it holds {len(puzzles)} puzzles, not one" if puzzles else _missing_side(value) or EXPECTED)
    return read_found(puzzles[0])


def _find_puzzles(data: bytes) -> list[FoundPuzzle]:
    """Return the puzzles of a file, unvalidated; one at least. Raises FormatError."""
    text, reason = decode_text(data), EXPECTED
    readers = [read_labels, read_grids, read_brackets] if len(data) <= MAX_TEXT else []
    if text.lstrip()[:1] in ("{", "["):
        readers.insert(0, read_json)
    found = list[FoundPuzzle]()
    for reader in readers:
        try:
            value = [] if found else reader(text)
            found = found or [each._replace(is_json=reader is read_json) for each in find(value)]
            if reader is read_json and not found:
                reason = _missing_side(value) or reason
        except FormatError as error:
            reason = str(error) if reason == EXPECTED else reason
    if not found or HTML.match(text):  # style sheets have rows and columns too
        raise FormatError(reason)
    return found


def _missing_side(value: Any) -> str | None:
    """Return which side is missing or empty in JSON, or in what it holds, that has the other one; else None."""
    for each in (value, *(value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ())):
        if isinstance(each, Mapping):
            sides = {side.side: lines for name, lines in each.items() if (side := side_of(name)) and side.is_sure}
            lacking = [side for side in ("rows", "columns") if not sides.get(side)]
            if len(lacking) == 1:
                keys = shorten(", ".join(map(str, each)), 60, placeholder="...")
                return f"{lacking[0]} are {'empty' if lacking[0] in sides else 'missing'} (its keys: {keys})"
    return None


# Where puzzles are in nested values.


def find(value: Any, about: Mapping[str, Any] | None = None, depth: int = 0) -> list[FoundPuzzle]:
    """Return the puzzles in nested lists and objects, in order."""
    if not isinstance(value, Mapping | list | tuple) or depth > MAX_DEPTH:
        return []
    named = list(value.items()) if isinstance(value, Mapping) else [("", each) for each in value]
    about = {**(about or {}), **{name: each for name, each in named if name in FIELDS}}
    rows, columns = dict[str, tuple[str, Any, bool]](), dict[str, tuple[str, Any, bool]]()
    pictures, nameless = list[Any](), list[Any]()
    for name, each in named:
        if (side := side_of(name)) and _may_be_side(each := _plain(each)):
            (rows if side.side == "rows" else columns).setdefault(side.rest, (name, each, side.is_sure))
        elif is_picture_name(name):
            pictures.append(each)
        elif not name and is_nested(each) and _has_numbers(each):
            nameless.append(each)
    rests = [rest for rest in rows if rest in columns]
    clues = [rest for rest in rests if CLUE_WORD.fullmatch(rest)]
    pairs = [(rows[rest], columns[rest]) for rest in (clues if len(clues) == 1 else rests)]
    if not pairs and len(rows) == len(columns) == 1:
        pairs = [*zip(rows.values(), columns.values(), strict=True)]
    if len(pairs) == 1 and pictures:
        about["solution"] = pictures[0]
    found = [
        FoundPuzzle(row, column, f"{name} and {other}", is_sure and is_sure_too, about)
        for (name, row, is_sure), (other, column, is_sure_too) in pairs
    ]
    if not rows and not columns and len(nameless) % 2 == 0:
        found = [FoundPuzzle(*pair, "", False, about) for pair in zip(nameless[::2], nameless[1::2], strict=True)]
    if not found:
        drawn = [*([value] * (depth == 0)), *([each for _, each, _ in rows.values()] * (not columns)), *pictures]
        found = [FoundPuzzle(each, None, "", True, about) for each in drawn if _picture(each) is not None][:1]
    return found or [each for _, inner in named for each in find(inner, about, depth + 1)]


def _plain(value: Any) -> Any:
    """Return the list that an object holds under a word for clues, or under the numbers of its items."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(key, str) for key in value):
        return value
    if all(map(DIGITS.fullmatch, value)):
        numbers = sorted(map(int, value))
        if numbers[0] > 1 or numbers != list(range(numbers[0], numbers[0] + len(value))):
            return [f"only lines {', '.join(map(str, numbers))}"]
        return [value[key] for key in sorted(value, key=int)]
    lists = [each for key, each in value.items() if isinstance(each, list | str) and CLUE_WORD.fullmatch(key)]
    return lists[0] if len(lists) == 1 else value


def _may_be_side(value: Any) -> bool:
    return (
        any(map(str.isdigit, value)) if isinstance(value, str) else isinstance(value, list | tuple) and len(value) > 0
    )


def _has_numbers(lines: Any) -> bool:
    """Return whether lines are numbers, or lists of them."""
    flat = (item for line in lines for item in (line if isinstance(line, list | tuple) else [line]))
    return all(isinstance(item, int) or item in (None, "?") for item in flat)


def _cells(value: Any) -> np.ndarray | None:
    """Return the palette entries of a picture, rows of numbers or texts; None for anything else."""
    try:
        is_text = isinstance(value, list | tuple) and all(isinstance(row, str) for row in value)
        cells = matrix.cells_of(value) if is_text else np.array(value)
    except (FormatError, ValueError, OverflowError):
        return None
    is_picture = cells.ndim == 2 and cells.dtype.kind in "bui" and cells.min(initial=0) >= 0
    return cells.astype(np.uint8) if is_picture and cells.size > 0 and cells.max() <= MAX_COLORS else None


def _picture(value: Any) -> np.ndarray | None:
    """Return the cells of a picture of 0 and 1 that has both."""
    cells = _cells(value)
    return cells if cells is not None and cells.min() == 0 and cells.max() == 1 else None


# How values become clues.


def read_found(found: FoundPuzzle) -> Puzzle:
    """Return the puzzle of values. Raises FormatError or InvalidPuzzle for what is none, or could be two."""
    texts = {ABOUT[name]: text for name, text in found.about.items() if name in ABOUT and isinstance(text, str)}
    cells = _picture(found.rows)
    if cells is not None and found.columns is None:
        return with_metadata(from_picture(cells), **texts)
    puzzles, faults = list[Puzzle](), list[InvalidPuzzle]()
    for rows, columns in product(_ways("row", found.rows), _ways("column", found.columns)):
        try:
            puzzles.append(_puzzle(rows, columns, found.about, texts))
        except InvalidPuzzle as error:
            faults.append(error)
    names = found.names or "its lists"
    fitting = {(puzzle.rows, puzzle.columns): puzzle for puzzle in puzzles if is_possible(puzzle)}
    is_drawn = cells is not None and not isinstance(found.columns, str) and cells.shape[1] == len(found.columns)
    if cells is not None and is_drawn and fitting:
        drawn, turned = from_picture(cells), _picture(found.columns)
        is_turned = turned is not None and np.array_equal(turned.T, cells)
        if is_turned or any(drawn.columns == puzzle.columns for puzzle in puzzles):
            fitting.setdefault((drawn.rows, drawn.columns), drawn)
    if len(fitting) > 1 or (not fitting and is_drawn):
        other = "cells of a picture" if is_drawn else "several lines or a single one"
        raise FormatError(f"{names} could be clues or {other}; expected a list for each line, like [[1], [2, 1]]")
    if not puzzles:
        raise faults[0]
    if not fitting and not (found.is_sure and found.is_json and len(puzzles) == 1):
        why = misfit(puzzles[0]) if found.is_sure else None
        raise FormatError(why or f"{names} could be rows and columns, but no picture has these clues")
    puzzle = next(iter(fitting.values()), puzzles[0])
    for name, count in (("width", puzzle.width), ("height", puzzle.height)):
        size = found.about.get(name, count)
        if isinstance(size, int) and size != count:
            raise FormatError(f"it has {puzzle.width} columns and {puzzle.height} rows, but its {name} is {size}")
    return puzzle


def _ways(side: str, value: Any) -> list[list[Any]]:
    """Return the lines that a side may be, as from_clues takes them; a text may be several lines or one."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "(", "{"):
        lists = read_brackets(value)
        if not all(isinstance(line, list) == is_nested(lists) for line in lists):
            raise FormatError(f"{side}s: {clip(value)} is not a list for each line, like [[1], [2, 1]]")
        ways = [lists] if is_nested(lists) else [lists, [lists]]
    elif not isinstance(value, str):
        ways = [value]
    elif breaks := [sign for sign in "\n;/|" if sign in (value := value.strip(SPACE).removesuffix(","))]:
        ways = [value.split(breaks[0])]
    elif any(len(part.split()) > 1 for part in value.split(",")) and "," in value:
        ways = [value.split(",")]
    else:
        ways = [BETWEEN.split(value), [value]]
        ways += [value.split(sign) for sign in JOINED.findall(value)[:1] if not re.search(r"\s", value)]
    return [[_line(f"{side} {number}", line) for number, line in enumerate(way, 1)] for way in ways]


def _line(where: str, line: Any) -> Any:
    """Return a line as from_clues takes it: numbers, and pairs of a number and a colour."""
    colors = next((line[name] for name in PALETTES if name in line), None) if isinstance(line, Mapping) else None
    line = _plain(line)
    if isinstance(colors, list) and isinstance(line, list):
        if len(colors) != len(line):
            raise FormatError(f"{where}: it has {len(line)} numbers and {len(colors)} colours")
        return [*zip(line, colors, strict=True)]
    if not isinstance(line, str | list | tuple | Mapping):
        return line
    blocks = list[Any]()
    for item in [line] if isinstance(line, str | Mapping) else line:
        if isinstance(item, float) and item.is_integer():
            blocks.append(int(item))
        elif isinstance(item, Mapping):
            number, color = (next((item[name] for name in names if name in item), None) for names in (LENGTHS, COLORS))
            if number is None:
                raise FormatError(f"{where}: {item!r:.60} is not a number, nor an object with its length")
            blocks.append(number if color is None else (number, color))
        elif not isinstance(item, str):
            blocks.append(tuple(item) if isinstance(item, list) else item)
        elif (text := item.strip("[](){} \t\"'|,;.")).lower() not in NOTHING or ".." in item.replace(" ", ""):
            found = [BLOCK.fullmatch(word) for word in BETWEEN.split(JOINED.sub(" ", text))]
            if None in found or ".." in item.replace(" ", ""):
                raise FormatError(f"{where}: {clip(item)} is not a list of numbers")
            for number, entry, mark in (block.groups() for block in found if block):
                length = "?" if number == "?" else int(number)
                blocks.append((length, int(entry) if entry else mark) if entry or mark else length)
    return blocks


def _puzzle(rows: list[Any], columns: list[Any], about: Mapping[str, Any], texts: Mapping[str, str]) -> Puzzle:
    """Return the puzzle of lines, with its palette and goal. A solution is its goal if it fits the clues."""
    blocks = [block for line in rows + columns if isinstance(line, list) for block in line]
    marks = {block[1] for block in blocks if isinstance(block, tuple) and len(block) == 2 and isinstance(block[1], int)}
    palette = _palette(next((about[name] for name in PALETTES if about.get(name)), None), marks)
    cells = _cells(about.get("solution"))
    if cells is not None and (
        cells.shape != (len(rows), len(columns)) or cells.max() >= len(palette or BLACK_ON_WHITE)
    ):
        cells = None
    puzzle = Puzzle.from_clues(rows, columns, palette, goal=cells, **texts)
    if puzzle.goal is None or puzzle.blotted or clues_of(puzzle.goal) == (puzzle.rows, puzzle.columns):
        return puzzle
    return with_metadata(puzzle, goal=None)


def _palette(given: Any, entries: Collection[int]) -> Sequence[Color] | None:
    """Return the palette given with a puzzle, by name or for these entries; None if clues name the colours."""
    given = _plain(given)
    if isinstance(given, Mapping):
        return palette_of([ColorSpec(str(name), rgb=_rgb(color)) for name, color in given.items()])
    if not isinstance(given, list | tuple) or not given:
        return None
    if all(isinstance(color, list) and [*map(type, color)] == [str] * 3 for color in given):
        return [Color(*color) for color in given]
    if not entries:
        return None
    specs = [ColorSpec(rgb=_rgb(color)) for color in given]
    first = int(len(specs) > max(entries))  # without the background, or with it
    return palette_of(specs[first:], *specs[:first])


def _rgb(color: Any) -> str:
    """Return the RGB of a colour: its name, hexadecimal digits, or a list of three numbers; "" if a name is unknown."""
    if isinstance(color, list) and len(color) == 3 and all(type(n) is int and 0 <= n < 256 for n in color):
        return bytes(color).hex()
    if not isinstance(color, str):
        raise FormatError(f"the colour {color!r:.60} of its palette is no name, #ff0000 or [255, 0, 0]")
    return parse_rgb(color) or ""


# Writing.


def write(puzzle: Puzzle) -> bytes:
    """Return an object with this puzzle: numbers, or pairs of number and palette entry if it has several colours."""

    def plain(clue: Clue) -> list[Any]:
        lengths = ["?" if block.length == BLOT else block.length for block in clue]
        return lengths if puzzle.colors <= 1 else [[n, block.color] for n, block in zip(lengths, clue, strict=True)]

    values: dict[str, Any] = {name: [*map(plain, getattr(puzzle, name))] for name in ("rows", "columns")}
    if puzzle.palette != BLACK_ON_WHITE:
        values["palette"] = puzzle.palette
    if puzzle.goal is not None:
        values["goal"] = puzzle.goal.tolist()
    values |= {field: getattr(puzzle, field) for field in TEXTS if getattr(puzzle, field) is not None}
    lines = (f'  "{name}": {msgspec.json.encode(value).decode()}' for name, value in values.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
