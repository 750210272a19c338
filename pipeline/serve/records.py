"""Puzzles and answers as JSON: a puzzle is a line of the format jsonl, an answer the row of the results table in words.

Pictures are texts of palette entries in base 36, row by row, as in that format.
"""

import base64
import json
from typing import Any

import msgspec
import numpy as np

from pipeline.findings.json_value import json_value
from pipeline.serve.serve_limits import MOST_CELLS
from reports.clean import clean
from reports.formatting import MEANINGS
from reports.sheet.state import UNKNOWN, empty
from scrapers.formats import FormatError, jsonl
from solver.ladder.effort import difficulty
from solver.model.puzzle import InvalidPuzzle, Puzzle
from solver.model.tables import RESULTS, puzzle_batch

OPEN = "?"
"""A cell of a begun grid that may be anything."""

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


def puzzle_of(record: bytes) -> Puzzle:
    """The puzzle of a record in JSON. Raises FormatError for one that is none, or larger than the server takes."""
    try:
        found = next(jsonl.read(msgspec.json.format(record, indent=-1)), None)
    except InvalidPuzzle as error:
        raise FormatError(str(error)) from None
    if found is None:
        raise FormatError("it holds no puzzle")
    return within_limits(found)


def within_limits(puzzle: Puzzle, most: int = MOST_CELLS, does: str = "takes") -> Puzzle:
    """The puzzle, if the server takes one of so many cells, or what it `does`; else a FormatError."""
    if puzzle.width * puzzle.height > most:
        raise FormatError(f"it is {puzzle.width}x{puzzle.height}; this server {does} puzzles of {most:,} cells")
    return puzzle


def cells_text(cells: bytes | np.ndarray) -> str:
    """A picture as text: a digit in base 36 a cell."""
    return "".join([jsonl.DIGITS[entry] for entry in bytes(cells)])


def entries_of(text: str) -> np.ndarray:
    """The palette entries of a text of digits, uint8. Raises FormatError for other characters."""
    if text.strip(jsonl.DIGITS):
        raise FormatError("a cell is a digit in base 36, its palette's entry")
    return jsonl.PLACES[np.frombuffer(text.encode(), np.uint8)]


def grid_of(begun: str | None, puzzle: Puzzle) -> np.ndarray:
    """A begun grid, uint8[height, width] of palette entries or UNKNOWN; nothing is known of one that is None.

    Raises FormatError for one of another size or with other colours than the clues.
    """
    cells = puzzle.width * puzzle.height
    if begun is None:
        return empty(puzzle).cells
    if len(begun) != cells:
        raise FormatError(f"the begun grid has {len(begun):,} cells, the puzzle {cells:,}")
    entries = entries_of(begun.replace(OPEN, "0"))
    if entries.max(initial=0) > max(puzzle.colors, 1):
        raise FormatError("the begun grid has colours that the clues lack")
    unknown = np.frombuffer(begun.encode(), np.uint8) == ord(OPEN)
    return np.where(unknown, UNKNOWN, entries).astype(np.uint8).reshape(puzzle.height, puzzle.width)


def grid_text(grid: np.ndarray) -> str:
    """A grid as text, uint8[height, width] of palette entries or UNKNOWN."""
    return "".join([OPEN if entry == UNKNOWN else jsonl.DIGITS[entry] for entry in grid.ravel().tolist()])


def file_record(puzzle: Puzzle, suffix: str, data: bytes, left_out: list[str]) -> dict[str, Any]:
    """A file with a puzzle as JSON: a name for it, its bytes in base64, and what of the puzzle it can't hold."""
    name = (puzzle.puzzle_id.split("/")[-1] or "puzzle") + suffix
    return {"name": name, "data": base64.b64encode(data).decode(), "left_out": left_out}


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
