r"""Answers to a puzzle, of programs, people and language models: the grid that a person would see, in any notation.

An answer is an array of palette entries, a list of rows, an object (any key), or a text. A text is read in stages:

    section    thoughts are left out; the last <answer>...</answer> counts if there are cells in it, else the whole text
    values     JSON in it is decoded: lists of rows or of cells, texts, and objects of these
    markup     in the text between, that of HTML, LaTeX and Markdown becomes lines, bars, signs or nothing (MARKUP)
    lines      pieces of a line are cells with nothing but blanks, commas or quotation marks between. A piece of the
               puzzle's width is a row, whatever is around it; one of as many cells as the puzzle is all rows
    blocks     adjacent lines of cells, or those labelled with the next row, are a grid if they have as many rows as the
               puzzle. Words too many are left out if they are each row's number, its clue or both
    choice     the last grid counts, unless the text rejects it. What follows it and was meant as a grid, or another
               version of a row, is a fault; so are lines said to be columns, or to be perhaps the same row

A fault is refused with what is wrong, never repaired. What each sign means is in answer_signs.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from nonocensus.scrapers.formats.answer_signs import (
    BLANK,
    HARD,
    SOFT,
    UNKNOWN,
    AnswerSigns,
    Row,
    entries_of,
    signs_of,
    with_legend,
)
from nonocensus.scrapers.formats.matrix import INVISIBLE
from nonocensus.scrapers.formats.parsing import FormatError, clip
from nonocensus.solver.model.puzzle import Puzzle, clues_of

MAX_PROSE, MAX_SIGNS, MAX_LINES, MAX_DEPTH, MAX_TRIES = 1 << 20, 32, 1 << 16, 16, 32
"""Characters of prose and of each cell; lines; lists in each other; places that look like JSON and are not."""

KEYS = ("solution", "answer", "grid")
LEGENDS = ("legend", "key", "palette", "encoding", "mapping", "colors", "colours", "symbols")
"""Fields that precede others, and those of what the signs mean."""

TURNED = {
    "with its lines as columns": r"col|kolu|kolo|spalt|столб|sloup|sütun|cột|vertical|transpos|[列열]|\bV\d",
    "with its last row first": r"bottom|upside|revers|last|flip|down|(?:^|\n)\W{0,9}2\b.*\n\W{0,9}1\b",
    "with each row from its end": r"right to left|mirror|revers|flip",
    "with painted as empty": r"fill|paint|shade|black|blank|empty|white|inver",
}
"""Changes of a grid, and the words of an answer that may mean them."""


class _Wanted(NamedTuple):
    """The grid to look for, and the most characters of an answer."""

    puzzle: Puzzle
    signs: AnswerSigns
    width: int
    height: int
    cells: int
    most: int

    def sign(self, word: str) -> str | None:
        """Return the sign of a cell that a word is, or None."""
        sign = word.lower() if len(word) > 1 else word
        return sign if sign in self.signs.meanings else None

    def knows(self, word: Sequence[str]) -> bool:
        """Return whether each character of a word is the sign of a cell."""
        return all(sign in self.signs.meanings for sign in word)

    def chunks(self, cells: Row) -> list[Row]:
        return [cells[first : first + self.width] for first in range(0, len(cells), self.width)]


class _Found(NamedTuple):
    """A grid, or why cells are none, whether they were meant to be one, the rows that labels name, the text above."""

    grid: np.ndarray | None
    fault: str = ""
    is_near: bool = True
    rows: Sequence[tuple[int, Row]] = ()
    above: str = ""


def read_answer(answer: Any, puzzle: Puzzle) -> np.ndarray:
    """Return the grid of an answer, uint8[height, width] of palette entries, UNKNOWN for open cells.

    Raises FormatError for an answer without a grid of the puzzle's size, or with an uncertain one.
    """
    signs, cells = signs_of(puzzle.palette[: max(puzzle.colors, 1) + 1]), puzzle.width * puzzle.height
    wanted = _Wanted(puzzle, signs, puzzle.width, puzzle.height, cells, MAX_PROSE + MAX_SIGNS * cells)
    if isinstance(answer, bytes):
        answer = answer[: 4 * (wanted.most + 1)].decode(errors="replace")  # a character has up to four bytes
    if isinstance(answer, np.ndarray):
        answer = answer.tolist() if answer.size <= wanted.most else []
    if not isinstance(answer, str | list | tuple | dict):
        raise FormatError(f"not a grid: write a text, a list of rows, or an object with {clip(KEYS[0])}")
    found = _in_value(answer, wanted, 0)
    if not found or found[-1].grid is None:
        raise FormatError(found[-1].fault if found else _fault([], wanted))
    text = ""
    with suppress(RecursionError, ValueError):  # of lists in each other, of numbers with thousands of digits
        text = "" if not isinstance(answer, str) and _is_row(next(iter(answer))) else str(answer)
    if re.search(r"[^\W\d_]|\b2\b", text):
        _refuse_turned(found[-1].grid, text, puzzle)
    return found[-1].grid


def _refuse_turned(grid: np.ndarray, text: str, puzzle: Puzzle) -> None:
    """Raise FormatError if a grid has faults, but none in an order or with a legend that the answer may name."""
    goal, inverse = (puzzle.rows, puzzle.columns), np.where(grid > 1, grid, 1 - grid)
    for other, (name, hint) in zip((grid.T, grid[::-1], grid[:, ::-1], inverse), TURNED.items(), strict=True):
        if re.search(hint, text, re.IGNORECASE) and clues_of(other) == goal != clues_of(grid):
            raise FormatError(f"it has faults, but none {name}: it is not certain which is meant")


def _find_grid(rows: Sequence[Row], wanted: _Wanted) -> _Found:
    """Return the grid of rows, or what is wrong with their signs."""
    if len(rows) == wanted.height and {*chain.from_iterable(rows)} == {BLANK}:
        return _Found(None, "its cells are all blank: write a sign in each")
    try:
        return _Found(entries_of(rows, wanted.signs.meanings))
    except FormatError as error:
        return _Found(None, str(error))


def _in_value(value: Any, wanted: _Wanted, depth: int) -> list[_Found]:
    """Return the grid of a value, or why it is none; nothing if it has no cells."""
    if isinstance(value, str):
        return _in_text(value, wanted, depth)
    if not isinstance(value, dict | list | tuple):
        return []
    if depth > MAX_DEPTH:
        return [_Found(None, f"it has more than {MAX_DEPTH} lists and objects in each other")]
    if isinstance(value, dict):
        if value.get("role") in ("user", "system") or value.get("type") in ("thinking", "reasoning"):
            return []
        legend = "\n".join(_legend(item, wanted) for key, item in value.items() if key in LEGENDS)
        wanted = wanted._replace(signs=with_legend(legend, wanted.signs))
        first = (_in_value(value[key], wanted, depth + 1) for key in KEYS if key in value)
        return next(filter(None, first), None) or _in_items([*value.items()], wanted, depth)
    is_rows = all(isinstance(item, int) and 10**wanted.width > item >= 10 ** (wanted.width - 1) > 1 for item in value)
    if len(value) != wanted.cells and (is_rows or all(isinstance(item, str) for item in value)):
        return _in_text("\n".join(map(str, value)), wanted, depth + 1)
    rows = [value] if _is_row(value) else value
    if not all(map(_is_row, rows)):
        return _in_items([("", item) for item in value], wanted, depth)
    counts = [*map(len, rows)]
    if counts in ([wanted.cells], [wanted.width] * wanted.height):
        return [_find_grid(wanted.chunks([_sign(cell) for row in rows for cell in row]), wanted)]
    return [_Found(None, _fault(counts, wanted), _is_near(sum(counts), wanted))]


def _legend(value: Any, wanted: _Wanted) -> str:
    """Return the legend that a field is, as a text."""
    if isinstance(value, list):  # of the colours, perhaps without the background
        value = dict(enumerate(value, wanted.puzzle.colors + 1 - len(value)))
    items = value.items() if isinstance(value, dict) else ()
    lines = [f"{key} = {name}" for key, name in items if isinstance(name, str) or name in range(99)]
    return value if isinstance(value, str) else "\n".join(lines)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | dict) for item in value)


def _in_items(items: Sequence[tuple[Any, Any]], wanted: _Wanted, depth: int) -> list[_Found]:
    """Return the only grid that an item of an object or a list has, or else that whose rows the items are."""
    kept = [item for key, item in items if not re.fullmatch(THOUGHT, str(key))]
    found = [each for item in kept for each in _in_value(item, wanted, depth + 1)]
    grids = {each.grid.tobytes(): each for each in found if each.grid is not None}
    if len(grids) > 1:
        return [_Found(None, f"it holds {len(grids)} different grids: write one as {clip(KEYS[0])}")]
    if any(each.is_near for each in found):
        return [*grids.values()] or [each for each in found if each.is_near]
    parts = [(key, item) for key, item in items if isinstance(item, str | dict | list | tuple)]
    lines = [f"{key}: {json.dumps(item, skipkeys=True, ensure_ascii=False, default=str)}" for key, item in parts]
    return _choose_grid(_in_lines("\n".join(lines), wanted, []), wanted)


def _sign(cell: Any) -> str:
    """Return the sign of a list's item."""
    if isinstance(cell, int | float) and abs(cell) < 10**6 and cell == int(cell):
        return str(int(cell))
    text = "number" if isinstance(cell, int) else str(cell).strip()
    return text.lower() if len(text) > 1 else text or BLANK


