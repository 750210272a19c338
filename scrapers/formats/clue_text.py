"""Text that holds clues, as nested values: numbers, texts, lists, and objects whose names are those in the text.

    {"rows": [[1], [3, 1]], "cols": ...}       JSON
    rows = [[1], [3, 1]]; cols = {{1}, ...}    brackets in programs and notebooks; f(a, b) is an object {"f": [a, b]}
    Row 1: 3 1                                 labels, and lines below or after headings such as "Column clues:"
    3 1 | ? ? ?                                an empty grid with clues at its left and above

Nothing is computed: an operator makes what it stands in, or next to, UNREADABLE. A name that comes again begins another
object, so that a text may hold several puzzles.
"""

import re
from collections import deque
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

import msgspec

from nonocensus.scrapers.formats.parsing import FormatError, error_text, lines_of
from nonocensus.solver.model.puzzle import MAX_CELLS

# Names of sides.

ROWS = "rows? zeilen? reihen? filas? lignes? linhas? righe riga rij(?:en)? wiersze? строк[аи] 行"
COLUMNS = "columns? cols? spalten? columnas? colonnes? colunas? colonn[ae] kolom(?:men)? kolumn[ay]? столб(?:ец|цы) 列"
ROWS_BY_PLACE = "lines? horizontals? hor horiz h r lefts? sides? across"
COLUMNS_BY_PLACE = "verticals? vert? v c tops? ups? upper above down"
CLUE = (
    "(?:clue|hint|rule|number|num|value|val|data|def|definition|constraint|spec|run|block|list|info|length|len|group|"
    "segment|count|key|label|header|sequence|set|array|description)s?"
)
"""A word that may be joined to that of a side, as in `rowclues`."""

CLUE_WORD = re.compile(CLUE)
SURE, BY_PLACE = (
    re.compile(f"(?:{CLUE})?(?:(?P<rows>{rows.replace(' ', '|')})|(?P<columns>{columns.replace(' ', '|')}))(?:{CLUE})?")
    for rows, columns in ((ROWS, COLUMNS), (ROWS_BY_PLACE, COLUMNS_BY_PLACE))
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")
LONGEST_NAME = 60


class SideName(NamedTuple):
    """What a name means: the side, the other words, and whether it says rows or columns, not a place or direction."""

    side: str
    rest: str
    is_sure: bool


def side_of(name: Any) -> SideName | None:
    """Return the side that a name means; None if it means neither or both."""
    return _side_of(name) if isinstance(name, str) and len(name) <= LONGEST_NAME else None


@lru_cache(1 << 10)
def _side_of(name: str) -> SideName | None:
    words = _words(name)
    for pattern in (SURE, BY_PLACE):
        found = [pattern.fullmatch(word) for word in words]
        if sides := {match.lastgroup for match in found if match}:
            rest = " ".join(word for word, match in zip(words, found, strict=True) if not match)
            return SideName(str(sides.pop()), rest, pattern is SURE) if len(sides) == 1 else None
    return None


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name[:LONGEST_NAME])]


PICTURE_WORD = re.compile("solution|goal|grid|picture|image|board|matrix|cells|answer|pixels")


def is_picture_name(name: Any) -> bool:
    """Return whether a name has a word for a picture."""
    return isinstance(name, str) and any(map(PICTURE_WORD.fullmatch, _words(name)))


