"""The solver's public face: `classify` a record batch of puzzles, `solve` one, `iter_solutions` of one."""

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from solver.check import faults, validate
from solver.identity import first_of_equals
from solver.jit import CHECKED
from solver.ladder import FROM_NOTHING, NO_GOALS, RUNGS, climb, copy_outcomes, line_fixpoint
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch
from solver.tail import Learner
from solver.verdict import known_goals, results
from solver.views import views


def classify(
    batch: pa.RecordBatch, *, cpu_limit: float = 60.0, rung: str = "search", depth: int = 2, check_goal: bool = False
) -> pa.RecordBatch:
    """Classify every puzzle of a batch of the puzzles table; returns a batch of the results table, row for row.

    cpu_limit    CPU seconds for each puzzle; one that needs more has the status `timeout` and keeps what was found
    rung         the last rung to try: line, depth-2, probe or search; what it leaves open is `stalled`
    depth        levels that the rung depth-2 looks ahead, at least 1 (solver.lookahead)
    check_goal   take a goal that fits the clues for the first solution, and look only for another one (pbnsolve's -c)

    Puzzles with equal clue hashes are solved once, and each has its row, except with `check_goal`.

    Nothing is raised for a puzzle: one whose clues can't be has the status `invalid` and says why in `error`. Raises
    ValueError for a rung or depth that is none.
    """
    return _classified(batch, cpu_limit, rung, depth, check_goal, FROM_NOTHING)


def solve(
    puzzle: Puzzle,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
    start: np.ndarray | None = None,
) -> dict[str, object]:
    """Classify one puzzle; returns its row of the results table as a dictionary. Arguments as for `classify`.

    start   bool[height, width, colours + 1]: the colours that each cell may have, where the grid is partly solved
            (`Puzzle.saved`). The answer is about solutions that agree with it: `none` if there are none

    Raises ValueError for a start of another shape.
    """
    batch = puzzle_batch([puzzle])
    row: dict[str, object] = _classified(batch, cpu_limit, rung, depth, check_goal, _begun(puzzle, start)).to_pylist()[
        0
    ]
    return row


def iter_solutions(puzzle: Puzzle, *, cpu_limit: float = 60.0, start: np.ndarray | None = None) -> Iterator[np.ndarray]:
    """All solutions of a puzzle, each a uint8[height, width] of palette entries, in no particular order.

    Take as many as are wanted (itertools.islice). After line logic, clause learners find one after the other
    (solver.tail). `start` as for `solve`. Raises InvalidPuzzle for clues that no picture can have, TimeoutError when
    the next solution, or the proof that there is none, has not come in `cpu_limit` CPU seconds.
    """
    validate(puzzle)
    prepared = line_fixpoint(views(puzzle_batch([puzzle])), cpu_limit, _begun(puzzle, start))
    if prepared is None:
        return
    memory, like = prepared
    with Learner(memory.board, memory.color, memory.scratch, time.thread_time() + cpu_limit, like) as learner:
        while True:
            found = learner.next_solution(time.thread_time() + cpu_limit)
            if found is None:
                raise TimeoutError(f"no further solution and no proof that there is none in {cpu_limit} CPU seconds")
            if not found:
                return
            picture = learner.picture()
            yield picture.reshape(puzzle.height, puzzle.width)
            learner.exclude(picture)


def _classified(
    batch: pa.RecordBatch, cpu_limit: float, rung: str, depth: int, check_goal: bool, start: np.ndarray
) -> pa.RecordBatch:
    if rung not in RUNGS or depth < 1:
        raise ValueError(f"rung is one of {', '.join(RUNGS)}, depth at least 1; not {rung!r} and {depth}")
    seen = views(batch)
    wrong = faults(seen)
    sound = np.ones(len(batch), bool)
    sound[list(wrong)] = False
    goals = known_goals(batch, seen, sound) if check_goal or CHECKED else NO_GOALS
    if len(goals.known) and len(start):
        agrees = start[np.arange(len(start)), np.minimum(goals.pictures, start.shape[1] - 1)].all()
        goals = goals._replace(known=goals.known & agrees)
    first = np.arange(len(batch)) if check_goal else first_of_equals(batch["clue_hash"])
    to_solve = sound & (first == np.arange(len(batch)))
    outcome = climb(
        seen,
        np.flatnonzero(to_solve),
        cpu_limit,
        depth,
        RUNGS.index(rung),
        goals=goals if check_goal else NO_GOALS,
        start=start,
        planted=goals,
    )
    copy_outcomes(outcome, first)
    return results(batch, seen, wrong, outcome, depth, whole=not len(start))


def _begun(puzzle: Puzzle, start: np.ndarray | None) -> np.ndarray:
    """A start as the ladder wants it."""
    if start is None:
        return FROM_NOTHING
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    if start.shape != shape:
        raise ValueError(f"start is bool{list(shape)} for this puzzle, not {list(start.shape)}")
    return np.ascontiguousarray(start, np.bool_).reshape(-1, shape[2])
