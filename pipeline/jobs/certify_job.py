"""The job certify: prove verdicts again without trusting the kernels (docs/CERTIFICATES.md).

With a folder for them the proofs themselves are kept: OUT/*.jsonl.gz, and for what clause learning has decided
*.cnf.gz and *.drup.gz.
"""

import gzip
import hashlib
import heapq
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from pipeline.callbacks import ProgressCallbacks
from pipeline.errors import StorageError
from pipeline.executors.executor import Resources, check_resources
from pipeline.jobs.engine import Needs, plan_on_results, run_job
from pipeline.jobs.job import Chunk, Job, Output
from pipeline.jobs.kernel_compilation import needed
from pipeline.jobs.session import listener_of
from pipeline.run.configuration import check_limit
from pipeline.run.job_tables import VERDICT, Key, Row, counted, pictures_hash, standing, verdicts
from pipeline.run.plan import Selection
from pipeline.run.progress import counts
from pipeline.run.run_folder import Run, refuse_changed, reopened
from pipeline.store.lock import sole_writer
from pipeline.store.parts import one_batch, refuse_others
from pipeline.store.paths import Folder, folder
from reports.figures import Certified
from reports.graded import KILLED
from solver import __version__
from solver.model.families import Family
from solver.model.tables import CERTIFICATES
from solver.proofs import FAILED, PROVED, TIMEOUT
from solver.proofs.certificate import Certificate, certify
from solver.proofs.record import Verdict, compile_recorder

NEEDED = ["puzzle_id", "clue_hash", "width", "height", "palette", "rows", "columns", "goal"]
"""Columns of the puzzles table that a proof depends on, or that kernels are compiled for."""

LONGEST = 100
"""Characters of a puzzle's id in the names of files."""


def certified(chunk: Chunk, _: Family, settings: Mapping[str, Any], limit: float, __: bool) -> Output:
    """Prove verdicts with `limit` CPU seconds each.

    settings   `proofs`, the folder for proofs or None, and the `depth` of the run
    """
    assert chunk.results is not None
    rows = [
        _certified(verdict, chunk.puzzles.slice(k, 1), settings, limit)
        for k, verdict in enumerate(chunk.results.to_pylist())
    ]
    return Output(_batch(rows), cpu_seconds=sum(row["cpu_seconds"] for row in rows))


def not_certified(chunk: Chunk, _: Family, settings: Mapping[str, Any], reason: str, __: bool) -> pa.RecordBatch:
    """Rows of verdicts on which a worker died."""
    assert chunk.results is not None
    made = Certificate(KILLED, error=f"no proof: {reason}")
    return _batch([_row(verdict, made, settings["cpu_limit"]) for verdict in chunk.results.to_pylist()])


def _schema(_: Family) -> pa.Schema:
    return CERTIFICATES


def _needed(_: Family) -> list[str]:
    return NEEDED


def _statuses(rows: pa.RecordBatch) -> dict[str, int]:
    return counts(rows["status"])


CERTIFY = Job(
    name="certify",
    progress="certifying",
    folder="certificates",
    schema=_schema,
    puzzles=_needed,
    results=tuple(VERDICT),
    work=certified,
    lost=not_certified,
    counts=_statuses,
    seconds=0.05,
    checks_ids=True,
)


def _batch(rows: list[Row]) -> pa.RecordBatch:
    return one_batch(pa.Table.from_pylist(rows, CERTIFICATES))


def _certified(verdict: Row, puzzle: pa.RecordBatch, settings: Mapping[str, Any], limit: float) -> Row:
    """The certificate of a verdict."""
    for column in ("puzzle_id", "clue_hash"):
        if verdict[column] != puzzle[column][0].as_py():
            reason = f"its {column} in the store is {puzzle[column][0].as_py()}, in the run {verdict[column]}"
            return _row(verdict, Certificate(FAILED, error=reason), limit)
    for kind in needed(puzzle):
        compile_recorder(*kind)
    try:
        made = certify(puzzle, Verdict(*(verdict[name] for name in VERDICT[1:])), settings["depth"], limit)
    except (OSError, MemoryError):
        raise  # of the machine, and no verdict's fault
    except Exception as error:  # of what the recorder makes of damaged rows nothing is known
        made = Certificate(FAILED, error=f"{type(error).__name__}: {error}")
    if settings["proofs"] is not None:
        keep_proof(folder(settings["proofs"]), verdict, made.files)
    return _row(verdict, made, limit)


