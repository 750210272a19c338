"""File formats of puzzles, detected by content, then by suffix."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import PurePath
from typing import Protocol

import numpy as np

from nonocensus.scrapers.formats import (
    clue_lists,
    freenono,
    jsonl,
    matrix,
    netpbm,
    non,
    png,
    rofl,
    taai,
    webpbn_xml,
)
from nonocensus.scrapers.formats.clue_text import wrong_word
from nonocensus.scrapers.formats.g import G
from nonocensus.scrapers.formats.game_ids import GAME_IDS
from nonocensus.scrapers.formats.gno import GNO
from nonocensus.scrapers.formats.lp import LP
from nonocensus.scrapers.formats.minizinc import MINIZINC
from nonocensus.scrapers.formats.parsing import FormatError, decode_text, lines_of, misfit
from nonocensus.scrapers.formats.penpa import PENPA
from nonocensus.scrapers.formats.plain import PLAIN_FORMATS
from nonocensus.scrapers.formats.pzl import PZL
from nonocensus.scrapers.formats.quoted import QUOTED
from nonocensus.scrapers.formats.sections import INI, TOML
from nonocensus.scrapers.formats.share_link import SHARE
from nonocensus.solver.model.puzzle import Puzzle

__all__ = ["FORMATS", "Format", "FormatError", "detect", "named"]


class Format(Protocol):
    """Interface of a format: a module, or a record for one of several similar formats."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """Name on the command line."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """Suffixes in lower case; new files get the first."""

    @property
    def HOLDS(self) -> frozenset[str]:  # noqa: N802
        """Features besides black-and-white clues that a file can hold: names in scrapers.formats.writing.FEATURES."""

    def recognizes(self, data: bytes) -> bool:
        """Check whether the bytes look like this format."""

    def read(self, data: bytes) -> Iterator[Puzzle]:
        """Yield the readable puzzles of a file, then raise FormatError for the others."""

    def write(self, puzzle: Puzzle) -> bytes:
        """Return a file with a puzzle; the caller has checked that the format can hold it."""


UNKNOWN = (
    "unknown format; clues as text are a line each (3 1): the rows, an empty line, the columns; "
    "or WIDTHxHEIGHT:columns/rows like 3x3:3/1/1/1.1/2/1; docs/FORMATS.md lists all"
)

LINKS: tuple[Format, ...] = (PENPA, *GAME_IDS, SHARE)
"""Formats of links and ids, with a puzzle on each line."""

DISTINCTIVE: tuple[Format, ...] = (
    non,
    webpbn_xml,
    taai,
    *LINKS,
    jsonl,
    rofl,
    netpbm,
    png,
    TOML,
    INI,
    G,
    LP,
    PZL,
    QUOTED,
    matrix,
    GNO,
    freenono,
    MINIZINC,
)
"""Formats that are recognized without ambiguity, in order of detection."""

FORMATS: tuple[Format, ...] = (*DISTINCTIVE, *PLAIN_FORMATS, clue_lists)

OTHERS = {
    "csv": "export --csv FILE writes a run as a table",
    "gif": "solve --save FILE.gif animates the steps of a solution",
    "html": "solve --save FILE.html explains a puzzle",
    "parquet": "dataset writes a run as Parquet",
    "pdf": "solve --save FILE.pdf prints a puzzle, pack --pdf 4 writes a book with up to 4 puzzles per page",
    "svg": "solve --save FILE.svg draws a puzzle",
}
"""Which command writes what is no format of puzzle files."""

SUDOKU_SUFFIXES = (".sdk", ".sdm", ".ss", ".sudoku")
"""Suffixes of files that hold only Sudokus, which are refused."""

SUDOKU_START = 20_000
"""Bytes of a file that are looked at for Sudokus, and for facts of a logic program."""

NUMBERS = re.compile(rb"[0-9,\s]+")
FACTS = re.compile(rb"(?:\b[a-z]\w*\([^\r\n]{1,80}?\)[ \t]*\.\s+){2}")
"""Facts of answer-set programming or Prolog: row_clue(1,1,3). row_clue(2,1,1)."""


def named(name: str) -> Format:
    """Return the format of a name. Raises FormatError, with the command that writes it or similar names, if any."""
    names = {known.NAME: known for known in FORMATS}
    if name not in names:
        of_ending = [known.NAME for known in FORMATS if f".{name.lower()}" in known.SUFFIXES]
        near = " or ".join(dict.fromkeys([*get_close_matches(name.lower(), names), *of_ending]))
        meant = f"did you mean {near}? " * bool(near) + "docs/FORMATS.md lists all"
        raise FormatError(f"unknown format {name!r}; {OTHERS.get(name.lower(), meant)}")
    return names[name]


def of_suffix(name: str) -> Format | None:
    """Return the format of a file name's suffix."""
    suffix = PurePath(name).suffix.lower()
    return next((known for known in FORMATS if suffix in known.SUFFIXES), None)


def detect(name: str, data: bytes) -> Format:
    """Return the format that recognizes a file's bytes, else that of its suffix.

    A file may be valid in several plain formats, but is the same puzzle in each: two sizes, read as a clue, are too
    long, or give one side more black cells than the other. Raises FormatError for other files, Sudokus among them.
    """
    known = of_suffix(name)
    if known is not None and known.recognizes(data):
        return known
    for other in FORMATS:
        if other.recognizes(data):
            return other
    if is_sudoku(name, data):
        raise FormatError(sudoku_refusal(name))
    if FACTS.search(data[:SUDOKU_START] + b"\n"):
        raise FormatError("unknown format: facts of a logic program, as for clingo or Prolog, which are not read")
    if known is not None and not (known is non and NUMBERS.fullmatch(data)):
        return known
    decode_text(data)  # raises for an empty, binary or undecodable file
    raise FormatError(_plain_fault(data) or UNKNOWN)


def _plain_fault(data: bytes) -> str | None:
    """Return what is wrong with clues, or with rows and columns that an empty line divides; None for other text."""
    if len(data) <= SUDOKU_START and (why := wrong_word(decode_text(data))):
        return why
    try:
        (puzzle,) = named("ish").read(data)
        why = misfit(puzzle)
    except FormatError as error:
        why = str(error) if NUMBERS.fullmatch(data) and str(error).startswith("line ") else None
    return why and f"as clues of rows, an empty line, and clues of columns: {why}"


def is_sudoku(name: str, data: bytes) -> bool:
    """Check whether a file that no format of nonograms recognizes holds Sudokus: by its suffix or its first puzzle.

    A grid with few digits may be a picture; one of an unusual size counts only if it is on one line or has bars.
    """
    if PurePath(name).suffix.lower() in SUDOKU_SUFFIXES:
        return True
    start = data if len(data) <= SUDOKU_START else data[:SUDOKU_START].rpartition(b"\n")[0]
    try:
        text = decode_text(start)
    except FormatError:
        return False
    from nonocensus.solver.exact_cover.sudoku import SudokuPuzzle, read_sudokus  # imports Numba, which takes a second

    puzzle = next(read_sudokus(text), None)
    if not isinstance(puzzle, SudokuPuzzle):
        return False
    size = len(puzzle.cells)
    line = next(line for number, line in lines_of(text) if number == puzzle.line)
    digits = len(np.unique(puzzle.cells[puzzle.cells > 0]))
    if len(line) >= size * size:
        return size >= 9 or digits > 1
    return digits > 2 and (size in (9, 16, 25) or "|" in line)


def sudoku_refusal(name: str) -> str:
    """Return the error for a file of Sudokus."""
    return f"a Sudoku, not a nonogram; solve it with: nonocensus sudoku {name or 'FILE'}"
