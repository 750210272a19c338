"""Sessions: the run's log and log records."""

import json
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from runs import CONFIG, start_run
from stores import Nonocensus

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.jobs.classify_job import CLASSIFY
from nonocensus.pipeline.jobs.driver import MAX_READS
from nonocensus.pipeline.jobs.schedule import Schedule, TaskRows
from nonocensus.pipeline.jobs.session import Session
from nonocensus.pipeline.run.plan import Plan
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.parts import Store


@pytest.fixture
def run(store: Store, tmp_path: Path) -> Run:
    return start_run(store, str(tmp_path / "run"), CONFIG)


def begun(run: Run) -> Session:
    session = Session(run, CLASSIFY, Schedule(Plan(iter(()), 0, []), [1.0]))
    session.start()
    return session


def log_of(session: Session) -> str:
    return Path(session.run.folder.path, "log", f"{session.name}.jsonl").read_text()


def test_log_is_complete_after_another_command_has_taken_over(run: Run) -> None:
    """On storage without locks."""
    with pytest.raises(UserError, match=r"another command has taken over .*; this one stops"), begun(run) as first:
        begun(run)
    assert first.log is not None
    assert first.log.file is not None
    assert first.log.file.closed
    assert '"session ended"' in log_of(first)


def test_interruption_is_not_hidden_by_errors_of_the_end(run: Run) -> None:
    def interrupted() -> None:
        with begun(run):
            begun(run)  # takes over
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def test_log_records_of_other_loggers_are_written_to_the_log(run: Run) -> None:
    with begun(run) as session:
        logging.getLogger("nonocensus.solver").warning("a kernel failed: %s", "why")
        session.log_event(logging.DEBUG, "task lost", name="part", level=3)
    logging.getLogger("nonocensus.solver").warning("after the session")
    first, foreign, event, last = map(json.loads, log_of(session).splitlines())
    assert (first["event"], last["event"]) == ("session begun", "session ended")
    assert foreign.items() >= {
        "event": "message", "level": "WARNING", "logger": "nonocensus.solver", "message": "a kernel failed: why"
    }.items()  # fmt: skip
    assert {name: event[name] for name in event if name != "at"} == {"event": "task lost", "name": "part", "level": 3}


def test_events_reach_other_handlers_once_if_their_level_is_enabled(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    with begun(run) as session:
        assert caplog.messages == []
        caplog.set_level("DEBUG", "nonocensus")
        session.log_event(logging.DEBUG, "task lost", reason="100 % gone")
    assert caplog.messages[0] == "task lost: reason=100 % gone"
    assert log_of(session).count("task lost") == 1


def test_log_level_prints_finished_tasks_and_retries_to_standard_error(store: Store, nonocensus: Nonocensus) -> None:
    command = ("classify", "store", "--out", "run", "--serial", "--quiet")
    first = nonocensus(*command, "--limit", "50", "--log-level", "debug")
    assert first.code == 0
    assert "INFO nonocensus.jobs: session begun: run_id=" in first.err
    assert "DEBUG nonocensus.jobs: task finished: name=part-0001-" in first.err
    assert nonocensus(*command, "--limit", "10").err == ""
    last = store.parts()[-1].name
    Path(store.puzzles.path, f"{last}.parquet").write_bytes(b"PAR1")
    retried = nonocensus(*command, "--log-level", "info").err
    assert len(re.findall(f"INFO nonocensus.jobs: unreadable: name=part-0003-.* part={last} ", retried)) >= MAX_READS
    assert "task finished" not in retried


def test_progress_says_what_it_waits_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of hard puzzles ends after a minute, and a killed session's log counts its puzzles as left."""
    said: list[str] = []
    session = Session(run, CLASSIFY, Schedule(Plan(iter(()), 0, []), [1.0]), ProgressCallbacks(on_progress=note(said)))
    with session:
        session.start()
        for number in range(3):
            session.submitted(number, TaskRows({"part-00000": [(number, number + 1)]}, 1, 0), f"part-{number}", 2)
        session.tick(2, is_last=True)
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 34.2)
        session.tick(2, is_last=True)
    assert said == ["2 tasks at work, longest 34 s"] * 2, "in the last tick, and at the end"
    assert json.loads(log_of(session).splitlines()[-1])["left"] == 3
    ended = json.loads(Path(run.folder.path, "progress.json").read_text())
    assert ended["eta_seconds"] is None, "of the last puzzles nothing is known"


def note(said: list[str]) -> Callable[[int, str], None]:
    """Return a callback that keeps status texts."""
    return lambda _, status: said.append(status)