THOUGHT = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis"
THOUGHTS = re.compile(
    rf"\A.*(?:</(?:{THOUGHT})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>)"
    rf"|<(?:{THOUGHT})>.*|◁think▷.*|\[THINK\].*|<\|begin_of_thought\|>.*",
    re.DOTALL | re.IGNORECASE,
)
"""Some models' templates hold the opening tag, so that an answer has the closing one only."""

ANSWER = re.compile(
    r"[<\[](?:final_)?(?:answer|solution)[>\]](.*?)(?:[<\[]/(?:final_)?(?:answer|solution)[>\]]|\Z)",
    re.DOTALL | re.IGNORECASE,
)
BOX = re.compile(r"\\boxed\s?\{((?:[^{}]++|\{[^{}]*+\})*+)\}")
JSON = re.compile(r'\{\s*+"|\[(?:\s*+[\[{"]|[ \t]*+\n)')
"""Begins an object, or a list that is more than a row."""

PLAIN: dict[int, int | str | None] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
PLAIN |= INVISIBLE | dict.fromkeys(map(ord, "│┃║❘"), "|")
"""What letters of double width, variation selectors of emoji, blanks of other widths and bars of frames become."""

LATEX = {"blacksquare": "■", "filledsquare": "■", "square": "□", "whitesquare": "□"}
LATEX |= {"cdot": "·", "bullet": "●", "circ": "○", "times": "×"}
CHECKS = str.maketrans("✓✔✅✗✘❌", "■■■□□□")
MARKUP = [
    (trigger, re.compile(pattern, re.MULTILINE), new)
    for trigger, pattern, new in (
        ("\\", r"\\\\(?:\[[^\]\n]{0,9}\])?|\\+n|\\(?:begin|end)\{[^{}\n]{0,40}\}(?:\{[^{}\n]{0,1100}\})?", "\n"),
        ("\\", r"\\(?:text|math)[a-z]{0,9}\{([^{}\n]{0,1100})\}", r"\1"),
        ("\\", r"\\([A-Za-z]+)\*?", lambda found: LATEX.get(found[1], " ")),
        ("\\", r"\\(?=[#*_.\-|`~$%&\"])", ""),
        ("<", r"\s{0,40}<t[dh]\b[^<>\n]{0,200}>\s{0,40}", "|"),
        ("<", r"\s{0,40}</tr>", "|\n"),
        ("<", r"<br\s{0,3}/?>|</(?:p|div|li|row)>", "\n"),
        ("<", r"</?[A-Za-z][^<>\n]{0,200}>", ""),
        ("*", r"\*{1,3}(?=[^*\n]*[A-Za-z0-9])([^*\n]+)\*{1,3}", r"\1"),
        ("#", r"^\s{0,3}#{1,6}[ \t]+(?=[01■□█░⬛⬜]{2}|[\[`\"])", ""),
        ("[", r"\[([xX#]| (?=\]))\]", lambda found: found[1].strip() or BLANK),
        ("[", r"(?<=[\[ ,])(\d)\.0?(?=[ ,]{0,9}[\d\]])", r"\1"),
        ("$", r"\$(\S)\$", r"\1"),
        ("(", r"\((?:\d{1,3}[A-Za-z]{1,9}[ ,]{0,2})++\)", "→"),
        ("- ", r"\n[ ]{1,40}- (['\"]?)([^\s-])\1[ \t]*$", r" \2"),
        ("", r"(?:[✓✔✅✗✘❌][ \t,|]{0,3}){3,}", lambda found: found[0].translate(CHECKS)),
        (
            "",
            r"(?<=[.;!?])[ \t]+(?=\W{0,3}(?i:(?:the )?(?:final )?(?:answer|solution|grid))\W{0,4}(?:[:=]| is\b))",
            "\n",
        ),
        ("", r"(?<![^\s;])(\S);(?=\S(?:;|\s|$))", r"\1,"),
        ("", r"^[ \t]*+(?:[-*>•][ \t]{0,3})?\d{1,4}(?:[ \t]{0,3}[:)\]]|\.(?=\s))(?=.*\S)", ":"),
        ("", r"^[ \t]*+[-*•][ \t]+(?=[\d ,]+$|\S{3,}$)", ""),
        ("w", r"(?<=[^\s*>•#/-])[ \t,;]+(?:/[ \t]+)?(?=[Rr]ow\s?\d{1,4}\s?[:=→])", "\n"),
        ("", r"(?<![-=])[-=]+>|[⇒➜➔⟶⇨➡]", "→"),
        ("", r"(?<=[01]{3})[ \t]+#[ \t]+(?=\d)|(?<=[01])[ \t]+[-–—][ \t]+(?=[A-Za-z]{3})", "→"),
        ("", r"(?<=[01#.]{2}|[\"'`\])][,;]|.[\"'`\])])[ \t]+[-–—#][ \t]+(?=[^\n]{0,80}[A-Za-z])", "→"),
        (".", r"(?<=\S[\"'`”)\]}])\.(?=\s|$)|(?:(?<![^\s\"'`(])(?=1*0)|(?<=[a-z,] ))([01]+)\.(?=\s|$)", r"\1"),
    )
]
"""A sign that is there where a pattern fits, unless it is a colour's; the pattern; what it becomes."""


