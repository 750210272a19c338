"""Answers checked a second: as arrays in bulk, and as texts one by one."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nonocensus as nc
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.reports.words.task_prompts import key_of
from nonocensus.scrapers.pictures.recipe import Recipe, pictures, recipe_batch
from nonocensus.solver.model.tables import puzzles_of

GRIDS = 100_000
TEXTS = 5_000
ROUNDS = 5
RECIPE = Recipe("random", 15, 15, 0.5, 1, GRIDS)


def run(_: Path) -> list[FigureTable]:
    batch, grids = recipe_batch(RECIPE, 0, GRIDS), pictures(RECIPE, 0, GRIDS)
    puzzle = next(iter(puzzles_of(batch)))
    assert puzzle.goal is not None
    same, text = np.repeat(puzzle.goal[None], GRIDS, axis=0), key_of(puzzle, puzzle.goal)
    assert nc.check_each(batch, grids).all()
    cases: list[tuple[str, int, Callable[[], object]]] = [
        ("grids of one puzzle, nc.check_each", GRIDS, lambda: nc.check_each(puzzle, same)),
        ("grids of as many puzzles, nc.check_each", GRIDS, lambda: nc.check_each(batch, grids)),
        ("texts, nc.check", TEXTS, lambda: [nc.check(puzzle, text) for _ in range(TEXTS)]),
    ]
    rows = [(name, f"{count:,}", *(f"{count / t:,.0f}" for t in _times(work))) for name, count, work in cases]
    return [FigureTable("", ["15x15", "number", "a second, best", "a second, worst"], rows)]


def _times(work: Callable[[], object]) -> tuple[float, float]:
    """Return the least and the most wall seconds of ROUNDS."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), max(seconds)
