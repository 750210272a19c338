"""The job mend: the smallest changes found that leave one solution of several. A run keeps them."""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.executors.executor import Resources, estimate_cost, open_executor, run_tasks
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.cost import CostEstimate, estimate_on_results
from nonocensus.pipeline.jobs.engine import JobRequest, RowFilter, lock_run, plan_on_results, run_on_results
from nonocensus.pipeline.jobs.job import Chunk, Job, JobCall, Output
from nonocensus.pipeline.jobs.kernel_compilation import LADDER, batch_kinds, compile_missing
from nonocensus.pipeline.run.job_tables import read_attempts
from nonocensus.pipeline.run.result_pairs import pairs_of
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import one_batch
from nonocensus.reports.words.formatting import clue_text, count_text
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.pictures.mending import Mending, Mendings, mending_to, mendings
from nonocensus.solver import __version__
from nonocensus.solver.api import classify
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.puzzle import Puzzle, clues_of
from nonocensus.solver.model.tables import MENDINGS, PUZZLES, picture, puzzle_batch, puzzles_of

BATCH = 256
"""Puzzles of files that are classified in one call."""

KEY = ("puzzle_id", "clue_hash")

VERDICT = (*KEY, "solutions")
"""Columns of the results that decide what is tried."""

ANSWER = (*VERDICT, "solution", "second_solution")

UNSOLVABLE = "its clues can't be met; mend only changes puzzles with several solutions"

MAX_LISTED = 4
"""Changed cells that are listed one by one."""


class MendResult(NamedTuple):
    """A puzzle with several solutions.

    puzzle      as it is
    mendings    changes that leave one solution, the smallest first; none if none was found, or a length is hidden
    finished    whether the search is finished; else, at the CPU limit, there may be others
    """

    puzzle: Puzzle
    mendings: list[Mending]
    finished: bool = True


class MendCandidate(NamedTuple):
    """A puzzle with several solutions to find a change for.

    solutions   two of them, uint8[height, width], the author's first if it is one
    clue_hash   of its result
    """

    puzzle: Puzzle
    solutions: list[np.ndarray]
    clue_hash: str | None


class MendAttempts:
    """Last attempts of a run: the changes found, and the CPU limits of searches that are not finished."""

    def __init__(self, run: Run) -> None:
        self.found: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
        self.limits: dict[tuple[str, str | None], float] = {}
        for row in read_attempts(run).to_pylist():
            key = row["puzzle_id"], row["clue_hash"]
            found = self.found.setdefault(key, [])
            if row["change"] is not None:
                found.append(row)
            elif row["cpu_limit"] is not None:
                self.limits[key] = row["cpu_limit"]

    def mask(self, results: pa.Table, cpu_limit: float) -> np.ndarray:
        """Return which results are to be tried, bool[rows].

        They have several solutions, and no search was finished or had as much time.
        """
        keys = zip(*(results[name].to_pylist() for name in KEY), strict=True)
        is_todo = [key not in self.found or self.limits.get(key, cpu_limit) < cpu_limit for key in keys]
        return _have_several(results) & np.array(is_todo, np.bool_)


def mend_chunk(chunk: Chunk, call: JobCall) -> Output:
    """Find the smallest changes that leave puzzles one of their several solutions."""
    began = time.thread_time()
    assert chunk.results is not None
    rows: list[dict[str, Any]] = []
    for candidate in _candidates(pa.table(chunk.results), pa.table(chunk.puzzles)):
        if not candidate.puzzle.blotted:
            changes = mendings(candidate.puzzle, candidate.solutions, call.cpu_limit)
            rows += _rows(candidate, changes, call.cpu_limit)
    return Output(pa.RecordBatch.from_pylist(rows, MENDINGS), cpu_seconds=time.thread_time() - began)


def lost_rows(_: Chunk, __: JobCall, ___: TaskFailure) -> pa.RecordBatch:
    """Return no rows: the next command retries."""
    return pa.RecordBatch.from_pylist([], MENDINGS)


def count_changed(rows: pa.RecordBatch) -> dict[str, int]:
    """Count puzzles with a change."""
    changed = pc.count_distinct(rows["puzzle_id"].filter(pc.is_valid(rows["change"]))).as_py()
    return {"mended": changed} if changed else {}


MEND = Job(
    name="mend",
    title="mending",
    folder="mendings",
    schema=MENDINGS,
    puzzles=tuple(PUZZLES.names),
    results=ANSWER,
    function=mend_chunk,
    lost=lost_rows,
    counts=count_changed,
    seconds=1.3,
    stages=LADDER,
)


def mend_run(run: Run, request: JobRequest) -> Iterator[MendResult | Problem]:
    """Yield the puzzles of a run that have several solutions, with their changes, which the run keeps.

    Unfinished searches are retried with more time. Raises InputError if the run's store has changed, UserError if
    another command works on the run.
    """
    with lock_run(run) as run:
        result = run_on_results(run, MEND, _unmended_rows(run, request), request)
        yield from result.lost
        attempts = MendAttempts(run)
        several = RowFilter(VERDICT, _have_several)
        parts = {part.name: part for part in run.store.parts()}
        for name, _, rows in plan_on_results(run, several, replace(request.selection, limit=None)).stretches:
            for _, results, puzzles in pairs_of(run, run.result_file(name), rows, parts, [*ANSWER], PUZZLES.names):
                for puzzle, solutions, clue_hash in _candidates(results, puzzles):
                    key = puzzle.puzzle_id, clue_hash
                    goals = [picture(row["mended"], puzzle.width, puzzle.height) for row in attempts.found.get(key, [])]
                    changes = [mending_to(puzzle, solutions, goal) for goal in goals]
                    if puzzle.blotted or key in attempts.found:  # neither lost nor beyond the limit
                        yield MendResult(puzzle, changes, key not in attempts.limits)


