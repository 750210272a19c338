"""Puzzles and answers as JSON: a puzzle is a line of the format jsonl, an answer the row of the results table in words.

Pictures are texts of palette entries in base 36, row by row, as in that format.
"""

import json
from typing import Any

import msgspec
import numpy as np

from pipeline.findings.json_value import json_value
from pipeline.serve.limits import MOST_CELLS
from reports.clean import clean
from reports.words import MEANINGS
from scrapers.formats import FormatError, jsonl
from solver.effort import difficulty
from solver.puzzle import InvalidPuzzle, Puzzle
from solver.tables import RESULTS, puzzle_batch

COUNTERS = tuple(
    field.name
    for field in RESULTS
    if field.name
    not in ("puzzle_id", "clue_hash", "solution", "second_solution", "run_id", "part", "host", "config_hash")
)
"""What an answer says of the row of the results table."""


def puzzle_record(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as JSON, its palette always given; partly solved grids are left out."""
    record: dict[str, Any] = json.loads(jsonl.write(puzzle))
    return {"palette": [list(color) for color in puzzle.palette], **record}


def described_record(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as JSON beside its clue hash, by which equal puzzles are known."""
    return {"clue_hash": puzzle_batch([puzzle])["clue_hash"][0].as_py(), "puzzle": puzzle_record(puzzle)}


def puzzle_of(record: dict[str, Any]) -> Puzzle:
    """The puzzle of a record. Raises FormatError for one that is none, or larger than the server takes."""
    try:
        found = next(jsonl.read(msgspec.json.encode(record)), None)
    except InvalidPuzzle as error:
        raise FormatError(str(error)) from None
    if found is None:
        raise FormatError("it holds no puzzle")
    return within_limits(found)


def within_limits(puzzle: Puzzle) -> Puzzle:
    """The puzzle, if the server takes one of its size; else a FormatError."""
    if puzzle.width * puzzle.height > MOST_CELLS:
        raise FormatError(f"it is {puzzle.width}x{puzzle.height}; this server takes puzzles of {MOST_CELLS:,} cells")
    return puzzle


def cells_text(cells: bytes | np.ndarray) -> str:
    """A picture as text: a digit in base 36 a cell."""
    return "".join([jsonl.DIGITS[entry] for entry in bytes(cells)])


def answer_record(row: dict[str, Any], width: int, height: int) -> dict[str, Any]:
    """What is known of a puzzle, from its row of the results table: verdict, counters, difficulty, solutions."""
    solutions = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    work = difficulty(
        np.array([row["line_solves"] or 0]), np.array([row["conflicts"] or 0]), np.array([width + height])
    )
    told = row["label"] or row["status"]
    return {
        **{name: json_value(row[name]) for name in COUNTERS},
        "error": None if row["error"] is None else clean(row["error"]),
        "label": told,
        "meaning": MEANINGS.get(told, ""),
        "difficulty": json_value(float(work[0])),
        "pictures": [cells_text(cells) for cells in solutions if len(cells) == width * height],
        "every": row["solutions"] in ("unique", "none"),
    }
