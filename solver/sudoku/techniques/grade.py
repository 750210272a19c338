"""Grades of Sudokus: how hard one is for a person, by the techniques that it needs."""

import time
from typing import Any

import numpy as np
import pyarrow as pa

from solver import __version__
from solver.ladder.question import seconds_of
from solver.propagate import CONTRADICTION, OUT_OF_TIME
from solver.sudoku.check import faults_of
from solver.sudoku.grids import grids
from solver.sudoku.techniques.desk import Desk, desk_for
from solver.sudoku.techniques.ladder import SEARCH, TECHNIQUES
from solver.sudoku.techniques.person import work_through
from solver.tables import SUDOKU_GRADES, check_readable_sudokus


def grades(puzzles: pa.RecordBatch, unique: np.ndarray, cpu_limit: float = 60.0) -> pa.RecordBatch:
    """The grades of a batch of the table SUDOKUS: a batch of the schema SUDOKU_GRADES, row for row.

    unique      bool[puzzles]: which are known to have exactly one solution; the others have work, but no grade
    cpu_limit   CPU seconds for each puzzle

    Raises ValueError for a batch that is not of the table, or damaged, and for a limit that is none. A puzzle that
    can't be has the status `invalid`.
    """
    seconds = seconds_of(cpu_limit)
    check_readable_sudokus(puzzles)
    wrong, seen = faults_of(puzzles), grids(puzzles)
    desks: dict[tuple[int, int], Desk] = {}
    rows = []
    for p, (puzzle_id, clue_hash) in enumerate(zip(puzzles["puzzle_id"], puzzles["clue_hash"], strict=True)):
        row: dict[str, Any] = {"puzzle_id": puzzle_id.as_py(), "clue_hash": clue_hash.as_py()}
        if p in wrong:
            rows.append(row | {"status": "invalid", "solver_version": __version__})
            continue
        kind = int(seen.box_width[p]), int(seen.box_height[p])
        if kind not in desks:
            desks[kind] = desk_for(*kind)
            work_through(desks[kind], seen.givens[seen.ends[p] : seen.ends[p + 1]], np.zeros(SEARCH, np.int64), 0.0)
        begun = time.thread_time()
        row |= _work(desks[kind], seen.givens[seen.ends[p] : seen.ends[p + 1]], bool(unique[p]), begun + seconds)
        rows.append(row | {"cpu_seconds": time.thread_time() - begun, "solver_version": __version__})
    return pa.RecordBatch.from_pylist(rows, SUDOKU_GRADES)


def _work(desk: Desk, givens: np.ndarray, unique: bool, deadline: float) -> dict[str, Any]:
    """What the table says of a person's work on one puzzle."""
    steps = np.zeros(SEARCH, np.int64)
    ended = work_through(desk, givens, steps, deadline)
    status = {OUT_OF_TIME: "timeout", CONTRADICTION: "none"}.get(ended, "ok")
    left = int(np.count_nonzero(~desk.placed))
    hardest = None
    if unique and status == "ok":
        hardest = TECHNIQUES[SEARCH if left else int(np.flatnonzero(steps).max(initial=0))]
    counted = zip(TECHNIQUES[:SEARCH], steps.tolist(), strict=True)
    return {
        "status": status,
        "grade": hardest and hardest.grade,
        "hardest": hardest and hardest.name,
        "steps": int(steps.sum()),
        "open": left,
        **{f"steps_{technique.name.replace('-', '_')}": count for technique, count in counted},
    }
