"""Few files, each row once: what a run's results are made into when a session ends.

Puzzles that needed a task each have left a file each, and some rows may have been made twice. A joined file is written
before those that it is made of are deleted, and its name is later than theirs, so that at no moment a row is missing
or counted twice.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.executors.executor import Executor, TaskFailure, run_tasks
from pipeline.jobs.session import Session
from pipeline.run.job_tables import read_kept
from pipeline.run.progress import counts
from pipeline.run.results import Effort, Piece, overlaps, rows_file, write_statistics
from pipeline.run.run_folder import Run, open_run
from pipeline.store import spans
from pipeline.store.lock import Lease, borrowed, confirm, lease_of

SMALL, FEW = 256, 32
"""Rows of a file that is to be joined with others, and how many such files may stay."""

MOST_FILES, MOST_ROWS = 512, 1 << 18
"""Most files that become one, and the most rows that it may have then (a single file may have more)."""


def join_session(session: Session, schema: pa.Schema) -> None:
    """Join the files that a session of a job on results has written. A process that dies leaves rows twice."""
    place = session.run.folder / session.job.folder
    names = [name for name in place.names() if name.startswith(f"part-{session.name}-")]
    for first in range(0, len(names), MOST_FILES):
        some = names[first : first + MOST_FILES]
        rows = pa.concat_tables([read_kept(place, name, schema, session.job.name) for name in some])
        with rows_file(place, session.new_name(), schema) as writer:
            writer.write_table(rows)
            confirm(place)
        for name in some:
            place.delete(name)


def tidy(run: Run, executor: Executor, session: Session) -> None:
    """Join small files, leave out rows that later files have too, and delete what lost tasks have left.

    No task may be at work on the run.
    """
    pieces = run.pieces()
    masks = overlaps(pieces)
    small = {piece.name for piece in pieces if piece.rows < SMALL}
    wanted = masks.keys() | (small if len(small) > FEW else set())
    tasks = [
        (run.folder.uri, session.new_name(), names, {name: masks.get(name) for name in names}, lease_of(run.folder))
        for names in _bundles([piece for piece in pieces if piece.name in wanted])
    ]
    for _, joined in run_tasks(executor, join, tasks):
        if isinstance(joined, TaskFailure):
            session.note("files not joined", reason=joined.reason)  # they count as they are
        else:
            session.note("files joined", **joined)
    run.results.sweep()
    there = set(run.results.names())
    confirm(run.folder)  # so that none of them is another writer's, whose statistics are still to come
    for name in there:
        if name.endswith(".parquet") and name.replace(".parquet", ".json") not in there:
            run.results.delete(name)  # of a task that was lost


def _bundles(pieces: list[Piece]) -> Iterator[list[str]]:
    """Names of files that are to become one: of one limit, not too many files nor rows together."""
    by_limit: dict[float, list[Piece]] = {}
    for piece in pieces:
        by_limit.setdefault(piece.limit, []).append(piece)
    for alike in by_limit.values():
        names: list[str] = []
        rows = 0
        for piece in alike:
            if names and (len(names) == MOST_FILES or rows + piece.rows > MOST_ROWS):
                yield names
                names, rows = [], 0
            names.append(piece.name)
            rows += piece.rows
        yield names


def join(
    uri: str, name: str, names: list[str], masks: dict[str, np.ndarray | None], lease: Lease | None = None
) -> dict[str, Any]:
    """Make one file of several, with the rows that their masks keep, and delete them; returns a note about it."""
    run = open_run(uri)
    pieces = [run.piece(each) for each in names]
    rows = pa.concat_tables([run.read(piece, masks[piece.name]) for piece in pieces])
    kept = [slice(None) if masks[piece.name] is None else masks[piece.name] for piece in pieces]
    parts, numbers = (
        np.concatenate([piece.places()[k][keep] for piece, keep in zip(pieces, kept, strict=True)]) for k in range(2)
    )
    order = np.lexsort((numbers, parts))
    rows, parts, numbers = rows.take(order), parts[order], numbers[order]
    covers = {part: spans.of_rows(numbers[parts == part]) for part in np.unique(parts).tolist()}
    if len(rows):
        with rows_file(run.results, name) as writer:
            writer.write_table(rows)
        with borrowed(lease):
            write_statistics(run.results, _joined(name, covers, pieces, rows))
    for old in pieces:
        run.results.delete(f"{old.name}.json")
    for old in pieces:
        run.results.delete(f"{old.name}.parquet")
    return {"name": name, "rows": len(rows), "files": len(pieces)}


def _joined(name: str, covers: dict[str, spans.Spans], pieces: list[Piece], rows: pa.Table) -> Piece:
    """The statistics of a joined file."""
    efforts = [piece.about for piece in pieces]
    about: Effort = {
        "seconds": round(sum(effort["seconds"] for effort in efforts), 6),
        "cpu_solver": round(sum(effort["cpu_solver"] for effort in efforts), 6),
        "cpu_task": round(sum(effort["cpu_task"] for effort in efforts), 6),
        "waited": round(sum(effort.get("waited", 0.0) for effort in efforts), 6),
        "started": min(effort["started"] for effort in efforts),
        "finished": max(effort["finished"] for effort in efforts),
        "hosts": sorted({host for effort in efforts for host in effort["hosts"]}),
    }
    left = [puzzle for piece in pieces for puzzle in piece.left]
    hashes = {part: hash_ for piece in pieces for part, hash_ in piece.parts.items() if part in covers}
    status, labels = counts(rows["status"]), counts(rows["label"])
    return Piece(covers, pieces[0].limit, left, status, labels, about, name, hashes)
