"""The command mend on runs, stores and files."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stores import Nonocensus, Refused, cut, other_columns, sampled

import nonocensus as nc
from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.commands.mend import mended_in
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs import mend_job
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.jobs.mend_job import MendResult, mend_run
from nonocensus.pipeline.run.job_tables import read_attempts, read_mendings
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import append, create_store, open_store
from nonocensus.scrapers.formats import named
from nonocensus.scrapers.pictures.mending import Mendings, mendings
from nonocensus.solver.api import classify, solve
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import MENDINGS, puzzle_batch

SWITCH = from_picture(np.eye(2, dtype=np.uint8), puzzle_id="local/switch", title="[bold]Switch")
PLAIN = from_picture([[1, 1], [0, 1]], puzzle_id="local/plain")
BLOTTED = Puzzle(((Block(0),), (Block(0),)), ((Block(0),), (Block(0),)), puzzle_id="local/blotted")


@pytest.fixture
def store(tmp_path: Path) -> str:
    append(create_store(str(tmp_path / "store")), [puzzle_batch([SWITCH, PLAIN, BLOTTED])])
    return str(tmp_path / "store")


@pytest.fixture
def run(nonocensus: Nonocensus, store: str, tmp_path: Path) -> str:
    assert nonocensus("classify", store, "--out", str(tmp_path / "run"), "--serial").code == 0
    return str(tmp_path / "run")


def test_store_and_run_give_the_same_output(nonocensus: Nonocensus, store: str, run: str) -> None:
    told = [nonocensus("mend", place, "--json") for place in (store, run)]
    assert [each.code for each in told] == [0, 0]
    assert told[0].out == told[1].out
    one, other = map(json.loads, told[0].out.splitlines())
    assert (one["puzzle_id"], other["puzzle_id"]) == ("local/switch", "local/blotted")
    assert other["mendings"] == []
    smallest = one["mendings"][0]
    assert smallest["before"] == np.eye(2).tolist()
    assert smallest["cells"] == int((np.array(smallest["after"]) != np.eye(2)).sum()) == 1
    assert len(smallest["changes"]) == 2


def test_condition_is_on_columns_of_puzzles_results_measures_and_grades(nonocensus: Nonocensus, run: str) -> None:
    for where, names in {
        "solutions = 'multiple' and difficulty is not null and grade is null": ["local/switch", "local/blotted"],
        "label = 'multiple' and not blotted and puzzles.width = 2": ["local/switch"],
        "second_solution is null": [],
    }.items():
        told = nonocensus("mend", run, "--json", "--serial", "--where", where)
        assert (told.code, [json.loads(line)["puzzle_id"] for line in told.out.splitlines()]) == (0, names)


def test_progress_counts_each_puzzle_of_a_store_once(store: str) -> None:
    steps = list[int]()
    progress = ProgressCallbacks(on_progress=lambda count, _: steps.append(count))
    assert [*mended_in([store], JobRequest(resources=Resources(serial=True), progress=progress), None)]
    assert sum(steps) == open_store(store).rows()


def test_run_keeps_the_changes(nonocensus: Nonocensus, store: str, run: str) -> None:
    before = {path.name for path in Path(store).iterdir()}
    assert read_mendings(open_run(run)) == MENDINGS.empty_table()
    (told,) = (json.loads(line) for line in nonocensus("mend", store, run, "--json").out.splitlines()[2:3])
    (row,) = read_mendings(open_run(run)).to_pylist()
    assert row["puzzle_id"] == told["puzzle_id"] == "local/switch"
    assert row["clue_hash"] == puzzle_batch([SWITCH])["clue_hash"][0].as_py()
    assert row["change"].startswith("1 cell of the picture changed: row ")
    assert np.frombuffer(row["mended"], np.uint8).reshape(2, 2).tolist() == told["mendings"][0]["after"]
    assert row["cells"] == told["mendings"][0]["cells"]
    assert {path.name for path in Path(store).iterdir()} == before


@pytest.fixture
def switches(nonocensus: Nonocensus, tmp_path: Path) -> str:
    """A run of four puzzles with two solutions among others."""
    puzzles = [from_picture(np.eye(2, dtype=np.uint8), puzzle_id=f"local/{k}") for k in range(4)]
    append(create_store(str(tmp_path / "several")), [puzzle_batch([PLAIN, *puzzles, BLOTTED])])
    assert nonocensus("classify", "several", "--out", str(tmp_path / "run of several"), "--serial").code == 0
    return str(tmp_path / "run of several")


def test_interrupted_command_keeps_changes_and_resumes(nonocensus: Nonocensus, switches: str) -> None:
    run, told = open_run(switches), list[tuple[str, int | None]]()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    def begun(*what: Any) -> None:
        told.append(what)

    request = JobRequest(cpu_limit=10.0, resources=Resources(serial=True), progress=ProgressCallbacks(begun))
    interrupted = replace(request, progress=ProgressCallbacks(begun, stop), settings=JobSettings(first_rows=2))
    with pytest.raises(KeyboardInterrupt):
        list(mend_run(run, interrupted))
    assert read_attempts(run)["puzzle_id"].to_pylist() == ["local/0", "local/1"]
    rest = list(mend_run(run, request))
    assert told == [("mending", 5, 0), ("mending", 3, 0)]
    whole = nonocensus("mend", "several", "--json", "--serial").out
    assert nonocensus("mend", switches, "--json", "--serial").out == whole
    assert [(item.puzzle.puzzle_id, len(item.mendings)) for item in rest] == [
        *((f"local/{k}", len(rest[0].mendings)) for k in range(4)),
        ("local/blotted", 0),
    ]
    assert read_mendings(run)["puzzle_id"].to_pylist() == [f"local/{k}" for k in range(4)]


def test_limit_is_of_puzzles_tried_now(nonocensus: Nonocensus, switches: str) -> None:
    told = [nonocensus("mend", switches, "--json", "--serial", "--limit", "3").out.splitlines() for _ in range(2)]
    assert list(map(len, told)) == [4, 5], "with the blotted one, which is not tried"


def test_unfinished_searches_are_retried_only_with_more_time(switches: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, tried = open_run(switches), list[float]()
    changes = mendings(SWITCH, [np.eye(2, dtype=np.uint8), 1 - np.eye(2, dtype=np.uint8)]).found

    def search(_puzzle: Puzzle, _solutions: object, cpu_limit: float) -> Mendings:
        """Find nothing, then a change, then end without one."""
        tried.append(cpu_limit)
        return Mendings(changes if cpu_limit == 2.0 else [], cpu_limit == 3.0)

    def mended(limit: float) -> set[tuple[int, bool]]:
        items = [*mend_run(run, JobRequest(cpu_limit=limit, resources=Resources(serial=True)))][:4]
        return {(len(item.mendings), item.finished) for item in items if isinstance(item, MendResult)}

    monkeypatch.setattr(mend_job, "mendings", search)
    assert [mended(limit) for limit in (1.0, 1.0, 0.5)] == [{(0, False)}] * 3
    assert [mended(limit) for limit in (2.0, 1.0)] == [{(len(changes), False)}] * 2
    said = read_mendings(run)["change"].to_pylist()
    assert (len(said), sum(map(bool, said))) == (4 * len(changes) + 4, 4 * len(changes))
    assert [mended(limit) for limit in (3.0, 4.0)] == [{(0, True)}] * 2
    assert tried == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    assert read_mendings(run)["change"].to_pylist() == [""] * 4


def test_failing_puzzle_is_reported_and_retried_next_time(
    nonocensus: Nonocensus, switches: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(puzzle: Puzzle, _solutions: object, _limit: float) -> Mendings:
        if puzzle.puzzle_id == "local/2":
            raise ValueError("no reason")
        return Mendings([], True)

    with monkeypatch.context() as patched:
        patched.setattr(mend_job, "mendings", failing)
        done = nonocensus("mend", switches, "--serial")
    assert (done.code, "local/2: ValueError: no reason" in done.err) == (1, True)
    assert sorted(read_attempts(open_run(switches))["puzzle_id"].to_pylist()) == ["local/0", "local/1", "local/3"]


@pytest.mark.slow
def test_processes_give_the_same_result_as_serial(nonocensus: Nonocensus, switches: str) -> None:
    alone = nonocensus("mend", "several", "--json", "--serial").out
    assert nonocensus("mend", switches, "--json", "--cpus", "2").out == alone


def no_text(path: Path) -> None:
    table = pq.read_table(path)
    broken = pa.array([b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(table.set_column(table.schema.get_field_index("change"), "change", broken), path)


def file_of(run: str) -> Path:
    (path,) = Path(run, "mendings").iterdir()
    return path


@pytest.mark.parametrize("damage", sampled([cut, other_columns, no_text], 3))
def test_damaged_file_is_reported_and_repaired(
    nonocensus: Nonocensus, refused: Refused, run: str, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    assert nonocensus("mend", run).code == nonocensus("verify", run).code == 0
    path = file_of(run)
    damage(path)
    assert f"{path.name} can't be read" in refused("report", run, "--out", str(tmp_path / "report"), code=3)
    assert not (tmp_path / "report" / "report.html").exists()
    assert nonocensus("status", run).code == 0
    assert nonocensus("verify", run, "--repair").code == 1
    assert nonocensus("verify", run).code == 0
    assert nonocensus("report", run, "--out", str(tmp_path / "report")).code == 0


@pytest.mark.slow
def test_report_shows_changes_of_current_clues_only(nonocensus: Nonocensus, run: str, tmp_path: Path) -> None:
    def reported(names_mend: bool = False) -> bytes:
        told = nonocensus("report", run, "--out", str(tmp_path / "report"))
        assert (told.code, f"in the letters yet: nonocensus mend {run} looks" in told.out) == (0, names_mend)
        return (tmp_path / "report/report.html").read_bytes()

    before = reported(names_mend=True)
    assert nonocensus("mend", run).code == 0
    assert reported() != before
    kept = read_mendings(open_run(run))
    place = kept.schema.get_field_index("clue_hash")
    pq.write_table(kept.set_column(place, "clue_hash", pa.array(["0" * 32])), file_of(run))
    assert reported(names_mend=True) == before


def test_mended_puzzles_are_printed_and_written(nonocensus: Nonocensus, store: str, tmp_path: Path) -> None:
    done = nonocensus("mend", store, "--out", str(tmp_path / "mended.non"))
    assert done.code == 0
    first, second, last = done.out.splitlines()
    assert first.startswith('local/switch "[bold]Switch" 2x2: 1 cell of the picture changed: row ')
    assert second == "local/blotted 2x2: it has hidden lengths, no change is looked for"
    assert last == f"2 with several solutions, 1 of them mended, 1 file written to {tmp_path / 'mended.non'}."
    quiet = nonocensus("mend", store, "--quiet")
    assert (quiet.out, quiet.err) == ("2 with several solutions, 1 of them mended.\n", "")
    (written,) = named("non").read((tmp_path / "mended.non").read_bytes())
    assert solve(written)["solutions"] == "unique"
    assert written.title == "[bold]Switch"
    assert nonocensus("mend", store, "--out", "mended/").code == 0
    (path,) = Path("mended").iterdir()
    (kept,) = named("jsonl").read(path.read_bytes())
    assert kept.puzzle_id == "local/switch", "a format that keeps ids"


def test_files_are_solved_and_unreadable_ones_reported(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "switch.non").write_bytes(named("non").write(SWITCH))
    (tmp_path / "broken.non").write_text("rows\n1\n\ncolumns\nx\n")
    (tmp_path / "filled.txt").write_text("2x2:2/0/0/0\n")
    done = nonocensus("mend", *(str(tmp_path / name) for name in ("switch.non", "broken.non", "filled.txt")))
    assert done.code == 1
    assert "broken.non" in done.err
    assert "local/filled: its clues can't be met; mend only changes puzzles with several solutions" in done.err
    assert "before   after" in done.out, "of a single puzzle"
    assert "1 with several solutions, 1 of them mended." in done.out
    quiet = nonocensus("mend", str(tmp_path / "switch.non"), "--quiet")
    assert quiet.out == "1 with several solutions, 1 of them mended.\n"


def test_unique_puzzles_need_no_change(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "plain.non").write_bytes(named("non").write(PLAIN))
    done = nonocensus("mend", str(tmp_path / "plain.non"), "--out", str(tmp_path / "out.non"))
    assert done.code == 0
    assert done.out == "0 with several solutions, nothing to mend.\n"
    assert not (tmp_path / "out.non").exists()


def test_what_the_limit_ends_is_not_finished(
    nonocensus: Nonocensus, store: str, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10**6, 20)).__next__
    for module in ("mending", "picture_repair"):
        monkeypatch.setattr(f"nonocensus.scrapers.pictures.{module}.cpu_now", clock)
    for place in (store, run, run):
        told = nonocensus("mend", place)
        assert (told.code, "2x2: not finished: raise --cpu-limit" in told.out) == (0, True)
    with pytest.raises(TimeoutError, match="no change was found in 10 CPU seconds"):
        nc.mend(SWITCH, cpu_limit=10)


def test_undecided_puzzle_of_a_file_is_a_problem(
    nonocensus: Nonocensus, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mend_job, "classify", lambda puzzles, cpu_limit: classify(puzzles, cpu_limit=0.0 * cpu_limit))
    done = nonocensus("mend", store)
    assert (done.code, "local/switch: not solved within 10 CPU seconds; raise --cpu-limit" in done.err) == (1, True)
    with pytest.raises(TimeoutError, match="not solved within 60 CPU seconds"):
        nc.mend(SWITCH)


def test_mend_from_python() -> None:
    assert [nc.solve(change.puzzle).row["solutions"] for change in nc.mend(np.eye(2, dtype=int))] == ["unique"]
    assert nc.mend(PLAIN) == nc.mend(BLOTTED) == []
