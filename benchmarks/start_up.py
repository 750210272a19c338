"""What a new user waits for: the first answers of commands, with kernels to compile and without."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import picture

RUNS = 5
HEADING = ["command", "median", "least", "most"]

MODULES_KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
"""Or else each process would compile all modules that it imports."""

FOR_LEARNERS = Recipe("random", 30, 30, 0.45, 7, 30)
"""Its last puzzle needs clause learning, and some milliseconds of it."""


def run(archive: Path) -> list[FigureTable]:  # noqa: ARG001
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {name: write(folder / f"{name}.non", puzzle) for name, puzzle in puzzles().items()}
        rows = [
            first(folder, "solve, by line logic", ["solve", files["line"]]),
            first(folder, "solve, by all rungs and clause learning", ["solve", files["tail"]]),
            first(folder, "solve, a side of 600 cells", ["solve", files["wide"]]),
            first(folder, "warm", ["warm"]),
        ]
        store, cache = str(folder / "store"), {"NUMBA_CACHE_DIR": str(folder / "cache")}
        wall(["generate", "random", "12x12", "--count", "358", "--out", store], cache)
        seconds = until(["classify", store, "--out", str(folder / "run")], cold(folder, "classify"), folder / "run")
        rows.append(["classify, until its first results", seconds, "", ""])
        wall(["warm"], cache)
        cached = [
            ["--help", *spread([wall(["--help"], {}) for _ in range(RUNS)])],
            ["solve", *spread([wall(["solve", files["line"]], cache) for _ in range(RUNS)])],
        ]
    return [
        FigureTable("The first time: no kernel compiled yet, wall seconds of the whole process", HEADING, rows),
        FigureTable("Kernels cached, wall seconds of the whole process", HEADING, cached),
    ]


def puzzles() -> dict[str, Puzzle]:
    """Return one for line logic, one for clause learners, and one whose bit sets take 16 words."""
    goal = recipe_batch(FOR_LEARNERS, 29, 30)["goal"][0].as_py()
    diamond = np.abs(np.indices((5, 5)) - 2).sum(axis=0) <= 2
    wide = np.ones((2, 600), np.uint8)
    return {
        "line": from_picture(diamond.astype(np.uint8)),
        "tail": from_picture(picture(goal, 30, 30)),
        "wide": from_picture(wide),
    }


def write(file: Path, puzzle: Puzzle) -> str:
    """Return a puzzle as Simpson's .non; returns the file's name."""
    rows, columns = (
        "\n".join(",".join(str(block.length) for block in clue) or "0" for clue in side)
        for side in (puzzle.rows, puzzle.columns)
    )
    file.write_text(f"width {puzzle.width}\nheight {puzzle.height}\n\nrows\n{rows}\n\ncolumns\n{columns}\n")
    return str(file)


def first(folder: Path, name: str, arguments: list[str]) -> list[object]:
    """Return a row of the table: a command on a machine that has compiled nothing."""
    return [name, wall(arguments, cold(folder, name)), "", ""]


def cold(folder: Path, name: str) -> dict[str, str]:
    """Return an empty cache of kernels."""
    return {"NUMBA_CACHE_DIR": str(folder / "caches" / name)}


def wall(arguments: list[str], environment: dict[str, str]) -> float:
    start = time.monotonic()
    command = [sys.executable, "-m", "nonocensus", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | MODULES_KEPT | environment)
    return time.monotonic() - start


def until(arguments: list[str], environment: dict[str, str], run: Path) -> float:
    """Wall seconds from a command's start to the first finished file of results."""
    start = time.monotonic()
    command = [sys.executable, "-m", "nonocensus", "--quiet", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | MODULES_KEPT | environment) as process:
        while not list(run.glob("results/*.json")):
            if process.poll() not in (None, 0):
                raise SystemExit(f"classify ended with status {process.returncode}")
            time.sleep(0.01)
        return time.monotonic() - start


def spread(times: list[float]) -> list[object]:
    ordered = sorted(times)
    return [ordered[len(ordered) // 2], ordered[0], ordered[-1]]
