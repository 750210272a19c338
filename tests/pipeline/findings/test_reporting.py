"""What a report learns of its run from the logs."""

from pathlib import Path

import pytest
from runs import run_serially, work_on

from nonocensus.pipeline.findings.reporting import about_run, sessions, write_run_report
from nonocensus.pipeline.run.plan import Selection
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.store.parts import Store


def test_sessions_of_a_run(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    (session,) = sessions(run)
    assert session.cpus == 1
    assert session.tasks[:, 3].sum() == 300
    assert (session.tasks[:, 0] >= session.begun).all()
    assert (session.tasks[:, 1] <= session.ended).all()
    about = about_run(run, summarize(run))
    assert about.activity is not None
    assert (about.activity.sessions, about.activity.puzzles, about.puzzles) == (1, 300, 300)


def test_a_session_that_was_killed_and_one_of_nothing(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    work_on(run, selection=Selection(limit=5))  # nothing is left
    (log,) = sorted((tmp_path / "run" / "log").glob("0001-*.jsonl"))
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:-2]) + '\n{"at": "20')
    first, second = sessions(run)
    assert (first.cpus, second.cpus) == (None, 1)
    assert 0 < first.tasks[:, 3].sum() <= 300
    assert len(second.tasks) == 0


@pytest.mark.slow
def test_a_run_without_logs_has_a_report(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    for log in (tmp_path / "run" / "log").iterdir():
        log.unlink()
    assert sessions(run) == []
    (tmp_path / "report").mkdir()
    for name in ("report-rate.svg", "report of mine.svg"):
        (tmp_path / "report" / name).write_text("old")
    rows, page = write_run_report(run, str(tmp_path / "report"))
    assert rows == 300
    assert not (tmp_path / "report" / "report-rate.svg").exists()
    assert (tmp_path / "report" / "report of mine.svg").exists()
    assert "puzzles per second" not in Path(page).read_text()
