"""JSON and lists of clues, as apps, programs, papers and posts write them; scrapers.formats.clue_names has the names.

    {"rows": [[1], [3, 1]], "columns": [[1], [], [2]]}     an object, in one line or several, or an array of objects
    rows = [[1], [3, 1]]; columns = [[1], [], [2]]         Python, JavaScript, C, Mathematica, Lisp and so on
    [[1], [3, 1]] [[1], [], [2]]                           lists without names: rows, then columns
    Row 1: 3 1                                             labels, or lines below "Rows:" and "Columns:"

An empty grid with clues around it is read too, as the prompts of tasks have it.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from string import ascii_lowercase, digits
from typing import Any

import msgspec

from nonocensus.scrapers.formats.clue_names import (
    BLOCK,
    CLUE_WORD,
    EXPECTED,
    LETTERS,
    NOTHING,
    SIDES,
    FoundPuzzle,
    find,
    find_named,
    is_sure,
    read_found,
    side_of,
)
from nonocensus.scrapers.formats.parsing import FormatError, decode_text, error_text, lines_of, read_each
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, BLOT, MAX_CELLS, Clue, InvalidPuzzle, Puzzle

NAME = "lists"
SUFFIXES: tuple[str, ...] = (".json",)
HOLDS: frozenset[str] = frozenset(
    {"colors", "blots", "goal", "rgb", "names", "title", "author", "description", "copyright", "license"}
)

SIGNS = digits + ascii_lowercase
"""Of a goal, by palette entry."""

MAX_BYTES = 8 << 20
"""Of an object or a list of JSON; a puzzle of 1023x1023 cells takes up to 4 MiB."""

MAX_TEXT, MAX_DEPTH = 1 << 20, 16
"""Bytes of a text that is not JSON, and brackets around brackets in it."""

DOCUMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{(?:[^\r\n]*[^}\s])?[ \t]*[\r\n]\s*+[^{\s]")
OBJECT_LINE = re.compile(rb"[\r\n][ \t]*\{")
HTML = re.compile(r"\s*+<[!?/A-Za-z]")
JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*+[\[{]")
JSON_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*+\{[ \t]*"[^\r\n]*\}[ \t]*(?:[\r\n]|\Z)')


def is_document(data: bytes) -> bool:
    """Check for one object of JSON with several puzzles, or printed over several lines; not for an object a line."""
    start = data.removeprefix(b"\xef\xbb\xbf")
    if DOCUMENT.match(start):
        return not OBJECT_LINE.search(start) or _is_json(start)
    if len(start) > MAX_BYTES or b"\n" in start.strip():
        return False
    try:
        return len(list(islice(find(msgspec.json.decode(start)), 2))) > 1
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def document_fault(data: bytes) -> str:
    """Return why an object on several lines is not read as a puzzle a line; empty for other data."""
    if not DOCUMENT.match(data) or b"\n{" in data:
        return ""
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return f"it is not JSON: {error_text(error)}"
    return "it is one object on several lines, not an object a line"


def recognizes(data: bytes) -> bool:
    """Check for rows and columns by name, for two lists without names, and for a list that is a picture."""
    if JSON_LINE.match(data) and not is_document(data):
        return False  # a puzzle on each line, which the format jsonl reads
    try:
        first = next(_found(data), None)
        if first is None:
            return False
        return all(map(is_sure, first.names)) or len(first.values) == 1 or read_found(first) is not None
    except (FormatError, InvalidPuzzle):
        return False


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a file."""
    found = _found(data)
    first = next(found, None)
    if first is None:
        raise FormatError(EXPECTED)
    return read_each(chain([first], found), read_found)


def read_json(line: bytes) -> Puzzle | None:
    """Return the only puzzle of an object of JSON, None if it has none or several. Raises FormatError."""
    try:
        found = list(islice(find(_decode(line)), 2))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return read_found(found[0]) if len(found) == 1 else None


