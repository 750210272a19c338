"""Runs have the same rows with any executor and after any interruption."""

import json
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from runs import CONFIG, OF_THE_MOMENT, classify_context, lasting, run_serially, start_run, work_on
from stores import Nonocensus, Refused

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.jobs.task import run_task
from nonocensus.pipeline.run.configuration import configuration
from nonocensus.pipeline.run.plan import plan_rest
from nonocensus.pipeline.run.progress import SUMMARY, summarize, write_summary
from nonocensus.pipeline.run.results import PendingPuzzle, ResultFile
from nonocensus.pipeline.run.run_folder import MARK, Run, open_run
from nonocensus.pipeline.store.parts import Store, append, create_store, rewrite
from nonocensus.pipeline.store.paths import Folder
from nonocensus.solver.api import classify
from nonocensus.solver.model.tables import PUZZLES, RESULTS, puzzle_batch


def test_run_has_one_row_per_puzzle(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    table, summary = run.table(), summarize(run)
    assert table.schema.equals(RESULTS, check_metadata=True)
    assert sorted(table["puzzle_id"].to_pylist()) == sorted(f"test/{k}" for k in range(300))
    assert summary["rows"] == summary["puzzles"] == 300
    assert summary["status"] == {"ok": 300}
    assert sum(summary["labels"].values()) == 300
    assert not (tmp_path / "run" / SUMMARY).exists(), "who only reads writes nothing"
    assert json.loads(json.dumps(write_summary(run))) == json.loads((tmp_path / "run" / SUMMARY).read_text()) == summary
    assert set(table["config_hash"].to_pylist()) == {run.manifest["config_hash"]}
    assert ("commit" in run.manifest["versions"]) == Path(__file__).parents[3].joinpath(".git").exists()
    assert set(table["part"].to_pylist()) == {part.name for part in store.parts()}
    events = [json.loads(line) for path in (tmp_path / "run/log").iterdir() for line in path.read_text().splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["session begun", "session ended"]
    assert sum(event["rows"] for event in events if event["event"] == "task finished") == 300
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.slow
@pytest.mark.parametrize("has_hashes", [True, False])
def test_time_levels_do_not_change_rows(hard: Store, tmp_path: Path, has_hashes: bool) -> None:
    """Puzzles exceed the first levels and move up, those of equal hashes as one; how many depends on the machine."""
    store = hard
    if not has_hashes:
        place = PUZZLES.get_field_index("clue_hash")
        rewrite(store, lambda batch: batch.set_column(place, "clue_hash", pa.nulls(len(batch), pa.string())))
    alone = run_serially(store, tmp_path / "serial")
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    work_on(run, limits=[1e-4, 1e-3, 10.0])
    assert any(file.left for file in run.result_files())
    assert lasting(run).equals(lasting(alone))
    assert len(run.result_files()) < 40, "the small files are joined"
    assert len(list((tmp_path / "run/results").iterdir())) == 2 * len(run.result_files())


def test_pending_puzzles_have_seven_items_in_files() -> None:
    """As they had before two of them became unused: runs stay readable."""
    pending = msgspec.json.decode(b'["part-00000", 3, null, 8, "local/a", "", true]', type=PendingPuzzle)
    assert pending[:5] == ("part-00000", 3, None, 8, "local/a")
    assert msgspec.json.encode(pending) == b'["part-00000",3,null,8,"local/a","",true]'


def test_kernel_compilation_has_no_time_limit_and_is_no_work(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backstop limits puzzles; on a new machine the first task may compile for longer."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    job = classify_context(run, isolated=True)
    parts = {part.name: part for part in run.parts}
    limited: list[tuple[str, bool]] = []

    def look(what: str) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
        assert (signal.getitimer(signal.ITIMER_REAL)[0] > 0) == (soft != hard)
        limited.append((what, soft != hard))

    def look_and_compile(*_: object) -> np.ndarray:
        look("compile")
        return np.array([2000.0, 1000.0])

    def look_and_classify(*arguments: Any, **options: Any) -> Any:
        look("classify")
        return classify(*arguments, **options)

    monkeypatch.setattr("nonocensus.pipeline.jobs.task.compile_for_chunk", look_and_compile)
    monkeypatch.setattr("nonocensus.pipeline.jobs.classify_job.classify", look_and_classify)
    file = run_task({"part-00000": [(0, 20)]}, parts, 0.1, "part-0001-aaaa-000001", job)
    assert isinstance(file, ResultFile)
    assert file.rows == 20
    look("end")
    assert limited == [("compile", False), ("classify", True), ("end", False)]
    assert file.about["waited"] == 2000.0
    assert file.about["cpu_task"] < 0
    assert file.about["seconds"] < 0


def test_finished_run_does_nothing(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    plan = plan_rest(run, run.result_files())
    assert (list(plan.stretches), plan.rows, plan.left) == ([], 0, [])
    assert start_run(store, str(tmp_path / "run"), CONFIG).manifest == run.manifest


def test_new_puzzles_join_the_run(store: Store, tmp_path: Path) -> None:
    run_serially(store, tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run/results").iterdir()}
    append(store, [next(store.batches())])
    assert len(run_serially(store, tmp_path / "run").table()) == 305
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_force_archives_the_previous_run(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    before = lasting(run)
    again = start_run(store, str(tmp_path / "run"), configuration(5.0), force=True)
    assert len(again.table()) == 0
    assert lasting(open_run(str(tmp_path / "run" / run.manifest["run_id"]))).equals(before)
    work_on(again)
    assert summarize(again)["rows"] == 300
    assert len(open_run(str(tmp_path / "run" / run.manifest["run_id"])).table()) == 300


def test_equal_puzzles_are_solved_once(store: Store, tmp_path: Path) -> None:
    """Ten copies of a batch: each has its row, and a task takes the time of one."""
    append(store, [next(store.batches())] * 10)
    run = run_serially(store, tmp_path / "run")
    rows = run.table().filter(pc.is_in(run.table()["puzzle_id"], pa.array([f"test/{k}" for k in range(5)])))
    assert len(rows) == 55
    same = rows.drop_columns(["part", *OF_THE_MOMENT]).group_by("puzzle_id").aggregate([("solution", "count_distinct")])
    assert same["solution_count_distinct"].to_pylist() == [1] * 5


def test_only_changes_of_hashed_columns_invalidate_a_run(store: Store, tmp_path: Path) -> None:
    """Ratings may change; ids, clues and goals may not."""
    run_serially(store, tmp_path / "run")

    def changed(column: str, value: object) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
        place = PUZZLES.get_field_index(column)
        return lambda batch: batch.set_column(
            place, PUZZLES.field(place), pa.array([value] * len(batch), PUZZLES.field(place).type)
        )

    rewrite(store, changed("site_quality", 3.5))
    assert len(run_serially(store, tmp_path / "run").table()) == 300
    rewrite(store, changed("goal", b"\0" * 72))
    with pytest.raises(
        UserError, match=r"part-00000 and 5 others of the store .* has changed since .* retry .* --changed"
    ):
        start_run(store, str(tmp_path / "run"), CONFIG)


def test_damaged_part_is_reported_and_others_classified(store: Store, tmp_path: Path) -> None:
    part = tmp_path / "store/puzzles/part-00001.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:100])
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    (error,) = work_on(run)
    assert "part-00001.parquet" in error
    assert len(run.table()) == 250
    part.write_bytes(whole)
    assert work_on(run) == []
    assert len(run.table()) == 300


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:300])])
def test_results_count_again_with_a_manifest_made_anew(
    store: Store, tmp_path: Path, nonocensus: Nonocensus, refused: Refused, damage: Callable[[Path], Any]
) -> None:
    where, run = str(tmp_path / "run"), run_serially(store, tmp_path / "run")
    damage(tmp_path / "run" / MARK)
    for command in (["status", where], ["verify", where, "--repair"], ["report", where, "--out", f"{where}-page"],
                    ["classify", store.folder.uri, "--out", where, "--serial"]):  # fmt: skip
        assert "classify STORE --out NEW --limit 1, with the run's options, and copy" in refused(*command, code=3)
    options = ("--serial", "--cpu-limit", f"{CONFIG['cpu_limit']:g}", "--limit", "1")
    nonocensus("classify", store.folder.uri, "--out", str(tmp_path / "new"), *options)
    (tmp_path / "new" / MARK).replace(tmp_path / "run" / MARK)
    assert open_run(where).table().equals(run.table())
    assert nonocensus("verify", where).code == 0


def test_file_that_stays_listed_and_unreadable_is_damage(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_serially(store, tmp_path / "run")
    names = [name.removesuffix(".json") for name in run.results.names() if name.endswith(".json")]
    monkeypatch.setattr(Folder, "read_each", lambda _, names, __: [*map(FileNotFoundError, names)])
    files, damaged = run.survey()
    assert (files, [*damaged]) == ([], names)


def test_an_empty_store_is_refused(tmp_path: Path) -> None:
    empty = create_store(str(tmp_path / "empty"))
    append(empty, [puzzle_batch([])])
    with pytest.raises(UserError, match="holds no puzzles"):
        start_run(empty, str(tmp_path / "run"), CONFIG)
    assert not (tmp_path / "run").exists()


def changed_mark(run: Run, change: Callable[[dict[str, Any]], object]) -> None:
    path = Path(run.folder.path, "run.json")
    about = json.loads(path.read_text())
    change(about)
    path.write_text(json.dumps(about))


@pytest.mark.parametrize("options", [("-x", "20"), ("-x", "20", "--dry-run"), ("--changed",)], ids=" ".join)
def test_retry_refuses_results_of_another_solver_version(
    options: tuple[str, ...], store: Store, tmp_path: Path, refused: Refused
) -> None:
    run = run_serially(store, tmp_path / "run")
    changed_mark(run, lambda about: about["config"].update(solver_version="0.0.1"))
    before = (tmp_path / "run/run.json").read_bytes()
    assert "run has results of solver version 0.0.1, this is" in refused("retry", "run", "--serial", *options)
    assert (tmp_path / "run/run.json").read_bytes() == before