def is_nested(value: Any) -> bool:
    """Return whether a list or an object holds others."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(isinstance(each, list | tuple | dict) for each in inner)


# JSON.

MAX_BYTES = 16 << 20
"""Of a text of JSON, which takes up to fifteen times this as nested lists."""


def read_json(text: str) -> Any:
    """Return the value of JSON. Raises FormatError."""
    if len(text) > MAX_BYTES:
        raise FormatError(f"it is larger than {MAX_BYTES >> 20} MiB, the limit for JSON that is not an object a line")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise FormatError(f"it is not JSON: {error_text(error)}") from None
    except RecursionError:
        raise FormatError("its lists and objects are nested too deep") from None


# Brackets in programs.

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\(\*[^()*]*+\*\)|\#[^\n]*|--[^\n]*)
    |(?P<string>\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"(?:[^"\\\n]|\\.)*+"|(?<!\w)'(?!\()(?:[^'\\\n]|\\.)*+')
    |(?P<number>-?[0-9]{1,9}(?!\w|\.\w)|\?)
    |(?P<sign>=>|:=|<-|->|[=:](?!=))
    |(?P<operator>(?:for|if|else)\b)
    |(?P<word>(?:\[\])*[^\W_][\w.]*+(?:\[(?:[0-9]*|"\w+"|'\w+')\])*)
    |(?P<open><\||[\[({])|(?P<close>\|>|[\])}])
    |(?P<operator_>[-+*/|&^%~@]+=?|\.(?=\S))
    |(?P<end>[=!]==?|[\n,;.])
    |(?P<other>[^\s`'"!$\\])
    """,
    re.VERBOSE,
)
KEY_END = re.compile(r"\s*(?:=>|->|:|=(?!=))")
NAMED = re.compile(r"(?:(.*) )?(?:=>|:=|<-|->|[=:])((?: .*)?)")
CONSTRUCTOR = re.compile("new|return|list|listof|vec|vector|array|arrayof|aslist|any|seq|c|of|int")
"""Words before brackets that leave what is in these as it is."""

PAIRS = {"[": "]", "(": ")", "{": "}", "<|": "|>"}
QUOTES = ('"' * 3, "'" * 3)
NULLS = frozenset(("none", "null", "nil", "undefined"))
MAX_DEPTH, MAX_WORDS = 16, 16


class _Brackets:
    """Brackets that are open, or the whole text: the values in them with their names, and the words since the last."""

    def __init__(self, sign: str = "", name: str = "", function: str = "") -> None:
        self.sign, self.name, self.function = sign, name, function
        self.items, self.names = list[tuple[str, Any]](), list[str]()
        self.words = deque[str](maxlen=MAX_WORDS)

    def name_of_next(self, operator: str = "", is_call: bool = False) -> tuple[str, str]:
        """Return the name before a value, and the function or operator between the two, if any."""
        text = " ".join(self.words)
        self.words.clear()
        found = NAMED.fullmatch(text)
        rest = " ".join(word for word in (found[2] if found else text).split() if not _is_constructor(word))
        name, function = (found[1], rest or operator) if found and found[1] else (rest, operator)
        name = name.removesuffix(f" {operator}")
        side = side_of(name)
        if is_call and not function and not (side and (not side.rest or CLUE_WORD.fullmatch(side.rest))):
            name, function = "", name  # rows([[1], [3]]) is a side, and rows.append([3]) is not
        several = [each for each in name.split(" , ") if side_of(each)]  # rows, columns = ...
        if len(several) > 1 or not name:
            self.names = several or self.names
            name = self.names.pop(0) if self.names else ""
        return name, function

    def add(self, name: str, function: str, value: Any) -> None:
        """Add a value; outside of all brackets names are those of sides and pictures."""
        name = name if self.sign or side_of(name) or is_picture_name(name) else ""
        self.items.append((name, {function: value} if function else value))

    def is_named_before(self, last: str, token: str) -> bool:
        """Return whether the next value would have the name of the last one too."""
        is_next = (last == "close" or token == ",") and not self.words and not self.names
        return is_next and bool(self.items) and self.items[-1][0] != ""

    def spoil(self, operator: str) -> None:
        """Note that something is done with the last value."""
        name, value = self.items.pop()
        self.items.append((name, {operator: value}))

    def end(self) -> None:
        """Add the words after the last value as a text, if they are in brackets."""
        name, text = self.name_of_next() if self.words else ("", "")
        if self.sign and (text or name):
            self.add(name * bool(text), "", None if name.lower() in NULLS else text or name)
        self.words.clear()

    def value(self, has_comma: bool = True) -> Any:
        """Return a list of the values, with those that have names as objects in it, or the object if it is alone.

        Parentheses around one list are dropped, but not of a tuple of one.
        """
        lists = [value for name, value in self.items if not name]
        if self.sign == "(" and len(lists) == 1 and is_nested(lists[0]) and not has_comma:
            return lists[0]
        values, named = list[Any](), dict[str, Any]()
        for name, value in self.items:
            if name and (name in named or not named):
                named = {}
                values.append(named)
            if name:
                named[name] = value
            else:
                values.append(value)
        return named if len(values) == 1 and named else values


def _is_constructor(word: str) -> bool:
    return CONSTRUCTOR.fullmatch(re.sub(r"\[\w*\]", "", word).rpartition(".")[2].lower()) is not None


