"""Puzzles in nested lists and objects, by the names that clues and pictures usually have.

    {"rows": [[1], [3, 1]], "columns": [[1], [], [2, 1]]}      or rowClues and colHints, hor and ver, left and top
    {"puzzle": {"clues": [[[1], [3]], [["2 1"], 0]]}}          lists without names: the rows, then the columns
    {"grid": [[0, 1], [1, 1]]}                                 a picture: rows of 0 and 1, or texts

A line is a list of blocks, a number, or a text; 0, [0], [], "" and null are an empty line. A block is a number, "?" (a
hidden length), a pair of number and colour, or an object: {"length": 3, "color": "red"}.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from string import ascii_lowercase, digits
from typing import Any, NamedTuple

import numpy as np

from nonocensus.scrapers.formats import matrix
from nonocensus.scrapers.formats.colors import ColorSpec, palette_of, parse_rgb
from nonocensus.scrapers.formats.parsing import MAX_DIGITS, FormatError, clipped, is_possible
from nonocensus.solver.model.puzzle import (
    BLACK_ON_WHITE,
    Color,
    InvalidPuzzle,
    Puzzle,
    clues_of,
    from_picture,
    with_metadata,
)

SIDES = {
    "rows": "row rows zeile zeilen reihe reihen fila filas ligne lignes riga righe linha linhas rij rijen rad rader "
    "wiersz wiersze строка строки 行",
    "columns": "column columns col cols spalte spalten columna columnas colonne colonnes colonna coluna colunas kolom "
    "kolommen kolumn kolumner kolumna kolumny столбец столбцы 列",
}
PLACES = {
    "rows": "line lines horizontal horizontals hor horiz h r left lefts side across",
    "columns": "vertical verticals ver vert v c top tops up upper above down",
}
"""Words of a name that mean a side; those of PLACES only without one of SIDES."""

CLUES = (
    "clue hint rule number num value val data def definition constraint spec run block list info length group segment "
    "count key label header sequence set array"
)
"""Words that may be joined to those, as in `rowclues`."""

PICTURES = frozenset(("solution", "goal", "grid", "picture", "image", "board", "matrix", "cells", "answer", "pixels"))
"""Words of a name that mean a picture."""

ABOUT = {"name": "title", "title": "title", "author": "author", "by": "author", "creator": "author"}
ABOUT |= {name: name for name in ("description", "copyright", "license")}
SIZES = ("width", "height")
PALETTES = ("palette", "colors", "colours")
LENGTHS = ("length", "len", "count", "size", "number", "num", "n", "value", "run")
COLORS = ("color", "colour", "c")
"""Names of fields of a puzzle and of a block."""

FIELDS = frozenset((*ABOUT, *SIZES, *PALETTES))

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")
CLUE_WORD = re.compile(f"(?:{CLUES.replace(' ', '|')})s?")
SIDE_WORDS = [
    {
        side: re.compile(f"({CLUE_WORD.pattern})?({words.replace(' ', '|')})({CLUE_WORD.pattern})?")
        for side, words in known
    }
    for known in (SIDES.items(), PLACES.items())
]
LONGEST_NAME = 60

ENTRIES: dict[Any, int] = {"#": 1, ".": 0} | {sign: entry for entry, sign in enumerate(digits + ascii_lowercase)}
ENTRIES |= {entry: entry for entry in range(36)}
"""Palette entries of a goal, by sign or number."""

BLOCK = re.compile(rf"([0-9]{{1,{MAX_DIGITS}}}|\?)(?:x([0-9]{{1,3}})|([^\W\d_]+))?")
"""A number, with a colour or without: 3, 3x1, 3r."""

LETTERS = re.compile(r"\s*+[A-Z]++(?:\s++[A-Z]++)*+\s*+")
"""Clues as Rosetta Code writes them: A is 1, and each word is a line."""

BETWEEN = re.compile(r"[\s,;&+./-]+")
DIGITS = re.compile(r"[0-9]{1,3}")
MIXED = re.compile(r"[0-9?] +[0-9?]")
BRACKETED = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
NOTHING = frozenset(("-", "–", "—", "", "none", "empty", "null", "blank", "nothing"))
"""Texts of an empty line."""


class FoundPuzzle(NamedTuple):
    """The values of a puzzle: two sides, or a picture.

    names   their names; empty if they have none
    about   the objects around them: title, palette and so on
    """

    values: tuple[Any, ...]
    names: tuple[str, ...]
    about: Mapping[str, Any]


def side_of(name: str) -> tuple[str, str] | None:
    """Return the side that a name means, and the rest of the name; None if it means neither or both."""
    return _side_of(name) if len(name) <= LONGEST_NAME else None


@lru_cache(1 << 10)
def _side_of(name: str) -> tuple[str, str] | None:
    words = [word.lower() for word in WORD.findall(name)]
    for known in SIDE_WORDS:
        sides = [next((side for side, word in known.items() if word.fullmatch(each)), None) for each in words]
        if found := {side for side in sides if side}:
            rest = " ".join(word for word, side in zip(words, sides, strict=True) if side is None)
            return (found.pop(), rest) if len(found) == 1 else None
    return None


def is_sure(name: str) -> bool:
    """Return whether a name has a word of SIDES: with others the lists count only if a picture can have these clues."""
    words = WORD.findall(name[:LONGEST_NAME])
    return any(known.fullmatch(word.lower()) for word in words for known in SIDE_WORDS[0].values())


def puzzle_of(value: Any) -> Puzzle:
    """Return the only puzzle in lists and objects. Raises FormatError."""
    puzzles = [read_found(found) for found in find(value)]
    if len(puzzles) != 1:
        raise FormatError(f"it holds {len(puzzles)} puzzles, not one" if puzzles else EXPECTED)
    return puzzles[0]


EXPECTED = 'no clues in it: expected rows and columns, like {"rows": [[1], [2, 1]], "columns": [[2], [1], [1]]}'


def find(whole: Any) -> Iterator[FoundPuzzle]:
    """Yield the puzzles in nested lists and objects, in order."""
    values: list[tuple[Any, Mapping[str, Any]]] = [(whole, {})] if isinstance(whole, Mapping | list | tuple) else []
    while values:
        value, about = values.pop()
        if isinstance(value, Mapping):
            about = {**about, **{name: each for name, each in value.items() if name in FIELDS}}
            named = list(value.items())
        else:
            named = [("", each) for each in value]
        found = list(find_named(named, about))
        if not found and value is whole and _is_picture(value):
            found = [FoundPuzzle((value,), (), about)]
        yield from found
        if not found:
            values += reversed([(each, about) for _, each in named if isinstance(each, Mapping | list | tuple)])


def find_named(named: Iterable[tuple[Any, Any]], about: Mapping[str, Any]) -> Iterator[FoundPuzzle]:
    """Yield the puzzles whose sides, or else pictures, are among named values, or else lists without names."""
    sides: dict[str, list[NamedSide]] = {side: [] for side in SIDES}
    pictures, others = list[tuple[str, Any]](), list[tuple[str, Any]]()
    for name, value in named:
        name = name if isinstance(name, str) else ""
        meant = side_of(name)
        value = _lists_in(value) if meant else value
        if meant and _may_be_side(value):
            sides[meant[0]].append(NamedSide(name, meant[1], value))
        elif PICTURES.intersection(map(str.lower, WORD.findall(name[:LONGEST_NAME]))):
            pictures.append((name, value))
        elif name in ("", "x", "y") and _depth(value) > 1:
            others.append((name, value))
    pairs = _paired(sides["rows"], sides["columns"])
    if not any(sides.values()):
        yield from _without_names(others, about)
    elif pairs:
        if len(pairs) == 1:
            about = {**about, **{"goal" if name == "goal" else "solution": value for name, value in pictures}}
        yield from (FoundPuzzle((row.value, column.value), (row.name, column.name), about) for row, column in pairs)
    elif not sides["columns"]:
        pictures = [(name, value) for name, _, value in sides["rows"]] + pictures
    if not pairs:
        yield from [FoundPuzzle((value,), (name,), about) for name, value in pictures if _is_picture(value)][:1]


class NamedSide(NamedTuple):
    """A side by name; `rest` is the name without the word of the side."""

    name: str
    rest: str
    value: Any


def _paired(rows: list[NamedSide], columns: list[NamedSide]) -> list[tuple[NamedSide, NamedSide]]:
    """Return rows with the columns whose name has the same rest, in order; else the only ones with each other.

    As many rows as columns must have it. Of several pairs that with a word for clues counts alone.
    """
    others: dict[str, list[NamedSide]] = {}
    for column in columns:
        others.setdefault(column.rest, []).append(column)
    counts = Counter(row.rest for row in rows)
    queues = {rest: iter(found) for rest, found in others.items() if len(found) == counts[rest]}
    pairs = [(row, next(queues[row.rest])) for row in rows if row.rest in queues]
    if not pairs and len(rows) == len(columns) == 1:
        return [(rows[0], columns[0])]
    clues = [pair for pair in pairs if CLUE_WORD.fullmatch(pair[0].rest)]
    return clues if len(clues) == 1 else pairs


def _without_names(others: list[tuple[str, Any]], about: Mapping[str, Any]) -> Iterator[FoundPuzzle]:
    """Yield the puzzles of lists of numbers without names, two by two: rows, then columns."""
    if len(others) % 2 == 0 and all(_depth(value) == 2 and _has_numbers(value) for _, value in others):
        for (first, rows), (second, columns) in zip(others[::2], others[1::2], strict=True):
            yield FoundPuzzle((rows, columns), ("x", "y") if {first, second} == {"x", "y"} else (), about)


def _has_numbers(lines: Any) -> bool:
    """Return whether lines are numbers, or lists of them."""
    flat = (item for line in lines for item in (line if isinstance(line, list | tuple) else [line]))
    return all(isinstance(item, int) or item in (None, "?") for item in flat)


def _depth(value: Any) -> int:
    """Return how deep lists are nested, at most 4; that of the first list in each."""
    depth = 0
    while isinstance(value, list | tuple) and depth < 4:
        depth += 1
        value = next((item for item in value if isinstance(item, list | tuple)), None)
    return depth


def _lists_in(value: Any) -> Any:
    """Return the list that an object holds under a word for clues, or under the numbers of its items."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(key, str) for key in value):
        return value
    if all(map(DIGITS.fullmatch, value)):
        return [value[key] for key in sorted(value, key=int)]
    lists = [each for key, each in value.items() if isinstance(each, list | str) and CLUE_WORD.fullmatch(key)]
    return lists[0] if len(lists) == 1 else value


