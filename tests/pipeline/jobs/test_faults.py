"""Kills, full disks, damage: each puzzle still has one row, the same as in an undisturbed run."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO, cast

import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from runs import CONFIG, lasting, run_serially, start_run, work_on
from stores import random_store

from nonocensus.pipeline.commands.output import StdoutWithoutRay
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.executor import SerialExecutor
from nonocensus.pipeline.executors.ray_executor import retry_start, start_ray
from nonocensus.pipeline.executors.task_failure import NODE, WORKER, TaskFailure
from nonocensus.pipeline.jobs import driver
from nonocensus.pipeline.jobs import task as tasks
from nonocensus.pipeline.jobs.job import JobSettings
from nonocensus.pipeline.jobs.schedule import MAX_TRIES
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import Part, Store
from nonocensus.pipeline.store.paths import Folder
from nonocensus.pipeline.store.spans import Spans
from nonocensus.scrapers.pictures.recipe import Recipe

POISON, FAULTY = "random/22x22-0.45-5-37", "random/22x22-0.45-5-11"
run_task = tasks.run_task


def run_task_with_bugs(
    rows: dict[str, Spans], parts: dict[str, Part], limit: float, name: str, context: Any, *others: Any
) -> Any:
    """Run a task in which one puzzle kills its worker and one raises an exception."""
    for chunk in tasks.chunks_of(context, rows, parts):
        ids = chunk.puzzles["puzzle_id"].to_pylist()
        if POISON in ids:
            os.kill(os.getpid(), signal.SIGKILL)
        if FAULTY in ids:
            raise ZeroDivisionError("a bug")
    return run_task(rows, parts, limit, name, context, *others)


@pytest.mark.slow
def test_puzzle_that_kills_workers_costs_no_other_row(
    hard: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ray.cloudpickle

    alone = run_serially(hard, tmp_path / "serial")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(driver, "run_task", run_task_with_bugs)
    run = start_run(hard, str(tmp_path / "run"), CONFIG)
    stdout = cast(TextIO, StdoutWithoutRay(sys.stdout))
    with redirect_stdout(stdout), start_ray(cpus=2) as executor:
        assert work_on(run, executor) == []
    printed = capsys.readouterr()
    assert (printed.out, "A worker died" in printed.err) == ("", True)
    rows = {row["puzzle_id"]: row for row in run.table().to_pylist()}
    assert len(rows) == len(run.table()) == 80
    killed, failed = rows.pop(POISON), rows.pop(FAULTY)
    assert (killed["status"], killed["solutions"], killed["label"]) == ("killed", "unknown", None)
    assert f"its worker died {MAX_TRIES} times" in killed["error"]
    assert (failed["status"], failed["error"]) == ("error", "ZeroDivisionError: a bug")
    good = pa.array([POISON, FAULTY])
    both = [lasting(other).filter(pc.invert(pc.is_in(lasting(other)["puzzle_id"], good))) for other in (run, alone)]
    assert both[0].equals(both[1])
    monkeypatch.setattr(driver, "run_task", run_task)
    work_on(run, cpu_limit=10.0, failed=True)
    assert lasting(run).equals(lasting(alone)), "a fixed bug lets them be retried"


class LosingExecutor(SerialExecutor):
    """Loses its first tasks."""

    def __init__(self, lost: int, kind: str) -> None:
        super().__init__()
        self.lost, self.kind = lost, kind

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        if self.lost == 0:
            return super().wait(seconds)
        self.lost -= 1
        number, _, _ = self._queue.pop(0)
        return [(number, TaskFailure(self.kind, "gone"))]


def test_lost_nodes_are_retried_but_lost_workers_end_the_command(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "nonocensus")
    alone = run_serially(store, tmp_path / "serial")
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    with pytest.raises(UserError, match="53 consecutive tasks were lost: gone; RUN/log lists them"):
        work_on(run, LosingExecutor(1000, WORKER))
    assert len(run.table()) == 0, "no puzzle is given up"
    assert sum(message.startswith("task lost: ") for message in caplog.messages) == 52
    work_on(run, LosingExecutor(200, NODE))
    assert sum(message.startswith("node lost: ") for message in caplog.messages) == 200
    assert lasting(run).equals(lasting(alone))


def test_process_that_exceeds_its_backstop_is_killed() -> None:
    code = "from nonocensus.pipeline.jobs.task import backstop\nwith backstop(0.0):\n    while True: pass"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == -signal.SIGXCPU


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[list[str]]:
    """Let the first `times` files fail to be written; yields their names."""
    create = Folder.create
    refused: list[str] = []

    def refusing(self: Folder, name: str) -> Any:
        if name.endswith(".parquet") and len(refused) < times:
            refused.append(name)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        return create(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "create", refusing)
        yield refused


def test_full_disk_is_retried(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = run_serially(store, tmp_path / "serial")
    with full_disk(monkeypatch, 4) as refused:
        run = run_serially(store, tmp_path / "run", JobSettings(first_pause=0.01))
    assert len(refused) == 4
    assert lasting(run).equals(lasting(alone))


def test_disk_that_stays_full_ends_the_command(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = run_serially(store, tmp_path / "serial")
    with (
        full_disk(monkeypatch, 1000),
        pytest.raises(UserError, match=r"results can't be written: .*No space left .* the same command resumes"),
    ):
        run_serially(store, tmp_path / "run", JobSettings(first_pause=0.01, give_up_after=0.1))
    assert lasting(run_serially(store, tmp_path / "run")).equals(lasting(alone))


@pytest.fixture
def harder(tmp_path: Path) -> Store:
    """A store of 600 random puzzles of some milliseconds each."""
    return random_store(tmp_path, Recipe("random", 28, 28, 0.5, 6, 600))


@pytest.mark.slow
def test_failure_of_ray_ends_the_command_and_blames_no_puzzle(harder: Store, tmp_path: Path) -> None:
    out = tmp_path / "run"
    driver = psutil.Popen(command(harder, out, "--cpus", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while driver.poll() is None and finished(out) < 1:
        time.sleep(0.01)
    children(driver, "raylet/raylet")[0].kill()
    _, errors = driver.communicate()
    assert driver.returncode != 0
    assert b"the same command resumes" in errors
    assert set(summarize(open_run(str(out)))["status"]) <= {"ok"}


def children(process: psutil.Process, name: str) -> list[psutil.Process]:
    """Return the live descendants of a process by their program's name."""
    found = []
    for child in process.children(recursive=True):
        try:
            if name in child.cmdline()[0]:
                found.append(child)
        except (psutil.Error, IndexError):
            continue  # it has ended
    return found


