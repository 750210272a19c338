"""The driver: unfit nodes, invisible files, unreadable parts, lost rows."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from runs import CONFIG, SubstitutingExecutor, classify_context, lasting, run_serially, start_run, work_on

from nonocensus.pipeline.errors import ClusterError
from nonocensus.pipeline.executors.executor import Resources, SerialExecutor
from nonocensus.pipeline.executors.task_failure import NODE, WORKER, TaskFailure
from nonocensus.pipeline.jobs import classify_job, driver
from nonocensus.pipeline.jobs import task as tasks
from nonocensus.pipeline.jobs.classify_job import classify_store, retry_run
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.jobs.schedule import Schedule, TaskRows
from nonocensus.pipeline.jobs.task import TaskContext, Unfit, Unreadable, check_fitness
from nonocensus.pipeline.run.plan import Selection
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import Store, append
from nonocensus.pipeline.store.paths import Folder
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch

SERIAL = Resources(serial=True)


def test_unfit_node_is_refused_with_the_reason(store: Store, tmp_path: Path) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    context = classify_context(run, isolated=True)
    assert check_fitness(context) is None
    for unfit, message in (
        (context._replace(run=str(tmp_path / "elsewhere")), "elsewhere is not a run"),
        (context._replace(store=str(tmp_path / "nowhere")), "nowhere is not a store"),
        (context._replace(store_id="0" * 32), "is another store there"),
        (context._replace(run_id="20200101"), "is another run there"),
        (context._replace(versions=context.versions | {"newlib": "1"}), "it has newlib None, not 1"),
        (context._replace(versions=context.versions | {"numba": "0.1"}), r"it has numba .*, not 0.1"),
    ):
        outcome = check_fitness(unfit)
        assert isinstance(outcome, Unfit)
        with pytest.raises(ClusterError, match=message):
            driver.refuse_unfit_nodes(SerialExecutor(), unfit)
    assert not (tmp_path / "elsewhere").exists(), "a worker without the shared folder creates none"


def test_node_lost_during_the_handshake_is_ignored(store: Store, tmp_path: Path) -> None:
    """Of two nodes; one that fails otherwise is not."""
    context = classify_context(run_serially(store, tmp_path / "run"), isolated=True)
    outcomes: dict[str, Any] = {"a": None, "b": TaskFailure(NODE, "gone")}
    executor = SimpleNamespace(run_on_each_node=lambda *_: outcomes)
    driver.refuse_unfit_nodes(executor, context)
    outcomes["b"] = TaskFailure(WORKER, "gone")
    with pytest.raises(ClusterError, match="b can't take part: gone"):
        driver.refuse_unfit_nodes(executor, context)


class RemoteExecutor(SerialExecutor):
    """Its machine sees another context of its tasks."""

    def __init__(self, change: Callable[[TaskContext], TaskContext]) -> None:
        super().__init__()
        self.change = change

    def submit(self, function: Any, *arguments: Any) -> int:
        if function is tasks.run_task:
            arguments = tuple(self.change(each) if isinstance(each, TaskContext) else each for each in arguments)
        return super().submit(function, *arguments)


def test_invisible_file_ends_the_command(store: Store, tmp_path: Path) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    start_run(store, str(tmp_path / "mounted"), CONFIG)
    about = (tmp_path / "run/run.json").read_bytes()
    (tmp_path / "mounted/run.json").write_bytes(about)
    unshared = RemoteExecutor(lambda context: context._replace(run=context.run.replace("/run", "/mounted")))
    with pytest.raises(ClusterError, match=r"has written part-.* it can't be seen from here: the folder must be"):
        work_on(run, unshared, settings=JobSettings(visible_within=0.0))
    assert len(run.table()) == 0


def test_node_that_joins_later_is_checked_too(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    monkeypatch.setattr(driver, "refuse_unfit_nodes", lambda *_: None)
    late = RemoteExecutor(lambda context: context._replace(versions=context.versions | {"python": "2.7"}))
    with pytest.raises(ClusterError, match=r"a machine can't take part: it has python .*, not 2.7.* resumes"):
        work_on(run, late)
    assert len(run.table()) == 0


def test_damaged_part_costs_other_parts_of_its_task_nothing(hard: Store, tmp_path: Path) -> None:
    """Puzzles of several parts share a task when they need more time."""
    alone = run_serially(hard, tmp_path / "alone")
    run = start_run(hard, str(tmp_path / "run"), CONFIG)
    broken = run.parts[0].name
    requested: list[list[str]] = []

    def with_a_damaged_part(rows: Any, parts: Any, limit: float, *others: Any) -> Any:
        requested.append(sorted(rows))
        if broken in rows and limit > 1e-3:
            return Unreadable(broken, "it can't be read")
        return tasks.run_task(rows, parts, limit, *others)

    executor = SubstitutingExecutor(with_a_damaged_part)
    errors = work_on(run, executor, limits=[1e-4, 10.0], settings=JobSettings(overrun=1e9))
    assert errors == ["it can't be read"]
    assert any(len(parts) > 1 and broken in parts for parts in requested), "they shared a task"
    there = set(run.table()["puzzle_id"].to_pylist())
    healthy = {row["puzzle_id"] for row in alone.table().to_pylist() if row["part"] != broken}
    assert healthy <= there
    assert work_on(run) == []
    assert lasting(run).equals(lasting(alone))


@pytest.mark.slow
def test_successful_read_resets_the_failed_ones(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Storage that fails now and then loses no part, however often over a long run."""
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    calls = iter(range(10_000))

    def stumbling(rows: Any, *others: Any) -> Any:
        if next(calls) % 3 == 0:
            return Unreadable(next(iter(rows)), "it does not answer")
        return tasks.run_task(rows, *others)

    monkeypatch.setattr(Schedule, "_target_seconds", lambda *_: 0.0)
    assert work_on(run, SubstitutingExecutor(stumbling), settings=JobSettings(max_rows=5)) == []
    assert next(calls) > 60
    assert len(run.table()) == 300