def _may_be_side(value: Any) -> bool:
    """Return whether a value could be the lines of a side."""
    if isinstance(value, str):
        return any(sign.isdigit() for sign in value) or LETTERS.fullmatch(value) is not None
    return isinstance(value, list | tuple) and len(value) > 0


def _is_picture(value: Any) -> bool:
    """Return whether a value is rows of equal length of 0 and 1, with both among them, or texts of signs."""
    if not isinstance(value, list | tuple) or not value or not isinstance(value[0], list | tuple | str):
        return False
    kind = str if isinstance(value[0], str) else (list, tuple)
    if not value[0] or not all(isinstance(row, kind) and len(row) == len(value[0]) for row in value):
        return False
    cells = {cell for row in value for cell in row if isinstance(cell, int | str)}
    if kind is str:
        return cells.issubset(matrix.SIGNS)
    return sorted(cells, key=str) == [0, 1] and all(isinstance(cell, int) for row in value for cell in row)


def read_found(found: FoundPuzzle) -> Puzzle:
    """Return the puzzle of values. Raises FormatError or InvalidPuzzle for what is none, or could be two."""
    texts = {ABOUT[name]: text for name, text in found.about.items() if name in ABOUT and isinstance(text, str)}
    if len(found.values) == 1:
        return with_metadata(_drawn(found.values[0]), **texts)
    if found.names == ("x", "y"):
        raise FormatError("x and y could be rows and columns, or columns and rows: name them rows and columns")
    rows, columns = found.values
    sides = [_readings(side, value) for side, value in (("row", rows), ("column", columns))]
    ways = [_attempt(*lines, found.about, texts) for lines in product(*sides)]
    puzzles = [puzzle for puzzle in ways if isinstance(puzzle, Puzzle)]
    fitting = [puzzle for puzzle in puzzles if is_possible(puzzle)]
    names = " and ".join(found.names) or "its lists"
    is_drawn = _is_picture(rows) and len(rows[0]) == len(columns)
    if is_drawn and fitting:
        drawn = _drawn(rows)
        is_turned = _is_picture(columns) and np.array_equal(np.array(rows).T, np.array(columns))
        fitting += [drawn] * (is_turned or drawn.columns in [puzzle.columns for puzzle in puzzles])
    distinct = {(puzzle.rows, puzzle.columns): puzzle for puzzle in reversed(fitting)}
    if len(distinct) > 1 or (is_drawn and not fitting):
        other = "cells of a picture" if is_drawn else "several lines or a single one"
        raise FormatError(f"{names} could be clues or {other}; expected a list for each line, like [[1], [2, 1]]")
    if not puzzles:
        raise FormatError(str(ways[0]))
    if not distinct and not all(map(is_sure, found.names or [""])):
        raise FormatError(f"{names} could be rows and columns, but no picture has these clues")
    puzzle = next(iter(distinct.values()), puzzles[0])
    for name, count in zip(SIZES, (puzzle.width, puzzle.height), strict=True):
        size = found.about.get(name, count)
        if isinstance(size, int) and size != count:
            raise FormatError(f"it has {puzzle.width} columns and {puzzle.height} rows, but its {name} is {size}")
    return puzzle


