"""Join a run's small files of rows when a session ends, and drop rows that a later file has too.

Puzzles that needed a task each have left a file each, and some rows may exist twice. A joined file is written before
its parts are deleted, under a later name than theirs, so that at no moment a row is missing or counted twice.
"""

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.executors.executor import Executor, run_tasks
from nonocensus.pipeline.executors.task_failure import TaskFailure
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.run.job_tables import read_job_rows
from nonocensus.pipeline.run.progress import value_counts
from nonocensus.pipeline.run.results import ResultFile, TaskTimings, open_row_writer, row_masks, write_statistics
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import Lease, borrow_lease, check_lease, current_lease

SMALL_ROWS, SMALL_FILES = 256, 32
"""A file of fewer rows is small; this many small files may stay."""

MAX_FILES = 512
"""Files that are joined into one."""


def join_session(session: Session) -> None:
    """Join the files that a session of a job on results has written. If the process dies, some rows exist twice."""
    place, schema = session.run.folder / session.job.folder, session.job.schema
    names = [name for name in place.names() if name.startswith(f"part-{session.name}-")]
    for first in range(0, len(names), MAX_FILES):
        some = names[first : first + MAX_FILES]
        rows = pa.concat_tables([read_job_rows(place, name, schema, session.job.name) for name in some])
        with open_row_writer(place, session.new_name(), schema) as writer:
            writer.write_table(rows)
            check_lease(place)
        for name in some:
            place.delete(name)


def tidy(session: Session, executor: Executor) -> None:
    """Join small files of results, drop rows that later files have too, and delete what lost tasks have left.

    No task may be at work on the run.
    """
    run = session.run
    files = run.result_files()
    masks = row_masks(files)
    small = {file.name for file in files if file.rows < SMALL_ROWS}
    joined = masks.keys() | (small if len(small) > SMALL_FILES else set())
    bundles = _bundles([file for file in files if file.name in joined], session.schedule.settings.joined_rows)
    uri, lease = run.folder.uri, current_lease(run.folder)
    tasks = [(uri, session.new_name(), {name: masks.get(name) for name in names}, lease) for names in bundles]
    for _, outcome in run_tasks(executor, join, tasks):
        session.tick(session.cpus)
        if isinstance(outcome, TaskFailure):
            session.log_event(logging.INFO, "files not joined", reason=outcome.reason)  # they count as they are
        else:
            session.log_event(logging.DEBUG, "files joined", **outcome)
    run.results.sweep()
    there = set(run.results.names())
    check_lease(run.folder)  # so that none of them is another writer's, whose statistics are yet to come
    for name in there:
        if name.endswith(".parquet") and name.replace(".parquet", ".json") not in there:
            run.results.delete(name)  # of a lost task


def _bundles(files: list[ResultFile], max_rows: int) -> Iterator[list[str]]:
    """Yield names of files to join: of equal limits, at most MAX_FILES of `max_rows` (a single file may have more)."""
    by_limit: dict[float, list[ResultFile]] = {}
    for file in files:
        by_limit.setdefault(file.limit, []).append(file)
    for alike in by_limit.values():
        names: list[str] = []
        rows = 0
        for file in alike:
            if names and (len(names) == MAX_FILES or rows + file.rows > max_rows):
                yield names
                names, rows = [], 0
            names.append(file.name)
            rows += file.rows
        yield names


def join(uri: str, name: str, masks: dict[str, np.ndarray | None], lease: Lease | None = None) -> dict[str, Any]:
    """Join files, with the rows that their masks keep, and delete them; returns the fields of a log event."""
    run = open_run(uri)
    files = [run.result_file(each) for each in masks]
    rows = pa.concat_tables([run.read(file, masks[file.name]) for file in files])
    kept = [slice(None) if masks[file.name] is None else masks[file.name] for file in files]
    parts, numbers = (
        np.concatenate([file.places()[k][keep] for file, keep in zip(files, kept, strict=True)]) for k in range(2)
    )
    order = np.lexsort((numbers, parts))
    rows, parts, numbers = rows.take(order), parts[order], numbers[order]
    covers = {part: spans.of_rows(numbers[parts == part]) for part in np.unique(parts).tolist()}
    if len(rows):
        with open_row_writer(run.results, name) as writer:
            writer.write_table(rows)
        with borrow_lease(lease):
            write_statistics(run.results, _join_statistics(name, covers, files, rows))
    for old in files:
        run.results.delete(f"{old.name}.json")
    for old in files:
        run.results.delete(f"{old.name}.parquet")
    return {"name": name, "rows": len(rows), "files": len(files)}


def _join_statistics(name: str, covers: dict[str, spans.Spans], files: list[ResultFile], rows: pa.Table) -> ResultFile:
    """Return the statistics of a joined file."""
    timings = [file.about for file in files]
    about: TaskTimings = {
        "seconds": round(sum(timing["seconds"] for timing in timings), 6),
        "cpu_solver": round(sum(timing["cpu_solver"] for timing in timings), 6),
        "cpu_task": round(sum(timing["cpu_task"] for timing in timings), 6),
        "waited": round(sum(timing["waited"] for timing in timings), 6),
        "started": min(timing["started"] for timing in timings),
        "finished": max(timing["finished"] for timing in timings),
        "hosts": sorted({host for timing in timings for host in timing["hosts"]}),
    }
    left = [puzzle for file in files for puzzle in file.left]
    hashes = {part: hash_ for file in files for part, hash_ in file.parts.items() if part in covers}
    status, labels = value_counts(rows["status"]), value_counts(rows["label"])
    return ResultFile(covers, files[0].limit, left, status, labels, about, name, hashes)
