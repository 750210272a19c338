"""How fast puzzles come into a store: an archive of files, and a million puzzles in regular tournament files."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipeline.findings.figures_page import FigureTable
from pipeline.store.parts import open_store
from scrapers.formats import taai
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.model.tables import puzzles_of

HEADING = ["what", "puzzles", "wall seconds", "puzzles a second"]
FILES, PUZZLES = 50, 20_000
RECIPE = Recipe("random", 10, 10, 0.5, 1, PUZZLES)


def run(archive: Path) -> list[FigureTable]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tournaments = folder / "tournaments"
        tournaments.mkdir()
        text = b"".join(map(taai.write, puzzles_of(recipe_batch(RECIPE, 0, PUZZLES))))
        for number in range(FILES):
            (tournaments / f"{number:02}.taai").write_bytes(text)
        generate = ["generate", "random", "10x10", "--count", str(FILES * PUZZLES)]
        rows = [
            row("import tournament files, 10x10", ["import", str(tournaments)], folder / "tournaments-store"),
            row("generate random 10x10", generate, folder / "generated-store"),
        ]
        if archive.exists():
            rows.insert(0, row(f"import {archive.name}", ["import", str(archive)], folder / "archive-store"))
    return [FigureTable("Puzzles into a store, kernels cached, wall seconds of the whole process", HEADING, rows)]


def row(name: str, arguments: list[str], store: Path) -> list[object]:
    """Return a row of the table: one command."""
    command = [sys.executable, "-m", "nonocensus", "--quiet", *arguments, "--out", str(store)]
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
    seconds = time.monotonic() - start
    puzzles = open_store(str(store)).rows()
    return [name, puzzles, seconds, round(puzzles / seconds)]