def _found(data: bytes) -> Iterator[FoundPuzzle]:
    """Yield the puzzles of a file, unvalidated."""
    text, reason = decode_text(data), ""
    if HTML.match(text):  # its style sheets have rows and columns too
        return
    if JSON.match(data):
        try:
            yield from _in_json(text.encode())
            return
        except msgspec.DecodeError as error:
            reason = f"it is not JSON: {error_text(error)}"
    if len(data) > MAX_TEXT:
        raise FormatError(reason or f"it is larger than {MAX_TEXT >> 20} MiB, the limit for lists that are not JSON")
    if LETTERS.fullmatch(text):
        lines = [line for _, line in lines_of(text) if line.strip()]
        pairs = [FoundPuzzle(pair, (), {}) for pair in zip(lines[::2], lines[1::2], strict=False)]
        for pair in pairs[:1]:
            read_found(pair)  # raises for a text in capital letters
        yield from pairs
        return
    found = list(in_lines(text)) or list(_around_grids(text))
    if not found:
        try:
            found = list(_in_code(text))
        except FormatError as error:
            raise FormatError(reason or str(error)) from None
    if not found and reason:
        raise FormatError(reason)
    yield from found


def _in_json(data: bytes) -> Iterator[FoundPuzzle]:
    """Yield the puzzles of JSON: of the elements of an array one by one, or of values on lines. Raises DecodeError."""
    try:
        elements = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        elements = []
    if elements and bytes(elements[0])[:1] == b"{":
        values: Iterable[Any] = (_decode(bytes(element)) for element in elements)
    else:
        try:
            values = [_decode(data)]
        except msgspec.DecodeError:
            lines = [line for line in data.splitlines() if not line.isspace()]
            if len(lines) < 2 or len(data) > MAX_BYTES:
                raise
            values = [_decode(line) for line in lines]
    for value in values:
        yield from find(value)


def _decode(data: bytes) -> Any:
    """Return a value of JSON. Raises FormatError for a huge one, and DecodeError."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"it has an object or a list of more than {MAX_BYTES >> 20} MiB")
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise FormatError("its lists and objects are nested too deep") from None


# Lists in programs.

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\(\*[^()*]*+\*\)|\#[^\n]*|--[^\n]*)
    |(?P<string>\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"(?:[^"\\\n]|\\.?)*+(?:"|(?=\n)|\Z)|(?<!\w)'(?!\()(?:[^'\\\n]|\\.?)*+(?:'|(?=\n)|\Z)|`[^`\n]*+`)
    |(?P<number>-?[0-9]++(?:\.[0-9]++)?(?![\w.]))
    |(?P<word>\*[a-z][\w-]*\*|[\w?](?:[\w.]|\[[0-9]*\]|::)*+)
    |(?P<type>(?:\[\]){1,4}(?=\w))
    |(?P<open>[\[({])|(?P<close>[\])}])
    |(?P<named>=>|:=|<-|->|==?|:)
    |(?P<end>[;,\n])
    """,
    re.VERBOSE,
)
PAIRS = {"[": "]", "(": ")", "{": "}"}
EXPRESSION = "an expression"
OPERATORS = tuple("*+-/%^@&|<>~.")
KEYWORDS = frozenset(("for", "if", "else", "lambda"))
NULLS = frozenset(("none", "null", "nil", "undefined"))


class _Open:
    """Brackets whose end is yet to come.

    items   the values in them, each with its name or an empty text
    words   how many of the items are words without quotes: types, constants
    """

    def __init__(self, sign: str, name: str) -> None:
        self.sign, self.name = sign, name
        self.items = list[tuple[str, Any]]()
        self.words = 0
        self.has_comma = False

    def add_unknown(self, is_of_last: bool) -> None:
        """Add an expression, which is not computed; in place of its first operand if that is the last item."""
        if is_of_last and self.items:
            self.items[-1] = (self.items[-1][0], EXPRESSION)
        elif self.sign:
            self.items.append(("", EXPRESSION))

    def value(self) -> Any:
        """Return an object if items have names, else a list; what parentheses or a call hold if that is one value."""
        lists = [value for _, value in self.items if isinstance(value, list | dict)]
        if self.sign == "(" and len(lists) == 1 == len(self.items) - self.words and (self.words or not self.has_comma):
            return lists[0]
        return dict(self.items) if any(name for name, _ in self.items) else [value for _, value in self.items]


