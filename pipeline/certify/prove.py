"""Certify a run: prove its verdicts again without trusting the kernels (docs/CERTIFICATES.md).

A task proves some verdicts and returns their certificates; the driver writes these, some hundred to a file. With an
OUT the proofs themselves are kept: OUT/*.jsonl.gz, and for what clause learning has decided *.cnf.gz and *.drup.gz.
"""

import gzip
import hashlib
import heapq
import platform
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from pipeline.certify.table import (
    KILLED,
    VERDICT,
    Candidate,
    Row,
    candidates,
    certificates_of,
    pictures_hash,
    standing,
)
from pipeline.errors import InputError, StorageError, UserError
from pipeline.executors.crew import Crew, Fault, each_divided
from pipeline.jobs.warm import needed
from pipeline.run.folder import Run, open_run
from pipeline.run.kept import keeping
from pipeline.run.plan import Selection
from pipeline.run.results import Piece
from pipeline.store import spans
from pipeline.store.folder import Folder, folder
from solver import __version__
from solver.derivation import FAILED, PROVED, TIMEOUT
from solver.derivation.certificate import Certificate, certify
from solver.derivation.record import Verdict, compile_recorder
from solver.tables import CERTIFICATES

NEEDED = ["puzzle_id", "clue_hash", "width", "height", "palette", "rows", "columns", "goal"]
"""Columns of the puzzles table that a proof depends on, or that kernels are compiled for."""

TOGETHER = 25
"""Verdicts of a task: mostly a second or two."""

LONGEST = 100
"""Characters of a puzzle's id in the names of files."""


class Order(NamedTuple):
    """What all tasks have in common: the run's URI, where its store is now, where proofs are kept, limit and depth."""

    run: str
    store: str | None
    out: str | None
    cpu_limit: float
    depth: int


class ProofPlan(NamedTuple):
    """What a command has to do.

    tasks       file of results and rows in it, of each task
    before      the certificates that count already, of the verdicts asked for
    nothing     selected rows without a verdict: nothing to prove
    """

    tasks: list[tuple[str, list[int]]]
    before: list[Row]
    nothing: int

    @property
    def rows(self) -> int:
        """Verdicts to be proved."""
        return sum(len(rows) for _, rows in self.tasks)


def plan_proofs(run: Run, selection: Selection, sample: int | None, cpu_limit: float, again: bool) -> ProofPlan:
    """The selected verdicts that are not proved yet, or all of them if they are to be proved `again`.

    sample    only so many: those of whose ids the SHA-256 is least, whatever kind they are of
    """
    counting = {} if again else standing(run)
    nothing = 0
    todo: dict[str, list[int]] = defaultdict(list)
    before: list[Row] = []

    def provable() -> Iterator[Candidate]:
        nonlocal nothing
        for found in candidates(run, selection):
            if found is None:
                nothing += 1
            else:
                yield found

    def place(found: Candidate) -> str:
        return hashlib.sha256(str(found.key[0]).encode()).hexdigest()

    for found in provable() if sample is None else heapq.nsmallest(sample, provable(), key=place):
        there = counting.get(found.key)
        if there is None or (there["status"] != PROVED and not _in_vain(there, cpu_limit)):
            todo[found.piece].append(found.row)
        else:
            before.append(there)
    tasks = [
        (piece, rows[first : first + TOGETHER])
        for piece, rows in todo.items()
        for first in range(0, len(rows), TOGETHER)
    ]
    return ProofPlan(tasks, before, nothing)


def _in_vain(row: Row, cpu_limit: float) -> bool:
    """Whether a verdict has been given at least as much time before, and that was not enough."""
    return bool(row["status"] == TIMEOUT and row["cpu_limit"] >= cpu_limit)


def drive(
    run: Run, crew: Crew, tasks: list[tuple[str, list[int]]], order: Order, seen: Callable[[list[Row]], None]
) -> None:
    """Do tasks and keep what comes of them; `seen` is called with their rows. A task that is lost is done one by one.

    Rows are kept every now and then, and at the end, also when it is interrupted. A UserError names what can't be read,
    and ends it.
    """
    with keeping(certificates_of(run), CERTIFICATES) as keep_rows:
        ordered = [(*task, order) for task in tasks]
        for (name, rows, _), outcome in each_divided(crew, certify_rows, ordered, _one_by_one):
            found = [_killed(run, name, rows[0], order, outcome)] if isinstance(outcome, Fault) else outcome
            if isinstance(found, Trouble):
                raise (StorageError if found.storage else InputError)(found.reason)
            keep_rows(pa.Table.from_pylist(found, CERTIFICATES))
            seen(found)


