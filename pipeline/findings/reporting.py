"""Reports of run folders."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings import deduplication
from nonocensus.pipeline.run.job_tables import certificate_summary, current_grades, minutes_model, read_mendings
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.result_pairs import pairs
from nonocensus.pipeline.run.run_folder import Run, is_run, session_number
from nonocensus.pipeline.sql import database
from nonocensus.pipeline.store.lock import staging
from nonocensus.pipeline.store.parts import is_store, one_batch
from nonocensus.pipeline.store.paths import folder
from nonocensus.reports.numbers.activity import PastSession, activity
from nonocensus.reports.numbers.census import SHOWN
from nonocensus.reports.numbers.duplicates import DUPLICATES
from nonocensus.reports.numbers.joined_columns import with_grade
from nonocensus.reports.numbers.row_view import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.reports.page.report_page import RunDetails, write_report

PAGE = "report.html"


def write_run_report(run: Run, uri: str, public: bool = False, progress: ProgressCallbacks = SILENT) -> tuple[int, str]:
    """Write the report of what a run has so far; return its number of rows and the path of the page.

    public   leave out what must not be redistributed (reports.rights)

    Raises UserError if the folder is a run or a store.
    """
    if is_run(uri) or is_store(uri):
        raise UserError(f"{uri} is a run or a store; name another folder for the report")
    summary = summarize(run)
    place = folder(uri)
    progress.on_start("reading", run.rows, 0)

    def read(columns: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        for results, puzzles in pairs(run, RESULT_COLUMNS, columns):
            yield results, puzzles
            progress.on_progress(len(results), "")
        progress.on_start("writing", None, 0)

    duplicates: pa.Table | None = None
    rows: Iterable[tuple[pa.Table | pa.RecordBatch, pa.Table | pa.RecordBatch]] = read(PUZZLE_COLUMNS)
    if run.rows <= SHOWN:  # near pictures of millions would take minutes
        columns = list(dict.fromkeys([*PUZZLE_COLUMNS, *deduplication.PUZZLE_COLUMNS]))
        batches = [(one_batch(results), one_batch(puzzles)) for results, puzzles in read(columns)]
        rows, duplicates = batches, deduplication.find_duplicates(run, rows=batches).found.select(DUPLICATES.names)
    grades = with_grade(current_grades(run))
    with database() as connection:
        about = about_run(run, summary)
        if len(grades):
            about = about._replace(versions={**run.manifest["versions"], "minutes model": minutes_model(grades)})
        files = write_report(rows, about, public, read_mendings(run), grades, duplicates, connection)
    with staging(place) as new:  # so that a full disk keeps the previous report
        for name, data in files.items():
            new.write(name, data)
        for name in files:
            new.move(name, place)
        for name in place.names():
            if re.fullmatch(r"report-[a-z]+\.svg|attempts\.parquet|authors\.txt", name) and name not in files:
                place.delete(name)  # of a previous report
    return summary["rows"], f"{place.name}/{PAGE}"


def about_run(run: Run, summary: dict[str, Any]) -> RunDetails:
    """Return what the report says about the run; `summary` is that of `summarize`."""
    tasks = summary["cpu_tasks"]
    return RunDetails(
        run_id=summary["run_id"],
        puzzles=run.rows,
        configuration=run.manifest["config"],
        versions=run.manifest["versions"],
        started=summary["first_started"],
        finished=summary["last_finished"],
        hosts=summary["hosts"],
        worker_cpu_seconds=tasks,
        kernel_share=summary["cpu_solver"] / tasks if tasks else None,
        activity=activity(sessions(run)),
        certificates=certificate_summary(run),
    )


def sessions(run: Run) -> list[PastSession]:
    """Read the run's sessions from its logs, in order."""
    log = run.folder / "log"
    chunks: dict[str, list[str]] = {}
    for name in log.names():
        if name.endswith(".jsonl") and session_number(name) >= run.manifest["first_session"]:
            chunks.setdefault("-".join(name.removesuffix(".jsonl").split("-")[:2]), []).append(name)
    events = ([event for name in names for event in _events(run, name)] for names in chunks.values())
    return [_session(iter(those)) for those in events if those and those[0].get("job") == "classify"]


def _events(run: Run, name: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a log; a truncated last line of a killed process is skipped."""
    with (run.folder / "log").open(name) as stream:
        for line in stream.read().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _session(events: Iterator[dict[str, Any]]) -> PastSession:
    times: list[float] = []
    tasks: list[tuple[float, ...]] = []
    lost = Counter[str]()
    cpus = None
    for event in events:
        times.append(_seconds(event["at"]))
        if event["event"] == "task finished":
            times_of_task = _seconds(event["started"]), _seconds(event["finished"])
            tasks.append((*times_of_task, event["cpu_task"], event["rows"], event["waited"]))
        elif event["event"] == "task lost":
            lost[event["kind"]] += 1
        elif event["event"] == "session ended":
            cpus = event.get("cpus")
    made = np.array(tasks, np.float64).reshape(-1, 5)
    # Clocks of machines may differ; the times that tasks report take precedence.
    begun = min([*times[:1], *made[:, 0]], default=0.0)
    return PastSession(begun, max([*times, *made[:, 1]], default=0.0), made, cpus, lost)


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
