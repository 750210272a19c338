"""How fast puzzles come into a store: archives of files and of JSON lines, a million small puzzles."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.people import PEOPLE
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.store.parts import open_store
from nonocensus.scrapers.formats import jsonl
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import with_metadata
from nonocensus.solver.model.tables import puzzles_of

HEADING = ["what", "puzzles", "wall seconds", "CPU seconds", "ms of CPU a puzzle"]
FILES, PUZZLES = 50, 20_000
RECIPE = Recipe("random", 10, 10, 0.5, 1, PUZZLES)


def run(archive: Path) -> list[FigureTable]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        million = folder / "million"
        million.mkdir()
        text = b"".join(
            jsonl.write(with_metadata(puzzle, puzzle_id="")) for puzzle in puzzles_of(recipe_batch(RECIPE, 0, PUZZLES))
        )
        for number in range(FILES):
            (million / f"{number:02}.jsonl").write_bytes(text)
        generate = ["generate", "random", "10x10", "--count", str(FILES * PUZZLES)]
        rows = [
            row("import 10x10 as JSON lines", ["import", str(million)], folder / "million-store"),
            [*row("generate random 10x10", generate, folder / "generated-store")[:3], None, None],  # by Ray's workers
        ]
        lines = sorted(PEOPLE.glob("*.jsonl.xz"))
        for path in (path for path in [*lines[::-1], archive] if path.exists()):
            rows.insert(0, row(f"import {path.name}", ["import", str(path)], folder / path.name))
        if lines:
            rows.insert(1 + len(lines), row("import these", ["import", *map(str, lines)], folder / "lines-store"))
    return [FigureTable("Puzzles into a store, kernels cached, the whole process with its start", HEADING, rows)]


def row(name: str, arguments: list[str], store: Path) -> list[object]:
    """Return a row of the table: one command."""
    command = [sys.executable, "-m", "nonocensus", "--quiet", *arguments, "--out", str(store)]
    start, cpu_start = time.monotonic(), _child_cpu_seconds()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
    seconds, cpu_seconds = time.monotonic() - start, _child_cpu_seconds() - cpu_start
    puzzles = open_store(str(store)).rows()
    return [name, puzzles, seconds, cpu_seconds, 1e3 * cpu_seconds / puzzles]


def _child_cpu_seconds() -> float:
    """Return the CPU seconds of all processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
