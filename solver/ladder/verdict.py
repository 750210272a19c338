"""From what the ladder found to the rows of the results table: statuses, verdicts, labels, checked solutions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solver import __version__
from solver.ladder.ladder_options import DEPTH, FROM_NOTHING, LINE, PROBE, SEARCH, KnownSolutions, rung_names
from solver.ladder.outcome import CPU_SAT, MULTIPLE, NONE, SOLUTIONS, UNIQUE, UNKNOWN, WALL, Outcome
from solver.learning.tail import ENGINES
from solver.lines.workspace import CONFLICTS, CONTRADICTIONS, LINE_SOLVES, MAX_DEPTH, NODES, PROBES, SWEEPS
from solver.model.tables import RESULTS, TEXT
from solver.model.views import Views
from solver.proofs.answer_check import agrees, fits, same

STATUSES = ("ok", "timeout", "error")  # of puzzles that the ladder was given; `unclassified` has others
OK, TIMEOUT, ERROR = range(len(STATUSES))

WRONG_SOLUTION = "the solver's picture does not fit the clues: a bug in nonocensus, please report it"
WRONG_VERDICT = "the solver's verdict does not go with a solution that is known: a bug in nonocensus, please report it"
ENGINE_FAILED = "Kissat failed on it, and CaDiCaL in its place came to no answer within the CPU limit"


def results(
    batch: pa.RecordBatch, seen: Views, outcome: Outcome, depth: int, start: np.ndarray = FROM_NOTHING
) -> pa.RecordBatch:
    """The results table's rows for a batch of puzzles without faults.

    depth   that of the rung depth-2
    start   the partly solved grid of a batch's one puzzle (`PriorKnowledge.start`): solutions agree
            with it, a goal need not

    Columns that a run adds (config_hash, run_id, part, host) are null.
    """
    errors: dict[int, str] = {}
    given = np.flatnonzero(batch["goal"].is_valid().to_numpy(zero_copy_only=False))
    fitting, goals, places = _goals_that_fit(batch, seen, given)
    known = given[fitting]
    alike = same(known, outcome.first, outcome.offsets, goals, places)
    check_verdicts(outcome, errors)
    if len(start):
        _check_start(outcome, start, errors)
    else:
        _check_goals(outcome, known, alike, errors)
    _check_solutions(seen, outcome, known[alike], errors)
    lines = seen.width.astype(np.int64) + seen.height
    cells = seen.width.astype(np.int32) * seen.height
    return result_rows(batch, outcome, errors, depth, lines, cells, _goal_matches(len(batch), given, fitting))


def result_rows(
    batch: pa.RecordBatch,
    outcome: Outcome,
    errors: dict[int, str],
    depth: int,
    lines: np.ndarray,
    cells: np.ndarray,
    goal_matches: pa.Array,
) -> pa.RecordBatch:
    """The results table's rows from an outcome that has been checked, for any family of puzzles.

    batch          has the columns puzzle_id and clue_hash
    errors         what was wrong with an answer, by puzzle
    lines, cells   int64[puzzles], int32[puzzles]: how many each has; lines are what the counter LINE_SOLVES counts
    goal_matches   bool[puzzles], null where no picture is known
    """
    status = np.where(outcome.late, TIMEOUT, OK)
    status[list(errors)] = ERROR
    failed = np.flatnonzero((status == TIMEOUT) & outcome.kissat_failed)
    errors = dict.fromkeys(failed.tolist(), ENGINE_FAILED) | errors
    ran = status <= TIMEOUT
    solutions = np.where(ran, outcome.solutions, UNKNOWN)
    technique = np.where((solutions == UNIQUE) | (solutions == NONE), outcome.rung, -1)
    solves = outcome.counters[:, LINE_SOLVES]
    trivial = (technique >= 0) & (solves <= lines)
    rungs = rung_names(depth)
    learned = outcome.seconds[:, CPU_SAT] > 0
    begun = [ran & (outcome.rung >= rung) for rung in (LINE, DEPTH, PROBE, SEARCH)]
    begun[SEARCH] |= ran & (outcome.engine >= SEARCH)  # a glance may have skipped the rungs before
    glanced = ran & (outcome.seconds[:, SEARCH] > 0)
    probed = begun[DEPTH] | begun[SEARCH]

    def counted(counter: int, where: np.ndarray) -> pa.Array:
        return pa.array(outcome.counters[:, counter], mask=~where)

    def timed(column: int, where: np.ndarray) -> pa.Array:
        return pa.array(outcome.seconds[:, column], mask=~where)

    def after(rung: int) -> pa.Array:
        return pa.array(outcome.decided[:, rung], mask=~ran | (outcome.decided[:, rung] < 0))

    columns: dict[str, Any] = {
        "puzzle_id": batch["puzzle_id"],
        "clue_hash": batch["clue_hash"],
        "status": _words(status, STATUSES),
        "solutions": _words(solutions, SOLUTIONS),
        "technique": _words(technique, rungs),
        "trivial": pa.array(trivial, mask=~ran),
        "label": _labels(status, solutions, outcome.rung, trivial, depth),
        "solution": _pictures(outcome.offsets, outcome.first, ran & (outcome.found >= 1)),
        "second_solution": _pictures(outcome.offsets, outcome.second, ran & (outcome.found == 2)),
        "goal_matches": pc.if_else(pa.array(ran), goal_matches, None),
        "cpu_seconds": pa.array(outcome.seconds[:, :WALL].sum(axis=1), mask=~ran),
        "wall_seconds": timed(WALL, ran),
        "cpu_line": timed(LINE, begun[LINE]),
        "cpu_depth2": timed(DEPTH, begun[DEPTH]),
        "cpu_probe": timed(PROBE, begun[PROBE]),
        "cpu_search": timed(SEARCH, begun[SEARCH] | glanced),
        "cpu_sat": timed(CPU_SAT, ran & learned),
        "line_solves": counted(LINE_SOLVES, begun[LINE]),
        "sweeps": pa.array(outcome.counters[:, SWEEPS].astype(np.int32), mask=~ran),
        "probes": counted(PROBES, probed),
        "contradictions": counted(CONTRADICTIONS, probed),
        "nodes": counted(NODES, begun[SEARCH]),
        "max_depth": pa.array(outcome.counters[:, MAX_DEPTH].astype(np.int32), mask=~begun[SEARCH]),
        "conflicts": pa.array(outcome.counters[:, CONFLICTS], mask=~(ran & learned)),
        "cells": cells,
        "cells_after_line": after(LINE),
        "cells_after_depth2": after(DEPTH),
        "cells_after_probe": after(PROBE),
        "score": pa.array(100 * solves / np.maximum(lines, 1), mask=~ran),
        "engine": _words(np.where(solutions == UNKNOWN, -1, outcome.engine), (*rungs, *ENGINES)),
        "error": [errors.get(p) for p in range(len(batch))] if errors else None,
        "solver_version": pa.repeat(__version__, len(batch)),
    }
    return pa.RecordBatch.from_arrays(
        [_column(columns.get(field.name), field, len(batch)) for field in RESULTS], schema=RESULTS
    )


def classify_valid(
    batch: pa.RecordBatch, wrong: dict[int, str], solved: Callable[[pa.RecordBatch], pa.RecordBatch]
) -> pa.RecordBatch:
    """The results table's rows for a batch: those of `solved` for puzzles without faults, `invalid` for the others.

    wrong   what is wrong with a puzzle, by index in the batch
    """
    if not wrong:
        return solved(batch)
    sound = np.ones(len(batch), np.bool_)
    sound[list(wrong)] = False
    parts = [unclassified(batch.filter(pa.array(~sound)), "invalid", [wrong[p] for p in sorted(wrong)])]
    if sound.any():
        parts.append(solved(batch.filter(pa.array(sound))))
    order = np.argsort(np.argsort(sound, kind="stable"))
    return pa.concat_batches(parts).take(pa.array(order))


def unclassified(batch: pa.RecordBatch, status: str, errors: Sequence[str]) -> pa.RecordBatch:
    """The results table's rows for puzzles that no answer can be had of: `status` invalid, error or killed, and why."""
    sides = ("width", "height") if "width" in batch.schema.names else ("size", "size")
    cells = pc.multiply(*(batch[side].cast(pa.int64()) for side in sides))
    told = pc.less_equal(cells, np.iinfo(np.int32).max)  # more than a column of the table holds, nor any puzzle has
    columns: dict[str, Any] = {
        "puzzle_id": batch["puzzle_id"],
        "clue_hash": batch["clue_hash"],
        "cells": pc.if_else(told, cells, None).cast(pa.int32()),
        "error": errors,
    }
    texts = {"status": status, "solutions": SOLUTIONS[UNKNOWN], "solver_version": __version__}
    columns |= {name: [text] * len(batch) for name, text in texts.items()}
    return pa.RecordBatch.from_arrays(
        [_column(columns.get(field.name), field, len(batch)) for field in RESULTS], schema=RESULTS
    )


