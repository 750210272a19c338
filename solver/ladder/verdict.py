"""Turn outcomes of the ladder into rows of the results table: statuses, verdicts, labels, checked solutions."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.solver import __version__
from nonocensus.solver.ladder.ladder_options import DEPTH, FROM_NOTHING, LINE, PROBE, SEARCH, KnownSolutions, rung_names
from nonocensus.solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, SOLUTIONS, UNIQUE, UNKNOWN, WALL, Outcome
from nonocensus.solver.learning.learner import ENGINE
from nonocensus.solver.lines.workspace import CONFLICTS, CONTRADICTIONS, LINE_SOLVES, MAX_DEPTH, NODES, PROBES, SWEEPS
from nonocensus.solver.model.answer_check import agrees, fits, same
from nonocensus.solver.model.tables import RESULTS, TEXT
from nonocensus.solver.model.views import Views

STATUSES = ("ok", "timeout", "error")  # of puzzles that the ladder ran on; `unclassified` has others
OK, TIMEOUT, ERROR = range(len(STATUSES))

WRONG_SOLUTION = "the solution does not fit the clues: a bug in nonocensus; please report it"
WRONG_VERDICT = "the verdict contradicts a known solution: a bug in nonocensus; please report it"
ERRORS = (WRONG_SOLUTION, WRONG_VERDICT)
SOLUTION, VERDICT = range(len(ERRORS))


def results(
    batch: pa.RecordBatch, seen: Views, outcome: Outcome, depth: int, start: np.ndarray = FROM_NOTHING
) -> pa.RecordBatch:
    """Return the results table's rows for a batch of puzzles without faults, with every solution checked.

    Columns that a run adds (config_hash, run_id, part, host) are null.

    depth   depth of the rung depth-2
    start   `PriorKnowledge.start` of a batch of one puzzle; solutions must agree with it, a goal need not
    """
    has_goal = batch["goal"].is_valid().to_numpy(zero_copy_only=False)
    given = np.flatnonzero(has_goal)
    fitting, goals, places = _check_goal_pictures(batch, seen, given)
    known = given[fitting]
    errors = _find_errors(seen, outcome, known, same(known, outcome.first, outcome.offsets, goals, places), start)
    status = np.select([errors >= 0, outcome.late], [ERROR, TIMEOUT], OK)
    ran = status <= TIMEOUT
    goal_matches = np.zeros(len(batch), np.bool_)
    goal_matches[known] = True
    lines = seen.width.astype(np.int64) + seen.height
    columns = {
        "puzzle_id": batch["puzzle_id"],
        "clue_hash": batch["clue_hash"],
        "goal_matches": pa.array(goal_matches, mask=~(ran & has_goal)),
        "cells": pa.array(seen.width.astype(np.int32) * seen.height),
        "error": _words(errors, ERRORS),
        "solver_version": pa.repeat(__version__, len(batch)),
    }
    columns |= _verdict_columns(status, outcome, depth, lines) | _effort_columns(ran, outcome, lines)
    return _result_batch(columns, len(batch))


def _verdict_columns(status: np.ndarray, outcome: Outcome, depth: int, lines: np.ndarray) -> dict[str, pa.Array]:
    """Return the columns of verdicts and solutions; a puzzle with an error has none."""
    ran = status <= TIMEOUT
    solutions = np.where(ran, outcome.solutions, UNKNOWN)
    technique = np.where((solutions == UNIQUE) | (solutions == NONE), outcome.rung, -1)
    trivial = (technique >= 0) & (outcome.counters[:, LINE_SOLVES] <= lines)
    rungs = rung_names(depth)
    return {
        "status": _words(status, STATUSES),
        "solutions": _words(solutions, SOLUTIONS),
        "technique": _words(technique, rungs),
        "trivial": pa.array(trivial, mask=~ran),
        "label": _labels(status, solutions, outcome.rung, trivial, depth),
        "solution": _pictures(outcome.offsets, outcome.first, ran & (outcome.found >= 1)),
        "second_solution": _pictures(outcome.offsets, outcome.second, ran & (outcome.found == 2)),
        "engine": _words(np.where(solutions == UNKNOWN, -1, outcome.engine), (*rungs, ENGINE)),
    }


def _effort_columns(ran: np.ndarray, outcome: Outcome, lines: np.ndarray) -> dict[str, pa.Array]:
    """Return the columns of times and counters, null for rungs that did not run."""
    counters, seconds = outcome.counters, outcome.seconds
    learned = ran & (seconds[:, CPU_SAT] > 0)
    begun = [ran & (outcome.rung >= rung) for rung in (LINE, DEPTH, PROBE, SEARCH)]
    begun[SEARCH] |= ran & (outcome.engine >= SEARCH)  # greedy descent skips the other rungs
    had_descent = ran & (seconds[:, SEARCH] > 0)
    probed = begun[DEPTH] | begun[SEARCH]

    def counted(counter: int, where: np.ndarray) -> pa.Array:
        return pa.array(counters[:, counter], mask=~where)

    def timed(column: int, where: np.ndarray) -> pa.Array:
        return pa.array(seconds[:, column], mask=~where)

    def after(rung: int) -> pa.Array:
        return pa.array(outcome.decided[:, rung], mask=~ran | (outcome.decided[:, rung] < 0))

    return {
        "cpu_seconds": pa.array(seconds[:, :WALL].sum(axis=1), mask=~ran),
        "wall_seconds": timed(WALL, ran),
        "cpu_line": timed(LINE, begun[LINE]),
        "cpu_depth2": timed(DEPTH, begun[DEPTH]),
        "cpu_probe": timed(PROBE, begun[PROBE]),
        "cpu_search": timed(SEARCH, begun[SEARCH] | had_descent),
        "cpu_sat": timed(CPU_SAT, learned),
        "line_solves": counted(LINE_SOLVES, begun[LINE]),
        "sweeps": counted(SWEEPS, ran).cast(pa.int32()),
        "probes": counted(PROBES, probed),
        "contradictions": counted(CONTRADICTIONS, probed),
        "nodes": counted(NODES, begun[SEARCH]),
        "max_depth": counted(MAX_DEPTH, begun[SEARCH]).cast(pa.int32()),
        "conflicts": counted(CONFLICTS, learned),
        "cells_after_line": after(LINE),
        "cells_after_depth2": after(DEPTH),
        "cells_after_probe": after(PROBE),
        "score": pa.array(100 * counters[:, LINE_SOLVES] / np.maximum(lines, 1), mask=~ran),
    }


def unclassified(batch: pa.RecordBatch, status: str, errors: Sequence[str]) -> pa.RecordBatch:
    """Return the results table's rows for puzzles without an answer: `status` invalid, error or killed, and reasons."""
    cells = pc.multiply(*(batch[side].cast(pa.int64()) for side in ("width", "height")))
    fits_column = pc.less_equal(cells, np.iinfo(np.int32).max)  # larger sizes of invalid puzzles overflow the column
    columns = {
        "puzzle_id": batch["puzzle_id"],
        "clue_hash": batch["clue_hash"],
        "cells": pc.if_else(fits_column, cells, None).cast(pa.int32()),
        "error": pa.array(errors, TEXT),
    }
    texts = {"status": status, "solutions": SOLUTIONS[UNKNOWN], "solver_version": __version__}
    columns |= {name: pa.repeat(text, len(batch)) for name, text in texts.items()}
    return _result_batch(columns, len(batch))


