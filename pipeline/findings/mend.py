"""Puzzles with several solutions, of runs, stores and files, and the smallest change found that leaves one."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.run.folder import Run
from pipeline.run.pairs import pairs
from pipeline.watch import Watch
from scrapers.importing import Problem
from scrapers.pictures.mending import Mending, mendings
from solver.api import classify
from solver.puzzle import Puzzle, clues_of
from solver.tables import PUZZLES, picture, puzzle_batch, puzzles_of

AT_A_TIME = 256
"""Puzzles that are classified in one call where no run has done so."""

ANSWER = ["solutions", "solution", "second_solution"]


class Mended(NamedTuple):
    """A puzzle with several solutions.

    puzzle     as it is
    mendings   changes that leave one solution, the smallest first; none if none was found, or a length is hidden
    """

    puzzle: Puzzle
    mendings: list[Mending]


def mend_run(run: Run, cpu_limit: float, watch: Watch) -> Iterator[Mended]:
    """The puzzles that a run has found to have several solutions. An InputError refuses one whose store has changed."""
    watch.begun("mending", run.rows)
    for results, puzzles in pairs(run, ANSWER, PUZZLES.names):
        yield from _mended(results, puzzles, cpu_limit, watch)


def mend_puzzles(found: Iterator[Puzzle | Problem], cpu_limit: float, watch: Watch) -> Iterator[Mended | Problem]:
    """Those among puzzles that have several solutions, and what could not be read of their files."""
    batch = list[Puzzle]()
    for item in found:
        if isinstance(item, Problem):
            yield item
            watch.step(1, "")
            continue
        batch.append(item)
        if len(batch) == AT_A_TIME:
            yield from _classified(batch, cpu_limit, watch)
            batch.clear()
    if batch:
        yield from _classified(batch, cpu_limit, watch)


def _classified(batch: list[Puzzle], cpu_limit: float, watch: Watch) -> Iterator[Mended]:
    puzzles = puzzle_batch(batch)
    results = classify(puzzles, cpu_limit=cpu_limit)
    yield from _mended(pa.table(results).select(ANSWER), pa.table(puzzles), cpu_limit, watch)


def _mended(results: pa.Table, puzzles: pa.Table, cpu_limit: float, watch: Watch) -> Iterator[Mended]:
    """Of puzzles and their results, row by row, those with several solutions."""
    several = pc.equal(results["solutions"], "multiple")
    watch.step(len(puzzles) - pc.sum(several).as_py(), "")
    chosen = results.filter(several).to_pylist(), puzzles_of(puzzles.filter(several).combine_chunks().to_batches())
    for row, puzzle in zip(*chosen, strict=True):
        solutions = [picture(row[name], puzzle.width, puzzle.height) for name in ANSWER[1:]]
        yield Mended(puzzle, [] if puzzle.blotted else mendings(puzzle, _authors_first(puzzle, solutions), cpu_limit))
        watch.step(1, "")


def _authors_first(puzzle: Puzzle, solutions: list[np.ndarray]) -> list[np.ndarray]:
    """Two solutions, the author's picture before another one if it is a solution."""
    goal = puzzle.goal
    if goal is None or clues_of(goal) != (puzzle.rows, puzzle.columns):
        return solutions
    return [goal, next(solution for solution in solutions if (solution != goal).any())]
