"""The solver's public functions: `classify` a record batch of puzzles, `solve` one, `iter_solutions` of one."""

import time
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from nonocensus.solver.jit.kernel_cache import CHECKED
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import (
    FROM_NOTHING,
    NO_SOLUTIONS,
    LadderOptions,
    PriorKnowledge,
    rung_number,
    seconds_of,
    start_rows,
)
from nonocensus.solver.ladder.memory import kernel_kinds
from nonocensus.solver.ladder.outcome import copy_outcomes
from nonocensus.solver.ladder.tail import compile_tail, make_learner
from nonocensus.solver.ladder.verdict import known_goals, results, unclassified
from nonocensus.solver.model.answer_check import agrees
from nonocensus.solver.model.check import faults_of, validate
from nonocensus.solver.model.identity import first_occurrences
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_DEPTH, Puzzle, from_picture
from nonocensus.solver.model.tables import RESULTS, check_readable, puzzle_batch
from nonocensus.solver.model.views import views

MAX_BATCH_CELLS = (1 << 31) - 1
"""Cells of all puzzles of a batch: the limit of Arrow's binary columns."""

SLICE_ROWS = MAX_BATCH_CELLS // MAX_CELLS**2
"""Rows of a table that are classified at a time, so that puzzles of any size fit into a batch."""


def classify(
    batch: pa.RecordBatch | pa.Table,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
) -> pa.RecordBatch | pa.Table:
    """Classify a batch of the puzzles table; returns a batch of the results table with corresponding rows.

    batch        a batch, or a table, for which a table is returned
    cpu_limit    CPU seconds per puzzle; a puzzle that exceeds it has the status `timeout` and keeps partial results
    rung         the last rung to try: line, depth-2, probe or search; a puzzle that it leaves open is `stalled`
    depth        levels that the rung depth-2 looks ahead, 1 to MAX_DEPTH (solver.ladder.lookahead)
    check_goal   use a goal that fits the clues as the first solution, and search only for another (pbnsolve's -c)

    Puzzles with equal clues and clue hashes are solved once, except with `check_goal`. Puzzles with impossible clues
    raise nothing: they have the status `invalid` and the reason in `error`.

    Raises ValueError for an invalid limit, rung or depth, and for a batch that is not of the puzzles table, is damaged,
    or has solutions that exceed 2 GiB; TypeError for anything but a batch or table.
    """
    options = _checked_options(cpu_limit, rung, depth)
    if isinstance(batch, pa.Table):
        parts = batch.to_batches()
        for part in parts:
            check_readable(part)
        slices = (part.slice(first, SLICE_ROWS) for part in parts for first in range(0, len(part), SLICE_ROWS))
        return pa.Table.from_batches([_classify_readable(each, options, check_goal) for each in slices], RESULTS)
    if not isinstance(batch, pa.RecordBatch):
        raise TypeError(
            f"classify takes a pyarrow RecordBatch or Table of puzzles, not {type(batch).__name__}; "
            "nonocensus.solver.model.tables.puzzle_batch makes one of Puzzles"
        )
    check_readable(batch)
    return _classify_readable(batch, options, check_goal)


def solve(
    puzzle: Puzzle | ArrayLike,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
    start: np.ndarray | None = None,
) -> dict[str, object]:
    """Classify one puzzle; returns its row of the results table as a dictionary. Other arguments as for `classify`.

    puzzle  a Puzzle, or the black and white picture to make one of, an array or a list of rows; for a picture in
            colours use solver.model.puzzle.from_picture
    start   bool[height, width, colours + 1]: the colours that each cell of a partly solved grid may have
            (`Puzzle.saved`). Only solutions that agree with it count

    Raises as `classify`, and ValueError for a start of another shape, InvalidPuzzle for an invalid picture, TypeError
    for anything else.
    """
    puzzle = _puzzle_of(puzzle)
    options = _checked_options(cpu_limit, rung, depth)
    classified = _classify_readable(puzzle_batch([puzzle]), options, check_goal, start_rows(puzzle, start))
    row: dict[str, object] = classified.to_pylist()[0]
    return row


