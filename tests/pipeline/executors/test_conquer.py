"""Conquests over several cores: same verdicts as one process, lost workers, early ends."""

import math
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonocensus.pipeline.errors import ClusterError
from nonocensus.pipeline.executors import conquer
from nonocensus.pipeline.executors.conquer import conquer_cube, conquer_over, conqueror
from nonocensus.pipeline.executors.executor import WORKER, Resources, SerialExecutor, TaskFailure
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.learning.cubes import Conquest, Cube, CubeResult
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch

BATCH = puzzle_batch([from_picture(np.eye(4, dtype=np.uint8))])


def cubes(number: int) -> list[Cube]:
    return [Cube(((k, 1, True),), FROM_NOTHING) for k in range(number)]


def picture(k: int) -> np.ndarray:
    return np.full(16, k, np.uint8)


WHOLE = -1


class ScriptedExecutor(SerialExecutor):
    """Answers cubes by number from a script, and records submissions.

    answers       by cube, or by WHOLE: its outcome, or a list of outcomes of successive attempts
    whole_first   answer the whole first, else last
    """

    def __init__(self, cpus: int, answers: dict[int, Any], whole_first: bool = False) -> None:
        super().__init__()
        self.whole_first = whole_first
        self.many, self.answers, self.whole = cpus, answers, 0
        self.given: list[tuple[int, int]] = []  # cube, solutions known by then
        self.among: list[tuple[int, int] | None] = []

    def cpus(self) -> int:
        return self.many

    def submit(self, function: Any, *arguments: Any) -> int:
        assert function is conquer_cube
        _, cube, known, _, _, among = arguments
        number = cube.splits[0][0] if cube.splits else WHOLE
        assert (among is None) == (number == WHOLE)
        self.among.append(among)
        self.given.append((number, len(known)))
        answer = self.answers.get(number, CubeResult([], [cube] if number == WHOLE else [], 1.0, 1, None))
        ticket = super().submit(lambda: answer.pop(0) if isinstance(answer, list) else answer)
        if number == WHOLE:
            self.whole = ticket
        self._queue.sort(key=lambda task: (task[0] == self.whole) != self.whole_first)
        return ticket

    def cancel(self, ticket: int) -> None:
        self._queue = [task for task in self._queue if task[0] != ticket]

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        assert len(self._queue) <= self.many
        return super().wait(seconds)


@pytest.fixture(autouse=True)
def _without_kissat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Kissat."""
    monkeypatch.setattr(conquer, "has_kissat", lambda: False)


@pytest.fixture
def with_kissat(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Kissat."""
    monkeypatch.setattr(conquer, "has_kissat", lambda: True)


def begun(number: int) -> Conquest:
    return Conquest(FROM_NOTHING, [], cubes(number))


def numbers(executor: ScriptedExecutor) -> list[int]:
    return sorted(number for number, _ in executor.given)


def test_every_cube_is_decided_once() -> None:
    executor = ScriptedExecutor(2, {})
    ended = conquer_over(executor, BATCH, begun(5), math.inf)
    assert ended._replace(cpu_seconds=0.0) == Conquest(FROM_NOTHING, [], [], 0.0, 5, None)
    assert ended.cpu_seconds == pytest.approx(5.0, abs=0.5)
    assert numbers(executor) == [WHOLE, 0, 1, 2, 3, 4]


def test_parts_of_a_cube_come_next_and_know_found_solutions() -> None:
    part = Cube(((7, 1, True),), FROM_NOTHING)
    executor = ScriptedExecutor(2, {0: CubeResult([picture(1)], [part], 1.0, 0, None)})
    assert len(conquer_over(executor, BATCH, begun(2), math.inf).solutions) == 1
    assert executor.given == [(WHOLE, 0), (0, 0), (7, 1), (1, 1)]


def test_two_solutions_end_the_conquest() -> None:
    executor = ScriptedExecutor(2, {0: CubeResult([picture(1), picture(2)], [], 1.0, 0, None)})
    assert len(conquer_over(executor, BATCH, begun(3), math.inf).solutions) == 2
    assert numbers(executor) == [WHOLE, 0]


def test_single_core_works_on_the_whole_only() -> None:
    """It finds the first solution, then proves that there is no other."""
    found, proof = CubeResult([picture(1)], [Cube((), FROM_NOTHING)], 1.0, 1, None), CubeResult([], [], 1.0, 1, None)
    executor = ScriptedExecutor(1, {WHOLE: [found, proof]})
    ended = conquer_over(executor, BATCH, begun(3), math.inf)
    assert (len(ended.solutions), ended.waiting) == (1, [])
    assert executor.given == [(WHOLE, 0), (WHOLE, 1)]


@pytest.mark.usefixtures("with_kissat")
def test_with_kissat_whole_ends_at_its_first_solution() -> None:
    """Its core then takes cubes, which know the solution."""
    found = CubeResult([picture(1)], [Cube((), FROM_NOTHING)], 1.0, 1, None)
    parts = [Cube(((7 + k, 1, True),), FROM_NOTHING) for k in range(2)]
    executor = ScriptedExecutor(2, {WHOLE: found, 0: CubeResult([], parts, 1.0, 1, None)}, whole_first=True)
    ended = conquer_over(executor, BATCH, begun(1), math.inf)
    assert (len(ended.solutions), ended.waiting) == (1, [])
    assert ended.cpu_seconds == pytest.approx(4.0, abs=0.5)
    assert executor.given == [(WHOLE, 0), (0, 0), (7, 1), (8, 1)]
    assert executor.among == [None, (1, 1), (2, 2), (2, 2)]


