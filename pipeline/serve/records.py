"""Puzzles and results as JSON: a puzzle is a line of the format jsonl, a result its row of the results table.

Pictures are texts of palette entries in base 36, row by row, as in that format.
"""

import base64
import json
from typing import Any

import numpy as np

from nonocensus.pipeline.findings.csv_file import json_value
from nonocensus.pipeline.serve.serve_limits import MAX_AREA
from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.grid_state import UNKNOWN, empty
from nonocensus.reports.drawings.sheet_colors import color_names, letters_of
from nonocensus.reports.words.formatting import MEANINGS
from nonocensus.scrapers.formats import FormatError, jsonl
from nonocensus.solver.model.measures import difficulty
from nonocensus.solver.model.puzzle import InvalidPuzzle, Puzzle
from nonocensus.solver.model.tables import RESULTS, puzzle_batch

OPEN = "?"
"""A cell of a begun grid that may have any colour."""

ABOUT_RUN = ("puzzle_id", "clue_hash", "solution", "second_solution", "run_id", "part", "host", "config_hash")
COUNTERS = tuple(name for name in RESULTS.names if name not in ABOUT_RUN)
"""Columns of the results table that a reply has."""


def puzzle_record(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as JSON, always with its palette, without partly solved grids."""
    record: dict[str, Any] = json.loads(jsonl.write(puzzle))
    return {"palette": [list(color) for color in puzzle.palette], **record}


def puzzle_reply(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as JSON with its clue hash and its colours in words, several with letters."""
    named = {"color_names": color_names(puzzle.palette), "color_letters": letters_of(puzzle)}
    return {"clue_hash": puzzle_batch([puzzle])["clue_hash"][0].as_py(), "puzzle": puzzle_record(puzzle), **named}


def parse_puzzle(record: bytes) -> Puzzle:
    """Parse a puzzle's JSON, in one line. Raises FormatError if it is invalid or larger than the server accepts."""
    try:
        found = next(jsonl.read(record), None)
    except InvalidPuzzle as error:
        raise FormatError(str(error)) from None
    if found is None:
        raise FormatError("it holds no puzzle")
    return check_area(found)


def check_area(puzzle: Puzzle, limit: int = MAX_AREA, verb: str = "accepts") -> Puzzle:
    """Return the puzzle. Raises FormatError if it has more cells than the server accepts (or another verb)."""
    if puzzle.width * puzzle.height > limit:
        raise FormatError(
            f"the puzzle is {puzzle.width}x{puzzle.height}; this server {verb} puzzles of up to {limit:,} cells"
        )
    return puzzle


def cells_text(cells: bytes) -> str:
    """Return a picture or a begun grid as text, a palette entry in base 36 a cell, OPEN for UNKNOWN."""
    return "".join([OPEN if entry == UNKNOWN else jsonl.DIGITS[entry] for entry in cells])


def parse_cells(text: str) -> np.ndarray:
    """Return the palette entries of a picture's text, uint8. Raises FormatError for other characters."""
    if text.strip(jsonl.DIGITS):
        raise FormatError("a cell is a digit in base 36, its palette's entry")
    return jsonl.PALETTE_INDICES[np.frombuffer(text.encode(), np.uint8)]


def parse_grid(begun: str | None, puzzle: Puzzle) -> np.ndarray:
    """Return a begun grid, uint8[height, width] of palette entries or UNKNOWN; None is the empty grid.

    Raises FormatError for a wrong size, or for colours that the clues lack.
    """
    cells = puzzle.width * puzzle.height
    if begun is None:
        return empty(puzzle).cells
    if len(begun) != cells:
        raise FormatError(f"the begun grid has {len(begun):,} cells, the puzzle {cells:,}")
    entries = parse_cells(begun.replace(OPEN, "0"))
    if entries.max(initial=0) > max(puzzle.colors, 1):
        raise FormatError("the begun grid has colours that the clues lack")
    unknown = np.frombuffer(begun.encode(), np.uint8) == ord(OPEN)
    return np.where(unknown, UNKNOWN, entries).astype(np.uint8).reshape(puzzle.height, puzzle.width)


def file_reply(puzzle: Puzzle, suffix: str, data: bytes, left_out: list[str]) -> dict[str, Any]:
    """Return a puzzle's file as JSON: its name, its bytes in base64, and which parts of the puzzle it can't hold."""
    name = (puzzle.puzzle_id.split("/")[-1] or "puzzle") + suffix
    return {"name": name, "data": base64.b64encode(data).decode(), "left_out": left_out}


def result_reply(row: dict[str, Any], width: int, height: int) -> dict[str, Any]:
    """Return a row of the results table as JSON: verdict, counters, difficulty, solutions."""
    solutions = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    measured = difficulty(
        np.array([row["line_solves"] or 0]), np.array([row["conflicts"] or 0]), np.array([width + height])
    )
    label = row["label"] or row["status"]
    return {
        **{name: json_value(row[name]) for name in COUNTERS},
        "error": None if row["error"] is None else clean(row["error"]),
        "label": label,
        "meaning": MEANINGS.get(label, ""),
        "difficulty": json_value(float(measured[0])),
        "pictures": [cells_text(cells) for cells in solutions if len(cells) == width * height],
        "every": row["solutions"] in ("unique", "none"),
    }
