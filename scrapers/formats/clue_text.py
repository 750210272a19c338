"""Text that holds clues, as nested values: numbers, texts, lists, and objects whose names are those in the text.

    {"rows": [[1], [3, 1]], "cols": ...}       JSON
    rows = [[1], [3, 1]]; cols = {{1}, ...}    brackets in programs and notebooks; f(a, b) is an object {"f": [a, b]}
    2 1 | ? ? ? ?                              an empty grid with the clues around it, as the command `tasks` prints it
    Row 1: 3 1                                 labels, and lines below or after headings such as "Column clues:"

The name of a value is the text before it. Nothing is computed: with an operator or a function before it, a value is
in an object of that name, {"+": [1]}, which is no clue. A name that comes again begins another object, so that a text
may hold several puzzles.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from nonocensus.scrapers.formats.parsing import FormatError, clip, error_text, lines_of

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
    r"""(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\(\*[^()*]*+\*\)|\#[^\n]*|--[^\n]*
    |(?<=[,\[({;.\n])[ \t]*%[^\n]*|(?<![\w\])}])&(?=[&\[]))
    |(?P<string>\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"(?:[^"\\\n]|\\.)*+"|(?<!\w)'(?!\()(?:[^'\\\n]|\\.)*+')
    |(?P<number>-?[0-9]{1,9}(?!\w|\.\w)|\?)
    |(?P<sign>=>|:=|<-|->|[=:](?!=))
    |(?P<operator>(?:for|if|else)\b|(?!\*\w[\w-]*\*\s)[-+*/&^%~@]+=?|\|(?!>)|\.(?=\S))
    |(?P<word>new[ ](?:\w+[ ]?)?(?:\[\w*\])+|\*\w[\w-]*\*(?=\s)|[^\x00-\x7f\s\w]
    |(?:\[\])*[^\W_][\w.]*+(?:\[(?:[0-9]*|"\w+"|'\w+')\])*)
    |(?P<open><\||[\[({])|(?P<close>\|>|[\])}])
    |(?P<end>[=!]==?|[\n,;.])
    |(?P<other>[^\s`'"!$\\])
    """,
    re.VERBOSE,
)
KEY_END = re.compile(r"\s*(?:=>|->|:|=(?!=))")
NAMED = re.compile(r"(?:(.*) )?(?:=>|:=|<-|->|[=:])((?: .*)?)")
CONSTRUCTOR = re.compile(
    r"(?:\[\])*(?:\w+\.)*(?:new|return|(?:array|list|as|of)+|vec|vector|any|seq|c|int|)(?:\[\w*\])*", re.I
)
"""A word before brackets that leaves what is in these as it is."""

EMPTY_LIST = re.compile(r"\w+\[\]|new .*\[0\]")
"""Int[] or new int[0] in brackets."""

PAIRS = {"[": "]", "(": ")", "{": "}", "<|": "|>"}
QUOTES = ('"' * 3, "'" * 3)
NULLS = frozenset(("none", "null", "nil", "undefined"))
MAX_DEPTH, MAX_WORDS = 16, 16


class _Brackets:
    """Brackets that are open, or the whole text: the values in them with their names, and the words since the last."""

    def __init__(self, sign: str = "", name: str = "", function: str = "") -> None:
        self.sign, self.name, self.function = sign, name, function
        self.items = list[tuple[str, Any]]()
        self.words = deque[str](maxlen=MAX_WORDS)

    def name_of_next(self, operator: str = "", is_call: bool = False) -> tuple[str, str]:
        """Return the name before a value, and the function or operator between the two, if any."""
        text = " ".join(self.words)
        self.words.clear()
        found = NAMED.fullmatch(text)
        rest = " ".join(word for word in (found[2] if found else text).split() if not CONSTRUCTOR.fullmatch(word))
        name, function = (found[1], rest or operator) if found and found[1] else (rest, operator)
        sides = [side.side for word in name.split(" , ") if (side := side_of(word))]
        function = "," if sides == ["columns", "rows"] else function  # columns, rows = ...
        return ("", name) if is_call and not found else (name.removesuffix(f" {operator}"), function)

    def add(self, name: str, function: str, value: Any) -> None:
        """Add a value; outside of all brackets names are those of sides and pictures."""
        name = name if self.sign or side_of(name) or is_picture_name(name) else ""
        self.items.append((name, {function: value} if function else value))

    def spoil(self, operator: str) -> None:
        """Note that something is done with the last value."""
        name, value = self.items.pop()
        self.items.append((name, {operator: value}))

    def end(self) -> None:
        """Add the words after the last value as a text, if they are in brackets."""
        words = " ".join(self.words)
        name, text = self.name_of_next() if words else ("", "")
        value = text or name or words
        if self.sign and value:
            is_empty = EMPTY_LIST.fullmatch(words)
            self.add(name * bool(text), "", [] if is_empty else None if value.lower() in NULLS else value)

    def value(self) -> Any:
        """Return a list of the values, with those that have names as objects in it, or the object if it is alone."""
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


def _is_side(name: str) -> bool:
    side = side_of(name)
    return side is not None and (not side.rest or CLUE_WORD.fullmatch(side.rest) is not None)


def read_brackets(text: str) -> Any:
    """Return what a program has in brackets, with the names before them. Raises FormatError if they do not match."""
    stack = [_Brackets()]
    last, before, end = "", "", 0
    for found in TOKEN.finditer(text):
        kind, token, here = str(found.lastgroup), found[0], stack[-1]
        if kind == "comment" or (token == "\n" and (here.sign or before.endswith(("=", "<-", "->", "[]")))):
            continue
        if kind == "string":
            quotes = 3 if token[:3] in QUOTES else 1
            token, kind = token[quotes:-quotes], "word" if KEY_END.match(text, found.end()) else "string"
        touches, is_after = found.start() == end, last in ("close", "string") and bool(here.items)
        if kind in ("sign", "operator", "word") or (token == ";" and here.sign and last == "number"):
            if is_after and token == "=":  # rows: list[list[int]] = ...
                here.words.append(here.items.pop()[0])
            elif is_after and kind == "operator":
                here.spoil(token)
            here.words.append(token)
        elif kind in ("open", "string", "number"):
            if token == "(" and last == "word" and before == "nil":
                here.end()
            is_next = last == "close" or before == ","
            is_index = token == "[" and touches and is_after and is_nested(here.items[-1][1])
            if here.items and not here.words and (is_index or (is_next and here.items[-1][0])):
                here.spoil(token)  # [[1], [3]][0] or rows = [1], [3]
            named = here.name_of_next(before * (last == "operator"), token == "(" and touches and last == "word")
            if kind == "open":
                stack.append(_Brackets(token, *named))
            else:
                here.add(*named, token if kind == "string" else int(token) if token != "?" else token)
            if len(stack) > MAX_DEPTH:
                raise FormatError(f"it has brackets in more than {MAX_DEPTH} others")
        elif kind == "close" and here.sign:
            here.end()
            if PAIRS[here.sign] != token:
                raise FormatError(f"its brackets do not match: {token} closes {here.sign}")
            stack.pop()
            name, function, value = here.name, here.function, here.value()
            lists = [each for name, each in here.items if not name or is_nested(each)]
            if here.sign == "(" and len(lists) == 1 and is_nested(lists[0]) and last != "end":
                value = lists[0]
                if not name and _is_side(function):  # rows([[1], [3]]), not rows(1, 3) nor rows.append([3])
                    name, function = function, ""
            stack[-1].add(name, function, value)
        elif token == "," and not here.sign and last == "word":
            here.words.append(",")  # rows, columns = ...
        elif kind == "end":
            here.end()
        last, before, end = kind, token, found.end()
    if len(stack) > 1:
        raise FormatError(f"its brackets do not match: {stack[-1].sign} is not closed")
    values = stack[0].value()
    return values[0] if len(values) == 1 and isinstance(values, list) else values


# Lines with labels.

NUMBER = r"(?:[0-9]{1,9}|\?)(?:x[0-9]{1,3}|[a-z])?(?!\w)"
NOTHING = frozenset(("", "-", "–", "—", "none", "empty", "blank", "nothing", "null"))
"""Texts of an empty line."""

CLUES = re.compile(
    rf"""(?:{NUMBER}|(?:none|empty|blank|nothing)\b|[\s,;/|\[\](){{}}"']|[–—-](?!\w)|(?<=[0-9])[-+](?=[0-9]))*+""",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"([^\W\d_]{1,20})(?: clue)?[ \t#]*([0-9]{1,4})(?: ?\([^()]{1,20}\))?[ \t)]*(?:[:=.|→\t]|->|=>|[-–—](?=\s))"
)
HEADING = re.compile(r"([^\W\d_][\w ,.']{0,60}?)\s*(?:\([^()]{0,60}\))?\s*(?:[:|]\s*(.*)|)")
HAS_NUMBER, HAS_NUMBERS = re.compile("[0-9]"), re.compile("[0-9][^0-9]+[0-9]")
MARKUP, BULLET = re.compile(r"\*\*|__|`+"), re.compile(r"[#>*•|\s]*(?:[-–]\s+)?")
NUMBERED = re.compile(r"(?:([0-9]{1,4})\s*(?:[:)|]\s*|\.\s))?(.*)")
EMPTY_LINE = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")
FILLER = re.compile("a|and|are|at|bottom|by|each|for|from|here|in|is|left|my|of|read|right|the|to|top|with")
"""Another word that a heading may have."""

LONGEST_LINE = 10_000


def read_labels(text: str) -> list[dict[str, Any]]:
    """Return the clues of each side by their numbers, or the text that has all of them."""
    puzzles: list[dict[str, tuple[str, dict[str, str]]]] = [{}]
    for name, number, clue in _label_clues(text):
        side = str(side_of(name)[0])  # type: ignore[index]
        if number in puzzles[-1].get(side, ("", {}))[1]:
            puzzles.append({})
        puzzles[-1].setdefault(side, (name, {}))[1][number] = clue
    sizes = [all(lines.get("", "").strip(" ,;").isdigit() for _, lines in each.values()) for each in puzzles]
    puzzles = [each for each, is_size in zip(puzzles, sizes, strict=True) if not is_size] or puzzles
    return [
        {
            name: lines[""] if [*lines] == [""] else {key or "1": clue for key, clue in lines.items()}
            for name, lines in each
        }
        for each in map(dict.values, puzzles)
    ]


def _label_clues(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the clues with the name of their side and their number; the first one below a heading may be all."""
    heading, count, gap = "", 0, False
    for _, line in lines_of(text):
        line = BULLET.sub("", MARKUP.sub("", line[:LONGEST_LINE]), count=1).strip()
        if labels := _labels(line):
            heading = ""
            yield from labels
        elif found := _heading(line):
            heading, count, gap = found[0] * (not found[1]), 0, False
            if found[1]:
                yield found[0], "", found[1]
        elif heading and not line:
            gap = count > 0
        elif heading:
            number, clue = NUMBERED.fullmatch(line).groups("")  # type: ignore[union-attr]
            if not CLUES.fullmatch(clue) and (gap or not count):
                heading = ""
                continue
            if gap and not number:
                count += 1
                yield heading, str(count), "a blank line, or an empty one?"
            count, gap = count + 1, False
            yield heading, number or (str(count) if count > 1 else ""), clue


def _labels(line: str) -> list[tuple[str, str, str]]:
    """Return name, number and clue of the labels in a line that begins with one."""
    labels = [label for label in LABEL.finditer(line) if (side := side_of(label[1])) and not side.rest]
    if not labels or labels[0].start() or line[labels[0].end() :].lstrip().startswith(("[[", "((", "{{")):
        return []
    ends = [label.start() for label in labels[1:]] + [len(line)]
    clues = [line[label.end() : end].strip(" \t*_|,;") for label, end in zip(labels, ends, strict=True)]
    return [(label[1], str(int(label[2])), clue.removesuffix(".")) for label, clue in zip(labels, clues, strict=True)]


def _heading(line: str) -> tuple[str, str] | None:
    """Return the name in a heading, and the clues after it."""
    found = HEADING.fullmatch(line)
    side = side_of(found[1]) if found else None
    if not found or not side:
        return None
    clues, words = (found[2] or "").strip(), side.rest.split()
    is_name = all(CLUE_WORD.fullmatch(word) or (side.is_sure and FILLER.fullmatch(word)) for word in words)
    is_whole = all(clues.count(start) == clues.count(end) for start, end in PAIRS.items())
    has_clues = is_whole and CLUES.fullmatch(clues) and (HAS_NUMBER if side.is_sure else HAS_NUMBERS).search(clues)
    return (found[1], clues) if is_name and (not clues or has_clues) else None


NUMERAL, CLUE_OR_WORD = re.compile("[0-9]+"), re.compile(r"""[^\s,;:=|/#()\[\]{}"']+""")


def wrong_word(text: str) -> str | None:
    """Return which is the first wrong word of clues with names of sides or an empty line between; None for other text.

    At least four fifths of the words are numbers, the others look like mistyped ones, or there is a single other.
    """
    words, sides = list[tuple[int, str]](), set[str]()
    for line_number, line in lines_of(text):
        for word in () if line.startswith("#") else CLUE_OR_WORD.findall(line):
            side = side_of(word)
            if side and side.is_sure:
                sides.add(side.side)
            elif len(word) == 1 or not any(pattern.fullmatch(word.lower()) for pattern in (CLUE_WORD, FILLER)):
                words.append((line_number, word))
    right = CLUES if sides else NUMERAL
    wrong = [found for found in words if not right.fullmatch(found[1])]
    others = [word for _, word in wrong if len(word) > 1 and not HAS_NUMBER.search(word)]
    is_divided = bool(sides) or EMPTY_LINE.search(text.strip()) is not None
    if not wrong or (others and len(wrong) > 1) or 5 * len(wrong) > len(words) or not is_divided:
        return None
    number, word = wrong[0]
    return f"line {number}: {clip(word)} is not a number" + (", nor rows or columns" if sides and others else "")


# Grids.

GRID_ROW = re.compile(r"\s*+((?:[0-9?]\S*+ )*+)[|│]((?: *+[?._·□])++)\s*+")
WORDS = re.compile(r"\S+")


def read_grids(text: str) -> list[dict[str, Any]]:
    """Return the clues around empty grids: a column's are above its cell, and end where it ends."""
    puzzles, above = list[dict[str, Any]](), list[str]()
    for _, line in lines_of(text):
        if not (found := GRID_ROW.fullmatch(line[:LONGEST_LINE])):
            if not line.strip() or not CLUES.fullmatch(line[:LONGEST_LINE]):
                above.clear()
            above.append(line)
            continue
        if above or not puzzles:
            cells = {found.start(2) + cell.end(): list[str]() for cell in WORDS.finditer(found[2])}
            for word in (word for each in above for word in WORDS.finditer(each)):
                cells.setdefault(word.end(), ["?", "not above a cell"]).append(word[0])
            puzzles.append({"rows": [], "columns": [*cells.values()]})
            above.clear()
        puzzles[-1]["rows"].append(found[1])
    return puzzles