def _in_code(text: str) -> Iterator[FoundPuzzle]:
    """Yield the puzzles in the text of a program: of lists with names of sides, else of the others two by two."""
    values = _values(text)
    has_lists = [
        isinstance(value, str | dict) or any(isinstance(item, list | dict) for item in value) for _, value in values
    ]
    if not any(has_lists) and not any(name for name, _ in values):
        yield from find([value for _, value in values])  # rows of a picture
        return
    if any(not name and not has for (name, _), has in zip(values, has_lists, strict=True)):
        values = [each for each, has in zip(values, has_lists, strict=True) if has]  # a name may be that of several
    named = [(name if side_of(name) or name in ("x", "y") else "", value) for name, value in values]
    found = list(find_named(named, {}))
    yield from found or find(values[0][1] if len(values) == 1 else [value for _, value in values])


def _values(text: str) -> list[tuple[str, Any]]:
    """Return the lists and objects of a program outside of all others, with the names before them.

    Raises FormatError for brackets that do not match.
    """
    stack, last = [_Open("", "")], ""
    word = name = ""
    end, is_call = 0, False
    for found in TOKEN.finditer(text):
        kind, token, here = str(found.lastgroup), found[0], stack[-1]
        between, end = text[end : found.start()].strip(), found.end()
        if between[:1] in OPERATORS and (between[:1] != "." or kind == "word"):
            here.add_unknown(last == "close" and not is_call)
        if len(stack) > 1 and (token in KEYWORDS or (kind == "word" and token[0].isdigit())):
            here.items.append(("", token if BLOCK.fullmatch(token) else EXPRESSION))
            continue
        if len(stack) > MAX_DEPTH:
            raise FormatError(f"it has brackets in more than {MAX_DEPTH} others")
        if word and len(stack) > 1 and (kind in ("number", "close", "string") or token == ","):
            here.items.append((name, word))
            here.words += 1
            word = name = ""
        if kind == "open":
            stack.append(_Open(token, name or (word if len(word) > 1 and side_of(word) else "")))
            word = name = ""
        elif kind == "close" and len(stack) > 1:
            if PAIRS[here.sign] != token:
                raise FormatError(f"its brackets do not match: {token} closes {here.sign}")
            stack.pop()
            is_call = here.sign == "(" and len(here.items) != 1
            if here.words == len(here.items) > 0:  # the arguments of a type or a function
                name = here.name
            else:
                stack[-1].items.append((here.name, here.value()))
        elif kind == "named":
            word, name = "", name or word
        elif kind == "word":
            word = token.strip("*").partition("[")[0].rpartition(".")[2]
            if token == "?" or word.lower() in NULLS:
                here.items.append((name, "?" if token == "?" else None))
                word = name = ""
        elif kind == "number" and len(stack) > 1:
            here.items.append((name, int(token) if len(token) < 10 and "." not in token else EXPRESSION))
            name = ""
        elif kind == "string":
            value = token[3:-3] if token[:3] in QUOTES else token[1:-1]
            if text[found.end() : found.end() + 20].lstrip()[:1] in (":", "="):
                word = value
            elif name or len(stack) > 1:
                here.items.append((name, value))
                name = ""
        elif kind == "end":
            here.has_comma = here.has_comma or token == ","
            if token != "\n" or last != "named":
                name = ""
            if token != "\n":
                word = ""
        last = last if kind == "comment" or (token == "\n" and last == "named") else kind
    if len(stack) > 1:
        raise FormatError(f"its brackets do not match: {stack[-1].sign} is not closed")
    return [(name, value) for name, value in stack[0].items if isinstance(value, list | dict | str)]


# Lines with labels.