def _one_by_one(task: tuple[str, list[int], Order]) -> list[tuple[str, list[int], Order]]:
    """A task for each of a task's verdicts."""
    name, rows, order = task
    return [(name, [row], order) for row in rows]


class Trouble(NamedTuple):
    """What a task returns when the run or the store can't be read, or (`storage`) a proof not be written."""

    reason: str
    storage: bool


def certify_rows(name: str, rows: list[int], order: Order) -> list[Row] | Trouble:
    """One task: prove the verdicts of some rows of a file of results; returns their certificates."""
    try:
        run = open_run(order.run, order.store)
        piece = run.piece(name)
        verdicts = run.read(piece, columns=VERDICT).take(rows).to_pylist()
        puzzles = _puzzles(run, piece, rows)
        return [_certified(verdict, puzzle, order) for verdict, puzzle in zip(verdicts, puzzles, strict=True)]
    except (OSError, pa.ArrowException, UserError) as error:
        return Trouble(f"{order.run}, {name}: {error}", isinstance(error, OSError))


def _puzzles(run: Run, piece: Piece, rows: list[int]) -> list[pa.RecordBatch | None]:
    """The puzzle of each row of a file of results, as a batch of one row; None if the store has no such row."""
    parts, numbers = (column[rows] for column in piece.places())
    there: dict[tuple[str, int], pa.RecordBatch] = {}
    store, inputs = run.store, {part.name: part for part in run.parts}
    for part in dict.fromkeys(parts.tolist()):
        for found, batch in store.read(inputs[part], spans.of_rows(np.sort(numbers[parts == part])), NEEDED):
            there.update({(part, number): batch.slice(k, 1) for k, number in enumerate(found.tolist())})
    return [there.get(place) for place in zip(parts.tolist(), numbers.tolist(), strict=True)]


def _certified(verdict: Row, puzzle: pa.RecordBatch | None, order: Order) -> Row:
    """The certificate of a verdict."""
    if puzzle is None:
        return _row(verdict, Certificate(FAILED, error="its puzzle is not in the store"), order)
    for column in ("puzzle_id", "clue_hash"):
        if verdict[column] != puzzle[column][0].as_py():
            reason = f"its {column} in the store is {puzzle[column][0].as_py()}, in the run {verdict[column]}"
            return _row(verdict, Certificate(FAILED, error=reason), order)
    for kind in needed(puzzle):
        compile_recorder(*kind)
    try:
        made = certify(puzzle, Verdict(*(verdict[name] for name in VERDICT[1:])), order.depth, order.cpu_limit)
    except (OSError, MemoryError):
        raise  # of the machine, and no verdict's fault
    except Exception as error:  # of what the recorder makes of damaged rows nothing is known
        made = Certificate(FAILED, error=f"{type(error).__name__}: {error}")
    if order.out is not None:
        keep(folder(order.out), verdict, made.files)
    return _row(verdict, made, order)


def keep(place: Folder, verdict: Row, files: Mapping[str, str]) -> None:
    """Write the files of a proof, compressed, named after the puzzle: webpbn%2F1.jsonl.gz."""
    name = quote(verdict["puzzle_id"], safe="")
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    for suffix, text in files.items():
        place.write(f"{name}{suffix}.gz", gzip.compress(text.encode(), 6, mtime=0))


def _killed(run: Run, name: str, row: int, order: Order, fault: Fault) -> Row:
    """The certificate of a verdict on which a worker died."""
    verdict = run.read(run.piece(name), columns=VERDICT).take([row]).to_pylist()[0]
    return _row(verdict, Certificate(KILLED, error=f"no proof: {fault.reason}"), order)


def _row(verdict: Row, made: Certificate, order: Order) -> Row:
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
        "cpu_limit": order.cpu_limit,
        "bytes": sum(len(text.encode()) for text in made.files.values()),
        "error": made.error,
        "solver_version": __version__,
        "certified_at": datetime.now(UTC),
        "host": platform.node(),
    }
