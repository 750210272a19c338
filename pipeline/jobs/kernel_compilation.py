"""Compiled kernels before they are needed, in processes beside this one.

Compiling takes tens of seconds, loading a fraction of one. Several processes may need a kernel at the same time: one
compiles it while the others wait (solver.jit.kernel).
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import numpy as np
import pyarrow as pa

from pipeline.callbacks import SILENT, ProgressCallbacks
from pipeline.errors import InputError, StorageError
from pipeline.settings import PLACE
from reports.threads import cores
from solver.api import classify
from solver.jit.kernel import is_ready
from solver.jit.kernel_cache import cache_folder
from solver.ladder.fixpoint import example_at_fixpoint
from solver.ladder.ladder_kernels import is_warm
from solver.ladder.lookahead import take_away
from solver.ladder.memory import kinds
from solver.model.check import faults_of
from solver.model.families import SUDOKU
from solver.model.puzzle import BLACK_ON_WHITE, Color, from_picture
from solver.model.tables import DECISIVE, puzzle_batch
from solver.model.views import views

PALETTE = (*BLACK_ON_WHITE, Color("red", "r", "ff0000"))

Kind = tuple[int, bool]
"""Words of a bit set, and whether there are colours."""

FOR_MOST: tuple[Kind, ...] = ((1, False), (1, True))
"""Puzzles up to 63 cells a side."""

SOONER, LATER = ("line", "lookahead"), ("search", "tail")
"""Stages that one process compiles after the other; a third process beside them would take the time of both."""

TECHNIQUES = "techniques"
"""What works on puzzles as people do, for hints, explanations and grades; no part of the ladder."""

SUDOKUS, COVERS = "sudokus", "covers"
"""What has nothing to do with kinds of nonograms: Sudokus, and exact covers."""

ALL = (LATER, (*SOONER, "checks", TECHNIQUES))
"""All stages by the processes that compile them, the longest first."""

WAYS = ("one process", "another process", "plain Python")
"""How the check runs the kernels."""

_warm: set[Kind] = set()
"""Kinds whose kernels are known to be on the disk."""


def needed(batch: pa.RecordBatch) -> set[Kind]:
    """The kinds of a batch's puzzles, but for those that no kernel will see."""
    sound = np.ones(len(batch), np.bool_)
    sound[list(faults_of(batch))] = False
    return kinds(views(batch.filter(pa.array(sound))))


def example(words: int, colored: bool) -> pa.RecordBatch:
    """A puzzle of a kind, to compile kernels on."""
    cells = 3 if words == 1 else 32 * words
    picture = np.zeros((3, cells), np.uint8)
    picture[:] = (np.arange(cells) + np.arange(3)[:, None]) % (3 if colored else 2)
    return puzzle_batch([from_picture(picture, palette=PALETTE[: 3 if colored else 2])])


@contextmanager
def compiled_beside(wanted: set[Kind], shares: tuple[tuple[str, ...], ...] = (SOONER, LATER)) -> Iterator[bool]:
    """A block in which processes of their own compile what these kinds still need; they end with it.

    Yields whether there is anything to compile.
    """
    cold = [kind for kind in sorted(wanted) if kind not in _warm and not is_warm(views(example(*kind)))]
    _warm.update(set(wanted) - set(cold))
    processes = [_compiling([(kind, stages)], subprocess.DEVNULL) for stages in shares for kind in cold]
    try:
        yield bool(cold)
    finally:
        _end(processes)


def most_are_warm() -> bool:
    """Whether the kernels for puzzles up to 63 cells a side have been compiled, but perhaps those of the tail."""
    return all(is_warm(views(example(*kind))) and _techniques_are_warm(kind) for kind in FOR_MOST)


def _techniques_are_warm(kind: Kind) -> bool:
    """Whether the last of the kernels of solver.people that are compiled for a kind is there."""
    memory = example_at_fixpoint(*kind)
    return is_ready(take_away, memory.board, memory.color, 0, 0, 0, memory.workspace)


def warm_for_most(callbacks: ProgressCallbacks = SILENT) -> str:
    """Compile the kernels for nonograms up to 63 cells a side, mono and coloured, Sudokus and exact covers.

    Returns the cache's folder.
    """
    return _compile_all([*_stages_of(FOR_MOST), (FOR_MOST[0], (SUDOKUS, COVERS))], callbacks)


def warm_for_store(uri: str, callbacks: ProgressCallbacks = SILENT) -> str:
    """Compile the kernels that a store's puzzles need; returns the cache's folder."""
    from pipeline.store.parts import open_store

    store = open_store(uri)
    if store.family is SUDOKU:
        return _compile_all([(FOR_MOST[0], (SUDOKUS,))], callbacks)
    return _compile_all(_stages_of(set[Kind]().union(*map(needed, store.batches([*DECISIVE])))), callbacks)


