"""The solver's public face: `classify` a record batch of puzzles, `solve` one, `iter_solutions` of one."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from solver.jit.kernel_cache import CHECKED
from solver.ladder.climb import climb
from solver.ladder.fixpoint import line_fixpoint
from solver.ladder.ladder_kernels import compile_tail
from solver.ladder.ladder_options import (
    FROM_NOTHING,
    NO_SOLUTIONS,
    LadderOptions,
    PriorKnowledge,
    rung_number,
    seconds_of,
)
from solver.ladder.memory import kernel_kinds
from solver.ladder.outcome import copy_outcomes
from solver.ladder.verdict import classify_valid, known_goals, results
from solver.learning.cubes import Conqueror
from solver.learning.tail import make_learner
from solver.model.check import faults_of, validate
from solver.model.identity import first_occurrences
from solver.model.puzzle import MAX_CELLS, MAX_DEPTH, Puzzle, from_picture
from solver.model.tables import RESULTS, check_readable, puzzle_batch
from solver.model.views import views
from solver.proofs.answer_check import agrees

MOST_CELLS = (1 << 31) - 1
"""Cells of all puzzles of a batch: Arrow's columns of bytes hold no more."""

PORTION = MOST_CELLS // MAX_CELLS**2
"""Puzzles of a table that are classified in one call: as many as may be, were they all of the largest size."""


def classify(
    batch: pa.RecordBatch | pa.Table,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
    wait: bool = True,
    conquer: Conqueror | None = None,
) -> pa.RecordBatch | pa.Table:
    """Classify every puzzle of a batch of the puzzles table; returns a batch of the results table, row for row.

    batch        or a table, which gives a table; it is classified some thousand puzzles at a time
    cpu_limit    CPU seconds for each puzzle; one that needs more has the status `timeout` and keeps what was found
    rung         the last rung to try: line, depth-2, probe or search; what it leaves open is `stalled`
    depth        levels that the rung depth-2 looks ahead, 1 to MAX_DEPTH (solver.ladder.lookahead)
    check_goal   take a goal that fits the clues for the first solution, and look only for another one (pbnsolve's -c)
    wait         for kernels that have not been compiled yet, which takes seconds; or else puzzles that need them are
                 left with the status `timeout`, as if the limit had come. Line logic is always waited for
    conquer      for a batch of one puzzle: what decides by cubes what one clause learner would take long over, as
                 `solver.learning.cubes.conquer_serially`, or one over several processes (pipeline.executors.conquer).
                 The CPU time of all of them is the row's

    Puzzles of a batch with equal clues and clue hashes are solved once, and each has its row, except with `check_goal`.

    Nothing is raised for a puzzle: one whose clues can't be has the status `invalid` and says why in `error`. Raises
    ValueError for a limit, rung or depth that is none, and for a batch that is not of the puzzles table, or damaged, or
    so large that its solutions don't fit into one (2 GiB); TypeError for anything else than a batch or table.
    """
    settings = _settings(cpu_limit, rung, depth, check_goal, wait)
    if conquer is not None and len(batch) != 1:
        raise ValueError(f"conquer is for a batch of one puzzle, not of {len(batch):,}")
    if isinstance(batch, pa.Table):
        parts = batch.to_batches()
        for part in parts:
            check_readable(part)
        portions = (part.slice(first, PORTION) for part in parts for first in range(0, len(part), PORTION))
        return pa.Table.from_batches([_classified(portion, settings, conquer=conquer) for portion in portions], RESULTS)
    if not isinstance(batch, pa.RecordBatch):
        raise TypeError(
            f"classify takes a pyarrow RecordBatch or Table of puzzles, not {type(batch).__name__}; "
            "solver.model.tables.puzzle_batch makes one of Puzzles"
        )
    check_readable(batch)
    return _classified(batch, settings, conquer=conquer)


def solve(
    puzzle: Puzzle | ArrayLike,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
    start: np.ndarray | None = None,
    conquer: Conqueror | None = None,
) -> dict[str, object]:
    """Classify one puzzle; returns its row of the results table as a dictionary. Other arguments as for `classify`.

    puzzle  or a black and white picture whose puzzle is meant, an array or a list of rows; one in colours needs a
            palette (solver.model.puzzle.from_picture)
    start   bool[height, width, colours + 1]: the colours that each cell may have, where the grid is partly solved
            (`Puzzle.saved`). The answer is about solutions that agree with it: `none` if there are none

    Raises as `classify`, and ValueError for a start of another shape; InvalidPuzzle for a picture that has no puzzle,
    TypeError for what is neither.
    """
    puzzle = _puzzle_of(puzzle)
    settings = _settings(cpu_limit, rung, depth, check_goal)
    row: dict[str, object] = _classified(puzzle_batch([puzzle]), settings, _begun(puzzle, start), conquer).to_pylist()[
        0
    ]
    return row


