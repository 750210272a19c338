"""Metrics: what Ray is told, and that it is told everything once."""

from collections import Counter

import pytest

from pipeline.jobs.metrics import Metrics
from pipeline.run.results import Effort, Piece


def piece(host: str, labels: dict[str, int], status: dict[str, int]) -> Piece:
    about: Effort = {
        "seconds": 1.5,
        "cpu_solver": 0.5,
        "cpu_task": 1.0,
        "started": "",
        "finished": "",
        "hosts": [host],
    }
    return Piece({}, 1.0, [], status, labels, about, "part")


def test_each_puzzle_and_second_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Metrics("run")
    told: Counter[tuple[str, ...]] = Counter()
    calls = []

    def note(value: float, tags: dict[str, str]) -> None:
        calls.append(tags)
        told[tuple(sorted(tags.values()))] += value  # type: ignore[assignment]

    left: list[int] = []
    monkeypatch.setattr(metrics._puzzles, "inc", note)
    monkeypatch.setattr(metrics._cpu, "inc", note)
    monkeypatch.setattr(metrics._left, "set", left.append)
    for _ in range(3):
        metrics.finished(piece("a", {"unique line": 5, "multiple": 1}, {"ok": 6, "invalid": 2}))
        metrics.finished(piece("b", {"unique line": 1}, {"ok": 1}))
    assert not calls
    metrics.tell(7)
    metrics.finished(piece("a", {"unique line": 1}, {"ok": 1}))
    metrics.tell(6)
    metrics.tell(6)
    assert told == {
        ("a", "unique line"): 16,
        ("a", "multiple"): 3,
        ("a", "invalid"): 6,
        ("b", "unique line"): 3,
        ("a",): 4.0,
        ("b",): 3.0,
    }
    assert len(calls) == 8
    assert left == [7, 6, 6]
