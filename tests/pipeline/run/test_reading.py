"""Commands that read leave no trace; commands that are refused leave none either."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runs import CONFIG, run_serially, work_on

from pipeline.classify.schedule import Schedule
from pipeline.classify.session import NOBODY, Session
from pipeline.classify.tidy import MOST_FILES, tidy
from pipeline.errors import UserError
from pipeline.executors.serial import Serial
from pipeline.run.folder import start_run
from pipeline.store.parts import Store, append

Nonocensus = Callable[..., Any]


def trace(*folders: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for place in folders for path in (place, *place.rglob("*"))}


def test_commands_that_read_write_nothing(store: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    run_serially(store, tmp_path / "run")
    before = trace(tmp_path / "run", tmp_path / "store")
    for command in (
        ["status", "run"],
        ["status", "store"],
        ["failed", "run"],
        ["report", "run", "--out", "page"],
        ["dataset", "run", "--out", "data"],
        ["export", "run", "--csv", "x.csv"],
        ["query", "run", "select count(*) from results"],
        ["compare", "run", "run"],
        ["verify", "run"],
        ["verify", "store"],
        ["classify", "store", "--out", "run", "--cpu-limit", "10", "--dry-run"],
    ):
        assert nonocensus(*command).code == 0, command
        assert trace(tmp_path / "run", tmp_path / "store") == before, command


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--serial", "--cpus", "2"], 2),
        (["--address", "foo"], 2),
        (["--address", "127.0.0.1:1"], 6),
        (["--ids", "test/nobody"], 2),
        (["--where", "nosuch = 1"], 2),
    ],
)
def test_refused_commands_leave_nothing(tmp_path: Path, nonocensus: Nonocensus, options: list[str], code: int) -> None:
    refused = nonocensus("classify", "store", "--out", "run", *options)
    assert (refused.code, len(refused.err.splitlines())) == (code, 1)
    assert not (tmp_path / "run").exists()


def test_strange_files_in_a_store(store: Store, tmp_path: Path) -> None:
    """Somebody's notes, a copy by hand, what a file manager leaves: none is a part, and none is in the way."""
    for name in ("notes.json", "part-1.txt", ".DS_Store", "part-00000 (copy).json", "part-x.parquet", "Thumbs.db"):
        (tmp_path / "store/puzzles" / name).write_text("{")
    assert append(store, [next(store.batches())]) == 5
    assert store.rows() == 305
    assert len(run_serially(store, tmp_path / "run").table()) == 305


def test_tidied_files_have_a_bound_of_rows(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    monkeypatch.setattr("pipeline.classify.schedule.FIRST", 5)
    monkeypatch.setattr("pipeline.classify.schedule.MOST_ROWS", 5)
    monkeypatch.setattr("pipeline.classify.tidy.MOST_ROWS", 42)
    work_on(run)
    sizes = [piece.rows for piece in run.pieces()]
    assert sum(sizes) == 300
    assert max(sizes) == 40
    assert len(sizes) < 10 < MOST_FILES


def test_the_log_is_whole_when_another_has_taken_over(store: Store, tmp_path: Path) -> None:
    """On storage without locks: the last lines are written all the same."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    first = Session(run, NOBODY)
    Session(run, NOBODY)
    schedule = Schedule(iter(()), 0, [], [1.0])
    with pytest.raises(UserError, match="another command has begun to work"):
        first.close(schedule, 1)
    assert first.log.file is not None
    assert first.log.file.closed
    log = (tmp_path / "run/log" / f"{first.name}.jsonl").read_text()
    assert '"session ended"' in log


def test_tidy_needs_no_store(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    (tmp_path / "store").rename(tmp_path / "moved")
    tidy(run, Serial(), Session(run, NOBODY))
    assert len(run.table()) == 300
