"""The job mend: the smallest changes found that leave puzzles with several solutions one. A run keeps them."""

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.callbacks import ProgressCallbacks
from pipeline.executors.executor import Resources, TaskFailure, check_resources, estimate_cost, open_executor, run_tasks
from pipeline.jobs.engine import Needs, plan_on_results, run_job
from pipeline.jobs.job import Chunk, Job, Output
from pipeline.jobs.session import listener_of
from pipeline.run.configuration import check_limit
from pipeline.run.job_tables import read_attempts
from pipeline.run.plan import EVERYTHING, Selection
from pipeline.run.result_pairs import pairs_of
from pipeline.run.run_folder import Run, refuse_changed, reopened
from pipeline.store.lock import sole_writer
from pipeline.store.parts import one_batch, refuse_others
from scrapers.file_batches import Problem
from scrapers.pictures.mending import Change, Mending, mending_to, mendings
from solver import __version__
from solver.api import classify
from solver.model.families import NONOGRAM, Family
from solver.model.puzzle import Clue, Puzzle, clues_of
from solver.model.tables import MENDINGS, PUZZLES, picture, puzzle_batch, puzzles_of

AT_A_TIME = 256
"""Puzzles that are classified in one call where no run has done so."""

KEY = ["puzzle_id", "clue_hash"]

ANSWER = [*KEY, "solutions", "solution", "second_solution"]

LISTED = 4
"""Changed cells that are named one by one."""


class Mended(NamedTuple):
    """A puzzle with several solutions.

    puzzle      as it is
    mendings    changes that leave one solution, the smallest first; none if none was found, or a length is hidden
    """

    puzzle: Puzzle
    mendings: list[Mending]


class Candidate(NamedTuple):
    """A puzzle with several solutions for which a change is to be looked for.

    solutions   two of them, uint8[height, width], the author's first if it is one
    clue_hash   of its result
    """

    puzzle: Puzzle
    solutions: list[np.ndarray]
    clue_hash: str | None


class Attempts:
    """What a run keeps of former attempts: the changes found, and the time given to puzzles without one."""

    def __init__(self, run: Run) -> None:
        self.found: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
        self.limits: dict[tuple[str, str | None], float] = {}
        for row in read_attempts(run).to_pylist():
            key = row["puzzle_id"], row["clue_hash"]
            if row["change"] is None:
                self.limits[key] = max(row["cpu_limit"] or 0.0, self.limits.get(key, 0.0))
            else:
                self.found.setdefault(key, []).append(row)

    def is_left(self, key: tuple[str, str | None], cpu_limit: float) -> bool:
        """Whether to look for a change: none was found, or looked for with that much time."""
        return key not in self.found and self.limits.get(key, 0.0) < cpu_limit


def mended(chunk: Chunk, _: Family, __: Mapping[str, Any], limit: float, ___: bool) -> Output:
    """Look for the smallest changes that leave puzzles with several solutions one."""
    begun = time.thread_time()
    assert chunk.results is not None
    rows: list[dict[str, Any]] = []
    for candidate in _candidates(pa.table(chunk.results), pa.table(chunk.puzzles)):
        if not candidate.puzzle.blotted:
            rows += _rows(candidate, mendings(candidate.puzzle, candidate.solutions, limit), limit)
    return Output(_batch(rows), cpu_seconds=time.thread_time() - begun)


def not_mended(_: Chunk, __: Family, ___: Mapping[str, Any], ____: str, _____: bool) -> pa.RecordBatch:
    """No row for puzzles on which a worker died: the next command tries them again."""
    return _batch([])


def _schema(_: Family) -> pa.Schema:
    return MENDINGS


def _columns(_: Family) -> list[str]:
    return [*PUZZLES.names]


def _changed(rows: pa.RecordBatch) -> dict[str, int]:
    changed = pc.count_distinct(rows["puzzle_id"].filter(pc.is_valid(rows["change"]))).as_py()
    return {"mended": changed} if changed else {}


MEND = Job(
    name="mend",
    progress="mending",
    folder="mendings",
    schema=_schema,
    puzzles=_columns,
    results=tuple(ANSWER),
    work=mended,
    lost=not_mended,
    counts=_changed,
    seconds=0.5,
)


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    return one_batch(pa.Table.from_pylist(rows, MENDINGS))


