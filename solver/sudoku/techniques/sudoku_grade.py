"""Grades of Sudokus: difficulty for people, by the techniques that they need."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver import __version__
from nonocensus.solver.ladder.ladder_options import seconds_of
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.sudoku_techniques import SEARCH, TECHNIQUES
from nonocensus.solver.model.tables import SUDOKU_GRADES, check_readable_sudokus
from nonocensus.solver.sudoku.grids import Grids, grids
from nonocensus.solver.sudoku.sudoku_check import faults_of
from nonocensus.solver.sudoku.techniques.sudoku_desk import desk_for
from nonocensus.solver.sudoku.techniques.sudoku_minutes import BOX, ESTIMATES, estimate, features, sudoku_minutes
from nonocensus.solver.sudoku.techniques.sudoku_person import work_through_all

GRADES = np.array([technique.grade for technique in TECHNIQUES], np.uint8)
NAMES = np.array([technique.name for technique in TECHNIQUES], object)

CELLS = 1 << 13
"""Puzzles per kernel call; the program can be interrupted between calls."""

INVALID = -1
STATUSES = {FIXPOINT: "ok", CONTRADICTION: "none", OUT_OF_TIME: "timeout", INVALID: "invalid"}


class SudokuWork(NamedTuple):
    """The work of solving a batch by human techniques; none for invalid puzzles.

    ended     int64[puzzles]: a key of STATUSES
    steps     int64[puzzles, SEARCH]: finds by technique
    open      int64[puzzles]: open cells at the end
    to_fill   int64[puzzles]: open cells at the start
    seconds   float64[puzzles]: CPU time
    """

    ended: np.ndarray
    steps: np.ndarray
    open: np.ndarray
    to_fill: np.ndarray
    seconds: np.ndarray


def grades(puzzles: pa.RecordBatch, unique: np.ndarray, cpu_limit: float = 60.0) -> pa.RecordBatch:
    """Return the grades of a batch of the table SUDOKUS: a batch of the schema SUDOKU_GRADES, row for row.

    unique      bool[puzzles]: known to have exactly one solution; others have work but no grade
    cpu_limit   CPU seconds for each puzzle

    Only graded Sudokus of 9x9 that need no search have minutes.

    Raises ValueError for a batch that is damaged or not of the table, and for an invalid limit. Contradictory givens
    have the status `invalid`.
    """
    seconds = seconds_of(cpu_limit)
    check_readable_sudokus(puzzles)
    sound = np.ones(len(puzzles), np.bool_)
    sound[list(faults_of(puzzles))] = False
    seen = grids(puzzles)
    work = work_on(seen, np.flatnonzero(sound), seconds)
    hardest = np.where(work.open > 0, SEARCH, last_needed(work.steps))
    ungraded = ~(np.asarray(unique, np.bool_) & (work.ended == FIXPOINT))
    finds = work.steps.sum(axis=1)
    timed = ~ungraded & (hardest < SEARCH) & (seen.box_width == BOX) & (seen.box_height == BOX)
    columns = {
        "puzzle_id": puzzles["puzzle_id"],
        "clue_hash": puzzles["clue_hash"],
        "status": pa.array([STATUSES[ended] for ended in work.ended.tolist()]),
        "grade": pa.array(GRADES[hardest], mask=ungraded),
        "hardest": pa.array(NAMES[hardest], mask=ungraded),
        **minutes(seen, timed, work),
        "steps": pa.array(finds, mask=~sound),
        "work": pa.array(finds / np.maximum(work.to_fill, 1), mask=~sound),
        "open": pa.array(work.open, mask=~sound),
        **{
            technique.column: pa.array(work.steps[:, k], mask=~sound) for k, technique in enumerate(TECHNIQUES[:SEARCH])
        },
        "cpu_seconds": pa.array(work.seconds, mask=~sound),
        "solver_version": pa.repeat(__version__, len(puzzles)),
    }
    arrays = [columns[field.name].cast(field.type) for field in SUDOKU_GRADES]
    return pa.RecordBatch.from_arrays(arrays, schema=SUDOKU_GRADES)


def work_on(puzzles: Grids, which: np.ndarray, seconds: float) -> SudokuWork:
    """Solve the puzzles `which` (int64) of a batch by human techniques, within `cpu_limit` CPU seconds each."""
    count = len(puzzles.size)
    steps = np.zeros((count, SEARCH), np.int64)
    still_open, to_fill = (np.zeros(count, np.int64) for _ in range(2))
    work = SudokuWork(np.full(count, INVALID), steps, still_open, to_fill, np.zeros(count))
    boxes = np.stack([puzzles.box_width[which], puzzles.box_height[which]], axis=1)
    for wide, high in np.unique(boxes, axis=0).tolist():
        these = which[(boxes == (wide, high)).all(axis=1)]
        desk, many = desk_for(wide, high), max(1, CELLS // (wide * high) ** 2)
        for first in range(0, len(these), many):
            given = puzzles.givens, puzzles.ends, these[first : first + many], seconds
            work_through_all(desk, *given, work.steps, work.ended, work.open, work.seconds)
    for p in which.tolist():
        work.to_fill[p] = np.count_nonzero(puzzles.givens[puzzles.ends[p] : puzzles.ends[p + 1]] == 0)
    return work


def minutes(puzzles: Grids, timed: np.ndarray, work: SudokuWork) -> dict[str, pa.Array]:
    """Return the columns ESTIMATES, null except for these puzzles (bool[puzzles]); adds to the seconds of `work`."""
    which = np.flatnonzero(timed)
    counted = features(puzzles, which, work.seconds)
    values = np.zeros((len(ESTIMATES), len(timed)))
    values[:, which] = estimate(counted, work.to_fill[which], sudoku_minutes())
    return {name: pa.array(column, mask=~timed) for name, column in zip(ESTIMATES, values, strict=True)}


def last_needed(steps: np.ndarray) -> np.ndarray:
    """Return the hardest technique with a find, int64[puzzles]; the first technique without any."""
    needed = steps > 0
    last: np.ndarray = np.where(needed.any(axis=1), SEARCH - 1 - np.argmax(needed[:, ::-1], axis=1), 0)
    return last