def read_brackets(text: str) -> Any:
    """Return what a program has in brackets, with the names before them. Raises FormatError if they do not match."""
    stack = [_Brackets()]
    last, token_of_last, end = "", "", 0
    for found in TOKEN.finditer(text):
        kind, token, here = str(found.lastgroup).rstrip("_"), found[0], stack[-1]
        if kind == "comment" or (token == "\n" and here.sign):
            continue
        if kind == "string":
            quotes = 3 if token[:3] in QUOTES else 1
            token, kind = token[quotes:-quotes], "word" if KEY_END.match(text, found.end()) else "string"
        touches, is_after = found.start() == end, last in ("close", "string") and bool(here.items)
        if kind in ("open", "string", "number") and here.is_named_before(last, token_of_last):
            here.spoil(",")  # rows = [1], [3]
        if kind in ("sign", "operator", "word") or (token == ";" and here.sign and last == "number"):
            if kind == "word" and last == "wrapped":
                here.words.clear()  # the colon of a block
            if is_after and token == "=":  # rows: list[list[int]] = ...
                here.words.append(here.items.pop()[0])
            elif is_after and kind == "operator":
                here.spoil(token)
            here.words.append(token)
        elif kind == "string":
            here.add(*here.name_of_next(), token)
        elif kind == "number":
            here.add(*here.name_of_next(), "?" if token == "?" else int(token))
        elif kind == "open":
            if token == "[" and touches and is_after and is_nested(here.items[-1][1]):
                here.spoil(token)
            operator = token_of_last if last == "operator" else ""
            stack.append(_Brackets(token, *here.name_of_next(operator, token == "(" and touches and last == "word")))
            if len(stack) > MAX_DEPTH:
                raise FormatError(f"it has brackets in more than {MAX_DEPTH} others")
        elif kind == "close" and here.sign:
            here.end()
            if PAIRS[here.sign] != token:
                raise FormatError(f"its brackets do not match: {token} closes {here.sign}")
            stack.pop()
            stack[-1].add(here.name, here.function, here.value(last == "end"))
        elif token == "," and not here.sign and last == "word":
            here.words.append(",")  # rows, columns = ...
        elif token == "\n" and last in ("sign", "wrapped"):
            kind = "wrapped"
        elif kind == "end":
            here.end()
            if token != ",":
                here.names.clear()
        last, token_of_last, end = kind, token, found.end()
    if len(stack) > 1:
        raise FormatError(f"its brackets do not match: {stack[-1].sign} is not closed")
    values = stack[0].value()
    return values[0] if len(values) == 1 and isinstance(values, list) else values


# Lines with labels.

NUMBER = r"(?:[0-9]{1,9}|\?)(?:x[0-9]{1,3}|[a-z])?(?!\w)"
NOTHING = frozenset(("", "-", "–", "—", "none", "empty", "blank", "nothing", "null"))
"""Texts of an empty line."""

CLUES = re.compile(rf"""(?:{NUMBER}|(?:none|empty|blank|nothing)\b|[\s,;/|&\[\](){{}}"'–—-])*+""")
MARKUP = re.compile(r"\*\*|__|`+")
LABEL = re.compile(
    r"([^\W\d_]{1,20})(?: clue)?[ \t#]*([0-9]{1,4})(?: ?\([^()]{1,20}\))?[ \t)]*(?:[:=.|→\t]|->|=>|[-–—](?=\s))"
)
HEADING = re.compile(r"[#>*\-–•\s|]*([^\W\d_][\w ,.']{0,60}?)\s*(?:\([^()]{0,60}\))?\s*(?:[:|]\s*(.*)|)")
BULLET = re.compile(r"[>*•|\s]*(?:[-–]\s+)?(?:([0-9]{1,4})\s*(?:[:)|]\s*|\.\s))?\s*(.*)")
FILLER = re.compile("a|and|are|at|bottom|by|each|for|from|here|in|is|left|my|of|read|right|the|to|top|with")
"""Words of a heading beside those of a side and of clues."""

EMPTY_ROW = re.compile(r"([0-9?x ]*+)[|│] *+((?:[?._·□-] *+)++)[|│]?\s*+")
ABOVE = re.compile(r"(?=.*[0-9?])[0-9?x |│]++")
"""Lines of an empty grid with clues around it."""

