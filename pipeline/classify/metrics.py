"""Metrics of a run for Prometheus, exported by Ray: all names begin with ray_nonocensus_."""

from pipeline.run.results import Piece

SECONDS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0]
"""Bounds of the histogram of task times."""


class Metrics:
    """Counters of one session."""

    def __init__(self, run_id: str) -> None:
        from ray.util.metrics import Counter, Gauge, Histogram

        always = {"run": run_id}
        self._puzzles = Counter("nonocensus_puzzles", "Puzzles that have their row", ("run", "label", "host"))
        self._cpu = Counter("nonocensus_cpu_seconds", "CPU seconds of tasks", ("run", "host"))
        self._lost = Counter("nonocensus_lost_tasks", "Tasks without a result, by why", ("run", "kind"))
        self._left = Gauge("nonocensus_left", "Puzzles without a row", ("run",))
        self._seconds = Histogram("nonocensus_task_seconds", "Wall time of tasks", SECONDS, ("run",))
        for metric in (self._puzzles, self._cpu, self._lost, self._left, self._seconds):
            metric.set_default_tags(always)

    def finished(self, piece: Piece) -> None:
        """A task has finished."""
        host = {"host": piece.about["hosts"][0]}
        for label, count in piece.labels.items():
            self._puzzles.inc(count, {"label": label} | host)
        for status in piece.status.keys() - {"ok", "timeout"}:
            self._puzzles.inc(piece.status[status], {"label": status} | host)
        self._cpu.inc(piece.about["cpu_task"], host)
        self._seconds.observe(piece.about["seconds"])

    def lost(self, kind: str) -> None:
        """A task has no result."""
        self._lost.inc(1, {"kind": kind})

    def left(self, rows: int) -> None:
        """So many puzzles have no row yet."""
        self._left.set(rows)
