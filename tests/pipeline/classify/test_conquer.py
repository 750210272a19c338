"""Cubes over processes: the verdicts of one process, workers that die, and an end at once."""

import math
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from pipeline.classify import conquer
from pipeline.classify.conquer import conquer_cube, conquer_over
from pipeline.errors import ClusterError
from pipeline.executors.crew import TROUBLE, WORKER, Fault, each
from pipeline.executors.processes import processes
from pipeline.executors.serial import Serial
from solver.conquest import Conquest
from solver.cubes import Answer, Cube
from solver.ladder.question import FROM_NOTHING
from solver.puzzle import from_picture
from solver.tables import puzzle_batch

BATCH = puzzle_batch([from_picture(np.eye(4, dtype=np.uint8))])


def cubes(number: int) -> list[Cube]:
    return [Cube(((k, 1, True),), FROM_NOTHING) for k in range(number)]


def picture(k: int) -> np.ndarray:
    return np.full(16, k, np.uint8)


class Told(Serial):
    """A crew that answers cubes as it is told, by their number of order; notes what it was given."""

    def __init__(self, cpus: int, answers: dict[int, Any]) -> None:
        super().__init__()
        self.many, self.answers = cpus, answers
        self.given: list[tuple[int, int]] = []  # cube, solutions known by then

    def cpus(self) -> int:
        return self.many

    def submit(self, function: Any, *arguments: Any) -> int:
        assert function is conquer_cube
        _, cube, known, _, _ = arguments
        number = cube.splits[0][0]
        self.given.append((number, len(known)))
        answer = self.answers.get(number, Answer([], [], 1.0, 1, None))
        return super().submit(lambda: answer.pop(0) if isinstance(answer, list) else answer)


def begun(number: int) -> Conquest:
    return Conquest(FROM_NOTHING, [], cubes(number))


def test_every_cube_is_decided_once() -> None:
    crew = Told(2, {})
    ended = conquer_over(crew, BATCH, begun(5), math.inf)
    assert ended == Conquest(FROM_NOTHING, [], [], 5.0, 5, None)
    assert sorted(number for number, _ in crew.given) == [0, 1, 2, 3, 4]


def test_parts_come_before_others_and_know_what_has_been_found() -> None:
    part = Cube(((7, 1, True),), FROM_NOTHING)
    crew = Told(1, {0: Answer([picture(1)], [part], 1.0, 0, None)})
    assert len(conquer_over(crew, BATCH, begun(2), math.inf).solutions) == 1
    assert crew.given == [(0, 0), (7, 1), (1, 1)]


def test_two_solutions_end_it_and_what_was_under_way_is_still_open() -> None:
    crew = Told(2, {0: Answer([picture(1), picture(2)], [], 1.0, 0, None)})
    ended = conquer_over(crew, BATCH, begun(3), math.inf)
    assert len(ended.solutions) == 2
    assert {cube.splits[0][0] for cube in ended.waiting} == {1, 2}


def test_out_of_time_the_others_wait() -> None:
    ended = conquer_over(Told(1, {}), BATCH, begun(5), 2.5)
    assert len(ended.waiting) == 2
    assert ended.cpu_seconds == 3.0


def test_a_cube_that_loses_its_worker_is_tried_again_and_in_the_end_given_up() -> None:
    lost = Fault(WORKER, "gone")
    done = Answer([], [], 1.0, 1, None)
    crew = Told(1, {1: [lost, lost, done]})
    assert conquer_over(crew, BATCH, begun(3), math.inf).waiting == []
    assert sorted(number for number, _ in crew.given) == [0, 1, 1, 1, 2]
    with pytest.raises(ClusterError, match="was lost 3 times: gone"):
        conquer_over(Told(1, {1: lost}), BATCH, begun(3), math.inf)


def killed_once(mark: Path, *arguments: Any) -> Any:
    """Its process dies over the first cube that there is."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return conquer_cube(*arguments)


def test_over_processes_one_of_which_dies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A unique puzzle and one with several solutions, from nothing known."""
    from functools import partial

    monkeypatch.setattr(conquer, "conquer_cube", partial(killed_once, tmp_path / "killed"))
    two = from_picture(np.eye(4, dtype=np.uint8)), from_picture(np.tri(4, dtype=np.uint8))
    with processes(2) as crew:
        for puzzle, solutions in zip(two, (2, 1), strict=True):
            whole = Conquest(FROM_NOTHING, [], [Cube((), FROM_NOTHING)])
            ended = conquer_over(crew, puzzle_batch([puzzle]), whole, math.inf)
            assert len(ended.solutions) == solutions
    assert (tmp_path / "killed").exists()


def odd_one_out(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 3:
        raise ValueError("three")
    return 2 * number


def test_processes_give_back_results_and_faults_and_end_whatever_they_do() -> None:
    before = {child.pid for child in psutil.Process().children()}
    with processes(2) as crew:
        assert crew.on_every_node(odd_one_out, 4) == {"this machine": 8}
        outcomes = dict(each(crew, odd_one_out, ((k,) for k in range(5))))
        crew.submit(signal.pause)
    assert outcomes.pop((2,)) == Fault(WORKER, "its process ended with status -9")
    assert outcomes.pop((3,)) == Fault(TROUBLE, "ValueError: three")
    assert outcomes == {(0,): 0, (1,): 2, (4,): 8}
    others = [child for child in psutil.Process().children() if child.pid not in before]
    assert all("resource_tracker" in " ".join(child.cmdline()) for child in others)