def _find_errors(seen: Views, outcome: Outcome, known: np.ndarray, equal: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return what is wrong with each puzzle's outcome, an index in ERRORS; -1 for nothing.

    known   puzzles whose goal fits
    equal   bool[len(known)]: whether it equals the first solution
    start   as for `results`
    """
    errors = np.full(len(outcome.found), -1)
    claimed = np.array([-1, 1, 2, 0])[outcome.solutions]  # numbers of solutions, in the order of SOLUTIONS
    errors[(claimed >= 0) & (claimed != outcome.found)] = VERDICT
    if len(start):
        found = (outcome.first, outcome.second)[: int(outcome.found[0])]
        if not all(agrees(picture, start) for picture in found):
            errors[0] = SOLUTION
    else:
        errors[known[(outcome.solutions[known] == UNIQUE) & ~equal]] = VERDICT
        errors[known[outcome.solutions[known] == NONE]] = VERDICT
    is_first_checked = np.zeros(len(errors), np.bool_)
    is_first_checked[known[equal]] = True
    two = np.flatnonzero(outcome.found == 2)
    one = np.flatnonzero((outcome.found >= 1) & ~is_first_checked)
    errors[one[~fits(seen, one, outcome.first, outcome.offsets)]] = SOLUTION
    errors[two[~fits(seen, two, outcome.second, outcome.offsets)]] = SOLUTION
    errors[two[same(two, outcome.first, outcome.offsets, outcome.second, outcome.offsets)]] = SOLUTION
    return errors


def _labels(status: np.ndarray, solutions: np.ndarray, rung: np.ndarray, trivial: np.ndarray, depth: int) -> pa.Array:
    """Return the verdicts in pbnsolve's words; null for puzzles that were not solved."""
    unique = solutions == UNIQUE
    labels = {  # the first that applies
        "timeout": status == TIMEOUT,
        "multiple": solutions == MULTIPLE,
        "contradiction": solutions == NONE,
        "trivial unique line": unique & (rung == LINE) & trivial,
        "unique line": unique & (rung == LINE),
        f"unique depth-{depth}": unique & (rung == DEPTH),
        "unique": unique,
        "stalled": status == OK,
    }
    return _words(np.select([*labels.values()], range(len(labels)), -1), [*labels])


def known_goals(batch: pa.RecordBatch, seen: Views) -> KnownSolutions:
    """Return the goals that fit their clues."""
    given = np.flatnonzero(batch["goal"].is_valid().to_numpy(zero_copy_only=False))
    good, pictures, offsets = _check_goal_pictures(batch, seen, given)
    known = np.zeros(len(batch), bool)
    known[given[good]] = True
    sizes = seen.width.astype(np.int64) * seen.height
    places = np.concatenate([[0], np.cumsum(sizes)])
    laid_out = np.zeros(places[-1], np.uint8)
    for p in given[good]:
        laid_out[places[p] : places[p + 1]] = pictures[offsets[p] : offsets[p + 1]]
    return KnownSolutions(known, laid_out)


def _check_goal_pictures(
    batch: pa.RecordBatch, seen: Views, given: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check the goals of the puzzles `given` (indices); returns whether each fits, all goals, their offsets."""
    goals = batch["goal"]
    if not len(given):
        return np.zeros(0, bool), np.zeros(0, np.uint8), np.zeros(1, np.int64)
    offsets = np.frombuffer(goals.buffers()[1], np.int32)[goals.offset : goals.offset + len(batch) + 1]
    offsets = offsets.astype(np.int64)
    pictures = np.frombuffer(goals.buffers()[2] or b"", np.uint8)
    return fits(seen, given, pictures, offsets), pictures, offsets


def _pictures(offsets: np.ndarray, pictures: np.ndarray, present: np.ndarray) -> pa.Array:
    """Return the pictures of the puzzles in the mask `present` as a binary column, null elsewhere."""
    sizes = np.where(present, np.diff(offsets), 0)
    places = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=places[1:])
    kept = pictures[np.repeat(present, np.diff(offsets))]
    valid = pa.array(present).buffers()[1]
    return pa.Array.from_buffers(pa.binary(), len(sizes), [valid, pa.py_buffer(places), pa.py_buffer(kept)])


def _words(codes: np.ndarray, words: Sequence[str]) -> pa.Array:
    """Return a text column from indices into `words`; -1 is null."""
    indices = pa.array(codes.astype(np.int8), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words)).cast(TEXT)


def _result_batch(columns: dict[str, pa.Array], rows: int) -> pa.RecordBatch:
    """Return a batch of the results table; columns that are not given are null."""
    arrays = [columns.get(field.name, pa.nulls(rows, field.type)) for field in RESULTS]
    return pa.RecordBatch.from_arrays(arrays, schema=RESULTS)
