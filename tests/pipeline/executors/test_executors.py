"""Executors: this process, Ray, and resources that are refused before either starts."""

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

import pytest

from nonocensus.pipeline.errors import ClusterError
from nonocensus.pipeline.executors import ray_executor
from nonocensus.pipeline.executors.executor import (
    ALL_CORES,
    SMALL_JOB,
    Resources,
    SerialExecutor,
    estimate_cost,
    open_executor,
    run_divisible_tasks,
    run_tasks,
)
from nonocensus.pipeline.executors.ray_executor import START_TIMEOUT, outcome_of, start_ray
from nonocensus.pipeline.executors.task_failure import NODE, WORKER, TaskFailure


def doubled(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return 2 * number


def test_each_task_yields_its_result_or_failure_once() -> None:
    outcomes = dict(run_tasks(SerialExecutor(), doubled, ((k,) for k in range(6))))
    assert outcomes.pop((3,)) == TaskFailure("ValueError", "ValueError: three")
    assert outcomes == {(k,): 2 * k for k in (0, 1, 2, 4, 5)}


def total(*numbers: int) -> int:
    return sum(doubled(number) for number in numbers)


def test_failed_task_is_divided_down_to_indivisible_parts() -> None:
    tasks = [(1, 2), (2, 3, 4), (5,), (3,)]
    outcomes = list(
        run_divisible_tasks(SerialExecutor(), total, iter(tasks), lambda task: [(number,) for number in task])
    )
    fault = TaskFailure("ValueError", "ValueError: three")
    assert outcomes == [((1, 2), 6), ((5,), 10), ((3,), fault), ((2,), 4), ((3,), fault), ((4,), 8)]


def test_serial_executor_is_one_node() -> None:
    assert SerialExecutor().run_on_each_node(doubled, 4) == {platform.node(): 8}


TIMED_OUT, FULL = f"The current node {START_TIMEOUT}.", "no room\nin memory"


@pytest.mark.parametrize(
    ("fails", "tries", "error", "said"),
    [
        (0, 1, TIMED_OUT, None),
        (2, 3, TIMED_OUT, None),
        (9, 4, TIMED_OUT, "can't be started"),
        (9, 1, FULL, "^Ray can't be started: no room$"),
    ],
)
def test_ray_start_is_retried_after_its_timeout_only(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails: int,
    tries: int,
    error: str,
    said: str | None,
) -> None:
    import ray

    began: list[str] = []

    def init(address: str, **_: object) -> None:
        began.append(address)
        if len(began) <= fails:
            raise RuntimeError(error)

    monkeypatch.setattr(ray, "init", init)
    caplog.set_level("INFO", "nonocensus.executors")
    with pytest.raises(ClusterError, match=said) if said else nullcontext(), start_ray(1):
        pass
    assert began == ["local"] * tries
    assert [record.args[0] for record in caplog.records if record.args] == list(range(1, tries))


def test_sigterm_while_ray_starts_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.init", lambda *_, **__: sys.exit(signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), start_ray(1):
        pass
    signal.raise_signal(signal.SIGTERM)  # the second one of `timeout`
    signal.signal(signal.SIGTERM, before)


def crash_on_two(number: int) -> Any:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(number)


LOST = "00", None, ""


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("NodeDiedError", ["gone"], NODE),
        ("ObjectLostError", LOST, NODE),
        ("OwnerDiedError", LOST, NODE),
        ("ObjectFetchTimedOutError", LOST, NODE),
        ("WorkerCrashedError", [], WORKER),
        ("TaskCancelledError", [], WORKER),
    ],
)
def test_ray_errors_are_classified_as_retriable(name: str, arguments: Sequence[object], kind: str) -> None:
    from ray import exceptions  # not above: ray_executor sets what Ray reads as it is first imported

    future = Future[Any]()
    future.set_exception(getattr(exceptions, name)(*arguments))
    assert outcome_of(future).kind == kind


def test_node_without_answer_is_a_failure() -> None:
    assert outcome_of(Future[Any](), 0.0) == TaskFailure("TimeoutError", "no answer within 600 s")


@pytest.mark.slow
def test_ray_returns_results_failures_and_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's folder and standard output stay; another command can't join."""
    import ray.cloudpickle

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    before, stdout = signal.getsignal(signal.SIGTERM), sys.stdout
    monkeypatch.delattr(os, "chdir")
    with start_ray(cpus=1) as executor:
        assert sys.stdout is stdout
        assert signal.getsignal(signal.SIGTERM) == before
        assert len(executor.run_on_each_node(doubled, 4)) == 1
        outcomes = dict(run_tasks(executor, crash_on_two, ((k,) for k in range(5))))
        address = ray.get_runtime_context().gcs_address
        join = f"from {start_ray.__module__} import start_ray; start_ray(None, '{address}').__enter__()"
        joined = subprocess.run([sys.executable, "-c", join], capture_output=True, text=True, check=False)
    assert "was started by another command for itself" in joined.stderr
    assert outcomes.pop((2,)).kind == WORKER
    assert outcomes.pop((3,)) == TaskFailure("ValueError", "ValueError: three")
    assert outcomes == {(0,): 0, (1,): 2, (4,): 8}


@pytest.mark.parametrize(("seconds", "this_process"), [(SMALL_JOB, True), (SMALL_JOB + 1, False)])
def test_small_job_runs_in_this_process(seconds: float, this_process: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "start_ray", lambda *_: nullcontext())
    with open_executor(ALL_CORES, seconds) as executor:
        assert isinstance(executor, SerialExecutor) == this_process
    with open_executor(Resources(cpus=2), seconds) as executor:
        assert not isinstance(executor, SerialExecutor)


def test_cost_estimate_stops_beyond_a_small_job() -> None:
    tasks = iter([SMALL_JOB / 4] * 9)
    _, seconds = estimate_cost(tasks, lambda task: task)
    assert seconds == SMALL_JOB * 5 / 4
    assert len(list(tasks)) == 4
    assert estimate_cost(iter([1.0, 2.0]), lambda task: task)[1] == 3.0
