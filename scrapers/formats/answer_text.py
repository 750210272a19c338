r"""Answers to a puzzle, of programs, people and language models: a grid in any usual notation.

A grid is an array of palette entries, a list of rows (lists, or texts), or a text with

    lines       a row a line; cells side by side, or separated by blanks, commas or bars; each cell may be drawn twice
    labels      before each row: "Row 3:", "3.", "3 |", "2 1 |"
    lists       [[1, 0], [0, 1]], ["10", "01"], of JSON or Python, also as NumPy prints them
    objects     {"solution": ...}, {"answer": ...}, {"grid": ...}
    one line    all cells, row by row

What surrounds it is ignored: all up to </think>; all outside <answer>...</answer>, or else outside code fences if
these have a grid; prose. Two different grids are refused. A sign has one meaning, and each meaning one sign: a second
one is refused, since it may be another. Symbols of the puzzle's palette precede

    painted     # █ ■ ⬛ ◼ ▓ ● and 1; in several colours the palette's symbols, or the number of the colour in base 36
    empty       . - 0 _ □ ░ ⬜ ◻ ○ · × and a blank
    unknown     ?
    X, O        whichever of painted and empty no other sign means; X painted and O empty if they are the only signs
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, takewhile
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.scrapers.formats.parsing import FormatError, clipped
from nonocensus.solver.model.puzzle import Puzzle

UNKNOWN = 255
"""Entry of a cell that the grid leaves open."""

PAINTED, EMPTY, OPEN, EITHER = "#█■⬛◼▓●", ".-0_□░⬜◻○·× ", "?", "xXoO"

Meanings = Mapping[str, tuple[int, ...]]
"""The palette entries that each sign may mean: one, or painted and empty."""


def meanings_of(puzzle: Puzzle) -> Meanings:
    """Return what each sign may mean in a grid of this puzzle."""
    colors = max(puzzle.colors, 1)
    ground, *symbols = (color.symbol for color in puzzle.palette[: colors + 1])
    meanings: dict[str, tuple[int, ...]] = dict.fromkeys(EITHER, (1, 0)) if colors == 1 else {}
    meanings |= dict.fromkeys(EMPTY, (0,)) | dict.fromkeys(OPEN, (UNKNOWN,)) | {ground: (0,)}
    meanings |= dict.fromkeys(PAINTED, (1,)) if colors == 1 else {}
    meanings |= {str(entry): (entry,) for entry in range(1, colors + 1)}
    meanings |= {DIGITS[entry]: (entry,) for entry in range(1, colors + 1)}
    others = {symbol.swapcase(): (entry,) for entry, symbol in enumerate(symbols, 1)} if colors > 1 else {}
    return others | meanings | {symbol: (entry,) for entry, symbol in enumerate(symbols, 1)}


def entries_of(rows: Sequence[Sequence[str]], meanings: Meanings) -> np.ndarray:
    """Return the palette entries of a grid of known signs, uint8[height, width]; UNKNOWN for open cells.

    Raises FormatError if a sign is ambiguous.
    """
    signs = {sign: meanings[sign] for row in rows for sign in row}
    entries = {sign: entry for sign, (entry, *others) in signs.items() if not others}
    for sign, entry in entries.items():
        first = next(other for other in entries if entries[other] == entry)
        if first != sign:
            raise FormatError(f"{clipped(first)} and {clipped(sign)} both mean {_words(entry)}: write ? for open cells")
    entries |= _resolved([sign for sign in signs if sign not in entries], set(entries.values()))
    return np.array([[entries[sign] for sign in row] for row in rows], np.uint8)


def _resolved(either: Sequence[str], taken: set[int]) -> dict[str, int]:
    """Return the meanings of the signs EITHER; `taken` are the entries that other signs mean."""
    free = {0, 1} - taken
    if not either:
        return {}
    if len(either) == 1 and len(free) == 1:
        return {either[0]: free.pop()}
    if len(free) == 2 and sorted(sign.lower() for sign in either) == ["o", "x"]:
        return {sign: int(sign in "xX") for sign in either}
    raise FormatError(f"{' and '.join(map(clipped, either))} could be painted or empty: write # and .")


def _words(entry: int) -> str:
    return {0: "empty", UNKNOWN: "open"}.get(entry, f"colour {entry}")


MAX_PROSE, MAX_SIGNS = 1 << 20, 32
"""Most characters of an answer: for prose, and for each cell."""

MAX_LINES = 1 << 16

KEYS = ("solution", "answer", "grid")
"""Fields that hold the grid of an object."""

THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL)
"""Some models' templates hold the opening tag, so that an answer has the closing one only."""

ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL)
FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
INVISIBLE = {0xFE0F: None, 0x200B: None, 0xFEFF: None, 0xA0: " ", 0x3000: " "}
"""Variation selector of emoji, zero-width and wide blanks."""

