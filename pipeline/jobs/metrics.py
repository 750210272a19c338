"""Metrics of a run for Prometheus, exported by Ray: all names begin with ray_nonocensus_."""

from collections import defaultdict

from pipeline.run.results import Piece

SECONDS = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0]
"""Bounds of the histogram of task times."""


class Metrics:
    """Counters of one session.

    new_puzzles, new_seconds   what has come since Ray was told last, by label and host, and by host: a call a task and
                               label would add up with many cores
    """

    def __init__(self, run_id: str) -> None:
        from ray.util.metrics import Counter, Gauge, Histogram

        self.new_puzzles: dict[tuple[str, str], int] = defaultdict(int)
        self.new_seconds: dict[str, float] = defaultdict(float)
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
        host = piece.about["hosts"][0]
        for label, count in piece.labels.items():
            self.new_puzzles[label, host] += count
        for status in piece.status.keys() - {"ok", "timeout"}:
            self.new_puzzles[status, host] += piece.status[status]
        self.new_seconds[host] += piece.about["cpu_task"]
        self._seconds.observe(piece.about["seconds"])

    def lost(self, kind: str) -> None:
        """A task has no result."""
        self._lost.inc(1, {"kind": kind})

    def tell(self, left: int) -> None:
        """Tell Ray what has come; so many puzzles have no row yet."""
        for (label, host), count in self.new_puzzles.items():
            self._puzzles.inc(count, {"label": label, "host": host})
        for host, seconds in self.new_seconds.items():
            self._cpu.inc(seconds, {"host": host})
        self.new_puzzles.clear()
        self.new_seconds.clear()
        self._left.set(left)
