"""Classify a store: what one task does, and the loop over all of them."""

import os
import platform
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.executor import Executor
from pipeline.run import SETTINGS, Run, Task, summarize
from pipeline.storage import folder
from pipeline.store import open_store
from solver.api import classify
from solver.tables import RESULTS


def classify_run(run: Run, executor: Executor[Any], seen: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Do what is left of a run; `seen` is told each part's statistics as it finishes. Returns the summary."""
    finished = run.finished()
    run.results.sweep()
    stamp = {key: run.about[key] for key in ("run_id", "config_hash")}
    settings = {key: run.about["config"][key] for key in SETTINGS}
    left = (
        (task, run.about["store"], run.folder.uri, settings, stamp) for task in run.tasks() if task.name not in finished
    )
    for statistics in executor(classify_group, left):
        seen(statistics)
    return summarize(run)


def classify_group(task: Task, store: str, run: str, settings: dict[str, Any], stamp: dict[str, str]) -> dict[str, Any]:
    """Classify one row group: read it, solve it, write its results and then its statistics, which are returned.

    A file of the store that can't be read gives statistics with an `error` and writes nothing, so that the next command
    tries it again.
    """
    started, cpu = datetime.now(UTC), time.process_time()
    try:
        batch = open_store(store).group(task.part, task.group)
    except (OSError, pa.ArrowException) as error:
        return {"part": task.name, "rows": task.rows, "error": f"{store}/puzzles/{task.part}.parquet: {error}"}
    results = stamped(classify(batch, **settings), part=task.name, host=platform.node(), **stamp)
    place = folder(run) / "results"
    with place.create(f"{task.name}.parquet") as stream:
        pq.write_table(pa.Table.from_batches([results]), stream, compression="zstd")
    statistics = {
        "part": task.name,
        "rows": len(results),
        "status": counts(results["status"]),
        "labels": counts(results["label"]),
        "cpu_solver": round(pc.sum(results["cpu_seconds"]).as_py() or 0.0, 6),
        "cpu_task": round(time.process_time() - cpu, 6),
        "started": started.isoformat(),
        "finished": datetime.now(UTC).isoformat(),
        "host": platform.node(),
        "pid": os.getpid(),
    }
    place.write_json(f"{task.name}.json", statistics)
    return statistics


def stamped(results: pa.RecordBatch, **constants: str) -> pa.RecordBatch:
    """The results with one value throughout in each of the columns named."""
    for name, value in constants.items():
        column = pa.array([value] * len(results), pa.string())
        results = results.set_column(RESULTS.get_field_index(name), RESULTS.field(name), column)
    return results


def counts(column: pa.Array) -> dict[str, int]:
    """How often each value occurs, null left out, largest first."""
    return dict(Counter(value for value in column.to_pylist() if value is not None).most_common())
