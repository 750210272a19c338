"""What the file formats have in common: how they fail, how bytes become text, which puzzles are webpbn's."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeVar

from solver.model.puzzle import InvalidPuzzle

Part = TypeVar("Part")
Read = TypeVar("Read")

LINE_END = re.compile(r"\r\n?|\n")
FEW_LINES = 1_000
"""Lines of a text that may be in memory all at once."""

MOST_TOLD = 20
"""Puzzles of a file that can't be read of which is said why."""


class FormatError(ValueError):
    """A file that can't be read as puzzles, or a puzzle that a format can't hold: one line that says what and where."""


class Origin(NamedTuple):
    """Where a puzzle comes from: fields of Puzzle, to be given as `**origin._asdict()`."""

    puzzle_id: str = ""
    source: str | None = None
    source_id: str | None = None
    url: str | None = None


def webpbn(number: str) -> Origin:
    """The origin of webpbn.com's puzzle of that number."""
    number = number.lstrip("0") or "0"
    return Origin(f"webpbn/{number}", "webpbn", number, f"https://webpbn.com/play.cgi?id={number}")


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8 or else Windows-1252 (webpbn's), or in UTF-16 if it begins with a byte order mark."""
    if not data.strip():
        raise FormatError("it is empty")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decoded_as(data, "utf-16")
    if b"\0" in data:
        raise FormatError("it is a binary file, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise FormatError(f"it is text in neither UTF-8 nor Windows-1252 ({_offence(error)})") from None


def decoded_as(data: bytes, encoding: str) -> str:
    """The text of a file in an encoding that it declares itself."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(f"it declares itself {encoding} but is not ({_offence(error)})") from None


def _offence(error: UnicodeDecodeError) -> str:
    return f"byte 0x{error.object[error.start]:02x} at offset {error.start}"


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text and their numbers, one by one: a file of line ends takes a hundred times its size as lines.

    After the last line end there is one more.
    """
    if text.count("\n") + text.count("\r") <= FEW_LINES:
        yield from enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
        return
    start, number = 0, 1
    for end in LINE_END.finditer(text):
        yield number, text[start : end.start()]
        start, number = end.end(), number + 1
    yield number, text[start:]


def lines_within(text: str, most: int) -> list[tuple[int, str]]:
    """The lines of a text and their numbers; a FormatError if there are more than `most`."""
    lines = list(islice(lines_of(text), most + 1))
    if len(lines) > most:
        raise FormatError(f"it has more than {most:,} lines")
    return lines


def clipped(text: str) -> str:
    """Text from a file, quoted for an error message: one line of bearable length."""
    text = " ".join(text.split())
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"


def said_by(error: Exception) -> str:
    """What a library says is wrong with a file, as one line of bearable length."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


def each(parts: Iterable[Part], read: Callable[[Part], Read]) -> Iterator[Read]:
    """The puzzles of a file that may hold several: those that can be read, then one FormatError about the others."""
    return _each(enumerate(parts, 1), read, "puzzle")


def each_line(lines: Iterable[tuple[int, Part]], read: Callable[[Part], Read]) -> Iterator[Read]:
    """The same of a file with a puzzle on each line; the error names the lines by their numbers."""
    return _each(lines, read, "line")


def _each(parts: Iterable[tuple[int, Part]], read: Callable[[Part], Read], what: str) -> Iterator[Read]:
    told: list[tuple[int, str]] = []
    count = wrong = 0
    for number, part in parts:
        count += 1
        try:
            yield read(part)
        except (FormatError, InvalidPuzzle) as error:
            wrong += 1
            if wrong <= MOST_TOLD:
                told.append((number, str(error)))
    if not count:
        raise FormatError("it holds no puzzle")
    if wrong:
        numbered = count > 1 or what == "line"
        texts = [f"{what} {place}: {error}" if numbered else error for place, error in told]
        raise FormatError("; ".join(texts) + (f"; and {wrong - MOST_TOLD:,} more" if wrong > MOST_TOLD else ""))
