"""A run's metrics: from its progress, also of a command that has died."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from runs import run_serially
from stores import Nonocensus, random_store

from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.run.run_metrics import RUN_METRICS
from nonocensus.pipeline.serve.catalog import open_catalog
from nonocensus.pipeline.serve.pool import WorkerPool
from nonocensus.pipeline.serve.server import application
from nonocensus.scrapers.pictures.recipe import Recipe


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return run_serially(random_store(tmp_path, Recipe("random", 8, 8, 0.5, 3, 60)), tmp_path / "a/run")


def values(text: str) -> dict[str, float]:
    """Return the values of metrics in Prometheus's format by series."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {series: float(value) for series, value in lines}


def progress_of(run: Run) -> Path:
    return Path(run.folder.path, "progress.json")


def test_status_prints_metrics(run: Run, nonocensus: Nonocensus) -> None:
    found = values(nonocensus("status", run.folder.path, "--metrics").out)
    of_session = '{run="a/run",command="classify"}'
    assert found['nonocensus_run_puzzles{run="a/run"}'] == found[f"nonocensus_run_done_total{of_session}"] == 60
    assert found[f"nonocensus_run_left{of_session}"] == found[f"nonocensus_run_active{of_session}"] == 0
    assert sum(value for name, value in found.items() if "_outcomes_total" in name) == 60
    assert sum(value for name, value in found.items() if "_host_done_total" in name) == 60
    names = {re.sub("{.*", "", series) for series in found}
    assert names == {metric.name for metric in RUN_METRICS}


def test_dead_command_keeps_its_times(run: Run, nonocensus: Nonocensus) -> None:
    """An alert compares them with the clock: nothing else shows that a process is gone."""
    died = {"at_work": True, "rows_left": 5, "last_result": "2026-11-24T10:00:00+00:00"}
    progress = json.loads(progress_of(run).read_text()) | died | {"updated": "2026-11-24T10:07:00+00:00"}
    progress_of(run).write_text(json.dumps(progress))
    found = values(nonocensus("status", run.folder.path, "--metrics").out)
    of_session = '{run="a/run",command="classify"}'
    assert (found[f"nonocensus_run_active{of_session}"], found[f"nonocensus_run_left{of_session}"]) == (1, 5)
    reported = found[f"nonocensus_run_progress_timestamp_seconds{of_session}"]
    assert reported == datetime.fromisoformat("2026-11-24T10:07:00+00:00").timestamp()
    assert reported - found[f"nonocensus_run_result_timestamp_seconds{of_session}"] == 420


def test_run_before_its_first_command_has_its_size(run: Run, nonocensus: Nonocensus) -> None:
    progress_of(run).unlink()
    found = values(nonocensus("status", run.folder.path, "--metrics").out)
    assert found == {'nonocensus_run_readable{run="a/run"}': 1, 'nonocensus_run_puzzles{run="a/run"}': 60}


def test_server_has_its_runs_metrics_as_they_are_now(run: Run) -> None:
    with open_catalog(run) as catalog:
        server = TestClient(application(WorkerPool(2), catalog, 1.0, frozenset({"testserver"})))
        done = 'nonocensus_run_done_total{run="a/run",command="classify"}'
        assert values(server.get("/metrics").text)[done] == 60
        progress = json.loads(progress_of(run).read_text())
        progress_of(run).write_text(json.dumps(progress | {"rows": 61}))
        assert values(server.get("/metrics").text)[done] == 61
        progress_of(run).write_text("{}")
        found = values(server.get("/metrics").text)
        assert found['nonocensus_run_readable{run="a/run"}'] == 0
        assert done not in found
        assert "nonocensus_jobs_running" in found