def _drawn(value: Any) -> Puzzle:
    """Return the puzzle of a picture."""
    if isinstance(value[0], str):
        return matrix.puzzle_of_rows(value)
    return from_picture([[int(cell) for cell in row] for row in value])


def _readings(side: str, value: Any) -> list[list[Any]]:
    """Return the lines of a side, as from_clues takes them; a text may be several lines or one."""
    if not isinstance(value, str):
        return [[_line(f"{side} {number}", line) for number, line in enumerate(value, 1)]]
    groups = BRACKETED.findall(value)
    breaks = [sign for sign in "\n;/|" if sign in value.strip()]
    if groups or LETTERS.fullmatch(value):
        ways = [groups or value.split()]
    elif breaks or ("," in value and MIXED.search(value)):
        ways = [value.strip().strip(";/|").split(breaks[0] if breaks else ",")]
    elif len(set(",&+.-").intersection(value)) > 1:
        raise FormatError(f"{side}s: {clipped(value)} could be split in several ways; expected [[1], [2, 1]]")
    else:
        ways = [BETWEEN.split(value.strip()), [value]]
    return [[_line(f"{side} {number}", line) for number, line in enumerate(way, 1)] for way in ways]


def _line(where: str, line: Any) -> Any:
    """Return a line as from_clues takes it."""
    line = _lists_in(line)
    if isinstance(line, str | Mapping):
        line = [line]
    if isinstance(line, np.ndarray) and line.ndim:
        line = line.tolist()
    if not isinstance(line, list | tuple):
        return line
    return [tuple(block) if isinstance(block, list) else block for item in line for block in _blocks(where, item)]