def mend_run(
    run: Run, cpu_limit: float, resources: Resources, callbacks: ProgressCallbacks, selection: Selection = EVERYTHING
) -> Iterator[Mended | Problem]:
    """Yield the puzzles that a run has found to have several solutions; the run keeps each one's changes.

    Puzzles without a change are tried again if there is more time now. An InputError refuses a run whose store has
    changed, a UserError one that another command works on.
    """
    check_resources(resources)
    check_limit(cpu_limit)
    refuse_others(run.family, run.folder.name)
    refuse_changed(run)
    with sole_writer(run.folder):
        run = reopened(run)
        attempts = Attempts(run)
        needs = Needs(tuple(ANSWER[:3]), lambda results: _left(results, attempts, cpu_limit))
        plan, listener = plan_on_results(run, needs, selection), listener_of(callbacks, MEND.progress)
        worked = run_job(run, MEND, {}, plan, [cpu_limit], resources, listener)
        for reason in worked.unread:
            callbacks.on_warning(reason)
        yield from worked.lost
        lost = {problem.name for problem in worked.lost}
        attempts = Attempts(run)
        several = plan_on_results(run, Needs(tuple(ANSWER[:3]), lambda rows: _several(rows).to_numpy()), selection)
        parts = {part.name: part for part in run.store.parts()}
        for name, _, wanted in several.stretches:
            for _, results, puzzles in pairs_of(run, run.piece(name), wanted, parts, ANSWER, PUZZLES.names):
                for puzzle, solutions, clue_hash in _candidates(results, puzzles):
                    found = attempts.found.get((puzzle.puzzle_id, clue_hash), [])
                    goals = [picture(row["mended"], puzzle.width, puzzle.height) for row in found]
                    if puzzle.puzzle_id not in lost:
                        yield Mended(puzzle, [mending_to(puzzle, solutions, goal) for goal in goals])


def _left(results: pa.Table, attempts: Attempts, cpu_limit: float) -> np.ndarray:
    """Which rows of results are to be tried: bool[rows]."""
    several = _several(results).to_pylist()
    return np.array([
        one and attempts.is_left(key, cpu_limit) for one, key in zip(several, _keys(results), strict=True)
    ], np.bool_)  # fmt: skip


def mend_puzzles(
    found: Iterator[Puzzle | Problem], cpu_limit: float, resources: Resources, callbacks: ProgressCallbacks
) -> Iterator[Mended | Problem]:
    """Those among puzzles that have several solutions, and what could not be read of their files."""
    check_resources(resources)
    yield from _tried(_classified(found, cpu_limit, callbacks), cpu_limit, resources, callbacks)


def _classified(
    found: Iterator[Puzzle | Problem], cpu_limit: float, callbacks: ProgressCallbacks
) -> Iterator[Candidate | Mended | Problem]:
    """Of puzzles those with several solutions, and all problems."""
    while batch := list(islice(found, AT_A_TIME)):
        yield from (item for item in batch if isinstance(item, Problem))
        puzzles = puzzle_batch([item for item in batch if not isinstance(item, Problem)])
        results = pa.table(classify(puzzles, cpu_limit=cpu_limit)).select(ANSWER)
        callbacks.on_progress(len(batch) - (pc.sum(_several(results)).as_py() or 0), "")
        for candidate in _candidates(results, pa.table(puzzles)):
            if candidate.puzzle.blotted:
                callbacks.on_progress(1, "")
                yield Mended(candidate.puzzle, [])
            else:
                yield candidate


def _candidates(results: pa.Table, puzzles: pa.Table) -> Iterator[Candidate]:
    """Of puzzles and their results, row by row, those with several solutions."""
    chosen = _several(results).to_numpy()
    chosen[list(NONOGRAM.rules.malformed(one_batch(puzzles)))] = False
    several = pa.array(chosen)
    rows = results.filter(several).to_pylist()
    for row, puzzle in zip(rows, puzzles_of(puzzles.filter(several).combine_chunks().to_batches()), strict=True):
        solutions = [picture(row[name], puzzle.width, puzzle.height) for name in ("solution", "second_solution")]
        yield Candidate(puzzle, _authors_first(puzzle, solutions), row["clue_hash"])


