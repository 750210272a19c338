r"""Answers to a puzzle, of programs, people and language models: the grid that a person would see, in any notation.

An answer is an array of palette entries, a list of rows, an object (any key), or a text. A text is read in stages:

    sections   thoughts are left out; the last <answer>...</answer> counts, or else the whole text
    markup     HTML, LaTeX, YAML, lists over several lines become lines of cells
    lines      each line is split into pieces: cells in a row, with nothing but blanks, commas, bars or quotation marks
               between. A piece of the puzzle's width is a row, with labels, clues and comments around it or not; one of
               as many cells as the puzzle is a grid
    runs       rows of adjacent lines, or those labelled Row 1, Row 2 and so on, are a grid if there are as many as the
               puzzle has. A column of clues or numbers is left out if every row has its own
    choice     the last grid counts. What follows it and is nearly a grid, or another version of a row, is a fault

A fault is refused with what is wrong, never repaired. What each sign means is in answer_signs.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nonocensus.scrapers.formats.answer_signs import (
    BLANK,
    HARD,
    OPEN,
    SOFT,
    AnswerSigns,
    Meanings,
    Row,
    entries_of,
    signs_of,
    with_legend,
)
from nonocensus.scrapers.formats.parsing import FormatError, clipped
from nonocensus.solver.model.puzzle import Puzzle

MAX_PROSE, MAX_SIGNS = 1 << 20, 32
"""Most characters of an answer: for prose, and for each cell."""

MAX_LINES, MAX_DEPTH = 1 << 16, 16
"""Of a text, and of objects and lists in each other."""

KEYS = ("solution", "answer", "grid")
"""Fields that precede others."""

_Word = tuple[str | None, Row | None]
"""The sign that a word is, and its signs if each of its characters is one."""


class _Piece(NamedTuple):
    """Words of cells, the delimiter before them, and whether they are in parentheses or next to a number."""

    words: list[_Word]
    pointer: str
    is_nested: bool
    is_by_number: bool


class FarFromGridError(FormatError):
    """There are cells, but too few or too many to have been meant as the grid."""


class NoGridError(FarFromGridError):
    """Nothing in the text looks like a grid."""


class _Wanted(NamedTuple):
    """The grid to look for."""

    puzzle: Puzzle
    width: int
    height: int
    signs: AnswerSigns

    @property
    def meanings(self) -> Meanings:
        return self.signs.meanings

    @property
    def palette(self) -> str:
        return self.signs.symbols

    @property
    def cells(self) -> int:
        return self.width * self.height

    @property
    def most(self) -> int:
        return MAX_PROSE + MAX_SIGNS * self.cells


def read_answer(answer: Any, puzzle: Puzzle) -> np.ndarray:
    """Return the grid of an answer, uint8[height, width] of palette entries, UNKNOWN for open cells.

    Raises FormatError for an answer without a grid of the puzzle's size, or with an uncertain one.
    """
    wanted = _Wanted(puzzle, puzzle.width, puzzle.height, signs_of(puzzle.palette[: max(puzzle.colors, 1) + 1]))
    if isinstance(answer, bytes):
        answer = answer[: 4 * (wanted.most + 1)].decode(errors="replace")  # a character has up to four bytes
    if isinstance(answer, np.ndarray):
        answer = answer.tolist() if answer.size <= wanted.most else []
    return _in_text(answer, wanted, 0) if isinstance(answer, str) else _in_value(answer, wanted, 0)


# Objects and lists


def _in_value(value: Any, wanted: _Wanted, depth: int) -> np.ndarray:
    """Return the grid of a list or an object. Raises FormatError."""
    if isinstance(value, str):
        return _in_text(value, wanted, depth)
    if not isinstance(value, dict | list | tuple):
        raise NoGridError(f"it is no grid: write a text, a list of rows, or an object with {clipped(KEYS[0])}")
    if depth > MAX_DEPTH:
        raise FormatError(f"it has more than {MAX_DEPTH} lists and objects in each other")
    items = [*value.values()] if isinstance(value, dict) else value
    if isinstance(value, dict):
        for key in KEYS:
            if key in value:
                with suppress(NoGridError):
                    return _in_value(value[key], wanted, depth + 1)
    if all(isinstance(item, str) for item in items) and isinstance(value, list | tuple) and len(items) != wanted.cells:
        return _in_text("\n".join(items), wanted, depth + 1)
    rows = [_cells_of(item, wanted) for item in items]
    if len(rows) == wanted.height and all(row is not None for row in rows):
        return entries_of([rows[place] or () for place in _order(value)], wanted.meanings)
    if isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | dict) for item in items):
        return _in_flat([*map(_sign, items)], wanted)
    if isinstance(value, list | tuple) and all(isinstance(item, list | tuple) for item in items):
        inner = [*items[0]] if len(items) == 1 and wanted.height > 1 else []
        if inner and isinstance(inner[0], list | tuple):
            return _in_value(inner, wanted, depth + 1)
        if not any(isinstance(cell, list | tuple | dict) for item in items for cell in item):
            raise _error(_fault(items, wanted), sum(map(len, items)), wanted)
    return _only([item for item in items if isinstance(item, str | dict | list | tuple)], wanted, depth)


def _only(items: Sequence[Any], wanted: _Wanted, depth: int) -> np.ndarray:
    """Return the only grid among the items of an object or a list."""
    grids: dict[bytes, np.ndarray] = {}
    error: FormatError = NoGridError(_nothing(wanted))
    for item in items:
        try:
            grid = _in_value(item, wanted, depth + 1)
            grids[grid.tobytes()] = grid
        except FormatError as found:
            error = found if isinstance(error, FarFromGridError) and not isinstance(found, NoGridError) else error
    if len(grids) > 1:
        raise FormatError(f"it holds {len(grids)} different grids: write one as {clipped(KEYS[0])}")
    if not grids or not isinstance(error, FarFromGridError):
        raise error
    return next(iter(grids.values()))


def _cells_of(item: Any, wanted: _Wanted) -> Row | None:
    """Return the row that an item of a list is, or the only one that an object has; None if it is no row."""
    if isinstance(item, dict):
        rows = [
            row for row in (_cells_of(value, wanted) for value in item.values() if not isinstance(value, dict)) if row
        ]
        return rows[0] if len(rows) == 1 else None
    if isinstance(item, str):
        lines = [_line(item, wanted)] if item.strip() else []
        return lines[0].rows[0] if lines and len(lines[0].rows) == 1 and not lines[0].misfit else None
    if not isinstance(item, list | tuple) or len(item) != wanted.width:
        return None
    return tuple(map(_sign, item)) if not any(isinstance(cell, list | tuple | dict) for cell in item) else None


def _order(value: Any) -> Sequence[int]:
    """Return the places of the rows of a list or an object, in the order of their numbers if they have any."""
    if isinstance(value, dict):
        found = [re.search(r"\d{1,4}", str(key)) for key in value]
    else:
        found = [_row_number(item) if isinstance(item, dict) else None for item in value]
    numbers = [int(number[0]) for number in found if number]
    if sorted(numbers) not in [[*range(first, first + len(value))] for first in (0, 1)]:
        return range(len(value))
    return sorted(range(len(value)), key=numbers.__getitem__)


def _row_number(item: Mapping[Any, Any]) -> re.Match[str] | None:
    """Return the number of a row that is an object, by the first field that is a number."""
    return next((re.match(r"\d{1,4}", str(value)) for value in item.values() if type(value) is int), None)


def _sign(cell: Any) -> str:
    """Return the sign of a list's item."""
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, int):
        return str(cell) if -(10**6) < cell < 10**6 else "number"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 10**6:
        return str(int(cell))
    text = "none" if cell is None else str(cell) if isinstance(cell, str | float | np.generic) else "value"
    text = text.strip() or " "
    return text if len(text) == 1 else text.lower()


