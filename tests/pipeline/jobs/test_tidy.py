"""Few files, each row once."""

from pathlib import Path

import pytest
from runs import CONFIG, run_serially, work_on

from pipeline.executors.executor import SerialExecutor
from pipeline.jobs.classify_job import CLASSIFY
from pipeline.jobs.schedule import Schedule
from pipeline.jobs.session import NOBODY, Session
from pipeline.jobs.tidy import MOST_FILES, tidy
from pipeline.run.progress import summarize
from pipeline.run.run_folder import start_run
from pipeline.store.parts import Store, append


def test_tidied_files_have_a_bound_of_rows(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    monkeypatch.setattr("pipeline.jobs.schedule.MOST_ROWS", 5)
    monkeypatch.setattr("pipeline.jobs.tidy.MOST_ROWS", 42)
    work_on(run)
    sizes = [piece.rows for piece in run.pieces()]
    assert sum(sizes) == 300
    assert max(sizes) == 40
    assert len(sizes) < 10 < MOST_FILES


def test_tidy_needs_no_store(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    (tmp_path / "store").rename(tmp_path / "moved")
    session = Session(run, CLASSIFY, Schedule(iter(()), 0, [], [1.0]), NOBODY)
    session.start(SerialExecutor())
    tidy(run, SerialExecutor(), session)
    assert len(run.table()) == 300


def test_a_row_that_two_files_have_counts_once(store: Store, tmp_path: Path) -> None:
    """A task that was thought lost and has ended after all; its later twin is what counts, until one file is left."""
    run = run_serially(store, tmp_path / "run")
    results = tmp_path / "run/results"
    one = sorted(results.glob("*.json"))[1]
    twin = one.name.replace("part-0001", "part-0002")
    (results / twin).write_bytes(one.read_bytes())
    (results / twin.replace("json", "parquet")).write_bytes(one.with_suffix(".parquet").read_bytes())
    assert summarize(run)["rows"] == len(run.table()) == 300
    append(store, [next(store.batches())])
    run = run_serially(store, tmp_path / "run")
    assert sum(piece.rows for piece in run.pieces()) == summarize(run)["rows"] == 305
    assert len({(row["puzzle_id"], row["part"]) for row in run.table().to_pylist()}) == 305