def _blocks(where: str, item: Any) -> list[Any]:
    """Return an item of a line as numbers, or as pairs of a number and a colour."""
    if isinstance(item, Mapping):
        number, color = (next((item[name] for name in names if name in item), None) for names in (LENGTHS, COLORS))
        return [number if color is None else (number, color)] if number != 0 else []
    if isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str):
        return [(*_blocks(where, item[0])[:1], item[1])]
    if not isinstance(item, str):
        return [item]
    text = item.strip("[](){} \t\"'|,;")
    if text.lower() in NOTHING:
        return []
    if LETTERS.fullmatch(text):
        return [ord(letter) - ord("A") + 1 for letter in text if letter.isalpha()]
    blocks = []
    for word in filter(None, BETWEEN.split(text)):
        found = BLOCK.fullmatch(word)
        if found is None:
            raise FormatError(f"{where}: {clipped(item)} is not a list of numbers")
        number = "?" if found[1] == "?" else int(found[1])
        mark = int(found[2]) if found[2] else found[3]
        blocks.append(number if mark is None else (number, mark))
    return blocks


def _attempt(*values: Any) -> Puzzle | InvalidPuzzle:
    """Return the puzzle of lines, or the error of a puzzle that is invalid."""
    try:
        return _puzzle(*values)
    except InvalidPuzzle as error:
        return error