def test_planned_rows_without_result_are_an_error(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonocensus: Any
) -> None:
    real = Schedule.next

    def losing(self: Schedule, *state: int) -> TaskRows | None:
        task = real(self, *state)
        return task if task is None or "part-00002" not in task.rows else real(self, *state)

    with monkeypatch.context() as patch:
        patch.setattr(Schedule, "next", losing)
        lossy = nonocensus("classify", "store", "--out", "run", "--serial", "--cpu-limit", "10")
    assert lossy.code == 1
    assert "no result for " in lossy.err
    outcome = classify_store(store, str(tmp_path / "run"), CONFIG, Selection(), SERIAL)
    assert (outcome.missing, outcome.summary["rows"]) == (0, 300)
    for part in store.parts():
        store.puzzles.write(part.file, b"")
    unread = nonocensus("classify", "store", "--out", "new", "--serial")
    assert (unread.code, f"; run nonocensus verify {store.folder.name}\n" in unread.err) == (3, True)


def test_run_written_by_another_command_after_planning_is_continued(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interposed(place: Folder) -> AbstractContextManager[None]:
        monkeypatch.undo()
        classify_store(store, str(tmp_path / "run"), CONFIG, resources=SERIAL)
        return writer_lock(place)

    monkeypatch.setattr(classify_job, "writer_lock", interposed)
    outcome = classify_store(store, str(tmp_path / "run"), CONFIG, resources=SERIAL)
    assert (outcome.rows, outcome.missing, outcome.summary["rows"]) == (0, 0, 300)


def test_retry_keeps_parts_that_another_command_added(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    append(store, [recipe_batch(Recipe("random", 5, 5, 0.5, 1, 7), 0, 7)])
    classify_store(store, str(tmp_path / "run"), CONFIG, resources=SERIAL)
    retry_run(run, 20.0, resources=SERIAL)
    assert open_run(run.folder.uri).rows == 307
