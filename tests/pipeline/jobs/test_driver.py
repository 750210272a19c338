"""What the driver believes: a machine that has proved itself, a file that it sees, a part that can be read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runs import CONFIG, classify_context, lasting, run_serially, work_on

from pipeline.errors import ClusterError
from pipeline.executors.executor import NODE, WORKER, Resources, SerialExecutor, TaskFailure
from pipeline.jobs import classify_job, driver
from pipeline.jobs import task as tasks
from pipeline.jobs.classify_job import classify_store, retry_run
from pipeline.jobs.schedule import Schedule, Work
from pipeline.jobs.task import Unfit, Unreadable, prove_fit
from pipeline.run.plan import Selection
from pipeline.run.run_folder import open_run, start_run
from pipeline.store.parts import Store, append
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.ladder import climb

SERIAL = Resources(serial=True)


def test_a_machine_proves_itself(store: Store, tmp_path: Path) -> None:
    """It sees the very run and the very store, and has the same versions, or says what it lacks."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    context = classify_context(run, isolated=True)
    assert prove_fit(context) is None
    lacks = {
        "run": (context._replace(run=str(tmp_path / "elsewhere")), "elsewhere is not a run"),
        "store": (context._replace(store=str(tmp_path / "nowhere")), "nowhere is not a store"),
        "another store": (context._replace(store_id="0" * 32), "is another store there"),
        "another run": (context._replace(run_id="20200101"), "is another run there"),
        "versions": (context._replace(versions=context.versions | {"numba": "0.1"}), r"it has numba .*, not 0.1"),
    }
    for unfit, said in lacks.values():
        outcome = prove_fit(unfit)
        assert isinstance(outcome, Unfit)
        with pytest.raises(ClusterError, match=said):
            driver.refuse_unfit(SerialExecutor(), unfit)
    assert not (tmp_path / "elsewhere").exists(), "a worker without the shared folder makes none"


class LosingNodes(SerialExecutor):
    """A executor of two machines, one of which is lost during the handshake, the other answers with a fault."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def run_on_each_node(self, *_: object) -> dict[str, Any]:
        return {"a": None, "b": TaskFailure(self.kind, "gone")}


def test_a_machine_lost_during_the_handshake_ends_nothing(store: Store, tmp_path: Path) -> None:
    context = classify_context(run_serially(store, tmp_path / "run"), isolated=True)
    driver.refuse_unfit(LosingNodes(NODE), context)
    with pytest.raises(ClusterError, match="b can't take part: gone"):
        driver.refuse_unfit(LosingNodes(WORKER), context)


class Stopping(SerialExecutor):
    """A executor that is interrupted by the first task that waits for kernels."""

    def submit(self, function: Any, *arguments: Any) -> int:
        if function is tasks.run_task and arguments[5]:
            raise KeyboardInterrupt
        return super().submit(function, *arguments)


def test_want_of_kernels_is_no_sign_of_a_hard_puzzle(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the sweep leaves for that has the sweep's time as soon as there are kernels, in this session or the next."""
    expected = run_serially(store, tmp_path / "before")
    real, seen = climb.is_ready, list[Work]()
    monkeypatch.setattr(climb, "is_ready", lambda rung, *rest: rung.__name__ == "run_line_rung" and real(rung, *rest))
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    with pytest.raises(KeyboardInterrupt):
        work_on(run, Stopping())
    left = [puzzle for piece in run.pieces() for puzzle in piece.left]
    assert left
    assert all(puzzle.untried for puzzle in left)
    taken = Schedule.finished
    monkeypatch.setattr(Schedule, "finished", lambda self, work, *rest: (seen.append(work), taken(self, work, *rest)))
    work_on(run)
    assert lasting(run) == lasting(expected)
    again = [work for work in seen if work.waits]
    assert {work.level for work in again} == {0}
    assert sum(work.size for work in again) >= len(left)
    assert len(again) < len(left) / 4, "a task has many of them"


def with_context(arguments: tuple[Any, ...], changed: Callable[[tasks.Context], tasks.Context]) -> tuple[Any, ...]:
    """A task's arguments with another context."""
    return tuple(changed(each) if isinstance(each, tasks.Context) else each for each in arguments)


class Elsewhere(SerialExecutor):
    """A executor whose machine sees another folder under the run's name: what it writes is not here."""

    def submit(self, function: Any, *arguments: Any) -> int:
        if function is tasks.run_task:
            arguments = with_context(
                arguments, lambda context: context._replace(run=context.run.replace("/run", "/mounted"))
            )
        return super().submit(function, *arguments)


