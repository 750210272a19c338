"""The job certify: prove verdicts again without trusting the kernels (docs/CERTIFICATES.md).

Proofs can be kept in a folder: OUT/*.jsonl.gz, and for verdicts of clause learning *.cnf.gz and *.drup.gz.
"""

import gzip
import hashlib
import heapq
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.cost import CostEstimate, estimate_on_results
from nonocensus.pipeline.jobs.engine import JobRequest, RowFilter, lock_run, plan_on_results, run_on_results
from nonocensus.pipeline.jobs.job import Chunk, Job, JobCall, Output, count_by
from nonocensus.pipeline.jobs.kernel_compilation import LADDER, PROOFS, batch_kinds
from nonocensus.pipeline.run.job_tables import (
    KILLED,
    VERDICT,
    Key,
    Row,
    certificate_counts,
    current_certificates,
    pictures_hash,
    verdict_keys,
)
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.paths import Folder, folder
from nonocensus.reports.numbers.figures import Certified
from nonocensus.solver import __version__
from nonocensus.solver.extras import MissingExtra
from nonocensus.solver.model.tables import CERTIFICATES
from nonocensus.solver.proofs import FAILED, PROVED, TIMEOUT
from nonocensus.solver.proofs.certificate import Certificate, certify, drup_checker
from nonocensus.solver.proofs.record import Verdict, compile_recorder

NEEDED = ("puzzle_id", "clue_hash", "width", "height", "palette", "rows", "columns", "goal")
"""Columns of the puzzles table that proofs depend on, or kernels are compiled for."""

PROBE = ".writable"
"""File that is written into the folder of proofs, and deleted, before any task."""

MAX_NAME = 100
"""Characters of a puzzle's id in file names."""


def certify_chunk(chunk: Chunk, call: JobCall) -> Output:
    """Prove verdicts. Options: `proofs`, the folder for proofs or None, and the `depth` of the run."""
    assert chunk.results is not None
    rows = [_certificate(row, chunk.puzzles.slice(k, 1), call) for k, row in enumerate(chunk.results.to_pylist())]
    return Output(pa.RecordBatch.from_pylist(rows, CERTIFICATES), cpu_seconds=sum(row["cpu_seconds"] for row in rows))


def lost_rows(chunk: Chunk, call: JobCall, failure: TaskFailure) -> pa.RecordBatch:
    """Return rows of status KILLED."""
    assert chunk.results is not None
    made = Certificate(KILLED, error=f"no proof: {failure.reason}")
    rows = [_row(verdict, made, call.cpu_limit) for verdict in chunk.results.to_pylist()]
    return pa.RecordBatch.from_pylist(rows, CERTIFICATES)


CERTIFY = Job(
    name="certify",
    title="certifying",
    folder="certificates",
    schema=CERTIFICATES,
    puzzles=NEEDED,
    results=tuple(VERDICT),
    function=certify_chunk,
    lost=lost_rows,
    counts=partial(count_by, "status"),
    seconds=0.05,
    checks_ids=True,
    stages=(*LADDER, PROOFS),
)


def _certificate(verdict: Row, puzzle: pa.RecordBatch, call: JobCall) -> Row:
    """Prove one verdict; returns its row."""
    for column in ("puzzle_id", "clue_hash"):
        if verdict[column] != puzzle[column][0].as_py():
            reason = f"its {column} in the store is {puzzle[column][0].as_py()}, in the run {verdict[column]}"
            return _row(verdict, Certificate(FAILED, error=reason), call.cpu_limit)
    for kind in batch_kinds(puzzle):
        compile_recorder(*kind)
    try:
        columns = (verdict[name] for name in VERDICT[1:])
        made = certify(puzzle, Verdict(*columns), call.options["depth"], call.cpu_limit)
    except (OSError, MemoryError, MissingExtra):
        raise  # the machine's fault, not the verdict's
    except Exception as error:  # the recorder may fail in any way on damaged rows
        made = Certificate(FAILED, error=f"{type(error).__name__}: {error}")
    if call.options["proofs"] is not None:
        write_proof(folder(call.options["proofs"]), verdict, made.files)
    return _row(verdict, made, call.cpu_limit)


def write_proof(place: Folder, verdict: Row, files: Mapping[str, str]) -> None:
    """Write the files of a proof, compressed, named after the puzzle: webpbn%2F1.jsonl.gz."""
    name = quote(verdict["puzzle_id"], safe="")
    if len(name) > MAX_NAME:
        name = f"{name[:MAX_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    try:
        for suffix, text in files.items():
            place.write(f"{name}{suffix}.gz", gzip.compress(text.encode(), 6, mtime=0))
    except OSError as error:
        raise StorageError(f"{place.name} can't be written: {error.strerror or error}") from error


