"""Compiled kernels for a worker: compiled once on a machine, loaded from its disk by everyone else.

Compiling takes tens of seconds, loading a fraction of one. Of the processes of a machine that need a kernel at the same
time one compiles it while the others wait.
"""

from contextlib import nullcontext

import llvmlite.binding as llvm
import numpy as np
import pyarrow as pa
from filelock import FileLock

from pipeline.store.parts import open_store
from solver.api import classify
from solver.check import faults_of
from solver.jit import CACHE_FOLDER
from solver.ladder.groups import kinds
from solver.ladder.warm import warm_up
from solver.puzzle import BLACK_ON_WHITE, Color, from_picture
from solver.tables import puzzle_batch
from solver.views import views

SHORT = 0.001
"""CPU seconds for a first puzzle, which has the kernels that check and write ready too."""

PALETTE = (*BLACK_ON_WHITE, Color("red", "r", "ff0000"))

_warmed: set[tuple[int, bool]] = set()


def warm(batch: pa.RecordBatch) -> None:
    """Have the kernels ready that the puzzles of a batch (solver.tables.check_readable) may need."""
    if not kinds(views(batch)) - _warmed:
        return
    # nothing is compiled or made room for what no kernel will see
    sound = np.ones(len(batch), np.bool_)
    sound[list(faults_of(batch))] = False
    batch = batch.filter(pa.array(sound))
    seen = views(batch)
    missing = kinds(seen) - _warmed
    if not missing:
        return
    CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    cpu = llvm.get_host_cpu_name()  # machines that share a folder may differ
    marks = [CACHE_FOLDER / f"{cpu}-{words}{'-color' if colored else ''}.compiled" for words, colored in missing]
    compiled = all(mark.exists() for mark in marks)
    with nullcontext() if compiled else FileLock(CACHE_FOLDER / "compiling.lock"):
        warm_up(seen)
        classify(batch.slice(0, 1), cpu_limit=SHORT)
    for mark in marks:
        mark.touch()
    _warmed.update(missing)


def warm_for_most() -> str:
    """Compile the kernels for puzzles up to 63 cells a side, mono and coloured; returns the cache's folder."""
    for colors in (1, 2):
        warm(example(colors))
    return str(CACHE_FOLDER)


def example(colors: int) -> pa.RecordBatch:
    """A puzzle of one or two foreground colours."""
    picture = (np.indices((3, 3)).sum(axis=0) % (colors + 1)).astype(np.uint8)
    return puzzle_batch([from_picture(picture, palette=PALETTE[: colors + 1])])


def warm_for_store(uri: str) -> str:
    """Compile the kernels that a store's puzzles need; returns the cache's folder."""
    for batch in open_store(uri).batches():
        warm(batch)
    return str(CACHE_FOLDER)
