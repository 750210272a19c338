"""The whole ladder: CPU seconds for a verdict on every puzzle of a set, one core, kernels compiled."""

import gc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.line_logic import archived, random_puzzles
from benchmarks.tables import Table
from solver.api import classify
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch

CPU_LIMIT = 20.0
SLOWEST = 12
PARTS = ("cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat")


def run(archive: Path) -> list[Table]:
    data = archive.parent
    sets = {"500 random 30x30, half black": random_puzzles(500, 30)}
    for path in (archive, data / "color", data / "survey-mono", data / "hard-mono"):
        if path.exists():
            sets[path.name] = archived(path)
    results = {name: verdicts(puzzles) for name, puzzles in sets.items()}
    totals = [total_of(name, table) for name, table in results.items()]
    heading = [
        "set",
        "puzzles",
        "undecided",
        "CPU s",
        "median s",
        "most s",
        *(part.removeprefix("cpu_") for part in PARTS),
    ]
    tables = [Table(f"Verdicts, at most {CPU_LIMIT:.0f} CPU seconds a puzzle", heading, totals)]
    for name, table in results.items():
        slowest = table.sort_by([("cpu_seconds", "descending")]).slice(0, SLOWEST)
        rows = [
            [row["puzzle_id"], row["label"], row["engine"] or "", row["cpu_seconds"], row["conflicts"] or 0]
            for row in slowest.to_pylist()
        ]
        tables.append(Table(f"Slowest of {name}", ["puzzle", "verdict", "by", "CPU s", "conflicts"], rows))
    return tables


def verdicts(puzzles: list[Puzzle]) -> pa.Table:
    """Results of a set; its kinds of puzzles are classified once before, so that all kernels are compiled."""
    batch = puzzle_batch(puzzles)
    classify(batch, cpu_limit=0.01)
    gc.freeze()  # thousands of Puzzle objects that no worker holds would be searched for garbage in the middle
    return pa.Table.from_batches([classify(batch, cpu_limit=CPU_LIMIT)])


def total_of(name: str, table: pa.Table) -> list[object]:
    seconds = table["cpu_seconds"].to_numpy()
    undecided = pc.sum(pc.equal(table["solutions"], "unknown")).as_py()
    parts = [float(pc.sum(table[part]).as_py() or 0.0) for part in PARTS]
    return [name, len(table), undecided, float(seconds.sum()), float(np.median(seconds)), float(seconds.max()), *parts]
