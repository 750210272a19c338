"""pynogram's ini and nonogrid's TOML: a section of colours, perhaps, and a section of clues.

    [colors]                 in TOML: defs = ["r = (red) %"]
    r = (red) %

    [clues]
    columns = 1, 1r, 1r      ; or a line each, in TOML between triple quotation marks
    rows = 1 2r

A number's colour stands behind it, black where there is none. A colour is a name of CSS, three numbers, or hexadecimal
digits. A `#` or `;` begins a comment.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from scrapers.formats.clues import Line
from scrapers.formats.colors import SYMBOLS, Marks, Wish, declared, distinct, palette_of, rgb_of
from scrapers.formats.shared import FormatError, clipped, decoded, each, lines_within, said_by
from solver.model.puzzle import BLACK, MAX_CELLS, Puzzle, normalize_palette

CLUES = re.compile(rb"(?:^|[\r\n])[ \t]*\[clues\][ \t]*(?=[\r\n#;])")
TOML_ONLY = re.compile(rb"""(?:^|[\r\n])[ \t]*(?:rows|columns|defs)[ \t]*=[ \t]*(?:["'\[])""")
HEADING = re.compile(r"\[(\w+)\]")
SETTING = re.compile(r"([\w-]+)\s*[=:]\s*(.*)")
COLOR = re.compile(r"([\w-]+)\s*=\s*\(([^()]*)\)\s*(\S?).*")
COMMENT = re.compile(r"[#;].*")
ONLY_CLUES = re.compile(r"[^\[\]#;=:]+")
"""A line that is no heading and no setting, and has no comment."""
OVERLONG = re.compile(
    r"""(?<!\w)\w{4096}|(?<![\w\\-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}"""
)
"""A word of TOML that is longer than any row, for which tomllib takes a hundred times its size in memory, or a key of
more than 16 parts, where two are in use: tomllib takes quadratic time and memory for it.

No part begins behind a backslash, or each quotation mark of a line of escaped ones would be looked at as a beginning.
"""

MOST_KEYS = 4_000
"""Equals signs and brackets in a TOML file, which has some ten and one a colour: a key takes up to 15 KB."""

MOST_LINES = 16 * MAX_CELLS


class Parts(NamedTuple):
    """What a file says, not yet judged: lines of colours, and without their comments of rows and of columns."""

    colors: list[Line]
    rows: list[Line]
    columns: list[Line]


class Sections(NamedTuple):
    """One of the two formats."""

    NAME: str
    ABOUT: str
    SUFFIXES: tuple[str, ...]
    toml: bool
    parts: Callable[[str], Parts]
    text: Callable[[list[str], list[str], list[str]], list[str]]
    HOLDS: frozenset[str] = frozenset({"colors", "rgb"})

    def recognizes(self, data: bytes) -> bool:
        """Whether there is a section of clues, as this format writes them."""
        return CLUES.search(data) is not None and (TOML_ONLY.search(data) is not None) == self.toml

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """The puzzle of a file."""
        return each([decoded(data)], self._puzzle)

    def _puzzle(self, text: str) -> Puzzle:
        parts = self.parts(text)
        marks, wishes = declared(parts.colors, _color, "r = (red) %")
        rows, columns = _clues(parts.rows, "rows"), _clues(parts.columns, "columns")
        if not marks or any(re.search(r"\d(?:[\s,]|$)", line) and line != "0" for _, line in rows + columns):
            wishes.append(Wish(*BLACK))
        known = Marks(marks, len(wishes))
        beside, above = (tuple(map(known.clue_of, side)) for side in (rows, columns))
        return normalize_palette(Puzzle(beside, above, palette_of(wishes)))

    def write(self, puzzle: Puzzle) -> bytes:
        """A file with this puzzle; black needs no declaration."""
        marks = distinct(
            ["" if color.rgb == BLACK.rgb else color.symbol for color in puzzle.palette],
            (mark for mark in SYMBOLS if mark.isalpha() and mark.isascii() and mark.islower()),
        )
        names = [mark if mark.isalpha() and mark.isascii() else f"c{k}" for k, mark in enumerate(marks)]
        names = ["" if color.rgb == BLACK.rgb else name for color, name in zip(puzzle.palette, names, strict=True)]
        colors = [
            f"{name} = ({', '.join(map(str, bytes.fromhex(color.rgb)))}) {_symbol(color.symbol)}".rstrip()
            for name, color in zip(names[1:], puzzle.palette[1:], strict=True)
            if name
        ]
        sides = (
            [" ".join([f"{block.length}{names[block.color]}" for block in clue]) or "0" for clue in clues]
            for clues in (puzzle.columns, puzzle.rows)
        )
        return "".join(f"{line}\n" for line in self.text(colors, *sides)).encode()


def _symbol(symbol: str) -> str:
    """A colour's symbol, unless it would end a comment or a text."""
    return "" if symbol in "#;'\"\\" else symbol


def _color(line: str) -> tuple[str, Wish] | None:
    """A colour and the mark that stands behind numbers of it."""
    found = COLOR.fullmatch(line)
    rgb = rgb_of(found[2]) if found else None
    return (found[1], Wish(found[1], found[3], rgb)) if found and rgb else None


def _clues(lines: list[Line], side: str) -> list[Line]:
    """A line for each clue: several may stand on one, between commas, and each in quotation marks."""
    clues = [
        (number, clue.strip().strip("'\"").strip()) for number, line in lines for clue in line.split(",", MAX_CELLS)
    ]
    clues = [clue for clue in clues if clue[1]]
    if not 1 <= len(clues) <= MAX_CELLS:
        raise FormatError(f"it has {len(clues)} {side}; a side has 1 to {MAX_CELLS}")
    return clues


def _ini(text: str) -> Parts:
    found: dict[tuple[str, str], list[Line]] = {}
    colors: list[Line] = []
    section = setting = ""
    for number, line in lines_within(text, MOST_LINES):
        line = line.strip()
        if section == "colors" and line[:1] not in ("", "[", "#", ";"):
            colors.append((number, line))
            continue
        if setting and ONLY_CLUES.fullmatch(line):  # as most lines are
            found[section, setting].append((number, line))
            continue
        line = COMMENT.sub("", line).strip()
        if not line:
            continue
        if heading := HEADING.fullmatch(line):
            section, setting = heading[1].lower(), ""
        elif given := SETTING.fullmatch(line):
            setting = given[1].lower()
            if (section, setting) in found:
                raise FormatError(f"line {number}: '{setting}' stands here for the second time")
            found[section, setting] = [(number, given[2])]
        elif setting:
            found[section, setting].append((number, line))
        else:
            raise FormatError(f"line {number}: {clipped(line)} belongs to no setting")
    return Parts(colors, *(found.get(("clues", side), []) for side in ("rows", "columns")))


def _toml(text: str) -> Parts:
    if found := OVERLONG.search(text):
        raise FormatError(f"it is no TOML of puzzles: {clipped(found[0])} is too long a key or word")
    if text.count("=") + text.count("[") > MOST_KEYS:
        raise FormatError(f"it is no TOML of puzzles: it has more than {MOST_KEYS:,} keys and tables")
    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = "too many brackets in brackets" if isinstance(error, RecursionError) else said_by(error)
        raise FormatError(f"it is no TOML: {reason}") from None
    clues, colors = tables.get("clues"), tables.get("colors", {})
    declared = colors.get("defs", []) if isinstance(colors, dict) else None
    if not isinstance(clues, dict) or not isinstance(declared, list) or not all(isinstance(x, str) for x in declared):
        raise FormatError("it should have a table [clues], and colours as texts in [colors] defs")
    sides = []
    for side in ("rows", "columns"):
        value = clues.get(side, "")
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise FormatError(f"'{side}' should be a text")
        bare = [COMMENT.sub("", text) for text in texts[: MOST_LINES + 1]]
        lines = bare[0].split("\n") if isinstance(value, str) else bare
        sides.append([*enumerate(lines[: MOST_LINES + 1], 1)])
    return Parts([(number, line.strip()) for number, line in enumerate(declared, 1)], *sides)


def _ini_text(colors: list[str], columns: list[str], rows: list[str]) -> list[str]:
    head = ["[colors]", *colors, ""] if colors else []
    return [*head, "[clues]", "columns =", *_indented(columns), "", "rows =", *_indented(rows)]


def _toml_text(colors: list[str], columns: list[str], rows: list[str]) -> list[str]:
    head = ["[colors]", "defs = [", *(f"    '{color}'," for color in colors), "]", ""] if colors else []
    quotes = '"' * 3
    sides = (f"columns = {quotes}", *_indented(columns), quotes, "", f"rows = {quotes}", *_indented(rows), quotes)
    return [*head, "[clues]", *sides]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


INI = Sections("ini", "pynogram's ini.", (".ini",), False, _ini, _ini_text)
TOML = Sections("toml", "nonogrid's TOML.", (".toml",), True, _toml, _toml_text)
