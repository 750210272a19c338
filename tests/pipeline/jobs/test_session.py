"""One command at work: its log and what it tells."""

from pathlib import Path

import pytest
from runs import CONFIG

from pipeline.errors import UserError
from pipeline.executors.executor import SerialExecutor
from pipeline.jobs.classify_job import CLASSIFY
from pipeline.jobs.schedule import Schedule
from pipeline.jobs.session import NOBODY, Session
from pipeline.run.run_folder import Run, start_run
from pipeline.store.parts import Store


def begun(run: Run, schedule: Schedule) -> Session:
    session = Session(run, CLASSIFY, schedule, NOBODY)
    session.start(SerialExecutor())
    return session


def test_the_log_is_whole_when_another_has_taken_over(store: Store, tmp_path: Path) -> None:
    """On storage without locks: the last lines are written all the same."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    schedule = Schedule(iter(()), 0, [], [1.0])
    with pytest.raises(UserError, match="another command has begun to work"), begun(run, schedule) as first:
        begun(run, schedule)
    assert first.log is not None
    assert first.log.file is not None
    assert first.log.file.closed
    log = (tmp_path / "run/log" / f"{first.name}.jsonl").read_text()
    assert '"session ended"' in log