def iter_solutions(
    puzzle: Puzzle | ArrayLike, *, cpu_limit: float = 60.0, start: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """Iterate over all solutions of a puzzle, uint8[height, width] of palette entries, in no particular order.

    A clause learner (solver.learning.learner) finds them one by one after line logic; itertools.islice limits them.
    `puzzle` and `start` are as for `solve`. The call raises as `solve`, and InvalidPuzzle for impossible clues;
    iterating raises TimeoutError if the next solution, or the proof that there is none, takes more than `cpu_limit` CPU
    seconds.
    """
    puzzle = _puzzle_of(puzzle)
    cpu_limit = seconds_of(cpu_limit)
    start = start_rows(puzzle, start)
    validate(puzzle)
    return _solutions(puzzle, cpu_limit, start)


def _solutions(puzzle: Puzzle, cpu_limit: float, start: np.ndarray) -> Iterator[np.ndarray]:
    batch = views(puzzle_batch([puzzle]))
    for kind in kernel_kinds(batch):
        compile_tail(*kind)
    memory = line_fixpoint(batch, cpu_limit, start)
    if memory is None:
        return
    with make_learner(memory, time.thread_time() + cpu_limit) as learner:
        while True:
            found = learner.next_solution(time.thread_time() + cpu_limit)
            if found is None:
                raise TimeoutError(f"neither another solution nor a proof of none in {cpu_limit} CPU seconds")
            if not found:
                return
            picture = learner.picture()
            yield picture.reshape(puzzle.height, puzzle.width)
            learner.exclude(picture)


def _checked_options(cpu_limit: float, rung: str, depth: int) -> LadderOptions:
    """Check the arguments, and convert them to the types that the kernels are compiled for."""
    seconds, top = seconds_of(cpu_limit), rung_number(rung)
    if not isinstance(depth, int | np.integer) or not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be an integer from 1 to {MAX_DEPTH}, not {depth!r}")
    return LadderOptions(seconds, int(depth), top)


def _puzzle_of(puzzle: Puzzle | ArrayLike) -> Puzzle:
    """Return a puzzle, made of a picture if it is one."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    if not isinstance(puzzle, np.ndarray | Sequence) or isinstance(puzzle, str | bytes):
        raise TypeError(f"expected a Puzzle or a picture, an array or a list of rows, not {type(puzzle).__name__}")
    return from_picture(puzzle)


def _classify_readable(
    batch: pa.RecordBatch, options: LadderOptions, check_goal: bool, start: np.ndarray = FROM_NOTHING
) -> pa.RecordBatch:
    """Classify a readable batch; puzzles with faults are not passed to kernels, and have the status `invalid`."""
    faults = faults_of(batch)
    if not faults:
        return _classify_sound(batch, options, check_goal, start)
    is_sound = np.ones(len(batch), np.bool_)
    is_sound[list(faults)] = False
    parts = [unclassified(batch.filter(pa.array(~is_sound)), "invalid", [faults[p] for p in sorted(faults)])]
    if is_sound.any():
        parts.append(_classify_sound(batch.filter(pa.array(is_sound)), options, check_goal, start))
    order = np.argsort(np.argsort(is_sound, kind="stable"))
    return pa.concat_batches(parts).take(pa.array(order))


def _classify_sound(
    batch: pa.RecordBatch, options: LadderOptions, check_goal: bool, start: np.ndarray
) -> pa.RecordBatch:
    """Classify a batch without faults."""
    seen = views(batch)
    cells = int((seen.width.astype(np.int64) * seen.height).sum())
    if cells > MAX_BATCH_CELLS:
        raise ValueError(
            f"the batch's puzzles have {cells:,} cells, more than {MAX_BATCH_CELLS:,}: split it (batch.slice)"
        )
    goals = known_goals(batch, seen) if check_goal or CHECKED else NO_SOLUTIONS
    if len(goals.known) and len(start):
        goals = goals._replace(known=goals.known & agrees(goals.pictures, start))
    places = np.arange(len(batch))
    first = places if check_goal else first_occurrences(batch["clue_hash"], seen, np.ones(len(batch), np.bool_))
    known = goals if check_goal else NO_SOLUTIONS
    outcome = climb(seen, np.flatnonzero(first == places), options, PriorKnowledge(known, start, planted=goals))
    copy_outcomes(outcome, first)
    return results(batch, seen, outcome, options.depth, start)
