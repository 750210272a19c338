"""What runs tasks: this process, Ray, and what is refused before either is begun."""

import os
import platform
import signal
import socket
import sys
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from ray import exceptions

from pipeline.errors import ClusterError, UserError
from pipeline.executors import ray_crew as ray_crews
from pipeline.executors.crew import NODE, TROUBLE, WORKER, Crew, Fault, each, each_divided
from pipeline.executors.ray_crew import TOO_BUSY, _outcome, ray_crew
from pipeline.executors.resources import ALL_CORES, SMALL, Resources, open_crew, with_cost
from pipeline.executors.serial import Serial
from reports import threads


def doubled(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return 2 * number


def test_each_task_comes_back_once_with_what_it_returns_or_its_fault() -> None:
    outcomes = dict(each(Serial(), doubled, ((k,) for k in range(6))))
    assert outcomes.pop((3,)) == Fault(TROUBLE, "ValueError: three")
    assert outcomes == {(k,): 2 * k for k in (0, 1, 2, 4, 5)}


def total(*numbers: int) -> int:
    return sum(doubled(number) for number in numbers)


def test_a_task_without_a_result_is_divided_as_far_as_it_goes() -> None:
    tasks = [(1, 2), (2, 3, 4), (5,), (3,)]
    outcomes = list(each_divided(Serial(), total, iter(tasks), lambda task: [(number,) for number in task]))
    fault = Fault(TROUBLE, "ValueError: three")
    assert outcomes == [((1, 2), 6), ((5,), 10), ((3,), fault), ((2,), 4), ((3,), fault), ((4,), 8)]


def test_this_process_is_one_machine() -> None:
    assert Serial().on_every_node(doubled, 4) == {platform.node(): 8}


@pytest.mark.parametrize(("fails", "tries"), [(0, 1), (2, 3), (9, 4)])
def test_ray_is_started_again_on_a_machine_that_is_too_busy(
    monkeypatch: pytest.MonkeyPatch, fails: int, tries: int
) -> None:
    import ray

    began: list[str] = []

    def init(address: str, **_: object) -> None:
        began.append(address)
        if len(began) <= fails:
            raise Exception(f"The current node {TOO_BUSY}.")

    monkeypatch.setattr(ray, "init", init)
    with nullcontext() if fails < tries else pytest.raises(ClusterError, match="can't be started"), ray_crew(1):
        pass
    assert began == ["local"] * tries


def test_other_failures_of_ray_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    began: list[str] = []

    def init(address: str, **_: object) -> None:
        began.append(address)
        raise RuntimeError("no room\nin memory")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(ClusterError, match=r"^Ray can't be started: no room$"), ray_crew(1):
        pass
    assert began == ["local"]


def stubborn(number: int) -> Any:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(number)


def ended_when_cancelled(crew: Crew) -> set[str]:
    """The kinds of faults of a task that never ends and of one that waits behind it, when both are cancelled."""
    tickets = {crew.submit(signal.pause), crew.submit(doubled, 4)}
    ended: dict[Any, Any] = {}
    for ticket in tickets:
        crew.cancel(ticket)
    while ended.keys() != tickets:
        ended |= crew.wait(1.0)
    return {outcome.kind for outcome in ended.values()}


def test_cancelled_before_its_turn() -> None:
    assert ended_when_cancelled(Serial()) == {WORKER}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.NodeDiedError("gone"), NODE),
        (exceptions.ObjectLostError("00", None, ""), NODE),
        (exceptions.OwnerDiedError("00", None, ""), NODE),
        (exceptions.ObjectFetchTimedOutError("00", None, ""), NODE),
        (exceptions.WorkerCrashedError(), WORKER),
    ],
)
def test_a_lost_result_is_retried(error: Exception, kind: str) -> None:
    future = Future[Any]()
    future.set_exception(error)
    assert _outcome(future).kind == kind


def test_a_node_that_does_not_answer_has_a_fault() -> None:
    assert _outcome(Future[Any](), 0.0) == Fault(TROUBLE, "no answer within 600 s")


@pytest.mark.slow
def test_ray_gives_back_results_faults_and_machines() -> None:
    import ray.cloudpickle

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    before = signal.getsignal(signal.SIGTERM)
    with ray_crew(cpus=1) as crew:
        assert signal.getsignal(signal.SIGTERM) == before, "a terminate signal stays the command's"
        assert len(crew.on_every_node(doubled, 4)) == 1
        outcomes = dict(each(crew, stubborn, ((k,) for k in range(5))))
        assert ended_when_cancelled(crew) == {WORKER}
    assert outcomes.pop((2,)).kind == WORKER
    assert outcomes.pop((3,)) == Fault(TROUBLE, "ValueError: three")
    assert outcomes == {(0,): 0, (1,): 2, (4,): 8}


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        (Resources(serial=True, cpus=2), "--serial goes with neither --cpus nor --address"),
        (Resources(serial=True, address="auto"), "--serial goes with neither"),
        (Resources(cpus=2, address="auto"), "--cpus is for this machine"),
        (Resources(address="foo"), "no address of a Ray cluster"),
        (Resources(address="host:99999"), "no address of a Ray cluster"),
    ],
)
def test_what_does_not_go_together(resources: Resources, said: str) -> None:
    with pytest.raises(UserError, match=said), open_crew(resources):
        pass


@pytest.mark.parametrize(("seconds", "this_process"), [(SMALL, True), (SMALL + 1, False)])
def test_small_work_runs_in_this_process(seconds: float, this_process: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_crews, "ray_crew", lambda *_: nullcontext())
    with open_crew(ALL_CORES, seconds) as crew:
        assert isinstance(crew, Serial) == this_process
    with open_crew(Resources(cpus=2), seconds) as crew:
        assert not isinstance(crew, Serial)


def test_costs_are_added_up_until_work_is_not_small() -> None:
    tasks = iter([SMALL / 4] * 9)
    _, seconds = with_cost(tasks, lambda task: task)
    assert seconds == SMALL * 5 / 4
    assert len(list(tasks)) == 4
    assert with_cost(iter([1.0, 2.0]), lambda task: task)[1] == 3.0


@pytest.mark.parametrize(
    ("quota", "wanted"), [("150000 100000", 2), ("50000 100000", 1), ("max 100000", 5), (None, 5), ("900000 100000", 5)]
)
def test_the_cores_of_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str | None, wanted: int
) -> None:
    monkeypatch.setattr(threads, "QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(threads, "QUOTA_V1", tmp_path / "none")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(5)))
    if quota is not None:
        threads.QUOTA.write_text(quota)
    assert threads.cores() == wanted


@pytest.mark.parametrize(("quota", "wanted"), [("150000\n", 2), ("-1\n", 5), (None, 5)])
def test_the_cores_of_a_container_of_cgroups_v1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str | None, wanted: int
) -> None:
    monkeypatch.setattr(threads, "QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(threads, "QUOTA_V1", tmp_path / "cpu.cfs_quota_us")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(5)))
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    if quota is not None:
        threads.QUOTA_V1.write_text(quota)
    assert threads.cores() == wanted


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_where_nobody_answers(form: str) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = form.format(taken.getsockname()[1])
        with pytest.raises(ClusterError, match=r"can't be reached: .*refused"), open_crew(Resources(address=address)):
            pass