def finished(out: Path) -> int:
    return len(list(out.glob("results/*.json")))


def command(store: Store, out: Path, *options: str) -> list[str]:
    classify = [sys.executable, "-m", "nonocensus", "classify", store.folder.uri]
    return [*classify, "--out", str(out), "--cpu-limit", "10", *options]


@pytest.mark.slow
def test_killed_run_resumes(harder: Store, tmp_path: Path) -> None:
    undisturbed = run_serially(harder, tmp_path / "undisturbed")
    out = tmp_path / "run"
    with subprocess.Popen(command(harder, out, "--serial"), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and finished(out) < 2:
            time.sleep(0.001)
        process.kill()
    rows_then = open_run(str(out)).table()["puzzle_id"].to_pylist()
    assert 0 < len(rows_then) < 600, "the kill came too early or too late"
    subprocess.run(command(harder, out, "--serial"), check=True, stdout=subprocess.DEVNULL)
    run = open_run(str(out))
    assert lasting(run).equals(lasting(undisturbed))
    assert summarize(run)["rows"] == 600
    assert not list(tmp_path.rglob("*.tmp"))


def lines_of(run: Run) -> list[dict[str, Any]]:
    """Return the log of all sessions."""
    paths = sorted((Path(run.folder.path) / "log").iterdir())
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


@pytest.mark.kills
def test_twenty_kills(tmp_path: Path) -> None:
    """Workers, the driver and Ray's raylet are killed at random moments; a dead driver is restarted."""
    chance = random.Random(int(os.environ.get("NONOCENSUS_SEED", "1")))
    store = random_store(tmp_path, Recipe("random", 28, 28, 0.5, 7, 3000))
    undisturbed = run_serially(store, tmp_path / "undisturbed")
    out = tmp_path / "run"
    killed: list[str] = []
    starts = 0
    while True:
        starts += 1
        with (tmp_path / "said.txt").open("ab") as said:
            driver = psutil.Popen(command(store, out, "--cpus", "2"), stdout=subprocess.DEVNULL, stderr=said)
        while len(killed) < 20 and driver.poll() is None:
            files, patience = finished(out), time.monotonic() + 3.0
            while finished(out) == files and time.monotonic() < patience:
                time.sleep(0.01)  # wait for progress before the next kill
            time.sleep(chance.uniform(0.0, 0.2))
            whom = chance.choices(["ray::run_task", "driver", "raylet/raylet"], [16, 3, 1])[0]
            targets = [driver] if whom == "driver" else children(driver, whom)
            if targets and children(driver, "ray::run_task"):  # Ray is up
                with suppress(psutil.Error):
                    chance.choice(targets).kill()
                    killed.append(whom)
        if driver.wait() == 0:
            break
        assert starts < 20
    assert len(killed) == 20, f"{killed} before all was done"
    run = open_run(str(out))
    assert lasting(run).equals(lasting(undisturbed))
    assert summarize(run)["status"] == {"ok": 3000}
    assert sum(file.rows for file in run.result_files()) == 3000
    assert not list(tmp_path.rglob("*.tmp"))
    lost = sum(event["event"] == "task lost" for event in lines_of(run))
    print(json.dumps({"kills": Counter(killed), "starts": starts, "tasks lost": lost, "puzzles": len(run.table())}))


@pytest.mark.slow
def test_lost_node_costs_no_row(harder: Store, tmp_path: Path) -> None:
    """A head without work and two nodes in processes of their own; one is killed in the middle."""
    from ray.cluster_utils import Cluster

    alone = run_serially(harder, tmp_path / "serial")
    out = tmp_path / "run"
    cluster = retry_start(Cluster, initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        nodes = [retry_start(cluster.add_node, num_cpus=1) for _ in range(2)]
        driver = subprocess.Popen(command(harder, out, "--address", cluster.address), stdout=subprocess.DEVNULL)
        while driver.poll() is None and finished(out) < 2:
            time.sleep(0.01)
        raylet = psutil.Process(nodes[0].all_processes["raylet"][0].process.pid)
        while not children(raylet, "ray::run_task"):
            assert driver.poll() is None, "it ended too early"
        for process in [raylet, *raylet.children(recursive=True)]:
            process.kill()
        assert driver.wait() == 0
    finally:
        cluster.shutdown()
    run = open_run(str(out))
    assert lasting(run).equals(lasting(alone))
