"""pynogram's ini and nonogrid's TOML: an optional section of colours, and a section of clues.

    [colors]                 in TOML: defs = ["r = (red) %"]
    r = (red) %

    [clues]
    columns = 1, 1r, 1r      ; or a line each, in TOML between triple quotation marks
    rows = 1 2r

A number's colour follows it (default: black). A colour is a name of CSS, three numbers, or hexadecimal
digits. A `#` or `;` begins a comment.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nonocensus.scrapers.formats.colors import ColorMarks, ColorSpec, palette_of, parse_color_lines
from nonocensus.scrapers.formats.parsing import (
    FormatError,
    NumberedLine,
    bounded_lines,
    clip,
    decode_text,
    error_text,
    read_each,
)
from nonocensus.solver.model.named_colors import SYMBOLS, make_distinct, parse_rgb
from nonocensus.solver.model.puzzle import BLACK, MAX_CELLS, Puzzle, normalize_palette

CLUES = re.compile(rb"(?:^|[\r\n])[ \t]*\[clues\][ \t]*(?=[\r\n#;])")
TOML_ONLY = re.compile(rb"""(?:^|[\r\n])[ \t]*(?:rows|columns|defs)[ \t]*=[ \t]*(?:["'\[])""")
HEADING = re.compile(r"\[(\w+)\]")
SETTING = re.compile(r"([\w-]+)\s*[=:]\s*(.*)")
COLOR = re.compile(r"([\w-]+)\s*=\s*\(([^()]*)\)\s*(\S?).*")
COMMENT = re.compile(r"[#;].*")
ONLY_CLUES = re.compile(r"[^\[\]#;=:]+")
"""A line without heading, setting and comment."""
OVERLONG = re.compile(
    r"""(?<!\w)\w{4096}|(?<![\w\\-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}"""
)
"""A word of TOML longer than any row, for which tomllib takes a hundred times its size in memory, or a key of more
than 16 parts, where two are in use, for which tomllib takes quadratic time and memory.

No part may follow a backslash, else each quotation mark of a line of escaped ones would be tried as a start.
"""

MOST_KEYS = 4_000
"""Equals signs and brackets in a TOML file, which has some ten and one per colour: a key takes up to 15 KB."""

MAX_LINES = 16 * MAX_CELLS


class SectionLines(NamedTuple):
    """The lines of a file by section, unvalidated; rows and columns without comments."""

    colors: list[NumberedLine]
    rows: list[NumberedLine]
    columns: list[NumberedLine]


class SectionFormat(NamedTuple):
    """One of the two formats."""

    NAME: str
    ABOUT: str
    SUFFIXES: tuple[str, ...]
    is_toml: bool
    parts: Callable[[str], SectionLines]
    text: Callable[[list[str], list[str], list[str]], list[str]]
    HOLDS: frozenset[str] = frozenset({"colors", "rgb"})

    def recognizes(self, data: bytes) -> bool:
        """Check for a section of clues in this format's syntax."""
        return CLUES.search(data) is not None and (TOML_ONLY.search(data) is not None) == self.is_toml

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """Yield the puzzle of a file."""
        return read_each([decode_text(data)], self._puzzle)

    def _puzzle(self, text: str) -> Puzzle:
        parts = self.parts(text)
        marks, specs = parse_color_lines(parts.colors, _color, "r = (red) %")
        rows, columns = _clues(parts.rows, "rows"), _clues(parts.columns, "columns")
        if not marks or any(re.search(r"\d(?:[\s,]|$)", line) and line != "0" for _, line in rows + columns):
            specs.append(ColorSpec(*BLACK))
        known = ColorMarks(marks, len(specs))
        row_clues, column_clues = (tuple(map(known.clue_of, side)) for side in (rows, columns))
        return normalize_palette(Puzzle(row_clues, column_clues, palette_of(specs)))

    def write(self, puzzle: Puzzle) -> bytes:
        """Return a file with this puzzle; black is not declared."""
        marks = make_distinct(
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
    """Return a colour's symbol, unless it would end a comment or a string."""
    return "" if symbol in "#;'\"\\" else symbol


def _color(line: str) -> tuple[str, ColorSpec] | None:
    """Parse a declared colour: its mark and the colour."""
    found = COLOR.fullmatch(line)
    rgb = parse_rgb(found[2]) if found else None
    return (found[1], ColorSpec(found[1], found[3], rgb)) if found and rgb else None


def _clues(lines: list[NumberedLine], side: str) -> list[NumberedLine]:
    """Split lines into clues: separated by commas, perhaps quoted."""
    clues = [
        (number, clue.strip().strip("'\"").strip()) for number, line in lines for clue in line.split(",", MAX_CELLS)
    ]
    clues = [clue for clue in clues if clue[1]]
    if not 1 <= len(clues) <= MAX_CELLS:
        raise FormatError(f"it has {len(clues)} {side}; a side has 1 to {MAX_CELLS}")
    return clues


def _ini(text: str) -> SectionLines:
    found: dict[tuple[str, str], list[NumberedLine]] = {}
    colors: list[NumberedLine] = []
    section = setting = ""
    for number, line in bounded_lines(text, MAX_LINES):
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
                raise FormatError(f"line {number}: '{setting}' occurs twice")
            found[section, setting] = [(number, given[2])]
        elif setting:
            found[section, setting].append((number, line))
        else:
            raise FormatError(f"line {number}: {clip(line)} belongs to no setting")
    return SectionLines(colors, *(found.get(("clues", side), []) for side in ("rows", "columns")))


def _toml(text: str) -> SectionLines:
    if found := OVERLONG.search(text):
        raise FormatError(f"it is not TOML of puzzles: {clip(found[0])} is too long a key or word")
    if text.count("=") + text.count("[") > MOST_KEYS:
        raise FormatError(f"it is not TOML of puzzles: it has more than {MOST_KEYS:,} keys and tables")
    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = "too many brackets in brackets" if isinstance(error, RecursionError) else error_text(error)
        raise FormatError(f"it is not TOML: {reason}") from None
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
        bare = [COMMENT.sub("", text) for text in texts[: MAX_LINES + 1]]
        lines = bare[0].split("\n") if isinstance(value, str) else bare
        sides.append([*enumerate(lines[: MAX_LINES + 1], 1)])
    return SectionLines([(number, line.strip()) for number, line in enumerate(declared, 1)], *sides)


def _ini_text(colors: list[str], columns: list[str], rows: list[str]) -> list[str]:
    head = ["[colors]", *colors, ""] if colors else []
    return [*head, "[clues]", "columns =", *_indent(columns), "", "rows =", *_indent(rows)]


def _toml_text(colors: list[str], columns: list[str], rows: list[str]) -> list[str]:
    head = ["[colors]", "defs = [", *(f"    '{color}'," for color in colors), "]", ""] if colors else []
    quotes = '"' * 3
    sides = (f"columns = {quotes}", *_indent(columns), quotes, "", f"rows = {quotes}", *_indent(rows), quotes)
    return [*head, "[clues]", *sides]


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


INI = SectionFormat("ini", "pynogram's ini: sections [colors] and [clues].", (".ini",), False, _ini, _ini_text)
TOML = SectionFormat("toml", "nonogrid's TOML: tables [colors], [clues].", (".toml",), True, _toml, _toml_text)
