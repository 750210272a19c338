"""Verdicts on answers: any grid that fits the clues is right; a partial one is one that can be completed, or wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from nonocensus.reports.words.reason_words import clue_words
from nonocensus.scrapers.formats.answer_signs import UNKNOWN
from nonocensus.scrapers.formats.answer_text import read_answer
from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.solver.api import solve
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.puzzle import InvalidPuzzle, Puzzle, clue_of, fits_clue
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views
from nonocensus.solver.people.hints import start_of

CHUNK = 1 << 15
"""Grids that are checked at a time: their clues take some kilobytes each."""

CLUES = ["width", "height", "rows", "columns"]

Verdict = Literal["solved", "partial", "wrong", "unreadable", "timeout"]


@dataclass(frozen=True, eq=False)
class Checked:
    """The verdict on an answer; true if it solves the puzzle.

    verdict   solved; partial: some cells are open, and it can be completed; wrong; unreadable; timeout: some cells are
              open, and the CPU limit was too low to complete it
    reason    the first wrong line, or why it is unreadable, in one line
    cells     the grid, uint8[height, width] of palette entries, 255 for open cells; None if unreadable
    """

    verdict: Verdict
    reason: str
    cells: np.ndarray | None = None

    def __bool__(self) -> bool:
        return self.verdict == "solved"


def check_answer(puzzle: Puzzle, answer: Any, *, cpu_limit: float = 60.0) -> Checked:
    """Check an answer of any notation (scrapers.formats.answer_text); `cpu_limit` is for completing a partial one.

    Raises InvalidPuzzle for a partial answer to a puzzle with impossible clues.
    """
    try:
        cells = read_answer(answer, puzzle)
    except FormatError as error:
        return Checked("unreadable", str(error))
    wrong = first_wrong_line(puzzle, cells)
    if wrong is not None:
        return Checked("wrong", wrong, cells)
    open_cells = int((cells == UNKNOWN).sum())
    if not open_cells:
        return Checked("solved", "it fits all clues", cells)
    row = solve(puzzle, start=start_of(puzzle, cells), cpu_limit=cpu_limit)
    if row["status"] == "invalid":
        raise InvalidPuzzle(row["error"])
    if row["solutions"] == "none":
        return Checked("wrong", "no solution agrees with its known cells", cells)
    left = "1 cell is open" if open_cells == 1 else f"{open_cells:,} cells are open"
    if row["solution"] is None:
        return Checked("timeout", f"{left}; no solution was found within the CPU limit", cells)
    return Checked("partial", f"{left}; it can be completed", cells)


def check_grids(
    puzzles: Puzzle | Sequence[Puzzle] | pa.RecordBatch, grids: Sequence[ArrayLike] | np.ndarray
) -> np.ndarray:
    """Return which complete grids fit their clues, bool[grids]: compiled, for many at a time.

    puzzles   one puzzle for all grids, or a puzzle (a row of the puzzles table) for each
    grids     uint8[grids, height, width] of palette entries, or an array for each; a grid of another size fits nothing

    Raises ValueError if the numbers of puzzles and grids differ.
    """
    single = isinstance(puzzles, Puzzle)
    if isinstance(puzzles, Puzzle):
        copies = pa.array(np.zeros(min(CHUNK, len(grids)), np.int32))
        batch = puzzle_batch([puzzles]).select(CLUES).take(copies)
    else:
        batch = puzzles if isinstance(puzzles, pa.RecordBatch) else puzzle_batch(puzzles)
        if len(batch) != len(grids):
            raise ValueError(f"there are {len(grids):,} grids for {len(batch):,} puzzles")
    good = np.zeros(len(grids), np.bool_)
    for first in range(0, len(grids), CHUNK):
        cells, offsets = _flat(grids[first : first + CHUNK])
        count = len(offsets) - 1
        chosen = views(batch.slice(0 if single else first, count))
        good[first : first + count] = fits(chosen, np.arange(count), cells, offsets)
    return good


def _flat(grids: Sequence[ArrayLike] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of all grids, uint8, and the offsets of each."""
    if isinstance(grids, np.ndarray):
        size = grids[0].size if len(grids) else 0
        return _entries(grids), np.arange(len(grids) + 1) * size
    flat = list(map(_entries, grids))
    return np.concatenate(flat), np.cumsum([0, *map(len, flat)])


def _entries(grid: ArrayLike) -> np.ndarray:
    """Return the cells as uint8; UNKNOWN, which fits nothing, for what is no palette entry (257, -1, 0.5)."""
    cells = np.asarray(grid).ravel()
    if cells.dtype in (np.uint8, np.bool_):
        return cells.astype(np.uint8, copy=False)
    with np.errstate(invalid="ignore"):
        entries = cells.astype(np.uint8)
    return np.where(entries == cells, entries, np.uint8(UNKNOWN))


def first_wrong_line(puzzle: Puzzle, cells: np.ndarray) -> str | None:
    """Return how the first line without open cells that does not fit its clue differs, rows first; else None."""
    for side, clues, lines in (("row", puzzle.rows, cells), ("column", puzzle.columns, cells.T)):
        for number, (clue, line) in enumerate(zip(clues, lines, strict=True), 1):
            if UNKNOWN not in line and not fits_clue(clue, found := clue_of(line)):
                read, wanted = clue_words(puzzle, found), clue_words(puzzle, clue)
                return f"{side} {number} is {read}, its clue is {wanted}"
    return None
