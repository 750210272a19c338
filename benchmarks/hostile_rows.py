"""Classify a million rows of untrusted input with a solver that checks every index and step.

python -m benchmarks.hostile_rows COUNT SEED     runs in this process and prints counts as JSON
"""

import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.solver.api import classify
from nonocensus.solver.ladder.ladder_options import RUNGS
from tests.hostile import damaged_batch, hostile_batch, puzzle_of, sound
from tests.oracle import solutions

BATCH = 2048
DAMAGED = 16
"""One in DAMAGED batches has a damaged offset."""

ENUMERATED, MOST_CELLS = 20, 12
"""One in ENUMERATED valid puzzles of at most MOST_CELLS cells has its solutions enumerated."""

CPU_LIMIT = 5.0
VERDICTS = ("unique", "multiple", "none", "unknown")


def hostile(count: int, seed: int) -> FigureTable:
    """Classify `count` hostile rows in the checked mode with bounds checks; raises RuntimeError for any failure.

    Failures: a crash or exception, a status `error`, a valid row that is `invalid` or the reverse, an accepted damaged
    batch, a verdict or picture that contradicts enumeration.
    """
    command = [sys.executable, "-m", "benchmarks.hostile_rows", str(count), str(seed)]
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NONOCENSUS_CHECKED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"hostile rows, seed {seed}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    counted = json.loads(done.stdout)
    names = ["rows", "refused with their batch", "invalid", *VERDICTS, "timeout", "error", "enumerated", "CPU seconds"]
    return FigureTable(
        f"Hostile rows, seed {seed}, array indices checked", names, [[counted.get(name, 0) for name in names]]
    )


def counts(count: int, seed: int) -> Counter[str]:
    """Classify and check `count` rows; returns counts by result."""
    rng = np.random.default_rng(seed)
    counted = Counter[str](rows=count)
    for first in range(0, count, BATCH):
        batch = hostile_batch(rng, min(BATCH, count - first))
        try:
            if rng.integers(0, DAMAGED) == 0:
                check_refused(damaged_batch(rng, batch))
                counted["refused with their batch"] += len(batch)
            else:
                counted += classify_and_check(rng, batch)
        except Exception as error:
            raise RuntimeError(f"batch from row {first}: {error}") from error
    return counted


def check_refused(batch: pa.RecordBatch) -> None:
    try:
        classify(batch)
    except ValueError:
        return
    raise AssertionError("a damaged batch was accepted")


def classify_and_check(rng: np.random.Generator, batch: pa.RecordBatch) -> Counter[str]:
    """Classify a batch at a random rung, depth and use of goals, and check each row; returns counts."""
    rung, depth = str(rng.choice(RUNGS, p=[0.1, 0.1, 0.1, 0.7])), int(rng.integers(1, 4))
    rows = classify(batch, cpu_limit=CPU_LIMIT, rung=rung, depth=depth, check_goal=bool(rng.integers(0, 2)))
    counted = Counter[str]()
    small = rng.integers(0, ENUMERATED, len(batch)) == 0
    names = ["status", "solutions", "solution", "second_solution", "error"]
    for p, (puzzle, row) in enumerate(zip(batch.to_pylist(), rows.select(names).to_pylist(), strict=True)):
        is_valid = sound(puzzle)
        if row["status"] not in (("ok", "timeout") if is_valid else ("invalid",)):
            raise AssertionError(f"status {row['status']} ({row['error']}) of {puzzle}")
        counted[row["solutions"] if row["status"] == "ok" else row["status"]] += 1
        if is_valid and small[p] and puzzle["width"] * puzzle["height"] <= MOST_CELLS:
            found = [bytes(itertools.chain(*cells)) for cells in solutions(puzzle_of(puzzle))]
            truth = ("none", "unique", "multiple")[min(len(found), 2)]
            pictures = {row["solution"], row["second_solution"]} - {None}
            if row["solutions"] not in (truth, *(["unknown"] if rung != "search" else [])) or not pictures <= {*found}:
                raise AssertionError(f"{row} of {puzzle}, which has {len(found)} solutions")
            counted["enumerated"] += 1
    return counted


if __name__ == "__main__":
    start = time.process_time()
    counted = counts(*map(int, sys.argv[1:]))
    print(json.dumps(counted | {"CPU seconds": round(time.process_time() - start, 1)}))
