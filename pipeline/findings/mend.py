"""Puzzles with several solutions, of runs, stores and files, and the smallest change found that leaves one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.run.folder import Run
from pipeline.run.mendings import write_mendings
from pipeline.run.pairs import pairs
from pipeline.store.lock import sole_writer
from pipeline.store.parts import refuse_others
from pipeline.watch import Watch
from scrapers.importing import Problem
from scrapers.pictures.mending import Change, Mending, mendings
from solver import __version__
from solver.api import classify
from solver.puzzle import Clue, Puzzle, clues_of
from solver.tables import MENDINGS, PUZZLES, picture, puzzle_batch, puzzles_of

AT_A_TIME = 256
"""Puzzles that are classified in one call where no run has done so."""

ANSWER = ["solutions", "solution", "second_solution", "clue_hash"]

LISTED = 4
"""Changed cells that are named one by one."""


class Mended(NamedTuple):
    """A puzzle with several solutions.

    puzzle      as it is
    mendings    changes that leave one solution, the smallest first; none if none was found, or a length is hidden
    clue_hash   of its result
    """

    puzzle: Puzzle
    mendings: list[Mending]
    clue_hash: str | None


def mend_run(run: Run, cpu_limit: float, watch: Watch) -> Iterator[Mended]:
    """The puzzles that a run has found to have several solutions; after the last one the run keeps what was found.

    An InputError refuses a run whose store has changed, a UserError one that another command works on.
    """
    refuse_others(run.family, run.folder.name)
    kept = list[dict[str, Any]]()
    with sole_writer(run.folder):
        watch.begun("mending", run.rows)
        for results, puzzles in pairs(run, ANSWER, PUZZLES.names):
            for mended in _mended(results, puzzles, cpu_limit, watch):
                kept += [_row(mended, mending) for mending in mended.mendings[:1]]
                yield mended
        write_mendings(run, pa.Table.from_pylist(kept, MENDINGS))


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
    watch.step(len(puzzles) - (pc.sum(several).as_py() or 0), "")
    chosen = results.filter(several).to_pylist(), puzzles_of(puzzles.filter(several).combine_chunks().to_batches())
    for row, puzzle in zip(*chosen, strict=True):
        solutions = [picture(row[name], puzzle.width, puzzle.height) for name in ("solution", "second_solution")]
        found = [] if puzzle.blotted else mendings(puzzle, _authors_first(puzzle, solutions), cpu_limit)
        yield Mended(puzzle, found, row["clue_hash"])
        watch.step(1, "")


def _authors_first(puzzle: Puzzle, solutions: list[np.ndarray]) -> list[np.ndarray]:
    """Two solutions, the author's picture before another one if it is a solution."""
    goal = puzzle.goal
    if goal is None or clues_of(goal) != (puzzle.rows, puzzle.columns):
        return solutions
    return [goal, next(solution for solution in solutions if (solution != goal).any())]


def _row(mended: Mended, mending: Mending) -> dict[str, Any]:
    """A row of the table of mendings."""
    goal = mending.puzzle.goal
    return {
        "puzzle_id": mended.puzzle.puzzle_id,
        "clue_hash": mended.clue_hash,
        "change": in_words(mending),
        "cells": mending.cells,
        "mended": None if goal is None else goal.tobytes(),
        "solver_version": __version__,
    }


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