def _row(verdict: Row, made: Certificate, cpu_limit: float) -> Row:
    """Return a row of the table of certificates."""
    claim = " by ".join(filter(None, (verdict["solutions"], verdict["technique"])))
    return {
        **{name: verdict[name] for name in VERDICT[:4]},
        "pictures_hash": pictures_hash(verdict["solution"], verdict["second_solution"]),
        "status": made.status,
        "proved": claim if made.status == PROVED else None,
        "checker": made.checker,
        "steps": made.steps,
        "assumptions": made.assumptions,
        "cpu_seconds": made.seconds,
        "cpu_limit": cpu_limit,
        "bytes": sum(len(text.encode()) for text in made.files.values()),
        "error": made.error,
        "solver_version": __version__,
        "certified_at": datetime.now(UTC),
        "host": platform.node(),
    }


class CertifyOutcome(NamedTuple):
    """The outcome of certify.

    certified   all certificates of the selected verdicts, counted
    before      of them proved by earlier commands
    done        verdicts examined by this command
    seconds     CPU seconds that this took
    nothing     selected puzzles without a verdict
    """

    certified: Certified
    before: int
    done: int
    seconds: float
    nothing: int


def certify_run(
    run: Run, request: JobRequest, sample: int | None = None, again: bool = False, proofs: str | None = None
) -> CertifyOutcome:
    """Prove the selected verdicts that are not proved yet, or all of them `again`.

    sample   prove a deterministic sample of N verdicts: those whose ids have the lowest SHA-256
    proofs   a folder to keep the proofs in
    """
    if sample is not None and sample < 1:
        raise ValueError(f"sample must be at least 1, not {sample!r}")
    if proofs is not None:  # tasks would take a folder that can't be written for a full disk, and wait
        folder(proofs).write(PROBE, b"")
        folder(proofs).delete(PROBE)
    with lock_run(run) as run:
        selected = _select(run, request, sample, again)
        options = {"proofs": None if proofs is None else folder(proofs).uri, "depth": run.manifest["config"]["depth"]}
        result = run_on_results(run, CERTIFY, RowFilter(tuple(VERDICT), selected.mask), request, options)
        now = current_certificates(run)
    rows = [now[key] for key in selected.todo if key in now]
    certified = certificate_counts([*selected.before, *rows], len(selected.todo) + len(selected.before))
    before = sum(row["status"] == PROVED for row in selected.before)
    return CertifyOutcome(certified, before, result.rows, round(result.cpu_seconds, 3), selected.nothing)


def estimate_certifying(run: Run, request: JobRequest, sample: int | None = None, again: bool = False) -> CostEstimate:
    """Estimate what `certify_run` would cost, without the bytes of proofs to keep."""
    needed = RowFilter(tuple(VERDICT), _select(run, request, sample, again).mask)
    options = {"proofs": None, "depth": run.manifest["config"]["depth"]}
    return estimate_on_results(run, CERTIFY, needed, request, options)


def _select(run: Run, request: JobRequest, sample: int | None, again: bool) -> "VerdictFilter":
    """Return which verdicts of a run are to be proved. Raises MissingExtra if they can't be."""
    drup_checker()
    known = {} if again else current_certificates(run)
    ids = None if sample is None else _sample(run, request, sample)
    return VerdictFilter(known, request.cpu_limit, ids)


def _sample(run: Run, request: JobRequest, count: int) -> set[str]:
    """Return the ids of a sample of the selected verdicts."""
    ids: list[str] = []

    def collect(results: pa.Table) -> np.ndarray:
        ids.extend(str(key[0]) for key in verdict_keys(results) if key is not None)
        return np.zeros(len(results), np.bool_)

    plan_on_results(run, RowFilter(tuple(VERDICT), collect), request.selection)
    return {*heapq.nsmallest(count, ids, key=lambda name: hashlib.sha256(name.encode()).hexdigest())}


class VerdictFilter:
    """Sorts the selected verdicts as their rows are read.

    todo      verdicts to prove
    before    certificates of those that are proved, or have timed out at this limit before
    nothing   rows without a verdict
    """

    def __init__(self, known: Mapping[Key, Row], cpu_limit: float, ids: set[str] | None) -> None:
        self.known, self.cpu_limit, self.ids = known, cpu_limit, ids
        self.todo: list[Key] = []
        self.before: list[Row] = []
        self.nothing = 0

    def mask(self, results: pa.Table) -> np.ndarray:
        """Return which rows, with the columns VERDICT, are to be proved: bool[rows]."""
        return np.fromiter(map(self._is_todo, verdict_keys(results)), np.bool_, len(results))

    def _is_todo(self, key: Key | None) -> bool:
        if key is None:
            self.nothing += 1
            return False
        if self.ids is not None and key[0] not in self.ids:
            return False
        known = self.known.get(key)
        is_late = known is not None and known["status"] == TIMEOUT and known["cpu_limit"] >= self.cpu_limit
        if known is not None and (known["status"] == PROVED or is_late):
            self.before.append(known)
            return False
        self.todo.append(key)
        return True
