"""A run's metrics, from its progress.json: they need no live process, so they show a dead one too."""

from collections.abc import Iterator
from datetime import datetime

from nonocensus.pipeline.prometheus import Metric, MetricSample
from nonocensus.pipeline.run.progress import read_progress
from nonocensus.pipeline.run.run_folder import Run

SESSION = ("run", "command")
"""Labels of what the last command on the run has done. `job` would be Prometheus's own label."""

READABLE = Metric("nonocensus_run_readable", "gauge", "1, or 0 if the run's progress can't be read.", ("run",))
PUZZLES = Metric("nonocensus_run_puzzles", "gauge", "Puzzles of the run's store.", ("run",))
ACTIVE = Metric("nonocensus_run_active", "gauge", "1 while a command is at work, and after it died; else 0.", SESSION)
DONE = Metric("nonocensus_run_done_total", "counter", "Puzzles done by the command.", SESSION)
LEFT = Metric("nonocensus_run_left", "gauge", "Puzzles that the command has not done yet.", SESSION)
WAITING = Metric("nonocensus_run_waiting", "gauge", "Puzzles queued for a retry with a higher CPU limit.", SESSION)
OUTCOMES = Metric(
    "nonocensus_run_outcomes_total", "counter", "Puzzles done, by outcome: verdict, grade, timeout, error, ...",
    (*SESSION, "outcome"),
)  # fmt: skip
LOST = Metric("nonocensus_run_lost_tasks_total", "counter", "Tasks without a result, which are retried.", SESSION)
ETA = Metric("nonocensus_run_eta_seconds", "gauge", "Estimated seconds to the end; absent while unknown.", SESSION)
CPUS = Metric("nonocensus_run_cpus", "gauge", "CPUs of the machine or cluster.", SESSION)
LIMIT = Metric("nonocensus_run_cpu_limit_seconds", "gauge", "CPU limit per puzzle.", SESSION)
LONGEST = Metric(
    "nonocensus_run_longest_task_seconds", "gauge", "Age of the oldest task that retries puzzles.", SESSION
)
PROGRESS_AT = Metric("nonocensus_run_progress_timestamp_seconds", "gauge", "Time of the last update.", SESSION)
RESULT_AT = Metric(
    "nonocensus_run_result_timestamp_seconds", "gauge", "When rows were last written, or the command began.", SESSION
)
HOST_PUZZLES = Metric("nonocensus_run_host_done_total", "counter", "Puzzles done, by host.", (*SESSION, "host"))
HOST_CPU = Metric("nonocensus_run_host_cpu_seconds_total", "counter", "CPU seconds of tasks.", (*SESSION, "host"))

RUN_METRICS = (
    *(READABLE, PUZZLES, ACTIVE, DONE, LEFT, WAITING, OUTCOMES, LOST),
    *(ETA, CPUS, LIMIT, LONGEST, PROGRESS_AT, RESULT_AT, HOST_PUZZLES, HOST_CPU),
)


def name_of(run: Run) -> str:
    """Return a run's name in metrics: that of its folder in its parent's, since many are called `run`."""
    return "/".join(run.folder.path.rstrip("/").split("/")[-2:])


def run_samples(run: Run) -> Iterator[MetricSample]:
    """Yield the values of RUN_METRICS, of which most need a first command. Raises InputError or an OSError."""
    progress = read_progress(run)
    name = name_of(run)
    yield MetricSample(READABLE, 1, (name,))
    yield MetricSample(PUZZLES, run.rows, (name,))
    if progress is None:
        return
    labels = name, progress["job"]
    values = {
        ACTIVE: int(progress["at_work"]),
        DONE: progress["rows"],
        LEFT: progress["rows_left"] + progress["rows_in_flight"],
        WAITING: progress["waiting_for_more_time"],
        LOST: progress["lost_tasks"],
        ETA: progress["eta_seconds"],
        CPUS: progress["cpus"],
        LIMIT: progress["cpu_limit"],
        LONGEST: max((task["seconds"] for task in progress["longest_running"]), default=0.0),
        PROGRESS_AT: datetime.fromisoformat(progress["updated"]).timestamp(),
        RESULT_AT: datetime.fromisoformat(progress["last_result"]).timestamp(),
    }
    for metric, value in values.items():
        if value is not None:
            yield MetricSample(metric, value, labels)
    for outcome, count in progress["outcomes"].items():
        yield MetricSample(OUTCOMES, count, (*labels, outcome))
    for host, done in progress["hosts"].items():
        yield MetricSample(HOST_PUZZLES, done["rows"], (*labels, host))
        yield MetricSample(HOST_CPU, done["cpu_seconds"], (*labels, host))