def check_kernels() -> str:
    """Compare what kernels return from two processes that load them, and what their code returns as plain Python.

    Returns what was compared. Raises InputError if the answers differ, or a process fails.
    """
    processes = [_answering(way) for way in WAYS]
    try:
        said = [process.communicate() for process in processes]
    finally:
        _end(processes)
    advice = f"delete {cache_folder()} and run it again; if that does not help, please report it"
    for way, process, (_, errors) in zip(WAYS, processes, said, strict=True):
        if process.returncode:
            reason = errors.splitlines()[-1] if errors else f"it ended with status {process.returncode}"
            raise InputError(f"kernels can't be checked in {way}: {reason}; {advice}")
    first, *others = (json.loads(answered) for answered, _ in said)
    for way, rows in zip(WAYS[1:], others, strict=True):
        for row, other in zip(first, rows, strict=True):
            if row != other:
                column = next(name for name in row if row[name] != other[name])
                found = f"{row[column]} in {WAYS[0]} and {other[column]} in {way}"
                raise InputError(f"kernels are wrong: {column} of {row['puzzle_id']} is {found}; {advice}")
    return f"{len(first)} puzzles, mono and coloured, have the same answers from two processes and plain Python"


def answers() -> str:
    """Classify small examples; returns their rows of the results table as JSON, without what clocks have measured."""
    rng = np.random.default_rng(6)
    pictures = [rng.choice(len(shares), (10, 10), p=shares) for shares in 8 * [(0.5, 0.5)] + 8 * [(0.5, 0.25, 0.25)]]
    puzzles = [
        from_picture(picture, palette=PALETTE[: picture.max() + 1], puzzle_id=f"check/{number}")
        for number, picture in enumerate(pictures, 1)
    ]
    rows = classify(puzzle_batch(puzzles), cpu_limit=math.inf).to_pylist()
    timed = ("cpu_", "wall_")
    return json.dumps([{name: row[name] for name in row if not name.startswith(timed)} for row in rows], default=list)


def _answering(way: str) -> "subprocess.Popen[str]":
    """Start a process that prints `answers`, in one of WAYS."""
    environment = {"NUMBA_DISABLE_JIT": "1"} if way == WAYS[-1] else {}
    return subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import answers; print(answers())"],
        cwd=PLACE,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _stages_of(wanted: Iterable[Kind]) -> list[tuple[Kind, tuple[str, ...]]]:
    """Everything for these kinds."""
    return [(kind, stages) for stages in ALL for kind in sorted(wanted)]


def _compile_all(work: Sequence[tuple[Kind, tuple[str, ...]]], callbacks: ProgressCallbacks) -> str:
    """Compile these stages for these kinds, in a process a core."""
    folder = cache_folder()
    if folder is None:
        raise StorageError("compiled kernels can't be kept: set NUMBA_CACHE_DIR to a folder of your own")
    callbacks.on_start("compiling", sum(len(stages) for _, stages in work))
    processes: list[subprocess.Popen[str]] = []
    here, there = os.pipe()
    try:
        with os.fdopen(there, "w") as pipe:
            count = min(cores(), len(work))
            shares = [work[k::count] for k in range(count)]
            processes.extend(_compiling(share, subprocess.PIPE, pipe) for share in shares)
        with os.fdopen(here) as lines:
            for line in lines:
                callbacks.on_progress(1, line.strip())
        for process in processes:
            said = process.communicate()[1].splitlines()
            if process.returncode:
                reason = said[-1] if said else f"the compiler ended with status {process.returncode}"
                raise StorageError(f"kernels can't be compiled into {folder}: {reason}")
    finally:
        _end(processes)
    return str(folder)


def _compiling(
    work: Sequence[tuple[Kind, tuple[str, ...]]], errors: int, said: int | TextIO = subprocess.DEVNULL
) -> "subprocess.Popen[str]":
    """A process that compiles some stages for some kinds, one after the other; Ctrl-C in a terminal does not reach it.

    errors, said   where its errors go, and what it says, as subprocess has it
    """
    named = (f"{words}:{int(colored)}:{stage}" for (words, colored), stages in work for stage in stages)
    command = [sys.executable, "-m", "pipeline.jobs.compile_stages", *named]
    return subprocess.Popen(
        command,
        cwd=PLACE,
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=errors,
        text=True,
        start_new_session=True,
    )


def _end(processes: "Iterable[subprocess.Popen[str]]") -> None:
    """End what still runs."""
    for process in processes:
        process.terminate()
    for process in processes:
        with process:  # closes its pipe, and waits for it
            pass