LIST = re.compile(r"[\[(]([^\[\]()]*)[\])]")
ITEM = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s,'\"]+)")
WORDS = {"None": "?", "null": "?", "nan": "?", "-1": "?", str(UNKNOWN): "?"}
WORDS |= {"True": "1", "true": "1", "False": "0", "false": "0", "": " "}

LABEL = re.compile(r"\s*+(?:[^:|=>→]{0,60}?\d[^:|=>→]{0,60}?[-=]?[:|=>→]|(?:[Rr]ow |[Rr])?\d++[.)\]])\s?")
NUMBER = re.compile(r"\s*+(\d++)\s")

Rows = list[list[str]]


class _Wanted(NamedTuple):
    """The grid to look for."""

    width: int
    height: int
    meanings: Meanings

    def is_grid(self, rows: Rows) -> bool:
        """Return whether these are rows of known signs in the puzzle's size."""
        return len(rows) == self.height and all(len(row) == self.width and self.knows(row) for row in rows)

    def knows(self, row: Iterable[str]) -> bool:
        return all(sign in self.meanings for sign in row)


def read_answer(answer: Any, puzzle: Puzzle) -> np.ndarray:
    """Return the grid of an answer, uint8[height, width] of palette entries, UNKNOWN for open cells.

    Raises FormatError for an answer without a grid of the puzzle's size, or with several, and for ambiguous signs.
    """
    wanted = _Wanted(puzzle.width, puzzle.height, meanings_of(puzzle))
    if isinstance(answer, bytes):
        answer = answer[: 4 * (_most(wanted) + 1)].decode(errors="replace")  # a character has up to four bytes
    if isinstance(answer, np.ndarray):
        answer = answer.tolist() if answer.size <= _most(wanted) else []
    grids = _in_text(answer, wanted) if isinstance(answer, str) else _in_value(answer, wanted)
    distinct = {grid.tobytes(): grid for grid in (entries_of(rows, wanted.meanings) for rows in grids)}
    several = [grid for grid in distinct.values() if (grid != UNKNOWN).any()] or list(distinct.values())
    if len(several) > 1:
        raise FormatError(f"it holds {len(several)} different grids: put one between <answer> and </answer>")
    return several[0]


def _most(wanted: _Wanted) -> int:
    return MAX_PROSE + MAX_SIGNS * wanted.width * wanted.height


def _in_text(text: str, wanted: _Wanted) -> list[Rows]:
    """Return the grids of a text, at least one. Raises FormatError."""
    if len(text) > _most(wanted):
        raise FormatError(f"it has more than {_most(wanted):,} characters")
    if text.count("\n") > MAX_LINES:
        raise FormatError(f"it has more than {MAX_LINES:,} lines")
    text = THOUGHTS.sub("", text).translate(INVISIBLE).replace("\r\n", "\n")
    text = ([text, *ANSWER.findall(text)])[-1]
    fenced = FENCE.findall(text)
    for sections in (fenced, [text.replace("`", "").replace("**", "")]):
        grids = [rows for section in sections for rows in _in_section(section, wanted)]
        if grids:
            return grids
    raise FormatError(_missing((fenced or [text])[-1].replace("`", "").split("\n"), wanted))


def _in_section(section: str, wanted: _Wanted) -> Iterator[Rows]:
    """Yield the grids of the text in one fence, or of one without fences."""
    if section.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = msgspec.json.decode(section)
        except (msgspec.DecodeError, RecursionError):
            value = None
        if isinstance(value, str | dict | list):
            yield from _in_text(value, wanted) if isinstance(value, str) else _in_value(value, wanted)
            return
    grids = list(_in_lists(section, wanted)) or list(_in_lines(section, wanted))
    yield from grids


def _in_value(value: Any, wanted: _Wanted) -> list[Rows]:
    """Return the only grid of an object or a list. Raises FormatError."""
    for _ in KEYS:
        if isinstance(value, dict):
            value = next((value[key] for key in KEYS if key in value), None)
    if isinstance(value, str):
        return _in_text(value, wanted)
    if not isinstance(value, list | tuple):
        raise FormatError(f"it is no grid: write a text, a list of rows, or an object with {clipped(KEYS[0])}")
    rows = _shaped([[*map(_sign, row)] if isinstance(row, list | tuple) else _sign(row) for row in value], wanted)
    if not wanted.is_grid(rows):
        raise FormatError(_fault(rows, wanted))
    return [rows]


def _sign(cell: Any) -> str:
    """Return the sign of a list's item."""
    text = "?" if cell is None else str(int(cell)) if isinstance(cell, bool) else str(cell)
    return WORDS.get(text, text)


def _shaped(items: list[Any], wanted: _Wanted) -> Rows:
    """Return rows of a list of rows, or of one with all cells."""
    if len(items) == wanted.width * wanted.height != wanted.height and all(isinstance(item, str) for item in items):
        return [items[first : first + wanted.width] for first in range(0, len(items), wanted.width)]
    return [item if isinstance(item, list) else _cells(item, wanted.width) or list(item) for item in items]


