"""Status files of a run: progress.json, rewritten every few seconds by a session, and summary.json at its end."""

from collections import Counter
from typing import Any, TypedDict

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.run.results import ResultFile, row_masks
from nonocensus.pipeline.run.run_folder import PROGRESS, Run


class HostProgress(TypedDict):
    """Work done by a node in a session."""

    rows: int
    tasks: int
    cpu_seconds: float


class RunningTask(TypedDict):
    """A long-running task: its hardest puzzle, its number of puzzles, their limit, its seconds so far."""

    puzzle: str
    puzzles: int
    cpu_limit: float
    seconds: float


class Progress(TypedDict):
    """The content of progress.json."""

    session: str
    job: str
    host: str
    pid: int
    updated: str
    at_work: bool
    seconds: float
    last_result: str  # when the last rows were written, or the session began
    rows: int
    rows_in_flight: int
    rows_left: int
    waiting_for_more_time: int
    outcomes: dict[str, int]  # puzzles by outcome
    lost_tasks: int
    rate: float | None  # puzzles a second by which eta_seconds is estimated
    eta_seconds: float | None
    cpus: int
    cpu_limit: float  # of the command
    hosts: dict[str, HostProgress]
    longest_running: list[RunningTask]


def read_progress(run: Run) -> Progress | None:
    """Read progress.json; None if missing. Raises InputError."""
    advice = f"run nonocensus verify {run.folder.name} --repair"
    return run.folder.read_record(PROGRESS, Progress, advice) if run.folder.has(PROGRESS) else None


SUMMARY = "summary.json"


def write_summary(run: Run) -> dict[str, Any]:
    """Write the result of `summarize` to summary.json and return it."""
    summary = summarize(run)
    run.folder.write_json(SUMMARY, summary)
    return summary


def summarize(run: Run, files: list[ResultFile] | None = None) -> dict[str, Any]:
    """Merge the statistics of all result files."""
    files = run.result_files() if files is None else files
    kept = row_masks(files)
    status, labels = Counter[str](), Counter[str]()
    rows = 0
    for file in files:
        mask = kept.get(file.name)
        counted = (file.status, file.labels)
        if mask is not None:
            table = run.read(file, mask, ["status", "label"])
            counted = (value_counts(table["status"]), value_counts(table["label"]))
        status.update(counted[0])
        labels.update(counted[1])
        rows += file.rows if mask is None else int(mask.sum())
    return {
        "run_id": run.manifest["run_id"],
        "puzzles": run.rows,
        "rows": rows,
        "files": len(files),
        "status": dict(status.most_common()),
        "labels": dict(labels.most_common()),
        "cpu_solver": round(sum(file.about["cpu_solver"] for file in files), 6),
        "cpu_tasks": round(sum(file.about["cpu_task"] for file in files), 6),
        "first_started": min((file.about["started"] for file in files), default=None),
        "last_finished": max((file.about["finished"] for file in files), default=None),
        "hosts": sorted({host for file in files for host in file.about["hosts"]}),
    }


def value_counts(column: pa.ChunkedArray | pa.Array) -> dict[str, int]:
    """Count the values, without nulls, most frequent first."""
    found = {value["values"]: value["counts"] for value in pc.value_counts(column).to_pylist()}
    found.pop(None, None)
    return dict(Counter(found).most_common())