LABEL = re.compile(r"([^\W\d_]{1,20})[ \t#]*([0-9]{1,4})[ \t)*]*(?:[:=.|→\t]|->|=>|[-–—](?=\s))")
HEADING = re.compile(r"[#>*\-–• \t|_]*([^:=]{1,60})(:?)(.*)")
NUMBERED = re.compile(r"[>*\-–•|\s]*(?:([0-9]{1,4})\s*(?:[:)|]\s*|\.\s))?[-–•\s]*(.*)")
NUMBER = r"(?:[0-9]{1,9}|\?)(?:x[0-9]{1,3}|[a-z])?(?!\w)"
CLUE = re.compile(rf"""[\[({{"']*\s*(?:{NUMBER}[\s,;&/-]*)*+[\])}}"']*[\s.,;|]*""")
SEVERAL_CLUES = re.compile(rf"""(?:{NUMBER}|[\s,;/|&.\[\](){{}}"'-])*+""")
FILLERS = frozenset(
    ("a", "and", "are", "at", "by", "each", "for", "from", "here", "in", "is", "my", "of", "read", "the", "to")
)
FILLERS |= {"top", "bottom", "left", "right", "with"}
"""Words of a heading beside those of a side and of clues."""

EMPTY_ROW = re.compile(r"([0-9?x ]*+)[|│] *+((?:[?._·□-] *+)++)[|│]?\s*+")
ABOVE = re.compile(r"(?=.*[0-9?])[0-9?x |│]++")
QUOTES = ('"' * 3, "'" * 3)
LONGEST_LINE = 10_000
MOST_WORDS = 6
"""Words of a heading."""


def in_lines(text: str) -> Iterator[FoundPuzzle]:
    """Yield the puzzles of labels such as `Row 1: 3 1`, and of lines below headings such as `Rows:` or after them."""
    sides = _Sides()
    side = ""  # of the heading above
    for _, line in chain(lines_of(text), [(0, "Rows:")]):
        line = line[:LONGEST_LINE].replace("**", "").replace("`", "").strip()
        labels = _labels(line)
        heading = None if labels else _heading(line)
        if sides.are_complete() and (heading or (labels and labels[0][1] == sides.first)):
            yield sides.found()
            sides = _Sides()
        if labels:
            side = ""
            for label in labels:
                sides.add(*label)
        elif heading:
            side, rest = heading
            if sides.lines[side] or rest:
                sides.lines[side] += [rest] * (bool(rest) and not sides.lines[side])
                side = ""
        elif side and line:
            clue = NUMBERED.fullmatch(line)
            if clue and _is_clue(clue[2]):
                sides.lines[side].append(clue[2])
                sides.has_numbers |= clue[1] is not None
            elif sides.lines[side]:
                side = ""


