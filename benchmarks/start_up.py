"""How long the command line takes to answer: --help, and one small puzzle, with kernels to compile and without."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.tables import Table

PUZZLE = "width 5\nheight 5\n\nrows\n1\n3\n5\n3\n1\n\ncolumns\n1\n3\n5\n3\n1\n"
RUNS = 5


def run(archive: Path) -> list[Table]:  # noqa: ARG001
    with tempfile.TemporaryDirectory() as folder:
        puzzle = Path(folder) / "diamond.non"
        puzzle.write_text(PUZZLE)
        cache = {"NUMBA_CACHE_DIR": f"{folder}/cache"}
        cold = wall(["solve", str(puzzle)], cache)
        warm = [wall(["solve", str(puzzle)], cache) for _ in range(RUNS)]
        helps = [wall(["--help"], {}) for _ in range(RUNS)]
    rows: list[list[object]] = [
        ["nonocensus --help", *spread(helps)],
        ["nonocensus solve FILE, kernels cached", *spread(warm)],
        ["nonocensus solve FILE, first time: kernels compiled", cold, "", ""],
    ]
    return [Table("Whole process, wall seconds", ["command", "median", "least", "most"], rows)]


def wall(arguments: list[str], environment: dict[str, str]) -> float:
    start = time.monotonic()
    command = [sys.executable, "-m", "nonocensus", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
    return time.monotonic() - start


def spread(times: list[float]) -> list[object]:
    ordered = sorted(times)
    return [ordered[len(ordered) // 2], ordered[0], ordered[-1]]
