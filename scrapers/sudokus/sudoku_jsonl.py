"""Sudokus as JSON lines, our own format: one puzzle per line, with all columns of the Sudokus table except hashes.

    {"givens": [[0, 3, ...], ...], "box_width": 3, "box_height": 3, "puzzle_id": "local/a", "title": ...}

Givens are rows of digits, 0 for an open cell.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from nonocensus.scrapers.formats.jsonl import BEGINNING, lines_with_records, record_of
from nonocensus.scrapers.formats.parsing import FormatError, read_each_line
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

MARK = b'"givens"'
"""Distinguishes the first line from other JSON lines."""

METADATA = [field for field in fields(Sudoku) if field.name != "givens"]

Record: Any = msgspec.defstruct(
    "Record",
    [("givens", list[list[int]]), *((field.name, field.type, field.default) for field in METADATA)],
    forbid_unknown_fields=True,
    omit_defaults=True,
)
"""A line, with the fields of Sudoku."""

RECORDS = msgspec.json.Decoder(Record)


def recognizes(data: bytes) -> bool:
    """Check whether the file starts with an object that has givens."""
    return BEGINNING.match(data) is not None and MARK in data.lstrip().split(b"\n", 1)[0]


def read(data: bytes, before: int = 0) -> Iterator[Sudoku]:
    """Yield the readable Sudokus of a file, or a chunk after `before` lines, then raise FormatError for the others."""
    return read_each_line(lines_with_records(data, before), _sudoku)


def _sudoku(line: bytes) -> Sudoku:
    record = record_of(RECORDS, line, "Sudoku")
    try:
        givens = np.array(record.givens)
    except ValueError:
        raise FormatError("its rows differ in length") from None
    return Sudoku(givens, **{field.name: getattr(record, field.name) for field in METADATA})


def write(puzzle: Sudoku) -> bytes:
    """Return the puzzle as a line, always with its box size."""
    record = Record(puzzle.givens.tolist(), **{field.name: getattr(puzzle, field.name) for field in METADATA})
    boxes = {"box_width": puzzle.box_width, "box_height": puzzle.box_height}
    return msgspec.json.encode(boxes | msgspec.to_builtins(record)) + b"\n"