def estimate_mending(run: Run, request: JobRequest) -> CostEstimate:
    """Estimate what `mend_run` would cost."""
    return estimate_on_results(run, MEND, _unmended_rows(run, request), request, {})


def _unmended_rows(run: Run, request: JobRequest) -> RowFilter:
    """Return which results of a run are to be mended."""
    before = MendAttempts(run)
    return RowFilter(VERDICT, lambda results: before.mask(results, request.cpu_limit))


def mend_puzzles(
    found: Iterator[Puzzle | Problem], cpu_limit: float, resources: Resources, progress: ProgressCallbacks
) -> Iterator[MendResult | Problem]:
    """Yield the puzzles with several solutions and their changes; problems of their files are passed on."""
    problems: list[Problem] = []
    candidates = _classify(found, cpu_limit, problems, progress)
    tasks = ((puzzle, solutions, cpu_limit) for puzzle, solutions, _ in candidates)
    waiting, seconds = estimate_cost(tasks, lambda _: MEND.seconds)
    with open_executor(resources, seconds) as executor:
        for (puzzle, *_), outcome in run_tasks(executor, _find_changes, waiting, in_order=True):
            if isinstance(outcome, TaskFailure):
                yield Problem(puzzle.puzzle_id, outcome.reason)
            else:
                yield MendResult(puzzle, outcome.found, outcome.finished)
            progress.on_progress(1, "")
            yield from problems
            problems.clear()
    yield from problems


def _find_changes(puzzle: Puzzle, solutions: list[np.ndarray], cpu_limit: float) -> Mendings:
    """Find the smallest changes of a puzzle; none if a length is hidden."""
    return Mendings([], True) if puzzle.blotted else mendings(puzzle, solutions, cpu_limit)


def _classify(
    found: Iterator[Puzzle | Problem], cpu_limit: float, problems: list[Problem], progress: ProgressCallbacks
) -> Iterator[MendCandidate]:
    """Classify puzzles; yields those with several solutions, and adds all problems to a list."""
    while batch := list(islice(found, BATCH)):
        problems += (item for item in batch if isinstance(item, Problem))
        puzzles = puzzle_batch([item for item in batch if not isinstance(item, Problem)])
        if compile_missing(batch_kinds(puzzles), LADDER, progress):
            progress.on_start(MEND.title, None, 0)
        results = pa.table(classify(puzzles, cpu_limit=cpu_limit)).select([*ANSWER, "status"])
        late = results.filter(pc.equal(results["status"], "timeout"))["puzzle_id"].to_pylist()
        problems += (Problem(name, f"not solved within {cpu_limit:g} CPU seconds; raise --cpu-limit") for name in late)
        unsolvable = pc.or_kleene(pc.equal(results["solutions"], "none"), pc.equal(results["status"], "invalid"))
        problems += (Problem(name, UNSOLVABLE) for name in results.filter(unsolvable)["puzzle_id"].to_pylist())
        progress.on_progress(len(batch) - int(_have_several(results).sum()), "")
        yield from _candidates(results, pa.table(puzzles))


def _candidates(results: pa.Table, puzzles: pa.Table) -> Iterator[MendCandidate]:
    """Yield the puzzles with several solutions, of puzzles and results row by row."""
    mask = _have_several(results)
    mask[list(malformed(one_batch(puzzles)))] = False
    several = pa.array(mask)
    rows = results.filter(several).to_pylist()
    for row, puzzle in zip(rows, puzzles_of(puzzles.filter(several).combine_chunks().to_batches()), strict=True):
        solutions = [picture(row[name], puzzle.width, puzzle.height) for name in ("solution", "second_solution")]
        goal = puzzle.goal
        if goal is not None and clues_of(goal) == (puzzle.rows, puzzle.columns):  # the author's picture comes first
            solutions = [goal, next(solution for solution in solutions if (solution != goal).any())]
        yield MendCandidate(puzzle, solutions, row["clue_hash"])


def _have_several(results: pa.Table) -> np.ndarray:
    """Return which results have several solutions: bool[rows]."""
    return np.array(pc.fill_null(pc.equal(results["solutions"], "multiple"), False))


def _rows(candidate: MendCandidate, changes: Mendings, cpu_limit: float) -> list[dict[str, Any]]:
    """Return rows of the table of mendings; the last one has no change if none was found or the search not finished."""
    about = {
        "puzzle_id": candidate.puzzle.puzzle_id,
        "clue_hash": candidate.clue_hash,
        "solver_version": __version__,
        "cpu_limit": cpu_limit,
    }
    found = [
        about | {"change": describe(change), "cells": change.cells, "mended": change.puzzle.goal.tobytes()}
        for change in changes.found
        if change.puzzle.goal is not None
    ]
    if not changes.finished:
        return [*found, about]
    return found or [about | {"cpu_limit": None}]


def describe(mending: Mending) -> str:
    """Describe a change in one line: the clue, or the cells."""
    cells = count_text(mending.cells, "cell")
    colors = [color.name for color in mending.puzzle.palette]
    if len(mending.changes) == 1:
        change = mending.changes[0]
        old, new = (clue_text(clue, colors) for clue in (change.before, change.after))
        return f"{change.side} {change.number} changed from {old} to {new}, and with it {cells} of the picture"
    if mending.cells > MAX_LISTED:
        return f"{cells} of the picture changed, and with them {len(mending.changes):,} clues"
    goal = mending.puzzle.goal
    places = [] if goal is None else (goal != mending.before).nonzero()
    listed = [
        f"row {y + 1} column {x + 1} {colors[goal[y, x]]}" for y, x in zip(*places, strict=True) if goal is not None
    ]
    return f"{cells} of the picture changed: {', '.join(listed)}"
