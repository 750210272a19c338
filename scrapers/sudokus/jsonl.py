"""Sudokus as JSON lines, the project's own: a puzzle a line, with all that the table of Sudokus has of it but hashes.

    {"givens": [[0, 3, ...], ...], "box_width": 3, "box_height": 3, "puzzle_id": "local/a", "title": ...}

Givens are rows of digits, 0 for an open cell.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from scrapers.formats.jsonl import BEGINNING
from scrapers.formats.shared import FormatError, decoded, each, lines_of, said_by
from solver.sudoku.puzzle import Sudoku

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


def read(data: bytes) -> Iterator[Sudoku]:
    """The Sudokus of a file, those that can be read first; raises FormatError (then) for what is wrong."""
    return each((line for line in lines_of(decoded(data)) if line[1].strip()), _sudoku)


def _sudoku(line: tuple[int, str]) -> Sudoku:
    number, text = line
    try:
        record = RECORDS.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"line {number}: it is no Sudoku: {said_by(error)}") from None
    try:
        givens = np.array(record.givens)
    except ValueError:
        raise FormatError(f"line {number}: its rows differ in length") from None
    return Sudoku(givens, **{field.name: getattr(record, field.name) for field in ABOUT})


def write(puzzle: Sudoku) -> bytes:
    """A line with this puzzle. The size of its boxes is always there."""
    record = Record(puzzle.givens.tolist(), **{field.name: getattr(puzzle, field.name) for field in ABOUT})
    boxes = {"box_width": puzzle.box_width, "box_height": puzzle.box_height}
    return msgspec.json.encode(boxes | msgspec.to_builtins(record)) + b"\n"