def _puzzle(rows: list[Any], columns: list[Any], about: Mapping[str, Any], texts: Mapping[str, str]) -> Puzzle:
    """Return the puzzle of lines, with its palette and goal. A solution is its goal if it fits the clues."""
    lines = [line for line in rows + columns if isinstance(line, list)]
    pairs = [block for line in lines for block in line if isinstance(block, tuple) and len(block) == 2]
    marks = dict.fromkeys(mark for _, mark in pairs if isinstance(mark, int | str))
    given = next((about[name] for name in PALETTES if about.get(name)), None)
    is_own = _is_own(given)
    for line in lines:
        for k, block in enumerate(line):
            if not isinstance(block, tuple) and marks and block not in (0, None):
                line[k], marks["black"] = (block, "black"), None
            elif is_own and isinstance(block, tuple) and block[:1] == (0,):
                line[k] = ("?", *block[1:])
    palette = _palette(given, list(marks))
    shape, colors = (len(rows), len(columns)), len(palette or BLACK_ON_WHITE)
    puzzle = Puzzle.from_clues(rows, columns, palette, goal=_cells(about.get("goal"), shape, colors), **texts)
    solution = _cells(about.get("solution"), shape, colors)
    if solution is not None and clues_of(solution) == (puzzle.rows, puzzle.columns):
        return with_metadata(puzzle, goal=solution)
    return puzzle


def _is_own(palette: Any) -> bool:
    """Return whether a palette is one of the format jsonl: entries of name, symbol and RGB."""
    return (
        isinstance(palette, list)
        and len(palette) > 1
        and all(
            isinstance(color, list) and len(color) == 3 and all(isinstance(text, str) for text in color)
            for color in palette
        )
    )


def _palette(given: Any, marks: list[Any]) -> tuple[Color, ...] | None:
    """Return the palette given with a puzzle, or that of the colours its clues name; None without either."""
    if isinstance(given, Mapping) and all(isinstance(key, str) and DIGITS.fullmatch(key) for key in given):
        given = [given[key] for key in sorted(given, key=int)]
    colors = given if isinstance(given, list | tuple) else []
    if _is_own(colors):
        return tuple(Color(*color) for color in colors)
    if colors and marks and all(isinstance(mark, int) for mark in marks):
        specs = [ColorSpec(rgb=parse_rgb(str(color)) or "") for color in colors]
        first = 0 if len(specs) == max(marks) else 1
        return palette_of(specs[first:], *specs[:first])
    if not marks or not all(isinstance(mark, str) for mark in marks):
        return None
    named = given if isinstance(given, Mapping) else {}
    return palette_of([ColorSpec(mark, rgb=parse_rgb(str(named.get(mark, mark))) or "") for mark in marks])


def _cells(value: Any, shape: tuple[int, int], colors: int) -> np.ndarray | None:
    """Return a picture of this shape from palette entries in lists or texts; None for anything else."""
    rows = value if isinstance(value, list | tuple) else [value]
    flat = [cell for row in rows for cell in (row if isinstance(row, list | tuple | str) else [row])]
    if len(flat) != shape[0] * shape[1]:
        return None
    entries = [ENTRIES.get(cell, -1) if isinstance(cell, str | int) else -1 for cell in flat]
    if not 0 <= min(entries) <= max(entries) < colors:
        return None
    return np.array(entries, np.uint8).reshape(shape)