def iter_solutions(
    puzzle: Puzzle | ArrayLike, *, cpu_limit: float = 60.0, start: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """All solutions of a puzzle, each a uint8[height, width] of palette entries, in no particular order.

    Take as many as are wanted (itertools.islice). After line logic, clause learners (solver.learning.tail) find one
    after the other. `puzzle` and `start` as for `solve`. Raises at once as `solve`, and InvalidPuzzle for clues that no
    picture can have; later TimeoutError when the next solution, or the proof that there is none, has not come in
    `cpu_limit` CPU seconds.
    """
    puzzle = _puzzle_of(puzzle)
    settings = _settings(cpu_limit)
    begun = _begun(puzzle, start)
    validate(puzzle)
    return _solutions(puzzle, settings.cpu_limit, begun)


def _solutions(puzzle: Puzzle, cpu_limit: float, start: np.ndarray) -> Iterator[np.ndarray]:
    batch = views(puzzle_batch([puzzle]))
    for kind in kernel_kinds(batch):
        compile_tail(*kind)
    memory = line_fixpoint(batch, cpu_limit, start)
    if memory is None:
        return
    with make_learner(memory, time.thread_time() + cpu_limit) as learner:
        while True:
            found = learner.next_solution(learner.now() + cpu_limit)
            if found is None:
                raise TimeoutError(f"no further solution and no proof that there is none in {cpu_limit} CPU seconds")
            if not found:
                return
            picture = learner.picture()
            yield picture.reshape(puzzle.height, puzzle.width)
            learner.exclude(picture)


class _Settings(NamedTuple):
    """How to classify: the arguments of `classify`, checked."""

    cpu_limit: float
    rung: str
    depth: int
    check_goal: bool
    wait: bool


def _settings(
    cpu_limit: float, rung: str = "search", depth: int = 2, check_goal: bool = False, wait: bool = True
) -> _Settings:
    """The arguments as the kernels want them: they are compiled for a float, and would be anew for an integer."""
    seconds = seconds_of(cpu_limit)
    rung_number(rung)
    if not isinstance(depth, int | np.integer) or not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth is a whole number from 1 to {MAX_DEPTH}, not {depth!r}")
    return _Settings(seconds, rung, int(depth), bool(check_goal), bool(wait))


def _puzzle_of(puzzle: Puzzle | ArrayLike) -> Puzzle:
    """The puzzle that is meant: itself, or that of a picture."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    if not isinstance(puzzle, np.ndarray | Sequence) or isinstance(puzzle, str | bytes):
        raise TypeError(f"a Puzzle or a picture is wanted, an array or a list of rows, not {type(puzzle).__name__}")
    return from_picture(puzzle)


def _classified(
    batch: pa.RecordBatch, settings: _Settings, start: np.ndarray = FROM_NOTHING, conquer: Conqueror | None = None
) -> pa.RecordBatch:
    """The rows of a readable batch: those with faults are kept from the kernels."""
    return classify_valid(batch, faults_of(batch), lambda sound: _solved(sound, settings, start, conquer))


def _solved(batch: pa.RecordBatch, settings: _Settings, start: np.ndarray, conquer: Conqueror | None) -> pa.RecordBatch:
    """The rows of a batch without faults."""
    cpu_limit, rung, depth, check_goal, wait = settings
    seen = views(batch)
    cells = int((seen.width.astype(np.int64) * seen.height).sum())
    if cells > MOST_CELLS:
        raise ValueError(f"the batch's puzzles have {cells:,} cells, more than {MOST_CELLS:,}: split it (batch.slice)")
    everything = np.ones(len(batch), np.bool_)
    goals = known_goals(batch, seen, everything) if check_goal or CHECKED else NO_SOLUTIONS
    if len(goals.known) and len(start):
        goals = goals._replace(known=goals.known & agrees(goals.pictures, start))
    places = np.arange(len(batch))
    first = places if check_goal else first_occurrences(batch["clue_hash"], seen, everything)
    which = np.flatnonzero(first == places)
    known = goals if check_goal else NO_SOLUTIONS
    allowance = LadderOptions(cpu_limit, depth, rung_number(rung), wait=wait)
    split = None if conquer is None else partial(conquer, batch)
    outcome = climb(seen, which, allowance, PriorKnowledge(known, start, planted=goals), split)
    copy_outcomes(outcome, first)
    return results(batch, seen, outcome, depth, start)


def _begun(puzzle: Puzzle, start: np.ndarray | None) -> np.ndarray:
    """A start as the ladder wants it."""
    if start is None:
        return FROM_NOTHING
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    if np.shape(start) != shape:
        raise ValueError(f"start is bool{list(shape)} for this puzzle, not {list(np.shape(start))}")
    return np.ascontiguousarray(start, np.bool_).reshape(-1, shape[2])
