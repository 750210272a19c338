"""Parsing that the file formats share: errors, decoding, lines, clues as numbers, several puzzles in a file."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple, TypeVar

from nonocensus.solver.model.puzzle import MAX_CELLS, Block, Clue, InvalidPuzzle, Puzzle

Part = TypeVar("Part")
Read = TypeVar("Read")

LINE_END = re.compile(r"\r\n?|\n")
FEW_LINES = 1_000
"""Lines of a text that may be in memory together."""

MAX_REPORTED = 20
"""Unreadable puzzles of a file whose errors are reported."""

NumberedLine = tuple[int, str]
"""The number and the text of a line."""

MAX_DIGITS = 9
"""Of a number, leading zeros included."""

MAX_CACHED_LENGTH = 40
"""Characters of a clue that is cached: most clues of an archive are the same few."""

NUMBERS = re.compile(r"[0-9]+(?:(?:\s*+,\s*+|\s++)[0-9]+)*")
LAST_COMMA = re.compile(r"(?<=[0-9])\s*+,$")

BLOCKS = {str(length): Block(length) for length in range(1, MAX_CELLS + 1)}
"""By length as text; all blocks of a length share one object."""


class FormatError(ValueError):
    """A file that can't be read as puzzles, or a puzzle that a format can't hold: what and where, in one line."""


class PuzzleOrigin(NamedTuple):
    """The fields of Puzzle that name its origin, for `**origin._asdict()`."""

    puzzle_id: str = ""
    source: str | None = None
    source_id: str | None = None
    url: str | None = None


def webpbn_origin(number: str) -> PuzzleOrigin:
    """Return the origin of a puzzle of webpbn.com."""
    number = number.lstrip("0") or "0"
    return PuzzleOrigin(f"webpbn/{number}", "webpbn", number, f"https://webpbn.com/play.cgi?id={number}")


def decode_text(data: bytes) -> str:
    """Decode UTF-8 or else Windows-1252 (webpbn's), or UTF-16 after a byte order mark."""
    if not data.strip():
        raise FormatError("it is empty")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decode_text_as(data, "utf-16")
    if b"\0" in data:
        raise FormatError("it is a binary file, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise FormatError(f"it is text in neither UTF-8 nor Windows-1252 ({_position(error)})") from None


def decode_text_as(data: bytes, encoding: str) -> str:
    """Decode a file in the encoding that it declares."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(f"it declares itself {encoding} but is not ({_position(error)})") from None


def _position(error: UnicodeDecodeError) -> str:
    return f"byte 0x{error.object[error.start]:02x} at offset {error.start}"


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, the one after the last line end included.

    One by one, since a file of line ends takes a hundred times its size as a list.
    """
    if text.count("\n") + text.count("\r") <= FEW_LINES:
        yield from enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
        return
    start, number = 0, 1
    for end in LINE_END.finditer(text):
        yield number, text[start : end.start()]
        start, number = end.end(), number + 1
    yield number, text[start:]


def bounded_lines(text: str, limit: int) -> list[tuple[int, str]]:
    """Return the lines of a text with their numbers; a FormatError if there are more than `limit`."""
    lines = list(islice(lines_of(text), limit + 1))
    if len(lines) > limit:
        raise FormatError(f"it has more than {limit:,} lines")
    return lines


def clip(text: str) -> str:
    """Quote text from a file for an error message, on one line, at most 40 characters."""
    text = " ".join(text.split())
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"


def error_text(error: Exception) -> str:
    """Return a library's error message on one line, at most 200 characters."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


def read_each(parts: Iterable[Part], read: Callable[[Part], Read]) -> Iterator[Read]:
    """Yield the readable puzzles of a file, then raise one FormatError about the others."""
    return _read_each(enumerate(parts, 1), read, "puzzle")


def read_each_line(lines: Iterable[tuple[int, Part]], read: Callable[[Part], Read]) -> Iterator[Read]:
    """Yield the same of a file with a puzzle on each line; the error has line numbers."""
    return _read_each(lines, read, "line")


def _read_each(parts: Iterable[tuple[int, Part]], read: Callable[[Part], Read], what: str) -> Iterator[Read]:
    errors = PartErrors(what)
    for number, part in parts:
        found = errors.attempt(number, part, read)
        if found is not None:
            yield found
    errors.raise_first()


class PartErrors:
    """The number of a file's parts (puzzles or lines), and the errors of the unreadable ones."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.count = self.failed = 0
        self.reported: list[tuple[int, str]] = []

    def attempt(self, number: int, part: Part, read: Callable[[Part], Read]) -> Read | None:
        """Read a part; None if it is unreadable."""
        self.count += 1
        try:
            return read(part)
        except (FormatError, InvalidPuzzle) as error:
            self.failed += 1
            if self.failed <= MAX_REPORTED:
                self.reported.append((number, str(error)))
            return None

    def raise_first(self) -> None:
        """Raise one FormatError about all unreadable parts, or about the lack of parts."""
        if not self.count:
            raise FormatError("it holds no puzzle")
        if self.failed:
            numbered = self.count > 1 or self.what == "line"
            texts = [f"{self.what} {place}: {error}" if numbered else error for place, error in self.reported]
            more = f"; and {self.failed - MAX_REPORTED:,} more" if self.failed > MAX_REPORTED else ""
            raise FormatError("; ".join(texts) + more)


class TextFormat(NamedTuple):
    """A format of text files, each with a puzzle.

    ABOUT     its origin first, for the documentation
    marks     find what all of its files have
    puzzle    parses a text
    write     returns a file with a puzzle
    """

    NAME: str
    ABOUT: str
    SUFFIXES: tuple[str, ...]
    marks: Sequence[Callable[[bytes], object]]
    puzzle: Callable[[str], Puzzle]
    write: Callable[[Puzzle], bytes]
    HOLDS: frozenset[str] = frozenset()

    def recognizes(self, data: bytes) -> bool:
        """Check for the marks."""
        return all(mark(data) for mark in self.marks)

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """Yield the puzzle of a file."""
        return read_each([decode_text(data)], self.puzzle)


def parse_clue(line: NumberedLine) -> Clue:
    """Parse numbers separated by blanks or commas. An empty line, or a single 0, is an empty clue."""
    number, text = line
    try:
        return _cached_clue(text) if len(text) <= MAX_CACHED_LENGTH else _clue(text)
    except FormatError as error:
        raise FormatError(f"line {number}: {error}") from None


def _clue(text: str) -> Clue:
    words = text.split("," if "," in text else None, MAX_CELLS)
    try:
        clue = tuple(map(BLOCKS.__getitem__, words))
    except KeyError:
        return _unusual_clue(text.strip())
    if len(clue) > MAX_CELLS:
        raise FormatError(f"it has more than {MAX_CELLS} numbers")
    return clue


def _unusual_clue(text: str) -> Clue:
    """Parse a clue with other separators, a comma at its end, leading zeros, or errors."""
    text = LAST_COMMA.sub("", text)
    if text in ("", "0"):
        return ()
    words = text.replace(",", " ").split(maxsplit=MAX_CELLS)
    if len(words) > MAX_CELLS:
        raise FormatError(f"it has more than {MAX_CELLS} numbers")
    if not NUMBERS.fullmatch(text):
        wrong = re.sub(r"[0-9,\s]", "", text)[:1]
        raise FormatError(f"{clip(text)} is not a list of numbers" + (f": it has {clip(wrong)}" if wrong else ""))
    return tuple([BLOCKS.get(word) or _block(word, text) for word in words])


_cached_clue = lru_cache(1 << 16)(_clue)


def _block(word: str, text: str) -> Block:
    """Parse a number with leading zeros, or an invalid one."""
    digits = word.lstrip("0")
    if not digits:
        raise FormatError(f"{clip(text)} has a 0 among its numbers")
    if digits not in BLOCKS:
        raise FormatError(f"the number {clip(digits)} is more than {MAX_CELLS}")
    return BLOCKS[digits]


def parse_sizes(line: NumberedLine, count: int) -> list[int]:
    """Parse a line of `count` numbers: sides of a puzzle."""
    number, text = line
    words = text.replace(",", " ").split(maxsplit=count)
    if len(words) != count or not all(word in BLOCKS for word in words):
        wanted = "two numbers" if count == 2 else "a number"
        raise FormatError(f"line {number}: {clip(text)} should be {wanted} from 1 to {MAX_CELLS}")
    return [int(word) for word in words]


def format_clues(clues: Sequence[Clue], separator: str = " ") -> list[str]:
    """Return a line for each clue, `0` for an empty one."""
    return [separator.join([str(block.length) for block in clue]) or "0" for clue in clues]


def is_possible(puzzle: Puzzle) -> bool:
    """Check that each clue fits into its line, and that rows and columns have equally many cells of each colour."""
    painted = []
    for clues, cells in ((puzzle.rows, puzzle.width), (puzzle.columns, puzzle.height)):
        for clue in clues:
            gaps = sum([one.color == other.color for one, other in pairwise(clue)])
            if sum([max(block.length, 1) for block in clue]) + gaps > cells:
                return False
        count = Counter[int]()
        for clue in clues:
            for block in clue:
                count[block.color] += block.length
        painted.append(count)
    return puzzle.blotted or painted[0] == painted[1]


def misfit(puzzle: Puzzle) -> str | None:
    """Return why no picture can have the clues, with the lines that were read; None if arithmetic finds no reason."""
    from nonocensus.solver.model.check import faults_of  # imports Numba, which takes a second
    from nonocensus.solver.model.tables import puzzle_batch

    why = faults_of(puzzle_batch([puzzle])).get(0)
    return why and f"{why}; {puzzle.height} rows and {puzzle.width} columns were read"
