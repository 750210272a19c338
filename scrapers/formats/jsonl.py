"""JSON lines, our own format: one puzzle per line, with all that a store keeps but hashes of clues.

    {"rows": [[[2, 1]]], "columns": [[[1, 1]], [[1, 1]]], "width": 2, "height": 1, "palette": [...], "goal": "11", ...}

A clue is a list of blocks, a block its length (0: a blot) and the palette index of its colour, or its length alone if
that is 1; entry 0 is the background. The goal is a string of palette indices in base 36, row by row. Where `source` is
griddlers, a number in `site_difficulty` is seconds and is read as `site_seconds`. Large files are read fastest if each
line begins with `rows` and `columns` (scrapers.formats.jsonl_columns). Clues under other names are those of
scrapers.formats.clue_lists.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from io import BytesIO
from itertools import starmap
from typing import Annotated, Any

import msgspec
import numpy as np

from nonocensus.scrapers.formats import clue_lists
from nonocensus.scrapers.formats.parsing import FormatError, decode_text, error_text, read_each_line
from nonocensus.scrapers.formats.site_properties import drop_implausible
from nonocensus.scrapers.formats.writing import FEATURES
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Clue, Color, Puzzle, cached_block, normalize_palette

NAME = "jsonl"
SUFFIXES: tuple[str, ...] = (".jsonl", ".ndjson")
HOLDS: frozenset[str] = frozenset(FEATURES) - {"saved"}

BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"')
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
PALETTE_INDICES = np.zeros(128, np.uint8)
PALETTE_INDICES[[*DIGITS.encode()]] = range(len(DIGITS))
"""By character of a goal."""

METADATA = [field for field in fields(Puzzle) if field.name not in ("rows", "columns", "palette", "goal", "saved")]
"""Fields of Puzzle that are serialized with their own types."""

STEPS = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 31)]
"""Type of `site_steps`, whose column has 32 bits."""

ABOUT: Any = [
    ("width", int | None, None),
    ("height", int | None, None),
    ("palette", list[tuple[str, str, str]] | None, None),
    ("goal", str | None, None),
    *((field.name, STEPS | None if field.name == "site_steps" else field.type, field.default) for field in METADATA),
]
"""The fields of a line besides its clues: name, type, default."""

Record: Any = msgspec.defstruct(
    "Record",
    [*((side, tuple[tuple[int | tuple[int, int], ...], ...]) for side in ("rows", "columns")), *ABOUT],
    forbid_unknown_fields=True,
    omit_defaults=True,
)
"""A line, with the fields of Puzzle."""

RECORDS = msgspec.json.Decoder(Record)


def recognizes(data: bytes) -> bool:
    """Check for an object at the start, but not for one on several lines."""
    return BEGINNING.match(data) is not None and not clue_lists.is_document(data)


def read(data: bytes, before: int = 0) -> Iterator[Puzzle]:
    """Yield the puzzles of a file, or of a chunk after `before` lines; blank lines are skipped."""
    return read_each_line(lines_with_records(data, before), read_line)


def lines_with_records(data: bytes, before: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, or of a chunk after `before` lines, that are not blank, with their numbers."""
    if not before and clue_lists.is_document(data):
        raise FormatError("it is one object on several lines, not an object on each line")
    if not data.strip() or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = decode_text(data).encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return ((number, line) for number, line in enumerate(BytesIO(data), before + 1) if not line.isspace())


def read_line(line: bytes) -> Puzzle:
    """Return the puzzle of a line, in UTF-8 or else Windows-1252. Raises FormatError if it is none."""
    try:
        try:
            record = RECORDS.decode(line)
        except UnicodeDecodeError:
            record = RECORDS.decode(decode_text(line))
        rows, columns = (tuple(map(_clue, side)) for side in (record.rows, record.columns))
        if not (rows and columns):
            raise FormatError("it has no rows or columns")
    except (FormatError, msgspec.DecodeError, RecursionError) as error:
        return clue_lists.read_line(line, f"it is not a puzzle: {error_text(error)}")
    palette = tuple(Color(*color) for color in record.palette) if record.palette else BLACK_ON_WHITE
    if (record.width or len(columns), record.height or len(rows)) != (len(columns), len(rows)):
        raise FormatError(f"it has {len(columns)} columns and {len(rows)} rows, not the width and height given")
    others = drop_implausible({field.name: getattr(record, field.name) for field in METADATA})
    goal = None if record.goal is None else _goal(record.goal, len(rows), len(columns), len(palette))
    return normalize_palette(Puzzle(rows, columns, palette, goal, **others))


def _clue(blocks: Sequence[int | tuple[int, int]]) -> Clue:
    """Return the clue of blocks, (length, colour) or a length in one colour; 0 for none. Raises FormatError."""
    if blocks == (0,):
        return ()
    if 0 in blocks:
        raise FormatError("it has blocks without a length")
    return tuple(starmap(cached_block, [(each, 1) if isinstance(each, int) else each for each in blocks]))


def _goal(text: str, height: int, width: int, colors: int) -> np.ndarray:
    if not is_picture(text, height * width, colors):
        raise FormatError(f"its goal is not a picture of {width}x{height} cells in {colors} colours")
    return PALETTE_INDICES[np.frombuffer(text.encode(), np.uint8)].reshape(height, width)


def is_picture(text: str, cells: int, colors: int) -> bool:
    """Check a goal: its size, and that its palette has `colors` entries at least."""
    return len(text) == cells and not text.strip(DIGITS[:colors])


def write(puzzle: Puzzle) -> bytes:
    """Return a line with this puzzle."""
    record = Record(
        rows=[[(block.length, block.color) for block in clue] for clue in puzzle.rows],
        columns=[[(block.length, block.color) for block in clue] for clue in puzzle.columns],
        width=puzzle.width,
        height=puzzle.height,
        palette=None if puzzle.palette == BLACK_ON_WHITE else [(*color,) for color in puzzle.palette],
        goal=None if puzzle.goal is None else "".join([DIGITS[place] for place in puzzle.goal.ravel().tolist()]),
        **{field.name: getattr(puzzle, field.name) for field in METADATA},
    )
    return msgspec.json.encode(record) + b"\n"


def bundle(files: Iterable[bytes]) -> Iterable[bytes]:
    """Yield a file of several puzzles."""
    return files