def test_a_file_counts_when_it_is_seen(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    start_run(store, str(tmp_path / "mounted"), CONFIG)
    about = (tmp_path / "run/run.json").read_bytes()
    (tmp_path / "mounted/run.json").write_bytes(about)
    monkeypatch.setattr(driver, "SEEN_WITHIN", 0.0)
    with pytest.raises(
        ClusterError, match=r"has written part-.* it can't be seen from here: the folder must be shared"
    ):
        work_on(run, Elsewhere())
    assert len(run.table()) == 0


class Later(SerialExecutor):
    """A executor whose machine has come after the others were asked, and has another Python."""

    def submit(self, function: Any, *arguments: Any) -> int:
        if function is tasks.run_task:
            arguments = with_context(
                arguments, lambda context: context._replace(versions=context.versions | {"python": "2.7"})
            )
        return super().submit(function, *arguments)


def test_a_machine_that_comes_later_proves_itself_too(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    monkeypatch.setattr(driver, "refuse_unfit", lambda *_: None)
    with pytest.raises(ClusterError, match=r"a machine can't take part: it has python .*, not 2.7.* the same command"):
        work_on(run, Later())
    assert len(run.table()) == 0


def test_a_damaged_part_takes_no_other_with_it(hard: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puzzles of several parts share a task when they need more time; of a damaged one the others know nothing."""
    alone = run_serially(hard, tmp_path / "alone")
    run = start_run(hard, str(tmp_path / "run"), CONFIG)
    real = tasks.run_task
    broken = run.parts[0].name
    asked: list[list[str]] = []

    def with_a_damaged_part(rows: Any, parts: Any, limit: float, *others: Any) -> Any:
        asked.append(sorted(rows))
        if broken in rows and limit > 1e-3:
            return Unreadable(broken, "it can't be read")
        return real(rows, parts, limit, *others)

    monkeypatch.setattr(driver, "run_task", with_a_damaged_part)
    monkeypatch.setattr("pipeline.jobs.schedule.PATIENCE", 1e9)
    errors = work_on(run, limits=[1e-4, 10.0])
    assert errors == ["it can't be read"]
    assert any(len(parts) > 1 and broken in parts for parts in asked), "they shared a task"
    there = set(run.table()["puzzle_id"].to_pylist())
    healthy = {row["puzzle_id"] for row in alone.table().to_pylist() if row["part"] != broken}
    assert healthy <= there
    monkeypatch.setattr(driver, "run_task", real)
    assert work_on(run) == []
    assert lasting(run).equals(lasting(alone))


@pytest.mark.slow
def test_readings_in_vain_are_forgotten_when_one_goes_well(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A storage that stumbles now and then loses no part, however often over a long run."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    real = tasks.run_task
    calls = iter(range(10_000))

    def stumbling(rows: Any, *others: Any) -> Any:
        if next(calls) % 3 == 0:
            return Unreadable(next(iter(rows)), "it does not answer")
        return real(rows, *others)

    monkeypatch.setattr(driver, "run_task", stumbling)
    monkeypatch.setattr(Schedule, "_seconds", lambda *_: 0.0)
    monkeypatch.setattr("pipeline.jobs.schedule.MOST_ROWS", 5)
    assert work_on(run) == []
    assert next(calls) > 60
    assert len(run.table()) == 300


def test_what_has_no_result_at_the_end_is_an_error(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonocensus: Any
) -> None:
    """Whatever may have lost it."""
    real = Schedule.next

    def losing(self: Schedule, *state: int) -> Work | None:
        work = real(self, *state)
        return work if work is None or "part-00002" not in work.rows else real(self, *state)

    with monkeypatch.context() as patch:
        patch.setattr(Schedule, "next", losing)
        lossy = nonocensus("classify", "store", "--out", "run", "--serial", "--cpu-limit", "10")
    assert lossy.code == 1
    assert "puzzles have no result though they were to be classified" in lossy.err
    outcome = classify_store(store, str(tmp_path / "run"), CONFIG, Selection(), SERIAL)
    assert (outcome.missing, outcome.summary["rows"]) == (0, 300)


def test_run_that_another_command_wrote_after_planning_is_continued(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interposed(resources: Resources) -> None:
        monkeypatch.undo()
        classify_job.classify_store(store, str(tmp_path / "run"), CONFIG, resources=resources)

    monkeypatch.setattr(classify_job, "check_resources", interposed)
    outcome = classify_store(store, str(tmp_path / "run"), CONFIG, resources=SERIAL)
    assert (outcome.rows, outcome.missing, outcome.summary["rows"]) == (0, 0, 300)


def test_retry_keeps_parts_that_another_command_added(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    append(store, [recipe_batch(Recipe("random", 5, 5, 0.5, 1, 7), 0, 7)])
    classify_store(store, str(tmp_path / "run"), CONFIG, resources=SERIAL)
    retry_run(run, 20.0, resources=SERIAL)
    assert open_run(run.folder.uri).rows == 307
