"""The solver's public face: `classify` a record batch of puzzles, `solve` one, `iter_solutions` of one."""

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from solver.check import faults, validate
from solver.ladder import RUNGS, climb, line_fixpoint
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch
from solver.tail import Learner
from solver.verdict import results
from solver.views import views


def classify(batch: pa.RecordBatch, *, cpu_limit: float = 60.0, rung: str = "search", depth: int = 2) -> pa.RecordBatch:
    """Classify every puzzle of a batch of the puzzles table; returns a batch of the results table, row for row.

    cpu_limit   CPU seconds for each puzzle; one that needs more has the status `timeout` and keeps what was found
    rung        the last rung to try: line, depth-2, probe or search; what it leaves open is `stalled`
    depth       levels that the rung depth-2 looks ahead, at least 1 (solver.lookahead)

    Nothing is raised for a puzzle: one whose clues can't be has the status `invalid` and says why in `error`. Raises
    ValueError for a rung or depth that is none.
    """
    if rung not in RUNGS or depth < 1:
        raise ValueError(f"rung is one of {', '.join(RUNGS)}, depth at least 1; not {rung!r} and {depth}")
    seen = views(batch)
    wrong = faults(seen)
    sound = np.ones(len(batch), bool)
    sound[list(wrong)] = False
    outcome = climb(seen, np.flatnonzero(sound), cpu_limit, depth, RUNGS.index(rung))
    return results(batch, seen, wrong, outcome, depth)


def solve(puzzle: Puzzle, *, cpu_limit: float = 60.0, rung: str = "search", depth: int = 2) -> dict[str, object]:
    """Classify one puzzle; returns its row of the results table as a dictionary. Arguments as for `classify`."""
    results = classify(puzzle_batch([puzzle]), cpu_limit=cpu_limit, rung=rung, depth=depth)
    row: dict[str, object] = results.to_pylist()[0]
    return row


def iter_solutions(puzzle: Puzzle, *, cpu_limit: float = 60.0) -> Iterator[np.ndarray]:
    """All solutions of a puzzle, each a uint8[height, width] of palette entries, in no particular order.

    Take as many as are wanted (itertools.islice). After line logic, a clause learner finds one after the other
    (solver.tail). Raises InvalidPuzzle for clues that no picture can have, TimeoutError when the next solution, or the
    proof that there is none, has not come in `cpu_limit` CPU seconds.
    """
    validate(puzzle)
    prepared = line_fixpoint(views(puzzle_batch([puzzle])), cpu_limit)
    if prepared is None:
        return
    memory, like = prepared
    with Learner(memory.board, memory.color, memory.scratch, like) as learner:
        while True:
            found = learner.next_solution(time.thread_time() + cpu_limit)
            if found is None:
                raise TimeoutError(f"no further solution and no proof that there is none in {cpu_limit} CPU seconds")
            if not found:
                return
            picture = learner.picture()
            yield picture.reshape(puzzle.height, puzzle.width)
            learner.exclude(picture)
