"""Sudokus graded for people: of files of 9x9 puzzles, and made by rule, 9x9 and larger.

python -m benchmarks sudoku-grade FILE...; files as those of the benchmark sudoku.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import thread_time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.findings import run_command
from benchmarks.scale import timed
from benchmarks.sudoku_speed import dug, read
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.run.job_tables import current_grades
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.solver.sudoku.sudoku_batch import grid_batch
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades

FIRST = 20_000
"""Puzzles of a file that are graded."""

MADE = [((3, 3), 0.0, 200), ((4, 3), 0.0, 10), ((4, 4), 0.42, 10), ((5, 5), 0.5, 5), ((5, 5), 0.46, 5)]
"""Boxes, the share of givens at which no more are taken away, if the puzzle is not minimal before; how many."""

TIMES = [0.5, 0.99, 1]


def run(_: Path, files: Sequence[Path] = ()) -> list[FigureTable]:
    rng = np.random.default_rng(1)
    sets = [(file.name, grid_batch(read(file)[:FIRST], 3, 3)) for file in files]
    for (wide, high), share, number in MADE:
        made = np.array([dug(wide, high, share, rng) for _ in range(number)])
        sets.append((f"made {wide * high}x{wide * high}", grid_batch(made, wide, high)))
    heading = ["puzzles", "number", "least givens", "a second", *(f"grade {grade}" for grade in range(1, 10))]
    tables = [
        FigureTable(
            "`grades`, one core, Arrow to Arrow",
            [*heading, "median CPU s", "99 % within", "slowest"],
            [graded(name, batch) for name, batch in sets],
        )
    ]
    if files:
        heading = ["puzzles", "number", "wall s", "CPU s in kernels", "peak MB, command", "peak MB, a worker"]
        tables.append(
            FigureTable("`grade RUN` of each file, Ray's start included", heading, [kept(file) for file in files])
        )
    return tables


def graded(name: str, batch: pa.RecordBatch) -> list[object]:
    unique = np.ones(len(batch), np.bool_)
    grades(batch.slice(0, 1), unique[:1])
    begun = thread_time()
    found = grades(batch, unique)
    speed = len(batch) / (thread_time() - begun)
    counts = np.bincount(found["grade"].to_numpy(), minlength=10)[1:].tolist()
    times = pc.quantile(found["cpu_seconds"], TIMES).to_pylist()
    return [name, len(batch), pc.min(batch["clues"]).as_py(), speed, *counts, *times]


def kept(file: Path) -> list[object]:
    """Return the command, of a run of all puzzles of a file."""
    with tempfile.TemporaryDirectory() as folder:
        store, place = f"{folder}/store", f"{folder}/run"
        run_command("import", str(file), "--out", store)
        run_command("classify", store, "--out", place)
        _, *measured = timed(("grade", place))
        found = current_grades(open_run(place))
        return [file.name, len(found), measured[0], pc.sum(found["cpu_seconds"]).as_py(), *measured[1:]]
