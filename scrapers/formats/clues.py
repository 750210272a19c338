"""Clues as lines of numbers, which most formats have in common: how they are read, and how they are written."""

import re
from collections.abc import Sequence
from functools import lru_cache

from scrapers.formats.shared import FormatError, clipped
from solver.model.puzzle import MAX_CELLS, Block, Clue

Line = tuple[int, str]
"""A line of a file: its number and its text."""

MOST_DIGITS = 9
"""Of a number, however many zeros it begins with."""

SHORT = 40
"""Characters of a clue that is worth remembering: most clues of an archive are the same few."""

NUMBERS = re.compile(r"[0-9]+(?:(?:\s*+,\s*+|\s++)[0-9]+)*")

BLOCKS = {str(length): Block(length) for length in range(1, MAX_CELLS + 1)}
"""By how their lengths are written; one object for all blocks of a length."""


def clue_of(line: Line) -> Clue:
    """The clue on a line: numbers between blanks or commas. An empty line, or a single 0, is an empty clue."""
    number, text = line
    try:
        return _short_clue(text) if len(text) <= SHORT else _clue(text)
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
    """A clue that is more, or less, than numbers with commas or blanks between them."""
    if text in ("", "0"):
        return ()
    words = text.replace(",", " ").split(maxsplit=MAX_CELLS)
    if len(words) > MAX_CELLS:
        raise FormatError(f"it has more than {MAX_CELLS} numbers")
    if not NUMBERS.fullmatch(text):
        raise FormatError(f"{clipped(text)} is not a list of numbers")
    return tuple([BLOCKS.get(word) or _block(word, text) for word in words])


_short_clue = lru_cache(1 << 16)(_clue)


def _block(word: str, text: str) -> Block:
    """The block of a number that is not written as usual, in a clue."""
    digits = word.lstrip("0")
    if not digits:
        raise FormatError(f"{clipped(text)} has a 0 among its numbers")
    if digits not in BLOCKS:
        raise FormatError(f"the number {clipped(digits)} is more than {MAX_CELLS}")
    return BLOCKS[digits]


def sizes(line: Line, count: int) -> list[int]:
    """So many numbers that stand alone on a line: sides of a puzzle."""
    number, text = line
    words = text.replace(",", " ").split(maxsplit=count)
    if len(words) != count or not all(word in BLOCKS for word in words):
        wanted = "two numbers" if count == 2 else "a number"
        raise FormatError(f"line {number}: {clipped(text)} should be {wanted} from 1 to {MAX_CELLS}")
    return [int(word) for word in words]


def written(clues: Sequence[Clue], separator: str = " ") -> list[str]:
    """A line for each clue, `0` for an empty one."""
    return [separator.join([str(block.length) for block in clue]) or "0" for clue in clues]
