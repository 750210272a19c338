"""Rows as strangers' files may hold them, by the million, through a solver that checks every index and step.

python -m benchmarks.hostile COUNT SEED     the part that runs in its own process; prints its counts as JSON
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

from pipeline.findings.figures_page import FigureTable
from solver.api import classify
from solver.ladder.ladder_options import RUNGS
from tests.hostile import damaged_batch, hostile_batch, puzzle_of, sound
from tests.oracle import solutions

BATCH = 2048
DAMAGED = 16
"""One batch in so many has a damaged offset."""

ENUMERATED, MOST_CELLS = 20, 12
"""One in ENUMERATED sound puzzles of at most MOST_CELLS cells has its solutions enumerated."""

CPU_LIMIT = 5.0
VERDICTS = ("unique", "multiple", "none", "unknown")


def hostile(count: int, seed: int) -> FigureTable:
    """Classify so many hostile rows in the checked mode, every index checked; RuntimeError if anything goes wrong.

    That is: any crash or exception, a status `error`, a row without faults that is `invalid` or one with faults that is
    not, a damaged batch that is taken, a verdict or a picture that enumeration does not confirm.
    """
    command = [sys.executable, "-m", "benchmarks.hostile", str(count), str(seed)]
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NONOCENSUS_CHECKED": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"hostile rows, seed {seed}: ended with {done.returncode}\n{done.stderr[-2000:]}")
    counted = json.loads(done.stdout)
    names = ["rows", "refused with their batch", "invalid", *VERDICTS, "timeout", "error", "enumerated", "CPU seconds"]
    return FigureTable(
        f"Hostile rows, seed {seed}, array indices checked", names, [[counted.get(name, 0) for name in names]]
    )


def counts(count: int, seed: int) -> Counter[str]:
    """What became of so many rows; raises as `hostile` says."""
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
            raise RuntimeError(f"in the batch from row {first} on: {error}") from error
    return counted


def check_refused(batch: pa.RecordBatch) -> None:
    try:
        classify(batch)
    except ValueError:
        return
    raise AssertionError("a damaged batch was taken")


def classify_and_check(rng: np.random.Generator, batch: pa.RecordBatch) -> Counter[str]:
    """The verdicts of a batch, at a random rung, depth and use of the goals; each row checked."""
    rung, depth = str(rng.choice(RUNGS, p=[0.1, 0.1, 0.1, 0.7])), int(rng.integers(1, 4))
    rows = classify(batch, cpu_limit=CPU_LIMIT, rung=rung, depth=depth, check_goal=bool(rng.integers(0, 2)))
    counted = Counter[str]()
    small = rng.integers(0, ENUMERATED, len(batch)) == 0
    names = ["status", "solutions", "solution", "second_solution", "error"]
    for p, (puzzle, row) in enumerate(zip(batch.to_pylist(), rows.select(names).to_pylist(), strict=True)):
        good = sound(puzzle)
        if row["status"] not in (("ok", "timeout") if good else ("invalid",)):
            raise AssertionError(f"status {row['status']} ({row['error']}) of {puzzle}")
        counted[row["solutions"] if row["status"] == "ok" else row["status"]] += 1
        if good and small[p] and puzzle["width"] * puzzle["height"] <= MOST_CELLS:
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
