"""File formats of puzzles, one module each, told apart by content first and by the file's suffix second."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Protocol

from scrapers.formats import non, taai, webpbn_xml
from scrapers.formats.shared import FormatError, decoded
from solver.puzzle import Puzzle

__all__ = ["FORMATS", "Format", "FormatError", "detect"]


class Format(Protocol):
    """What the module of a format offers."""

    NAME: str
    """the format's name on the command line"""

    SUFFIXES: tuple[str, ...]
    """what names of such files end with, in lower case; new files get the first"""

    def recognizes(self, data: bytes) -> bool:
        """Whether these bytes look like this format and no other."""

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """The puzzles in the file, those that can be read first; raises FormatError (then) for what is wrong."""

    def write(self, puzzle: Puzzle) -> bytes:
        """A file with this puzzle; raises FormatError for what the format can't hold."""


FORMATS: tuple[Format, ...] = (non, webpbn_xml, taai)
"""All formats, in the order in which they are asked whether they recognize a file."""


def detect(name: str, data: bytes) -> Format:
    """The format of a file: the one that recognizes its bytes, else the one that its name ends like."""
    for known in FORMATS:
        if known.recognizes(data):
            return known
    for known in FORMATS:
        if PurePath(name).suffix.lower() in known.SUFFIXES:
            return known
    decoded(data)  # an empty, binary or undecodable file is called so
    raise FormatError(f"unknown format: not one of {_known()}")


def _known() -> str:
    return ", ".join(f"{known.NAME} ({' '.join(known.SUFFIXES)})" for known in FORMATS)
