"""Joined files: few files, each row once."""

from pathlib import Path

from runs import CONFIG, run_serially, start_run, work_on

from nonocensus.pipeline.executors.executor import SerialExecutor
from nonocensus.pipeline.jobs.classify_job import CLASSIFY
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.jobs.schedule import Schedule
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.jobs.tidy import MAX_FILES, tidy
from nonocensus.pipeline.run.plan import Plan
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.store.parts import Store, append


def test_joined_files_have_bounded_rows(store: Store, tmp_path: Path) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    work_on(run, settings=JobSettings(max_rows=5, joined_rows=42))
    sizes = [file.rows for file in run.result_files()]
    assert sum(sizes) == 300
    assert max(sizes) == 40
    assert len(sizes) < 10 < MAX_FILES


def test_tidy_needs_no_store(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    (tmp_path / "store").rename(tmp_path / "moved")
    session = Session(run, CLASSIFY, Schedule(Plan(iter(()), 0, []), [1.0]))
    session.start()
    tidy(session, SerialExecutor())
    assert len(run.table()) == 300


def test_row_in_two_files_counts_once(store: Store, tmp_path: Path) -> None:
    """A task was thought lost and has ended after all; the later file counts, until they are joined."""
    run = run_serially(store, tmp_path / "run")
    results = tmp_path / "run/results"
    one = sorted(results.glob("*.json"))[1]
    twin = one.name.replace("part-0001", "part-0002")
    (results / twin).write_bytes(one.read_bytes())
    (results / twin.replace("json", "parquet")).write_bytes(one.with_suffix(".parquet").read_bytes())
    assert summarize(run)["rows"] == len(run.table()) == 300
    append(store, [next(store.batches())])
    run = run_serially(store, tmp_path / "run")
    assert sum(file.rows for file in run.result_files()) == summarize(run)["rows"] == 305
    assert len({(row["puzzle_id"], row["part"]) for row in run.table().to_pylist()}) == 305