class _Sides:
    """The lines of both sides so far; `first` is the number of the first label, 0 or 1."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {side: [] for side in SIDES}
        self.has_numbers = False
        self.first = 1

    def are_complete(self) -> bool:
        """Return whether both sides have a line."""
        return all(self.lines.values())

    def add(self, side: str, number: int, clue: str) -> None:
        """Add the clue of a label. Raises FormatError for a number that is not the next one."""
        if not any(self.lines.values()):
            self.first = min(number, 1)
        if number != len(self.lines[side]) + self.first:
            raise FormatError(f"{side[:-1]} {number} follows {len(self.lines[side])} {side}")
        self.lines[side].append(clue)
        self.has_numbers = True

    def found(self) -> FoundPuzzle:
        """Return the puzzle of the lines; a single line without a number may have all clues of its side."""
        is_loose = not self.has_numbers
        rows, columns = (lines[0] if is_loose and len(lines) == 1 else lines for lines in self.lines.values())
        return FoundPuzzle((rows, columns), ("rows", "columns"), {})


def _labels(line: str) -> list[tuple[str, int, str]]:
    """Return the sides, numbers and clues of the labels in a line; empty unless each has a clue."""
    found = [(label, side_of(label[1])) for label in LABEL.finditer(line)]
    labels = [(label, side[0]) for label, side in found if side and not side[1]]
    ends = [label.start() for label, _ in labels[1:]] + [len(line)]
    clues = [line[label.end() : end].strip(" \t*_") for (label, _), end in zip(labels, ends, strict=False)]
    if not all(map(_is_clue, clues)):
        return []
    return [(side, int(label[2]), clue) for (label, side), clue in zip(labels, clues, strict=True)]


def _heading(line: str) -> tuple[str, str] | None:
    """Return the side of a heading and the clues after it, if any; None for another line."""
    found = HEADING.fullmatch(line)
    name = re.sub(r"\([^()]*\)", "", found[1]).strip() if found else ""
    side = side_of(name) if len(name.split()) <= MOST_WORDS and not any(map(str.isdigit, name)) else None
    if found is None or side is None or not (is_sure(name) or side[1] or name.lower() in ("horizontal", "vertical")):
        return None
    if any(word not in FILLERS and not CLUE_WORD.fullmatch(word) for word in side[1].split()):
        return None
    rest = found[3].strip()
    if rest.strip("|>") in ("", *QUOTES):
        return side[0], ""
    return (side[0], rest) if SEVERAL_CLUES.fullmatch(rest) and _is_balanced(rest) else None


def _around_grids(text: str) -> Iterator[FoundPuzzle]:
    """Yield the puzzles of empty grids with the rows' clues at the left, before a bar, and the columns' above."""
    above, rows = deque[str](maxlen=MAX_CELLS), list[str]()
    ends = list[int]()
    for _, line in chain(lines_of(text), [(0, "")]):
        row = EMPTY_ROW.fullmatch(line) if len(line) <= LONGEST_LINE else None
        if row and not rows:
            ends = [0, *(row.start(2) + k + 1 for k, sign in enumerate(row[2]) if not sign.isspace())]
        if row:
            rows.append(row[1])
            continue
        if rows:
            columns = [" ".join(each[start:end].strip() for each in above) for start, end in pairwise(ends)]
            yield FoundPuzzle((rows, columns), ("rows", "columns"), {})
        if rows or not ABOVE.fullmatch(line):
            above.clear()
        else:
            above.append(line)
        rows = []


def _is_clue(text: str) -> bool:
    """Return whether a text is a clue, also an empty one."""
    bare = text.strip("[](){}.,;| ")
    return bare not in QUOTES and (bare.strip("\"'").lower() in NOTHING or CLUE.fullmatch(text) is not None)


def _is_balanced(text: str) -> bool:
    return all(text.count(start) == text.count(end) for start, end in PAIRS.items())


# Writing.


def bundle(files: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a file of several puzzles, an array; of one puzzle its object."""
    files = iter(files)
    first, second = next(files), next(files, None)
    if second is None:
        yield first
        return
    yield b"[\n" + first.rstrip()
    yield from (b",\n" + file.rstrip() for file in chain([second], files))
    yield b"\n]\n"


def write(puzzle: Puzzle) -> bytes:
    """Return an object with this puzzle: numbers, or pairs of number and palette entry if it has several colours."""

    def plain(clue: Clue) -> list[Any]:
        lengths = ["?" if block.length == BLOT else block.length for block in clue]
        return lengths if puzzle.colors <= 1 else [[n, block.color] for n, block in zip(lengths, clue, strict=True)]

    values: dict[str, Any] = {name: [*map(plain, getattr(puzzle, name))] for name in ("rows", "columns")}
    if puzzle.palette != BLACK_ON_WHITE:
        values["palette"] = [list(color) for color in puzzle.palette]
    if puzzle.goal is not None:
        values["goal"] = ["".join([SIGNS[entry] for entry in row]) for row in puzzle.goal.tolist()]
    for field in ("title", "author", "description", "copyright", "license"):
        if getattr(puzzle, field) is not None:
            values[field] = getattr(puzzle, field)
    lines = (
        f"  {msgspec.json.encode(name).decode()}: {msgspec.json.encode(value).decode()}"
        for name, value in values.items()
    )
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