def keep_proof(place: Folder, verdict: Row, files: Mapping[str, str]) -> None:
    """Write the files of a proof, compressed, named after the puzzle: webpbn%2F1.jsonl.gz."""
    name = quote(verdict["puzzle_id"], safe="")
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    try:
        for suffix, text in files.items():
            place.write(f"{name}{suffix}.gz", gzip.compress(text.encode(), 6, mtime=0))
    except OSError as error:
        raise StorageError(f"{place.name} can't be written: {error.strerror or error}") from error


def _row(verdict: Row, made: Certificate, cpu_limit: float) -> Row:
    """A row of the table of certificates."""
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


class Proofs(NamedTuple):
    """The outcome of certify.

    certified   all certificates of the selected verdicts, counted
    before      how many of them were proved before
    done        how many verdicts were looked at now, and in how many CPU seconds
    nothing     selected puzzles without a verdict
    """

    certified: Certified
    before: int
    done: int
    seconds: float
    nothing: int


def certify_run(
    run: Run,
    selection: Selection,
    sample: int | None,
    cpu_limit: float,
    again: bool,
    proofs: str | None,
    resources: Resources,
    callbacks: ProgressCallbacks,
) -> Proofs:
    """Prove the selected verdicts that are not proved yet, or all of them if they are to be proved `again`.

    sample   prove a deterministic sample of so many verdicts: those of whose ids the SHA-256 is least
    proofs   a folder to keep the proofs in
    """
    check_resources(resources)
    check_limit(cpu_limit)
    refuse_others(run.family, run.folder.name)
    if sample is not None and sample < 1:
        raise ValueError(f"sample is a number of verdicts from 1 on, not {sample!r}")
    refuse_changed(run)
    with sole_writer(run.folder):  # so that no other command joins the files that are read here
        run = reopened(run)
        chosen = _Chosen({} if again else standing(run), cpu_limit)
        if sample is not None:
            plan_on_results(run, Needs(tuple(VERDICT), chosen.noted), selection)
            chosen = chosen.sampled(sample)
        plan = plan_on_results(run, Needs(tuple(VERDICT), chosen.left), selection)
        settings = {
            "proofs": None if proofs is None else folder(proofs).uri,
            "depth": run.about["config"]["depth"],
            "cpu_limit": cpu_limit,
        }
        worked = run_job(run, CERTIFY, settings, plan, [cpu_limit], resources, listener_of(callbacks, CERTIFY.progress))
        for reason in worked.unread:
            callbacks.on_warning(reason)
        now = standing(run)
    rows = [now[key] for key in chosen.todo if key in now]
    found = counted([*chosen.before, *rows], len(chosen.todo) + len(chosen.before))
    before = sum(row["status"] == PROVED for row in chosen.before)
    return Proofs(found, before, worked.rows, round(worked.cpu_seconds, 3), chosen.nothing)


class _Chosen:
    """The selected verdicts, as rows of results go by.

    todo      verdicts to prove
    before    the certificates of those that are proved, or have had as much time before
    nothing   rows without a verdict
    """

    def __init__(self, standing: dict[Key, Row], cpu_limit: float, among: set[str] | None = None) -> None:
        self.standing, self.cpu_limit, self.among = standing, cpu_limit, among
        self.todo: list[Key] = []
        self.before: list[Row] = []
        self.nothing = 0
        self.ids: list[str] = []

    def noted(self, results: pa.Table) -> np.ndarray:
        """Note the ids of rows with a verdict, and take none."""
        self.ids += [str(key[0]) for key in verdicts(results) if key is not None]
        return np.zeros(len(results), np.bool_)

    def sampled(self, count: int) -> "_Chosen":
        """Return a choice among a sample of the ids noted."""
        least = heapq.nsmallest(count, self.ids, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
        return _Chosen(self.standing, self.cpu_limit, {*least})

    def left(self, results: pa.Table) -> np.ndarray:
        """Which rows with the columns VERDICT are to be proved: bool[rows]."""
        return np.fromiter(self._each_left(results), np.bool_, len(results))

    def _each_left(self, results: pa.Table) -> Iterator[bool]:
        for key in verdicts(results):
            there = self.standing.get(key) if key is not None else None
            wanted = False
            if key is None:
                self.nothing += 1
            elif self.among is None or key[0] in self.among:
                late = there is not None and there["status"] == TIMEOUT and there["cpu_limit"] >= self.cpu_limit
                wanted = there is None or (there["status"] != PROVED and not late)
                if wanted:
                    self.todo.append(key)
                elif there is not None:
                    self.before.append(there)
            yield wanted