def _check_solutions(seen: Views, outcome: Outcome, sure: np.ndarray, errors: dict[int, str]) -> None:
    """Note in `errors` every puzzle with a solution that does not fit its clues, or twice the same one.

    sure   the puzzles whose first solution is a picture that has been found to fit
    """
    open_ = np.ones(len(outcome.found), np.bool_)
    open_[sure] = False
    for number, pictures in ((1, outcome.first), (2, outcome.second)):
        found = np.flatnonzero(outcome.found >= number)
        looked_at = found[open_[found]] if number == 1 else found
        good = fits(seen, looked_at, pictures, outcome.offsets)
        errors.update(dict.fromkeys(looked_at[~good].tolist(), WRONG_SOLUTION))
    twice = found[same(found, outcome.first, outcome.offsets, outcome.second, outcome.offsets)]  # those with two
    errors.update(dict.fromkeys(twice.tolist(), WRONG_SOLUTION))


def _check_start(outcome: Outcome, start: np.ndarray, errors: dict[int, str]) -> None:
    """Note in `errors` the one puzzle if it has a solution that does not agree with its start."""
    found = (outcome.first, outcome.second)[: int(outcome.found[0])]
    if not all(agrees(picture, start) for picture in found):
        errors[0] = WRONG_SOLUTION


