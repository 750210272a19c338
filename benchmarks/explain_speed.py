"""Explanations: time and length, compared with pbnsolve's -m.

Set PBNSOLVE to the path of a built pbnsolve for its column, and EXPLAINED to a folder of puzzle files for the second
table: some that line logic solves, and some that need assumptions.
"""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.reports.words.step_words import describe_steps
from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import named
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of
from nonocensus.solver.model.techniques import LINE_TECHNIQUES
from nonocensus.solver.people.explanation import Explanation, explain

RECIPE = Recipe("blobs", 30, 30, 0.5, 1, 200)
LINES = ["puzzles", "median s", "slowest s", "steps, median", "steps, most"]
ONE = [
    *("puzzle", "size", "state", "hardest", "CPU s", "steps", "assumptions", "longest chain", "words"),
    *("pbnsolve -m: lines", "its CPU s"),
]


def run(_: Path) -> list[FigureTable]:
    puzzles = list(puzzles_of(recipe_batch(RECIPE, 0, RECIPE.count)))
    technique = classify(puzzle_batch(puzzles))["technique"].to_pylist()
    by_lines = [puzzle for puzzle, rung in zip(puzzles, technique, strict=True) if rung == "line"]
    tables = [FigureTable("Smooth blobs of 30x30 that line logic solves", LINES, [summed(by_lines)])]
    if folder := os.environ.get("EXPLAINED"):
        found = [item for item in read_files(files_in([Path(folder)])) if isinstance(item, Puzzle)]
        explain(found[0])
        tables.append(FigureTable(f"Puzzles of {Path(folder).name}", ONE, [row(puzzle) for puzzle in found]))
    return tables


def summed(puzzles: list[Puzzle]) -> list[Any]:
    """Times and lengths of the explanations of some puzzles."""
    explain(puzzles[0])
    measured = [timed(puzzle) for puzzle in puzzles]
    seconds, steps = [each[1] for each in measured], [len(each[0].steps) for each in measured]
    return [len(puzzles), statistics.median(seconds), max(seconds), int(statistics.median(steps)), max(steps)]


def timed(puzzle: Puzzle) -> tuple[Explanation, float]:
    """Return an explanation, checked, and the CPU seconds that it took."""
    begun = time.process_time()
    explanation = explain(puzzle)
    return explanation, time.process_time() - begun


def row(puzzle: Puzzle) -> list[Any]:
    """Return one puzzle's explanation compared with pbnsolve's."""
    explain(puzzle, most=1)  # loads kernels
    explanation, seconds = timed(puzzle)
    chains = [len(step.assumption.then) for step in explanation.steps if step.assumption is not None]
    assumptions = sum(step.technique >= LINE_TECHNIQUES for step in explanation.steps)
    words = sum(len(step.what.split()) for step in describe_steps(explanation))
    hardest = explanation.hardest
    ours = [explanation.state, hardest and hardest.name, seconds, len(explanation.steps), assumptions]
    size = f"{puzzle.width}x{puzzle.height}"
    return [puzzle.puzzle_id, size, *ours, max(chains, default=0), words, *pbnsolve(puzzle)]


def pbnsolve(puzzle: Puzzle) -> list[Any]:
    """Return lines that pbnsolve -m prints, and its CPU seconds; nothing without it."""
    program = os.environ.get("PBNSOLVE")
    if program is None:
        return ["", ""]
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(named("webpbn-xml").write(puzzle))
        file.flush()
        before = os.times()
        result = subprocess.run([program, "-m", "-u", "-x60", file.name], capture_output=True, check=False)
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return [result.stdout.count(b"\n"), round(spent, 2)]
