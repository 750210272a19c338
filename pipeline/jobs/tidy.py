"""Join a run's small files of rows when a session ends, and drop rows that a later file has too.

Puzzles that needed a task each have left a file each, and some rows may exist twice. A joined file is written before
its parts are deleted, under a later name than theirs, so that at no moment a row is missing or counted twice.
"""

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.executors.executor import Executor, TaskFailure, run_tasks
from pipeline.jobs.session import Session
from pipeline.run.job_tables import read_kept
from pipeline.run.progress import counts
from pipeline.run.results import Effort, Piece, overlaps, rows_file, write_statistics
from pipeline.run.run_folder import open_run
from pipeline.store import spans
from pipeline.store.lock import Lease, borrowed, confirm, lease_of

SMALL_ROWS, SMALL_FILES = 256, 32
"""A file of fewer rows is small; this many small files may stay."""

MAX_FILES = 512
"""Files that are joined into one."""


def join_session(session: Session) -> None:
    """Join the files that a session of a job on results has written. If the process dies, some rows exist twice."""
    place, schema = session.run.folder / session.job.folder, session.job.schema_of(session.run.family)
    names = [name for name in place.names() if name.startswith(f"part-{session.name}-")]
    for first in range(0, len(names), MAX_FILES):
        some = names[first : first + MAX_FILES]
        rows = pa.concat_tables([read_kept(place, name, schema, session.job.name) for name in some])
        with rows_file(place, session.new_name(), schema) as writer:
            writer.write_table(rows)
            confirm(place)
        for name in some:
            place.delete(name)


def tidy(session: Session, executor: Executor) -> None:
    """Join small files of results, drop rows that later files have too, and delete what lost tasks have left.

    No task may be at work on the run.
    """
    run = session.run
    pieces = run.pieces()
    masks = overlaps(pieces)
    small = {piece.name for piece in pieces if piece.rows < SMALL_ROWS}
    joined = masks.keys() | (small if len(small) > SMALL_FILES else set())
    bundles = _bundles([piece for piece in pieces if piece.name in joined], session.schedule.settings.joined_rows)
    tasks = [
        (run.folder.uri, session.new_name(), names, {name: masks.get(name) for name in names}, lease_of(run.folder))
        for names in bundles
    ]
    for _, outcome in run_tasks(executor, join, tasks):
        if isinstance(outcome, TaskFailure):
            session.log_event(logging.INFO, "files not joined", reason=outcome.reason)  # they count as they are
        else:
            session.log_event(logging.DEBUG, "files joined", **outcome)
    run.results.sweep()
    there = set(run.results.names())
    confirm(run.folder)  # so that none of them is another writer's, whose statistics are yet to come
    for name in there:
        if name.endswith(".parquet") and name.replace(".parquet", ".json") not in there:
            run.results.delete(name)  # of a lost task


def _bundles(pieces: list[Piece], max_rows: int) -> Iterator[list[str]]:
    """Yield names of files to join: of equal limits, at most MAX_FILES of `max_rows` (a single file may have more)."""
    by_limit: dict[float, list[Piece]] = {}
    for piece in pieces:
        by_limit.setdefault(piece.limit, []).append(piece)
    for alike in by_limit.values():
        names: list[str] = []
        rows = 0
        for piece in alike:
            if names and (len(names) == MAX_FILES or rows + piece.rows > max_rows):
                yield names
                names, rows = [], 0
            names.append(piece.name)
            rows += piece.rows
        yield names


def join(
    uri: str, name: str, names: list[str], masks: dict[str, np.ndarray | None], lease: Lease | None = None
) -> dict[str, Any]:
    """Join files, with the rows that their masks keep, and delete them; returns the fields of a log event."""
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
    """Return the statistics of a joined file."""
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
