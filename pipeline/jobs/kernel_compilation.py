"""Compile kernels in processes side by side, before work that needs them starts.

Compiling takes tens of seconds, loading a fraction of one. A session (`pipeline.jobs.engine`, the commands solve and
serve) compiles the stages that the cache lacks for the kinds of its puzzles; each process loads them from there. A task
that meets another kind, or runs on a machine that has joined a cluster since, compiles them itself (`compile_here`).

The processes run `python -m nonocensus.pipeline.jobs.kernel_compilation WORDS:COLORED:STAGE ...`: a kind, and one of
solver.ladder.climb.STAGES, `techniques`, `proofs`, `covers` or `imports`. They print a line after each stage.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

import numba
import numpy as np
import pyarrow as pa

import nonocensus
from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError, StorageError
from nonocensus.solver.api import classify
from nonocensus.solver.jit.kernel_cache import cache_folder, is_compiled, mark_compiled
from nonocensus.solver.ladder.climb import STAGES
from nonocensus.solver.ladder.memory import kernel_kinds
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, from_picture
from nonocensus.solver.model.tables import DECISIVE, puzzle_batch
from nonocensus.solver.model.views import views
from nonocensus.solver.operating_system import cores

ROOT = Path(nonocensus.__file__).resolve().parents[1]
"""The folder that has the package, where its processes start."""

TITLE = "Compiling the solver's kernels (once per machine)"

PALETTE = (*BLACK_ON_WHITE, Color("red", "r", "ff0000"))

KernelKind = tuple[int, bool]
"""(64-bit words of a line's bit set, has several colours): what kernels are specialized for."""

CompilationWork = tuple[KernelKind, tuple[str, ...]]
"""Stages that a process compiles for a kind."""

COMMON_KINDS: tuple[KernelKind, ...] = ((1, False), (1, True))
"""Puzzles up to 63 cells a side."""

ALL_KINDS: tuple[KernelKind, ...] = (*COMMON_KINDS, (2, False), (2, True))
"""Puzzles up to 127 cells a side: nearly all of any archive."""

LADDER = STAGES
"""Kernels that decide puzzles."""

TECHNIQUES = "techniques"
"""Kernels of human techniques, for hints, explanations and grades; not part of the ladder."""

SOLVING = (*LADDER, TECHNIQUES)
"""Kernels that decide, explain and grade puzzles."""

PROOFS = "proofs"
"""Kernels that record certificates."""

COVERS = "covers"
"""Kernels of exact covers."""

IMPORTS = "imports"
"""Kernels that read large files."""

KINDLESS: CompilationWork = (COMMON_KINDS[0], (COVERS, IMPORTS))
"""Stages that do not depend on the kind, listed under one of them."""

SHARES = (("line", "lookahead", "search", "tail", PROOFS), (TECHNIQUES, "checks"))
"""All stages by process, those together that share kernels: each takes as long as the other."""

MODES = ("one process", "another process", "plain Python")
"""How `check_kernels` runs the kernels."""

_compiled: set[tuple[KernelKind, str]] = set()
"""Stages known to be compiled."""


def batch_kinds(batch: pa.RecordBatch) -> set[KernelKind]:
    """Return the kinds of a batch's valid puzzles."""
    is_valid = np.ones(len(batch), np.bool_)
    is_valid[list(faults_of(batch))] = False
    return kernel_kinds(views(batch.filter(pa.array(is_valid))))


def example(words: int, colored: bool) -> pa.RecordBatch:
    """Return a puzzle of a kind, to compile kernels on."""
    cells = 3 if words == 1 else 32 * words
    picture = np.zeros((3, cells), np.uint8)
    picture[:] = (np.arange(cells) + np.arange(3)[:, None]) % (3 if colored else 2)
    return puzzle_batch([from_picture(picture, palette=PALETTE[: 3 if colored else 2])])


def missing(wanted: Iterable[KernelKind], stages: Iterable[str]) -> list[CompilationWork]:
    """Return those of some stages for some kinds that are not compiled, by process."""
    if numba.config.DISABLE_JIT or cache_folder() is None:
        return []
    cold = {(kind, stage) for kind in wanted for stage in stages if not _is_compiled(kind, stage)}
    shares = [
        (kind, tuple(stage for stage in share if (kind, stage) in cold))
        for share in SHARES
        for kind in sorted({kind for kind, _ in cold})
    ]
    return [(kind, share) for kind, share in shares if share]


def compile_missing(wanted: Iterable[KernelKind], stages: Iterable[str], progress: ProgressCallbacks = SILENT) -> bool:
    """Compile those of some stages for some kinds that are not compiled, side by side; returns whether there are any.

    Without a cache folder nothing is compiled here, since each process has to do it itself.
    """
    work = missing(wanted, stages)
    if work:
        compile_all(work, progress)
    return bool(work)


def compile_here(wanted: Iterable[KernelKind], stages: Sequence[str]) -> None:
    """Compile those of some stages for some kinds that are not compiled, in this process."""
    if numba.config.DISABLE_JIT:
        return
    for kind in wanted:
        for stage in stages:
            if not _is_compiled(kind, stage):
                compile_stage(kind, stage)
                _compiled.add((kind, stage))


def _is_compiled(kind: KernelKind, stage: str) -> bool:
    """Return whether a stage is compiled for a kind."""
    if (kind, stage) not in _compiled and is_compiled(_name(kind, stage)):
        _compiled.add((kind, stage))
    return (kind, stage) in _compiled


def _name(kind: KernelKind, stage: str) -> str:
    """Return the name of a stage for a kind in the cache."""
    return f"{kind[0]}-{'color' if kind[1] else 'mono'}-{stage}"


def compile_stage(kind: KernelKind, stage: str) -> None:
    """Compile a stage for a kind in this process, or load what others have compiled of it."""
    from nonocensus.scrapers.formats.jsonl import write
    from nonocensus.scrapers.formats.jsonl_columns import read_batches
    from nonocensus.solver.exact_cover.solve import warm_up as warm_up_covers
    from nonocensus.solver.ladder.climb import warm_up
    from nonocensus.solver.people.assumptions import compile_for
    from nonocensus.solver.people.puzzle_grade import compile_grading
    from nonocensus.solver.proofs.record import compile_recorder

    batch = views(example(*kind))
    if stage == COVERS:
        warm_up_covers()
    elif stage == IMPORTS:
        list(read_batches(write(from_picture(np.ones((3, 3), np.uint8)))))
    elif stage == TECHNIQUES:
        compile_for(batch)
        compile_grading(*kind)
    elif stage == PROOFS:
        compile_recorder(*kind)
    else:
        warm_up(batch, (stage,))
    mark_compiled(_name(kind, stage))


def warm(store: str | None, progress: ProgressCallbacks = SILENT) -> str:
    """Compile all stages for a store's puzzles, or for ALL_KINDS; return the cache folder.

    Raises StorageError if it does not have them afterwards.
    """
    from nonocensus.pipeline.store.parts import open_store

    batches = [] if store is None else open_store(store).batches([*DECISIVE])
    kinds = ALL_KINDS if store is None else set[KernelKind]().union(*map(batch_kinds, batches))
    work = [*((kind, stages) for stages in SHARES for kind in sorted(kinds)), KINDLESS]
    folder = compile_all(work, progress)
    if not all(is_compiled(_name(kind, stage)) for kind, stages in work for stage in stages):
        raise StorageError(f"compiled kernels can't be saved in {folder}: set NUMBA_CACHE_DIR to a folder with room")
    return folder


def check_kernels() -> str:
    """Compare the answers of kernels loaded by two processes with those of the same code as plain Python.

    Returns a line about the comparison. Raises InputError if the answers differ, or a process fails.
    """
    processes = [_start_answering(mode) for mode in MODES]
    try:
        outputs = [process.communicate() for process in processes]
    finally:
        _end(processes)
    advice = f"delete {cache_folder()} and run it again; if that does not help, please report it"
    for mode, process, (_, errors) in zip(MODES, processes, outputs, strict=True):
        if process.returncode:
            reason = errors.splitlines()[-1] if errors else f"it ended with status {process.returncode}"
            raise InputError(f"kernels can't be checked in {mode}: {reason}; {advice}")
    first, *others = (json.loads(output) for output, _ in outputs)
    for mode, rows in zip(MODES[1:], others, strict=True):
        for row, other in zip(first, rows, strict=True):
            if row != other:
                column = next(name for name in row if row[name] != other[name])
                found = f"{row[column]} in {MODES[0]} and {other[column]} in {mode}"
                raise InputError(f"kernels are wrong: {column} of {row['puzzle_id']} is {found}; {advice}")
    return f"{len(first)} puzzles, mono and coloured, have the same answers from two processes and plain Python"


def answers() -> str:
    """Classify small examples; returns their rows of the results table as JSON, without times."""
    rng = np.random.default_rng(6)
    pictures = [rng.choice(len(shares), (10, 10), p=shares) for shares in 8 * [(0.5, 0.5)] + 8 * [(0.5, 0.25, 0.25)]]
    puzzles = [
        from_picture(picture, palette=PALETTE[: picture.max() + 1], puzzle_id=f"check/{number}")
        for number, picture in enumerate(pictures, 1)
    ]
    rows = classify(puzzle_batch(puzzles), cpu_limit=math.inf).to_pylist()
    timed = ("cpu_", "wall_")
    return json.dumps([{name: row[name] for name in row if not name.startswith(timed)} for row in rows], default=list)


def _start_answering(mode: str) -> "subprocess.Popen[str]":
    """Start a process that prints `answers`, in one of MODES."""
    environment = {"NUMBA_DISABLE_JIT": "1"} if mode == MODES[-1] else {}
    return _start(["-c", f"from {__name__} import answers; print(answers())"], subprocess.PIPE, environment)


def compile_all(work: Sequence[CompilationWork], progress: ProgressCallbacks) -> str:
    """Compile stages for kinds, in a process per core, at least two; returns the cache folder.

    Raises StorageError if a process fails.
    """
    folder = cache_folder()
    if folder is None:
        raise StorageError("compiled kernels can't be kept: set NUMBA_CACHE_DIR to a folder of your own")
    progress.on_message(TITLE)
    progress.on_start("compiling", sum(len(stages) for _, stages in work), 0)
    processes: list[subprocess.Popen[str]] = []
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "w") as pipe:
            count = min(max(cores(), 2), len(work))
            shares = [work[k::count] for k in range(count)]
            for share in shares:
                named = (f"{words}:{int(colored)}:{stage}" for (words, colored), stages in share for stage in stages)
                processes.append(_start(["-m", "nonocensus.pipeline.jobs.kernel_compilation", *named], pipe, {}))
        with os.fdopen(reading) as lines:
            for line in lines:
                progress.on_progress(1, line.strip())
        for process in processes:
            errors = process.communicate()[1].splitlines()
            if process.returncode:
                reason = errors[-1] if errors else f"the compiler ended with status {process.returncode}"
                raise StorageError(f"kernels can't be compiled into {folder}: {reason}")
    finally:
        _end(processes)
    return str(folder)


def _start(arguments: list[str], output: TextIO | int, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Start a process of Python, which Ctrl-C in a terminal does not reach."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _end(processes: "Iterable[subprocess.Popen[str]]") -> None:
    """Terminate the processes that still run."""
    for process in processes:
        process.terminate()
    for process in processes:
        with process:  # closes its pipes and waits for it
            pass


def _compile_stages(names: Sequence[str]) -> None:
    """Compile stages named WORDS:COLORED:STAGE in this process."""
    for name in names:
        words, colored, stage = name.split(":")
        compile_stage((int(words), colored == "1"), stage)
        where = "" if stage in KINDLESS[1] else " in colour" if colored == "1" else " in black and white"
        os.write(sys.stdout.fileno(), f"{stage}{where}\n".encode())  # in one piece: others write to the same pipe


if __name__ == "__main__":
    _compile_stages(sys.argv[1:])