def _several(results: pa.Table) -> pa.ChunkedArray:
    """Which results say that there are several solutions, bool[rows]."""
    return pc.fill_null(pc.equal(results["solutions"], "multiple"), False)


def _keys(results: pa.Table) -> Iterator[tuple[str, str | None]]:
    """What belongs to a puzzle of a run: its id and its clues' hash."""
    return zip(*(results[name].to_pylist() for name in KEY), strict=True)


def _authors_first(puzzle: Puzzle, solutions: list[np.ndarray]) -> list[np.ndarray]:
    """Two solutions, the author's picture before another one if it is a solution."""
    goal = puzzle.goal
    if goal is None or clues_of(goal) != (puzzle.rows, puzzle.columns):
        return solutions
    return [goal, next(solution for solution in solutions if (solution != goal).any())]


def _tried(
    items: Iterator[Candidate | Mended | Problem],
    cpu_limit: float,
    resources: Resources,
    callbacks: ProgressCallbacks,
) -> Iterator[Mended | Problem]:
    """The items in their order, a Mended for each candidate."""
    done: dict[int, Mended | Problem] = {}
    trying: dict[int, Candidate] = {}

    def tasks() -> Iterator[tuple[int, Puzzle, list[np.ndarray], float]]:
        for number, item in enumerate(items):
            if isinstance(item, Candidate):
                trying[number] = item
                yield number, item.puzzle, item.solutions, cpu_limit
            else:
                done[number] = item

    following = 0
    waiting, seconds = estimate_cost(tasks(), lambda _: MEND.seconds)
    with open_executor(resources, seconds) as executor:
        for task, outcome in run_tasks(executor, _changes, waiting):
            candidate = trying.pop(task[0])
            if isinstance(outcome, TaskFailure):
                done[task[0]] = Problem(candidate.puzzle.puzzle_id, outcome.reason)
            else:
                done[task[0]] = Mended(candidate.puzzle, outcome)
            callbacks.on_progress(1, "")
            while following in done:
                yield done.pop(following)
                following += 1
    yield from (done[number] for number in sorted(done))


def _changes(_: int, puzzle: Puzzle, solutions: list[np.ndarray], cpu_limit: float) -> list[Mending]:
    """What one task does."""
    return mendings(puzzle, solutions, cpu_limit)


def _rows(candidate: Candidate, changes: list[Mending], cpu_limit: float) -> list[dict[str, Any]]:
    """Rows of the table of mendings, one without a change if there is none."""
    about = {
        "puzzle_id": candidate.puzzle.puzzle_id,
        "clue_hash": candidate.clue_hash,
        "solver_version": __version__,
        "cpu_limit": cpu_limit,
    }
    return [
        about | {"change": in_words(change), "cells": change.cells, "mended": change.puzzle.goal.tobytes()}
        for change in changes
        if change.puzzle.goal is not None
    ] or [about]


def in_words(mending: Mending) -> str:
    """A change in a line: the clue, or the cells."""
    cells = f"{mending.cells:,} {'cell' if mending.cells == 1 else 'cells'}"
    if len(mending.changes) == 1:
        return f"{_clue_in_words(mending.changes[0])}, and with it {cells} of the picture"
    if mending.cells > LISTED:
        return f"{cells} of the picture changed, and with them {len(mending.changes):,} clues"
    goal, names = mending.puzzle.goal, [color.name for color in mending.puzzle.palette]
    places = [] if goal is None else (goal != mending.before).nonzero()
    told = [f"row {y + 1} column {x + 1} {names[goal[y, x]]}" for y, x in zip(*places, strict=True) if goal is not None]
    return f"{cells} of the picture changed: {', '.join(told)}"


def _clue_in_words(change: Change) -> str:
    """What has become of a clue."""
    return f"{change.side} {change.number} changed from {_numbers(change.before)} to {_numbers(change.after)}"


def _numbers(clue: Clue) -> str:
    """The numbers of a clue, each with its colour's number if there are several colours."""
    colored = any(block.color > 1 for block in clue)
    return " ".join(f"{block.length}({block.color})" if colored else str(block.length) for block in clue) or "0"
