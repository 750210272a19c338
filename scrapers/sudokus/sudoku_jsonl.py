"""Sudokus as JSON lines, the project's own: a puzzle a line, with all that the table of Sudokus has of it but hashes.

    {"givens": [[0, 3, ...], ...], "box_width": 3, "box_height": 3, "puzzle_id": "local/a", "title": ...}

Givens are rows of digits, 0 for an open cell.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from scrapers.formats.jsonl import BEGINNING, lines_with_records, record_of
from scrapers.formats.shared import FormatError, each_line
from solver.sudoku.sudoku_puzzle import Sudoku

MARK = b'"givens"'
"""What the first line of such a file has, and no other file of JSON lines that is read here."""

ABOUT = [field for field in fields(Sudoku) if field.name != "givens"]

Record: Any = msgspec.defstruct(
    "Record",
    [("givens", list[list[int]]), *((field.name, field.type, field.default) for field in ABOUT)],
    forbid_unknown_fields=True,
    omit_defaults=True,
)
"""A line; the fields are those of Sudoku."""

RECORDS = msgspec.json.Decoder(Record)


def recognizes(data: bytes) -> bool:
    """Whether it begins with an object that has givens."""
    return BEGINNING.match(data) is not None and MARK in data.lstrip().split(b"\n", 1)[0]


def read(data: bytes, before: int = 0) -> Iterator[Sudoku]:
    """Yield the Sudokus of a file, those that can be read first; raises FormatError (then) for what is wrong.

    before   lines of the file that the bytes, a piece of it, come after
    """
    return each_line(lines_with_records(data, before), _sudoku)


def _sudoku(line: bytes) -> Sudoku:
    record = record_of(RECORDS, line, "Sudoku")
    try:
        givens = np.array(record.givens)
    except ValueError:
        raise FormatError("its rows differ in length") from None
    return Sudoku(givens, **{field.name: getattr(record, field.name) for field in ABOUT})


def write(puzzle: Sudoku) -> bytes:
    """A line with this puzzle. The size of its boxes is always there."""
    record = Record(puzzle.givens.tolist(), **{field.name: getattr(puzzle, field.name) for field in ABOUT})
    boxes = {"box_width": puzzle.box_width, "box_height": puzzle.box_height}
    return msgspec.json.encode(boxes | msgspec.to_builtins(record)) + b"\n"