def _in_lists(text: str, wanted: _Wanted) -> Iterator[Rows]:
    """Yield the grids written as lists of Python, with or without commas."""
    runs: list[Rows] = []
    end = 0
    for found in LIST.finditer(text):
        if not runs or text[end : found.start()].strip(", \n\t"):
            runs.append([])
        runs[-1].append([WORDS.get(word, word) for word in map("".join, ITEM.findall(found[1]))])
        end = found.end()
    for run in runs:
        yield from filter(wanted.is_grid, [run] if len(run) > 1 else [run, _shaped(run[0], wanted)])


def _in_lines(text: str, wanted: _Wanted) -> Iterator[Rows]:
    """Yield the grids written as lines."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    for chosen in (lines, filled)[: 1 + (len(filled) < len(lines))]:
        for label in (None, LABEL, NUMBER):
            grids = list(_runs(chosen, label, wanted))
            if grids:
                yield from grids
                return
    for line in filled:
        cells = _cells(line.strip(), wanted.width * wanted.height)
        if cells and wanted.knows(cells):
            yield _shaped(cells, wanted)
    blank = _with_blanks(lines, wanted)
    if blank is not None:
        yield blank


def _runs(lines: list[str], label: re.Pattern[str] | None, wanted: _Wanted) -> Iterator[Rows]:
    """Yield the grids whose rows are adjacent lines, each after a label."""

    def row(line: str) -> list[str] | None:
        if len(line) < wanted.width:
            return None
        rest = _without(label, line)
        cells = None if label and rest == line else _cells(rest, wanted.width)
        return cells if cells and wanted.knows(cells) else None

    rows = [(row(line), line) for line in lines]
    for has_cells, run in groupby(rows, lambda each: each[0] is not None):
        grid, texts = zip(*run, strict=True)
        if has_cells and len(grid) == wanted.height and (label is not NUMBER or _are_numbered(texts)):
            yield list(grid)


def _without(label: re.Pattern[str] | None, line: str) -> str:
    """Return a line without the label that it begins with, if any."""
    found = label and label.match(line)
    return line[found.end() :] if found else line


def _are_numbered(lines: Iterable[str]) -> bool:
    """Return whether lines begin with 1, 2 and so on, or 0, 1."""
    numbers = [int(found[1]) for found in map(NUMBER.match, lines) if found and len(found[1]) < 5]
    return numbers in [list(range(first, first + len(numbers))) for first in (0, 1)]


def _cells(line: str, width: int) -> list[str] | None:
    """Split a line into `width` cells; None if it has another number of them."""
    barred = line.strip().strip("|").split("|")
    if len(barred) == width > 1:
        return [cell.strip() or " " for cell in barred]
    words = line.replace(",", " ").replace("|", " ").split()
    if len(words) == width:
        return words
    bare = line.strip("\n|")
    for cells in ("".join(words), bare):
        if len(cells) == width:
            return list(cells)
        if len(cells) == 2 * width and cells[::2] == cells[1::2]:
            return list(cells[::2])
    return None


def _with_blanks(lines: list[str], wanted: _Wanted) -> Rows | None:
    """Return a grid of painted cells and blanks, where blanks at the ends of rows may be missing."""
    extra = max(len(lines) - wanted.height, 0)
    after = sum(1 for _ in takewhile(lambda line: not line.strip(), islice(reversed(lines), extra)))
    before, lines = lines[: extra - after], lines[extra - after : len(lines) - after]
    if any(line.strip() for line in before) or any(len(line) > wanted.width for line in lines):
        return None
    rows = [list(line.ljust(wanted.width)) for line in lines]
    signs = {sign for row in rows for sign in row} - {" "}
    return rows if wanted.is_grid(rows) and signs and not any(0 in wanted.meanings[sign] for sign in signs) else None


def _missing(lines: list[str], wanted: _Wanted) -> str:
    """Return why lines hold no grid."""
    rows = [list("".join(_without(LABEL, line).replace(",", " ").split())) for line in lines if line.strip()]
    drawn = [row for row in rows if 2 * sum(sign in wanted.meanings for sign in row) > len(row)]
    whole = len(rows) == wanted.height and all(len(row) == wanted.width for row in rows)
    return _fault(rows if whole else drawn, wanted)


def _fault(rows: Rows, wanted: _Wanted) -> str:
    """Return why rows are no grid of the puzzle."""
    if not rows:
        return f"no grid of {wanted.height} rows of {wanted.width} cells in it"
    if len(rows) != wanted.height:
        return f"its height is {len(rows):,}, the puzzle's {wanted.height:,}"
    for y, row in enumerate(rows, 1):
        if len(row) != wanted.width:
            return f"row {y} has {len(row):,} {'cell' if len(row) == 1 else 'cells'}, not {wanted.width:,}"
    y, x = next((y, x) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign not in wanted.meanings)
    return f"row {y + 1}, column {x + 1}: {clipped(rows[y][x])} is no sign of a cell"
