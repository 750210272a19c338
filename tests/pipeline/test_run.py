"""Runs: the same rows by any executor, and after any interruption; nothing mixed, nothing half-written."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pipeline.classify import classify_run
from pipeline.errors import UserError
from pipeline.executor import ray_executor, serial
from pipeline.run import Run, configuration, open_run, start_run
from pipeline.store import Store, append
from solver.tables import RESULTS, puzzle_batch

CONFIG = configuration(10.0)
OF_THE_MOMENT = [
    *("cpu_seconds", "wall_seconds", "cpu_line", "cpu_depth2", "cpu_probe", "cpu_search", "cpu_sat"),
    *("run_id", "host"),
]


def run_serially(store: Store, out: Path) -> Run:
    run = start_run(store, str(out), CONFIG)
    classify_run(run, serial, lambda _: None)
    return run


def lasting(run: Run) -> pa.Table:
    """The rows without timings and names, which differ from run to run."""
    return run.table().drop_columns(OF_THE_MOMENT).sort_by("puzzle_id")


def test_a_run_has_one_row_for_each_puzzle(store: Store, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    summary = classify_run(run, serial, seen.append)
    table = run.table()
    assert table.schema.equals(RESULTS, check_metadata=True)
    assert sorted(table["puzzle_id"].to_pylist()) == sorted(f"test/{k}" for k in range(300))
    assert summary["rows"] == summary["puzzles"] == sum(part["rows"] for part in seen) == 300
    assert summary["status"] == {"ok": 300}
    assert sum(summary["labels"].values()) == 300
    assert json.loads((tmp_path / "run/summary.json").read_text()) == summary
    assert set(table["config_hash"].to_pylist()) == {run.about["config_hash"]}
    assert not list(tmp_path.rglob("*.tmp"))


def test_ray_gives_the_same_rows(store: Store, tmp_path: Path) -> None:
    alone = run_serially(store, tmp_path / "serial")
    run = start_run(store, str(tmp_path / "ray"), CONFIG)
    with ray_executor(tasks_per_cpu=2, cpus=2) as execute:
        summary = classify_run(run, execute, lambda _: None)
    assert summary["rows"] == 300
    assert lasting(run).equals(lasting(alone))


@pytest.mark.parametrize("options", [["--serial"], ["--cpus", "2"]])
def test_a_killed_run_goes_on(store: Store, tmp_path: Path, options: list[str]) -> None:
    undisturbed = run_serially(store, tmp_path / "undisturbed")
    out = tmp_path / "run"
    command = [sys.executable, "-m", "pipeline", "classify", store.folder.uri, "--out", str(out), "--cpu-limit", "10"]
    process = subprocess.Popen([*command, *options], start_new_session=True, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline and len(list(out.glob("results/*.json"))) < 3:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = open_run(str(out))
    assert 3 <= len(killed.finished()) < 60, "the kill came too early or too late to show anything"
    rows_then = killed.table()["puzzle_id"].to_pylist()
    subprocess.run([*command, "--serial"], check=True, stdout=subprocess.DEVNULL)
    rows_now = open_run(str(out)).table()["puzzle_id"].to_pylist()
    assert len(rows_now) == 300
    assert set(rows_then) < set(rows_now)
    assert lasting(open_run(str(out))).equals(lasting(undisturbed))
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_finished_run_does_nothing_more(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run/results").iterdir()}
    classify_run(start_run(store, str(tmp_path / "run"), CONFIG), serial, lambda _: pytest.fail("nothing is left"))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run/results").iterdir()} == before
    assert start_run(store, str(tmp_path / "run"), CONFIG).about == run.about


def test_new_puzzles_join_the_run(store: Store, tmp_path: Path) -> None:
    run_serially(store, tmp_path / "run")
    append(store, [next(store.batches())])
    run = run_serially(store, tmp_path / "run")
    assert len(run.table()) == 305


def test_another_configuration_or_store_is_refused(store: Store, tmp_path: Path) -> None:
    run_serially(store, tmp_path / "run")
    with pytest.raises(
        UserError, match=r"holds another run: cpu_limit is 10.0 there and 5.0 here; choose another --out"
    ):
        start_run(store, str(tmp_path / "run"), {**CONFIG, "cpu_limit": 5.0})
    other = Store(store.folder)
    moved = tmp_path / "moved"
    (tmp_path / "store").rename(moved)
    with pytest.raises(UserError):
        start_run(other, str(tmp_path / "run"), CONFIG)


def test_a_changed_part_is_refused(store: Store, tmp_path: Path) -> None:
    run_serially(store, tmp_path / "run")
    statistics = tmp_path / "store/puzzles/part-00002.json"
    statistics.write_text(statistics.read_text().replace('"sha256": "', '"sha256": "0'))
    with pytest.raises(UserError, match=r"part-00002 of the store .* has changed since the run began"):
        start_run(store, str(tmp_path / "run"), CONFIG)


def test_refused_folders(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds something else than a run"):
        start_run(store, str(tmp_path / "store"), CONFIG)
    with pytest.raises(UserError, match="is not a run; make one with: nonocensus classify"):
        open_run(str(tmp_path / "store"))


def test_a_damaged_part_is_named_and_the_others_go_on(store: Store, tmp_path: Path) -> None:
    part = tmp_path / "store/puzzles/part-00001.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    seen: list[dict[str, Any]] = []
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    assert classify_run(run, serial, seen.append)["rows"] == 250
    errors = [statistics["error"] for statistics in seen if "error" in statistics]
    assert len(errors) == 10
    assert all("part-00001.parquet" in error for error in errors)
    part.write_bytes(whole)
    assert classify_run(run, serial, lambda _: None)["rows"] == 300


def test_an_empty_store_is_refused(tmp_path: Path) -> None:
    from pipeline.store import create_store

    empty = create_store(str(tmp_path / "empty"))
    append(empty, [puzzle_batch([])])
    with pytest.raises(UserError, match="holds no puzzles"):
        start_run(empty, str(tmp_path / "run"), CONFIG)
    assert not (tmp_path / "run").exists()
