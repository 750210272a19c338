"""From what the ladder found to the rows of the results table: statuses, verdicts, labels, checked solutions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from solver import __version__, ladder
from solver.ladder import Outcome
from solver.proof import fits
from solver.propagate import LINE_SOLVES, SWEEPS
from solver.tables import RESULTS, TEXT
from solver.views import Views

STATUSES = ("ok", "timeout", "invalid", "error")
OK, TIMEOUT, INVALID, ERROR = range(len(STATUSES))

SOLUTIONS = ("unknown", "unique", "none")
UNKNOWN, UNIQUE, NONE = range(len(SOLUTIONS))

LABELS = ("stalled", "unique line", "trivial unique line", "contradiction", "timeout")
STALLED, UNIQUE_LINE, TRIVIAL, CONTRADICTION, TIMED_OUT = range(len(LABELS))

WRONG_SOLUTION = "the solver's picture does not fit the clues: a bug in nonocensus, please report it"


def results(batch: pa.RecordBatch, seen: Views, faults: Mapping[int, str], outcome: Outcome) -> pa.RecordBatch:
    """The results table's rows for a batch of puzzles: `faults` of those not solved, `outcome` of the others.

    Columns that a run adds (config_hash, run_id, part, host) are null.
    """
    errors = dict(faults)
    solved = _checked(seen, outcome, errors)
    status = np.full(len(batch), OK, np.int8)
    status[outcome.verdict == ladder.TIMED_OUT] = TIMEOUT
    status[list(errors)] = ERROR
    status[list(faults)] = INVALID
    refuted = (outcome.verdict == ladder.REFUTED) & (status == OK)
    solutions = np.where(solved, UNIQUE, np.where(refuted, NONE, UNKNOWN))
    lines = seen.width.astype(np.int64) + seen.height
    solves = outcome.counters[:, LINE_SOLVES]
    decided = solved | refuted
    trivial = decided & (solves <= lines)
    ran = status <= TIMEOUT

    columns: dict[str, Any] = {
        "puzzle_id": batch["puzzle_id"],
        "clue_hash": batch["clue_hash"],
        "status": _words(status, STATUSES),
        "solutions": _words(solutions, SOLUTIONS),
        "technique": _words(np.where(decided, 0, -1), ("line",)),
        "trivial": pa.array(trivial, mask=~ran),
        "label": _words(_labels(status, solutions, trivial), LABELS),
        "solution": _pictures(outcome, solved),
        "goal_matches": _goal_matches(batch, seen, ran),
        "cpu_seconds": pa.array(outcome.seconds[:, ladder.CPU], mask=~ran),
        "wall_seconds": pa.array(outcome.seconds[:, ladder.WALL], mask=~ran),
        "cpu_line": pa.array(outcome.seconds[:, ladder.CPU], mask=~ran),
        "line_solves": pa.array(solves, mask=~ran),
        "sweeps": pa.array(outcome.counters[:, SWEEPS].astype(np.int32), mask=~ran),
        "cells": seen.width.astype(np.int32) * seen.height,
        "cells_after_line": pa.array(outcome.decided, mask=~ran),
        "score": pa.array(100 * solves / np.maximum(lines, 1), mask=~ran),
        "engine": _words(np.where(decided, 0, -1), ("line",)),
        "error": pa.array([errors.get(p) for p in range(len(batch))] if errors else [None] * len(batch), TEXT),
        "solver_version": pa.array([__version__] * len(batch), TEXT),
    }
    return pa.RecordBatch.from_arrays(
        [_column(columns.get(field.name), field, len(batch)) for field in RESULTS], schema=RESULTS
    )


def _checked(seen: Views, outcome: Outcome, errors: dict[int, str]) -> np.ndarray:
    """Which puzzles have a solution that fits its clues; one that does not is noted in `errors`."""
    solved = np.flatnonzero(outcome.verdict == ladder.SOLVED)
    good = fits(seen, solved, outcome.picture, outcome.offsets)
    errors.update(dict.fromkeys(solved[~good].tolist(), WRONG_SOLUTION))
    proven = np.zeros(len(seen.width), bool)
    proven[solved[good]] = True
    return proven


def _labels(status: np.ndarray, solutions: np.ndarray, trivial: np.ndarray) -> np.ndarray:
    """Codes of LABELS; -1 (null) for what was not solved at all."""
    label = np.full(len(status), STALLED)
    label[solutions == UNIQUE] = UNIQUE_LINE
    label[(solutions == UNIQUE) & trivial] = TRIVIAL
    label[solutions == NONE] = CONTRADICTION
    label[status == TIMEOUT] = TIMED_OUT
    label[status > TIMEOUT] = -1
    return label


def _goal_matches(batch: pa.RecordBatch, seen: Views, ran: np.ndarray) -> pa.Array:
    """Whether the author's picture fits the clues: then it is a solution. Null without one."""
    goals = batch["goal"]
    has_goal = np.flatnonzero(ran & goals.is_valid().to_numpy(zero_copy_only=False))
    if not len(has_goal):
        return pa.nulls(len(batch), pa.bool_())
    offsets = np.frombuffer(goals.buffers()[1], np.int32)[goals.offset : goals.offset + len(batch) + 1]
    good = fits(seen, has_goal, np.frombuffer(goals.buffers()[2], np.uint8), offsets)
    matches = np.zeros(len(batch), bool)
    matches[has_goal] = good
    mask = np.ones(len(batch), bool)
    mask[has_goal] = False
    return pa.array(matches, mask=mask)


def _pictures(outcome: Outcome, present: np.ndarray) -> pa.Array:
    """The pictures of the puzzles in the mask `present` as a binary column, null elsewhere."""
    sizes = np.where(present, np.diff(outcome.offsets), 0)
    offsets = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    kept = outcome.picture[np.repeat(present, np.diff(outcome.offsets))]
    valid = pa.array(present).buffers()[1]
    return pa.Array.from_buffers(pa.binary(), len(sizes), [valid, pa.py_buffer(offsets), pa.py_buffer(kept)])


def _words(codes: np.ndarray, words: Sequence[str]) -> pa.Array:
    """A text column from indices into `words`; -1 is null."""
    indices = pa.array(codes.astype(np.int8), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words)).cast(TEXT)


def _column(values: Any, field: pa.Field, rows: int) -> pa.Array:
    """The values as an array of the field's type; null throughout if there are none."""
    if values is None:
        return pa.nulls(rows, field.type)
    return values if isinstance(values, pa.Array) else pa.array(values, field.type)
