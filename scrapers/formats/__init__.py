"""File formats of puzzles, told apart by content first and by the file's suffix second."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Protocol

from scrapers.formats import g, jsonl, lp, matrix, netpbm, non, png, pzl, quoted, rofl, taai, webpbn_xml
from scrapers.formats.plain import PLAIN
from scrapers.formats.sections import INI, TOML
from scrapers.formats.shared import FormatError, decoded
from solver.model.puzzle import Puzzle

__all__ = ["FORMATS", "Format", "FormatError", "detect", "named"]


class Format(Protocol):
    """What a format offers: a module, or a record of several formats that are much alike."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """Its name on the command line."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """What names of such files end with, in lower case; new files get the first."""

    @property
    def HOLDS(self) -> frozenset[str]:  # noqa: N802
        """What a file can hold beside black-and-white clues: of scrapers.formats.writing.WORDS."""

    def recognizes(self, data: bytes) -> bool:
        """Whether these bytes look like this format."""

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """The puzzles in the file, those that can be read first; raises FormatError (then) for what is wrong."""

    def write(self, puzzle: Puzzle) -> bytes:
        """A file with a puzzle, which has nothing that the format can't hold (scrapers.formats.writing)."""


DISTINCTIVE: tuple[Format, ...] = (
    non,
    webpbn_xml,
    taai,
    jsonl,
    rofl,
    netpbm,
    png,
    TOML,
    INI,
    g,
    lp,
    pzl,
    quoted,
    matrix,
)
"""Formats that no file of another looks like, in the order in which they are asked."""

FORMATS: tuple[Format, ...] = (*DISTINCTIVE, *PLAIN)


def named(name: str) -> Format:
    """The format of a name; a FormatError lists those that there are."""
    for known in FORMATS:
        if name == known.NAME:
            return known
    raise FormatError(f"there is no format {name!r}: {', '.join(sorted(known.NAME for known in FORMATS))}")


def of_suffix(name: str) -> Format | None:
    """The format that names of files end for as this one does."""
    suffix = PurePath(name).suffix.lower()
    return next((known for known in FORMATS if suffix in known.SUFFIXES), None)


def detect(name: str, data: bytes) -> Format:
    """The format of a file: the one that recognizes its bytes, else the one that its name ends like.

    The plain formats differ so little that a file may be one of several. If so it is the same puzzle in each: two
    sizes, read as a clue, are too long for it, or give one side more black cells than the other.
    """
    known = of_suffix(name)
    if known is not None and known.recognizes(data):
        return known
    for distinctive in DISTINCTIVE:
        if distinctive.recognizes(data):
            return distinctive
    for plain in PLAIN:
        if plain.recognizes(data):
            return plain
    if known is not None:
        return known
    decoded(data)  # an empty, binary or undecodable file is called so
    raise FormatError(f"unknown format: not one of {', '.join(sorted(known.NAME for known in FORMATS))}")