@pytest.mark.usefixtures("with_kissat")
def test_with_kissat_whole_takes_no_part_in_a_proof() -> None:
    executor = ScriptedExecutor(2, {})
    ended = conquer_over(executor, BATCH, begun(3)._replace(solutions=[picture(1)]), math.inf)
    assert (len(ended.solutions), ended.waiting) == (1, [])
    assert numbers(executor) == [0, 1, 2]
    alone = ScriptedExecutor(1, {WHOLE: CubeResult([], [], 1.0, 1, None)})
    conquer_over(alone, BATCH, begun(3)._replace(solutions=[picture(1)]), math.inf)
    assert numbers(alone) == [WHOLE]


@pytest.mark.usefixtures("with_kissat")
def test_cpu_limit_applies_to_each_core() -> None:
    """Cubes are split for ever; three cores have three times the limit."""
    cube = cubes(1)[0]
    executor = ScriptedExecutor(3, {0: CubeResult([], [cube, cube, cube], 1.0, 0, None)})
    ended = conquer_over(executor, BATCH, begun(3)._replace(solutions=[picture(1)]), 10.0)
    assert ended.waiting
    assert 30.0 <= ended.cpu_seconds < 33.0


def test_solution_found_by_whole_and_cube_counts_once() -> None:
    cube = cubes(1)[0]
    found = CubeResult([picture(1)], [cube], 1.0, 1, None)
    executor = ScriptedExecutor(2, {0: [found, CubeResult([], [], 1.0, 1, None)], WHOLE: found})
    ended = conquer_over(executor, BATCH, begun(1), math.inf)
    assert (len(ended.solutions), ended.waiting) == (1, [])


def test_late_results_of_the_previous_puzzle_are_ignored() -> None:
    executor = ScriptedExecutor(3, {0: CubeResult([picture(1), picture(2)], [], 1.0, 0, None)})
    assert len(conquer_over(executor, BATCH, begun(2), math.inf).solutions) == 2
    executor.many, executor.answers = 9, {}
    ended = conquer_over(executor, BATCH, begun(3), math.inf)
    assert (ended.solutions, ended.waiting) == ([], [])
    assert ended.cpu_seconds == pytest.approx(3.0, abs=0.5)


def test_cpu_limit_leaves_puzzle_open() -> None:
    ended = conquer_over(ScriptedExecutor(1, {}), BATCH, begun(5), 2.5)
    assert ended.waiting


def test_cube_with_lost_workers_is_retried_then_given_up() -> None:
    lost = TaskFailure(WORKER, "gone")
    done = CubeResult([], [], 1.0, 1, None)
    executor = ScriptedExecutor(2, {1: [lost, lost, done]})
    assert conquer_over(executor, BATCH, begun(3), math.inf).waiting == []
    assert numbers(executor) == [WHOLE, 0, 1, 1, 1, 2]
    with pytest.raises(ClusterError, match="was lost 3 times: gone"):
        conquer_over(ScriptedExecutor(2, {1: lost}), BATCH, begun(3), math.inf)


@pytest.mark.slow
def test_lost_worker_costs_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One puzzle with several solutions, and one unique puzzle."""

    def killed_once(*arguments: Any) -> Any:
        if not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return conquer_cube(*arguments)

    monkeypatch.setattr(conquer, "conquer_cube", killed_once)
    two = from_picture(np.eye(4, dtype=np.uint8)), from_picture(np.tri(4, dtype=np.uint8))
    with conqueror(2) as conquer_here:
        for puzzle, solutions in zip(two, (2, 1), strict=True):
            whole = Conquest(FROM_NOTHING, [], [Cube((), FROM_NOTHING)])
            ended = conquer_here(puzzle_batch([puzzle]), whole, math.inf)
            assert len(ended.solutions) == solutions
    assert (tmp_path / "killed").exists()


def test_executor_starts_with_the_first_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int | None] = []

    @contextmanager
    def opened(resources: Resources) -> Iterator[ScriptedExecutor]:
        started.append(resources.cpus)
        yield ScriptedExecutor(2, {})

    monkeypatch.setattr(conquer, "open_executor", opened)
    with conqueror(2) as conquer_here:
        assert started == []
        for _ in range(2):
            assert conquer_here(BATCH, begun(2), math.inf).waiting == []
        assert started == [2]


def test_running_tasks_are_cancelled_and_their_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled: list[int] = []
    executor = ScriptedExecutor(2, {0: CubeResult([picture(1), picture(2)], [], 1.0, 0, None)})
    monkeypatch.setattr(executor, "cancel", cancelled.append)
    ended = conquer_over(executor, BATCH, begun(2), math.inf)
    assert cancelled == [executor.whole]
    assert 1.0 < ended.cpu_seconds < 2.0