def _in_text(text: str, wanted: _Wanted, depth: int) -> list[_Found]:
    """Return the grid of a text, or why it has none; nothing if it has no cells."""
    for count, most, name in ((len(text), wanted.most, "characters"), (text.count("\n"), MAX_LINES, "lines")):
        if count > most:
            return [_Found(None, f"it has more than {most:,} {name}")]
    text = THOUGHTS.sub("", text).translate(PLAIN).replace("\r\n", "\n").replace("\r", "\n")
    rows = text.strip("\n").split("\n")
    is_plain = len(rows) == wanted.height and {*text} - {*"-\n"}
    if is_plain and all(len(row) == wanted.width and " " not in row and wanted.knows(row) for row in rows):
        return [_find_grid(rows, wanted)]
    sections = [*[tag[1] for tag in ANSWER.finditer(text)][-1:], text]
    for box in [box[1] for box in BOX.finditer(sections[0])][-1:]:
        if (found := _in_section(box, wanted, depth)) and found[-1].grid is not None:
            return found
    read = (_in_section(each, wanted._replace(signs=with_legend(each, wanted.signs)), depth) for each in sections)
    return next(filter(None, read), [])


def _in_section(text: str, wanted: _Wanted, depth: int) -> list[_Found]:
    """Return the grid of an answer tag, or of a text without one, or why it has none."""
    found: list[_Found] = []
    end = 0
    for first, last, value in _values(text):
        each = _in_value(value, wanted, depth + 1)
        if any(one.is_near for one in each):
            found = _in_lines(text[end:first], wanted, found)
            found += [one._replace(above=one.above or text[end:first]) for one in each]
            end = last
    found = _in_lines(text[end:], wanted, found)
    is_drawn = any(each.grid is not None for each in found)
    return _choose_grid(found if is_drawn else [*found, *_in_lines(_with_blanks(text, wanted), wanted, [])], wanted)


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield where the JSON values of a text begin and end, and the values."""
    decoder, end, tries = json.JSONDecoder(), 0, MAX_TRIES
    while tries and (found := JSON.search(text, end)):
        try:
            value, end = decoder.raw_decode(text, found.start())
        except RecursionError:
            return
        except ValueError:
            end, tries = found.end(), tries - 1
        else:
            yield found.start(), end, value


def _choose_grid(found: Sequence[_Found], wanted: _Wanted) -> list[_Found]:
    """Return the last grid, of those with known cells if there are any, or why there is none."""
    grids = [(place, each.grid) for place, each in enumerate(found) if each.grid is not None]
    known = [(place, grid) for place, grid in grids if (grid != UNKNOWN).any()]
    last, grid = (known or grids or [(-1, np.empty(0))])[-1]
    faults = [each for each in found[last + 1 :] if each.is_near and each.grid is None]
    if faults or not grids:
        return (faults or [*found])[-1:]
    for y, row in chain.from_iterable(each.rows for each in found[last + 1 :]):
        again = _find_grid([row], wanted).grid
        if 0 < y <= wanted.height and (again is None or (again[0] != grid[y - 1]).any()):
            return [_Found(None, f"row {y} is there again below the grid, and differs")]
    others = [each for each in found[:last] if each.grid is not None and (each.grid != grid).any()]
    sentence = re.split(r"[.!?;]\s|\n", found[last].above.strip())[-1]
    doubts = FINAL if not CORRECTED.search(found[last].above) else SEVERAL
    if any(doubts.search(each.above) for each in others) or (
        REJECTED.search(sentence) and not AFFIRMED.search(sentence)
    ):
        two = "two grids, and it is not certain which is meant"
        return [_Found(None, two if others else "the text above the grid says that it is not the answer")]
    return [found[last]]


def _with_blanks(text: str, wanted: _Wanted) -> str:
    """Return a drawing of painted cells and blanks, which may be missing at the ends of rows, with signs for blanks."""
    fences = text.split("```")
    text = fences[1::2][-1].partition("\n")[2] if len(fences) > 1 else text
    lines = [line for line in text.rstrip().split("\n") if not FRAME.fullmatch(line.strip())]
    lines += [""] * (wanted.height - len(lines))
    above, lines = lines[: -wanted.height], lines[-wanted.height :]
    painted = {*"".join(lines)} - {*" |"}
    is_painted = all(wanted.signs.meanings.get(sign, (0,))[0] for sign in painted)
    if any(map(str.strip, above)) or not painted or not is_painted:
        return ""
    if not any(line[1::2].strip() for line in lines):
        lines = [line[::2] for line in lines]
    width = wanted.width * (1 + (max(map(len, lines)) > wanted.width))
    rows = [line.strip() if "|" in line else line.ljust(width) for line in lines]
    return "\n".join(rows).replace(" ", BLANK) if any(" " in line for line in lines) else ""


class _Line(NamedTuple):
    """What a line holds."""

    rows: Sequence[Row] = ()
    counts: Sequence[int] = ()  # of cells: of each row, and of what is no row
    words: Sequence[str] = ()  # of the only piece: cells and numbers
    number: int | None = None  # of the row that its label names
    is_rule: bool = False  # perhaps, between lines
    text: str = ""  # if it has no cells, or those of a column
    is_column: bool = False


EMPTY, FENCE = (_Line() for _ in range(2))
"""Lines that are no prose, and have no cells."""

FRAME = re.compile(r"(?=.*(?:--|==|[─━═┄┅]|[+|:]-))[\s|+:=\-─━═┄┅┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯┏┳┓┣╋┫┗┻┛]+")
NAMED = re.compile(r"\b(?:(?:[Rr]ow|ROW|[Ll]ine)(?:[ _#-]{0,3}|\": (?=\d+, \"))|[Rr][_#-]?)(\d{1,4})\b")
COLUMNS = r"(?:(?<![^\W\d_])(?:col(?:umn[aes]{0,2}s?|onn[ae]s?|unas?|s)?(?![^\W\d_])|spalte|kolumn|kolom|столб)|[列열])"
COLUMN_NAME = re.compile(rf"(?i)(?!.*(?:row|行)).{{0,20}}?{COLUMNS}")
COLUMN_HEAD = re.compile(rf"(?i)[\W_]*{COLUMNS}(?:[\W_]*|(?!.*(?:row|clue))\D*[:|]\s*)")
COLUMN = re.compile(r"(?i)[\W\d_]*+(?:col(?:umn)?s?|c)[ _#.]{0,2}\d")
COLUMN_CHECK = re.compile(r"(?i)(?!.*row)\D{0,40}\bcol(?:umn)?s?\b\D{0,40}")
ARE_COLUMNS = "its lines are columns: write rows"
"""Words for columns in names, labels and heads; labels with their number; perhaps a heading above columns."""

OPTIONS = re.compile(r"(?i)\b(?:or|either|options?|possib\w+|could|can|alternatives?|candidates?|arrangements?)\b")
CANDIDATES = re.compile(
    r"(?i)(?=.{0,99}$)(?=.*\brow\b).*\b(?:candidates|options|(?:plac|arrang)ements|possibilit|(?:can|may) be\W*$)"
)
LABEL, LETTERS = re.compile(r".*[:=→]|\([^()]*\)"), re.compile(r"[^\W\d_]{2}")
NATURAL = re.compile(r"0[1-9]?|[1-9]\d{0,3}")
"""What may surround a row; what says that a line is prose; a number."""

FINAL = re.compile(r"(?i)\b(?:final|solutions?|answer|correct|solved)\b")
CORRECTED = re.compile(
    r"(?i)\b(?:(?:re|in)?correct|fix|wrong|wait|hm|actual|oops|sorry|mistake|error|final|new|revis|updat|redo|again"
    r"|instead|should|solution|answer|fail|not\b|second)"
)
REJECTED = re.compile(
    r"(?i)\b(?:wrong|incorrect|mistake|invalid|rejected|broken?|fail\w*|template|(?:counter-?)?example|for instance"
    r"|instead of|blank grid|start(?:ed|ing) (?:from|with)|began|(?:first|earlier|previous) (?:try|attempt|guess|draft)"
    r"|(?:second|another|other|alternative) (?:solution|possib\w+|option|candidate|answer))\b|^\W*(?:and )?not\b"
    r"|^\W*(?:or|candidates|(?:option|solution|answer|candidate|alternative|possibility) [2-9B-D]|[B-D])\W*$"
)
AFFIRMED = re.compile(
    r"(?i)(?<!not )\b(?:correct|fix|final|actual|solved|accepted|(?:new|so|now|should)\b|instead(?! of))"
)
SEVERAL = re.compile(r"(?i)\b(?:two|both|several|multiple) (?:\w+ )?(?:solutions|grids|answers|candidates)")
TAKEN_BACK = re.compile(
    r"(?im)^[^\w\n]{0,9}(?:(?:wait|hm+|no|sorry|actually)[,.!:—–-]|(?:but|this|that|unfortunately|however)\b)[^\n]*?"
    r"\b(?<!nothing is )(?<!no )(?:wrong|incorrect|mistake|error|fails|violates|contradicts|redo"
    r"|(?:not|\w+n't)(?: \w+)? (?:right|correct|valid|satisf|fit|match|work))|^[^\w\n]{0,9}oops\b"
)
"""What the text says about a grid below or above it."""


def _line(text: str, wanted: _Wanted) -> _Line:
    """Return what a line of a text holds."""
    stripped = text.strip()
    if not stripped:
        return EMPTY
    if re.fullmatch(r"(?:```|~~~)\w*", stripped):
        return FENCE
    name, *rest = re.split(r"[:=→|]", stripped.lstrip("| "), maxsplit=1)
    is_named = rest and 0 < len(name) < 25 and wanted.width > 1 and COLUMN_NAME.match(name)
    if is_named or (COLUMN.match(text) and not FINAL.search(text)):
        return _Line(text=stripped, is_column=True)
    number, named = None, [*NAMED.finditer(text)]
    if len({found[1] for found in named}) == 1:
        number, text = int(named[0][1]), f"{text[: named[0].start()]}:{text[named[0].end() :]}"
    line = _in_pieces(_with_fields(text, wanted), wanted)
    if not line.counts and "|" in text:
        line = _in_pieces(text.replace("|", " "), wanted)
    cells = "".join(re.split(r"[\s,|]+", stripped))
    odd = [sign for sign in cells if sign not in wanted.signs.meanings] if len(cells) == wanted.width > 2 else ["a"]
    if not line.counts and not any(sign.isalnum() or sign in SOFT + HARD for sign in odd):
        line = _Line([cells], [wanted.width])
    if len(line.rows) > 1 and number is not None and re.search(r"\bshould|\b[Cc]orrect|\binstead", text):
        return line._replace(number=number)
    if len(line.rows) > 1 and (number is not None or OPTIONS.search(text)):
        line = _Line(counts=[len(line.rows) * wanted.width])
    if FRAME.fullmatch(stripped):
        return line._replace(is_rule=True)
    return line._replace(number=number, text="" if line.counts else stripped)


def _with_fields(text: str, wanted: _Wanted) -> str:
    """Return a line of a table that may have a field for each cell with signs for empty fields, and nothing between."""
    for sign in "|&":
        fields = text.strip().removeprefix("|").removesuffix("|").split(sign)
        if len(fields) >= max(wanted.width, 2) and sign not in wanted.signs.meanings:
            return " ".join(field if field.strip() else BLANK for field in fields)
    return text


def _in_pieces(text: str, wanted: _Wanted) -> _Line:
    """Return the line of a text, which is divided into pieces by whatever is no cell."""
    pieces = [piece for piece in wanted.signs.piece.finditer(text) if 2 * len(piece[0]) > wanted.width]
    words = [wanted.signs.word.findall(piece[0]) for piece in pieces]
    read = [(*_rows_of(each, wanted), piece) for each, piece in zip(words, pieces, strict=True)]
    read = [each for each in read if 2 * each[1] > wanted.width]
    with_rows = [piece for rows, _, piece in read if rows]
    if len(with_rows) == 2 and wanted.width > 1 and "→" in text[with_rows[0].end() : with_rows[1].start()]:
        read = read[-1:]  # before and after
    rows = [row for each, _, _ in read for row in each]
    misfits = [count for each, count, _ in read if not each]
    if read and LETTERS.search(LABEL.sub("", wanted.signs.piece.sub("", text))):
        rows = rows if wanted.width > 2 or (len(rows) == wanted.height and wanted.cells > 3) else []
        misfits = [count for count in misfits if _is_near(count, wanted)]
    if len(rows) == 1:
        misfits = [count for count in misfits if count > wanted.width]
    is_divided = len(words) == 1 and all(wanted.sign(word) or NATURAL.fullmatch(word) for word in words[0])
    return _Line(rows, [*[wanted.width] * len(rows), *misfits], words[0] if is_divided else ())


def _rows_of(words: Sequence[str], wanted: _Wanted) -> tuple[list[Row], int]:
    """Return the rows that words are, or none, and how many cells there are."""
    width, sizes = wanted.width, (wanted.width, wanted.cells)
    cells = [sign for sign in map(wanted.sign, words) if sign is not None]
    if len(cells) == len(words) and len(cells) in sizes:
        return wanted.chunks(cells), len(cells)
    whole = [word for word in words if wanted.knows(word) and len(word) == width > 1]
    if len(whole) == 1 and all(word in ("-", *whole) or NATURAL.fullmatch(word) for word in words):
        return [*whole], width
    if not all(map(wanted.knows, words)):
        return [], len(cells) if len(words) > width else 0
    every, ends = "".join(words), [*accumulate(map(len, words))]
    shortest, longest = min(map(len, words)), max(map(len, words))
    is_double = len(every) == 2 * width > 2 and longest > 1 and every[::2] == every[1::2] and not every.isdigit()
    is_aligned = not len(every) % width and {*range(width, len(every) + 1, width)} <= {*ends}
    if (len(every) in sizes and len(words) == 1 and not is_double) or (is_aligned and (shortest > 1 or longest == 1)):
        return wanted.chunks(every), len(every)
    return [every[::2]] if is_double else [], len(every)


def _in_lines(text: str, wanted: _Wanted, found: list[_Found]) -> list[_Found]:
    """Add the grids of a text without values, and what is nearly one, in their order, to what was found."""
    colors = {color.symbol for color in wanted.puzzle.palette[1:]} if wanted.puzzle.colors > 1 else set()
    text = html.unescape(text) if "&" in text and "&" not in colors else text
    for trigger, pattern, new in MARKUP:
        if trigger in text and trigger not in colors:
            text = pattern.sub(new, text)
    last, prose = next((one.grid for one in found[:-99:-1] if one.grid is not None), None), ""
    lines = [_line(line, wanted) for line in text.split("\n")]
    for groups, above in _blocks(lines):
        new = "".join(f"{line.text}\n" for line in above)
        prose += new
        if last is not None and TAKEN_BACK.search(new):
            found.append(_Found(None, "the text below the grid takes it back"))
        if not any(line.counts for group in groups for line in group):
            continue
        each = [_in_group(group, wanted) for group in groups if any(line.counts for line in group)]
        if len(each) > 1 and all(one.grid is None for one in each):
            whole = _in_group([*chain.from_iterable(groups)], wanted)
            each = [whole] if whole.grid is not None or not any(one.is_near for one in each) else each
        heading = above[-1].text if above else ""
        if COLUMN_HEAD.fullmatch(heading):
            each = [_Found(None, ARE_COLUMNS, is_near=False)]
        elif CANDIDATES.match(f"{above[-2:][0].text} {heading}" if above else "") and not AFFIRMED.search(heading):
            each = [_Found(None, "its lines are each perhaps the same row", is_near=False)]
        elif COLUMN_CHECK.fullmatch(heading):  # perhaps columns of the grid above
            each = [
                one for one in each if one.grid is not None and (last is None or not np.array_equal(one.grid.T, last))
            ]
        found += [one._replace(above=prose) for one in each]
        last, prose = next((one.grid for one in reversed(each) if one.grid is not None), last), ""
    if not found and sum(line.is_column for line in lines) > 1:
        found.append(_Found(None, ARE_COLUMNS, is_near=False))
    return found


def _blocks(lines: Sequence[_Line]) -> Iterator[tuple[list[list[_Line]], list[_Line]]]:
    """Yield the lines of each block (prose ends it, but not above a next row), and the prose above; then that below."""
    groups: list[list[_Line]] = [[]]
    above, prose = list[_Line](), list[_Line]()
    last, is_over = -2, False
    for line in lines:
        if line is EMPTY:
            groups.append([])
        elif line is FENCE:
            is_over = True
        elif not line.counts and not line.is_rule:
            prose.append(line)
            is_over = True
        else:
            if is_over and prose and line.number is None and len(line.rows) == 1:
                line = line._replace(number=prose[-1].number)
            if is_over and line.number != last + 1:
                yield groups, above
                groups, above = [[]], prose
            groups[-1].append(line)
            last, is_over, prose = -2 if line.number is None else line.number, False, []
    yield groups, above
    yield [[]], prose


def _in_group(group: Sequence[_Line], wanted: _Wanted) -> _Found:
    """Return the grid of adjacent lines, or why it is none."""
    lines = [line for line in group if not line.is_rule]
    head = next((place for place, line in enumerate(group) if line.is_rule), 0)
    if any("-" in row for line in lines for row in line.rows):
        lines = [line for line in group if line.rows or not line.is_rule]
    elif len(lines) - head == wanted.height:
        lines = lines[head:]
    rows: Sequence[Row] = [row for line in lines for row in line.rows]
    counts = [count for line in lines for count in line.counts]
    numbered = [(line.number, row) for line in lines for row in line.rows if line.number is not None]
    if not len(counts) == len(rows) == wanted.height:
        rows = _without_labels([line.words for line in lines], wanted)
    elif len(numbered) == len(rows) > 1:
        numbered.sort(key=lambda each: each[0])
        if [y for y, _ in numbered] not in [[*range(first, first + len(rows))] for first in (0, 1)]:
            return _Found(None, "its rows are not numbered 1, 2 and so on")
        rows = [row for _, row in numbered]
    if rows:
        return _find_grid(rows, wanted)
    is_near = len(numbered) < len(counts) > 1 or (len(counts) == 1 and _is_near(counts[0], wanted))
    is_late = numbered and numbered[0][0] > 1 and len(counts) < wanted.height
    fault = f"row {numbered[0][0] - 1} is not there, or not in signs of cells" if is_late else _fault(counts, wanted)
    return _Found(None, fault, is_near, numbered)


def _without_labels(lines: Sequence[Sequence[str]], wanted: _Wanted) -> Sequence[Row]:
    """Return the rows of lines that all have their number, their clue, or both before or after the cells.

    At least one of these must be more than 1.
    """
    height, width = wanted.height, wanted.width
    if len(lines) != height or min(map(len, lines)) < width:
        return []
    clues = [" ".join(str(block.length) for block in clue) or "0" for clue in wanted.puzzle.rows]
    numbers = [*map(str, range(height + 1))]
    both = [f"{number} {clue}" for number, clue in zip(numbers[1:], clues, strict=True)]
    found: list[Sequence[Row]] = []
    for starts in ([0] * height, [1] * height, [len(line) - width for line in lines]):
        parts = [(line[x : x + width], [*line[:x], *line[x + width :]]) for line, x in zip(lines, starts, strict=True)]
        rows = [[sign for sign in map(wanted.sign, cells) if sign is not None] for cells, _ in parts]
        labels = [" ".join(rest).strip(BLANK) or "0" * (cells[0] not in ("0", "-")) for cells, rest in parts]
        is_certain = {*" ".join(labels).split()} - {"0", "1"}
        if labels in (numbers[1:], numbers[:-1], clues, both) and is_certain and {*map(len, rows)} == {width}:
            found.append(rows)
    return found[0] if found and all(rows == found[0] for rows in found) else []


def _fault(counts: Sequence[int], wanted: _Wanted) -> str:
    """Return why rows of as many cells are no grid."""
    if not counts:
        return f"no grid of {wanted.height} rows of {wanted.width} cells in it"
    if len(counts) == 1 < wanted.height and _is_near(counts[0], wanted) and counts[0] != wanted.cells:
        return f"it has {counts[0]:,} cells, not {wanted.cells:,}"
    if len(counts) != wanted.height:
        return f"its height is {len(counts):,}, the puzzle's {wanted.height:,}"
    for y, count in enumerate(counts, 1):
        if count != wanted.width:
            return f"row {y} has {count:,} cell{'s' * (count != 1)}, not {wanted.width:,}"
    return f"its cells are not certainly rows of {wanted.width:,}"


def _is_near(cells: int, wanted: _Wanted) -> bool:
    """Return whether as many cells were meant to be the grid."""
    return 4 * wanted.cells < 5 * cells < 7 * wanted.cells