def _in_flat(signs: Sequence[str], wanted: _Wanted) -> np.ndarray:
    """Return the grid of a list of all cells."""
    if len(signs) != wanted.cells:
        fault = _fault([signs], wanted) if wanted.height == 1 else _count(len(signs), wanted)
        raise _error(fault, len(signs), wanted) if len(signs) > 1 else NoGridError(_nothing(wanted))
    return entries_of(_chunks(tuple(signs), wanted.width), wanted.meanings)


def _chunks(cells: Row, width: int) -> list[Row]:
    return [cells[first : first + width] for first in range(0, len(cells), width)]


# Texts: sections and markup

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
INVISIBLE: dict[int, int | str | None] = {
    0xFE0F: None,
    0x200B: None,
    0x200D: None,
    0xFEFF: None,
    0x20E3: None,
    0xA0: " ",
    0x3000: " ",
}
INVISIBLE |= {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(map(ord, "│┃║❘"), "|")
"""Variation selector of emoji, zero-width, wide and no-break blanks, wide letters, bars of frames."""

BOLD = re.compile(r"\*{1,3}([^*\n]*[A-Za-z0-9][^*\n]*)\*{1,3}")
BOLD_WORD = re.compile(r"\*\*[^*\n]{0,40}?[A-Za-z]{3}")
ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
LIST = re.compile(r"\[[^\[\]]*\]|\([^()\[\]]*\)")
ARROW = re.compile(r"(?<![-=])[-=]+>|[⇒➜➔⟶⇨➡]")
MARKUP = [
    (trigger, re.compile(pattern, re.MULTILINE), new)
    for trigger, pattern, new in (
        ("\\", r"(?<!\\)\\+n|\\\\(?:\[[^\]\n]{0,9}\])?", "\n"),
        ("<", r"<br\s{0,3}/?>|</(?:p|div|li|row)>", "\n"),
        ("<", r"</t[dh]>\s{0,40}|(?<=<tr>)\s{1,40}", ""),
        ("<", r"</tr>", "|\n"),
        ("<", r"<t[dh]\b[^<>\n]{0,200}>", "|"),
        ("<", r"</?[A-Za-z][^<>\n]{0,200}>", ""),
        ("\\", r"\\(?:begin|end)\{[^{}\n]{0,40}\}(?:\{[^{}\n]{0,1100}\})?", "\n"),
        ("\\", r"\\(?:black|filled)square\b", "■"),
        ("\\", r"\\(?:white)?square\b", "□"),
        ("\\", r"\\cdot\b", "·"),
        ("\\", r"\\bullet\b", "●"),
        ("\\", r"\\circ\b", "○"),
        ("\\", r"\\times\b", "×"),
        ("\\", r"\\([#*_.\-|`~$%&\"])", r"\1"),
        ("\\", r"\\[A-Za-z]+\*?|\\", " "),
        ("#", r"^\s{0,3}#{1,6}[ \t]+(?=\**[01■□█░⬛⬜]{2}|[\[`\"])", ""),
        ("#", r"[ \t]#[ \t]+(?:[Rr]ow|[Cc]lue|[Ll]ine)\b[^\n]*$", ""),
        (" - ", r"(?<=[01#.]{2}) - (?=[^\n]{0,80}[A-Za-z])", " → "),
        ("[ ]", r"\[([xX#])\]", r"\1"),
        ("[ ]", r"\[ \]", BLANK),
        ("[", r"(?<=[\[ ,])(\d)\.0?(?=[ ,]{0,9}[\d\]])", r"\1"),
        ("- ", r"^[ \t]*- (?=[\[\"'])", ""),
        ("{", r"(?<=[,{])[ \t]*(?=[\"'][A-Za-z_]\w{0,40}[\"']\s?:\s?(?:[\"']|\[\s{0,3}[\"'\[(]))", "\n"),
        ("ow", r"(?<=[^\s*>•-])[ \t]+(?=\**[Rr]ow\s?\d{1,4}\s?[:=→])", "\n"),
        ("- - ", r"^[ \t]*- - (?=[\"']?\w{1,20}[\"']?[ \t]{0,9}\n[ \t]+- )", "\n"),
        ("- ", r"\n[ \t]+- (?=[\"']?\w{1,20}[\"']?[ \t]{0,9}$)", ", "),
        (".", r"(?<=[0-9\"'`”)\]}])\.(?=[ \t]{0,9}$)|(?<=[0-9]{4})\.(?=\s[A-Z])", ""),
    )
]


def _in_text(text: str, wanted: _Wanted, depth: int) -> np.ndarray:
    """Return the grid of a text. Raises FormatError."""
    if len(text) > wanted.most:
        raise FormatError(f"it has more than {wanted.most:,} characters")
    if text.count("\n") > MAX_LINES:
        raise FormatError(f"it has more than {MAX_LINES:,} lines")
    text = THOUGHTS.sub("", text).translate(INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")
    plain = text.strip("\n").split("\n")
    if (
        len(plain) == wanted.height
        and {*text} - {*"-\n"}
        and all(
            len(row) == wanted.width and " " not in row and all(sign in wanted.meanings for sign in row)
            for row in plain
        )
    ):
        return entries_of(plain, wanted.meanings)
    sections = [text]
    for found in ANSWER.finditer(text):
        sections = [found[1], text]
    for section in sections:
        try:
            return _in_section(section, wanted, depth)
        except NoGridError:
            if section is text or any(_may_hold(line, wanted) for line in section.split("\n")):
                raise
    raise NoGridError(_nothing(wanted))


def _in_section(text: str, wanted: _Wanted, depth: int) -> np.ndarray:
    """Return the grid of an answer tag, or of a text without one."""
    fences = text.split("```")
    is_last = len(fences) > 2 and not any(_may_hold(line, wanted) for line in fences[-1].split("\n"))
    value = _decoded(fences[-2].partition("\n")[2] if is_last and len(fences) % 2 else text)
    if isinstance(value, str | dict | list):
        return _in_value(value, wanted, depth + 1)
    variants = [text, BOLD.sub(r"\1", text)]
    if "*" not in wanted.palette:
        variants = variants[::-1][: 2 - bool(BOLD_WORD.search(text))]
    error: FormatError | None = None
    for variant in dict.fromkeys(variants):
        try:
            return _in_lines(variant, wanted)
        except FormatError as found:
            error = error if error and not isinstance(error, FarFromGridError) else found
    assert error is not None
    for part in [*fences[1::2]][-1:] or [text]:
        rows = _with_blanks((part.partition("\n")[2] if part is not text else part).split("\n"), wanted)
        if rows:
            return entries_of(rows, wanted.meanings)
    raise error


def _decoded(text: str) -> Any:
    """Return the value of a text of JSON, else None."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def _marked_up(text: str, wanted: _Wanted) -> str:
    """Return a text with a line for each row that HTML, LaTeX, lists or objects may hold."""
    if "\\u" in text:
        text = ESCAPED.sub(lambda found: json.loads(f'"{found[0]}"').encode("utf-16", "replace").decode("utf-16"), text)
    if "&" in text and "&" not in wanted.palette:
        text = html.unescape(text)
    for trigger, pattern, new in MARKUP:
        if trigger in text:
            text = pattern.sub(new, text)
    if not {"-", "=", ">"} & {*wanted.palette[1:]}:
        text = ARROW.sub("→", text)
    return LIST.sub(lambda found: _in_a_line(found[0], wanted), text)


def _in_a_line(text: str, wanted: _Wanted) -> str:
    """Return a list in one line, unless it has a line for each row."""
    if "\n" not in text:
        return text
    lines = [line for line in text[1:-1].split("\n") if line.strip()]
    is_grid = len(lines) == wanted.height and all(len(line.split()) > 1 or len(line.strip()) > 2 for line in lines)
    return text if is_grid else text.replace("\n", " ")


# Lines


class _Line(NamedTuple):
    """What a line holds.

    rows      its rows
    misfit    the number of cells of a piece that is no row; 0 if there is none
    words     all its words, if each is of cells or a number
    number    of a row, by a label
    is_named  whether the label says that it is a row's
    """

    rows: Sequence[Row] = ()
    misfit: int = 0
    words: Sequence[str] | None = None
    number: int | None = None
    is_named: bool = False
    is_dashes: bool = False


PROSE, EMPTY_LINE, RULE, HEAD_RULE, LABEL_RULE, HEADING = (_Line() for _ in range(6))
"""Lines without cells: a rule below a table's head, without or with a column of labels; a heading above columns."""

RULES = re.compile(r"[\s|+:=\-─━═┄┅┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯┏┳┓┣╋┫┗┻┛]+")
HEAVY = re.compile(r"-{3}|={2}|[─━═┄┅]|\+-|\|:?-{2,}")
NAMED = re.compile(r"\b(?:[Rr]ow|ROW|[Ll]ine|[Rr])[ _#-]{0,3}(\d{1,4})\b")
NUMBERED = re.compile(r"\s*(?:[-*>•]\s{0,3})?(\d{1,4})\s{0,3}(?:[:)\]]|\.(?=\s))")
COLUMN = re.compile(r"[\W\d_]*(?:[Cc]ol(?:umn)?s?|COL(?:UMN)?S?|[Cc])[ _#]{0,2}\d|[\W_]*(?:Spalte|Столбец|列|第\d+列)")
COLUMNS = re.compile(
    r"[\W_]{0,9}(?:(?:check|verif|now|the|each|for)\w{0,9}\W{1,3}){0,4}col(?:umn)?s?\b(?:(?!row)\D){0,40}",
    re.IGNORECASE,
)
OPTIONS = re.compile(r"\b(?:or|either|options?|possib\w+|could|can|alternatives?|candidates?|arrangements?)\b", re.I)
NUMBERS = re.compile(r"(?<=\d)[ ,]+(?=\d)")
"""Between the numbers of a clue in a field, which are one word."""

LOWER = re.compile("[a-z]")
LONG_LINE = 1_000
"""Characters of a line whose prose is taken together."""


def _line(text: str, wanted: _Wanted) -> _Line:
    """Return what a line of a text holds."""
    stripped = text.strip()
    if not stripped:
        return EMPTY_LINE
    is_dashes = len(stripped) >= 3 and not stripped.strip("-") and "-" in wanted.meanings
    has_label = stripped.count("|") == wanted.width + 2
    if not is_dashes and RULES.fullmatch(stripped) and (HEAVY.search(stripped) or ("-" in stripped and has_label)):
        return LABEL_RULE if has_label else HEAD_RULE if stripped[0] == "|" or "=" in stripped else RULE
    if COLUMN.match(text):
        return PROSE
    text = _fields(text, wanted)
    if not _may_hold(text, wanted):
        alien = _alien(stripped, wanted)
        return _Line([alien]) if alien else HEADING if COLUMNS.fullmatch(stripped) else PROSE
    number, is_named, rest = None, False, text
    named = [*NAMED.finditer(text)]
    if len(named) == 1 or (named and named[0][1] == named[-1][1]):
        number, is_named, rest = int(named[0][1]), True, f"{text[: named[0].start()]}:{text[named[0].end() :]}"
    elif not named and (found := NUMBERED.match(text)) and text[found.end() :].strip():
        number, rest = int(found[1]), text[found.end() :]
    line = _pieces(rest, wanted, bars_split=False)
    if not line.rows and "|" in rest:
        split = _pieces(rest, wanted, bars_split=True)
        line = split if split.rows and wanted.width > 1 else line
    words = _pieces(text, wanted, False).words if number is not None and not is_named else line.words
    if is_named and len(line.rows) > 1:
        line = line._replace(rows=(), misfit=len(line.rows) * wanted.width)
    return line._replace(number=number, is_named=is_named, words=words, is_dashes=is_dashes)


def _may_hold(text: str, wanted: _Wanted) -> bool:
    """Return whether a line has as many cells as half of a row, without other words between: most prose has not."""
    cells, others = wanted.signs.cells, wanted.signs.others
    if 2 * sum(map(len, cells.findall(text))) <= wanted.width:
        return False
    return any(2 * sum(map(len, cells.findall(part))) > wanted.width for part in others.split(text))


def _pieces(text: str, wanted: _Wanted, bars_split: bool) -> _Line:
    """Return the rows of a line without label."""
    hard, meanings = wanted.signs.hard[bars_split], wanted.meanings
    if len(text) > LONG_LINE:
        text = wanted.signs.others.sub("\0", text)
    pieces: list[_Piece] = []
    words, piece = list[str](), list[_Word]()
    pointer, nested, has_other, has_comment, after_number = "", 0, False, False, False
    for token in wanted.signs.tokens[bars_split].findall(text):
        if token in hard:
            pieces.append(_Piece(piece, pointer, nested > 0, after_number))
            after_number, has_comment = False, has_comment or (bool(words) and token not in "…✓✔✅")
            nested += (token == "(") - (token == ")")
            pointer = token if token not in "()[]{}" else "" if piece else pointer
            has_other = has_other and token not in ":=→"
            piece = []
            continue
        word = _word(token, meanings)
        words.append(token)
        if word is None:
            is_number = token.replace("\x01", "").isdigit()
            pieces.append(_Piece(piece, pointer, nested > 0, after_number or is_number))
            piece, pointer, after_number = [], "", is_number
            has_other = has_other or not (nested or is_number)
            has_comment = has_comment or not is_number
        else:
            piece.append(word)
    pieces.append(_Piece(piece, pointer, nested > 0, after_number))
    return _with_pieces(
        [each for each in pieces if each.words], None if has_comment else words, has_other, text, wanted
    )


def _with_pieces(
    pieces: Sequence[_Piece], words: Sequence[str] | None, has_other: bool, text: str, wanted: _Wanted
) -> _Line:
    """Return a line of these pieces."""
    read = [(*_rows_of(piece.words, wanted, "," in text), piece) for piece in pieces]
    read = [(each if len(piece.words) == 1 or not piece.is_by_number else [], n, piece) for each, n, piece in read]
    if any(each and not piece.is_nested for each, _, piece in read):
        read = [each for each in read if not each[2].is_nested or (text.count("(") > 1 and each[0])]
    found = [(each, piece) for each, _, piece in read if each]
    if [len(each) for each, _ in found] == [1, 1] and wanted.width > 1 and found[1][1].pointer == "→":
        found = found[1:]  # before and after
    rows = [row for each, _ in found for row in each]
    if has_other and ((wanted.width < 3 and len(rows) != wanted.height) or wanted.cells < 3):
        rows = []
    is_word = len(found) == 1 and wanted.cells > 3 and any(len(piece.words) == 1 for piece in pieces)
    is_list = text.count("[") >= wanted.height
    small = wanted.cells < 9 and has_other and len(rows) == wanted.height > 1 and not is_word and not is_list
    if len(rows) > 1 and OPTIONS.search(text):
        return _Line((), len(rows) * wanted.width)
    if rows and not small:
        unread = [(count, piece.pointer) for each, count, piece in read if not each]
        in_list = any(sign in text for sign in '[/;"')
        short = [count for count, pointer in unread if in_list and pointer not in ("→", "=", ":", "✓")]
        long = [count for count, _ in unread if count > wanted.width]
        misfit = max((count for count in (*short, *long) if count > 1 and 2 * count > wanted.width), default=0)
        return _Line(rows, misfit, words)
    alien = _alien(text, wanted)
    if alien:
        return _Line([alien])
    count = max((count for _, count, _ in read), default=0)
    is_near = _is_near(count, wanted) and wanted.cells > 8
    fits = count > 1 and 2 * count > wanted.width and (not has_other or is_near)
    return _Line((), count if fits else 0, words)


def _rows_of(words: Sequence[_Word], wanted: _Wanted, has_commas: bool) -> tuple[list[Row], int]:
    """Return the rows that words of cells are, or none, and how many cells there are."""
    width, sizes = wanted.width, (wanted.width, wanted.cells)
    ones = tuple([single for single, _ in words if single is not None])
    if len(ones) == len(words) and len(ones) in sizes:
        return _chunks(ones, width), len(ones)
    solids = [solid for _, solid in words if solid is not None]
    lengths = {*map(len, solids)}
    if len(solids) < len(words) or (1 < len(words) == len(ones) and lengths != {1}):
        return [], len(ones)
    every = solids[0] if len(solids) == 1 else tuple(chain.from_iterable(solids))
    total = len(every)
    is_double = width > 1 and lengths != {1} and every[::2] == every[1::2] and not "".join(every).isdigit()
    if is_double and total == 2 * width == wanted.cells:
        return [every[::2]], total
    if len(words) == 1 or lengths == {1}:
        if total in sizes:
            return _chunks(every, width), total
    elif not (has_commas and lengths - {1, *sizes}) and _are_aligned(solids, total, width):
        return _chunks(every, width), total
    if is_double and total == 2 * width:
        return [every[::2]], total
    return [], total


def _are_aligned(solids: Sequence[Row], total: int, width: int) -> bool:
    """Return whether no word of cells goes over the end of a row."""
    return total % width == 0 and {*range(width, total + 1, width)} <= {*accumulate(map(len, solids))}


def _word(token: str, meanings: Meanings) -> _Word | None:
    """Return the sign that a word is, and its signs if it is of cells; None if it is neither."""
    single = token if token in meanings else None
    if single and len(token) == 1:
        return single, (token,)
    if not single and (lower := token.lower()) in meanings and len(token) > 1:
        single = lower
    solid = tuple(token) if all(sign in meanings for sign in token) else None
    return (single, solid) if single or solid else None


def _fields(text: str, wanted: _Wanted) -> str:
    """Return a line of fields between bars, with empty ones marked."""
    if "|" in wanted.palette:
        return text
    if text.count("|") < 2:
        for sign in "&,\t":
            fields = text.split(sign) if text.count(sign) == wanted.width - 1 > 0 else []
            if any(not field.strip() for field in fields) and all(len(field.strip()) < 3 for field in fields):
                return sign.join(field if field.strip() else BLANK for field in fields)
        return text
    inner = text.strip().removeprefix("|").removesuffix("|").split("|")
    if 0 <= len(inner) - wanted.width <= 2 and len(inner) > 2:
        return "|".join(NUMBERS.sub("\x01", field) if field.strip() else BLANK for field in inner)
    return text


def _alien(text: str, wanted: _Wanted) -> Row | None:
    """Return a row with unknown signs: as many characters or words of one as the puzzle has columns."""
    if len(text) > 9 * wanted.width or LOWER.search(text):
        return None
    words = text.replace(",", " ").replace("|", " ").replace('"', " ").split()
    cells = words if len(words) > 1 else [*"".join(words)]
    if len(cells) != wanted.width < 3 or len(cells) != wanted.width or any(len(cell) > 1 for cell in cells):
        return None
    joined = "".join(cells)
    if joined.isdigit() or any(sign in SOFT + HARD for sign in joined):
        return None
    is_alphabet = joined.isalpha() and [*map(ord, joined)] == [*range(ord(joined[0]), ord(joined[0]) + len(joined))]
    return None if is_alphabet or len({*joined}) > 4 + len(wanted.palette) else tuple(cells)


# Runs of lines, and the choice


class _Found(NamedTuple):
    """A grid, or what is nearly one, and the line it ends on.

    rows     of a grid
    fault    why it is none
    is_near  whether it was meant to be one
    """

    line: int
    rows: Sequence[Row] = ()
    fault: str = ""
    is_near: bool = False


def _in_lines(text: str, wanted: _Wanted) -> np.ndarray:
    """Return the grid of a text. Raises FormatError."""
    if len(text) > wanted.width:
        text, signs = with_legend(text, wanted.signs)
        wanted = wanted._replace(signs=signs)
    lines = [_line(line, wanted) for line in _marked_up(text, wanted).split("\n")]
    found = sorted([*_of_runs(lines, wanted), *_of_labels(lines, wanted)], key=lambda each: each.line)
    grids = [each for each in found if each.rows]
    if not grids:
        if not found:
            raise NoGridError(_nothing(wanted))
        near = [each for each in found if each.is_near]
        raise FormatError(near[-1].fault) if near else FarFromGridError(found[-1].fault)
    read = [(each.line, each.rows) for each in grids if any(sign not in OPEN for row in each.rows for sign in row)]
    end, rows = read[-1] if read else (grids[-1].line, grids[-1].rows)
    faults = [each for each in found if each.is_near and each.line > end]
    if faults:
        raise FormatError(faults[-1].fault)
    grid = entries_of(rows, wanted.meanings)
    for line in lines[end + 1 :]:
        if line.is_named and line.number and len(line.rows) == 1 and line.number <= wanted.height:
            again = entries_of(line.rows, wanted.meanings)
            if (again[0] != grid[line.number - 1]).any():
                raise FormatError(f"row {line.number} is there again below the grid, and differs")
    return grid


def _of_runs(lines: Sequence[_Line], wanted: _Wanted) -> Iterator[_Found]:
    """Yield the grids of adjacent lines, and what is nearly one."""
    run: list[list[tuple[int, _Line]]] = [[]]
    rules: set[int] = set()
    of_columns = has_labels = False
    for place, line in enumerate([*lines, PROSE]):
        if line is RULE:
            continue
        if line is HEAD_RULE or line is LABEL_RULE:
            has_labels = has_labels or line is LABEL_RULE
            rules.add(sum(map(len, run)))
        elif line is EMPTY_LINE:
            run.append([])
        elif line.rows or line.misfit:
            run[-1].append((place, line))
        else:
            inner = rules - {0, sum(map(len, run))}
            yield from _of_run(run, inner == {1}, has_labels, wanted) if not of_columns else ()
            run, rules, of_columns, has_labels = [[]], set(), line is HEADING, False


def _of_run(
    run: Sequence[Sequence[tuple[int, _Line]]], head: bool, has_labels: bool, wanted: _Wanted
) -> Iterator[_Found]:
    """Yield the grids of a run of lines, which blank lines divide into groups."""
    groups = [group for group in run if group]
    if not groups:
        return
    found = [_of_group(group, head and k == 0, has_labels, wanted) for k, group in enumerate(groups)]
    if len(groups) > 1 and not any(each.rows for each in found):
        whole = _of_group([line for group in groups for line in group], head, has_labels, wanted)
        if whole.rows or not any(each.is_near for each in found):
            found = [whole]
    yield from found


def _of_group(group: Sequence[tuple[int, _Line]], head: bool, has_labels: bool, wanted: _Wanted) -> _Found:
    """Return the grid of adjacent lines, or why it is none."""
    end = group[-1][0]
    lines = [line for _, line in group]
    has_dashes = any("-" in row for line in lines if not line.is_dashes for row in line.rows)
    lines = [line for line in lines if not line.is_dashes or has_dashes]
    if len(lines) > 1 and any(len(line.rows) == wanted.height for line in lines) and wanted.height > 1:
        return _in_one(end, lines, wanted)
    for chosen in (lines[1:], lines) if head else (lines,):
        rows = _plain(chosen, wanted) or _labelled(chosen, has_labels, wanted)
        if rows is not None:
            ordered = _in_order(chosen, rows)
            fault = "" if ordered else "its rows are not numbered 1, 2 and so on"
            return _Found(end, ordered or (), fault, not ordered)
    lines = lines[1:] if head else lines
    return _faulty(end, lines, wanted)


def _in_one(end: int, lines: Sequence[_Line], wanted: _Wanted) -> _Found:
    """Return the grid of lines of which some hold all rows: the same one."""
    whole = [line for line in lines if len(line.rows) == wanted.height]
    others = [line for line in lines if len(line.rows) != wanted.height]
    grids = {
        tuple(rows): None for rows in (*(_plain([line], wanted) for line in whole), _plain(others, wanted)) if rows
    }
    if len(grids) == 1 and len(whole) == 1 and (not others or _plain(others, wanted)):
        return _Found(end, [*next(iter(grids))])
    return _Found(end, (), f"a line has all {wanted.cells:,} cells, others next to it differ", True)


def _plain(lines: Sequence[_Line], wanted: _Wanted) -> list[Row] | None:
    """Return the rows of lines if they are a grid."""
    rows = [row for line in lines for row in line.rows]
    return rows if len(rows) == wanted.height and not any(line.misfit or not line.rows for line in lines) else None


def _labelled(lines: Sequence[_Line], has_labels: bool, wanted: _Wanted) -> list[Row] | None:
    """Return the rows of lines that all have a bullet, their number or their clue before them or after them."""
    if len(lines) != wanted.height or len(lines) < 2 or any(line.words is None for line in lines):
        return None
    clues = [[str(block.length) for block in clue] for clue in wanted.puzzle.rows]
    found: dict[tuple[Row, ...], None] = {}
    for labels, at_end in (
        ([["-"]] * len(lines), False),
        ([["*"]] * len(lines), False),
        ([[str(y)] for y in range(1, len(lines) + 1)], False),
        ([[str(y)] for y in range(len(lines))], False),
        (clues, False),
        ([[str(y), *clue] for y, clue in enumerate(clues, 1)], False),
        (clues, True),
    ):
        read = [_unlabelled(line.words or (), label, at_end, wanted) for line, label in zip(lines, labels, strict=True)]
        known = [each for each in read if each]
        if len(known) == len(lines) and (has_labels or any(is_certain for _, is_certain in known)):
            found[tuple(row for row, _ in known)] = None
    return [*next(iter(found))] if len(found) == 1 else None


def _unlabelled(words: Sequence[str], label: Sequence[str], at_end: bool, wanted: _Wanted) -> tuple[Row, bool] | None:
    """Return the row of a line that has this label, and whether the label can't be a cell; else None."""
    for count in {max(len(label), 1), 1, len(label)}:
        cut = len(words) - count if at_end else count
        labels, rest = (words[cut:], words[:cut]) if at_end else (words[:cut], words[cut:])
        if not count and len(rest) > 1 and rest[0] in ("0", "-"):
            continue  # which may be the label
        numbers = " ".join(labels).replace("\x01", " ").split()
        if (numbers == [*label] or (not label and [*labels] in (["0"], ["-"], [BLANK]))) and rest:
            cells = [word for word in (_word(token, wanted.meanings) for token in rest) if word]
            rows, _ = _rows_of(cells, wanted, False) if len(cells) == len(rest) else ([], 0)
            if len(rows) == 1:
                is_bullet = label[:1] in (["-"], ["*"]) and label[0] not in rows[0]
                is_other = any(_word(token, wanted.meanings) is None for token in labels)
                return rows[0], is_bullet or is_other or len(rest) == 1 < wanted.width
    return None


def _in_order(lines: Sequence[_Line], rows: Sequence[Row]) -> Sequence[Row] | None:
    """Return rows in the order of their numbers, if all have one; None if these are not 1, 2 and so on, or 0, 1."""
    numbers = [line.number for line in lines if line.is_named and line.number is not None]
    if len(numbers) < max(len(rows), 2):
        return rows
    if sorted(numbers) not in [[*range(first, first + len(rows))] for first in (0, 1)]:
        return None
    return [rows[place] for place in sorted(range(len(rows)), key=numbers.__getitem__)]


def _of_labels(lines: Sequence[_Line], wanted: _Wanted) -> Iterator[_Found]:
    """Yield the grids of lines that are labelled Row 1, Row 2 and so on, with prose between."""
    rows: list[Row] = []
    first = 1
    for place, line in enumerate(lines):
        if not line.is_named or not (line.rows or line.misfit):
            continue
        if line.number != first + len(rows) or len(line.rows) != 1:
            if line.misfit and rows and line.number == first + len(rows):
                yield _Found(place, (), f"row {len(rows) + 1} has {_cells(line.misfit)}, not {wanted.width:,}", True)
            rows = []
        if len(line.rows) == 1 and not rows and line.number in (0, 1):
            first, rows = line.number, [line.rows[0]]
        elif len(line.rows) == 1 and rows:
            rows.append(line.rows[0])
        if rows and len(rows) == wanted.height:
            yield _Found(place, tuple(rows))
            rows = []


# Reasons


def _faulty(end: int, lines: Sequence[_Line], wanted: _Wanted) -> _Found:
    """Return why lines are no grid."""
    counts = [count for line in lines for count in [*[wanted.width] * len(line.rows), *[line.misfit] * (not line.rows)]]
    if not counts:
        return _Found(end, (), _nothing(wanted))
    if len(counts) == 1 and wanted.height > 1:
        is_near = _is_near(counts[0], wanted)
        return _Found(end, (), _count(counts[0], wanted) if is_near else _height(1, wanted), is_near)
    uneven = next((y for y, count in enumerate(counts, 1) if count != wanted.width), 0)
    if len(counts) != wanted.height:
        is_near = abs(len(counts) - wanted.height) < 2 or len(counts) % wanted.height == 0
        return _Found(end, (), _height(len(counts), wanted), is_near and len(counts) > 1)
    if not uneven:
        misfit = max(line.misfit for line in lines)
        return _Found(end, (), f"a row has {_cells(misfit)}, not {wanted.width:,}", True)
    return _Found(end, (), f"row {uneven} has {_cells(counts[uneven - 1])}, not {wanted.width:,}", True)


def _error(fault: str, cells: int, wanted: _Wanted) -> FormatError:
    """Return the error of cells that are no grid."""
    return FormatError(fault) if _is_near(cells, wanted) else FarFromGridError(fault)


def _is_near(cells: int, wanted: _Wanted) -> bool:
    """Return whether as many cells were meant to be the grid."""
    return 4 * wanted.cells < 5 * cells < 7 * wanted.cells


def _count(cells: int, wanted: _Wanted) -> str:
    if cells == wanted.cells:
        return f"its {cells:,} cells are not certainly rows of {wanted.width:,}"
    return f"it has {_cells(cells)}, not {wanted.cells:,}"


def _height(rows: int, wanted: _Wanted) -> str:
    return f"its height is {rows:,}, the puzzle's {wanted.height:,}"


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def _nothing(wanted: _Wanted) -> str:
    return f"no grid of {wanted.height} rows of {wanted.width} cells in it"


def _fault(rows: Sequence[Sequence[str]], wanted: _Wanted) -> str:
    """Return why lists are no grid of the puzzle."""
    if len(rows) != wanted.height:
        return _height(len(rows), wanted)
    y, row = next(((y, row) for y, row in enumerate(rows, 1) if len(row) != wanted.width), (0, ()))
    return f"row {y} has {_cells(len(row))}, not {wanted.width:,}"


def _with_blanks(lines: list[str], wanted: _Wanted) -> list[Row] | None:
    """Return a grid of painted cells and blanks, where blanks at the ends of rows may be missing."""
    lines = [line for line in lines if not (RULES.fullmatch(line) and HEAVY.search(line))]
    if all(line.strip().startswith("|") and line.strip().endswith("|") for line in lines if line.strip()):
        lines = [line.strip()[1:-1] if len(line.strip()) > 1 else line for line in lines]
    filled = [place for place, line in enumerate(lines) if line.strip()]
    last = max(filled[-1] + 1, wanted.height) if filled else 0
    lines = lines[max(last - wanted.height, 0) : last]
    if (
        len(lines) != wanted.height
        or filled[0] < last - wanted.height
        or not any(" " in line.strip() or line[:1] == " " for line in lines)
    ):
        return None
    width = wanted.width if max(map(len, lines)) <= wanted.width else 2 * wanted.width
    rows = [tuple(line.ljust(width)) for line in lines]
    if width > wanted.width:
        if any(row[::2] != row[1::2] for row in rows):
            return None
        rows = [row[::2] for row in rows]
    signs = {sign for row in rows for sign in row} - {" "}
    is_grid = all(len(row) == wanted.width for row in rows) and signs and signs <= {*wanted.meanings}
    return (
        rows
        if is_grid and not any(0 in wanted.meanings[sign] and len(wanted.meanings[sign]) == 1 for sign in signs)
        else None
    )
