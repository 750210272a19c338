"""The commands classify, retry and status."""

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stores import Nonocensus

from nonocensus.pipeline.commands.options import read_selection
from nonocensus.pipeline.executors.executor import SerialExecutor
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.words.formatting import seconds


@pytest.mark.usefixtures("hard")
def test_classify_selected_puzzles_then_the_rest(tmp_path: Path, nonocensus: Nonocensus) -> None:
    command = ["classify", "store", "--out", "run", "--serial"]
    dry = nonocensus(*command, "--dry-run", "--limit", "7", "--json")
    found = json.loads(dry.out)
    assert (found["puzzles"], found["sample"], found["tried_before"]) == (7, 7, 0)
    assert not (tmp_path / "run").exists()
    (tmp_path / "ids.txt").write_text("random/22x22-0.45-5-3\nrandom/22x22-0.45-5-79\n")
    assert "2 of 80 puzzles classified" in nonocensus(*command, "--ids", "@ids.txt").out
    wrong = nonocensus(*command, "--where", "nosuch = 1")
    assert (wrong.code, len(wrong.err.splitlines())) == (2, 1)
    assert "78 of 80 puzzles without a result" in nonocensus("status", "run").out
    assert "No selected puzzle is left to classify" in nonocensus(*command, "--where", "width > 22").out
    whole = nonocensus(*command, "--json")
    assert json.loads(whole.out)["rows"] == 80
    assert (whole.code, nonocensus("status", "run", "--failed").out) == (
        0,
        "run: every puzzle that was tried has its answer.\n",
    )
    status = json.loads(nonocensus("status", "run", "--json").out)
    assert (status["left"], status["progress"]["at_work"], status["progress"]["rows_left"]) == (0, False, 0)


def test_timeouts_are_listed_and_retried(hard: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    nonocensus("classify", hard.folder.uri, "--out", "run", "--serial", "--cpu-limit", "0.001")
    listed = json.loads(nonocensus("status", "run", "--failed", "--json").out)
    late = listed["counts"]["timeout"]
    assert late == len(listed["puzzles"]) > 20
    shown = nonocensus("status", "run", "--failed").out
    assert f"{late:,}" in shown
    assert "no answer within the limit of 0.001 CPU seconds" in shown
    dry = nonocensus("retry", "run", "--cpu-limit", "10", "--serial", "--dry-run")
    cost = f"At most {late * 10 / 3600:.4g} CPU hours: {seconds(late * 10)} on 1 idle core."
    assert dry.out.splitlines()[1:] == [cost]
    none = nonocensus("retry", "run", "--cpu-limit", "10", "--serial", "--where", "solutions = 'unique'")
    assert "Nothing to retry: no selected puzzle timed out with less than 10 s." in none.out
    assert "cpu limit 0.001, rung" in nonocensus("status", "run").out
    again = nonocensus("retry", "run", "--cpu-limit", "10", "--serial", "--json")
    assert json.loads(again.out)["status"] == {"ok": 80}
    none = nonocensus("retry", "run", "--changed", "--serial")
    assert (none.code, none.out) == (0, "The run is up to date: its store has no new or changed puzzle.\n")
    assert "cpu limit 0.001 (up to 10 by retry), rung" in nonocensus("status", "run").out
    none = nonocensus("retry", "run", "--cpu-limit", "10", "--serial", "--failed")
    assert "Nothing to retry: no selected puzzle failed, or timed out with less than 10 s." in none.out
    assert len(open_run(str(tmp_path / "run")).table()) == 80
    path = tmp_path / "run" / "progress.json"
    progress = {"at_work": True, "updated": datetime.now(UTC).isoformat(), "rows_left": 3, "rows_in_flight": 2}
    progress |= {"eta_seconds": 6.0, "rate": 0.5}
    path.write_text(json.dumps(json.loads(path.read_text()) | progress))
    told = nonocensus("status", "run").out
    assert re.search(r"5 left at its last report, \d:\d\d:\d\d ago, 2 of them in tasks", told)
    assert "; about 0:00:06 to go at 0.5/s\n" in told
    with subprocess.Popen(["true"]) as ended:
        pass
    path.write_text(json.dumps(json.loads(path.read_text()) | {"pid": ended.pid}))
    said = nonocensus("status", "run").out
    assert "At work" not in said, "its process was killed"
    assert "broke off; at its last report it had finished" in said, "files written since count above"
    assert "resumes" not in said, "what a run lacks is said apart"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"job": "mend", "at_work": False}))
    done = json.loads(path.read_text())["rows"]
    assert f", broke off after {done} puzzles in " in nonocensus("status", "run").out
    assert "; 5 left: nonocensus mend run resumes." in nonocensus("status", "run").out


@pytest.mark.usefixtures("hard")
def test_interrupted_command_can_be_resumed(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("nonocensus.pipeline.jobs.engine.Driver", interrupted)
        result = nonocensus("classify", "store", "--out", "run", "--serial")
    assert (result.code, result.err.strip()) == (
        130,
        "80 of 80 are left.\nnonocensus: interrupted; finished work is kept, the same command resumes",
    )
    with monkeypatch.context() as patch:
        patch.setattr(SerialExecutor, "wait", lambda *waits, wait=SerialExecutor.wait: interrupted(wait(*waits)))
        result = nonocensus("classify", "store", "--out", "run", "--serial")
    left = json.loads(nonocensus("status", "run", "--json").out)["left"]
    assert left < 80, "a task has written its file, and its outcome is lost"
    assert result.err.strip().startswith(f"{left} of 80 are left.")
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0


def test_ids_are_parsed_as_csv_and_id_files_by_line(tmp_path: Path) -> None:
    (tmp_path / "ids").write_text('a,b\r\n\n "c" \n@d\n')
    for texts, ids in (
        (["webpbn/1, webpbn/23"], ("webpbn/1", "webpbn/23")),
        (['"a,b",c', '"say ""x""",@d'], ("a,b", "c", 'say "x"', "@d")),
        ([f"@{tmp_path}/ids", '"@e"'], ("a,b", '"c"', "@d", "@e")),
    ):
        assert read_selection(texts, None, None).ids == ids
