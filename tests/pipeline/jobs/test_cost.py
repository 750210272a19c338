"""Estimates of what a job costs: what they count, and that they write nothing."""

import json
from pathlib import Path

import numpy as np
import pytest
from runs import run_serially
from stores import Nonocensus, random_store

from nonocensus.pipeline.jobs import cost
from nonocensus.pipeline.jobs.classify_job import CLASSIFY, classify_options
from nonocensus.pipeline.jobs.cost import CostEstimate, estimate_job
from nonocensus.pipeline.run.plan import Selection, plan_rest
from nonocensus.pipeline.run.run_folder import Run, plan_run
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Store
from nonocensus.scrapers.pictures.recipe import Recipe


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return random_store(tmp_path, Recipe("random", 8, 8, 0.5, 3, 200))


@pytest.fixture
def run(store: Store, tmp_path: Path) -> Run:
    return run_serially(store, tmp_path / "run")


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*")}


def estimate(store: Store, run: Run, cpu_limit: float, limit: int | None = None) -> CostEstimate:
    """Estimate a new run of a store with the configuration of another."""
    config = {**run.manifest["config"], "cpu_limit": cpu_limit}
    new = plan_run(store, f"{run.folder.path}-new", config)
    plan = plan_rest(new, [], Selection(limit=limit))
    return estimate_job(new, CLASSIFY, classify_options(new, config), plan, cpu_limit)


def test_small_plan_is_sampled_whole(store: Store, run: Run) -> None:
    found = estimate(store, run, 60.0)
    assert (found.puzzles, found.tried_before, found.sample, found.late) == (200, 0, 200, 0)
    written = sum(run.results.sizes().values())
    assert written / 8 < found.bytes < written  # statistics not included
    assert estimate(store, run, 60.0, limit=50).puzzles == 50
    assert estimate(store, run, 60.0, limit=1).sample == 1


def test_sample_is_extrapolated(store: Store, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "SAMPLE_PUZZLES", 20)
    found = estimate(store, run, 60.0)
    assert (found.puzzles, found.sample) == (200, 20)
    assert cost.wall_seconds(found.cpu_seconds, 1) == found.cpu_seconds
    assert cost.wall_seconds(found.cpu_seconds, 10) == pytest.approx(found.cpu_seconds / 9)


def test_late_puzzles_count_with_the_jobs_limit(store: Store, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "PUZZLE_SECONDS", 1e-9)
    found = estimate(store, run, 60.0)
    assert found.late > 0
    assert 60 * found.late - 1 < found.cpu_seconds < 60 * found.late + 10


def test_sample_ends_with_its_time(store: Store, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "SAMPLE_SECONDS", 1e-9)
    assert estimate(store, run, 60.0).sample == 1


def test_rows_of_a_plan_are_found_by_number() -> None:
    stretches = [("a", [9], [(0, 3), (5, 9)]), ("b", [4], [(1, 2)]), ("c", [9], [(2, 8)])]
    every = [(name, row) for name, _, some in stretches for row in spans.rows_of(some).tolist()]
    rng = np.random.default_rng(1)
    for size in range(1, len(every) + 1):
        chosen = np.sort(rng.choice(len(every), size, replace=False))
        found = [(name, row) for name, some in cost._rows_of(stretches, chosen) for row in spans.rows_of(some).tolist()]
        assert found == [every[k] for k in chosen]


@pytest.mark.parametrize(
    "command", ["grade", *(pytest.param(name, marks=pytest.mark.slow) for name in ("certify", "mend"))]
)
def test_dry_run_writes_nothing(command: str, run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    before = files(tmp_path)
    result = nonocensus(command, run.folder.path, "--dry-run", "--json", "--cpus", "4")
    found = json.loads(result.out)
    assert result.code == 0
    assert 0 < found["puzzles"] <= 200
    assert 0 < found["sample"] <= found["puzzles"]
    assert found["cores"] == 4
    assert found["wall_seconds"] == pytest.approx(found["cpu_seconds"] / 3.6, abs=1e-2)
    assert files(tmp_path) == before


def test_nothing_left_costs_nothing(run: Run, nonocensus: Nonocensus) -> None:
    result = nonocensus("classify", run.store.folder.path, "--out", run.folder.path, "--dry-run", "--cpu-limit", "10")
    assert result.out == "0 puzzles would be done.\n"
    result = nonocensus("retry", run.folder.path, "--dry-run", "--cpu-limit", "20", "--json")
    assert json.loads(result.out)["cpu_seconds"] == 0