def check_verdicts(outcome: Outcome, errors: dict[int, str]) -> None:
    """Note in `errors` every puzzle with more or fewer solutions than its verdict says."""
    claimed = np.array([-1, 1, 2, 0])[outcome.solutions]  # in the order of SOLUTIONS
    errors.update(dict.fromkeys(np.flatnonzero((claimed >= 0) & (claimed != outcome.found)).tolist(), WRONG_VERDICT))


def _check_goals(outcome: Outcome, known: np.ndarray, alike: np.ndarray, errors: dict[int, str]) -> None:
    """Note in `errors` every puzzle whose verdict its author's picture disproves: of the puzzles `known` it fits.

    alike   of each of these whether it is the first solution
    """
    others = known[(outcome.solutions[known] == UNIQUE) & ~alike]
    none = known[outcome.solutions[known] == NONE]
    errors.update(dict.fromkeys([*others.tolist(), *none.tolist()], WRONG_VERDICT))


def _labels(status: np.ndarray, solutions: np.ndarray, rung: np.ndarray, trivial: np.ndarray, depth: int) -> pa.Array:
    """The verdicts in pbnsolve's words; null for what was not solved at all."""
    words = ("stalled", "unique line", "trivial unique line", f"unique depth-{depth}", "unique", "multiple",
             "contradiction", "timeout")  # fmt: skip
    code = {word: k for k, word in enumerate(words)}
    label = np.full(len(status), code["stalled"])
    unique = solutions == UNIQUE
    label[unique] = code["unique"]
    label[unique & (rung == DEPTH)] = code[f"unique depth-{depth}"]
    label[unique & (rung == LINE)] = code["unique line"]
    label[unique & (rung == LINE) & trivial] = code["trivial unique line"]
    label[solutions == MULTIPLE] = code["multiple"]
    label[solutions == NONE] = code["contradiction"]
    label[status == TIMEOUT] = code["timeout"]
    label[status > TIMEOUT] = -1
    return _words(label, words)


def _goal_matches(puzzles: int, given: np.ndarray, fitting: np.ndarray) -> pa.Array:
    """Whether the author's picture fits the clues: then it is a solution. Null without one.

    `given` are the puzzles with a goal, `fitting` says of each whether it fits.
    """
    matches, unknown = np.zeros(puzzles, bool), np.ones(puzzles, bool)
    matches[given], unknown[given] = fitting, False
    return pa.array(matches, mask=unknown)


def known_goals(batch: pa.RecordBatch, seen: Views, sound: np.ndarray) -> KnownSolutions:
    """The goals of a batch's puzzles that are solutions; `sound` (bool) are the puzzles to look at."""
    given = np.flatnonzero(sound & batch["goal"].is_valid().to_numpy(zero_copy_only=False))
    good, pictures, offsets = _goals_that_fit(batch, seen, given)
    known = np.zeros(len(batch), bool)
    known[given[good]] = True
    sizes = seen.width.astype(np.int64) * seen.height
    places = np.concatenate([[0], np.cumsum(sizes)])
    laid_out = np.zeros(places[-1], np.uint8)
    for p in given[good]:
        laid_out[places[p] : places[p + 1]] = pictures[offsets[p] : offsets[p + 1]]
    return KnownSolutions(known, laid_out)


def _goals_that_fit(batch: pa.RecordBatch, seen: Views, given: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which of the puzzles `given` (indices), all with goals, have one that fits; all goals, and their offsets."""
    goals = batch["goal"]
    if not len(given):
        return np.zeros(0, bool), np.zeros(0, np.uint8), np.zeros(1, np.int64)
    offsets = np.frombuffer(goals.buffers()[1], np.int32)[goals.offset : goals.offset + len(batch) + 1]
    offsets = offsets.astype(np.int64)
    pictures = np.frombuffer(goals.buffers()[2] or b"", np.uint8)
    return fits(seen, given, pictures, offsets), pictures, offsets


def _pictures(offsets: np.ndarray, pictures: np.ndarray, present: np.ndarray) -> pa.Array:
    """The pictures of the puzzles in the mask `present` as a binary column, null elsewhere."""
    sizes = np.where(present, np.diff(offsets), 0)
    places = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=places[1:])
    kept = pictures[np.repeat(present, np.diff(offsets))]
    valid = pa.array(present).buffers()[1]
    return pa.Array.from_buffers(pa.binary(), len(sizes), [valid, pa.py_buffer(places), pa.py_buffer(kept)])


def _words(codes: np.ndarray, words: Sequence[str]) -> pa.Array:
    """A text column from indices into `words`; -1 is null."""
    indices = pa.array(codes.astype(np.int8), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words)).cast(TEXT)


def _column(values: Any, field: pa.Field, rows: int) -> pa.Array:
    """The values as an array of the field's type; null throughout if there are none."""
    if values is None:
        return pa.nulls(rows, field.type)
    return values if isinstance(values, pa.Array) else pa.array(values, field.type)