LONGEST_LINE = 10_000


def read_labels(text: str) -> list[dict[str, Any]]:
    """Return the clues after labels by number, and the lines below headings or the text after them, by name."""
    puzzles = [dict[str, tuple[str, Any]]()]
    below: list[tuple[str, str]] | None = None
    for _, line in lines_of(text):
        line = MARKUP.sub("", line[:LONGEST_LINE]).strip()
        parts = _labels(line) or _heading(line)
        for side, name, number, clue in parts:
            known = puzzles[-1].get(side, (name, []))[1]
            if known and not (number and isinstance(known, dict) and number not in known):
                puzzles.append({})
                known = []
            if number:
                known = known or {}
                known[number] = clue
            puzzles[-1][side] = (name, known if number else clue or known)
            below = known if known == [] and not clue else None
        if not parts and below is not None:
            number, clue = BULLET.fullmatch(line).groups("")  # type: ignore[union-attr]
            if line and not _is_clue(clue) and not (below and any(below[-1])):
                below = None
            else:
                below.append((number, clue))
    return [{name: _below(value) for name, value in puzzle.values()} for puzzle in puzzles]


def _labels(line: str) -> list[tuple[str, str, str, str]]:
    """Return side, name, number and clue of the labels in a line that begins with one."""
    found = [(label, side_of(label[1])) for label in LABEL.finditer(line)]
    labels = [(label, side.side) for label, side in found if side and not side.rest]
    if not labels or line[: labels[0][0].start()].strip("-–•*#>| "):
        return []
    ends = [label.start() for label, _ in labels[1:]] + [len(line)]
    return [
        (side, label[1], str(int(label[2])), line[label.end() : end].strip(" \t*_|,;."))
        for (label, side), end in zip(labels, ends, strict=True)
    ]


def _heading(line: str) -> list[tuple[str, str, str, str]]:
    """Return side, name, no number, and the clues after the name of a heading."""
    found = HEADING.fullmatch(line)
    side = side_of(found[1]) if found else None
    if not found or not side:
        return []
    rest = (found[2] or "").strip()
    words = side.rest.split()
    if not all(CLUE_WORD.fullmatch(word) or (side.is_sure and FILLER.fullmatch(word)) for word in words):
        return []
    is_open = any(rest.count(start) != rest.count(end) for start, end in PAIRS.items())
    if rest and (is_open or not side.is_sure or not _is_clue(rest) or not any(map(str.isdigit, rest))):
        return []
    return [(side.side, found[1], "", rest)]


def _is_clue(text: str) -> bool:
    return text.lower() in NOTHING or CLUES.fullmatch(text.lower()) is not None


def _below(value: Any) -> Any:
    """Return the lines below a heading, by number if they have one; a single line may have all clues of its side."""
    if not isinstance(value, list):
        return value
    filled = [k for k, part in enumerate(value) if any(part)]
    lines = value[filled[0] : filled[-1] + 1] if filled else []
    if not any(map(any, lines[1::2])) and all(map(any, lines[::2])):
        lines = lines[::2]
    by_number = {number: clue for number, clue in lines if number}
    if len(by_number) == len(lines) > 0:
        return by_number
    texts = [f"{number}: {clue}" if number else clue or "a blank line" for number, clue in lines]
    return texts[0] if len(texts) == 1 else texts


def read_grids(text: str) -> list[dict[str, Any]]:
    """Return the clues of empty grids: those of the rows at the left, before a bar, those of the columns above."""
    grids = list[dict[str, Any]]()
    above, rows, ends = deque[str](maxlen=MAX_CELLS), list[str](), list[int]()
    for _, line in chain(lines_of(text), [(0, "")]):
        row = EMPTY_ROW.fullmatch(line) if len(line) <= LONGEST_LINE else None
        if row and not rows:
            ends = [0, *(row.start(2) + k + 1 for k, sign in enumerate(row[2]) if not sign.isspace())]
        if row:
            rows.append(row[1])
            continue
        if rows:
            columns = [" ".join(each[start:end].strip() for each in above) for start, end in pairwise(ends)]
            grids.append({"rows": rows, "columns": columns})
        if rows or not ABOVE.fullmatch(line):
            above.clear()
        else:
            above.append(line)
        rows = []
    return grids
